"""Graphemes and words as ICU finds them."""

from itertools import accumulate

import pytest
import regex
from amounts import examples
from hypothesis import given
from hypothesis import strategies as some
from texts import TEXTS

from tokenizer.text.units import beginning, count_graphemes, count_words, grapheme_ends, graphemes, words
from tokenizer.text.well_formed import well_formed

MAX_CHARACTERS = 120


def texts(text, spans):
    return [text.encode()[start:end].decode() for start, end in spans]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ที่นี่", ["ที่", "นี่"]),
        ("நி", ["நி"]),
        ("👩‍👩‍👧‍👦👍🏽🇹🇭", ["👩‍👩‍👧‍👦", "👍🏽", "🇹🇭"]),
        ("a\r\nb\n\r", ["a", "\r\n", "b", "\n", "\r"]),
        ("e\u0301\x00\ufeff", ["e\u0301", "\x00", "\ufeff"]),
        ("각", ["각"]),
        ("", []),
    ],
)
def test_graphemes_by_hand(text, expected):
    assert graphemes(text) == expected
    assert count_graphemes(text) == len(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't stop, e.g. now!", ["Don't", "stop", "e.g", "now"]),
        ("3.14 is 1,000 %", ["3.14", "is", "1,000"]),
        ("สวัสดีครับ", ["สวัสดี", "ครับ"]),
        ("ພາສາລາວ", ["ພາສາ", "ລາວ"]),
        ("今日は良い天気です。", ["今日", "は", "良い", "天気", "です"]),
        ("👍 \U0001d7d8\U0001d7d9 😀😀", ["\U0001d7d8\U0001d7d9"]),
        ("--- ... \n\t", []),
        ("", []),
    ],
)
def test_words_by_hand(text, expected):
    assert texts(text, words(text)) == expected
    assert count_words(text) == len(expected)


@examples(300)
@given(text=TEXTS)
def test_units_cover_the_text_in_order(text):
    data = well_formed(text)[0].encode()
    found = graphemes(text)
    assert "".join(found).encode() == data
    assert [*accumulate(len(piece.encode()) for piece in found)] == grapheme_ends(text).tolist()
    assert len(found) == count_graphemes(text)
    assert all(found)

    ends = [0, *(end for _, end in words(text))]
    assert all(end <= start < next_end for end, (start, next_end) in zip(ends, words(text), strict=False))
    assert len(words(text)) == count_words(text)
    for start, end in words(text):
        data[start:end].decode()  # whole characters


@given(some.text("aé\u0301ที่👩\u200d👦\r\n", max_size=300))
def test_beginning_has_whole_graphemes(text):
    found = beginning(text, MAX_CHARACTERS)
    assert text.startswith(found) and len(found) <= MAX_CHARACTERS
    if len(text) <= MAX_CHARACTERS:
        assert found == text
    elif len(regex.match(r"\X", text).group()) <= MAX_CHARACTERS:
        assert "".join(regex.findall(r"\X", text)[: len(regex.findall(r"\X", found))]) == found
        assert len(found + regex.findall(r"\X", text[len(found) :])[0]) > MAX_CHARACTERS
