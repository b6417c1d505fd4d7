"""Training against its oracles, merge by merge: a naive trainer, Stanford's rule and Hugging Face's trainer."""

import json
from collections import Counter
from itertools import product

import pytest
from amounts import QUICK, examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import naive_train
from paths import ROOT

from tokenizer import PATTERNS, TIE_RULES, Merge, count_pre_tokens, pre_tokens, top_pairs, train
from tokenizer.encoding.spelling import unspell
from tokenizer.errors import (
    BadAlphabet,
    BadMerge,
    BadPattern,
    BadVocabularySize,
    NothingToTrainOn,
    UnknownPattern,
    UnknownTieRule,
)
from tokenizer.split import blocks as splitting
from tokenizer.split import guards
from tokenizer.text.samples import samples
from tokenizer.text.well_formed import well_formed
from tokenizer.training import pairs
from tokenizer.training.corpus import BadWordCounts, all_pieces, hold_out, hold_out_words, word_counts

FEW_LETTERS = st.text(alphabet="ab ", max_size=60)
TEXTS = FEW_LETTERS | st.text(alphabet="aé ก\n'1", max_size=40) | st.text(max_size=30)
SAMPLES = "\n".join(sample.text for sample in samples())
# real text in every clone: the samples, the README and the source
REAL = SAMPLES + "".join(
    path.read_text("utf-8") for path in [ROOT / "README.md", *sorted(ROOT.glob("tokenizer/**/*.py"))]
)
every_tie_rule = pytest.mark.parametrize("ties", TIE_RULES)


def huggingface(words, vocab_size):
    """The merges of Hugging Face's trainer, with each pre-token as one text."""
    tokenizers = pytest.importorskip("tokenizers")
    byte_level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = byte_level
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=vocab_size, initial_alphabet=byte_level.alphabet(), show_progress=False
    )
    theirs.train_from_iterator([word for word, count in words.items() for _ in range(count)], trainer)
    merges = json.loads(theirs.to_str())["model"]["merges"]
    return [tuple(map(unspell, merge)) for merge in merges]


def halves(merges):
    return [(merge.left, merge.right) for merge in merges]


# The oracles


def train_each_way(*args, **options):
    """The merges of `train`, which must be equal with vectors only, with both, and with loops only."""
    found = []
    for few in (0, 2, 24):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pairs, "MAX_LOOPED_POSITIONS", few)
            found.append(list(train(*args, **options)))
    assert found[0] == found[1] == found[2]
    return found[0]


@every_tie_rule
@examples(60)
@given(text=TEXTS, pattern=st.sampled_from([None, "gpt2", r"\w+"]))
def test_merges_equal_the_naive_trainers(ties, text, pattern):
    text = well_formed(text)[0]
    if not text:
        with pytest.raises(NothingToTrainOn):
            list(train(text, 296, pattern, ties))
    else:
        words = Counter(piece.text for piece in pre_tokens(text, pattern))
        assert train_each_way(text, 296, pattern, ties) == list(naive_train(words, 40, ties))


@every_tie_rule
@examples(60)
@given(words=st.dictionaries(TEXTS.filter(bool), st.integers(1, 5), min_size=1, max_size=8))
def test_merges_of_characters_equal_the_naive_trainers(ties, words):
    base = len(set("".join(words)))
    expected = list(naive_train(words, 30, ties, "characters"))
    assert list(train(counts=words, vocab_size=base + 30, ties=ties, alphabet="characters")) == expected


@pytest.mark.slow
@every_tie_rule
def test_merges_of_real_text_equal_the_naive_trainers(ties):
    text = REAL[:6_000]
    words = Counter(piece.text for piece in pre_tokens(text, "cl100k_base"))
    assert train_each_way(text, 506, "cl100k_base", ties) == list(naive_train(words, 250, ties))


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["cl100k_base", "gpt2", None])
def test_merges_of_real_text_equal_hugging_faces(pattern):
    text = REAL if pattern else REAL[:30_000]  # without a pattern the library takes a minute for all
    ours = halves(train(text, 2_500, pattern, ties="smallest-ids"))
    theirs = huggingface(count_pre_tokens(text, pattern), 2_500)
    assert len(theirs) == 2_500 - 256
    assert ours == theirs


