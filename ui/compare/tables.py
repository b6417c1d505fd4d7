"""What the Compare page shows under its columns: metrics with bars, agreement, lines, lengths, files."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from html import escape

import altair as alt
import pandas as pd
import streamlit as st

from tokenizer import Encoding
from tokenizer.display import export
from tokenizer.errors import TokenizerError, counted
from tokenizer.measure.comparison import MOST_LINES, Comparison, compare
from tokenizer.measure.metrics import METRICS, Metric, ratio
from ui.compare.comparison import line_frame, to_frame, written
from ui.desk import desk
from ui.kit import cache, charts, notices
from ui.kit.tables import apart, download, to_csv
from ui.server import shelf
from ui.server.shelf import Entry

MOST_BYTES = 2_000_000  # of a text that is measured; a larger one would hold everybody up
LONG_TEXT = 1_000  # tokens from which on a histogram tells something
LONGEST = 16  # bytes; longer tokens are counted together


def tables(encodings: Sequence[Entry], special: str, baseline: Entry) -> None:
    """Draws the comparison of the desk's text, with ratios to the encoding `baseline`."""
    text, keys = desk.text(), tuple(entry.key for entry in encodings)
    if not text:
        return
    if (size := len(text.encode("utf-8", "replace"))) > MOST_BYTES:
        notices.say(f"This text has {size:,} bytes; it is measured up to {MOST_BYTES:,}. Take a part of it.")
        return
    try:
        found = _comparison(text, keys, special)
    except TokenizerError as error:  # a split pattern of a visitor's own that runs away on this text
        notices.say(str(error))
        return
    base = keys.index(baseline.key)
    st.html(metrics_table(found, base))
    with st.expander("What these numbers mean"):
        st.html(definitions())
    if len(encodings) > 1:
        st.html(agreement_table(found))
    _lines(found)
    if max(values["tokens"] for values in found.values) >= LONG_TEXT:
        with st.expander("How long the tokens are"):
            charts.show(cache.kept(lambda: length_chart(found).to_dict(), "lengths", text, keys, special))
    _files(found, [entry.encoding for entry in encodings], special, base)


@cache.once
def _comparison(text: str, encoding_keys: tuple[str, ...], special: str) -> Comparison:
    found = [shelf.find(key) for key in encoding_keys]
    names = apart([entry.name for entry in found])
    return compare(text, dict(zip(names, [entry.encoding for entry in found], strict=True)), special)


def metrics_table(found: Comparison, baseline: int = 0) -> str:
    """Returns the metrics as an HTML table: a row each, with a bar for each encoding and its ratio to the baseline's.

    `baseline` is the place of that encoding among the others.
    """
    head = "".join(_column(name, i == baseline and len(found.names) > 1) for i, name in enumerate(found.names))
    rows = "".join(
        _row(metric, [values[name] for values in found.values], baseline) for name, metric in METRICS.items()
    )
    about = f"Ratios (×) are to {escape(found.names[baseline])}, the baseline."
    caption = f"<caption>{about}</caption>" if len(found.names) > 1 else ""
    return _table("Metrics", caption, head, rows)


def _table(label: str, caption: str, head: str, rows: str) -> str:
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{label}"><table class="metrics">'
        f"{caption}<thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _column(name: str, is_baseline: bool) -> str:
    mark = " <small>baseline</small>" if is_baseline else ""
    return f"<th scope='col'>{escape(name)}{mark}</th>"


def _row(metric: Metric, numbers: list, baseline: int) -> str:
    most = max((number for number in numbers if number), default=0)
    cells = "".join(_cell(metric, number, numbers[baseline], most, i != baseline) for i, number in enumerate(numbers))
    about = escape(f"{metric.definition} Source: {metric.source}. {metric.caveat}".strip())
    return f'<tr><th scope="row" title="{about}">{escape(metric.label)}</th>{cells}</tr>'


