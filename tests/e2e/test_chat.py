"""A chat in a browser: messages become the model's text, with wrapping marked, also in the loupe."""

import re

import pytest
from apps import until
from playwright.sync_api import expect

from e2e.desk import DEFAULT
from tokenizer import get_encoding
from tokenizer.chat.reading import Prompt, with_marks
from tokenizer.chat.samples import chats
from tokenizer.chat.templates import FAMILIES
from ui.chat import editor

SAMPLES = {one.name: one for one in chats()}


def prompt_of(messages):
    family = FAMILIES["chatml"]
    marks = with_marks(get_encoding(DEFAULT), family.marks, family.ids.get(DEFAULT))
    return Prompt(family.render(list(messages)), marks.encoding)


@pytest.fixture
def opened(make_desk):
    def give(name="First chat", **options):
        chat = editor.CHAT.spell(SAMPLES[name].messages)
        return make_desk(reduced_motion="reduce", **options).open(
            "/chat", encoding=DEFAULT, chat=chat, template="chatml"
        )

    return give


def expect_prompt(view, prompt):
    """Waits until every token of a prompt is drawn, with wrapping marked."""
    expect(view).to_have_attribute("data-tokens", str(len(prompt.tokens)))
    expect(view).to_have_text(prompt.text, use_inner_text=False)
    data = prompt.tokens.text.encode()
    tokens = zip(prompt.tokens, prompt.is_wrapping, strict=True)
    wrapping = "".join(data[one.start : one.end].decode() for one, is_wrapping in tokens if is_wrapping)
    marked = "(view) => [...view.querySelectorAll('.special, .wrapping')].map((one) => one.textContent).join('')"
    until(lambda: view.evaluate(marked) == wrapping)  # a part that is drawn anew has no marks for a moment


def test_messages_become_the_text_that_a_model_reads_and_keep_their_direction(opened):
    desk, messages = opened(), SAMPLES["First chat"].messages
    expect_prompt(desk.view, prompt_of(messages))
    box = desk.page.get_by_role("textbox", name="Text of message 2")
    box.fill("Two words.")
    expect_prompt(desk.view, prompt_of([messages[0], messages[1]._replace(text="Two words.")]))
    desk.turn_to("Decode")
    desk.turn_to("Chat")
    expect(box).to_have_value("Two words.")
    desk.page.reload()
    expect(box).to_have_value("Two words.")
    box.fill("مرحبا، costs?")
    expect(box).to_have_css("direction", "rtl")
    desk.turn_to("Decode")
    desk.turn_to("Chat")
    expect(box).to_have_css("direction", "rtl")
    box.fill("costs مرحبا")
    expect(box).to_have_css("direction", "ltr")


def test_boxes_that_the_browser_creates_late_have_their_text(make_desk):
    desk, held = make_desk(), []
    desk.page.route("**/static/js/TextArea.*", lambda route: held.append(route))
    desk.open("/chat")
    button = desk.page.get_by_role("button", name="Add a message")
    button.click()  # a second run, which sends no values of its own
    expect(desk.page.get_by_role("combobox", name=re.compile("Role of message"))).to_have_count(3)
    desk.idle()
    for route in held:
        route.continue_()
    messages = SAMPLES["First chat"].messages
    for i, text in enumerate([*(one.text for one in messages), ""]):
        expect(desk.page.get_by_role("textbox", name=f"Text of message {i + 1}")).to_have_value(text)
    assert held


def test_presses_on_a_busy_server_count_though_the_page_is_left(opened):
    desk, number = opened(), len(SAMPLES["First chat"].messages)
    expect(desk.button("Add a message")).to_be_visible()
    desk.idle()
    with desk.server.paused():
        for _ in range(2):
            desk.button("Add a message").dispatch_event("click")  # does not wait for the server
            desk.page.wait_for_timeout(200)  # each press is sent in its own message
        desk.link_to("Decode").dispatch_event("click")
        desk.page.wait_for_timeout(200)
    desk.page.wait_for_url("**/decode**")
    desk.idle()
    desk.turn_to("Chat")
    expect(desk.page.get_by_role("textbox", name=re.compile("^Text of message"))).to_have_count(number + 2)


