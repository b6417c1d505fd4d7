"""The table behind the Languages page: for each language and encoding what it costs, and why."""

from collections.abc import Mapping, Sequence
from html import escape

import pandas as pd

from tokenizer import Encoding, get_encoding, list_encoding_names
from tokenizer.errors import counted, enumerated
from tokenizer.languages.parallel import Language, declaration
from tokenizer.languages.premium import Cost, Size, interval, premium, spread
from tokenizer.measure.metrics import ratio

SHOWN = {  # what a dot may be: the column, its name, its unit, and what to know of it
    "premium": (
        "Tokens for the same sentences",
        "divided by those of the language it is compared with; known as the premium"
        " (Petrov et al. 2023, arXiv 2305.15425)",
        "It is characters times tokens per character, exactly. Characters (code points) say how much the language"
        " writes, tokens per character how finely the encoding cuts it. Neither alone points to a fault: a Han"
        " character says more than a letter, so there are fewer of them, and each takes more tokens. Bytes are not a"
        " third factor: a byte-level BPE starts from them (byte premium, Arnett et al. 2024, arXiv 2403.00686), and its"
        " vocabulary and split pattern decide what is left of that (Arnett et al. 2025, arXiv 2510.21909).",
    ),
    "per_word": (
        "Tokens per word",
        "also called fertility; words as ICU breaks them",
        "A word is not the same thing everywhere: Finnish and Turkish put into one word what English says in four, and"
        " ICU finds the words of Thai, Lao, Khmer, Burmese, Chinese and Japanese in a dictionary. Use it to compare"
        " encodings within a language, not languages with each other.",
    ),
    "split_words": (
        "Words that are cut",
        "share of words with a token boundary inside; words as ICU breaks them",
        "A language with long words has more to cut. Use it to compare encodings within a language.",
    ),
    "per_grapheme": (
        "Tokens per grapheme",
        "graphemes as ICU breaks them",
        "A grapheme is a letter in Thai, a syllable in Korean and Amharic, and nearly a word in Chinese: a language"
        " with a high number may still be cheap.",
    ),
    "per_character": (
        "Tokens per character",
        "characters are code points",
        "Scripts spell the same sounds with more or fewer characters. Use it to compare encodings within a language.",
    ),
    "partial": (
        "Tokens that are part of a character",
        "share of tokens that are not valid UTF-8 by themselves",
        "",
    ),
}

COLUMNS = {  # by what a table or a tooltip calls them
    "language": "language",
    "autonym": "its own name",
    "tag": "tag",
    "script": "script",
    "family": "family",
    "encoding": "encoding",
    "tokens": "tokens",
    "premium": "premium",
    "length": "characters, ratio",
    "density": "tokens per character, ratio",
    "held": "characters per token",
    "byte_premium": "UTF-8 bytes, ratio",
    "low": "other sentences, 95 % from",
    "high": "other sentences, 95 % to",
    "least_kind": "least expensive kind of sentence",
    "most_kind": "most expensive kind of sentence",
    "declared": "on the Declaration",
    "per_word": "tokens per word (ICU)",
    "split_words": "split words (ICU), share",
    "per_grapheme": "tokens per grapheme",
    "per_character": "tokens per code point",
    "partial": "partial tokens, share",
    "bytes": "bytes",
    "characters": "code points",
    "graphemes": "graphemes",
    "words": "words (ICU)",
}


def frame(
    sizes: Mapping[str, Size],
    costs: Mapping[str, Mapping[str, Cost]],
    languages: Mapping[str, Language],
    encodings: Mapping[str, Encoding],
    base: str,
    kinds: Sequence[str],
) -> pd.DataFrame:
    """Returns a row for each language and encoding, in their order; `encodings` are by the names that are shown.

    `sizes` are those of each language's lines, by tag, and `costs` what each encoding makes of them: what takes long to
    count, and is the same whatever `base` is. `kinds` says of which kind each sentence is.

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
            | _elsewhere(encoding, tag, base, own, kinds)
            for tag in sizes
        ]
    return pd.DataFrame(rows)


def _elsewhere(
    encoding: Encoding, tag: str, base: str, costs: Mapping[str, Cost], kinds: Sequence[str]
) -> dict[str, float | None]:
    """The premium on other kinds of text: the least and the greatest of our kinds, and that of the Declaration."""
    least, most = spread(costs[tag].tokens, costs[base].tokens, kinds)
    name, counts = encoding.name, declaration()
    known = name in list_encoding_names() and encoding is get_encoding(name) and {tag, base} <= set(counts)
    declared = counts[tag][name] / counts[base][name] if known else None
    return {"least_kind": least, "most_kind": most, "declared": declared}


def numbers(own: Size, cost: Cost, base: Size, base_cost: Cost) -> dict[str, float | int | None]:
    """Returns all numbers of one language in one encoding: totals, the premium and its factors, ratios by unit."""
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
    """Returns, as HTML, what a language costs in each encoding; `rows` are its own, with a `model` each.

    >>> rows = [{"model": "GPT-4", "tokens": 9, "premium": 4.302}, {"model": "GPT-5", "tokens": 4, "premium": 1.9}]
    >>> finding("Thai", "English", rows, 120)
    'Compared with English, the same 120 sentences in Thai take <b>4.3 times</b> the tokens in \
<span>GPT-4</span> and <b>1.9 times</b> in <span>GPT-5</span>.'
    >>> finding("English", "English", rows, 120)
    'These 120 sentences in English take <b>9</b> tokens in <span>GPT-4</span> and <b>4</b> in <span>GPT-5</span>.'
    """
    sentences, is_base = counted(count, unit), language == base
    numbers = [f"{row['tokens']:,}" if is_base else f"{two_digits(row['premium'])} times" for row in rows]
    units = [" tokens" if is_base else " the tokens", *[""] * len(rows)]
    listed = enumerated(
        [
            f"<b>{number}</b>{unit} in <span>{escape(row['model'])}</span>"
            for number, unit, row in zip(numbers, units, rows, strict=False)
        ]
    )
    if is_base:
        return f"These {sentences} in {escape(base)} take {listed}."
    return f"Compared with {escape(base)}, the same {sentences} in {escape(language)} take {listed}."


def two_digits(number: float) -> str:
    """Returns a number as it is said: two digits, or all of a large one's.

    >>> [two_digits(number) for number in (4.302, 1.0, 0.4849, 12.4, 1234.5)]
    ['4.3', '1.0', '0.48', '12', '1,234']
    """
    return f"{number:,.0f}" if number >= 9.95 else f"{number:#.2g}"


def in_words(language: str, base: str, row: Mapping) -> str:
    """Returns what a premium is made of, in words; each number is of all sentences together.

    >>> numbers = {"premium": 1.91, "length": 0.83, "density": 2.3, "held": 2.03}
    >>> in_words("Thai", "English", {"model": "x"} | numbers)
    'Thai has 0.83 times as many characters as English, and in x each takes 2.30 times as many tokens on average: 1.91 \
times the tokens in all. A token holds 2.03 characters of Thai, and 4.67 of English.'
    """
    if language == base:
        return f"{base} is the language that the others are compared with."
    return (
        f"{language} has {row['length']:.2f} times as many characters as {base}, and in {row['model']} each takes"
        f" {row['density']:.2f} times as many tokens on average: {row['premium']:.2f} times the tokens in all."
        f" A token holds {row['held']:.2f} characters of {language}, and {row['held'] * row['density']:.2f} of {base}."
    )
