"""The live editor in a browser: drawn tokens equal the encoder's after every kind of edit."""

import json
import random

import pytest
from playwright.sync_api import expect

from e2e.corpus import edited, units
from e2e.desk import DEFAULT, assert_neighbours_differ
from tokenizer import get_encoding
from tokenizer.kinds.open_models import is_installed
from tokenizer.text.samples import samples

THAI = "ที่"  # one grapheme; six tokens of gpt2
FOUR_SCRIPTS = "Hello world, it's 2026.\nความคิดเดียวกัน ที่นี่\n孩子们在月光下读书。\nשלום עולם 👩‍👩‍👧!\n"

# ---- exactness ----


def test_drawn_tokens_equal_the_encoders_after_random_edits(make_desk):
    desk = make_desk().open()
    text, named = FOUR_SCRIPTS, "<|endoftext|>"  # the switch is shown only where the text has a special token
    desk.write(text + named)
    for encoding in ("gpt2", "cl100k_base", "o200k_harmony", DEFAULT):
        desk.choose("Model", encoding)
        for special in ("text", "special"):
            desk.read_special(special)
            rng = random.Random(f"{encoding} {special}")
            for _ in range(3 if encoding == DEFAULT else 1):
                text = edited(rng, text)
                desk.write(text + named)
                desk.expect_exact(text + named, encoding, special)
                assert_neighbours_differ(desk.drawn()["parts"])
        expect(desk.badge).to_contain_text(f"exact count: {encoding}")


def test_counters_equal_counts_by_hand(desk):
    text = "ที่นี่ two words 👩‍👩‍👧"
    desk.write(text)
    tokens = desk.expect_counts(text)
    expect(desk.count("tokens")).to_have_text(str(len(tokens)))
    expect(desk.count("characters")).to_have_text(str(len(text)))
    expect(desk.count("bytes")).to_have_text(str(len(text.encode())))
    expect(desk.count("graphemes")).to_have_text("14")
    expect(desk.count("distinct")).to_have_text(str(len(set(tokens.ids))))
    expect(desk.count("bytesPerToken")).to_have_text(f"{len(text.encode()) / len(tokens):.2f}")
    expect(desk.badge).to_contain_text(f"round trip returns all {len(text.encode())} bytes")


def test_empty_text_shows_a_hint_and_a_lone_surrogate_a_notice(desk):
    desk.write("")
    desk.expect_exact("")
    expect(desk.count("tokens")).to_have_text("0")
    expect(desk.count("partial")).to_have_text("0")
    expect(desk.count("partialShare")).to_have_text("")
    expect(desk.page.locator("p.empty")).to_be_visible()
    desk.write("a")
    desk.expect_exact("a")
    expect(desk.page.locator("p.empty")).to_be_hidden()
    desk.write("a\ud83db")
    desk.expect_exact("a\ud83db")
    expect(desk.notice).to_contain_text("1 lone surrogate (half of a UTF-16 character) in this text")
    desk.write("ab")
    desk.expect_exact("ab")
    expect(desk.notice).to_be_hidden()


def test_special_tokens_are_counted_both_ways_until_the_text_is_cleared(desk):
    switch = desk.page.get_by_role("radio", name="as special tokens")
    expect(switch).to_have_count(0)
    desk.try_example("Special token")
    desk.read_special("special")
    desk.expect_exact(next(one.text for one in samples() if one.label == "Special token"), special="special")
    text = "a<|endoftext|>b<|endofprompt|>"
    as_text, as_special = (len(get_encoding(DEFAULT).encode(text, special=way)) for way in ("text", "special"))
    both = f"{as_text} tokens if these names are read as text, and {as_special} if they are read as special tokens."
    desk.write(text)
    for way in ("text", "special"):
        desk.read_special(way)
        desk.expect_exact(text, special=way)
        expect(desk.notice).to_contain_text(both)
    assert desk.view.locator(".t.special").all_text_contents() == ["<|endoftext|>", "<|endofprompt|>"]
    desk.try_example("Clear")
    expect(switch).to_have_count(0)
    desk.expect_exact("", special="special")
    expect(desk.area).to_be_focused()


# ---- while typing ----

