"""Accessibility of what a visitor opens, types and causes on each page; test_every_page.py has the pages at rest."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, expect

from e2e.axe import assert_accessible, inject_axe
from e2e.desk import Desk
from e2e.trainer import Trainer
from tokenizer.lessons.lesson import lesson, lesson_names, words

MIXED = "The แมวน้ำ, مرحبا بالعالم 👩‍👩‍👧 e\u0301 12345\n\ttabs <b>&amp;<|endoftext|>"
States = Iterator[Locator | None]  # None is the whole page


def main(desk: Desk) -> Locator:
    """The page without the bar."""
    desk.idle()
    return desk.page.get_by_test_id("stMain").locator(".stMainBlockContainer")


def popover(desk: Desk, opener: str) -> Locator:
    """The popover that a button opens."""
    desk.page.keyboard.press("Escape")
    name = desk.page.get_by_text(opener, exact=True)
    desk.page.get_by_test_id("stPopoverButton").filter(has=name, visible=True).click()
    opened = desk.page.get_by_test_id("stPopoverBody").filter(visible=True)
    expect(opened).to_be_visible()
    desk.idle()
    return opened


def radio(desk: Desk, name: str) -> Locator:
    """The page after a choice."""
    desk.page.get_by_role("radio", name=name).click()
    return main(desk)


def open_list(desk: Desk, name: str) -> None:
    """Opens a list of models."""
    desk.page.get_by_role("combobox", name=name).click()
    expect(desk.page.get_by_role("listbox").get_by_role("option").first).to_be_visible()


def playground(desk: Desk) -> States:
    desk.button("Share").click()
    yield desk.page.locator("#share")
    desk.page.keyboard.press("Escape")
    desk.setting("Theme")
    yield desk.page.locator("#settings")
    more = popover(desk, "More")
    expect(more.get_by_role("link", name="Vocabulary")).to_be_visible()
    yield more
    yield popover(desk, "Examples")
    yield popover(desk, "Open")
    large = {"name": "large.txt", "mimeType": "text/plain", "buffer": b"a" * 6_000_000}
    box = desk.page.get_by_test_id("stPopoverBody")
    box.locator("input[type=file]").set_input_files(large)
    expect(box.get_by_text("the limit is 5,000,000 bytes")).to_be_visible()
    yield box
    desk.page.keyboard.press("Escape")
    desk.try_example("Special token")  # Undo and the switch for special tokens appear
    expect(desk.page.get_by_role("radio", name="as special tokens")).to_be_visible()
    desk.write(MIXED)
    desk.expect_counts(MIXED)
    for name in ("Spaces", "Bytes"):
        desk.press(name)
    desk.page.get_by_text("How merges build").click()
    desk.page.get_by_role("slider").press("PageDown")
    desk.open_loupe(1)
    yield main(desk)
    desk.write("")
    desk.expect_counts("")
    expect(desk.page.get_by_role("radio", name="as special tokens")).to_have_count(0)  # a rerun removes it
    yield main(desk)
    open_list(desk, "Model")
    yield None


def compare(desk: Desk) -> States:
    open_list(desk, "Models")
    yield None
    desk.page.keyboard.press("Escape")
    desk.page.get_by_label("Text to compare").fill(MIXED)
    for name in ("Heat map", "Spaces", "Bytes"):
        desk.button(name).click()
    desk.page.locator(".column .tokens").nth(2).locator("[data-k]").nth(1).click()
    expect(desk.loupe).to_be_visible()
    desk.page.locator("summary", has_text="What a small change does").press("Enter")
    expect(desk.page.get_by_role("region", name="Small changes")).to_be_visible()
    yield main(desk)
    for way in ("Two texts, one encoding", "A table of texts"):
        yield radio(desk, way)


def languages(desk: Desk) -> States:
    yield popover(desk, "Options")
    desk.page.keyboard.press("Escape")
    yield radio(desk, "Your own text")
    radio(desk, "Paste text")
    for column, text in enumerate(("one\ntwo\nthree", "eins\nสอง"), 1):
        box = desk.page.get_by_label(f"Text of column {column}")
        box.fill(text)
        box.press("Control+Enter")
        desk.idle()
    expect(desk.page.get_by_text("row 3: there is no text")).to_be_visible()
    yield main(desk)
    for view in ("Token budget", "Train on mixed languages", "Scripts in vocabularies"):
        yield radio(desk, view)


def recipe(desk: Trainer) -> States:
    desk.page.get_by_text("More settings").click()
    size = desk.page.get_by_role("spinbutton", name="Vocabulary size")
    size.fill("7")
    size.press("Enter")
    expect(desk.alert.first).to_be_visible()
    yield main(desk)


def timeline(desk: Trainer) -> States:
    size = desk.page.get_by_role("spinbutton", name="Vocabulary size")
    size.fill("300")
    size.press("Enter")
    desk.train()
    desk.go(20)
    yield popover(desk, "Download")
    desk.page.keyboard.press("Escape")
    desk.view.locator("[data-k]").nth(1).click()
    desk.loaded_loupe()
    yield main(desk)
    desk.page.keyboard.press("Escape")
    desk.button("Play").click()
    yield desk.page.locator(".timeline")
    desk.page.locator('[data-do="predict"]').click()
    yield desk.page.locator(".timeline")
    desk.panel.locator(".option").first.click()
    yield desk.page.locator(".timeline")
    desk.page.locator('[data-do="predict"]').click()
    desk.page.get_by_role("button", name="Tokenize another text").click()
    desk.page.get_by_label("Your own text to tokenize").fill("")
    yield desk.page.locator(".timeline")
    before = desk.key()
    desk.panel.get_by_role("button", name=re.compile("What if")).first.click()
    desk.wait_for_timeline(before)
    yield main(desk)


REVEALED = [(1, 2), (2, 3), (4, 1), (6, 1), (7, 1), (9, 1), (10, 5), (11, 6)]  # lessons and steps of different views


def lessons(desk: Desk) -> States:
    yield from revealed(desk, REVEALED[:4])


def later_lessons(desk: Desk) -> States:
    yield from revealed(desk, REVEALED[4:])
    desk.page.get_by_text("For teachers").click()
    desk.button("Open a class").click()
    expect(desk.page.locator(".code")).to_be_visible()
    yield main(desk)


def revealed(desk: Desk, steps: list[tuple[int, int]]) -> States:
    for number, step in steps:
        desk.choose("Lesson", str(number))
        choice = desk.page.get_by_role("radiogroup", name="Step")
        choice.get_by_role("radio", name=re.compile(rf"^{step}\b")).click()
        name = lesson_names()[number - 1]
        question = words(name, "en").text("question", lesson(name).steps[step - 1].id)
        expect(desk.page.locator(".learn-question")).to_have_text(question)
        desk.idle()
        if (number, step) == REVEALED[0]:  # an answer that is marked in a word
            yield main(desk)
        desk.button("Show the answer").click()
        expect(desk.page.locator(".learn-verdict")).to_be_visible()
        desk.idle()
        yield desk.page.locator(".st-key-stage")


def why(desk: Desk) -> States:
    desk.page.get_by_role("textbox", name="Text", exact=True).fill(MIXED)
    desk.page.keyboard.press("Control+Enter")
    desk.page.get_by_role("tab").nth(1).click()
    for summary in ("Full details", "Try your own pattern"):
        desk.page.get_by_text(summary).click()
    desk.idle()  # until then the box of the text before may stand beside the new one
    desk.page.get_by_label("A regular expression", exact=True).fill("(")
    expect(desk.page.locator(".wrong")).to_be_visible()
    yield main(desk)
    desk.button("Tree").click()
    yield desk.page.locator(".ladder")


def hood(desk: Desk) -> States:
    desk.page.get_by_role("textbox", name="Text").fill(MIXED)
    desk.page.keyboard.press("Control+Enter")
    views = (
        "Normal forms",
        "Scripts and direction",
        "Four ways to split",
        "Bytes and code points",
        "Bytes to text",
        "Merge ids",
    )
    for view in views:
        yield radio(desk, view)


def decode(desk: Desk) -> States:
    ids = desk.page.get_by_role("textbox", name="Token ids")
    for typed in ("99999999 x", "976 290 8882"):
        ids.fill(typed)
        ids.press("Control+Enter")
        desk.idle()
        if typed[0] == "9" and "x" not in typed:
            desk.open_loupe(1)
        yield main(desk)


def chat(desk: Desk) -> States:
    yield popover(desk, "Paste a chat as JSON")
    yield popover(desk, "Template file")
    desk.page.keyboard.press("Escape")
    desk.button("An attack").click()
    for view in ("Tool definitions", "Split a text"):
        yield radio(desk, view)


def catalog(desk: Desk) -> States:
    yield popover(desk, "From the Hugging Face Hub")
    desk.page.keyboard.press("Escape")
    desk.page.locator(".st-key-brought_files input[type=file]").first.set_input_files(
        {"name": "bad.json", "mimeType": "", "buffer": b"{}"}
    )
    expect(desk.alert.filter(has_text="Cannot load bad.json")).to_be_visible()
    for one in desk.page.get_by_test_id("stExpander").locator("summary").all():
        one.click()
    yield main(desk)
    text = desk.page.get_by_role("textbox", name="Text", exact=True)
    text.fill(MIXED * 3)  # the outputs of the stages scroll
    text.press("Control+Enter")
    outputs = desk.page.locator(".stages .out")
    expect(outputs.last).to_contain_text("endoftext")
    yield desk.page.locator(".stages")


def vocabulary(desk: Desk) -> States:
    desk.page.get_by_role("button", name="tokens hidden: show").click()
    desk.page.get_by_role("searchbox", name="Search").fill("able")
    row = desk.page.get_by_role("grid").locator(".body .row").nth(1)
    expect(row).to_contain_text("able")
    row.click()
    desk.page.keyboard.press("Enter")
    expect(desk.loupe).to_be_visible()
    yield main(desk)
    desk.page.keyboard.press("Escape")
    desk.page.get_by_role("searchbox", name="Search").fill("no such token")
    desk.page.locator('.vocabulary[data-total="0"]').wait_for()
    yield main(desk)


def vocabulary_map(desk: Desk) -> States:
    desk.page.locator(".map[data-square]").wait_for()
    desk.page.get_by_role("searchbox", name="Go to a token").fill("able")
    expect(desk.page.get_by_role("group", name="Tokens found").get_by_role("button")).not_to_have_count(0)
    desk.page.get_by_label("Mark the tokens of a text").fill(MIXED)
    expect(desk.page.get_by_role("group", name="Tokens of the text")).to_be_visible()
    desk.page.get_by_role("application").press("ArrowRight")
    expect(desk.button("Show in the table")).to_be_visible()
    desk.idle()
    yield desk.page.locator(".map")


STATES: list[tuple[Callable[[Desk], States], str]] = [
    (playground, "/"),
    (compare, "/compare?encodings=gpt2,cl100k_base,o200k_base,p50k_base"),
    (languages, "/languages"),
    (recipe, "/train"),
    (timeline, "/train"),
    (lessons, "/learn"),
    (later_lessons, "/learn"),
    (why, "/why"),
    (hood, "/hood"),
    (decode, "/decode"),
    (chat, "/chat"),
    (catalog, "/catalog"),
    (vocabulary, "/vocabulary"),
    (vocabulary_map, "/vocabulary?encoding=gpt2&picture=map"),
]


@pytest.mark.parametrize(("states", "address"), STATES, ids=[states.__name__ for states, _ in STATES])
def test_states_are_accessible(make_desk, states, address):
    desk = make_desk(Trainer, reduced_motion="reduce").open() if address == "/train" else make_desk().open(address)
    for part in states(inject_axe(desk)):
        assert_accessible(desk, part)
