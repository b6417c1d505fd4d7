"""Splits a text of any length into blocks at safe cuts of all named patterns."""

from collections.abc import Iterable, Iterator

from tokenizer.split.patterns import SAFE_CUT

CUT_CONTEXT_CHARACTERS = 4  # more than SAFE_CUT needs on either side
BLOCK_CHARACTERS = 250_000  # so that a long text needs no list of all its pre-tokens


def blocks_of(text: str) -> Iterator[str]:
    """Yields a text in blocks of about 250,000 characters at most, as far as there are safe cuts.

    >>> [len(block) for block in blocks_of("word " * 120_000)]
    [249994, 250000, 100000, 6]
    """
    return blocks(text[start : start + BLOCK_CHARACTERS] for start in range(0, len(text), BLOCK_CHARACTERS))


def blocks(chunks: Iterable[str]) -> Iterator[str]:
    """Yields a text, given in chunks, as blocks that end at the last safe cut so far.

    It buffers only a chunk and the text between two cuts. An empty text is one empty block.

    >>> list(blocks(["one two th", "ree ", "four"]))
    ['one two', ' three', ' four']
    """
    sure, rest = [], ""  # text without a cut, and the text after it
    for chunk in chunks:
        rest += chunk
        if cut := last_cut(rest):
            yield "".join([*sure, rest[:cut]])
            sure, rest = [], rest[cut:]
        elif len(rest) > CUT_CONTEXT_CHARACTERS:
            sure.append(rest[:-CUT_CONTEXT_CHARACTERS])
            rest = rest[-CUT_CONTEXT_CHARACTERS:]
    yield "".join([*sure, rest])  # empty only for an empty text


def last_cut(text: str) -> int:
    """Returns the position of the last safe cut of a text; 0 without one.

    >>> last_cut("one two three"), last_cut("one")
    (7, 0)
    """
    size = 1_000  # of the end that is searched first; most texts have a cut every few characters
    while True:
        start = max(0, len(text) - size)
        cuts = [cut.start() for cut in SAFE_CUT.finditer(text, start, concurrent=False)]
        if cuts or not start:
            return cuts[-1] if cuts else 0
        size *= 8
