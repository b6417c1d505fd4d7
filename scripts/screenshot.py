"""Takes the README's still picture of the running app.

python scripts/screenshot.py http://localhost:8501
"""

import sys
from pathlib import Path

from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from tests.browser import chromium  # noqa: E402

OUT = ROOT / "docs" / "screenshot.png"
SIZE = {"width": 1280, "height": 800}


def opened(browser: Browser, url: str) -> Page:
    """Returns a new light page at an address of the app, in English and without motion."""
    page = browser.new_page(viewport=SIZE, color_scheme="light", reduced_motion="reduce", locale="en-US")
    page.goto(url)
    return page


def main(url: str) -> None:
    with chromium() as browser:
        page = opened(browser, url)
        page.locator(".tokens[data-tokens]").wait_for()
        page.locator(".tokens .t", has_text="กว่า").first.click()
        page.locator(".loupe[data-explained]").wait_for()
        for _ in range(3):
            page.keyboard.press("ArrowDown")
        page.mouse.move(0, 0)
        page.wait_for_timeout(1000)  # the counts of graphemes and words
        page.screenshot(path=OUT)
    print(OUT)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8501")
