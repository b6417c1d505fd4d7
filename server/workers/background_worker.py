"""Runs work that takes seconds in a second process: in a thread it would delay every visitor's keys."""

import contextlib
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from tokenizer import workers
from tokenizer.errors import TokenizerError
from tokenizer.formats import sandboxed_model
from tokenizer.i18n import language, mark, tr, using_language
from tokenizer.parent_watchdog import answer_stream

TIMEOUT_SECONDS = 60  # of one piece of work
IDLE_TIMEOUT_SECONDS = 60  # without work until the process ends and frees its memory
TOOK_LONG = mark("The computation was stopped after {seconds} seconds, the limit. Try a shorter text.")
TOOK_MEMORY = mark("The computation was stopped: it needs more than {n:,} MB of memory, the limit. Try a shorter text.")
FAILED = mark("The computation failed because of an error in Tokenloupe ({kind}). Try another text or tokenizer.")
T = TypeVar("T")


class WorkStopped(TokenizerError):
    """Some work exceeded its time or its memory."""

    def __init__(self, took_long: bool):
        words, most = TOOK_LONG if took_long else TOOK_MEMORY, workers.SHARES.process // 10**6
        super().__init__(tr(words, seconds=TIMEOUT_SECONDS, n=most))


class WorkFailed(TokenizerError):
    """Some work raised an unexpected error; its message may contain parts of the text, so only its kind is shown."""

    def __init__(self, kind: str):
        super().__init__(tr(FAILED, kind=kind))


class Worker:
    """The process: started with the first work, ended when work takes too long or none has come for a while."""

    def __init__(self):
        self._process: subprocess.Popen | None = None
        self._lock, self._clock = threading.Lock(), threading.Timer(0, self.end)

    def run(self, function: Callable[..., T], *values: Any) -> T:
        """Returns the result of a module's function for these values; pickle must be able to handle all of them.

        The function runs in the current language. Raises its TokenizerError, WorkFailed if it raised
        something else, and WorkStopped.
        """
        with self._lock:
            took_long = threading.Event()
            self._set_clock(TIMEOUT_SECONDS, lambda: (took_long.set(), self.end()))
            try:
                found, error = self._answer(function, values)
            except (OSError, EOFError, pickle.UnpicklingError):
                self.end()
                raise WorkStopped(took_long.is_set()) from None
            finally:
                self._set_clock(IDLE_TIMEOUT_SECONDS, self._rest)
        if error:
            raise WorkFailed(error) if isinstance(error, str) else error
        return found

    def _answer(self, function: Callable, values: tuple) -> tuple[Any, TokenizerError | str | None]:
        if self._process is None or self._process.poll() is not None:
            arguments = ["-m", "server.workers.background_worker"]
            self._process = workers.start(arguments, workers.SHARES.process, stderr=subprocess.DEVNULL)
        pickle.dump((language(), function, values), self._process.stdin, pickle.HIGHEST_PROTOCOL)
        self._process.stdin.flush()
        return pickle.load(self._process.stdout)

    def _set_clock(self, seconds: float, action: Callable[[], None]) -> None:
        self._clock.cancel()
        self._clock = threading.Timer(seconds, action)
        self._clock.daemon = True
        self._clock.start()

    def _rest(self) -> None:
        with self._lock:
            if self._clock is threading.current_thread():  # else more work has come since
                self.end()

    def end(self) -> None:
        """Kills the process, even during work."""
        if process := self._process:
            process.kill()
            process.wait()


worker = Worker()


def serve() -> None:
    """Reads calls from the standard input, one after the other, runs them, and writes each result."""
    answers = answer_stream()
    with contextlib.suppress(EOFError, BrokenPipeError):  # the server has ended
        while True:
            tag, function, values = pickle.load(sys.stdin.buffer)
            with using_language(tag):
                try:
                    result = function(*values), None
                except TokenizerError as error:
                    result = None, error
                except MemoryError:
                    raise  # ends this process, which frees the memory
                except Exception as error:
                    result = None, type(error).__name__
            del values
            sandboxed_model.end_all()
            workers.take_all_memory()
            pickle.dump(result, answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()


if __name__ == "__main__":
    serve()
