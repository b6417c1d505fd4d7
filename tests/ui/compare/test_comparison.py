"""The Compare page's numbers and files, against the core."""

import io
import re
from html import unescape

import pandas as pd
import pytest

from tokenizer import encoding_from_merges, get_encoding, train
from tokenizer.display import export
from tokenizer.display.comparing import BETTER, two_places, written
from tokenizer.measure.agreement import agreement, boundaries
from tokenizer.measure.comparison import compare
from tokenizer.measure.metrics import METRICS, measure
from ui.compare import tables as compare_tables
from ui.compare.tables import line_frame, to_frame
from ui.components.tables import to_csv, unique_labels

TEXT = "The same thought\nความคิดเดียวกัน <b>&amp;</b> 👩‍👦\n\nend"
NAMES = ["gpt2", "cl100k_base", "o200k_base"]
ENCODINGS = [get_encoding(name) for name in NAMES]


def compared(text, encodings):
    names = unique_labels([encoding.name for encoding in encodings])
    return compare(text, dict(zip(names, encodings, strict=True)))


FOUND = compared(TEXT, ENCODINGS)


def cells(html):
    """Returns the rows of a table as texts."""
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.S)
    return [[unescape(re.sub(r"<[^>]+>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in rows]


def test_values_equal_those_of_the_core():
    for encoding, values in zip(ENCODINGS, FOUND.values, strict=True):
        assert values == measure(TEXT, encoding.tokenize(TEXT), encoding)
    own = agreement([boundaries(encoding.tokenize(TEXT)) for encoding in ENCODINGS])
    assert (FOUND.agreement.shared, FOUND.agreement.disputed) == (own.shared, own.disputed)


def test_table_shows_every_metric_of_every_encoding():
    head, *rows = cells(compare_tables.metrics_table(FOUND))
    assert head == ["", "gpt2 baseline", *NAMES[1:]]
    assert [row[0] for row in rows] == [f"{one.label} {BETTER[one.better]}" for one in METRICS.values()]
    for row, (name, metric) in zip(rows, METRICS.items(), strict=True):
        for cell, values in zip(row[1:], FOUND.values, strict=True):
            assert cell.startswith(written(metric, values[name]))


def test_every_metric_is_defined_with_its_source():
    html = unescape(compare_tables.definitions())
    for metric in METRICS.values():
        assert metric.definition in html and metric.source in html


def test_agreement_is_shown_in_counts_and_a_matrix():
    html = compare_tables.agreement_table(FOUND)
    assert f"{FOUND.agreement.shared:,} (" in html and f"{FOUND.agreement.disputed:,} only in some." in html
    rows = cells(html)[1:]
    assert [float(row[i + 1]) for i, row in enumerate(rows)] == [1, 1, 1]


def test_csv_round_trips():
    frame = pd.read_csv(io.StringIO(to_csv(to_frame(FOUND))))
    assert list(frame["metric"]) == [metric.label for metric in METRICS.values()]
    assert list(frame.iloc[0][NAMES]) == [values["tokens"] for values in FOUND.values]


@pytest.mark.parametrize("base", range(3))
def test_ratios_are_relative_to_the_chosen_baseline(base):
    tokens = [values["tokens"] for values in FOUND.values]
    head, first, *_ = cells(compare_tables.metrics_table(FOUND, base))
    assert head == ["", *(f"{name} baseline" if i == base else name for i, name in enumerate(NAMES))]
    for i, (cell, number) in enumerate(zip(first[1:], tokens, strict=True)):
        ratio = "" if i == base else f" {two_places(number / tokens[base])}×"
        assert cell == f"{number:,}{ratio}"
    row = pd.read_csv(io.StringIO(to_csv(to_frame(FOUND, base)))).iloc[0]
    for name, number in zip(NAMES, tokens, strict=True):
        assert row[f"{name} / {NAMES[base]} (baseline)"] == pytest.approx(number / tokens[base])
    html = export.comparison_html(TEXT, ENCODINGS, "text", compare_tables.metrics_table(FOUND, base), base)
    assert re.findall(r"<h2>(\S+), the baseline:", html) == [NAMES[base]]
    assert f"Each ratio (×) compares an encoding with {NAMES[base]}, the baseline." in html


def test_single_encoding_has_no_baseline_or_ratios():
    alone = compared(TEXT, ENCODINGS[:1])
    table = compare_tables.metrics_table(alone)
    assert "baseline" not in table and "×" not in table
    assert "baseline" not in export.comparison_html(TEXT, ENCODINGS[:1], "text", table)


def test_tokens_of_lines_add_up():
    frame = line_frame(FOUND)
    assert list(frame["text"]) == TEXT.split("\n")
    for name, values in zip(NAMES, FOUND.values, strict=True):
        assert frame[name].sum() == values["tokens"]
    assert (frame["most ÷ fewest tokens"].dropna() >= 1).all()


def test_line_in_which_an_encoding_has_no_token_has_no_ratio():
    frame = line_frame(compared("a\n\nb", ENCODINGS[::2]))
    assert frame[["gpt2", "o200k_base"]].to_numpy().tolist() == [[2, 2], [1, 0], [1, 1]]
    assert frame["most ÷ fewest tokens"].fillna(-1).tolist() == [1, -1, 1]


def test_halves_in_the_table_of_lines_are_rounded_up():
    frame = line_frame(compared("language", ENCODINGS[:1]))
    assert frame["gpt2 per grapheme"].tolist() == [0.13]  # 1 of 8


def test_encodings_of_one_name_are_numbered():
    twice = compared("a", [ENCODINGS[0], ENCODINGS[0]])
    assert twice.names == ["gpt2 (1)", "gpt2 (2)"]
    assert to_frame(twice).columns.is_unique


def test_exported_page_contains_the_text_escaped():
    html = export.comparison_html(TEXT, ENCODINGS, "text", compare_tables.metrics_table(FOUND))
    strips = re.findall(r'<div class="tokens" lang="">(.*?)</div>', html, re.S)
    assert [unescape(re.sub(r"<[^>]+>", "", strip)) for strip in strips] == [TEXT] * 3
    assert "<b>&" not in html and not re.search(r"<script|https?:|src=", html)
    for name, values in zip(NAMES, FOUND.values, strict=True):
        assert re.search(rf"{name}(, the baseline)?: {values['tokens']:,} tokens", html)


def test_exported_page_cuts_a_long_text_but_not_its_counts():
    text = "word " * 10_000
    html = export.comparison_html(text, ENCODINGS[:1], "text", "")
    # the token after that is " word"
    assert f"gpt2: {len(ENCODINGS[0].encode(text)):,} tokens, the first 19,999 characters are shown" in html


def test_histogram_contains_every_token():
    chart = compare_tables.length_chart(compared(TEXT * 300, ENCODINGS))
    data = next(iter(chart.to_dict()["datasets"].values()))
    for name in NAMES:
        assert sum(row["share"] for row in data if row["encoding"] == name) == pytest.approx(100)


@pytest.mark.parametrize("name", ["metric", "unit", "line", "text", "graphemes"])
def test_encoding_named_like_a_column_is_renamed(name):
    encoding = encoding_from_merges(train("the cat the cat", 258), name=name)
    found = compared(TEXT, [encoding, ENCODINGS[0]])
    assert found.names == [f"{name} (encoding)", "gpt2"]
    assert line_frame(found)[found.names[0]].sum() == found.values[0]["tokens"]
    assert list(to_frame(found)["metric"]) == [metric.label for metric in METRICS.values()]
