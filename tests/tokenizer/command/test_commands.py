"""The commands, run in this process: their output, errors and exit codes."""

import json
import os
import random
import re
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import oracle
from shell import invoke
from texts import CHUNKS

from tokenizer import (
    __version__,
    encoding_from_merges,
    get_encoding,
    list_encoding_names,
    load_encoding,
    save_encoding,
    unreachable,
)
from tokenizer.command import counting, serving
from tokenizer.command.all import tokenloupe
from tokenizer.command.screen import CONTROL
from tokenizer.encoding.streams import encode_stream, tokenize_stream
from tokenizer.kinds.byte_bpe import byte_bpe
from tokenizer.kinds.registry import encoding_name
from tokenizer.split import blocks as splitting
from tokenizer.text import files
from tokenizer.text.well_formed import as_text
from tokenizer.training.train import train

BYTES = {bytes([i]): i for i in range(256)}
ESCAPES = "\x1b[2J\x1b]0;title\x07\x9b31m\u202ereversed\r\x00\u2028"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Runs each test in its own folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(*words, text=b"", code=0, **environment):
    done = invoke(*words, text=text, **environment)
    assert done.exit_code == code, done.output
    return done.stdout


def problem(*words, text=b"", code=1):
    done = invoke(*words, text=text)
    assert (done.exit_code, done.stdout) == (code, ""), done.output
    return done.stderr


# Counting


@pytest.mark.parametrize(
    ("name", "official"), [("gpt2", "gpt2"), ("cl100k_base", "cl100k_base"), ("gpt-4o", "o200k_base")]
)
def test_count_equals_tiktokens_for_every_source_of_text(here, monkeypatch, name, official):
    some = ["The cat's ", "ที่", " 1234", "\n\n", "漢字。", "👩‍👦", "  x", "\r\n"]
    text = "".join(random.Random(name).choices(some, k=4_000))
    (here / "a.txt").write_bytes(text.encode())
    monkeypatch.setattr(files, "CHUNK_BYTES", 997)  # also within characters
    expected = f"{len(oracle(official).encode_ordinary(text))}\n"
    assert answer("count", "-e", name, "a.txt") == expected
    assert answer("count", "-e", name, text=text.encode()) == expected
    assert answer("count", "-e", name, "-", text=text.encode("utf-16")) == expected
    assert answer("count", "-e", name, "-t", text) == expected


@given(st.lists(st.one_of(CHUNKS, st.sampled_from([" a", "b\n", "。", " ", "\n", "<|endoftext|>"])), max_size=40))
def test_encode_stream_gives_the_tokens_of_the_whole_text(chunks):
    for name in ("o200k_base", "cl100k_base", "gpt2"):
        enc, whole = get_encoding(name), "".join(chunks)
        for special in ("text", "special"):
            found = [id for ids in encode_stream(chunks, enc, special) for id in ids.tolist()]
            assert found == enc.encode(whole, special)
        assert "".join(tokens.text for tokens in tokenize_stream(chunks, enc)) == enc.tokenize(whole).text


def test_encode_stream_adds_the_dummy_prefix_once():
    enc, chunks = get_encoding("llama2"), ["one two ", "three\nfour ", "five"]
    assert len(list(encode_stream(chunks, enc))) > 1
    assert [id for ids in encode_stream(chunks, enc) for id in ids.tolist()] == enc.encode("".join(chunks))


def test_text_without_safe_cuts_is_read_whole_with_a_note(here, monkeypatch):
    monkeypatch.setattr(counting, "NOTE_BUFFER_BYTES", 10)
    monkeypatch.setattr(files, "CHUNK_BYTES", 4)
    enc = byte_bpe("toy", None, BYTES | {b" t": 256})
    assert [len(ids) for ids in encode_stream(["one t", "wo"], enc)] == [6]
    (here / "long.txt").write_text("x" * 50)
    done = invoke("count", "long.txt")
    assert "long.txt has 0 MB without a safe place to cut" in done.stderr and done.exit_code == 0
    assert invoke("count", text=b"a few words " * 9).stderr == ""


def test_blocks_are_bounded_where_the_text_has_cuts():
    chunks = ["word " * 200, "more\nlines " * 90] * 20
    found = list(splitting.blocks(chunks))
    assert "".join(found) == "".join(chunks) and max(map(len, found)) < 1_100


