"""Tokens that encoding their own text does not give, against tiktoken over whole vocabularies."""

import pytest
from steps_by_hand import unreachable_ids

from tokenizer import get_encoding, list_encoding_names, train_words, unreachable


@pytest.mark.slow
@pytest.mark.parametrize("name", list_encoding_names())
def test_unreachable_equals_brute_force_with_tiktoken(name):
    assert list(unreachable(get_encoding(name))) == unreachable_ids(name)


def test_o200k_base_has_twelve_unreachable_tokens():
    encoding = get_encoding("o200k_base")
    found = [encoding.decode([id]) for id in unreachable(encoding)]
    assert len(found) == 12 and " I'" in found
    assert 3413 in encoding.encode(" I'LL")  # another text can contain it


def test_partial_and_unknown_tokens_are_not_unreachable():
    assert list(unreachable(get_encoding("gpt2"))) == []  # 1,000 and more of its tokens are parts of characters
    assert list(unreachable(train_words({"hug": 10, "pug": 5}, 6))) == []
