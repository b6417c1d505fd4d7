"""Processes that work for another: they end when it has ended, and write answers to it alone."""

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO

CHECK_SECONDS = 1  # seconds between two looks
PR_SET_PDEATHSIG = 1  # of prctl(2)


def exit_with_parent(parent: int) -> None:
    """Lets this process end within some seconds after its parent, whose number is `parent`, even where that is killed.

    Linux does so whatever this process is at, when the thread has ended that began it. Elsewhere a thread of its own
    looks, which has to wait where a library lets no other thread run; Windows does not tell.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_watch, args=(parent,), name="lifeline", daemon=True).start()


def answer_stream() -> BinaryIO:
    """Returns this process's standard output, for answers alone: what a library prints goes nowhere from now on."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return answers


def run_worker(serve: Callable[[BinaryIO, BinaryIO], Any]) -> None:
    """Serves on standard input and output until `serve` returns; the first argument is the parent's number."""
    exit_with_parent(int(sys.argv[1]))
    try:
        serve(sys.stdin.buffer, answer_stream())
    except BrokenPipeError:  # nobody waits for it any more: the app has ended
        os._exit(1)  # without a last attempt to write


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(CHECK_SECONDS)
    os._exit(1)
