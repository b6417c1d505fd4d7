"""The reader's text on pages without an editor: a reload, an address, a quick turn of the page lose nothing of it."""

import itertools
import random
import re
from functools import partial

import pytest
from apps import until
from playwright.sync_api import Locator, Page, expect

from e2e.desk import FIRST, Desk, Held, fragment, swallow
from e2e.server import Server
from tokenizer import get_encoding
from tokenizer.text.samples import samples

MINE = "Mine, ที่ <b>&amp;</b> 👩‍👦"


@pytest.fixture
def writer(desk) -> Desk:
    """Somebody who has written a text of their own in the playground, and a moment ago."""
    return wrote(desk, MINE)


def wrote(desk: Desk, text: str) -> Desk:
    """Writes a text, and waits until the server has heard of it."""
    desk.write(text)
    desk.expect_exact(text)
    heard(desk)
    return desk


def heard(desk: Desk) -> None:
    """Waits until the tab has nothing to tell the server any more."""
    desk.page.wait_for_function("window.tokenloupeDesk.name !== null")
    desk.idle()


def why_box(page: Page):
    return page.get_by_role("textbox", name="Text", exact=True)


def hood(desk: Desk):
    """Under the hood, where it shows the whole text: in paragraphs, each with its direction."""
    return desk.page.get_by_role("region", name="Paragraphs").locator("td .text")


def go_home(desk: Desk) -> None:
    """Goes to the playground by the menu; the page before may have tokens, too, and is gone afterwards."""
    desk.turn_to("Playground")
    expect(desk.area).to_be_visible()
    expect(desk.view).to_have_count(1)
    desk.settled()


def at_home(desk: Desk, text: str) -> None:
    """Goes to the playground, and finds the text there."""
    go_home(desk)
    desk.expect_exact(text)


def test_pages_have_the_text_when_they_are_opened_and_opened_again(writer):
    writer.open("/why")
    expect(why_box(writer.page)).to_have_value(MINE)
    writer.idle()
    assert re.search(r"/why\b", writer.page.url)
    place = writer.page.locator(".st-key-text_sync")  # nothing of it is seen
    assert place.evaluate("(one) => [one.offsetHeight, getComputedStyle(one).position]") == [0, "absolute"]
    for again in (lambda: writer.open("/hood", view="scripts"), writer.page.reload):
        again()
        expect(hood(writer)).to_have_text([MINE])
        writer.idle()
        assert re.search(r"/hood\?view=scripts$", writer.page.url)
    writer.open("/train", corpus="desk")
    expect(writer.page.get_by_text(f"{len(MINE.encode()):,} bytes (UTF-8)")).to_be_visible()
    at_home(writer, MINE)


def test_a_page_turned_right_after_typing_has_the_last_letter(desk):
    for text in ("typed", "typed again"):
        desk.area.focus()
        desk.page.keyboard.press("Control+a")
        desk.page.keyboard.type(text)
        desk.turn_to("Why this split")
        expect(why_box(desk.page)).to_have_value(text)
        desk.idle()
        assert re.search(r"/why\b", desk.page.url)
        at_home(desk, text)


def test_what_is_typed_on_compare_is_in_the_playground_and_back(writer):
    area = writer.page.get_by_label("Text to compare")
    here = MINE
    for text in ("from Compare ที่", "from there again"):
        writer.turn_to("Compare")
        expect(area).to_have_value(here)
        area.fill(text)
        at_home(writer, text)
        here = f"{text}!"
        writer.write(here)
        writer.expect_exact(here)


def test_a_link_comes_before_what_was_kept_and_a_damaged_one_leaves_it(writer):
    writer.open("/why", "#v=1&t=AAAA")
    expect(why_box(writer.page)).to_have_value(MINE)
    expect(writer.page.locator(".notice").first).to_contain_text("The text in this link is damaged")
    said = writer.page.get_by_role("alert").filter(has_text="A part of this link cannot be read")
    for path, damaged in (("/chat", "!!!"), ("/decode", "AAAA"), ("/languages", "!!!")):
        writer.page.goto("about:blank")  # of another fragment alone a page is not opened anew
        writer.open(path, f"#v=1&t={damaged}")
        expect(said).to_have_count(1)
    writer.turn_to("Vocabulary")
    expect(said).to_have_count(0)
    linked = "from a link: ที่"
    writer.open("/hood", fragment(linked), view="scripts")
    expect(hood(writer)).to_have_text([linked])
    writer.turn_to("Decode")
    at_home(writer, linked)


