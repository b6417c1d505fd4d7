"""Tokenizers of other programs in their own process."""

import io
import json
import shlex
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import psutil
import pytest
import sentencepieces
from hypothesis import given
from hypothesis import strategies as st

from tokenizer import encoding_files, encoding_from_merges, get_encoding, unreachable, workers
from tokenizer.encoding.ladder import ladder
from tokenizer.errors import TokenizerError
from tokenizer.formats import sandboxed_model
from tokenizer.formats.sandboxed_model import (
    SandboxProcess,
    SandboxStopped,
    ServerBusy,
    TooLarge,
    load_sandboxed,
    open_model_sandboxed,
    read,
    write,
)
from tokenizer.kinds import open_models

VALID_FILES = encoding_files(encoding_from_merges([(b"a", b"b")], name="toy"), "minbpe")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=5) | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)

pytestmark = pytest.mark.slow  # each starts a process


@given(VALUES)
def test_message_is_read_as_written(value):
    file = io.BytesIO()
    write(file, value)
    file.seek(0)
    assert read(file) == value


def test_arrays_keep_their_type_and_truncated_messages_raise():
    file = io.BytesIO()
    write(file, {"ids": np.array([1, 2], np.uint32), "starts": np.array([], np.int64)})
    whole = file.getvalue()
    found = read(io.BytesIO(whole))
    assert found["ids"].dtype == np.uint32 and found["ids"].tolist() == [1, 2] and found["starts"].dtype == np.int64
    for end in range(len(whole)):
        with pytest.raises((EOFError, ValueError)):
            read(io.BytesIO(whole[:end]))


@pytest.mark.parametrize("form", ["minbpe", "huggingface"])
def test_encoding_of_our_own_reader_needs_no_process_after_loading(form):
    made = encoding_from_merges([(b"a", b"b")], "gpt2", ["<|end|>"], name="toy")
    files, before = encoding_files(made, form), {*sandboxed_model.pool.alive}
    found = load_sandboxed(files, next(iter(files)))
    assert not found.runs_in_library and {*sandboxed_model.pool.alive} <= before
    assert found.encode("abc<|end|>", special="special") == made.encode("abc<|end|>", special="special")
    assert (found.fingerprint, found.special_tokens, found.split) == (made.fingerprint, made.special_tokens, made.split)


def test_unreadable_file_raises_without_a_server_path():
    before = {*sandboxed_model.pool.alive}
    with pytest.raises(TokenizerError, match="nonsense.model") as error:
        load_sandboxed({"nonsense.model": b"\0\1\2"}, "nonsense.model")
    assert "/" not in str(error.value).replace("https://", "")
    assert {*sandboxed_model.pool.alive} <= before


def test_busy_process_is_not_ended_as_idle(monkeypatch):
    monkeypatch.setattr(sandboxed_model, "IDLE_SECONDS", -1)
    process = SandboxProcess("open", list(VALID_FILES.items()), "toy.model", None).open()
    with sandboxed_model.pool.busy(process):
        sandboxed_model.pool.end_idle()
        assert process.is_running
    sandboxed_model.pool.end_idle()
    assert not process.is_running and process not in sandboxed_model.pool.alive


def test_process_over_the_time_limit_ends_and_the_next_one_answers(monkeypatch):
    process = SandboxProcess("open", list(VALID_FILES.items()), "toy.model", None)
    monkeypatch.setattr(sandboxed_model, "OPENING_SECONDS", 0.0001)
    began = time.monotonic()
    with pytest.raises(SandboxStopped, match="Opening this file was stopped after"):
        process.open()
    assert time.monotonic() - began < 5 and not process.is_running
    monkeypatch.setattr(sandboxed_model, "OPENING_SECONDS", 20)
    assert process.open().facts["foreign"] is False
    process.end()


