"""Links and files restore a page; the QR code contains the link; invalid ones show a notice."""

import json
import os
import re
import signal
import tomllib
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from apps import until
from playwright.sync_api import Page, expect
from waiting import awaited, read_clipboard, write_clipboard

from e2e.axe import assert_accessible, inject_axe
from e2e.desk import Desk
from tokenizer.display.qr import qr_svg

FOLDER = Path(__file__).parent
OLD = tomllib.loads((FOLDER / "old_links.toml").read_text(encoding="utf-8"))["link"]
MINE = "ที่ <b>mine</b> 👩‍👦"


@pytest.fixture
def open_elsewhere(make_desk):
    """Returns a function that opens a link as another visitor."""

    def give(link: str) -> Desk:
        other = make_desk(locale="en-GB")  # a context of its own
        other.page.goto(link)
        return other

    return give


def unpacked(link: str, part: str) -> str:
    """Returns a part of a link's fragment: "t" is the text, "s" the other content."""
    found = re.search(rf"[#&]{part}=([\w-]+)", link)
    return zlib.decompress(urlsafe_b64decode(found[1] + "===")).decode() if found else "{}"


def content_of(link: str) -> dict:
    """Returns the content of a link beside its address and text."""
    return json.loads(unpacked(link, "s"))


def fragment_with(content: object) -> str:
    return "v=1&s=" + urlsafe_b64encode(zlib.compress(json.dumps(content).encode())).decode().rstrip("=")


def panel(desk: Desk):
    """Opens the panel and waits for its link."""
    desk.wait_for_bar()
    desk.idle()
    desk.share("QR code")
    found = desk.page.locator(".link-panel")
    expect(found.locator(".address")).to_contain_text("http")
    return found


def saved(desk: Desk, folder: Path) -> Path:
    """Saves the page as a file."""
    with desk.page.expect_download() as download:
        panel(desk).get_by_role("button", name="Save as a file").click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    desk.page.keyboard.press("Escape")
    return path


def open_file(desk: Desk, path: Path | dict) -> None:
    """Opens a file in the panel."""
    with desk.page.expect_file_chooser() as chooser:
        panel(desk).get_by_role("button", name="Open a file").click()
    chooser.value.set_files(path)


def refused(desk: Desk, data: bytes, words: str) -> None:
    """Asserts that the panel refuses a file with these words and the page stays."""
    before = desk.page.url
    open_file(desk, {"name": "x.tokenloupe", "mimeType": "application/json", "buffer": data})
    expect(desk.page.locator(".link-panel .notes")).to_contain_text(words)
    desk.page.keyboard.press("Escape")
    assert desk.page.url == before


def box(page: Page, name: str):
    return page.get_by_role("textbox", name=name, exact=True)


# ---- links ----


def test_link_restores_text_choices_and_switches_in_the_language_of_the_browser(make_desk, open_elsewhere):
    desk = make_desk().open(encoding="gpt2", special="special")
    markup = "<img src=x onerror=\"document.body.dataset.marked='yes'\">"
    text = f"\ufeffที่ 👍🏽 <|endoftext|>\r\nb\x00{markup}\r\n"
    desk.write("")
    desk.area.focus()
    desk.paste(text)
    desk.expect_exact(text, "gpt2", "special")
    desk.choose_language("th")
    desk.idle()
    desk.open_details()
    desk.page.locator("[data-do=marks]").click()
    desk.wait_for_bar()
    desk.page.locator("button.share").click()
    desk.page.locator("[data-do=code]").click()
    address = desk.page.locator(".link-panel .address")
    expect(address).to_contain_text("http")
    link = address.inner_text()
    assert content_of(link) == {"show": ["marks"]}
    other = open_elsewhere(link)
    other.wait_until_drawn()
    expect(other.page.locator("html")).to_have_attribute("lang", "en")
    expect(other.page.locator("[data-do=marks]")).to_have_attribute("aria-pressed", "true")
    expect(other.page.locator("[data-do=bytes]")).to_have_attribute("aria-pressed", "false")
    other.expect_exact(text, "gpt2", "special")
    assert other.page.evaluate("document.body.dataset.marked ?? null") is None


@pytest.mark.parametrize(
    ("path", "label", "key", "value"),
    [("/hood", "Text", "encoding", "gpt2"), ("/compare", "Text to compare", "encodings", "gpt2,o200k_base")],
)
def test_link_has_the_text_and_the_choices_of_its_page(make_desk, path, label, key, value):
    desk = make_desk().open(path, **{key: value})
    box(desk.page, label).fill("แมวนอน")
    link = desk.copied_link()
    assert parse_qs(urlsplit(link).query)[key] == [value]
    assert unpacked(link, "t") == "แมวนอน"


