"""Distributes the counting of a corpus to workers and merges their results."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from tokenizer.cluster import counting
from tokenizer.cluster.blocks import BLOCK_BYTES, Block, CannotCount, blocks_of, check, files_of
from tokenizer.cluster.counting import PreTokenRun, Totals
from tokenizer.errors import NeedsPackage, TokenizerError
from tokenizer.split.patterns import compiled, has_safe_cuts
from tokenizer.training.counts import Counts

COMMAND = 'pip install "dask[distributed]"'
SHARES_PER_WORKER = 8  # small shares, so that workers finish at about the same time
MAX_SHARE_BYTES = 256_000_000  # bounds the memory where all pre-tokens are distinct
RUNS_PER_MERGE = 8
OnProgress = Callable[[str, int, int], None]  # name of the step, bytes done, bytes in all


class CorpusCounts(NamedTuple):
    """The pre-tokens of a corpus, its totals, and the errors of unreadable files, by path."""

    counts: Counts
    read: Totals
    problems: dict[str, str]


class CorpusTokens(NamedTuple):
    """The tokens of a corpus in each encoding, its totals, and the errors of unreadable files, by path."""

    tokens: dict[str, int]
    read: Totals
    problems: dict[str, str]

    def bytes_per_token(self, name: str) -> float:
        """Returns UTF-8 bytes per token of an encoding, its compression."""
        return self.read.bytes / max(1, self.tokens[name])


class WorkersLost(TokenizerError):
    """Every worker that tried a part of the corpus has died."""


class InProcessClient:
    """Replaces a client of Dask: runs everything in this process, at once."""

    num_workers = 1

    def submit(self, function: Callable, *args: Any, **_: Any) -> Any:
        """Returns the result of a function."""
        return function(*args)

    def gather(self, found: Any) -> Any:
        """Returns the results."""
        return found


@contextmanager
def workers(number: int = 2, address: str | None = None) -> Iterator[Any]:
    """Yields a client of Dask, for the cluster at an address or for `number` processes on this machine.

    Those processes accept no connections from other machines. Raises NeedsPackage where Dask is not installed.
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
    on_progress: OnProgress = lambda *_: None,
) -> CorpusCounts:
    """Returns how often each pre-token of a corpus occurs, as `count_pre_tokens` of all its texts would.

    `paths` are files and folders, in order. `client` is one of Dask; without it, this process counts. Pre-tokens that
    occur fewer than `floor` times in the whole corpus are left out. Raises TokenizerError.
    """
    if pattern is not None:
        compiled(pattern)
    if floor < 1:
        raise CannotCount(f"The floor is the least count that is kept: 1 or more, not {floor}.")
    work = Work(client or InProcessClient(), field, on_progress)
    readable, problems = work.checked(paths, has_safe_cuts(pattern), block_bytes)
    shares, parts = work.shares(readable), work.num_workers
    read, trees = [], [Tree(work, counting.merged) for _ in range(parts)]
    for number, share in enumerate(shares):
        found = work.submit(counting.count, share, number, pattern, field, parts)
        read.append(work.submit(itemgetter(0), found))
        for part, tree in enumerate(trees, 1):
            tree.add(work.submit(itemgetter(part), found))
    results = [work.submit(counting.kept, tree.root(), floor) for tree in trees]
    total = sum(work.results(read, shares, "counting"), Totals())
    found = work.gather(results)
    left_out = [sum(part[i] for part in found) for i in (1, 2)]
    return CorpusCounts(
        Counts(counting.in_order([part[0] for part in found]), pattern, floor, *left_out), total, problems
    )


