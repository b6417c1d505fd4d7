"""The visitor's text on pages without an editor survives reloads, addresses and quick page changes."""

import itertools
import random
import re
from functools import partial

import pytest
from apps import until
from playwright.sync_api import Locator, Page, expect

from e2e.desk import FIRST, Desk, HeldMessages, clear_storage, drop_first_message, fragment
from e2e.server import WITHOUT_WARMUP, Server
from e2e.test_links import fragment_with
from tokenizer import get_encoding
from tokenizer.text.samples import samples

MINE = "Mine, ที่ <b>&amp;</b> 👩‍👦"


@pytest.fixture
def writer(desk) -> Desk:
    """A visitor who has just written MINE in the playground."""
    return write_and_send(desk, MINE)


def write_and_send(desk: Desk, text: str) -> Desk:
    """Writes a text and waits until the server has it."""
    desk.write(text)
    desk.expect_exact(text)
    wait_until_sent(desk, text)
    return desk


def wait_until_sent(desk: Desk, text: str) -> None:
    """Waits until the server has this text of the tab: it has a name, and no change is unacknowledged."""
    is_sent = """(text) => {
      const stored = JSON.parse(sessionStorage.getItem('tokenloupe.desk') ?? '{}');
      return stored.text === text && stored.name !== null && !('unacknowledged' in document.documentElement.dataset);
    }"""
    desk.page.wait_for_function(is_sent, arg=text)
    desk.idle()


def why_box(page: Page):
    return page.get_by_role("textbox", name="Text", exact=True)


def paragraphs(desk: Desk):
    """The paragraphs of the text on the Unicode page."""
    return desk.page.get_by_role("region", name="Paragraphs").locator("td .text")


def go_home(desk: Desk) -> None:
    """Goes to the playground by the menu and waits until the previous page's tokens are gone."""
    desk.turn_to("Playground")
    expect(desk.area).to_be_visible()
    expect(desk.view).to_have_count(1)
    desk.wait_until_drawn()


def expect_text_at_home(desk: Desk, text: str) -> None:
    """Goes to the playground and asserts that the text is there."""
    go_home(desk)
    desk.expect_exact(text)


def test_pages_have_the_text_when_opened_and_reloaded(writer):
    writer.open("/why")
    expect(why_box(writer.page)).to_have_value(MINE)
    writer.idle()
    assert re.search(r"/why\b", writer.page.url)
    place = writer.page.locator(".st-key-session_sync")  # invisible
    assert place.evaluate("(one) => [one.offsetHeight, getComputedStyle(one).position]") == [0, "absolute"]
    for again in (lambda: writer.open("/hood", view="scripts"), writer.page.reload):
        again()
        expect(paragraphs(writer)).to_have_text([MINE])
        writer.idle()
        assert re.search(r"/hood\?view=scripts$", writer.page.url)
    writer.open("/train", corpus="desk")
    expect(writer.page.get_by_text(f"{len(MINE.encode()):,} bytes (UTF-8)")).to_be_visible()
    expect_text_at_home(writer, MINE)


def test_page_change_right_after_typing_keeps_the_last_letter(desk):
    for text in ("typed", "typed again"):
        desk.area.focus()
        desk.page.keyboard.press("Control+a")
        desk.page.keyboard.type(text)
        desk.turn_to("Why this split")
        expect(why_box(desk.page)).to_have_value(text)
        desk.idle()
        assert re.search(r"/why\b", desk.page.url)
        expect_text_at_home(desk, text)


def test_text_is_shared_between_compare_and_playground(writer):
    area = writer.page.get_by_label("Text to compare")
    here = MINE
    for text in ("from Compare ที่", "from there again"):
        writer.turn_to("Compare")
        expect(area).to_have_value(here)
        area.fill(text)
        expect_text_at_home(writer, text)
        here = f"{text}!"
        writer.write(here)
        writer.expect_exact(here)


def test_page_without_an_editor_shows_that_a_long_text_is_not_there(writer):
    notice = writer.page.get_by_role("alert").filter(has_text="too many for this page")
    long = "十三個字，三十九個位元組。\n" * 125_001
    writer.area.focus()
    writer.page.keyboard.press("Control+a")
    writer.paste(long)
    for page in ("Decode", "Vocabulary"):
        writer.turn_to(page)
        expect(notice).to_have_count(1)
    writer.idle()
    writer.page.reload()
    expect(notice).to_have_count(1)
    writer.turn_to("Playground")
    expect(writer.notice).to_contain_text("over 5,000,000 bytes")
    expect(notice).to_have_count(0)
    assert writer.text_in_editor() == long
    writer.write("short again")
    writer.expect_exact("short again")
    writer.turn_to("Decode")
    expect(notice).to_have_count(0)
    expect_text_at_home(writer, "short again")


