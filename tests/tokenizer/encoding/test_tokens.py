"""Tokens and segments: spans count bytes, and lone surrogates are replaced."""

import numpy as np
import pytest

from tokenizer import Token, get_encoding, segments
from tokenizer.text.well_formed import SLICE_CHARACTERS, well_formed


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
    for before in ("a" * (SLICE_CHARACTERS - 1), "a" * SLICE_CHARACTERS, "a" * (2 * SLICE_CHARACTERS + 1)):
        assert well_formed(before + "\ud83d\udc4d") == (before + "👍", 0)
        assert well_formed(before + "\ud83d") == (before + "\ufffd", 1)


def test_segments_of_another_text_raise():
    tokens = get_encoding("gpt2").tokenize("one text")
    for other in ("another text", "", "one tex\u00e9"):
        with pytest.raises(ValueError, match="not the tokens of this text"):
            segments(other, tokens)
