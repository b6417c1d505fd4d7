"""A table on the Compare page: the counted column, the numbers of its rows, and invalid tables."""

import csv
import io

import pyarrow
import pytest
from apps import alerts, captions, open_page, plain_text, ran, text_of, until
from oracles import oracle
from pyarrow import parquet

from server.encodings import row_counts
from server.workers.background_worker import WorkStopped, worker

TEXTS = ["<b>one</b>", "two ที่", "=1+1 " * 40]

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def inline_counts(monkeypatch, inline_trainings):
    """Counts in threads of this process; tests/server/encodings counts in processes of their own."""
    monkeypatch.setattr("tokenizer.training.worker.serve", row_counts.serve)


def upload(name, data):
    """Uploads a table and waits for its count."""
    app = open_page("compare.py", way="table", encodings="gpt2,o200k_base")
    app.file_uploader(key="table_file").set_value([(name, data, "")])
    return counted(ran(app.run()))


def counted(app):
    state = app.session_state
    until(lambda: "row_job" not in state or state["row_job"] is None or state["row_job"].over)
    return ran(app.run())


def table(texts, delimiter=","):
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter).writerows([["<i>id", "text"], *enumerate(texts)])
    return file.getvalue().encode()


def test_column_with_most_letters_is_counted_and_escaped_until_another_is_chosen():
    app = upload("<u>.csv", table(TEXTS, ";"))
    assert app.selectbox(key="table_column").value == 1
    totals = [sum(len(oracle(name).encode(text)) for text in TEXTS) for name in ("gpt2", "o200k_base")]
    [html] = [one.value for one in app.html if "Tokens per row" in one.value]
    assert " ".join(plain_text(html).split()).startswith(f"GPT-2 gpt2 GPT-5 o200k_base Tokens {totals[0]} {totals[1]}")
    longest = app.dataframe[0].value
    assert longest["row"].tolist()[0] == 3 and set(longest["text"]) == set(TEXTS)
    assert "3 rows (0 without text)" in text_of(app)
    assert not [one.value for one in app.html if "<b>one" in one.value or "<u>" in one.value]
    ran(app.number_input(key="rows_over").set_value(50).run())
    over = [sum(len(oracle(name).encode(text)) > 50 for text in TEXTS) for name in ("gpt2", "o200k_base")]
    assert f"Rows with more than 50 tokens {over[0]} {over[1]}" in " ".join(text_of(app).split())
    most = "For up to 1,000 rows with the most tokens in gpt2, it also has the first 200 characters of the text."
    assert f"number of tokens of every counted row. {most}" in captions(app)  # in the CSV
    counted(ran(app.selectbox(key="table_column").select(0).run()))
    assert "Tokens 3 3" in " ".join(text_of(app).split())


def test_table_without_a_header_is_detected_and_can_be_switched():
    app = upload("a.csv", b'1,"one\ntwo"\n2,three\n3,four\n')
    assert app.toggle(key="table_header").value is False and app.selectbox(key="table_column").options[1] == "column 2"
    assert "3 rows (0 without text)" in text_of(app)
    assert app.dataframe[0].value["text"].tolist()[0] == "one ↵ two"
    app = counted(ran(app.toggle(key="table_header").set_value(True).run()))
    assert "2 rows (0 without text)" in text_of(app) and "one\ntwo" in app.selectbox(key="table_column").options


def test_array_of_json_objects_is_a_table_without_a_header_row():
    app = upload("a.json", b'[{"id": "7", "text": "one"},\n {"text": "two words", "id": "8"}]')
    assert app.selectbox(key="table_column").value == 1 and not app.toggle
    assert "2 rows (0 without text)" in text_of(app)


@pytest.mark.parametrize(
    "name, data, reason",
    [("a.csv", b"", "no rows"), ("a.txt", b"a", "no columns"), ("a.csv", b"id,text\n1,a\n2,b,c\n", "line 3")],
)
def test_invalid_table_shows_a_notice(name, data, reason):
    [alert] = alerts(upload(name, data))
    assert reason in alert


@pytest.mark.parametrize("name, data", [("a.PARQUET", b"PAR1"), ("a.csv", b"text" + b"," * 2_000_000)])
def test_costly_table_is_read_in_the_worker_process(name, data, monkeypatch):
    def stop(*args):
        raise WorkStopped(False)

    monkeypatch.setattr(worker, "run", stop)
    [alert] = alerts(upload(name, data))
    assert "This table needs more time or memory" in alert


def test_chats_show_their_template():
    app = upload("a.jsonl", b'{"messages": [{"role": "user", "content": "Hi"}]}\n{"messages": [{"role": "x"}]}')
    assert "ChatML" in text_of(app) and "Tool definitions" in captions(app)
    [alert] = alerts(app)
    assert "1 row was left out" in alert and "line 2" in alert


def test_left_out_row_of_parquet_has_no_line():
    file = io.BytesIO()
    parquet.write_table(pyarrow.table({"messages": [[{"role": "user", "content": "Hi"}], [{"role": "x"}]]}), file)
    [alert] = alerts(upload("a.parquet", file.getvalue()))
    assert "1 row was left out" in alert and "row 2" in alert and "line" not in alert
