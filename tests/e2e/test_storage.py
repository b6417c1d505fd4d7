"""Storage that is too small, full or blocked: the tab keeps everything, or says what a reload loses."""

import json
import re

import pytest
from playwright.sync_api import Locator, Page, expect
from waiting import awaited

from e2e.desk import FIRST, Desk, ignore_errors

TAB_STATE = "/web/js/editor/tab-state.js"
TAB_RECORD = "/ui/session/sync/js/tab-record.js"
CLASS = "/ui/session/sync/js/class.js"
STORAGE = "/web/js/dom/storage.js"
OLDER = "an older text"
LONG_TEXT = "line ten!\n" * 499_000  # 4.99 MB; its JSON exceeds the quota of a tab's storage
MIXED = 'a "quoted" line\n' * 100_000 + "ที่ \ud83d يوم يوم é \u0000"  # all UTF-8 widths, NUL, a lone surrogate
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


# ---- a tab's stored state, on a blank page


@pytest.fixture
def tab_desk(blank):
    """The blank page, with empty storage."""
    blank.goto("http://modules.test/")
    blank.evaluate("sessionStorage.clear()")
    blank.reload()
    yield blank
    blank.evaluate("sessionStorage.clear()")


def keep(page: Page, **changes: str | dict) -> None:
    """Changes the tab's state as an editor does at each key; it is saved after a pause or on unload."""
    script = "async ([module, json]) => (await import(module)).updateTab(JSON.parse(json))"
    awaited(page, script, [TAB_STATE, json.dumps(changes)], what="a change of the tab's state")


def save(page: Page) -> list[str]:
    """Saves the state at once; returns what could not be saved."""
    script = """async ([state, storage]) => {
      (await import(state)).saveTab();
      return [...(await import(storage)).allLosses()];
    }"""
    return awaited(page, script, [TAB_STATE, STORAGE], what="what could not be saved")


def reloaded(page: Page) -> dict:
    """Reloads; returns the restored state."""
    page.reload()
    script = "async (module) => JSON.stringify((await import(module)).tabState())"
    return json.loads(awaited(page, script, TAB_STATE, what="the tab's state"))


@pytest.mark.parametrize("text", [LONG_TEXT[:-1], MIXED, '"' * 2_600_000], ids=["odd", "mixed", "escaped"])
def test_large_text_survives_a_reload_to_the_last_key(tab_desk, text):
    keep(tab_desk, text=OLDER)
    assert save(tab_desk) == []
    keep(tab_desk, text=text)
    assert save(tab_desk) == []
    assert reloaded(tab_desk)["text"] == text
    keep(tab_desk, text=text + "!")  # followed by a reload at once
    assert reloaded(tab_desk)["text"] == text + "!"


def test_two_large_texts_and_other_typed_values_fit(tab_desk):
    tab_desk.evaluate("sessionStorage.setItem('tokenloupe.tab', 'x'.repeat(100_000))")
    keep(tab_desk, text=LONG_TEXT[:4_500_000], second=LONG_TEXT[:4_500_000])
    assert save(tab_desk) == []
    found = reloaded(tab_desk)
    assert [found["text"], found["second"]] == [LONG_TEXT[:4_500_000]] * 2
    assert tab_desk.evaluate("sessionStorage.getItem('tokenloupe.tab').length") == 100_000


def test_first_text_is_kept_where_not_all_fit_and_older_ones_do_not_return(tab_desk):
    keep(tab_desk, text=OLDER, second=OLDER, own=OLDER)
    save(tab_desk)
    keep(tab_desk, text="newer", second="x" * 11_000_000, own="own")
    assert save(tab_desk) == ["own", "second"]
    found = reloaded(tab_desk)
    assert found | {"own": None, "second": None, "text": "newer"} == found
    keep(tab_desk, text="x" * 11_000_000, second="")
    assert save(tab_desk) == ["text"]
    assert reloaded(tab_desk)["text"] is None
    keep(tab_desk, text="short again")
    assert save(tab_desk) == []
    assert reloaded(tab_desk)["text"] == "short again"


def test_older_text_does_not_return_where_writing_fails(tab_desk):
    keep(tab_desk, text=OLDER, scores={})
    assert save(tab_desk) == []
    tab_desk.evaluate(REFUSE)
    keep(tab_desk, text="newer")
    assert save(tab_desk) == ["text", "steps"]
    assert reloaded(tab_desk)["text"] is None


