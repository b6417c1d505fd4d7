"""What the browser keeps where its storage is too small, full or blocked: all of it, or the page says what is lost."""

import json
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from e2e.desk import FIRST, Desk, forgive

TAB_STATE = "/ui/components/js/editor/tab-state.js"
OLDER = "an older text"
LARGE = "line ten!\n" * 499_000  # 4.99 MB; as JSON it has more characters than the storage of a tab has room for
MIXED = 'a "quoted" line\n' * 100_000 + "ที่ \ud83d يوم يوم é \u0000"  # of every width, odd bytes, half a pair
FILL = """(storage) => {
  let filler = '';
  for (let size = 2 ** 23; size; size >>= 1) {
    try {
      window[storage].setItem('another.app', filler + 'x'.repeat(size));
      filler += 'x'.repeat(size);
    } catch { /* too much */ }
  }
}"""
MAKE_ROOM = "sessionStorage.removeItem('another.app')"
REFUSE = """Object.assign(Storage.prototype, {
  setItem() { throw new DOMException('no room', 'QuotaExceededError'); },
}) && null"""
BLOCK = """for (const name of ['sessionStorage', 'localStorage']) {
  Object.defineProperty(window, name, { get() { throw new DOMException('blocked by a test', 'SecurityError'); } });
}"""


# ---- the desk of a tab, on a blank page


@pytest.fixture
def tab_desk(blank):
    """The blank page, with nothing kept."""
    blank.goto("http://modules.test/")
    blank.evaluate("sessionStorage.clear()")
    blank.reload()
    yield blank
    blank.evaluate("sessionStorage.clear()")


def keep(page: Page, **changes: str | dict) -> None:
    """Keeps texts on the desk, as an editor does with every key; they are saved after a pause, or as the page goes."""
    script = "async ([module, json]) => (await import(module)).keep(JSON.parse(json))"
    page.evaluate(script, [TAB_STATE, json.dumps(changes)])


def save(page: Page) -> list[str]:
    """Saves the desk at once; returns what is noted as lost."""
    script = "async (module) => { (await import(module)).save(); return [...tokenloupeUnkept.values()].flat(); }"
    return page.evaluate(script, TAB_STATE)


def reloaded(page: Page) -> dict:
    """What is on the desk after a reload."""
    page.reload()
    return json.loads(page.evaluate("async (module) => JSON.stringify((await import(module)).kept())", TAB_STATE))


@pytest.mark.parametrize("text", [LARGE, LARGE[:-1], MIXED, '"' * 2_600_000], ids=["large", "odd", "mixed", "escaped"])
def test_a_large_text_is_kept_over_a_reload_to_the_last_key(tab_desk, text):
    keep(tab_desk, text=OLDER)
    assert save(tab_desk) == []
    keep(tab_desk, text=text)
    assert save(tab_desk) == []
    assert reloaded(tab_desk)["text"] == text
    keep(tab_desk, text=text + "!")  # and a reload at once
    assert reloaded(tab_desk)["text"] == text + "!"


def test_two_large_texts_and_what_is_typed_elsewhere_have_room_side_by_side(tab_desk):
    tab_desk.evaluate("sessionStorage.setItem('tokenloupe.carried', 'x'.repeat(100_000))")
    keep(tab_desk, text=LARGE[:4_500_000], second=LARGE[:4_500_000])
    assert save(tab_desk) == []
    found = reloaded(tab_desk)
    assert [found["text"], found["second"]] == [LARGE[:4_500_000]] * 2
    assert tab_desk.evaluate("sessionStorage.getItem('tokenloupe.carried').length") == 100_000


def test_of_texts_without_room_for_all_the_first_one_is_kept_and_no_older_one_comes_back(tab_desk):
    keep(tab_desk, text=OLDER, second=OLDER, own=OLDER)
    save(tab_desk)
    keep(tab_desk, text="newer", second="x" * 11_000_000, own="own")
    assert save(tab_desk) == ["own", "second"]
    assert reloaded(tab_desk) | {"own": None, "second": None, "text": "newer"} == reloaded(tab_desk)
    keep(tab_desk, text="x" * 11_000_000, second="")
    assert save(tab_desk) == ["text"]
    assert reloaded(tab_desk)["text"] is None
    keep(tab_desk, text="short again")
    assert save(tab_desk) == []
    assert reloaded(tab_desk)["text"] == "short again"


def test_no_older_text_comes_back_where_nothing_can_be_written_any_more(tab_desk):
    keep(tab_desk, text=OLDER, scores={})
    assert save(tab_desk) == []
    tab_desk.evaluate(REFUSE)
    keep(tab_desk, text="newer")
    assert save(tab_desk) == ["text", "steps"]
    assert reloaded(tab_desk)["text"] is None


def test_the_text_takes_the_room_of_what_is_typed_elsewhere_and_says_so(tab_desk):
    tab_desk.evaluate("sessionStorage.setItem('tokenloupe.carried', 'x'.repeat(1_000))")
    tab_desk.evaluate(FILL, "sessionStorage")
    keep(tab_desk, text="fits there")
    assert save(tab_desk) == ["typed"]
    assert reloaded(tab_desk)["text"] == "fits there"


def test_what_was_kept_as_plain_json_before_is_read(tab_desk):
    tab_desk.evaluate(
        "(text) => sessionStorage.setItem('tokenloupe.desk', JSON.stringify({ text }))", LARGE[:2_000_000]
    )
    assert reloaded(tab_desk)["text"] == LARGE[:2_000_000]


# ---- the app


def unkept(page: Page) -> Locator:
    """The line that says what a reload loses."""
    return page.get_by_role("status").filter(has_text="so a reload loses")


