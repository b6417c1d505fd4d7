"""The queue of trainings and table counts, each in its own process; visitors with the same order share a job."""

import hashlib
import itertools
import json
import logging
import os
import subprocess
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import BinaryIO

from server.limits.share import is_within_share
from tokenizer import workers
from tokenizer.errors import TokenizerError
from tokenizer.i18n import language, mark, tr, trn, using_language
from tokenizer.training.makers import ExternalTraining
from tokenizer.training.milestones import Milestone
from tokenizer.training.training_history import TrainingHistory
from tokenizer.training.worker import Order, write_order

MAX_RUNNING_JOBS = 2
MAX_WAITING_JOBS = 133  # 100 of one address
NICENESS = 10  # with 19 a training nearly stops while another program is busy; with 10 keys are answered just as fast
# memory of a training, measured at 50,000 merges: fixed, for each byte of text, and for each of the first bytes
BASE_BYTES, BYTES_PER_TEXT_BYTE, BYTES_PER_FIRST_BYTE, NUM_FIRST_BYTES = 150_000_000, 80, 700, 1_000_000
START_ENCODING_BYTES = 400_000_000  # more for the encoding from which a training begins
ABANDONED_AFTER_SECONDS = 60  # without an open page that waits for it; a reload or a sleeping laptop takes less
MAX_TRAINING_SECONDS = 120
MAX_KEPT_BYTES = 300_000_000  # of finished trainings and their texts

TOOK_LONG = mark("the limit of {seconds} seconds was reached")
NOT_STARTED = mark("the process that did the work could not be started, or ended too early ({reason}). Try again")
GONE = mark("the page on which it was started has been closed or disconnected for {seconds} seconds")

Client = tuple[str, str]  # the address or network of a visitor, and the visitor's id
IsHere = Callable[[], bool]
_arrivals = itertools.count()


class CannotTrain(TokenizerError):
    """A training cannot start, or failed."""


