"""Counts the pieces of text whose tokens the page encoded otherwise than the server, whose tokens replace them."""

MAX_REPORTED_PIECES = 20_000  # pieces in one report

_count = 0


def count(reported: str) -> None:
    """Adds the number of pieces that a page reports; a report that is not a number below the limit is ignored.

    >>> before = total()
    >>> count("2"), count("x"), count("99999999")
    (None, None, None)
    >>> total() - before
    2
    """
    global _count
    if reported.isdecimal() and len(reported) <= 5 and int(reported) <= MAX_REPORTED_PIECES:
        _count += int(reported)


def total() -> int:
    """Returns the number of pieces since the server started."""
    return _count
