"""Segments that end at safe cuts have the tokens of the whole text, for every tokenizer with safe cuts."""

from itertools import pairwise

import pipelines
import pytest
import sentencepieces
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from texts import CHUNKS

from tokenizer import get_encoding
from tokenizer.encoding.loupe import loupe
from tokenizer.encoding.segments import encode_segment
from tokenizer.encoding.tokens import Tokens
from tokenizer.split.patterns import SAFE_CUT
from tokenizer.text.well_formed import well_formed

NEAR_CUTS = ["word", " word", "word\n", "\n", "字。", "、", "> </a>", " ▁b", "▁", "a ", "/x", "\u0308", "ม", " 1"]
TEXTS = st.lists(st.one_of(st.sampled_from(NEAR_CUTS), CHUNKS), max_size=30).map("".join)


WITH_SAFE_CUTS = {
    "llama2": lambda: get_encoding("llama2"),
    "gpt2": lambda: get_encoding("gpt2"),
    "bpe, bytes, as Llama": lambda: sentencepieces.encoding("bpe, bytes, as Llama"),
    "Llama's way": lambda: pipelines.loaded("Llama's way"),
    "BERT's way": lambda: pipelines.loaded("BERT's way"),
    "WordLevel": lambda: pipelines.loaded("WordLevel"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_SAFE_CUTS)
@examples(120)
@given(text=TEXTS, take=st.sets(st.integers(0, 30)), special=st.sampled_from(["text", "special"]))
def test_segments_have_the_tokens_of_the_whole_text(name, text, take, special):
    encoding, text = WITH_SAFE_CUTS[name](), well_formed(text)[0]
    assert encoding.safe_cuts
    cuts = [cut.start() for i, cut in enumerate(SAFE_CUT.finditer(text)) if i in take]
    bounds = list(pairwise([0, *cuts, len(text)]))
    read = [encode_segment(text[start:end], encoding, special, is_inside=start > 0) for start, end in bounds]
    whole, spans = encoding.tokenize(text, special), []
    for (start, _), (tokens, _) in zip(bounds, read, strict=True):
        at = len(text[:start].encode())
        spans += [(one.id, one.start + at, one.end + at) for one in tokens]
    assert spans == [(one.id, one.start, one.end) for one in whole]
    if not set(whole.kinds) & {2}:  # neighbors may change how an unknown token is decoded
        assert all(holds for _, holds in read) == (encoding.decode_bytes(whole.ids) == text.encode())


@pytest.mark.parametrize("words", [40, 15_000])
@pytest.mark.parametrize("at", [0, -1])
def test_encode_segment_detects_tokens_that_lose_the_text(monkeypatch, words, at):
    encoding, text = get_encoding("gpt2"), "one แมว" * words
    right = encoding.tokenize(text)
    ids = right.id_array.copy()
    ids[at] += 1
    wrong = Tokens(text, ids, right.ends - right.starts, right.starts, right.kinds)
    short = Tokens(text, ids[:-1], (right.ends - right.starts)[:-1], right.starts[:-1], right.kinds[:-1])
    assert encode_segment(text, encoding, "text", is_inside=False)[1]
    for found in (wrong, short):
        monkeypatch.setattr(encoding, "tokenize", lambda *_, found=found: found)
        assert not encode_segment(text, encoding, "text", is_inside=False)[1]


def test_only_encodings_without_tokens_across_cuts_have_safe_cuts():
    cut = {name for name in sentencepieces.MODELS if sentencepieces.encoding(name).safe_cuts}
    assert cut == {"bpe, bytes, as Llama"}
    cut = {name for name in pipelines.LIBRARY if pipelines.loaded(name).safe_cuts}
    assert cut == {"BERT's way", "BERT's way, cased", "Llama's way", "WordLevel", "ignored merges"}


def test_unigram_has_no_safe_cuts_as_context_decides_equal_scores():
    encoding, library = sentencepieces.both("unigram, bytes, as it is")
    texts = ["g" * n + " h0000" for n in range(50)]
    assert {tuple(library.encode(text, out_type=str)[-2:]) for text in texts} == {("0", "000"), ("000", "0")}
    assert [encoding.encode(text) for text in texts] == library.encode(texts) and not encoding.safe_cuts


@pytest.mark.parametrize("name", ["llama2", "bpe, bytes, as Llama", "gpt2"])
def test_loupe_of_a_segment_equals_the_loupe_of_the_whole_text(name):
    encoding, text = WITH_SAFE_CUTS[name](), "One line of words\nand another, แมว 日本語。 end of it"
    cuts = [cut.start() for cut in SAFE_CUT.finditer(text)]
    assert len(cuts) > 5
    for cut in cuts:
        at = len(text[:cut].encode())
        for byte in range(at, len(text.encode()), 3):
            there, here = loupe(text, byte, encoding), loupe(text[cut:], byte - at, encoding, is_inside=True)
            start, end = here.pop("start") + at, here.pop("end") + at
            there.pop("walls"), here.pop("walls")  # depend on the neighbors, which this call lacks
            assert (there.pop("start"), there.pop("end")) == (start, end)
            assert there == here
