"""Tokens that encoding their own text does not give, against tiktoken over whole vocabularies."""

import pytest
from steps_by_hand import unreachable_ids

from tokenizer import get_encoding, train_words, unreachable


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_unreachable_equals_brute_force_with_tiktoken(name):
    encoding = get_encoding(name)
    found = list(unreachable(encoding))
    assert found == unreachable_ids(name)
    if name == "o200k_base":
        assert len(found) == 12 and encoding.decode([3413]) == " I'" and 3413 in found
        assert 3413 in encoding.encode(" I'LL")  # another text can contain it


@pytest.mark.slow
def test_partial_and_unknown_tokens_are_not_unreachable():
    assert list(unreachable(get_encoding("gpt2"))) == []  # 1,000 and more of its tokens are parts of characters
    assert list(unreachable(train_words({"hug": 10, "pug": 5}, 6))) == []
