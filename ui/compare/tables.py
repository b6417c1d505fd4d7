"""The tables under the columns of the Compare page: metrics, agreement, lines, token lengths, downloads."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from server.encodings import encoding_store
from server.encodings.encoding_store import StoredEncoding
from server.exports import notebooks
from tokenizer.display import export
from tokenizer.display.comparing import agreement_table, definitions, metrics_table
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, tr, trn
from tokenizer.kinds.counters import Counter
from tokenizer.measure.comparison import MAX_STORED_LINES, Comparison, compare
from tokenizer.measure.metrics import METRICS, measure_count, ratio
from tokenizer.measure.text_units import TextUnits
from ui.compare.small_changes import small_changes
from ui.components import cache, charts, notices
from ui.components.tables import download_button, notebook_button, to_csv, unique_labels
from ui.session.visitor_state import visitor
from ui.widgets import counted_model, names

LINE_HEADS = mark("line"), mark("text"), mark("graphemes"), mark("most ÷ fewest tokens")
TEXT_WIDTH_PIXELS = 170  # of a line, so that the columns of three encodings fit beside it
MAX_MEASURED_BYTES = 2_000_000  # larger texts take seconds to measure
MIN_HISTOGRAM_TOKENS = 1_000
MAX_BIN_BYTES = 16  # bytes of a token; the last bin has all longer tokens
# An encoding that lacks much of a text can have the fewest tokens: the table shows its missing text next to them.
MAIN_METRICS = ["tokens", "unknown_share", "missing_characters", "bytes_per_token", "tokens_per_word", "word_f1"]
MAIN_METRICS += ["cut_share"]  # the others are under "More"


@notices.errors_shown()  # a visitor's split pattern may exceed its time limit
def tables(
    encodings: Sequence[StoredEncoding], special: str, baseline: StoredEncoding, counters: Sequence[Counter] = ()
) -> None:
    """Draws the comparison of encodings on the visitor's text, with ratios to the encoding `baseline`.

    `counters` are in the tables of metrics, where a number of tokens is enough.
    """
    text, keys = visitor().text, tuple(entry.key for entry in encodings)
    if not text:
        return None
    if (size := len(text.encode("utf-8", "replace"))) > MAX_MEASURED_BYTES:
        notices.show(
            tr(
                "This text has {n:,} bytes; the limit for these tables is {most:,} bytes. Shorten the text to see "
                "the tables.",
                n=size,
                most=MAX_MEASURED_BYTES,
            )
        )
        return small_changes(text, encodings, special)
    found = _comparison(text, keys, special)
    base = keys.index(baseline.key)
    measured, counters = _with_counts(found, counters)
    models = names.models(encodings)
    named = models | {one.name: one.display_name for one in counters}
    st.html(metrics_table(measured, base, MAIN_METRICS, models=named))
    for one in counters:
        st.caption(f"{one.label}: {counted_model.accuracy_note(one)}")
    if counters:
        st.caption(
            tr(
                "A dash marks a value that cannot be calculated; for a reconstruction, only the number of tokens is "
                "known."
            )
        )
    others = [name for name in METRICS if name not in MAIN_METRICS]
    with st.expander(tr("More: {n} other metrics, and what each one means", n=len(others))):
        st.html(metrics_table(measured, base, others, tr("Other metrics"), named) + definitions())
    if len(encodings) > 1:
        st.html(agreement_table(found, models))
    small_changes(text, encodings, special)
    _lines(found)
    if max(values["tokens"] for values in found.values) >= MIN_HISTOGRAM_TOKENS:
        with st.expander(tr("How long the tokens are")):
            charts.show(cache.get_or_compute(lambda: length_chart(found).to_dict(), "lengths", text, keys, special))
    return _files(found, measured, encodings, special, base)


@cache.cached
def _comparison(text: str, encoding_keys: tuple[str, ...], special: str) -> Comparison:
    found = [encoding_store.find(key) for key in encoding_keys]
    called = unique_labels([entry.name for entry in found])
    return compare(text, dict(zip(called, [entry.encoding for entry in found], strict=True)), special)


def _with_counts(found: Comparison, counters: Sequence[Counter]) -> tuple[Comparison, list[Counter]]:
    """Returns a comparison whose names and metrics have those of `counters`, too, and which of them could count.

    The columns above show why one could not.
    """
    units, values = TextUnits(found.text), {}
    for one in counters:
        with suppress(TokenizerError):
            values[one] = measure_count(units, counted_model.tokens_of(one.key, found.text))
    names = [*found.names, *(one.name for one in values)]
    return replace(found, names=names, values=[*found.values, *values.values()]), list(values)


def _lines(found: Comparison) -> None:
    with st.expander(trn("Line by line ({n:,} line)", "Line by line ({n:,} lines)", found.num_lines)):
        if found.num_lines > MAX_STORED_LINES:
            st.caption(tr("Only the first {n:,} lines are shown.", n=MAX_STORED_LINES))
        heads = {name: tr(name) for name in LINE_HEADS}
        heads["text"] = st.column_config.Column(heads["text"], width=TEXT_WIDTH_PIXELS)
        heads |= {f"{name} per grapheme": tr("{name}, tokens per grapheme", name=name) for name in found.names}
        st.dataframe(line_frame(found), hide_index=True, key="lines", column_config=heads, placeholder="–")
        st.caption(
            tr(
                "Select a column’s name to sort the table by that column. A token that crosses a line ending is "
                "counted in the line where the token starts."
            )
        )


def line_frame(found: Comparison) -> pd.DataFrame:
    """Returns a row per line of the text: beginning, graphemes, tokens in each encoding, most over least."""
    data, lines = found.text.encode(), found.lines[0]
    counts = [own.tokens for own in found.lines]
    least, largest = np.min(counts, axis=0), np.max(counts, axis=0)
    beginnings = [data[start : min(start + 400, end)] for start, end in zip(lines.starts, lines.ends, strict=True)]
    frame = pd.DataFrame(
        {
            "line": range(1, len(beginnings) + 1),
            "text": [line.decode(errors="ignore").rstrip("\r\n") for line in beginnings],
            "graphemes": lines.graphemes,
        }
    )
    for name, own in zip(found.names, counts, strict=True):
        frame[name] = own
    for name, own in zip(found.names, found.lines, strict=True):
        frame[f"{name} per grapheme"] = _two_decimals(own.tokens_per_grapheme)
    none = np.full(len(least), np.nan)  # where an encoding has no token that starts in the line
    frame["most ÷ fewest tokens"] = _two_decimals(np.divide(largest, least, out=none, where=least > 0))
    return frame


def _two_decimals(ratios: np.ndarray) -> np.ndarray:
    """Returns ratios of numbers of tokens with two decimals; halves are rounded up, as in sentences."""
    return np.round(ratios + 1e-9, 2)


def length_chart(found: Comparison) -> alt.LayerChart:
    """Returns a chart of the shares of token lengths in bytes, a line per encoding; the last bin has longer ones."""
    frames = []
    for name, own in zip(found.names, found.lengths, strict=True):
        counts = np.bincount(np.minimum(own.lengths, MAX_BIN_BYTES), own.counts, MAX_BIN_BYTES + 1)[1:]
        shares = 100 * counts / counts.sum()
        frames.append(pd.DataFrame({"encoding": name, "bytes": range(1, MAX_BIN_BYTES + 1), "share": shares}))
    x = alt.X(
        "bytes:O",
        title=tr("bytes in a token ({n} includes longer tokens)", n=MAX_BIN_BYTES),
        axis=alt.Axis(labelAngle=0),
    )
    y = alt.Y("share:Q", title=tr("tokens, percent"))
    tooltip = [
        alt.Tooltip("bytes:O", title=tr("bytes")),
        alt.Tooltip("share:Q", title=tr("share, percent"), format=".1f"),
    ]
    about = tr("Share of tokens by their length in bytes, one line per encoding.")
    return line_chart(pd.concat(frames), x, y, tooltip, about)


def line_chart(frame: pd.DataFrame, x: alt.X, y: alt.Y, tooltip: Sequence[alt.Tooltip], about: str) -> alt.LayerChart:
    """Returns a chart with a line per `encoding` of a table; `about` describes it for screen readers."""
    base = alt.Chart(frame).encode(
        x,
        y,
        alt.Color("encoding:N", sort=None, title=None),
        alt.Shape("encoding:N", sort=None, title=None),
        tooltip=[alt.Tooltip("encoding:N", title=tr("encoding")), *tooltip],
    )
    return alt.layer(base.mark_line(), base.mark_point(filled=True, size=60)).properties(height=280, description=about)


def _files(
    found: Comparison, measured: Comparison, entries: Sequence[StoredEncoding], special: str, baseline: int
) -> None:
    encodings = [entry.encoding for entry in entries]
    table = metrics_table(found, baseline)
    with st.container(horizontal=True):
        download_button(tr("Download the table (CSV)"), lambda: to_csv(to_frame(measured, baseline)), "comparison.csv")
        download_button(tr("Download the lines (CSV)"), lambda: to_csv(line_frame(found)), "lines.csv")
        slides = partial(export.comparison_html, found.text, encodings, special, table, baseline)
        download_button(tr("Download the comparison as a web page (HTML)"), slides, "comparison.html")
        notebook_button(lambda: notebooks.of_comparison(found.text, entries, special), "comparison.ipynb")


def to_frame(found: Comparison, baseline: int = 0) -> pd.DataFrame:
    """Returns a row per metric: its value in each encoding, and the ratios to the baseline."""
    about = {"metric": [metric.label for metric in METRICS.values()], "unit": [one.unit for one in METRICS.values()]}
    numbers = {name: [values[key] for key in METRICS] for name, values in zip(found.names, found.values, strict=True)}
    base = found.names[baseline]
    ratios = {f"{name} / {base} (baseline)": list(map(ratio, own, numbers[base])) for name, own in numbers.items()}
    return pd.DataFrame(about | numbers | ratios, dtype=object)