def test_text_replaces_other_typed_values_in_a_full_storage_and_shows_so(tab_desk):
    typed = {"page": "chat", "asked": {}, "typed": {"box": "x" * 1_000}, "unseen": {}, "unkept": [], "made": []}
    script = "async ([module, page]) => (await import(module)).storeSnapshot('visitor', page)"
    awaited(tab_desk, script, [TAB_RECORD, typed], what="a snapshot to be stored")
    tab_desk.evaluate(FILL, "sessionStorage")
    keep(tab_desk, text="fits there")
    assert save(tab_desk) == ["typed"]
    assert reloaded(tab_desk)["text"] == "fits there"


def test_plain_json_of_earlier_releases_is_read(tab_desk):
    tab_desk.evaluate(
        "(text) => sessionStorage.setItem('tokenloupe.desk', JSON.stringify({ text }))", LONG_TEXT[:2_000_000]
    )
    assert reloaded(tab_desk)["text"] == LONG_TEXT[:2_000_000]


def test_values_under_the_keys_of_earlier_versions_are_kept(tab_desk):
    tab_desk.evaluate("""() => {
      const tab = {
        carried: { visitor: 'v', asked: { lens: 'own' }, typed: { chat: { box: 'typed' } } },
        recipes: { 'trained-1': {} }, made: { visitor: 'v', made: ['trained-1'] },
      };
      for (const [key, value] of Object.entries(tab)) sessionStorage[`tokenloupe.${key}`] = JSON.stringify(value);
      const browser = { theme: 'dark', teacher: '{"code":"KKKKK"}', lessons: '["bpe_first"]' };
      for (const [key, value] of Object.entries(browser)) localStorage[`tokenloupe.${key}`] = value;
    }""")
    tab = awaited(tab_desk, "async (module) => (await import(module)).tabRecord()", TAB_RECORD, what="the tab's record")
    assert (tab["visitor"], tab["asked"], tab["typed"]) == ("v", {"lens": "own"}, {"chat": {"box": "typed"}})
    assert (tab["recipes"], tab["own"]) == ({"trained-1": {}}, {"visitor": "v", "keys": ["trained-1"]})
    script = """async (module) => {
      const { browserRecord, storeInBrowser } = await import(module), before = browserRecord();
      storeInBrowser('theme', 'light');
      const found = [before, browserRecord(), Object.keys(localStorage)];
      localStorage.clear();
      return found;
    }"""
    before, after, keys = awaited(tab_desk, script, STORAGE, what="the browser's record")
    assert before == {"theme": "dark", "class": {"code": "KKKKK"}, "lessons": ["bpe_first"]}
    assert after == before | {"theme": "light"} and keys == ["tokenloupe.browser"]


def test_each_value_of_the_browser_that_is_not_kept_is_noted(tab_desk):
    script = """async (module) => {
      const { allLosses, storeInBrowser } = await import(module), { setItem } = Storage.prototype, found = [];
      for (const name of ['theme', 'class', 'lessons']) storeInBrowser(name, name);
      Storage.prototype.setItem = () => { throw new DOMException('no room', 'QuotaExceededError'); };
      storeInBrowser('lessons', 'more', 'lessons');
      found.push([...allLosses()].sort());
      Storage.prototype.setItem = setItem;
      for (const name of ['theme', 'class']) storeInBrowser(name, name);
      found.push([...allLosses()]);
      storeInBrowser('lessons', 'more');
      found.push([...allLosses()]);
      localStorage.clear();
      return found;
    }"""
    assert awaited(tab_desk, script, STORAGE, what="the losses") == [["class", "lessons", "theme"], ["lessons"], []]


def test_end_of_a_class_erases_that_class_only(tab_desk):
    script = """async ([own, storage]) => {
      const { syncClass } = await import(own), { browserRecord } = await import(storage), found = [];
      for (const given of [{ open: { secret: 'newer' } }, { ended: 'older' }, { ended: 'newer' }]) {
        syncClass(given, 'visitor');
        found.push(browserRecord().class?.secret ?? null);
      }
      localStorage.clear();
      return found;
    }"""
    assert awaited(tab_desk, script, [CLASS, STORAGE], what="the class's record") == ["newer", "newer", None]


