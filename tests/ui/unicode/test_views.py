"""The HTML views of a text: only our elements; numbers equal those of Python, ICU and the encoder."""

import re
import unicodedata

import pytest
from amounts import examples
from html_tree import parse_html
from hypothesis import example, given
from hypothesis import strategies as st
from icu4py.breakers import WordBreaker
from texts import LIVELY

from tokenizer import encoding_from_merges, get_encoding
from tokenizer.text import anatomy as core
from tokenizer.text.anatomy import head as sample
from tokenizer.text.samples import samples
from tokenizer.text.well_formed import well_formed
from ui.unicode import page, views

HOSTILE = (
    "</style><img src=x onerror=alert(1)><b>&amp;'\"`![x](http://e) $y$ :red[z]\0\r\n\u202eabc\u2066\u200d\ufeff\x1b"
)
ENCODING = get_encoding("gpt2")


def rows_of(html):
    """Returns the texts of the cells of each row of a table."""
    return [[cell.text for cell in row.all("td", "th")] for row in parse_html(html).all("tr")]


OUR_TAGS = set(
    re.findall(
        r"\w+",
        "style div ul ol li b p label input bdi i section header span article h2 small dl dt dd code u br table caption"
        " thead tbody tr th td mark strong",
    )
)
VIEWS = pytest.mark.parametrize("view", views.DRAW.values(), ids=views.DRAW)


@pytest.mark.slow
@VIEWS
@given(text=LIVELY.filter(bool))
@examples(60)
@example(text=HOSTILE)
@example(text="\x1d\u0301\r\u0301\r\n")
@example(text="e" + "\u0301" * 3000)
def test_views_contain_only_our_elements(view, text):
    html = view(sample(text), ENCODING)
    parsed = parse_html(html)
    assert set(parsed.tags) <= OUR_TAGS and parsed.links == []
    assert "\n" not in html and "\r" not in html and "\0" not in html


@given(st.text(max_size=40), st.binary(max_size=30))
@examples(60)
def test_decoding_steps_contain_only_our_elements(text, data):
    for found in (well_formed(text)[0].encode(), well_formed(HOSTILE)[0].encode(), data):
        assert set(parse_html(views.steps(found)).tags) <= OUR_TAGS


def test_decoding_steps_name_the_positions_of_their_bytes():
    words = " ".join(parse_html(views.steps("aท".encode())).text.split())
    assert "byte 1 of 4" in words and "bytes 2 to 4 of 4" in words


def test_no_bytes_are_not_called_valid():
    text = parse_html(views.steps(b"")).text
    assert "There are no bytes yet." in text and "valid" not in text


@pytest.mark.parametrize("text", [one.text for one in samples()], ids=[one.name for one in samples()])
def test_every_grapheme_has_a_radio_button_and_a_card(text):
    found = sample(text)
    html = views.characters(found, ENCODING)
    parsed = parse_html(html)
    radios = [radio.attributes for radio in parsed.all("input")]
    cards = [card.attributes["id"] for card in parsed.all("section")]
    assert len(radios) == len(found.graphemes) and len(cards) == len(set(cards)) == len(set(found.graphemes))
    shown = dict(re.findall(r"\.hood:has\(\.(of-\d+):checked\) #(anatomy-\d+)", html))
    assert {shown[radio["class"]] for radio in radios} == set(cards)
    assert ["checked" in radio for radio in radios] == [True] + [False] * (len(radios) - 1)
    for radio, grapheme in zip(radios, found.graphemes, strict=True):
        assert radio["aria-label"] == ", ".join(core.name(character) for character in grapheme[:8])
        card = re.search(rf'<section id="{shown[radio["class"]]}">.*?</section>', html)[0]
        assert re.findall(r"<h2>.*?(U\+[0-9A-F]{4,6}) <small>", card) == [core.code_point(one) for one in grapheme]
        times = found.graphemes.count(grapheme)
        assert f"The grapheme occurs {'once' if times == 1 else f'{times} times'} in the text shown." in card


@given(LIVELY.filter(bool))
@examples(200)
def test_pieces_stay_in_order_in_the_paragraph_where_they_begin(text):
    for pieces in (core.graphemes(text), list(text), list(WordBreaker(text, "root"))):
        rows = views.by_paragraph(list(range(len(pieces))), pieces)
        assert [number for _, row in rows for number in row] == list(range(len(pieces)))
        assert [direction == "rtl" for direction, _ in rows] == [
            one.direction == "right to left" for one in core.paragraphs(text)
        ]
        begins = [sum(map(len, pieces[:i])) for i in range(len(pieces))]
        end = 0
        for (_, row), paragraph in zip(rows, core.paragraphs(text), strict=True):
            begin, end = end, end + len(paragraph.text)
            assert [begins[number] for number in row] == [at for at in begins if begin <= at < end]


