"""The app in its own process, with its log."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
START_TIMEOUT_SECONDS = 60
COMMAND = (sys.executable, "-m", "streamlit", "run", "app.py", "--server.port")
# For servers that tests start often: the warm-up takes twice as long as the start itself.
WITHOUT_WARMUP = (
    *(
        sys.executable,
        "-c",
        "from streamlit.web.cli import main; from ui import warmup; assert warmup.MODULES; warmup.MODULES = (); main()",
    ),
    *COMMAND[3:],
)
LAUNCHER = (sys.executable, "-m", "ui.launcher", "--server.port")  # with limits for connections


class Server:
    """Runs `streamlit run app.py` on a free port inside `with Server(log) as server:`."""

    def __init__(self, log: Path, command: Sequence[str] = COMMAND, cwd: Path = ROOT, **environment: str):
        self._command, self._cwd = command, cwd  # the port is appended
        self._environment = os.environ | environment
        self.log_path = log
        self.port = _free_port()
        self.url = f"http://localhost:{self.port}"

    def __enter__(self) -> "Server":
        self._log_file = self.log_path.open("wb")
        self.num_classes = 0  # opened by tests since the start
        command = [*self._command, str(self.port)]
        self._process = subprocess.Popen(
            command, cwd=self._cwd, env=self._environment, stdout=self._log_file, stderr=subprocess.STDOUT
        )
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(timeout=10)
        self._log_file.close()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @contextmanager
    def away(self) -> Iterator[None]:
        """Kills the server; starts it on the same port at the end of the block."""
        self._process.kill()
        self.__exit__()
        try:
            yield
        finally:
            self.__enter__()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Holds the server's process until the end of the block; it handles later what is sent meanwhile."""
        os.kill(self.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.pid, signal.SIGCONT)

    def restart(self) -> None:
        """Kills the server and starts it on the same port."""
        with self.away():
            pass

    def stop(self) -> None:
        """Stops the server with SIGTERM; raises TimeoutExpired after 10 seconds."""
        self._process.terminate()
        self._process.wait(timeout=10)

    def interrupt(self) -> int:
        """Stops the server with SIGINT and returns its exit code; raises TimeoutExpired after 10 seconds."""
        self._process.send_signal(signal.SIGINT)
        return self.wait_for_exit()

    def wait_for_exit(self) -> int:
        """Waits for the server's exit code; raises TimeoutExpired after 10 seconds."""
        return self._process.wait(timeout=10)

    def _wait(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise RuntimeError(f"The server ended during its start:\n{self.log()}")
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1):
                    return
            except OSError:
                time.sleep(0.1)
        raise TimeoutError(f"The server was not healthy within {START_TIMEOUT_SECONDS} s:\n{self.log()}")

    def trainings(self) -> list[int]:
        """Returns the process ids of running trainings."""
        command = ["pgrep", "-P", str(self._process.pid), "-f", "tokenizer.training.worker"]
        return [
            int(line) for line in subprocess.run(command, capture_output=True, text=True, timeout=10).stdout.split()
        ]

    @contextmanager
    def training_held(self) -> Iterator[None]:
        """Pauses the process of the training that starts now, until the end of the block."""
        deadline, process = time.monotonic() + START_TIMEOUT_SECONDS, None
        while process is None:
            assert time.monotonic() < deadline, "no training has begun"
            with suppress(IndexError, ProcessLookupError):  # none has started, or it has just ended
                os.kill(newest := self.trainings()[-1], signal.SIGSTOP)
                process = newest
        try:
            yield
        finally:
            with suppress(ProcessLookupError):  # it was cancelled
                os.kill(process, signal.SIGCONT)

    def log(self) -> str:
        """Returns the server's output so far."""
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    def log_problems(self) -> list[str]:
        """Returns tracebacks, errors and warnings in the log."""
        return [line for line in self.log().splitlines() if re.search(r"Traceback|Error|Exception|WARN|panicked", line)]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
