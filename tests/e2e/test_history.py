"""One undo history of the text, across pages, examples and files."""

import re

from playwright.sync_api import expect

from e2e.desk import FIRST, Desk
from tokenizer.text.samples import samples

EGG = next(one for one in samples() if one.name == "Egg")
SHARES = """(panes) => panes.map((one) => one.scrollTop / (one.scrollHeight - one.clientHeight))"""


def press(desk: Desk, key: str, label: str = "Text to tokenize") -> None:
    """Presses a key in the box of the text."""
    desk.page.get_by_role("textbox", name=label, exact=True).press(key)


def test_example_can_be_undone_and_redone_by_button_and_keys(desk):
    desk.write("")
    desk.area.focus()
    desk.page.keyboard.type("typed by hand")
    desk.try_example(EGG.label)
    desk.expect_exact(EGG.text)
    expect(desk.page.locator(".st-key-desk_options").get_by_text("Text replaced.")).to_be_visible()
    desk.button("Undo").click()
    desk.expect_exact("typed by hand")
    expect(desk.page.get_by_text("Text replaced.")).to_have_count(0)
    desk.try_example("Clear")
    desk.expect_exact("")
    for key, text in (
        *(("Control+z", "typed by hand"), ("Control+z", EGG.text), ("Control+z", "typed by hand")),
        *(("Control+z", "typed by "), ("Control+Shift+z", "typed by hand"), ("Control+y", EGG.text)),
    ):
        press(desk, key)
        desk.expect_exact(text)
        if key == "Control+Shift+z":
            assert desk.area.evaluate("(area) => area.selectionStart") == len(text)


def test_typed_text_is_shared_by_pages_and_undone_on_any(desk):
    desk.write("from the playground")
    desk.turn_to("Under the hood")
    box = desk.page.get_by_role("textbox", name="Text", exact=True)
    expect(box).to_have_value("from the playground")
    box.fill("from the hood ที่")
    expect(desk.page.get_by_text(re.compile(r"^15 graphemes, 17 characters"))).to_be_visible()  # without another key
    desk.turn_to("Why this split")
    expect(box).to_have_value("from the hood ที่")
    box.fill("from why")
    expect(desk.page.get_by_role("tab")).to_have_text(["from", " why"], use_inner_text=False)
    press(desk, "Control+z", "Text")
    expect(box).to_have_value("from the hood ที่")
    desk.turn_to("Compare")
    box = desk.page.get_by_label("Text to compare")
    expect(box).to_have_value("from the hood ที่")
    box.press("Control+z")
    expect(box).to_have_value("from the playground")
    box.press("Control+z")
    expect(box).to_have_value(FIRST)
    for _ in range(3):
        box.press("Control+Shift+z")
    expect(box).to_have_value("from why")
    desk.turn_to("Playground")
    expect(desk.ids).to_be_visible()
    desk.expect_exact("from why")


def test_streamlit_boxes_answer_while_typing(make_desk):
    desk = make_desk().open("/decode", encoding="gpt2")
    box = desk.page.get_by_role("textbox", name="Token ids")
    box.fill("")
    expect(desk.page.get_by_text("Nothing to decode yet")).to_be_visible()
    desk.page.keyboard.type("15496 995")
    expect(desk.page.locator(".strip")).to_have_text("Hello world")
    expect(box).to_be_focused()
    desk.open("/hood", view="bytes")
    box = desk.page.get_by_role("textbox", name="Bytes in hex")
    box.fill("41 E0 B8 97")
    expect(desk.page.get_by_text("4 bytes: 2 characters")).to_be_visible()


def test_typed_tokens_scroll_into_view_and_panes_scroll_together(desk):
    desk.write("a line of words\n" * 1_000)
    desk.expect_counts("a line of words\n" * 1_000)
    desk.area.focus()
    desk.page.keyboard.press("Control+End")
    desk.page.keyboard.type("the very end")
    last = desk.view.locator(".t", has_text=re.compile("^ end$"))
    expect(last).to_be_in_viewport()
    for own, other in ((desk.view, desk.area), (desk.area, desk.view)):
        own.hover()
        panes = [own.element_handle(), other.element_handle()]
        desk.page.mouse.wheel(0, (-1 if own is desk.view else 1) * own.evaluate("(one) => one.scrollHeight / 2"))
        together = (
            f"(panes) => (([own, other]) => own > 0.3 && own < 0.7 && Math.abs(own - other) < 0.02)(({SHARES})(panes))"
        )
        desk.page.wait_for_function(together, arg=panes)
        desk.page.mouse.wheel(0, -1e6)
        desk.page.wait_for_function(f"(panes) => ({SHARES})(panes).every((share) => share === 0)", arg=panes)


def test_back_and_forward_visit_each_page_once(desk):
    page = desk.page
    desk.open("/compare", encodings="gpt2,o200k_base")
    desk.idle()
    for name in ("Decode", "Compare", "Languages"):
        desk.turn_to(name)
        desk.idle()
    expect(page).to_have_url(re.compile("/languages.encodings=gpt2"))
    ways = [(page.go_back, ["compare", "decode", "compare"]), (page.go_forward, ["decode", "compare", "languages"])]
    for go, names in ways:
        for name in names:
            go()
            expect(page).to_have_url(re.compile(f"/{name}(.encodings=gpt2|$)"))
            expect(desk.page.locator(".st-key-bar b")).to_have_text(name.capitalize())
            desk.idle()
            page.wait_for_timeout(500)  # a pause as of a reader
