"""The history of a training: rivals equal naive counts, and texts are split as by the encoder at each step."""

from collections import Counter
from itertools import accumulate, pairwise

import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import joined

from tokenizer import count_pre_tokens, encoding_from_merges, train
from tokenizer.errors import BadMerge, BadVocabularySize, NothingToTrainOn
from tokenizer.text.units import grapheme_ends
from tokenizer.training.train import TIE_RULES, top_pairs
from tokenizer.training.training_history import (
    MAX_TIED_PAIRS,
    MAX_TIES,
    NO_SYMBOL,
    NUM_RIVALS,
    TrainingHistory,
    closings,
    record_training,
    tokens_after_each,
)

CORPUS = "ที่นี่มีที่ดี it's the theme of the thesis, aaaa aaaaa ที่ดีที่สุด 2026 2027 👍👍 " * 2

small_texts = st.text(alphabet="ab cกี่👍", min_size=2, max_size=60)


def cut(pre_token, alphabet):
    return [bytes([b]) for b in pre_token.encode()] if alphabet == "bytes" else [c.encode() for c in pre_token]


def naive_counts(words):
    """Counts each pair of a corpus; `words` are (parts, count)."""
    return Counter(pair for parts, n in words for pair in [*pairwise(parts)] * n)


def crosses(counts, words):
    """Whether a token holds parts of two graphemes of its pre-token."""
    return any(
        set(grapheme_ends(pre_token).tolist()) - {*accumulate(map(len, parts))}
        for pre_token, (parts, _) in zip(counts, words, strict=True)
    )


def assert_history_is_right(counts, history):
    crossing = NO_SYMBOL
    words = [(cut(pre_token, history.alphabet), n) for pre_token, n in counts.items()]
    assert history.num_symbols == sum(len(parts) * n for parts, n in words)
    for step, merge in enumerate(history.merges):
        now = naive_counts(words)
        assert merge.count == now.pop((merge.left, merge.right))
        rivals = history.runners_up(step)
        assert [(left, right) for left, right, _ in rivals] == [*dict.fromkeys((a, b) for a, b, _ in rivals)]
        assert all(now[left, right] == count for left, right, count in rivals)
        assert [count for *_, count in rivals] == sorted(now.values(), reverse=True)[:NUM_RIVALS]
        words = [(joined(parts, merge.left, merge.right), n) for parts, n in words]
        crossing = step if crossing == NO_SYMBOL and crosses(counts, words) else crossing
        assert history.num_tokens[step + 1] == sum(len(parts) * n for parts, n in words)
    assert history.crossing == crossing
    uses = Counter(part for parts, n in words for part in parts * n)
    assert dict(zip(history.tokens, history.uses.tolist(), strict=True)) == {t: uses[t] for t in history.tokens}


@pytest.mark.parametrize("alphabet", ["bytes", "characters"])
@pytest.mark.parametrize("ties", TIE_RULES)
def test_rivals_equal_naive_counts(ties, alphabet):
    counts = count_pre_tokens(CORPUS, "gpt2")
    assert_history_is_right(counts, record_training(counts, 330 if alphabet == "bytes" else 90, ties, alphabet))


@pytest.mark.parametrize("alphabet", ["bytes", "characters"])
@pytest.mark.parametrize("ties", TIE_RULES)
def test_ties_record_the_pair_that_each_rule_takes(ties, alphabet):
    counts = {"aaabdaaabac": 1} | count_pre_tokens(CORPUS, "gpt2")
    history = record_training(counts, 330 if alphabet == "bytes" else 90, ties, alphabet)
    tied = [
        step for step in range(len(history)) if [*history.runners_up(step), ("", "", 0)][0][2] == history.count[step]
    ]
    assert history.ties[:, 0].tolist() == tied[:MAX_TIES]
    for step, count, *symbols in history.ties.tolist():
        start = history.merges[:step]
        pairs = top_pairs(counts, 1000, ties, alphabet, start)
        assert count == sum(pair[2] == pairs[0][2] for pair in pairs) <= MAX_TIED_PAIRS
        taken = [history.tokens[symbol] for symbol in symbols]
        for i, rule in enumerate(TIE_RULES):
            assert top_pairs(counts, 1, rule, alphabet, start)[0][:2] == (taken[2 * i], taken[2 * i + 1])


def test_number_of_tied_pairs_is_bounded():
    history = record_training(
        {"".join(map(chr, range(0x4E00, 0x4E00 + MAX_TIED_PAIRS + 2))): 1}, 999, alphabet="characters"
    )
    assert history.ties[0].tolist() == [0, 0, 0, 1, 0, 1, 0, 1] and history.ties[1, 1] == MAX_TIED_PAIRS


@given(small_texts, st.sampled_from([*TIE_RULES]), st.sampled_from(["bytes", "characters"]))
def test_history_of_any_text_equals_naive_counts(text, ties, alphabet):
    counts = count_pre_tokens(text, None)
    assert_history_is_right(counts, record_training(counts, 300, ties, alphabet))


@pytest.mark.parametrize("ties", TIE_RULES)
def test_history_has_the_merges_of_train(ties):
    assert record_training(count_pre_tokens(CORPUS), 400, ties).merges == list(train(CORPUS, 400, ties=ties))