WATCH_FRAMES = """(view) => {
  const seen = (window.frames_seen = { frames: 0, bare: [] });
  const look = () => {
    seen.frames++;
    const first = view.querySelector('.t'), color = first && getComputedStyle(first).backgroundColor;
    if (!first || color === 'rgba(0, 0, 0, 0)' || !view.textContent) seen.bare.push(view.innerHTML.slice(0, 200));
    requestAnimationFrame(look);
  };
  const changed = () => view.querySelector('.t') ?? seen.bare.push('between two frames');
  new MutationObserver(changed).observe(view, { childList: true, subtree: true });
  requestAnimationFrame(look);
}"""


def test_burst_of_keys_shows_no_frame_without_colours(make_desk):
    desk, text = make_desk().open(), FOUR_SCRIPTS * 20
    desk.write(text)
    desk.expect_counts(text)
    desk.view.evaluate(WATCH_FRAMES)
    desk.area.evaluate("(area) => { area.focus(); area.setSelectionRange(5, 5); area.scrollTop = 0; }")
    burst = "quick brown foxes jump over 12 lazy dogs, ah!"
    desk.page.keyboard.type(burst, delay=15)
    text = text[:5] + burst + text[5:]
    desk.expect_counts(text)
    seen = desk.page.evaluate("window.frames_seen")
    assert seen["frames"] > 10
    assert seen["bare"] == []
    assert desk.drawn()["text"] == text


def test_colours_of_unchanged_tokens_stay(desk):
    words = [f" w{n}" for n in range(60)]
    texts = ["".join(words), "".join([*words[:30], " zebra crossing", *words[30:]])]
    colors = []  # of each token; all are whole characters
    for text in texts:
        desk.write(text)
        desk.expect_exact(text)
        colors.append([own[0] for part in desk.drawn()["parts"] for *_, own in part])
    before, after = colors
    num_first = len(get_encoding(DEFAULT).encode("".join(words[:30])))
    num_last = len(before) - num_first
    assert after[:num_first] == before[:num_first]
    assert after[-num_last:] == before[-num_last:]


def test_input_method_composition_is_not_interrupted(desk):
    desk.write("ab")
    desk.expect_exact("ab")
    desk.area.evaluate("(area) => { area.focus(); area.setSelectionRange(1, 1); }")
    keyboard = desk.page.context.new_cdp_session(desk.page)
    for composed in ["ท", "ที", "ที่"]:
        keyboard.send("Input.imeSetComposition", {"text": composed, "selectionStart": 1, "selectionEnd": 1})
        desk.expect_exact(f"a{composed}b")
        assert desk.text_in_editor() == f"a{composed}b"
    keyboard.send("Input.insertText", {"text": "ที่"})
    assert desk.text_in_editor() == "aที่b"
    desk.expect_exact("aที่b")
    desk.page.keyboard.type("!")
    desk.expect_exact("aที่!b")


# ---- one token ----


def test_hover_highlights_token_and_id_and_shows_facts_under_the_pointer_only(desk):
    desk.write("Hello ที่")
    tokens = desk.expect_exact("Hello ที่")
    chip, heading = desk.page.locator(".hover-chip"), desk.page.get_by_role("heading", level=1)
    desk.token(0).hover()
    expect(desk.view.locator(".lit")).to_have_text("Hello")
    expect(desk.ids.locator(".lit")).to_have_text(str(tokens.ids[0]))
    expect(chip).to_have_text(f"id {tokens.ids[0]} · 5 bytes · 5 characters")
    token, box = desk.token(0).bounding_box(), chip.bounding_box()
    assert box["y"] + box["height"] <= token["y"]
    shadow = "(token) => getComputedStyle(token).boxShadow"
    hovered = desk.token(0).evaluate(shadow)
    heading.hover()
    expect(desk.page.locator(".lit")).to_have_count(0)
    expect(chip).to_be_hidden()
    desk.ids.locator("span").first.hover()
    expect(desk.view.locator(".lit")).to_have_text("Hello")
    expect(chip).to_be_visible()
    expect(desk.loupe).to_be_hidden()
    desk.open_loupe(0)
    heading.hover()
    assert desk.token(0).evaluate(shadow) != hovered
    desk.page.keyboard.press("Escape")


