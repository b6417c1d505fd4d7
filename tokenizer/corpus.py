"""A corpus as training sees it: each distinct pre-token once, with its count, in the order of first sight."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import accumulate

import numpy as np
import regex

from tokenizer.split import SAFE_CUT, compiled, has_safe_cuts, pieces, timeout_for, with_stand_ins
from tokenizer.text import code_points, well_formed

BLOCK = 1_000_000  # characters counted at once, so that a long text needs no list of all its pre-tokens
BETWEEN_WORDS = re.compile(r" (?=\S)(?<=\S )")  # the first kind of SAFE_CUT, for the quicker `re` module
SAMPLE = 100_000  # characters that show whether words come again


def count_pre_tokens(texts: str | Iterable[str], pattern: str | None = "cl100k_base") -> dict[str, int]:
    """Returns how often each pre-token occurs, in the order of first sight; each text is read once, by itself.

    >>> count_pre_tokens("to be or not to be", "gpt2")
    {'to': 1, ' be': 2, ' or': 1, ' not': 1, ' to': 1}
    """
    counts: Counter[str] = Counter()
    for text in [texts] if isinstance(texts, str) else texts:
        text, _ = well_formed(text)
        if has_safe_cuts(pattern):
            for block in blocks(text):
                count_block(block, pattern, counts)
        else:
            counts.update(pieces(text, pattern, timeout_for(text)))
    return dict(counts)


def blocks(text: str) -> Iterator[str]:
    """Yields the text in blocks that a named pattern splits as it splits the whole.

    >>> [len(block) for block in blocks("word " * 300_000)]
    [1000004, 499996]
    """
    start = 0
    while len(text) - start > BLOCK and (cut := SAFE_CUT.search(text, start + BLOCK)):
        yield text[start : cut.start()]
        start = cut.start()
    yield text[start:]


def count_block(text: str, pattern: str, counts: Counter[str]) -> None:
    """Adds the pre-tokens of one block, cut by a named pattern, to the counts.

    >>> count_block("a rose is a rose", "gpt2", counts := Counter())
    >>> counts
    Counter({' rose': 2, 'a': 1, ' is': 1, ' a': 1})
    """
    split = partial(all_pieces, expression=compiled(pattern))
    if with_stand_ins(letters := "".join(set(text))) == letters:
        split = compiled(pattern).findall  # no letter that `regex` and tiktoken take for different things
    sample = BETWEEN_WORDS.split(text[:SAMPLE])
    if 4 * len(set(sample)) >= len(sample):  # few words come again, as in Thai, which writes few spaces
        counts.update(split(text))
        return
    # A word that comes again is split once; the first sight of its pre-tokens is in the first sight of the word.
    first, *words = BETWEEN_WORDS.split(text)
    counts.update(split(first))
    distinct = Counter(words)
    found = split("".join([f" {word}" for word in distinct]))
    word_ends = np.cumsum([len(word) + 1 for word in distinct])
    piece_ends = np.cumsum(list(map(len, found)))
    word_of_piece = np.searchsorted(word_ends, piece_ends)
    for piece, count in zip(found, np.array(list(distinct.values()))[word_of_piece].tolist(), strict=True):
        counts[piece] += count


def all_pieces(text: str, expression: regex.Pattern) -> list[str]:
    """Returns the pre-tokens of a text by a named pattern, which leaves nothing between its matches."""
    ends = [*accumulate(map(len, expression.findall(with_stand_ins(text))))]
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def lay_out(counts: Mapping[str, int], alphabet: str) -> tuple[np.ndarray, np.ndarray, list[bytes]]:
    """Returns the pre-tokens end to end as numbers of base symbols, a weight for each position, and the base symbols.

    The first base symbol has the number 1; 0 stands before, between and after the pre-tokens.

    >>> row, weights, symbols = lay_out({"to": 1, " be": 2}, "characters")
    >>> row.tolist(), weights.tolist(), symbols
    ([0, 5, 4, 0, 1, 2, 3, 0], [1, 1, 1, 2, 2, 2, 2, 0], [b' ', b'b', b'e', b'o', b't'])
    """
    if alphabet == "bytes":
        units = np.frombuffer("".join(counts).encode(), dtype=np.uint8)
        lengths = [len(pre_token.encode()) for pre_token in counts]
        numbers, symbols = units.astype(np.int32) + 1, [bytes([i]) for i in range(256)]
    else:
        units, lengths = code_points("".join(counts)), [len(pre_token) for pre_token in counts]
        seen = np.unique(units)
        numbers, symbols = np.searchsorted(seen, units) + 1, [chr(unit).encode() for unit in seen]
    ends = np.cumsum([0, *(length + 1 for length in lengths)])
    row = np.zeros(ends[-1] + 1, dtype=np.int32)
    inside = np.ones(len(row), dtype=bool)
    inside[ends] = False
    row[inside] = numbers
    return row, np.append(np.repeat(list(counts.values()), np.diff(ends)), 0), symbols