@examples(60)
@given(words=st.dictionaries(TEXTS.filter(bool), st.integers(1, 4), min_size=1, max_size=6))
def test_merges_of_any_words_equal_hugging_faces(words):
    assert halves(train(counts=words, vocab_size=300, ties="smallest-ids")) == huggingface(words, 300)


def test_merges_of_stanfords_example():
    # https://github.com/stanford-cs336/assignment1-basics, section 2.4 of the handout
    words = {"low": 5, "lower": 2, "widest": 3, "newest": 6}
    first_six = [(b"s", b"t"), (b"e", b"st"), (b"o", b"w"), (b"l", b"ow"), (b"w", b"est"), (b"n", b"e")]
    assert halves(train(counts=words, vocab_size=262, ties="largest-bytes")) == first_six
    # the largest of tied pairs is merged first: ("BA", "A") in the handout
    tied = {"A": 1, "B": 1, "AB": 1, "AC": 1, "BZZ": 1, "BAA": 1}
    merges = halves(train(counts=tied, vocab_size=400, ties="largest-bytes"))
    assert merges[0] == (b"Z", b"Z")


def test_each_tie_rule_decides_ties():
    words = {"ba": 1, "ab": 1, "é": 1, "\x01!": 1}
    winners = {ties: halves(train(counts=words, vocab_size=257, ties=ties))[0] for ties in TIE_RULES}
    # in GPT-2's order "!" comes before "a", and the byte 1 after all printable ones
    assert winners == {
        "first-seen": (b"b", b"a"),
        "largest-bytes": (b"\xc3", b"\xa9"),
        "smallest-ids": (b"a", b"b"),
    }


@every_tie_rule
def test_merges_of_runs_equal_the_naive_trainers(ties):
    for length in (*range(1, 20), 63, 64, 65, 1000):
        assert list(train("a" * length, 300, None, ties)) == list(naive_train({"a" * length: 1}, 44, ties)), length


@pytest.mark.slow
def test_merges_of_100_000_pre_tokens_equal_the_naive_trainers():
    words = {f"{i:x}": i % 3 + 1 for i in range(100_000)}
    merges = list(train(counts=words, vocab_size=260))
    assert merges == list(naive_train(words, 4))


# Texts and their pre-tokens


@examples(300)
@given(
    text=st.lists(st.sampled_from([*"a'\n 1ʕก", "to be ", "  ", "a\n", "ว่า ", "\u088f", "don't "]), max_size=60).map(
        "".join
    ),
    pattern=st.sampled_from(["gpt2", "cl100k_base", "o200k_base", "llama3"]),
    times=st.integers(1, 9),
)
def test_counts_in_blocks_equal_those_of_the_whole_text(text, pattern, times):
    text *= times
    expected = Counter(piece.text for piece in pre_tokens(text, pattern))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splitting, "BLOCK_CHARACTERS", 20)
        assert list(count_pre_tokens(text, pattern).items()) == list(expected.items())


@pytest.mark.parametrize("pattern", PATTERNS)
@examples(300)
@given(text=st.text(st.characters(max_codepoint=127), max_size=40))
def test_all_pieces_of_ascii_text_equals_pre_tokens(pattern, text):
    assert all_pieces(text, pattern) == [piece.text for piece in pre_tokens(text, pattern)]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_all_pieces_of_short_ascii_contexts_equals_pre_tokens(pattern):
    kinds = "aZs'1!/ \n\r\t\x0b\x1c\x1f\x00"
    for context in product(kinds, repeat=3 if QUICK else 4):
        text = "".join(context)
        assert all_pieces(text, pattern) == [piece.text for piece in pre_tokens(text, pattern)]


