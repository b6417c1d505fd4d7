"""Notebook cells: they draw the exact text, bounded, with the numbers of the core."""

import json

import numpy as np
import pytest
from amounts import examples
from html_tree import parse_html
from hypothesis import given
from oracles import oracle
from texts import TEXTS

from tokenizer import Tokens, compare, count_pre_tokens, get_encoding, pieces, train
from tokenizer.display import cells
from tokenizer.i18n import using_language
from tokenizer.text.well_formed import well_formed
from tokenizer.training.training_history import record_training

HOSTILE = "</div></style><script>alert(1)</script><img src=x onerror=alert(1)> \"' & <!-- $x^2$ \\(y\\) {{ }} \0 \r\n"
ALLOWED = {"div", "style", "p", "b", "bdi", "span", "details", "summary", "i", "small", "caption"}
ALLOWED |= {"table", "thead", "tbody", "tr", "th", "td"}


def drawn(thing):
    found = parse_html(thing._repr_html_())
    assert set(found.tags) <= ALLOWED and found.links == []
    return found


def strips(thing):
    """Returns the text of each strip of tokens."""
    return [strip.text for strip in drawn(thing).all(of_class="tokens")]


@examples(40)
@given(text=TEXTS)
def test_strip_shows_the_text_and_its_ids(text):
    tokens, own = get_encoding("o200k_base").tokenize(text), well_formed(text)[0]
    assert strips(tokens) == [own.replace("\0", "␀")]
    ids = oracle("o200k_base").encode(own, disallowed_special=())
    assert (
        tokens._repr_html_().count("id=") == 0
        and f'<p class="ids">{", ".join(map(str, ids))}</p>' in tokens._repr_html_()
    )


def test_hostile_text_stays_text_in_cells():
    encoding = get_encoding("gpt2")
    assert strips(encoding.tokenize(HOSTILE)) == [HOSTILE.replace("\0", "␀")]
    found = compare(HOSTILE, {"</style><b>": encoding, "<script>": get_encoding("gpt-4")})
    assert strips(found) == [HOSTILE.replace("\0", "␀")] * 2 and "</style><b>" in drawn(found).texts
    assert "<script>" in drawn(train("<script></script>" * 9, 280, None)).text


@examples(40)
@given(text=TEXTS)
def test_beginning_has_whole_tokens_and_graphemes(text):
    tokens = get_encoding("gpt2").tokenize(text)
    for most in range(len(tokens) + 2):
        first = tokens.beginning(most)
        assert tokens.text.startswith(first.text)
        assert list(first) == list(tokens)[: len(first)] and len(first) <= most
        assert "".join(piece.text for piece in pieces(first)) == first.text
        if most >= len(tokens):
            assert first is tokens


def test_cell_of_a_huge_text_shows_its_beginning_with_a_note():
    tokens = get_encoding("gpt2").tokenize("a b " * 100_000)
    [shown] = strips(tokens)
    assert len(tokens._repr_html_()) < 600_000
    assert f"The first {cells.MAX_DRAWN_TOKENS:,} of {len(tokens):,} tokens are shown." in drawn(tokens).texts
    assert tokens.text.startswith(shown) and len(shown) == cells.MAX_DRAWN_TOKENS * 2 - 1
    alone = get_encoding("gpt2").tokenize("a" + "\u0301" * 10_000)  # one grapheme
    assert strips(alone) == [""] and f"The first 0 of {len(alone):,} tokens are shown." in drawn(alone).texts
    assert "are drawn." not in drawn(get_encoding("gpt2").tokenize("a b")).text


def test_tokens_of_empty_texts_and_with_gaps_are_drawn():
    assert strips(get_encoding("gpt2").tokenize("")) == [""]
    gapped = Tokens("a b", np.array([0, 5, 1]), np.array([1, 0, 1]), np.array([0, 1, 2]))
    assert strips(gapped) == ["a b"]


# ---- training ----

CORPUS = "the cat sat on the mat, ที่นี่มีแมว " * 9 + "where did all these words come from? "


