"""Non-roundtrip tokens against tiktoken and splintr, suspicious tokens, and variants of a word."""

import time
from collections import Counter
from itertools import islice

import numpy as np
import pipelines
import pytest
import regex
import sentencepieces
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import official, oracle

from tokenizer import encoding_from_merges, get_encoding
from tokenizer.text.well_formed import as_text
from tokenizer.vocabulary.contexts import BYTES, SIDES, SPLIT, completions, find_context
from tokenizer.vocabulary.facts import facts_of
from tokenizer.vocabulary.non_roundtrip import non_roundtrip_tokens, parts_of_characters
from tokenizer.vocabulary.suspicious import RULES, suspicious
from tokenizer.vocabulary.variants import NoWord, other_number, variants

of_each = pytest.mark.parametrize(
    "name", ["gpt2", *(pytest.param(name, marks=pytest.mark.slow) for name in ("cl100k_base", "o200k_base"))]
)


@of_each
def test_non_roundtrip_reasons_and_contexts_agree_with_tiktoken(name):
    enc, theirs, pattern = get_encoding(name), oracle(name), official(name)["pat_str"]
    found = list(non_roundtrip_tokens(enc))
    assert len(found) == {"gpt2": 0, "cl100k_base": len(found), "o200k_base": 12}[name]
    for one in found:
        text = theirs.decode_single_token_bytes(one.id).decode()
        pieces = regex.findall(pattern, text)
        assert one.ids == theirs.encode_ordinary(text) and one.reason == "pattern" and "".join(pieces) == text
        assert one.cuts == np.cumsum([len(piece.encode()) for piece in pieces])[:-1].tolist() != []
        context, _, proof = find_context(one.id, enc)
        assert one.id in theirs.encode_ordinary(context.text) and not proof
        assert context.text.encode()[context.start :].startswith(text.encode())


@of_each
def test_contexts_of_partial_characters_agree_with_tiktoken(name):
    enc, theirs = get_encoding(name), oracle(name)
    facts = facts_of(enc)
    lost, none = parts_of_characters(facts).tolist(), []
    assert lost == [id for id in enc.ids() if as_text(theirs.decode_single_token_bytes(id)) is None]
    for id in lost:
        context, tried, proof = find_context(id, enc)
        assert (context is None) or id in theirs.encode_ordinary(context.text)
        assert (proof == BYTES) == (tried == 0) == (len(enc.bytes_of(id)) == 1 and enc.bytes_of(id)[0] in NEVER)
        none += [id] if context is None and not proof else []
    assert len(none) <= 1


NEVER = {0xC0, 0xC1, *range(0xF5, 0x100)}


