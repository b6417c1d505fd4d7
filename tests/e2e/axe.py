"""Accessibility checks with axe-core, in light and dark."""

from pathlib import Path

import axe_playwright_python
from playwright.sync_api import Page, expect
from waiting import awaited

from e2e.desk import Desk
from tokenizer.display import palette

AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
FOUND = """async () => {
  for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish(); // colour transitions
  const { violations } = await axe.run(document, { resultTypes: ['violations'] });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => (
    `${id}: ${html.slice(0, 200)} ${any[0]?.message ?? ''}`)));
}"""

INKS = """(words) => words.map((one) => {
  const rgb = getComputedStyle(one).fill.match(/\\d+/g) ?? [];
  return '#' + rgb.map((part) => Number(part).toString(16).padStart(2, '0')).join('');
})"""


def violations(page: Page) -> list[str]:
    """Returns the violations that axe-core, already injected, finds on a page."""
    return awaited(page, FOUND, what="the findings of axe-core", seconds=60)


def inject_axe(desk: Desk) -> Desk:
    """Injects axe-core into a page once it is idle."""
    expect(desk.page.get_by_role("heading", level=1)).to_be_visible()
    desk.wait_for_bar()
    desk.idle()
    desk.page.evaluate(AXE.read_text(encoding="utf-8"))
    return desk


def assert_accessible(desk: Desk) -> None:
    """Asserts that axe-core finds no violations, light and dark."""
    for scheme in ("light", "dark"):
        desk.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        expect(desk.page.get_by_test_id("stApp")).to_have_css("color-scheme", scheme)
        desk.idle()
        found = violations(desk.page)
        assert found == [], f"{scheme}: {found}"
        other = palette.LIGHT_INK if scheme == "dark" else palette.DARK_INK  # axe does not check text in charts
        words = desk.page.locator(".stVegaLiteChart svg text")
        assert other not in words.evaluate_all(INKS), f"{scheme}: chart text has the ink of the other scheme"
