"""A vocabulary by ranges of ids, which mostly are the order of learning; and its longest tokens."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tokenizer.vocabulary.facts import BYTE, ORDINARY, Facts

OTHERS = "others"


class IdRanges(NamedTuple):
    """Counts by range of ids, exact; special tokens and unused ids are left out.

    Range i has the ids from `starts[i]` to `starts[i + 1] - 1`, and `tokens[i]` tokens with `num_bytes[i]` bytes and
    `num_characters[i]` characters (code points) together. `longest` are the bytes of its longest one. `scripts` has the
    tokens of each script, the most frequent scripts of the vocabulary by name, all other ones as OTHERS.
    """

    starts: np.ndarray
    tokens: np.ndarray
    num_bytes: np.ndarray
    num_characters: np.ndarray
    longest: np.ndarray
    scripts: dict[str, np.ndarray]


def id_ranges(facts: Facts, ranges: int | Sequence[int] = 100, max_scripts: int = 8) -> IdRanges:
    """Returns the counts of a vocabulary by range of ids.

    `ranges` is the number of ranges, of equal size plus or minus one id, or the first id of each range from 0 on,
    and the end of the last.

    >>> from tokenizer import get_encoding
    >>> from tokenizer.vocabulary.facts import facts_of
    >>> found = id_ranges(facts_of(get_encoding("gpt2")), ranges=5)
    >>> (found.num_bytes / found.tokens).round(1).tolist(), found.scripts["Latin"].tolist()
    ([5.4, 6.5, 6.6, 6.7, 6.8], [9362, 9618, 9366, 9362, 9296])
    """
    if isinstance(ranges, int):
        ranges = np.linspace(0, len(facts), min(ranges, len(facts)) + 1)
    starts = np.asarray(ranges).astype(np.int64)
    rows = text_rows(facts)
    place = np.searchsorted(starts, rows, side="right") - 1

    def total(weights: np.ndarray | None = None) -> np.ndarray:
        return np.bincount(place, weights, len(starts) - 1).astype(np.int64)

    longest = np.zeros(len(starts) - 1, np.int64)
    np.maximum.at(longest, place, facts.num_bytes[rows])
    script, counts = facts.script[rows], np.bincount(facts.script[rows], minlength=len(facts.scripts))
    shown = [i for i in np.argsort(-counts, kind="stable").tolist() if counts[i]][:max_scripts]
    scripts = {facts.scripts[i]: total(script == i) for i in shown}
    if counts.sum() > counts[shown].sum():
        scripts[OTHERS] = total(~np.isin(script, shown))
    return IdRanges(starts, total(), total(facts.num_bytes[rows]), total(facts.num_characters[rows]), longest, scripts)


def longest_tokens(facts: Facts, num_longest: int = 20) -> dict[str, list[int]]:
    """Returns the rows of the longest tokens of each script, longest first; the script with most tokens comes first.

    Length is in characters, or in bytes if a token is not text; of equals the smaller id comes first.

    >>> from tokenizer import get_encoding
    >>> from tokenizer.vocabulary.facts import facts_of
    >>> facts = facts_of(get_encoding("gpt2"))
    >>> [facts.texts[row] for row in longest_tokens(facts)["Cyrillic"][:3]]
    ['о', 'а', 'е']
    """
    rows = text_rows(facts)
    length = np.where(facts.num_characters > 0, facts.num_characters, facts.num_bytes)[rows]
    rows = rows[np.argsort(-length, kind="stable")]
    counts = np.bincount(facts.script[rows], minlength=len(facts.scripts))
    order = [i for i in np.argsort(-counts, kind="stable").tolist() if counts[i]]
    return {facts.scripts[i]: rows[facts.script[rows] == i][:num_longest].tolist() for i in order}


def text_rows(facts: Facts) -> np.ndarray:
    """Returns the rows of ordinary tokens and byte tokens, an int64 array."""
    return np.flatnonzero((facts.role == ORDINARY) | (facts.role == BYTE))