def test_link_overrides_the_stored_text_and_a_damaged_one_keeps_it(writer):
    writer.open("/why", "#v=1&t=AAAA")
    expect(why_box(writer.page)).to_have_value(MINE)
    expect(writer.page.locator(".notice").first).to_contain_text("The text in this link is damaged")
    notice = writer.page.get_by_role("alert").filter(has_text="A part of this link cannot be read")
    for path, damaged in (("/chat", "!!!"), ("/decode", "AAAA"), ("/languages", "!!!")):
        writer.page.goto("about:blank")  # a change of the fragment alone does not reload the page
        writer.open(path, f"#v=1&t={damaged}")
        expect(notice).to_have_count(1)
    writer.turn_to("Vocabulary")
    expect(notice).to_have_count(0)
    linked = "from a link: ที่"
    writer.open("/hood", fragment(linked), view="scripts")
    expect(paragraphs(writer)).to_have_text([linked])
    writer.turn_to("Decode")
    expect_text_at_home(writer, linked)


def test_empty_text_stays_empty_and_a_lone_surrogate_is_kept(desk):
    write_and_send(desk, "")
    desk.open("/hood", view="scripts")
    expect(desk.page.get_by_text("No text yet.")).to_be_visible()
    expect_text_at_home(desk, "")
    desk.write("a\ud800b")
    desk.expect_exact("a\ud800b")
    desk.open("/hood", view="scripts")
    expect(paragraphs(desk)).to_have_text(["a\ufffdb"])
    go_home(desk)
    assert desk.text_in_editor() == "a\ud800b"


def test_text_of_a_megabyte_is_restored(desk):
    text = "ที่ " * 100_000
    desk.write(text)
    desk.expect_counts(text, timeout=30_000)
    desk.open("/hood")
    expect(desk.page.get_by_text("of 400,000")).to_be_visible(timeout=30_000)


def test_each_tab_has_its_own_text(make_desk, writer):
    other = make_desk().open("/why")
    expect(why_box(other.page)).to_have_value(FIRST)
    writer.open("/why")
    expect(why_box(writer.page)).to_have_value(MINE)
    other.page.reload()
    expect(why_box(other.page)).to_have_value(FIRST)


def test_example_on_another_page_can_be_undone(writer):
    writer.open("/hood", view="scripts")
    expect(paragraphs(writer)).to_have_text([MINE])
    example = samples()[1]
    writer.page.get_by_role("button", name=example.label, exact=True).click()
    expect(paragraphs(writer)).not_to_have_text([MINE])
    expect_text_at_home(writer, example.text)
    writer.page.get_by_role("button", name="Undo", exact=True).click()
    writer.expect_exact(MINE)


def num_messages(desk: Desk, text: str) -> int:
    """Returns the number of messages that the browser sends while the pages Why and Decode open."""
    sent = []

    def listen(socket) -> None:
        if "_stcore/stream" in socket.url:
            socket.on("framesent", lambda frame: sent.append(len(frame)))

    desk.page.on("websocket", listen)
    desk.open("/why")
    expect(why_box(desk.page)).to_have_value(text)
    desk.idle()
    desk.turn_to("Decode")  # the first page has sent its messages
    expect(desk.page.get_by_role("textbox", name="Token ids")).to_be_visible()
    desk.idle()
    desk.page.remove_listener("websocket", listen)
    return len(sent)


def test_text_is_sent_once_and_only_if_it_changed(make_desk):
    desk = make_desk()
    fresh = num_messages(desk, FIRST)
    go_home(desk)
    assert num_messages(desk, FIRST) == fresh  # viewed but not changed
    go_home(desk)
    write_and_send(desk, MINE)
    assert num_messages(desk, MINE) == fresh + 1


def type_until(page: Page, shows: Locator) -> str:
    """Types letters until an element is visible, and some more; returns what was typed."""
    letters, typed = itertools.cycle("abcdefghij"), []

    def press() -> None:
        typed.append(next(letters))
        page.keyboard.press(typed[-1], delay=60)  # at a human speed

    until(lambda: shows.is_visible() or press())
    page.keyboard.type(" and on")
    return "".join(typed) + " and on"