def test_an_empty_text_stays_empty_and_a_lone_surrogate_is_brought_as_it_is_read(desk):
    wrote(desk, "")
    desk.open("/hood", view="scripts")
    expect(desk.page.get_by_text("Nothing to look at yet.")).to_be_visible()
    at_home(desk, "")
    desk.write("a\ud800b")
    desk.expect_exact("a\ud800b")
    desk.open("/hood", view="scripts")
    expect(hood(desk)).to_have_text(["a\ufffdb"])
    go_home(desk)
    assert desk.raw() == "a\ud800b"


def test_a_megabyte_is_brought(desk):
    text = "ที่ " * 100_000
    desk.write(text)
    desk.expect_counts(text, timeout=30_000)
    desk.open("/hood")
    expect(desk.page.get_by_text("of 400,000")).to_be_visible(timeout=30_000)


def test_a_second_tab_has_a_text_of_its_own(make_desk, writer):
    other = make_desk().open("/why")
    expect(why_box(other.page)).to_have_value(FIRST)
    writer.open("/why")
    expect(why_box(writer.page)).to_have_value(MINE)
    other.page.reload()
    expect(why_box(other.page)).to_have_value(FIRST)


def test_an_example_on_such_a_page_can_be_undone(writer):
    writer.open("/hood", view="scripts")
    expect(hood(writer)).to_have_text([MINE])
    example = samples()[1]
    writer.page.get_by_role("button", name=example.label, exact=True).click()
    expect(hood(writer)).not_to_have_text([MINE])
    at_home(writer, example.text)
    writer.page.get_by_role("button", name="Undo", exact=True).click()
    writer.expect_exact(MINE)


def messages(desk: Desk, path: str, text: str) -> int:
    """How many messages the browser sends when a page is opened, and another one after it, until the tab rests."""
    sent = []

    def listen(socket) -> None:
        if "_stcore/stream" in socket.url:
            socket.on("framesent", lambda frame: sent.append(len(frame)))

    desk.page.on("websocket", listen)
    desk.open(path)
    expect(why_box(desk.page)).to_have_value(text)
    desk.idle()
    desk.turn_to("Decode")  # what the page before had to say is said, and this one has the same text to tell
    expect(desk.page.get_by_role("textbox", name="Token ids")).to_be_visible()
    desk.idle()
    desk.page.remove_listener("websocket", listen)
    return len(sent)


def test_the_text_is_told_once_and_only_where_there_is_one_to_tell(make_desk):
    desk = make_desk()
    fresh = messages(desk, "/why", FIRST)
    go_home(desk)
    assert messages(desk, "/why", FIRST) == fresh  # it was looked at, and not changed
    go_home(desk)
    wrote(desk, MINE)
    assert messages(desk, "/why", MINE) == fresh + 1


def type_until(page: Page, shows: Locator) -> str:
    """Types letters, until something shows, and some after it; returns what was typed."""
    letters, typed = itertools.cycle("abcdefghij"), []

    def press() -> None:
        typed.append(next(letters))
        page.keyboard.press(typed[-1], delay=60)  # as fast as people do

    until(lambda: shows.is_visible() or press())
    page.keyboard.type(" and on")
    return "".join(typed) + " and on"


