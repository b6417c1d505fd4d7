"""The first minute of a new visitor."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect
from waiting import awaited

from e2e.desk import FIRST, PHONE, Desk, SlowConnection
from tokenizer import get_encoding
from tokenizer.text.samples import samples
from ui.widgets.pickers import COMPARED

LAPTOP = {"width": 1280, "height": 720}
SIZES = [LAPTOP, {"width": 1280, "height": 800}, {"width": 1920, "height": 1080}, PHONE]
PIXELS = "(one) => parseFloat(getComputedStyle(one).fontSize)"


@pytest.fixture
def newcomer(desk) -> Desk:
    """A new visitor on a small laptop."""
    desk.page.set_viewport_size(LAPTOP)
    return desk


def test_counts_of_both_languages_are_shown_for_each_model(newcomer):
    page, lines = newcomer.page, FIRST.split("\n")
    for key, model in zip(COMPARED, ("GPT-2", "GPT-4", "GPT-5"), strict=True):
        page.get_by_role("radio", name=model).click()
        wanted = [f"{len(get_encoding(key).encode(line)):,}" for line in lines]
        expect(page.locator(".each dd")).to_have_text(wanted)
        newcomer.expect_exact(FIRST, key)
    english, thai = ([len(get_encoding(key).encode(line)) for key in COMPARED] for line in lines)
    assert len(set(english)) == 1 and all(before > 2 * after for before, after in pairwise(thai))


def test_typing_before_the_acknowledgement_does_not_undo_a_choice(make_desk):
    desk = make_desk(alone=True)
    line = SlowConnection(desk.page)
    desk.open()
    line.is_slow = True
    desk.choose("Model", "gpt2")
    desk.write("mine, all of it")
    line.wait_until_sent(desk.page, b"mine, all of it")
    line.deliver()
    desk.expect_exact("mine, all of it", "gpt2")
    desk.idle()
    desk.expect_counts("mine, all of it", "gpt2")
    desk.choose("Model", "o200k_base")  # a later choice counts
    desk.expect_exact("mine, all of it", "o200k_base")


def test_first_key_or_paste_replaces_the_first_text_and_can_be_undone(newcomer):
    newcomer.area.focus()
    newcomer.page.keyboard.type("Mine")
    newcomer.expect_exact("Mine")
    expect(newcomer.page.locator(".ways")).to_be_hidden()
    expect(newcomer.page.get_by_role("radio", name="GPT-2")).to_have_count(0)
    newcomer.page.keyboard.press("Control+z")
    newcomer.expect_exact(FIRST)
    expect(newcomer.page.locator(".ways")).to_be_visible()
    newcomer.area.blur()
    newcomer.area.focus()
    newcomer.paste("pasted")
    newcomer.expect_exact("pasted")


@pytest.mark.parametrize(
    ("way", "question"), [("Teach a class", "Guess first"), ("Compare two languages", "another language")]
)
def test_buttons_of_the_first_page_open_their_pages(newcomer, way, question):
    newcomer.page.get_by_role("button", name=way).click()
    expect(newcomer.page.get_by_role("heading", level=1)).to_contain_text(question)
    if "languages" in way:
        expect(newcomer.page.get_by_label("Text of column 1, one sentence per line")).to_be_visible()


def test_button_for_own_text_focuses_the_box(newcomer):
    newcomer.page.get_by_role("button", name="Count my text").click()
    expect(newcomer.area).to_be_focused()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size['width']}x{size['height']}")
def test_count_is_the_largest_text_after_the_input_and_in_view(desk, size):
    desk.page.set_viewport_size(size)
    desk.write("One two three")
    desk.expect_exact("One two three")
    count = desk.count("tokens")
    others = desk.page.locator("h1, .numbers dd:not([data-count=tokens])").all()
    assert count.evaluate(PIXELS) >= 1.5 * max(one.evaluate(PIXELS) for one in others if one.is_visible())
    box = count.bounding_box()
    assert box["y"] + box["height"] <= size["height"]
    assert len([one for one in desk.page.locator(".numbers > dl > div").all() if one.is_visible()]) == 5
    desk.page.get_by_text("More", exact=True).click()
    expect(desk.count("graphemes")).to_have_text("13")


def test_models_are_found_by_their_common_names(desk):
    picker = desk.page.get_by_role("combobox", name=re.compile("Model"))
    expect(picker).to_have_value("GPT-5 · o200k_base")
    for typed, key, label in (("gpt-4o", "o200k_base", "GPT-4o · o200k_base"), ("gpt-2", "gpt2", "GPT-2 · gpt2")):
        picker.click()
        picker.fill(typed)
        desk.page.get_by_role("option", name=label).click()
        desk.expect_exact(FIRST, key)
        expect(picker).to_have_value(label)


def test_special_token_switch_is_shown_only_where_the_text_has_one(desk):
    switch = desk.page.get_by_role("radio", name="as special tokens")
    expect(switch).to_have_count(0)
    desk.page.get_by_role("button", name="Special token", exact=True).click()
    expect(switch).to_be_visible()
    desk.read_special("special")
    desk.expect_exact(next(one.text for one in samples() if one.label == "Special token"), special="special")
    desk.page.get_by_role("button", name="Clear").click()
    expect(switch).to_have_count(0)
    desk.expect_exact("", special="special")


def test_theme_choice_is_applied_and_kept(make_desk):
    desk = make_desk(color_scheme="light", alone=True).open()
    desk.wait_for_bar()
    app, look = desk.page.get_by_test_id("stApp"), desk.page.get_by_role("combobox", name="Theme")
    for chosen, scheme in (("dark", "dark"), ("system", "light"), ("light", "light"), ("dark", "dark")):
        look.select_option(chosen)
        expect(app).to_have_css("color-scheme", scheme)
    desk.turn_to("Decode")
    expect(desk.page.get_by_role("textbox", name="Token ids")).to_be_visible()
    expect(app).to_have_css("color-scheme", "dark")
    desk.page.reload()
    expect(app).to_have_css("color-scheme", "dark")
    expect(look).to_have_value("dark")
    look.select_option("system")
    expect(app).to_have_css("color-scheme", "light")


def test_font_size_grows_with_the_window(desk):
    sizes = []
    for width in (1280, 1920, 2560):
        desk.page.set_viewport_size({"width": width, "height": 1080})
        sizes.append(desk.view.evaluate(PIXELS))
    assert sizes == sorted(set(sizes))


def test_buttons_do_not_overlap_the_menu(desk):
    for width in (1280, 1265, 1264, 1100, 1024, 800):
        desk.page.set_viewport_size({"width": width, "height": 720})
        last = desk.page.locator(".st-key-menu a, .st-key-bar .stPopover button").filter(visible=True).last
        link, stage = last.bounding_box(), desk.button("Present").bounding_box()
        assert link["x"] + link["width"] <= stage["x"], width


def test_text_is_reached_within_five_tabs(make_desk):
    desk = make_desk().open()
    for _ in range(5):
        desk.page.keyboard.press("Tab")
        if desk.area.evaluate("(area) => area.matches(':focus')"):
            return
    pytest.fail("five Tabs do not reach the text")


def test_phone_menu_opens_a_page_and_names_it(make_desk):
    desk = make_desk(viewport=PHONE).open("/compare")
    bar = desk.page.locator(".st-key-bar")
    expect(bar.get_by_text("Compare", exact=True).first).to_be_visible()
    desk.button("Menu").click()
    menu = desk.page.get_by_test_id("stPopoverBody")
    menu.get_by_role("link", name="Decode").click()
    expect(desk.page.get_by_role("heading", level=1)).to_contain_text("ids")
    expect(menu).to_be_hidden()


def test_phone_menu_closes_where_its_press_was_missed(make_desk):
    """As with a press before the bar is loaded."""
    desk = make_desk(viewport=PHONE, alone=True)
    desk.page.add_init_script("addEventListener('click', (event) => event.stopImmediatePropagation());")
    desk.open("/compare").wait_for_bar()
    desk.button("Menu").click()
    menu = desk.page.get_by_test_id("stPopoverBody")
    menu.get_by_role("link", name="Decode").click()
    expect(desk.page.get_by_role("heading", level=1)).to_contain_text("ids")
    expect(menu).to_be_hidden()


@pytest.mark.parametrize("path", ["/", "/compare"])
def test_first_tokens_are_in_view_on_a_phone(make_desk, path):
    desk = make_desk(viewport=PHONE, has_touch=True).open(path)
    expect(desk.view.first.locator("[data-k]").first).to_be_in_viewport(ratio=1)


def test_too_large_file_shows_a_notice_at_its_upload(make_desk):
    desk = make_desk().open()
    desk.write("mine")
    desk.open_upload_popover()
    box = desk.page.locator(".st-key-upload")
    box.locator("input[type=file]").set_input_files(
        {"name": "large.txt", "mimeType": "text/plain", "buffer": b"a" * 6_000_000}
    )
    said = box.get_by_text("must be 5.0MB or smaller")
    expect(said).to_be_visible()
    size = said.bounding_box()
    assert size["width"] > 100 and size["height"] > 10 and said.evaluate(PIXELS) >= 14
    expect(desk.area).to_have_value("mine")


def test_clear_keeps_the_focus_in_the_box(desk):
    desk.page.get_by_role("button", name="Clear").click()
    expect(desk.area).to_be_focused()
    desk.page.keyboard.type("mine")
    desk.expect_exact("mine")


def test_own_text_is_one_press_away_on_train(make_desk):
    desk = make_desk().open("/train")
    desk.button("Use my own text").click()
    box = desk.page.get_by_role("textbox", name="My own text")
    expect(box).to_be_visible()
    box.fill("hug pug hug bun hugs " * 20)
    expect(desk.button("Train")).to_be_enabled()
    desk.button("Train").click()
    expect(desk.page.get_by_text("First whole word")).to_be_visible()


# Types as soon as there is a box, before its script is loaded.
TYPES_AT_ONCE = """
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (...given) {
    const root = attach.apply(this, given);
    new MutationObserver((_, observer) => {
      const area = root.querySelector('textarea');
      if (!area || window.hasTyped) return;
      window.hasTyped = true;
      observer.disconnect();
      area.value = 'mine';
      area.dispatchEvent(new Event('input', { bubbles: true }));
    }).observe(root, { childList: true, subtree: true });
    return root;
  };
