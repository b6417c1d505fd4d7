"""The metrics of encodings; they are computed only here. assets/metrics.toml has their definitions and sources.

All are computed from the ids and spans of the tokens of the whole text: words are not encoded one by one. A metric that
is undefined for a text, such as tokens per word without words, is None.
"""

import math
from typing import NamedTuple

import numpy as np

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.tokens import UNKNOWN, Tokens
from tokenizer.errors import TokenizerError
from tokenizer.i18n import number, tr
from tokenizer.measure.agreement import boundaries
from tokenizer.measure.text_structure import (
    num_across_characters,
    num_missing_characters,
    num_white_space,
    operator_counts,
    three_digit_f1,
    word_boundary_score,
)
from tokenizer.measure.text_units import TextUnits
from tokenizer.paths import read_toml

RENYI_ALPHA = 2.5  # the order of the Rényi entropy with the best correlation with BLEU (Zouhar et al. 2023)


class OtherText(TokenizerError):
    """The tokens belong to another text."""

    def __init__(self, text: str, tokens: Tokens):
        self.num_bytes, self.num_token_bytes = len(text.encode()), len(tokens.text.encode())
        super().__init__(
            tr(
                "These tokens, of a text of {own:,} bytes, are not the tokens of this text of"
                " {size:,} bytes. Pass the text that was tokenized.",
                own=self.num_token_bytes,
                size=self.num_bytes,
            )
        )


class Metric(NamedTuple):
    """A metric of an encoding on a text: label, definition and source in English, to be translated by `tr`."""

    name: str
    label: str
    unit: str
    better: str
    definition: str
    source: str
    caveat: str = ""


METRICS = {name: Metric(name, **facts) for name, facts in read_toml("metrics.toml").items()}


class LineTable(NamedTuple):
    """A row for each line: its span in bytes, its tokens, its graphemes, and tokens per grapheme."""

    starts: np.ndarray
    ends: np.ndarray
    tokens: np.ndarray
    graphemes: np.ndarray
    tokens_per_grapheme: np.ndarray


class Histogram(NamedTuple):
    """The occurring lengths of tokens in bytes, ascending, and the number of tokens of each."""

    lengths: np.ndarray
    counts: np.ndarray


def measure(text: str | TextUnits, tokens: Tokens, encoding: Encoding) -> dict[str, float | int | None]:
    """Returns the value of every metric, in the order of METRICS.

    >>> from tokenizer.kinds.byte_bpe import byte_bpe
    >>> toy = byte_bpe("toy", None, {bytes([i]): i for i in range(256)} | {b"ab": 256, b" ab": 257})
    >>> values = measure("ab abc", toy.tokenize("ab abc"), toy)
    >>> [values[name] for name in ("tokens", "bytes_per_token", "tokens_per_word", "split_words")]
    [3, 2.0, 1.5, 0.5]
    """
    units = _units(text, tokens)
    num_tokens, num_words, num_graphemes = len(tokens), len(units.words), len(units.grapheme_ends)
    partial, cut_graphemes = num_partial(units, tokens), num_cut_graphemes(units, tokens)
    counts = np.unique(tokens.id_array, return_counts=True)[1]
    vocab_size, whole_words = encoding.vocab_size, num_whole_words(units, tokens)
    at_words, operators = word_boundary_score(units, tokens), operator_counts(units, tokens)
    return {
        "tokens": num_tokens,
        "distinct_tokens": len(counts),
        "unknown_share": ratio(_count(tokens.kinds == UNKNOWN), num_tokens),
        "missing_characters": num_missing_characters(units.text, encoding.decode(tokens.ids)),
        "bytes_per_token": ratio(len(units.data), num_tokens),
        "characters_per_token": ratio(units.num_characters, num_tokens),
        "tokens_per_word": ratio(num_tokens, num_words),
        "whole_words": ratio(whole_words, num_tokens),
        "single_token_words": ratio(whole_words, num_words),
        "split_words": ratio(num_split_words(units, tokens), num_words),
        "word_precision": at_words.precision,
        "word_recall": at_words.recall,
        "word_f1": at_words.f1,
        "partial_tokens": partial,
        "partial_share": ratio(partial, num_tokens),
        "across_characters": num_across_characters(units, tokens),
        "cut_graphemes": cut_graphemes,
        "cut_share": ratio(cut_graphemes, num_graphemes),
        "white_space_share": ratio(num_white_space(units, tokens), num_tokens),
        "three_digit_f1": three_digit_f1(units, tokens),
        "operators_isolated": ratio(operators.isolated, operators.total),
        "compounds_kept": ratio(operators.kept, operators.compounds),
        "vocab_size": vocab_size,
        "renyi_efficiency": renyi_efficiency(counts, vocab_size),
    }


def num_whole_words(units: TextUnits, tokens: Tokens) -> int:
    """Returns how many tokens cover exactly one word, with or without one space before it; unknown tokens do not.

    Divided by all words, this is the single-token retention rate of words (STRR; Nayeem et al. 2025, arXiv 2510.09947).
    They encode each word of a list by itself; here the words stand in their text.

    >>> num_whole_words(TextUnits("a red cat"), Tokens("a red cat", np.array([1, 2, 3, 4]), np.array([1, 4, 3, 1])))
    2
    """
    word_end = np.full(len(units.data) + 1, -1)  # for each byte, the end of the word that starts there
    word_end[units.words[:, 0]] = units.words[:, 1]
    skips_space = np.append(units.data, 0)[tokens.starts] == ord(" ")
    return _count((word_end[tokens.starts + skips_space] == tokens.ends) & (tokens.kinds != UNKNOWN))


