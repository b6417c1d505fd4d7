"""Measures how far each page's content jumps while it loads and when it is opened from another page.

    python benchmarks/layout.py [page ...]

Prints the sum of all layout shifts of a cold load of each page (or of those asked for), and of the turn to it by the
menu, in windows of WINDOWS, with the elements that moved most; then the time to the first coloured token, cold and
warm, compared with an empty page of Streamlit (benchmarks/opening.py). A page's shifts are counted until it is
at rest. Unlike the metric CLS, shifts within 500 ms of a click count too, since a turn begins with one.
The limit for each sum is MAX_SHIFT.
"""

import sys

from _serving import server
from browser import chromium
from e2e.desk import PAGES
from e2e.shifts import record_shifts, shifts
from opening import main as print_openings
from playwright.sync_api import Browser, Page

WINDOWS = ((1280, 800), (375, 740))
MAX_SHIFT = 0.05
NUM_SOURCES = 3
CLICK_LINK = """(path) => {
  const links = Array.from(document.querySelectorAll('.st-key-bar a, [data-testid=stPopoverBody] a'));
  const link = links.find((one) => new URL(one.getAttribute('href') || '.', document.baseURI).pathname === path);
  link?.click();
  return Boolean(link);
}"""


def follow(page: Page, path: str) -> None:
    """Clicks on the link of a page in the bar, or in the bar's menu."""
    if page.evaluate(CLICK_LINK, path):
        return
    page.locator(".st-key-bar").get_by_test_id("stPopoverButton").first.click()
    page.get_by_test_id("stPopoverBody").get_by_role("link").first.wait_for()
    page.evaluate(CLICK_LINK, path)


def report(way: str, size: tuple[int, int], path: str, found: list[dict]) -> None:
    """Prints one line of the table, and the largest shifts behind a sum above the limit."""
    total = sum(one["value"] for one in found)
    print(f"{way:5} {size[0]:5} {path:12} {total:6.3f}{'  too far' if total >= MAX_SHIFT else ''}", flush=True)
    if total >= MAX_SHIFT:
        for one in sorted(found, key=lambda one: -one["value"])[:NUM_SOURCES]:
            print(f"{'':26}{one['value']:.3f} at {one['startTime']:.0f} ms: {'; '.join(one['moved'])}")


def loads(browser: Browser, url: str, paths: list[str]) -> None:
    """Opens each page in a browser that has stored nothing."""
    for size in WINDOWS:
        for path in paths:
            with browser.new_context(viewport={"width": size[0], "height": size[1]}) as context:
                page = context.new_page()
                record_shifts(page)
                page.goto(url + path)
                report("load", size, path, shifts(page, path))


def turns(browser: Browser, url: str, paths: list[str]) -> None:
    """Opens one page after the other by its link."""
    for size in WINDOWS:
        with browser.new_context(viewport={"width": size[0], "height": size[1]}) as context:
            page = context.new_page()
            record_shifts(page)
            page.goto(url + paths[-1])
            shifts(page, paths[-1])
            for path in paths:
                follow(page, path)
                report("turn", size, path, shifts(page, path))


def main() -> None:
    paths = sys.argv[1:] or PAGES
    with server() as app, chromium() as browser:
        loads(browser, app.url, paths)
        if len(paths) > 1:
            turns(browser, app.url, paths)
    sys.argv[1:] = ["0"]
    print_openings()


if __name__ == "__main__":
    main()
