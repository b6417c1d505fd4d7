"""Reads the fields of CSV, TSV and JSON lines, and writes our own CSV."""

import csv
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count, islice
from pathlib import PurePath
from types import SimpleNamespace
from typing import Any

import regex

from tokenizer.errors import TokenizerError, shown
from tokenizer.i18n import mark, tr, trn
from tokenizer.i18n.third_party_messages import translated
from tokenizer.text.files import CHUNK_BYTES, MAX_FILE_BYTES, UnreadableFile, read_text_file
from tokenizer.text.well_formed import well_formed

JSON_LINES = (".jsonl", ".ndjson")
DELIMITERS = {".csv": ",", ".tsv": "\t"}  # by the suffix of the file
SNIFFED_DELIMITERS = ",;\t|"  # one of them is used if its rows are more even
MAX_SNIFFED_CHARACTERS = 20_000  # of a table, in which the delimiter is searched
MAX_SAMPLED_ROWS = 1_000  # whose letters are counted
MAX_SAMPLED_CELL_CHARACTERS = 2_000
LETTERS = regex.compile(r"[\p{L}\p{M}]")
# UUIDs, hashes, base64, addresses: longer than a short text, but no column of texts
IDENTIFIER = re.compile(r"(?=\D*\d)[!-~]{8,}|https?://\S+")
KEY = re.compile("[A-Za-z0-9]+([._][A-Za-z0-9]+)+")  # of a text in a program, such as menu.file_open
MAX_FIELDS = 100  # of a file; each JSON line may have other ones
MAX_ROW_FIELDS = 50_000  # the fields of a table are kept and listed: those of a matrix of genes, and not millions
MAX_NAMED_FIELDS = 12  # in a message
SEPARATOR_LINE = re.compile(r"sep=([,;\t|])[\r\n]", re.IGNORECASE)  # a first line for Excel, which is no row
# in a table of tabs: the first row, or a cell with doubled quotes, if quotes were written around cells
QUOTED_ROW = re.compile(r'("[^"\t\r\n]*"[\t\r\n])+(?<=[\r\n])')
QUOTED_CELL = re.compile(r'[\t\r\n]"[^"\t\r\n]*(?:""[^"\t\r\n]*)+"(?=[\t\r\n])')
FORMULA_PREFIXES = tuple("=+-@\t\r\n＝＋－＠")  # list of OWASP, "CSV Injection"

# The csv module has one limit for the whole program, by default 131,072; a field may be as long as its file.
csv.field_size_limit(max(csv.field_size_limit(), MAX_FILE_BYTES))

Row = list[tuple[str, object]]  # not a dict, since a name may occur twice


class BadCorpusFile(TokenizerError):
    """The texts of a file cannot be read; `line` is the wrong one, from 1, if there is one."""

    def __init__(self, name: str, reason: str, line: int | None = None):
        self.name, self.reason, self.line = name, reason, line
        quoted = shown(name)
        label = quoted[1:].removesuffix(quoted[0])
        if line is None:
            super().__init__(tr("{name}: {reason}", name=label, reason=reason))
        else:
            super().__init__(tr("{name}, line {line:,}: {reason}", name=label, line=line, reason=reason))


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    r"""Returns rows as CSV; a text that a spreadsheet would read as a formula gets an apostrophe in front.

    Numbers stay unchanged, and None is an empty cell. All of our CSV is written here.

    >>> csv_text([["name", "n"], ['=HYPERLINK("http://e")', -1], ["a, b", None]])
    'name,n\n"\'=HYPERLINK(""http://e"")",-1\n"a, b",\n'
    """
    lines: list[str] = []
    # with this line end the module also quotes a lone "\r", which other programs read as a line end
    sink = SimpleNamespace(write=lambda line: lines.append(line.removesuffix("\r\n") + "\n"))
    csv.writer(sink, lineterminator="\r\n").writerows(map(_harmless, row) for row in rows)
    return "".join(lines)


def _harmless(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_PREFIXES) else cell