class Job:
    """One training: waiting, running, or over.

    After success it has a `history`, or the `file` that another program made; after a failure it has a `problem`.
    """

    MODULE = "tokenizer.training.worker"  # that its process runs
    STOPPED = mark("The training was stopped: {reason}.")

    def __init__(self, key: str, order: Order | ExternalTraining | None, texts: tuple[str, ...]):
        self.key, self.order, self.texts = key, order, texts
        self.language = language()  # of the first visitor that began it; messages are in this language
        self.stage, self.num_merges = "waiting", 0
        self.history: TrainingHistory | None = None
        self.file: bytes | None = None
        self.milestones: list[Milestone] = []
        self.new_words: list[tuple[str, int]] = []  # of the held-out part that the training part lacks
        self.problem: str | None = None
        self.can_succeed = True  # when tried again
        self.visitors: dict[Client, IsHere] = {}
        self.last_wanted_at = time.monotonic()  # when a page that waits for it was last open
        self.arrived = next(_arrivals)
        self.size = sum(map(len, texts)) * 2  # bytes, an estimate
        size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
        self.max_memory = workers.SHARES.process if isinstance(order, ExternalTraining) else _max_memory(size, order)
        self.process: subprocess.Popen | None = None
        self.seconds = 0.0  # that its process took, once it has succeeded
        self._began_merging = 0.0

    def __getstate__(self) -> dict:
        return vars(self) | {"visitors": {}, "process": None}  # other processes cannot use these

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.succeeded or self.problem is not None

    @property
    def succeeded(self) -> bool:
        """Whether it has ended with a result."""
        return self.history is not None or self.file is not None  # a history may have no merges

    @property
    def share(self) -> float:
        """The share of merges that are done, from 0 to 1; 0 for another program, which does not report it."""
        if isinstance(self.order, ExternalTraining):
            return 0.0
        max_merges = self.order.vocab_size - self.order.num_base
        return min(1.0, self.num_merges / max(1, max_merges))

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the speed so far; None at the beginning."""
        spent = time.monotonic() - self._began_merging
        return spent * (1 - self.share) / self.share if self._began_merging and self.share > 0.02 else None

    def run(self) -> None:
        """Trains to the end, in this thread."""
        with using_language(self.language):
            self._run()

    def _run(self) -> None:
        arguments = ["-m", self.MODULE, str(os.getpid())]
        environment = {"TOKENLOUPE_LANGUAGE": self.language}
        try:
            with workers.start(arguments, self.max_memory, NICENESS, env=environment) as self.process:
                clock = threading.Timer(MAX_TRAINING_SECONDS, self.stop, [TOOK_LONG, {"seconds": MAX_TRAINING_SECONDS}])
                clock.daemon = True
                clock.start()
                try:
                    self._follow(self.process)
                finally:
                    clock.cancel()
                    self.process.kill()
        except OSError as error:
            self.stop(NOT_STARTED, {"reason": error.strerror})
        except (ValueError, KeyError, TypeError, AttributeError):
            self.stop(mark("the process that did the work sent a result that cannot be read"))
        except Exception:  # a job that is not over afterwards would start again, without end
            logging.getLogger(__name__).exception("A job failed in an unexpected way.")
        self.stop(
            mark(
                "the process that did the work ended too early, perhaps because it needed too much memory."
                " Use less text"
            )
        )

    def _send(self, file: BinaryIO) -> None:
        write_order(file, self.order, self.texts)

    def _follow(self, process: subprocess.Popen) -> None:
        if self.over:  # stopped before it began
            return
        began = time.monotonic()
        with suppress(BrokenPipeError), process.stdin:  # with too little memory the process ends before it has read all
            self._send(process.stdin)
        for line in process.stdout:
            message = json.loads(line)
            self.stage = message.get("stage", self.stage)
            self._note_progress(message)
            if "error" in message:
                self.problem, self.can_succeed = message["error"], not message.get("final", False)
            elif "file" in message:
                found = process.stdout.read(message["file"])
                if len(found) == message["file"] and not self.over:
                    self.size += len(found)
                    self.stage, self.file = "done", found
            elif "history" in message:
                found = process.stdout.read(message["history"])
                if len(found) == message["history"] and not self.over:
                    history = TrainingHistory.from_bytes(found)
                    self.size += message["history"] * 4
                    self.milestones = [Milestone(*found) for found in message["milestones"]]
                    self.seconds = time.monotonic() - began
                    self.new_words, self.stage, self.history = message["new_words"], "done", history

    def _note_progress(self, message: dict) -> None:
        """Stores the progress that a message reports, if any."""
        if "merges" in message:
            self.num_merges = message["merges"]
            self._began_merging = self._began_merging or time.monotonic()

    def stop(self, reason: str, facts: Mapping[str, object] = {}) -> None:
        """Ends the training at once, unless it is over; the reason is a marked sentence with these facts."""
        if not self.over:
            with using_language(self.language):  # any thread may call this
                problem = tr(self.STOPPED, reason=tr(reason, **facts))
            self.stage, self.problem = "stopped", problem
        if self.process:
            self.process.kill()


_jobs: OrderedDict[str, Job] = OrderedDict()  # the most recently requested last
_running: set[Job] = set()
_served: dict[Client | str, int] = {}  # the last turn of each visitor and each address with waiting jobs
_turns = itertools.count(1)
_lock = threading.RLock()
_is_watched = False


def begin(
    order: Order | ExternalTraining, texts: tuple[str, ...], visitor: Client, is_here: IsHere = lambda: True
) -> Job:
    """Returns the training of this order on these texts, an existing one or a new one.

    `is_here` returns, from any thread, whether the visitor's page is open. Raises CannotTrain while too many wait, of
    the visitor's address or of all.
    """
    return enter(Job(job_key(order, texts), order, texts), visitor, is_here)


def enter(new: Job, visitor: Client, is_here: IsHere = lambda: True) -> Job:
    """Returns the existing job of the same key, or begins the new one, as `begin` does."""
    global _is_watched
    key = new.key
    with _lock:
        job = _jobs.get(key)
        if job is None or job.problem is not None:
            under_way, job = _under_way(), new
            own = [one for one in under_way if visitor[0] in _addresses(one)]
            num_others, others_size = len(under_way) - len(own), _size(under_way) - _size(own)
            if not (
                is_within_share(len(own), num_others, MAX_RUNNING_JOBS + MAX_WAITING_JOBS)
                and is_within_share(_size([new, *own]), others_size, MAX_KEPT_BYTES)
            ):
                raise CannotTrain(
                    trn(
                        "The server already has {n:,} task to do, and accepts no more from your network. Try again in"
                        " a minute.",
                        "The server already has {n:,} tasks to do, and accepts no more from your network. Try again in"
                        " a minute.",
                        len(under_way),
                    )
                )
            _jobs[key] = job
        _jobs.move_to_end(key)
        _remove(job, visitor)
        job.visitors[visitor], job.last_wanted_at = is_here, time.monotonic()
        _evict_oldest()
        _start()
        if not _is_watched:
            with suppress(RuntimeError):  # the system allows no more threads; the next job tries again
                threading.Thread(target=_keep_watch, name="trainings", daemon=True).start()
                _is_watched = True
    return job


def finished(order: Order | ExternalTraining, texts: tuple[str, ...]) -> Job | None:
    """Returns the training of this order on these texts if it is finished and has a result."""
    with _lock:
        job = _jobs.get(job_key(order, texts))
    return job if job and job.succeeded else None


def job_key(order: Order | ExternalTraining, texts: tuple[str, ...]) -> str:
    """Returns the key of a training: a hash of everything that its merges depend on.

    >>> job_key(Order(), ("a", "b")) == job_key(Order(), ("ab",))
    False
    """
    found = hashlib.sha256(order.to_json().encode())
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        found.update(b"%d:" % len(data) + data)
    return found.hexdigest()


def leave(job: Job, visitor: Client) -> None:
    """Removes a visitor from this training; stops it if no other waits for it."""
    with _lock:
        _remove(job, visitor)
        if not job.visitors and not job.over:
            job.stop(mark("you cancelled"))


def _remove(job: Job, visitor: Client) -> None:
    """Removes a visitor by the id alone: a laptop that moves to another network has another address from then on."""
    for client in [client for client in job.visitors if client[1] == visitor[1]]:
        del job.visitors[client]


def num_before(job: Job) -> int:
    """Returns how many trainings run or wait before this one."""
    with _lock:
        queue = _queue()
        return len(_running) + queue.index(job) if job in queue else 0


def all_jobs() -> dict[str, Job]:
    """Returns the trainings that are known, by their keys: waiting, running and over."""
    with _lock:
        return dict(_jobs)


def running() -> set[Job]:
    """Returns the trainings that have a process."""
    with _lock:
        return set(_running)


def start_waiting() -> None:
    """Begins the trainings whose turn it is, such as after a change of MAX_RUNNING_JOBS."""
    with _lock:
        _start()


def reset() -> None:
    """Stops and removes all trainings, as a restart of the server does."""
    with _lock:
        for job in _jobs.values():
            job.stop(mark("you cancelled"))
        _jobs.clear()
        _served.clear()


def stop_abandoned() -> bool:
    """Stops the trainings of visitors whose pages have gone; returns whether others are under way."""
    with _lock:
        for job in _under_way():
            if any(is_here() for is_here in job.visitors.values()):
                job.last_wanted_at = time.monotonic()
            elif time.monotonic() - job.last_wanted_at > ABANDONED_AFTER_SECONDS:
                job.stop(GONE, {"seconds": ABANDONED_AFTER_SECONDS})
        return bool(_under_way())


def _keep_watch() -> None:
    global _is_watched
    while True:
        time.sleep(1)
        with _lock:
            if not stop_abandoned():
                _is_watched = False
                return


def _under_way() -> list[Job]:
    return [job for job in _jobs.values() if not job.over]


def _size(jobs: list[Job]) -> int:
    return sum(job.size for job in jobs)


def _addresses(job: Job) -> set[str]:
    return {address for address, _ in job.visitors}


def _queue() -> list[Job]:
    """Returns the waiting jobs in order: one of each address in turn, and of its visitors one of each in turn."""
    waiting = sorted(set(_under_way()) - _running, key=lambda job: job.arrived)
    return _in_turns(_in_turns(waiting, lambda job: job.visitors), _addresses)


def _in_turns(waiting: list[Job], names_of: Callable[[Job], Collection[Client | str]]) -> list[Job]:
    """Returns jobs in turn: one of each name, starting with the least recently served."""
    rounds: Counter[Client | str] = Counter()
    turns = {}
    for job in waiting:
        turns[job] = min(((rounds[one], _served.get(one, 0)) for one in names_of(job)), default=(0, 0))
        rounds.update(list(names_of(job)))
    return sorted(waiting, key=turns.__getitem__)


def _start() -> None:
    """Starts the next jobs while slots and memory are free."""
    waiting = {name for job in _under_way() for name in [*job.visitors, *_addresses(job)]}
    for name in _served.keys() - waiting:
        del _served[name]
    while len(_running) < MAX_RUNNING_JOBS and (queue := _queue()) and _fits(queue[0]):
        job = queue[0]
        _running.add(job)
        _served.update(dict.fromkeys([*job.visitors, *_addresses(job)], next(_turns)))
        try:
            threading.Thread(target=_run, args=(job,), name="training", daemon=True).start()
        except RuntimeError as error:  # the system allows no more threads; the place must not stay taken
            _running.discard(job)
            job.stop(NOT_STARTED, {"reason": error})


def _max_memory(size: int, order: Order | None) -> int:
    """Returns the memory limit, in bytes, of a job on `size` bytes of text: of a training, in which rare pairs need
    most, or of a table count, which has no order.

    >>> _max_memory(100_000, Order())
    228000000
    """
    return min(
        workers.SHARES.process,
        (START_ENCODING_BYTES if order and order.begin else 0)
        + BASE_BYTES
        + BYTES_PER_TEXT_BYTE * size
        + BYTES_PER_FIRST_BYTE * min(size, NUM_FIRST_BYTES),
    )


def _fits(job: Job) -> bool:
    """Whether the memory suffices for one more job; a job that waits for memory keeps its place in the queue."""
    return sum(one.max_memory for one in [job, *_running]) <= workers.SHARES.trainings


def _run(job: Job) -> None:
    try:
        job.run()
    finally:
        with _lock:
            _running.discard(job)
            _start()


def _evict_oldest() -> None:
    over = [job for job in _jobs.values() if job.over]
    size = sum(job.size for job in _jobs.values())
    while over and size > MAX_KEPT_BYTES:
        job = over.pop(0)
        size -= job.size
        del _jobs[job.key]
