"""The Unicode page in a browser: numbers against Python, ICU and the encoder; keys; directions."""

import re
import unicodedata

import pytest
from icu4py.breakers import WordBreaker
from playwright.sync_api import Locator, Page, expect

from e2e.desk import PHONE, Tab, fragment
from e2e.server import Server
from tokenizer import get_encoding
from tokenizer.text.utf8 import decode_steps
from ui.unicode.page import VIEWS

FAMILY = "👩\u200d👩\u200d👧"
MIXED = f"น้ำ costs ① ﬁne e\u0301 {FAMILY} 𝒳"
RIGHT_TO_LEFT = '"שלום" (עולם) 12!\nabc אבג.'
HOSTILE = "<img src=x onerror=\"document.body.dataset.marked='yes'\"> </style><script>alert(1)</script> &amp; ① \u202e `![x](http://a.test)`"
KEPT_TEXT = "(text) => JSON.parse(sessionStorage['tokenloupe.desk'] ?? null)?.text === text"


class Hood(Tab):
    """The page in one browser tab."""

    def __init__(self, page: Page, server: Server):
        super().__init__(page, server)
        self.drawn = page.locator(".hood, [data-testid=stCode]")  # the list of numbers is a code element
        self.choice = page.get_by_role("radiogroup", name="Graphemes")
        self.card = page.locator(".hood > section:visible")
        self.hex = page.get_by_role("textbox", name="Bytes in hex")
        self.steps = page.locator(".steps > li")

    def open(self, text: str, view: str = "characters", encoding: str = "cl100k_base") -> "Hood":
        """Opens the page by a link and waits until its text has loaded."""
        self.visit("/hood", fragment(text), view=view, encoding=encoding)
        self.page.wait_for_function(KEPT_TEXT, arg=text)
        self.idle()
        return self

    def choose_view(self, view: str) -> None:
        """Chooses a view of the page."""
        self.page.get_by_role("radio", name=VIEWS[view]).click()
        expect(self.page).to_have_url(re.compile(rf"view={view}\b"))
        self.idle()

    def expect_rows(self, caption: str, wanted: list[list[str]]) -> None:
        """Waits for these cells in the body of a table."""
        cells = self.page.get_by_role("region", name=caption).locator("tbody th, tbody td")
        expect(cells).to_have_text([cell for row in wanted for cell in row], use_inner_text=True)

    def lane(self, name: str) -> Locator:
        """The pieces of one of the four lanes."""
        return self.page.get_by_role("region", name=f"Four ways to split: {name}").locator(".t")

    def write_hex(self, source: str) -> None:
        """Replaces the hex input."""
        self.hex.fill(source)
        self.hex.press("Control+Enter")
        self.idle()


@pytest.fixture
def hood(make_desk) -> Hood:
    return make_desk(Hood)


def test_arrow_keys_select_graphemes_and_cards_name_their_characters(hood):
    text = f"a{FAMILY}ที่ b"
    hood.open(text)
    utf8, utf16, utf32 = (len(text.encode(codec)) for codec in ("utf-8", "utf-16-le", "utf-32-le"))
    facts = [f"UTF-8 {utf8} bytes", f"UTF-16 {utf16} bytes ({utf16 // 2} units of 16 bits)", f"UTF-32 {utf32} bytes"]
    expect(hood.page.locator(".facts li")).to_have_text(["Size of the whole text:", *facts])
    radios = hood.choice.get_by_role("radio")
    expect(radios).to_have_count(5)  # waits for those of this text
    expect(hood.card.locator("header")).to_contain_text("1 character:")
    radios.first.focus()
    for number, characters in ((1, "5 characters"), (2, "3 characters"), (3, "1 character"), (4, "1 character")):
        hood.page.keyboard.press("ArrowRight")
        expect(radios.nth(number)).to_be_checked()
        expect(hood.card).to_have_count(1)
        expect(hood.card.locator("header")).to_contain_text(f"1 grapheme, {characters}")
    hood.page.keyboard.press("ArrowLeft")
    expect(radios.nth(3)).to_be_checked()
    ring = radios.nth(3).locator("xpath=..").evaluate("(label) => getComputedStyle(label).outlineWidth")
    assert ring == "3px"
    radios.nth(2).click()
    expect(hood.card.locator("h2")).to_have_text([re.compile(f"U\\+{ord(one):04X}") for one in "ที่"])
    radios.nth(1).click()
    expect(hood.card).to_have_count(1)
    expect(hood.card.locator("header p")).to_contain_text(
        "1 grapheme, 5 characters: 18 bytes in UTF-8, 16 bytes in UTF-16, 20 bytes in UTF-32."
    )
    articles = hood.card.locator("article")
    expect(articles).to_have_count(len(FAMILY))
    for one, character in zip(articles.all(), FAMILY, strict=True):
        expect(one.locator("h2")).to_contain_text(f"U+{ord(character):04X} {unicodedata.name(character)}")
        codes = [character.encode(codec).hex().upper() for codec in ("utf-8", "utf-16-be", "utf-32-be")]
        assert [code.replace(" ", "") for code in one.locator("dd code").all_inner_texts()] == codes
        bits = "".join(one.locator(".octets u").all_inner_texts())
        assert int(bits, 2) == ord(character)


