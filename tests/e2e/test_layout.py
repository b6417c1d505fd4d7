"""The layout: nothing jumps, panes fit their text, and the loupe, the chip and the ends of lines cover nothing."""

import re

import pytest
from playwright.sync_api import expect

from e2e.desk import DESKTOP, PHONE
from e2e.shifts import record_shifts, shifts

MAX_SHIFT = 0.05  # the sum of a load or of a turn
LINES = "(box) => (box.clientHeight - 16) / parseFloat(getComputedStyle(box).lineHeight)"
WRAPPED = "word " * 40  # its lines end between two words


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_content_does_not_jump_on_load_and_on_a_turn(make_desk, size):
    desk = make_desk(viewport=size, alone=True)
    desk.open()  # a server that has just started is slow
    record_shifts(desk.page)
    desk.open()
    found = shifts(desk.page, "/")
    assert sum(one["value"] for one in found) < MAX_SHIFT, found
    desk.page.locator(".st-key-menu a").filter(has_text="Compare").evaluate("(link) => link.click()")
    found = shifts(desk.page, "/compare")
    assert sum(one["value"] for one in found) < MAX_SHIFT, found


def test_press_during_a_turn_is_not_lost(make_desk):
    desk = make_desk().open()
    first, second = (desk.link_to(name).bounding_box() for name in ("Compare", "Languages"))
    for one in (first, second):
        desk.page.mouse.click(one["x"] + 20, one["y"] + 10)
    desk.page.locator("html[data-page=languages]").wait_for(state="attached")
    expect(desk.page).to_have_url(re.compile("/languages$"))


def test_panes_are_as_tall_as_their_text_up_to_fourteen_lines(desk):
    desk.page.set_viewport_size({"width": 1280, "height": 1200})
    frame = desk.page.locator(".frame")
    for lines, shown in ((1, 4), (4, 4), (7, 7), (14, 14), (40, 14)):
        text = "\n".join(["one"] * lines)
        desk.write(text)
        desk.expect_counts(text)
        assert round(desk.area.evaluate(LINES)) == shown
        assert desk.area.bounding_box()["height"] == pytest.approx(frame.bounding_box()["height"], abs=1)
    desk.page.set_viewport_size(DESKTOP)
    desk.write("some words\n" * 1000)
    desk.expect_counts("some words\n" * 1000)
    area, height = desk.area.bounding_box(), frame.bounding_box()["height"]
    assert area["height"] == pytest.approx(height, abs=1)
    assert area["y"] + area["height"] < DESKTOP["height"]


def test_loupe_docks_beside_the_tokens_of_a_wide_window_and_covers_no_line_of_its_token(desk):
    desk.page.emulate_media(reduced_motion="reduce")
    text = "word " * 400
    desk.write(text)
    desk.expect_counts(text)
    tokens = desk.view.locator("[data-k]")
    for width, height in ((1000, 800), (1100, 900), (1280, 800), (1920, 1080)):
        desk.page.set_viewport_size({"width": width, "height": height})
        desk.page.get_by_test_id("stMain").evaluate("(main) => main.scrollTo(0, 0)")
        before = desk.view.bounding_box()
        for number in (1, 40, 70, 390):
            token = tokens.nth(number)
            token.click()
            desk.loaded_loupe()
            line, lens, view = (one.bounding_box() for one in (token, desk.loupe, desk.view))
            is_beside = lens["x"] >= view["x"] + view["width"]
            assert is_beside == (width > 1000)
            assert is_beside or lens["y"] >= line["y"] + line["height"] or lens["y"] + lens["height"] <= line["y"]
            assert lens["y"] >= 0 and lens["y"] + lens["height"] <= height
            assert lens["x"] >= 0 and lens["x"] + lens["width"] <= width
            if is_beside:
                ids = desk.ids.bounding_box()
                assert lens["y"] >= ids["y"] + ids["height"]
                assert number > 1 or view == before  # for later tokens it may scroll
            desk.page.keyboard.press("Escape")
            expect(desk.loupe).to_be_hidden()


def test_loupe_leaves_the_dock_in_a_narrow_window_and_returns(desk):
    desk.page.emulate_media(reduced_motion="reduce")
    desk.open_loupe(2)
    docked = desk.loupe.bounding_box()
    desk.page.set_viewport_size({"width": 1000, "height": 800})
    desk.page.wait_for_function("(loupe) => loupe.matches(':popover-open')", arg=desk.loupe.element_handle())
    token = desk.token(2).bounding_box()
    assert desk.loupe.bounding_box()["y"] >= token["y"] + token["height"]
    desk.page.set_viewport_size(DESKTOP)
    desk.page.wait_for_function("(loupe) => !loupe.matches(':popover-open')", arg=desk.loupe.element_handle())
    assert desk.loupe.bounding_box() == docked


