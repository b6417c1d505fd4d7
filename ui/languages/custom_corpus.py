"""The view of the visitor's own parallel text: input, problems of alignment, the cost of the text and of each row."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from io import BytesIO
from itertools import groupby, zip_longest

import numpy as np
import pandas as pd
import streamlit as st

from server.encodings import encoding_store
from server.encodings.encoding_store import StoredEncoding
from tokenizer import parallel_corpus
from tokenizer.i18n import SOURCE_LANGUAGE, mark, number, tr, trn, using_language
from tokenizer.languages import aligned
from tokenizer.languages.aligned import EMPTY, LENGTH, MAX_NAME_CHARACTERS, MISSING, AlignmentProblem, Parallel
from tokenizer.languages.parallel import languages
from tokenizer.languages.premium import Cost, Size, cost, size
from tokenizer.text.rows import has_header
from tokenizer.text.tables import (
    DELIMITERS,
    JSON_LINES,
    distinct,
    fields_of,
    has_fields,
    letters_of,
    most_text,
    read,
    read_columns,
    suffix,
    texts_in,
)
from ui.components import cache, notices, tables
from ui.components.markdown import in_markdown
from ui.languages import chart, controls, dots, sentences
from ui.languages.table import finding, numbers
from ui.session import page_snapshot, pending_values
from ui.session.choices import Choice, int_in_range, one_of
from ui.session.visitor_state import visitor
from ui.widgets import encoding_component, pickers
from ui.widgets import names as encoding_names

SOURCES = {"blocks": mark("Paste text"), "table": mark("Paste a table"), "file": mark("Open a file")}
MIN_COLUMNS, MAX_COLUMNS = 2, 6
EXAMPLE = ["en", "th"]  # languages of the blocks' default texts
EXAMPLE_LINES = 3
MAX_LISTED_PROBLEMS = 200
MAX_LETTERS_RATIO = 5  # of a column's letters to another's that says the same: Chinese has a third of English
MIN_RELIABLE_ROWS = 10
MAX_TYPED_NAME_CHARACTERS = 40
PROBLEM_SENTENCES = {
    MISSING: mark("{column}, row {row}: there is no text"),
    EMPTY: mark("{column}, row {row}: the text is empty"),
    LENGTH: mark(
        "{column}, row {row}: the text is unusually long or short compared with the rest of its row. Check that all "
        "texts of the row say the same."
    ),
}
PROBLEMS = {MISSING: mark("no text"), EMPTY: mark("empty text"), LENGTH: mark("unusual length")}
SOURCE = Choice("own_source", "blocks", one_of(SOURCES))
NUM_COLUMNS = Choice("own_columns", "2", int_in_range(MIN_COLUMNS, MAX_COLUMNS))
_declarations, _columns = cache.cached(aligned.declarations), cache.cached(read_columns)


def show() -> None:
    """Draws the input, the problems of the text and its cost."""
    encoding_component.go_to_requested_why()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        encodings = pickers.encodings()
        source = SOURCE.segmented(tr("Your text"), SOURCES)
    found = {"blocks": _read_blocks, "table": _read_table, "file": _read_files}[source]()
    if found is not None:
        _show(found, encodings)


def _read_blocks() -> Parallel | None:
    count = NUM_COLUMNS.ask(st.number_input, tr("Number of columns"), MIN_COLUMNS, MAX_COLUMNS, width=220)
    names, columns, first = [], [], _defaults()
    before, st.session_state.own_first = st.session_state.get("own_first", first), first
    for j, place in enumerate(st.columns(count)):
        unnamed = tr("Column {number}", number=j + 1)
        for key in (f"own_name_{j}", f"own_text_{j}"):
            # an unedited default follows the interface's language; no needless write, which could undo typing
            if (value := st.session_state.get(key)) != first[key] and value in (None, before[key]):
                st.session_state[key] = first[key]
        with place:
            label = tr("Name of column {number}", number=j + 1)
            name = st.text_input(
                label, key=f"own_name_{j}", max_chars=MAX_TYPED_NAME_CHARACTERS, persist_state="session"
            )
            label = tr("Text of column {number}, one sentence per line", number=j + 1)
            text = st.text_area(label, key=f"own_text_{j}", height=150, persist_state="session")
        names.append(name.strip() or unnamed)
        columns.append(aligned.lines(text or ""))
    st.caption(tr("Lines at the same place should say the same thing in every box."))
    return aligned.align(names, columns) if any(columns) else _show_nothing()


def _read_table() -> Parallel | None:
    text = st.text_area(
        tr("A table copied from a spreadsheet (with tabs between the columns)"),
        key="own_table",
        height=220,
        persist_state="session",
        placeholder="English\tThai\nHello\tสวัสดี",
    )
    has_head = _has_head("own_head", True)
    columns = list(zip_longest(*aligned.table_cells(text or "")))
    if not columns:
        return _show_nothing()
    if not MIN_COLUMNS <= len(columns) <= MAX_COLUMNS:
        notices.show(
            trn(
                "This table has {n:,} column. Paste a table with {least} to {most} columns.",
                "This table has {n:,} columns. Paste a table with {least} to {most} columns.",
                len(columns),
                least=MIN_COLUMNS,
                most=MAX_COLUMNS,
            )
        )
        return None
    heads = [(column[0] or "").strip()[:MAX_NAME_CHARACTERS] if has_head else "" for column in columns]
    names = [head or tr("Column {number}", number=j) for j, head in enumerate(heads, 1)]
    columns = [column[int(has_head) :] for column in columns]
    return aligned.align(names, columns) if columns[0] else _show_nothing()


def _has_head(key: str, default: bool) -> bool:
    label = tr("The first row has the names of the columns")
    st.session_state.setdefault(key, default)
    return st.checkbox(label, key=key, persist_state="session")


def _show_nothing() -> None:
    st.caption(tr("Nothing to compare yet. Add texts that say the same thing, line by line."))


def _read_files() -> Parallel | None:
    uploaded = st.file_uploader(
        tr(
            "A .tsv, .csv or .jsonl file with one column per language, or two to six text files with the same "
            "sentences line by line, one file per language. The Universal Declaration of Human Rights is compared "
            "article by article, also from one .jsonl file."
        ),
        accept_multiple_files=True,
        key="own_files",
        on_change=_keep_files,
        max_upload_size=5,
    )
    kept = st.session_state.get("own_kept", [])
    if not kept:
        return _show_nothing()
    if not uploaded:
        names = "".join(f"<li><bdi>{escape(name)}</bdi></li>" for name, _ in kept)
        begins = tr("Uploaded files still in use:")
        st.html(f"<p>{begins}</p><ul>{names}</ul>")
    if len(kept) > 1:
        return _align_texts(kept)
    name, data = kept[0]
    if name.lower().endswith((".jsonl", ".ndjson")) and aligned.is_declarations(data):
        sections = _declarations(name, data)
        chosen = _select(name, tr("Languages to compare"), "own_languages", list(sections), _too_few_languages)
        return aligned.by_section({title: sections[title] for title in chosen}) if chosen else None
    if not has_fields(name):
        read(name, data)  # raises for a spreadsheet or another document, which is no plain text
        advice = tr("A plain text file is one column. Open two to six text files together, one per language.")
        notices.show(notices.of_files([name], advice))
        return None
    names, columns = _columns(name, data)
    if names and suffix(name) in DELIMITERS and not _has_head("own_file_head", bool(has_header(name, BytesIO(data)))):
        columns = [[head, *cells] for head, cells in zip(names, columns, strict=True)]
        names = [tr("Column {number}", number=j) for j in range(1, len(names) + 1)]
    cells = dict(zip(distinct([name[:MAX_NAME_CHARACTERS] or tr("(no name)") for name in names]), columns, strict=True))
    chosen = _select(
        name, tr("Columns to compare"), "own_which", list(cells), _too_few_columns, columns_with_text(cells)
    )
    return aligned.align(chosen, [cells[name] for name in chosen]) if chosen else None


def columns_with_text(cells: Mapping[str, Sequence[str | None]]) -> list[int]:
    """Returns the places of the columns that have many letters, unlike numbers of rows and ids.

    >>> columns_with_text({"id": ["1", "2"], "en": ["Hello", "Goodbye"], "zh": ["你好", "再见"]})
    [1, 2]
    """
    letters = letters_of(enumerate(list(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)))
    least = max(letters.values(), default=0) / MAX_LETTERS_RATIO
    return [place for place, name in enumerate(cells) if letters.get(name, 0) >= least]


def _keep_files() -> None:
    """Keeps the uploaded files: the uploader loses them when the visitor opens another page."""
    if files := st.session_state.get("own_files"):
        st.session_state.own_kept = [(file.name, file.getvalue()) for file in files]
        for key in ("own_languages", "own_which", "own_file_head"):  # they were for the files before
            st.session_state.pop(key, None)


def _too_few_languages(count: int) -> str:
    return trn(
        "This file has {n:,} language. Open a file with at least {least} languages.",
        "This file has {n:,} languages. Open a file with at least {least} languages.",
        count,
        least=MIN_COLUMNS,
    )


def _too_few_columns(count: int) -> str:
    return trn(
        "This file has {n:,} column. Open a file with at least {least} columns.",
        "This file has {n:,} columns. Open a file with at least {least} columns.",
        count,
        least=MIN_COLUMNS,
    )


def _select(
    file: str, label: str, key: str, names: Sequence[str], too_few: Callable[[int], str], likely: Sequence[int] = ()
) -> list[str]:
    """Draws a multiselect of names in a file; returns the selected ones, or none if they are too few.

    The options are places in `names`, so that no widget state contains the visitor's text. At first two are selected:
    the first ones of `likely`, or of all where it has fewer.
    """
    if len(names) < MIN_COLUMNS:
        notices.show(notices.of_files([file], too_few(len(names))))
        return []
    places = list(range(len(names)))
    if not set(st.session_state.get(key) or [-1]) <= set(places):
        st.session_state[key] = list(likely if len(likely) >= MIN_COLUMNS else places)[:MIN_COLUMNS]
    chosen = st.multiselect(
        label,
        places,
        key=key,
        format_func=names.__getitem__,
        max_selections=MAX_COLUMNS,
        select_all=False,
        persist_state="session",
    )
    if len(chosen) < MIN_COLUMNS:
        st.caption(tr("Choose at least {least} entries of this list.", least=MIN_COLUMNS))
        return []
    return [names[place] for place in chosen]


def _align_texts(kept: Sequence[tuple[str, bytes]]) -> Parallel | None:
    if len(kept) > MAX_COLUMNS:
        facts = {"files": len(kept), "most": MAX_COLUMNS}
        notices.show(tr("{files:,} files are open; at most {most} can be compared. Remove some files.", **facts))
        return None
    names, texts = distinct([name for name, _ in kept]), [read(name, data) for name, data in kept]
    fields, sections = [_text_field(name, data) for name, data in kept], [aligned.articles(text) for text in texts]
    if any(fields):
        listed = ", ".join(in_markdown(f"{name}: {field}") for name, field in zip(names, fields, strict=True) if field)
        st.caption(tr("Of each table, the column with the most letters is compared: {columns}.", columns=listed))
    elif all(sections):
        st.caption(
            tr(
                "These files are versions of the Universal Declaration of Human Rights: each row has the preamble "
                "or one of the thirty articles."
            )
        )
        return aligned.by_section(dict(zip(names, sections, strict=True)))
    elif any(sections):
        st.caption(
            tr(
                "The articles of the Universal Declaration of Human Rights were found in some of these files but "
                "not in all, so the files are compared line by line."
            )
        )
    else:
        st.caption(tr("The files are compared line by line."))
    columns = [
        _texts(name, text, field) if field else aligned.lines(text)
        for (name, _), text, field in zip(kept, texts, fields, strict=True)
    ]
    return aligned.align(names, columns)


def _text_field(name: str, data: bytes) -> str:
    """Returns the field with the texts of a table; "" of a plain text, also with the suffix of a table."""
    found = fields_of(name, data)
    is_table = suffix(name) in JSON_LINES or len(found) > 1
    return most_text(found) if is_table and any(found.values()) else ""


@cache.cached
def _texts(name: str, text: str, field: str) -> list[str]:
    return list(texts_in(name, text, field))


def _defaults() -> dict[str, object]:
    """Returns the default values of the view's widgets by key."""
    found: dict[str, object] = {"own_table": "", "own_head": True, "own_base": 0}
    for j in range(MAX_COLUMNS):
        unnamed = tr("Column {number}", number=j + 1)
        tag, name = (EXAMPLE[j], languages()[EXAMPLE[j]].name) if j < len(EXAMPLE) else ("", unnamed)
        text = "\n".join(parallel_corpus()[tag][:EXAMPLE_LINES]) if tag else ""
        found |= {f"own_name_{j}": name, f"own_text_{j}": text}
    return found


