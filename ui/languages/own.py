"""Your own parallel text: columns that say the same, what is wrong with them, what each line costs, and why."""

import json
from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from tokenizer import parallel_corpus
from tokenizer.errors import counted
from tokenizer.languages.aligned import (
    EMPTY,
    LENGTH,
    LONGEST_NAME,
    MISSING,
    Parallel,
    Problem,
    align,
    articles,
    by_section,
    declarations,
    is_declarations,
    lines,
    problems,
    read_columns,
)
from tokenizer.languages.premium import Cost, Size, cost, size
from tokenizer.text.files import read_text_file
from tokenizer.text.tables import has_fields
from ui.desk import messages, own_text, pickers
from ui.desk.choices import Choice, one_of, whole
from ui.kit import cache, charts, notices, tables
from ui.languages import chart, sentences
from ui.languages.table import numbers
from ui.server import shelf
from ui.server.shelf import Entry

SOURCES = {"blocks": "Paste blocks", "table": "Paste a table", "file": "Open a file"}
LEAST, MOST = 2, 6  # columns
EXAMPLE = ("en", "th"), ("English", "Thai"), 3  # languages, names, and how many of our sentences stand there at first
MOST_LISTED = 200  # problems
FEW_ROWS = 10
SAID = {
    MISSING: "has no line here: this column is shorter",
    EMPTY: "is empty",
    LENGTH: "is of a very different length: is it the same sentence?",
}
SOURCE = Choice("own_source", "blocks", one_of(SOURCES))
NUM_COLUMNS = Choice("own_columns", "2", whole(LEAST, MOST))
_declarations, _columns = cache.once(declarations), cache.once(read_columns)


def show() -> None:
    """Draws the view: where the text comes from, what is wrong with it, what it costs."""
    messages.turn_to_why()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        encodings = pickers.encodings()
        source = SOURCE.segmented("Your text", SOURCES)
    found = {"blocks": _blocks, "table": _table, "file": _file}[source]()
    if found is not None:
        _show(found, encodings)


# Where the text comes from


def _blocks() -> Parallel | None:
    count = NUM_COLUMNS.ask(st.number_input, "Columns", LEAST, MOST, width=140)
    names, columns = [], []
    for j, place in enumerate(st.columns(count)):
        with place:
            name, text = _block(j)
            names.append(name)
            columns.append(lines(text))
    st.caption("The n-th line of each block says the same as the n-th line of the others.")
    return align(tables.apart(names), columns) if any(columns) else _nothing()


def _block(j: int) -> tuple[str, str]:
    tags, names, count = EXAMPLE
    is_example = j < len(tags)
    first = names[j] if is_example else f"Column {j + 1}"
    text = "\n".join(parallel_corpus()[tags[j]][:count]) if is_example else ""
    for key, value in ((f"own_name_{j}", first), (f"own_text_{j}", text)):
        if st.session_state.get(key) is None:
            st.session_state[key] = value
    name = st.text_input(f"Name of column {j + 1}", key=f"own_name_{j}", max_chars=40, persist_state="session")
    text = st.text_area(f"Lines of column {j + 1}", key=f"own_text_{j}", height=220, persist_state="session")
    return name.strip() or f"Column {j + 1}", text or ""


def _table() -> Parallel | None:
    text = st.text_area(
        "A table, its columns apart by tabs, as a spreadsheet copies it",
        key="own_table",
        height=220,
        persist_state="session",
        placeholder="English\tThai\nHello\tสวัสดี",
    )
    has_head = st.checkbox("The first row has the names of the columns", True, key="own_head", persist_state="session")
    rows = [line.split("\t") for line in lines(text or "")]
    if not rows:
        return _nothing()
    width = max(map(len, rows))
    if not LEAST <= width <= MOST:
        notices.say(f"This table has {counted(width, 'column')}; {LEAST} to {MOST} can be compared.")
        return None
    names = rows.pop(0) if has_head else []
    names = [
        name.strip()[:LONGEST_NAME] or f"Column {j + 1}"
        for j, name in enumerate([*names, *[""] * (width - len(names))])
    ]
    columns = [[row[j] if j < len(row) else None for row in rows] for j in range(width)]
    return align(tables.apart(names), columns) if rows else _nothing()


