"""Merge ladders end in the encoder's ids, and each step is the lowest candidate; merges come from ranks."""

from functools import cache
from itertools import pairwise

import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import ladder_rows, rule
from paths import ROOT
from texts import PRE_TOKENS, TEXTS, merges_of_any_kind

from tokenizer import (
    Merge,
    encoding_from_merges,
    get_encoding,
    merge_steps,
    train,
)
from tokenizer.encoding.bpe import NotMadeOfTwo, recover_merges
from tokenizer.encoding.ladder import MAX_PRE_TOKEN_BYTES, NotCharacters, Part, PreTokenTooLong, ladder
from tokenizer.kinds.byte_bpe import byte_bpe
from tokenizer.kinds.from_merges import SINGLE_BYTES, encoding_of
from tokenizer.text.samples import samples
from tokenizer.text.well_formed import well_formed

SAMPLES = [sample.text for sample in samples()]
CORPUS = "\n".join(SAMPLES) + "aaaaaaa aaaaa aaaaaaaaaaaaa  the then they"
CORPORA = sorted((ROOT / "assets" / "corpora").glob("*.txt"))


@cache
def characters():
    return encoding_from_merges(train(CORPUS, 900, "gpt2", alphabet="characters"), "gpt2", alphabet=set(CORPUS))


@cache
def two_ways():
    # "abc" is made only of a and bc, though ab has the lower id; "abcd" is made in two ways and has two ids
    merges = [(b"b", b"c"), (b"a", b"b"), (b"a", b"bc"), (b"c", b"d"), (b"ab", b"cd"), (b"abc", b"d"), (b"d", b"d")]
    return encoding_from_merges(merges, r"\w+|\W+", name="two ways")


@cache
def shuffled():
    """Bytes whose ids differ from their values, as in OpenAI's tables, and merges with ids after a gap."""
    base = {bytes([i]): (i * 7 + 3) % 256 for i in range(256)}
    merges = [Merge(1000 + m.rank, m.left, m.right, m.token, m.count, m.saved) for m in train(CORPUS, 700, "gpt2")]
    return encoding_of("shuffled", "gpt2", base, merges, {"<|end|>": 5000}, None)


@cache
def unreachable_tokens():
    """A table with tokens that no merges make."""
    ranks = SINGLE_BYTES | {b"abcd": 256, b" abcd": 257, b"the": 258, b"xy": 259, b"xyz": 260}
    return byte_bpe("unreachable tokens", r" ?\w+|\W", ranks)


MAKERS = {name: lambda name=name: get_encoding(name) for name in ("gpt2", "o200k_base")} | {
    "trained": cache(lambda: encoding_from_merges(train(CORPUS, 700), "cl100k_base", ["<|end|>"])),
    "whole graphemes": cache(lambda: encoding_from_merges(train(CORPUS, 500, r"\X"), r"\X")),
    "characters": characters,
    "two ways": two_ways,
    "shuffled": shuffled,
    "unreachable tokens": unreachable_tokens,
}
BY_BYTES = [name for name in MAKERS if name not in ("characters", "two ways")]
every_encoding = pytest.mark.parametrize("name", MAKERS)


def test_the_encodings_here_cover_every_engine():
    assert {MAKERS[name]().engine for name in MAKERS} == {
        "tiktoken",
        "Tokenloupe (splits), tiktoken (merges)",
        "Tokenloupe’s own code",
    }
    assert (two_ways().merges.alphabet, characters().merges.alphabet) == ("bytes", "characters")


def ladders(text, encoding):
    data = text.encode()
    return [ladder(data[start:end], encoding) for start, end in encoding.pre_tokens(text)]