def text_after_reload(desk: Desk) -> str:
    """Loads the page again; returns the text that then stands in the box."""
    desk.page.reload()
    desk.page.wait_for_function("window.tokenloupeDesk?.text")
    return desk.raw()


def test_a_text_of_nearly_5_mb_is_in_the_editor_after_a_reload(make_desk):
    desk = make_desk(alone=True).open()
    desk.write(OLDER)
    desk.expect_exact(OLDER)
    hide = "document.documentElement.style.display = 'none'"  # to lay out so many lines takes a browser long
    desk.page.evaluate(hide)
    desk.page.add_init_script(f"addEventListener('DOMContentLoaded', () => {{ {hide}; }})")
    desk.write(LARGE)
    desk.page.reload()
    desk.page.wait_for_function("window.tokenloupePast", polling=100)  # the editor has its text
    assert desk.page.evaluate("window.tokenloupeDesk.text") == LARGE


def test_in_a_full_storage_the_page_says_that_the_text_is_lost_and_offers_it_as_a_file(make_desk):
    desk = make_desk(alone=True).open()
    desk.expect_exact(FIRST)
    desk.write(OLDER)
    desk.expect_exact(OLDER)
    desk.page.wait_for_function("(older) => sessionStorage.getItem('tokenloupe.desk')?.includes(older)", arg=OLDER)
    desk.page.evaluate(FILL, "sessionStorage")
    place = desk.area.bounding_box()
    newer = "a newer text that takes more room\n" * 100
    desk.write(newer)
    expect(unkept(desk.page)).to_have_text(re.compile("has no room for this.*the text"))
    assert desk.area.bounding_box() == place
    assert OLDER not in desk.page.evaluate("JSON.stringify({ ...sessionStorage })")
    with desk.page.expect_download() as file:
        desk.button("Download the text").click()
    assert file.value.path().read_text("utf-8") == newer
    assert text_after_reload(desk) == FIRST
    desk.page.evaluate(MAKE_ROOM)
    desk.write(newer)
    expect(unkept(desk.page)).to_have_count(0)
    assert text_after_reload(desk) == newer


def test_the_line_can_be_closed_and_comes_back_with_the_next_loss(make_desk):
    desk = make_desk(alone=True).open()
    desk.page.evaluate(FILL, "sessionStorage")
    desk.write(text := "x " * 2_000)
    expect(unkept(desk.page)).to_have_count(1)
    desk.page.locator(".unkept").get_by_role("button", name="Close").click()
    expect(unkept(desk.page)).to_have_count(0)
    desk.page.evaluate(MAKE_ROOM)
    desk.write(text + "!")
    desk.page.wait_for_function("sessionStorage.getItem('tokenloupe.desk')?.includes('!')")
    desk.page.evaluate(FILL, "sessionStorage")
    desk.write(text + text)
    expect(unkept(desk.page)).to_have_count(1)


def test_pages_work_and_carry_the_text_where_storage_is_blocked(make_desk):
    desk = make_desk(alone=True)
    desk.page.add_init_script(BLOCK)
    desk.open()
    desk.write("mine")
    desk.expect_exact("mine")
    expect(unkept(desk.page)).to_have_text(re.compile("blocks storage.*the text"))
    desk.turn_to("Why this split")
    expect(desk.page.get_by_role("textbox", name="Text", exact=True)).to_have_value("mine")
    desk.turn_to("Lessons")
    desk.idle()
    desk.turn_to("Playground")
    desk.expect_exact("mine")
    assert text_after_reload(desk) == FIRST


def test_a_chosen_theme_is_used_where_it_cannot_be_kept(make_desk):
    desk = make_desk(alone=True).open()
    theme, app = desk.page.get_by_role("combobox", name="Theme"), desk.page.locator(".stApp")
    try:
        theme.select_option("dark")
        expect(app).to_have_css("color-scheme", "dark")
        desk.page.evaluate(FILL, "localStorage")
        theme.select_option("light")  # one letter more
        expect(app).to_have_css("color-scheme", "light")
        expect(unkept(desk.page)).to_contain_text("the theme")
    finally:
        desk.page.evaluate("localStorage.clear()")


def test_two_tabs_keep_each_its_own_large_text(make_desk):
    desk = make_desk(alone=True).open()
    first = "line one!\n" * 5_000
    desk.write(first)
    desk.page.wait_for_function("sessionStorage.getItem('tokenloupe.desk')?.length > 25_000")
    with desk.page.expect_popup() as opened:
        desk.page.evaluate("void open(location.href)")  # a tab that begins with a copy of what this one keeps
    other = Desk(opened.value, desk.server)
    expect(other.area).to_have_value(first)
    other.write(second := "line two!\n" * 4_000)
    assert text_after_reload(other) == second
    assert text_after_reload(desk) == first
    other.page.close()


def test_a_phone_in_a_class_says_that_it_cannot_keep_the_answers(make_desk):
    desk = make_desk(alone=True)
    desk.page.goto(f"{desk.server.url}/class/KKKKKK")
    desk.page.evaluate(
        "localStorage.setItem('tokenloupe.class', JSON.stringify({ code: 'KKKKKK', guesses: { a: 1 } }))"
    )
    says = desk.page.get_by_text("This browser keeps nothing for this page")
    expect(says).to_be_hidden()
    desk.page.add_init_script(REFUSE)
    desk.page.reload()
    expect(says).to_be_visible()
    assert desk.page.evaluate("localStorage.getItem('tokenloupe.class')") is None
    forgive(desk.page, "404")  # there is no such class