def chat_box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Text of message 2")


def own_box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="A text typed here")


TO_TRAIN_ON = "low lower lowest newer newest wide wider " * 3


APP, CONNECTED = "[data-testid=stApp]", "[data-test-connection-state=CONNECTED]"


def fill(desk: Desk, box: Locator, text: str) -> None:
    """Fills a Streamlit box and waits until the tab has stored the acknowledged value."""
    box.fill(text)
    if box.evaluate("(one) => one.matches('input')"):
        box.press("Enter")
    kept = "(text) => sessionStorage.getItem('tokenloupe.tab').includes(text)"
    desk.page.wait_for_function(kept, arg=text)
    desk.idle()


def train(desk: Desk) -> None:
    """Presses Train once and waits for the result."""
    desk.page.get_by_role("button", name="Train", exact=True).click()
    expect(desk.page.get_by_role("button", name="Use in the Playground")).to_be_visible(timeout=30_000)


def open_trained_encoding(desk: Desk) -> Locator:
    """Trains on an own text and opens the encoding in the playground; returns the list of models."""
    desk.open("/train", corpus="own")
    fill(desk, own_box(desk.page), TO_TRAIN_ON)
    train(desk)
    desk.page.get_by_role("button", name="Use in the Playground").click()
    encoding = desk.page.get_by_role("combobox", name=re.compile("Model"))
    expect(encoding).to_have_value(re.compile("^my-text-512"))
    return encoding


@pytest.fixture(scope="module")
def own_server(tmp_path_factory):
    """A server that is not running yet; its port stays, so that the browser has cached its scripts."""
    return Server(tmp_path_factory.mktemp("own") / "log.txt", WITHOUT_WARMUP)


@pytest.fixture
def own_desk(visitor, own_server):
    """A desk in a tab of its own on a server of its own, which a test may restart."""
    with own_server as server:
        page = visitor.new_page()
        clear_storage(page, server)
        yield Desk(page, server)
        page.close()
        assert not server.log_problems()


def test_text_typed_while_the_server_is_away_is_kept_and_sent(own_desk):
    desk, page, server = own_desk, own_desk.page, own_desk.server
    write_and_send(desk.open(), MINE)
    notice = page.get_by_role("status").filter(has_text="The server cannot be reached.")
    desk.area.focus()
    desk.area.evaluate("(area) => area.setSelectionRange(4, 4)")
    with server.away():
        typed = type_until(page, notice)
        expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.type(" and back")
    expect(notice).to_have_count(0)
    page.keyboard.type(" and home")
    whole = f"{MINE[:4]}{typed} and back and home{MINE[4:]}"
    desk.expect_exact(whole)
    expect(desk.area).to_be_focused()
    assert desk.area.evaluate("(area) => area.value.slice(0, area.selectionStart)").endswith(" and home")
    wait_until_sent(desk, whole)
    desk.turn_to("Why this split")
    expect(why_box(page)).to_have_value(whole)
    desk.idle()
    why_box(page).focus()
    with server.away():  # Streamlit's box keeps its text and sends it later
        typed = type_until(page, notice)
        expect(why_box(page)).to_be_focused()
        expect(why_box(page)).to_have_value(re.compile(re.escape(typed)))
    expect(notice).to_have_count(0)
    desk.idle()
    desk.turn_to("Under the hood")
    expect(page.get_by_role("radiogroup", name="Graphemes")).to_contain_text("M", timeout=30_000)
    expect(page.get_by_role("radio", name="THAI CHARACTER THO THAHAN")).to_have_count(1)


def test_dialog_about_the_server_is_closed_in_other_languages_too(own_desk):
    notice = own_desk.page.get_by_role("status").filter(has_text="ติดต่อเซิร์ฟเวอร์ไม่ได้")
    own_desk.open("/why", lang="th")
    own_desk.idle()
    with own_desk.server.away():
        until(notice.is_visible)
        expect(own_desk.page.locator(".stDialog")).to_have_count(0)


