"""The Why page in a browser: ladders against tiktoken, stepping, the pattern lab, links."""

import re

import pytest
from apps import until
from oracles import contrast, ladder_rows
from playwright.sync_api import Page, expect

from e2e.desk import DEFAULT, FIRST, HeldMessages, Tab, clear_storage
from e2e.server import Server
from tokenizer import get_encoding, pre_tokens
from tokenizer.encoding.ladder import ladder

TEXT = "The tokenizers don't ที่นี่มีน้ำ 12345 مَرْحَبًا 👩‍👩‍👧"
HOSTILE = "<img src=x onerror=alert(1)> [a](http://b) \u202e"


class Why(Tab):
    """The page in one browser tab."""

    def __init__(self, page: Page, server: Server):
        super().__init__(page, server)
        self.desk = page.locator(".ladder")
        self.tabs = page.get_by_role("tab")
        self.scene = page.locator(".scene")
        self.why = page.locator(".why")
        self.lanes = page.locator(".st-key-why_lanes .lanes li")
        self.pattern = page.get_by_label("A regular expression", exact=True)

    def open(self, **query: str) -> "Why":
        """Opens the page with these choices in its address."""
        self.visit("/why", **query)
        expect(self.tabs.first).to_be_visible()
        return self

    def write(self, text: str) -> None:
        """Writes a text and waits until it is shown."""
        area = self.page.get_by_label("Text", exact=True)
        area.fill(text)
        area.press("Control+Enter")
        expect(self.desk).to_have_attribute("data-text", text)

    def choose_piece(self, number: int) -> None:
        """Selects a piece and waits for its ladder."""
        self.tabs.nth(number).click()
        self.expect_piece(number)

    def expect_piece(self, number: int) -> None:
        """Waits until the ladder of this piece is shown."""
        expect(self.tabs.nth(number)).to_have_attribute("aria-selected", "true")
        expect(self.page.locator(".which")).to_have_text(re.compile(rf"^pre-token {number + 1} of"))
        expect(self.desk).not_to_have_class(re.compile("stale"))

    def ids(self) -> list[int]:
        """Returns the drawn ids of the final tokens."""
        return [
            int(words.removeprefix("id ")) for words in self.page.locator(".outcome .token small").all_inner_texts()
        ]

    def row(self) -> list[int]:
        """Returns the ids of the parts in the current row."""
        return self.scene.locator(".part.now").evaluate_all("(parts) => parts.map((part) => Number(part.dataset.id))")

    def expect_state(self, state: int) -> None:
        """Waits until `state` merges are applied."""
        expect(self.desk).to_have_attribute("data-state", str(state))


@pytest.fixture
def why(reuse_page) -> Why:
    """The page, reused from the previous test, with cl100k_base, TEXT and its first piece."""
    why = reuse_page(Why, "/why")
    why.choose("Model", "cl100k_base")
    why.write(TEXT)
    why.choose_piece(0)
    return why


def test_link_opens_at_its_piece_and_the_address_follows(make_desk):
    why = make_desk(Why).open(encoding="o200k_base", at="30")
    chosen = why.page.locator(".pieces [aria-selected=true]")
    expect(chosen).to_have_text(" another")
    why.choose_piece(2)
    expect(why.page).to_have_url(re.compile("at=8"))
    link = why.page.url
    why.page.set_viewport_size({"width": 375, "height": 740})
    clear_storage(why.page, why.server)  # as another visitor
    why.page.goto(link)
    expect(chosen).to_have_text(" thought")
    assert why.page.evaluate("document.documentElement.scrollWidth") <= 375


def test_sign_of_a_space_is_readable_on_every_colour_of_pieces(why):
    why.write("a" + " word" * 9)
    colors = """(signs) => signs.map((one) =>
      [getComputedStyle(one.closest('.piece')).backgroundColor, getComputedStyle(one, '::before').color])"""
    for scheme in ("light", "dark"):
        why.page.emulate_media(color_scheme=scheme)
        expect(why.page.get_by_test_id("stApp")).to_have_css("color-scheme", scheme)
        found = {own: contrast(own, ink) for own, ink in why.page.locator(".piece .sign").evaluate_all(colors)}
        assert len(found) >= 6 and min(found.values()) >= 4.5, (scheme, found)


def test_page_opens_at_a_word_of_some_merges_played_to_its_end(make_desk):
    why = make_desk(Why, viewport={"width": 1280, "height": 720}).open()
    pieces = pre_tokens(FIRST, DEFAULT)
    counts = [len(ladder(piece.text.encode(), get_encoding(DEFAULT)).steps) for piece in pieces]
    opened = next(i for i, count in enumerate(counts) if 3 <= count <= 6)
    why.expect_piece(opened)
    why.expect_state(counts[opened])
    scene = why.scene.bounding_box()
    assert scene["y"] + scene["height"] <= 720
    why.choose_piece(1)
    expect(why.page.locator(".plain")).to_have_text(
        "This pre-token (a space, then a run of letters) ends before a space."
    )
    expect(why.why).to_be_hidden()
    why.page.get_by_text("Full details").click()
    expect(why.why).to_contain_text("o200k_base stops before U+0020")
    why.button("Emoji").click()
    expect(why.button("Undo")).to_be_visible()
    why.button("Undo").click()
    expect(why.desk).to_have_attribute("data-text", FIRST)


