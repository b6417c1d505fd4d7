"""Paste hygiene: each kind by hand, texts that must not change, and properties under hypothesis."""

import time
import unicodedata
from itertools import accumulate

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from icu4py.breakers import LineBreaker

from tokenizer.text.hygiene import KINDS, SCAN_CHARACTERS, characters, clean, findings, functional_invisibles

# Characters of every kind, next to those they must not be confused with.
TEXTS = st.text(
    st.sampled_from(
        "ae é\u0301\u0323 \t\n\r\x00\x0b\x85\u00a0\u202f\u00ad\u061c\u200b\u200c\u200d\u200e\u2060\u2067\ufeff"
        "กำ\u0e4d่ ุमक\u094dمی가\u1100\u1161❤\ufe0f👩👦🏽🏴\U000e0067\U000e0062\U000e007f\u212b"
    ),
    max_size=30,
)

SCOTLAND = "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
WALES = "🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"


def found(text):
    """The names and counts of the findings, with bytes for tokens."""
    return {finding.name: finding.count for finding in findings(text, encode=str.encode)}


def visible(text):
    """The visible characters in NFD, without controls, formats and white space."""
    kept = (c for c in text if unicodedata.category(c) not in {"Cc", "Cf", "Zs"})
    return unicodedata.normalize("NFD", "".join(kept))


@pytest.mark.parametrize(
    "text, name, count, cleaned",
    [
        ("\ufeffone", "byte-order-mark", 1, "one"),
        ("one\r\ntwo\rthree\n", "line-ends", 2, "one\ntwo\nthree\n"),
        ("one \t\ntwo\n three  ", "trailing-space", 2, "one\ntwo\n three"),
        ("one  \r\ntwo", "trailing-space", 1, "one\r\ntwo"),
        ("1\u202f000\u00a0km,\u2007far", "no-break-spaces", 3, "1 000 km, far"),
        ("ze\u200bro\u2060wi\ufeffdth", "zero-width", 3, "zerowidth"),
        ("jo\u200cin\u200der", "zero-width", 2, "joiner"),
        ("中\u200b文", "zero-width", 1, "中文"),
        ("👩\u200d, 👩", "zero-width", 1, "👩, 👩"),
        ("hy\u00adphen", "soft-hyphens", 1, "hyphen"),
        ("\u202eabc\u202c \u2066\u061c\u200f", "bidi-controls", 5, "abc "),
        ("a\u200eb\nא\u200f!\n\u200fc", "bidi-controls", 2, "ab\nא\u200f!\nc"),
        ("cafe\u0301, A\u030a, \u212b", "decomposed", 3, "café, Å, Å"),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", "decomposed", 2, "한글"),
        ("ก\u0e48\u0e38", "decomposed", 1, "กุ่"),
        ("nul\x00, esc\x1b[0m, \x9f", "control-characters", 3, "nul, esc[0m, "),
        ("page\x0cpage\x0bline\x85", "control-characters", 3, "page\npage\nline\n"),
        ("hi\U000e0048\U000e0069", "tags", 2, "hi"),
    ],
)
def test_each_kind_is_found_and_cleaned(text, name, count, cleaned):
    assert found(text)[name] == count
    assert clean(text, name) == cleaned


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Plain text,\n\twith a tab and two line feeds.\n\n",
        "น้ำใจงาม ที่นี่ กุ้ง",  # sara am has no canonical form other than itself
        "น\u0e49\u0e4d\u0e32",  # and its two halves are not joined
        "می\u200cخواهم به خانه\u200cها بروم",  # Persian, ZWNJ within words
        "ه\u200d",  # the Arabic sign of the hijri year, a joined heh
        "क्\u200dष और राज\u200cकुमार",  # Hindi, ZWJ for a half form, ZWNJ against joining
        "ශ්\u200dරී ලංකා",
        "👨\u200d👩\u200d👧\u200d👦 👩🏽\u200d💻 ❤\ufe0f\u200d🔥 🏳\ufe0f\u200d🌈",
        f"{SCOTLAND} {WALES}",
        "🇹🇭 1\ufe0f\u20e3",
    ],
)
def test_clean_text_has_no_findings(text):
    assert found(text) == {}
    assert all(clean(text, name) == text for name in KINDS)


