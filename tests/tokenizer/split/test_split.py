"""Split patterns: lossless, boundaries equal tiktoken's, and SAFE_CUT is safe."""

import pickle
from functools import cache, partial
from itertools import product

import pytest
import regex
import tiktoken
from amounts import SHARE, examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import official, oracle
from texts import NASTY, TEXTS

from tokenizer import PATTERNS, has_safe_cuts, pre_tokens
from tokenizer.errors import BadPattern, UnknownPattern
from tokenizer.split.alternatives import alternatives, explain
from tokenizer.split.patterns import SAFE_CUT, with_stand_ins
from tokenizer.text.well_formed import well_formed

SINGLE_BYTES = {bytes([i]): i for i in range(256)}


@pytest.mark.parametrize("pattern", [*PATTERNS, None, r"\w+", r"a*", r"(?=a)", r"[^\S\n]+|(b)(c)?"])
@examples(200)
@given(text=TEXTS)
def test_pre_tokens_join_to_the_text(pattern, text):
    found = pre_tokens(text, pattern)
    text = well_formed(text)[0]
    assert "".join(pre_token.text for pre_token in found) == text
    assert all(text.encode()[start:end] == piece.encode() for piece, start, end in found)
    assert all(pre_token.text for pre_token in found)


@pytest.mark.parametrize("pattern", PATTERNS)
@examples(60)
@given(text=TEXTS)
def test_boundaries_equal_tiktokens(pattern, text):
    # Each pre-token has its own id, which tiktoken gives only if it splits at the same places.
    found = [pre_token.text.encode() for pre_token in pre_tokens(text, pattern)]
    ranks = SINGLE_BYTES | {piece: 256 + i for i, piece in enumerate(sorted({p for p in found if len(p) > 1}))}
    theirs = tiktoken.Encoding("own ids", pat_str=PATTERNS[pattern], mergeable_ranks=ranks, special_tokens={"<>": 9999})
    assert theirs.encode_ordinary(text) == [ranks[piece] for piece in found]


CLASSES = [
    *[r"\s", r"\p{L}", r"\p{N}", r"\p{M}", r"\p{Lu}", r"\p{Ll}", r"\p{Lt}", r"\p{Lm}", r"\p{Lo}"],
    *[r"(?i:[sdmt])", r"(?i:[lver])"],
]


@cache
def every_code_point():
    text = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    return text, with_stand_ins(text)


@pytest.mark.slow
@pytest.mark.parametrize("char_class", CLASSES)
def test_regex_and_tiktoken_agree_on_every_code_point(char_class):
    text, stand_ins = every_code_point()
    # tiktoken drops what its pattern does not match
    theirs = tiktoken.Encoding("class", pat_str=char_class, mergeable_ranks=SINGLE_BYTES, special_tokens={"<>": 256})
    assert len(stand_ins) == len(text)
    ours = "".join(text[match.start()] for match in regex.finditer(char_class, stand_ins))
    assert ours == theirs.decode(theirs.encode_ordinary(text))


def pieces_at_safe_cuts(text):
    cuts = [match.start() for match in SAFE_CUT.finditer(text)]
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


ENCODINGS = ("gpt2", "cl100k_base", "o200k_base")


def assert_cuts_are_safe(text, allowed_special=frozenset()):
    pieces = pieces_at_safe_cuts(text)
    for name in ENCODINGS:
        encode = partial(oracle(name).encode, allowed_special=allowed_special, disallowed_special=())
        assert sum(map(encode, pieces), []) == encode(text), (name, text, pieces)


CUT, END = "<|cut|>", "<|end|>"  # tiktoken encodes texts between special tokens separately


@cache
def with_marks(name):
    return tiktoken.Encoding(
        **official(name) | {"special_tokens": {CUT: 300_000, END: 300_001}, "explicit_n_vocab": None}
    )


def assert_cuts_of_all_are_safe(texts):
    cut = {text: pieces for text in texts if (pieces := SAFE_CUT.sub(CUT, text)) != text}
    for name in ENCODINGS:
        encode = partial(with_marks(name).encode, allowed_special="all")
        if [id for id in encode(END.join(cut.values())) if id != 300_000] != encode(END.join(cut)):
            for text in cut:  # find the text that fails
                assert_cuts_are_safe(text)
            pytest.fail("texts between special tokens are not encoded separately")
    assert cut


# one of each kind that patterns distinguish: letters by case, contractions, numbers, white space, marks, symbols
KINDS = list("aAs'1!/ \n\r\t\x85\xa0ก漢あ한。\u0301👍")