def test_box_contents_survive_a_server_restart(own_desk):
    page, server = own_desk.page, own_desk.server
    own_desk.open("/chat")
    chat_box(page).fill("mine")
    own_desk.idle()
    chat_box(page).focus()
    with server.away():
        page.keyboard.press("End")
        page.keyboard.type(" and more", delay=30)
    expect(page).to_have_url(re.compile("mine(%20|\\+)and(%20|\\+)more"), timeout=30_000)
    expect(chat_box(page)).to_have_value("mine and more")
    expect(chat_box(page)).to_be_focused()
    own_desk.turn_to("Decode")
    own_desk.idle()
    server.restart()  # followed by an immediate change of page
    own_desk.turn_to("Chat")
    expect(chat_box(page)).to_have_value("mine and more")


def test_line_typed_while_the_server_is_away_stays_in_its_box(own_desk):
    page = own_desk.page
    own_desk.open("/learn")
    page.get_by_text("Show the answer").click()
    box = page.get_by_role("textbox", name="Try your own text")
    box.click()
    with own_desk.server.away():
        typed = type_until(page, page.get_by_role("status").filter(has_text="The server cannot be reached."))
        expect(box).to_have_value(typed)
        expect(box).to_be_focused()


def test_download_requested_while_the_server_is_away_arrives_later(own_desk):
    page = own_desk.page
    notice = page.get_by_role("status").filter(has_text="The server cannot be reached.")
    write_and_send(own_desk.open(), MINE)
    own_desk.open_details()
    with page.expect_download(timeout=60_000) as file, own_desk.server.away():
        own_desk.button("CSV").dispatch_event("click")
        until(notice.is_visible)  # not `expect`: it waits for an idle page, and this run never ends
    assert file.value.path().read_text("utf-8").count("\n") > len(get_encoding("o200k_base").encode(MINE))
    expect(own_desk.notice).to_be_hidden()


def test_one_press_trains_after_the_server_was_away(own_desk):
    page, server = own_desk.page, own_desk.server
    own_desk.open("/train", corpus="own")
    own_box(page).fill(TO_TRAIN_ON)
    own_desk.idle()
    own_box(page).focus()
    with server.away():
        page.keyboard.press("Control+End")
        page.keyboard.type("typed while away", delay=30)
    button = page.get_by_role("button", name="Train", exact=True)
    expect(button).to_be_enabled(timeout=30_000)
    train(own_desk)
    learned = len(TO_TRAIN_ON + "typed while away")
    expect(page.get_by_text(f"learned from {learned} bytes")).to_be_visible()


@pytest.mark.parametrize("cut_off", ["server", "reload"])
def test_interrupted_training_continues(own_desk, cut_off):
    page, server, rng = own_desk.page, own_desk.server, random.Random(1)
    cancel, ended = own_desk.button("Cancel"), own_desk.button("Use in the Playground")
    text = "".join(rng.choices("abcdefghijklmnop", k=40_000))  # takes long enough to be stopped under way
    own_desk.open("/train", corpus="own", pattern="none", vocab_size="9001")
    fill(own_desk, own_box(page), text)
    own_desk.button("Train").click()
    with server.training_held():
        expect(cancel).to_be_visible()
        page.wait_for_function("JSON.parse(sessionStorage.getItem('tokenloupe.tab')).typed.train.under_way")
        if cut_off == "server":
            server.restart()
        else:
            page.reload()
    expect(ended).to_be_visible(timeout=60_000)
    expect(page.get_by_text(f"learned from {len(text):,} bytes")).to_be_visible()
    own_desk.button("Remove").click()
    expect(ended).to_have_count(0)
    own_desk.idle()
    page.reload()  # a finished training does not restart
    expect(own_desk.button("Train")).to_be_visible()
    own_desk.idle()
    expect(cancel).to_have_count(0)
    expect(ended).to_have_count(0)


def test_link_is_trained_again_if_a_restart_interrupts_its_training(own_desk):
    key = f"trained-{'0' * 32}"
    order = {"alphabet": "bytes", "counted": False, "held_out": 0, "kind": "bpe", "min_count": 2, "parity": False}
    order |= {"pattern": "cl100k_base", "start": [], "ties": "first-seen", "vocab_size": 3000}
    text = "".join(random.Random(1).choices("abcdefghijklmnop", k=20_000))
    recipe = {"name": "from-a-link", "order": order, "specials": [], "texts": [text]}
    content = {"made": {key: recipe}, "address": {"encoding": key}}
    link = f"{own_desk.server.url}/?encoding={key}#{fragment_with(content)}"
    own_desk.page.goto(link, wait_until="commit")  # the page is shown only once the server trains
    with own_desk.server.training_held():
        own_desk.page.get_by_text("Training a tokenizer again").wait_for()
        own_desk.server.restart()
    expect(own_desk.page.locator(".badge .name")).to_have_text("from-a-link", timeout=60_000)


