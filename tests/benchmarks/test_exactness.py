"""A small run of `benchmarks/exactness.py` with a fixed seed."""

import sys
from random import Random

import pytest
from difficult_texts import difficult_text
from paths import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))
import exactness

SEED = 20_261


def parts(checks, total):
    """Yields each check with its share of the texts, drawn from the seed."""
    share = max(2, total // len(checks))
    for name, check in checks.items():
        draw = Random(f"{SEED} {name}")
        for _ in range(share):
            yield name, check, difficult_text(draw)


@pytest.mark.slow
@pytest.mark.parametrize("kind, total", [("IN_TURN", 1_000), ("LIBRARY_CHECKS", 1_000)])
def test_difficult_texts_are_read_as_by_the_libraries(kind, total):
    for name, check, text in parts(getattr(exactness, kind), total):
        assert exactness.compare(name, check, text) == []


@pytest.mark.slow
def test_merges_of_random_corpora_equal_the_naive_trainers():
    draw = Random(SEED)
    for _ in range(20):
        assert exactness.compare_training(draw, exactness.corpus(draw)) == []


def test_difference_is_reported_with_the_shortest_text():
    def wrong_at_thai(text):
        yield "ids", [1] if "ที่" in text else [], []

    assert exactness.compare("ours", wrong_at_thai, "none of it") == []
    assert exactness.compare("ours", wrong_at_thai, "some ที่ here") == ["ours, 'ที่' ids: ours [1], theirs []"]
