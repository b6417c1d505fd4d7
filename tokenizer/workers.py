"""Worker processes: how each is started, and how much memory each, and all of them together, may take.

The parent sets the limits of a worker (on Linux; other systems do not let it) and gives it a lower priority.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tokenizer.paths import APP

CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUPS = Path("/proc/self/cgroup")
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}
SMALL_POOL = {"ARROW_DEFAULT_MEMORY_POOL": "system"}  # pyarrow's own pool reserves a GB, which counts in the limit
UNKNOWN_BYTES = 4_000_000_000  # where the system does not report its memory: a laptop has at least this
MAPPED_BYTES = 40_000_000  # of program files in a worker's memory, which the limit of the system does not count
MIN_PROCESS_BYTES, MAX_PROCESS_BYTES = 160_000_000, 1_600_000_000  # a worker without work takes some 100 MB
MIN_TEMPLATE_BYTES = 100_000_000
NICENESS = 5


def total_memory() -> int:
    """Returns how many bytes of memory this machine has, or the control groups of this process (a container) allow."""
    found = UNKNOWN_BYTES
    with suppress(AttributeError, OSError, ValueError):  # not on every system
        found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for path in _limit_files():
        with suppress(OSError, ValueError):  # there is no such file, or it has "max"
            found = min(found, int(path.read_text()))
    return found


def _limit_files() -> list[Path]:
    """The files that may hold a limit: of the own control group and of those around it, versions 1 and 2."""
    groups = {(CGROUPS, "memory.max"): "/", (CGROUPS / "memory", "memory.limit_in_bytes"): "/"}
    with suppress(OSError, ValueError):
        for line in OWN_CGROUPS.read_text().splitlines():
            _, controllers, group = line.split(":", 2)
            if not controllers:
                groups[CGROUPS, "memory.max"] = group
            elif "memory" in controllers.split(","):
                groups[CGROUPS / "memory", "memory.limit_in_bytes"] = group
    paths = [(root / group.lstrip("/"), root, name) for (root, name), group in groups.items()]
    return [folder / name for own, root, name in paths for folder in (own, *own.parents) if folder.is_relative_to(root)]


class Shares:
    """The bytes that workers may take on a machine with `total` memory: half of it together, a tenth each.

    >>> laptop = Shares(8_000_000_000)
    >>> laptop.process, laptop.models, laptop.trainings, laptop.all
    (800000000, 2000000000, 800000000, 4000000000)
    """

    def __init__(self, total: int):
        self.process = min(max(total // 10, MIN_PROCESS_BYTES), MAX_PROCESS_BYTES)
        self.all = max(total // 2, 6 * MIN_PROCESS_BYTES)
        self.template = max(self.process // 4, MIN_TEMPLATE_BYTES)  # of each of the two that may run
        self.trainings = self.process * (1 if self.all < 7 * self.process else 2)
        self.models = self.all - self.process - 2 * self.template - self.trainings  # one is for background work


SHARES = Shares(total_memory())


def start(
    arguments: Sequence[str],
    memory: int,
    niceness: int = NICENESS,
    cpu_seconds: int | None = None,
    env: dict[str, str] | None = None,
    **options: Any,
) -> subprocess.Popen:
    """Starts Python with these arguments, bounded to `memory` bytes and maybe to seconds of a processor's time."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=APP,  # modules of `server` are found from here, also when the app is installed
        env=os.environ | ONE_THREAD | SMALL_POOL | (env or {}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        **options,
    )
    _limit(process.pid, memory, cpu_seconds)
    lower_priority(process.pid, niceness)
    return process


def lower_priority(pid: int, niceness: int) -> None:
    """Lowers the priority of a process below that of this one."""
    with suppress(AttributeError, OSError):  # not on every system
        os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, 0) + niceness)


def allowed(memory: int) -> int:
    """Returns the memory limit, in bytes, of a process that is started here: a worker gives at most half of its own."""
    own = _own_limit()
    return memory if own is None else min(memory, own // 2 + MAPPED_BYTES)


def _own_limit() -> int | None:
    with suppress(ImportError, AttributeError, OSError):  # not on every system
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        return None if hard == resource.RLIM_INFINITY else hard
    return None


def _limit(pid: int, memory: int, cpu_seconds: int | None) -> None:
    with suppress(ImportError, AttributeError, OSError, ValueError):  # not on every system
        import resource

        most = allowed(memory) - MAPPED_BYTES
        if own := _own_limit():
            resource.setrlimit(resource.RLIMIT_DATA, (own - own // 2, own))
        resource.prlimit(pid, resource.RLIMIT_DATA, (most, most))
        resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))  # a crash would leave a file of all its memory
        if cpu_seconds is not None:
            resource.prlimit(pid, resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))


def take_all_memory() -> None:
    """Restores this worker's own limit after the process that it started has exited."""
    with suppress(ImportError, AttributeError, OSError, ValueError):  # not on every system
        import resource

        if own := _own_limit():
            resource.setrlimit(resource.RLIMIT_DATA, (own, own))


def resident_bytes(pid: int) -> int:
    """Returns how much memory a process takes now; MIN_PROCESS_BYTES where the system does not report it."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError, IndexError):
        return MIN_PROCESS_BYTES
