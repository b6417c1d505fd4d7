"""Checks what a class needs on this machine: Python, packages, a port, the firewall, fonts."""

from __future__ import annotations

import errno
import platform
import re
import shutil
import socket
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
UFW = Path("/etc/ufw/ufw.conf")
VERSION = Path("/proc/version")
MAC_FIREWALL = "/usr/libexec/ApplicationFirewall/socketfilterfw"
SCRIPTS = {  # a character of each that fonts for it have
    "Thai": 0x0E17,
    "Chinese": 0x5B57,
    "Japanese": 0x304B,
    "Korean": 0xD55C,
    "Arabic": 0x0628,
    "Devanagari": 0x0915,
    "emoji": 0x1F600,
}
FONT_PACKAGES = "sudo apt-get install fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji"
PHONES = "Phones use fonts of their own."


class CheckResult(NamedTuple):
    """The result of a check as a sentence; `stops` if there can be no class until it is fixed."""

    is_well: bool
    words: str
    stops: bool = False


def all_checks(port: int) -> list[CheckResult]:
    """Returns the results of all checks, in the order of fixing them."""
    return [python(), packages(), free(port), firewall(port), fonts(), *subsystem()]


# Python and packages


def python(version: tuple = sys.version_info) -> CheckResult:
    """Checks that this Python is new enough.

    >>> python((3, 9, 2)).words
    'Python 3.9.2 is too old: Tokenloupe needs 3.11 or newer.'
    """
    number = ".".join(map(str, version[:3]))
    if tuple(version) < (3, 11):
        return CheckResult(False, f"Python {number} is too old: Tokenloupe needs 3.11 or newer.", stops=True)
    return CheckResult(True, f"Python {number}.")


def packages(requirements: str | None = None) -> CheckResult:
    """Checks that the packages of requirements.txt are installed and new enough.

    >>> packages("pytest>=1 # tests\\nno-such-package>=2")[:2]
    (False, 'Missing or too old: no-such-package. Install them: pip install -r requirements.txt')
    """
    if requirements is None:
        lists = re.findall(r"^-r (\S+)", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.M)
        requirements = "".join((ROOT / name).read_text(encoding="utf-8") for name in lists)
    required = re.findall(r"^([\w.-]+)>=([\d.]+)(.*)", requirements, re.M)
    usable = [(name, least) for name, least, rest in required if sys.platform != "win32" or '!= "win32"' not in rest]
    missing = [name for name, least in usable if not _has(name, least)]
    if missing:
        names = ", ".join(missing)
        return CheckResult(
            False, f"Missing or too old: {names}. Install them: pip install -r requirements.txt", stops=True
        )
    return CheckResult(True, "All packages.")


def _has(name: str, least: str) -> bool:
    try:
        return _numbers(metadata.version(name)) >= _numbers(least)
    except metadata.PackageNotFoundError:
        return False


def _numbers(version: str) -> list[int]:
    return [int(one) for one in re.findall(r"\d+", version)]


# The port


def free(port: int) -> CheckResult:
    """Checks that the port is free; otherwise returns its owner, if known, and what to type instead."""
    if not 1024 <= port <= 65535:
        return CheckResult(False, f"Port {port} cannot be used: choose one from 1024 to 65535.", stops=True)
    if can_listen(port):
        return CheckResult(True, f"Port {port} is free.")
    other = next((one for one in range(port + 1, min(port + 100, 65536)) if can_listen(one)), None)
    advice = f" Take another: make class PORT={other}" if other else ""
    return CheckResult(False, f"Port {port} is taken by {holder(port) or 'another program'}.{advice}", stops=True)


def can_listen(port: int) -> bool:
    """Whether nothing listens at this port on any address of this machine."""
    for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        with socket.socket(family, socket.SOCK_STREAM) as connection:
            connection.settimeout(1)
            try:
                connection.connect((address, port))  # one program may listen at all addresses, another at this one
                return False
            except OSError:
                pass
    try:
        with socket.create_server(("", port)):
            return True
    except OSError as error:
        return error.errno not in (errno.EADDRINUSE, errno.EACCES)


