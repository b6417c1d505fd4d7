"""Counting the rows of a table in a process: results, errors and stopping."""

import json

import pytest
from apps import ended, until
from oracles import oracle

from server.encodings import encoding_store, row_counts
from server.encodings.row_counts import RowCountJob
from server.training import jobs

TEXTS = ["one two", "ที่นี่", "", "a <|endoftext|>"]
ENTRIES = {"own": encoding_store.find("gpt2"), "GPT-3.5": encoding_store.find("cl100k_base")}

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_trainings_left")]


def begun(data, column="text", is_here=lambda: True):
    return jobs.enter(RowCountJob("a.jsonl", data, str(hash(data)), column, True, ENTRIES), ("10.0.0.1", "a"), is_here)


def lines(texts):
    return "\n".join(json.dumps({"id": i, "text": text}) for i, text in enumerate(texts)).encode()


def test_rows_are_counted_and_the_table_is_released():
    job = ended(begun(data := lines(TEXTS)))
    encoders = [oracle("gpt2"), oracle("cl100k_base")]
    own = [[len(encoder.encode(text, disallowed_special=())) for encoder in encoders] for text in TEXTS]
    assert job.found().tokens.tolist() == own and job.found().names == ("own", "GPT-3.5")
    until(lambda: not job.data)
    assert begun(data) is job


def test_uncountable_table_has_a_problem(monkeypatch):
    assert "line 2" in ended(begun(lines(["a"]) + b"\n{")).problem
    assert "no field 'words'" in ended(begun(lines(["a"]), "words")).problem
    monkeypatch.setattr(row_counts.workers.SHARES, "process", 60_000_000)
    for number in (1, 100_000):  # the process ends before it has read the larger table
        assert "memory" in ended(begun(lines(["b"] * number))).problem


def test_count_reports_progress_and_stops_without_its_page(monkeypatch):
    data = lines(["word " * 200] * 20_000)
    job = begun(data)
    until(lambda: 0 < job.share < 1 or job.over)
    assert not job.over
    monkeypatch.setattr(jobs, "ABANDONED_AFTER_SECONDS", 0)
    job.visitors["10.0.0.1", "a"] = lambda: False
    jobs.stop_abandoned()  # as the watch does each second; the count may end before that
    until(lambda: job.over and job.process.poll() is not None)
    assert job.problem.startswith("The count was stopped") and job.file is None