def test_count_prints_files_and_a_total_also_if_one_is_missing(here):
    (here / "a.txt").write_text("hello world")
    (here / "b.txt").write_text("")
    done = invoke("count", "a.txt", "missing.txt", "b.txt")
    assert done.exit_code == 1
    assert done.stdout.split() == ["2", "a.txt", "0", "b.txt", "2", "total"]
    assert "missing.txt: No such file or directory. Check its name" in done.stderr
    record = json.loads(invoke("count", "--json", "a.txt", "missing.txt").stdout)
    assert record["tokens"] == 2 and list(record["errors"]) == ["missing.txt"]


def test_rows_of_a_table_are_counted_in_several_encodings(here):
    texts = ["one", "two ที่ \x1b[2J", "", "=1+1"]
    (here / "a.csv").write_text("id;text\n" + "".join(f'{i};"{text}"\n' for i, text in enumerate(texts)))
    own = {name: [len(oracle(name).encode(text)) for text in texts] for name in ("gpt2", "o200k_base")}
    words = ("count", "--rows", "a.csv", "--window", "1", "-e", "gpt2", "-e", "o200k_base")
    done = invoke(*words, "--json", "-o", "rows.csv")
    record = json.loads(done.stdout)
    assert (record["column"], record["rows"], record["empty"]) == ("text", 4, 1) and "column 'text'" in done.stderr
    for name, counts in own.items():
        assert record["encodings"][name]["total"] == sum(counts)
        assert record["over_window"][name] == sum(one > 1 for one in counts)
    assert (here / "rows.csv").read_text(encoding="utf-8").splitlines()[0] == "row,gpt2,o200k_base,text"
    assert "'=1+1" in (here / "rows.csv").read_text(encoding="utf-8")
    shown = answer(*words, "--column", "text")
    assert re.search(rf"Tokens +{sum(own['gpt2'])} +{sum(own['o200k_base'])}\n", shown) and not CONTROL.search(
        shown.replace("\n", "")
    )
    (here / "one.csv").write_text("text\none\n")
    assert "column 'text': 1 row (0 without text)" in answer("count", "--rows", "one.csv")
    assert "no field 'words'" in problem("count", "--column", "words", "a.csv")
    assert "Several encodings" in problem("count", "-e", "gpt2", "-e", "o200k_base", "a.csv", code=2)
    window = problem("count", "--rows", "--window", "x", "a.csv", code=2)
    assert "'x' is not a whole number of 1 or more, such as 8192." in window
    assert "'0' is not a whole number from 1 to 65,535" in problem("serve", "--port", "0", code=2)
    assert "whose name tells its form" in problem("count", "--rows", text=b"id,text\n1,a\n")
    table = (here / "a.csv").read_bytes()
    assert "would overwrite" in problem("count", "--rows", "a.csv", "-o", str(here / "a.csv"), code=2)
    assert (here / "a.csv").read_bytes() == table


def test_first_row_of_a_table_is_counted_where_it_looks_like_data(here):
    (here / "a.csv").write_text("1,one two three\n2,four five\n3,six\n")
    done = invoke("count", "--rows", "--json", "a.csv")
    assert "the first row looks like data" in done.stderr and json.loads(done.stdout)["rows"] == 3
    assert (
        json.loads(answer("count", "--column", "2", "--no-header", "--json", "a.csv"))["encodings"]["o200k_base"][
            "total"
        ]
        == len(oracle("o200k_base").encode("one two three")) + len(oracle("o200k_base").encode("four five")) + 1
    )
    assert json.loads(answer("count", "--rows", "--header", "--json", "a.csv"))["column"] == "one two three"
    assert "--header" in problem("count", "--header", "a.csv", code=2)


def test_count_of_a_folder_lists_all_texts_below_it_in_order(here):
    all_files = {"b/two.txt": b"one two", "a.txt": b"one", ".hidden/x": b"x", "b/.x": b"x", "c.gz": b"\x1f\x8b\x08\0"}
    for name, data in all_files.items():
        (here / "all" / name).parent.mkdir(parents=True, exist_ok=True)
        (here / "all" / name).write_bytes(data)
    done = invoke("count", "all")
    assert done.stdout.split() == ["1", "all/a.txt", "2", "all/b/two.txt", "3", "total"]
    assert "all/c.gz: This file is a PDF" in done.stderr and done.exit_code == 1
    assert json.loads(invoke("count", "--json", "all").stdout)["errors"].keys() == {"all/c.gz"}
    (here / "all" / "c.gz").unlink()
    assert answer("count", "all").split()[-1] == "total"
    (here / "empty").mkdir()
    assert "there are no files in this folder" in problem("count", "empty")