def test_link_of_a_lesson_has_the_answered_question_and_its_own_text_only(desk, open_elsewhere):
    desk.turn_to("Lessons")
    desk.idle()
    assert "#" not in desk.copied_link()
    desk.button("Show the answer").click()
    box(desk.page, "Try your own text").fill("unbelievable")
    desk.page.keyboard.press("Enter")
    desk.idle()
    other = open_elsewhere(desk.copied_link())
    expect(box(other.page, "Try your own text")).to_have_value("unbelievable")


@pytest.mark.parametrize("path", ["/compare?way=texts", "/languages?lens=own", "/train?corpus=own"])
def test_typed_values_make_the_link_of_earlier_releases(make_desk, server, path):
    """The tests of old links open it."""
    [old] = [one for one in OLD if one["address"].startswith(path) and "boxes" in one and "s=" in one["address"]]
    desk = make_desk()
    desk.page.goto(f"{server.url}{old['address'].partition('#')[0]}")
    for name, value in old["boxes"].items():
        field = box(desk.page, name)
        expect(field).to_be_visible()
        desk.idle()  # the text arrives after the box and would replace typed text
        field.fill(value)
        field.blur()
    desk.idle()
    assert content_of(desk.copied_link()) == content_of(old["address"])


def test_link_restores_long_ids(make_desk, open_elsewhere):
    desk = make_desk().open("/decode", encoding="gpt2")
    ids = box(desk.page, "Token ids")
    expect(ids).not_to_have_value("")  # the text arrives after the box and would replace typed text
    ids.fill("9246, 318")
    expect(desk.page).to_have_url(re.compile("ids=9246"))
    ids.fill("318 " * 400)
    expect(desk.page.get_by_text("distinct token")).to_be_visible()
    link = desk.copied_link()
    assert "ids=" not in link
    expect(box(open_elsewhere(link).page, "Token ids")).to_have_value("318 " * 400)


def test_link_contains_text_typed_while_the_server_is_busy(make_desk):
    desk = make_desk().open("/chat")
    first = box(desk.page, "Text of message 1")
    expect(first).to_be_visible()
    desk.wait_for_bar()
    desk.idle()
    desk.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    write_clipboard(desk.page, "")
    os.kill(desk.server.pid, signal.SIGSTOP)
    try:
        first.fill(f"{MINE} " * 100)
        desk.share("Copy link")
        desk.page.wait_for_timeout(3_000)
    finally:
        os.kill(desk.server.pid, signal.SIGCONT)
    until(lambda: read_clipboard(desk.page))
    link = read_clipboard(desk.page)
    assert "chat=" not in link
    [message, *_] = content_of(link)["typed"]["messages"]
    assert f"{MINE} " * 100 in message


def test_link_restores_a_long_text_of_why(server, open_elsewhere):
    text = "It's a walrus' world, isn't it? " * 20
    link = f"{server.url}/why?encoding=gpt2#{fragment_with({'typed': {'text': [text, 40]}})}"
    other = open_elsewhere(link)
    expect(other.page.get_by_text("This text came with a link")).to_be_visible()
    assert content_of(other.copied_link())["typed"]["text"] == [text, 40]


def test_unknown_trained_encoding_is_trained_again(server, open_elsewhere):
    order = {"alphabet": "bytes", "counted": False, "held_out": 0, "kind": "bpe", "min_count": 2, "parity": False}
    order |= {"pattern": "cl100k_base", "start": [], "ties": "first-seen", "vocab_size": 300}
    key, text = f"trained-{'0' * 32}", "hug pug pun bun hugs " * 9
    recipe = {"name": "hugs-300", "order": order, "specials": ["<|end|>"], "texts": [text]}
    content = {"made": {key: recipe}, "address": {"encoding": key}, "show": ["marks"]}
    other = open_elsewhere(f"{server.url}/?encoding={key}#{fragment_with(content)}")
    expect(other.page.locator(".badge .name")).to_have_text("hugs-300")
    expect(other.button("Spaces")).to_have_attribute("aria-pressed", "true")
    link = other.copied_link()
    made = content_of(link)["made"]
    assert [*made.values()] == [recipe] and [*made] != [key] and [*made][0] in urlsplit(link).query
    other.page.reload()
    expect(other.page.locator(".badge .name")).to_have_text("hugs-300")
    third = open_elsewhere(link)  # known by now
    expect(third.page.locator(".badge .name")).to_have_text("hugs-300")
    assert third.page.get_by_role("alert").filter(visible=True).all_inner_texts() == []
    content = fragment_with({"made": {key: recipe | {"texts": [text + "bug"]}}, "address": {"trained": key}})
    fourth = open_elsewhere(f"{server.url}/train?trained={key}#step=4&{content}")
    expect(fourth.page.locator(".timeline .tokens")).to_have_attribute("data-step", "4")


