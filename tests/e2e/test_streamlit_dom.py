"""The selectors in web/js/streamlit/streamlit-dom.js find Streamlit's elements."""

from base64 import b64encode
from tempfile import NamedTemporaryFile

import pytest
from paths import ROOT
from playwright.sync_api import expect
from waiting import awaited

from e2e.desk import PHONE, HeldMessages, Tab, ignore_errors

MODULE = b64encode((ROOT / "web/js/streamlit/streamlit-dom.js").read_bytes()).decode()
CALL = f"""([does, given]) => import('data:text/javascript;base64,{MODULE}')
  .then((dom) => new Function('dom', 'given', `return (${{does}})`)(dom, given))"""


def call(tab: Tab, does: str, given: object = None):
    """Evaluates an expression over `dom`, the module, in the page."""
    return awaited(tab.page, CALL, [does, given], what=does)


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/", ["MAIN", "CONNECTED", "ENGLISH_TEXTS", "PAGE_LINKS"]),
        ("/train", ["TEXT_INPUTS", "PRESSABLE"]),
        ("/hood", ["CODE"]),
        ("/compare", ["PRESSABLE", "COMBOBOXES", "RADIO_GROUP", "RADIO", "CHOSEN_RADIO"]),
    ],
)
def test_selectors_find_elements_on_their_pages(make_desk, path, names):
    tab = make_desk(Tab)
    tab.visit(path, **{"/train": {"corpus": "own"}, "/hood": {"view": "list"}}.get(path, {}))
    tab.wait_for_bar()
    for name in names:
        expect(tab.page.locator(call(tab, f"dom.{name}")).first).to_be_attached()


def search_without_result(tab: Tab) -> None:
    tab.visit("/compare")
    tab.wait_for_bar()
    tab.page.get_by_role("combobox").first.press_sequentially("no such model")


def open_upload_popover(tab: Tab) -> None:
    tab.visit("/")
    tab.wait_for_bar()
    tab.open_upload_popover()


def upload_too_large_a_file(tab: Tab) -> None:
    open_upload_popover(tab)
    with NamedTemporaryFile(suffix=".txt") as file:  # bytes given here would go to the browser as base64, which is slow
        file.truncate(41 * 2**20)
        tab.page.locator("input[type=file]").first.set_input_files(file.name)
        expect(tab.page.locator(".stFileUploader [role=alert]")).to_be_attached()


def show_help(tab: Tab) -> None:
    tab.visit("/train", corpus="own")
    tab.page.get_by_test_id("stTooltipIcon").first.hover()


@pytest.mark.parametrize(
    ("state", "parts"),
    [
        (lambda tab: tab.visit("/"), ["[data-testid=stSkipToContent]"]),
        (search_without_result, ["[role=listbox] [role=option] > span"]),
        (
            open_upload_popover,
            ["[data-testid=stFileUploaderDropzone] button p", "[data-testid=stFileUploaderDropzoneInstructions] span"],
        ),
        (upload_too_large_a_file, [".stFileUploader [role=alert]"]),
        (show_help, ["[data-testid=stTooltipContent] p"]),
        (lambda tab: tab.visit("/nowhere"), [".stDialog :is(h2, div)"]),
    ],
)
def test_each_english_text_is_found(make_desk, state, parts):
    tab = make_desk(Tab, alone=True)
    state(tab)
    for part in parts:
        expect(tab.page.locator(part).first).to_be_attached()
        assert part in call(tab, "dom.ENGLISH_TEXTS")
    ignore_errors(tab.page, "does not seem to exist")


def test_instructions_of_an_input_are_found(make_desk):
    tab, part = make_desk(Tab), "[data-testid=InputInstructions] span"
    tab.visit("/train", corpus="own")
    tab.wait_for_bar()
    tab.idle()
    assert part in call(tab, "dom.ENGLISH_TEXTS")
    seen = tab.page.evaluate_handle(  # they are there until the text is sent, which may be soon
        """(part) => {
          const seen = [];
          new MutationObserver(() => seen.push(document.querySelector(part) !== null))
            .observe(document, { subtree: true, childList: true });
          return seen;
        }""",
        part,
    )
    tab.page.get_by_label("My own text").fill("five!")
    tab.page.wait_for_function("(seen) => seen.includes(true)", arg=seen)


