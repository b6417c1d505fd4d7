"""How patterns look at texts without keeping anybody waiting: briefly, or in turns, in a limited time if need be."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice

import regex

SLICE_SECONDS = (
    0.002  # seconds in which others wait for a pattern; where it finds nothing in them, it goes on beside the others
)
LONG_GAP_CHARACTERS = (
    20_000  # characters to a match from which it goes on so: a way on which `regex` does not look at the time
)
MATCHES_PER_SLICE = 100  # matches that are found before the time is looked at
MATCHES_PER_UNLOCKED_SLICE = 2  # and in a turn without the lock: an empty one that was found before, and the next


def hold_gil(look: Callable) -> Callable:
    """Returns `match`, `search` or `fullmatch` of a pattern for short texts: it keeps Python's lock.

    `regex` gives the lock away each time it looks. Beside threads that work it then waits for it far longer than it
    looked, and that for each of thousands of tokens. For long texts others should not wait: that is right there.

    >>> hold_gil(regex.compile(r"\\p{L}").search)("1a")
    <regex.Match object; span=(1, 2), match='a'>
    """

    def looks(text):
        return look(text, concurrent=False)

    return looks


class RegexBudget:
    """The seconds that patterns may take together; None is no limit.

    `regex` gives Python's lock away for each match, and has to wait for it each time where other threads work. Beside
    three, 12,000 matches took 0.9 s so; it takes 0.02 s to keep the lock, and 0.1 s to count the time as well.

    The limit of time of `regex` is one of the whole program, and counts what others do meanwhile. So it only ends a
    turn; what counts is the time that this thread spends in looking, and not what is made of the matches.
    """

    def __init__(self, seconds: float | None):
        self.left = seconds

    def run(self, look: Callable[..., regex.Match | None], *where: str | int) -> regex.Match | None:
        """Returns what `match` or `search` of a pattern finds; raises TimeoutError when the time is over.

        >>> RegexBudget(0.5).run(regex.compile("[a-z]").search, "1a")
        <regex.Match object; span=(1, 2), match='a'>
        """
        if self.left is None:
            return look(*where, concurrent=False)
        is_long = False
        while self.left > 0:
            with self._counted(is_long), suppress(TimeoutError):
                return look(*where, **self._turn(is_long))
            is_long = True
        raise TimeoutError

    def finditer(self, pattern: regex.Pattern, text: str) -> Iterator[regex.Match]:
        """Yields the pattern's matches in a text, as its `finditer` does; raises TimeoutError when the time is over.

        >>> [found.group() for found in RegexBudget(0.5).finditer(regex.compile("[a-z]|"), "a1")]
        ['a', '', '']
        """
        if self.left is None:
            yield from pattern.finditer(text, concurrent=False)
            return
        last, is_long, is_over = None, len(text) > LONG_GAP_CHARACTERS, False
        while not is_over:
            if self.left <= 0:
                raise TimeoutError
            begin = last[1] if last else 0
            found, is_over = self._some(pattern.finditer(text, begin, **self._turn(is_long)), is_long)
            if found and found[0].span() == last:  # an empty one is found again where the next turn begins
                del found[0]
            yield from found
            last = found[-1].span() if found else last
            is_long = not found or last[1] - begin > LONG_GAP_CHARACTERS * len(found)

    def _turn(self, is_long: bool) -> dict[str, float | bool]:
        """How `regex` is asked: for a moment, or, where it finds little in one, without Python's lock."""
        return {"timeout": self.left if is_long else min(SLICE_SECONDS, self.left), "concurrent": is_long}

    def _some(self, turn: Iterator[regex.Match], is_long: bool) -> tuple[list[regex.Match], bool]:
        """The matches of a turn, and whether they are the last."""
        found: list[regex.Match] = []
        most = MATCHES_PER_UNLOCKED_SLICE if is_long else MATCHES_PER_SLICE
        with self._counted(is_long), suppress(TimeoutError):
            for match in islice(turn, most):
                found.append(match)  # one by one: those before its time was over are found
            return found, len(found) < most
        return found, False

    @contextmanager
    def _counted(self, is_long: bool) -> Iterator[None]:
        """Takes the time of a turn from what is left; of a long one all of it, for it waits for the lock as well."""
        now = time.perf_counter if is_long else time.thread_time
        begun = now()
        try:
            yield
        finally:
            self.left -= now() - begun
