"""Text files: UTF-8 and UTF-16 are read exactly, and everything else raises with a remedy."""

import bz2
import codecs
import gzip
import lzma
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizer.errors import TokenizerError
from tokenizer.text.files import CHUNK_BYTES, MAX_FILE_BYTES, UnreadableFile, read_chunks, read_text_file

LATIN = "One line,\r\nand another.\n"
THAI = "ความคิดเดียวกันแพงกว่า\nเมื่อเขียนด้วยอักษรอื่น"
TEXTS = [LATIN, THAI, "naïve ☕ 👩‍👦", "漢字かな交じり文", "a\tb\n1\t2\n", "a"]


@pytest.mark.parametrize("text", TEXTS)
def test_utf8_is_read_with_and_without_a_byte_order_mark(text):
    assert read_text_file(text.encode()) == text
    assert read_text_file(text.encode("utf-8-sig")) == "\ufeff" + text  # the mark has tokens, so it stays


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("codec, mark", [("utf-16-le", codecs.BOM_UTF16_LE), ("utf-16-be", codecs.BOM_UTF16_BE)])
def test_utf16_is_read_with_a_byte_order_mark(text, codec, mark):
    assert read_text_file(mark + text.encode(codec)) == text


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [LATIN, "a", "ok: naïve ☕", "name: ข้าวซอย, price: 60 baht"])
def test_utf16_without_a_mark_is_detected_by_latin_letters(text, codec):
    assert read_text_file(text.encode(codec)) == text


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text", [THAI, "बच्चे चाँद की रोशनी में पढ़ते हैं।", "يقرأ الأطفال على ضوء القمر.", "Дети читают при луне."]
)
def test_utf16_without_a_mark_or_latin_letters_is_refused(text, codec):
    with pytest.raises(UnreadableFile, match="UTF-8"):
        read_text_file(text.encode(codec))


@pytest.mark.parametrize(
    "data",
    [
        "café".encode("latin-1"),
        "€ “quoted”".encode("cp1252"),
        THAI.encode("tis-620"),
        "日本語の文".encode("shift-jis"),
        "中文".encode("gb18030"),
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00",
        b"PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00",
        b"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00>\x00",
        b"\x00asm\x01\x00\x00\x00",
        bytes(100),
        THAI.encode("utf-32"),
        LATIN.encode("utf-32-be"),
        "ที่".encode()[:-1],
        LATIN.encode("utf-16")[:-1],
        codecs.BOM_UTF16_LE + b"\x00\xd8",  # half of a surrogate pair
        b"\xed\xa0\xbd\xed\xb1\x8d",  # a surrogate pair, each half in three bytes
        b"\xc0\x80",
    ],
)
def test_file_that_is_not_text_raises_with_a_remedy(data):
    with pytest.raises(UnreadableFile, match="UTF-8") as refusal:
        read_text_file(data)
    assert isinstance(refusal.value, TokenizerError)


@pytest.mark.parametrize(
    "start",
    [
        b"%PDF-1.4\n1 0 obj\n",
        b"PK\x03\x04\x14\0\x06\0",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        gzip.compress(b"a"),
        bz2.compress(b"a"),
        lzma.compress(b"a"),
        b"7z\xbc\xaf\x27\x1c\0\4",
        b"(\xb5/\xfd\4\0\t\0",  # zstd
    ],
)
def test_document_of_another_program_is_not_refused_for_its_bytes(start):
    for read in (read_text_file, lambda data: [*read_chunks(BytesIO(data))]):
        with pytest.raises(UnreadableFile, match="copy the text"):
            read(start)


def test_error_names_the_first_bad_byte():
    with pytest.raises(UnreadableFile, match="byte 4 is 0xE9"):
        read_text_file("café au lait".encode("latin-1"))


@pytest.mark.parametrize("codec, mark", [("utf-16-le", codecs.BOM_UTF16_LE), ("utf-16-be", codecs.BOM_UTF16_BE)])
@pytest.mark.parametrize("unit", ["\ud800", "\udc00"])
def test_error_after_the_first_chunk_names_the_first_bad_byte(codec, mark, unit):
    start = mark + (CHUNK_BYTES * "a").encode(codec)
    bad = unit.encode(codec, "surrogatepass")
    with pytest.raises(UnreadableFile, match=f"UTF-16 text: byte {len(start) + 1:,} is 0x{bad[0]:02X}"):
        [*read_chunks(BytesIO(start + bad + "a".encode(codec)))]


def test_few_control_characters_are_accepted():
    text = "\x00 stands alone, \x1b[1mbold\x1b[0m does not\x0c"
    assert read_text_file(text.encode()) == text


def test_empty_file_is_an_empty_text():
    assert read_text_file(b"") == ""
    assert read_text_file(codecs.BOM_UTF16_LE) == ""


def test_file_at_the_limit_is_read_and_a_larger_one_raises():
    assert len(read_text_file(b"a" * MAX_FILE_BYTES)) == MAX_FILE_BYTES
    with pytest.raises(UnreadableFile, match="5,000,001 bytes; the limit is 5,000,000"):
        read_text_file(b"a" * (MAX_FILE_BYTES + 1))


@pytest.mark.parametrize("text", ["a\r\nb\r\n", "a\rb", "a\n\rb", "\r\n", "a\u2028b\x85c"])
@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
def test_line_ends_are_kept(text, codec):
    assert read_text_file(text.encode(codec)) == text


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1))
def test_any_text_is_read_exactly(text):
    assert read_text_file(text.encode()) == text
    assert read_text_file(codecs.BOM_UTF16_BE + text.encode("utf-16-be")) == text


@given(st.binary())
def test_any_bytes_are_read_or_refused(data):
    try:
        read_text_file(data).encode()
    except UnreadableFile as refusal:
        assert "UTF-8" in str(refusal)
