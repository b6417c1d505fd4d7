"""The table of the Languages page: the cost of each language in each encoding, and the factors of that cost."""

from collections.abc import Mapping, Sequence
from html import escape

import pandas as pd

from tokenizer import Encoding, get_encoding, list_encoding_names
from tokenizer.errors import enumerated
from tokenizer.i18n import mark, number, tr, trn
from tokenizer.languages.parallel import Language, declaration
from tokenizer.languages.premium import Cost, Size, interval, premium, spread
from tokenizer.measure.metrics import ratio

MEASURES = {  # measures that the chart can show, by column: name, unit and caveat
    "premium": (
        mark("Tokens for the same sentences"),
        mark(
            "number of tokens divided by that of the language of comparison; also called the premium (Petrov et "
            "al. 2023, arXiv 2305.15425)"
        ),
        mark(
            "The premium is the product of two ratios to the language of comparison: that of the characters and that "
            "of the tokens per character. The characters (code points) show how long the text is in this language; "
            "the tokens per character show how finely the encoding divides the text. One high ratio alone does not "
            "mean that an encoding is bad: a Han character says more than a letter, so a Chinese text has fewer "
            "characters, and each character takes more tokens. Bytes are not a third factor: byte-level BPE starts "
            "from bytes (byte premium, Arnett et al. 2024, arXiv 2403.00686), and the vocabulary and the split "
            "pattern determine how much of the difference in bytes remains in the tokens (Arnett et al. 2025, arXiv "
            "2510.21909)."
        ),
    ),
    "per_word": (
        mark("Tokens per word"),
        mark("also called fertility; words found by the ICU library"),
        mark(
            "Words differ between languages: Finnish and Turkish can say in one word what English says in "
            "four, and ICU finds the words of Thai, Lao, Khmer, Burmese, Chinese and Japanese with a "
            "dictionary. Use this number to compare encodings within one language, not to compare languages."
        ),
    ),
    "split_words": (
        mark("Split words"),
        mark("share of words with a token boundary inside; words found by the ICU library"),
        mark("Long words are split more often. Use this number to compare encodings within one language."),
    ),
    "per_grapheme": (
        mark("Tokens per grapheme"),
        mark("graphemes found by the ICU library"),
        mark(
            "In Thai, a grapheme is a letter with the signs above and below it; in Korean and Amharic, a syllable; in "
            "Chinese, nearly a word. So a language with many tokens per grapheme may still need few tokens in all."
        ),
    ),
    "per_character": (
        mark("Tokens per character"),
        mark("characters are code points"),
        mark(
            "Some scripts need more characters than others for the same sounds. Use this number only to "
            "compare encodings within one language."
        ),
    ),
    "partial": (
        mark("Tokens with part of a character"),
        mark("share of tokens that are not valid UTF-8 by themselves"),
        "",
    ),
}

COLUMNS = {  # heads of the columns
    "language": mark("language"),
    "autonym": mark("name in the language itself"),
    "tag": mark("language tag"),
    "script": mark("script"),
    "family": mark("language family"),
    "encoding": mark("encoding"),
    "tokens": mark("tokens"),
    "premium": mark("premium"),
    "length": mark("characters, ratio to the language of comparison"),
    "density": mark("tokens per character, ratio to the language of comparison"),
    "held": mark("characters per token"),
    "byte_premium": mark("UTF-8 bytes, ratio to the language of comparison"),
    "low": mark("premium, 95 % confidence interval, lower end"),
    "high": mark("premium, 95 % confidence interval, upper end"),
    "least_kind": mark("premium, least expensive kind of sentence"),
    "most_kind": mark("premium, most expensive kind of sentence"),
    "declared": mark("premium in the Declaration of Human Rights"),
    "per_word": mark("tokens per word (ICU)"),
    "split_words": mark("share of words that are split (ICU)"),
    "per_grapheme": mark("tokens per grapheme"),
    "per_character": mark("tokens per code point"),
    "partial": mark("share of tokens with part of a character"),
    "bytes": mark("bytes"),
    "characters": mark("code points"),
    "graphemes": mark("graphemes"),
    "words": mark("words (ICU)"),
}