def test_what_is_typed_while_the_server_is_away_is_kept_and_told(browser, tmp_path):
    with Server(tmp_path / "log.txt") as server:
        page = browser.new_context().new_page()
        desk = wrote(Desk(page, server).open(), MINE)
        says = page.get_by_role("status").filter(has_text="The server cannot be reached.")
        desk.area.focus()
        desk.area.evaluate("(area) => area.setSelectionRange(4, 4)")
        with server.away():
            typed = type_until(page, says)
            expect(page.get_by_role("dialog")).to_have_count(0)
        page.keyboard.type(" and back")
        expect(says).to_have_count(0)
        page.keyboard.type(" and home")
        whole = f"{MINE[:4]}{typed} and back and home{MINE[4:]}"
        desk.expect_exact(whole)
        expect(desk.area).to_be_focused()
        assert desk.area.evaluate("(area) => area.value.slice(0, area.selectionStart)").endswith(" and home")
        heard(desk)
        desk.turn_to("Why this split")
        expect(why_box(page)).to_have_value(whole)
        desk.idle()
        why_box(page).focus()
        with server.away():  # a box of Streamlit's stays open, and a page without an editor tells a server of the text
            typed = type_until(page, says)
            expect(why_box(page)).to_be_focused()
            expect(why_box(page)).to_have_value(re.compile(re.escape(typed)))
        expect(says).to_have_count(0)
        desk.idle()
        desk.turn_to("Under the hood")
        expect(page.get_by_role("radiogroup", name="Graphemes")).to_contain_text("M", timeout=30_000)
        expect(page.get_by_role("radio", name="THAI CHARACTER THO THAHAN")).to_have_count(1)
        page.context.close()


def chat_box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="What is said, message 2")


def own_box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="My own text")


TO_TRAIN_ON = "low lower lowest newer newest wide wider " * 3


def fill(desk: Desk, box: Locator, text: str) -> None:
    """Fills a box of Streamlit's, and waits until the server has heard of it, and the tab of that."""
    box.fill(text)
    if box.evaluate("(one) => one.matches('input')"):
        box.press("Enter")
    kept = "(text) => sessionStorage.getItem('tokenloupe.carried').includes(text)"
    desk.page.wait_for_function(kept, arg=text)
    desk.idle()


def trains(desk: Desk) -> None:
    """Presses once, and finds something trained."""
    desk.page.get_by_role("button", name="Train", exact=True).click()
    expect(desk.page.get_by_role("button", name="Use it in the playground")).to_be_visible(timeout=30_000)


def uses_a_trained_one(desk: Desk) -> Locator:
    """Trains on a text of one's own, and uses what comes of it in the playground; returns the list of models there."""
    desk.open("/train", corpus="own")
    fill(desk, own_box(desk.page), TO_TRAIN_ON)
    trains(desk)
    desk.page.get_by_role("button", name="Use it in the playground").click()
    encoding = desk.page.get_by_role("combobox", name=re.compile("Model"))
    expect(encoding).to_have_value(re.compile("^my-text-512"))
    return encoding


@pytest.fixture
def mortal(browser, tmp_path):
    """A desk at a server that can be killed."""
    with Server(tmp_path / "log.txt") as server:
        page = browser.new_context().new_page()
        yield Desk(page, server)
        assert not server.complaints()
        page.context.close()


def test_what_stands_in_boxes_outlasts_the_server(mortal):
    page, server = mortal.page, mortal.server
    mortal.open("/chat")
    chat_box(page).fill("mine")
    mortal.idle()
    chat_box(page).focus()
    with server.away():
        page.keyboard.press("End")
        page.keyboard.type(" and more", delay=30)
    expect(page).to_have_url(re.compile("mine(%20|\\+)and(%20|\\+)more"), timeout=30_000)
    expect(chat_box(page)).to_have_value("mine and more")
    expect(chat_box(page)).to_be_focused()
    mortal.turn_to("Decode")
    mortal.idle()
    server.restart()  # and a page turned at once, to one that this server has never shown
    mortal.turn_to("Chat")
    expect(chat_box(page)).to_have_value("mine and more")


def test_a_line_that_is_typed_while_the_server_is_away_stays_where_it_is_typed(mortal):
    page = mortal.page
    mortal.open("/learn")
    page.get_by_text("Just show me").click()
    box = page.get_by_role("textbox", name="Try your own")
    box.click()
    with mortal.server.away():
        typed = type_until(page, page.get_by_role("status").filter(has_text="The server cannot be reached."))
        expect(box).to_have_value(typed)
        expect(box).to_be_focused()


