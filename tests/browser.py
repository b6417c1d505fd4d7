"""Finds the browsers that tests, scripts and benchmarks drive, and starts Chromium."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def chromium_path() -> str | None:
    """The Chromium of this machine, headless if it has that, or None to use Playwright's own.

    TOKENLOUPE_CHROMIUM overrides it.
    """
    if named := os.environ.get("TOKENLOUPE_CHROMIUM"):
        return named
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Starts Chromium, and ends it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def firefox_path() -> str | None:
    """The Firefox of this machine; TOKENLOUPE_FIREFOX overrides it."""
    return os.environ.get("TOKENLOUPE_FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")


def mini_browser_path() -> str | None:
    """The MiniBrowser of WebKitGTK, or None without its driver or Xvfb."""
    if not (shutil.which("WebKitWebDriver") and shutil.which("Xvfb")):
        return None
    return next((str(path) for path in Path("/usr").glob("lib*/*/webkit2gtk-4.*/MiniBrowser")), None)
