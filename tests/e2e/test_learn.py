"""Lessons in a browser: by keyboard, in both languages, on the stage and on a phone; progress is kept."""

import re

import pytest
from playwright.sync_api import expect

from e2e.desk import DESKTOP, PHONE, Desk
from e2e.keyboard import Keyboard, expect_highlight
from tokenizer.lessons.lesson import CHOICE, CUTS, lesson, lesson_names, words

LESSON_NAMES = lesson_names()


def question(desk: Desk):
    return desk.page.locator(".learn-question")


def verdict(desk: Desk):
    return desk.page.locator(".learn-verdict")


def go(desk: Desk, label: str) -> None:
    """Focuses a button and presses Enter."""
    button = desk.page.get_by_role("button", name=label, exact=True)
    button.focus()
    expect(button).to_be_focused()
    desk.page.keyboard.press("Enter")


MAX_TABS_TO_LESSON = 3  # from the start of the page
MAX_TABS_TO_ANSWER = 8  # from the button that opened the step, back to the question above it
MAX_TABS_TO_BUTTON = 12  # from the answer over what a step shows


def answer(keys: Keyboard, step, around) -> None:
    """Gives the right answer, from a place below the question."""
    page, right = keys.page, step.right()
    if step.ask == CUTS:
        for at in right:
            gap = page.locator(f'.gap[data-at="{at}"]')
            keys.tab_to(gap, MAX_TABS_TO_ANSWER + len(step.text), back=at == right[0])
            keys.press("Space")
            expect(gap).to_have_attribute("aria-pressed", "true")
        press(keys, around.text("check"), len(step.text))
    elif step.ask == CHOICE:
        options = page.get_by_role("radiogroup", name=around.text("guess_choice")).get_by_role("radio")
        keys.tab_to(options, MAX_TABS_TO_ANSWER, back=True)
        wanted = options.nth(step.options.index(str(right)))
        for key in ["ArrowLeft"] * len(step.options) + ["ArrowRight"] * len(step.options):
            if wanted.and_(page.locator(":focus")).count():
                break
            keys.press(key)
            keys.expect_visible_focus()
        keys.press("Space")
    else:
        keys.tab_to(page.get_by_role("spinbutton", name=around.text("guess_number")), MAX_TABS_TO_ANSWER, back=True)
        keys.type(str(int(right)))
        keys.press("Enter")


def press(keys: Keyboard, label: str, most: int = MAX_TABS_TO_BUTTON) -> None:
    """Goes on to a button and presses it."""
    keys.tab_to(keys.page.get_by_role("button", name=label, exact=True), most)
    keys.press("Enter")


@pytest.mark.parametrize(("name", "language", "where"), [("token", "th", "phone"), ("size", "en", "stage")])
def test_lesson_needs_no_mouse(make_desk, name, language, where):
    desk = make_desk(**{"viewport": PHONE} if where == "phone" else {})
    desk.open("/learn", lang=language)
    desk.wait_for_bar()
    keys, lesson_words, around = Keyboard(desk.page), words(name, language), words("page", language)
    keys.tab_to(desk.page.get_by_role("combobox", name=around.text("lesson")), MAX_TABS_TO_LESSON)
    keys.type(title := lesson_words.text("title"))
    expect_highlight(desk.page, title)
    keys.press("Enter")
    expect(question(desk)).to_have_text(lesson_words.text("question", lesson(name).steps[0].id))
    desk.idle()
    keys.tab_to(desk.button(around.text("next")), MAX_TABS_TO_BUTTON)
    if where == "stage":
        keys.press("p")
        desk.wait_for_stage()
        expect(desk.page.locator(".st-key-bar")).to_be_hidden()
    steps = lesson(name).steps
    for step in steps:
        expect(question(desk)).to_have_text(lesson_words.text("question", step.id))
        desk.idle()
        answer(keys, step, around)
        expect(verdict(desk)).to_have_text(re.compile("^✓"))
        expect(desk.page.locator(".learn-result")).to_contain_text(
            lesson_words.text("reveal", step.id, **step.show().facts)
        )
        desk.idle()
        if step != steps[-1]:
            press(keys, around.text("next"))
    desk.page.reload()
    expect(desk.page.get_by_role("radio", name=f"{len(steps)} ✓")).to_be_checked()  # progress and step are kept
    expect(desk.page.get_by_role("radio", name="2 ✓")).to_be_visible()
    after = LESSON_NAMES[LESSON_NAMES.index(name) + 1]
    desk.wait_for_bar()
    desk.idle()
    press(keys, around.text("next_lesson", title=words(after, language).text("title")), MAX_TABS_TO_BUTTON * 2)
    expect(question(desk)).to_have_text(words(after, language).text("question", lesson(after).steps[0].id))


def test_wrong_cuts_are_shown_beside_the_right_ones(make_desk):
    desk = make_desk().open("/learn", lesson="token", question="2")
    step = lesson("token").steps[1]
    desk.page.locator('.gap[data-at="1"]').click()
    desk.page.locator('.gap[data-at="3"]').click()
    desk.page.locator('.gap[data-at="1"]').click()  # removes the cut
    desk.button("Check").click()
    right = " | ".join(step.text[a:b] for a, b in zip((0, *step.right()), (*step.right(), None), strict=True))
    expect(verdict(desk)).to_have_text(f"You said {step.text[:3]} | {step.text[3:]}. It is {right}.")