def replace_python(monkeypatch, folder, *lines):
    """Runs these shell lines in place of Python."""
    script = folder / "python"
    script.write_text("\n".join(["#!/bin/sh", *lines]) + "\n")
    script.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(script))


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("kill -SEGV $$", "crashed on this file"),
        ("echo 'thread panicked at src/x.rs' >&2; kill -ABRT $$", "crashed on this file"),
        ("exit 1", "crashed on this file"),
        (
            "echo 'memory allocation of 2000000000 bytes failed' >&2; kill -ABRT $$",
            r"more than the limit of [\d,]+ MB of memory",
        ),
        ("echo MemoryError >&2; exit 1", r"more than the limit of [\d,]+ MB of memory"),
        ("kill -KILL $$", r"more than the limit of [\d,]+ MB of memory"),  # the system kills it when no memory is left
        ("exec sleep 60", "stopped after 2 seconds"),
    ],
)
def test_end_of_a_process_is_reported_with_its_reason(monkeypatch, tmp_path, end, words):
    replace_python(monkeypatch, tmp_path, """echo '[{"found": "here"}, []]'""", "read question", end)
    monkeypatch.setattr(sandboxed_model, "OPENING_SECONDS", 2 if end == "exec sleep 60" else 60)
    process = SandboxProcess("open", list(VALID_FILES.items()), "toy.model", None)
    with pytest.raises(SandboxStopped, match=words):
        process.open()
    assert process not in sandboxed_model.pool.alive


def test_answer_over_the_limit_raises(monkeypatch):
    file = io.BytesIO()
    write(file, ["x" * 100, b"y" * 100])
    for bounds in ({"max_line_bytes": 100}, {"max_blob_bytes": 99}):
        file.seek(0)
        with pytest.raises(TooLarge):
            read(file, **bounds)
    file.seek(0)
    assert read(file, 1000, 100) == ["x" * 100, b"y" * 100]


class IdleProcess:
    """A fake process that uses so many bytes while idle."""

    def __init__(self, size=0):
        self.size, self.is_busy, self.held_bytes, self.is_killed = size, False, 0, False

    def resident_bytes(self):
        return 0 if self.is_killed else self.size

    def kill(self):
        self.is_killed = True


@pytest.fixture
def small_pool(monkeypatch):
    """A pool with memory for two busy processes of 400 MB each and 200 MB more."""
    monkeypatch.setattr(workers, "SHARES", workers.Shares(4_000_000_000))
    monkeypatch.setattr(sandboxed_model, "START_SECONDS", 0.1)
    return sandboxed_model.SandboxPool()


def test_pool_runs_only_as_many_processes_as_memory_allows(small_pool):
    first, second, third = (IdleProcess(50_000_000) for _ in range(3))
    with small_pool.busy(first), small_pool.busy(second):
        with pytest.raises(ServerBusy), small_pool.busy(third):
            raise AssertionError("it works")
        assert third not in small_pool.alive
    with small_pool.busy(third):
        assert {*small_pool.alive} == {first, second, third}


def test_least_recently_used_idle_processes_end_to_free_memory(small_pool):
    idle = [IdleProcess(size * 1_000_000) for size in (250, 250, 90)]
    for one in idle:
        with small_pool.busy(one):
            pass
    assert not any(one.is_killed for one in idle)  # 590 MB of 1,000
    with small_pool.busy(IdleProcess(1)):
        assert [one.is_killed for one in idle] == [False] * 3
        with small_pool.busy(IdleProcess(1)):
            assert [one.is_killed for one in idle] == [True, True, False]
            assert sum(one.held_bytes for one in small_pool.alive) <= workers.SHARES.models


def test_ended_process_holds_no_memory(small_pool):
    with small_pool.busy(one := IdleProcess(50)):
        one.kill()
    assert not small_pool.alive


def runs_models(process):
    """Whether a process runs models; between its fork and its start it still has the memory of this process."""
    try:
        return sandboxed_model.__name__ in process.cmdline()
    except psutil.NoSuchProcess:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a parent limit a worker")
