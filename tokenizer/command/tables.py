"""The output of `count --rows`: the tokens of the rows of a table, summarized."""

import json
from collections.abc import Sequence
from pathlib import Path

from tokenizer.command.group import Failed, print_stderr
from tokenizer.command.inputs import Input, progress
from tokenizer.command.screen import aligned, escaped, visible
from tokenizer.encoding.interface import Encoding
from tokenizer.i18n import number
from tokenizer.kinds.counters import Counter
from tokenizer.measure.rows import PERCENTILES, RowCounts, as_csv, count_rows, histogram, longest_first, summary
from tokenizer.text.rows import cells, has_header, letters
from tokenizer.text.tables import distinct, most_text

NUM_LONGEST_ROWS = 5  # of the longest rows
MAX_SHOWN_CHARACTERS = 60  # of the text of a row
COLUMN_CHARACTERS = 10  # characters of a column of numbers
MIN_PROGRESS_BYTES = 1_000_000  # rows take longer than a text of the same size


def counted(
    one: Input,
    column: str | None,
    header: bool | None,
    encodings: Sequence[Encoding | Counter],
    special: str,
    errors: str,
) -> tuple[str, RowCounts]:
    """Returns the counted column of a table, and the counts of its rows; raises BadCorpusFile."""
    if one.path is None:
        raise Failed("Rows are counted of a file, whose name tells its form: .csv, .tsv, .jsonl, .json or .parquet.")
    if header is None:
        with one.open() as file:
            header = has_header(one.name, file, errors) is not False
        if not header:
            print_stderr("Note: the first row looks like data and is counted. If it names the columns: --header.")
    if column is None:
        with one.open() as file:
            found = letters(one.name, file, errors, header)
        column = most_text(found)
        reason = ", which has the most letters" if found[column] else ""
        print_stderr(f"Note: counting the column {column!r}{reason}. Another: --column NAME.")
    length = one.size if (one.size or 0) > MIN_PROGRESS_BYTES else None
    named = dict(zip(distinct([encoding.name for encoding in encodings]), encodings, strict=True))
    with one.open() as file, progress(escaped(one.name), length) as advance:
        found = count_rows(cells(one.name, file, column, errors, advance, header), named, special)
    _note_left_out(found)
    if not len(found.places):
        raise Failed(f"{one.name}: there is no row to count in it.")
    return column, found


def _note_left_out(found: RowCounts) -> None:
    if found.left_out.count:
        reasons = " ".join(f"Line {line:,}: {why}" for line, why in found.left_out.reasons)
        print_stderr(f"Note: {found.left_out.count:,} of the rows were left out. {reasons}")


def save(found: RowCounts, path: str) -> None:
    """Writes all rows to a CSV file, the longest first."""
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        file.writelines(as_csv(found))


def as_json(name: str, column: str, found: RowCounts, window: int | None) -> str:
    """Returns the counts as JSON."""

    def named(values: Sequence[int]) -> dict[str, int]:
        return dict(zip(found.names, values, strict=True))

    own = {one: summary(tokens)._asdict() for one, tokens in zip(found.names, found.tokens.T, strict=True)}
    facts = {
        "file": name,
        "column": column,
        "rows": len(found.places),
        "empty": found.empty,
        "left_out": {"rows": found.left_out.count, "reasons": dict(found.left_out.reasons)},
        "templates": dict(found.chats),
        "encodings": own,
        "over_window": named((found.tokens > window).sum(0).tolist()) if window else {},
        "histogram": [{"from": low, "to": high, "rows": named(rows)} for low, high, rows in histogram(found.tokens)],
        "longest": [{"row": int(found.places[i]), "tokens": named(found.tokens[i].tolist())} for i in _longest(found)],
    }
    return json.dumps(facts)


def _longest(found: RowCounts) -> list[int]:
    return longest_first(found)[:NUM_LONGEST_ROWS].tolist()


def as_text(name: str, column: str, found: RowCounts, window: int | None) -> str:
    """Returns the counts as text: sums and quantiles of each encoding, a histogram, the longest rows."""
    own = [summary(tokens) for tokens in found.tokens.T]
    rows = [
        ["", *map(escaped, found.names)],
        ["Tokens", *(f"{one.total:,}" for one in own)],
        ["Mean of a row", *(number(one.mean, ",.2f") for one in own)],
        ["Least", *(f"{one.least:,}" for one in own)],
        *([f"{percent} % have at most", *(f"{one.quantiles[percent]:,}" for one in own)] for percent in PERCENTILES),
        ["Most", *(f"{one.largest:,}" for one in own)],
    ]
    if window:
        rows.append([f"Rows over {window:,}", *(f"{n:,}" for n in (found.tokens > window).sum(0).tolist())])
    bins = histogram(found.tokens)
    spans = [f"{low:,} to {high:,}" if low < high else f"{low:,}" for low, high, _ in bins]
    rows += [[], ["Rows by tokens", *[""] * len(own)]]
    rows += [[span, *(f"{n:,}" for n in counts)] for span, (_, _, counts) in zip(spans, bins, strict=True)]
    rows_counted = f"{len(found.places):,} {'row' if len(found.places) == 1 else 'rows'}"
    head = f"{escaped(name)}, column {escaped(repr(column))}: {rows_counted}"
    written = [
        f"{head} ({found.empty:,} without text)",
        *(
            f"{escaped(one)}: chats as {template}, without definitions of tools or fields of reasoning"
            for one, template in found.chats.items()
        ),
    ]
    written += ["", *aligned(rows), "", "Longest rows"]
    longest = [
        [f"{found.places[i]:,}", f"{found.tokens[i, 0]:,}", visible(_beginning(found, i))] for i in _longest(found)
    ]
    written += [
        f"{place:>{COLUMN_CHARACTERS}}{tokens:>{COLUMN_CHARACTERS}}  {text}"
        for place, tokens, text in [["row", "tokens", ""], *longest]
    ]
    return "\n".join(line.rstrip() for line in written)


def _beginning(found: RowCounts, i: int) -> str:
    text = found.beginnings[int(found.places[i])]
    return text if len(text) <= MAX_SHOWN_CHARACTERS else f"{text[:MAX_SHOWN_CHARACTERS]}…"