def test_loupe_follows_its_token_until_it_is_deleted(desk):
    desk.write("one two three")
    desk.expect_exact("one two three")
    expect(desk.open_loupe(1)).to_contain_text("token 2 of 3")
    expect(desk.loupe).to_contain_text("Pre-token: “·two”")
    expect(desk.view.locator(".pinned")).to_have_text(" two")
    desk.write("zero one two three")  # the loupe follows its token
    expect(desk.loupe).to_contain_text("token 3 of 4")
    expect(desk.view.locator(".pinned")).to_have_text(" two")
    desk.loupe.get_by_role("button", name="Close").click()
    expect(desk.loupe).to_be_hidden()
    expect(desk.view.locator(".pinned")).to_have_count(0)
    desk.ids.locator("span").nth(3).click()
    expect(desk.view.locator(".pinned")).to_have_text(" three")
    expect(desk.loupe).to_contain_text("token 4 of 4")
    desk.write("zero one two")
    expect(desk.loupe).to_be_hidden()
    desk.open_loupe(1)
    desk.write("")
    desk.expect_counts("")
    expect(desk.loupe).to_be_hidden()


SHARED = [
    (f"a{THAI}b", THAI, False),
    ("a👩‍👩‍👧b", "👩‍👩‍👧", False),
    ("a \u0301", " \u0301", False),
    ("שָׁ", "שָׁ", True),
]


def test_each_band_of_a_shared_grapheme_selects_its_own_token(make_desk):
    desk = make_desk().open(encoding="gpt2")
    for text, shared, leftward in SHARED:
        desk.write(text)
        desk.expect_exact(text, "gpt2")
        own = get_encoding("gpt2").encode(shared)
        assert len(own) >= 2 and (shared != THAI or len(own) == 6)
        element = desk.view.locator(".cut")
        expect(element).to_have_count(1)
        expect(element).to_have_text(shared)
        assert f"(to {'left' if leftward else 'right'}," in element.evaluate(
            "(one) => getComputedStyle(one).backgroundImage"
        )
        box = element.bounding_box()
        for band, id in enumerate(own):
            along = (band + 0.5) / len(own)
            x = box["x"] + box["width"] * (1 - along if leftward else along)
            desk.page.mouse.move(x, box["y"] + box["height"] / 2)
            expect(desk.ids.locator(".lit")).to_have_text(str(id))
            desk.page.mouse.click(x, box["y"] + box["height"] / 2)
            expect(desk.loupe.locator(".which")).to_contain_text(f"id {id}")
            sentence = f"Token {band + 1} of the {len(own)} tokens that together make “{shared}”."
            expect(desk.loupe).to_contain_text(sentence)
            desk.page.keyboard.press("Escape")


def test_invisible_characters_are_shown_in_the_loupe(desk):
    text, headings = "a\n\nb\t\u200bx\ufeff", {1: "↵↵", 3: "→", 4: "‹ZWSP›", 6: "‹BOM›"}
    desk.write(text)
    tokens = desk.expect_exact(text)
    for k, heading in headings.items():
        desk.open_loupe(k)
        expect(desk.loupe.locator(".which")).to_have_text(f"token {k + 1} of {len(tokens)}, id {tokens.ids[k]}")
        expect(desk.loupe.locator(".head")).to_have_text(heading)
        desk.page.keyboard.press("Escape")
    desk.write("\u0301")
    desk.expect_exact("\u0301")
    desk.open_loupe(0)
    expect(desk.loupe.locator(".head")).to_have_text("◌\u0301")


def test_spaces_button_shows_white_space_whose_hidden_marks_have_no_boxes_that_slow_a_frame(desk):
    """A positioned or transparent box is painted by itself: one for each space doubled the time of a frame."""
    text = "a b\tที่ 😀\nd"
    desk.write(text)
    desk.expect_exact(text)
    boxes = """(view) => Array.from(view.querySelectorAll('.t, .t *'), (one) => [
      getComputedStyle(one), getComputedStyle(one, '::before'), getComputedStyle(one, '::after'),
    ]).flat().filter(({ content, position, opacity }) =>
      content !== 'none' && (position !== 'static' || opacity !== '1')).length"""
    marks = """(view) => Array.from(view.querySelectorAll('.w'), (one) => {
      const { content, color } = getComputedStyle(one, '::before');
      return content === 'none' || color === 'rgba(0, 0, 0, 0)' ? '' : content;
    })"""
    desk.open_details()
    desk.page.mouse.move(0, 0)
    for shown in ([""] * 4, ['"·"', '"→"', '"·"', '"↵"'], [""] * 4):
        assert desk.view.evaluate(marks) == shown
        assert (desk.view.evaluate(boxes) > 0) == any(shown)
        expect(desk.button("Spaces")).to_have_attribute("aria-pressed", json.dumps(any(shown)))
        desk.press("Spaces")


