"""Pages around the editor: links, files, examples, downloads, screen sizes and themes."""

import ast
import csv
import io
import json
import re
from pathlib import Path
from urllib.parse import parse_qsl
from xml.etree import ElementTree

import pytest
from apps import until
from oracles import contrast
from playwright.sync_api import expect
from waiting import next_frames, read_clipboard

from e2e.desk import ABOUT, BUSY, DEFAULT, DESKTOP, FIRST, MAIN_PAGES, PAGES, PHONE, Desk, HeldMessages, ignore_errors
from tokenizer import get_encoding

MARKUP = (
    "<img src=x onerror=\"document.body.dataset.marked='yes'\"></script><script>alert(1)</script>"
    " \"'&amp; [x](http://a.test)"
)

# The largest number of decoded texts on the page in any frame.
MOST_SEEN = """() => {
  window.most = 0;
  const look = () => {
    const shown = [...document.querySelectorAll('*')].filter((one) => one.shadowRoot?.querySelector('.strip'));
    window.most = Math.max(window.most, shown.length);
    requestAnimationFrame(look);
  };
  look();
}"""


# ---- every page ----


# Elements that overflow in any frame, with the pixels and the inner elements that stick out.
WATCH_WIDTH = """
  window.tooWide = {};
  const look = () => {
    for (const one of [document.documentElement, document.querySelector('[data-testid=stMain]')]) {
      const beyond = one ? one.scrollWidth - one.clientWidth : 0;
      if (beyond <= 0 || beyond <= window.tooWide[one.tagName]?.by) continue;
      const isOut = (inner) => inner.getBoundingClientRect().right > one.clientWidth;
      const out = [...one.querySelectorAll('*')].filter(isOut).slice(0, 9);
      window.tooWide[one.tagName] = { by: beyond, out: out.map((inner) => inner.outerHTML.slice(0, 120)) };
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
"""


def test_pages_fit_every_screen_also_while_loading(make_desk):
    desk = make_desk(alone=True)
    page = desk.page
    page.add_init_script(WATCH_WIDTH)
    for path in PAGES:
        page.set_viewport_size(PHONE)
        desk.open(path)
        expect(page.locator(ABOUT[path]).first).to_be_visible()
        for viewport in (PHONE, DESKTOP):
            page.set_viewport_size(viewport)
            desk.idle()
            next_frames(page)
            assert page.evaluate("window.tooWide") == {}, f"{path} scrolls sideways"
        expect(desk.menu.get_by_role("link")).to_have_count(len(MAIN_PAGES))
        expect(page.get_by_text("not found")).to_have_count(0)


def test_components_do_not_widen_a_page_before_their_script_loads(make_desk):
    """Streamlit shows skeletons until then; here the script never loads."""
    desk = make_desk(viewport=PHONE, alone=True)
    desk.page.add_init_script(WATCH_WIDTH)
    desk.page.route("**/BidiComponent.*.js", lambda route: None)
    desk.page.goto(f"{desk.server.url}/compare")
    for key in ("session_sync", "compare"):
        expect(desk.page.locator(f".st-key-{key}").get_by_test_id("stSkeleton")).to_be_attached(timeout=20_000)
    desk.idle()
    next_frames(desk.page)
    assert desk.page.evaluate("window.tooWide") == {}, "the page scrolls sideways"


def test_long_word_does_not_widen_the_page(desk):
    desk.page.set_viewport_size(PHONE)
    desk.write("x" * 3000)
    desk.expect_exact("x" * 3000)
    assert desk.horizontal_overflow() == [0, 0]


def test_first_screen_shows_model_text_tokens_and_count(desk):
    for what in [desk.page.get_by_role("combobox").first, desk.area, desk.view, desk.count("tokens")]:
        box = what.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= DESKTOP["height"], f"{what} is at {box}"


