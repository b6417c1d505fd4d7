"""Waits for promises of a page with a time limit, which `page.evaluate` lacks."""

import time
from collections.abc import Callable
from typing import TypeVar

from playwright.sync_api import Page, TimeoutError

T = TypeVar("T")
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def awaited(page: Page, script: str, given: object = None, *, what: str, seconds: float = 20) -> object:
    """Returns what the promise of an expression, or of a function of `given`, resolves to; raises after the limit.

    The limit holds even if the page hangs. Elements are passed as handles.
    """
    code = f"async (given) => {{ const value = {script};"
    code += " return [await (typeof value === 'function' ? value(given) : value)]; }"
    try:
        return page.wait_for_function(code, arg=given, timeout=1000 * seconds).json_value()[0]
    except TimeoutError:
        raise AssertionError(f"waited {seconds:g} s for {what}") from None


def read_clipboard(page: Page) -> str:
    """Returns the text on the clipboard."""
    return awaited(page, "navigator.clipboard.readText()", what="the text on the clipboard")


def write_clipboard(page: Page, text: str) -> None:
    """Puts a text on the clipboard, as another program would."""
    awaited(page, "(text) => navigator.clipboard.writeText(text)", text, what="the clipboard to take a text")


def next_frames(page: Page) -> None:
    """Waits two frames, so that a change by a script or the wheel and its follow-up are drawn."""
    awaited(page, FRAMES, what="the next two frames")


def at_rest(page: Page, look: Callable[[], T], ms: int = 500, seconds: float = 60) -> T:
    """Returns the value of `look` once it has been the same for so many milliseconds."""
    end, seen, before = time.monotonic() + seconds, look(), None
    while seen != before:
        assert time.monotonic() < end, f"after {seconds:g} s it still changes: {before} became {seen}"
        page.wait_for_timeout(ms)
        before, seen = seen, look()
    return seen