def test_bytes_button_shows_the_bytes_of_each_token(desk):
    tokens = get_encoding("gpt2").tokenize("Hi ที่")
    desk.choose("Model", "gpt2")
    desk.write(tokens.text)
    desk.expect_exact(tokens.text, "gpt2")
    desk.press("Bytes")
    shown = """(view) => Array.from(view.querySelectorAll('.t:not(.cut), .cut > b'), (one) => (
        [Number(one.dataset.k), getComputedStyle(one, '::after').content.replaceAll('"', '')]))"""
    data = tokens.text.encode()
    labels = [[k, data[token.start : token.end].hex(" ").upper()] for k, token in enumerate(tokens)]
    assert desk.view.evaluate(shown) == labels  # also for tokens that share a grapheme
    colors = "(view) => Array.from(view.querySelectorAll('.cut > b'), (one) => one.className.slice(1)).join(' ')"
    assert desk.view.evaluate(colors) == desk.view.locator(".cut").get_attribute("data-colors")
    assert desk.drawn()["text"] == tokens.text
    desk.press("Bytes")
    assert {content for _, content in desk.view.evaluate(shown)} == {"none"}


# ---- keyboard ----

FOCUSED = """() => {
  let one = document.activeElement;
  while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement;
  return one.className || one.tagName;
}"""


def test_arrows_move_enter_opens_the_loupe_and_escape_returns(desk):
    desk.write("one two three")
    desk.expect_exact("one two three")
    desk.view.focus()
    keys = desk.page.keyboard
    keys.press("ArrowRight")
    expect(desk.live).to_have_text(f"token 1 of 3: “one”, id {get_encoding(DEFAULT).encode('one')[0]}, bytes 6F 6E 65")
    expect(desk.view.locator(".now")).to_have_text("one")
    keys.press("ArrowRight")
    expect(desk.live).to_contain_text("token 2 of 3")
    expect(desk.ids.locator(".now")).to_have_text(str(get_encoding(DEFAULT).encode("one two three")[1]))
    keys.press("Enter")
    expect(desk.loaded_loupe()).to_contain_text("Pre-token: “·two”")
    keys.press("ArrowRight")
    expect(desk.loaded_loupe()).to_contain_text("token 3 of 3")
    keys.press("ArrowRight")  # there is no next token
    expect(desk.loaded_loupe()).to_contain_text("token 3 of 3")
    keys.press("ArrowLeft")
    expect(desk.loaded_loupe()).to_contain_text("token 2 of 3")
    keys.press("Escape")
    expect(desk.loupe).to_be_hidden()
    assert desk.page.evaluate(FOCUSED) == "tokens"
    expect(desk.view.locator(".now")).to_have_text(" two")
    keys.press("End")
    expect(desk.live).to_contain_text("token 3 of 3")
    keys.press("Home")
    expect(desk.live).to_contain_text("token 1 of 3")
    keys.press("ArrowLeft")
    expect(desk.live).to_contain_text("token 1 of 3")
    keys.press("Escape")
    expect(desk.page.locator(".now")).to_have_count(0)
    keys.press("r")  # Streamlit's hotkey must not rerun the page
    keys.press("c")
    expect(desk.page.get_by_role("dialog")).to_have_count(0)
    keys.press("End")
    desk.write("one")
    desk.expect_exact("one")
    desk.view.focus()
    keys.press("ArrowRight")  # starts at the first token
    expect(desk.live).to_contain_text("token 1 of 1")


# ---- copying and pasting ----


def test_copied_selection_is_the_source_text_with_its_line_ends(desk):
    text = "\n".join(FOUR_SCRIPTS.split("\n") * 60) + "one\r\ntwo\r\n"  # many blocks
    desk.area.evaluate("(area) => area.select()")
    desk.paste(text)
    desk.expect_counts(text)
    expect(desk.badge).to_contain_text("verified by the server")  # until then the tokens may be drawn once more
    size = len(text.encode("utf-16-le")) // 2
    for start, end in [(0, size), (6, 11), (20, 60), (100, size - 100), (24, 25), (size - 10, size - 2)]:
        desk.select(start, end)
        assert desk.copied() == text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")