def test_merges_can_be_stepped_and_tokens_open_the_loupe(make_desk):
    desk = make_desk().open("/learn", lesson="bpe", question="3")
    desk.button("Show the answer").click()
    tiles = desk.page.locator(".tiles .tile")
    expect(tiles).to_have_text(["aaab", "d", "aaab", "a", "c"])
    slider = desk.page.get_by_role("slider")
    slider.press("Home")
    expect(tiles).to_have_text([*"aaabdaaabac"])
    slider.press("ArrowRight")
    expect(tiles).to_have_text(["aa", "a", "b", "d", "aa", "a", "b", "a", "c"])
    desk.open("/learn", lesson="token", question="1")
    desk.button("Show the answer").click()
    desk.page.locator(".strip:not(.learn-pieces) .t").nth(1).click()
    desk.loaded_loupe()


def test_slider_moved_by_keyboard_updates_the_text(make_desk):
    desk = make_desk().open("/learn", lesson="size", question="1")
    desk.button("Show the answer").click()
    step, sentences = lesson("size").steps[0], desk.page.locator(".learn-result")
    slider = desk.page.get_by_role("slider")
    for key, width in [("Home", 256), ("ArrowRight", 512), ("End", 16_384)]:
        slider.press(key)
        expect(sentences).to_have_text(words("size", "en").text("reveal", "table", **step.show(width=width).facts))
    desk.button("Guess again").click()
    expect(sentences).to_have_count(0)  # the page gets shorter, which may move the button
    desk.button("Show the answer").click()
    expect(sentences).to_contain_text(words("size", "en").text("because", "table"))


@pytest.mark.parametrize(
    ("name", "number", "places"),
    [
        *(("languages", 1, ["phone"]), ("train", 3, ["phone", "stage"]), ("sentencepiece", 5, ["phone", "stage"])),
        *(("walls", 3, ["stage"]), ("beyond", 2, ["stage"]), ("beyond", 6, ["stage"])),
    ],
)
def test_step_fits_a_phone_or_the_stage(make_desk, name, number, places):
    desk = make_desk(viewport=PHONE if "phone" in places else DESKTOP)
    desk.open("/learn", lesson=name, question=str(number), lang="th")
    go(desk, words("page", "th").text("show"))
    expect(verdict(desk)).to_be_visible()
    desk.idle()
    assert desk.horizontal_overflow() == [0, 0]
    if "stage" in places:
        desk.page.set_viewport_size(DESKTOP)
        desk.enter_stage()
        expect(desk.page.locator(".st-key-bar")).to_be_hidden()
        expect(question(desk)).to_be_visible()
        assert desk.texts_smaller_than(24) == {}
        assert desk.horizontal_overflow() == [0, 0]


def test_class_is_beside_the_lesson_on_a_wide_screen(make_desk):
    desk = make_desk(viewport={"width": 1280, "height": 800}).open("/learn")
    lesson_box, class_box = question(desk).bounding_box(), desk.button("Open a class").bounding_box()
    assert lesson_box["width"] > 600
    assert lesson_box["x"] + lesson_box["width"] <= class_box["x"]


def test_thai_browser_opens_lessons_in_thai(make_desk):
    desk = make_desk(locale="th-TH").open("/learn")
    expect(question(desk)).to_have_text(words("token", "th").text("question", "count"))


def test_steps_wrap_on_a_phone_and_the_picture_is_decoded(make_desk):
    desk = make_desk(viewport=PHONE).open("/learn", lesson="oddities", question="18")
    steps = desk.page.get_by_role("radiogroup", name="Step").get_by_role("radio")
    expect(steps).to_have_count(18)
    for i in (0, 17):
        expect(steps.nth(i)).to_be_in_viewport(ratio=1)
    assert desk.horizontal_overflow() == [0, 0]
    desk.open("/learn", lesson="beyond", question="6")
    go(desk, "Show the answer")
    expect(desk.page.locator(".learn-patches td")).to_have_count(64)
    picture = desk.page.get_by_role("img", name="the picture")
    expect(desk.page.get_by_role("img", name="rebuilt from the ids").locator("i")).to_have_count(32)
    top = picture.locator("i").first
    assert desk.horizontal_overflow() == [0, 0]
    box = desk.page.get_by_role("textbox", name="Try your own text")
    before = top.get_attribute("style")
    box.fill("<b>Korn")
    box.press("Enter")
    expect(top).not_to_have_attribute("style", before)


BUSY_CLICK = """(link) => {
  link.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
  document.activeElement.blur();
  for (const end = performance.now() + 300; performance.now() < end;);
  link.click();
}"""


@pytest.mark.parametrize("is_busy", [False, True])
def test_typed_text_survives_an_immediate_page_change_also_on_a_busy_browser(make_desk, is_busy):
    desk = make_desk().open("/learn", lang="en", lesson="bpe")
    desk.button("Show the answer").click()
    box = desk.page.get_by_role("textbox", name="Try your own text")
    box.fill("banana")
    if is_busy:
        desk.link_to("Decode").evaluate(BUSY_CLICK)
        expect(desk.page.get_by_role("heading", level=1)).to_have_text("What text do token ids stand for?")
    else:
        desk.turn_to("Decode")
    desk.turn_to("Lessons")
    expect(box).to_have_value("banana")