def test_page_of_a_link_is_shown_once_the_server_has_the_link(make_desk, server):
    order = {"alphabet": "bytes", "counted": False, "held_out": 0, "kind": "bpe", "min_count": 2, "parity": False}
    order |= {"pattern": "cl100k_base", "start": [], "ties": "first-seen", "vocab_size": 260}
    key, page = f"trained-{'0' * 31}1", make_desk(alone=True).page
    content = {"made": {key: {"name": "a", "order": order, "specials": [], "texts": ["slow slower"]}}}
    page.add_init_script("""const { read } = ReadableStreamDefaultReader.prototype; // of the link
      ReadableStreamDefaultReader.prototype.read = async function () {
        await new Promise((later) => { setTimeout(later, 300); });
        return read.call(this);
      };""")
    page.goto(f"{server.url}/train?trained={key}#{fragment_with(content | {'address': {'trained': key}})}")
    shown = """() => document.documentElement.hasAttribute('data-drawn') &&
      Array.from(document.querySelectorAll('[role=alert]'), (one) => one.textContent)"""
    assert page.wait_for_function(shown).json_value() == []  # not that the server lacks the tokenizer


def test_link_with_merges_only_contains_no_training_text(make_desk, open_elsewhere):
    order = {"alphabet": "bytes", "counted": False, "held_out": 0, "kind": "bpe", "min_count": 2, "parity": False}
    order |= {"pattern": "cl100k_base", "start": [], "ties": "first-seen", "vocab_size": 280}
    key, secret = f"trained-{'3' * 32}", "bungsecret hug pug pun bun hugs " * 9
    recipe = {"name": "mine-280", "order": order, "specials": [], "texts": [secret]}
    content = fragment_with({"made": {key: recipe}, "address": {"trained": key}})
    typist = make_desk().open("/train", f"#{content}", trained=key)
    expect(typist.page.locator(".timeline .tokens")).to_contain_text("bungsecret")
    shows = "can read the text that a tokenizer on this page was trained on"
    found = panel(typist)
    expect(found.get_by_text(shows)).to_be_visible()
    known, with_text = key_in(typist.page.url), found.locator(".address").inner_text()
    assert content_of(with_text)["made"][known]["texts"] == [secret]
    found.get_by_label("Include only the merges").check()
    assert found.locator(".address").inner_text() != with_text  # replaced at once
    expect(found.locator(".address")).to_contain_text("merges-")
    expect(found.get_by_text(shows)).to_have_count(0)
    link = found.locator(".address").inner_text()
    assert "bungsecret" not in json.dumps(content_of(link)) and known.rpartition("-")[2] not in link
    typist.page.keyboard.press("Escape")
    other = open_elsewhere(link)
    expect(other.page.get_by_text("mine-280 was shared without its training text")).to_be_visible()
    for page, there in (("Playground", ".numbers"), ("Why this split", ".scene"), ("Vocabulary", ".vocabulary")):
        other.turn_to(page)
        if page == "Playground":
            other.choose("Model", "mine-280")
        expect(other.page.locator(there).first).to_be_visible()
        expect(other.page).to_have_url(re.compile("encoding=merges-"))
    other.turn_to("Playground")
    expect(other.page.locator(".badge .name")).to_have_text("mine-280")
    assert "bungsecret" not in other.page.content()
    third = open_elsewhere(other.copied_link())
    expect(third.page.locator(".badge .name")).to_have_text("mine-280")


def key_in(url: str) -> str:
    """Returns the key of a trained encoding in an address."""
    return re.search(r"trained-[0-9a-f]{32}", url)[0]


def test_choice_after_opening_a_link_survives_a_reload(server, open_elsewhere):
    key = f"trained-{'1' * 32}"
    recipe = {"name": "gone", "order": {}, "texts": []}
    content = {"made": {key: recipe}, "address": {"encoding": key}}
    other = open_elsewhere(f"{server.url}/?encoding={key}#{fragment_with(content)}")
    expect(
        other.page.get_by_text(
            "The settings of a shared training are damaged, so the tokenizer cannot be trained again. Ask the"
            " sender for another copy."
        )
    ).to_be_visible()
    other.choose("Model", "gpt2")
    expect(other.page.locator(".badge .name")).to_have_text("gpt2")
    other.page.reload()
    expect(other.page.locator(".badge .name")).to_have_text("gpt2")