def test_typed_text_and_training_survive_reloads_and_restarts(own_desk):
    page, server = own_desk.page, own_desk.server
    own_desk.open("/chat")
    fill(own_desk, chat_box(page), long := "long " * 400)  # too long for the address
    page.reload()
    expect(chat_box(page)).to_have_value(long)
    own_desk.idle()
    encoding = open_trained_encoding(own_desk)
    own_desk.idle()
    expect(own_desk.ids).to_contain_text("260")
    tokens = own_desk.ids.text_content()
    for again in (server.restart, lambda: (server.restart(), page.reload())):
        again()
        expect(encoding).to_have_value(re.compile("^my-text-512"), timeout=30_000)
        expect(own_desk.ids).to_have_text(tokens)
        own_desk.idle()
    own_desk.turn_to("Train")
    expect(page.get_by_text(f"learned from {len(TO_TRAIN_ON)} bytes")).to_be_visible()
    page.get_by_text("Text and settings").click()
    expect(own_box(page)).to_have_value(TO_TRAIN_ON)
    own_desk.turn_to("Chat")
    expect(chat_box(page)).to_have_value(long)


def test_recipe_is_kept_while_its_training_is_repeated(own_desk):
    page, server = own_desk.page, own_desk.server
    encoding = open_trained_encoding(own_desk)
    page.wait_for_function("Object.values(JSON.parse(sessionStorage.getItem('tokenloupe.tab')).recipes).some(Boolean)")
    page.route("**/recipe?*", lambda route: route.abort())  # the tab has stored it
    own_desk.idle()
    visitor = "JSON.parse(sessionStorage.getItem('tokenloupe.tab')).visitor"
    before = page.evaluate(visitor)
    server.restart()
    page.wait_for_function(f"{visitor} !== {before!r}")  # the training is repeated from now on
    server.restart()
    page.reload()
    expect(encoding).to_have_value(re.compile("^my-text-512"), timeout=30_000)


def test_typed_text_of_a_page_with_a_query_survives_a_restart(own_desk):
    page, server = own_desk.page, own_desk.server
    own_desk.open("/chat", encoding="gpt2")
    fill(own_desk, chat_box(page), long := "long " * 400)
    page.wait_for_timeout(2_500)  # longer than the time in which it would be sent again
    visitor = "JSON.parse(sessionStorage.getItem('tokenloupe.tab')).visitor"
    before = page.evaluate(visitor)
    server.restart()
    page.wait_for_function(f"(before) => {visitor} !== before", arg=before, timeout=30_000)
    own_desk.idle()
    expect(chat_box(page)).to_have_value(long)


def test_hidden_typed_values_survive_reloads_and_restarts(own_desk):
    page, server = own_desk.page, own_desk.server
    own_desk.open("/train", corpus="own")
    fill(own_desk, own_box(page), TO_TRAIN_ON)
    own_desk.choose("Training text", "English")
    expect(own_box(page)).to_have_count(0)
    own_desk.turn_to("Languages")
    page.get_by_role("radio", name="Your own text").click()
    column = page.get_by_role("textbox", name="Name of column 1")
    fill(own_desk, column, "Mine")
    own_desk.choose("Compared with", "Thai")
    own_desk.idle()
    page.get_by_role("radio", name="Token budget").click()
    expect(column).to_have_count(0)
    own_desk.turn_to("Lessons")
    page.get_by_role("button", name="Show the answer").click()
    own = page.get_by_role("textbox", name="Try your own text")
    fill(own_desk, own, "mine, too")
    page.get_by_role("button", name="Next").click()
    expect(own).to_have_count(0)
    own_desk.idle()
    page.reload()
    own_desk.idle()
    server.restart()
    page.get_by_role("button", name="Back").click()
    expect(own).to_have_value("mine, too", timeout=30_000)
    own_desk.turn_to("Languages")
    page.get_by_role("radio", name="Your own text").click()
    expect(column).to_have_value("Mine")
    expect(page.get_by_role("combobox", name="Compared with")).to_have_value("Thai")
    own_desk.turn_to("Train")
    page.get_by_text("Text and settings").click()
    own_desk.choose("Training text", "A text typed here")
    expect(own_box(page)).to_have_value(TO_TRAIN_ON)