@pytest.mark.parametrize(("status", "posts"), [(200, 1), (400, 1), (429, 1), (503, 3)])
def test_stored_class_is_posted_until_the_server_accepts_or_refuses_it(tab_desk, status, posts):
    posted = []

    def answer(route) -> None:
        posted.append(route.request.post_data_json)
        route.fulfill(status=status, body="{}")

    tab_desk.route("**/class/open", answer)
    script = """async ([own, storage]) => {
      const { syncClass } = await import(own), { storeInBrowser } = await import(storage);
      storeInBrowser('class', { secret: 'mine' });
      const { fetch } = window;
      let answered;
      window.fetch = (...given) => (answered = fetch(...given));
      for (let run = 0; run < 3; run++) {
        syncClass(undefined, 'visitor', '/class');
        await answered;
        await new Promise((done) => setTimeout(done));
      }
      window.fetch = fetch;
      localStorage.clear();
    }"""
    awaited(tab_desk, script, [CLASS, STORAGE], what="three attempts to open the class")
    tab_desk.unroute("**/class/open", answer)
    assert posted == [{"secret": "mine"}] * posts


@pytest.mark.parametrize(
    "damaged", ["5", '"text"', "[]", '{"own": null, "typed": null}', '{"typed": {"chat": 7}, "own": []}']
)
def test_damaged_record_of_a_tab_counts_as_empty(tab_desk, damaged):
    tab_desk.evaluate("(json) => { sessionStorage['tokenloupe.tab'] = json; }", damaged)
    tab = awaited(tab_desk, "async (module) => (await import(module)).tabRecord()", TAB_RECORD, what="the tab's record")
    empty = {"visitor": None, "keys": []}
    pages = {"asked": {}, "typed": {}, "replaced": {}}
    assert tab == pages | {"visitor": None, "at": None, "before": None, "recipes": {}, "own": empty}


def test_values_that_a_link_replaced_return_at_their_place_and_are_newer_nowhere_else(tab_desk):
    script = """async (module) => {
      const { moveValues, storeSnapshot, tabRecord } = await import(module), { href } = location, found = [];
      const page = { page: 'chat', asked: {}, unseen: {}, unkept: [], made: [] };
      const open = (place) => { history.replaceState(null, '', place); };
      const note = () => { found.push([tabRecord().typed.chat.box, tabRecord().replaced.chat?.box]); };
      open('?mine');
      await storeSnapshot('v', { ...page, typed: { box: 'older' } });
      open('?linked');
      moveValues('chat', ['box'], false);
      note();
      open('?mine');
      moveValues('other', [], true);
      note();
      open('?linked');
      moveValues('chat', ['box'], true);
      note();
      open('?mine'); // by choices on the page
      await storeSnapshot('v', { ...page, typed: { box: 'newer' } });
      note();
      open(href);
      return found;
    }"""
    found = awaited(tab_desk, script, TAB_RECORD, what="four places")
    assert found == [[None, "older"], ["older", None], [None, "older"], ["newer", None]]


# ---- the app


def leave_and_come_back(desk: Desk, meanwhile: str = "") -> None:
    """Sends the events of a document that the back/forward cache keeps, and then an edit; another document of the tab
    runs between."""
    desk.area.evaluate(f"""(area) => {{
      window.isCached = true;
      dispatchEvent(new PageTransitionEvent('pagehide', {{ persisted: true }}));
      {meanwhile};
      dispatchEvent(new PageTransitionEvent('pageshow', {{ persisted: true }}));
      area.value = 'a late edit';
      area.dispatchEvent(new Event('input', {{ bubbles: true }}));
    }}""")


def test_document_from_the_back_forward_cache_loads_newer_values(make_desk):
    desk = make_desk(alone=True).open()
    desk.write(OLDER)
    desk.expect_exact(OLDER)
    leave_and_come_back(desk)
    desk.expect_exact("a late edit")
    assert desk.page.evaluate("window.isCached")  # nothing was newer
    leave_and_come_back(
        desk,
        """const stored = JSON.parse(sessionStorage.getItem('tokenloupe.desk'));
        sessionStorage.setItem('tokenloupe.desk', JSON.stringify({ ...stored, text: 'newer', document: 'another' }))""",
    )
    desk.page.wait_for_function("!window.isCached")
    desk.wait_until_drawn()
    desk.expect_exact("newer")


