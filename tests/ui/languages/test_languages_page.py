"""The premium view of the Languages page: its table against sums by hand, its chart, and the page."""

import math
import re
from functools import cache, partial
from html import unescape

import altair as alt
import pandas as pd
import pytest
from apps import open_page as opened_page

from tokenizer import encoding_from_merges, get_encoding, parallel_corpus
from tokenizer.languages.parallel import declaration, kinds, language, languages
from tokenizer.languages.premium import cost, size
from tokenizer.measure.text_units import TextUnits
from tokenizer.text.units import count_graphemes, count_words, words
from ui.languages import chart, dots, sentences
from ui.languages.table import MEASURES, explain_premium, frame

pytestmark = pytest.mark.slow

ENCODINGS = ("gpt2", "cl100k_base", "o200k_base")
HOSTILE = '<img src=x onerror="alert(1)"> [x](http://e) $z$'


def counts(corpus, encodings):
    units = {tag: TextUnits("\n".join(lines)) for tag, lines in corpus.items()}
    costs = {
        name: {tag: cost(lines, encoding, units=units[tag]) for tag, lines in corpus.items()}
        for name, encoding in encodings.items()
    }
    return {tag: size(lines) for tag, lines in corpus.items()}, costs


@cache
def counts_of(tags):
    return counts({tag: parallel_corpus()[tag] for tag in tags}, {name: get_encoding(name) for name in ENCODINGS})


@cache
def few(tags=("en", "th", "de"), encodings=("gpt2", "o200k_base"), base="en"):
    return frame(*counts_of(tags), languages(), {name: get_encoding(name) for name in encodings}, base, kinds())


# ---- the table ----


def test_numbers_of_a_row_equal_counts_by_hand():
    lines, base, gpt2 = parallel_corpus()["th"], parallel_corpus()["en"], get_encoding("gpt2")
    row = few().query("tag == 'th' and encoding == 'gpt2'").iloc[0]
    tokens = [len(gpt2.encode(line)) for line in lines]
    assert row["tokens"] == sum(tokens)
    assert row["premium"] == sum(tokens) / sum(len(gpt2.encode(line)) for line in base)
    assert row["bytes"] == sum(len(line.encode()) for line in lines)
    assert row["words"] == sum(map(count_words, lines))
    assert row["graphemes"] == sum(map(count_graphemes, lines))
    assert row["per_word"] == row["tokens"] / row["words"]
    assert row["per_grapheme"] == row["tokens"] / row["graphemes"]
    assert row["per_character"] == row["tokens"] / sum(map(len, lines))
    cut = sum(
        any(start < token.start < end for token in gpt2.tokenize(line)) for line in lines for start, end in words(line)
    )
    assert row["split_words"] == cut / row["words"]
    assert row["low"] < row["premium"] < row["high"]


@pytest.mark.parametrize("base", ["en", "zh-Hans"])
def test_sentence_of_every_language_and_encoding_has_the_right_numbers(base):
    counts = {tag: sum(map(len, lines)) for tag, lines in parallel_corpus().items()}
    rows = few(tuple(languages()), ENCODINGS, base).to_dict("records")
    assert len(rows) == len(languages()) * len(ENCODINGS)
    tokens = {(row["tag"], row["encoding"]): row["tokens"] for row in rows}
    for row in rows:
        sentence = explain_premium(row["language"], languages()[base].name, row | {"model": row["encoding"]})
        if row["tag"] == base:
            assert sentence == f"{row['language']} is the language with which the other languages are compared."
            continue
        length, own = counts[row["tag"]], row["tokens"]
        base_length, others = counts[base], tokens[base, row["encoding"]]
        claims = [length / base_length, (own / length) / (others / base_length), own / others]
        claims += [length / own, base_length / others]
        assert re.findall(r"\b\d+\.\d\d\b", sentence) == [f"{claim:.2f}" for claim in claims]
        assert math.isclose(row["length"] * row["density"], row["premium"], rel_tol=1e-12)
        assert not re.search("because|know", sentence)  # a number is not a cause


def test_density_counts_characters_not_bytes():
    rows = few(("en", "ta")).query("encoding == 'o200k_base'").set_index("tag")
    per_token = rows["bytes"] / rows["tokens"]
    assert per_token["ta"] > per_token["en"] and rows["held"]["ta"] < rows["held"]["en"]
    assert rows["density"]["ta"] > 1, "a Tamil token holds more bytes, and fewer characters"