def test_text_is_readable_on_every_token_colour(desk):
    desk.write(" word" * 20)
    desk.expect_exact(" word" * 20)
    colors = """(view) => Array.from(view.querySelectorAll('.t:not(.cut)'), (one) => {
      const { color, backgroundColor } = getComputedStyle(one);
      return [backgroundColor, color];
    })"""
    for scheme in ("light", "dark"):
        desk.page.emulate_media(color_scheme=scheme)
        expect(desk.page.get_by_test_id("stApp")).to_have_css("color-scheme", scheme)
        contrasts = {own: contrast(own, ink) for own, ink in desk.view.evaluate(colors)}
        assert len(contrasts) == 7
        assert min(contrasts.values()) >= 4.5, (scheme, contrasts)


def test_reduced_motion_disables_animations(desk):
    desk.page.emulate_media(reduced_motion="reduce")
    desk.idle()
    desk.token(0).hover()
    desk.write("moved")
    desk.expect_exact("moved")
    running = """(view) => view.getRootNode().getAnimations().filter(
    (one) => one.playState === 'running' && one.timeline === document.timeline).length"""  # not those of scrolling
    assert desk.view.evaluate(running) == 0


def test_texts_are_not_logged(desk, server):
    marker = "zyxmarkerwvut"
    desk.write(f"{marker} {marker}")
    desk.expect_exact(f"{marker} {marker}")
    desk.area.blur()
    desk.idle()
    desk.open("/", encoding=marker)
    desk.idle()
    assert marker not in server.log()


# ---- links ----


def test_chosen_model_is_in_the_link(desk):
    desk.choose("Model", "o3")  # several models have this encoding
    expect(desk.page.locator(".badge .name")).to_have_text("o200k_base")
    expect(desk.page).to_have_url(re.compile("encoding=o3"))
    assert "encoding=o3" in desk.copied_link()


@pytest.mark.parametrize(
    "path, label, models", [("/", "Model", ["GPT-5", "o4-mini"]), ("/compare", "Models", ["GPT-4"])]
)
def test_model_name_with_spaces_is_found_in_the_list(make_desk, path, label, models):
    page = make_desk().open(path, encodings="gpt2,p50k_base").page
    for name in models:
        page.get_by_role("combobox", name=label, exact=True).click()
        spaced = name.lower().replace("-", " ")
        page.keyboard.insert_text(spaced) if name == "GPT-5" else page.keyboard.type(spaced)  # pasted, typed
        options = page.get_by_role("listbox").get_by_role("option")
        wanted = ".*".join(map(re.escape, spaced.replace(" ", "")))
        expect(options.filter(has_not_text=re.compile(f"^Select|{wanted}", re.IGNORECASE))).to_have_count(0)
        expect(options.filter(has_text=re.compile(f"^{re.escape(name)} "))).to_have_count(1)
        page.keyboard.press("Escape")


def test_too_long_text_is_not_in_the_link_with_a_notice(desk):
    desk.write("a" * 2001)
    desk.expect_counts("a" * 2001)
    link = desk.copied_link()
    expect(
        desk.page.locator(".done", has_text="without the text: a link holds at most 2,000 characters")
    ).to_be_visible()
    assert "#" not in link


def test_failed_copy_shows_an_error(make_desk):
    desk = make_desk(alone=True).open()
    desk.wait_for_bar()
    desk.page.evaluate("() => { window.CompressionStream = class { constructor() { throw new Error('no room'); } }; }")
    desk.share("Copy link")
    expect(desk.page.locator(".done", has_text="The last action failed: no room")).to_be_visible()


def test_units_are_singular_for_one(desk):
    units = desk.page.locator(".counts > div > dt")
    for text, names in (
        ("a", ["token", "character", "word", "byte"]),
        ("a b", ["tokens", "characters", "words", "bytes"]),
    ):
        desk.write(text)
        desk.expect_counts(text)
        for i, name in enumerate(names):
            expect(units.nth(i)).to_have_text(name)


def test_unknown_page_shows_what_to_do_and_leads_to_the_first_page(make_desk):
    desk = make_desk()
    desk.visit("/nowhere")
    dialog = desk.page.get_by_role("dialog")
    expect(dialog).to_contain_text("There is no page at this address.")
    dialog.get_by_role("link", name="Open the Playground").click()
    desk.page.wait_for_url(f"{desk.server.url}/")
    desk.wait_until_drawn()
    expect(dialog).to_have_count(0)
    ignore_errors(desk.page, "does not seem to exist")  # Streamlit logs it