def test_four_lanes_contain_the_text_and_survive_page_changes_and_reloads(hood):
    text, words = MIXED, list(WordBreaker(MIXED, "root"))
    hood.open(text, "lanes", "gpt2")
    expect(hood.lane("characters")).to_have_count(len(text))
    expect(hood.lane("words")).to_have_count(len(words))
    assert bytes.fromhex("".join(hood.lane("bytes").all_inner_texts())) == text.encode()
    widths = hood.page.locator(".unit .bar").evaluate_all("(bars) => bars.map((bar) => bar.offsetWidth)")
    counts = [len(text), len(words), len(text.encode()), len(get_encoding("gpt2").encode(text))]
    assert widths == pytest.approx([max(widths) * count / max(counts) for count in counts], abs=1)
    hood.turn_to("Decode")
    expect(hood.page.get_by_role("textbox", name="Token ids")).to_be_visible()
    hood.turn_to("Under the hood")
    expect(hood.lane("characters")).to_have_count(len(text))
    hood.idle()
    hood.page.reload()
    expect(hood.lane("characters")).to_have_count(len(text))
    assert "view=lanes" in hood.page.url


def test_right_to_left_text_starts_at_the_right(hood):
    hood.open(RIGHT_TO_LEFT)
    expect(hood.choice.get_by_role("radio")).to_have_count(len(RIGHT_TO_LEFT))
    boxes = [radio.locator("xpath=..").bounding_box() for radio in hood.choice.get_by_role("radio").all()]
    first, second = RIGHT_TO_LEFT.index("\n") + 1, len(RIGHT_TO_LEFT)
    leftwards = [box["x"] for box in boxes[:first]]
    assert leftwards == sorted(leftwards, reverse=True) and len({box["y"] for box in boxes[:first]}) == 1
    rightwards = [box["x"] for box in boxes[first:second]]
    assert rightwards == sorted(rightwards)
    expect(hood.page.get_by_label("Text", exact=True)).to_have_css("unicode-bidi", "plaintext")  # a direction per line
    hood.page.get_by_role("radio", name="Scripts and direction").click()
    expect(hood.page.get_by_role("region", name="Paragraphs")).to_be_visible()
    hood.idle()
    texts = hood.page.get_by_role("region", name="Paragraphs").locator("td .text")
    assert texts.evaluate_all("(all) => all.map((one) => getComputedStyle(one).direction)") == ["rtl", "ltr"]
    right, left = RIGHT_TO_LEFT.split("\n")
    rows = [["1", right, "right to left", "ש U+05E9 HEBREW LETTER SHIN"]]
    rows += [["2", left, "left to right", "a U+0061 LATIN SMALL LETTER A"]]
    hood.expect_rows("Paragraphs", rows)


