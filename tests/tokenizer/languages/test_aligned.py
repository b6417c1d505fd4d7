"""A visitor's own parallel text: aligning loses nothing, and problems are found in their cells."""

import json
from fractions import Fraction
from statistics import median

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from texts import TOO_DEEP

from tokenizer.errors import TokenizerError
from tokenizer.languages.aligned import (
    EMPTY,
    LENGTH,
    MAX_CORPUS_ROWS,
    MAX_LENGTH_RATIO,
    MIN_LENGTH_GAP_CHARACTERS,
    MISSING,
    TooMuchText,
    align,
    articles,
    by_section,
    declarations,
    is_declarations,
    lines,
    problems,
    table_cells,
)
from tokenizer.text.tables import BadCorpusFile, distinct, read_columns

texts = st.text(st.sampled_from("abc ที่\t\"'🎈\u2028\x0b"), max_size=40)
columns = st.lists(st.lists(texts, max_size=8), min_size=2, max_size=6)


# ---- alignment ----


@given(columns)
def test_align_keeps_all_cells_in_order(given):
    names = [f"c{j}" for j in range(len(given))]
    found = align(names, given)
    assert len(found.rows) == len(found.labels) == max(map(len, given))
    for j, column in enumerate(given):
        cells = [row[j] for row in found.rows]
        assert cells[: len(column)] == column and set(cells[len(column) :]) <= {None}


@given(
    st.lists(st.text(st.sampled_from("ab \u2028\x0c\x85"), max_size=5), max_size=8),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_only_cr_and_lf_end_a_line(given, end):
    assert lines("".join(line + end for line in given)) == given


def test_last_line_needs_no_line_end():
    assert lines("a\n\nb") == ["a", "", "b"] and lines("\n") == [""] and lines("a\ud800") == ["a\ufffd"]


# ---- problems ----


def by_brute_force(found, base):
    wrong = set()
    whole = [row for row in found.rows if all(cell is not None and cell.strip() for cell in row)]
    for i, row in enumerate(found.rows):
        for j, cell in enumerate(row):
            if cell is None:
                wrong.add((i, j, MISSING))
            elif not cell.strip():
                wrong.add((i, j, EMPTY))
            elif j != base and row in whole:
                middle = median(Fraction(len(other[j]), len(other[base])) for other in whole)
                expected = middle * len(row[base])
                far = len(cell) > MAX_LENGTH_RATIO * expected or len(cell) * MAX_LENGTH_RATIO < expected
                if far and abs(len(cell) - expected) >= MIN_LENGTH_GAP_CHARACTERS:
                    wrong.add((i, j, LENGTH))
    return wrong


sized = st.lists(st.lists(st.integers(0, 90).map("x".__mul__), max_size=7), min_size=2, max_size=4)


@given(sized)
@example([["x" * 6, "x" * 60], ["x" * 42, "x" * 84]])  # a ratio of exactly a third of the median
def test_problems_equal_brute_force(given):
    found = align([str(j) for j in range(len(given))], given)
    for base in range(len(given)):
        assert {tuple(one) for one in problems(found, base)} == by_brute_force(found, base)


def test_complete_rows_have_no_empty_cells():
    found = align(["a", "b"], [["one", "", "three", "four"], ["eins", "zwei", " "]])
    assert found.complete() == [0] and found.column(1, [0]) == ["eins"]


def test_too_many_rows_or_bytes_raise():
    with pytest.raises(TooMuchText, match="2,001 rows"):
        align(["a", "b"], [["x"] * (MAX_CORPUS_ROWS + 1), []])
    with pytest.raises(TooMuchText, match="bytes"):
        align(["a", "b"], [["x" * 1_000_001], []])


# ---- files ----


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=6))
def test_json_lines_are_read_as_columns(rows):
    data = "".join(json.dumps({"en": one, "th": two}) + "\n" for one, two in rows).encode()
    assert read_columns("a.jsonl", data) == (["en", "th"], [list(column) for column in zip(*rows, strict=True)])


def test_csv_and_tsv_are_read_as_columns():
    assert read_columns("a.csv", 'en,th\n"one, two",สอง\n'.encode()) == (["en", "th"], [["one, two"], ["สอง"]])
    assert read_columns("a.tsv", b"\xef\xbb\xbfa\tb\tc\n1\t2\t3\n")[0] == ["a", "b", "c"]
    assert read_columns("a.csv", b";\n;\nen;th\n;\none;two\n") == (["en", "th"], [["", "one"], ["", "two"]])


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.csv", b"en,th\none\n", "line 2"),
        ("a.csv", b'en,th\n"one,two\n', "line 2"),
        ("a.jsonl", b'{"a": 1}\n{"a"\n', "line 2"),
        ("a.txt", b"a", "no columns"),
        ("a.csv", b"\xff\xfe\x00", "a.csv"),
        ("a.csv", b",".join(b"%d" % i for i in range(101)) + b"\n" + b"," * 100, "more than 100 columns"),
        ("a.jsonl", b"\n".join(b'{"%d": "x"}' % i for i in range(5_000)), "line 101: there are more than 100 columns"),
    ],
)
def test_unreadable_table_raises_with_the_place(name, data, message):
    with pytest.raises(TokenizerError, match=message):
        read_columns(name, data)


def test_json_values_in_a_column_are_written_as_json():
    values = [{"a": {"b": [{"c": 1}]}}, [{"role": "user"}], 5, [1, [2]]]
    data = "\n".join(json.dumps({"x": value}) for value in values).encode()
    assert list(map(json.loads, read_columns("a.jsonl", data)[1][0])) == values
    with pytest.raises(BadCorpusFile, match="^a.jsonl, line 2: this JSON is nested too deeply"):
        read_columns("a.jsonl", f'{{"x": 1}}\n{{"x": {TOO_DEEP}}}'.encode())


