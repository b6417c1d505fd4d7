"""The premium view of the Languages page: its table against sums by hand, its chart, and the page in its frame."""

import math
from html import unescape

import altair as alt
import pytest
from paths import FRAME
from streamlit.testing.v1 import AppTest

from tokenizer import get_encoding, parallel_corpus
from tokenizer.languages.parallel import kinds, language, languages
from tokenizer.text.units import count_graphemes, count_words, words
from ui.languages import chart, sentences
from ui.languages.table import SHOWN, frame, in_words

HOSTILE = '<img src=x onerror="alert(1)"> [x](http://e) $z$'


def few(tags=("en", "th", "de"), encodings=("gpt2", "o200k_base")):
    corpus = {tag: parallel_corpus()[tag] for tag in tags}
    return frame(corpus, {tag: language(tag) for tag in tags}, {name: get_encoding(name) for name in encodings}, "en")


# ---- the table ----


def test_every_number_of_a_row_is_what_its_name_says():
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


def test_the_identity_holds_in_every_row_of_the_page():
    for _, row in few(tuple(languages()), ("gpt2", "cl100k_base", "o200k_base", "p50k_base")).iterrows():
        assert math.isclose(row["width"] * row["length"] * row["vocabulary"], row["premium"], rel_tol=1e-12)


def test_causes_are_said_as_they_are():
    row = {"encoding": "o200k_base", "premium": 1.5, "width": 2.5, "length": 1.001, "vocabulary": 0.6}
    less = "times 0.60 because the vocabulary knows more of it."
    assert in_words("Thai", "English", row) == (
        "Thai costs 1.50 times as many tokens as English in o200k_base: 2.50 because UTF-8 spends more bytes on a"
        f" character, times 1.00 because Thai needs as many characters, {less}"
    )


# ---- the chart ----


@pytest.mark.parametrize("measure", SHOWN)
def test_charts_are_sound_and_have_the_same_rows(measure):
    rows = few(tuple(languages()))
    made = chart.charts(rows, measure, "cost", list(languages()))
    assert [name for name, _ in made] == ["gpt2", "o200k_base"]
    orders = []
    for _, spec in made:
        alt.Chart.from_dict(spec)  # checks it against the schema of Vega-Lite
        orders.append(spec["layer"][0]["encoding"]["y"]["sort"])
    assert orders[0] == orders[1] and set(orders[0]) == {one.name for one in languages().values()}
    dearest = rows[rows["encoding"] == "gpt2"].sort_values(measure, ascending=False)["language"].tolist()
    assert orders[0] == dearest


def test_bars_end_at_the_premium():
    for row in few().to_dict("records"):
        found = chart.bars(row)
        assert sum(bar["to"] - bar["from"] for bar in found) == pytest.approx(math.log2(row["premium"]))
        assert all((bar["to"] >= bar["from"]) == (row[bar["cause"]] >= 1) for bar in found)


def test_rows_can_be_ordered_and_left_out():
    rows = few()
    by_name = chart.charts(rows, "premium", "name", ["th", "de"])[0][1]["layer"][0]["encoding"]["y"]["sort"]
    assert by_name == ["German", "Thai"]
    assert chart.ordered(rows, "premium", "script") == ["en", "de", "th"]


def test_the_axis_holds_every_bar_and_interval():
    rows = few(tuple(languages()))
    low, high = chart.extent(rows, "premium")
    near = 1 + 1e-12
    assert low <= near * rows["low"].min() and near * high >= rows["high"].max()
    ends = [2 ** bar["to"] for row in rows.to_dict("records") for bar in chart.bars(row)]
    assert low <= near * min(ends) and max(ends) <= near * high


# ---- sentences ----


def test_sentences_are_escaped_and_counted():
    gpt2 = get_encoding("gpt2")
    html = sentences.pair(sentences.Side(HOSTILE, HOSTILE), sentences.Side("ไทย", "ที่นี่", "th", "ltr"), gpt2)
    assert "<img" not in html and 'onerror="' not in html
    assert f"{len(gpt2.encode('ที่นี่'))} tokens · 6 characters · 18 bytes · 2 words (ICU)" in html
    assert 'lang="th"' in html


def test_an_empty_sentence_has_no_premium():
    html = sentences.pair(sentences.Side("a", ""), sentences.Side("b", "text"), get_encoding("gpt2"))
    assert "product" not in html and "0 tokens" in html


# ---- the page ----


def opened(**query):
    app = AppTest.from_file(FRAME, default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.run().switch_page("languages.py").run()
    assert not app.exception, app.exception
    return app


def seen(app):
    return unescape(" ".join([*(html.value for html in app.get("html")), *(one.value for one in app.caption)]))


def num_charts(app):
    return len(app.get("vega_lite_chart")) + len(app.get("arrow_vega_lite_chart"))


def test_thai_is_shown_first_with_its_causes():
    app = opened()
    assert "Thai costs" in seen(app) and "because UTF-8 spends more bytes on a character" in seen(app)
    assert app.dataframe[0].value.shape[0] == 3 * len(languages())


def test_a_link_restores_the_view():
    app = opened(base="th", language="hi", encodings="o200k_base", sentence="3", measure="per_word", kinds="news")
    assert "Hindi costs" in seen(app) and "as many tokens as Thai in o200k_base" in seen(app)
    assert "Sentence 3 of" in seen(app) and parallel_corpus()["hi"][2].split()[0] in seen(app)
    count = kinds().count("news")
    assert f"Counted on {count} sentences (news)" in seen(app)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("base", "tlh"),
        ("language", "<b>"),
        ("sentence", "0"),
        ("measure", "x"),
        ("order", "y"),
        ("scripts", "Klingon"),
        ("lens", "z"),
    ],
)
def test_a_wrong_link_is_said_and_nothing_breaks(name, value):
    app = opened(**{name: value})
    assert f"The link says {name}=" in seen(app)
    assert "Thai costs" in seen(app)


def test_a_filter_that_leaves_nothing_says_so():
    assert "No language has both" in seen(opened(scripts="Thai", families="Turkic"))


def test_the_corpus_is_said_to_be_a_models():
    assert "A language model wrote them" in seen(opened())