def test_kinds_and_the_declaration_are_counted_separately():
    rows = few()
    for row in rows.to_dict("records"):
        by_kind = [
            sum(len(get_encoding(row["encoding"]).encode(line)) for line in parallel_corpus((kind,))[row["tag"]])
            / sum(len(get_encoding(row["encoding"]).encode(line)) for line in parallel_corpus((kind,))["en"])
            for kind in dict.fromkeys(kinds())
        ]
        assert (row["least_kind"], row["most_kind"]) == (min(by_kind), max(by_kind))
        counted = declaration()[row["tag"]][row["encoding"]], declaration()["en"][row["encoding"]]
        assert row["declared"] == counted[0] / counted[1]
    trained = {"gpt2": encoding_from_merges([], None, name="gpt2")}
    made = frame(*counts({"en": ["a"]}, trained), {"en": language("en")}, trained, "en", ["chat"])
    assert made["declared"].tolist() == [None], "the declaration was counted with the published encoding only"


def test_page_states_how_often_the_declaration_is_within_the_ranges():
    rows = few(tuple(languages()), ("o200k_base",)).query("tag != 'en' and tag != 'am'")
    assert len(rows) == 46
    inside = [
        rows["declared"].between(rows[low], rows[high]).sum()
        for low, high in (("low", "high"), ("least_kind", "most_kind"))
    ]
    sentence = (
        f"the premium in the Declaration lies within the confidence interval for {inside[0]} of 46 languages,"
        f" and within the range across kinds of sentences for {inside[1]}."
    )
    assert f"In o200k_base, {sentence}" in seen(opened()) and inside[0] < 23 < inside[1]


# ---- the chart ----


LABELS = {"gpt2": "GPT-2 · gpt2", "o200k_base": "GPT-5 · o200k_base"}


def layers(spec, mark):
    """Returns the layers of this mark, each with its rows."""
    found = [layer for layer in spec["layer"] if layer["mark"]["type"] == mark]
    return [(layer, spec["datasets"][layer["data"]["name"]]) for layer in found]


@pytest.mark.parametrize("measure", MEASURES)
def test_chart_has_a_dot_per_number_sorted_by_cost(measure):
    rows = few(("en", "th", "de", "hi", "ko", "ta"))
    spec = chart.chart(rows, measure, "cost", list(languages()), "th", "English", LABELS)
    if measure in ("premium", "partial"):  # one with a line for reference, one without
        alt.Chart.from_dict(spec)  # validates against the Vega-Lite schema
    [(layer, points)] = layers(spec, "point")
    values = {(row["tag"], LABELS[row["encoding"]]): row[measure] for row in rows.to_dict("records")}
    assert {(point["id"], point["encoding"]): point["value"] for point in points} == values
    order = layer["encoding"]["y"]["sort"]
    most = rows.groupby("language")[measure].max()
    assert most[order].is_monotonic_decreasing and set(order) == set(most.index)
    for channel in ("color", "shape"):
        scale = layer["encoding"][channel]["scale"]
        assert scale["domain"] == list(LABELS.values()) and len(set(scale["range"])) == len(LABELS)


def test_first_data_of_the_chart_have_heads_in_words():
    """Streamlit's button "Show data" shows these."""
    spec = chart.chart(few(("en", "th")), "premium", "cost", ["en", "th"], "th", "English", LABELS)
    table = next(iter(spec["datasets"].values()))
    assert [*table[0]] == ["language", "encoding", "times as many tokens as English"]
    named = [(row["language"], row["encoding"]) for row in table]
    assert named == [(language, label) for language in ("Thai", "English") for label in LABELS.values()]


def test_chosen_language_is_marked_and_tooltips_have_numbers():
    rows = few()
    spec = chart.chart(rows, "premium", "cost", ["en", "th", "de"], "th", "English", LABELS)
    assert [layer["transform"] for layer, _ in layers(spec, "rule") if "transform" in layer] == [
        [{"filter": {"equal": "th", "field": "id"}}]
    ]
    [(_, bands)] = layers(spec, "bar")
    thai = rows[rows["tag"] == "th"].set_index("encoding")
    lines = [
        f"{LABELS[name]}: {thai['premium'][name]:.2f} times as many tokens as English, {thai['tokens'][name]:,} tokens"
        for name in LABELS
    ]
    assert {band["id"]: band["tip"] for band in bands}["th"].split("\n") == ["Thai · ไทย", *lines]