def test_texts_are_read_once_and_split_separately():
    stream = (text for text in ["ab", "ab", "a", "b"])
    assert count_pre_tokens(stream, None) == {"ab": 2, "a": 1, "b": 1}
    merges = list(train((text for text in ["ab", "ab", "a", "b"]), 300, None))
    assert merges == [Merge(256, b"a", b"b", b"ab", 2, 2)]


def test_unmatched_text_is_kept_and_surrogates_are_replaced():
    assert count_pre_tokens("a, b!", r"\w+") == {"a": 1, ", ": 1, "b": 1, "!": 1}
    assert halves(train("a, b, c, d!", 300, r"\w+")) == [(b",", b" ")]
    assert count_pre_tokens("a\ud800", None) == {"a\ufffd": 1}
    assert halves(train("\ud800", 300, None)) == [(b"\xef", b"\xbf"), (b"\xef\xbf", b"\xbd")]


# Start, stop and the runners-up


@examples(60)
@given(text=TEXTS.filter(lambda text: len(text) > 1), k=st.integers(0, 20))
def test_training_continues_from_a_start(text, k):
    merges = list(train(text, 290, None))
    assert list(train(text, 290, None, start=merges[:k])) == merges
    assert list(train(text, 290, None, start=halves(merges[:k]))) == merges


@every_tie_rule
def test_fork_equals_the_naive_trainers(ties):
    words = count_pre_tokens(REAL[:3_000])
    fork = [*halves(train(counts=words, vocab_size=276)), (b"q", b"z"), (b"t", b"o")]
    found = train_each_way(counts=words, vocab_size=340, ties=ties, start=fork)
    assert found == list(naive_train(words, 84, ties, replay=fork))


def test_top_pairs_are_the_runners_up_of_a_step():
    words = count_pre_tokens(REAL[:3_000])
    merges = list(train(counts=words, vocab_size=300))
    for k in (0, 1, 20, 40):
        top = top_pairs(words, limit=5, start=merges[:k])
        assert top[0] == (merges[k].left, merges[k].right, merges[k].count)
        assert [count for *_, count in top] == sorted([count for *_, count in top], reverse=True)
        for left, right, count in top:  # what a fork would count
            assert list(train(counts=words, vocab_size=257 + k, start=[*merges[:k], (left, right)]))[-1].count == count
    assert top_pairs({"a": 1}) == []


@pytest.mark.parametrize(
    ("start", "position", "reason"),
    [
        ([(b"a", b"")], 0, "'' is neither"),
        ([(b"a", b"b"), (b"abc", b"d")], 1, "'abc' is neither"),
        ([(b"a", b"b"), (b"ab", b"c"), (b"b", b"c"), (b"a", b"bc")], 3, "'abc' exists already"),
    ],
)
def test_impossible_start_raises_with_its_position(start, position, reason):
    with pytest.raises(BadMerge) as caught:
        list(train("abcd", 300, None, start=start))
    assert caught.value.position == position
    assert reason in str(caught.value)


def test_training_stops_when_no_pair_is_left():
    assert halves(train("abab", 300, None)) == [(b"a", b"b"), (b"ab", b"ab")]
    assert halves(train("abab", 300, None, min_count=2)) == [(b"a", b"b")]
    assert list(train("a", 300, None)) == []
    assert list(train("abab", 256, None)) == []
    assert len(list(train("abab", 3, None, alphabet="characters"))) == 1


# Errors


@pytest.mark.parametrize(
    "vocab_size, options, words",
    [
        *[(size, {}, "from 256 ") for size in (255, 0, -1, 1.5, "512", None, True, 10**9)],
        (2, {"alphabet": "characters"}, "from 3 "),
        (257, {"start": [(b"a", b"b"), (b"ab", b"c")]}, "the 256 bytes and the 2 merges to start from"),
    ],
)
def test_invalid_or_too_small_vocabulary_size_raises(vocab_size, options, words):
    with pytest.raises(BadVocabularySize, match=words):
        list(train("abc", vocab_size, **options))


