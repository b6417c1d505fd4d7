"""Token premiums of languages, their causes and their uncertainty.

Everything is counted on parallel text: the n-th lines of all languages have the same meaning. Each line is tokenized
alone.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.tokens import Tokens
from tokenizer.errors import TokenizerError, shown
from tokenizer.i18n import mark, tr, trn
from tokenizer.measure.metrics import num_partial, num_split_words
from tokenizer.measure.text_units import TextUnits
from tokenizer.text.units import count_graphemes, count_words
from tokenizer.text.well_formed import well_formed

CONFIDENCE_LEVEL = 0.95
MAX_COST_SECONDS = 5  # for the lines of one language; 2,000 lines take 0.1 s


class NotParallel(TokenizerError):
    """Two languages have different numbers of lines, or the base is empty."""


class TooSlow(TokenizerError):
    """A split pattern takes too long on all lines together, although not on any single one."""


class Size(NamedTuple):
    """The size of each line of a text, as arrays of shape (lines,)."""

    bytes: np.ndarray
    characters: np.ndarray
    graphemes: np.ndarray
    words: np.ndarray


class Premium(NamedTuple):
    """How many tokens a language takes for each of the base's: `length` times `density`, exactly.

    `length`: characters for the same meaning, over the base's; how long the language is written.
    `density`: tokens per character, over the base's; how finely the encoding cuts what is written.
    `bytes`: UTF-8 bytes for the same meaning, over the base's: the premium of an encoding whose tokens are bytes.
    """

    tokens: float
    length: float
    density: float
    bytes: float


class Interval(NamedTuple):
    """The ends of an interval."""

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
    """The tokens of each line in an encoding; how many words it splits, and how many tokens are parts of characters."""

    tokens: np.ndarray
    split_words: float
    partial_tokens: float


def only_counted(tokens: np.ndarray) -> Cost:
    """Returns the cost of lines whose tokens are only counted: the other numbers are unknown, NaN.

    >>> only_counted(np.array([3, 4])).split_words
    nan
    """
    return Cost(tokens, math.nan, math.nan)


def count_tokens(lines: Sequence[str], encoding: Encoding, special: str = "text") -> np.ndarray:
    """Returns the number of tokens of each line, of shape (lines,); raises TooSlow.

    >>> from tokenizer import get_encoding
    >>> count_tokens(["hello world", "สวัสดี"], get_encoding("cl100k_base")).tolist()
    [2, 6]
    """
    found = _read(lines, encoding.encode_array, encoding, special)
    return np.fromiter(map(len, found), dtype=np.int64, count=len(lines))


def _read(lines: Sequence[str], reading: Callable, encoding: Encoding, special: str) -> Iterator:
    """Yields the tokens of each line within MAX_COST_SECONDS for all; single lines have a limit of their own."""
    encoding.prefetch(lines)
    end = time.monotonic() + MAX_COST_SECONDS
    for done, line in enumerate(lines):
        if time.monotonic() > end:
            problem = mark(
                "{name} takes too long: {done:,} of {all:,} lines in {seconds} seconds. Try fewer lines, or a tokenizer"
                " with a simpler split pattern."
            )
            facts = {"name": shown(encoding.name), "done": done, "all": len(lines), "seconds": MAX_COST_SECONDS}
            raise TooSlow(tr(problem, **facts))
        yield reading(line, special)


def cost(lines: Sequence[str], encoding: Encoding, special: str = "text", units: TextUnits | None = None) -> Cost:
    r"""Returns the cost of lines in an encoding, with words by ICU; raises TooSlow.

    `units` are those of the lines joined by "\n", computed once for several encodings.

    >>> from tokenizer import get_encoding
    >>> found = cost(["hello world", "ที่"], get_encoding("gpt2"))
    >>> found.tokens.tolist(), found.split_words, found.partial_tokens
    ([2, 6], 1, 6)
    """
    parts = list(_read(lines, encoding.tokenize, encoding, special))
    tokens = np.fromiter(map(len, parts), dtype=np.int64, count=len(parts))
    # one text with line feeds that no token covers, so that ICU reads it once
    text = "\n".join(part.text for part in parts)
    at = accumulate((len(part.text.encode()) + 1 for part in parts), initial=0)
    starts = np.concatenate([np.zeros(0, int), *(part.starts + first for part, first in zip(parts, at, strict=False))])
    lengths = np.concatenate([np.zeros(0, int), *(part.ends - part.starts for part in parts)])
    joined = Tokens(text, starts, lengths, starts)
    units = units or TextUnits(text)
    return Cost(tokens, num_split_words(units, joined), num_partial(units, joined))


NO_TOKENS = mark(
    "One encoding gives no tokens for one of the two texts, so there is no premium. Choose another encoding."
)


def premium(size: Size, tokens: np.ndarray, base_size: Size, base_tokens: np.ndarray) -> Premium:
    """Returns the premium of a language over a base language, and its factors.

    The premium is that of Petrov et al. 2023 (arXiv 2305.15425), over all lines together. In any text the tokens are
    the characters times the tokens per character, so the premium is the product of these two ratios, in any order.
    Bytes are not a third factor: bytes per token credits a vocabulary with the bytes that a script has in each letter.
    Their ratio, the byte premium of Arnett et al. 2024 (arXiv 2403.00686), is what a byte-level BPE starts from; how
    much of it is left is up to the vocabulary and the split pattern (Arnett et al. 2025, arXiv 2510.21909). Raises
    NotParallel.

    >>> thai, english = size(["ที่นี่"]), size(["here"])
    >>> premium(thai, np.array([6]), english, np.array([1]))
    Premium(tokens=6.0, length=1.5, density=4.0, bytes=4.5)
    """
    if len(tokens) != len(base_tokens):
        raise NotParallel(
            trn(
                "One text has {n:,} line and the other {other:,}. Use the same number of lines in both.",
                "One text has {n:,} lines and the other {other:,}. Use the same number of lines in both.",
                len(tokens),
                other=len(base_tokens),
            )
        )
    own = [int(np.sum(column)) for column in (size.bytes, size.characters, tokens)]
    base = [int(np.sum(column)) for column in (base_size.bytes, base_size.characters, base_tokens)]
    if not all(own[:2]) or not all(base[:2]):
        raise NotParallel(tr("One of the two texts is empty. A premium needs text in both."))
    if not own[2] or not base[2]:  # an encoding may drop what its split pattern does not match
        raise NotParallel(tr(NO_TOKENS))
    (own_bytes, own_characters, own_tokens), (base_bytes, base_characters, base_total) = own, base
    return Premium(
        ratio_of_tokens(tokens, base_tokens),
        own_characters / base_characters,
        own_tokens * base_characters / (own_characters * base_total),
        own_bytes / base_bytes,
    )


def ratio_of_tokens(tokens: np.ndarray, base_tokens: np.ndarray) -> float:
    """Returns the premium alone, as in `premium`, of lines that are not empty."""
    return int(np.sum(tokens)) / int(np.sum(base_tokens))


def interval(tokens: np.ndarray, base_tokens: np.ndarray, level: float = CONFIDENCE_LEVEL) -> Interval:
    """Returns Fieller's interval (1954) of a premium, with pairs of lines as samples; raises NotParallel.

    It estimates the premium on other lines like these. It is deterministic; a bootstrap over the lines converges to
    ends within some hundredths of its length. The interval is limited to the premiums of the single lines.

    >>> interval(np.array([4, 4, 4]), np.array([2, 2, 2]))
    Interval(low=2.0, high=2.0)
    """
    own, base = np.asarray(tokens, dtype=np.float64), np.asarray(base_tokens, dtype=np.float64)
    if not base.any():
        raise NotParallel(tr(NO_TOKENS))
    ratios = own[base > 0] / base[base > 0]
    low, high = float(ratios.min()), float(ratios.max())
    if len(own) > 1:
        reach = NormalDist().inv_cdf((1 + level) / 2) ** 2 / len(own)
        (own_variance, both), (_, base_variance) = np.cov(own, base)
        a, b = base.mean() ** 2 - reach * base_variance, own.mean() * base.mean() - reach * both
        if a > 0:  # otherwise the base varies so much that its mean might be 0
            root = math.sqrt(max(0.0, b * b - a * (own.mean() ** 2 - reach * own_variance)))
            low, high = max(low, (b - root) / a), min(high, (b + root) / a)
    return Interval(low, high)


def spread(tokens: np.ndarray, base_tokens: np.ndarray, kinds: Sequence[str]) -> Interval:
    """Returns the least and the greatest premium of any kind of line; `kinds` has the kind of each line.

    >>> spread(np.array([2, 4, 9]), np.array([2, 2, 3]), ["a", "a", "b"])
    Interval(low=1.5, high=3.0)
    """
    places = [np.array(kinds) == kind for kind in dict.fromkeys(kinds)]
    found = [float(tokens[place].sum() / base_tokens[place].sum()) for place in places]
    return Interval(min(found), max(found))


def gini(costs: Sequence[float]) -> float:
    """Returns the Gini coefficient of costs: 0 if all are equal, near 1 if one bears everything.

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