def test_link_replaces_the_text_and_a_damaged_one_shows_a_notice(make_desk):
    desk = make_desk().open(fragment="#v=1&t=AAAA")
    expect(desk.notice).to_contain_text("damaged")
    desk.expect_exact(FIRST)
    link = desk.copied_link()
    desk.write("another text")
    desk.expect_exact("another text")
    follow = "(hash) => { location.hash = hash; }"  # as a link that is opened in a tab with the app
    for damaged, words in (("#v=2&t=AwA", "newer version of Tokenloupe (v=2)"), ("#v=1", "damaged")):
        desk.page.evaluate(follow, damaged)
        expect(desk.notice).to_contain_text(words)
        desk.expect_exact("another text")
    desk.page.evaluate(follow, link.partition("#")[2])
    desk.expect_exact(FIRST)


def test_invalid_link_values_show_escaped_notices(make_desk):
    desk = make_desk().open(encoding=MARKUP, special=MARKUP)
    for alert in (alerts := desk.page.get_by_role("alert")).all():
        expect(alert).to_contain_text(MARKUP[:20])
        expect(alert).to_contain_text("The page shows")
    expect(alerts).to_have_count(2)
    assert desk.page.locator("img[src=x]").count() == 0
    assert desk.page.locator('a[href^="http://a.test"]').count() == 0
    assert desk.page.evaluate("document.body.dataset.marked ?? null") is None
    desk.expect_exact(FIRST)


# ---- files ----


def put(desk: Desk, name: str, data: bytes) -> None:
    desk.page.locator("[class*=st-key-opened_files] input[type=file]").set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": data}
    )


FILES = {
    "CRLF": (b"\xef\xbb\xbfone\r\ntwo\r\n", "\ufeffone\r\ntwo\r\n"),
    "markup": (MARKUP.encode("utf-16"), MARKUP),
    "empty": (b"", ""),
}


def test_text_files_are_decoded_and_binary_files_refused(make_desk):
    desk = make_desk().open()
    for name, (data, text) in FILES.items():
        desk.open_upload_popover()
        put(desk, f"{name}{MARKUP[:40]}.txt".replace("/", ""), data)
        desk.expect_exact(text)
        expect(desk.page.get_by_test_id("stPopoverBody")).to_have_count(0)
        assert desk.page.locator("img[src=x]").count() == 0
        assert desk.page.evaluate("document.body.dataset.marked ?? null") is None
    desk.write("mine")
    desk.expect_exact("mine")
    desk.open_upload_popover()
    put(desk, "picture.png", b"\x89PNG\r\n\x1a\n\x00\xff\xfe" * 40)
    expect(desk.page.get_by_role("alert")).to_contain_text("not UTF-8 text: byte 1 is 0x89")
    desk.expect_exact("mine")


DROP = """(place, [name, text]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name));
  const drop = (kind) => new DragEvent(kind, { dataTransfer, bubbles: true, composed: true, cancelable: true });
  return ['dragover', 'drop'].map((kind) => place.dispatchEvent(drop(kind)));
}"""


def test_files_dropped_anywhere_on_the_page_are_opened_one_after_the_other(make_desk):
    desk = make_desk().open()
    desk.write("mine")
    handled_by_browser = desk.area.evaluate(DROP, ["a.txt", "text of a file"])
    assert handled_by_browser == [False, False]  # the browser would show the file in place of the page
    desk.expect_exact("text of a file")
    desk.button("Undo").click()
    desk.expect_exact("mine")
    title = desk.page.locator("main h1")
    assert title.evaluate(DROP, ["b.model", "no tokenizer"]) == [False, False]
    expect(desk.page.get_by_role("alert")).to_contain_text("Cannot load b.model")  # the popover stays open
    desk.expect_exact("mine")
    facts = {"tokenloupe": "page", "version": 1, "page": "playground", "address": {}, "text": "saved text"}
    for name, data, text in (
        *(("a.txt", "first text", "first text"), ("c.txt", "second text", "second text")),
        ("x.tokenloupe", json.dumps(facts), "saved text"),
    ):
        title.evaluate(DROP, [name, data])
        desk.expect_exact(text)
    desk.write("typed after")
    desk.expect_exact("typed after")
    desk.area.evaluate(DROP, ["a.txt", "after a saved page"])
    desk.expect_exact("after a saved page")