def test_damaged_part_of_a_link_shows_a_notice_on_its_page(make_desk, server):
    page = make_desk(locale="en-GB").page
    for fragment in ("v=1&s=AAAA", fragment_with({"typed": [1]})):
        page.goto("about:blank")  # a change of the fragment alone does not reload the page
        page.goto(f"{server.url}/hood?view=scripts#{fragment}")
        expect(page.get_by_text("A part of this link cannot be read")).to_be_visible()
        expect(page.get_by_role("region", name="Paragraphs")).to_be_visible()


def test_text_too_long_for_a_link_is_saved_in_a_file(make_desk, tmp_path):
    desk = make_desk().open("/train", corpus="own")
    text = "".join(chr(0x4E00 + i * 7919 % 20_000) for i in range(9_000))
    box(desk.page, "A text typed here").fill(text)
    expect(desk.page.get_by_text("9,000 characters").first).to_be_visible()
    desk.idle()
    assert "#" not in desk.copied_link()
    expect(desk.page.locator(".done", has_text="too long. Save a file to keep everything.")).to_be_visible()
    path = saved(desk, tmp_path)
    assert path.name == "train.tokenloupe"
    other = make_desk(locale="en-GB").open("/decode")
    open_file(other, path)
    expect(other.page).to_have_url(re.compile("/train.*corpus=own"))
    expect(box(other.page, "A text typed here")).to_have_value(text)
    expect(other.page.locator(".link-panel")).to_be_hidden()


# ---- files ----


def test_file_replaces_text_and_choices_and_can_be_undone(make_desk, tmp_path):
    desk = make_desk().open(encoding="gpt2", special="special")
    desk.write(MINE)
    desk.expect_exact(MINE, "gpt2", "special")
    desk.press("Spaces")
    path = saved(desk, tmp_path)
    desk.press("Spaces")
    desk.choose("Model", "cl100k_base")
    desk.write("another")
    desk.expect_exact("another", "cl100k_base", "special")
    open_file(desk, path)
    desk.expect_exact(MINE, "gpt2", "special")
    expect(desk.button("Spaces")).to_have_attribute("aria-pressed", "true")
    desk.button("Undo").click()
    expect(desk.area).to_have_value("another")


def test_invalid_files_are_refused_with_a_reason(desk):
    """tests/ui/session/test_import_page.py has every case."""
    for data, words in (
        (b"\xff\xfe\x00", "This file is damaged"),
        (b" " * 2_000_001, "This file has 2,000,001 bytes, but a saved page has at most 2,000,000 bytes."),
    ):
        refused(desk, data, words)
    expect(desk.area).to_be_visible()


def test_invalid_values_of_a_file_show_notices_on_its_page(desk):
    facts = {"tokenloupe": "page", "version": 1, "page": "hood", "address": {"view": "<b>", "encoding": "no-such"}}
    facts |= {"typed": {"<img src=x>": 1, "hex": 7}, "made": {"x": {"order": "<i>"}}, "text": MINE, "show": [1, {}]}
    open_file(desk, {"name": "x", "mimeType": "", "buffer": json.dumps(facts).encode()})
    for words in (
        "The settings of a shared training are damaged, so the tokenizer cannot be trained again. Ask the sender for"
        " another copy.",
        "Some of what was typed on this page could not be restored.",
        "The link says view='<b>'",
    ):
        expect(desk.page.get_by_text(words)).to_be_visible()
    expect(box(desk.page, "Text")).to_have_value(MINE)


def test_saved_page_can_be_opened_in_a_file_uploader(desk):
    facts = {"tokenloupe": "page", "version": 1, "page": "hood", "address": {"view": "scripts"}, "text": MINE}
    desk.open("/catalog")
    file = {"name": "x.tokenloupe", "mimeType": "", "buffer": json.dumps(facts).encode()}
    desk.page.locator("[class*=st-key-brought_files] input[type=file]").set_input_files(file)
    expect(desk.page.get_by_role("region", name="Paragraphs")).to_contain_text("mine")
    expect(desk.page).to_have_url(re.compile("/hood.*view=scripts"))


# ---- the panel ----


def test_qr_code_contains_the_link_in_an_accessible_panel(make_desk):
    desk = inject_axe(make_desk(reduced_motion="reduce").open("/hood", view="scripts"))
    box(desk.page, "Text").fill(MINE)
    link, warning = desk.copied_link(), "Other devices cannot open this link"
    expect(desk.page.locator(".done", has_text=warning)).to_be_visible()
    found = panel(desk)
    assert found.locator(".address").inner_text() == link
    image = found.get_by_role("img", name="QR code of the link")
    fetched = "(url) => fetch(url).then((reply) => reply.text())"
    svg = awaited(desk.page, fetched, image.get_attribute("src"), what="the picture of the code")
    assert svg.encode() == qr_svg(link)
    expect(found.get_by_text(warning)).to_be_visible()
    assert_accessible(desk)


