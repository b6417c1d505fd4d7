"""The map of a vocabulary in a browser, against the encodings, with routes as of the server."""

import re

import pytest
from playwright.sync_api import Page, expect
from waiting import next_frames

from e2e.desk import PHONE, write
from e2e.stage import Stage as Base
from server.editor_api.questions import answer
from server.encodings import encoding_store
from tokenizer import get_encoding
from tokenizer.kinds.byte_bpe import byte_bpe
from tokenizer.text.scripts import localized_script, script
from tokenizer.text.well_formed import as_text
from ui.vocabulary import token_map

PIXEL = """(canvas, [x, y]) => {
  const { width, clientWidth } = canvas, scale = width / clientWidth;
  return Array.from(canvas.getContext('2d').getImageData(x * scale, y * scale, 1, 1).data.subarray(0, 3));
}"""


class Stage(Base):
    """The map on a page, with a server that has the encodings."""

    folder, sheets = "ui/vocabulary/token_map", ("tokens.css", "../ui/vocabulary/parts.css")

    def __init__(self, page: Page):
        super().__init__(page)
        self.desk = page.locator(".map")
        self.box = page.get_by_role("application", name="Map of the ids")
        self.canvas = page.locator(".picture canvas")
        self.facts = page.locator(".facts")
        self.find = page.get_by_role("searchbox", name="Go to a token")
        self.text = page.get_by_label("Mark the tokens of a text")

    def answer(self, name: str, query: dict[str, str], body: bytes) -> bytes:
        return answer(name, query, body, encoding_store.find(query["encoding"]))

    def open(self, key: str = "gpt2", than: str = "") -> "Stage":
        self.encoding = encoding_store.find(key).encoding
        data = {"url": "/api", "answer": None, "key": key, "name": key, "than": than, "thanName": than}
        self.show(data | {"groups": token_map.groups(key)})
        expect(self.desk).to_have_attribute("data-square", re.compile(r"\d"))
        return self

    def go_to(self, words: str, id: int) -> None:
        """Searches and waits until the map is there."""
        self.find.fill(words)
        self.find.press("Enter")
        self.shows(id)
        expect(self.desk).to_have_attribute("data-is-flying", "false")
        next_frames(self.page)

    def shows(self, id: int) -> None:
        """Waits until the facts are those of an id."""
        expect(self.desk).to_have_attribute("data-shown", str(id))

    def middle(self, columns: float = 0, rows: float = 0) -> tuple[float, float]:
        """The point some squares away from the middle of the picture, on the page."""
        box, square = self.canvas.bounding_box(), float(self.desk.get_attribute("data-square"))
        return box["x"] + box["width"] / 2 + columns * square, box["y"] + box["height"] / 2 + rows * square

    def pixel(self, x: float, y: float) -> list[int]:
        """The color at a point of the page."""
        box = self.canvas.bounding_box()
        return self.canvas.evaluate(PIXEL, [x - box["x"], y - box["y"]])

    def whole_place(self, id: int) -> tuple[float, float]:
        """The point of an id on the whole map, by rows from the top left that are centered in the picture."""
        box, columns = self.canvas.bounding_box(), int(self.desk.get_attribute("data-columns"))
        rows, square = -(-self.encoding.id_limit // columns), float(self.desk.get_attribute("data-square"))
        left, top = (box["width"] - columns * square) / 2, (box["height"] - rows * square) / 2
        return box["x"] + left + (id % columns + 0.5) * square, box["y"] + top + (id // columns + 0.5) * square

    def sent(self) -> list:
        return [one for one in self.page.evaluate("sent") if one[0] == "token"]


@pytest.fixture
def stage(blank) -> Stage:
    opened = Stage(blank)
    yield opened
    blank.set_viewport_size({"width": 1280, "height": 800})
    blank.emulate_media(reduced_motion="reduce", color_scheme="light")
    opened.close()


def assert_facts(stage: Stage, id: int) -> None:
    """Asserts that the facts of a token are those of the encoding."""
    stage.shows(id)
    token = stage.encoding.table[id]
    n = len(token)
    words = [f"id {id}", localized_script(script(token)), f"{n} byte{'s' * (n != 1)}"]
    for one in words:
        expect(stage.facts).to_contain_text(one)
    expect(stage.facts).to_contain_text(token[:24].hex(" ").upper())


def test_search_goes_to_a_token_and_pointing_gives_its_neighbours(stage):
    stage.open("cl100k_base")
    encoding, columns = stage.encoding, int(stage.desk.get_attribute("data-columns"))
    # none is so near to an edge of the map that it is not in the middle of the picture
    for id in (encoding.encode(" world")[0], encoding.encode(" elephant")[0], 41_230):
        stage.go_to(str(id), id)
        for dx, dy in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (2, 1)):
            if (id % columns) + dx in range(columns):
                stage.page.mouse.move(*stage.middle(dx, dy))
                assert_facts(stage, id + dx + dy * columns)
    [world] = encoding.encode(" world")
    stage.go_to(" world", world)
    stage.page.mouse.move(*stage.middle())
    assert_facts(stage, world)


def test_colors_are_those_of_the_scripts(stage):
    stage.open("cl100k_base")
    colors = {one["words"]: one["color"] for one in token_map.groups("cl100k_base")}
    encoding = stage.encoding
    latin = next(id for id in encoding.ids() if len(encoding.table[id] or b"") == 18 and encoding.table[id].isalpha())
    han = next(
        id
        for id in encoding.ids()
        if len(as_text(encoding.table[id] or b"") or "") > 5 and script(encoding.table[id]) == "Han"
    )
    for id, name in ((latin, "Latin"), (han, "Han")):
        stage.go_to(str(id), id)
        found = stage.pixel(*stage.middle(-0.44, -0.44))  # beside the text
        assert found == [int(colors[name][i : i + 2], 16) for i in (1, 3, 5)], name


def test_typed_text_marks_its_tokens_in_order(stage):
    stage.open("cl100k_base")
    text = "The ที่นี่ costs 12345"
    stage.go_to("#", stage.encoding.encode("#")[0])
    write(stage.text, text)
    ids = stage.encoding.encode(text)
    expect(stage.desk).to_have_attribute("data-path", " ".join(map(str, ids)))
    marked = stage.page.locator(".marked")
    expect(marked).to_contain_text(f"{len(ids)} tokens")
    expect(marked.locator("small")).to_have_text([str(id) for id in ids])
    stage.desk.and_(stage.page.locator("[data-is-flying=false]")).wait_for()
    stage.page.mouse.move(0, 0)
    next_frames(stage.page)
    inks = [stage.pixel(x + 4, y) for x, y in map(stage.whole_place, ids)]  # the edge of a marked square
    write(stage.text, "")
    expect(marked).to_be_hidden()
    next_frames(stage.page)
    assert all(one != stage.pixel(x + 4, y) for one, (x, y) in zip(inks, map(stage.whole_place, ids), strict=True))
    stage.text.fill(text)
    marked.get_by_role("button").nth(1).click()
    stage.shows(ids[1])


def test_both_fields_answer_when_they_change_at_once(stage):
    stage.open("gpt2")
    found, marked = stage.page.locator(".found"), stage.page.locator(".marked")
    for find, text in ((" market", "a b"), ("", "")):
        stage.desk.evaluate(
            """(desk, values) => ['find', 'text'].forEach((name, i) => {
              const field = desk.querySelector(`[name=${name}]`);
              field.value = values[i];
              field.dispatchEvent(new Event('input', { bubbles: true }));
            })""",
            [find, text],
        )
        expect(marked).to_be_visible(visible=bool(text))
        expect(found).to_be_visible(visible=bool(find))
        lines = stage.page.get_by_text("Lines join the tokens of your text in their order.")
        expect(lines).to_have_count(1 if text else 0)


def test_hits_beyond_the_shown_ones_are_counted(stage):
    stage.open("gpt2")
    stage.find.fill("able")
    hits = sum(b"able" in token for token in get_encoding("gpt2").model.tokens)
    expect(stage.page.locator(".found").get_by_role("button")).to_have_count(8)
    expect(stage.page.locator(".found")).to_contain_text(f"and {hits - 8} more")


def test_keys_pan_zoom_and_announce(stage):
    stage.open("gpt2")
    columns = int(stage.desk.get_attribute("data-columns"))
    stage.go_to("20000", 20_000)
    stage.box.focus()
    live = stage.page.locator(".live")
    at = 20_000
    for key, by in (("ArrowRight", 1), ("ArrowDown", columns), ("ArrowLeft", -1), ("Shift+ArrowUp", -columns)):
        stage.page.keyboard.press(key)
        at += by
        stage.shows(at)
    expect(live).to_contain_text("id 20000, ")
    expect(live).to_contain_text(f"{len(stage.encoding.table[20_000])} bytes")
    before = float(stage.desk.get_attribute("data-square"))
    for key, is_smaller in (("-", True), ("+", False)):
        stage.page.keyboard.press(key)
        next_frames(stage.page)
        now = float(stage.desk.get_attribute("data-square"))
        assert (now < before) == is_smaller
        before = now
    stage.page.keyboard.press("Home")
    next_frames(stage.page)
    assert float(stage.desk.get_attribute("data-square")) < 5
    stage.page.keyboard.press("Shift+ArrowRight")
    stage.shows(20_001)
    stage.page.keyboard.press("Enter")
    assert stage.sent() == [["token", {"id": 20_001}]]


def test_second_vocabulary_is_named_for_each_token_and_seen_on_the_map(stage):
    stage.open("gpt2", than="cl100k_base")
    own, other = get_encoding("gpt2"), get_encoding("cl100k_base")
    there = {other.table[id]: id for id in other.ids()}
    latin = [id for id in range(1_000, 50_000) if own.table[id].isalpha()]
    shared = next(id for id in latin if own.table[id] in there and len(own.table[id]) == 2)
    alone = next(id for id in latin if own.table[id] not in there and len(own.table[id]) >= 12)
    points = {}
    for id, words in ((shared, f"in cl100k_base with id {there[own.table[shared]]}"), (alone, "not in cl100k_base")):
        stage.go_to(str(id), id)
        expect(stage.facts).to_contain_text(words)
        points[id] = stage.pixel(*stage.middle(-0.44, -0.44))
    strong, pale = (max(points[id]) - min(points[id]) for id in (shared, alone))
    assert strong > 2 * pale
    stage.page.get_by_role("button", name="tokens that cl100k_base has too").click()
    next_frames(stage.page)
    found = stage.pixel(*stage.middle(-0.44, -0.44))  # the longer one is now the stronger one
    assert max(found) - min(found) > strong / 2 > pale


def test_gaps_and_special_tokens_are_shown_as_such(stage):
    ranks = {bytes([i]): i for i in range(256)} | {b"ab": 256}
    entry = encoding_store.add(byte_bpe("gaps", None, ranks, {"<|end|>": 300}), encoding_store.LOADED)
    stage.open(entry.key)
    legend = stage.page.get_by_role("table", name="Ids by script")
    expect(legend.get_by_role("row", name="unused ids")).to_contain_text("43")
    expect(legend.get_by_role("row", name="special token")).to_contain_text("1")
    stage.page.mouse.move(*stage.whole_place(299))
    expect(stage.facts).to_have_text(re.compile("id 299.*No token has this id"))
    stage.page.mouse.move(*stage.whole_place(300))
    expect(stage.facts).to_contain_text("special token")
    expect(stage.facts.locator(".chip.special")).to_have_text("<|end|>")


def test_legend_counts_each_id_and_shows_one_group_alone(stage):
    stage.open("gpt2")
    legend = stage.page.get_by_role("table", name="Ids by script")
    counts = [int(text.replace(",", "")) for text in legend.locator("td:nth-child(2)").all_inner_texts()]
    assert sum(counts) == 50_257
    before = stage.pixel(*stage.whole_place(1_000))
    button = legend.get_by_role("button", name="no letters")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(button).to_be_focused()
    next_frames(stage.page)
    faded = stage.pixel(*stage.whole_place(1_000))
    assert sum(faded) > sum(before)
    button.click()
    next_frames(stage.page)
    assert stage.pixel(*stage.whole_place(1_000)) == before


def test_adverts_are_veiled(stage):
    stage.open("o200k_base")
    id = stage.encoding.encode("天天中彩票")[0]
    stage.go_to(str(id), id)
    expect(stage.facts.locator(".chip.advert")).to_have_attribute("data-veil", "hidden (adult or gambling)")
    expect(stage.page.locator(".live")).to_contain_text("hidden (adult or gambling)")
    assert "彩" not in stage.desk.inner_text()
    assert "彩票".encode().hex(" ").upper() not in stage.desk.inner_text()


def test_right_to_left_token_is_isolated_and_its_facts_stay_in_order(stage):
    stage.open("o200k_base")
    id = next(id for id, token in enumerate(stage.encoding.table) if token == " العربية".encode())
    stage.go_to(str(id), id)
    chip = stage.facts.locator(".chip")
    assert chip.evaluate("(one) => [one.tagName, getComputedStyle(one).unicodeBidi]") == ["BDI", "isolate"]
    boxes = [one.bounding_box()["x"] for one in stage.facts.locator(".chip, span").all()]
    assert boxes == sorted(boxes)


def test_map_flies_unless_motion_is_reduced(stage):
    stage.open("gpt2")
    watch = """(desk) => { window.squares = []; new MutationObserver(() => squares.push(desk.dataset.square))
      .observe(desk, { attributes: true, attributeFilter: ['data-square'] }); }"""
    whole = stage.desk.get_attribute("data-square")
    stage.desk.evaluate(watch)
    stage.go_to("30000", 30_000)
    # A late draw of the whole map may repeat its size.
    assert {*stage.page.evaluate("squares")} <= {whole, stage.desk.get_attribute("data-square")}
    stage.page.emulate_media(reduced_motion="no-preference")
    stage.go_to("100", 100)
    assert len({*stage.page.evaluate("squares")}) > 5


def test_two_fingers_zoom_about_the_point_between_them(stage):
    stage.open("gpt2")
    before = float(stage.desk.get_attribute("data-square"))
    stage.box.evaluate("""(box) => {
      const at = (id, x, y, name) => box.dispatchEvent(new PointerEvent(name, {
        pointerId: id, pointerType: 'touch', clientX: box.getBoundingClientRect().x + x,
        clientY: box.getBoundingClientRect().y + y, button: name === 'pointermove' ? -1 : 0, bubbles: true }));
      box.setPointerCapture = () => {};
      at(1, 190, 200, 'pointerdown'); at(2, 210, 200, 'pointerdown');
      for (let n = 1; n <= 9; n++) { at(1, 190 - 10 * n, 200, 'pointermove'); at(2, 210 + 10 * n, 200, 'pointermove'); }
      at(1, 100, 200, 'pointerup'); at(2, 300, 200, 'pointerup');
    }""")
    next_frames(stage.page)
    assert float(stage.desk.get_attribute("data-square")) == pytest.approx(10 * before, rel=0.01)
    assert stage.box.evaluate("(box) => getComputedStyle(box).touchAction") == "none"
    assert stage.desk.get_attribute("data-shown") in (None, "")  # no tap


def test_map_fits_a_phone(stage):
    stage.page.set_viewport_size(PHONE)
    stage.open("cl100k_base")
    assert stage.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    stage.page.mouse.move(*stage.whole_place(70_000))
    assert_facts(stage, 70_000)
