"""A tokenizer of another program, in a process of its own."""

import io
import shlex
import sys
import time

import numpy as np
import pytest
import sentencepieces
from hypothesis import given
from hypothesis import strategies as st

from tokenizer import encoding_files, encoding_from_merges, get_encoding, unreachable
from tokenizer.encoding.ladder import ladder
from tokenizer.errors import TokenizerError
from tokenizer.formats import apart
from tokenizer.formats.apart import Process, TookTooLong, load_apart, open_model_apart, read, write
from tokenizer.kinds import open_models

OURS = encoding_files(encoding_from_merges([(b"a", b"b")], name="toy"), "minbpe")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=5) | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)

pytestmark = pytest.mark.slow  # each has a process of its own


@given(VALUES)
def test_a_message_arrives_as_it_was_sent(value):
    file = io.BytesIO()
    write(file, value)
    file.seek(0)
    assert read(file) == value


def test_arrays_keep_their_type_and_a_message_that_is_cut_is_none():
    file = io.BytesIO()
    write(file, {"ids": np.array([1, 2], np.uint32), "starts": np.array([], np.int64)})
    whole = file.getvalue()
    found = read(io.BytesIO(whole))
    assert found["ids"].dtype == np.uint32 and found["ids"].tolist() == [1, 2] and found["starts"].dtype == np.int64
    for end in range(len(whole)):
        with pytest.raises((EOFError, ValueError)):
            read(io.BytesIO(whole[:end]))


def test_what_our_own_code_reads_needs_no_process():
    assert load_apart(OURS, "toy.model") is None


def test_what_cannot_be_read_is_said_in_words_and_without_a_path():
    before = {*apart._alive}
    with pytest.raises(TokenizerError, match="nonsense.model") as error:
        load_apart({"nonsense.model": b"\0\1\2"}, "nonsense.model")
    assert "/" not in str(error.value).replace("https://", "")
    assert {*apart._alive} == before


def test_one_that_is_asked_is_not_ended_as_idle():
    process = Process("open", list(OURS.items()), "toy.model", None).open()
    with process._lock:
        apart._end_idle([process])
        assert process._process
    apart._end_idle([process])
    assert process._process is None and process not in apart._alive


def test_a_process_that_takes_too_long_ends_and_another_answers(monkeypatch):
    process = Process("open", list(OURS.items()), "toy.model", None)
    monkeypatch.setattr(apart, "SECONDS", 0.0001)
    began = time.monotonic()
    with pytest.raises(TookTooLong, match="Opening this file takes more than"):
        process.open()
    assert time.monotonic() - began < 5 and process._process is None
    monkeypatch.setattr(apart, "SECONDS", 20)
    assert process.open().facts == {"foreign": False}
    process.end()


@pytest.mark.parametrize("patience", [0.5, 60])
def test_a_process_that_is_slow_to_begin_has_the_whole_time_for_a_file(monkeypatch, tmp_path, patience):
    slow = tmp_path / "python"
    slow.write_text(f'#!/bin/sh\nsleep 4\nexec {shlex.quote(sys.executable)} "$@"\n')
    slow.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(slow))
    monkeypatch.setattr(apart, "SECONDS", 3)
    monkeypatch.setattr(apart, "PATIENCE", patience)
    process = Process("open", list(OURS.items()), "toy.model", None)
    if patience < 4:
        with pytest.raises(TookTooLong):
            process.open()
    else:
        assert process.open().facts == {"foreign": False}
    process.end()


def test_those_asked_longest_ago_end_and_come_back(monkeypatch):
    monkeypatch.setattr(apart, "MOST_ALIVE", 2)
    processes = [Process("open", list(OURS.items()), "toy.model", None).open() for _ in range(3)]
    assert [one._process is None for one in processes] == [True, False, False]
    assert processes[0].open().facts == {"foreign": False}
    assert processes[1]._process is None
    for one in processes:
        one.end()


def test_texts_that_are_announced_are_asked_for_at_once_and_read_the_same():
    enc = load_apart({"a.model": sentencepieces.MODELS[next(iter(sentencepieces.MODELS))]()}, "a.model")
    texts = ["the theme", "ที่ \ud800", "", "the theme"]
    alone = [enc.encode(text) for text in texts]
    asked = []
    ask = enc.model.process.ask
    enc.model.process.ask = lambda name, *values: asked.append(name) or ask(name, *values)
    enc.read_ahead(texts)
    assert [enc.encode(text) for text in texts] == alone and asked == ["encode_each"]
    assert enc.encode("another text") and asked == ["encode_each", "encode"]
    enc.model.process.end()


@pytest.mark.skipif(not open_models.is_installed(), reason="splintr-rs is not installed")
def test_an_open_model_apart_is_the_same():
    enc, here, text = open_model_apart("llama2"), get_encoding("llama2"), "Hello  ที่ 🙂"
    assert enc.is_foreign and enc.fingerprint == here.fingerprint and enc.special_tokens == here.special_tokens
    assert enc.encode(text) == here.encode(text) and enc.decode(enc.encode(text)) == text
    assert [enc.piece(id) for id in range(0, 32000, 99)] == [here.piece(id) for id in range(0, 32000, 99)]
    assert ladder(b" costs", enc).steps == ladder(b" costs", here).steps
    assert list(unreachable(enc)) == list(unreachable(here))
    enc.model.process.end()
    assert enc.encode(text) == here.encode(text)  # another process came
    enc.model.process.end()