def test_empty_text_has_no_tokens_in_any_command(here):
    (here / "empty.txt").touch()
    assert answer("count", "empty.txt") == answer("count", text=b"") == answer("count", "-t", "") == "0\n"
    assert answer("encode", text=b"") == "\n"
    assert answer("show", text=b"") == ""
    assert answer("decode", text=b"") == ""
    assert json.loads(answer("encode", "--json", text=b""))["ids"] == []
    assert "Tokens " in answer("compare", text=b"")


def test_unreadable_folder_is_reported_and_other_files_are_counted(here, monkeypatch):
    (here / "all" / "closed").mkdir(parents=True)
    (here / "all" / "a.txt").write_text("one two")
    scan = os.scandir

    def refusing(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    done = invoke("count", "all")
    assert done.stdout.split() == ["2", "all/a.txt", "2", "total"] and done.exit_code == 1
    assert "all/closed: " in done.stderr


# Unreadable input


@pytest.mark.parametrize("command", ["count", "encode", "show", "compare"])
def test_file_that_is_not_text_is_reported_with_a_remedy(here, command):
    (here / "binary").write_bytes(bytes(range(32)) * 100)
    assert "does not look like text" in problem(command, "binary")
    (here / "latin.txt").write_bytes(b"caf\xe9 au lait")
    message = problem(command, "latin.txt")
    assert "latin.txt: " in message and "byte 4 is 0xE9" in message and "--errors replace" in message
    for name in ("binary", "latin.txt"):
        assert answer(command, "--errors", "replace", name)


def test_position_of_an_invalid_byte_counts_from_the_start_of_the_text(here, monkeypatch):
    monkeypatch.setattr(files, "CHUNK_BYTES", 10)
    assert "byte 27 is 0xFF" in problem("count", text="ที่".encode() * 2 + b" 1234567\xff!")
    assert "byte 10 is 0xE0 (the text ends inside a character)" in problem("count", text="ที่".encode() + b"\xe0\xb8")


def test_errors_suggest_a_remedy(here):
    assert "Did you mean 'cl100k_base'?" in problem("count", "-e", "cl10k_base", code=2)
    assert "Did you mean 'gpt-4o'?" in problem("count", "-e", "gpt4o", code=2)
    assert "Did you mean 'count'?" in problem("cuont", code=2)
    assert "Did you mean" in problem("count", "--jsn", code=2)
    assert "'x' is not a whole number" in problem("decode", "1", "x")
    assert "from 0 to 50,256" in problem("decode", "-e", "gpt2", "999999")
    assert "from 0 to 50256" in problem("vocab", "-e", "gpt2", "999999")
    assert "this is a folder" in problem("encode", ".")
    assert "not both" in problem("count", "-t", "x", "y", code=2)
    assert "at character 8" in problem("count", "--special", "error", text=b"one two<|endoftext|>")


def test_truncated_list_of_ids_is_decoded_with_a_note():
    done = invoke("decode", "-e", "gpt2", text=b'{"input_ids": [15496, 995')
    assert done.stdout_bytes == b"Hello world" and "The end of the list is missing" in done.stderr
    assert "attention_mask" in problem("decode", text=b'{"attention_mask": [1]}')


def test_position_of_a_special_token_counts_from_the_start_of_the_text(monkeypatch):
    monkeypatch.setattr(files, "CHUNK_BYTES", 8)
    text = b"nine char" + b" ten chars" * 3 + b" <|endoftext|>"
    assert "at character 41." in problem("count", "--special", "error", text=text)


def test_surrogate_in_an_argument_is_replaced_with_a_note():
    done = invoke("count", "-t", "a\udcff b")
    assert done.exit_code == 0 and "U+FFFD" in done.stderr
    assert int(done.stdout) == len(oracle("o200k_base").encode_ordinary("a\ufffd b"))


# Ids


@pytest.mark.slow
@given(st.text())
def test_decoding_encoded_ids_gives_the_same_bytes(text):
    text = text.encode("utf-8", "replace").decode()
    ids = invoke("encode", "--errors", "replace", text=text.encode()).stdout
    if "\x00" not in text:
        assert invoke("decode", text=ids.encode()).stdout_bytes == text.encode()


def test_ids_of_invalid_utf_8_decode_to_exact_bytes():
    assert invoke("decode", "-e", "gpt2", "136").stdout_bytes == get_encoding("gpt2").decode_bytes([136])
    record = json.loads(answer("decode", "--json", "-e", "gpt2", "136"))
    assert bytes.fromhex(record["bytes"]) == get_encoding("gpt2").decode_bytes([136])


# The screen


@pytest.mark.parametrize("words", [["show"], ["show", "--ids"], ["show", "--color", "always"], ["show", "--json"]])
def test_show_escapes_control_sequences_of_the_text(words):
    shown = answer(*words, "-e", "gpt2", text=f"a {ESCAPES} b\n".encode())
    own = shown.replace("\x1b[0m", "") if "always" in words else shown
    own = "".join(part.partition("m")[2] if i else part for i, part in enumerate(own.split("\x1b[38;5;16")))
    own = own.replace("\x1b[48;5;", "") if "always" in words else own
    assert not CONTROL.search(own.replace("\n", ""))


def test_count_escapes_control_sequences_in_file_names(here):
    try:
        (here / f"x{ESCAPES[:6]}.txt").write_text("one")
    except OSError:
        pytest.skip("no such name can be here")
    done = invoke("count", ".")
    assert "\\x1b[2J" in done.stdout and "\x1b" not in done.output


def test_show_marks_boundaries_with_and_without_colors():
    plain = answer("show", "-e", "gpt2", "-t", "two words")
    assert plain == "two│·words\n"
    assert "\x1b[" not in answer("show", "-t", "two words", NO_COLOR="1")
    colored = answer("show", "--color", "always", "-e", "gpt2", "-t", "two words")
    assert colored.count("│") == 1 and colored.count("\x1b[48;5;") == 2


@pytest.mark.parametrize("width", [10, 20, 40, 80])
def test_output_is_complete_on_narrow_terminals(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    shown = answer("compare", "-t", "hello world")
    assert all(one in shown for one in ("gpt2", "cl100k_base", "o200k_base", "Split graphemes"))
    assert width > 60 or max(map(len, shown.splitlines()[:-2])) <= 30
    assert all("\n\n" in answer(name, "--help") for name in tokenloupe.commands)
    assert answer("--version") == f"Tokenloupe {__version__}\n"


def test_change_reads_the_beginning_of_a_file_of_any_size(here):
    text = "the cat sat, " * 400
    (here / "whole.txt").write_text(text[:2_000])
    with (here / "large.txt").open("w") as file:
        file.write(text)
        file.truncate(3_000_000_000)  # sparse: no such file could be held in memory
    whole, large = answer("change", "-e", "gpt2", "whole.txt"), answer("change", "-e", "gpt2", "large.txt")
    assert large == f"Only the first 2,000 characters are changed.\n\n{whole}"
    assert answer("change", "-e", "gpt2", "-t", text) == large


def test_files_with_the_same_name_are_compared_with_each_other(here):
    for folder, merges in {"a": [(b"a", b"b")], "b": []}.items():
        save_encoding(encoding_from_merges(merges, None), here / folder / "tokenizer.json")
    options = ("-t", "abab", "-e", "a/tokenizer.json", "-e", "b/tokenizer.json", "-e", "gpt2", "-e", "gpt-2", "--json")
    found = json.loads(answer("compare", *options))
    assert found["boundaries"]["disputed"] == 2
    tokens = {name: own["tokens"] for name, own in found["encodings"].items()}
    assert tokens == {"tokenizer (1)": 2, "tokenizer (2)": 4, "gpt2": 2}
    for one in json.loads(answer("change", *options))["changes"]:
        assert one["effects"].keys() == tokens.keys()


# Training, vocabularies


def test_train_writes_the_cores_merges_and_its_file_opens_again(here):
    texts = ["the cat sat on the mat\n" * 30, "the dog sat on the log\n" * 30]
    for name, text in zip("ab", texts, strict=True):
        (here / f"{name}.txt").write_text(text)
    words = ["-n", "270", "-o", "new/cats.model", "--special-token", "<|end|>", "--json"]
    record = json.loads(answer("train", "a.txt", "b.txt", *words))
    assert record == {"tokens": 271, "merges": 14, "files": ["new/cats.model", "new/cats.vocab"]}
    enc = load_encoding(here / "new" / "cats.model")
    merges = list(train(texts, 270))
    assert [(merge.left, merge.right) for merge in enc.merges.in_order()] == [(one.left, one.right) for one in merges]
    assert enc.special_tokens == {"<|end|>": 270}
    assert answer("count", "-e", "new/cats.model", "-t", texts[0]) == f"{len(enc.encode(texts[0]))}\n"


def test_train_writes_every_form_with_the_same_ids(here):
    (here / "a.txt").write_text("low lower lowest " * 9)
    for name in ("x.model", "x.tiktoken", "x.json", "x.csv"):
        answer("train", "a.txt", "-n", "262", "-o", name)
    answer("train", "a.txt", "-n", "262", "-o", "folder", "--form", "gpt2")
    assert "folder/vocab.json" in problem("train", "a.txt", "-n", "262", "-o", "folder", "--form", "gpt2")
    names = ("x.model", "x.tiktoken", "x.json", "x.csv", "folder")
    assert len({answer("encode", "-e", name, "-t", "lowest slower") for name in names}) == 1


def test_train_refuses_an_unusable_output_before_reading(here, monkeypatch):
    monkeypatch.setattr("tokenizer.command.training.counted", None)
    (here / "a.txt").write_text("one two")
    (here / "there.vocab").touch()
    assert "there already" in problem("train", "a.txt", "-o", "there.model")
    assert "Known formats" in problem("train", "a.txt", "-o", "x.what", code=2)
    assert "white space" in problem("train", "a.txt", "-o", "x.model", "--special-token", "a b", code=2)
    assert "from 256" in problem("train", "a.txt", "-o", "x.model", "-n", "10", code=2)
    assert "Unknown split pattern 'cl100k'" in problem("train", "a.txt", "-o", "x.model", "-p", "cl100k", code=2)
    assert "Choose another folder" in problem("train", "a.txt", "-o", "a.txt/x.model")


def test_train_lifts_the_split_pattern(here):
    texts = ["the cat sat on the mat\n" * 30, "แมวนั่งบนเสื่อ ที่นี่\n" * 30]
    for name, text in zip("ab", texts, strict=True):
        (here / f"{name}.txt").write_text(text, "utf-8")
    merges = list(train(texts, 300, lift_after=24))
    for name in ("x.model", "x.tiktoken", "x.json", "x.csv"):
        answer("train", "a.txt", "b.txt", "-n", "300", "--lift-after", "24", "-o", name)
        found = load_encoding(here / name)
        assert found.pattern is None
        assert [merge[1:4] for merge in found.merges.in_order()] == [merge[1:4] for merge in merges]
        assert answer("count", "-e", name, "b.txt") == f"{len(found.encode(texts[1]))}\n"
    # too few pairs: the pattern stays
    done = invoke("train", "-n", "999", "--lift-after", "5", "-o", "y.csv", text=b"ab ab")
    assert "the split pattern was not lifted" in done.stderr
    assert load_encoding(here / "y.csv").pattern


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--lift-after", "0"], "not a whole number of 1 or more"),
        (["--lift-after", "14"], "at most 14 merges, so there is no merge after merge 14"),
        (["--lift-after", "3", "-p", "none"], "no split pattern"),
        (["--lift-after", "3", "--start", "gpt2", "--add", "9"], "tokens of gpt2 keep their ids"),
    ],
)
def test_train_refuses_a_lift_before_reading(here, monkeypatch, words, reason):
    monkeypatch.setattr("tokenizer.command.training.read", None)
    size = [] if "--start" in words else ["-n", "270"]
    assert reason in problem("train", "a.txt", "-o", "x.tiktoken", *size, *words, code=2)