@pytest.mark.slow
@pytest.mark.parametrize("key", ["qwen3", "kimi_k2"])
def test_contexts_and_proofs_of_open_models_agree_with_splintr(key):
    splintr = pytest.importorskip("splintr")
    enc, theirs = get_encoding(key), splintr.Tokenizer.from_pretrained(key)
    found = list(non_roundtrip_tokens(enc))
    assert {one.reason for one in found} == {"pattern"}
    for one in found[:: max(1, len(found) // 40)]:
        text = enc.decode([one.id])
        assert one.ids == theirs.encode_ordinary(text)
        context, _, proof = find_context(one.id, enc)
        assert proof == ("" if context else SPLIT)
        if context:
            assert one.id in theirs.encode_ordinary(context.text)
        else:
            tried = (before + text + after for before in SIDES[:20] for after in SIDES[:20])
            assert not any(one.id in theirs.encode_ordinary(some) for some in tried)


# Parts of well-formed UTF-8 (Unicode Standard, Table 3-7): trailing bytes, characters, the start of one.
IN_TEXT = regex.compile(
    rb"""
    [\x80-\xBF]{0,3}
    (?: [\x00-\x7F] | [\xC2-\xDF][\x80-\xBF] | \xE0[\xA0-\xBF][\x80-\xBF] | \xED[\x80-\x9F][\x80-\xBF]
      | [\xE1-\xEC\xEE\xEF][\x80-\xBF]{2} | \xF0[\x90-\xBF][\x80-\xBF]{2} | [\xF1-\xF3][\x80-\xBF]{3}
      | \xF4[\x80-\x8F][\x80-\xBF]{2} )*+
    (?: [\xC2-\xF4] | \xE0[\xA0-\xBF] | \xED[\x80-\x9F] | [\xE1-\xEC\xEE\xEF][\x80-\xBF]
      | \xF0[\x90-\xBF][\x80-\xBF]? | [\xF1-\xF3][\x80-\xBF]{1,2} | \xF4[\x80-\x8F][\x80-\xBF]? )?
    """,
    regex.VERBOSE,
)


@examples(300)
@given(
    data=st.binary(min_size=1, max_size=5) | st.text("กé👍a漢", min_size=2, max_size=4).map(lambda s: s.encode()[1:-1])
)
def test_whole_completes_bytes_that_can_be_in_utf8(data):
    texts = list(islice(completions(data), 20))
    assert all(data in text.encode() for text in texts)
    assert bool(texts) == bool(IN_TEXT.fullmatch(data))


def test_bytes_that_no_text_has_are_found_so_at_once():
    """They begin inside a character, so each possible beginning was tried anew for each pair of neighbors."""
    enc, start = encoding_from_merges([(b"\x80", b"\xff")], r"\w+|\W+"), time.process_time()
    assert find_context(256, enc, 300) == (None, 0, BYTES)
    assert time.process_time() - start < 1


def test_non_roundtrip_reasons_of_other_kinds_of_models():
    enc = sentencepieces.encoding("unigram, bytes, as it is")
    for one in non_roundtrip_tokens(enc):  # bytes that are also pieces
        assert (one.reason, enc.piece(one.id)) == ("twin", f"<0x{enc.bytes_of(one.id)[0]:02X}>")
        assert [enc.bytes_of(id) for id in one.ids] == [enc.bytes_of(one.id)]
    enc = sentencepieces.encoding("bpe")  # it has a dummy prefix
    assert {one.reason for one in non_roundtrip_tokens(enc)} == {"changed"}
    assert all(enc.bytes_of(one.ids[0])[:1] == b" " != enc.bytes_of(one.id)[:1] for one in non_roundtrip_tokens(enc))
    enc = pipelines.loaded("ends of words")  # a piece within a word has no suffix
    found = {one.reason: one for one in non_roundtrip_tokens(enc)}
    assert found.keys() == {"twin", "unknown", "merges"} and enc.unknown_id in found["unknown"].ids


def test_token_that_other_merges_prevent_has_the_reason_merges():
    enc = encoding_from_merges([(b"b", b"c"), (b"a", b"b"), (b"ab", b"c")], r"\w+|\W+")
    [one] = non_roundtrip_tokens(enc)
    assert (enc.bytes_of(one.id), one.reason, one.cuts) == (b"abc", "merges", [])
    assert [enc.bytes_of(id) for id in one.ids] == [b"a", b"bc"]
    assert find_context(one.id, enc)[::2] == (None, "")


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (" SolidGoldMagikarp", ["name"]),
        ("user_name", ["name"]),
        (" strawberries", []),
        (" iPhone", []),
        (".com", ["web"]),
        ("&nbsp;", ["web"]),
        (" </", ["web"]),
        ("comment", []),
        (" 天天中彩票", ["phrase"]),
        ("中国", []),
        ("--------", ["repeated"]),
        ("chercher", []),
        (" " * 20, []),
        ("ÃÂÃÂ", ["garbled"]),
        ("â€™", ["garbled"]),
        ("Ãéà", []),
        ("\ue934", ["no character"]),
        (" \ufffd", ["no character"]),
    ],
)
def test_suspicious_rules_by_hand(text, rules):
    assert [name for name, rule in RULES.items() if rule.fits(text)] == rules


@pytest.mark.slow
def test_suspicious_rows_equal_those_of_each_rule():
    facts = facts_of(get_encoding("gpt2"))
    for name, rows in suspicious(facts).items():
        assert rows.tolist() == [
            row for row, text in enumerate(facts.texts) if text and row != 50256 and RULES[name].fits(text)
        ]


def test_variants_of_a_word_have_the_encoders_ids():
    enc = get_encoding("gpt2")
    found = variants("  City ", facts_of(enc))
    assert [one.text for one in found[:8]] == ["City", " City", "city", " city", "CITY", " CITY", "Cities", " Cities"]
    for one in found:
        assert one.ids == enc.encode(one.text) and (len(one.ids) == 1) == (one.id is not None) == (one.ids == [one.id])
    assert max(Counter(one.text for one in found).values()) == 1
    assert [one.text for one in variants("ที่", facts_of(enc))] == ["ที่", " ที่"]
    assert [one.text for one in variants("ǆ", facts_of(enc))][4:] == ["Ǆ", " Ǆ"]
    for word in ("", "  ", "x" * 101):
        with pytest.raises(NoWord, match="1 to 100"):
            variants(word, facts_of(enc))


@pytest.mark.parametrize(
    ("one", "many"),
    [("cat", "cats"), ("city", "cities"), ("day", "days"), ("BOX", "BOXES"), ("glass", "glasses"), ("wish", "wishes")],
)
def test_other_number_gives_plural_and_singular(one, many):
    assert (other_number(one), other_number(many)) == (many, one)
