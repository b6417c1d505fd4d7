"""Finds the browser that the tests drive; scripts/install_chromium.py asks here too."""

import os
import shutil

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def chromium_path() -> str | None:
    """The Chromium of this machine, one without windows if it has that, or None where Playwright's own is to be used.

    TOKENLOUPE_CHROMIUM names one outright.
    """
    if named := os.environ.get("TOKENLOUPE_CHROMIUM"):
        return named
    return next((path for name in NAMES if (path := shutil.which(name))), None)