def test_train_stops_when_no_pair_is_left_to_merge(here):
    done = invoke("train", "-n", "999", "-o", "x.csv", text=b"ab ab")
    assert "no pair was left to merge after 2 merges" in done.stderr and done.exit_code == 0
    assert "There is no text to train on" in problem("train", "-o", "y.csv", text=b"")


@pytest.mark.slow
def test_vocab_lists_tokens_with_their_merges():
    enc = get_encoding("gpt2")
    halves = {one.rank: [enc.ranks[one.left], enc.ranks[one.right]] for one in enc.merges.in_order()}
    ids = [*range(0, 50_257, 101), 50_256]
    record = json.loads(answer("vocab", "-e", "gpt2", "--json", *map(str, ids)))["tokens"]
    assert [(one["id"], bytes.fromhex(one["bytes"])) for one in record] == [(id, enc.token_bytes(id)) for id in ids]
    assert [one["merged_from"] for one in record] == list(map(halves.get, ids))
    assert [one["id"] for one in record if one["special"]] == [50_256]
    found = json.loads(answer("vocab", "-e", "gpt2", "--find", " cats", "--json"))["tokens"]
    assert [one["id"] for one in found] == [id for id in enc.ids() if b" cats" in enc.token_bytes(id)]


def test_vocab_lists_the_cores_unreachable_tokens(here):
    enc = encoding_from_merges([(b"a", b"b"), (b"!", b"?")], "[a-z]|\\W", name="toy")
    save_encoding(enc, here / "toy.model")
    lost = json.loads(answer("vocab", "-e", "toy.model", "--unreachable", "--json"))["tokens"]
    assert [one["id"] for one in lost] == list(unreachable(enc)) == [256, 257]
    why = "the text is split into several pre-tokens"
    assert [(one["read_as"], one["why"]) for one in lost] == [([97, 98], why), ([33, 63], why)]
    assert answer("vocab", "-e", "toy.model", "--unreachable", "256").endswith(f"= 97 + 98  read as 97 98: {why}\n")


