"""What fits into a number of tokens, against filling a window token by token."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizer import get_encoding, parallel_corpus
from tokenizer.languages.budget import fill, whole_sentences
from tokenizer.text.units import grapheme_ends
from ui.languages import budget

GPT2, CL100K = get_encoding("gpt2"), get_encoding("cl100k_base")


def by_hand(lines, encoding, budget):
    """Fills the budget token by token."""
    left = budget
    for whole, line in enumerate(lines):
        tokens = encoding.encode(line)
        if len(tokens) > left:
            data, held = line.encode(), b"".join(encoding.token_bytes(id) for id in tokens[:left])
            fits = max([0, *(end for end in grapheme_ends(line).tolist() if end <= len(held))])
            return whole, data[:fits].decode(), data[fits:].decode(), budget
        left -= len(tokens)
    return len(lines), "", "", budget - left


@pytest.mark.parametrize("tag", ["en", "th", "my"])
def test_fill_equals_filling_token_by_token(tag):
    for size in (1, 10, 37, 300, 20_000):
        lines = parallel_corpus()[tag]
        assert fill(lines, CL100K, size) == by_hand(lines, CL100K, size), size


texts = st.lists(st.text(st.sampled_from("ab ที่👩‍👦é\n"), min_size=1, max_size=8), min_size=1, max_size=5)


@given(texts, st.integers(1, 60))
def test_fill_of_any_text_equals_filling_token_by_token(lines, size):
    found = fill(lines, GPT2, size)
    assert found == by_hand(lines, GPT2, size)
    if found.num_complete < len(lines):
        assert found.part + found.rest == lines[found.num_complete]


@given(st.lists(st.integers(0, 9), max_size=9), st.integers(0, 40))
def test_whole_sentences_are_a_prefix(counts, size):
    expected = next((n for n in range(len(counts)) if sum(counts[: n + 1]) > size), len(counts))
    assert whole_sentences(np.array(counts, dtype=np.int64), size) == expected


def windows(tags, size):
    return budget.windows({tag: fill(parallel_corpus()[tag], GPT2, size) for tag in tags})


def test_windows_mark_their_end_language_and_direction():
    html = windows(["en", "ar"], 50)
    assert html.count("the token budget ends here") == 2 and 'dir="rtl"' in html and 'lang="ar"' in html
    assert "all sentences are within the token budget" in windows(["en"], 20_000)


def test_budget_table_gives_sentences_and_shares():
    counts = {tag: np.array([len(GPT2.encode(line)) for line in lines]) for tag, lines in parallel_corpus().items()}
    rows = budget.frame(counts, 200).set_index("tag")
    totals = {tag: sum(own) for tag, own in counts.items()}
    assert rows["tokens"].to_dict() == totals
    assert rows["premium"].to_dict() == pytest.approx({tag: n / totals["en"] for tag, n in totals.items()})
    whole = by_hand(parallel_corpus()["th"], GPT2, 200)[0]
    assert rows.loc["th", "sentences"] == whole
    english = parallel_corpus()["en"]
    assert rows.loc["th", "share"] == sum(map(len, english[:whole])) / sum(map(len, english))
