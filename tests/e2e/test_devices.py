"""Pages in Thai, at 200 % zoom, in forced colours, and with touch."""

import re

from playwright.sync_api import expect

from e2e.desk import ABOUT, PAGES, PHONE

STYLE = """(one) => {
  const { backgroundColor, backgroundImage } = getComputedStyle(one);
  return [backgroundColor, backgroundImage];
}"""

# Fields whose text is smaller than 16 pixels, also inside components.
SMALL_FIELDS = """() => {
  const found = [], walk = (root) => {
    for (const one of root.querySelectorAll('*')) {
      if (one.shadowRoot) walk(one.shadowRoot);
      if (!one.matches('textarea, select, input:not([type=range], [type=file])')) continue;
      const size = parseFloat(getComputedStyle(one).fontSize);
      if (size < 16) found.push([one.ariaLabel ?? one.className, size]);
    }
  };
  walk(document);
  return found;
}"""


def test_pages_fit_in_thai_at_200_percent_with_forced_colours(make_desk):
    """A window of 1280 by 800 at 200 % zoom has 640 by 400 CSS pixels."""
    half = {"width": 640, "height": 400}
    desk = make_desk(locale="th-TH", viewport=half, device_scale_factor=2, forced_colors="active")
    for path in PAGES:
        desk.open(path)
        expect(desk.page.locator("html")).to_have_attribute("lang", re.compile("^th"))
        expect(desk.page.get_by_role("heading", level=1)).to_have_text(re.compile("[ก-๙]"))
        if path != "/train":  # nothing is trained yet
            expect(desk.page.locator(ABOUT[path]).first).to_be_visible()
        desk.idle()
        assert desk.horizontal_overflow() == [0, 0], path
        assert desk.texts_smaller_than(14) == {}, path
        colors = desk.page.locator(".tokens:not(.sheet) .t, .strip .t").evaluate_all(
            f"(all) => all.slice(0, 2).map({STYLE})"
        )
        assert len({str(one) for one in colors}) == len(colors), f"tokens look alike on {path}: {colors}"


def test_icons_switches_and_bars_are_visible_in_forced_colours(make_desk):
    """Forced colours remove backgrounds, so shapes that Streamlit draws in theme colours would vanish."""
    desk = make_desk(forced_colors="active", color_scheme="dark")

    def expect_style(path, selector, name, value):
        found = desk.open(path).page.locator(selector).first
        expect(found).to_have_css(name, value)  # waits for the script that sets the scheme

    white, gradient = "rgb(255, 255, 255)", re.compile("gradient")
    expect_style("/?merges=5", ".vocabulary .dots", "forced-color-adjust", "none")
    expect_style("/compare", ".stMultiSelect [data-tag] path", "stroke", white)
    expect_style("/train", ".stCheckbox label:has([role=switch]) > div:first-of-type", "outline-style", "solid")
    expect_style("/train", ".stCheckbox label:has([role=switch]) > div > div", "background-color", white)
    expect_style("/languages", ".causes .density i", "background-image", gradient)
    expect_style("/languages?lens=mix", ".stSlider [role=group] > div > div:has(input)", "background-color", white)
    expect_style("/languages?lens=budget", ".windows i", "background-image", gradient)


def test_slider_of_the_years_moves_only_without_reduced_motion(desk):
    slider = desk.page.locator(".st-key-years [role=radiogroup]")
    for motion, duration in (("reduce", "0s"), ("no-preference", "0.3s")):
        desk.page.emulate_media(reduced_motion=motion)
        assert slider.evaluate("(one) => getComputedStyle(one, '::before').transitionDuration") == duration


def test_focused_element_has_an_outline_in_forced_colours(make_desk):
    page = make_desk(forced_colors="active", color_scheme="dark").open("/chat").page
    buttons = [page.get_by_role("button", name=name).first for name in ("Add a message", "Remove")]
    for one in (page.locator(".st-key-menu a").nth(1), *buttons):
        one.focus()
        page.keyboard.press("Shift")  # makes the focus visible
        expect(one).to_have_css("outline", re.compile("solid 2px"))


def test_keyboard_enters_a_group_at_the_chosen_option_and_leaves_it(desk):
    page = desk.open("/languages", lens="mix").page
    chosen, after = page.get_by_role("radio", name="Train on mixed languages"), page.get_by_role("slider").first
    desk.idle()
    after.focus()
    page.keyboard.press("Shift+Tab")
    expect(chosen).to_be_focused()
    page.keyboard.press("Tab")
    expect(after).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    expect(page.locator("[role=radiogroup] :focus")).to_have_count(0)
    page.keyboard.press("Tab")
    expect(chosen).to_be_focused()


def test_long_name_in_a_list_fades_out(make_desk):
    desk = make_desk(viewport=PHONE).open("/chat")
    template = desk.page.locator(".st-key-template input")
    assert template.evaluate("(box) => box.scrollWidth > box.clientWidth")
    expect(template).to_have_css("mask-image", re.compile("linear-gradient"))
    template.focus()
    expect(template).to_have_css("mask-image", "none")


def test_toolbar_of_a_table_covers_neither_its_head_nor_the_text_above_on_a_phone(make_desk):
    page = make_desk(viewport=PHONE, has_touch=True).open("/decode").page
    table, tools = page.get_by_test_id("stDataFrame"), page.get_by_test_id("stElementToolbar").first
    table.scroll_into_view_if_needed()
    tools.get_by_role("button", name="Search").focus()
    box = tools.bounding_box()
    assert box["y"] + box["height"] <= table.bounding_box()["y"] + 1
    text = page.get_by_text("Select a row to see why").bounding_box()
    assert text["y"] + text["height"] <= box["y"]


def test_chart_toolbar_is_visible_on_keyboard_focus(desk):
    page = desk.open("/languages").page
    tools = page.get_by_test_id("stElementToolbar").first
    expect(tools).to_have_css("opacity", "0")
    shown = tools.get_by_role("button", name="Show data")  # other buttons change while the chart is drawn
    shown.focus()
    page.keyboard.press("Shift")
    expect(tools).to_have_css("opacity", "1")
    expect(shown).to_have_css("outline", re.compile("solid 2px"))


def test_no_field_makes_ios_zoom_into_the_page(make_desk):
    """It does if the text of a field that gets the focus is smaller than 16 pixels."""
    desk = make_desk(viewport=PHONE, has_touch=True)
    for path in PAGES:
        desk.open(path).idle()
        assert desk.page.evaluate(SMALL_FIELDS) == [], path


def test_loupe_opens_steps_and_closes_by_touch(make_desk):
    desk = make_desk(viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce").open()
    desk.token(2).tap()
    desk.loaded_loupe()
    last = int(desk.loupe.get_attribute("data-depth"))
    desk.loupe.get_by_role("button", name="Back", exact=True).tap()
    expect(desk.loupe).to_have_attribute("data-depth", str(last - 1))
    desk.loupe.get_by_role("button", name="Close").tap()
    expect(desk.loupe).to_be_hidden()