def _nothing() -> None:
    st.caption("Nothing to compare yet. Put in text that says the same, line by line.")


def _file() -> Parallel | None:
    uploaded = st.file_uploader(
        "A .tsv, .csv or .jsonl file with a column a language; or the Universal Declaration, as JSON lines or a text a"
        " language",
        accept_multiple_files=True,
        key="own_files",
        on_change=_keep_files,
        max_upload_size=5,
    )
    kept = st.session_state.get("own_kept", [])
    if not kept:
        return _nothing()
    if not uploaded:
        names = "".join(f"<li><bdi>{escape(name)}</bdi></li>" for name, _ in kept)
        st.html(f"<p>From before, still in use:</p><ul>{names}</ul>")
    if len(kept) > 1:
        return _texts(kept)
    name, data = kept[0]
    if name.lower().endswith((".jsonl", ".ndjson")) and is_declarations(data):
        return _declaration(_declarations(name, data))
    if not has_fields(name):
        notices.say("A plain text is one column. Open two to six of them together, a language each.")
        return None
    return _chosen_columns(*_columns(name, data))


def _keep_files() -> None:
    """Keeps what was opened: the uploader is empty after another page was looked at."""
    if files := st.session_state.get("own_files"):
        st.session_state.own_kept = [(file.name, file.getvalue()) for file in files]


def _chosen_columns(names: list[str], columns: list[list[str | None]]) -> Parallel | None:
    if len(names) < LEAST:
        notices.say(f"This file has {len(names)} column; there must be at least {LEAST} to compare.")
        return None
    names = tables.apart([name[:LONGEST_NAME] or "(no name)" for name in names])
    places = _some("Columns to compare", "own_which", names)
    return align([names[j] for j in places], [columns[j] for j in places]) if places else None


def _declaration(found: Mapping[str, Mapping[str, str]]) -> Parallel | None:
    titles = list(found)
    if len(titles) < LEAST:
        notices.say("This file has one language; there must be at least two to compare.")
        return None
    places = _some("Languages to compare", "own_languages", titles)
    return by_section({titles[j]: found[titles[j]] for j in places}) if places else None


def _some(label: str, key: str, names: Sequence[str]) -> list[int]:
    """Which of the names were chosen, by their places; None of a visitor's words is a key."""
    places = range(len(names))
    if st.session_state.get(key) is None or any(place not in places for place in st.session_state[key]):
        st.session_state[key] = list(places[:LEAST])
    chosen = st.multiselect(
        label,
        list(places),
        key=key,
        format_func=lambda place: names[place],
        max_selections=MOST,
        persist_state="session",
    )
    if len(chosen) < LEAST:
        st.caption(f"Choose at least {LEAST}.")
        return []
    return chosen


def _texts(kept: Sequence[tuple[str, bytes]]) -> Parallel | None:
    if len(kept) > MOST:
        notices.say(f"These are {len(kept):,} files; {LEAST} to {MOST} can be compared. Take some away.")
        return None
    names, texts = tables.apart([name for name, _ in kept]), [read_text_file(data) for _, data in kept]
    sections = [articles(text) for text in texts]
    if all(sections):
        st.caption("These are Universal Declarations: their preambles and thirty articles stand beside each other.")
        return by_section(dict(zip(names, sections, strict=True)))
    if any(sections):
        st.caption("Not all of these could be read as Universal Declarations, article by article: aligned by line.")
    else:
        st.caption("Aligned by line.")
    return align(names, [lines(text) for text in texts])


# What is shown of it