def test_qr_panel_warns_of_too_long_and_dense_links(make_desk):
    desk = make_desk().open()
    for text, words, has_code in (
        ("".join(chr(0x4E00 + i * 7919 % 20_000) for i in range(1_900)), "This link is too long for a QR code", False),
        ("".join(chr(0x4E00 + i * 7919 % 20_000) for i in range(300)), "This QR code is dense", True),
    ):
        desk.write(text)
        desk.wait_until_drawn()
        found = panel(desk)
        expect(found.get_by_text(words)).to_be_visible()
        assert found.get_by_role("img").count() == has_code
        desk.page.keyboard.press("Escape")
        expect(found).to_be_hidden()


def test_panel_can_be_read_from_its_top_where_it_is_higher_than_the_stage(make_desk):
    desk = make_desk(viewport={"width": 1024, "height": 600}).open()
    desk.write("".join(chr(0x4E00 + i * 7919 % 20_000) for i in range(300)))
    desk.wait_until_drawn()
    desk.enter_stage()
    desk.page.keyboard.press("q")
    found = desk.page.locator(".link-panel")
    expect(found.get_by_text("This QR code is dense")).to_be_visible()
    assert found.evaluate("(one) => one.scrollHeight - one.clientHeight") > 0
    expect(found.get_by_role("button", name="Close")).to_be_in_viewport(ratio=1)


def test_qr_code_fills_the_height_of_the_stage(make_desk):
    desk = make_desk(viewport={"width": 1920, "height": 1080}).open()
    desk.wait_for_bar()
    desk.page.keyboard.press("Escape")
    desk.page.get_by_role("heading", level=1).click()
    desk.page.keyboard.press("p")
    desk.wait_for_stage()
    desk.page.keyboard.press("q")
    image = desk.page.get_by_role("img", name="QR code of the link")
    expect(image).to_be_visible()
    assert image.bounding_box()["height"] > 1000
    assert {name: size for name, size in desk.texts_smaller_than(24).items() if "link-panel" in name} == {}
    desk.page.keyboard.press("Escape")
    expect(image).to_be_hidden()
    expect(desk.page.locator("html[data-stage]")).to_be_attached()  # another Escape leaves the stage
    desk.page.keyboard.press("q")
    expect(image).to_be_visible()
    at_once = "(dialog) => { dialog.close(); document.body.dispatchEvent(new KeyboardEvent('keydown', KEY)); }"
    key = "{ key: 'q', code: 'KeyQ', bubbles: true }"
    desk.page.locator("dialog.link-panel").evaluate(at_once.replace("KEY", key))  # before the close event
    expect(image).to_be_visible()
    desk.page.keyboard.press("q")
    expect(image).to_be_hidden()


# ---- links and files of earlier releases ----


@pytest.mark.parametrize("link", OLD, ids=lambda link: link["address"].partition("#")[0][:60])
def test_old_links_open(make_desk, server, link):
    other = make_desk()
    other.page.goto(f"{server.url}{link['address']}")
    if "text" in link:
        text = other.page.get_by_role("textbox", name=re.compile(r"^Text( to (tokenize|compare))?$"))
        expect(text).to_have_value(link["text"])
    for name, value in link.get("boxes", {}).items():
        field = other.page.get_by_role("textbox", name=name, exact=True)
        expect(field.or_(other.page.get_by_role("spinbutton", name=name))).to_have_value(value)
    if "model" in link:
        expect(other.page.get_by_role("combobox", name="Model")).to_have_value(re.compile(link["model"]))
    for words in link.get("see", []):
        expect(other.page.get_by_text(words).filter(visible=True).first).to_be_visible()
    for name in link.get("on", []):
        expect(other.button(name)).to_have_attribute("aria-pressed", "true")
    if "see" not in link or "no longer" not in link["see"][0]:
        assert other.page.get_by_role("alert").filter(visible=True, has_text=re.compile("link|damaged")).count() == 0


def test_old_file_opens(desk):
    open_file(desk, FOLDER / "old_page.tokenloupe")
    expect(desk.page.locator(".badge .name")).to_have_text("hugs")
    expect(desk.area).to_have_value("hug ที่ 👍")
    expect(desk.button("Spaces")).to_have_attribute("aria-pressed", "true")
