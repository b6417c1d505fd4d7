"""The first minute of a new visitor."""

import re
from itertools import pairwise

import pytest
from apps import until
from playwright.sync_api import expect
from waiting import awaited

from e2e.desk import DESKTOP, FIRST, MAIN_PAGES, PHONE, Desk, HeldMessages, SlowConnection
from tokenizer import get_encoding
from ui.widgets.pickers import COMPARED

LAPTOP = {"width": 1280, "height": 720}
SIZES = [LAPTOP, DESKTOP, {"width": 1920, "height": 1080}, PHONE]
TOKENS = "Tokens. Arrow keys move from token to token, Enter opens the loupe."
MODELS = ("GPT-2", "GPT-4", "GPT-5")
MORE_PAGES = ["Why this split", "Under the hood", "Decode", "Chat", "Tokenizers", "Vocabulary"]
# What a visitor can press, type in or focus in the first screen, without opening anything.
CONTROLS = """() => {
  const found = [], kinds = 'a[href], button, input, select, textarea, summary, [tabindex]';
  const walk = (root) => {
    for (const one of root.querySelectorAll('*')) {
      if (one.shadowRoot) walk(one.shadowRoot);
      const { top, bottom, width } = one.getBoundingClientRect();
      const isSeen = one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && width > 1;
      if (one.matches(kinds) && one.tabIndex >= 0 && isSeen && top < innerHeight && bottom > 0)
        found.push(one.ariaLabel || one.textContent.trim().slice(0, 40) || one.tagName);
    }
  };
  walk(document);
  return found;
}"""
# The name of the focused element, its top and its bottom.
FOCUSED = """() => {
  let one = document.activeElement;
  while (one.shadowRoot?.activeElement) one = one.shadowRoot.activeElement;
  const { top, bottom } = one.getBoundingClientRect(), y = document.querySelector('[data-testid=stMain]').scrollTop;
  const label = one.closest('.stSelectbox')?.querySelector('label');
  return [one.ariaLabel ?? (label ?? one.querySelector('p') ?? one).innerText, y + top, y + bottom];
}"""
PIXELS = "(one) => parseFloat(getComputedStyle(one).fontSize)"


@pytest.fixture
def newcomer(desk) -> Desk:
    """A new visitor on a small laptop."""
    desk.page.set_viewport_size(LAPTOP)
    return desk


def test_cost_of_both_languages_stands_below_the_total_for_each_model(newcomer):
    page, lines = newcomer.page, FIRST.split("\n")
    sentence = page.get_by_text("Thai costs")
    for key, model in zip(COMPARED, MODELS, strict=True):
        page.get_by_role("radio", name=model).click()
        english, thai = (len(get_encoding(key).encode(line)) for line in lines)
        wanted = f"Thai costs {thai / english:.1f} times English: {thai} tokens instead of {english}."
        expect(sentence).to_have_text(wanted)
        newcomer.expect_exact(FIRST, key)
        expect(newcomer.count("tokens")).to_have_text(str(len(get_encoding(key).encode(FIRST))))
    for size in (LAPTOP, PHONE):
        page.set_viewport_size(size)
        total = newcomer.count("tokens").bounding_box()
        assert sentence.bounding_box()["y"] >= total["y"] + total["height"]
        expect(sentence).to_be_in_viewport(ratio=1)
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
    expect(newcomer.page.get_by_text("A token is a piece of text")).to_be_hidden()
    newcomer.page.keyboard.press("Control+z")
    newcomer.expect_exact(FIRST)
    expect(newcomer.page.locator(".ways")).to_be_visible()
    expect(newcomer.page.get_by_text("A token is a piece of text")).to_be_in_viewport(ratio=1)
    newcomer.area.blur()
    newcomer.area.focus()
    newcomer.paste("pasted")
    newcomer.expect_exact("pasted")


def test_buttons_of_the_first_page_focus_the_box_or_open_their_pages(newcomer):
    newcomer.page.get_by_role("button", name="Count my text").click()
    expect(newcomer.area).to_be_focused()
    heading = newcomer.page.get_by_role("heading", level=1)
    newcomer.page.get_by_role("button", name="Teach a class").click()
    expect(heading).to_contain_text("Short lessons")
    newcomer.turn_to("Playground")
    newcomer.page.get_by_role("button", name="Compare two languages").click()
    expect(heading).to_contain_text("each language")
    expect(newcomer.page.get_by_label("Text of column 1, one sentence per line")).to_be_visible()


