"""Keeps what Rust's panic hook prints off standard error: its message is in the exception that Python gets."""

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PANIC_LINE = b"\nthread '"  # with which the text of a panic begins; a backtrace may follow it
is_hiding = True  # a process whose starter reads its standard error sets it to False
_lock = threading.RLock()  # two threads must not restore each other's standard error


@contextmanager
def hidden_panics() -> Iterator[None]:
    """Hides the text of a panic, and what follows it, in the block; other output is written at the end of the block."""
    try:
        kept = os.dup(2) if is_hiding else None
    except OSError:  # standard error is closed
        kept = None
    if kept is None:
        yield
        return
    with _lock, tempfile.TemporaryFile() as sink:
        if sys.stderr:
            sys.stderr.flush()
        os.dup2(sink.fileno(), 2)
        try:
            yield
        finally:
            if sys.stderr:
                sys.stderr.flush()
            os.dup2(kept, 2)
            sink.seek(0)
            os.write(kept, sink.read().partition(PANIC_LINE)[0])
            os.close(kept)
