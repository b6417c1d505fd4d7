"""Trainings in progress and done: each in a process of its own, shared by all who ask for the same."""

import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from pathlib import Path

from tokenizer.errors import TokenizerError
from tokenizer.training.milestones import Milestone
from tokenizer.training.story import Story
from tokenizer.training.worker import Order, write_order

ROOT = Path(__file__).parents[2]
AT_ONCE = 2
MOST_WAITING = 40
MOST_SECONDS = 120
MOST_KEPT = 300_000_000  # bytes of finished trainings and their texts


class CannotTrain(TokenizerError):
    """A training cannot be begun, or did not come to its end."""


class Job:
    """One training: waiting, running, or over. `story` is there when it went well, `problem` when it did not."""

    def __init__(self, key: str, order: Order, texts: tuple[str, ...]):
        self.key, self.order, self.texts = key, order, texts
        self.stage, self.num_merges, self.seconds_merging = "waiting", 0, 0.0
        self.story: Story | None = None
        self.milestones: list[Milestone] = []
        self.new_words: list[tuple[str, int]] = []  # of the held-out part, which the training part lacks
        self.problem: str | None = None
        self.wanted_by: set[str] = set()
        self.size = sum(map(len, texts)) * 2  # bytes, about
        self._process: subprocess.Popen | None = None
        self._began_merging = 0.0

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.story is not None or self.problem is not None

    @property
    def share(self) -> float:
        """How much of the merges is done, from 0 to 1."""
        asked = self.order.vocab_size - (256 if self.order.alphabet == "bytes" else 0)
        return min(1.0, self.num_merges / max(1, asked))

    @property
    def seconds_left(self) -> float | None:
        """An estimate: the rest of the merges at the speed so far; None while there is nothing to go by."""
        spent = time.monotonic() - self._began_merging
        return spent * (1 - self.share) / self.share if self._began_merging and self.share > 0.02 else None

    def run(self) -> None:
        """Trains to the end, in this thread."""
        try:
            with subprocess.Popen(
                [sys.executable, "-m", "tokenizer.training.worker"],
                cwd=ROOT,
                env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            ) as self._process:
                clock = threading.Timer(MOST_SECONDS, self.stop, [f"it took longer than {MOST_SECONDS} seconds"])
                clock.daemon = True
                clock.start()
                try:
                    self._follow(self._process)
                finally:
                    clock.cancel()
                    self._process.kill()
        except OSError as error:
            self._fail(f"its process was lost ({error.strerror})")
        except (ValueError, KeyError, TypeError):
            self._fail("its process said something that cannot be read")
        if not self.over:
            self._fail("its process ended early; it may have needed too much memory")

    def _follow(self, process: subprocess.Popen) -> None:
        if self.over:  # stopped before it began
            return
        write_order(process.stdin, self.order, self.texts)
        process.stdin.close()
        for line in process.stdout:
            said = json.loads(line)
            self.stage = said.get("stage", self.stage)
            self.num_merges = said.get("merges", self.num_merges)
            if "merges" in said and not self._began_merging:
                self._began_merging = time.monotonic()
            if "error" in said:
                self.problem = said["error"]
            elif "story" in said:
                self.new_words = said["new_words"]
                self._finish(process.stdout.read(said["story"]), [Milestone(*found) for found in said["milestones"]])

    def _finish(self, data: bytes, milestones: list[Milestone]) -> None:
        story = Story.from_bytes(data)
        if not self.over:
            self.size += len(data) * 4
            self.stage, self.milestones, self.story = "done", milestones, story

    def stop(self, reason: str) -> None:
        """Ends the training at once."""
        self._fail(reason)
        if self._process:
            self._process.kill()

    def _fail(self, reason: str) -> None:
        if not self.over:
            self.stage, self.problem = "stopped", f"The training was stopped: {reason}."


_jobs: OrderedDict[str, Job] = OrderedDict()  # the one asked for last at the end
_lock = threading.Lock()
_turns = threading.Semaphore(AT_ONCE)


def begin(order: Order, texts: tuple[str, ...], visitor: str) -> Job:
    """Returns the training of this order on these texts: one that is there already, or a new one.

    Raises CannotTrain while too many others wait.
    """
    key = job_key(order, texts)
    with _lock:
        job = _jobs.get(key)
        if job is None or job.problem is not None:
            if sum(not job.over for job in _jobs.values()) >= AT_ONCE + MOST_WAITING:
                raise CannotTrain(f"{MOST_WAITING} trainings are waiting already. Try again in a minute.")
            job = _jobs[key] = Job(key, order, texts)
            threading.Thread(target=_take_turn, args=(job,), name="training", daemon=True).start()
        _jobs.move_to_end(key)
        job.wanted_by.add(visitor)
        _forget_the_oldest()
    return job


def finished(order: Order, texts: tuple[str, ...]) -> Job | None:
    """Returns the training of this order on these texts if it is there and went well."""
    with _lock:
        job = _jobs.get(job_key(order, texts))
    return job if job and job.story else None


def job_key(order: Order, texts: tuple[str, ...]) -> str:
    """Returns what tells trainings apart: a hash of everything that their merges depend on.

    >>> job_key(Order(), ("a", "b")) == job_key(Order(), ("ab",))
    False
    """
    found = hashlib.sha256(order.to_json().encode())
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        found.update(b"%d:" % len(data) + data)
    return found.hexdigest()


def _take_turn(job: Job) -> None:
    with _turns:
        if not job.over:
            job.run()


def let_go(job: Job, visitor: str) -> None:
    """A visitor wants this training no longer; it is stopped if nobody else does."""
    with _lock:
        job.wanted_by.discard(visitor)
        if not job.wanted_by and not job.over:
            job.stop("you cancelled it")


def num_before(job: Job) -> int:
    """How many trainings run or wait before this one."""
    with _lock:
        waiting = [other for other in _jobs.values() if not other.over]
    return waiting.index(job) if job in waiting else 0


def _forget_the_oldest() -> None:
    over = [job for job in _jobs.values() if job.over]
    size = sum(job.size for job in _jobs.values())
    while over and size > MOST_KEPT:
        job = over.pop(0)
        size -= job.size
        del _jobs[job.key]
