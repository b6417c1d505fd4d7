"""Finds the browser that the tests drive; scripts/install_chromium.py asks here too."""

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium_path() -> str | None:
    """The Chromium of this machine, or None where Playwright's own is to be used.

    TOKENLOUPE_CHROMIUM names one outright.
    """
    if named := os.environ.get("TOKENLOUPE_CHROMIUM"):
        return named
    return next((path for name in NAMES if (path := shutil.which(name))), None)
