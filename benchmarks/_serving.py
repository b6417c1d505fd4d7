"""Starts the app for the benchmarks: `with app() as url: ...`."""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[1]
START_WITHIN = 120  # seconds
# where a proxy is set, it is for other machines; all that is measured is on this one
os.environ["no_proxy"] = os.environ["NO_PROXY"] = "*"


@contextlib.contextmanager
def app(served: str = "app:app", port: int | None = None, files: int | None = None, log: IO | None = None):
    """Yields (address, process id) of a fresh server of the app, of another "module:app", or of a plain script.

    It may have so many `files` open, and writes into `log`.
    """
    port = port or free_port()
    program = "streamlit run" if served.endswith(".py") else "ui.launcher"
    command = [sys.executable, "-m", *program.split(), served, "--server.port", str(port)]
    if files:
        command = ["sh", "-c", f'ulimit -n {files} && exec "$@"', "sh", *command]
    begin = time.perf_counter()
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "benchmarks")])}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=log or subprocess.DEVNULL, stderr=subprocess.STDOUT
    )
    try:
        url = f"http://localhost:{port}"
        while not _answers(f"{url}/_stcore/health"):
            if process.poll() is not None or time.perf_counter() > begin + START_WITHIN:
                raise RuntimeError(
                    f"{served} does not answer at {url}, {time.perf_counter() - begin:.0f} s after its start"
                )
            time.sleep(0.05)
        print(f"the app answers {time.perf_counter() - begin:.1f} s after its start")
        yield url, process.pid
    finally:
        end(process)


def end(process: subprocess.Popen) -> None:
    """Asks a process to end, and ends one that does not."""
    process.terminate()
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout=10)


def free_port() -> int:
    """Returns a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _answers(url: str) -> bool:
    try:
        return urllib.request.urlopen(url, timeout=1).status == 200
    except OSError:
        return False


def resident_megabytes(pid: int) -> float:
    """The process's resident memory, as Linux counts it."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def cpu_seconds(pid: int) -> float:
    """The processor time that a process has had, as Linux counts it."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
