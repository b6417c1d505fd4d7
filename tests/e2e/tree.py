"""Compares a page's accessibility tree with its file in trees/."""

import os
import re
from contextlib import suppress
from pathlib import Path

from apps import until
from playwright.sync_api import expect
from waiting import at_rest

from e2e.desk import ABOUT, Desk

TREES = Path(__file__).parent / "trees"
REST_MS = 4_000  # ms without a change
# Landmarks, headings and controls, without the texts between them.
ROLES = "banner main navigation heading link button combobox textbox searchbox spinbutton slider checkbox switch"
ROLES += " radiogroup radio tablist tab table grid img group status region dialog"
USED = re.compile(rf"^ *- '?({ROLES.replace(' ', '|')})\b")
# Radio buttons of characters, buttons of tokens and of numbers of tokens: tests of their components check the names.
DATA = re.compile(r"""^ *- '?(radio "[A-Z][A-Z -]+[",]|button ".*(, id \d+| [\d,]+)")""")


def tree(desk: Desk) -> str:
    """Returns the landmarks, headings and controls of a page by role and name, without their content."""
    lines = desk.page.locator("[data-testid=stApp]").aria_snapshot().splitlines()
    used = [line.strip() for line in lines if USED.match(line) and not DATA.match(line)]
    return "\n".join(re.sub(r"(\"|\]|\w):( .*)?$", r"\1", line) for line in used) + "\n"


def assert_tree_unchanged(desk: Desk, path: str) -> None:
    """Asserts that a page's tree equals its file; KEEP_TREES=1 updates the file."""
    expect(desk.page.locator(ABOUT[path]).first).to_be_visible()
    desk.idle()
    file = TREES / f"{path[1:] or 'playground'}.txt"
    if os.environ.get("KEEP_TREES"):
        file.write_text(at_rest(desk.page, lambda: tree(desk), REST_MS), encoding="utf-8")
    kept = file.read_text(encoding="utf-8")
    with suppress(AssertionError):  # parts load later
        until(lambda: tree(desk) == kept, 20)
    assert tree(desk).splitlines() == kept.splitlines()  # for an intended change: KEEP_TREES=1
