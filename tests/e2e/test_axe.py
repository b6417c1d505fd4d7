"""What axe-core finds on the pages, light and dark: nothing, of any weight."""

from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import expect

from e2e.desk import PAGES, Desk

AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
FOUND = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ['violations'] });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}"""


def assert_open_to_all(desk: Desk) -> None:
    """Asserts that nothing on the page keeps a reader out, in either look."""
    for scheme in ("light", "dark"):
        desk.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        expect(desk.page.get_by_test_id("stApp")).to_have_css("color-scheme", scheme)
        desk.idle()
        assert desk.page.evaluate(FOUND) == [], scheme


@pytest.fixture
def opened(make_desk):
    """Opens a page with axe-core in it."""

    def give(path: str) -> Desk:
        desk = make_desk(reduced_motion="reduce").open(path)
        expect(desk.page.get_by_role("heading", level=1)).to_be_visible()
        desk.awake()
        desk.idle()
        desk.page.evaluate(AXE.read_text(encoding="utf-8"))
        return desk

    return give


@pytest.mark.parametrize("path", PAGES)
def test_a_page_keeps_nobody_out(opened, path):
    desk = opened(path)
    assert_open_to_all(desk)
    desk.button("Stage").click()
    assert_open_to_all(desk)
    desk.page.keyboard.press("Escape")


def test_the_loupe_keeps_nobody_out(opened):
    desk = opened("/")
    desk.token(1).click()
    expect(desk.loupe).to_be_visible()
    assert_open_to_all(desk)


@pytest.mark.parametrize("path, words, key", [("/", "Open", "upload"), ("/chat", "Template file", "template_file")])
def test_what_opens_keeps_nobody_out(opened, path, words, key):
    desk = opened(path)
    desk.page.get_by_test_id("stPopoverButton").filter(has_text=words, visible=True).click()
    expect(desk.page.locator(f".st-key-{key}")).to_be_visible()
    assert_open_to_all(desk)
