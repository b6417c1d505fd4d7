"""Text under the hood: what is said of characters, bytes and forms, against Python, ICU and the standard's tables."""

import re
import unicodedata
from collections import Counter
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise

import pytest
import regex
from amounts import examples
from hypothesis import example, given
from hypothesis import strategies as st
from icu4py.breakers import WordBreaker

from tokenizer import count_graphemes, encoding_from_merges, get_encoding
from tokenizer.encoding.lanes import lanes as lanes_of
from tokenizer.text import anatomy as core
from tokenizer.text.anatomy import head as sample
from tokenizer.text.samples import samples
from tokenizer.text.well_formed import well_formed
from ui.unicode import page as drawn

SCALARS = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
HOSTILE = (
    "</style><img src=x onerror=alert(1)><b>&amp;'\"`![x](http://e) $y$ :red[z]\0\r\n\u202eabc\u2066\u200d\ufeff\x1b"
)
# Letters that join, marks that trade places, jamo, directions, line ends; and any character at all.
LIVELY = st.text(
    st.one_of(
        st.sampled_from(
            "a1 .\n\r\u2029\x1dกี่ำ้שالé\u0301\u0323\u0327e①ﬁ½ㄱ\u1100\u1161\u11a8가각Å\u212bｶﾞ\u200d👩👦🇹🇭"
            "\u0f71\u0f72\u0f74\u2066\u2067\u2068\u2069\u202e٣\u0344\u1e9b"
        ),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=30,
)
ENCODING = get_encoding("gpt2")


# Names, categories, scripts, directions


def test_every_name_is_the_official_one():
    for character in SCALARS[::7] + SCALARS[:0x3000]:
        official = unicodedata.name(character, None)
        said = core.name(character)
        if official:
            assert said == official
        else:
            assert re.fullmatch(
                r"[A-Z ]+|private use: no name|noncharacter|not assigned|newer than Unicode [\d.]+, .*", said
            )
            if said.isupper():
                assert unicodedata.lookup(said) == character and unicodedata.category(character) == "Cc"


def test_all_controls_have_a_name():
    controls = [character for character in SCALARS if unicodedata.category(character) == "Cc"]
    assert len(controls) == len(core.CONTROLS) == 65
    assert all(unicodedata.lookup(core.name(character)) == character for character in controls)


@pytest.mark.slow
def test_noncharacters_are_the_66():
    found = {ord(one) for one in SCALARS if not one.isprintable() and core.name(one) == "noncharacter"}
    ends = (plane + end for plane in range(0, 0x110000, 0x10000) for end in (0xFFFE, 0xFFFF))
    assert found == {*range(0xFDD0, 0xFDF0), *ends}


@pytest.mark.parametrize("know, words", [(core.category, core.CATEGORIES), (core.bidi_class, core.BIDI_CLASSES)])
def test_categories_and_classes_are_those_of_python_and_have_words(know, words):
    python = {core.category: unicodedata.category, core.bidi_class: unicodedata.bidirectional}[know]
    met = set()
    for character in SCALARS[::5] + SCALARS[:0x3100]:
        found = know(character)
        met.add(found)
        assert found == python(character) or python(character) in ("Cn", "")
    assert met <= set(words) and len(met) >= len(words) - 2


@cache
def of_script(name):
    return regex.compile(rf"(?s)\p{{Script={name.replace(' ', '_')}}}").match


@pytest.mark.slow
def test_every_assigned_character_has_a_script():
    for character in SCALARS[::11] + SCALARS[:0x800]:
        name = core.script(character)
        assert of_script(name)(character)
        if name == "Unknown":
            assert core.category(character) in ("Cn", "Co")


def test_all_scripts_of_the_table_exist_and_have_characters():
    dense = [*range(0x3400), *range(0xA000, 0xAC00), *range(0xF900, 0x1F000), 0x3D000]  # none is elsewhere alone
    assert {core.script(chr(point)) for point in dense} == {name.replace("_", " ") for name in core.ALL_SCRIPTS}


# UTF-8, UTF-16, UTF-32


@given(LIVELY)
@examples(200)
def test_sizes_are_those_of_the_codecs(text):
    assert core.sizes(text) == {
        "UTF-8": (len(text.encode()), len(text.encode())),
        "UTF-16": (len(text.encode("utf-16-le")) // 2, len(text.encode("utf-16-le"))),
        "UTF-32": (len(text), 4 * len(text)),
    }
    assert bytes.fromhex("".join(core.code_units(text, "UTF-8"))) == text.encode()
    assert bytes.fromhex("".join(core.code_units(text, "UTF-16"))) == text.encode("utf-16-be")
    assert [int(unit, 16) for unit in core.code_units(text, "UTF-32")] == list(map(ord, text))


# The beginning of a text


@given(st.one_of(LIVELY, st.text(max_size=50)), st.integers(1, 40))
@examples(200)
def test_the_beginning_is_whole_graphemes_of_the_text(text, times):
    text *= times
    whole, replaced = well_formed(text)
    found = sample(text)
    assert "".join(found.graphemes) == found.text == whole[: len(found.text)]
    assert (found.replaced, found.whole, found.is_cut) == (replaced, whole, found.text != whole)
    assert len(found.graphemes) <= core.MOST_GRAPHEMES and len(found.text) <= core.MOST_CHARACTERS
    if len(found.graphemes) > 1 or not found.is_cut:
        assert count_graphemes(found.text) == len(found.graphemes)
        assert count_graphemes(whole) == len(found.graphemes) + count_graphemes(whole[len(found.text) :])
    if len(whole) <= core.MOST_CHARACTERS and count_graphemes(whole) <= core.MOST_GRAPHEMES:
        assert not found.is_cut


def test_no_grapheme_is_cut_but_one_that_is_too_long_itself():
    family = "👨\u200d👩\u200d👧\u200d👦"
    assert sample(family * 100).graphemes == [family] * (core.MOST_CHARACTERS // len(family))
    assert [len(one) for one in sample("e" + "\u0301" * 5000).graphemes] == [core.MOST_CHARACTERS]
    assert sample("a" * 199 + "\r\n" * 2).graphemes[-2:] == ["a", "\r\n"]


def test_a_lone_surrogate_is_counted():
    found = sample("a\ud800b\udfff")
    assert (found.text, found.replaced) == ("a\ufffdb\ufffd", 2)
    assert "2 lone surrogates in the text became U+FFFD" in drawn.about(found)
    assert "surrogate" not in drawn.about(sample("a\ufffd"))


# Normal forms


@pytest.mark.parametrize("form", core.NORMAL_FORMS)
@given(text=LIVELY)
@examples(300)
@example(text="\u3131\u1161\u11a8")
@example(text="\r\u0323\u0301e\u0301\u0323")
def test_stretches_join_to_the_text_and_to_its_form(form, text):
    found = core.normalized(core.graphemes(text), form)
    assert "".join(one.before for one in found) == text
    assert "".join(one.after for one in found) == unicodedata.normalize(form, text)
    assert all(unicodedata.normalize(form, one.before) == one.after for one in found)
    assert not any(one.before == one.after and two.before == two.after for one, two in pairwise(found))
    assert core.changes(found).total() == sum(one.before != one.after for one in found)
    assert bool(core.changes(found)) == (not unicodedata.is_normalized(form, text))


def test_lost_is_what_only_the_k_forms_change():
    for character in SCALARS[::3] + SCALARS[:0x3400] + list(map(chr, range(0xF900, 0x10000))):
        changed = unicodedata.normalize("NFKD", character) != unicodedata.normalize("NFD", character)
        assert bool(core.lost(character)) == changed
    tags = {unicodedata.decomposition(character).split(">")[0] for character in SCALARS}
    assert {tag[1:] for tag in tags if tag.startswith("<")} == set(core.LOOKS)


def test_what_a_form_costs_is_what_the_encoder_makes():
    text = drawn.LOOKALIKES
    rows = Parsed(drawn.forms(sample(text), ENCODING)).rows
    assert rows[1][:4] == ["the text", str(len(text)), str(len(text.encode())), str(len(ENCODING.encode(text)))]
    for form, *numbers, said in rows[2:]:
        after = unicodedata.normalize(form, text)
        tokens, more = len(ENCODING.encode(after)), len(ENCODING.encode(after)) - len(ENCODING.encode(text))
        shown = f"{tokens}" + (f" ({more:+})".replace("-", "−") if more else "")
        assert numbers == [str(len(after)), str(len(after.encode())), shown]
        assert said == "≠ differs"
    assert [row[0] for row in rows[2:]] == list(core.NORMAL_FORMS)
    assert Parsed(drawn.forms(sample("abc"), ENCODING)).words.count("Nothing changes.") == 4


# Scripts and direction


@given(LIVELY)
@examples(300)
def test_script_runs_hold_one_script_and_join_to_the_text(text):
    graphemes = core.graphemes(text)
    runs = core.script_runs(graphemes)
    assert [grapheme for run in runs for grapheme in run.graphemes] == graphemes
    assert all(one.script != two.script for one, two in pairwise(runs))
    for run in runs:
        own = [core.grapheme_script(grapheme) for grapheme in run.graphemes]
        assert set(own) <= {run.script, "Common"}
        assert own[0] == run.script or run is runs[0]
    assert len(runs) < 2 or all(run.script != "Common" for run in runs)


def first_strong(paragraph):
    """Rules P2 and P3 the slow way: isolates are cut out from the innermost, unclosed ones to the end."""
    kinds = "".join(
        {"L": "l", "R": "r", "AL": "r", "LRI": "(", "RLI": "(", "FSI": "(", "PDI": ")"}.get(kind, ".")
        for kind in map(core.bidi_class, paragraph)
    )
    while (shorter := re.sub(r"\([^()]*\)", lambda found: "." * len(found[0]), kinds)) != kinds:
        kinds = shorter
    found = re.search(r"[lr]", kinds.partition("(")[0])
    return found.start() if found else None


@given(LIVELY)
@examples(500)
@example("\u2067ש\u2069a")
@example("\u2069\u2067ש\u2067a\u2069ב\u2069אa")
@example("\u2067a\nש")
def test_paragraphs_end_at_separators_and_have_the_direction_of_uax9(text):
    found = core.paragraphs(text)
    assert "".join(one.text for one in found) == text
    for one in found:
        *inner, last = one.text.replace("\r\n", "\n")
        assert all(core.bidi_class(character) != "B" for character in inner)
        assert core.bidi_class(last) == "B" or one is found[-1]
        at = first_strong(one.text)
        assert one.decider == ("" if at is None else one.text[at])
        rtl = at is not None and core.bidi_class(one.text[at]) in ("R", "AL")
        assert one.direction == ("right to left" if rtl else "left to right")


@given(LIVELY)
def test_every_character_is_counted_in_its_class(text):
    found = core.count_bidi_classes(text)
    assert sum(found.values(), Counter()) == Counter(text)
    assert all(core.bidi_class(character) == kind for kind, counts in found.items() for character in counts)


# Four lanes


@given(LIVELY.filter(bool))
@examples(200)
def test_lanes_join_to_the_text(text):
    lanes = lanes_of(text, ENCODING)
    assert "".join(lanes["characters"]) == "".join(lanes["words"]) == text
    assert b"".join(lanes["bytes"]) == b"".join(lanes["BPE"]) == text.encode()
    assert lanes["words"] == list(WordBreaker(text, "root"))
    assert lanes["BPE"] == [ENCODING.token_bytes(id) for id in ENCODING.encode(text)]


def test_lanes_say_what_an_encoding_of_characters_does_not_know():
    trained = encoding_from_merges([], None, alphabet="ab")
    rows = {row[0]: row for row in Parsed(drawn.four_lanes(sample("abcdc"), trained)).rows}
    assert rows["BPE"][-1] == "a character that was not in the training text has no token; here 2 characters"
    rows = {row[0]: row for row in Parsed(drawn.four_lanes(sample("ที่ costs"), ENCODING)).rows}
    assert rows["words"][1:3] == ["3 pieces, of which 2 words", "3"]
    assert rows["BPE"][1] == "7 tokens" and rows["BPE"][3].startswith("50,257")
    assert rows["characters"][3].startswith(f"{len(SCALARS):,}:")
    assert rows["bytes"][1:4] == ["15 bytes", str(len(set("ที่ costs".encode()))), "256"]


# What is drawn


class Parsed(HTMLParser):
    """Drawn HTML: its elements, which must nest, its words, the rows of its tables."""

    VOID = {"input", "br"}

    def __init__(self, html):
        super().__init__()
        self.tags, self.open, self.words, self.rows, self.attributes = [], [], "", [], []
        self.feed(html)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words += data
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


OURS = set(
    re.findall(
        r"\w+",
        "style div ul ol li b p label input bdi i section header span article h2 small dl dt dd code u br table caption"
        " thead tbody tr th td mark strong",
    )
)
VIEWS = pytest.mark.parametrize("view", drawn.DRAW.values(), ids=drawn.DRAW)


@VIEWS
@given(text=LIVELY.filter(bool))
@examples(60)
@example(text=HOSTILE)
@example(text="\x1d\u0301\r\u0301\r\n")
@example(text="e" + "\u0301" * 3000)
def test_a_text_is_drawn_in_our_elements_alone(view, text):
    html = view(sample(text), ENCODING)
    parsed = Parsed(html)
    assert set(parsed.tags) <= OURS
    assert not {name for _, found in parsed.attributes for name in found} & {"onerror", "src", "href", "onclick"}
    assert "\n" not in html and "\r" not in html and "\0" not in html


@given(st.text(max_size=40), st.binary(max_size=30))
@examples(60)
def test_steps_are_drawn_in_our_elements_alone(text, data):
    for found in (well_formed(text)[0].encode(), well_formed(HOSTILE)[0].encode(), data):
        parsed = Parsed(drawn.steps(found))
        assert set(parsed.tags) <= OURS


@pytest.mark.parametrize("text", [one.text for one in samples()], ids=[one.name for one in samples()])
def test_every_grapheme_can_be_chosen_and_has_its_card(text):
    found = sample(text)
    html = drawn.characters(found, ENCODING)
    parsed = Parsed(html)
    radios = [attributes for tag, attributes in parsed.attributes if tag == "input"]
    cards = [attributes["id"] for tag, attributes in parsed.attributes if tag == "section"]
    assert len(radios) == len(found.graphemes) and len(cards) == len(set(cards)) == len(set(found.graphemes))
    shown = dict(re.findall(r"\.hood:has\(\.(of-\d+):checked\) #(anatomy-\d+)", html))
    assert {shown[radio["class"]] for radio in radios} == set(cards)
    assert ["checked" in radio for radio in radios] == [True] + [False] * (len(radios) - 1)
    for radio, grapheme in zip(radios, found.graphemes, strict=True):
        assert radio["aria-label"] == ", ".join(core.name(character) for character in grapheme[:8])
        card = re.search(rf'<section id="{shown[radio["class"]]}">.*?</section>', html)[0]
        assert re.findall(r"<h2>.*?(U\+[0-9A-F]{4,6}) <small>", card) == [core.code_point(one) for one in grapheme]
        times = found.graphemes.count(grapheme)
        assert f"It occurs {'once' if times == 1 else f'{times} times'}." in card


@given(LIVELY.filter(bool))
@examples(200)
def test_pieces_stay_in_order_in_the_paragraph_where_they_begin(text):
    for pieces in (core.graphemes(text), list(text), list(WordBreaker(text, "root"))):
        html = drawn.in_paragraphs([f"[{i}]" for i in range(len(pieces))], pieces)
        assert [int(number) for number in re.findall(r"\[(\d+)\]", html)] == list(range(len(pieces)))
        rows = re.findall(r'<div dir="(rtl|ltr)">(.*?)</div>', html)
        assert [direction == "rtl" for direction, _ in rows] == [
            one.direction == "right to left" for one in core.paragraphs(text)
        ]
        begins = [sum(map(len, pieces[:i])) for i in range(len(pieces))]
        end = 0
        for (_, row), paragraph in zip(rows, core.paragraphs(text), strict=True):
            begin, end = end, end + len(paragraph.text)
            assert [begins[int(number)] for number in re.findall(r"\d+", row)] == [
                at for at in begins if begin <= at < end
            ]


def test_a_letter_alone_is_drawn_so_that_it_can_be_seen():
    assert drawn.glyph("\u0301") == '<bdi class="mark">\u0301</bdi>'
    assert drawn.glyph("\r\n") == "<i>␍↵</i>"
    scotland = "🏴" + "".join(chr(0xE0000 + ord(letter)) for letter in "gbsct") + "\U000e007f"
    assert drawn.glyphs(f"a{scotland} b") == f"<bdi>a{scotland}</bdi><i>·</i><bdi>b</bdi>"
    assert drawn.glyphs("<b> &") == "<bdi>&lt;b&gt;</bdi><i>·</i><bdi>&amp;</bdi>"
    for hidden in ("\0", "\u202e", "\u2066", "\ufeff", "\ue000", "\u00a0", "\ufe0f", "\u034f"):
        assert drawn.glyph(hidden) == f"<i>U+{ord(hidden):04X}</i>"
    assert drawn.glyph(" \u0301") == '<i>·</i><bdi class="mark">\u0301</bdi>'
    assert drawn.glyph("👩‍👦") == "<bdi>👩‍👦</bdi>"


def test_the_order_of_boxes_is_said_where_it_is_not_that_of_reading():
    assert "from right to left" in drawn.order(sample("abc\nאבג")) and not drawn.order(sample("abc א"))


def test_what_is_cut_is_said():
    long = "ab" * 5000
    assert "200 graphemes, 200 characters of 10,000" in drawn.about(sample(long))
    words = Parsed(drawn.steps(b"a\xff" * 500)).words
    assert "1,000 bytes: 500 characters, and 500 × U+FFFD" in words
    assert f"The first {drawn.MOST_STEPS} of 1,000 steps are shown" in words
    many = "".join(chr(0x2460 + i) for i in range(20)) + "".join(chr(0xFF21 + i) for i in range(20))
    assert Parsed(drawn.forms(sample(many), ENCODING)).words.count("and 20 other changes") == 2


def test_a_view_of_a_long_text_is_no_larger():
    for view in drawn.DRAW.values():
        long, longer = (len(view(sample("ที่นี่มีน้ำ " * count), ENCODING)) for count in (1_000, 100_000))
        assert longer - long < 100  # of digits


def test_places_that_nobody_has_yet_run_as_unicode_says_beforehand():
    assert [core.bidi_class(chr(point)) for point in (0x378, 0xE3B, 0x5CF, 0x1E8FF)] == ["L", "L", "R", "R"]