"""


@pytest.mark.parametrize("path", ["/", "/why"])
def test_text_typed_before_the_script_loads_is_kept(make_desk, path):
    desk = make_desk(alone=True)
    desk.page.add_init_script(TYPES_AT_ONCE)
    desk.visit(path)
    area = desk.page.get_by_role("textbox", name=re.compile("^Text"))
    expect(area).to_have_value("mine")
    desk.idle()
    expect(area).to_have_value("mine")
    area.press("Control+z")
    expect(area).to_have_value(FIRST)
    desk.turn_to("Compare")
    expect(desk.page.get_by_role("textbox", name="Text to compare")).to_have_value(FIRST)


def test_text_typed_before_the_script_loads_is_sent_to_streamlit(blank):
    blank.evaluate("document.body.replaceChildren(document.createElement('textarea'))")
    blank.locator("textarea").focus()
    blank.keyboard.type("9246, 318")
    blank.evaluate("""() => document.querySelector('textarea').addEventListener('keydown', (event) => {
      window.key_event = [event.key, event.ctrlKey];
    })""")  # as Streamlit listens
    begin = "import('/ui/components/js/streamlit/streamlit-inputs.js').then((one) => one.default())"
    awaited(blank, begin, what="the script of text boxes")
    key_event = blank.wait_for_function("window.key_event")
    assert key_event.json_value() == ["Enter", True]