def test_a_file_that_is_asked_for_while_the_server_is_away_comes_when_it_is_back(mortal):
    page = mortal.page
    says = page.get_by_role("status").filter(has_text="The server cannot be reached.")
    wrote(mortal.open(), MINE)
    with page.expect_download(timeout=60_000) as file, mortal.server.away():
        mortal.button("CSV").dispatch_event("click")
        until(says.is_visible)  # what waits for a page to be at rest would wait for ever: its run may be cut off
    assert file.value.path().read_text("utf-8").count("\n") > len(get_encoding("o200k_base").encode(MINE))
    expect(mortal.notice).to_be_hidden()


def test_one_press_trains_after_the_server_was_away(mortal):
    page, server = mortal.page, mortal.server
    mortal.open("/train", corpus="own")
    own_box(page).fill(TO_TRAIN_ON)
    mortal.idle()
    own_box(page).focus()
    with server.away():
        page.keyboard.press("Control+End")
        page.keyboard.type("typed while away", delay=30)
    button = page.get_by_role("button", name="Train", exact=True)
    expect(button).to_be_enabled(timeout=30_000)
    trains(mortal)
    learned = len(TO_TRAIN_ON + "typed while away")
    expect(page.get_by_text(f"learned from {learned} bytes")).to_be_visible()


def test_a_training_that_is_cut_off_goes_on(mortal):
    page, server, rng = mortal.page, mortal.server, random.Random(1)
    cancel, ended = mortal.button("Cancel"), mortal.button("Use it in the playground")
    long = "".join(rng.choices("abcdefghijklmnop", k=200_000))  # some seconds' work
    for vocab_size, again in (("20001", server.restart), ("20002", page.reload)):
        mortal.open("/train", corpus="own", pattern="none", vocab_size=vocab_size)
        fill(mortal, own_box(page), long)
        mortal.button("Train").click()
        expect(cancel).to_be_visible()
        under_way = "JSON.parse(sessionStorage.getItem('tokenloupe.carried')).typed.train.under_way"
        page.wait_for_function(under_way)
        assert not ended.is_visible()
        again()
        expect(ended).to_be_visible(timeout=60_000)
        expect(page.get_by_text(f"learned from {len(long):,} bytes")).to_be_visible()
        mortal.button("Remove").click()
        expect(ended).to_have_count(0)
        mortal.idle()
        page.reload()  # what came to its end does not begin again
        expect(mortal.button("Train")).to_be_visible()
        mortal.idle()
        expect(cancel).to_have_count(0)
        expect(ended).to_have_count(0)


def test_what_is_typed_and_trained_outlasts_reloads_and_the_server(mortal):
    page, server = mortal.page, mortal.server
    mortal.open("/chat")
    fill(mortal, chat_box(page), long := "long " * 400)  # the address has no room for it
    page.reload()
    expect(chat_box(page)).to_have_value(long)
    mortal.idle()
    encoding = uses_a_trained_one(mortal)
    mortal.idle()
    expect(mortal.ids).to_contain_text("260")
    tokens = mortal.ids.text_content()
    for again in (server.restart, lambda: (server.restart(), page.reload())):
        again()
        expect(encoding).to_have_value(re.compile("^my-text-512"), timeout=30_000)
        expect(mortal.ids).to_have_text(tokens)
        mortal.idle()
    mortal.turn_to("Train")
    expect(page.get_by_text(f"learned from {len(TO_TRAIN_ON)} bytes")).to_be_visible()
    page.get_by_text("Text and choices").click()
    expect(own_box(page)).to_have_value(TO_TRAIN_ON)
    mortal.turn_to("Chat")
    expect(chat_box(page)).to_have_value(long)


