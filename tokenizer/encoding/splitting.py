"""Pre-tokenization by a split pattern, with a time limit for untrusted patterns and long texts."""

from collections.abc import Iterator

from tokenizer.encoding.model import Split
from tokenizer.split.guards import timeout_for
from tokenizer.split.patterns import KNOWN_PATTERNS, compiled, has_safe_cuts, matches, pieces

MAX_UNTIMED_CHARACTERS = 200_000  # longer texts are split in time slices for other threads to run: twice as slow


def split_by(pattern: str | None, drop_unmatched: bool = False) -> Split | None:
    """Returns the split of a named pattern or a regular expression; raises BadPattern, UnknownPattern.

    >>> split_by("gpt2").name, split_by(KNOWN_PATTERNS["gpt2"]).name, split_by(None)
    ('gpt2', 'gpt2', None)
    >>> split_by("[a-z]+", drop_unmatched=True)
    Split(pattern='[a-z]+', name=None, drops_unmatched=True)
    """
    if pattern is None:
        return None
    compiled(pattern)  # raises now, not at the first text
    pattern = KNOWN_PATTERNS.get(pattern, pattern)
    name = next((name for name, known in KNOWN_PATTERNS.items() if known == pattern), None)
    return Split(pattern, name, drop_unmatched and name is None)  # the known ones match every text


def pieces_of(text: str, pattern: str | None, include_gaps: bool = True) -> Iterator[tuple[int, str]]:
    """Yields the pieces of a text with their positions in characters; `include_gaps`: also text between matches.

    >>> list(pieces_of("a, b", "[a-z]")), list(pieces_of("a, b", "[a-z]", include_gaps=False))
    ([(0, 'a'), (1, ', '), (3, 'b')], [(0, 'a'), (3, 'b')])
    """
    timeout = None if has_safe_cuts(pattern) and len(text) < MAX_UNTIMED_CHARACTERS else timeout_for(text)
    if include_gaps:
        at = 0
        for piece in pieces(text, pattern, timeout):
            yield at, piece
            at += len(piece)
    else:
        for match in matches(text, pattern, timeout):
            yield match.start(), text[match.start() : match.end()]