@pytest.mark.slow
def test_vocab_finds_tokens_by_expression_and_script():
    enc = get_encoding("o200k_base")
    found = json.loads(answer("vocab", "--regex", "^ing(s|$)", "--script", "Latin", "--json"))["tokens"]
    texts = {id: as_text(enc.token_bytes(id)) or "" for id in enc.ids()}
    expected = [id for id, text in texts.items() if re.search("^ing(s|$)", text) and text.isalpha()]
    assert [one["id"] for one in found] == expected and len(expected) > 1
    assert "a ) is missing" in problem("vocab", "--regex", "(")
    assert "no token of the script 'Klingon'" in problem("vocab", "--script", "Klingon", code=2)


def test_vocab_lists_all_encodings_with_their_names():
    listed = json.loads(answer("vocab", "--names", "--json"))
    assert set(list_encoding_names()) <= set(listed) and list(map(encoding_name, listed)) == list(listed)
    assert "gpt-4o" in listed["o200k_base"]


# Exits


def test_broken_pipe_is_no_error(monkeypatch):
    monkeypatch.setattr("click.echo", lambda *_, **__: (_ for _ in ()).throw(BrokenPipeError(32, "Broken pipe")))
    done = invoke("encode", "-t", "hello")
    assert (done.exit_code, done.output) == (0, "")