def texts_of(name: str, data: bytes, field: str) -> Iterator[str]:
    r"""Yields the text in a field of each row of a file; raises BadCorpusFile.

    >>> list(texts_of("a.csv", b'id,text\n1,one\n2,"two\nlines"\n', "text"))
    ['one', 'two\nlines']
    """
    return texts_in(name, read(name, data), field)


def texts_in(name: str, text: str, field: str) -> Iterator[str]:
    """Yields the texts in a field, like `texts_of`, from the content of a file."""
    return (value_of(name, line, row, field) for line, row in _rows(name, text))


def fields_of(name: str, data: bytes) -> dict[str, int]:
    r"""Returns the fields of the first rows with the letters in each; empty for a file without fields.

    >>> fields_of("a.jsonl", b'{"id": 1, "text": "one"}'), fields_of("a.tsv", b"id\ttext\n"), fields_of("a.txt", b"one")
    ({'id': 0, 'text': 3}, {'id': 0, 'text': 0}, {})
    """
    if not has_fields(name):
        return {}
    text = read(name, data)
    return dict.fromkeys(_header(name, text), 0) | letters_of(_rows(name, text))


def _header(name: str, text: str) -> list[str]:
    """Returns the names in the header of a table; JSON lines have none."""
    return next(_records(name, text), (1, []))[1] if suffix(name) in DELIMITERS else []


def letters_of(rows: Iterable[tuple[int, "Row"]]) -> dict[str, int]:
    """Returns the letters of each field at the start of its cells in the first rows, up to an invalid row."""
    found: Counter[str] = Counter()
    try:
        for _, row in islice(rows, MAX_SAMPLED_ROWS):
            for key, value in row:
                found[key] += _num_letters(value)
            if len(found) > MAX_ROW_FIELDS:  # each JSON line may have other ones
                break
    except BadCorpusFile:
        if not found:
            raise
    return dict(found)


def _num_letters(value: object) -> int:
    """Returns the letters of a text, 0 of an identifier or a key; of a list of objects (a chat), those of its texts.

    >>> _num_letters("a 12"), _num_letters("3f2a0c1e-9b7d-4e6f-8a1b-2c3d4e5f6a7b"), _num_letters("https://e.org/a")
    (1, 0, 0)
    """
    if isinstance(value, list) and not isinstance(value, Pairs):
        fields = (dict(one) for one in value if isinstance(one, Pairs | Mapping))
        return sum(_num_letters(text) for one in fields for text in one.values() if isinstance(text, str))
    if not isinstance(value, str) or IDENTIFIER.fullmatch(value) or KEY.fullmatch(value):
        return 0
    return len(LETTERS.findall(value[:MAX_SAMPLED_CELL_CHARACTERS]))


def most_text(letters: Mapping[str, int]) -> str:
    """Returns the first field with the most letters; numbers and most ids have none.

    >>> most_text({"id": 0, "title": 40, "text": 900})
    'text'
    """
    return max(letters, key=letters.__getitem__)


def distinct(names: Sequence[str]) -> list[str]:
    """Returns unique names: duplicates get numbers.

    >>> distinct(["a", "b", "a", "a (2)"])
    ['a (1)', 'b', 'a (3)', 'a (2)']
    """
    times = Counter(names)
    numbered = {name: _free(name, times) for name in times}
    return [next(numbered[name]) if times[name] > 1 else name for name in names]


def _free(name: str, taken: Container[str]) -> Iterator[str]:
    return (own for i in count(1) if (own := f"{name} ({i})") not in taken)


