"""The background worker: same results as in-process, in the reader's language; timeouts and limits."""

import io
import json
import os
import subprocess
import sys
import time

import psutil
import pyarrow.parquet
import pytest
from apps import until
from paths import ROOT

from server.editor_api import questions, routes
from server.encodings import encoding_store
from server.training import jobs
from server.workers import background_worker
from server.workers.background_worker import Worker, WorkFailed, WorkStopped
from tokenizer import workers
from tokenizer.errors import TokenizerError
from tokenizer.i18n import using_language
from tokenizer.text.files import read_text_file
from tokenizer.text.rows import letters
from tokenizer.training.makers import ExternalTraining
from tokenizer.training.spm import Options
from tokenizer.training.worker import Order

TEXT = "hug pug pun bun hugs ที่ 👩‍👦 " * 9


@pytest.fixture(scope="module")
def worker():
    """One worker; after `end` it starts anew."""
    found = Worker()
    yield found
    found.end()


def question(text: str) -> bytes:
    data = text.encode()
    return (1).to_bytes(4, "little") + len(data).to_bytes(4, "little") + data


@pytest.mark.slow
def test_worker_errors_are_in_the_current_language(worker):
    with using_language("th"), pytest.raises(TokenizerError) as here:
        read_text_file(b"\xff\xfe\x00")
    with using_language("th"), pytest.raises(type(here.value)) as there:
        worker.run(read_text_file, b"\xff\xfe\x00")
    assert str(there.value) == str(here.value)
    assert worker.run(len, b"ab") == 2  # the worker still works


@pytest.mark.slow
def test_unexpected_error_is_named_and_does_not_end_the_process(worker):
    pid = worker.run(os.getpid)
    with using_language("th"), pytest.raises(WorkFailed, match="ValueError") as failed:
        worker.run(int, "typed by a visitor")
    assert "MB" not in str(failed.value) and "visitor" not in str(failed.value)
    assert worker.run(os.getpid) == pid


@pytest.mark.slow
def test_worker_is_stopped_at_the_timeout_and_restarted(worker, monkeypatch):
    assert worker.run(len, "a") == 1
    monkeypatch.setattr(background_worker, "TIMEOUT_SECONDS", 0.2)
    with pytest.raises(WorkStopped, match="after 0.2 seconds, the limit"):
        worker.run(time.sleep, 60)
    monkeypatch.setattr(background_worker, "TIMEOUT_SECONDS", 60)
    assert worker.run(len, "ab") == 2


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a parent limit a worker")
def test_worker_is_stopped_at_the_memory_limit_and_restarted(worker, monkeypatch):
    monkeypatch.setattr(workers, "SHARES", workers.Shares(8_000_000_000))
    worker.end()
    with pytest.raises(WorkStopped, match="more than 800 MB of memory, the limit"):
        worker.run(bytes, 900_000_000)
    assert worker.run(len, "ab") == 2


def test_idle_worker_ends(worker, monkeypatch):
    monkeypatch.setattr(background_worker, "IDLE_TIMEOUT_SECONDS", 0)
    pid = worker.run(os.getpid)
    until(lambda: not psutil.pid_exists(pid))


def trained_entries() -> list[encoding_store.StoredEncoding]:
    """Trains encodings that exist only in this process: with our trainer and with SentencePiece."""
    found = []
    for order in (Order(270, min_count=2), ExternalTraining("sentencepiece", Options("bpe", 280))):
        job = jobs.begin(order, (TEXT,), ("10.0.0.1", "test"))
        until(lambda job=job: job.over)
        found.append(
            encoding_store.add_external(job, "sp")
            if isinstance(order, ExternalTraining)
            else encoding_store.add_trained(job, order.pattern, (), "a")
        )
    return found


@pytest.mark.slow
def test_exports_are_equal_inline_and_in_the_worker(monkeypatch, inline_trainings):
    entries = trained_entries()
    for key in ("gpt2", *(entry.key for entry in entries)):
        for name in ("csv", "json", "html"):
            parameters = {"encoding": key}
            monkeypatch.setitem(questions.INLINE_EXPORT_LIMIT_BYTES, name, 10**9)
            arguments = name, parameters, question(TEXT), encoding_store.find(parameters["encoding"])
            with using_language("th"):
                here = questions.answer(*arguments)
                monkeypatch.setitem(questions.INLINE_EXPORT_LIMIT_BYTES, name, 0)
                assert questions.answer(*arguments) == here
    assert json.loads(questions.answer("json", {}, question(TEXT), encoding_store.find("gpt2")))["text"] == TEXT


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a parent limit a worker")
def test_worker_opens_a_model_after_it_has_read_parquet(worker, monkeypatch, inline_trainings):
    monkeypatch.setattr(workers, "SHARES", workers.Shares(16_000_000_000))
    worker.end()
    monkeypatch.setattr(questions, "worker", worker)
    monkeypatch.setitem(questions.INLINE_EXPORT_LIMIT_BYTES, "csv", 0)
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"a": ["text"]}), file)
    assert worker.run(letters, "a.parquet", io.BytesIO(file.getvalue())) == {"a": 4}
    model = trained_entries()[1]
    assert b"hug" in questions.answer("csv", {"encoding": model.key}, question(TEXT), model)


def test_long_texts_and_exports_have_slots_of_their_own():
    waits = [routes.slots_for("tokens", "known", size) for size in (20_000, 5_000_000)]
    assert waits[0] is not waits[1] and routes.slots_for("json", "known", 20_000) not in waits


@pytest.mark.slow
def test_worker_starts_from_an_installed_package(tmp_path):
    site, app = tmp_path / "site", tmp_path / "site" / "tokenizer" / "app"  # as [tool.setuptools] lays it, not renamed
    app.mkdir(parents=True)
    for path in (ROOT / "tokenizer").iterdir():
        (site / "tokenizer" / path.name).symlink_to(path)
    for name in ("app.py", "assets", "server", "ui", "web"):
        (app / name).symlink_to(ROOT / name)
    script = (
        "import sys; from tokenizer.paths import APP; sys.path.insert(0, str(APP));"
        "from server.workers.background_worker import worker; print(worker.run(len, 'abc'))"
    )
    env = os.environ | {"PYTHONPATH": str(site)}
    found = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=env, capture_output=True, timeout=60)
    assert (found.stdout, found.returncode) == (b"3\n", 0), found.stderr.decode()
