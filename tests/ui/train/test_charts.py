"""The charts of a training: numbers and labels; visitors' texts are only data in them."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizer import count_pre_tokens, encoding_from_merges
from tokenizer.display.readable import readable
from tokenizer.i18n import using_language
from tokenizer.training.corpora import own_corpora
from tokenizer.training.milestones import Milestone, milestones, word_uses
from tokenizer.training.training_history import NO_SYMBOL, NUM_RIVALS, TrainingHistory, record_training
from ui.train import charts

pytestmark = pytest.mark.slow

HOSTILE = '<img src=x onerror="alert(1)"> [x](http://e) :red[y] $z$ {{a}} \u202eabc\n'
every_chart = pytest.mark.parametrize("make", charts.CHARTS.values(), ids=charts.CHARTS)


def history_of(text, vocab_size=400, pattern="gpt2", **options):
    return record_training(count_pre_tokens(text, pattern), vocab_size, **options)


def reached(history, text):
    return milestones(history, word_uses(text))


def long_history(num_merges):
    """Returns a history with `num_merges` merges of single bytes."""
    saved = np.maximum(0, num_merges - 10 - np.arange(num_merges))
    pairs = np.arange(num_merges) // 256 % 256, np.arange(num_merges) % 256
    rivals = np.full((num_merges, NUM_RIVALS, 3), NO_SYMBOL, dtype=np.uint32)
    uses = np.ones(256 + num_merges, dtype=np.int64)
    total = int(saved.sum()) + 1000
    return TrainingHistory("bytes", np.arange(256), *pairs, saved, saved, rivals, uses, total, total)


def points(chart):
    """Returns the rows of the chart's largest data set."""
    return max(chart.to_dict()["datasets"].values(), key=len)


