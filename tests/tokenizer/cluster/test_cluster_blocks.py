"""A corpus in blocks: any block size gives the pre-tokens of the whole, and unreadable files are reported."""

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizer import count_pre_tokens
from tokenizer.cluster.blocks import CannotCount, blocks_of, check, files_of, texts_of
from tokenizer.text.files import UnreadableFile, read_text_file
from tokenizer.text.tables import BadCorpusFile
from tokenizer.text.tables import texts_of as rows_of

MIXED = "one two\nthree, ที่นี่ 日本。語！ don't >  <b> </b>\r\n\t\u3000x\u2028y👍🏽 \U0001f600/ / \n\n/a▁ b 12345"
PIECES = ["a", " ", "\n", "\r\n", "/", "ที่", "日", "。", "👍", "▁", "> <", "\u3000", "\ufeff", "'s", "1", "\x1b"]


def read(path, may_cut=True, size=10):
    return ["".join(texts_of(block, "text")) for block in blocks_of(path, may_cut, size)]


@given(text=st.lists(st.sampled_from(PIECES), max_size=60).map("".join), size=st.integers(1, 30))
@pytest.mark.parametrize("pattern", ["gpt2", "o200k_base"])
def test_blocks_have_the_pre_tokens_of_the_whole(tmp_path_factory, pattern, text, size):
    path = tmp_path_factory.getbasetemp() / f"{pattern}.txt"
    path.write_bytes(text.encode())
    found = read(path, size=size)
    assert "".join(found) == text
    whole = count_pre_tokens(text, pattern)
    assert list(count_pre_tokens(found, pattern).items()) == list(whole.items())


@pytest.mark.slow
def test_long_text_is_cut_only_at_safe_places(tmp_path):
    path, text = tmp_path / "long.txt", MIXED * 5_000
    path.write_bytes(text.encode())
    blocks = blocks_of(path, True, 50_000)
    assert len(blocks) >= len(text.encode()) // 60_000 and max(block.size for block in blocks) < 60_000
    assert "".join(read(path, size=50_000)) == text
    assert len(blocks_of(path, False, 50_000)) == 1
    path.write_bytes(b"x" * 500_000)
    assert len(blocks_of(path, True, 50_000)) == 1
    path.write_bytes(b"x" * 300_000 + b" y")
    assert [block.end for block in blocks_of(path, True, 50_000)] == [300_000, 300_002]


def test_utf_16_and_csv_are_never_cut_and_json_lines_always_are(tmp_path):
    (tmp_path / "a.txt").write_bytes(MIXED.encode("utf-16"))
    assert read(tmp_path / "a.txt") == [MIXED]
    (tmp_path / "b.csv").write_bytes(b'\xef\xbb\xbftext,n\n"one\ntwo",1\nthree,2\n')
    assert len(blocks_of(tmp_path / "b.csv", True, 5)) == 1
    rows = b'\xef\xbb\xbf{"text": "one\\ntwo"}\r\n\n{"text": null}\n{"text": "three"}'
    (tmp_path / "c.jsonl").write_bytes(rows)
    blocks = blocks_of(tmp_path / "c.jsonl", False, 5)
    assert len(blocks) == 3
    assert [text for block in blocks for text in texts_of(block, "text")] == list(rows_of("c.jsonl", rows, "text"))


def test_invalid_json_row_is_reported_with_its_line_in_the_file(tmp_path):
    path, lines = tmp_path / "c.jsonl", ['{"text": "one"}'] * 100
    lines[70] = '{"text": 5}'
    path.write_text("\n".join(lines))
    with pytest.raises(BadCorpusFile) as wanted:
        list(rows_of("c.jsonl", path.read_bytes(), "text"))
    assert check(blocks_of(path, True, 200), "text") == {str(path): str(wanted.value)}


@pytest.mark.parametrize("at", [0, 3, 4_000, 9_999])
def test_invalid_utf_8_is_reported_with_the_apps_message(tmp_path, at):
    path, data = tmp_path / "a.txt", bytearray(b"word " * 2_000)
    data[at] = 0xFF if at else 0x80
    path.write_bytes(data)
    with pytest.raises(UnreadableFile) as wanted:
        read_text_file(bytes(data))
    assert check(blocks_of(path, True, 1_000), "text") == {str(path): str(wanted.value)}


def test_blocks_of_random_bytes_cover_the_file_without_gaps(tmp_path):
    path, rng = tmp_path / "a.bin", random.Random(5)
    for _ in range(20):
        data = rng.randbytes(3_000)
        path.write_bytes(data)
        blocks = blocks_of(path, True, rng.randint(1, 500))
        assert [block.start for block in blocks[1:]] == [block.end for block in blocks[:-1]]
        assert (blocks[0].start, blocks[-1].end) == (0, 3_000) and check(blocks, "text")


def test_file_of_control_characters_is_refused(tmp_path):
    (tmp_path / "a").write_bytes(b"\x01\x02" * 4_000)
    assert "does not look like text" in check(blocks_of(tmp_path / "a", True, 1_000), "text")[str(tmp_path / "a")]


def parquet(path, column):
    pq.write_table(pa.table({"text": column}), path, row_group_size=2)
    return path


def test_parquet_is_read_by_row_groups(tmp_path):
    path = parquet(tmp_path / "a.parquet", pa.array(["one", None, "", "ที่", "five"]))
    blocks = blocks_of(path)
    assert [(block.start, block.end) for block in blocks] == [(0, 1), (1, 2), (2, 3)]
    assert [list(texts_of(block, "text")) for block in blocks] == [["one", ""], ["", "ที่"], ["five"]]


def test_unreadable_parquet_is_reported(tmp_path):
    path = parquet(tmp_path / "a.parquet", pa.array([1, 2]))
    [message] = check(blocks_of(path), "text").values()
    assert "int64, not text" in message
    [message] = check(blocks_of(path), "words").values()
    assert "no field 'words'" in message and "text" in message
    bad = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"a\xff")])
    [message] = check(blocks_of(parquet(tmp_path / "b.parquet", bad)), "text").values()
    assert "not Parquet as it should be" in message
    for data in (b"", b"PAR1", path.read_bytes()[:-20]):
        (tmp_path / "c.parquet").write_bytes(data)
        with pytest.raises(BadCorpusFile, match="not Parquet as it should be"):
            blocks_of(tmp_path / "c.parquet")


def test_files_of_sorts_folders_by_name_and_raises_for_missing_paths(tmp_path):
    for name in ("b/1.txt", "a.txt", "b.txt", ".hidden", ".git/x", "b/.crc"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    found, closed = files_of([tmp_path, tmp_path / ".hidden"])
    inside = [path.relative_to(tmp_path).as_posix() for path in found]
    assert inside == ["a.txt", "b.txt", "b/1.txt", ".hidden"] and not closed
    with pytest.raises(CannotCount, match="no file and no folder"):
        files_of([Path("nowhere")])
    (tmp_path / "empty").mkdir()
    with pytest.raises(CannotCount, match="no files here"):
        files_of([tmp_path / "empty"])