def _show(found: Parallel, encodings: Sequence[Entry]) -> None:
    base = _place("Compared with", "own_base", found.names)
    wrong = problems(found, base)
    _problems(found, wrong)
    complete = found.complete()
    if not complete:
        notices.say("No row has a text in every column, so there is nothing to compare yet.")
        return
    keys = tuple(entry.key for entry in encodings)
    columns = tuple(tuple(found.column(j, complete)) for j in range(len(found.names)))
    measured = _costs(columns, keys)
    names = tables.apart([entry.name for entry in encodings])
    rows = frame(found.names, names, measured, base)
    few = " With so few rows an interval says little." if len(complete) < FEW_ROWS else ""
    st.html(f"<p>{counted(len(complete), 'row')} compared of {len(found.rows):,}.{few}</p>")
    _charts(rows, found.names, base, names)
    _rows(found, complete, wrong, measured, base, encodings, names)


@cache.once
def _costs(columns: tuple[tuple[str, ...], ...], encoding_keys: tuple[str, ...]) -> tuple[list[Size], list[list[Cost]]]:
    encodings = [shelf.find(key).encoding for key in encoding_keys]
    return [size(column) for column in columns], [[cost(column, one) for column in columns] for one in encodings]


def _place(label: str, key: str, names: Sequence[str]) -> int:
    """Asks for one of the names, and returns its place; none of a visitor's words is a key."""
    places = list(range(len(names)))
    if st.session_state.get(key) not in places:
        st.session_state[key] = 0
    return st.selectbox(label, places, key=key, format_func=names.__getitem__, persist_state="session", width=260)


def _problems(found: Parallel, wrong: Sequence[Problem]) -> None:
    if not wrong:
        return
    said = [f"{found.names[one.column]}, row {found.labels[one.row]}: {SAID[one.kind]}" for one in wrong[:MOST_LISTED]]
    if len(wrong) > MOST_LISTED:
        said.append(f"and {len(wrong) - MOST_LISTED:,} more")
    counts = [sum(cell is not None for cell in column) for column in zip(*found.rows, strict=True)]
    heads = []
    if len(set(counts)) > 1:
        listed = ", ".join(f"{name} {count:,}" for name, count in zip(found.names, counts, strict=True))
        heads.append(f"The columns have not the same number of lines: {listed}.")
    if any(one.kind in (MISSING, EMPTY) for one in wrong):
        heads.append(
            "Rows that lack a text in one of the columns stay in the table below, and are left out of every total."
        )
    if any(one.kind == LENGTH for one in wrong):
        heads.append("Rows of very different lengths are counted; look whether they say the same.")
    with st.expander(f"{counted(len(wrong), 'thing')} to look at", expanded=True, icon=":material/warning:"):
        st.html(notices.html(" ".join(heads), said))


def frame(
    names: Sequence[str], encodings: Sequence[str], measured: tuple[list[Size], list[list[Cost]]], base: int
) -> pd.DataFrame:
    """Returns a row for each encoding and column: its premium over the base column, with its factors."""
    sizes, costs = measured
    rows = [
        {"tag": str(j), "language": name, "encoding": encoding}
        | numbers(sizes[j], own[j], sizes[base], own[base])
        | {"median": float(np.median(own[j].tokens / own[base].tokens))}
        for encoding, own in zip(encodings, costs, strict=True)
        for j, name in enumerate(names)
    ]
    return pd.DataFrame(rows)


def _charts(rows: pd.DataFrame, names: Sequence[str], base: int, encodings: Sequence[str]) -> None:
    st.html(chart.legend())
    tags = [str(j) for j in range(len(names))]
    with st.container(horizontal=True, key="own_charts"):
        for i, (name, spec) in enumerate(chart.charts(rows, "premium", "cost", tags)):
            with st.container(gap="xxsmall", key=f"own_chart_of_{i}"):
                st.html(f'<h3 class="lens">{escape(name)}</h3>')
                charts.show(spec, key=f"own_chart_{i}")
    for j, name in enumerate(names):
        if j != base:
            own = rows[rows["tag"] == str(j)].to_dict("records")
            medians = ", ".join(f"{row['median']:.2f} in {row['encoding']}" for row in own)
            st.html(
                f'<h3 class="lens"><bdi>{escape(name)}</bdi> over <bdi>{escape(names[base])}</bdi></h3>'
                f"{sentences.product(own)}<p>Median of the rows’ own ratios: {escape(medians)}.</p>"
            )