def measure_corpus(
    paths: Iterable[str | Path],
    encodings: Sequence[str],
    client: Any = None,
    *,
    field: str = "text",
    block_bytes: int = BLOCK_BYTES,
    on_progress: OnProgress = lambda *_: None,
) -> CorpusTokens:
    """Returns the tokens of a corpus in encodings, given by name or by file; special tokens are read as text.

    Other arguments are as for `count_corpus`.
    """
    work = Work(client or InProcessClient(), field, on_progress)
    may_cut = all(counting.may_cut(one) for one in map(counting.encoding, encodings))
    readable, problems = work.checked(paths, may_cut, block_bytes)
    shares = work.shares(readable)
    found = [work.submit(counting.tokens, share, list(encodings), field) for share in shares]
    total = sum(work.results(found, shares, "counting"), Totals(tokens=(0,) * len(encodings)))
    return CorpusTokens(dict(zip(encodings, total.tokens, strict=True)), total, problems)


class Tree:
    """Merges runs as they are added, only adjacent ones and in a fixed order, so that the result is deterministic."""

    def __init__(self, work: "Work", merge: Callable[[Sequence[PreTokenRun]], PreTokenRun]):
        self.work, self.merge = work, merge
        self.levels: list[list[Any]] = [[]]

    def add(self, run: Any) -> None:
        """Adds the next run; RUNS_PER_MERGE runs of a level become one of the next level."""
        for level in self.levels:
            level.append(run)
            if len(level) < RUNS_PER_MERGE:
                return
            run = self.work.submit(self.merge, level[:])
            level.clear()
        self.levels.append([run])

    def root(self) -> Any:
        """Returns all runs merged into one."""
        return self.work.submit(self.merge, [run for level in reversed(self.levels) for run in level])


class Work:
    """The tasks of a client, with their progress."""

    def __init__(self, client: Any, field: str, on_progress: OnProgress):
        self.client, self.field, self.on_progress = client, field, on_progress

    @property
    def num_workers(self) -> int:
        """The current number of workers."""
        return (
            self.client.num_workers if isinstance(self.client, InProcessClient) else max(1, len(self.client.nthreads()))
        )

    def submit(self, function: Callable, *args: Any) -> Any:
        """Returns the future of a task; another worker repeats it if its worker is lost."""
        return self.client.submit(function, *args, pure=False)

    def gather(self, found: Any) -> Any:
        """Returns the results of futures."""
        if isinstance(self.client, InProcessClient):
            return found
        from distributed import KilledWorker

        try:
            return self.client.gather(found)
        except KilledWorker:
            raise WorkersLost(
                "Several workers have ended over the same part of the corpus, which happens where memory is short. "
                "Use fewer workers on each machine, or machines with more memory."
            ) from None

    def results(self, found: Sequence[Any], shares: Sequence[Sequence[Block]], doing: str) -> Iterator[Any]:
        """Yields the results of the futures of all shares, and reports the progress."""
        sizes = [sum(block.size for block in share) for share in shares]
        for one, done in zip(found, accumulate(sizes), strict=True):
            yield self.gather(one)
            self.on_progress(doing, done, sum(sizes))

    def checked(
        self, paths: Iterable[str | Path], may_cut: bool, block_bytes: int
    ) -> tuple[list[Block], dict[str, str]]:
        """Returns the blocks of all readable files, and the errors of the others; raises CannotCount."""
        files, problems = files_of(paths)
        blocks: list[Block] = []
        for path in files:
            try:
                blocks += blocks_of(path, may_cut, block_bytes)
            except (TokenizerError, OSError) as error:
                problems[str(path)] = str(error)
        shares = self.shares(blocks)
        found = [self.submit(check, share, self.field) for share in shares]
        for found_problems in self.results(found, shares, "reading"):
            problems = found_problems | problems
        readable = [block for block in blocks if block.path not in problems]
        if not readable:
            raise CannotCount("None of these files can be read. " + " ".join(problems.values()))
        return readable, problems

    def shares(self, blocks: Sequence[Block]) -> list[list[Block]]:
        """Groups the blocks into shares of about the same size, one task each."""
        size = min(MAX_SHARE_BYTES, sum(block.size for block in blocks) // (SHARES_PER_WORKER * self.num_workers) + 1)
        found: list[list[Block]] = []
        room = 0
        for block in blocks:
            if room <= 0:
                found.append([])
                room = size
            found[-1].append(block)
            room -= block.size
        return found
