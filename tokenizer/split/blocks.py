"""A text of any length in blocks, cut where every named pattern splits the parts as it splits the whole."""

from collections.abc import Iterable, Iterator

from tokenizer.split.patterns import SAFE_CUT

CUT_CONTEXT_CHARACTERS = 4  # characters: more than SAFE_CUT looks at on either side
BLOCK_CHARACTERS = 250_000  # characters of a block, so that a long text needs no list of all its pre-tokens


def blocks_of(text: str) -> Iterator[str]:
    """Yields a text in blocks of at most about 250,000 characters, as far as it has safe cuts.

    >>> [len(block) for block in blocks_of("word " * 120_000)]
    [249994, 250000, 100000, 6]
    """
    return blocks(text[start : start + BLOCK_CHARACTERS] for start in range(0, len(text), BLOCK_CHARACTERS))


def blocks(chunks: Iterable[str]) -> Iterator[str]:
    """Yields a text that comes in chunks again, as blocks that end at the last safe cut so far.

    Holds no more than a chunk and what stands between two cuts. An empty text is one empty block.

    >>> list(blocks(["one two th", "ree ", "four"]))
    ['one two', ' three', ' four']
    """
    sure, rest = [], ""  # what has no cut in it, and what comes behind that
    for chunk in chunks:
        rest += chunk
        if cut := last_cut(rest):
            yield "".join([*sure, rest[:cut]])
            sure, rest = [], rest[cut:]
        elif len(rest) > CUT_CONTEXT_CHARACTERS:
            sure.append(rest[:-CUT_CONTEXT_CHARACTERS])
            rest = rest[-CUT_CONTEXT_CHARACTERS:]
    yield "".join([*sure, rest])  # empty only where the whole text is: behind a cut there is something


def last_cut(text: str) -> int:
    """Returns where the last safe cut of a text is; 0 where there is none.

    >>> last_cut("one two three"), last_cut("one")
    (7, 0)
    """
    size = 1_000  # of the end that is looked at; a text has a cut every few characters as a rule
    while True:
        start = max(0, len(text) - size)
        cuts = [cut.start() for cut in SAFE_CUT.finditer(text, start, concurrent=False)]
        if cuts or not start:
            return cuts[-1] if cuts else 0
        size *= 8