def _changed_values() -> dict[str, object] | None:
    values = {key: st.session_state.get(key) for key in _defaults()} | {"own_base": visitor().choices.get("own_base")}
    return {key: values[key] for key, value in _defaults().items() if values[key] not in (None, value)} or None


def _restore(values: dict[str, object]) -> None:
    for key, value in values.items():
        kind = type(_defaults()[key])
        found = page_snapshot.checked_text(value) if kind is str else kind(value)
        pending_values.set(key, found[:MAX_TYPED_NAME_CHARACTERS] if key.startswith("own_name_") else found)
        if key == "own_base":
            visitor().choices[key] = found


page_snapshot.register_part(
    "languages", "own", _changed_values, _restore, lambda: visitor().choices.get("lens") == "own"
)


def _show(found: Parallel, encodings: Sequence[StoredEncoding]) -> None:
    # the options are indices, so that no widget state contains the visitor's text
    base = controls.select_option("own_base", tr("Compared with"), dict(enumerate(found.names)), width=260)
    problems = aligned.problems(found, base)
    _problems(found, problems)
    complete = found.complete()
    if not complete:
        notices.show(
            tr("No row has a text in every column, so there is nothing to compare yet. Complete at least one row.")
        )
        return
    keys = tuple(entry.key for entry in encodings)
    columns = tuple(tuple(found.column(j, complete)) for j in range(len(found.names)))
    sizes, costs = _costs(columns, keys)
    names, labels = tables.unique_labels([entry.name for entry in encodings]), encoding_names.labels(encodings)
    compared = trn(
        "{complete:,} of {n:,} row was compared.",
        "{complete:,} of {n:,} rows were compared.",
        len(found.rows),
        complete=len(complete),
    )
    if 1 < len(complete) < MIN_RELIABLE_ROWS:
        compared += " " + tr("With so few rows, the confidence interval is not reliable.")
    rows = frame(found.names, names, sizes, costs, base)
    rows = rows.assign(model=rows["encoding"].map(encoding_names.models(encodings)))
    shown, of_all = [str(j) for j in range(len(found.names))], found.names[base]
    dearest = rows[rows["tag"] != str(base)].sort_values("premium", na_position="first").iloc[-1]
    own = rows[rows["tag"] == dearest["tag"]].dropna(subset="premium").to_dict("records")
    if own:
        st.html(f'<p class="finding">{finding(dearest["language"], of_all, own, len(complete), "row")}</p>')
    st.html(f"<p>{compared}</p>")
    drawn = partial(chart.chart, rows, "premium", "cost", shown, None, of_all, labels)
    dots.show(
        cache.get_or_compute(drawn, "own chart", found.names, columns, keys, base, list(labels.items())), "own_chart"
    )
    _factors(rows, found.names, base)
    _rows(found, partial(row_table, found, problems, costs, base, names), base, encodings)