@pytest.mark.slow
@pytest.mark.parametrize("middle", [" ", "\n", "。", "，", "\r\n", "/"])
def test_safe_cuts_keep_the_ids_in_all_short_contexts(middle):
    pairs = ["".join(pair) for pair in product(KINDS, repeat=2)]
    contexts = list(product(pairs, pairs))[::SHARE]
    assert_cuts_of_all_are_safe([left + middle + right for left, right in contexts])


@examples(500)
@given(
    text=st.lists(st.sampled_from([*NASTY, " a", "b\n", "c\nd", "漢，", "あ。か"]), max_size=25).map("".join) | TEXTS
)
def test_safe_cuts_keep_the_ids_in_longer_texts(text):
    assert_cuts_are_safe(well_formed(text)[0])
    assert_cuts_are_safe(well_formed(text)[0], allowed_special="all")


def test_safe_cuts_are_found():
    assert pieces_at_safe_cuts("one two  three\nfour\n/five\n\nsix") == ["one", " two  three\n", "four\n/five\n\nsix"]
    assert pieces_at_safe_cuts("漢字，かな。1。") == ["漢字", "，かな", "。1。"]


def test_ids_change_at_unsafe_cuts():
    # so the comparison above fails where SAFE_CUT allows too much
    encode = oracle("o200k_base").encode_ordinary
    assert encode("a.\n") + encode("/b") != encode("a.\n/b")
    assert encode("a  ") + encode("b") != encode("a  b")


def test_only_known_patterns_have_safe_cuts():
    assert all(map(has_safe_cuts, [*PATTERNS, *PATTERNS.values()]))
    assert not any(map(has_safe_cuts, [r"\w+", None, "cl100k"]))


def test_known_texts_are_split_as_expected():
    def texts(text, pattern):
        return [pre_token.text for pre_token in pre_tokens(text, pattern)]

    assert texts("Hello world, it's   ok", "gpt2") == ["Hello", " world", ",", " it", "'s", "  ", " ok"]
    assert texts("WE'LL pay 12345", "gpt2") == ["WE", "'", "LL", " pay", " 12345"]
    assert texts("WE'LL pay 12345", "llama3") == ["WE", "'LL", " pay", " ", "123", "45"]
    assert texts("WE'LL payPal", "o200k_base") == ["WE'LL", " pay", "Pal"]
    assert texts("whole text", None) == ["whole text"]
    assert texts("", None) == texts("", "gpt2") == []


@pytest.mark.parametrize(("name", "suggestion"), [("cl100k", "cl100k_base"), ("GPT-2", "gpt2"), ("zzz", None)])
def test_misspelt_pattern_name_raises_with_a_suggestion(name, suggestion):
    with pytest.raises(UnknownPattern) as caught:
        pre_tokens("text", name)
    assert caught.value.suggestion == suggestion


@pytest.mark.parametrize("work", [pre_tokens, explain, lambda _, pattern: alternatives(pattern)])
@pytest.mark.parametrize("pattern", ["(", "[a", "*a", r"\p{Nonsense}", ""])
def test_bad_pattern_raises_with_a_reason_and_can_be_pickled(pattern, work):
    with pytest.raises(BadPattern) as caught:
        work("", pattern)
    error = caught.value
    assert error.reason in str(error) and (f"(character {(error.position or 0) + 1})" in str(error)) == bool(pattern)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (BadPattern, str(error), vars(error))


@pytest.mark.parametrize("work", [pre_tokens, explain])
@pytest.mark.parametrize("pattern", [r"(a|aa)+\d", r"x|(?:a|aa)+\d"])
def test_catastrophic_pattern_is_stopped(pattern, work):
    with pytest.raises(BadPattern, match="longer than 0.1 seconds"):
        work("a" * 60 + "!", pattern, timeout=0.1)


@pytest.mark.parametrize(
    "pattern", [r"(?=ab\K)", r"a(?=b\K)", r"a|(?<=\Ka)b", r"a|(?:x|(?!y(?:b\K)))", r"(?(?=a\K)a|b)"]
)
def test_keep_in_a_lookaround_raises_since_pre_tokens_would_overlap(pattern):
    with pytest.raises(BadPattern, match=r"\\K inside a lookaround"):
        pre_tokens("xabcab", pattern)


@pytest.mark.parametrize("pattern", [r"a\Kb", r"(?=a)a\K[a-z]", r"(?:(?=x)|a\K)b", r"(?=\\K)|b"])
def test_keep_outside_of_lookarounds_splits_the_text(pattern):
    assert "".join(found.text for found in pre_tokens("xabcab", pattern)) == "xabcab"


@pytest.mark.parametrize(
    "pattern", [r"(?r)\w+", r"(?V0V1)a", "(" * 3000 + "a" + ")" * 3000, r"a{99999999999999999999}"]
)
def test_unusable_pattern_raises(pattern):
    with pytest.raises(BadPattern):
        pre_tokens("abc def", pattern)