def own_pattern(desk: Desk) -> Locator:
    """Opens two expanders; returns the box for an own pattern."""
    desk.idle()
    for head in ("Text and settings", "More settings"):
        desk.page.locator("summary").filter(has_text=head).evaluate("(one) => one.parentElement.open || one.click()")
        desk.idle()
    return desk.page.get_by_role("textbox", name="My own regex")


def test_pattern_too_long_for_the_address_survives_a_reload(desk):
    desk.open("/train", pattern="x+")
    fill(desk, own_pattern(desk), long := "|".join(["x+"] * 300))
    assert "pattern" not in desk.page.url
    desk.page.reload()
    expect(own_pattern(desk)).to_have_value(long)
    expect(desk.page.get_by_text("The link says")).to_have_count(0)


def test_change_of_language_keeps_text_typed_after_a_link(own_desk):
    page = own_desk.page

    def choose_language(tag):
        own_desk.choose_language(tag)
        own_desk.idle()

    box = page.locator(".stMain textarea").last
    own_desk.open("/chat")
    fill(own_desk, box, "linked " * 300)
    link = own_desk.copied_link()
    page.goto("about:blank")
    page.goto(link)
    expect(box).to_have_value("linked " * 300)
    own_desk.idle()
    fill(own_desk, box, "changed " * 300)
    choose_language("th")
    page.wait_for_timeout(1_000)
    expect(box).to_have_value("changed " * 300)
    fill(own_desk, box, "changed again " * 200)
    choose_language("en")
    own_desk.turn_to("Decode")
    own_desk.idle()
    page.reload()
    own_desk.idle()
    own_desk.turn_to("Chat")
    expect(box).to_have_value("changed again " * 200)


def test_text_typed_while_the_page_is_restored_is_kept(own_desk):
    page, server = own_desk.page, own_desk.server
    own_desk.open("/train", corpus="own")
    fill(own_desk, own_box(page), TO_TRAIN_ON)
    own_box(page).focus()
    with server.away():
        page.keyboard.press("Control+End")
        page.keyboard.type("typed while away", delay=30)
    page.get_by_text("Text and settings").click()  # closes the expander with the box
    page.get_by_text("Text and settings").click()
    own_desk.idle()
    own_box(page).fill("newer")
    page.wait_for_timeout(2_000)
    expect(own_box(page)).to_have_value("newer")


def test_text_typed_after_a_reload_before_the_stored_one_is_restored_is_kept(own_desk):
    page, held = own_desk.page, HeldMessages(own_desk.page)
    own_desk.open("/train", corpus="own")
    fill(own_desk, own_box(page), TO_TRAIN_ON)
    held.is_on = True
    page.reload(wait_until="commit")
    until(lambda: held.release(1) or page.wait_for_timeout(20) or own_box(page).is_visible())
    expect(own_box(page)).to_have_value("")
    own_box(page).fill("newer")
    own_box(page).blur()
    held.stop()
    page.wait_for_function("JSON.parse(sessionStorage.getItem('tokenloupe.tab')).typed.train.corpus_text === 'newer'")
    page.wait_for_function("!('unacknowledged' in document.documentElement.dataset)")
    own_desk.idle()
    expect(own_box(page)).to_have_value("newer")


def reconnect_and_hold(desk: Desk) -> HeldMessages:
    """Restarts the server with the caret at the end of a kept text, and holds the messages of the next run."""
    page, held = desk.page, HeldMessages(desk.page)
    desk.open("/train", corpus="own")
    fill(desk, own_box(page), TO_TRAIN_ON)
    own_box(page).press("Control+End")
    with desk.server.away():
        page.locator(f"{APP}:not({CONNECTED})").wait_for(state="attached")
        held.is_on = True
    held.wait_until_complete()
    return held


def test_keys_typed_between_the_run_after_a_reconnect_and_the_restore_are_kept(own_desk):
    page, held = own_desk.page, reconnect_and_hold(own_desk)
    page.keyboard.type("typed before", delay=30)
    held.stop()
    page.keyboard.type(" and while it is restored", delay=100)
    own_desk.idle()
    expect(own_box(page)).to_have_value(f"{TO_TRAIN_ON}typed before and while it is restored")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("sessionStorage.getItem('tokenloupe.tab').includes('while it is restored')")


