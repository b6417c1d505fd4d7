"""Premiums against published totals, their identity, and intervals against a bootstrap written out."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenizer.languages.premium as premium_module
from tokenizer import get_encoding, parallel_corpus
from tokenizer.languages.premium import (
    SEED,
    NotParallel,
    Size,
    TooSlow,
    cost,
    count_tokens,
    gini,
    interval,
    premium,
    size,
)


def of(num_bytes, num_characters):
    one = np.array([1])
    return Size(np.array([num_bytes]), np.array([num_characters]), one, one)


# Thai and English on FLORES-200 (dev and devtest) in the table of Petrov et al. 2023, arXiv 2305.15425: tokens in the
# encoding, and the lengths in bytes and in characters that its ByT5 and CANINE columns give: 2.75 and 0.96 of English.
@pytest.mark.parametrize(
    ("thai", "english", "expected"), [(475_633, 52_567, 9.05), (231_995, 52_835, 4.39)], ids=["gpt2", "cl100k_base"]
)
def test_published_premiums_of_thai(thai, english, expected):
    found = premium(of(275, 96), np.array([thai]), of(100, 100), np.array([english]))
    assert found.tokens == pytest.approx(expected, abs=0.005)
    assert found.width * found.length == pytest.approx(2.75)
    assert found.width * found.length * found.vocabulary == pytest.approx(found.tokens)


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_the_three_factors_are_the_premium_in_every_row(name):
    encoding, corpus = get_encoding(name), parallel_corpus()
    base_size, base = size(corpus["en"]), count_tokens(corpus["en"], encoding)
    for lines in corpus.values():
        found = premium(size(lines), count_tokens(lines, encoding), base_size, base)
        assert math.isclose(found.width * found.length * found.vocabulary, found.tokens, rel_tol=1e-12)
        assert found.tokens == sum(len(encoding.encode(line)) for line in lines) / sum(
            len(encoding.encode(line)) for line in corpus["en"]
        )


positive = st.integers(1, 10**9)


@given(*[st.tuples(positive, positive, positive)] * 2)
def test_the_identity_holds_for_any_counts(own, base):
    found = premium(of(*own[:2]), np.array([own[2]]), of(*base[:2]), np.array([base[2]]))
    assert math.isclose(found.width * found.length * found.vocabulary, found.tokens, rel_tol=1e-12)
    back = premium(of(*base[:2]), np.array([base[2]]), of(*own[:2]), np.array([own[2]]))
    assert math.isclose(found.tokens * back.tokens, 1, rel_tol=1e-12)


def test_a_language_costs_itself_once():
    lines = parallel_corpus()["th"]
    tokens = count_tokens(lines, get_encoding("gpt2"))
    assert premium(size(lines), tokens, size(lines), tokens) == (1, 1, 1, 1)
    assert interval(tokens, tokens) == (1, 1)


def test_the_interval_is_that_of_a_bootstrap_written_out():
    random = np.random.default_rng(7)
    own, base = random.integers(5, 60, 50), random.integers(5, 20, 50)
    draws = np.random.default_rng(SEED + 1)
    found = []
    for _ in range(4_000):
        lines = draws.integers(0, 50, 50)
        found.append(own[lines].sum() / base[lines].sum())
    assert interval(own, base) == pytest.approx(np.quantile(found, [0.025, 0.975]), rel=0.02)
    assert interval(own, base).low < own.sum() / base.sum() < interval(own, base).high


def test_the_interval_is_the_same_each_time():
    own, base = np.arange(1, 41), np.full(40, 3)
    assert interval(own, base) == interval(own, base)


@pytest.mark.parametrize(("own", "base"), [([], []), ([0, 0], [1, 1]), ([1, 1], [0, 0])])
def test_nothing_to_divide_by_is_said(own, base):
    with pytest.raises(NotParallel):
        premium(Size(*[np.array(own)] * 4), np.array(own), Size(*[np.array(base)] * 4), np.array(base))


def test_lines_that_are_not_as_many_are_said():
    with pytest.raises(NotParallel, match="1 lines and the other 2"):
        premium(of(1, 1), np.array([1]), of(1, 1), np.array([1, 2]))


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=30))
def test_gini_is_its_definition(costs):
    mean = np.mean(costs)
    expected = np.abs(np.subtract.outer(costs, costs)).sum() / (2 * len(costs) ** 2 * mean) if mean else 0
    assert gini(costs) == pytest.approx(expected, abs=1e-12)


def test_sizes_count_in_four_units():
    found = size(["สวัสดีครับ", "", "👩‍👦!", "\ud800"])
    assert found.bytes.tolist() == [30, 0, 12, 3]
    assert found.characters.tolist() == [10, 0, 4, 1]
    assert found.graphemes.tolist() == [7, 0, 2, 1]
    assert found.words.tolist() == [2, 0, 0, 0]


def test_lines_that_take_too_long_together_are_refused(monkeypatch):
    encoding = get_encoding("gpt2")
    monkeypatch.setattr(premium_module, "MOST_SECONDS", -1)
    for count in (count_tokens, cost):
        with pytest.raises(TooSlow, match=r"'gpt2' takes too long: 0 of 2 lines"):
            count(["one", "two"], encoding)
