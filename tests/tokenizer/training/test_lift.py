"""Training that lifts its split pattern: plain until then, and after it naive BPE over the unsplit texts."""

import json
import re
from collections import Counter
from itertools import product

import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import assert_saved_files_are_read_alike, joined, naive_train
from paths import ROOT

from tokenizer import (
    TIE_RULES,
    count_pre_tokens,
    encoding_from_merges,
    get_encoding,
    load_encoding,
    save_encoding,
    train,
)
from tokenizer.errors import CannotLift
from tokenizer.paths import ASSETS
from tokenizer.split.patterns import KNOWN_PATTERNS
from tokenizer.text.units import grapheme_ends
from tokenizer.training.corpus import hold_out
from tokenizer.training.milestones import milestones
from tokenizer.training.train import Lift
from tokenizer.training.training_history import NO_SYMBOL, TrainingHistory, record_training, tokens_after_each
from tokenizer.training.worker import Order, learn

THAI, ENGLISH = ((ASSETS / "corpora" / f"{name}.txt").read_text("utf-8") for name in ("thai", "english"))
DIGITS = "1234 567 8 90123456 7 1,234,567 12 " * 20
TEXTS = {"thai": [THAI[:1_500]], "english": [ENGLISH[:1_500]], "both": [ENGLISH[:700], THAI[:700], DIGITS]}
WORDS = st.text(alphabet="ab 1\u0e01\u0e35", min_size=1, max_size=30)


def unsplit(texts):
    counts = {}
    for text in texts:
        counts[text] = counts.get(text, 0) + 1
    return counts


def naive_lifted(texts, merges, lift_after, num_merges, ties="first-seen", alphabet="bytes"):
    """Naive BPE over unsplit texts that replays the first merges."""
    replay = [(merge.left, merge.right) for merge in merges[:lift_after]]
    return list(naive_train(unsplit(texts), num_merges, ties, alphabet, replay))[lift_after:]


@pytest.mark.parametrize(
    ("name", "ties", "alphabet"),
    [*product(["both"], TIE_RULES, ["bytes", "characters"]), *product(["thai", "english"], ["first-seen"], ["bytes"])],
)
def test_merges_equal_plain_training_and_then_naive_bpe_over_unsplit_text(name, ties, alphabet):
    texts = TEXTS[name]
    base = 256 if alphabet == "bytes" else len(set("".join(texts)))
    plain = list(train(texts, base + 60, "cl100k_base", ties, alphabet))
    found = list(train(texts, base + 100, "cl100k_base", ties, alphabet, lift_after=60))
    assert found[:60] == plain
    assert found[60:] == naive_lifted(texts, found, 60, 100, ties, alphabet)
    assert [merge.rank for merge in found] == list(range(base, base + 100))


@examples(60)
@given(texts=st.lists(WORDS, min_size=1, max_size=5), lift_after=st.integers(0, 8))
def test_merges_of_any_texts_lifted_at_any_step_equal_naive_bpe(texts, lift_after):
    plain = list(train(texts, 256 + lift_after, "gpt2"))
    timeline = train(texts, 276, "gpt2", lift_after=lift_after)
    assert timeline.merges[:lift_after] == plain
    if len(plain) == lift_after:
        naive = naive_lifted(texts, timeline.merges, lift_after, 20)
        assert timeline.merges[lift_after:] == naive
    else:  # no pair was left before that
        assert timeline.merges == plain
    assert list(train(texts, 276, "gpt2", start=timeline.merges, lift_after=lift_after)) == timeline.merges
    # the tokens of the corpus at each step are those of the encoding
    for step, num_tokens in enumerate(timeline.num_tokens):
        pattern = "gpt2" if step <= lift_after else None
        encoding = encoding_from_merges(timeline.merges[:step], pattern)
        assert num_tokens == sum(len(encoding.encode(text)) for text in texts)