def test_text_that_is_sent_between_the_run_after_a_reconnect_and_the_restore_is_kept(own_desk):
    page, held = own_desk.page, reconnect_and_hold(own_desk)
    page.keyboard.type(" typed and sent")
    page.keyboard.press("Control+Enter")
    held.stop()
    page.wait_for_function("sessionStorage.getItem('tokenloupe.tab').includes('typed and sent')")
    own_desk.idle()
    expect(own_box(page)).to_have_value(f"{TO_TRAIN_ON} typed and sent")


def test_removed_tokenizer_does_not_return(own_desk):
    page = own_desk.page
    encoding = open_trained_encoding(own_desk)
    own_desk.turn_to("Train")
    own_desk.idle()
    page.reload()
    own_desk.idle()
    own_desk.turn_to("Compare")
    own_desk.choose("Models", "my-text-512")
    page.keyboard.press("Escape")
    among = page.get_by_role("button", name=re.compile("^Remove my-text-512"))
    expect(among).to_be_visible()
    own_desk.turn_to("Train")
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_role("button", name="Remove", exact=True)).to_have_count(0)
    own_desk.turn_to("Playground")
    expect(encoding).to_have_value(re.compile(r"o200k_base\b"))
    expect(page.get_by_role("alert")).to_have_count(0)
    own_desk.turn_to("Compare")
    for again in (lambda: None, page.reload):
        again()
        own_desk.idle()
        expect(page.get_by_role("button", name=re.compile("^Remove GPT-2"))).to_be_visible()
        expect(among).to_have_count(0)


def test_address_overrides_stored_values(own_desk):
    page = own_desk.page
    own_desk.open("/chat")
    fill(own_desk, chat_box(page), "long " * 400)
    own_desk.open("/chat", chat='[["system", "a"], ["user", "linked"]]')
    expect(chat_box(page)).to_have_value("linked")
    own_desk.idle()
    page.wait_for_timeout(1_000)
    expect(chat_box(page)).to_have_value("linked")


def test_link_keeps_what_was_typed_and_going_back_restores_what_it_replaced(make_desk):
    desk = make_desk().open("/languages", lens="own")
    page, own = desk.page, desk.page.get_by_label("Text of column 1")
    is_stored = "JSON.parse(sessionStorage['tokenloupe.tab']).at === location.pathname + location.search"
    fill(desk, own, "mine")
    desk.open("/languages", lens="own", encodings="gpt2,cl100k_base")
    expect(own).to_have_value("mine")
    desk.open("/chat")
    fill(desk, chat_box(page), long := "long " * 400)
    for link in ({"encoding": "gpt2"}, {"chat": '[["system", "a"], ["user", "linked"]]'}):
        desk.open("/chat", **link)
        expect(chat_box(page)).to_have_value("linked" if "chat" in link else long)
        desk.idle()
        page.wait_for_function(is_stored)
    page.go_back()
    expect(chat_box(page)).to_have_value(long)
    desk.idle()
    page.wait_for_function(is_stored)
    page.go_forward()
    expect(chat_box(page)).to_have_value("linked")


def test_every_page_shows_the_chosen_encoding(make_desk):
    desk = make_desk().open()
    for typed in ("", "mine"):
        desk.area.focus()
        desk.page.keyboard.type(typed)
        for page in ("Decode", "Under the hood", "Why this split", "Playground"):
            desk.turn_to(page)
            expect(desk.link_to(page)).to_have_attribute("aria-current", "page")
            desk.idle()
            encoding = desk.page.get_by_role("combobox", name=re.compile("Model"))
            expect(encoding).to_have_value(re.compile(r"· o200k_base\b"))
        assert "encoding=gpt2" not in desk.page.url


def test_quick_page_changes_end_on_the_last_page(desk):
    for wait in (0, 150):
        desk.area.focus()
        desk.page.keyboard.type("x")
        text = desk.text_in_editor()
        desk.follow("Why this split")
        desk.page.wait_for_timeout(wait)  # a pause as of a reader
        desk.follow("Decode")
        expect(desk.page.get_by_role("textbox", name="Token ids")).to_be_visible()
        wait_until_sent(desk, text)
        assert re.search(r"/decode\b", desk.page.url)
        go_home(desk)
    assert desk.text_in_editor().count("xx")


