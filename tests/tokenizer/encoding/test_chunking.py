"""Chunks have at most the given number of tokens, end between graphemes and join to the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizer import get_encoding
from tokenizer.encoding.chunking import CannotSplit, split_into_chunks
from tokenizer.kinds.byte_bpe import byte_bpe
from tokenizer.text.samples import samples
from tokenizer.text.units import grapheme_ends
from tokenizer.text.well_formed import well_formed

ENCODINGS = st.sampled_from(["gpt2", "cl100k_base", "o200k_base"])
TEXT = st.lists(st.sampled_from(["a", " the", "\n", "ที่", "นี่", "é", "👍", "👩‍👦", "漢字", "\r\n", "  ", "\ud800"])).map(
    "".join
)


def check(text, name, size, overlap):
    encoding, text = get_encoding(name), well_formed(text)[0]
    parts = list(split_into_chunks(text, encoding, size, overlap))
    data, ends = text.encode(), {0, *grapheme_ends(text).tolist()}
    covered = 0
    for part in parts:
        assert data[part.start :].startswith(part.text.encode())
        assert len(encoding.encode(part.text)) == part.tokens <= size
        assert {part.start, part.start + len(part.text.encode())} <= ends
        assert part.start <= covered < part.start + len(part.text.encode())
        if part.start < covered:
            assert len(encoding.encode(data[part.start : covered].decode())) <= overlap
        covered = part.start + len(part.text.encode())
    assert covered == len(data)
    return parts


@given(TEXT, ENCODINGS, st.integers(8, 40))
def test_chunks_without_overlap_join_to_the_text(text, name, size):
    parts = check(text, name, size, 0)
    assert "".join(part.text for part in parts) == well_formed(text)[0]


@given(TEXT, ENCODINGS, st.integers(8, 40), st.data())
def test_chunks_overlap_by_at_most_the_given_tokens(text, name, size, data):
    check(text, name, size, data.draw(st.integers(0, size - 1)))


@pytest.mark.parametrize("size, overlap", [(30, 0), (30, 10), (64, 63)])
def test_chunks_of_the_samples_are_few(size, overlap):
    for sample in samples():
        parts = check(sample.text, "gpt2", size, overlap)
        whole = len(get_encoding("gpt2").encode(sample.text))
        assert len(parts) >= whole / size
        if not overlap:
            assert len(parts) <= 2 + 2 * whole / size


def test_tokens_of_a_chunk_are_counted_without_its_context():
    """Within the text "ab" is one token, because c follows; at the end of a chunk it is two."""
    toy = byte_bpe("toy", r"ab(?=c)|.", {bytes([i]): i for i in range(256)} | {b"ab": 256}, {})
    assert toy.encode("abcabc") == [256, 99, 256, 99]
    assert [part.text for part in split_into_chunks("abcabc", toy, 1)] == list("abcabc")
    assert [part.text for part in split_into_chunks("abcabc", toy, 2)] == ["abc", "abc"]
    assert [part.text for part in split_into_chunks("abcabc", toy, 3)] == ["abca", "bc"]


def test_overlap_is_as_long_as_allowed():
    words = " ".join(["the"] * 50)
    parts = check(words, "gpt2", 10, 4)
    assert {len(get_encoding("gpt2").encode(" the" * 4))} == {4}
    assert [b.start - a.start for a, b in zip(parts, parts[1:], strict=False)][1:-1] == [24] * (len(parts) - 3)


@pytest.mark.parametrize("size, overlap", [(0, 0), (5, 5), (5, -1), (-1, 0)])
def test_invalid_sizes_and_overlaps_raise(size, overlap):
    with pytest.raises(CannotSplit, match="at least 1 token"):
        list(split_into_chunks("a", get_encoding("gpt2"), size, overlap))


def test_grapheme_larger_than_a_chunk_raises():
    with pytest.raises(CannotSplit, match=r"alone has \d+ tokens in gpt2.*at least \d+"):
        list(split_into_chunks("a👩‍👦", get_encoding("gpt2"), 3))


def test_empty_text_has_no_chunks():
    assert list(split_into_chunks("", get_encoding("gpt2"), 5)) == []