def test_loupe_docks_beside_three_columns_of_a_comparison(make_desk):
    desk = make_desk(reduced_motion="reduce", viewport={"width": 1280, "height": 900}).open("/compare")
    columns, views = desk.page.locator(".columns"), desk.page.locator(".column .tokens")
    expect(desk.page.locator(".column .tokens:not([data-stale])[data-tokens]")).to_have_count(3)
    expect(views.last.locator("[data-k]").first).to_be_visible()
    for width in (1100, 1280, 1920):
        desk.page.set_viewport_size({"width": width, "height": 900})
        before = columns.bounding_box()
        for view in (views.first, views.last):
            view.locator("[data-k]").nth(2).click()
            loupe = desk.loaded_loupe().bounding_box()
            assert columns.bounding_box() == before
            assert loupe["x"] >= before["x"] + before["width"] and loupe["x"] + loupe["width"] <= width
            expect(desk.loupe.locator(".head")).to_be_in_viewport(ratio=1)
            desk.page.keyboard.press("Escape")
            expect(desk.loupe).to_be_hidden()


def test_loupe_covers_no_line_of_a_token_of_four_columns(make_desk):
    desk = make_desk(reduced_motion="reduce")
    desk.open("/compare", encodings="gpt2,cl100k_base,o200k_base,p50k_base")
    for size in (DESKTOP, PHONE):
        desk.page.set_viewport_size(size)
        for column in (0, 3):
            token = desk.page.locator(".column .tokens").nth(column).locator("[data-k]").nth(12)
            token.click()
            desk.loaded_loupe()
            line, loupe = token.bounding_box(), desk.loupe.bounding_box()
            assert loupe["y"] >= line["y"] + line["height"] or loupe["y"] + loupe["height"] <= line["y"]
            desk.page.keyboard.press("Escape")
            expect(desk.loupe).to_be_hidden()


def test_loupe_is_below_two_texts_with_their_tokens(make_desk):
    desk = make_desk(reduced_motion="reduce").open("/compare", way="texts")
    view = desk.page.locator(".tokens").first
    for width in (1024, 1280):
        desk.page.set_viewport_size({"width": width, "height": 800})
        view.locator("[data-k]").nth(12).click()
        loupe, tokens = desk.loaded_loupe().bounding_box(), view.bounding_box()
        assert tokens["y"] + tokens["height"] <= loupe["y"] and loupe["y"] + loupe["height"] <= 800
        assert tokens["y"] >= 56  # not under the bar
        desk.page.keyboard.press("Escape")
        expect(desk.loupe).to_be_hidden()


def test_cut_panels_fade_at_their_cut_edge(desk):
    fades, whole = re.compile("linear-gradient"), "none"
    panel = desk.open("/languages").page.locator(".st-key-languages_detail")
    expect(panel).to_have_css("mask-image", fades)
    panel.evaluate("(panel) => { panel.scrollTop = panel.scrollHeight; }")
    expect(panel).to_have_css("mask-image", whole)
    strip = desk.open("/decode", ids=" ".join(["9906"] * 900)).view
    expect(strip).to_have_css("mask-image", fades)
    strip.evaluate("(strip) => { strip.scrollTop = strip.scrollHeight; }")
    expect(strip).to_have_css("mask-image", whole)


STUBS = """(view) => Array.from(view.querySelectorAll('.t:has(.w)'), (token) => {
  const [first, second] = token.getClientRects(), space = token.querySelector('.w');
  const isLeft = second !== undefined && Math.abs(first.width - space.getBoundingClientRect().width) < 1;
  return [isLeft, getComputedStyle(space).backgroundColor !== 'rgba(0, 0, 0, 0)'];
})"""


def test_space_at_the_end_of_a_line_has_no_color(desk):
    desk.write(WRAPPED)
    desk.expect_exact(WRAPPED)
    for width in (1280, 1000):
        desk.page.set_viewport_size({"width": width, "height": 800})
        desk.page.wait_for_function(
            f"(view) => {{ const found = ({STUBS})(view); "
            "return found.some(([isLeft]) => isLeft) && found.every(([isLeft, isHidden]) => isLeft === isHidden); }",
            arg=desk.view.element_handle(),
        )