def test_page_change_is_not_undone_on_a_slow_server(make_desk):
    """A delayed text message must not be sent between a click on the menu and the new page."""
    desk = make_desk(alone=True)
    held = HeldMessages(desk.page)

    def leave(press) -> None:
        held.is_on = True
        press()
        desk.page.wait_for_timeout(1_000)  # longer than the debounce of typed text
        held.stop()

    desk.open()
    for text in ("typed", "typed again"):
        desk.write(text)
        desk.expect_exact(text)
        leave(partial(desk.follow, "Decode"))
        expect(desk.page.get_by_role("textbox", name="Token ids")).to_be_visible()
        wait_until_sent(desk, text)
        assert re.search(r"/decode\b", desk.page.url)
        expect_text_at_home(desk, text)
    desk.turn_to("Compare")
    expect(desk.view).to_have_count(3)
    desk.page.get_by_label("Text to compare").fill("typed beside")
    leave(desk.page.get_by_role("link", name="Tokenloupe").click)
    expect(desk.ids).to_be_visible()
    wait_until_sent(desk, "typed beside")
    assert "compare" not in desk.page.url
    desk.expect_exact("typed beside")


def test_cached_messages_are_available_after_many_quick_page_changes(make_desk):
    """The server does not repeat messages that the browser has cached; on a slow line the cache may be cleared."""
    desk = make_desk(alone=True)
    held = HeldMessages(desk.page)
    desk.open().idle()
    held.is_on = True
    for page in ("Decode", "Compare", "Chat", "Decode", "Compare"):
        desk.follow(page)
        desk.page.wait_for_timeout(700)  # the run has ended
    desk.page.get_by_role("link", name="Tokenloupe").click()
    desk.page.wait_for_timeout(500)
    held.stop()
    desk.wait_until_drawn()
    expect(desk.ids).to_be_visible()


def test_late_message_of_the_previous_page_does_not_clear_the_new_page(make_desk):
    desk = make_desk(alone=True)
    held = HeldMessages(desk.page)
    desk.page.expose_function("hold", lambda: setattr(held, "is_on", True))
    desk.open()
    desk.wait_until_drawn()
    desk.page.evaluate("""() => {
        const app = document.querySelector('[data-testid=stApp]');
        let hasRun = false;
        const watch = new MutationObserver((changes) => {
            const states = [...changes.map(({ oldValue }) => oldValue), app.dataset.testScriptState];
            hasRun ||= states.some((state) => state !== 'notRunning');  // a short run can be over in one task
            if (!hasRun || states.at(-1) !== 'notRunning') return;
            watch.disconnect();  // the choice has arrived and is about to be acknowledged
            const links = Array.from(document.querySelectorAll('.st-key-menu a'));
            const link = links.find((one) => one.innerText === 'Compare');
            window.hold().then(() => { link.click(); window.hasLeft = true; });
        });
        watch.observe(app, { attributeFilter: ['data-test-script-state'], attributeOldValue: true });
    }""")
    desk.page.get_by_role("radio", name="GPT-2").click()
    desk.page.wait_for_function("window.hasLeft")
    desk.page.wait_for_timeout(1_000)
    held.stop()
    box = desk.page.get_by_role("textbox", name="Text to compare")
    expect(box).to_be_visible()
    desk.idle()
    expect(box).to_be_visible()
    assert re.search(r"/compare\b", desk.page.url)


def test_page_that_loads_after_it_was_left_sends_nothing(make_desk):
    desk = make_desk(alone=True)
    held = HeldMessages(desk.page)
    desk.open()
    desk.write("typed")
    desk.expect_exact("typed")
    held.is_on = True
    desk.follow("Why this split")
    desk.page.wait_for_timeout(500)
    num_of_why = held.waiting
    desk.follow("Decode")
    held.release(num_of_why)  # Why is shown while the next page loads
    desk.page.wait_for_timeout(500)
    held.stop()
    expect(desk.page.get_by_role("textbox", name="Token ids")).to_be_visible()
    wait_until_sent(desk, "typed")
    assert re.search(r"/decode\b", desk.page.url)
    expect_text_at_home(desk, "typed")


def test_lost_message_is_sent_again(make_desk):
    desk = make_desk(alone=True)
    dropped = drop_first_message(desk.page, b"afar")
    desk.open()
    desk.write("from\u200b afar")
    desk.expect_exact("from\u200b afar")
    expect(desk.page.locator(".st-key-finding_zero-width")).to_be_visible()  # only the server finds it
    assert dropped