@pytest.mark.parametrize("texts", ["", [], ["", ""], iter([])])
def test_empty_corpus_raises(texts):
    with pytest.raises(NothingToTrainOn, match="empty"):
        list(train(texts, 300, "gpt2"))


@pytest.mark.parametrize("counts", [{}, {"": 1}, {"a": 0}, {"a": -1}, {"a": 1.5}, {"a": True}])
def test_invalid_counts_raise(counts):
    with pytest.raises(NothingToTrainOn):
        list(train(counts=counts))


@pytest.mark.parametrize(
    "options, error, words",
    [
        ({"ties": "first_seen"}, UnknownTieRule, "Did you mean 'first-seen'"),
        ({"pattern": "cl100k"}, UnknownPattern, "Did you mean 'cl100k_base'"),
        ({"alphabet": "letters"}, BadAlphabet, "'bytes', 'characters'"),
        ({"pattern": "("}, BadPattern, "missing"),
        ({"vocab_size": 255}, BadVocabularySize, "from 256 "),
    ],
)
def test_invalid_options_raise_before_training(options, error, words):
    with pytest.raises(error, match=words):
        train("abc", **options)


def test_catastrophic_pattern_is_stopped(monkeypatch):
    monkeypatch.setattr(guards, "MIN_TIMEOUT_SECONDS", 0.1)
    with pytest.raises(BadPattern, match="longer than 0.1 seconds"):
        list(train("a" * 60 + "!", 300, r"(a|aa)+\d"))


# Words with counts, and held-out text


def test_byte_order_mark_of_a_file_is_no_part_of_a_word():
    assert word_counts("\ufeffhug 10\r\npug 5\r\n") == {"hug": 10, "pug": 5}
    assert word_counts("hug 10\n\n\ufeffpug 5") == {"hug": 10, "pug": 5}  # of a second file
    with pytest.raises(BadWordCounts, match="^Line 3 is not a word .*: 'word,count'"):
        word_counts("\ufeff\n\nword,count")


def test_word_counts_reads_the_notation_of_courses():
    words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}  # trained on in tests/ui/train
    assert word_counts('("hug", 10), ("pug", 5), ("pun", 12), ("bun", 4), ("hugs", 5)') == words


@pytest.mark.parametrize(
    "text, line", [("hug ten", 1), ("hug 10\npug", 2), ("\n\nhug 0", 3), ("a 1\n\n5", 3), ("a " + "9" * 10, 1)]
)
def test_word_counts_raises_with_the_line(text, line):
    with pytest.raises(BadWordCounts) as caught:
        word_counts(text)
    assert caught.value.line == line


@given(st.dictionaries(st.text(alphabet="aบ👍-é", min_size=1), st.integers(1, 999), min_size=1))
def test_word_counts_are_read_as_written(counts):
    assert word_counts("\n".join(f"{word} {count}" for word, count in counts.items())) == counts


@given(st.lists(st.text(alphabet="ab \n", max_size=80)), st.integers(0, 100))
def test_hold_out_takes_the_end_of_the_texts(texts, percent):
    kept, held = hold_out(texts, percent)
    assert "".join(kept + held) == "".join(texts)
    size = sum(map(len, texts))
    assert 0 <= sum(map(len, held)) - size * percent / 100 <= max(40, size / 10) + 1


@given(st.lists(st.tuples(st.text(alphabet="aบ1", min_size=1), st.integers(1, 999)), min_size=1), st.integers(0, 100))
@pytest.mark.parametrize("form", ["{} {}\n", "{}: {}, ", '("{}", {}), ', "{}\t{} "])
def test_words_with_counts_are_held_out_between_two_of_them(form, words, percent):
    text = "".join(form.format(word, count) for word, count in words)
    kept, held = hold_out_words(text, percent)
    assert "".join(kept + held) == text and len("".join(held)) >= len(text) * percent // 100
    parts = [Counter(word_counts(part)) for part in (*kept, *held)]
    assert sum(parts, Counter()) == Counter(word_counts(text))
