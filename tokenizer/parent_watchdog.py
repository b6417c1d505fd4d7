"""Worker processes exit when their parent process has exited, and keep their standard output for answers."""

import ctypes
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO

CHECK_SECONDS = 1  # between two checks of the parent
PR_SET_PDEATHSIG = 1  # of prctl(2)


def exit_with_parent(parent: int) -> None:
    """Makes this process exit within seconds after the process `parent` (a pid) has exited or was killed.

    Linux kills it when the thread that started it exits. Elsewhere a thread polls the parent, which has to wait while a
    library holds the GIL; on Windows it does not work.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_watch, args=(parent,), name="parent-watchdog", daemon=True).start()


def answer_stream() -> BinaryIO:
    """Returns this process's standard output for answers; output that libraries print is discarded from now on."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return answers


def run_worker(serve: Callable[[BinaryIO, BinaryIO], Any]) -> None:
    """Runs `serve` on standard input and output; the first command-line argument is the parent's pid."""
    exit_with_parent(int(sys.argv[1]))
    try:
        serve(sys.stdin.buffer, answer_stream())
    except BrokenPipeError:  # the parent has exited
        os._exit(1)  # without flushing the broken pipe


def write_message(sink: BinaryIO, data: bytes = b"", **facts: Any) -> None:
    """Writes a message for the parent: a line of JSON, followed by the data that it announces."""
    sink.write(json.dumps(facts).encode() + b"\n")
    sink.write(data)
    sink.flush()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(CHECK_SECONDS)
    os._exit(1)
