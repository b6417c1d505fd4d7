"""The training of a class: merges, votes and sizes equal naive counting of pairs."""

from collections import Counter

import pytest
from amounts import examples
from hypothesis import example, given
from hypothesis import strategies as st

from tokenizer.lessons.class_training import MAX_MERGES, MAX_OPTIONS, ClassTraining, class_training
from tokenizer.split.patterns import pieces

SENTENCES = (
    "the cat and the hat, the rat",
    "แมวกินปลาในน้ำ มีแมวอยู่ในบ้าน",
    "the theme of the mat 🐈 the",
    "ในน้ำมีปลา ในนามีข้าว",
)
TEXTS = st.lists(st.text("ab กา\n", min_size=1, max_size=30), min_size=1, max_size=5).map(tuple)


def naive(sentences):
    """Yields before each merge the words as lists of tokens, and how often each pair occurs in them."""
    words = [[list(word) for word in pieces(sentence, "o200k_base")] for sentence in sentences]
    while True:
        flat = [word for sentence in words for word in sentence]
        counts = Counter(pair for word in flat for pair in zip(word, word[1:], strict=False))
        yield [[token for word in sentence for token in word] for sentence in words], counts
        first = {}
        for word in dict.fromkeys(map(tuple, flat)):
            for pair in zip(word, word[1:], strict=False):
                first.setdefault(pair, len(first))
        left, right = max(counts, key=lambda pair: (counts[pair], -first[pair]))
        for word in flat:
            at = 0
            while at + 1 < len(word):
                if word[at] == left and word[at + 1] == right:
                    word[at : at + 2] = [left + right]
                at += 1


@examples(40)
@given(TEXTS)
@example(SENTENCES)
def test_merges_and_votes_equal_naive_counts(sentences):
    training, found = ClassTraining(sentences), naive(sentences)
    assert training.num_merges <= MAX_MERGES
    for step, merge in enumerate(training.history.merges):
        tokens, counts = next(found)
        assert [training.pieces(i, step) for i in range(len(sentences))] == tokens
        assert [training.size(i, step) for i in range(len(sentences))] == [*map(len, tokens)]
        assert counts[merge.left.decode(), merge.right.decode()] == merge.count == max(counts.values()) >= 2
        if vote := training.votes.get(step):
            options = [(left.decode(), right.decode()) for left, right, _ in vote.options]
            assert [count for _, _, count in vote.options] == [counts[pair] for pair in options]
            assert vote.right == tuple(i for i, pair in enumerate(options) if counts[pair] == merge.count)
            assert vote.tied == sum(count == merge.count for count in counts.values())
            assert 1 <= len(vote.right) < len(options) <= MAX_OPTIONS
            assert (merge.left.decode(), merge.right.decode()) in options
    tokens, counts = next(found)
    if training.num_merges < MAX_MERGES:
        assert max(counts.values(), default=0) < 2
    for sentence, own in zip(sentences, tokens, strict=True):
        encoding = training.encoding()
        assert [encoding.token_bytes(id).decode() for id in encoding.encode(sentence)] == own


def test_sentence_that_shrank_most_is_the_first_with_the_smallest_share():
    training = ClassTraining(SENTENCES)
    for merges in (0, 3, training.num_merges):
        shares = [len(training.pieces(i, merges)) / len(sentence) for i, sentence in enumerate(SENTENCES)]
        found = training.shrunk(merges)
        assert found.position == shares.index(min(shares))
        assert (found.characters, found.tokens) == (
            len(SENTENCES[found.position]),
            len(training.pieces(found.position, merges)),
        )


def test_shares_compare_each_part_with_a_training_of_its_own():
    merges = 8
    facts, thai, other = ClassTraining(SENTENCES).shares(merges), SENTENCES[1::2], SENTENCES[::2]
    for name, own in (("thai", thai), ("other", other)):
        alone = class_training(own)
        assert facts[name] == 2 and facts[f"{name}_characters"] == sum(map(len, own))
        assert facts[f"{name}_alone"] == sum(alone.size(i, merges) for i in range(2))
        assert facts[f"{name}_tokens"] == sum(
            ClassTraining(SENTENCES).size(SENTENCES.index(one), merges) for one in own
        )
    assert facts["thai_alone"] + facts["other_alone"] < facts["thai_tokens"] + facts["other_tokens"]
    assert ClassTraining(thai).shares(merges) is None


@pytest.mark.parametrize("sentences", [("a",), ("aa",), (" ",)])
def test_sentences_without_a_pair_that_occurs_twice_learn_nothing(sentences):
    training = ClassTraining(sentences)
    assert training.num_merges == 0 and training.votes == {} and training.pieces(0, 0) == list(sentences[0])