def frame(
    sizes: Mapping[str, Size],
    costs: Mapping[str, Mapping[str, Cost]],
    languages: Mapping[str, Language],
    encodings: Mapping[str, Encoding | None],
    base: str,
    kinds: Sequence[str],
) -> pd.DataFrame:
    """Returns one row per encoding and language, in their order; `encodings` maps displayed names to encodings.

    `sizes` are the sizes of each language's lines, by tag, and `costs` their costs in each encoding; both take long to
    compute and do not depend on `base`. `kinds` has the kind of each sentence. An encoding is None if its tokens are
    only counted: its measures that need token boundaries are NaN.

    >>> from tokenizer import get_encoding
    >>> from tokenizer.languages.parallel import language
    >>> from tokenizer.languages.premium import cost, size
    >>> two = {"en": ["Hello, world."], "th": ["สวัสดีชาวโลก"]}
    >>> gpt2, known = get_encoding("gpt2"), {tag: language(tag) for tag in two}
    >>> sizes, costs = {tag: size(two[tag]) for tag in two}, {tag: cost(two[tag], gpt2) for tag in two}
    >>> found = frame(sizes, {"gpt2": costs}, known, {"gpt2": gpt2}, "en", ["chat"])
    >>> found[["language", "tokens", "premium", "length", "density"]].values.tolist()[1]
    ['Thai', 24, 6.0, 0.9230769230769231, 6.5]
    """
    rows = []
    for name, encoding in encodings.items():
        own = costs[name]
        rows += [
            {fact: getattr(languages[tag], fact) for fact in ("tag", "autonym", "script", "family")}
            | {"language": languages[tag].name, "encoding": name}
            | numbers(sizes[tag], own[tag], sizes[base], own[base])
            | _premiums_of_other_texts(encoding, tag, base, own, kinds)
            for tag in sizes
        ]
    return pd.DataFrame(rows)


def _premiums_of_other_texts(
    encoding: Encoding | None, tag: str, base: str, costs: Mapping[str, Cost], kinds: Sequence[str]
) -> dict[str, float | None]:
    """Returns the least and greatest premium of the kinds of sentences, and the premium of the Declaration."""
    least, most = spread(costs[tag].tokens, costs[base].tokens, kinds)
    name, counts = encoding and encoding.name, declaration()
    known = name in list_encoding_names() and encoding is get_encoding(name) and {tag, base} <= set(counts)
    declared = counts[tag][name] / counts[base][name] if known else None
    return {"least_kind": least, "most_kind": most, "declared": declared}


def numbers(own: Size, cost: Cost, base: Size, base_cost: Cost) -> dict[str, float | int | None]:
    """Returns the measures of one language in one encoding: totals, the premium and its factors, ratios by unit."""
    totals = {unit: int(column.sum()) for unit, column in [("tokens", cost.tokens), *own._asdict().items()]}
    tokens = totals["tokens"]
    found = premium(own, cost.tokens, base, base_cost.tokens)
    low, high = interval(cost.tokens, base_cost.tokens)
    return totals | {
        "premium": found.tokens,
        "low": low,
        "high": high,
        "length": found.length,
        "density": found.density,
        "held": ratio(totals["characters"], tokens),
        "byte_premium": found.bytes,
        "per_word": ratio(tokens, totals["words"]),
        "split_words": ratio(cost.split_words, totals["words"]),
        "per_grapheme": ratio(tokens, totals["graphemes"]),
        "per_character": ratio(tokens, totals["characters"]),
        "partial": ratio(cost.partial_tokens, tokens),
    }