def read_columns(name: str, data: bytes) -> tuple[list[str], list[list[str | None]]]:
    r"""Returns the fields of a file and the cells of each; None for a missing field or null.

    Fields with the same name are all included. JSON values that are not strings are written as JSON.
    Raises BadCorpusFile.

    >>> read_columns("a.jsonl", b'{"en": "one", "n": 1}\n{"th": "two", "en": null}')
    (['en', 'n', 'th'], [['one', None], ['1', None], [None, 'two']])
    """
    if not has_fields(name):
        raise BadCorpusFile(name, tr("this kind of file has no columns. Use a .tsv, .csv or .jsonl file."))
    text = read(name, data)
    names, rows = dict.fromkeys(_numbered(_header(name, text))), []
    for line, row in _rows(name, text):
        row = [field for key, value in row for field in _languages(key, value)]
        with json_errors(name, line, tr(LINE_REMEDY, example=EXAMPLE_ROW)):  # `plain` has fewer levels than the decoder
            cells = [_spelled(value) for _, value in row]
        rows.append(dict(zip(_numbered([key for key, _ in row]), cells, strict=True)))
        names |= dict.fromkeys(rows[-1])
        if len(names) > MAX_FIELDS:
            raise too_many_columns(name, MAX_FIELDS, line)
    return [key for key, _ in names], [[row.get(key) for row in rows] for key in names]


def _languages(key: str, value: object) -> Iterable[tuple[str, object]]:
    """Returns a field, or those of the languages in it: Hugging Face writes {"translation": {"en": …, "de": …}}."""
    is_translation = key == "translation" and isinstance(value, Pairs)
    return [(well_formed(tag)[0], text) for tag, text in value] if is_translation else [(key, value)]


def too_many_columns(name: str, most: int, line: int | None = None) -> BadCorpusFile:
    """Returns the message for a table with more columns than `most`."""
    return BadCorpusFile(
        name, tr("there are more than {most:,} columns, the limit. Remove some columns.", most=most), line
    )


def _numbered(names: Iterable[str]) -> list[tuple[str, int]]:
    """Yields each name with its number among equal names."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append((name, seen[name]))
    return found


def _spelled(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        value = json.dumps(plain(value), ensure_ascii=False)
    return well_formed(value)[0]


def has_fields(name: str) -> bool:
    """Whether files of this name have fields.

    >>> has_fields("A.CSV"), has_fields("csv.txt")
    (True, False)
    """
    return suffix(name) in JSON_LINES or suffix(name) in DELIMITERS


def suffix(name: str) -> str:
    """Returns the suffix of a file's name in lower case."""
    return PurePath(name).suffix.lower()


def read(name: str, data: bytes) -> str:
    """Returns the text of a file like `read_text_file`; raises BadCorpusFile with the name of the file."""
    try:
        text = read_text_file(data)
    except UnreadableFile as error:
        raise BadCorpusFile(name, str(error)) from None
    return text.removeprefix("\ufeff") if has_fields(name) else text  # otherwise the mark would be in the first name


SEVERAL_FIELDS = mark("there is more than one field {field}. The fields here: {names}.")
NO_FIELD = mark("there is no field {field}. The fields here: {names}.")


def wrong_field(
    name: str, field: str, names: Sequence[str], problem: str = NO_FIELD, line: int | None = None
) -> BadCorpusFile:
    """Returns the message for an unknown field, which lists the first of these names."""
    listed = ", ".join([shown(one) for one in names[:MAX_NAMED_FIELDS]] or [tr("none")])
    if len(names) > MAX_NAMED_FIELDS:
        listed = tr("{names} and {n:,} more", names=listed, n=len(names) - MAX_NAMED_FIELDS)
    return BadCorpusFile(name, tr(problem, field=shown(field), names=listed), line)


def value_of(name: str, line: int, row: Row, field: str) -> str:
    """Returns the text in a field of a row, "" for null in JSON. Raises BadCorpusFile."""
    found = [value for key, value in row if key == field]
    if len(found) != 1:
        raise wrong_field(name, field, [key for key, _ in row], SEVERAL_FIELDS if found else NO_FIELD, line)
    if not isinstance(found[0], str | None):
        kind = kind_of(found[0])
        raise BadCorpusFile(
            name,
            tr("the field {field} holds {kind}, not text. Choose another field.", field=shown(field), kind=kind),
            line,
        )
    return found[0] or ""


