"""The selectors in web/js/streamlit/streamlit-dom.js find Streamlit's elements."""

from base64 import b64encode
from tempfile import NamedTemporaryFile

from paths import ROOT
from playwright.sync_api import expect
from waiting import awaited

from e2e.desk import PHONE, HeldMessages, Tab

MODULE = b64encode((ROOT / "web/js/streamlit/streamlit-dom.js").read_bytes()).decode()
CALL = f"""([does, given]) => import('data:text/javascript;base64,{MODULE}')
  .then((dom) => new Function('dom', 'given', `return (${{does}})`)(dom, given))"""


def call(tab: Tab, does: str, given: object = None):
    """Evaluates an expression over `dom`, the module, in the page."""
    return awaited(tab.page, CALL, [does, given], what=does)


def opened(tab: Tab, path: str, **query: str) -> Tab:
    """Opens a page and waits until its scripts handle input."""
    tab.visit(path, **query)
    tab.wait_for_bar()
    tab.idle()
    return tab


def expect_found(tab: Tab, *names: str) -> None:
    """Waits until the selectors with these names find an element."""
    for name in names:
        expect(tab.page.locator(call(tab, f"dom.{name}")).first).to_be_attached()


def expect_english_text(tab: Tab, part: str) -> None:
    """Waits until a selector, which is one of those of English texts, finds an element."""
    expect(tab.page.locator(part).first).to_be_attached()
    assert part in call(tab, "dom.ENGLISH_TEXTS")


def test_elements_of_the_playground_are_found(make_desk):
    tab = opened(make_desk(Tab), "/")
    expect_found(tab, "MAIN", "CONNECTED", "PAGE_LINKS")
    assert call(tab, "dom.componentRoots().filter((one) => one.querySelector('.desk')).length") > 0
    assert call(tab, "dom.keyClass(document.querySelector('.st-key-menu a'))") == "st-key-menu"
    tab.page.emulate_media(color_scheme="dark")
    tab.page.wait_for_function("getComputedStyle(document.querySelector('[data-testid=stApp]')).colorScheme === 'dark'")
    assert call(tab, "dom.appStyle().colorScheme") == "dark" and call(tab, "dom.isConnected()")


def test_parts_of_an_upload_are_found(make_desk):
    tab = opened(make_desk(Tab), "/")
    tab.open_upload_popover()
    zone = call(tab, "dom.DROP_ZONES").replace("presentation", "group")  # streamlit-inputs.js sets that role
    expect(tab.page.locator(zone).first).to_be_visible()
    expect_found(tab, "FILE_INPUT")
    expect_english_text(tab, "[data-testid=stFileUploaderDropzone] button p")
    expect_english_text(tab, "[data-testid=stFileUploaderDropzoneInstructions] span")
    with NamedTemporaryFile(suffix=".txt") as file:  # bytes given here would go to the browser as base64, which is slow
        file.truncate(41 * 2**20)
        tab.page.locator("input[type=file]").first.set_input_files(file.name)
        expect_english_text(tab, ".stFileUploader [role=alert]")


def test_inputs_their_help_and_instructions_are_found_and_get_a_value_that_react_accepts(make_desk):
    tab = opened(make_desk(Tab), "/train", corpus="own")
    area, part = tab.page.get_by_label("A text typed here"), "[data-testid=InputInstructions] span"
    expect_found(tab, "TEXT_INPUTS", "PRESSABLE")
    tab.page.get_by_test_id("stTooltipIcon").first.hover()
    expect_english_text(tab, "[data-testid=stTooltipContent] p")
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
    area.fill("a text!")
    tab.page.wait_for_function("(seen) => seen.includes(true)", arg=seen)
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


def test_choices_and_an_empty_list_are_found(make_desk):
    tab = opened(make_desk(Tab), "/compare")
    expect_found(tab, "PRESSABLE", "COMBOBOXES", "RADIO_GROUP", "RADIO", "CHOSEN_RADIO")
    tab.page.get_by_role("combobox").first.press_sequentially("no such model")
    expect_english_text(tab, "[role=listbox] [role=option] > span")


def test_code_is_found(make_desk):
    expect_found(opened(make_desk(Tab), "/hood", view="list"), "CODE")


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


def test_history_entries_of_streamlit_are_intercepted(make_desk):
    tab = opened(make_desk(Tab, alone=True), "/")
    call(tab, "dom.interceptHistory((url, { push }) => { window.entries = [url]; push(); })")
    tab.turn_to("Compare")
    assert "compare" in tab.page.evaluate("String(window.entries)")


def test_phone_menu_is_found_while_it_is_open(make_desk):
    tab = opened(make_desk(Tab, viewport=PHONE), "/")
    assert not call(tab, "document.querySelector(dom.OPEN_MENU)")
    tab.button("More").click()
    expect(tab.page.locator(call(tab, "dom.OPEN_MENU"))).to_be_visible()
    expect(tab.page.locator(call(tab, "dom.MENU_ITEMS"))).to_have_count(11)
    assert call(tab, "document.querySelector(dom.MENU_ITEMS).closest(dom.OVERLAYS) !== null")


def test_form_is_found(make_desk):
    tab = make_desk(Tab)
    tab.visit("/learn")  # its first step asks for a number
    expect(tab.page.locator(call(tab, "dom.FORM"))).to_be_visible()


def test_connection_dialog_is_found(make_desk):
    tab = opened(make_desk(Tab), "/languages")
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