def test_count_is_the_largest_text_after_the_input_and_in_view(desk):
    desk.write("One two three")
    desk.expect_exact("One two three")
    count = desk.count("tokens")
    for size in SIZES:
        desk.page.set_viewport_size(size)
        others = desk.page.locator("h1, .numbers dd:not([data-count=tokens])").filter(visible=True).all()
        assert count.evaluate(PIXELS) >= 1.5 * max(one.evaluate(PIXELS) for one in others), size
        box = count.bounding_box()
        assert box["y"] + box["height"] <= size["height"]
        expect(desk.page.locator(".numbers > dl > div").filter(visible=True)).to_have_count(5)
    desk.open_details()
    expect(desk.count("graphemes")).to_have_text("13")


def test_models_are_found_by_their_common_names(desk):
    picker = desk.page.get_by_role("combobox", name=re.compile("Model"))
    expect(picker).to_have_value("GPT-5 · o200k_base (GPT-5 mini)")
    gpt_4o = "GPT-4o · o200k_base (GPT-4o mini, ChatGPT-4o)"
    for typed, key, label in (("chatgpt", "o200k_base", gpt_4o), ("gpt-2", "gpt2", "GPT-2 · gpt2")):
        picker.click()
        picker.fill(typed)
        desk.page.get_by_role("option", name=label).click()
        desk.expect_exact(FIRST, key)
        expect(picker).to_have_value(label)


def test_theme_choice_is_applied_and_kept(make_desk):
    desk = make_desk(color_scheme="light", alone=True).open()
    desk.wait_for_bar()
    app, look = desk.page.get_by_test_id("stApp"), desk.setting("Theme")
    for chosen, scheme in (("dark", "dark"), ("system", "light"), ("light", "light"), ("dark", "dark")):
        look.select_option(chosen)
        expect(app).to_have_css("color-scheme", scheme)
    desk.turn_to("Decode")
    expect(desk.page.get_by_role("textbox", name="Token ids")).to_be_visible()
    expect(app).to_have_css("color-scheme", "dark")
    desk.page.reload()
    expect(app).to_have_css("color-scheme", "dark")
    desk.wait_for_bar()
    look = desk.setting("Theme")
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
        last = desk.button("More")
        link, stage = last.bounding_box(), desk.button("Present").bounding_box()
        assert link["x"] + link["width"] <= stage["x"], width


@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_keyboard_order_is_the_order_on_screen(desk, size):
    desk.page.set_viewport_size(size)
    desk.wait_for_bar()
    desk.page.get_by_role("combobox", name="Model").focus()
    places = [desk.page.evaluate(FOCUSED)]
    while len(places) < 11:
        desk.page.keyboard.press("Tab")
        places.append(desk.page.evaluate(FOCUSED))
    names = [name for name, *_ in places]
    assert names[:6] == ["Model", "Open", "Examples", "GPT-5 (2025)", "Text to tokenize", TOKENS]  # the chosen model
    assert not any(name and name in FIRST for name in names[6:]), names  # no token is a stop
    for (name, before, _), (next_name, _, after) in pairwise(places):
        assert after > before, f"{next_name} is above {name}"


@pytest.mark.parametrize(("size", "most"), [(DESKTOP, 25), (PHONE, 12)])
def test_first_screen_has_few_controls(make_desk, size, most):
    desk = make_desk(viewport=size, has_touch=size == PHONE).open()
    desk.wait_for_bar()
    desk.idle()
    found = desk.page.evaluate(CONTROLS)
    assert len(found) <= most, found


def test_bar_has_the_name_five_links_and_a_menu_that_explains_the_others(desk):
    bar = desk.page.locator(".st-key-bar")
    expect(bar.get_by_role("link")).to_have_text(["Tokenloupe", *MAIN_PAGES])
    expect(bar.get_by_text("Tokenloupe")).to_be_visible()
    expect(bar.get_by_role("button")).to_have_text([re.compile("^More"), "Present", "Share", "⋯"])
    desk.button("More").click()
    links = desk.page.get_by_test_id("stPopoverBody").get_by_role("link")
    expect(links).to_have_count(len(MORE_PAGES))
    expect(links.last).to_contain_text(MORE_PAGES[-1])
    lines = [one.inner_text().split("\n") for one in links.all()]
    assert [name for name, _ in lines] == MORE_PAGES and all(len(explanation) > 15 for _, explanation in lines)
    desk.page.keyboard.press("Escape")
    desk.button("Share").click()
    items = desk.page.locator("#share button:not([hidden])")
    expect(items).to_have_text(["Copy link", "QR code", "Save as a file", "Picture (PNG)", "Picture (SVG)"])
    desk.page.keyboard.press("Escape")
    expect(items.first).to_be_hidden()