def _cell(metric: Metric, number, baseline, most, is_compared: bool) -> str:
    share = number / most if number and most else 0
    times = ratio(number, baseline) if is_compared else None
    small = f" <small>{two_places(times)}×</small>" if times is not None else ""
    return f'<td><span class="bar" style="--share:{share:.3f}"></span>{written(metric, number)}{small}</td>'


def two_places(number: float) -> str:
    """Returns a number with two decimals, a half rounded up, as the columns' JavaScript does.

    >>> two_places(2.125), two_places(1.005), two_places(1234)
    ('2.13', '1.01', '1,234.00')
    """
    return f"{Decimal(str(number)).quantize(Decimal('0.01'), ROUND_HALF_UP):,}"


def definitions() -> str:
    """Returns what each metric is, as HTML."""
    return (
        "<dl class='definitions'>"
        + "".join(
            f"<dt>{escape(metric.label)}</dt><dd>{escape(metric.definition)} {escape(metric.caveat)}"
            f" <i>Source: {escape(metric.source)}.</i></dd>"
            for metric in METRICS.values()
        )
        + "</dl>"
    )


def agreement_table(found: Comparison) -> str:
    """Returns, as HTML, how far the encodings cut at the same places."""
    own = found.agreement
    share = f" ({100 * own.shared / own.total:.1f} %)" if own.total else ""
    words = (
        f"{own.total:,} token boundaries inside the text: {own.shared:,}{share} that all have,"
        f" {own.disputed:,} that only some have."
    )
    head = "".join(f"<th scope='col'>{escape(name)}</th>" for name in found.names)
    rows = "".join(
        f"<tr><th scope='row'>{escape(name)}</th>{''.join(f'<td>{value:.3f}</td>' for value in row)}</tr>"
        for name, row in zip(found.names, own.jaccard.tolist(), strict=True)
    )
    about = "Below, for each two, the boundaries that both have divided by those that either has (Jaccard)."
    return f"<p>{words} {about}</p>{_table('Agreement', '', head, rows)}"


def _lines(found: Comparison) -> None:
    with st.expander(f"Line by line ({counted(found.num_lines, 'line')})"):
        if found.num_lines > MOST_LINES:
            st.caption(f"The first {MOST_LINES:,} lines.")
        st.dataframe(line_frame(found), hide_index=True, key="lines")
        st.caption("Click a column's name to sort by it. A token that goes over a line end counts where it starts.")


def length_chart(found: Comparison) -> alt.LayerChart:
    """Returns the share of tokens of each length in bytes, a line for each encoding; longer ones stand at the end."""
    rows = []
    for name, own in zip(found.names, found.lengths, strict=True):
        total = own.counts.sum()
        shares = dict.fromkeys(range(1, LONGEST + 1), 0.0)
        for length, count in zip(own.lengths.tolist(), own.counts.tolist(), strict=True):
            shares[min(length, LONGEST)] += 100 * count / total
        rows += [{"encoding": name, "bytes": length, "share": share} for length, share in shares.items()]
    base = alt.Chart(pd.DataFrame(rows)).encode(
        alt.X("bytes:O", title=f"bytes of a token ({LONGEST}: that or more)", axis=alt.Axis(labelAngle=0)),
        alt.Y("share:Q", title="tokens, percent"),
        alt.Color("encoding:N", sort=None, title=None),
        alt.Shape("encoding:N", sort=None, title=None),
        tooltip=["encoding:N", "bytes:O", alt.Tooltip("share:Q", format=".1f")],
    )
    about = "Share of tokens by their length in bytes, a line for each encoding."
    return alt.layer(base.mark_line(), base.mark_point(filled=True, size=60)).properties(height=280, description=about)


def _files(found: Comparison, encodings: Sequence[Encoding], special: str, baseline: int) -> None:
    with st.container(horizontal=True):
        download("Download the table (CSV)", lambda: to_csv(to_frame(found, baseline)), "comparison.csv")
        table = metrics_table(found, baseline)
        st.download_button(
            "Download for slides (HTML)",
            lambda: export.comparison_html(found.text, encodings, special, table, baseline),
            "comparison.html",
            "text/html",
            on_click="ignore",
            key="html",
        )
