"""Looking at many short texts with one pattern."""

from collections.abc import Callable


def briefly(look: Callable) -> Callable:
    """Returns `match`, `search` or `fullmatch` of a pattern for short texts: it keeps Python's lock.

    `regex` gives the lock away each time it looks. Beside threads that work it then waits for it longer than it looked:
    some milliseconds, for each of thousands of tokens. For long texts others should not wait: that is right there.

    >>> import regex
    >>> briefly(regex.compile(r"\\p{L}").search)("1a")
    <regex.Match object; span=(1, 2), match='a'>
    """

    def looks(text):
        return look(text, concurrent=False)

    return looks
