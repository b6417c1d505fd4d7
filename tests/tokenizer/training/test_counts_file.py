"""Files of a corpus's counts: they are read as written, and hostile ones raise within bounds."""

import gzip
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizer import TokenizerError, count_pre_tokens, train
from tokenizer.training.corpora import own_corpora
from tokenizer.training.corpus import word_counts
from tokenizer.training.counts import BadCountsFile, Counts, is_counts

HEAD = {"form": "tokenloupe counts 1", "pattern": None, "floor": 1, "distinct": 1, "total": 2, "left_out": 0}
HEAD |= {"left_out_total": 0}


def packed(*lines, **changed):
    return gzip.compress("".join(f"{line}\n" for line in (json.dumps(HEAD | changed), *lines)).encode(), mtime=0)


@given(
    st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.integers(1, 1 << 40)),
    st.sampled_from([None, "gpt2", r"\w+"]),
)
def test_counts_are_read_as_written_in_order(counts, pattern):
    written = Counts(counts, pattern, 1, 3, 4)
    found = Counts.from_bytes(written.to_bytes())
    assert found == written and list(found.counts) == list(counts)
    assert found.to_bytes() == written.to_bytes()


def test_counts_give_the_merges_of_the_text_also_as_text():
    text = own_corpora()["thai"]
    counts = Counts(count_pre_tokens(text, "gpt2"), "gpt2")
    merges = list(train(text, 400, "gpt2"))
    assert list(train((), 400, counts=Counts.from_bytes(counts.to_bytes()).counts)) == merges
    assert is_counts(counts.to_text()) and list(word_counts(counts.to_text()).items()) == list(counts.counts.items())
    assert counts.num_bytes == len(text.encode())


def test_counts_file_is_small_and_has_the_documented_form():
    text = own_corpora()["english"] * 20
    data = Counts(count_pre_tokens(text), "cl100k_base").to_bytes()
    assert len(data) < len(text) / 20
    facts, *rows = map(json.loads, gzip.decompress(data).decode().splitlines())
    assert facts["form"] == "tokenloupe counts 1" and dict(rows) == count_pre_tokens(text)
    assert (facts["distinct"], facts["total"]) == (len(rows), sum(n for _, n in rows))


@pytest.mark.parametrize(
    "lines, changed, reason",
    [
        (['["a", 2]', '["a", 2]'], {"distinct": 2, "total": 4}, "line 3 of these counts: 'a' appears twice"),
        (['["a", 0]'], {}, "should be a pre-token and a count"),
        (['["a", true]'], {}, "should be a pre-token"),
        (['["a", 2.0]'], {}, "should be a pre-token"),
        (['["a", 1e999]'], {}, "should be a pre-token"),
        (['["a", -2]'], {}, "should be a pre-token"),
        ([f'["a", {1 << 53}]'], {}, "should be a pre-token"),
        ([f'["a", {"9" * 5000}]'], {}, "not valid JSON"),
        (['["", 2]'], {}, "should be a pre-token"),
        ([r'["\ud800", 2]'], {}, "should be a pre-token"),
        (['["a", 2, 3]'], {}, "should be a pre-token"),
        (['{"a": 2}'], {}, "should be a pre-token"),
        (["[" * 100_000], {}, "not valid JSON"),
        ([""], {}, "not valid JSON"),
        (
            ['["a", 2]'],
            {"distinct": 2},
            "states 2 pre-tokens with 2 occurrences in all, but the other lines list 1 pre-tokens with 2 occurrences",
        ),
        (['["a", 2]'], {"total": 3}, "with 3 occurrences"),
        (['["a", 2]'], {"floor": 3}, "smaller than 3, the minimum that the file states"),
        ([f'["ab", {(1 << 53) - 1}]'], {"total": (1 << 53) - 1}, "more than a training can count exactly"),
        (['["a", 2]'], {"pattern": 5}, "no valid value for pattern"),
        (['["a", 2]'], {"pattern": "("}, "pattern"),
        (['["a", 2]'], {"pattern": "(a|b){99999999}"}, "above the limit of 200,000"),
        (['["a", 2]'], {"left_out": -1}, "no valid value for left_out"),
        (['["a", 2]'], {"total": True}, "no valid value for total"),
        (['["a", 2]'], {"form": "tokenloupe counts 2"}, "of this version"),
        (['["a", 2]'], {"form": None}, "of this version"),
    ],
)
def test_inconsistent_counts_file_raises(lines, changed, reason):
    with pytest.raises(TokenizerError) as error:
        Counts.from_bytes(packed(*lines, **changed))
    assert reason in str(error.value) and len(str(error.value)) < 500


VALID_FILE = packed('["a", 2]')


@pytest.mark.parametrize(
    "data, reason",
    [
        (b"", "the file is incomplete"),
        (b"hug 10\n", "not a .counts file"),
        (b"PK\3\4" + b"\0" * 99, "not a .counts file"),
        (VALID_FILE[:-1], "the file is incomplete"),
        (VALID_FILE[:-9], "the file is incomplete"),
        (VALID_FILE + b"x", "the file is incomplete"),
        (VALID_FILE + VALID_FILE, "the file is incomplete"),
        (VALID_FILE[:-6] + b"\0" * 6, "damaged"),
        (gzip.compress(b"", mtime=0), "of this version"),
        (gzip.compress(b'{"form": "tokenloupe counts 1"', mtime=0), "not valid JSON"),
        (
            gzip.compress(b'{"form": "tokenloupe counts 1"}\n\xff', mtime=0),
            "unpacked file is not valid UTF-8 at byte 33",
        ),
    ],
)
def test_bytes_that_are_no_counts_file_raise(data, reason):
    assert Counts.from_bytes(VALID_FILE).counts == {"a": 2}
    with pytest.raises(BadCountsFile, match=reason):
        Counts.from_bytes(data)


def test_gzip_bomb_raises_without_being_unpacked():
    bomb = gzip.compress(b"\n" * 50_000_000)
    tracemalloc.start()
    with pytest.raises(BadCountsFile, match="larger than the limit of 1,000,000 bytes"):
        Counts.from_bytes(bomb, 1_000_000)
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()
