"""The smaller form of `benchmarks/exactness.py`: the same texts and corpora, of one seed, for each kind its share."""

import sys
from random import Random

import pytest
from amounts import QUICK
from paths import ROOT
from troubles import trouble

sys.path.insert(0, str(ROOT / "benchmarks"))
import exactness

SEED = 20_261


def parts(checks, total):
    """Each check with its share of so many texts, drawn from the seed."""
    share = max(2, total // len(checks) // (10 if QUICK else 1))
    for name, check in checks.items():
        draw = Random(f"{SEED} {name}")
        for _ in range(share):
            yield name, check, trouble(draw)


@pytest.mark.parametrize("kind, total", [("IN_TURN", 3_000), ("OTHERS", 3_000)])
def test_texts_of_every_kind_of_trouble_are_read_as_the_libraries_read_them(kind, total):
    for name, check, text in parts(getattr(exactness, kind), total):
        assert exactness.compare(name, check, text) == []


def test_merges_of_random_corpora_are_the_naive_trainers_under_every_rule():
    draw = Random(SEED)
    for _ in range(20 if QUICK else 200):
        assert exactness.compare_training(draw, exactness.corpus(draw)) == []


def test_what_differs_is_said_with_the_shortest_text_that_shows_it():
    def wrong_at_thai(text):
        yield "ids", [1] if "ที่" in text else [], []

    assert exactness.compare("ours", wrong_at_thai, "none of it") == []
    assert exactness.compare("ours", wrong_at_thai, "some ที่ here") == ["ours, 'ที่' ids: ours [1], theirs []"]
