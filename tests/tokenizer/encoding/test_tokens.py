"""Tokens and segments: spans are bytes, and what is shown is whole."""

import numpy as np
import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from texts import TEXTS

from tokenizer import Token, get_encoding, list_encoding_names, segments
from tokenizer.text.units import graphemes
from tokenizer.text.well_formed import well_formed

FAMILY = "👩‍👩‍👧‍👦"


@pytest.mark.parametrize("name", list_encoding_names())
@examples(150)
@given(text=TEXTS, special=st.sampled_from(["text", "special"]))
def test_segments_join_and_hold_whole_graphemes(name, text, special):
    tokens = get_encoding(name).tokenize(text, special)
    found = segments(text, tokens)
    assert "".join(segment.text for segment in found) == tokens.text
    assert [token for segment in found for token in segment.tokens] == list(tokens)

    grapheme_ends = {end for _, end in graphemes(text)}
    for segment in found:
        assert (segment.start, segment.end) == (segment.tokens[0].start, segment.tokens[-1].end)
        assert segment.text.encode() == tokens.text.encode()[segment.start : segment.end]
        ends = [token.end for token in segment.tokens]
        assert [end in grapheme_ends for end in ends] == [False] * (len(ends) - 1) + [True]  # whole, and no longer


@pytest.mark.parametrize(
    ("name", "text", "num_tokens"),
    [
        ("gpt2", "ที่", 6),
        ("cl100k_base", "👍", 3),
        ("o200k_base", FAMILY, 11),
        ("gpt2", "நி", 6),
        ("gpt2", "\r\n", 2),
    ],
)
def test_a_grapheme_of_several_tokens_is_one_segment(name, text, num_tokens):
    tokens = get_encoding(name).tokenize(text)
    assert [segment.text for segment in segments(text, tokens)] == [text]
    assert len(tokens) == num_tokens


@pytest.mark.parametrize("text", ["\ufeffBOM", "a\x00b", "a\r\nb\r", FAMILY, "e\u0301e", "\u200d", "\u0301", "ก็", ""])
@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_delicate_texts(name, text):
    tokens = get_encoding(name).tokenize(text)
    assert tokens.text == text
    assert "".join(segment.text for segment in segments(text, tokens)) == text


def test_tokens_are_a_sequence():
    tokens = get_encoding("cl100k_base").tokenize("é👍 the end<|endoftext|>", special="special")
    assert len(tokens) == len(tokens.ids) == 7
    assert list(tokens) == [tokens[i] for i in range(7)]
    assert tokens[-1] == Token(100257, 14, 27, True)
    assert tokens[1:3] == list(tokens)[1:3]
    assert all(type(field) in (int, bool) for token in (tokens[0], next(iter(tokens))) for field in token)
    assert tokens.starts.dtype == tokens.ends.dtype == np.int64
    with pytest.raises(IndexError):
        tokens[7]


def test_lone_surrogates_are_replaced_and_counted():
    assert well_formed("a\ud800b\udc00\ufffd") == ("a\ufffdb\ufffd\ufffd", 2)
    assert well_formed("\ud83d\udc4d") == ("👍", 0)
    assert well_formed("\ud83d") == ("\ufffd", 1)
    assert well_formed("\ufeff\ud83d") == ("\ufeff\ufffd", 1)
    tokens = get_encoding("gpt2").tokenize("a\ud800")
    assert (tokens.text, tokens.replaced) == ("a\ufffd", 1)
    assert [segment.text for segment in segments("a\ud800", tokens)] == ["a", "\ufffd"]


def test_segments_of_another_text_are_refused():
    tokens = get_encoding("gpt2").tokenize("one text")
    for other in ("another text", "", "one tex\u00e9"):
        with pytest.raises(ValueError, match="not the tokens of this text"):
            segments(other, tokens)
