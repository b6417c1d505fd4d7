"""Pages in Thai, enlarged twice, in colours that the system forces, under a finger."""

import re

import pytest
from playwright.sync_api import expect

from e2e.desk import ABOUT, PAGES

STYLE = """(one) => {
  const { backgroundColor, backgroundImage } = getComputedStyle(one);
  return [backgroundColor, backgroundImage];
}"""


def test_in_thai_enlarged_twice_and_in_forced_colours_every_page_is_whole(make_desk):
    """A window of 1280 by 800, enlarged to 200 %, has 640 by 400 pixels of CSS."""
    half = {"width": 640, "height": 400}
    desk = make_desk(locale="th-TH", viewport=half, device_scale_factor=2, forced_colors="active")
    for path in PAGES:
        desk.open(path)
        expect(desk.page.locator("html")).to_have_attribute("lang", re.compile("^th"))
        expect(desk.page.get_by_role("heading", level=1)).to_have_text(re.compile("[ก-๙]"))
        if path != "/train":  # which is about what is not trained yet
            expect(desk.page.locator(ABOUT[path]).first).to_be_visible()
        desk.idle()
        assert desk.beyond() == [0, 0], path
        assert desk.smaller_than(14) == {}, path
        colors = desk.page.locator(".tokens:not(.sheet) .t, .strip .t").evaluate_all(
            f"(all) => all.slice(0, 2).map({STYLE})"
        )
        assert len({str(one) for one in colors}) == len(colors), f"tokens look alike on {path}: {colors}"


def test_in_forced_colours_crosses_switches_and_bars_are_seen(make_desk):
    """A system that forces its own takes backgrounds away, and what Streamlit draws by its theme's colours vanishes."""
    desk = make_desk(forced_colors="active", color_scheme="dark")

    def expect_style(path, selector, name, value):
        found = desk.open(path).page.locator(selector).first
        expect(found).to_have_css(name, value)  # in time: they come with the scheme, which a script sets

    white, gradient = "rgb(255, 255, 255)", re.compile("gradient")
    expect_style("/compare", ".stMultiSelect [data-tag] path", "stroke", white)
    expect_style("/train", ".stCheckbox label:has([role=switch]) > div:first-of-type", "outline-style", "solid")
    expect_style("/train", ".stCheckbox label:has([role=switch]) > div > div", "background-color", white)
    expect_style("/languages?lens=mix", ".stSlider [role=group] > div > div:has(input)", "background-color", white)
    expect_style("/languages", ".causes .density i", "background-image", gradient)
    expect_style("/languages?lens=budget", ".windows i", "background-image", gradient)


@pytest.mark.parametrize("forced", ["none", "active"])
def test_where_the_keyboard_is_has_a_line_around_it(make_desk, forced):
    page = make_desk(forced_colors=forced).open("/chat").page
    found = [page.locator(".st-key-menu a").nth(1)]
    if forced == "active":
        found += [page.get_by_role("button", name="Add a message"), page.get_by_role("button", name="Remove").first]
    for one in found:
        one.focus()
        page.keyboard.press("Shift")  # it is the keyboard's
        expect(one).to_have_css("outline", re.compile("solid 2px"))


def test_the_keyboard_sees_the_tools_of_a_chart(desk):
    page = desk.open("/languages").page
    tools = page.get_by_test_id("stElementToolbar").first
    expect(tools).to_have_css("opacity", "0")
    shown = tools.get_by_role("button", name="Show data")  # not the first: others come and go while a chart is made
    shown.focus()
    page.keyboard.press("Shift")
    expect(tools).to_have_css("opacity", "1")
    expect(shown).to_have_css("outline", re.compile("solid 2px"))


def test_a_finger_opens_the_loupe_steps_and_closes_it(make_desk):
    desk = make_desk(viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce").open()
    desk.token(2).tap()
    desk.told()
    last = int(desk.loupe.get_attribute("data-depth"))
    desk.loupe.get_by_role("button", name="One merge back").tap()
    expect(desk.loupe).to_have_attribute("data-depth", str(last - 1))
    desk.loupe.get_by_role("button", name="Close").tap()
    expect(desk.loupe).to_be_hidden()
