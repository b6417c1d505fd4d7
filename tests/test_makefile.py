"""Errors of `make` where something is missing: each names the command to use instead."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from paths import ROOT


def make(*words: str, path: str = os.environ["PATH"]) -> str:
    """Returns the output of make, which must fail."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")} | {"PATH": path}
    done = subprocess.run(["make", "-C", ROOT, *words], capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode
    return done.stdout + done.stderr


@pytest.fixture
def installed(tmp_path) -> str:
    """A virtual environment with stub files."""
    (tmp_path / "bin").mkdir()
    for name in ("bin/pip", ".run", ".dev"):
        (tmp_path / name).touch()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    return f"VENV={tmp_path}"


def test_taken_port_names_another(installed):
    with socket.create_server(("", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"make run PORT={port + 1}" in make("run", f"PORT={port}", installed)


def test_taken_port_of_a_class_names_another(installed):
    with socket.create_server(("", 0)) as taken:
        port = taken.getsockname()[1]
        output = make("class", f"PORT={port}", installed)
        assert re.search(rf"Port {port} is taken by .+\. Take another: make class PORT=\d+", output)


def python(folder: Path, source: str) -> str:
    """Writes a shell script to use as Python; returns the variable for make."""
    (folder / "python-of-theirs").write_text(f"#!/bin/sh\n{source}\n")
    (folder / "python-of-theirs").chmod(0o755)
    return f"PYTHON={folder / 'python-of-theirs'}"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("[ $1 = --version ] && echo Python 3.9.2; exit 1", "Python 3.9.2 is too old: Tokenloupe needs 3.11 or newer"),
        ("case $2 in *ensurepip*) exit 1;; esac", "sudo apt-get install python3-venv"),
    ],
)
def test_unsuitable_python_is_reported(tmp_path, source, message):
    assert message in make("run", f"VENV={tmp_path / 'none'}", python(tmp_path, source))


def test_missing_python_is_reported(tmp_path):
    assert "make PYTHON=/path/to/python3" in make("run", f"VENV={tmp_path / 'none'}", "PYTHON=no-such-python")


def test_missing_chromium_is_reported(tmp_path):
    code = "import install_chromium as it; it.chromium_path = it.playwright_has_its_own = it.playwright_installs = "
    done = subprocess.run(
        [sys.executable, "-c", f"{code}it.debian_installs = lambda: None; it.main()"],
        cwd=ROOT / "scripts",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1 and "make test TOKENLOUPE_CHROMIUM=/path/to/chromium" in done.stderr


def test_font_list_that_hangs_ends_at_its_limit(tmp_path):
    (tmp_path / "fc-list").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "fc-list").chmod(0o755)
    code = "import install_chromium as it; it.FONT_LIST_SECONDS = 0.1; print(it.draws('th'))"
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    command = [sys.executable, "-c", code]
    output = subprocess.check_output(command, cwd=ROOT / "scripts", env=environment, text=True, timeout=30)
    assert output == "False\n"
