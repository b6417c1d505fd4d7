"""CSV output: no formulas, unchanged numbers, nothing lost."""

import csv
import io
import re

import paths
from hypothesis import example, given
from hypothesis import strategies as st

from tokenizer.text.tables import csv_text

FORMULAS = "=+-@\t\r\n＝＋－＠\"', aก"
cells = st.text(st.sampled_from(FORMULAS), max_size=6) | st.integers() | st.floats(allow_nan=False) | st.booleans()


@given(st.lists(st.lists(cells, min_size=1, max_size=4), max_size=4))
@example([['=HYPERLINK("http://e","x")', -1, -2.5, "-1"]])
@example([[f"{first}1" for first in FORMULAS]])
def test_csv_text_escapes_formulas_and_keeps_numbers(rows):
    found = list(csv.reader(io.StringIO(csv_text(rows), newline="")))
    for own, row in zip(found, rows, strict=True):
        for cell, value in zip(own, row, strict=True):
            if isinstance(value, str):
                assert cell in (value, f"'{value}") and not re.match("[=+@\t\r\n＝＋－＠-]", cell)
            else:
                assert cell == str(value)


def test_only_tables_py_writes_csv():
    source = {
        file: file.read_text(encoding="utf-8")
        for folder in ("tokenizer", "server", "ui", "pages")
        for file in (paths.ROOT / folder).rglob("*.py")
    }
    assert [file.name for file, text in source.items() if re.search(r"csv\.(Dict)?[Ww]riter\(", text)] == ["tables.py"]
    assert not [file for file, text in source.items() if re.search(r"\b(frame|rows|whole)\.to_csv\(", text)]