def test_file_is_dropped_on_an_upload_area_of_the_page(make_desk):
    desk = make_desk().open("/catalog")
    desk.wait_for_bar()
    desk.page.locator("main h1").evaluate(DROP, ["b.model", "no tokenizer"])
    expect(desk.page.get_by_role("alert")).to_contain_text("Cannot load b.model")


@pytest.mark.parametrize("path, place", [("/learn", "main h1"), ("/compare?way=texts", ".pane.second textarea")])
def test_dropped_file_replaces_nothing_where_none_is_opened(make_desk, path, place):
    desk = make_desk().open(path.partition("?")[0], **dict(parse_qsl(path.partition("?")[2])))
    desk.wait_for_bar()
    desk.idle()
    text = desk.page.evaluate("sessionStorage.getItem('tokenloupe.tab')")
    assert desk.page.locator(place).evaluate(DROP, ["a.txt", "text of a file"]) == [False, False]
    desk.page.wait_for_timeout(500)  # nothing happens
    assert desk.page.evaluate("sessionStorage.getItem('tokenloupe.tab')") == text
    expect(desk.page.get_by_test_id("stPopoverBody")).to_have_count(0)


def test_dropped_file_stays_away_from_the_stage(make_desk):
    desk = make_desk().open()
    desk.write("mine")
    desk.expect_exact("mine")
    desk.enter_stage()
    desk.area.evaluate(DROP, ["a.txt", "text of a file"])
    desk.page.keyboard.press("Escape")
    desk.expect_exact("mine")
    expect(desk.page.get_by_test_id("stPopoverBody")).to_have_count(0)


# ---- hygiene ----


def test_clean_button_is_beside_its_sentence_on_a_phone(make_desk):
    desk = make_desk(viewport=PHONE).open()
    desk.write("soft\u00adhyphen, no\u00a0break")
    buttons = desk.page.get_by_role("button", name="Clean", exact=True)
    expect(buttons).to_have_count(2)
    for button, kind in zip(buttons.all(), ("No-break spaces", "Soft hyphens"), strict=True):
        sentence = desk.page.locator(".st-key-hygiene p").filter(has_text=kind).last.bounding_box()
        box = button.bounding_box()
        assert box["x"] + box["width"] <= sentence["x"] and abs(box["y"] - sentence["y"]) < 16


# ---- Decode ----


def test_decoded_text_is_never_drawn_twice_while_it_changes_and_opens_in_the_playground(make_desk):
    """The server's messages arrive one by one, each in its own frame."""
    desk = make_desk(alone=True)
    held = HeldMessages(desk.page)
    desk.open("/decode", encoding="gpt2")
    box, strip = desk.page.get_by_role("textbox", name="Token ids"), desk.page.locator(".strip")
    expect(strip).to_be_visible()
    desk.idle()
    desk.page.evaluate(MOST_SEEN)
    held.is_on = True

    def is_shown(known: int) -> bool:
        desk.page.wait_for_timeout(20)
        held.release(1)
        is_busy = held.waiting or desk.page.locator(BUSY).count()
        return not is_busy and strip.locator(".tokens").get_attribute("data-tokens") == str(known)

    for ids, known in (("995 99999999", 1), ("995", 1), ("995 995", 2)):
        box.fill(ids)
        until(lambda: is_shown(known))  # noqa: B023
    assert desk.page.evaluate("window.most") == 1
    held.is_on = False
    desk.button("Open this text in the Playground").click()
    desk.wait_until_drawn()
    desk.expect_exact(" world world", "gpt2")


# ---- the desk ----


