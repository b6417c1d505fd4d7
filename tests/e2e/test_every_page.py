"""Rules for every page: accessibility, the stage, touch targets and a common layout."""

import re
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from e2e.axe import assert_accessible, inject_axe
from e2e.desk import ABOUT, PAGES, PHONE
from e2e.trainer import Trainer
from e2e.tree import assert_tree_unchanged

LAPTOP = {"width": 1280, "height": 720}
PROJECTOR = {"width": 1920, "height": 1080}
SMALL_TARGETS = """() => {
  const found = [], isBar = (one) => one.closest?.('.ids, .graphemes, .tokens, canvas, [data-testid="stDataFrame"]');
  const walk = (root) => {
    for (const one of root.querySelectorAll('*')) {
      if (one.shadowRoot) walk(one.shadowRoot);
      if (!one.matches('button, select, a[href], [role=combobox]') || isBar(one) || !one.checkVisibility()) continue;
      const target = one.matches('[role=combobox]') ? one.closest('[role=group]') ?? one : one;
      const { width, height } = target.getBoundingClientRect();
      if (width > 1 && height < 43.5) found.push(`${one.tagName} ${one.ariaLabel ?? one.textContent} ${height}`);
    }
  };
  walk(document);
  return found;
}"""


WHOLE_NAME = """() => {
  const one = document.querySelector('.st-key-bar > div:has(> .stHtml)');
  return one.scrollWidth <= one.clientWidth || getComputedStyle(one).visibility === 'hidden' && innerWidth < 375;
}"""


@pytest.mark.parametrize("path", ["/languages", "/why", "/vocabulary"])
def test_picture_is_self_contained_with_text_and_bars_and_without_the_menu(make_desk, tmp_path, path):
    desk = make_desk(viewport=PROJECTOR).open(path)
    expect(desk.page.locator(ABOUT[path]).first).to_be_visible()
    desk.wait_for_bar()
    desk.idle()
    with desk.page.expect_download() as found:
        desk.share("Picture (SVG)")
    assert found.value.suggested_filename == "tokenloupe.svg"
    found.value.save_as(tmp_path / "picture.svg")
    source = (tmp_path / "picture.svg").read_text(encoding="utf-8")
    root = ElementTree.fromstring(source)
    assert source.count("src:url(data:font/woff2;base64,") == 2  # embeds its fonts
    assert not re.search(r"(?:url\(|href=\")(?!data:)", source)
    assert float(root.get("width")) / float(root.get("height")) == pytest.approx(16 / 9, abs=0.01)
    words = " ".join("".join(one.itertext()) for one in root.iter() if one.tag.endswith("}text"))
    assert re.search(r"\w", words) and "Tokenloupe" not in words
    bars = [one for one in root.iter() if one.tag.endswith("}rect") and one.get("fill") == "rgb(63, 127, 193)"]
    if path == "/languages":
        assert len(bars) == desk.page.locator(".causes .length").count() > 0


@pytest.mark.parametrize("path", PAGES)
def test_page_is_accessible_and_readable_on_the_stage(make_desk, path):
    desk = make_desk(Trainer).open(vocab_size="300") if path == "/train" else make_desk().open(path)
    assert_accessible(inject_axe(desk))
    if path == "/train":
        desk.train().go(20)
    desk.page.set_viewport_size(PROJECTOR)
    expect(desk.page.locator(ABOUT[path]).first).to_be_visible()
    desk.idle()
    desk.enter_stage()
    expect(desk.page.locator(ABOUT[path]).first).to_be_visible()
    expect(desk.page.locator(".st-key-bar")).to_be_hidden()
    expect(desk.page.get_by_role("heading", level=1)).to_be_hidden()
    desk.idle()
    assert desk.texts_smaller_than(24) == {}
    assert desk.horizontal_overflow() == [0, 0]
    assert_accessible(desk, looks=[(PROJECTOR, "dark")])
    desk.page.keyboard.press("Escape")
    expect(desk.page.locator(".st-key-bar")).to_be_visible()


def test_pages_have_touch_targets_headings_titles_and_a_common_edge(make_desk):
    """Touch targets are 44 pixels high; each page has its heading, title and accessibility tree."""
    desk = make_desk(has_touch=True)
    headings, titles, edges = set(), set(), set()
    for path in PAGES:
        desk.page.set_viewport_size(PHONE)
        desk.open(path)
        expect(desk.button("Language and theme")).to_be_visible()  # drawn last
        desk.idle()
        assert desk.page.evaluate(SMALL_TARGETS) == [], path
        assert desk.texts_smaller_than(14) == {}, path
        for width in (PHONE["width"], 360, 320):
            desk.page.set_viewport_size(PHONE | {"width": width})
            assert desk.page.evaluate(WHOLE_NAME), f"the name of {path} is cut off at {width}"
        desk.page.set_viewport_size(LAPTOP)
        heading = desk.page.get_by_role("heading", level=1)
        expect(heading).to_have_count(1)
        desk.idle()
        headings.add(heading.inner_text())
        titles.add(desk.page.title())
        controls = desk.page.locator(".st-key-desk_options label").all()
        edges |= {round(one.bounding_box()["x"]) for one in (heading, desk.page.locator(".st-key-bar"), *controls[:1])}
        assert_tree_unchanged(desk, path)
        assert desk.texts_smaller_than(14) == {}, path
    assert len(headings) == len(titles) == len(PAGES) and len(edges) == 1, (headings, titles, edges)
    assert all(title.endswith("Tokenloupe") for title in titles)
