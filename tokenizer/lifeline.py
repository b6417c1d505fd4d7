"""What ends a process when the one that began it has ended, however that came."""

import ctypes
import os
import signal
import threading
import time
from contextlib import suppress

LOOK = 1  # seconds between two looks
PR_SET_PDEATHSIG = 1  # of prctl(2)


def end_with(parent: int) -> None:
    """Lets this process end within some seconds after its parent, whose number is `parent`, even where that is killed.

    Linux does so whatever this process is at, when the thread has ended that began it. Elsewhere a thread of its own
    looks, which has to wait where a library lets no other thread run; Windows does not tell.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_watch, args=(parent,), name="lifeline", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK)
    os._exit(1)