def test_choice_before_the_acknowledgement_of_a_new_text_is_kept(make_desk):
    """The browser sends the value of the row of years again."""
    desk = make_desk(alone=True)
    held = HeldMessages(desk.page)
    desk.open()
    expect(desk.page.get_by_role("radiogroup", name="Show the same text in")).to_be_visible()
    desk.idle()
    held.is_on = True
    desk.write("another one")
    desk.page.get_by_role("heading", level=1).click()  # text is sent on blur
    held.wait_until_complete()
    desk.choose("Model", "gpt2")
    held.wait_until_complete()
    held.stop()
    desk.idle()
    expect(desk.page).to_have_url(re.compile(r"encoding=gpt2"))
    desk.expect_exact("another one", "gpt2")


# ---- downloads ----


def downloaded(desk: Desk, label: str, suffix: str | None = None) -> str:
    with desk.page.expect_download() as info:
        desk.press(label)
    assert info.value.suggested_filename == f"tokens-gpt2.{suffix or label.lower()}"
    return Path(info.value.path()).read_bytes().decode("utf-8-sig")


def test_downloads_contain_the_tokens(make_desk):
    text = f"ที่ =1+1 {MARKUP}\n\x07 שלום"
    desk = make_desk().open(encoding="gpt2")
    desk.write(text)
    tokens = desk.expect_exact(text, "gpt2")

    rows = list(csv.DictReader(io.StringIO(downloaded(desk, "CSV"))))
    assert [int(row["id"]) for row in rows] == tokens.ids
    assert b"".join(bytes.fromhex(row["bytes"]) for row in rows) == text.encode()

    record = json.loads(downloaded(desk, "JSON"))
    assert record["text"] == text and [token["id"] for token in record["tokens"]] == tokens.ids

    picture = ElementTree.fromstring(downloaded(desk, "SVG"))
    drawn = "".join("".join(run.itertext()) for run in picture.iter("{http://www.w3.org/2000/svg}text"))
    assert "".join(drawn.split()) == "".join(text.replace("\x07", "U+0007").split())
    assert {element.tag.rpartition("}")[2] for element in picture.iter()} <= {"svg", "g", "rect", "path", "text"}

    notebook = json.loads(downloaded(desk, "Notebook", "ipynb"))
    code = "".join(notebook["cells"][-1]["source"])
    assert ast.literal_eval(ast.parse(code).body[1].value) == text

    assert downloaded(desk, "HTML").startswith("<!doctype html>")


def test_copied_ids_equal_the_tokens(desk):
    desk.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    desk.press("Copy")
    expect(desk.page.locator(".pane .done")).to_have_text("Ids copied.")
    ids = read_clipboard(desk.page)
    assert ids == " ".join(map(str, get_encoding(DEFAULT).encode(FIRST)))


def test_thai_words_that_no_dictionary_has_stay_on_one_line_and_are_copied_as_they_are(make_desk):
    desk = make_desk().open("/learn", lang="th")
    desk.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sentence = desk.page.locator(".learn-question")
    expect(sentence.locator(".whole", has_text="โทเคน").first).to_be_visible()
    expect(sentence.locator(".whole").first).to_have_css("white-space", "nowrap")
    assert desk.page.evaluate("document.body.textContent.includes('\\u2060')") is False
    sentence.evaluate("(one) => getSelection().selectAllChildren(one)")
    desk.page.keyboard.press("Control+c")
    copied = read_clipboard(desk.page)
    assert "โทเคน" in copied and copied == sentence.inner_text()


def test_labels_of_charts_keep_thai_words_that_no_dictionary_has(make_desk):
    chart = make_desk().open("/vocabulary", lang="th").page.locator(".stVegaLiteChart svg").last
    expect(chart.get_by_text("ไบต์ต่อโทเคน", exact=True)).to_be_visible()
    expect(chart.locator("span")).to_have_count(0)


def test_selected_text_of_a_field_is_copied_as_it_is(desk):
    desk.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    desk.write("โท\u2060เคน")
    desk.area.press("Control+a")
    desk.area.press("Control+c")
    assert read_clipboard(desk.page) == "โท\u2060เคน"
