"""The table behind the Languages page: for each language and encoding what it costs, and why."""

from collections.abc import Mapping, Sequence

import pandas as pd

from tokenizer import Encoding, get_encoding, list_encoding_names
from tokenizer.languages.parallel import Language, declaration
from tokenizer.languages.premium import Cost, Size, interval, premium, spread
from tokenizer.measure.metrics import ratio

SHOWN = {  # what a bar may be: the column, its name, its unit, and what to know of it
    "premium": (
        "Premium",
        "the language’s tokens over those of the language it is compared with, for the same sentences (Petrov et al."
        " 2023, arXiv 2305.15425)",
        "It is characters times tokens per character, exactly. Characters (code points) say how long the language is"
        " written, tokens per character how finely the encoding cuts what is written. Neither alone finds a fault: a"
        " Han character says more than a letter, so there are fewer of them, and each takes more tokens. Bytes are no"
        " third factor: a byte-level BPE starts from them (byte premium, Arnett et al. 2024, arXiv 2403.00686), and its"
        " vocabulary and split pattern decide what is left of that (Arnett et al. 2025, arXiv 2510.21909).",
    ),
    "per_word": (
        "Fertility",
        "tokens per word, words as ICU breaks them",
        "A word is not the same thing everywhere: Finnish and Turkish put into one word what English says in four, and"
        " ICU finds the words of Thai, Lao, Khmer, Burmese, Chinese and Japanese in a dictionary. Compare encodings by"
        " it within a language, not languages with each other.",
    ),
    "split_words": (
        "Split words",
        "share of words that a token boundary cuts, words as ICU breaks them",
        "A language of long words has more to cut: compare encodings by it within a language.",
    ),
    "per_grapheme": (
        "Tokens per grapheme",
        "tokens per grapheme, graphemes as ICU breaks them",
        "A grapheme is a letter in Thai, a syllable in Korean and Amharic, and nearly a word in Chinese: a high number"
        " there may still be a cheap language.",
    ),
    "per_character": (
        "Tokens per character",
        "tokens per code point",
        "Scripts spell the same sounds with more or fewer code points: compare encodings by it within a language.",
    ),
    "partial": ("Partial tokens", "share of tokens that are not valid UTF-8 alone", ""),
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
    "least_kind": "cheapest kind of sentence",
    "most_kind": "dearest kind of sentence",
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


def in_words(language: str, base: str, row: Mapping) -> str:
    """Returns a premium and its factors in words; each number is of all sentences together.

    >>> numbers = {"premium": 1.91, "length": 0.83, "density": 2.3, "held": 2.03, "byte_premium": 2.45}
    >>> in_words("Thai", "English", {"encoding": "x"} | numbers)
    'Thai costs 1.91 times as many tokens as English in x: it is written with 0.83 times as many characters, and a \
character takes on average 2.30 times as many tokens. A token of Thai holds 2.03 characters, one of English 4.67. In \
UTF-8 Thai has 2.45 times as many bytes.'
    """
    if language == base:
        return f"{base} is the language that the others are compared with."
    return (
        f"{language} costs {row['premium']:.2f} times as many tokens as {base} in {row['encoding']}: it is written with"
        f" {row['length']:.2f} times as many characters, and a character takes on average {row['density']:.2f} times as"
        f" many tokens. A token of {language} holds {row['held']:.2f} characters, one of {base}"
        f" {row['held'] * row['density']:.2f}. In UTF-8 {language} has {row['byte_premium']:.2f} times as many bytes."
    )