@cache.cached
def _costs(columns: tuple[tuple[str, ...], ...], encoding_keys: tuple[str, ...]) -> tuple[list[Size], list[list[Cost]]]:
    encodings = [encoding_store.find(key).encoding for key in encoding_keys]
    return [size(column) for column in columns], [[cost(column, one) for column in columns] for one in encodings]


def _problems(found: Parallel, problems: Sequence[AlignmentProblem]) -> None:
    if not problems:
        return
    rows = [label if isinstance(label, str) else number(label) for label in found.labels]
    listed = [
        tr(PROBLEM_SENTENCES[one.kind], column=found.names[one.column], row=rows[one.row])
        for one in problems[:MAX_LISTED_PROBLEMS]
    ]
    if len(problems) > MAX_LISTED_PROBLEMS:
        listed.append(tr("and {more:,} more", more=len(problems) - MAX_LISTED_PROBLEMS))
    kinds = {one.kind for one in problems}
    counts = [sum(cell is not None for cell in column) for column in zip(*found.rows, strict=True)]
    heads = []
    if len(set(counts)) > 1:
        lengths = ", ".join(f"{name} {number(count)}" for name, count in zip(found.names, counts, strict=True))
        heads.append(tr("The columns have different numbers of entries: {listed}.", listed=lengths))
    if kinds & {MISSING, EMPTY}:
        heads.append(tr("Rows in which a column has no text are not counted."))
    if LENGTH in kinds:
        heads.append(
            tr(
                "Rows with an unusually long or short text are included in the counts; check whether their texts "
                "say the same thing."
            )
        )
    title = trn("{n:,} warning", "{n:,} warnings", len(problems))
    with st.expander(title, expanded=True, icon=":material/warning:"):
        st.html(notices.html(" ".join(heads), listed))


