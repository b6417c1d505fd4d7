"""Agreement of encodings: boundaries by hand, and against sets and plain loops under hypothesis."""

import numpy as np
import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from texts import TEXTS

from tokenizer import Tokens, get_encoding
from tokenizer.errors import TokenizerError
from tokenizer.measure.agreement import NothingToCompare, agreement, boundaries

NAMES = ["gpt2", "cl100k_base", "o200k_base"]
SETS = st.lists(st.sets(st.integers(1, 60)), min_size=1, max_size=5)


def arrays(sets):
    return [np.array(sorted(offsets), dtype=np.int64) for offsets in sets]


def cut(text, lengths):
    return Tokens(text, np.arange(len(lengths)), np.array(lengths, dtype=int))


def test_boundaries_by_hand():
    assert boundaries(cut("abcdef", [2, 1, 3])).tolist() == [2, 3]
    assert boundaries(cut("abcdef", [6])).tolist() == []
    assert boundaries(cut("", [])).tolist() == []


def test_agreement_by_hand():
    # "unhappiness": un|happi|ness, un|happiness, unh|appiness and un|happi|n|ess
    sets = [{2, 7}, {2}, {3}, {2, 7, 8}]
    found = agreement(arrays(sets))
    # 2, 3, 7 and 8 are boundaries for some; none is for all
    assert (found.total, found.shared, found.disputed) == (4, 0, 4)
    assert found.jaccard.tolist() == [
        [1, 1 / 2, 0, 2 / 3],
        [1 / 2, 1, 0, 1 / 3],
        [0, 0, 1, 0],
        [2 / 3, 1 / 3, 0, 1],
    ]
    without_third = agreement(arrays([sets[0], sets[1], sets[3]]))
    assert (without_third.total, without_third.shared, without_third.disputed) == (3, 1, 2)


def test_agreement_without_encodings_raises():
    with pytest.raises(NothingToCompare, match="Pass the boundaries of at least one encoding") as error:
        agreement([])
    assert isinstance(error.value, TokenizerError)


@examples(500)
@given(SETS)
def test_agreement_equals_sets(sets):
    found = agreement(arrays(sets))
    union, common = set().union(*sets), set.intersection(*sets)
    assert (found.total, found.shared, found.disputed) == (len(union), len(common), len(union - common))
    for i, one in enumerate(sets):
        for j, other in enumerate(sets):
            expected = len(one & other) / len(one | other) if one | other else 1
            assert found.jaccard[i, j] == expected


@examples(150)
@given(text=TEXTS, special=st.sampled_from(["text", "special"]))
def test_agreement_of_real_encodings_equals_sets(text, special):
    all_tokens = [get_encoding(name).tokenize(text, special) for name in NAMES]
    sets = [{token.start for token in tokens} - {0} for tokens in all_tokens]
    union, common = set().union(*sets), set.intersection(*sets)
    found = agreement([boundaries(tokens) for tokens in all_tokens])
    assert (found.total, found.shared, found.disputed) == (len(union), len(common), len(union - common))