def kind_of(value: object) -> str:
    """Returns a phrase on the type of a JSON value.

    >>> kind_of(5), kind_of([])
    ('a number', 'a list')
    """
    return tr(JSON_TYPES.get(type(value), NUMBER_TYPE))


def _rows(name: str, text: str) -> Iterator[tuple[int, Row]]:
    """Yields the rows of a file with fields, each with the number of its first line."""
    if suffix(name) in DELIMITERS:
        return table_rows(name, _header(name, text), islice(_records(name, text), 1, None))
    return json_rows(name, io.StringIO(text, newline="\n"))


def json_rows(name: str, lines: Iterable[str]) -> Iterator[tuple[int, Row]]:
    """Yields the rows of JSON lines; only a line feed ends one, since JSON strings may contain U+2028."""
    for line, source in enumerate(lines, 1):
        if source.strip():
            with json_errors(name, line, tr(LINE_REMEDY, example=EXAMPLE_ROW)):
                found = DECODER.decode(source.rstrip())
            yield line, json_row(name, line, found, tr(LINE_REMEDY, example=EXAMPLE_ROW))


LINE_REMEDY, EXAMPLE_ROW = mark("Each line must hold one JSON object, such as {example}."), '{"text": "…"}'


@contextmanager
def json_errors(name: str, line: int, remedy: str, start: int = 0, before: int = 0) -> Iterator[None]:
    """Turns errors of the JSON decoder into BadCorpusFile; the decoded source begins in this line, at `start`.

    `before` is the number of characters in its first line that were cut off before decoding.
    """
    try:
        yield
    except json.JSONDecodeError as error:
        facts = {"reason": translated(error.msg), "column": error.colno + (before if error.lineno == 1 else 0)}
        reason = tr("this is not valid JSON: {reason} (column {column:,}).", **facts)
        raise BadCorpusFile(name, f"{reason} {remedy}", line + error.doc.count("\n", start, error.pos)) from None
    except RecursionError:
        raise BadCorpusFile(name, f"{tr('this JSON is nested too deeply.')} {remedy}", line) from None
    except ValueError:  # Python raises it for numbers of more than 4,300 digits
        raise BadCorpusFile(
            name,
            tr(
                "a number has more than {most:,} digits, the limit. Write the number as a string.",
                most=sys.get_int_max_str_digits(),
            ),
            line,
        ) from None


def json_row(name: str, line: int, found: object, remedy: str) -> Row:
    """Returns the row in a JSON object; raises BadCorpusFile for any other value."""
    if not isinstance(found, Pairs):
        raise BadCorpusFile(name, f"{tr('this is {kind}, not an object.', kind=kind_of(found))} {remedy}", line)
    if len(found) > MAX_ROW_FIELDS:
        raise too_many_columns(name, MAX_ROW_FIELDS, line)
    return [(well_formed(key)[0], value) for key, value in found]


class Pairs(list):
    """The fields of a JSON object; a dict would drop one of two fields with the same name."""


def plain(value: Any) -> Any:
    """Returns a value with a dict in place of each Pairs in it.

    >>> plain(DECODER.decode('[{"a": {"b": 1}}]'))
    [{'a': {'b': 1}}]
    """
    if isinstance(value, Pairs):
        return {key: plain(one) for key, one in value}
    return [plain(one) for one in value] if isinstance(value, list) else value


DECODER = json.JSONDecoder(object_pairs_hook=Pairs)
JSON_TYPES = {
    Pairs: mark("an object"),
    list: mark("a list"),
    str: mark("a string"),
    bool: mark("true or false"),
    type(None): "null",
}
NUMBER_TYPE = mark("a number")


