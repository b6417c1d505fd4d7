"""Tables of files: arrays of JSON in parts, header rows, and the column that holds the text."""

import io
import json
import re
import uuid

import pytest

from tokenizer.text import files
from tokenizer.text.rows import cells, has_header, letters
from tokenizer.text.tables import BadCorpusFile, fields_of, most_text, texts_of

ARRAY = [{"id": i, "text": 'ที่ " {[ ' * i, "chat": [{"role": "user", "content": "x"}]} for i in range(20)]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("chunk_bytes", [1, 3, 50, 100_000])
def test_array_of_json_is_read_object_by_object_at_any_cut(monkeypatch, indent, chunk_bytes):
    monkeypatch.setattr(files, "CHUNK_BYTES", chunk_bytes)
    data = json.dumps(ARRAY, ensure_ascii=False, indent=indent).encode()
    found = list(cells("a.json", io.BytesIO(data), "text"))
    assert [text for _, text in found] == [one["text"] for one in ARRAY]
    lines = data.decode().splitlines()
    assert indent is None or {lines[line - 1] for line, _ in found} == {"  {"}
    assert [len(chat) for _, chat in cells("a.json", io.BytesIO(data), "chat")] == [1] * 20


@pytest.mark.parametrize(
    "data, message",
    [
        (b"[]", "a.json: the file has no rows. Choose a file with at least one row."),
        (b'{\n  "a": [{"b": "x"}]\n}', "a.json, line 1: A .json file must be one list of objects"),
        (b'{"a": [\n{"b": "x"}]}', "a.json, line 1: A .json file must be one list of objects"),
        (b'[{"a": "x"},\n5]', "a.json, line 2: A .json file must be one list of objects"),
        (b'[{"a": "x"} {"a": "y"}]', "one list of objects"),
        (b'{\n "data": [{"a": "x"}]\n}', "a.json, line 1: A .json file must be one list of objects"),
        (b'[{"a": "x"}] x', "one list of objects"),
        (b'[{"a": "x"}', "the end of the list is missing"),
        (b'[{"a": "x"},\n {"a":\n "y', "line 3: this is not valid JSON: a string has no closing double quote"),
        (b'[\n{"a" 1}' + b" " * 99 + b"]", "line 2: this is not valid JSON: a : is missing here"),
        (b'[{"a": ' + b"[" * 100_000, "nested too deeply"),
    ],
)
def test_invalid_array_of_json_is_an_error_with_its_line(data, message):
    with pytest.raises(BadCorpusFile, match=re.escape(message)):
        list(cells("a.json", io.BytesIO(data), "a")) or letters("a.json", io.BytesIO(data))


@pytest.mark.parametrize("before", ["", "\n", '{"a": "x"},\n'])
@pytest.mark.parametrize("chunk_bytes", [7, 50, 100_000])
def test_error_in_an_array_of_json_has_its_column_at_any_cut(monkeypatch, before, chunk_bytes):
    monkeypatch.setattr(files, "CHUNK_BYTES", chunk_bytes)
    data = "[" + before + 9 * '{"a": "x"}, ' + '{"a": none}, {"a": "' + 99 * "y" + '"}]'
    column = data.index("none") - data.rfind("\n", 0, data.index("none"))
    with pytest.raises(BadCorpusFile, match=re.escape(f"(column {column})")):
        list(cells("a.json", io.BytesIO(data.encode()), "a"))


def test_json_lines_may_be_called_json():
    assert list(cells("a.json", io.BytesIO(b'{"a": "x"}\n{"a": "y"}'), "a")) == [(1, "x"), (2, "y")]


HEADS = {
    b"id,text\n1,one\n2,two\n": True,
    b"1,one\n2,two\n3,three\n": False,
    b"text\nhello\nworld\n": True,
    b"The cat sat.\nThe dog ran.\nA bird flew.\n": False,
    b"id,How satisfied are you?\n1,very\n2,not at all\n": True,
    b"good film,pos\nbad,neg\nfine,pos\nso so,pos\n": False,
    b"word\nthe\nword\n": True,
    b"id,text\n1,a\n": True,
    b"id,text\n": True,
    b"": True,
}


@pytest.mark.parametrize("data", HEADS)
def test_first_row_is_a_header_unless_it_is_like_the_others(data):
    assert has_header("a.csv", io.BytesIO(data)) is HEADS[data]
    assert has_header("a.jsonl", io.BytesIO(data)) is None


def test_ids_and_addresses_do_not_win_over_a_shorter_text():
    rows = [f"{uuid.UUID(int=i * 7**40 % 2**128)},https://example.org/a/page,text {i}" for i in range(50)]
    found = letters("a.csv", io.BytesIO("\n".join(["id,url,text", *rows]).encode()))
    assert found == {"id": 0, "url": 0, "text": 200} and most_text(found) == "text"


@pytest.mark.parametrize("first", ["sep={}\r\n", "\ufeffSEP={}\n"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
@pytest.mark.parametrize("delimiter", ",;\t|")
def test_first_line_for_excel_names_the_delimiter(name, delimiter, first):
    data = f'{first}id{{}}text\r\n1{{}}"a, b; c"\r\n'.replace("{}", delimiter).encode()
    assert list(texts_of(name, data, "text")) == ["a, b; c"] and [*fields_of(name, data)] == ["id", "text"]
    assert list(cells(name, io.BytesIO(data), "text")) == [(3, "a, b; c")] and has_header(name, io.BytesIO(data))


@pytest.mark.parametrize("name", ["a.tsv", "a.csv"])  # Tatoeba calls its tables of tabs .csv
def test_quotes_that_do_not_balance_are_text_in_a_table_of_tabs(name):
    texts = ['"Hello," he said.', '"Hi.', '5" of "snow"', '"Yes."', '"', 'the ""end']
    data = "\n".join(["id\ttext", *(f"{i}\t{text}" for i, text in enumerate(texts))]).encode()
    for shown, written in ((texts, data), (texts[:2], data[: data.index(b"\n2\t")])):
        assert list(texts_of(name, written, "text")) == shown
        assert list(cells(name, io.BytesIO(written), "text")) == [*enumerate(shown, 2)]
    named = b'sep=\t\nid\tlang\ttext\n1\ten\t"Hi," he said.\n'
    assert list(texts_of(name, named, "text")) == ['"Hi," he said.']


@pytest.mark.parametrize(
    "start", ['id\ttext\n1\t"two\nlines"\n', 'id\ttext\n0\ta\n1\t"a ""word"""\n', '"id"\t"text"\n"0"\t"a"\n1\tb\n']
)
def test_lost_quote_in_a_table_of_tabs_with_quoted_cells_is_an_error(start):
    for end in ('2\t"Yes," he\n3\tc', '2\t"Yes'):
        with pytest.raises(BadCorpusFile, match="line 4: this row cannot be read: .* Look for a quotation mark"):
            list(texts_of("a.tsv", f"{start}{end}".encode(), "text"))