def holder(port: int) -> str | None:
    """Returns the program that listens at this port, if an ordinary user may see it."""
    output = run("lsof", "-nP", f"-iTCP:{port}", "-sTCP:LISTEN", "-Fpc")
    if found := re.search(r"^p(\d+)\nc(.+)$", output, re.M):
        return f"{found[2]} (process {found[1]})"
    if found := re.search(r'users:\(\("([^"]+)",pid=(\d+)', run("ss", "-Hltnp", f"sport = :{port}")):
        return f"{found[1]} (process {found[2]})"
    if found := re.search(rf":{port}\s.*LISTENING\s+(\d+)", run("netstat", "-ano") if sys.platform == "win32" else ""):
        return f"process {found[1]}"
    return None


# The firewall


def firewall(port: int, system: str = sys.platform) -> CheckResult:
    """Checks for a firewall that blocks phones; returns how to open it."""
    if system == "win32":
        words = "When Windows asks whether Python may be reached, allow it, also on public networks if this is one."
        return CheckResult(True, words)
    if system == "darwin":
        if "enabled" in run(MAC_FIREWALL, "--getglobalstate").lower():
            words = "The firewall of macOS is on. When it asks whether Python may accept connections, allow it."
            return CheckResult(False, words)
        return CheckResult(True, "The firewall of macOS is off.")
    if ufw_is_on():
        words = f"sudo ufw allow {port}/tcp (after the class: sudo ufw delete allow {port}/tcp)"
        return CheckResult(False, f"The firewall ufw is on. Let phones in: {words}")
    if firewalld_is_on():
        words = f"sudo firewall-cmd --add-port={port}/tcp (until the next restart)"
        return CheckResult(False, f"The firewall firewalld is on. Let phones in: {words}")
    return CheckResult(True, "Neither ufw nor firewalld is on.")


def ufw_is_on() -> bool:
    """Whether ufw is enabled in its settings file; only root may read its rules."""
    try:
        return bool(re.search(r"^ENABLED=yes", UFW.read_text(encoding="utf-8"), re.M))
    except OSError:
        return False


def firewalld_is_on() -> bool:
    """Whether the service runs."""
    return run("systemctl", "is-active", "firewalld").strip() == "active"


# Fonts


def fonts(system: str = sys.platform) -> CheckResult:
    """Checks, by fontconfig if it is installed, for fonts for the scripts of the lessons."""
    if system in ("win32", "darwin"):
        return CheckResult(True, f"{platform.system()} comes with fonts for all scripts of the lessons. {PHONES}")
    if not shutil.which("fc-list"):
        words = f"Whether this machine has fonts for {_listed(SCRIPTS)} is not known: there is no fc-list. {PHONES}"
        return CheckResult(True, words)
    missing = [name for name, character in SCRIPTS.items() if not run("fc-list", f":charset={character:x}", "family")]
    if missing:
        words = f"No font here for {_listed(missing)}. On Debian or Ubuntu: {FONT_PACKAGES} ({PHONES.rstrip('.')})"
        return CheckResult(False, words)
    return CheckResult(True, f"Fonts for {_listed(SCRIPTS)}. {PHONES}")


def _listed(names) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


# Windows Subsystem for Linux


def subsystem() -> list[CheckResult]:
    """Returns a warning in Windows Subsystem for Linux, which phones cannot reach."""
    try:
        is_one = "microsoft" in VERSION.read_text(encoding="utf-8").lower()
    except OSError:
        is_one = False
    words = "This is Windows Subsystem for Linux: phones do not reach into it. Start the class from Windows itself."
    return [CheckResult(False, words)] if is_one else []


def run(*command: str) -> str:
    """Returns the output of a program; "" if it is missing or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=5, errors="replace").stdout
    except (OSError, subprocess.SubprocessError):
        return ""
