"""Accessibility checks with axe-core, on a desktop in light and on a phone in dark."""

from collections.abc import Iterable
from pathlib import Path

import axe_playwright_python
from playwright.sync_api import ElementHandle, Locator, Page, expect
from waiting import awaited, next_frames

from e2e.desk import DESKTOP, PHONE, Desk
from tokenizer.display import palette

AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
FOUND = """async (part) => {
  for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish(); // colour transitions
  const rules = { 'target-size': { enabled: true } };
  const { violations } = await axe.run(part ?? document, { resultTypes: ['violations'], rules });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => (
    `${id}: ${html.slice(0, 200)} ${any[0]?.message ?? ''}`)));
}"""

# A change of the colour scheme runs the script a moment later, and Streamlit fades what a run may replace.
OPAQUE = """() => {
  const css = 'html [data-testid=stMain] .stElementContainer[data-stale=true] { opacity: 1 !important }';
  document.head.append(Object.assign(document.createElement('style'), { textContent: css }));
}"""
INKS = """(words) => words.map((one) => {
  const rgb = getComputedStyle(one).fill.match(/\\d+/g) ?? [];
  return '#' + rgb.map((part) => Number(part).toString(16).padStart(2, '0')).join('');
})"""


def violations(page: Page, part: ElementHandle | None = None) -> list[str]:
    """Returns the violations that axe-core, already injected, finds on a page or in a part of it."""
    return awaited(page, FOUND, part, what="the findings of axe-core", seconds=60)


def inject_axe(desk: Desk) -> Desk:
    """Injects axe-core into a page once it is idle, and a style that prevents the fading of a script run."""
    expect(desk.page.get_by_role("heading", level=1)).to_be_visible()
    desk.wait_for_bar()
    desk.idle()
    desk.page.evaluate(AXE.read_text(encoding="utf-8"))
    desk.page.evaluate(OPAQUE)
    return desk


LOOKS = ((DESKTOP, "light"), (PHONE, "dark"))  # no colour depends on the width


def assert_accessible(desk: Desk, part: Locator | None = None, looks: Iterable[tuple[dict, str]] = LOOKS) -> None:
    """Asserts that axe-core finds no violations on a page or in a part of it, in each size and scheme."""
    before = desk.page.viewport_size
    for size, scheme in looks:
        if size != desk.page.viewport_size:  # in full screen it cannot be set
            desk.page.set_viewport_size(size)
        desk.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        expect(desk.page.get_by_test_id("stApp")).to_have_css("color-scheme", scheme)
        # A button that is scrolled under the bar is too small a target for axe.
        desk.page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 0)")
        next_frames(desk.page)
        desk.idle()
        found = violations(desk.page, part and part.element_handle())
        assert found == [], f"{size['width']} pixels, {scheme}: {found}"
        other = palette.LIGHT_INK if scheme == "dark" else palette.DARK_INK  # axe does not check text in charts
        words = desk.page.locator(".stVegaLiteChart svg text")
        assert other not in words.evaluate_all(INKS), f"{scheme}: chart text has the ink of the other scheme"
    if before != desk.page.viewport_size:
        desk.page.set_viewport_size(before)
    desk.page.emulate_media(color_scheme="light", reduced_motion="reduce")