def test_how_a_tokenizer_was_trained_is_kept_while_it_is_trained_again(mortal):
    page, server = mortal.page, mortal.server
    encoding = uses_a_trained_one(mortal)
    page.wait_for_function("Object.values(JSON.parse(sessionStorage.getItem('tokenloupe.recipes'))).some(Boolean)")
    page.route("**/recipe?*", lambda route: route.abort())  # the tab has it, and need not ask again
    mortal.idle()
    visitor = "JSON.parse(sessionStorage.getItem('tokenloupe.carried')).visitor"
    before = page.evaluate(visitor)
    server.restart()
    page.wait_for_function(f"{visitor} !== {before!r}")  # it is trained again from now on
    server.restart()
    page.reload()
    expect(encoding).to_have_value(re.compile("^my-text-512"), timeout=30_000)


def test_what_is_typed_on_a_page_with_an_address_outlasts_the_server(mortal):
    page, server = mortal.page, mortal.server
    mortal.open("/chat", encoding="gpt2")
    fill(mortal, chat_box(page), long := "long " * 400)
    page.wait_for_timeout(2_500)  # so long that it is not typed again
    visitor = "JSON.parse(sessionStorage.getItem('tokenloupe.carried')).visitor"
    before = page.evaluate(visitor)
    server.restart()
    page.wait_for_function(f"(before) => {visitor} !== before", arg=before, timeout=30_000)
    mortal.idle()
    expect(chat_box(page)).to_have_value(long)


def test_what_is_typed_and_not_seen_now_outlasts_reloads_and_the_server(mortal):
    page, server = mortal.page, mortal.server
    mortal.open("/train", corpus="own")
    fill(mortal, own_box(page), TO_TRAIN_ON)
    mortal.choose("Training text", "English")
    expect(own_box(page)).to_have_count(0)
    mortal.turn_to("Languages")
    page.get_by_role("radio", name="Your own text").click()
    column = page.get_by_role("textbox", name="Name of column 1")
    fill(mortal, column, "Mine")
    mortal.choose("Compared with", "Thai")
    mortal.idle()
    page.get_by_role("radio", name="Same budget").click()
    expect(column).to_have_count(0)
    mortal.turn_to("Lessons")
    page.get_by_role("button", name="Just show me").click()
    own = page.get_by_role("textbox", name="Try your own")
    fill(mortal, own, "mine, too")
    page.get_by_role("button", name="Next").click()
    expect(own).to_have_count(0)
    mortal.idle()
    page.reload()
    mortal.idle()
    server.restart()
    page.get_by_role("button", name="Back").click()
    expect(own).to_have_value("mine, too", timeout=30_000)
    mortal.turn_to("Languages")
    page.get_by_role("radio", name="Your own text").click()
    expect(column).to_have_value("Mine")
    expect(page.get_by_role("combobox", name="Compared with")).to_have_value("Thai")
    mortal.turn_to("Train")
    mortal.choose("Training text", "My own text")
    expect(own_box(page)).to_have_value(TO_TRAIN_ON)


def own_pattern(desk: Desk) -> Locator:
    """The box for a pattern of one's own, behind two heads that open."""
    desk.idle()
    for head in ("Text and choices", "More choices"):
        desk.page.locator("summary").filter(has_text=head).evaluate("(one) => one.parentElement.open || one.click()")
        desk.idle()
    return desk.page.get_by_role("textbox", name="My own regex")


def test_a_pattern_that_is_too_long_for_an_address_outlasts_a_reload(desk):
    desk.open("/train", pattern="x+")
    fill(desk, own_pattern(desk), long := "|".join(["x+"] * 300))
    assert "pattern" not in desk.page.url
    desk.page.reload()
    expect(own_pattern(desk)).to_have_value(long)
    expect(desk.page.get_by_text("The link says")).to_have_count(0)


def test_another_language_keeps_what_was_typed_since_a_link_was_followed(mortal):
    page = mortal.page

    def speak(tag):
        page.get_by_role("combobox", name="Language · ภาษา").select_option(tag)
        expect(page.locator("html")).to_have_attribute("lang", tag)
        mortal.idle()

    box = page.locator(".stMain textarea").last
    mortal.open("/chat")
    fill(mortal, box, "linked " * 300)
    link = mortal.copied_link()
    page.goto("about:blank")
    page.goto(link)
    expect(box).to_have_value("linked " * 300)
    mortal.idle()
    fill(mortal, box, "changed " * 300)
    speak("th")
    page.wait_for_timeout(1_000)
    expect(box).to_have_value("changed " * 300)
    fill(mortal, box, "changed again " * 200)
    speak("en")
    mortal.turn_to("Decode")
    mortal.idle()
    page.reload()
    mortal.idle()
    mortal.turn_to("Chat")
    expect(box).to_have_value("changed again " * 200)


