"""The stage: one part of a page alone and large, and its picture for slides."""

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect
from waiting import awaited

from e2e.desk import ABOUT, FIRST, PHONE, Desk, write
from e2e.trainer import Trainer

PROJECTOR, LAPTOP = {"width": 1920, "height": 1080}, {"width": 1280, "height": 720}
PIXELS = "(one) => parseFloat(getComputedStyle(one).fontSize)"
IS_ON = "'stage' in document.documentElement.dataset"


def is_on_stage(desk: Desk) -> bool:
    return desk.page.evaluate(IS_ON)


@pytest.fixture
def open_page(make_desk):
    """Returns a function that opens a page on a large screen, without focus."""

    def give(path: str) -> Desk:
        if path == "/train":
            trainer = make_desk(Trainer, viewport=PROJECTOR).open(vocab_size="300").train()
            trainer.go(20)
            desk = trainer
        else:
            desk = make_desk(viewport=PROJECTOR).open(path)
        expect(desk.page.locator(ABOUT[path]).first).to_be_visible()
        desk.wait_for_bar()
        desk.idle()
        desk.page.evaluate("document.activeElement?.blur()")
        return desk

    return give


@pytest.mark.parametrize(
    ("path", "count"),
    [("/", ".main dd"), ("/compare", ".count"), ("/decode", ".hero dd"), ("/learn", None), ("/why", None)],
)
def test_count_and_tokens_are_large_and_the_hint_of_the_keys_covers_nothing(open_page, path, count):
    desk = open_page(path)
    desk.page.keyboard.press("p")
    desk.wait_for_stage()
    hint = desk.page.locator(".stage-hint")
    above = hint.bounding_box()  # before it fades
    main = desk.page.locator("[class*=st-key-stage], .st-key-years").filter(visible=True).first
    assert above["y"] + above["height"] <= main.bounding_box()["y"]
    if count:
        expect(hint).not_to_contain_text("Space")
        expect(desk.page.locator(count).first).to_be_in_viewport()
        assert desk.page.locator(count).first.evaluate(PIXELS) >= 120
        assert 40 <= desk.page.locator(ABOUT[path]).first.evaluate(PIXELS) <= 64
    desk.page.keyboard.press("p")


def test_stage_keys_work_and_typed_letters_do_not_trigger_them(desk):
    desk.write("")
    desk.area.focus()
    desk.page.keyboard.type("pbsl")
    desk.expect_exact("pbsl")
    assert not is_on_stage(desk)
    desk.page.emulate_media(reduced_motion="reduce")
    desk.button("Present").click()
    fade = "(one) => one.getAnimations()[0].effect.getKeyframes().map(({ opacity }) => opacity)"
    assert desk.page.locator(".stage-hint").evaluate(fade) == ["1"] * 3  # fully opaque until it disappears
    desk.wait_for_stage()
    app, light = desk.page.get_by_test_id("stApp"), desk.page.locator(".spotlight")
    paper = app.evaluate("(one) => getComputedStyle(one).backgroundColor")
    desk.page.keyboard.press("b")
    cover = "getComputedStyle(document.documentElement, '::after').backgroundColor"
    assert desk.page.evaluate(cover) == "rgb(0, 0, 0)"
    desk.page.keyboard.press("b")
    assert desk.page.evaluate(cover) != "rgb(0, 0, 0)"
    expect(light).to_be_hidden()
    desk.page.keyboard.press("s")
    desk.page.mouse.move(300, 200)
    expect(light).to_be_visible()
    assert light.evaluate("(one) => [one.style.getPropertyValue('--x'), one.style.getPropertyValue('--y')]") == [
        "300px",
        "200px",
    ]
    desk.page.keyboard.press("l")
    expect(app).not_to_have_css("background-color", paper)
    desk.page.keyboard.press("l")
    expect(app).to_have_css("background-color", paper)
    desk.page.keyboard.press("Escape")
    assert not is_on_stage(desk)
    expect(light).to_be_hidden()