def test_phone_menus_hold_the_same_as_the_bar_and_name_the_page_that_they_open(make_desk):
    desk = make_desk(viewport=PHONE, has_touch=True).open()
    menu = desk.page.get_by_test_id("stPopoverBody")
    desk.button("More").click()
    links = menu.get_by_role("link")
    expect(links).to_have_count(len(MAIN_PAGES) + len(MORE_PAGES))
    expect(links.last).to_contain_text(MORE_PAGES[-1])
    assert [one.inner_text().split("\n")[0] for one in links.all()] == [*MAIN_PAGES, *MORE_PAGES]
    desk.page.keyboard.press("Escape")
    desk.share("QR code")
    expect(desk.page.get_by_role("img", name="QR code of the link")).to_be_visible()
    desk.page.get_by_role("button", name="Close").click()
    for name in ("Theme", "Language · ภาษา"):
        expect(desk.setting(name)).to_be_visible()
    desk.page.keyboard.press("Escape")
    desk.follow("Compare")
    expect(desk.page.get_by_role("heading", level=1)).to_contain_text("between tokenizers")
    expect(menu).to_be_hidden()
    expect(desk.page.locator(".st-key-bar").get_by_text("Compare", exact=True).first).to_be_visible()


def test_links_of_the_bar_keep_their_places_on_every_page(desk):
    places = set()
    for page in (*MAIN_PAGES, "Decode"):
        desk.turn_to(page)
        desk.idle()
        links = [*desk.menu.get_by_role("link").all(), desk.button("More")]
        places.add(tuple((box["x"], box["y"], box["width"]) for box in (one.bounding_box() for one in links)))
    assert len(places) == 1, places
    expect(desk.page.locator(".st-key-bar").get_by_text("Decode", exact=True)).to_be_visible()


@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_total_and_tokens_keep_their_places_after_the_first_key(newcomer, size):
    page = newcomer.page
    page.set_viewport_size(size)

    def places():
        return [one.bounding_box()["y"] for one in (newcomer.count("tokens"), newcomer.view, newcomer.ids)]

    page.mouse.move(0, 0)
    before = places()
    newcomer.area.focus()
    page.keyboard.type("one\ntwo\nthree\nfour")
    newcomer.expect_exact("one\ntwo\nthree\nfour")
    expect(page.locator(".cost button:not([hidden])")).to_be_attached()
    assert places() == before


def test_phone_shows_tokens_below_the_text_and_counts_in_one_row(make_desk):
    desk = make_desk(viewport=PHONE, has_touch=True).open()
    desk.write("A line.\n" * 5)
    desk.expect_exact("A line.\n" * 5)
    model, opener = desk.page.get_by_role("combobox", name="Model"), desk.page.get_by_role("button", name="Open").last
    assert abs(model.bounding_box()["y"] - opener.bounding_box()["y"]) < 5 and opener.bounding_box()["width"] < 60
    text, tokens = desk.area.bounding_box(), desk.view.bounding_box()
    assert 0 <= tokens["y"] - (text["y"] + text["height"]) <= 16
    for line in desk.view.locator(".line").all()[:5]:
        expect(line).to_be_in_viewport(ratio=1)
    counts = [one.bounding_box() for one in desk.page.locator(".numbers dd").all()]
    assert max(one["y"] for one in counts) < min(one["y"] + one["height"] for one in counts)
    desk.open("/compare")
    expect(desk.view.first.locator("[data-k]").first).to_be_in_viewport(ratio=1)


def test_phone_menu_closes_where_its_press_was_missed(make_desk):
    """As with a press before the bar is loaded."""
    desk = make_desk(viewport=PHONE, alone=True)
    desk.page.add_init_script("addEventListener('click', (event) => event.stopImmediatePropagation());")
    desk.open("/compare").wait_for_bar()
    menu = desk.page.get_by_test_id("stPopoverBody")
    desk.follow("Decode")
    expect(desk.page.get_by_role("heading", level=1)).to_contain_text("ids")
    expect(menu).to_be_hidden()