def test_who_types_on_while_the_page_comes_back_has_typed_that(mortal):
    page, server = mortal.page, mortal.server
    mortal.open("/train", corpus="own")
    fill(mortal, own_box(page), TO_TRAIN_ON)
    own_box(page).focus()
    with server.away():
        page.keyboard.press("Control+End")
        page.keyboard.type("typed while away", delay=30)
    page.get_by_text("Text and choices").click()  # closed, and with it the box
    page.get_by_text("Text and choices").click()
    mortal.idle()
    own_box(page).fill("newer")
    page.wait_for_timeout(2_000)
    expect(own_box(page)).to_have_value("newer")


def test_a_tokenizer_that_was_removed_does_not_come_back(mortal):
    page = mortal.page
    encoding = uses_a_trained_one(mortal)
    mortal.turn_to("Train")
    mortal.idle()
    page.reload()
    mortal.idle()
    mortal.turn_to("Compare")
    mortal.choose("Models", "my-text-512")
    page.keyboard.press("Escape")
    among = page.get_by_role("button", name=re.compile("^Remove my-text-512"))
    expect(among).to_be_visible()
    mortal.turn_to("Train")
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_role("button", name="Remove", exact=True)).to_have_count(0)
    mortal.turn_to("Playground")
    expect(encoding).to_have_value(re.compile(r"o200k_base$"))
    expect(page.get_by_role("alert")).to_have_count(0)
    mortal.turn_to("Compare")
    for again in (lambda: None, page.reload):
        again()
        mortal.idle()
        expect(page.get_by_role("button", name=re.compile("^Remove GPT-2"))).to_be_visible()
        expect(among).to_have_count(0)


def test_what_an_address_asks_for_comes_before_what_was_kept(mortal):
    page = mortal.page
    mortal.open("/chat")
    fill(mortal, chat_box(page), "long " * 400)
    mortal.open("/chat", chat='[["system", "a"], ["user", "linked"]]')
    expect(chat_box(page)).to_have_value("linked")
    mortal.idle()
    page.wait_for_timeout(1_000)
    expect(chat_box(page)).to_have_value("linked")


def test_every_page_shows_the_encoding_that_is_chosen(make_desk):
    desk = make_desk().open()
    for typed in ("", "mine"):
        desk.area.focus()
        desk.page.keyboard.type(typed)
        for page in ("Decode", "Under the hood", "Why this split", "Playground"):
            desk.turn_to(page)
            expect(desk.menu.get_by_role("link", name=page)).to_have_attribute("aria-current", "page")
            desk.idle()
            encoding = desk.page.get_by_role("combobox", name=re.compile("Model"))
            expect(encoding).to_have_value(re.compile(r"· o200k_base$"))
        assert "encoding=gpt2" not in desk.page.url


def test_a_link_stays_on_its_page_whoever_is_quick(desk):
    for wait in (0, 150):
        desk.area.focus()
        desk.page.keyboard.type("x")
        desk.follow("Why this split")
        desk.page.wait_for_timeout(wait)  # as somebody reads
        desk.follow("Decode")
        expect(desk.page.get_by_role("textbox", name="Token ids")).to_be_visible()
        heard(desk)
        assert re.search(r"/decode\b", desk.page.url)
        go_home(desk)
    assert desk.raw().count("xx")


