"""Running patterns of `regex` without blocking other threads: for short texts, in time slices, with a time limit."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice

import regex

# A search holds the GIL for a slice; if it finds nothing in one, it continues without the GIL.
SLICE_SECONDS = 0.002
# A search releases the GIL for longer gaps between matches: `regex` does not check the time there.
LONG_GAP_CHARACTERS = 20_000
MATCHES_PER_SLICE = 100  # after which the time is checked
MATCHES_PER_UNLOCKED_SLICE = 2  # an empty match that was found before, and the next


def hold_gil(search: Callable) -> Callable:
    """Returns `match`, `search` or `fullmatch` of a pattern without releasing the GIL; for short texts.

    By default `regex` releases the GIL in each search. With other threads running, waiting for it again takes far
    longer than the search of a short text, and this for each of thousands of tokens.

    >>> hold_gil(regex.compile(r"\\p{L}").search)("1a")
    <regex.Match object; span=(1, 2), match='a'>
    """

    def search_holding_gil(text):
        return search(text, concurrent=False)

    return search_holding_gil


class RegexBudget:
    """The seconds that searches may take in all; None is no limit.

    `regex` releases the GIL for each match and waits for it while other threads work. With three other threads 12,000
    matches took 0.9 s; holding the GIL takes 0.02 s, and measuring the time as well 0.1 s.

    The timeout of `regex` is wall time, which includes the work of other threads, so here it only ends a slice. What
    counts is the time that this thread spends searching, without the caller's work on the matches.
    """

    def __init__(self, seconds: float | None):
        self.left = seconds

    def run(self, search: Callable[..., regex.Match | None], *where: str | int) -> regex.Match | None:
        """Returns the result of `match` or `search` of a pattern; raises TimeoutError when the budget is spent.

        >>> RegexBudget(0.5).run(regex.compile("[a-z]").search, "1a")
        <regex.Match object; span=(1, 2), match='a'>
        """
        if self.left is None:
            return search(*where, concurrent=False)
        is_long = False
        while self.left > 0:
            with self._counted(is_long), suppress(TimeoutError):
                return search(*where, **self._slice_options(is_long))
            is_long = True
        raise TimeoutError

    def finditer(self, pattern: regex.Pattern, text: str) -> Iterator[regex.Match]:
        """Yields the matches of a pattern as its `finditer` does; raises TimeoutError when the budget is spent.

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
            found, is_over = self._slice(pattern.finditer(text, begin, **self._slice_options(is_long)), is_long)
            if found and found[0].span() == last:  # the next slice finds an empty match again
                del found[0]
            yield from found
            last = found[-1].span() if found else last
            is_long = not found or last[1] - begin > LONG_GAP_CHARACTERS * len(found)

    def _slice_options(self, is_long: bool) -> dict[str, float | bool]:
        """The options of `regex` for a slice: a short timeout with the GIL held, or the whole budget without it."""
        return {"timeout": self.left if is_long else min(SLICE_SECONDS, self.left), "concurrent": is_long}

    def _slice(self, matches: Iterator[regex.Match], is_long: bool) -> tuple[list[regex.Match], bool]:
        """The matches of a slice, and whether they are the last."""
        found: list[regex.Match] = []
        most = MATCHES_PER_UNLOCKED_SLICE if is_long else MATCHES_PER_SLICE
        with self._counted(is_long), suppress(TimeoutError):
            for match in islice(matches, most):
                found.append(match)  # one by one, to keep the matches before a timeout
            return found, len(found) < most
        return found, False

    @contextmanager
    def _counted(self, is_long: bool) -> Iterator[None]:
        """Subtracts the time of a slice from the budget: CPU time of this thread, or wall time without the GIL."""
        now = time.perf_counter if is_long else time.thread_time
        begun = now()
        try:
            yield
        finally:
            self.left -= now() - begun