def strings(node):
    """Yields every string of a specification outside its data."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, list | dict):
        for name, value in node.items() if isinstance(node, dict) else enumerate(node):
            if name != "datasets":
                yield from [*strings(name), *strings(value)]


@pytest.mark.parametrize("language", ["english", "thai"])
def test_compression_equals_that_of_the_encoder(language):
    text = own_corpora()[language]
    history = history_of(text, 330)
    rows = points(charts.compression(history, reached(history, text)))
    assert [row["at"] for row in rows] == [*range(256, 331)]
    for row in rows[::16]:
        tokens = len(encoding_from_merges(history.merges[: row["merge"]], "gpt2").encode(text))
        assert row["tokens in the corpus"] == tokens
        assert row["bytes per token"] == row["value"] == pytest.approx(len(text.encode()) / tokens)
        assert row["token"] == (readable(history.merges[row["merge"] - 1].token) if row["merge"] else "none yet")


def test_savings_and_lengths_equal_those_of_the_merges():
    history = history_of(own_corpora()["thai"], 350)
    rows, sizes = points(charts.savings(history, [])), points(charts.lengths(history, []))
    for merge, row, size in zip(history.merges, rows, sizes, strict=True):
        assert row["merge"] == row["at"] == size["at"] == merge.rank - 255
        assert (row["tokens saved"], row["times the pair occurred"]) == (merge.saved, merge.count)
        assert row["token"] == size["token"] == readable(merge.token)
        assert size["bytes"] == size["value"] == len(merge.token)


def test_merges_that_saved_nothing_are_drawn_at_the_minimum():
    history = record_training({"abab": 5}, 259, start=[(b"x", b"y"), (b"a", b"b")])
    rows, spec = points(charts.savings(history, [])), charts.savings(history, []).to_dict()
    assert [row["tokens saved"] for row in rows] == [0, 10, 5]
    low = spec["layer"][0]["encoding"]["y"]["scale"]["domain"][0]
    assert 0 < low == rows[0]["value"] < 5
    assert "1 of the merges saved no tokens" in spec["usermeta"]["words"]
    assert "saved no tokens" not in charts.savings(history_of("abab"), []).to_dict()["usermeta"]["words"]


@every_chart
@pytest.mark.parametrize(
    "history", [record_training({"a": 3}, 300), record_training({"ab": 1}, 300)], ids=["no merge", "one merge"]
)
def test_history_of_at_most_one_merge_has_a_chart(make, history):
    spec = make(history, []).to_dict()
    assert spec["description"] and "nan" not in json.dumps(spec).lower()


@every_chart
def test_long_history_is_thinned_and_keeps_milestones(make):
    history = long_history(30_000)
    kept = [Milestone(step, kind) for step, kind in ((7, "crossing"), (12_345, "word"))]
    rows = points(make(history, kept))
    assert 500 < len(rows) <= charts.MAX_POINTS
    assert {8, 12_346, 30_000} <= {row["merge"] for row in rows}
    assert make(history, kept).to_dict()["encoding"]["x"]["scale"]["type"] == "log"


@given(st.integers(1, 3000), st.integers(8, 500), st.data())
def test_shown_steps_are_sorted_bounded_and_include_milestones(count, most, data):
    kept = data.draw(st.lists(st.integers(0, count - 1), max_size=3))
    steps = charts.shown_steps(count, kept, most).tolist()
    assert steps == sorted(set(steps)) and len(steps) <= max(most, 0)
    assert {0, count - 1, *kept} <= set(steps)
    assert count > most or len(steps) == count


def test_mean_line_averages_the_last_twentieth_of_merges():
    history = history_of(own_corpora()["thai"], 400)
    sizes, rows = [len(merge.token) for merge in history.merges], points(charts.lengths(history, []))
    means = [np.mean(sizes[max(0, end - 7) : end]) for end in range(1, len(sizes) + 1)]  # 144 merges, a twentieth
    assert [row["mean"] for row in rows] == pytest.approx(means)


# Visitors' texts


@every_chart
def test_texts_of_visitors_are_only_data(make):
    # without a pattern the whole text can become a token
    history = history_of(HOSTILE * 20, 420, pattern=None)
    harmless = history_of("a quiet text " * 20, 420, pattern=None)
    found = reached(history, HOSTILE)
    assert any("<img" in row["token"] for row in points(make(history, found)))
    spec = make(history, found).to_dict()
    every = {text for text in strings(spec) if text not in spec["datasets"]}
    assert not [text for text in every if any(sign in text for sign in ("<", "onerror", "](", ":red", "{{", "\u202e"))]
    names = [name for rows in spec["datasets"].values() for row in rows for name in row]
    assert set(names) <= {
        name for rows in make(harmless, []).to_dict()["datasets"].values() for row in rows for name in row
    } | {"label"}
    # Vega's tooltip renders fields with these names as heading and image
    assert not {"title", "image"} & set(names)


def test_milestones_are_escaped():
    history = history_of("<\u202e <\u202e ", 259, None)
    html = charts.milestones_html(history, [Milestone(len(history) - 1, "word")])
    assert "merge 3 made <bdi>&lt;‹U+202E›</bdi> (id 258)." in html


# Labels


@pytest.mark.parametrize("steps", [(0, 1, 2), (0, 150, 299), (297, 298, 299), (10, 290, 20)])
def test_labels_have_a_line_each_and_point_inwards(steps):
    history = long_history(300)
    kinds = ("crossing", "syllable", "word")
    kept = [Milestone(step, kind) for step, kind in zip(steps, kinds, strict=True)]
    spec = charts.savings(history, kept).to_dict()
    labels = [layer for layer in spec["layer"] if layer["mark"]["type"] == "text"]
    rules = [layer for layer in spec["layer"] if layer["mark"]["type"] == "rule"]
    assert len({layer["encoding"]["y"]["value"] for layer in labels}) == 3
    assert len({str(layer["mark"]["strokeDash"]) for layer in rules}) == 3
    for layer in labels:
        at = spec["datasets"][layer["data"]["name"]][0]["at"]
        assert layer["mark"]["align"] == ("right" if at > 180 else "left")
    # each rule starts beside its own label
    for rule, label in zip(rules, labels, strict=True):
        assert rule["encoding"]["y"]["value"] == label["encoding"]["y"]["value"] - charts.LABEL_HEIGHT_PIXELS / 2


@every_chart
def test_data_leave_room_for_the_labels(make):
    text = own_corpora()["thai"]
    history = history_of(text, 400)
    spec = make(history, reached(history, text)).to_dict()
    scale = spec["layer"][0]["encoding"].get("y", {}).get("scale") or spec["layer"][-1]["encoding"]["y"]["scale"]
    low, high = scale["domain"]
    assert all(low <= row["value"] <= high for row in points(make(history, [])))
    assert [end["expr"] for end in scale["range"]] == ["height", f"{charts.HEADROOM_SHARE} * height"]
    last_value = 19  # pixels above the data, for the number at the end of the line
    room = len(charts.MILESTONE_KINDS) * charts.LABEL_HEIGHT_PIXELS + last_value
    assert room <= charts.HEADROOM_SHARE * (charts.HEIGHT_PIXELS - 80)


@every_chart
def test_chart_texts_are_translated_and_data_unchanged(make):
    text = own_corpora()["thai"]
    history = history_of(text, 330)
    english = make(history, reached(history, text)).to_dict()
    with using_language("th"):
        thai = make(history, reached(history, text)).to_dict()
    for key in ("description", "usermeta"):
        assert english[key] != thai[key]
    titles = [[one for one in strings(spec["encoding"]) if " " in one] for spec in (english, thai)]
    assert not set(titles[0]) & set(titles[1])
    rows = [[(row["at"], row["value"]) for row in max(spec["datasets"].values(), key=len)] for spec in (english, thai)]
    assert rows[0] == rows[1]
    digits = [re.findall(r"\d[\d,.]*\d", spec["description"] + spec["usermeta"]["words"]) for spec in (english, thai)]
    assert sorted(digits[0]) == sorted(digits[1])
