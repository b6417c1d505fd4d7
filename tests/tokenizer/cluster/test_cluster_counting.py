"""Counts merged from parts equal those of one machine, in the same order, so every merge is the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizer import TIE_RULES, count_pre_tokens, encoding_from_merges, get_encoding, save_encoding, train
from tokenizer.cluster.blocks import Block
from tokenizer.cluster.counting import PreTokenRun, count, encoding, in_order, kept, merged, num_tokens, parted
from tokenizer.cluster.running import CannotCount, count_corpus, measure_corpus
from tokenizer.errors import TokenizerError
from tokenizer.training.corpora import own_corpora

TEXTS = [*own_corpora().values(), "tied died lied pied\n" * 3, ""]


@pytest.fixture
def corpus(tmp_path):
    for i, text in enumerate(TEXTS):
        (tmp_path / f"{i}.txt").write_bytes(text.encode())
    return tmp_path


@given(
    shares=st.lists(st.lists(st.sampled_from("abcdefghij"), max_size=12), min_size=1, max_size=9),
    parts=st.integers(1, 5),
    floor=st.integers(1, 4),
    split=st.integers(0, 9),
    turn=st.randoms(use_true_random=False),
)
def test_parts_merged_in_any_order_equal_the_whole(tmp_path_factory, shares, parts, floor, split, turn):
    whole = count_pre_tokens(["".join(share) for share in shares], "[a-j]")
    folder, runs = tmp_path_factory.getbasetemp(), []
    for i, share in enumerate(shares):
        runs.append(count([block_in(folder / f"{i}.txt", "".join(share))], i, "[a-j]", "text", parts)[1:])
    turn.shuffle(runs)
    split = min(split, len(runs) - 1)
    trees = [merged([merged(part[:split]), merged(part[split:])]) for part in zip(*runs, strict=True)]
    found, left_out, left_out_total = zip(*(kept(tree, floor) for tree in trees), strict=True)
    assert list(in_order(found).items()) == [(one, n) for one, n in whole.items() if n >= floor]
    assert sum(left_out) == sum(n < floor for n in whole.values())
    assert sum(left_out_total) == sum(n for n in whole.values() if n < floor)


def block_in(path, text):
    path.write_text(text)
    return Block(str(path), 0, len(text), len(text))


def test_pre_token_is_in_the_same_part_in_every_process():
    run = PreTokenRun([" the", "ที่", "x", "y"], np.ones(4, int), np.arange(4))
    assert [one.pre_tokens for one in parted(run, 3)] == [["x"], ["y"], [" the", "ที่"]]  # `hash` would differ


@pytest.mark.parametrize("pattern", ["cl100k_base", "gpt2", r"\w+", None])
def test_corpus_counted_in_blocks_gives_the_merges_of_one_machine(corpus, pattern):
    found = count_corpus([corpus], pattern, block_bytes=3_000)
    whole = count_pre_tokens(TEXTS, pattern)
    assert list(found.counts.counts.items()) == list(whole.items())
    assert found.read[:2] == (len(TEXTS) - 1, sum(len(text.encode()) for text in TEXTS)) and not found.problems
    for ties in TIE_RULES if pattern == "gpt2" else ():
        merges = list(train(TEXTS, 400, pattern, ties))
        assert list(train((), 400, pattern, ties, counts=found.counts.counts)) == merges


def test_order_of_first_occurrence_decides_ties(corpus):
    whole = count_pre_tokens(TEXTS, "gpt2")
    other = dict(sorted(whole.items()))
    assert list(train((), 400, "gpt2", counts=whole)) != list(train((), 400, "gpt2", counts=other))


def test_floor_drops_what_is_rare_in_the_whole_corpus_and_counts_it(corpus):
    whole, found = count_pre_tokens(TEXTS), count_corpus([corpus], floor=3, block_bytes=3_000).counts
    rare = [n for n in whole.values() if n < 3]
    assert list(found.counts.items()) == [(one, n) for one, n in whole.items() if n >= 3]
    assert (found.floor, found.left_out, found.left_out_total) == (3, len(rare), sum(rare))
    whole_merges, merges = (list(train((), 500, counts=counts)) for counts in (whole, found.counts))
    assert merges == list(train((), 500, counts={one: n for one, n in whole.items() if n >= 3}))
    assert merges[0].count < whole_merges[0].count and merges != whole_merges


def test_unreadable_files_are_skipped_whole_and_reported(corpus):
    (corpus / "00.txt").write_bytes(b"fine " * 5_000 + b"\xff" + b" fine" * 5_000)
    found = count_corpus([corpus], block_bytes=3_000)
    assert found.counts.counts == count_pre_tokens(TEXTS)
    [(path, message)] = found.problems.items()
    assert path == str(corpus / "00.txt") and "byte 25,001 is 0xFF" in message
    for path in corpus.glob("?.txt"):
        path.unlink()
    with pytest.raises(CannotCount, match="25,001"):
        count_corpus([corpus])


@pytest.mark.parametrize("bad", [{"floor": 0}, {"pattern": "("}, {"pattern": "cl1000k"}])
def test_invalid_floor_or_pattern_raises_before_reading(corpus, bad):
    with pytest.raises(TokenizerError, match="floor|pattern"):
        count_corpus([corpus / "nowhere"], **bad)


def test_measured_tokens_equal_those_of_each_text_encoded(corpus):
    names = ["gpt2", "o200k_base"]
    found = measure_corpus([corpus], names, block_bytes=3_000)
    assert found.tokens == {name: sum(len(get_encoding(name).encode(text)) for text in TEXTS) for name in names}
    size = sum(len(text.encode()) for text in TEXTS)
    assert found.bytes_per_token("gpt2") == size / found.tokens["gpt2"] and found.read.texts == len(TEXTS) - 1


def test_measure_accepts_the_path_of_an_encoding(corpus, tmp_path_factory):
    made = encoding_from_merges(train(TEXTS, 300, "[a-z]+"), "[a-z]+", name="toy")
    [path] = save_encoding(made, tmp_path_factory.mktemp("made") / "toy.json")
    found = measure_corpus([corpus], [str(path)], block_bytes=3_000)
    assert found.tokens[str(path)] == sum(len(made.encode(text)) for text in TEXTS)
    assert num_tokens(TEXTS[0], encoding(str(path))) == len(made.encode(TEXTS[0]))
