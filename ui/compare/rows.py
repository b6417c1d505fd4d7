"""Row counts of an uploaded table on the Compare page, computed in a subprocess."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import sha256
from html import escape
from io import BytesIO
from typing import NamedTuple

import altair as alt
import pandas as pd
import streamlit as st

from server.encodings.encoding_store import StoredEncoding
from server.encodings.row_counts import MAX_TABLE_BYTES, MAX_TABLE_ROWS, RowCountJob
from server.training import jobs
from server.workers.background_worker import WorkStopped, worker
from tokenizer.display.comparing import head_of, html_table
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, number, tr, trn
from tokenizer.kinds.counters import Counter
from tokenizer.measure.rows import (
    BEGINNING_CHARACTERS,
    MAX_EXCERPTS,
    PERCENTILES,
    RowCounts,
    as_csv,
    histogram,
    longest_first,
    summary,
)
from tokenizer.text.rows import PARQUET, has_header, letters
from tokenizer.text.tables import most_text, suffix
from ui.compare.tables import line_chart
from ui.components import charts, notices
from ui.components.markdown import in_markdown
from ui.components.tables import download_button
from ui.session.choices import Choice, int_in_range
from ui.session.visitor_state import client
from ui.streamlit_patches.visitors import is_connected
from ui.widgets import counted_model, names

MAX_INLINE_BYTES = 2_000_000  # of a table that is read here: its first line may be all of it, parsed in one call
POLL_SECONDS = 0.5  # between two updates of the progress bar
NUM_LONGEST_ROWS = 100  # of the longest rows
PLACES = {"line": mark("line {line:,}: {reason}"), "row": mark("row {line:,}: {reason}")}  # Parquet has no lines
STOPPED = mark("This table needs more time or memory than one visitor may use here. Open a part of the table.")
WINDOW = Choice("rows_over", "8192", int_in_range(1, 10_000_000))


class UploadedTable(NamedTuple):
    """An uploaded table, the number of letters in each column, and the reason if it cannot be read.

    `header` is whether its first row has the names of the columns; None for a kind of table that has no such row.
    """

    name: str
    data: bytes
    digest: str
    letters: dict[str, int]
    header: bool | None = None
    problem: str = ""


def show(entries: Sequence[StoredEncoding], counters: Sequence[Counter] = ()) -> None:
    """Draws the upload of a table, the choice of its column, the progress, and the counts."""
    ways = dict(zip(names.models(entries), entries, strict=True)) | {one.name: one for one in counters}
    models = names.models(entries) | {one.name: one.display_name for one in counters}
    label = tr("A table of texts or chats: .csv, .tsv, .jsonl, .json or .parquet")
    most = MAX_TABLE_BYTES // 1_000_000
    words = tr(
        "Up to {rows:,} rows. Count larger tables in a terminal: `tokenloupe count --rows`. Names of "
        "special tokens are read as text.",
        rows=MAX_TABLE_ROWS,
    )
    uploaded = st.file_uploader(label, key="table_file", on_change=_store_upload, max_upload_size=most, help=words)
    stored: UploadedTable | None = st.session_state.get("table_kept")
    if stored is None:
        st.caption(tr("No table yet. Upload a table with a column that contains the text of each row."))
        return
    if uploaded is None:  # the uploader is emptied by a change of page
        st.html(f"<p>{tr('Uploaded files still in use:')} <bdi>{escape(stored.name)}</bdi></p>")
    if stored.header is not None:
        st.session_state.table_header = stored.header
        st.toggle(tr("The first row is a header"), key="table_header", on_change=_read_again)
    if stored.problem:
        notices.show(stored.problem)
        return
    columns = list(stored.letters)
    if st.session_state.get("table_column") not in range(len(columns)):
        st.session_state.table_column = columns.index(most_text(stored.letters))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        place = st.selectbox(
            tr("Column that holds the text"),
            range(len(columns)),  # indices: names from a file must not become keys
            key="table_column",
            format_func=lambda place: _called(columns[place], stored),
            persist_state="session",
            width=300,
        )
        window = WINDOW.ask(st.number_input, tr("Count rows with more tokens than"), 1, 10_000_000, width=260)
    if (job := _job(stored, columns[place], ways)) is None:
        return
    if not job.over:
        _progress()
    elif not job.succeeded:
        notices.show(job.problem)
        if job.can_succeed:
            st.button(tr("Try again"), key="count_again", on_click=st.session_state.pop, args=("row_job", None))
    else:
        _show(_found(job), models, window, "row" if suffix(stored.name) in PARQUET else "line")
        for one in counters:
            st.caption(f"{one.label}: {counted_model.accuracy_note(one)}")


def _store_upload() -> None:
    """Stores the upload in the session, since a change of page empties the uploader."""
    if (file := st.session_state.table_file) is None:
        return
    _store(file.name, file.getvalue())


def _read_again() -> None:
    kept: UploadedTable = st.session_state.table_kept
    _store(kept.name, kept.data, st.session_state.table_header)


def _store(name: str, data: bytes, header: bool | None = None) -> None:
    """Stores a table; whether it has a header is detected if it is not given."""
    problem, found = "", {}
    try:
        header = has_header(name, BytesIO(data)) if header is None else header
        # of some bytes of Parquet, pyarrow may make gigabytes; the worker process has a limit
        is_costly = suffix(name) in PARQUET or len(data) > MAX_INLINE_BYTES
        read = partial(worker.run, letters) if is_costly else letters
        found = read(name, BytesIO(data), "strict", header is not False)
    except WorkStopped:
        problem = tr(STOPPED)
    except TokenizerError as error:
        problem = str(error)
    st.session_state.table_kept = UploadedTable(name, data, sha256(data).hexdigest(), found, header, problem)
    st.session_state.table_column = None


def _called(column: str, stored: UploadedTable) -> str:
    if stored.header is False:
        return tr("column {n}", n=column)
    return column or tr("(no name)")


def _job(stored: UploadedTable, column: str, ways: Mapping[str, StoredEncoding | Counter]) -> RowCountJob | None:
    """Returns the job of this count, started if new, and releases the one before; None if the queue is full."""
    new = RowCountJob(stored.name, stored.data, stored.digest, column, stored.header is not False, ways)
    job: RowCountJob | None = st.session_state.get("row_job")
    if job is not None and job.key == new.key:
        return job
    if job is not None:
        jobs.leave(job, client())
    st.session_state.row_job = None
    with notices.errors_shown():
        st.session_state.row_job = jobs.enter(new, client(), is_connected())
    return st.session_state.row_job


@st.fragment(run_every=POLL_SECONDS)
def _progress() -> None:
    job: RowCountJob | None = st.session_state.get("row_job")
    if job is None or job.over:
        st.rerun()
    before = jobs.num_before(job) if job.stage == "waiting" else 0
    label = tr("Waiting in the queue. Tasks ahead: {before}", before=before) if before else tr("Counting the rows")
    with st.container(horizontal=True, vertical_alignment="center", key="counting"):
        st.progress(job.share, label)
        st.button(tr("Cancel"), key="cancel_rows", on_click=jobs.leave, args=(job, client()))


def _found(job: RowCountJob) -> RowCounts:
    """Returns the counts, unpickled once."""
    key, found = st.session_state.get("row_counts", ("", None))
    if key != job.key:
        found = job.found()
        st.session_state.row_counts = job.key, found
    return found


def _show(found: RowCounts, models: dict[str, str], window: int, place: str) -> None:
    if found.left_out.count:
        sentence = trn("{n:,} row was left out:", "{n:,} rows were left out:", found.left_out.count)
        reasons = [tr(PLACES[place], line=line, reason=why) for line, why in found.left_out.reasons]
        notices.show(sentence, reasons)
    if not len(found.places):
        st.caption(tr("In this column, no row can be counted. Choose another column, or upload another table."))
        return
    rows = trn("{n:,} row", "{n:,} rows", len(found.places))
    finding = tr("{rows} ({n:,} without text)", rows=rows, n=found.empty)
    st.html(f'<p class="finding">{escape(finding)}</p>')
    st.html(table(found, window, models))
    if found.chats:
        templates = "; ".join(f"{name}: {template}" for name, template in found.chats.items())
        words = tr(
            "Tool definitions and separate fields of reasoning are left out. Chats are written with these chat"
            " templates:"
        )
        st.caption(words)
        st.html(f"<p><small>{escape(templates)}</small></p>")
    charts.show(chart(found).to_dict())
    with st.expander(tr("Rows with the most tokens in {name}", name=in_markdown(found.names[0])), expanded=True):
        st.dataframe(longest_frame(found), hide_index=True, key="longest_rows")
    download_button(tr("Download all rows (CSV)"), lambda: "".join(as_csv(found)), "rows.csv")
    words = tr(
        "The file has the number of tokens of every counted row. For up to {rows:,} rows with the most tokens in"
        " {name}, it also has the first {n:,} characters of the text.",
        n=BEGINNING_CHARACTERS,
        rows=MAX_EXCERPTS,
        name=in_markdown(found.names[0]),
    )
    st.caption(words)


def table(found: RowCounts, window: int, models: dict[str, str]) -> str:
    """Returns an HTML table of sums, means, quantiles and rows over a window, with a column per encoding."""
    own = [summary(tokens) for tokens in found.tokens.T]
    lines = {
        tr("Tokens"): [number(one.total) for one in own],
        tr("Mean tokens per row"): [number(one.mean, ",.2f") for one in own],
        tr("Fewest tokens in one row"): [number(one.least) for one in own],
    }
    for percent in PERCENTILES:
        words = tr("At least {percent} % of the rows have at most this many tokens", percent=percent)
        lines[words] = [number(one.quantiles[percent]) for one in own]
    lines[tr("Most tokens in one row")] = [number(one.largest) for one in own]
    over = (found.tokens > window).sum(axis=0).tolist()
    lines[tr("Rows with more than {n:,} tokens", n=window)] = [number(n) for n in over]
    body = "".join(
        f'<tr><th scope="row">{escape(words)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for words, cells in lines.items()
    )
    return html_table(tr("Tokens per row"), "", [head_of(name, models) for name in found.names], body)


def chart(found: RowCounts) -> alt.LayerChart:
    """Returns a chart of the rows by tokens in bins of doubling width, with a line per encoding."""
    bins = histogram(found.tokens)
    frame = pd.DataFrame(
        {"tokens": f"{low:,}–{high:,}" if low < high else f"{low:,}", "rows": rows, "encoding": name}
        for low, high, counts in bins
        for name, rows in zip(found.names, counts, strict=True)
    )
    x = alt.X("tokens:O", sort=None, title=tr("tokens per row"), axis=alt.Axis(labelAngle=-45))
    y = alt.Y("rows:Q", title=tr("rows"))
    tooltip = [
        alt.Tooltip("tokens:O", title=tr("tokens per row")),
        alt.Tooltip("rows:Q", title=tr("rows"), format=","),
    ]
    about = tr(
        "The number of rows in each range of tokens, with one line per encoding. From 2 tokens on, each range is"
        " twice as wide as the range before."
    )
    return line_chart(frame, x, y, tooltip, about)


def on_one_line(text: str) -> str:
    r"""Returns a text with a visible sign for each line break: the table has room for one line in a row.

    >>> on_one_line("a\r\nb\n\nc")
    'a ↵ b ↵  ↵ c'
    """
    return re.sub(r"\r\n|[\n\v\f\r\x85\u2028\u2029]", " ↵ ", text)


def longest_frame(found: RowCounts) -> pd.DataFrame:
    """Returns the rows with the most tokens in the first encoding, with the beginnings of their texts."""
    order = longest_first(found)[:NUM_LONGEST_ROWS]
    places = found.places[order].tolist()
    frame = pd.DataFrame({tr("row"): places, tr("text"): [on_one_line(found.beginnings[place]) for place in places]})
    for name, tokens in zip(found.names, found.tokens.T, strict=True):
        frame[name] = tokens[order]
    return frame