def test_languages_of_a_translation_are_columns():
    data = b'{"id": 1, "translation": {"en": "one", "de": "eins"}}\n{"id": 2, "translation": {"en": "two", "de": null}}'
    assert read_columns("a.jsonl", data) == (["id", "en", "de"], [["1", "2"], ["one", "two"], ["eins", None]])


def test_missing_field_is_none():
    assert read_columns("a.jsonl", b'{"a": "x", "b": "y"}\n{"a": "z"}')[1] == [["x", "z"], ["y", None]]


# ---- the Universal Declaration, with made-up texts ----


def declaration(name, count=30, **more):
    sections = {"preamble": f"{name} begins"} | {f"art{i}": f"{name} {i}" for i in range(1, count + 1)}
    return {"code": name.lower(), "bcp47": name[:2].lower(), "name": name, "sections": sections} | more


def test_declarations_are_read_from_json_lines():
    data = "\n".join(json.dumps(declaration(name)) for name in ("Thai", "English", "Thai")).encode()
    assert is_declarations(b"\xef\xbb\xbf" + data)
    found = declarations("udhr.jsonl", b"\xef\xbb\xbf" + data)
    assert list(found) == ["Thai · th", "English · en", "Thai · th (3)"]
    rows = by_section({name: found[name] for name in list(found)[:2]})
    assert len(rows.rows) == 31 and rows.labels[1] == "art1" and rows.rows[1] == ("Thai 1", "English 1")


def test_duplicate_languages_and_sections_are_numbered():
    record = '{"name": "%s", "sections": {"art1": "one", "art1": "two"}}'
    found = declarations("a.jsonl", "\n".join(record % name for name in ("A (3)", "A", "A", "A (3)")).encode())
    assert list(found) == ["A (3)", "A", "A (3) (3)", "A (3) (4)"]
    assert found["A"] == {"art1 (1)": "one", "art1 (2)": "two"}


@given(st.lists(st.sampled_from(["a", "b", "a (1)", "a (2)", "a (1) (1)"]), max_size=12))
def test_distinct_renames_only_duplicates(names):
    found = distinct(names)
    assert len(set(found)) == len(names)
    assert all(one == name or names.count(name) > 1 for one, name in zip(found, names, strict=True))


def test_section_missing_in_one_language_is_a_problem():
    found = by_section({"a": declaration("A", 30)["sections"], "b": declaration("B", 29)["sections"]})
    assert found.rows[-1] == ("A 30", None) and [tuple(one) for one in problems(found, 0)] == [(30, 1, MISSING)]


@pytest.mark.parametrize(
    "data", [b"{", b"[1]", b'{"sections": {"art1": 5}}', b'{"sections": "x"}', b"\n\n", b'{"a": 1}']
)
def test_file_that_is_no_declaration_raises(data):
    with pytest.raises(TokenizerError):
        declarations("a.jsonl", data)


def plain(heading, indent="   ", title="Title", header="A header\n---\n\n"):
    body = "".join(f"{indent}{heading(i)}\n{indent * 2}Words of {chr(96 + (i % 26 or 26))}\n" for i in range(1, 31))
    return f"{header}{indent}{title}\n{indent}Preamble\n{indent * 2}Whereas\n{body}"


def thai(number):
    return "".join(chr(0x0E50 + int(digit)) for digit in str(number))


def han(number):
    tens, ones = divmod(number, 10)
    digits = "〇一二三四五六七八九"
    return ("" if tens == 0 else "十" if tens == 1 else digits[tens] + "十") + (digits[ones] if ones else "")


@pytest.mark.parametrize(
    "heading",
    [
        lambda i: f"Article {i}",
        lambda i: f"ข้อ {thai(i)}",
        lambda i: f"第{han(i)}条",
        lambda i: f"{i}.",
        lambda i: f"Artikel {i} ",
    ],
    ids=["English", "Thai digits", "Han", "bare", "space"],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_plain_declarations_are_split_into_articles(heading, end):
    found = articles(plain(heading).replace("\n", end))
    assert list(found) == ["preamble", *(f"art{i}" for i in range(1, 31))]
    assert found["art1"] == "Words of a" and found["art30"] == "Words of d" and found["preamble"].endswith("Whereas")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "one\ntwo\n",
        plain(lambda i: f"Article {i + 1}"),
        plain(lambda i: f"Article {i if i < 17 else i + 1}"),
        "---",
    ],
)
def test_articles_of_other_texts_are_none(text):
    assert articles(text) is None


def test_broken_declarations_raise_with_the_line():
    with pytest.raises(BadCorpusFile, match="line 2"):
        declarations("a.jsonl", json.dumps(declaration("Thai")).encode() + b"\n{")


def test_cells_of_several_lines_are_read_from_a_spreadsheet():
    table = 'en\tth\n"He said ""no"".\nTwice."\tไม่\n"Yes"\tใช่\n'
    cells = [["en", "th"], ['He said "no".\nTwice.', "ไม่"], ["Yes", "ใช่"]]
    assert table_cells(table) == cells and table_cells(f"{table}\n") == [*cells, []]
    dialogue = [["en", "fr"], ['"I came.', '"Je vins.'], ['I saw."', "J'ai vu.\""]]
    assert table_cells("\n".join(map("\t".join, dialogue))) == dialogue