def test_invalid_bytes_are_marked_and_input_is_kept(reuse_page):
    hood = reuse_page(Hood, "/hood")
    hood.choose_view("bytes")
    source = "61 F1 80 80 E1 80 C2 62 80 63 80 BF 64"
    hood.write_hex(source)
    data = bytes.fromhex(source)
    text = data.decode("utf-8", "replace")
    expect(hood.page.locator(".decoded")).to_have_text(text)
    expect(hood.steps).to_have_count(len(text))
    places = hood.page.locator(".steps > .refused > small").all_inner_texts()
    spans = [tuple(map(int, re.findall(r"\d+", place))) for place in places]
    refused = [(step.start + 1, step.start + len(step.data)) for step in decode_steps(data) if step.fault]
    assert [(span[0], span[-2]) for span in spans] == refused and all(span[-1] == len(data) for span in spans)
    assert hood.page.locator(".decoded mark").all_inner_texts() == ["\ufffd"] * len(spans)
    written = hood.page.locator(".steps .octets b, .steps .octets b + small").all_inner_texts()
    assert written == [text for byte in data for text in (f"{byte:02X}", f"({byte} in decimal)")]
    source = "41 zz 4 C3A9"
    hood.write_hex(source)
    alert = hood.page.get_by_role("alert")
    expect(alert).to_contain_text("'zz' at character 4")
    expect(alert).to_contain_text("'4' at character 7: 1 hex digit is not a whole byte.")
    expect(hood.page.locator(".decoded")).to_have_text("Aé")
    hood.page.get_by_role("radio", name="Four ways to split").click()
    expect(hood.lane("bytes").first).to_be_visible()
    hood.page.get_by_role("radio", name="Bytes to text").click()
    expect(hood.hex).to_have_value(source)
    hood.idle()
    hood.page.reload()
    expect(hood.hex).to_have_value(source)


def test_markup_stays_text_in_every_view_on_a_phone_without_overflow(make_desk):
    hood = make_desk(Hood, viewport=PHONE).open(f"{HOSTILE} {MIXED} {'x' * 400} {RIGHT_TO_LEFT}")
    outside = """() => Array.from(document.querySelectorAll('.hood > *, [data-testid=stCode]'))
      .map((one) => one.getBoundingClientRect().right).filter((right) => right > innerWidth)"""
    schemes = ["dark", "light"]
    for view in VIEWS:
        hood.choose_view(view)
        if view == "bytes":
            hood.write_hex(HOSTILE.encode().hex())
            expect(hood.page.locator(".decoded")).to_have_text(HOSTILE)
            hood.write_hex(HOSTILE)
            expect(hood.page.get_by_role("alert")).to_contain_text("'img' at character 2")
        elif view == "merge":
            box = hood.page.get_by_role("textbox", name="A sequence of ids")
            for typed, element in ((HOSTILE, hood.page.get_by_role("alert")), ("5, 6, 6", hood.drawn)):
                box.fill(typed)
                box.press("Control+Enter")
                expect(element).to_contain_text("'img' is not" if typed == HOSTILE else "5, 6")
        else:
            expect(hood.drawn).to_contain_text("U+2460" if view == "list" else "①")
        expect(hood.drawn).to_be_visible()
        assert hood.page.locator("img[src=x], a[href*='a.test']").count() == 0
        assert hood.page.evaluate("document.body.dataset.marked ?? null") is None
        for scheme in schemes:
            hood.page.emulate_media(color_scheme=scheme)
            expect(hood.page.get_by_test_id("stApp")).to_have_css("color-scheme", scheme)
            assert hood.horizontal_overflow() == [0, 0]
            assert hood.page.evaluate(outside) == []
        schemes.reverse()


def test_ids_of_a_link_are_merged_and_the_most_frequent_pair_is_one_press_away(hood):
    hood.visit("/hood", view="merge", sequence="1, 2, 3, 4, 3, 2, 3", pair="3, 4", new_id="9")
    call = hood.page.get_by_role("region", name="The merge as a call in Python")
    expect(call).to_have_text(re.compile(r"→\s+\[1, 2, 9, 3, 2, 3\]"))
    hood.page.get_by_role("button", name="Merge the most frequent pair: 2, 3").click()
    expect(call).to_have_text(re.compile(r"→\s+\[1, 9, 4, 3, 9\]"))  # as the course prints it
    hood.expect_rows("Pairs and their counts", [["2, 3", "2", "2"], ["1, 2", "1", "1"], ["3, 4", "1", "3"],
                                                ["4, 3", "1", "4"], ["3, 2", "1", "5"]])  # fmt: skip
    counts = ["1 0 1 0 0", "2 0 0 2 0", "3 0 1 0 1", "4 0 0 1 0"]
    hood.expect_rows("Heat map of the pairs", [row.split() for row in counts])