def frame(
    names: Sequence[str], encodings: Sequence[str], sizes: Sequence[Size], costs: Sequence[Sequence[Cost]], base: int
) -> pd.DataFrame:
    """Returns one row per encoding and column: its premium over the base column and the factors of the premium.

    One line of text has no confidence interval.
    """
    unknown = {"low": None, "high": None} if len(costs[0][base].tokens) == 1 else {}
    return pd.DataFrame(
        [
            {"tag": str(j), "language": name, "encoding": encoding}
            | numbers(sizes[j], own[j], sizes[base], own[base])
            | unknown
            | {"median": _median_ratio(own[j].tokens, own[base].tokens)}
            for encoding, own in zip(encodings, costs, strict=True)
            for j, name in enumerate(names)
        ]
    )


def _median_ratio(tokens: np.ndarray, base_tokens: np.ndarray) -> float:
    """Returns the median of the rows' ratios; rows without tokens in the base have no ratio."""
    has_base = base_tokens > 0
    return float(np.median(tokens[has_base] / base_tokens[has_base]))


def _factors(rows: pd.DataFrame, names: Sequence[str], base: int) -> None:
    for j, name in enumerate(names):
        if j != base:
            own = rows[rows["tag"] == str(j)].to_dict("records")
            both = {"column": f"<bdi>{escape(name)}</bdi>", "base": f"<bdi>{escape(names[base])}</bdi>"}
            title = tr("{column} compared with {base}", **both)
            table = f"{sentences.causes(names[base], own)}{sentences.facts(own)}"
            st.html(f'<h2 class="lens">{title}</h2>{table}<p>{escape(_medians(own))}</p>')