def test_close_numbers_of_a_row_are_labelled_once():
    rows = pd.DataFrame([("a", 1.0), ("a", 1.001), ("a", 4.0), ("b", 2.0)], columns=["id", "value"])
    found = dots.numbers(rows, chart.axis("premium", "English"))
    own = found[found["id"] == "a"]
    assert own["label"].tolist() == ["1.00", "4.00"]
    assert own["before"].iloc[0] == 2 and own["gap"].iloc[0] == own["before"].iloc[1] < 1 == own["gap"].iloc[1]
    assert found[found["id"] == "b"][["label", "before", "gap"]].values.tolist() == [["2.00", 2.0, 1.0]]


@pytest.mark.parametrize("measure", MEASURES)
def test_axis_includes_every_dot_and_the_reference_line(measure):
    rows = few(tuple(languages()))
    shown = chart.axis(measure, "English")
    low, high = dots.domain(rows[measure], shown)
    assert low <= rows[measure].min() and rows[measure].max() <= high
    assert shown.line_at is None or low <= shown.line_at <= high


def test_rows_can_be_sorted_and_filtered():
    rows = few()
    spec = chart.chart(rows, "premium", "name", ["th", "de"], None, "English", LABELS)
    [(layer, _)] = layers(spec, "point")
    assert layer["encoding"]["y"]["sort"] == ["German", "Thai"]
    assert chart.ordered(rows, "premium", "script") == ["en", "de", "th"]


# ---- sentences ----


def test_sentence_costs_are_escaped_and_counted():
    gpt2 = get_encoding("gpt2")
    html = sentences.arithmetic(sentences.Side(HOSTILE, HOSTILE), sentences.Side("ไทย", "ที่นี่", "th", "ltr"), gpt2)
    assert "<img" not in html and 'onerror="' not in html
    assert sentences.counts("ที่นี่", 3) == "3 tokens · 6 characters · 18 bytes · 2 words (ICU)"


def test_empty_sentence_has_no_premium():
    assert not sentences.arithmetic(sentences.Side("a", ""), sentences.Side("b", "text"), get_encoding("gpt2"))


# ---- the page ----

opened = partial(opened_page, "languages.py")


def seen(app):
    return unescape(" ".join([*(html.value for html in app.get("html")), *(one.value for one in app.caption)]))


def test_page_opens_with_thai_and_its_factors():
    app = opened()
    assert "the same 120 sentences in Thai take <b>8.9 times</b> the tokens in <span>GPT-2</span>" in seen(app)
    assert "The text in Thai has 0.83 times as many characters as the text in English" in seen(app)
    assert app.dataframe[0].value.shape[0] == 3 * len(languages())
    assert "A language model wrote the sentences" in seen(app)


def test_link_restores_the_view():
    app = opened(base="th", language="hi", encodings="o200k_base", sentence="3", measure="per_word", kinds="news")
    assert re.search("Compared with Thai, the same [0-9]+ sentences in Hindi take <b>[0-9.]+ times</b>", seen(app))
    sentence = parallel_corpus()["hi"][2]
    cut = sentences.counts(sentence, len(get_encoding("o200k_base").encode(sentence)))
    assert "Sentence 3 of" in seen(app) and cut in seen(app)
    count = kinds().count("news")
    assert f"The tokens of {count} sentences (news)" in seen(app)


INVALID_PARAMETERS = ["base=tlh", "language=<b>", "sentence=0", "measure=x", "order=y", "scripts=Klingon", "lens=z"]


@pytest.mark.parametrize("link", INVALID_PARAMETERS)
def test_invalid_link_values_show_a_notice(link):
    name, value = link.split("=")
    app = opened(**{name: value})
    assert f"The link says {name}=" in seen(app)
    assert "sentences in Thai take" in seen(app)


def test_filter_without_matches_shows_a_message():
    assert "No language has both a chosen script and a chosen family" in seen(opened(scripts="Thai", families="Turkic"))