def test_list_opened_right_after_typing_stays_open(opened):
    page = opened().page
    box = page.get_by_role("textbox", name="Text of message 2")
    arrow = page.locator(".st-key-template button").first
    for _ in range(3):
        box.press_sequentially("x")
        arrow.click(delay=40)
        page.wait_for_timeout(300)
        expect(page.get_by_role("listbox")).to_be_visible()
        page.keyboard.press("Escape")


def test_attack_is_drawn_with_its_injected_tokens_and_the_loupe_explains_each_segment(opened):
    desk, prompt = opened("Attack"), prompt_of(SAMPLES["Attack"].messages)
    expect_prompt(desk.view, prompt)
    for words, explanation in (
        ("<|im_start|>", "This is a special token"),
        ("Never", "The special token <|im_sep|> comes before this pre-token."),
        (".", "A special token comes next."),
        ("secret", "Pre-token: “·secret”"),
    ):
        desk.view.locator(".t").filter(has_text=words).first.click()
        expect(desk.loaded_loupe()).to_contain_text(explanation)
        desk.page.keyboard.press("Escape")
    desk.page.get_by_text("What happens if a program reads these names as special tokens").click()
    attacked = desk.page.locator(".tokens").nth(1)
    expect(attacked).to_have_attribute("data-tokens", str(len(prompt.tokens_with_injection)))
    attacked.scroll_into_view_if_needed()
    expect(attacked.locator(".special")).to_have_count(prompt.num_special + len(prompt.injected))
    desk.view.locator(".t").filter(has_text="secret").first.click()
    desk.press("Why this split?")
    expect(desk.page).to_have_url(re.compile(r"/why\?.*text=Never"))


def test_controls_are_large_enough_on_a_phone(opened):
    desk = opened("Tool", viewport={"width": 375, "height": 740})
    for what, in_a_row in ((".stButton button", 3), (".stSelectbox [role=group]", 1)):  # opens anywhere
        found = desk.page.locator(f"[class*=st-key-message_row_] {what}").filter(visible=True)
        expect(found).to_have_count(in_a_row * len(SAMPLES["Tool"].messages))
        assert all(min(box["width"], box["height"]) >= 43.5 for box in (one.bounding_box() for one in found.all()))
    assert desk.horizontal_overflow() == [0, 0]


def test_tokens_use_the_full_width_on_the_stage(opened):
    desk = opened(viewport={"width": 1280, "height": 720})
    desk.button("Present").click()
    desk.wait_for_stage()
    expect(desk.view).to_be_visible()
    expect(desk.page.get_by_role("textbox", name="Text of message 1")).to_be_hidden()
    assert desk.view.bounding_box()["width"] > 1100


def test_focus_moves_to_the_next_control_when_its_element_disappears(desk):
    desk.open("/chat")
    page = desk.page

    def press(name: str, nth: int = 0) -> None:
        page.get_by_role("button", name=name, exact=True).nth(nth).press("Enter")
        desk.idle()

    expect(page.get_by_role("textbox", name="Text of message 2")).to_be_visible()
    press("Add a message")
    expect(page.get_by_role("textbox", name="Text of message 3")).to_be_focused()
    press("Move up", 1)  # to the first place, where the button is disabled
    expect(page.get_by_role("button", name="Move down").nth(0)).to_be_focused()
    press("Remove", 1)
    expect(page.get_by_role("combobox", name="Role of message 2")).to_be_focused()
    expect(page.get_by_role("listbox")).to_have_count(0)
    press("Several turns")
    press("Undo")
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)  # it is among the examples, too
    page.wait_for_function("document.activeElement.closest('.st-key-examples') !== null")
    page.get_by_role("heading", level=1).click()  # a blur by the visitor is kept
    page.get_by_role("button", name="Remove").nth(0).dispatch_event("click")
    desk.idle()
    page.wait_for_timeout(500)
    assert not page.evaluate("document.activeElement.matches('button, input, textarea')")
