"""Differences of vocabularies, against sets and lists."""

from hypothesis import given
from hypothesis import strategies as st

from tokenizer import get_encoding, train
from tokenizer.measure.vocabulary_diff import merged_tokens, vocabulary_diff
from tokenizer.training.corpora import own_corpora

vocabularies = st.lists(st.binary(min_size=2, max_size=3), unique=True)


@given(vocabularies, vocabularies)
def test_vocabulary_diff_equals_sets_and_lists(tokens, others):
    found = vocabulary_diff(tokens, others)
    assert found.shared == len({*tokens} & {*others})
    assert [tokens[i] for i in found.lacking] == [token for token in tokens if token not in others]
    assert tokens[: found.same] == others[: found.same]
    assert found.same == min(len(tokens), len(others)) or tokens[found.same] != others[found.same]


def test_training_on_our_text_differs_from_gpt_4_at_the_first_merge():
    theirs = merged_tokens(get_encoding("cl100k_base").merges.ranks)
    assert theirs[:4] == [b"  ", b"    ", b"in", b" t"] and len(theirs) == 100_256 - 256
    found = vocabulary_diff([merge.token for merge in train(own_corpora()["english"], 400)], theirs)
    assert found.same == 0 and found.shared + len(found.lacking) == 144
    assert vocabulary_diff(theirs, theirs) == (len(theirs), len(theirs), [])
