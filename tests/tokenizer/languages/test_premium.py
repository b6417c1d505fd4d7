"""Premiums against published totals, their identity, and intervals against an explicit bootstrap."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenizer.languages.premium as premium_module
from tokenizer import get_encoding, parallel_corpus
from tokenizer.languages.premium import (
    NotParallel,
    Size,
    TooSlow,
    cost,
    count_tokens,
    gini,
    interval,
    premium,
    size,
    spread,
)

pytestmark = pytest.mark.slow


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
    assert (found.bytes, found.length) == pytest.approx((2.75, 0.96))
    assert found.length * found.density == pytest.approx(found.tokens)


positive = st.integers(1, 10**9)


@given(*[st.tuples(positive, positive, positive)] * 2)
def test_length_times_density_equals_the_premium(own, base):
    found = premium(of(*own[:2]), np.array([own[2]]), of(*base[:2]), np.array([base[2]]))
    assert math.isclose(found.length * found.density, found.tokens, rel_tol=1e-12)
    back = premium(of(*base[:2]), np.array([base[2]]), of(*own[:2]), np.array([own[2]]))
    assert math.isclose(found.tokens * back.tokens, 1, rel_tol=1e-12)


def test_premium_of_a_language_over_itself_is_one():
    lines = parallel_corpus()["th"]
    tokens = count_tokens(lines, get_encoding("gpt2"))
    assert premium(size(lines), tokens, size(lines), tokens) == (1, 1, 1, 1)
    assert interval(tokens, tokens) == (1, 1)


def test_interval_equals_an_explicit_bootstrap():
    tokens = {tag: count_tokens(lines, get_encoding("gpt2")) for tag, lines in parallel_corpus().items()}
    num_lines, draws = len(tokens["en"]), 20_000
    lines = np.random.default_rng(7).multinomial(num_lines, np.full(num_lines, 1 / num_lines), size=draws)
    for own in tokens.values():
        drawn = np.quantile(lines @ own / (lines @ tokens["en"]), [0.025, 0.975])
        assert interval(own, tokens["en"]) == pytest.approx(drawn, abs=0.03 * (drawn[1] - drawn[0]))


def test_ends_of_an_interval_solve_fiellers_equation():
    """At both ends the mean of own - premium * base is 1.96 of its standard errors from 0."""
    own, base = np.array([9, 7, 12, 10, 8, 11]), np.array([5, 4, 6, 5, 5, 6])
    found = interval(own, base)
    for end in found:
        rest = own - end * base
        assert abs(rest.mean()) / (rest.std(ddof=1) / math.sqrt(len(rest))) == pytest.approx(1.959964)
    assert found.low < own.sum() / base.sum() < found.high


@given(st.lists(st.tuples(st.integers(1, 99), st.integers(1, 99)), min_size=1, max_size=4))
def test_interval_contains_the_premium_within_the_lines_ratios(lines):
    own, base = np.array(lines).T
    found, ratios = interval(own, base), own / base
    near = 1 + 1e-9
    assert ratios.min() <= found.low <= near * own.sum() / base.sum() and own.sum() / base.sum() <= near * found.high
    assert found.high <= ratios.max()


def test_spread_is_over_the_kinds_of_lines():
    own, base, kinds = np.array([1, 2, 3, 8]), np.array([1, 1, 4, 4]), ["b", "a", "b", "a"]
    assert spread(own, base, kinds) == (4 / 5, 10 / 5)
    assert spread(own, base, ["a"] * 4) == (14 / 10, 14 / 10)


@pytest.mark.parametrize(("own", "base"), [([], []), ([0, 0], [1, 1]), ([1, 1], [0, 0])])
def test_premium_without_tokens_raises(own, base):
    with pytest.raises(NotParallel):
        premium(Size(*[np.array(own)] * 4), np.array(own), Size(*[np.array(base)] * 4), np.array(base))


@pytest.mark.parametrize(("own", "base"), [([0, 0], [1, 1]), ([1, 1], [0, 0])])
def test_premium_of_a_text_that_an_encoding_drops_does_not_call_the_text_empty(own, base):
    with pytest.raises(NotParallel, match="gives no tokens for one of the two texts"):
        premium(of(1, 1), np.array(own), of(1, 1), np.array(base))


def test_different_numbers_of_lines_raise():
    with pytest.raises(NotParallel, match="1 line and the other 2"):
        premium(of(1, 1), np.array([1]), of(1, 1), np.array([1, 2]))


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=30))
def test_gini_equals_its_definition(costs):
    mean = np.mean(costs)
    expected = np.abs(np.subtract.outer(costs, costs)).sum() / (2 * len(costs) ** 2 * mean) if mean else 0
    assert gini(costs) == pytest.approx(expected, abs=1e-12)


def test_sizes_count_in_four_units():
    found = size(["สวัสดีครับ", "", "👩‍👦!", "\ud800"])
    assert found.bytes.tolist() == [30, 0, 12, 3]
    assert found.characters.tolist() == [10, 0, 4, 1]
    assert found.graphemes.tolist() == [7, 0, 2, 1]
    assert found.words.tolist() == [2, 0, 0, 0]


def test_counting_over_the_time_limit_raises(monkeypatch):
    encoding = get_encoding("gpt2")
    monkeypatch.setattr(premium_module, "MAX_COST_SECONDS", -1)
    for count in (count_tokens, cost):
        with pytest.raises(TooSlow, match=r"'gpt2' takes too long: 0 of 2 lines"):
            count(["one", "two"], encoding)
