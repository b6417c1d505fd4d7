"""Starts the app for the benchmarks: `with server() as app: …`."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1]))

from e2e.server import LAUNCHER, ROOT, Server

os.environ["no_proxy"] = os.environ["NO_PROXY"] = "*"  # a proxy is for other machines; all servers are on this one

WITH_MORE_ROUTES = "_app:app"


def server(app: str = "app:app", files: int | None = None, log: Path | None = None, **environment: str) -> Server:
    """Returns a server of the app, or of another "module:app", that may have `files` open files."""
    *launcher, port = LAUNCHER
    command = (*launcher, app, port)
    if files:
        command = ("sh", "-c", f'ulimit -n {files} && exec "$@"', "sh", *command)
    path = os.pathsep.join([str(ROOT), str(ROOT / "benchmarks")])
    return Server(log or Path(os.devnull), command, **({"PYTHONPATH": path} | environment))
