"""Finds the browsers that the tests drive; scripts/install_chromium.py and install_browsers.py ask here too."""

import os
import shutil
from pathlib import Path

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def chromium_path() -> str | None:
    """The Chromium of this machine, one without windows if it has that, or None where Playwright's own is to be used.

    TOKENLOUPE_CHROMIUM names one outright.
    """
    if named := os.environ.get("TOKENLOUPE_CHROMIUM"):
        return named
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def firefox_path() -> str | None:
    """The Firefox of this machine; TOKENLOUPE_FIREFOX names one outright."""
    return os.environ.get("TOKENLOUPE_FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")


def mini_browser_path() -> str | None:
    """The minimal browser that comes with WebKitGTK, where its driver and a screen for it are there too."""
    if not (shutil.which("WebKitWebDriver") and shutil.which("Xvfb")):
        return None
    return next((str(path) for path in Path("/usr").glob("lib*/*/webkit2gtk-4.*/MiniBrowser")), None)
