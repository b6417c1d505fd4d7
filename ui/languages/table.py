"""The table behind the Languages page: for each language and encoding what it costs, and why."""

from collections.abc import Mapping, Sequence

import pandas as pd

from tokenizer import Encoding
from tokenizer.languages.parallel import Language
from tokenizer.languages.premium import Cost, Size, cost, interval, premium, size
from tokenizer.measure.metrics import ratio

SHOWN = {  # what a bar may be: the column, its name, its unit, and what to know of it
    "premium": ("Premium", "times the base language's tokens for the same sentences", ""),
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
    "partial": (
        "Partial tokens",
        "share of tokens that are not valid UTF-8 alone",
        "",
    ),
}


def frame(
    corpus: Mapping[str, Sequence[str]],
    languages: Mapping[str, Language],
    encodings: Mapping[str, Encoding],
    base: str,
) -> pd.DataFrame:
    """Returns a row for each language and encoding, in their order; `encodings` are by the names that are shown.

    >>> from tokenizer import get_encoding
    >>> from tokenizer.languages.parallel import language
    >>> two = {"en": ["Hello, world."], "th": ["สวัสดีชาวโลก"]}
    >>> found = frame(two, {tag: language(tag) for tag in two}, {"gpt2": get_encoding("gpt2")}, "en")
    >>> found[["language", "tokens", "premium", "width", "length"]].values.tolist()[1]
    ['Thai', 24, 6.0, 3.0, 0.9230769230769231]
    """
    sizes = {tag: size(lines) for tag, lines in corpus.items()}
    rows = []
    for name, encoding in encodings.items():
        costs = {tag: cost(lines, encoding) for tag, lines in corpus.items()}
        rows += [
            _about(languages[tag]) | {"encoding": name} | numbers(sizes[tag], costs[tag], sizes[base], costs[base])
            for tag in corpus
        ]
    return pd.DataFrame(rows)


def _about(one: Language) -> dict[str, str]:
    return {
        "tag": one.tag,
        "language": one.name,
        "autonym": one.autonym,
        "script": one.script,
        "family": one.family,
    }


def numbers(own: Size, cost: Cost, base: Size, base_cost: Cost) -> dict[str, float | int | None]:
    """Returns all numbers of one language in one encoding: totals, the premium with its causes, ratios by unit."""
    tokens, words = int(cost.tokens.sum()), int(own.words.sum())
    graphemes, characters = int(own.graphemes.sum()), int(own.characters.sum())
    found = premium(own, cost.tokens, base, base_cost.tokens)
    low, high = interval(cost.tokens, base_cost.tokens)
    return {
        "tokens": tokens,
        "bytes": int(own.bytes.sum()),
        "characters": characters,
        "graphemes": graphemes,
        "words": words,
        "premium": found.tokens,
        "low": low,
        "high": high,
        "width": found.width,
        "length": found.length,
        "vocabulary": found.vocabulary,
        "per_word": ratio(tokens, words),
        "split_words": ratio(cost.split_words, words),
        "per_grapheme": ratio(tokens, graphemes),
        "per_character": ratio(tokens, characters),
        "partial": ratio(cost.partial_tokens, tokens),
    }


def in_words(language: str, base: str, row: Mapping) -> str:
    """Returns a premium with its causes as a sentence.

    >>> in_words("Thai", "English", {"encoding": "x", "premium": 4.4, "width": 2.9, "length": 0.96, "vocabulary": 1.6})
    'Thai costs 4.40 times as many tokens as English in x: 2.90 because UTF-8 spends more bytes on a character, \
times 0.96 because Thai needs fewer characters, times 1.60 because the vocabulary knows less of it.'
    """
    letters = "spends {} bytes on a character"
    reasons = [
        (row["width"], "because UTF-8 " + letters, "more", "fewer", "as many"),
        (row["length"], f"because {language} needs {{}} characters", "more", "fewer", "as many"),
        (row["vocabulary"], "because the vocabulary knows {} of it", "less", "more", "as much"),
    ]
    parts = [f"{value:.2f} {words.format(_which(value, *how))}" for value, words, *how in reasons]
    return (
        f"{language} costs {row['premium']:.2f} times as many tokens as {base} in {row['encoding']}: "
        f"{', times '.join(parts)}."
    )


def _which(value: float, more: str, fewer: str, same: str) -> str:
    shown = f"{value:.2f}"
    return same if shown == "1.00" else more if value > 1 else fewer