def test_four_normalizers_that_multiply_texts_stay_in_the_memory_limit(monkeypatch):
    monkeypatch.setattr(workers, "SHARES", workers.Shares(2_000_000_000))
    monkeypatch.setattr(sandboxed_model, "ANSWER_SECONDS", 120)
    monkeypatch.setattr(sandboxed_model, "START_SECONDS", 120)
    longer = {"type": "Replace", "pattern": {"String": "x"}, "content": "x" * 1000}
    normalizer = {"type": "Sequence", "normalizers": [longer] * 3}
    model = {"type": "WordLevel", "vocab": {"x": 0, "?": 1}, "unk_token": "?"}
    data = json.dumps({"added_tokens": [], "normalizer": normalizer, "model": model}).encode()
    others = set(psutil.Process().children())  # a server of other tests
    found = [load_sandboxed({"tokenizer.json": data}, "tokenizer.json") for _ in range(4)]
    most, is_over = [0], threading.Event()

    def watch():
        while not is_over.wait(0.02):
            begun = [one.pid for one in set(psutil.Process().children()) - others if runs_models(one)]
            most[0] = max(most[0], sum(map(workers.resident_bytes, filter(psutil.pid_exists, begun))))

    def answer(encoding):
        with pytest.raises(SandboxStopped, match="200 MB of memory"):
            encoding.encode("xx")

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(answer, found))
    finally:
        is_over.set()
        watching.join()
    assert 100_000_000 < most[0] <= workers.SHARES.models
    assert found[0].encode("?") == [1]  # in a new process
    sandboxed_model.end_all()


@pytest.mark.parametrize("start_seconds", [0.5, 60])
def test_slow_start_does_not_count_towards_the_time_limit(monkeypatch, tmp_path, start_seconds):
    replace_python(monkeypatch, tmp_path, "sleep 4", f'exec {shlex.quote(sys.executable)} "$@"')
    monkeypatch.setattr(sandboxed_model, "OPENING_SECONDS", 3)
    monkeypatch.setattr(sandboxed_model, "START_SECONDS", start_seconds)
    process = SandboxProcess("open", list(VALID_FILES.items()), "toy.model", None)
    if start_seconds < 4:
        with pytest.raises(ServerBusy):
            process.open()
    else:
        assert process.open().facts["foreign"] is False
    process.end()


def test_least_recently_used_process_ends_and_restarts_on_demand(monkeypatch):
    monkeypatch.setattr(sandboxed_model, "MAX_PROCESSES", 2)
    processes = [SandboxProcess("open", list(VALID_FILES.items()), "toy.model", None).open() for _ in range(3)]
    assert [one.is_running for one in processes] == [False, True, True]
    assert processes[0].open().facts["foreign"] is False
    assert not processes[1].is_running
    for one in processes:
        one.end()


def test_prefetched_texts_are_encoded_in_one_question():
    enc = load_sandboxed({"a.model": sentencepieces.MODELS[next(iter(sentencepieces.MODELS))]()}, "a.model")
    texts = ["the theme", "ที่ \ud800", "", "the theme"]
    alone = [enc.encode(text) for text in texts]
    questions = []
    ask = enc.model.process.ask
    enc.model.process.ask = lambda name, *values: questions.append(name) or ask(name, *values)
    enc.prefetch(texts)
    assert [enc.encode(text) for text in texts] == alone and questions == ["encode_each"]
    assert enc.encode("another text") and questions == ["encode_each", "encode"]
    enc.model.process.end()


@pytest.mark.skipif(not open_models.is_installed(), reason="splintr-rs is not installed")
def test_sandboxed_open_model_equals_the_one_in_this_process():
    enc, here, text = open_model_sandboxed("llama2"), get_encoding("llama2"), "Hello  ที่ 🙂"
    assert enc.runs_in_library and enc.fingerprint == here.fingerprint and enc.special_tokens == here.special_tokens
    assert enc.encode(text) == here.encode(text) and enc.decode(enc.encode(text)) == text
    assert [enc.piece(id) for id in range(0, 32000, 99)] == [here.piece(id) for id in range(0, 32000, 99)]
    assert ladder(b" costs", enc).steps == ladder(b" costs", here).steps
    assert list(unreachable(enc)) == list(unreachable(here))
    enc.model.process.end()
    assert enc.encode(text) == here.encode(text)  # in a new process
    enc.model.process.end()
