"""What the same meaning costs in one language and in another, and why: premiums, their causes and their uncertainty.

Everything here is counted on parallel text: the n-th line of each language says the same. Each line is tokenized alone.
"""

import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tokenizer.encoding.byte_bpe import Encoding
from tokenizer.encoding.tokens import Tokens
from tokenizer.errors import TokenizerError, shown
from tokenizer.measure.metrics import TextUnits, num_cut_graphemes, num_partial, num_split_words
from tokenizer.text.units import count_graphemes, count_words
from tokenizer.text.well_formed import well_formed

RESAMPLES = 2_000
LEVEL = 0.95
MOST_SECONDS = 5  # for the lines of one language; 2,000 take a tenth of one
SEED = 20_250_411  # so that the same text has the same interval whenever it is asked for


class NotParallel(TokenizerError):
    """Two languages have not the same number of lines, or the base has nothing to divide by."""


class TooSlow(TokenizerError):
    """A split pattern that takes too long on lines, each of which it can do."""

    def __init__(self, name: str, num_lines: int, done: int):
        super().__init__(
            f"{shown(name)} takes too long: {done:,} of {num_lines:,} lines in {MOST_SECONDS} seconds, for its split"
            " pattern goes back and forth in them. Take a simpler pattern, or fewer lines."
        )


class Size(NamedTuple):
    """How large each line of a text is, whatever the encoding; one entry a line."""

    bytes: np.ndarray
    characters: np.ndarray
    graphemes: np.ndarray
    words: np.ndarray


class Premium(NamedTuple):
    """How many tokens a language takes for each of the base's, and the three factors whose product that is.

    `width`: bytes per character, over the base's; what UTF-8 spends on a letter.
    `length`: characters for the same meaning, over the base's; how terse the language is.
    `vocabulary`: bytes per token of the base, over the language's; how little of the language the vocabulary knows.
    """

    tokens: float
    width: float
    length: float
    vocabulary: float


class Interval(NamedTuple):
    """Where a value may lie with other sentences of this kind."""

    low: float
    high: float


def size(lines: Sequence[str]) -> Size:
    """Returns the size of each line in four units: UTF-8 bytes, code points, graphemes and words (both by ICU).

    >>> [column.tolist() for column in size(["ที่นี่", "one two"])]
    [[18, 7], [6, 7], [2, 7], [2, 2]]
    """
    lines = [well_formed(line)[0] for line in lines]
    units = [lambda line: len(line.encode()), len, count_graphemes, count_words]
    return Size(*(np.fromiter(map(unit, lines), dtype=np.int64, count=len(lines)) for unit in units))


class Cost(NamedTuple):
    """What an encoding makes of lines: tokens of each line, and how much of the whole text it cuts inside."""

    tokens: np.ndarray
    split_words: int
    cut_graphemes: int
    partial_tokens: int


def count_tokens(lines: Sequence[str], encoding: Encoding, special: str = "text") -> np.ndarray:
    """Returns how many tokens each line has; raises TooSlow.

    >>> from tokenizer import get_encoding
    >>> count_tokens(["hello world", "สวัสดี"], get_encoding("cl100k_base")).tolist()
    [2, 6]
    """
    return np.fromiter(map(len, _encoded(lines, encoding, special)), dtype=np.int64, count=len(lines))


def _encoded(lines: Sequence[str], encoding: Encoding, special: str) -> Iterator[np.ndarray]:
    """Yields the ids of each line; one slow line has its own limit, and here all of them have one together."""
    end = time.monotonic() + MOST_SECONDS
    for done, line in enumerate(lines):
        if time.monotonic() > end:
            raise TooSlow(encoding.name, len(lines), done)
        yield encoding.encode_array(line, special)


