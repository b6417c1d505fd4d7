"""Parity-aware BPE against a naive implementation, and against classic BPE for one language."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import joined

from tokenizer import encoding_from_merges, parallel_corpus, pre_tokens, train
from tokenizer.languages.premium import gini
from tokenizer.training.parity import train_parity


def naive_parity(texts, vocab_size, pattern):
    """Parity-aware BPE on lists of bytes, which counts all pairs again at every step."""
    rows = [
        [[bytes([byte]) for byte in text.encode()[one.start : one.end]] for one in pre_tokens(text, pattern)]
        for text in texts
    ]
    open_ones, made = set(range(len(texts))), []
    while len(made) < vocab_size - 256 and open_ones:
        tokens = [sum(map(len, own)) for own in rows]
        worst = max(open_ones, key=lambda i: (tokens[i], -i))
        pairs = Counter(pair for row in rows[worst] for pair in pairwise(row))  # in order of first occurrence
        if not pairs:
            open_ones.remove(worst)
            continue
        left, right = max(pairs, key=pairs.get)
        rows = [[joined(row, left, right) for row in own] for own in rows]
        made.append((left, right, worst, tuple(sum(map(len, own)) for own in rows)))
    return made


words = st.text("abcd ก่", min_size=1, max_size=25)


@pytest.mark.slow
@examples(200)
@given(st.lists(words, min_size=1, max_size=3), st.sampled_from([None, "gpt2"]))
def test_merges_equal_the_naive_implementation(texts, pattern):
    found = [tuple(merge) for merge in train_parity(texts, 275, pattern)]
    assert found == naive_parity(texts, 275, pattern)


@pytest.mark.parametrize("pattern", [None, "gpt2", "o200k_base"])
def test_parity_of_one_language_equals_classic_bpe(pattern):
    text = "\n".join(parallel_corpus()["th"][:20])
    classic = [(merge.left, merge.right) for merge in train(text, 400, pattern)]
    assert [(merge.left, merge.right) for merge in train_parity([text], 400, pattern)] == classic


def test_each_merge_serves_the_language_with_the_most_tokens():
    texts = ["\n".join(parallel_corpus()[tag][:30]) for tag in ("en", "th", "my")]
    before = tuple(len(text.encode()) for text in texts)
    for merge in train_parity(texts, 500):
        assert before[merge.served] == max(before)
        before = merge.tokens


def test_parity_is_fairer_than_classic_bpe_and_needs_more_tokens():
    texts = ["\n".join(parallel_corpus()[tag]) for tag in ("en", "th", "hi", "ru")]
    classic = list(train(texts, 1000, "o200k_base"))
    *_, last = train_parity(texts, 1000)
    encoding = encoding_from_merges(classic, "o200k_base", name="classic")
    costs = [len(encoding.encode(text)) for text in texts]
    assert gini(last.tokens) < gini(costs) and max(last.tokens) < max(costs)
    assert sum(last.tokens) > sum(costs)
    assert np.ptp(last.tokens) < 0.05 * max(last.tokens)


def test_lone_surrogate_counts_as_the_bytes_of_u_fffd():
    merges = list(train_parity(["aab\ud800", "cccc"], 258, None))
    assert [(merge.served, merge.tokens) for merge in merges] == [(0, (5, 4)), (0, (4, 4))]
    assert merges == list(train_parity(["aab\ufffd", "cccc"], 258, None))