def test_too_large_file_shows_a_notice_at_its_upload(make_desk, tmp_path):
    desk = make_desk().open()
    desk.write("mine")
    desk.open_upload_popover()
    box = desk.page.locator("[class*=st-key-opened_files] input[type=file]")
    for size, words in {6 * 10**6: "the limit is 5,000,000 bytes", 41 * 2**20: "must be 40.0MB or smaller"}.items():
        with (tmp_path / f"{size}.txt").open("wb") as large:
            large.truncate(size)
        box.set_input_files(large.name)
        notice = desk.page.get_by_test_id("stPopoverBody").get_by_text(words)
        expect(notice).to_be_visible()
        place = notice.bounding_box()
        assert place["width"] > 100 and place["height"] > 10 and notice.evaluate(PIXELS) >= 14
    expect(desk.area).to_have_value("mine")


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
    begin = "import('/web/js/streamlit/streamlit-inputs.js').then((one) => one.default())"
    awaited(blank, begin, what="the script of text boxes")
    key_event = blank.wait_for_function("window.key_event")
    assert key_event.json_value() == ["Enter", True]


# ---- the slider through the years ----


def test_slider_shows_the_tokens_before_the_server_runs_the_page_again(make_desk):
    desk = make_desk(alone=True)
    messages = HeldMessages(desk.page)
    desk.open()
    for key, model in zip(COMPARED, MODELS, strict=True):  # the server loads all three
        desk.page.get_by_role("radio", name=model).click()
        desk.expect_exact(FIRST, key)
    desk.idle()
    messages.is_on = True
    press = """(model) => Array.from(document.querySelectorAll('.st-key-years [role=radio]'))
      .find((one) => one.textContent.startsWith(model)).click()"""
    shown = """() => {
      const { shadowRoot: root } = Array.from(document.querySelectorAll('*')).find((one) => one.shadowRoot
        ?.querySelector('.times'));
      const [times, total] = ['.times', '[data-count=tokens]'].map((one) => root.querySelector(one).textContent);
      return [total, times.match(/: ([0-9]+)/)[1]];
    }"""

    def expect_year(key):
        found = [str(len(get_encoding(key).encode(text))) for text in (FIRST, FIRST.split("\n")[1])]
        until(lambda: desk.page.evaluate(shown) == found)

    for key, model in [*zip(COMPARED, MODELS, strict=True), ("gpt2", "GPT-2")]:
        desk.page.evaluate(press, model)
        expect_year(key)
    messages.wait_until_complete()
    while messages.waiting:  # earlier stops do not come back
        messages.release(1)
        expect_year("gpt2")
    messages.is_on = False
    desk.idle()
    desk.expect_exact(FIRST, "gpt2")
    desk.choose("Model", "o200k_harmony")  # another choice counts at once
    desk.expect_exact(FIRST, "o200k_harmony")


def test_slider_follows_arrow_keys_a_pressed_pointer_and_the_list_of_models(desk):
    desk.write("mine")
    desk.expect_exact("mine")
    first, middle, last = [desk.page.get_by_role("radio", name=model) for model in MODELS]
    last.focus()
    desk.page.keyboard.press("ArrowLeft")
    desk.expect_exact("mine", "cl100k_base")
    expect(middle).to_be_focused()
    (start, end), mouse = (one.bounding_box() for one in (last, first)), desk.page.mouse
    mouse.move(start["x"] + 9, start["y"] + 9)
    mouse.down()
    mouse.move(end["x"] + 9, start["y"] + 9, steps=9)
    desk.expect_exact("mine", "gpt2")
    mouse.up()
    desk.idle()
    desk.expect_exact("mine", "gpt2")
    expect(first).to_be_checked()
    desk.choose("Model", "o200k_harmony")
    desk.expect_exact("mine", "o200k_harmony")
    switch = desk.page.get_by_role("radiogroup", name="Show the same text in")
    expect(switch.get_by_role("radio", checked=True)).to_have_count(0)
    middle.click()
    desk.expect_exact("mine", "cl100k_base")


def test_slider_shows_what_the_language_of_the_text_cost_and_opens_the_languages(desk):
    words = (
        "In 120 sentences and their translations, Thai took 8.9 times the tokens of English in 2019, 1.9 times today."
    )
    said = desk.page.locator(".cost button")
    desk.write("ไทย")
    expect(said).to_have_text(words)
    desk.write(FIRST)  # with which a visitor has other buttons
    expect(desk.page.locator(".cost").get_by_text(words).filter(visible=True)).to_be_visible()
    expect(desk.page.locator(".cost")).to_have_text(words)  # once
    expect(said).to_be_hidden()
    desk.write("Only English.")
    desk.expect_exact("Only English.")
    expect(said).to_be_empty()
    expect(said).to_be_hidden()
    desk.write("Καλημέρα σας")
    expect(said).to_contain_text("Greek took")
    said.press("Enter")
    finding = desk.page.locator(".finding")
    expect(finding).to_contain_text("Greek take")
    expect(finding).to_contain_text(re.compile("6.6 times.*2.1 times"))