def table_rows(name: str, names: Sequence[str], records: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[int, Row]]:
    """Yields the rows of a table with this header; raises BadCorpusFile for a row with more or fewer fields."""
    for line, record in records:
        if len(record) != len(names):
            raise BadCorpusFile(
                name,
                tr(
                    "this row has {own}, but the first row has {named}. A text that contains a separator or a line"
                    ' ending must be in "quotes".',
                    own=trn("{n:,} field", "{n:,} fields", len(record)),
                    named=trn("{n:,} field", "{n:,} fields", len(names)),
                ),
                line,
            )
        yield line, list(zip(names, record, strict=True))


def _records(name: str, text: str) -> Iterator[tuple[int, list[str]]]:
    return table_records(name, io.StringIO(text, newline=""), **dialect_of(name, text))


def dialect_of(name: str, text: str) -> dict[str, Any]:
    """Returns the delimiter and the quoting of a table for the csv module, from all or the first chunk of its text."""
    delimiter = delimiter_of(name, text)
    is_plain = delimiter == "\t" and _has_stray_quotes(text)
    return {"delimiter": delimiter, "quoting": csv.QUOTE_NONE if is_plain else csv.QUOTE_MINIMAL}


def _has_stray_quotes(text: str) -> bool:
    """Whether quotes in a table of tabs do not balance, though each line is a row, as in Tatoeba's: they are text.

    They are not where a program wrote quotes around cells, and one of them was lost.
    """
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), delimiter="\t", strict=True):
            pass
    except csv.Error as error:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter="\t", quoting=csv.QUOTE_NONE)
        widths = [len(row) for row in rows if row and not is_separator_line(row)]
        may_be_cut = 4 * len(text) >= CHUNK_BYTES  # up to 4 bytes each
        is_end = may_be_cut and "end of data" in str(error)
        is_even = len({*widths[: -1 if may_be_cut else None]}) == 1
        return not is_end and is_even and not QUOTED_ROW.match(text) and not QUOTED_CELL.search(text)
    return False


def delimiter_of(name: str, text: str) -> str:
    r"""Returns the delimiter of a table: the one with which most rows have as many fields as the header.

    A first line such as "sep=;" names it.

    >>> delimiter_of("a.csv", 'id;text\n1;"one, two"\n'), delimiter_of("a.csv", "text\none\n")
    (';', ',')
    """
    if named := SEPARATOR_LINE.match(text):
        return named[1]
    own = DELIMITERS[suffix(name)]
    return max([own, *SNIFFED_DELIMITERS], key=lambda delimiter: _evenness(text[:MAX_SNIFFED_CHARACTERS], delimiter))


def _evenness(text: str, delimiter: str) -> tuple[float, int]:
    """Returns the share of rows with as many fields as the header, and that number; zeros for a single field."""
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
    if len(rows) > 1 and len(text) == MAX_SNIFFED_CHARACTERS:
        del rows[-1]  # may be incomplete
    width = len(rows[0]) if rows else 0
    return (sum(len(row) == width for row in rows) / len(rows), width) if width > 1 else (0.0, 0)


def is_separator_line(record: list[str]) -> bool:
    """Whether a record is the line with which Excel is told the delimiter."""
    return record[1:] == [""] and record[0].lower() == "sep="


def table_records(name: str, lines: Iterable[str], delimiter: str, quoting: int) -> Iterator[tuple[int, list[str]]]:
    """Yields the rows of a table with its header, without empty lines, empty rows before it and a separator line."""
    # Strict: otherwise an unclosed quote would silently take the rest of the file.
    reader = csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True)
    line, is_first = 1, True
    try:
        for record in reader:
            if len(record) > MAX_ROW_FIELDS:
                raise too_many_columns(name, MAX_ROW_FIELDS, line)
            is_above = is_first and len(record) > 1 and not any(record)  # such as ",," of an empty row of Excel
            if record and not is_above and not (line == 1 and is_separator_line(record)):
                is_first = False
                yield line, record
            line = reader.line_num + 1
    except csv.Error as error:
        reason = tr(
            "this row cannot be read: {error}. Look for a quotation mark that is not closed, or that is"
            " inside a text and not doubled.",
            error=error,
        )
        raise BadCorpusFile(name, reason, line) from None
