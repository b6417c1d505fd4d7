"""Encodings from merges: lossless, and encoded by tiktoken only where it equals our own merging."""

from functools import cache

import pytest
import tiktoken
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import merge_by_merge, naive_pairs
from texts import TEXTS, merges_of_any_kind

from tokenizer import PATTERNS, encoding_from_merges, get_encoding, pre_tokens, train
from tokenizer.encoding import splitting
from tokenizer.encoding.merging import merge_all
from tokenizer.encoding.vocabulary import fingerprint
from tokenizer.errors import BadAlphabet, BadMerge, BadPattern, BadSpecialTokens, OutOfMemory, UnknownPattern
from tokenizer.kinds.from_merges import id_pairs
from tokenizer.kinds.pair_merging import tiktoken_agrees
from tokenizer.split import guards
from tokenizer.split.dialects import for_oniguruma, is_portable, total
from tokenizer.text.samples import samples
from tokenizer.training.train import TIE_RULES

CORPUS = "\n".join(sample.text for sample in samples()) + "aaaaaaa aaaaa aaaaaaaaaaaaa  the then they"
OTHER_PATTERNS = [None, r"\w+", r"\X", r"[a-z]+", r"\p{L}+|\p{N}{1,2}", r"[^\S\n]+|(b)(c)?", r"a*", r"(?V1)[\w--a]+"]


def naive_encode(encoding, text):
    pairs = id_pairs(encoding.merges.base, encoding.merges.learned)
    return [
        id
        for piece in pre_tokens(text, encoding.pattern)
        for id in naive_pairs([encoding.merges.base[bytes([byte])] for byte in piece.text.encode()], pairs)
    ]


@cache
def trained(pattern, ties="first-seen"):
    return encoding_from_merges(train(CORPUS, 700, pattern, ties), pattern, ["<|end|>"])


@pytest.mark.parametrize("pattern", [*PATTERNS, *OTHER_PATTERNS])
@examples(60)
@given(text=TEXTS | st.text(alphabet="aएthe \n", max_size=80))
def test_ids_equal_naive_merging_and_decode_to_the_text(pattern, text):
    enc = trained(pattern)
    tokens = enc.tokenize(text)
    assert tokens.ids == enc.encode(text) == naive_encode(enc, text)
    assert enc.decode(tokens.ids) == tokens.text
    assert tokens.ends.tolist()[-1:] == ([len(tokens.text.encode())] if text else [])
    assert not enc.unknown_characters(text)


@pytest.mark.parametrize("ties", TIE_RULES)
def test_trained_encodings_use_tiktoken_and_equal_merge_steps(ties):
    for pattern in [*PATTERNS, None]:
        enc = trained(pattern, ties)
        assert enc.engine == ("tiktoken" if pattern else "Tokenloupe (splits), tiktoken (merges)")
        # step by step, as the pages show it
        ids = [id for piece in pre_tokens(CORPUS, pattern) for id in merge_by_merge(piece.text.encode(), enc.ranks)]
        assert enc.encode(CORPUS) == ids


def test_engine_depends_on_pattern_and_alphabet():
    merges = [(b"a", b"b")]
    assert encoding_from_merges(merges, "gpt2").engine == "tiktoken"
    assert encoding_from_merges(merges, r"\p{L}+| ").engine == "Tokenloupe (splits), tiktoken (merges)"
    assert encoding_from_merges(merges, alphabet="abc").engine == "Tokenloupe’s own code"
    assert get_encoding("gpt2").engine == "tiktoken"


@examples(600)
@given(merges=merges_of_any_kind(b"a", b"b", b"c"), texts=st.lists(st.text(alphabet="abc", max_size=14), max_size=8))
def test_any_merges_encode_like_naive_merging(merges, texts):
    enc = encoding_from_merges(merges, None)
    for text in texts + [(left + right).decode() for left, right in merges if len(left + right) < 60]:
        assert enc.encode(text) == naive_encode(enc, text)
        assert enc.decode(enc.encode(text)) == text