def _medians(rows: Sequence[Mapping]) -> str:
    facts = [(row["median"], row["model"]) for row in rows]
    each = ", ".join(tr("{median:.2f} in {model}", median=median, model=model) for median, model in facts)
    return tr("Ratio of tokens, median of the compared rows: {medians}.", medians=each)


def _rows(found: Parallel, table: Callable[[], pd.DataFrame], base: int, encodings: Sequence[StoredEncoding]) -> None:
    head = escape(tr("The rows one by one"))
    st.html(f'<h2 class="lens">{head}</h2>')
    chosen = st.dataframe(
        table(),
        hide_index=True,
        key="own_rows_selection",
        placeholder="–",
        on_select="rerun",
        selection_mode="single-row",
    )
    if selected := [row for row in chosen.selection.rows if row < len(found.rows)]:
        entry = controls.select_encoding("own_seen_in", encodings)
        texts = found.rows[selected[0]]
        sides = [sentences.Side(name, text or "") for name, text in zip(found.names, texts, strict=True)]
        for j, side in enumerate(sides):
            if j != base:
                sentences.pair(f"own_{j}", sides[base], side, entry)
                controls.why_button(f"own_why_{j}", entry, side.text)
    else:
        st.caption(tr("Select a row to see the tokens of its sentences. Select a column’s name to sort the rows."))
    tables.download_button(tr("Download the rows (CSV)"), lambda: to_csv(found, table), "parallel.csv")


def row_table(
    found: Parallel,
    cell_problems: Sequence[AlignmentProblem],
    costs: Sequence[Sequence[Cost]],
    base: int,
    encodings: Sequence[str],
) -> pd.DataFrame:
    """Returns one row per row of the text: its problems, tokens and ratios, and the beginnings of its texts."""
    problems = {
        row: "; ".join(f"{found.names[one.column]}: {tr(PROBLEMS[one.kind])}" for one in own)
        for row, own in groupby(cell_problems, lambda one: one.row)
    }
    columns: list[tuple[str, Sequence]] = [
        (tr("row"), found.labels),
        (tr("warning"), [problems.get(i, "") for i in range(len(found.rows))]),
    ]
    base_name, complete = found.names[base], found.complete()
    for encoding, own in zip(encodings, costs, strict=True):
        counts = {name: one.tokens for name, one in zip(found.names, own, strict=True)}
        tokens = pd.DataFrame(counts, complete, dtype="Int64").reindex(range(len(found.rows)))
        columns += [
            (tr("tokens of {column} in {encoding}", column=name, encoding=encoding), tokens[name])
            for name in found.names
        ]
        columns += [
            (f"{name} / {base_name}, {encoding}", tokens[name] / tokens[base_name].replace(0, pd.NA))
            for name in found.names
            if name != base_name
        ]
    for name, cells in zip(found.names, zip(*found.rows, strict=True), strict=True):
        columns.append((tr("text of {column}", column=name), [cell and cell[:200] for cell in cells]))
    heads, bodies = zip(*columns, strict=True)
    return pd.DataFrame(dict(zip(distinct(heads), bodies, strict=True)))


def to_csv(found: Parallel, table: Callable[[], pd.DataFrame]) -> str:
    """Returns the table as CSV with English column names and the whole texts."""
    with using_language(SOURCE_LANGUAGE):
        rows_table = table()
    texts = rows_table.columns[-len(found.names) :]
    for j, name in enumerate(texts):
        rows_table[name] = [row[j] for row in found.rows]
    return tables.to_csv(rows_table)