def test_keys_step_through_merges_and_pieces(why):
    replayed = ladder(b" tokenizers", get_encoding("cl100k_base"))
    why.tabs.first.focus()
    why.page.keyboard.press("ArrowRight")
    why.expect_piece(1)
    expect(why.tabs.nth(1)).to_be_focused()
    rows, last = list(ladder_rows(replayed, get_encoding("cl100k_base"))), len(replayed.steps)
    why.expect_state(last)
    why.scene.focus()
    on, back = "ArrowRight", "ArrowLeft"
    for key, state in [("End", last), ("Home", 0), (on, 1), (on, 2), (back, 1), ("End", last)]:
        why.page.keyboard.press(key)
        why.expect_state(state)
        parts, candidates = rows[state]
        assert why.row() == [part.id for part in parts]
        if state < last:
            ranks = [rank for rank, _ in candidates]
            expect(why.page.locator(".rivals .winner small")).to_have_text(f"rank {ranks[0]}")
            expect(why.scene.locator(".gap.next")).to_have_text(str(ranks[0]))
            shown = [int(gap) for gap in why.scene.locator(".gap:not(.none)").all_inner_texts()]
            assert sorted(shown) == sorted(ranks)
    assert why.ids() == get_encoding("cl100k_base").encode(" tokenizers") == why.row()
    why.page.keyboard.press("Home")
    why.page.keyboard.press("+")
    why.page.keyboard.press("+")
    why.page.keyboard.press(" ")
    why.expect_state(last)
    why.page.keyboard.press("Shift+ArrowLeft")
    why.expect_state(max(0, last - 10))
    why.page.keyboard.press("End")
    why.page.get_by_role("button", name="Tree").click()  # shows every merge once
    drawn = why.scene.locator(".part.node").evaluate_all("(parts) => parts.map((part) => Number(part.dataset.id))")
    assert sorted(drawn) == sorted([part.id for part in replayed.base] + [step.rank for step in replayed.steps])


def test_lab_redraws_lanes_shows_errors_and_opens_train(why):
    why.page.get_by_text("Try your own pattern").click()
    why.pattern.fill(HOSTILE + "(")
    expect(why.page.locator(".wrong")).to_be_visible()
    assert why.page.locator(".stMain .wrong img, .stMain script").count() == 0
    why.pattern.fill(r"[\p{L}\p{M}]+|\s")
    expect(why.lanes).to_have_count(6)
    expect(why.lanes.last).to_contain_text("my own regex")
    expect(why.page.locator(".alternatives tbody tr")).to_have_count(3)
    why.pattern.press("End")
    why.pattern.press_sequentially("|(")
    expect(why.page.locator(".wrong b")).to_be_visible()
    expect(why.page.get_by_text("a ) is missing")).to_be_visible()
    expect(why.lanes).to_have_count(5)
    why.pattern.press("Backspace")
    why.pattern.press_sequentially(r"\d{1,3}")
    pattern = r"[\p{L}\p{M}]+|\s|\d{1,3}"
    expect(why.page.locator(".alternatives tbody tr")).to_have_count(4)
    why.page.get_by_role("button", name="Train with this pattern").click()
    expect(why.page).to_have_url(re.compile("/train"))
    expect(why.page.get_by_label("My own regex", exact=True)).to_have_value(pattern)


def test_text_typed_into_a_new_box_stays_when_the_next_run_draws_the_box(own_tab, server):
    held, why = HeldMessages(own_tab), Why(own_tab, server)
    why.open()
    held.is_on = True
    own_tab.get_by_text("Try your own pattern").click()
    held.wait_until_complete()
    with_box = held.waiting
    own_tab.get_by_text("A split pattern that changed from Qwen 3 to Qwen 3.5").click()
    held.wait_until_complete()
    held.release(with_box)
    why.pattern.fill("(")
    drawn_again = held.waiting
    until(lambda: own_tab.wait_for_timeout(50) or held.waiting > drawn_again)  # the server has what was typed
    held.stop()
    expect(own_tab.locator(".wrong")).to_be_visible()
    expect(why.pattern).to_have_value("(")


def test_markup_and_the_ends_of_a_pre_token_are_shown_as_text(why):
    why.write("ที่นี่" + HOSTILE)
    expect(why.page.locator(".outcome .end").first).to_have_text("start of the text")
    expect(why.page.locator(".outcome .end").last).to_have_text("the split pattern splits the text here")
    expect(why.why).to_contain_text("cl100k_base stops before “◌ี” (U+0E35")
    expect(why.page.locator(".note")).to_contain_text("byte E0 (224 in decimal) has id 156")
    for number in range(4, 7):
        why.choose_piece(number)
    assert why.page.locator(".ladder img, .stMain script").count() == 0
    assert why.dialogs == []