def assert_ladder_holds(replayed, encoding):
    rows = list(ladder_rows(replayed, encoding))
    assert rows[-1][0] == replayed.tokens or replayed.taken_whole
    for step, (row, candidates) in zip(replayed.steps, rows, strict=False):
        assert (step.rank, step.position) == candidates[0]  # the lowest rank, then the leftmost
        assert (step.left, step.right) == tuple(part.bytes for part in row[step.position :][:2])
    assert not rows[-1][1] or replayed.taken_whole
    assert b"".join(part.bytes for part in replayed.tokens) == replayed.pre_token
    lengths = [len(part.bytes) for part in replayed.tokens]
    assert [part.start for part in replayed.tokens] == [sum(lengths[:i]) for i in range(len(lengths))]


# Every ladder ends in its encoder's ids


@pytest.mark.parametrize("name", ["gpt2", "o200k_base", "characters"])
@pytest.mark.parametrize("corpus", CORPORA, ids=lambda path: path.stem)
def test_ladders_of_real_texts_end_in_the_encoders_ids(name, corpus):
    encoding, text = MAKERS[name](), corpus.read_text(encoding="utf-8")[:4_000]
    assert sum((replayed.ids for replayed in ladders(text, encoding)), []) == encoding.encode(text)


@pytest.mark.parametrize("name", BY_BYTES)
@examples(60)
@given(pre_token=PRE_TOKENS)
def test_ladders_of_any_bytes_end_in_tiktokens_ids(name, pre_token):
    encoding = MAKERS[name]()
    replayed = ladder(pre_token, encoding)
    # tiktoken panics when there is nothing to encode
    assert replayed.ids == (encoding.model.tiktoken._encode_single_piece(pre_token) if pre_token else [])
    assert replayed.taken_whole or replayed.steps == list(merge_steps(pre_token, encoding.ranks))
    assert_ladder_holds(replayed, encoding)


@examples(200)
@given(merges=merges_of_any_kind(b"a", b"b", "ก".encode()), text=st.text(st.sampled_from("abกx"), max_size=25))
def test_ladders_of_any_merges_end_in_the_encoders_ids(merges, text):
    encoding = encoding_from_merges(merges, None, alphabet="abก")
    replayed = ladder(text.encode(), encoding)
    assert replayed.ids == encoding.encode(text)
    assert_ladder_holds(replayed, encoding)


# Steps


@every_encoding
@examples(25)
@given(text=st.text(st.sampled_from("aabcd the tionกที่漢👍 xyz\n0"), max_size=25))
def test_ladder_steps_equal_brute_force(name, text):
    encoding = MAKERS[name]()
    assert_ladder_holds(ladder(text.encode(), encoding), encoding)


def test_ladder_of_a_word_by_hand():
    toy = byte_bpe("toy", None, SINGLE_BYTES | {b"lo": 256, b"ow": 257, b"low": 258, b"es": 259})
    replayed = ladder(b"lowest", toy)
    assert [(step.position, step.left, step.right, step.rank) for step in replayed.steps] == [
        (0, b"l", b"o", 256),
        (0, b"lo", b"w", 258),
        (1, b"e", b"s", 259),
    ]
    assert replayed.tokens == [Part(258, b"low", 0), Part(259, b"es", 3), Part(ord("t"), b"t", 5)]
    assert replayed.neighbors_spelling_a_token() == []


def test_ladder_of_tokens_with_two_ways_by_hand():
    replayed = ladder(b"abc", two_ways())
    assert [(step.left, step.right) for step in replayed.steps] == [(b"b", b"c"), (b"a", b"bc")]
    replayed = ladder(b"dab", encoding_from_merges([(b"a", b"b"), (b"d", b"a"), (b"da", b"b")], None))
    assert ([token.bytes for token in replayed.tokens], replayed.neighbors_spelling_a_token()) == ([b"d", b"ab"], [0])


@every_encoding
@examples(40)
@given(text=TEXTS)
def test_final_neighbors_of_a_ladder_have_no_merge(name, text):
    encoding = MAKERS[name]()
    replayed = ladder(well_formed(text)[0].encode(), encoding)
    joins = rule(encoding)
    assert all(joins(left, right) is None for left, right in pairwise(replayed.tokens))
    assert encoding.engine == "Tokenloupe’s own code" or not replayed.neighbors_spelling_a_token()