def test_digits_that_the_pattern_keeps_apart_merge_once_it_is_lifted():
    timeline = train([DIGITS], 300, "cl100k_base", lift_after=8)
    has_four = [bool(re.search(rb"\d{4}", merge.token)) for merge in timeline.merges]
    assert not any(has_four[:8])
    assert any(has_four[8:])
    # 90123456 is 901, 234 and 56 within pre-tokens, and other tokens by the same merges without them
    encodings = [encoding_from_merges(timeline.merges[:8], pattern) for pattern in ("cl100k_base", None)]
    assert len({tuple(encoding.encode(DIGITS)) for encoding in encodings}) == 2
    assert timeline.num_tokens[8] == len(encodings[0].encode(DIGITS))
    assert timeline.num_tokens[9] == len(encodings[1].encode(DIGITS)) - timeline.merges[8].saved


def test_replay_of_merges_beyond_the_lift_gives_the_same_training():
    found = list(train(TEXTS["both"], 356, "gpt2", lift_after=40))
    for at in (10, 40, 41, 70):
        assert list(train(TEXTS["both"], 356, "gpt2", start=found[:at], lift_after=40)) == found


def test_fork_may_take_a_rare_pair_after_the_lift():
    text = "ab " * 200 + "xy"
    found = list(train(text, 262, "gpt2", lift_after=2))
    fork = list(train(text, 262, "gpt2", start=[*found[:3], (b"x", b"y")], lift_after=2))
    assert fork[:3] == found[:3]
    assert (fork[3].token, fork[3].count) == (b"xy", 1)


def test_lift_at_once_is_training_without_a_pattern():
    assert list(train(ENGLISH[:2_000], 320, "gpt2", lift_after=0)) == list(train(ENGLISH[:2_000], 320, None))


# The encoding


@pytest.fixture(scope="module")
def lifted():
    merges = list(train([ENGLISH[:20_000], THAI[:20_000], DIGITS], 900, "gpt2", lift_after=400))
    return encoding_from_merges(merges, None, ["<|end|>"], "super")


TEXTS_TO_ENCODE = [
    ENGLISH[20_000:23_000],
    THAI[20_000:22_000],
    "123456789 1234",
    "  a\n\n\tb   ",
    "ที่<|end|>นี่ the <|end|>",
    "",
]


@pytest.mark.parametrize("text", TEXTS_TO_ENCODE)
def test_encoding_applies_the_merges_in_order_to_the_unsplit_text(lifted, text):
    if "<|end|>" not in text:
        parts = [bytes([byte]) for byte in text.encode()]
        for merge in lifted.merges.in_order():
            parts = joined(parts, merge.left, merge.right)
        assert [lifted.token_bytes(id) for id in lifted.encode(text)] == parts
    ids = lifted.encode(text, special="special")
    assert lifted.decode(ids) == text


def test_tokens_join_words_and_cross_what_the_pattern_splits(lifted):
    tokens = [lifted.token_bytes(id) for id in range(256 + 400, 256 + 500)]
    assert {b", and", b". "} <= {*tokens}
    within = encoding_from_merges(lifted.merges.in_order(), "gpt2")
    assert len(lifted.encode(ENGLISH)) < len(within.encode(ENGLISH))


def test_saved_files_are_read_without_a_pattern_also_by_other_programs(lifted, tmp_path):
    for file in ("super.model", "super.csv"):
        save_encoding(lifted, tmp_path / file)
        back = load_encoding(tmp_path / file)
        assert (back.pattern, back.ranks) == (lifted.pattern, lifted.ranks) == (None, lifted.ranks)
    assert_saved_files_are_read_alike(lifted, tmp_path, TEXTS_TO_ENCODE)


# The history


