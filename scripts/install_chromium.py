"""Installs a Chromium for the tests if there is none, and fonts for the scripts that they draw.

Playwright downloads its own Chromium; if that fails, Debian's package is installed: the headless one, like
Playwright's, which opens pages faster.
"""

import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from browser import chromium_path

# Package of Noto fonts by a language that it draws. The language of emoji in fontconfig is "und-zsye".
FONTS = {"th": "fonts-noto-core", "ar": "fonts-noto-core", "zh": "fonts-noto-cjk", "und-zsye": "fonts-noto-color-emoji"}
FONT_LIST_SECONDS = 60  # for the list of the installed fonts


def main() -> None:
    if not (chromium_path() or playwright_has_its_own() or playwright_installs() or debian_installs()):
        sys.exit(
            "No Chromium to test with. Install one, or name one: make test TOKENLOUPE_CHROMIUM=/path/to/chromium;"
            " `make quick` needs none."
        )
    if (missing := missing_fonts()) and not apt_installs(*missing):
        print(f"Warning: some scripts may be drawn as boxes. Missing: {' '.join(missing)}", file=sys.stderr)


def playwright_has_its_own() -> bool:
    """Whether Playwright has downloaded a browser before that starts."""
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        try:
            playwright.chromium.launch(args=["--no-sandbox"]).close()
        except Error:
            return False
    return True


def playwright_installs() -> bool:
    """Lets Playwright download its Chromium within a minute; without network it would hang."""
    print("Fetching Chromium with Playwright …", flush=True)
    return runs([sys.executable, "-m", "playwright", "install", "chromium"], seconds=60) and playwright_has_its_own()


def debian_installs() -> bool:
    """Installs Debian's Chromium and checks the result; Ubuntu and older releases lack the headless one."""
    return any(apt_installs(name) and chromium_path() for name in ("chromium-headless-shell", "chromium"))


def apt_installs(*packages: str) -> bool:
    """Installs Debian packages, as root or with sudo that asks for no password."""
    sudo = [] if os.geteuid() == 0 else ["sudo", "--non-interactive"]
    if not shutil.which("apt-get") or (sudo and not shutil.which("sudo")):
        return False
    print(f"Installing {' '.join(packages)} with apt-get …", flush=True)
    apt = [*sudo, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
    runs([*apt, "update"], seconds=180)  # old package lists may suffice
    return runs([*apt, "install", "--yes", "--no-install-recommends", *packages], seconds=600)


def missing_fonts() -> list[str]:
    """Returns the packages for scripts that no font on this machine draws."""
    if not shutil.which("apt-get"):
        return []
    tools = [] if shutil.which("fc-list") else ["fontconfig"]  # without it, all packages are installed
    return tools + sorted({package for language, package in FONTS.items() if tools or not draws(language)})


def draws(language: str) -> bool:
    """Whether some font covers this language."""
    with suppress(subprocess.TimeoutExpired):
        command = ["fc-list", f":lang={language}"]
        return bool(subprocess.run(command, capture_output=True, timeout=FONT_LIST_SECONDS).stdout.strip())
    return False


def runs(command: list[str], seconds: int) -> bool:
    """Whether the command succeeds within that time; otherwise its output is printed."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # with its children: they hold the pipe open
        process.wait()
        print(f"{' '.join(command)}: not done after {seconds} s", file=sys.stderr)
        return False
    if process.returncode:
        print(f"{' '.join(command)}:\n{output.strip()[-800:]}", file=sys.stderr)
    return process.returncode == 0


if __name__ == "__main__":
    main()
