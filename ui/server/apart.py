"""Work that takes seconds, in a process beside the server's: in a thread it would hold up everybody's keys."""

import contextlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from tokenizer.errors import TokenizerError
from tokenizer.formats.apart import be_bounded
from tokenizer.words import language, mark, speaking, tr

ROOT = Path(__file__).parents[2]
SECONDS = 60  # until work is stopped
IDLE = 60  # seconds without work until the process ends, and its memory is free
ONE_PROCESSOR = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}
STOPPED = mark(
    "This takes more than {seconds} seconds, or more memory than it may use, so it was stopped. Try a shorter text."
)
T = TypeVar("T")


class Stopped(TokenizerError):
    """Some work took more time or memory than it may have."""

    def __init__(self):
        super().__init__(tr(STOPPED, seconds=SECONDS))


class Worker:
    """The process: begun when there is work, ended when that takes too long or none has come for a while."""

    def __init__(self):
        self._process: subprocess.Popen | None = None
        self._lock, self._clock = threading.Lock(), threading.Timer(0, self.end)

    def run(self, function: Callable[..., T], *values: Any) -> T:
        """Returns what a function of a module returns for these values, all of them such as pickle takes.

        It has the language that is spoken. Raises what it raises on purpose, a TokenizerError, and Stopped.
        """
        with self._lock:
            self._set_clock(SECONDS, self.end)
            try:
                found, error = self._answer(function, values)
            except (OSError, EOFError, pickle.UnpicklingError):
                self.end()
                raise Stopped from None
            finally:
                self._set_clock(IDLE, self._rest)
        if error:
            raise error
        return found

    def _answer(self, function: Callable, values: tuple) -> tuple[Any, TokenizerError | None]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "ui.server.apart"],
                cwd=ROOT,
                env=os.environ | ONE_PROCESSOR,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        pickle.dump((language(), function, values), self._process.stdin, pickle.HIGHEST_PROTOCOL)
        self._process.stdin.flush()
        return pickle.load(self._process.stdout)

    def _set_clock(self, seconds: float, does: Callable[[], None]) -> None:
        self._clock.cancel()
        self._clock = threading.Timer(seconds, does)
        self._clock.daemon = True
        self._clock.start()

    def _rest(self) -> None:
        with self._lock:
            if self._clock is threading.current_thread():  # else there was work since
                self.end()

    def end(self) -> None:
        """Ends the process, in the middle of its work too."""
        if process := self._process:
            process.kill()
            process.wait()


worker = Worker()


def serve() -> None:
    """Does the work that comes on the input, one after the other, and writes what comes of each."""
    # what a library prints goes nowhere: the pipe is for answers
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with contextlib.suppress(EOFError, BrokenPipeError):  # the server has ended
        while True:
            spoken, function, values = pickle.load(sys.stdin.buffer)
            with speaking(spoken):
                try:
                    said = function(*values), None
                except TokenizerError as error:
                    said = None, error
            del values
            pickle.dump(said, answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()


if __name__ == "__main__":
    be_bounded()
    serve()