@examples(40)
@given(
    corpus=st.lists(WORDS, min_size=1, max_size=4),
    text=st.text(alphabet="ab 1\u0e01\u0e35", min_size=1, max_size=40),
    lift_after=st.integers(0, 6),
    alphabet=st.sampled_from(["bytes", "characters"]),
)
def test_history_equals_the_encoding_at_each_step(corpus, text, lift_after, alphabet):
    timeline = train(corpus, 270, "gpt2", alphabet=alphabet, lift_after=lift_after)
    lift = Lift(lift_after, unsplit(corpus))
    history = record_training(count_pre_tokens(corpus, "gpt2"), 270, alphabet=alphabet, lift=lift)
    history = TrainingHistory.from_bytes(history.to_bytes())
    assert (history.merges, history.num_tokens.tolist()) == (timeline.merges, timeline.num_tokens)
    assert history.lift == (lift_after if len(history) > lift_after else NO_SYMBOL)
    others = tokens_after_each(count_pre_tokens(text, "gpt2"), history, unsplit={text: 1})
    units = "bytes" if alphabet == "bytes" else sorted(set("".join(corpus)))
    for step in range(len(history) + 1):
        pattern = "gpt2" if step <= lift_after else None
        encoding = encoding_from_merges(history.merges[:step], pattern, alphabet=units)
        assert history.num_tokens[step] == sum(len(encoding.encode(one)) for one in corpus)
        if alphabet == "bytes":
            assert others[step] == len(encoding.encode(text))
    encoding = history.encoding("gpt2")
    assert encoding.pattern == (None if len(history) > lift_after else KNOWN_PATTERNS["gpt2"])
    uses = Counter(id for one in corpus for id in encoding.encode(one))
    assert history.uses.tolist() == [uses[id] for id in range(len(history.tokens))]


@examples(60)
@given(corpus=st.lists(WORDS, min_size=1, max_size=4), lift_after=st.integers(0, 6))
def test_first_merge_across_graphemes_is_found_before_and_after_the_lift(corpus, lift_after):
    words = count_pre_tokens(corpus, "gpt2")
    history = record_training(words, 276, lift=Lift(lift_after, unsplit(corpus)))
    crossing = []
    for step in range(len(history)):
        encoding = encoding_from_merges(history.merges[: step + 1], None)
        for text in words if step < lift_after else corpus:
            made = [token for token in encoding.tokenize(text) if token.id == 256 + step]
            inside = set(grapheme_ends(text).tolist())
            crossing += [step for token in made if inside & set(range(token.start + 1, token.end))]
    assert history.crossing == (crossing[0] if crossing else NO_SYMBOL)


def test_lift_is_a_milestone():
    history = record_training({"a": 2, " ": 1}, 260, lift=Lift(0, {"a a": 1}))
    assert milestones(history, []) == [(0, "crossing"), (0, "lift")]


def test_worker_learns_an_order_that_lifts():
    order = Order(400, lift_after=60, held_out=1)
    assert Order.from_json(order.to_json()) == order
    history, reached, _ = learn(order, [THAI[:3_000], THAI[3_000:3_500]])
    assert history.merges == list(train(THAI[:3_000], 400, lift_after=60))
    assert history.held_out[-1] == len(history.encoding(order.pattern).encode(THAI[3_000:3_500]))
    assert (60, "lift") in reached
    assert "lift_after" not in json.loads(Order(400).to_json())


# Errors


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"lift_after": -1}, "-1 is not a number of merges"),
        ({"lift_after": "9"}, "'9' is not a number"),
        ({"lift_after": 9, "pattern": None}, "no split pattern"),
        ({"lift_after": 9, "counts": {"ab": 2}}, "counts of pre-tokens"),
        ({"lift_after": 9, "start": get_encoding("gpt2"), "vocab_size": 60_000}, "the tokens of gpt2 keep their ids"),
    ],
)
def test_training_that_cannot_be_lifted_raises_with_the_reason(options, reason):
    with pytest.raises(CannotLift, match=reason):
        train("ab ab", **options)


# The documentation


@pytest.mark.slow
def test_numbers_of_the_docs_are_those_of_the_core():
    docs = (ROOT / "docs" / "training.md").read_text("utf-8")
    rows = re.findall(r"^\| (English|Thai), `(\w+)` \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$", docs, re.M)
    assert len(rows) == 4
    for language, pattern, *written in rows:
        (learned,), (held_out,) = hold_out([{"Thai": THAI, "English": ENGLISH}[language]])
        found = []
        for lift_after in (None, 256, 512, 768):
            merges = list(train(learned, 256 + 1_024, pattern, min_count=2, lift_after=lift_after))
            encoding = encoding_from_merges(merges, None if lift_after else pattern)
            found.append(f"{len(encoding.encode(held_out)):,}")
        assert found == written
