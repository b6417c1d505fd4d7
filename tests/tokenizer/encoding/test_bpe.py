"""Our byte-pair encoding against tiktoken's, on every rank table."""

import random

import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import merge_by_merge, naive_first_merges, random_ranks
from texts import FEW_BYTES, PRE_TOKENS

from tokenizer import get_encoding
from tokenizer.encoding.bpe import MergeStep, first_merges, merge_steps, replay
from tokenizer.kinds.byte_bpe import byte_bpe
from tokenizer.kinds.from_merges import encoding_from_merges
from tokenizer.training.train import train

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
@pytest.mark.parametrize("name", ["gpt2", "o200k_base"])
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


def encode_by_first_merges(pre_token, ranks, n):
    tiktoken = byte_bpe("cut", None, first_merges(ranks, n)).model.tiktoken
    return tiktoken._encode_single_piece(pre_token) if pre_token else []


@given(pre_token=PRE_TOKENS, share=st.floats(0, 1))
@examples(20)
def test_first_merges_of_gpt2_encode_as_a_naive_model(pre_token, share):
    ranks = get_encoding("gpt2").ranks
    n = int(len(ranks) ** share)
    assert encode_by_first_merges(pre_token, ranks, n) == naive_first_merges(pre_token, ranks, n)


@pytest.mark.slow
@given(draw=st.randoms(use_true_random=False), pre_token=FEW_BYTES.map(b"".join), n=st.integers(0, 170))
@examples(200)
def test_first_merges_of_any_table_encode_as_a_naive_model(draw, pre_token, n):
    ranks = random_ranks(draw)
    assert encode_by_first_merges(pre_token, ranks, n) == naive_first_merges(pre_token, ranks, n)


def test_first_merges_are_what_training_gives_with_fewer_merges():
    text = "the cat sat on the mat, the hat that the cat sat on; แมวนั่งบนเสื่อ แมวนั่งบนหมวก " * 4
    fewer, more = (encoding_from_merges(train(text, size)).ranks for size in (290, 340))
    assert first_merges(more, 34) == fewer