def test_a_link_stays_on_its_page_however_slow_the_server_is(make_desk):
    """What is typed is told a moment later, but never between a click on the menu and the page that it leads to."""
    desk = make_desk(alone=True)
    held = Held(desk.page)

    def leave(press) -> None:
        held.is_on = True
        press()
        desk.page.wait_for_timeout(1_000)  # longer than a typed text waits until it is told
        held.is_on = False
        held.let_go()

    desk.open()
    for text in ("typed", "typed again"):
        desk.write(text)
        desk.expect_exact(text)
        leave(partial(desk.follow, "Decode"))
        expect(desk.page.get_by_role("textbox", name="Token ids")).to_be_visible()
        heard(desk)
        assert re.search(r"/decode\b", desk.page.url)
        at_home(desk, text)
    desk.turn_to("Compare")
    expect(desk.view).to_have_count(3)
    desk.page.get_by_label("Text to compare").fill("typed beside")
    leave(desk.page.get_by_role("link", name="Tokenloupe").click)
    expect(desk.ids).to_be_visible()
    heard(desk)
    assert "compare" not in desk.page.url
    desk.expect_exact("typed beside")


def test_what_a_browser_was_sent_is_there_when_many_turns_come_at_once(make_desk):
    """The server sends what a browser has no second time; over a slow line it has let that go meanwhile."""
    desk = make_desk(alone=True)
    held = Held(desk.page)
    desk.open().idle()
    held.is_on = True
    for page in ("Decode", "Compare", "Chat", "Decode", "Compare"):
        desk.follow(page)
        desk.page.wait_for_timeout(700)  # its run is over
    desk.page.get_by_role("link", name="Tokenloupe").click()
    desk.page.wait_for_timeout(500)
    held.is_on = False
    held.let_go()
    desk.settled()
    expect(desk.ids).to_be_visible()


def test_a_page_that_was_turned_to_is_not_cleared_away_by_what_the_one_before_says_late(make_desk):
    desk = make_desk(alone=True)
    held = Held(desk.page)
    desk.page.expose_function("hold", lambda: setattr(held, "is_on", True))
    desk.open()
    desk.settled()
    desk.page.evaluate("""() => {
        const app = document.querySelector('[data-testid=stApp]');
        let hasRun = false;
        const watch = new MutationObserver(() => {
            const runs = app.getAttribute('data-test-script-state') !== 'notRunning';
            if (runs || !hasRun) return hasRun ||= runs;
            watch.disconnect();  // what was chosen is here, and this browser is about to say so
            const links = Array.from(document.querySelectorAll('.st-key-menu a'));
            const link = links.find((one) => one.innerText === 'Decode');
            window.hold().then(() => { link.click(); window.hasLeft = true; });
        });
        watch.observe(app, { attributeFilter: ['data-test-script-state'] });
    }""")
    desk.page.get_by_text("GPT-2", exact=True).click()
    desk.page.wait_for_function("window.hasLeft")
    desk.page.wait_for_timeout(1_000)
    held.is_on = False
    held.let_go()
    ids = desk.page.get_by_role("textbox", name="Token ids")
    expect(ids).to_be_visible()
    desk.idle()
    expect(ids).to_be_visible()
    assert re.search(r"/decode\b", desk.page.url)


def test_a_page_that_comes_after_one_has_left_it_again_says_nothing(make_desk):
    desk = make_desk(alone=True)
    held = Held(desk.page)
    desk.open()
    desk.write("typed")
    desk.expect_exact("typed")
    held.is_on = True
    desk.follow("Why this split")
    desk.page.wait_for_timeout(500)
    of_why = held.waiting
    desk.follow("Decode")
    held.let_go(of_why)  # Why shows, and the next page is on its way
    desk.page.wait_for_timeout(500)
    held.is_on = False
    held.let_go()
    expect(desk.page.get_by_role("textbox", name="Token ids")).to_be_visible()
    heard(desk)
    assert re.search(r"/decode\b", desk.page.url)
    at_home(desk, "typed")


def test_what_a_bad_connection_swallows_is_told_again(make_desk):
    desk = make_desk(alone=True)
    swallowed = swallow(desk.page, b"afar")
    desk.open()
    desk.write("from\u200b afar")
    desk.expect_exact("from\u200b afar")
    expect(desk.page.locator(".st-key-finding_zero-width")).to_be_visible()  # only the server finds it
    assert swallowed
