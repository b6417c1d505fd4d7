"""Our byte-pair encoding against tiktoken's, on every rank table."""

import random

import pytest
from amounts import examples
from hypothesis import given
from oracles import merge_by_merge
from texts import PRE_TOKENS

from tokenizer import get_encoding
from tokenizer.encoding.bpe import MergeStep, merge_steps, replay

TABLES = ["gpt2", "p50k_base", "cl100k_base", "o200k_base"]


def tiktokens(name, pre_token):
    return get_encoding(name).model.tiktoken._encode_single_piece(pre_token)


@pytest.mark.parametrize("name", TABLES)
def test_merges_lead_to_every_token(name):
    # tiktoken looks a whole pre-token up in the table without merging; merging must give the same token.
    # Each run takes a different sample.
    ranks = get_encoding(name).ranks
    for token in random.sample(list(ranks), 5_000):
        assert merge_by_merge(token, ranks) == [ranks[token]]


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("unit", ["a", " ", "ก", "👍", "the quick brown fox "])
def test_merges_of_a_long_pre_token_equal_tiktokens(name, unit):
    pre_token = (unit.encode() * 3_000)[:3_000]
    assert merge_by_merge(pre_token, get_encoding(name).ranks) == tiktokens(name, pre_token)


@given(pre_token=PRE_TOKENS)
@examples(200)
def test_replay_ends_with_the_tokens(pre_token):
    ranks = get_encoding("gpt2").ranks
    steps = list(merge_steps(pre_token, ranks))
    rows = list(replay(pre_token, steps))
    assert len(rows) == len(steps) + 1
    assert all(b"".join(row) == pre_token for row in rows)
    assert [ranks[part] for part in rows[-1]] == merge_by_merge(pre_token, ranks)
    for step, before, after in zip(steps, rows, rows[1:], strict=False):
        assert (step.left, step.right) == before[step.position : step.position + 2]
        assert after[step.position] == step.left + step.right
        assert ranks[step.left + step.right] == step.rank


def test_merge_steps_take_the_lowest_rank_then_the_leftmost():
    ranks = {b"a": 0, b"b": 1, b"aa": 2, b"ab": 3}
    assert list(merge_steps(b"aaab", ranks)) == [MergeStep(0, b"a", b"a", 2), MergeStep(1, b"a", b"b", 3)]
    assert merge_by_merge(b"aaab", ranks) == [2, 3]


def test_merge_steps_of_the_wikipedia_example():
    # https://en.wikipedia.org/wiki/Byte-pair_encoding: aaabdaaabac becomes XdXac
    ranks = {bytes([letter]): i for i, letter in enumerate(b"abcd")} | {b"aa": 4, b"ab": 5, b"aaab": 6}
    assert list(replay(b"aaabdaaabac", merge_steps(b"aaabdaaabac", ranks)))[-1] == (b"aaab", b"d", b"aaab", b"a", b"c")