def _rows(
    found: Parallel,
    complete: Sequence[int],
    wrong: Sequence[Problem],
    measured: tuple[list[Size], list[list[Cost]]],
    base: int,
    encodings: Sequence[Entry],
    names: Sequence[str],
) -> None:
    _, costs = measured
    table = row_table(found, complete, wrong, costs, base, names)
    st.html('<h3 class="lens">Row by row</h3>')
    chosen = st.dataframe(table, hide_index=True, key="own_rows", on_select="rerun", selection_mode="single-row")
    selected = [row for row in chosen.selection.rows if row < len(found.rows)]
    if selected:
        _detail(found, selected[0], base, encodings, names)
    else:
        st.caption("Select a row to see its sentences cut into tokens. Click a column’s name to sort by it.")
    tables.download("Download the rows (CSV)", lambda: to_csv(found, table), "parallel.csv")


def row_table(
    found: Parallel,
    complete: Sequence[int],
    wrong: Sequence[Problem],
    costs: Sequence[Sequence[Cost]],
    base: int,
    encodings: Sequence[str],
) -> pd.DataFrame:
    """Returns a row for each row of the text: its problems, tokens and ratios, the beginnings of its texts."""
    said: dict[int, list[str]] = {}
    for one in wrong:
        said.setdefault(one.row, []).append(f"{found.names[one.column]}: {one.kind}")
    columns: dict[str, object] = {
        "row": found.labels,
        "to look at": ["; ".join(said.get(i, [])) for i in range(len(found.rows))],
    }
    place = {row: k for k, row in enumerate(complete)}
    for encoding, own in zip(encodings, costs, strict=True):
        for j, name in enumerate(found.names):
            tokens = [own[j].tokens[place[i]] if i in place else None for i in range(len(found.rows))]
            columns[f"tokens, {name}, {encoding}"] = pd.array(tokens, dtype="Int64")
        for j, name in enumerate(found.names):
            if j != base:
                ratios = [
                    own[j].tokens[place[i]] / own[base].tokens[place[i]] if i in place else None
                    for i in range(len(found.rows))
                ]
                columns[f"{name} / {found.names[base]}, {encoding}"] = ratios
    for j, name in enumerate(found.names):
        columns[f"text, {name}"] = [row[j][:200] if row[j] else row[j] for row in found.rows]
    return pd.DataFrame(columns)


def to_csv(found: Parallel, table: pd.DataFrame) -> str:
    """Returns the table as CSV with the whole texts, as JSON strings: no spreadsheet reads one as a formula."""
    whole = table.copy()
    for j, name in enumerate(found.names):
        whole[f"text, {name}"] = [json.dumps(row[j], ensure_ascii=False) for row in found.rows]
    whole["to look at"] = [json.dumps(words, ensure_ascii=False) for words in whole["to look at"]]
    whole.columns = [json.dumps(name, ensure_ascii=False) for name in whole.columns]
    return tables.to_csv(whole)


def _detail(found: Parallel, row: int, base: int, encodings: Sequence[Entry], names: Sequence[str]) -> None:
    chosen = _place("Tokens of", "own_seen_in", names)
    sides = [sentences.Side(name, found.rows[row][j] or "") for j, name in enumerate(found.names)]
    for j, side in enumerate(sides):
        if j != base:
            st.html(sentences.pair(sides[base], side, encodings[chosen].encoding))
            st.button(
                "Why this split?",
                key=f"own_why_{j}",
                on_click=messages.ask_why,
                args=(encodings[chosen].key, 0, own_text.read(side.text, own_text.SENTENCE)),
            )