def test_full_disk_is_reported(monkeypatch):
    echo, full = click.echo, OSError(28, "No space left on device")
    raises = lambda words, err=False, **more: echo(words, err=err) if err else (_ for _ in ()).throw(full)  # noqa: E731
    monkeypatch.setattr("click.echo", raises)
    done = invoke("encode", "-t", "hello")
    assert (done.exit_code, done.stderr) == (1, "Error: No space left on device.\n")


def test_ctrl_c_ends_with_130(monkeypatch):
    monkeypatch.setattr(counting, "counted", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    assert invoke("count", "-t", "hello").exit_code == 130


def test_serve_starts_the_app_from_any_folder_with_its_options(monkeypatch):
    became = []
    monkeypatch.setattr(serving.os, "execv", lambda program, words: became.append((os.getcwd(), words)))
    answer("serve", "--port", "8600", "--server.allowedHosts", "example")
    [(folder, words)] = became
    assert os.path.exists(os.path.join(folder, "app.py")) and os.path.exists(os.path.join(folder, "ui", "launcher.py"))
    assert words[1:] == ["-m", "ui.launcher", "--server.port", "8600", "--server.allowedHosts", "example"]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("tokenloupe co", {"count", "compare", "completion"}), ("tokenloupe count -e cl1", {"cl100k_base"})],
)
def test_commands_and_encodings_are_completed(typed, offered):
    words = typed.split()
    done = invoke(_TOKENLOUPE_COMPLETE="bash_complete", COMP_WORDS=typed, COMP_CWORD=str(len(words) - 1))
    assert {line.partition(",")[2] for line in done.stdout.splitlines()} == offered
    assert "_TOKENLOUPE_COMPLETE" in answer("completion", "zsh")