def test_tokens_with_two_ways_are_merged_by_our_own_code():
    merges = [(b"a", b"b"), (b"b", b"c"), (b"ab", b"c"), (b"a", b"bc")]
    assert encoding_from_merges(merges, None).engine == "Tokenloupe’s own code"
    # tiktoken would join "a" and "bc", but no merge does
    enc = encoding_from_merges([(b"b", b"c"), (b"a", b"b"), (b"ab", b"c")], None)
    assert enc.engine == "Tokenloupe’s own code"
    assert enc.encode("abc") == [97, 256]
    tokens = {i: bytes([i]) for i in range(256)}
    assert not tiktoken_agrees(tokens | {256: b"aa", 257: b"aaa"}, {(97, 97): 256, (97, 256): 257})
    assert tiktoken_agrees(tokens | {256: b"aa", 257: b"aaa"}, {(97, 97): 256, (256, 97): 257})


@examples(300)
@given(ids=st.lists(st.integers(0, 2), max_size=40), data=st.data())
def test_merge_all_equals_naive_merging(ids, data):
    pairs = {}
    for new in range(3, 9):
        pairs.setdefault(data.draw(st.tuples(st.integers(0, new - 1), st.integers(0, new - 1))), new)
    assert [id for _, id in merge_all(ids, lambda *pair: pairs.get(pair))] == naive_pairs(ids, pairs)


def test_long_text_without_a_pattern_decodes_to_itself():
    enc = encoding_from_merges(train(CORPUS, 600, alphabet="characters", pattern=None), None, alphabet=CORPUS)
    text = CORPUS * 100
    assert enc.decode(enc.encode(text)) == text


# Characters


def test_unknown_characters_are_reported():
    enc = encoding_from_merges(train("กกขกก", 4, None, alphabet="characters"), None, ["<|end|>"], alphabet="กข")
    assert enc.vocab_size == 6
    text = "กกéข<|end|>é"
    assert enc.encode(text, "special") == [2, 5, 1, 4, 5]
    assert enc.unknown_id == 5
    assert enc.unknown_characters(text, "special") == [(2, "é"), (11, "é")]
    tokens = enc.tokenize(text, "special")
    assert [(token.start, token.end) for token in tokens] == [(0, 6), (6, 8), (8, 11), (11, 18), (18, 20)]
    assert enc.decode(tokens.ids) == "กก\ufffdข<|end|>\ufffd"
    assert enc.pre_tokens(text) == [(0, 20)]


def test_alphabet_is_taken_from_merges_only_if_complete():
    merges = list(train("abab", 4, None, alphabet="characters"))
    assert encoding_from_merges(merges, None, alphabet="characters").encode("abab") == [3]
    merges = list(train("ababc", 5, None, alphabet="characters", min_count=2))
    with pytest.raises(BadAlphabet, match="3 base symbols, but the merges contain only 2"):
        encoding_from_merges(merges, None, alphabet="characters")
    with pytest.raises(BadAlphabet, match="join bytes"):
        encoding_from_merges(train("ก", 300, None), None, alphabet="characters")
    for alphabet in ("", ["ab"], ["\ud800"], [1]):
        with pytest.raises(BadAlphabet, match="single characters"):
            encoding_from_merges([], None, alphabet=alphabet)


# Special tokens and errors


def test_special_tokens_come_after_the_merges():
    merges = list(train(CORPUS, 300))
    enc = encoding_from_merges(merges, special_tokens=["<|a|>", "<|b|>"])
    assert enc.special_tokens == {"<|a|>": 300, "<|b|>": 301}
    assert enc.encode("<|b|>a", "special") == [301, 97]
    assert encoding_from_merges(merges, special_tokens={"<|a|>": 999}).encode("<|a|>", "special") == [999]
    more = enc.with_special_tokens({"<|c|>": 302})
    assert more.merges is enc.merges and enc.merges.learned == merges  # with their counts
    assert more.encode("<|c|>", "special") == [302]
    with pytest.raises(BadSpecialTokens):
        encoding_from_merges(merges, special_tokens={"<|a|>": 299})


