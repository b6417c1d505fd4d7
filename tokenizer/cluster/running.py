"""A corpus counted by workers: what they are asked for, in which order it is put together, and what came of it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from tokenizer.cluster import counting
from tokenizer.cluster.blocks import BLOCK_BYTES, Block, CannotCount, blocks_of, check, files_of
from tokenizer.cluster.counting import Read, Run
from tokenizer.errors import NeedsPackage, TokenizerError
from tokenizer.split.patterns import compiled, has_safe_cuts
from tokenizer.training.counts import Counts

COMMAND = 'pip install "dask[distributed]"'
SHARES_EACH = 8  # shares of the corpus for a worker, so that the last one to finish is not long alone
MAX_SHARE_BYTES = 256_000_000  # bytes: all the pre-tokens of one may be distinct
RUNS_PER_MERGE = 8  # runs that are merged in one go
OnProgress = Callable[[str, int, int], None]  # what is being done, how many bytes of it are, and of how many


class Counted(NamedTuple):
    """The pre-tokens of a corpus; how much of it was read; and files that could not be, with the reason, by path."""

    counts: Counts
    read: Read
    problems: dict[str, str]


class Measured(NamedTuple):
    """How many tokens a corpus has in each encoding, by name; how much was read; and files that could not be."""

    tokens: dict[str, int]
    read: Read
    problems: dict[str, str]

    def bytes_per_token(self, name: str) -> float:
        """How many UTF-8 bytes a token of an encoding covers: its compression."""
        return self.read.bytes / max(1, self.tokens[name])


class WorkersLost(TokenizerError):
    """Every worker that tried a part of the corpus has ended."""


class Here:
    """Stands for a client of Dask where there is none: all is done in this process, at once."""

    num_workers = 1

    def submit(self, function: Callable, *args: Any, **_: Any) -> Any:
        """Returns what a function makes of its arguments."""
        return function(*args)

    def gather(self, found: Any) -> Any:
        """Returns what has been found."""
        return found


@contextmanager
def workers(number: int = 2, address: str | None = None) -> Iterator[Any]:
    """Yields a client of Dask: of a cluster that runs at an address, or of so many processes on this machine.

    Nothing of those is reached from other machines. Raises NeedsPackage where Dask is not installed.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise NeedsPackage("A corpus on several workers", "dask", COMMAND) from None
    if address:
        with Client(address) as client:
            yield client
        return
    settings = {"processes": True, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
    with LocalCluster(n_workers=number, host="127.0.0.1", **settings) as cluster, Client(cluster) as client:
        yield client


def count_corpus(
    paths: Iterable[str | Path],
    pattern: str | None = "cl100k_base",
    client: Any = None,
    *,
    field: str = "text",
    floor: int = 1,
    block_bytes: int = BLOCK_BYTES,
    heard: OnProgress = lambda *_: None,
) -> Counted:
    """Returns how often each pre-token of a corpus occurs, as `count_pre_tokens` of all its texts would.

    `paths` are files and folders, in order. `client` is one of Dask; without one, this process does it all. Pre-tokens
    that occur fewer than `floor` times in the whole corpus are left out. Raises TokenizerError.
    """
    if pattern is not None:
        compiled(pattern)
    if floor < 1:
        raise CannotCount(f"The floor is the least count that is kept: 1 or more, not {floor}.")
    work = Work(client or Here(), field, heard)
    readable, problems = work.checked(paths, has_safe_cuts(pattern), block_bytes)
    shares, parts = work.shares(readable), work.num_workers
    read, trees = [], [Tree(work, counting.merged) for _ in range(parts)]
    for number, share in enumerate(shares):
        found = work.submit(counting.count, share, number, pattern, field, parts)
        read.append(work.submit(itemgetter(0), found))
        for part, tree in enumerate(trees, 1):
            tree.add(work.submit(itemgetter(part), found))
    whole = [work.submit(counting.kept, tree.root(), floor) for tree in trees]
    total = work.sum(read, shares, "counting", Read())
    found = work.gather(whole)
    left_out = [sum(part[i] for part in found) for i in (1, 2)]
    return Counted(Counts(counting.in_order([part[0] for part in found]), pattern, floor, *left_out), total, problems)


def measure_corpus(
    paths: Iterable[str | Path],
    encodings: Sequence[str],
    client: Any = None,
    *,
    field: str = "text",
    block_bytes: int = BLOCK_BYTES,
    heard: OnProgress = lambda *_: None,
) -> Measured:
    """Returns how many tokens a corpus has in encodings, given by name or by file; special tokens are read as text.

    The rest is as in `count_corpus`.
    """
    work = Work(client or Here(), field, heard)
    may_cut = all(counting.may_cut(one) for one in map(counting.encoding, encodings))
    readable, problems = work.checked(paths, may_cut, block_bytes)
    shares = work.shares(readable)
    found = [work.submit(counting.tokens, share, list(encodings), field) for share in shares]
    total = work.sum(found, shares, "counting", Read(tokens=(0,) * len(encodings)))
    return Measured(dict(zip(encodings, total.tokens, strict=True)), total, problems)


class Tree:
    """Runs merged as they are added, always neighbors, and in a fixed order: what it makes depends on that alone."""

    def __init__(self, work: "Work", merge: Callable[[Sequence[Run]], Run]):
        self.work, self.merge = work, merge
        self.levels: list[list[Any]] = [[]]

    def add(self, run: Any) -> None:
        """Takes the next run; eight of a level become one of the next."""
        for level in self.levels:
            level.append(run)
            if len(level) < RUNS_PER_MERGE:
                return
            run = self.work.submit(self.merge, level[:])
            level.clear()
        self.levels.append([run])

    def root(self) -> Any:
        """Returns all of them as one."""
        return self.work.submit(self.merge, [run for level in reversed(self.levels) for run in level])


class Work:
    """What a client is asked for, and what is heard of it."""

    def __init__(self, client: Any, field: str, heard: OnProgress):
        self.client, self.field, self.heard = client, field, heard

    @property
    def num_workers(self) -> int:
        """How many workers there are now."""
        return self.client.num_workers if isinstance(self.client, Here) else max(1, len(self.client.nthreads()))

    def submit(self, function: Callable, *args: Any) -> Any:
        """Returns what a worker will make of this; it is made again wherever the worker is lost."""
        return self.client.submit(function, *args, pure=False)

    def gather(self, found: Any) -> Any:
        """Returns what workers have made."""
        if isinstance(self.client, Here):
            return found
        from distributed import KilledWorker

        try:
            return self.client.gather(found)
        except KilledWorker:
            raise WorkersLost(
                "Several workers have ended over the same part of the corpus, which happens where memory is short. "
                "Use fewer workers on each machine, or machines with more memory."
            ) from None

    def sum(self, found: Sequence[Any], shares: Sequence[Sequence[Block]], doing: str, total: Read) -> Read:
        """Returns the sum of what was read of each share, and tells how far it is."""
        sizes = [sum(block.size for block in share) for share in shares]
        for one, done in zip(found, accumulate(sizes), strict=True):
            total = total + self.gather(one)
            self.heard(doing, done, sum(sizes))
        return total

    def checked(
        self, paths: Iterable[str | Path], may_cut: bool, block_bytes: int
    ) -> tuple[list[Block], dict[str, str]]:
        """Returns the blocks of all files that can be read, and what is wrong with the others; raises CannotCount."""
        files, problems = files_of(paths)
        blocks: list[Block] = []
        for path in files:
            try:
                blocks += blocks_of(path, may_cut, block_bytes)
            except (TokenizerError, OSError) as error:
                problems[str(path)] = str(error)
        shares = self.shares(blocks)
        found = [self.submit(check, share, self.field) for share in shares]
        sizes = [sum(block.size for block in share) for share in shares]
        for one, done in zip(found, accumulate(sizes), strict=True):
            problems = self.gather(one) | problems
            self.heard("reading", done, sum(sizes))
        readable = [block for block in blocks if block.path not in problems]
        if not readable:
            raise CannotCount("None of these files can be read. " + " ".join(problems.values()))
        return readable, problems

    def shares(self, blocks: Sequence[Block]) -> list[list[Block]]:
        """Returns the blocks in shares of about the same size, each for one worker at a time."""
        size = min(MAX_SHARE_BYTES, sum(block.size for block in blocks) // (SHARES_EACH * self.num_workers) + 1)
        found: list[list[Block]] = []
        room = 0
        for block in blocks:
            if room <= 0:
                found.append([])
                room = size
            found[-1].append(block)
            room -= block.size
        return found