@pytest.mark.parametrize(
    "script, text, title",
    [
        ("Thai", "ตาก\u200bลม\u200b", "Zero width space"),
        ("Lao", "ພາສາ\u200bລາວ", "Zero width space"),
        ("Khmer", "ភាសា\u200bខ្មែរ", "Zero width space"),
        ("Myanmar", "မြန်မာ\u200bစာ", "Zero width space"),
        ("Balinese", "ᬩᬮᬶ\u200bᬩᬮᬶ", "Zero width space"),
        ("Arabic", "می\u200cخواهم", "Zero width non-joiner"),
        ("Bengali", "র\u200d্যাব", "Zero width joiner"),
        ("Sinhala", "ශ්\u200dරී", "Zero width joiner"),
        ("Malayalam", "ന്\u200d", "Zero width joiner"),
        ("emoji", "👩\u200d👦", "Zero width joiner"),
        ("Thai", "ตาก\u2060ลม", "Word joiner"),
        ("Latin", "T-\u2060shirt", "Word joiner"),
        ("Hebrew", "שלום\u200f!", "Direction control"),
        ("Arabic", "سعر\u200e C++\u200e", "Direction control"),
    ],
)
def test_functional_invisibles_are_reported_and_never_cleaned(script, text, title):
    assert found(text) == {} and all(clean(text, name) == text for name in KINDS)
    [work] = functional_invisibles(text, encode=str.encode)
    assert (work.title, work.scripts) == (title, (script,))
    assert work.count == sum(unicodedata.category(character) == "Cf" for character in text)


def line_ends(text):
    """Where ICU may break a line, in visible characters."""
    ends = accumulate(len(regex.sub("[\u200b\u2060\ufeff]", "", part)) for part in LineBreaker(text, "root"))
    return sorted(set(ends))


PIECES = [*"ab1-(.中กขကខកខ ", "ก\u200bข", "ខ\u200bក", *"\u2060\ufeff\u2060\ufeff"]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_cleaning_keeps_icus_line_breaks(text):
    text = f"a{text}"  # at the start, U+FEFF is not a word joiner
    assert line_ends(clean(text, "zero-width")) == line_ends(text)


def test_byte_order_mark_inside_a_text_counts_as_zero_width():
    assert found("\ufeffone\ufefftwo") == {"byte-order-mark": 1, "zero-width": 1}
    assert clean("\ufeffone\ufefftwo", "zero-width") == "\ufeffonetwo"


def test_cleaning_tags_keeps_flags():
    assert clean(f"{SCOTLAND}\U000e0041{SCOTLAND}", "tags") == SCOTLAND * 2


def test_cost_of_a_finding_may_be_negative():
    [nfd] = findings("e\u0301", encode=str.encode)
    assert nfd.cost == 1
    [singleton] = findings("\u0958", encode=str.encode)  # क़, whose NFC is two characters
    assert singleton.cost == -3


def test_clean_text_is_not_encoded():
    assert findings("nothing hidden here", encode=None) == []


@given(TEXTS)
def test_cleaned_text_has_no_such_finding(text):
    for name in found(text):
        cleaned = clean(text, name)
        assert name not in found(cleaned)
        assert clean(cleaned, name) == cleaned


@given(TEXTS)
def test_clean_changes_a_text_only_if_there_is_a_finding(text):
    assert {name for name in KINDS if clean(text, name) != text} == set(found(text))


@given(st.text(max_size=60), st.sampled_from([1, SCAN_CHARACTERS]))
def test_characters_are_distinct_and_sorted(text, times):
    assert characters(text * times) == "".join(sorted(set(text)))


MARKS = [mark for mark in map(chr, range(0x300, 0x30000)) if KINDS["decomposed"].trigger.match(mark)]  # none is above


@given(st.lists(st.sampled_from(MARKS), min_size=1, max_size=8), st.data())
def test_decomposed_findings_equal_those_of_the_pattern_for_all_marks(marks, data):
    text = "".join(data.draw(st.lists(st.sampled_from([*marks, "a", "\n"]))))
    all_marks = KINDS["decomposed"].pattern.finditer(text)
    changed = sum(unicodedata.normalize("NFC", one[0]) != one[0] for one in all_marks)
    assert found(text).get("decomposed", 0) == changed


@given(TEXTS)
def test_cleaning_keeps_visible_text(text):
    # Tag characters after a black flag are formats, so `visible` removes them from both sides.
    assert {visible(clean(text, name)) for name in KINDS} == {visible(text)}


@given(st.one_of(TEXTS, st.text(max_size=40)))
def test_composing_equals_nfc(text):
    assert clean(text, "decomposed") == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize(
    "text",
    [
        "Plain words. ",
        "ที่นี่มีน้ำใส ",
        " ",
        "\r",
        "\ufeff",
        "x\u200d",
        "🇹🇭",
        f"{SCOTLAND} {WALES}",
        "👨\u200d👩\u200d👧",
        "e\u0301",
        "\u0315\u0300",  # many marks on one letter: slow to normalize
    ],
)
def test_time_does_not_grow_with_the_square_of_the_length(text):
    def seconds(size):
        begin = time.process_time()
        found("a" + text * (size // len(text)))
        return time.process_time() - begin

    assert seconds(80_000) < 20 * max(seconds(10_000), 0.005)  # 8 times the text; a square would take 64