def test_rivals_are_in_the_order_in_which_they_would_win():
    counts = count_pre_tokens(CORPUS, None)
    history = record_training(counts, 300)
    for step, merge in enumerate(history.merges[:-1]):
        if (rivals := history.runners_up(step)) and not {merge.left, merge.right} & {*rivals[0][:2]}:
            # the first rival shares nothing with the winner, so only a pair with the new token can come before it
            following = history.merges[step + 1]
            assert (following.left, following.right) == rivals[0][:2] or merge.token in following[1:3]


def test_fork_takes_the_given_pair_and_continues_from_it():
    counts = count_pre_tokens(CORPUS, "gpt2")
    history = record_training(counts, 300)
    left, right, count = history.runners_up(10)[0]
    start = [*((merge.left, merge.right) for merge in history.merges[:10]), (left, right)]
    fork = record_training(counts, 300, start=start)
    assert fork.merges[:10] == history.merges[:10]
    assert fork.merges[10][1:5] == (left, right, left + right, count)
    assert_history_is_right(counts, fork)


def test_start_may_contain_a_pair_that_does_not_occur():
    counts = {"abab": 1}
    history = record_training(counts, 258, start=[(b"x", b"y")])
    assert [(merge.token, merge.count) for merge in history.merges] == [(b"xy", 0), (b"ab", 2)]


@pytest.mark.parametrize("alphabet", ["bytes", "characters"])
def test_tokens_after_each_merge_equal_the_encoders(alphabet):
    held_out = "the ที่ดีที่สุด thesis of 👍👍👍 aaaaaaa zebra"
    history = record_training(count_pre_tokens(CORPUS, "gpt2"), 330 if alphabet == "bytes" else 90, alphabet=alphabet)
    numbers = tokens_after_each(count_pre_tokens(held_out, "gpt2"), history).tolist()
    base = "bytes" if alphabet == "bytes" else [chr(point) for point in history.base.tolist()]
    for step, number in enumerate(numbers):
        encoding = encoding_from_merges(history.merges[:step], "gpt2", alphabet=base)
        assert number == len(encoding.encode(held_out))
    assert len(numbers) == len(history) + 1


@pytest.mark.parametrize("alphabet", ["bytes", "characters"])
def test_progress_reports_every_merge_and_histories_are_read_as_written(alphabet):
    reported = []
    size = 300 if alphabet == "bytes" else 60
    history = record_training(count_pre_tokens(CORPUS), size, alphabet=alphabet, progress=reported.append)
    assert reported == [*range(1, len(history) + 1)]
    again = TrainingHistory.from_bytes(history.to_bytes())
    assert again.merges == history.merges
    assert again.alphabet == alphabet
    assert (again.rivals == history.rivals).all() and (again.uses == history.uses).all()
    assert (again.num_symbols, again.num_bytes) == (history.num_symbols, history.num_bytes)


def test_single_symbol_gives_an_empty_history_and_bad_input_raises():
    history = record_training({"a": 3}, 300)
    assert len(history) == 0 and history.num_tokens.tolist() == [3] and history.tokens[97] == b"a"
    assert TrainingHistory.from_bytes(history.to_bytes()).merges == []
    with pytest.raises(NothingToTrainOn):
        record_training({}, 300)
    with pytest.raises(BadVocabularySize):
        record_training({"ab": 1}, 10)
    with pytest.raises(BadMerge):
        record_training({"ab": 1}, 300, start=[(b"ab", b"c")])


# A text at each step


def assert_split_as_encoded(text, merges, pattern, alphabet):
    encoding = encoding_from_merges(merges, pattern, alphabet=alphabet)
    ends, steps = closings(text, encoding)
    assert ends[-1:].tolist() == [len(text.encode())][: len(ends)]
    for step in range(len(merges) + 1):
        until_now = encoding_from_merges(merges[:step], pattern, alphabet=alphabet)
        open_gaps = ends[(steps >= step) | (steps == NO_SYMBOL)]
        assert open_gaps.tolist() == until_now.tokenize(text).ends.tolist(), step


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k_base", None, r"\w+"])
def test_closings_equal_the_encoding_at_each_step(pattern):
    merges = list(train(CORPUS, 330, pattern))
    assert_split_as_encoded("the aaaaaaa ที่ไม่มี ดีดี 👍👍👍\n(new) thesis's", merges, pattern, "bytes")


@given(small_texts, small_texts, st.sampled_from([None, "gpt2"]))
@examples(60)
def test_closings_of_any_text_equal_the_encoding(corpus, text, pattern):
    assert_split_as_encoded(text, list(train(corpus, 280, pattern)), pattern, "bytes")


@given(small_texts, small_texts)
@examples(60)
def test_closings_of_characters_equal_the_encoding(corpus, text):
    characters = "".join({*corpus, *text})
    pairs = [(merge.left, merge.right) for merge in train(corpus, 60, None, alphabet="characters")]
    assert_split_as_encoded(text, pairs, None, characters)


def test_closings_of_unknown_characters_and_of_an_empty_text():
    merges = list(train("abab", 10, None, alphabet="characters"))
    encoding = encoding_from_merges(merges, None, alphabet="characters")
    ends, steps = closings("abกab", encoding)
    assert ends.tolist() == [1, 2, 5, 6, 7]
    assert steps.tolist() == [0, NO_SYMBOL, NO_SYMBOL, 0, NO_SYMBOL]
    assert [len(found) for found in closings("", encoding)] == [0, 0]