def test_drawing_a_training_does_not_change_it():
    plain, seen = list(train(CORPUS, 300)), train(CORPUS, 300)
    first = next(seen)
    drawn(seen)
    assert [first, *seen] == plain == seen.merges
    assert next(seen, None) is None and iter(seen) is seen


@pytest.mark.parametrize("alphabet", ["bytes", "characters"])
def test_counts_of_a_training_equal_the_history(alphabet):
    history = record_training(count_pre_tokens(CORPUS, "gpt2"), 290, alphabet=alphabet)
    found = train(CORPUS, 290, "gpt2", alphabet=alphabet)
    assert (found.num_base, found.num_bytes) == (len(history.base), history.num_bytes)
    assert found.num_tokens == history.num_tokens.tolist()
    assert found._repr_html_() == history._repr_html_()
    assert found.chart().to_dict() == history.chart().to_dict()


def test_cell_of_a_long_training_shows_the_first_and_last_merges():
    timeline = train(CORPUS, 300)
    words, hidden = drawn(timeline).texts, len(timeline.merges) - cells.FIRST_MERGES - cells.LAST_MERGES
    assert hidden > 0 and f"{hidden} merges in the middle of the list are not shown." in words
    shown = [int(word) for word in words if word.isdigit() and 256 <= int(word) < 400]
    ranks = [merge.rank for merge in timeline.merges]
    assert shown == ranks[: cells.FIRST_MERGES] + ranks[-cells.LAST_MERGES :]
    assert "left out" not in drawn(train(CORPUS, 258)).text


def test_training_without_merges_is_drawn():
    assert "0 merges" in drawn(train("a", 300)).texts
    assert train("a", 300).chart().to_dict()["data"]["values"] == [{"vocabulary": 256, "bytes": 1.0, "token": ""}]


# ---- comparison ----


def test_comparison_shows_tiktokens_counts():
    text, names = "The same thought ความคิดเดียวกัน " * 5, ["gpt-2", "cl100k_base", "gpt-4o"]
    found = compare(text, names)
    assert found.names == names
    words = drawn(found).texts
    for name in names:
        assert str(len(oracle(get_encoding(name).name).encode(text))) in [word.split(" ")[0] for word in words]
    assert strips(found) == [text] * 3


def test_comparison_names_encodings_as_given():
    assert compare("a", "gpt-4").names == ["gpt-4"]
    assert compare("a", [get_encoding("gpt-4"), "gpt2"]).names == ["cl100k_base", "gpt2"]


def test_cell_uses_the_current_language():
    with using_language("th"):
        assert "36 tokens" not in drawn(get_encoding("gpt2").tokenize("a b")).texts


# ---- charts ----


def test_charts_show_the_cores_numbers():
    text = "the cat sat on the mat ที่" * 3
    tokens = get_encoding("gpt2").tokenize(text)
    values = tokens.chart().to_dict()["data"]["values"]
    assert sum(row["tokens"] for row in values) == len(tokens)
    assert sum(row["tokens"] * row["bytes"] for row in values) == len(text.encode())
    found = compare(text, ["gpt2", "gpt-4o"])
    values = found.chart().to_dict()["data"]["values"]
    assert [row["tokens"] for row in values] == [one["tokens"] for one in found.values]
    timeline = train(CORPUS, 300)
    values = timeline.chart().to_dict()["data"]["values"]
    assert [row["vocabulary"] for row in values] == list(range(256, 257 + len(timeline.merges)))
    assert [row["bytes"] * n for row, n in zip(values, timeline.num_tokens, strict=True)] == pytest.approx(
        [timeline.num_bytes] * len(values)
    )


def test_charts_never_contain_a_closing_script_tag():
    merges = train("</script><script>" * 50, 300, None)
    for chart in (merges.chart(), compare("a", {"</script>": get_encoding("gpt2")}).chart()):
        assert "</script>" not in json.dumps(chart.to_dict())


@pytest.mark.slow
def test_chart_of_a_long_training_has_at_most_1000_points():
    words = " ".join(f"{i * 7919 % 100_003:x}" for i in range(6_000))
    values = train(words, 1_600).chart().to_dict()["data"]["values"]
    assert (len(values), values[0]["vocabulary"], values[-1]["vocabulary"]) == (1_000, 256, 1_600)