def test_glyphs_make_marks_and_hidden_characters_visible():
    assert views.glyph("\u0301") == '<bdi class="mark">\u0301</bdi>'
    assert views.glyph("\r\n") == "<i>␍↵</i>"
    scotland = "🏴" + "".join(chr(0xE0000 + ord(letter)) for letter in "gbsct") + "\U000e007f"
    assert views.glyphs(f"a{scotland} b") == f"<bdi>a{scotland}</bdi><i>·</i><bdi>b</bdi>"
    assert views.glyphs("<b> &") == "<bdi>&lt;b&gt;</bdi><i>·</i><bdi>&amp;</bdi>"
    for hidden in ("\0", "\u202e", "\u2066", "\ufeff", "\ue000", "\u00a0", "\ufe0f", "\u034f"):
        assert views.glyph(hidden) == f"<i>U+{ord(hidden):04X}</i>"
    assert views.glyph(" \u0301") == '<i>·</i><bdi class="mark">\u0301</bdi>'
    assert views.glyph("👩‍👦") == "<bdi>👩‍👦</bdi>"


def test_right_to_left_order_is_noted_where_it_differs():
    note = "a right-to-left paragraph starts at the right"
    assert note in views.characters(sample("abc\nאבג"), ENCODING)
    assert note not in views.characters(sample("abc א"), ENCODING)


def test_cut_views_state_what_is_left_out():
    long = "ab" * 5000
    assert "200 graphemes, 200 characters of 10,000" in views.size_of_sample(sample(long))
    words = parse_html(views.steps(b"a\xff" * 500)).text
    assert "1,000 bytes: 500 characters, and 500 × the replacement character � (U+FFFD)" in words
    assert f"The first {views.MAX_DECODING_STEPS} of 1,000 steps are shown" in words
    many = "".join(chr(0x2460 + i) for i in range(20)) + "".join(chr(0xFF21 + i) for i in range(20))
    assert parse_html(views.forms(sample(many), ENCODING)).text.count("and 20 other changes") == 2


def test_size_of_a_view_does_not_grow_with_the_text():
    for view in views.DRAW.values():
        long, longer = (len(view(sample("ที่นี่มีน้ำ " * count), ENCODING)) for count in (1_000, 100_000))
        assert longer - long < 100  # of digits


def test_normal_forms_have_the_counts_of_the_encoder():
    text = page.LOOKALIKES
    rows = rows_of(views.forms(sample(text), ENCODING))
    assert rows[1][:4] == ["the text", str(len(text)), str(len(text.encode())), str(len(ENCODING.encode(text)))]
    for form, *numbers, comparison in rows[2:]:
        after = unicodedata.normalize(form, text)
        tokens, more = len(ENCODING.encode(after)), len(ENCODING.encode(after)) - len(ENCODING.encode(text))
        shown = f"{tokens}" + (f" ({more:+})".replace("-", "−") if more else "")
        assert numbers == [str(len(after)), str(len(after.encode())), shown]
        assert comparison == "≠ differs from the text"
    assert [row[0] for row in rows[2:]] == list(core.NORMAL_FORMS)
    assert parse_html(views.forms(sample("abc"), ENCODING)).text.count("Nothing changes.") == 4


def test_lanes_say_that_an_encoding_leaves_out_unmatched_text():
    encoding = encoding_from_merges([], "[a-z]+", name="letters", drop_unmatched=True)
    rows = {row[0]: row for row in rows_of(views.four_lanes(sample("a 1"), encoding))}
    assert rows["BPE"][-1].startswith("letters leaves out text that the split pattern does not match")


def test_lanes_count_characters_unknown_to_an_encoding():
    trained = encoding_from_merges([], None, alphabet="ab")
    rows = {row[0]: row for row in rows_of(views.four_lanes(sample("abcdc"), trained))}
    assert (
        rows["BPE"][-1]
        == "text that is not in the vocabulary becomes the unknown token; the text shown has 3 such parts"
    )
    rows = {row[0]: row for row in rows_of(views.four_lanes(sample("ที่ costs"), ENCODING))}
    assert rows["words"][1:3] == ["3 segments, of which 2 words", "3"]
    assert rows["BPE"][1] == "7 tokens" and rows["BPE"][3].startswith("50,257")
    assert rows["characters"][3].startswith(f"{0x110000 - 0x800:,}:")
    assert rows["bytes"][1:4] == ["15 bytes", str(len(set("ที่ costs".encode()))), "256"]


def test_lone_surrogates_are_counted():
    assert "2 lone surrogates in the text became U+FFFD" in views.size_of_sample(sample("a\ud800b\udfff"))
    assert "surrogate" not in views.size_of_sample(sample("a\ufffd"))


@given(st.characters(exclude_categories=["Cs"]))
@examples(100)
@example("\uffff")
@example("\U0010ffff")
def test_payload_bits_join_to_the_code_point(character):
    text = views.joined(character).striptags()
    assert int(re.search(r"= ([01 ]+) in binary", text)[1].replace(" ", ""), 2) == ord(character)
    assert text.endswith(f"U+{ord(character):04X}")
