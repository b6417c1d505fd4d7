"""Hostile files: each is refused with a plain message in time, and the next file is read."""

import gzip
import io
import json
import time
import zipfile

import pytest
import sentencepieces

from server.encodings import uploads
from tokenizer import encoding_files, encoding_from_merges, formats
from tokenizer.errors import TokenizerError
from tokenizer.formats import sandboxed_model
from tokenizer.formats.sandboxed_model import SandboxStopped

TOY = encoding_files(encoding_from_merges([(b"a", b"b")], name="toy"), "minbpe")
pytestmark = pytest.mark.slow  # each file is read in its own process
MARKUP = "<img src=x onerror=alert(1)>"
MAX_SECONDS = sandboxed_model.OPENING_SECONDS + 3  # and the time to start and end a process on a busy machine


def pipeline(**parts) -> bytes:
    model = {"type": "WordLevel", "vocab": {"x": 0, "?": 1}, "unk_token": "?"}
    return json.dumps({"version": "1.0", "added_tokens": [], "model": model} | parts).encode()


def split_by(regex: str) -> bytes:
    return pipeline(
        pre_tokenizer={"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}
    )


def zipped(data: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("tokenizer.json", data)
    return made.getvalue()


def piece(text: bytes, size: int | None = None) -> bytes:
    """A piece of a `.model`; `size` is the declared length of its text."""
    inner = b"\x0a" + varint(len(text) if size is None else size) + text
    return b"\x0a" + varint(len(inner)) + inner


def varint(n: int) -> bytes:
    made = b""
    while n > 127:
        made, n = made + bytes([n % 128 + 128]), n // 128
    return made + bytes([n])


READABLE_FILE = split_by("a")
FILES = {
    "cut JSON": ("tokenizer.json", READABLE_FILE[:-30]),
    "no JSON": ("tokenizer.json", b"\xff\xfe\0\0"),
    "deep": ("tokenizer.json", b'{"model":' + b"[" * 1_000_000),
    "deep, closed": ("tokenizer.json", b'{"model":' + b"[" * 200_000 + b"]" * 200_000 + b"}"),
    "wrong model": ("tokenizer.json", pipeline(model={"type": "BPE", "vocab": 7, "merges": "x"})),
    "negative ids": ("tokenizer.json", pipeline(model={"type": "WordLevel", "vocab": {"a": -1}, "unk_token": "a"})),
    "a huge id": (
        "tokenizer.json",
        pipeline(model={"type": "WordLevel", "vocab": {"?": 4_000_000_000}, "unk_token": "?"}),
    ),
    "wrong steps": ("tokenizer.json", pipeline(normalizer={"type": "Sequence", "normalizers": 5})),
    "markup for a type": ("tokenizer.json", pipeline(model={"type": MARKUP})),
    "no such regex": ("tokenizer.json", split_by("(((((a")),
    "a bomb, gzip": ("bomb.model", gzip.compress(bytes(100_000_000), 1)),
    "a bomb, zip": ("bomb.json", zipped(bytes(10_000_000))),
    "zeros": ("zeros.model", bytes(5_000_000)),
    "cut pieces": ("cut.model", piece(b"<unk>") + piece(b"ab")[:-1]),
    "an absurd size": ("absurd.model", piece(b"<unk>", 2**62)),
    "a size below zero": ("absurd.model", b"\x0a" + b"\xff" * 9 + b"\x01" + b"a"),
    "pieces of nothing": ("many.model", piece(b"") * 100_000),
    "cut SentencePiece": ("cut.model", lambda: sentencepieces.model()[:-100]),
    "no bytes": ("none.tiktoken", b"YQ== 0\n" * 3),
    "empty": ("empty.model", b""),
}


def hostile_files(name: str):
    file, data = FILES[name]
    return {file: data() if callable(data) else data}


def error_in_time(work, *arguments):
    """Returns the message of the error, or None without one, and checks the time."""
    began = time.monotonic()
    try:
        work(*arguments)
    except TokenizerError as error:
        return str(error)
    finally:
        assert time.monotonic() - began < MAX_SECONDS
    return None


@pytest.mark.parametrize("name", FILES)
def test_hostile_file_is_refused_without_being_read_by_the_server(name, monkeypatch):
    def refuse(*_):
        raise AssertionError("the server opened the file")

    monkeypatch.setattr(formats, "load_encoding", refuse)
    error = error_in_time(uploads.load, hostile_files(name))
    assert error and 20 < len(error) < 700 and "Traceback" not in error and "/tmp" not in error
    assert error[0].isupper() and error.isprintable()


def test_next_file_is_opened_after_a_refusal():
    assert error_in_time(uploads.load, hostile_files("deep"))
    assert uploads.load(TOY).encode("ab") == [256]


def test_file_of_a_million_merges_is_refused_in_time(monkeypatch):
    monkeypatch.setattr(sandboxed_model, "OPENING_SECONDS", 1)
    lines = b"".join(b"%d %d\n" % (97 + i % 20, 97 + i // 20 % 20) for i in range(1_000_000))
    error = error_in_time(uploads.load, {"many.model": b"minbpe v1\n\n0\n" + lines})
    assert error and ("many.model" in error or "stopped after 0.5 seconds" in error)
    monkeypatch.undo()
    assert uploads.load(TOY).encode("ab") == [256]


def test_markup_in_names_stays_plain_text():
    vocabulary = {MARKUP: 0, "?": 1}
    files = {f"{MARKUP}.json": pipeline(model={"type": "WordLevel", "vocab": vocabulary, "unk_token": "?"})}
    enc = uploads.load(files)
    assert not set(enc.name) & set("<>=()") and enc.piece(0) == MARKUP


def test_catastrophic_pattern_is_stopped_and_the_next_text_is_read(monkeypatch):
    enc = uploads.load({"tokenizer.json": split_by("(x+x+)+y")})
    monkeypatch.setattr(sandboxed_model, "ANSWER_SECONDS", 1)
    began = time.monotonic()
    with pytest.raises(SandboxStopped, match="This text could not be encoded within 1 seconds"):
        enc.encode(("x" * 21 + " ") * 3_000)
    assert time.monotonic() - began < 4
    monkeypatch.undo()
    with pytest.raises(TokenizerError, match="retry-limit-in-match"):  # the library's own limit
        enc.encode("x" * 60)
    assert enc.encode("x") == [0]


def test_normalizer_that_multiplies_the_text_is_stopped(monkeypatch):
    longer = {"type": "Replace", "pattern": {"String": "x"}, "content": "xxxxxxxxxx"}
    enc = uploads.load({"tokenizer.json": pipeline(normalizer={"type": "Sequence", "normalizers": [longer] * 10})})
    monkeypatch.setattr(sandboxed_model, "ANSWER_SECONDS", 2)
    with pytest.raises(TokenizerError, match="stopped after|could not be encoded|memory"):
        enc.encode("x")
    monkeypatch.undo()
    assert enc.encode("?") == [1]