def test_busy_matches_during_a_run_only(make_desk):
    """The run's messages are held, since the page may draw all that arrive together at once."""
    tab = make_desk(Tab, alone=True)
    held = HeldMessages(tab.page)
    tab.visit("/languages")
    busy = tab.page.locator(call(tab, "dom.BUSY"))
    busy.wait_for(state="detached")
    held.is_on = True
    tab.follow("Compare")
    held.wait_until_complete()
    while not busy.count():  # an early message says that the run begins
        assert held.waiting
        held.release(1)
        tab.page.wait_for_timeout(50)
    held.stop()
    busy.wait_for(state="detached")
    tab.page.wait_for_function("(selector) => !document.querySelector(selector)", arg=call(tab, "dom.NOT_DRAWN"))


def test_shadow_roots_of_components_are_found(make_desk):
    tab = make_desk(Tab)
    tab.visit("/")
    tab.wait_for_bar()
    assert call(tab, "dom.componentRoots().filter((one) => one.querySelector('.desk')).length") > 0


def test_history_entries_of_streamlit_are_intercepted(make_desk):
    tab = make_desk(Tab, alone=True)
    tab.visit("/")
    tab.wait_for_bar()
    call(tab, "dom.interceptHistory((url, { push }) => { window.entries = [url]; push(); })")
    tab.turn_to("Compare")
    assert "compare" in tab.page.evaluate("String(window.entries)")


def test_phone_menu_is_found_while_it_is_open(make_desk):
    tab = make_desk(Tab, viewport=PHONE)
    tab.visit("/")
    tab.wait_for_bar()
    assert not call(tab, "document.querySelector(dom.OPEN_MENU)")
    tab.button("More").click()
    expect(tab.page.locator(call(tab, "dom.OPEN_MENU"))).to_be_visible()
    expect(tab.page.locator(call(tab, "dom.MENU_ITEMS"))).to_have_count(11)
    assert call(tab, "document.querySelector(dom.MENU_ITEMS).closest(dom.OVERLAYS) !== null")


def test_form_is_found(make_desk):
    tab = make_desk(Tab)
    tab.visit("/learn")  # its first step asks for a number
    expect(tab.page.locator(call(tab, "dom.FORM"))).to_be_visible()


def test_drop_zone_and_its_input_are_found(make_desk):
    tab = make_desk(Tab)
    tab.visit("/")
    tab.wait_for_bar()
    tab.open_upload_popover()
    zone = call(tab, "dom.DROP_ZONES").replace("presentation", "group")  # streamlit-inputs.js sets that role
    expect(tab.page.locator(zone).first).to_be_visible()
    expect(tab.page.locator(call(tab, "dom.FILE_INPUT"))).to_be_attached()


def test_key_class_and_colour_scheme_are_read(make_desk):
    tab = make_desk(Tab)
    tab.visit("/")
    tab.wait_for_bar()
    assert call(tab, "dom.keyClass(document.querySelector('.st-key-menu a'))") == "st-key-menu"
    tab.page.emulate_media(color_scheme="dark")
    tab.page.wait_for_function("getComputedStyle(document.querySelector('[data-testid=stApp]')).colorScheme === 'dark'")
    assert call(tab, "dom.appStyle().colorScheme") == "dark" and call(tab, "dom.isConnected()")


def test_connection_dialog_is_found(make_desk):
    tab = make_desk(Tab, alone=True)
    tab.visit("/languages")
    tab.wait_for_bar()
    script = """given.map((title) => {
      const dialog = document.createElement('div');
      dialog.className = dom.DIALOG.slice(1);
      dialog.innerHTML = `<button></button><div role="dialog"><button class="closes"></button><h2>${title}</h2></div>`;
      document.body.append(dialog);
      const found = dom.connectionDialog();
      dialog.remove();
      return found?.close.className ?? null;
    })"""
    assert call(tab, script, ["Another", "Connection error"]) == [None, "closes"]


def test_set_input_value_sets_a_value_that_react_accepts(make_desk):
    tab = make_desk(Tab)
    tab.visit("/train", corpus="own")
    area = tab.page.get_by_label("My own text")
    expect(area).to_be_visible()
    call(
        tab,
        """(() => {
          const box = document.querySelector(dom.TEXT_INPUTS);
          dom.setInputValue(box, given);
          box.dispatchEvent(new Event('input', { bubbles: true }));
        })()""",
        "five!",
    )
    area.blur()
    expect(tab.page.get_by_text("5 bytes (UTF-8)")).to_be_visible()
