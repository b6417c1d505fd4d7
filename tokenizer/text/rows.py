"""Tables of any size, row by row: CSV, TSV, JSON lines, arrays of JSON, and Parquet where pyarrow is installed."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, BinaryIO, NamedTuple

from tokenizer.errors import shown
from tokenizer.i18n import mark, tr
from tokenizer.text.files import CountingReader, UnreadableFile, read_chunks
from tokenizer.text.tables import (
    DECODER,
    DELIMITERS,
    EXAMPLE_ROW,
    IDENTIFIER,
    MAX_ROW_FIELDS,
    MAX_SNIFFED_CHARACTERS,
    BadCorpusFile,
    Pairs,
    Row,
    dialect_of,
    has_fields,
    is_separator_line,
    json_errors,
    json_row,
    json_rows,
    kind_of,
    letters_of,
    plain,
    suffix,
    table_records,
    table_rows,
    too_many_columns,
    value_of,
    wrong_field,
)

PARQUET = (".parquet", ".pq")
JSON_ARRAY = ".json"
MAX_LINE_CHARACTERS = 64_000_000
PARQUET_BATCH_ROWS = 100  # few, since a row may have megabytes
SYSTEM = "system"  # the field beside a chat with its system text: Anthropic, and LLaMA-Factory for ShareGPT

OnRead = Callable[[int], None]


class NotText(NamedTuple):
    """A value that is neither text nor a chat; `reason` is a message that names its type."""

    reason: str


class Chat(list[dict[str, Any]]):
    """The messages of a chat, and the value of the field `system` beside them, None if there is none."""

    def __init__(self, messages: Iterable[dict[str, Any]], system: object = None):
        super().__init__(messages)
        self.system = system


Cell = str | Chat | NotText


class Table(NamedTuple):
    """The header of a table, empty for JSON lines, and the rows, each with the number of its first line."""

    header: list[str]
    rows: Iterable[tuple[int, Row]]


def is_table(name: str) -> bool:
    """Returns whether files with this name are tables.

    >>> is_table("A.CSV"), is_table("a.parquet"), is_table("a.txt")
    (True, True, False)
    """
    return has_fields(name) or suffix(name) in PARQUET


def letters(name: str, file: BinaryIO, errors: str = "strict", header: bool = True) -> dict[str, int]:
    r"""Returns the fields of a table with the number of letters in the first rows of each; raises BadCorpusFile.

    With `header=False` the first row of CSV or TSV is data, and the names of the fields are their numbers.

    >>> letters("a.csv", io.BytesIO(b"id;text\n1;one\n")), letters("a.csv", io.BytesIO(b"1;one\n"), header=False)
    ({'id': 0, 'text': 3}, {'1': 0, '2': 3})
    """
    table = _opened(name, file, errors, header)
    if not (found := dict.fromkeys(table.header, 0) | letters_of(table.rows)):
        raise BadCorpusFile(name, tr("the file has no rows. Choose a file with at least one row."))
    return found


def cells(
    name: str,
    file: BinaryIO,
    field: str,
    errors: str = "strict",
    on_read: OnRead = lambda size: None,
    header: bool = True,
) -> Iterator[tuple[int, Cell]]:
    r"""Yields the value of a field in each row, with the number of the row's first line, or of the row for Parquet.

    In JSON lines a missing field and null are an empty text. `on_read` is called with the number of bytes of each read.
    Raises BadCorpusFile.

    >>> list(cells("a.jsonl", io.BytesIO(b'{"text": "one"}\n{}\n{"text": [{"role": "user"}]}'), "text"))
    [(1, 'one'), (2, ''), (3, [{'role': 'user'}])]
    >>> list(cells("a.jsonl", io.BytesIO(b'{"text": 5}'), "text"))
    [(1, NotText(reason="The field 'text' holds a number, not text."))]
    """
    table, names = _opened(name, file, errors, header, on_read, field), dict[str, None]()
    if table.header and field not in table.header:
        raise wrong_field(name, field, table.header)
    for line, row in table.rows:
        found = [value for key, value in row if key == field]
        names |= dict.fromkeys(key for key, _ in row[: 0 if field in names else None])
        if len(found) == 1 and _is_list_of_objects(found[0]):
            system = [value for key, value in row if key == SYSTEM]
            yield line, _chat(found[0], system[0] if len(system) == 1 and field != SYSTEM else None)
        elif len(found) == 1 and not isinstance(found[0], str | None):
            kind = kind_of(found[0])
            yield line, NotText(tr("The field {field} holds {kind}, not text.", field=shown(field), kind=kind))
        else:
            yield line, value_of(name, line, row, field) if found else ""
    if not table.header and names and field not in names:
        raise wrong_field(name, field, list(names))


def _is_list_of_objects(value: object) -> bool:
    is_list = isinstance(value, list) and not isinstance(value, Pairs)
    return is_list and all(isinstance(one, Pairs | Mapping) for one in value)


def _chat(value: list, system: object) -> Cell:
    try:
        return Chat(plain(value), plain(system))
    except RecursionError:  # at fewer levels than the decoder reads
        return NotText(tr("this JSON is nested too deeply."))


def has_header(name: str, file: BinaryIO, errors: str = "strict") -> bool | None:
    r"""Whether the first row of CSV or TSV looks like the names of its columns; None for other kinds of tables.

    It does not where one of its cells is like the others in its column: a number, an identifier, a sentence with its
    punctuation, or a value that occurs again.

    >>> [has_header("a.csv", io.BytesIO(data)) for data in (b"id,text\n1,one\n2,two\n", b"1,one\n2,two\n3,three\n")]
    [True, False]
    """
    if suffix(name) not in DELIMITERS:
        return None
    chunk = next(_chunks(name, file, errors, lambda size: None), "").removeprefix("\ufeff")
    start = chunk[:MAX_SNIFFED_CHARACTERS]
    reader = csv.reader(io.StringIO(start, newline=""), **dialect_of(name, chunk))
    first, *others = chain((row for row in reader if row and not is_separator_line(row)), [[]])
    others = [row for row in others[: -1 if len(start) < MAX_SNIFFED_CHARACTERS else -2] if row != first]
    columns = zip(first, *(row for row in others if len(row) == len(first)), strict=True)
    return not any(cells and _is_like(head, cells) for head, *cells in columns)


def _is_like(head: str, cells: list[str]) -> bool:
    """Whether the first cell of a column is of the same kind as most others, or occurs twice again."""
    head, cells = head.strip(), [cell.strip() for cell in cells]
    kind = _kind(head)
    is_kind = kind is not None and 2 * sum(_kind(cell) == kind for cell in cells) > len(cells)
    return is_kind or (head != "" and cells.count(head) > 1)


NUMBER = re.compile(r"[-+]?\d[\d.,:/T -]*+%?Z?")  # or a date
SENTENCE_END = re.compile(r"[.!?…。！？][\"”’)]*")


def _kind(cell: str) -> str | None:
    if NUMBER.fullmatch(cell):
        return "number"
    if IDENTIFIER.fullmatch(cell):
        return "identifier"
    is_sentence = len(cell.split(None, 1)) > 1 and SENTENCE_END.fullmatch(cell, len(cell.rstrip('"”’)')) - 1)
    return "sentence" if is_sentence else None


def _opened(
    name: str,
    file: BinaryIO,
    errors: str,
    header: bool,
    on_read: OnRead = lambda size: None,
    field: str | None = None,
) -> Table:
    if suffix(name) in PARQUET:
        return _parquet(name, file, on_read, field)
    if not has_fields(name) and suffix(name) != JSON_ARRAY:
        problem = mark("this kind of file has no columns. Use a .csv, .tsv, .jsonl, .json or .parquet file.")
        raise BadCorpusFile(name, tr(problem))
    chunks = _chunks(name, file, errors, on_read)
    first = next(chunks, "").removeprefix("\ufeff")
    line, is_whole, _ = first.lstrip().partition("\n")
    if suffix(name) == JSON_ARRAY and (line[:1] != "{" or (is_whole and line.rstrip()[-1:] != "}")):  # no JSON lines
        return Table([], _array_rows(name, chain([first], chunks)))
    if suffix(name) not in DELIMITERS:
        return Table([], json_rows(name, _lines(name, chain([first], chunks), "\n")))
    records = table_records(name, _lines(name, chain([first], chunks), ""), **dialect_of(name, first))
    head = next(records, (1, []))
    if header:
        return Table(head[1], table_rows(name, head[1], records))
    numbers = [str(n) for n in range(1, len(head[1]) + 1)]
    return Table(numbers, table_rows(name, numbers, chain([head] if numbers else [], records)))


def _chunks(name: str, file: BinaryIO, errors: str, on_read: OnRead) -> Iterator[str]:
    try:
        yield from read_chunks(CountingReader(file, on_read), errors)
    except UnreadableFile as error:
        raise BadCorpusFile(name, str(error)) from None


def _lines(name: str, chunks: Iterable[str], newline: str) -> Iterator[str]:
    """Yields the lines of a text with their ends: "\\n", or any line end if `newline` is empty."""
    rest = ""
    for chunk in chunks:
        lines = [*io.StringIO(rest + chunk, newline=newline)]
        rest = lines.pop() if lines else ""  # unfinished: a "\r" may be followed by "\n"
        yield from lines
        if len(rest) > MAX_LINE_CHARACTERS:
            raise _too_long(name)
    if rest:
        yield rest


def _too_long(name: str) -> BadCorpusFile:
    return BadCorpusFile(
        name, tr("a line has more than {most:,} characters, the limit. Split the line.", most=MAX_LINE_CHARACTERS)
    )


# ---- arrays of JSON ----

ARRAY_REMEDY = mark("A .json file must be one list of objects, such as {example}, or have one object on each line.")
FOLLOWS = {"[": "{]", ",": "{", "}": ",]", "]": ""}  # the signs that may follow each, outside the objects
MAX_CUT_CHARACTERS = 12  # a decoding error this near to the end of what was read may be due to a cut
WHITE_SPACE = re.compile(r"[ \t\r\n]*")


def _array_rows(name: str, chunks: Iterable[str]) -> Iterator[tuple[int, Row]]:
    """Yields the objects of an array with the numbers of their first lines; holds a chunk and an unfinished object."""
    remedy = tr(ARRAY_REMEDY, example=f"[{EXAMPLE_ROW}]")
    chunks, rest, line, expected, is_last = iter(chunks), "", 1, "[", False
    before = 0  # characters before the rest in its first line
    while not is_last:
        wanted = 2 * len(rest) + 1  # doubled, so that a long object is not decoded again after each chunk
        while not is_last and len(rest) < wanted:
            chunk = next(chunks, None)
            is_last, rest = chunk is None, rest + (chunk or "")
        at = 0
        while (start := WHITE_SPACE.match(rest, at).end()) < len(rest):
            line += rest.count("\n", at, start)
            at, sign = start, rest[start]
            if sign not in expected:
                raise BadCorpusFile(name, remedy, line)
            end = at + 1
            if sign == "{":
                try:
                    with json_errors(name, line, remedy, at, before):
                        found, end = DECODER.raw_decode(rest, at)
                except BadCorpusFile as error:
                    if is_last or not _may_be_cut(error.__context__, rest):
                        raise
                    break
                yield line, json_row(name, line, found, remedy)
                line += rest.count("\n", at, end)
                sign = "}"
            at, expected = end, FOLLOWS[sign]
        before = at - rest.rindex("\n", 0, at) - 1 if "\n" in rest[:at] else before + at
        rest = rest[at:]
        if len(rest) > MAX_LINE_CHARACTERS:
            raise _too_long(name)
    if expected not in ("", "["):
        raise BadCorpusFile(name, tr("the end of the list is missing. Check whether the file is complete."), line)


def _may_be_cut(error: BaseException | None, source: str) -> bool:
    """Whether a decoding error may be due to a missing rest of the source."""
    if not isinstance(error, json.JSONDecodeError):
        return False
    return error.msg.startswith("Unterminated string") or error.pos > len(source) - MAX_CUT_CHARACTERS


# ---- Parquet ----


def _parquet(name: str, file: BinaryIO, on_read: OnRead, field: str | None) -> Table:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        problem = tr("to read Parquet files, install the package pyarrow: {command}", command="pip install pyarrow")
        raise BadCorpusFile(name, problem) from None

    def is_chat(kind: pyarrow.DataType) -> bool:
        is_list = pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind)
        return is_list and pyarrow.types.is_struct(kind.value_type)

    def is_text(kind: pyarrow.DataType) -> bool:
        kinds = pyarrow.types
        kind = kind.value_type if kinds.is_dictionary(kind) else kind
        is_string = kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind)
        return is_chat(kind) or is_string

    try:
        source = parquet.ParquetFile(file)
        kinds = {one.name: one.type for one in source.schema_arrow}
    except MemoryError:  # pyarrow's is an ArrowException, too; the file need not be damaged
        raise
    except (pyarrow.ArrowException, OSError) as error:
        raise _bad_parquet(name, error) from None
    if len(kinds) > MAX_ROW_FIELDS:
        raise too_many_columns(name, MAX_ROW_FIELDS)
    if field in kinds and not is_text(kinds[field]):
        problem = tr(
            "the field {field} holds {kind}, not text. Choose another field.", field=shown(field), kind=kinds[field]
        )
        raise BadCorpusFile(name, problem)
    wanted = {field, SYSTEM} if field in kinds and is_chat(kinds[field]) else {field}
    text_columns = [one for one, kind in kinds.items() if is_text(kind) and (field is None or one in wanted)]
    size, num_rows = file.seek(0, io.SEEK_END), source.metadata.num_rows

    def rows() -> Iterator[tuple[int, Row]]:
        place = 0
        try:
            for batch in source.iter_batches(PARQUET_BATCH_ROWS, columns=text_columns, use_threads=False):
                for row in batch.to_pylist():
                    place += 1
                    yield place, list(row.items())
                on_read(size * place // num_rows - size * (place - batch.num_rows) // num_rows)
        except MemoryError:
            raise
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise _bad_parquet(name, error) from None

    return Table(list(kinds), rows())


def _bad_parquet(name: str, error: Exception) -> BadCorpusFile:
    return BadCorpusFile(
        name,
        tr("the file cannot be read as Parquet; it may be damaged. The library pyarrow reports: {error}", error=error),
    )
