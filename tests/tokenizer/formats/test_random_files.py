"""Random tokenizer files: ids, spans, decoded texts and saved files equal those of their own libraries."""

from random import Random

import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from library_comparison import LIBRARY, OWN, compare_file, compare_model
from random_files import random_file, random_model

SEEDS = st.integers(0, 10**9)


@pytest.mark.slow
@examples(200)
@given(seed=SEEDS)
def test_random_tokenizer_json_is_read_and_saved_as_by_its_library(seed, tmp_path_factory):
    draw = Random(seed)
    _, differences = compare_file(random_file(draw), draw, 3, tmp_path_factory.mktemp("file"))
    assert differences == []


@pytest.mark.slow
@examples(30)
@given(seed=SEEDS)
def test_random_sentencepiece_model_is_read_as_by_its_library(seed, tmp_path_factory):
    draw = Random(seed)
    _, differences = compare_model(random_model(draw), draw, 3, tmp_path_factory.mktemp("model"))
    assert differences == []


@pytest.mark.slow
def test_random_files_use_both_readers(tmp_path):
    read_by = {compare_file(random_file(Random(seed)), Random(seed), 0, tmp_path)[0] for seed in range(120)}
    assert read_by >= {OWN, LIBRARY}