def unkept(page: Page) -> Locator:
    """The notice about what a reload loses."""
    return page.get_by_role("status").filter(has_text="so a reload loses")


def text_after_reload(desk: Desk) -> str:
    """Reloads the page; returns the text in the editor."""
    desk.page.reload()
    expect(desk.area).not_to_have_value("")
    return desk.text_in_editor()


def test_full_storage_shows_a_notice_until_there_is_room_or_it_is_closed_and_offers_the_text_as_a_file(make_desk):
    desk = make_desk(alone=True).open()
    desk.expect_exact(FIRST)
    desk.write(OLDER)
    desk.expect_exact(OLDER)
    is_stored = "(text) => sessionStorage.getItem('tokenloupe.desk')?.includes(text)"
    desk.page.wait_for_function(is_stored, arg=OLDER)
    desk.page.evaluate(FILL, "sessionStorage")
    top = desk.area.bounding_box()["y"]
    newer = "a newer text that takes more room\n" * 100
    desk.write(newer)
    expect(unkept(desk.page)).to_have_text(re.compile("storage is full.*the text"))
    assert desk.area.bounding_box()["y"] == top  # the notice moves nothing
    assert OLDER not in desk.page.evaluate("JSON.stringify({ ...sessionStorage })")
    with desk.page.expect_download() as file:
        desk.button("Download the text").click()
    assert file.value.path().read_text("utf-8") == newer
    desk.page.locator(".unkept").get_by_role("button", name="Close").click()
    expect(unkept(desk.page)).to_have_count(0)
    desk.page.evaluate(MAKE_ROOM)
    desk.write(f"{newer}!")
    desk.page.wait_for_function(is_stored, arg="!")
    desk.page.evaluate(FILL, "sessionStorage")
    desk.write(newer + newer)
    expect(unkept(desk.page)).to_have_count(1)  # the next loss
    assert text_after_reload(desk) == FIRST
    desk.page.evaluate(MAKE_ROOM)
    desk.write(newer)
    expect(unkept(desk.page)).to_have_count(0)
    assert text_after_reload(desk) == newer


def test_pages_work_where_storage_is_blocked(make_desk):
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


def test_theme_is_applied_where_it_cannot_be_stored(make_desk):
    desk = make_desk(alone=True).open()
    theme, app = desk.setting("Theme"), desk.page.locator(".stApp")
    try:
        theme.select_option("dark")
        expect(app).to_have_css("color-scheme", "dark")
        desk.page.evaluate(FILL, "localStorage")
        theme.select_option("light")  # one letter longer
        expect(app).to_have_css("color-scheme", "light")
        expect(unkept(desk.page)).to_contain_text("the theme")
    finally:
        desk.page.evaluate("localStorage.clear()")


def test_two_tabs_keep_their_own_large_texts(make_desk):
    desk = make_desk(alone=True).open()
    first = "line one!\n" * 5_000
    desk.write(first)
    desk.page.wait_for_function("sessionStorage.getItem('tokenloupe.desk')?.length > 25_000")
    with desk.page.expect_popup() as opened:
        desk.page.evaluate("void open(location.href)")  # a tab that starts with a copy of this one's storage
    other = Desk(opened.value, desk.server)
    expect(other.area).to_have_value(first)
    other.write(second := "line two!\n" * 4_000)
    assert text_after_reload(other) == second
    assert text_after_reload(desk) == first
    other.page.close()


def test_phone_in_a_class_shows_that_it_cannot_store_answers(make_desk):
    desk = make_desk(alone=True)
    desk.page.goto(f"{desk.server.url}/class/KKKKKK")
    desk.page.evaluate(
        "localStorage.setItem('tokenloupe.class', JSON.stringify({ code: 'KKKKKK', guesses: { a: 1 } }))"
    )
    notice = desk.page.get_by_text("This browser stores nothing for this page")
    expect(notice).to_be_hidden()
    desk.page.add_init_script(REFUSE)
    desk.page.reload()
    expect(notice).to_be_visible()
    assert desk.page.evaluate("localStorage.getItem('tokenloupe.class')") is None
    ignore_errors(desk.page, "404")  # there is no such class
