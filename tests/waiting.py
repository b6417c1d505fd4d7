"""Waits for what a page promises, with a limit: `page.evaluate` has none."""

import time
from collections.abc import Callable
from typing import TypeVar

from playwright.sync_api import Page, TimeoutError

T = TypeVar("T")
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def awaited(page: Page, script: str, given: object = None, *, what: str, seconds: float = 20) -> object:
    """Returns what an expression, or a function of what is given, promises; raises where it is not kept in time.

    The limit holds though the page itself has stopped. Elements can be given as handles.
    """
    asked = f"async (given) => {{ const asked = {script};"
    asked += " return [await (typeof asked === 'function' ? asked(given) : asked)]; }"
    try:
        return page.wait_for_function(asked, arg=given, timeout=1000 * seconds).json_value()[0]
    except TimeoutError:
        raise AssertionError(f"waited {seconds:g} s for {what}") from None


def read_clipboard(page: Page) -> str:
    """Returns the text on the clipboard."""
    return awaited(page, "navigator.clipboard.readText()", what="the text on the clipboard")


def write_clipboard(page: Page, text: str) -> None:
    """Puts a text on the clipboard, as another program would."""
    awaited(page, "(text) => navigator.clipboard.writeText(text)", text, what="the clipboard to take a text")


def next_frames(page: Page) -> None:
    """Waits until what a script or a wheel has just changed is drawn, and what that asks for too."""
    awaited(page, FRAMES, what="the next two frames")


def at_rest(page: Page, look: Callable[[], T], ms: int = 500, seconds: float = 60) -> T:
    """Returns what is seen when it has stayed the same for so many milliseconds."""
    end, seen, before = time.monotonic() + seconds, look(), None
    while seen != before:
        assert time.monotonic() < end, f"after {seconds:g} s it still changes: {before} became {seen}"
        page.wait_for_timeout(ms)
        before, seen = seen, look()
    return seen
