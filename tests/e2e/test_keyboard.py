"""The Playground and Train without a mouse; tests/e2e/test_learn.py goes through lessons in the same way."""

import re

from playwright.sync_api import expect

from e2e.keyboard import Keyboard, expect_highlight
from e2e.trainer import Trainer
from tokenizer import get_encoding

TEXT = "one two three"
CORPUS = "Peter Piper picked a peck of pickled peppers; how much wood would a woodchuck chuck? " * 2  # plays for 44 s
# Limits of tabs, one or two above the number that each way takes
MAX_TABS_TO_TEXT = 7  # from the start of the page
MAX_TABS_TO_MODEL = 6  # back from the tokens
MAX_TABS_IN_LOUPE = 4
MAX_TABS_TO_MENU = 20  # from the model over the rest of the page
MAX_TABS_IN_MENU = 6
MAX_TABS_TO_CONTENT = 6  # of a page that has just opened
MAX_TABS_TO_OWN_TEXT = 6
MAX_TABS_TO_SIZE = 11  # from the text
MAX_TABS_TO_TRAIN = 16  # back from the size
MAX_TABS_TO_TIMELINE = 7  # from the button that trains
MAX_TABS_TO_PAUSE = 7  # from the start of the timeline
MAX_TABS_TO_PREDICT = 7  # back from Play
MAX_TABS_TO_OPTIONS = 11
MAX_TABS_OUT = 8  # of the timeline, from the rivals


def test_playground_needs_no_mouse(make_desk):
    desk = make_desk(reduced_motion="reduce").open()
    desk.wait_for_bar()
    keys = Keyboard(desk.page)
    keys.tab_to(desk.area, MAX_TABS_TO_TEXT)
    keys.type(TEXT)
    tokens = desk.expect_exact(TEXT)
    keys.tab_to(desk.view, 1)
    for k in range(2):
        keys.press("ArrowRight")
        expect(desk.live).to_contain_text(f"token {k + 1} of {len(tokens)}: ")
    keys.press("Enter")
    expect(desk.loupe).to_be_focused()
    keys.expect_visible_focus()
    expect(desk.loupe).to_contain_text("Pre-token: “·two”")
    keys.press("ArrowRight")
    expect(desk.loupe).to_contain_text("Pre-token: “·three”")
    keys.tab_to(desk.loupe.get_by_role("button", name="Close"), MAX_TABS_IN_LOUPE)
    keys.press("Enter")
    expect(desk.loupe).to_be_hidden()
    expect(desk.view).to_be_focused()

    model = desk.page.get_by_role("combobox", name="Model")
    keys.tab_to(model, MAX_TABS_TO_MODEL, back=True)
    keys.type("gpt-2")
    expect_highlight(desk.page, "GPT-2")
    keys.press("Enter")
    desk.expect_exact(TEXT, "gpt2")
    desk.idle()
    expect(model).to_be_focused()
    keys.tab_to(desk.button("More"), MAX_TABS_TO_MENU)
    keys.press("Enter")
    keys.tab_to(desk.page.get_by_test_id("stPopoverBody").get_by_role("link", name="Decode"), MAX_TABS_IN_MENU)
    keys.press("Enter")
    expect(desk.page.get_by_role("heading", level=1)).to_be_focused()
    keys.expect_visible_focus()
    ids = desk.page.get_by_role("textbox", name="Token ids")
    expect(ids).to_have_value(" ".join(map(str, get_encoding("gpt2").encode(TEXT))))
    keys.tab_to(ids, MAX_TABS_TO_CONTENT)


def test_training_needs_no_mouse(make_desk):
    trainer = make_desk(Trainer)
    trainer.visit("/train")
    trainer.wait_for_bar()
    trainer.expect_step(0)
    keys, page = Keyboard(trainer.page), trainer.page
    keys.tab_to(trainer.button("Train on my own text"), MAX_TABS_TO_TEXT)
    keys.press("Enter")
    own = page.get_by_role("textbox", name="A text typed here")
    expect(own).to_be_visible()
    trainer.idle()
    keys.tab_to(own, MAX_TABS_TO_OWN_TEXT)
    keys.press("ControlOrMeta+a")
    keys.type(CORPUS)
    keys.press("ControlOrMeta+Enter")
    # the settings move up once there is a text, and a tooltip follows some frames later
    expect(page.get_by_text(f"{len(CORPUS)} bytes (UTF-8)")).to_be_visible()
    trainer.idle()
    keys.tab_to(page.get_by_role("spinbutton", name="Vocabulary size"), MAX_TABS_TO_SIZE)
    keys.press("ControlOrMeta+a")
    keys.type("300")
    keys.tab_to(trainer.train_button, MAX_TABS_TO_TRAIN, back=True)
    trainer.idle()
    keys.press("Enter")

    # it plays, until the keyboard enters the timeline
    expect(trainer.heading).to_have_text(re.compile(r"^Merge [1-9]"))
    expect(trainer.button("Pause")).to_be_visible()
    expect(trainer.train_button).to_be_focused()
    play = page.locator('[data-do="play"]')
    keys.tab_to(page.locator(".timeline button"), MAX_TABS_TO_TIMELINE)
    expect(play).to_have_accessible_name("Play")
    expect(trainer.button("Last")).to_be_enabled()  # it has not stopped at the end
    keys.tab_to(play, MAX_TABS_TO_PAUSE)
    keys.press("Home")
    trainer.expect_step(0)
    keys.press("Space")
    expect(play).to_have_accessible_name("Pause")
    expect(trainer.heading).to_have_text(re.compile(r"^Merge [2-9]"))  # it plays on
    keys.press("Space")
    expect(play).to_have_accessible_name("Play")
    keys.press("Home")
    keys.tab_to(trainer.button("One step forward"), 1)
    keys.press("Enter")
    trainer.expect_step(1)
    keys.tab_to(page.get_by_label("Merges applied"), 4, back=True)
    keys.press("ArrowRight")
    trainer.expect_step(2)

    predict = page.locator('[data-do="predict"]')
    keys.tab_to(predict, MAX_TABS_TO_PREDICT, back=True)
    keys.press("Enter")
    option = trainer.panel.locator(".option").first
    keys.tab_to(option, MAX_TABS_TO_OPTIONS)
    keys.press("Enter")
    expect(trainer.panel.locator(".verdict")).to_be_visible()
    expect(trainer.panel.get_by_role("button", name="Next")).to_be_focused()
    keys.press("Enter")
    expect(trainer.heading).to_have_text("Which pair becomes merge 4?")
    keys.expect_visible_focus()
    keys.press("2")
    expect(trainer.panel.locator(".score")).to_contain_text("of 2")
    keys.tab_to(predict, MAX_TABS_TO_OPTIONS + 3, back=True)
    keys.press("Enter")

    rival = trainer.panel.get_by_role("button", name=re.compile("^What if")).first
    keys.tab_to(rival, MAX_TABS_TO_OPTIONS)
    before = trainer.key()
    keys.press("Enter")
    trainer.wait_for_timeline(before)
    trainer.idle()
    expect(rival).to_be_focused()
    keys.tab_to(page.get_by_role("tab", name="Compression"), MAX_TABS_OUT)
