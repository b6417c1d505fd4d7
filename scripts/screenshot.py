"""Takes the README's screenshot of the running app.

python scripts/screenshot.py http://localhost:8501
"""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from tests.browser import chromium_path  # noqa: E402

OUT = ROOT / "assets" / "screenshot.png"


def main(url: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox", "--disable-gpu"])
        size = {"width": 1280, "height": 800}
        page = browser.new_page(viewport=size, color_scheme="light", reduced_motion="reduce")
        page.goto(url)
        page.locator(".tokens[data-tokens]").wait_for()
        page.locator(".tokens .t", has_text="กว่า").first.click()
        page.locator(".loupe[data-told]").wait_for()
        for _ in range(3):
            page.keyboard.press("ArrowDown")
        page.mouse.move(0, 0)
        page.wait_for_timeout(1000)  # the counts of graphemes and words
        page.screenshot(path=OUT)
        browser.close()
    print(OUT)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8501")
