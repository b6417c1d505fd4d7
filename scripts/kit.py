"""Takes the pictures of docs/kit.md, one of each part of the interface, of the running app.

python scripts/kit.py http://localhost:8501
"""

import io
import sys
from collections.abc import Callable
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Locator, Page
from screenshot import ROOT, chromium, opened

FOLDER = ROOT / "docs" / "kit"
MARGIN_PX = 8  # around a part, in which its focus ring is seen


class Part(NamedTuple):
    """A part of the interface: the page on which it is, its element, and what makes it visible there."""

    path: str
    find: Callable[[Page], Locator]
    prepare: Callable[[Page], object] = lambda page: None


def _open_loupe(page: Page) -> None:
    page.locator(".tokens .t", has_text=" thought").click()
    page.locator(".loupe[data-explained]").wait_for()


def _end_intro(page: Page) -> None:
    page.get_by_label("Text to tokenize").press("End")  # any key ends what plays on a first visit


PARTS = {
    "tokens": Part("/", lambda page: page.locator('.frame .tokens[data-tokens="26"]'), _end_intro),
    "number": Part("/decode", lambda page: page.locator("dl.hero")),
    "finding": Part("/languages", lambda page: page.locator(".finding").first),
    "chips": Part("/compare", lambda page: page.locator(".st-key-examples")),
    "buttons": Part("/train", lambda page: page.locator(".st-key-train_row")),
    "choice": Part("/compare", lambda page: page.locator(".st-key-way")),
    "list": Part("/decode", lambda page: page.locator(".st-key-encoding [role=group]")),
    "focus": Part(
        "/decode",
        lambda page: page.locator(".st-key-encoding [role=group]"),
        lambda page: page.get_by_role("combobox", name="Model").focus(),
    ),
    "expander": Part("/train", lambda page: page.locator(".st-key-train_choices")),
    "summary": Part("/why", lambda page: page.locator(".about summary")),
    "player": Part("/why", lambda page: page.locator(".controls")),
    "ladder": Part("/why", lambda page: page.locator(".scene")),
    "loupe": Part("/", lambda page: page.locator(".loupe"), _open_loupe),
    "fade": Part("/why?text=" + "a+few+words+" * 20, lambda page: page.locator(".pieces")),
    "veil": Part("/vocabulary?find=天天中彩票", lambda page: page.locator(".grid")),
    "notice": Part("/decode?encoding=unknown", lambda page: page.get_by_role("alert").first),
}


def main(url: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    with chromium() as browser:
        for name, part in PARTS.items():
            page = opened(browser, f"{url}{part.path}")
            page.locator("html[data-page]").wait_for(state="attached")
            part.prepare(page)
            element = part.find(page)
            element.wait_for()
            page.wait_for_timeout(1000)  # until what follows the first drawing has arrived
            element.scroll_into_view_if_needed()
            box = element.bounding_box()
            clip = {
                "x": max(0, box["x"] - MARGIN_PX),
                "y": max(0, box["y"] - MARGIN_PX),
                "width": box["width"] + 2 * MARGIN_PX,
                "height": min(320, box["height"]) + 2 * MARGIN_PX,
            }
            picture = Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")
            picture.save(FOLDER / f"{name}.webp", quality=80, method=6)
            page.close()
    print(FOLDER)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8501")