def finding(language: str, base: str, rows: Sequence[Mapping], count: int, unit: str = "sentence") -> str:
    """Returns a sentence in HTML with the cost of a language in each encoding; `rows` are the language's rows.

    >>> rows = [{"model": "GPT-4", "tokens": 9, "premium": 4.302}, {"model": "GPT-5", "tokens": 4, "premium": 1.9}]
    >>> finding("Thai", "English", rows, 120)
    'Compared with English, the same 120 sentences in Thai take <b>4.3 times</b> the tokens in \
<span>GPT-4</span> and <b>1.9 times</b> in <span>GPT-5</span>.'
    >>> finding("English", "English", rows, 120)
    'These 120 sentences in English take <b>9</b> tokens in <span>GPT-4</span> and <b>4</b> in <span>GPT-5</span>.'
    """
    models = [f"<span>{escape(row['model'])}</span>" for row in rows]
    if language == base:
        return trn(
            "This sentence in {base} takes {listed}.",
            "These {n:,} sentences in {base} take {listed}.",
            count,
            base=escape(base),
            listed=token_counts([row["tokens"] for row in rows], models),
        )
    times = [two_digits(row["premium"]) for row in rows]
    begins = tr("<b>{times} times</b> the tokens in {model}", times=times[0], model=models[0])
    others = zip(times[1:], models[1:], strict=True)
    listed = enumerated([begins, *(tr("<b>{times} times</b> in {model}", times=t, model=m) for t, m in others)])
    facts = {"base": escape(base), "language": escape(language), "listed": listed}
    if unit == "row":
        return trn(
            "Compared with {base}, the same row in {language} takes {listed}.",
            "Compared with {base}, the same {n:,} rows in {language} take {listed}.",
            count,
            **facts,
        )
    return trn(
        "Compared with {base}, the same sentence in {language} takes {listed}.",
        "Compared with {base}, the same {n:,} sentences in {language} take {listed}.",
        count,
        **facts,
    )


def token_counts(counts: Sequence[int], models: Sequence[str]) -> str:
    """Returns an enumeration of numbers of tokens and the models that they are of; the models are HTML."""
    begins = trn("<b>{n:,}</b> token in {model}", "<b>{n:,}</b> tokens in {model}", counts[0], model=models[0])
    others = zip(counts[1:], models[1:], strict=True)
    return enumerated([begins, *(tr("<b>{n:,}</b> in {model}", n=n, model=model) for n, model in others)])


def two_digits(value: float) -> str:
    """Returns a number with two significant digits, or with all digits of its integer part.

    >>> [two_digits(value) for value in (4.302, 3.25, 1.0, 0.4849, 12.4, 1234.5, 0.00005)]
    ['4.3', '3.3', '1.0', '0.48', '12', '1,235', '0.000050']
    """
    digits = 0 if value >= 9.95 else 1 - int(f"{value:.1e}".partition("e")[2])
    return number(value, f",.{digits}f")


def explain_premium(language: str, base: str, row: Mapping) -> str:
    """Returns a sentence with the factors of a premium, computed over all sentences together.

    >>> numbers = {"premium": 1.91, "length": 0.83, "density": 2.3, "held": 2.03}
    >>> explain_premium("Thai", "English", {"model": "x"} | numbers)
    'The text in Thai has 0.83 times as many characters as the text in English, and in x a character takes 2.30 times \
as many tokens on average: 1.91 times as many tokens in all. A token holds 2.03 characters of Thai on average, and \
4.67 of English.'
    """
    if language == base:
        return tr("{base} is the language with which the other languages are compared.", base=base)
    facts = {name: row[name] for name in ("model", "length", "density", "premium", "held")}
    of_base = row["held"] * row["density"]
    return tr(
        "The text in {language} has {length:.2f} times as many characters as the text in {base}, and "
        "in {model} a character takes {density:.2f} times as many tokens on average: {premium:.2f} "
        "times as many tokens in all. A token holds {held:.2f} characters of {language} on average, "
        "and {of_base:.2f} of {base}.",
        language=language,
        base=base,
        of_base=of_base,
        **facts,
    )