def num_split_words(units: TextUnits, tokens: Tokens) -> int:
    """Returns how many words have a token boundary inside."""
    return _num_cut(*units.words.T, tokens)


def num_cut_graphemes(units: TextUnits, tokens: Tokens) -> int:
    """Returns how many graphemes have a token boundary inside."""
    return _num_cut(_starts(units.grapheme_ends), units.grapheme_ends, tokens)


def num_partial(units: TextUnits, tokens: Tokens) -> int:
    """Returns how many tokens are not valid UTF-8 alone."""
    return len(tokens) - _count(units.starts_character[tokens.starts] & units.starts_character[tokens.ends])


def ratio(value: float | None, total: float | None) -> float | None:
    """Returns a ratio, or None if it is undefined; also for ratios to a baseline.

    >>> ratio(3, 2), ratio(3, 0), ratio(None, 2)
    (1.5, None, None)
    """
    return None if value is None or not total else value / total


def measure_count(units: TextUnits, tokens: int) -> dict[str, float | int | None]:
    """Returns the metrics of a text of which only the number of tokens is known; None for all that need the tokens.

    >>> found = measure_count(TextUnits("hello ที่"), 4)
    >>> found["tokens"], found["bytes_per_token"], found["tokens_per_word"], found["distinct_tokens"]
    (4, 3.75, 2.0, None)
    """
    known = {
        "tokens": tokens,
        "bytes_per_token": ratio(len(units.data), tokens),
        "characters_per_token": ratio(units.num_characters, tokens),
        "tokens_per_word": ratio(tokens, len(units.words)),
    }
    return dict.fromkeys(METRICS) | known


def renyi_efficiency(counts: np.ndarray, vocab_size: int, alpha: float = RENYI_ALPHA) -> float | None:
    """Returns the Rényi entropy of counts above 0 as a share of the maximum for the vocabulary.

    Others divide by the logarithm of how many different tokens were seen, the length of `counts`, in place of the size
    of the vocabulary: the authors' own tokenization-scorer does, and TokEval before 1.0. Pass that as `vocab_size`.

    >>> renyi_efficiency(np.array([5, 5]), 4), renyi_efficiency(np.array([7]), 4), renyi_efficiency(np.array([]), 4)
    (0.5, 0.0, None)
    >>> renyi_efficiency(np.array([5, 5]), 2)  # as others do
    1.0
    """
    if len(counts) == 0 or vocab_size < 2:
        return None
    entropy = math.log2(np.sum((counts / np.sum(counts)) ** alpha)) / (1 - alpha)
    return abs(entropy) / math.log2(vocab_size)  # abs: the entropy of a single token is -0.0


def by_line(text: str | TextUnits, tokens: Tokens) -> LineTable:
    r"""Returns the tokens of each line; a token that spans a line end belongs to the line where it starts.

    A line end belongs to its line, in the span and as one of the graphemes.

    >>> table = by_line("ab\nc", Tokens("ab\nc", np.array([5, 6, 7]), np.array([1, 2, 1])))
    >>> table.ends.tolist(), table.tokens.tolist(), table.graphemes.tolist()
    ([3, 4], [2, 1], [3, 1])
    """
    units = _units(text, tokens)
    ends = units.line_ends
    line_of = np.minimum(np.searchsorted(ends, tokens.starts, side="right"), len(ends) - 1)  # the end: last line
    num_tokens = np.bincount(line_of, minlength=len(ends))
    num_graphemes = np.diff(np.searchsorted(units.grapheme_ends, ends, side="right"), prepend=0)
    return LineTable(_starts(ends), ends, num_tokens, num_graphemes, num_tokens / num_graphemes)


def token_lengths(tokens: Tokens) -> Histogram:
    """Returns the histogram of the tokens' lengths in bytes.

    >>> found = token_lengths(Tokens("a bc", np.array([5, 6, 7]), np.array([1, 2, 1])))
    >>> found.lengths.tolist(), found.counts.tolist()
    ([1, 2], [2, 1])
    """
    return Histogram(*np.unique(tokens.ends - tokens.starts, return_counts=True))


def _units(text: str | TextUnits, tokens: Tokens) -> TextUnits:
    units = text if isinstance(text, TextUnits) else TextUnits(text)
    if units.text != tokens.text:
        raise OtherText(units.text, tokens)
    return units


def _num_cut(starts: np.ndarray, ends: np.ndarray, tokens: Tokens) -> int:
    """Returns how many of these spans have a token boundary strictly inside."""
    inner = boundaries(tokens)
    return _count(np.searchsorted(inner, ends, side="left") > np.searchsorted(inner, starts, side="right"))


def _starts(ends: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], ends[:-1]]) if len(ends) else ends


def _count(flags: np.ndarray) -> int:
    return int(np.count_nonzero(flags))


def written(metric: Metric, value: float | int | None) -> str:
    """Returns a value of this metric for a table; a dash if it is undefined.

    >>> written(METRICS["tokens"], 12345), written(METRICS["split_words"], 0.25), written(METRICS["tokens"], None)
    ('12,345', '25.0 %', '–')
    """
    if value is None:
        return "–"
    if metric.unit.startswith("share"):
        return f"{number(100 * value, '.1f')} %"
    return number(value) if isinstance(value, int) else number(value, ",.2f")