def test_fingerprint_equals_the_hash_of_tiktokens_file():
    gpt2 = get_encoding("gpt2")
    assert fingerprint(gpt2.merges.tokens) == gpt2.fingerprint
    one, two = (encoding_from_merges([(b"a", b)]) for b in (b"b", b"c"))
    assert one.fingerprint != two.fingerprint


def test_only_named_patterns_have_safe_cuts():
    assert encoding_from_merges([], "gpt2").safe_cuts
    assert encoding_from_merges([], PATTERNS["gpt2"]).pattern_name == "gpt2"
    assert not any(encoding_from_merges([], pattern).safe_cuts for pattern in OTHER_PATTERNS)


def test_invalid_merges_and_patterns_raise():
    with pytest.raises(BadMerge, match=r"merge 2 \('a' \+ 'bc'\): 'bc' is neither"):
        encoding_from_merges([(b"a", b"b"), (b"a", b"bc")])
    with pytest.raises(BadMerge, match="an earlier merge joins the same two tokens"):
        encoding_from_merges([(b"a", b"b"), (b"a", b"b")])
    token, doubling = b"a", []
    for _ in range(60):
        doubling.append((token, token))
        if len(token) < 2**21:
            token += token
    with pytest.raises(BadMerge, match=r"merge 20 \('aaa[^ ]+ \+ 'aaa[^ ]+\): the vocabulary is too large"):
        encoding_from_merges(doubling)
    with pytest.raises(BadPattern):
        encoding_from_merges([], "(")
    with pytest.raises(UnknownPattern):
        encoding_from_merges([], "cl100k")


@pytest.mark.slow
def test_catastrophic_pattern_is_stopped_in_encoding(monkeypatch):
    monkeypatch.setattr(guards, "MIN_TIMEOUT_SECONDS", 0.1)
    with pytest.raises(BadPattern, match="longer than"):
        encoding_from_merges([], r"(a|aa)+\d").encode("a" * 60 + "!")


def test_custom_pattern_never_runs_in_tiktokens_engine(monkeypatch):
    # tiktoken's engine takes milliseconds a letter for this pattern, hours for a page, and cannot be stopped
    enc = encoding_from_merges([], r"(?:a?){17}(?!c)b|[^a]+|a")
    monkeypatch.setattr(tiktoken.Encoding, "encode_to_numpy", None)
    assert enc.encode("aab c") == [97, 97, 98, 32, 99]


def test_memory_error_is_raised_as_out_of_memory(monkeypatch):
    def full(*args):
        raise MemoryError

    monkeypatch.setattr(splitting, "pieces", full)
    enc = encoding_from_merges([], r"\w+|\W+")
    for method in (enc.encode, enc.tokenize, enc.pre_tokens):
        with pytest.raises(OutOfMemory, match="not enough memory to tokenize this text of 3 characters"):
            method("abc")


# Dialects


def test_is_portable_accepts_patterns_that_all_engines_read_alike():
    alike = [r"[a-z]+", r"\p{L}{2,3}+|x", r"(?i:'s|'t)", r"a(?!b)", r"(?>a+)b?", r"[^\s'.]+", "ab c"]
    assert all(map(is_portable, [*PATTERNS.values(), *alike]))
    unlike = [r"\w", r"\d+", r"\b", "a$", "^a", "[a--b]", "[[:alpha:]]", "(a)", "(?=a)", "(?<=a)b", r"\X", r"(?i:k)"]
    unlike += ["a*", r"a{2}?", r"[ก-ฮ]+", r"\p{Thai}", "a|", ".", r"(?s:.)", "a{1,2}{3}", "(?:a", r"\p{L}\w", None, ""]
    assert [pattern for pattern in unlike if is_portable(pattern)] == []
    assert for_oniguruma(r"\w+") is None


@pytest.mark.parametrize("pattern", [*filter(None, OTHER_PATTERNS[:5])])
@examples(60)
@given(text=TEXTS)
def test_total_pattern_splits_at_the_same_places(pattern, text):
    assert pre_tokens(text, total(pattern)) == pre_tokens(text, pattern)