def test_phone_leaves_the_stage_by_a_button_that_covers_nothing(make_desk):
    desk = make_desk(viewport={"width": 740, "height": 375}, has_touch=True).open()
    desk.wait_for_bar()
    leave = desk.button("Stop presenting")
    expect(leave).to_be_hidden()
    desk.page.evaluate("document.documentElement.requestFullscreen = undefined")  # as on an iPhone
    desk.button("Present").tap()
    expect(leave).to_be_visible()
    desk.page.set_viewport_size(PHONE)  # it is turned upright
    box = leave.bounding_box()
    assert box["width"] >= 44 and box["height"] >= 44 and box["x"] + box["width"] <= PHONE["width"]
    assert desk.view.bounding_box()["y"] >= box["y"] + box["height"]
    leave.tap()
    assert not is_on_stage(desk)
    expect(leave).to_be_hidden()


def test_parts_of_the_timeline_are_below_each_other_on_an_upright_phone(make_desk):
    desk = make_desk(viewport=PHONE).open("/train")
    expect(desk.page.locator(".timeline.ready")).to_be_visible()
    desk.enter_stage()
    boxes = [desk.page.locator(f".timeline {part}").bounding_box() for part in (".text", ".way", ".panel", ".sums")]
    assert all(one["y"] + one["height"] <= other["y"] for one, other in pairwise(boxes))
    assert max(desk.horizontal_overflow()) <= 0
    desk.page.keyboard.press("p")


def test_hint_of_the_keys_and_pairs_are_whole_on_the_stage(make_desk):
    desk = make_desk(Trainer, viewport=LAPTOP).open(vocab_size="300").train()
    desk.go(20)  # beside it are pairs of parts of Thai letters
    desk.button("Present").click()
    hint = desk.page.locator(".stage-hint")
    expect(hint).to_contain_text("L: light or dark")
    assert hint.evaluate("(one) => one.scrollWidth - one.clientWidth") <= 0 < hint.bounding_box()["width"]
    desk.wait_for_stage()
    boxes = desk.panel.locator(".ranking .box")
    expect(boxes).to_have_count(12)
    assert boxes.evaluate_all("(boxes) => boxes.filter((one) => one.scrollWidth > one.clientWidth).length") == 0


def test_all_pairs_are_in_view_on_the_stage(make_desk):
    desk = make_desk(Trainer, viewport=LAPTOP).open(corpus="english", vocab_size="300").train()
    desk.go(20)
    desk.enter_stage()
    expect(desk.panel.get_by_role("heading", name="(· is a space)")).to_be_visible()  # two lines
    expect(desk.panel.locator(".ranking li").last).to_be_in_viewport(ratio=1)


def test_keyboard_reaches_the_button_that_leaves_the_stage(desk):
    desk.enter_stage()
    leave = desk.button("Stop presenting")
    expect(leave).to_have_css("clip-path", "inset(50%)")
    desk.page.keyboard.press("Tab")
    expect(leave).to_be_focused()
    expect(leave).to_have_css("clip-path", "none")
    desk.page.keyboard.press("Enter")
    assert not is_on_stage(desk)


def test_arrow_keys_step_through_the_page(open_page):
    desk = open_page("/train")
    desk.enter_stage()
    for words in ("Space: play or pause", "G: guess the next merge"):
        expect(desk.page.locator(".stage-hint")).to_contain_text(words)
    for key, step in (("ArrowRight", 21), ("ArrowRight", 22), ("ArrowLeft", 21)):
        desk.page.keyboard.press(key)
        expect(desk.view).to_have_attribute("data-step", str(step))
    desk.page.keyboard.press("g")
    expect(desk.page.get_by_role("heading", name="Which pair becomes merge 22?")).to_be_visible()
    desk.page.keyboard.press("1")
    expect(desk.page.locator(".timeline .verdict")).to_be_visible()
    desk.page.keyboard.press("g")
    expect(desk.page.locator(".timeline .verdict")).to_have_count(0)
    desk.page.keyboard.press("Escape")
    desk = open_page("/why")
    before = desk.page.locator(".ladder .head").inner_text()
    desk.enter_stage()
    desk.page.keyboard.press("ArrowLeft")
    expect(desk.page.locator(".ladder .head")).not_to_have_text(before)
    desk.page.keyboard.press("Escape")