# Tool definitions


def test_tools_are_counted_largest_first_with_the_family_template():
    text = json.dumps([{"name": name, "inputSchema": {}} for name in ("f", "\x1b[31m" * 9)]).encode()
    lines = answer("tools", "--family", "qwen", text=text).splitlines()
    assert lines[1].endswith(r"\x1b[31m" * 9) and lines[2].endswith("  f") and lines[-1].endswith("total, as qwen")
    assert sum(int(line[:12]) for line in lines[1:-1]) == int(lines[-1][:12])
    found = json.loads(answer("tools", "--json", text=text))
    assert found["family"] == "json" and [one["tool"] for one in found["tools"]][1] == "f"
    assert "a , or a closing bracket is missing here (line 1, column 3)" in problem("tools", text=b"[1")


def test_tools_name_the_special_tokens_that_the_encoding_lacks():
    found = invoke("tools", "--family", "qwen", "--encoding", "gpt2", text=b'[{"name": "f", "inputSchema": {}}]')
    assert (
        "gpt2 does not contain <|im_start|>, <|im_end|>, <tool_call>, </tool_call>: each is counted as one token"
        in found.stderr
    )


@pytest.mark.slow
def test_train_from_a_start_writes_the_cores_merges_and_their_coverage(here):
    text = "Tokenloupe, tokenloupe and tokenloupes: Tokenloupe"
    Path("loupe.txt").write_text(text)
    words = ("--start", "gpt2", "--add", "3", "-o", "more.tiktoken", "--coverage", "rows.json")
    facts = json.loads(answer("train", "loupe.txt", *words, "--special-token", "<|tool|>", "--json"))
    start, merges = get_encoding("gpt2"), list(train(text, 50_260, start=get_encoding("gpt2")))
    more = load_encoding("more.tiktoken")
    assert [more.token_bytes(id) for id in range(50_257, 50_260)] == [merge.token for merge in merges]
    assert more.special_tokens == {"<|endoftext|>": 50_256, "<|tool|>": 50_260}
    assert (facts["tokens"], facts["merges"], facts["first_id"]) == (50_261, 3, 50_257)
    assert facts["text_tokens"] == [len(start.encode(text)), len(more.encode(text))]
    assert len(set(facts["english_tokens"])) == 1
    rows = json.loads(Path("rows.json").read_text("utf-8"))
    assert (rows["start"], rows["start_sha256"]) == ("gpt2", start.fingerprint)
    assert [row["id"] for row in rows["tokens"]] == [*range(50_257, 50_261)]
    for row, merge in zip(rows["tokens"], merges, strict=False):
        assert start.decode_bytes(row["old_ids"]) == bytes.fromhex(row["bytes"]) == merge.token
        assert row["text"] == merge.token.decode()
    assert rows["tokens"][-1]["old_ids"] == start.encode("<|tool|>")
    # from a file as well
    assert "50,262 tokens by 1 more merge," in answer(
        "train", "loupe.txt", "--start", "more.tiktoken", "--add", "1", "-o", "again.tiktoken"
    )


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--add", "3"], "need --start"),
        (["--coverage", "rows.json"], "need --start"),
        (["--start", "gpt2"], "--start needs --add"),
        (["--start", "gpt2", "--add", "3", "-n", "60000"], "--vocab-size cannot be used with --start"),
        (["--start", "gpt2", "--add", "3", "-p", "gpt2"], "--pattern cannot be used with --start"),
        (["--start", "gpt2", "--add", "0"], "not a whole number of 1 or more"),
        (["--start", "gpt2", "--add", "999999"], "from 50,257"),
        (["--start", "gpt2", "--add", "3", "-o", "x.model"], "bytes 0 to 255"),
        (["--start", "what", "--add", "3"], "Unknown encoding"),
    ],
)
def test_train_refuses_what_contradicts_the_start_before_reading(here, monkeypatch, words, reason):
    monkeypatch.setattr("tokenizer.command.training.counted", None)
    assert reason in problem("train", "a.txt", "-o", "x.tiktoken", *words, code=2)


@pytest.mark.parametrize("words", [("count", "-e"), ("check",)])
def test_name_that_is_too_long_for_a_file_is_an_unknown_encoding(words):
    assert "--names" in problem(*words, "x" * 300, code=2)