RANDOM = random.Random("long texts")
LINES = [FOUR_SCRIPTS, "The quick brown fox. ", "12345 ", "ไทยแลนด์", "\n", "x = y / 2;\n", "  indented\n\n"]
LONG_TEXTS = {  # text, the place of an edit
    "several batches": ("".join(RANDOM.choices(LINES, k=20_000))[:200_000], 100_000),
    "one line": ("a b c d ef" * 30_000, 0),
    "letters without a safe cut": ("".join(RANDOM.choices("abcdefghijklmnop", k=30_000)), 30_000),
    "spaces": (" " * 100_000 + "x", 50_000),
}


@pytest.mark.parametrize(("text", "place"), LONG_TEXTS.values(), ids=LONG_TEXTS)
def test_long_texts_are_tokenized_exactly(desk, text, place):
    for shown in (text, f"{text[:place]}middle{text[place:]}"):
        desk.write(shown)
        desk.expect_counts(shown, timeout=30_000)
        assert desk.view.evaluate("(view) => view.textContent.length") == units(shown)
        assert "\n" in text or desk.view.locator(".long").count() == 1


@pytest.mark.skipif(not is_installed(), reason="splintr-rs is not installed")
def test_dummy_prefix_model_is_exact_after_edits_and_special_tokens(make_desk):
    desk = make_desk(alone=True).open(encoding="llama2")
    text = "".join(f"line {n} of some words, ประโยค。\nand" for n in range(150))
    desk.write(text)
    desk.expect_counts(text, "llama2")
    assert desk.view.evaluate("(view) => view.textContent") == text
    text = f"{text[:2500]} middle{text[2500:]}"
    desk.write(text)
    desk.expect_counts(text, "llama2")
    text = " of<s>" * 500  # has safe cuts only after special tokens
    desk.write(text)
    as_text = desk.expect_counts(text, "llama2")
    as_special = get_encoding("llama2").encode(text, special="special")
    notice = f"{len(as_text):,} tokens if these names are read as text, and {len(as_special):,} if they are"
    expect(desk.notice).to_contain_text(notice)


def test_text_over_five_megabytes_shows_a_notice_and_is_kept(desk):
    desk.write("short")
    desk.expect_exact("short")
    text = "十三個字，三十九個位元組。\n" * 125_001  # including a line end
    desk.area.focus()
    desk.page.keyboard.press("Control+a")
    desk.paste(text)
    expect(desk.notice).to_contain_text("over 5,000,000 bytes", timeout=30_000)
    assert desk.area.evaluate("(area) => area.value.length") == len(text)
    desk.write("short again")
    desk.expect_exact("short again")
    expect(desk.notice).to_be_hidden()


# ---- direction ----


def test_right_to_left_lines_start_at_the_right(desk):
    text = "שלום עולם טוב\nplain words\nمرحبا يا عالم"
    desk.write(text)
    starts, frame = [token.start for token in desk.expect_exact(text)], desk.view.bounding_box()
    for line, is_leftward in zip(text.split("\n"), (True, False, True), strict=True):
        k = starts.index(len(text[: text.index(line)].encode()))
        first, second = (desk.token(i).bounding_box() for i in (k, k + 1))
        assert (first["x"] > second["x"]) == is_leftward
        right = frame["x"] + frame["width"] - first["x"] - first["width"]
        assert (right if is_leftward else first["x"] - frame["x"]) < 40


def test_markup_in_a_text_stays_text(desk):
    image = "<img src=x onerror=\"document.body.dataset.marked='yes'\">"
    text = f"{image}</textarea></script><script>alert(1)</script> \"'&amp;"
    desk.write(text)
    desk.expect_exact(text)
    desk.token(3).hover()
    for k in range(0, len(desk.expect_counts(text)), 3):
        desk.open_loupe(k)
        desk.page.keyboard.press("Escape")
    assert desk.page.locator(".desk img, .desk script").count() == 0
    assert desk.page.evaluate("document.body.dataset.marked ?? null") is None
    assert desk.dialogs == []


def test_long_paste_can_be_undone(desk):
    desk.write("before ที่\n")
    long = "a line of it\n" * 6000
    desk.area.focus()
    desk.page.keyboard.press("Control+a")
    desk.paste(long)
    desk.expect_counts(long)
    desk.page.keyboard.press("Control+z")
    desk.expect_exact("before ที่\n")