def cost(lines: Sequence[str], encoding: Encoding, special: str = "text") -> Cost:
    """Returns what an encoding makes of these lines, words and graphemes as ICU breaks them; raises TooSlow.

    >>> from tokenizer import get_encoding
    >>> found = cost(["hello world", "ที่"], get_encoding("gpt2"))
    >>> found.tokens.tolist(), found.split_words, found.cut_graphemes, found.partial_tokens
    ([2, 6], 1, 1, 6)
    """
    parts = list(_encoded(lines, encoding, special))
    tokens = np.fromiter(map(len, parts), dtype=np.int64, count=len(parts))
    # One text with a line feed between the lines, as a token of its own that is not counted: so ICU reads it once.
    text = "\n".join(well_formed(line)[0] for line in lines)
    breaks = np.cumsum(tokens)[:-1]
    ids = np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint32)
    lengths = np.insert(encoding.byte_lengths(ids), breaks, 1)
    whole = Tokens(text, np.insert(ids, breaks, 0), lengths)
    units = TextUnits(text)
    return Cost(tokens, num_split_words(units, whole), num_cut_graphemes(units, whole), num_partial(units, whole))


def premium(size: Size, tokens: np.ndarray, base_size: Size, base_tokens: np.ndarray) -> Premium:
    """Returns the premium of a language over a base language, with its causes.

    The premium is that of Petrov et al. 2023 (arXiv 2305.15425), over all lines together. The first two factors make
    the byte premium of Arnett et al. 2024 (arXiv 2403.00686). Raises NotParallel.

    >>> thai, english = size(["ที่นี่"]), size(["here"])
    >>> premium(thai, np.array([6]), english, np.array([1]))
    Premium(tokens=6.0, width=3.0, length=1.5, vocabulary=1.3333333333333333)
    """
    if len(tokens) != len(base_tokens):
        raise NotParallel(
            f"One text has {len(tokens):,} lines and the other {len(base_tokens):,}. Give both as many lines."
        )
    own = [int(np.sum(column)) for column in (size.bytes, size.characters, tokens)]
    base = [int(np.sum(column)) for column in (base_size.bytes, base_size.characters, base_tokens)]
    if not all(own) or not all(base):
        raise NotParallel("One of the two texts is empty. A premium needs some text in both.")
    (own_bytes, own_characters, own_tokens), (base_bytes, base_characters, base_total) = own, base
    return Premium(
        own_tokens / base_total,
        own_bytes * base_characters / (own_characters * base_bytes),
        own_characters / base_characters,
        base_bytes * own_tokens / (base_total * own_bytes),
    )


def interval(tokens: np.ndarray, base_tokens: np.ndarray, level: float = LEVEL) -> Interval:
    """Returns the bootstrap interval of a premium: the percentiles of what resampled lines give (Efron 1979).

    Each resample draws as many lines as there are, in both languages the same ones. The draws are the same each time.

    >>> interval(np.array([4, 4, 4]), np.array([2, 2, 2]))
    Interval(low=2.0, high=2.0)
    """
    draws = _draws(len(tokens))
    own, base = draws @ np.asarray(tokens, dtype=np.float64), draws @ np.asarray(base_tokens, dtype=np.float64)
    found = own[base > 0] / base[base > 0]
    if not len(found):
        raise NotParallel("One of the two texts is empty. A premium needs some text in both.")
    return Interval(*(float(np.quantile(found, share)) for share in ((1 - level) / 2, (1 + level) / 2)))


@lru_cache(maxsize=4)
def _draws(num_lines: int) -> np.ndarray:
    """How often each resample draws each line: a row a resample."""
    generator = np.random.default_rng(SEED)
    return generator.multinomial(num_lines, np.full(num_lines, 1 / num_lines), size=RESAMPLES).astype(np.float32)


def gini(costs: Sequence[float]) -> float:
    """Returns how unequal costs are: 0 if all are the same, near 1 if one bears everything (Gini's coefficient).

    Over tokens per line of parallel text it is the tokenizer fairness Gini of TokEval (Foroutan et al. 2025,
    arXiv 2508.04796).

    >>> gini([3, 3, 3]), gini([0, 0, 0, 4])
    (0.0, 0.75)
    """
    found = np.sort(np.asarray(costs, dtype=np.float64))
    if not len(found) or not found.sum():
        return 0.0
    ranks = np.arange(1, len(found) + 1)
    return float((2 * ranks - len(found) - 1) @ found / (len(found) * found.sum()))