@pytest.mark.parametrize(
    ("text", "locale", "theme"),
    [(FIRST, "en", "light"), (FIRST, "th", "dark"), ("ตัดคำ\n" * 9 + "1", "th", "dark")],
    ids=["sample", "sample in Thai", "own text"],
)
def test_slider_total_and_sentence_fit_beside_the_tokens_and_the_slider_works(make_desk, locale, theme, text):
    desk = make_desk(viewport=LAPTOP, locale=locale, color_scheme=theme).open()
    area, sentence = desk.page.locator("textarea"), desk.page.locator(".cost")  # the area's label is translated
    total, frame = desk.count("tokens"), desk.page.locator(".frame")
    write(area, f"{text}!")
    expect(sentence).to_contain_text("1.9")
    write(area, text)
    desk.expect_counts(text)
    desk.enter_stage()
    slider = desk.page.get_by_role("radiogroup")
    expect(slider).to_be_visible()
    parts = [slider, frame, total, sentence, *desk.page.locator(".times").filter(visible=True).all()]
    for part in parts:
        expect(part).to_be_in_viewport(ratio=1)
    boxes = [part.bounding_box() for part in parts]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
    assert all(boxes[1]["y"] + boxes[1]["height"] <= below["y"] for below in boxes[2:])
    assert desk.view.evaluate("(one) => one.clientHeight / parseFloat(getComputedStyle(one).lineHeight)") >= 4
    page = desk.page.get_by_test_id("stMain")
    assert page.evaluate("(one) => one.scrollHeight - one.clientHeight") == 0
    desk.page.get_by_role("radio", name="GPT-2").click()
    desk.expect_counts(text, "gpt2")
    assert is_on_stage(desk)
    desk.page.keyboard.press("Escape")


def test_leaving_before_full_screen_starts_ends_full_screen(open_page):
    desk = open_page("/")
    desk.page.evaluate("""() => {
      const { promise, resolve } = Promise.withResolvers();
      const request = Element.prototype.requestFullscreen;
      Element.prototype.requestFullscreen = function () {
        dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
        Element.prototype.requestFullscreen = request;
        resolve(this.requestFullscreen());
        return promise;
      };
      window.wasFull = promise;
    }""")
    desk.page.keyboard.press("p")
    awaited(desk.page, "window.wasFull", what="full screen")
    assert not is_on_stage(desk)
    desk.page.wait_for_function("!document.fullscreenElement")


FAMILY = "👩‍👩‍👧 مرحبا بالعالم costs"


def test_picture_keeps_graphemes_and_direction_and_is_saved_as_png(desk, tmp_path):
    desk.page.set_viewport_size(PROJECTOR)
    desk.write(FAMILY)
    desk.expect_exact(FAMILY)
    with desk.page.expect_download() as found:
        desk.share("Picture (SVG)")
    found.value.save_as(tmp_path / "picture.svg")
    texts = [one for one in ElementTree.parse(tmp_path / "picture.svg").getroot().iter() if one.tag.endswith("}text")]
    assert [one for one in texts if one.text == "👩‍👩‍👧"]
    assert any(one.get("direction") == "rtl" and "مرحبا" in one.text for one in texts)
    with desk.page.expect_download() as found:
        desk.share("Picture (PNG)")
    found.value.save_as(tmp_path / "picture.png")
    data = (tmp_path / "picture.png").read_bytes()
    width, height = (int.from_bytes(data[at : at + 4]) for at in (16, 20))
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and width >= 1920 and width / height == pytest.approx(16 / 9, abs=0.01)


def test_page_without_a_main_part_is_presented_whole_until_the_part_appears(make_desk):
    desk = make_desk(viewport=PROJECTOR)
    for query, words in (
        ({"encodings": "gpt2"}, "Choose at least two models to compare."),
        ({"way": "table"}, "No table yet."),
    ):
        desk.open("/compare", **query)
        desk.idle()
        desk.enter_stage()
        expect(desk.page.get_by_text(words)).to_be_in_viewport()
        expect(desk.menu).to_be_hidden()
        desk.page.keyboard.press("Escape")
        expect(desk.menu).to_be_visible()
    desk.enter_stage()
    way = desk.page.get_by_role("radio", name="One text, several encodings")
    way.click()
    expect(desk.page.locator(".st-key-stage")).to_be_visible()
    expect(way).to_be_hidden()
