"""Work in batches on several processes, with a line on how far it is every ten seconds."""

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterable

PROGRESS_SECONDS = 10  # between two lines

Batch = tuple[Counter, list[str]]  # how many comparisons there were of each kind, and what differed


def numbers_from_command_line(**usual: int) -> argparse.Namespace:
    """Returns the options of this program, each a whole number with a default."""
    parser = argparse.ArgumentParser()
    for name, number in usual.items():
        parser.add_argument(f"--{name}", type=int, default=number)
    return parser.parse_args()


def run(pool, work: Callable[[int], Batch], numbers: Iterable[int]) -> tuple[Counter, int]:
    """Does the batches with these numbers; returns the comparisons of each kind, and how many differed."""
    counts, num_differences, begin, last_report = Counter(), 0, time.perf_counter(), time.perf_counter()
    for found, problems in pool.imap_unordered(work, numbers):
        counts += found
        num_differences += len(problems)
        print(*problems, sep="\n", end="\n" * bool(problems), flush=True)
        if time.perf_counter() > last_report + PROGRESS_SECONDS:
            last_report = time.perf_counter()
            rate = counts.total() / (last_report - begin)
            print(f"  {counts.total():,} comparisons, {rate:,.0f} a second", flush=True)
    return counts, num_differences