def test_token_without_merges_is_taken_whole():
    replayed = ladder(b"abcd", unreachable_tokens())
    assert (replayed.taken_whole, replayed.steps, replayed.ids) == (True, [], unreachable_tokens().encode("abcd"))
    assert replayed.tokens == [Part(256, b"abcd", 0)]
    assert not ladder(b"xyz", unreachable_tokens()).taken_whole


def test_unknown_characters_keep_their_bytes():
    replayed = ladder("a\U0001f600b".encode(), characters())
    assert [part.bytes for part in replayed.tokens] == [b"a", "\U0001f600".encode(), b"b"]
    assert replayed.tokens[1].id == characters().unknown_id and replayed.tokens[1].start == 1


def test_invalid_utf_8_raises_for_an_alphabet_of_characters():
    with pytest.raises(NotCharacters, match="from byte 2 on") as caught:
        ladder(b"a\xe0\xb8", characters())
    assert caught.value.position == 1
    assert ladder(b"a\xe0\xb8", two_ways()).ids == [97, 0xE0, 0xB8]


# Long pre-tokens


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpt2", "o200k_base", "characters"])
@pytest.mark.parametrize("unit", ["a", " ", "ก", "👍", "the quick brown fox "])
def test_ladder_of_a_long_pre_token_ends_in_the_encoders_ids(name, unit):
    encoding, pre_token = MAKERS[name](), (unit * 10_000).encode()[: 10_000 // len(unit.encode()) * len(unit.encode())]
    replayed = ladder(pre_token, encoding)
    if name == "characters":
        assert replayed.ids == encoding.encode(pre_token.decode())
    else:
        assert replayed.ids == encoding.model.tiktoken._encode_single_piece(pre_token)


def test_pre_token_over_the_limit_raises():
    with pytest.raises(PreTokenTooLong, match="50,001 bytes") as caught:
        ladder(b"a" * (MAX_PRE_TOKEN_BYTES + 1), get_encoding("gpt2"))
    assert caught.value.length == MAX_PRE_TOKEN_BYTES + 1


# Merges recovered from ranks


@cache
def recovered(name):
    return recover_merges(get_encoding(name).ranks)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["r50k_base", "o200k_base"])
def test_recovered_merges_make_the_same_encoding(name):
    known = get_encoding(name)
    base = known.merges.base
    merges = [
        Merge(rank, left, right, left + right, 0, 0) for rank, (left, right) in enumerate(recovered(name), len(base))
    ]
    again = encoding_of("again", known.pattern_name, base, merges, {}, None)
    assert again.engine == "tiktoken"  # merging by pairs equals merging by ranks for every text
    assert again.ranks == known.ranks
    assert all(again.encode(text) == known.encode(text) for text in SAMPLES)


def test_recover_merges_gives_the_merges_of_a_training():
    encoding = MAKERS["trained"]()
    assert recover_merges(encoding.ranks) == [(merge.left, merge.right) for merge in encoding.merges.learned]
    assert recover_merges(shuffled().ranks) == [(merge.left, merge.right) for merge in shuffled().merges.learned]


@pytest.mark.slow
def test_recover_merges_includes_added_tokens_made_of_two():
    # p50k_base is r50k_base with runs of spaces on top
    assert recover_merges(get_encoding("p50k_base").ranks)[-24:-21] == [
        (b" ", b" "),
        (b"  ", b" "),
        (b"  ", b"  "),
    ]


@pytest.mark.parametrize("token", [b"abc", b"abcd"])
def test_recover_merges_raises_for_a_token_not_made_of_two(token):
    with pytest.raises(NotMadeOfTwo) as caught:
        recover_merges(SINGLE_BYTES | {token: 256, b"ab": 257})
    assert (caught.value.token, caught.value.rank) == (token, 256)
    assert b"".join(caught.value.parts) == token and len(caught.value.parts) > 2
