"""Reading text files in UTF-8 and UTF-16."""

import codecs
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from tokenizer.errors import TokenizerError
from tokenizer.i18n import tr
from tokenizer.i18n.third_party_messages import translated

MAX_FILE_BYTES = 5_000_000
CHUNK_BYTES = 1 << 20  # bytes of a file of any size that are read at once
HEAD_BYTES = 4096  # of a file, from which its encoding is detected
# what PDF, zip (and with it .docx, .odt and .epub), older files of Word, gzip, bzip2, xz, 7z and zstd begin with
DOCUMENTS = (
    b"%PDF-",
    b"PK\x03\x04",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    b"\x1f\x8b\x08",
    b"BZh91AY&SY",
    b"\xfd7zXZ\0",
    b"7z\xbc\xaf\x27\x1c",
    b"(\xb5/\xfd",
)
CONTROL = re.compile(r"[\x00-\x08\x0E-\x1A\x1C-\x1F]")  # white space and the escape of terminals stand in texts too


class UnreadableFile(TokenizerError):
    """The file is not UTF-8 or UTF-16 text, or too large."""


def read_text_file(data: bytes) -> str:
    r"""Returns the text of a UTF-8 or UTF-16 file.

    Line ends and a UTF-8 byte order mark stay, since an encoder sees them too.
    Raises UnreadableFile where the file is too large, is neither, or is full of control characters.

    >>> read_text_file(b"\xef\xbb\xbfa\r\n"), read_text_file("ที่".encode("utf-16"))
    ('\ufeffa\r\n', 'ที่')
    """
    if len(data) > MAX_FILE_BYTES:
        raise UnreadableFile(
            tr(
                "This file has {size:,} bytes; the limit is {most:,} bytes. Try a part of the file.",
                size=len(data),
                most=MAX_FILE_BYTES,
            )
        )
    _check_is_no_document(data)
    text = decoded(data, codec_of(data[:HEAD_BYTES], len(data)))
    check_looks_like_text(text)
    return text


def _check_is_no_document(head: bytes) -> None:
    if head.startswith(DOCUMENTS):
        raise UnreadableFile(
            tr(
                "This file is a PDF, a document of Word or a similar program, or an archive, not plain text. Open it"
                " in its own program and copy the text, or save it there as plain text in UTF-8."
            )
        )


def bad_byte(data: bytes, error: UnicodeDecodeError) -> int:
    r"""Returns the number, from 1, of the byte in `data` that is an error, also after a byte order mark.

    >>> try:
    ...     b"\xef\xbb\xbfa\xff".decode("utf-8-sig")  # removes the mark before it decodes
    ... except UnicodeDecodeError as error:
    ...     print(bad_byte(b"\xef\xbb\xbfa\xff", error))
    5
    """
    return len(data) - len(error.object) + error.start + 1


def decoded(data: bytes, codec: str, start: int = 0) -> str:
    r"""Returns the text of bytes that begin at byte `start` of a file; raises UnreadableFile where they are none.

    >>> decoded(b"a\xff", "utf-8", 100)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tokenizer.text.files.UnreadableFile: This file is not UTF-8 text: byte 102 is 0xFF (no character begins ...
    """
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        raise _not_text(error, codec, start) from None


def _not_text(error: UnicodeDecodeError, codec: str, start: int) -> UnreadableFile:
    """Returns the message for an error in bytes that begin at byte `start` of a file."""
    return UnreadableFile(
        tr(
            "This file is not {form} text: byte {at:,} is 0x{byte:02X} ({reason}). Save it as UTF-8 and open it again.",
            form="UTF-8" if codec == "utf-8" else "UTF-16",
            at=start + error.start + 1,
            byte=error.object[error.start],
            reason=translated(error.reason),
        )
    )


def check_looks_like_text(text: str) -> None:
    """Raises UnreadableFile where the beginning of a file's text is full of control characters."""
    # In UTF-16 without a mark, Thai is valid UTF-8 with a control character in every other place, Hindi in every fifth.
    head = text[:HEAD_BYTES]
    controls = len(CONTROL.findall(head))
    if controls > max(3, len(head) / 8):
        raise UnreadableFile(
            tr(
                "This file does not look like text: at least {controls:,} of its first {n:,} characters are"
                " control characters. If it is text, save it as UTF-8 and open it again.",
                controls=controls,
                n=len(head),
            )
        )


def codec_of(head: bytes, size: int) -> str:
    r"""Returns the codec of a file of this size: UTF-16 by its byte order mark or the zero bytes of its Latin letters.

    >>> codec_of(b"one", 3), codec_of(b"o\0n\0e\0", 6), codec_of(b"\xff\xfeo\0", 4)
    ('utf-8', 'utf-16-le', 'utf-16')
    """
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if size % 2 == 0 and head.count(0) > len(head) // 4:
        even, odd = head[::2].count(0), head[1::2].count(0)
        if odd > 8 * even:
            return "utf-16-le"
        if even > 8 * odd:
            return "utf-16-be"
    return "utf-8"


def read_chunks(file: BinaryIO, errors: str = "strict") -> Iterator[str]:
    r"""Yields the text of a UTF-8 or UTF-16 file of any size, chunk by chunk, as `read_text_file` reads it.

    With `errors="replace"`, what is not valid becomes U+FFFD, and every file can be read.

    >>> from io import BytesIO
    >>> list(read_chunks(BytesIO(b"caf\xe9!"), "replace"))
    ['caf�!']
    """
    data, at = file.read(CHUNK_BYTES), 0
    if errors == "strict":
        _check_is_no_document(data)
    codec = codec_of(data[:HEAD_BYTES], len(data) if len(data) < CHUNK_BYTES else 0)
    decoder = codecs.getincrementaldecoder(codec)(errors)
    while True:
        kept = len(decoder.getstate()[0])  # bytes of a character whose rest comes now
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise _not_text(error, codec, at - kept) from None
        if at == 0 and errors == "strict":
            check_looks_like_text(text)
        if text:
            yield text
        if not data:
            return
        at += len(data)
        data = file.read(CHUNK_BYTES)


class CountingReader(NamedTuple):
    """A file that reports the size of each read."""

    file: BinaryIO
    on_read: Callable[[int], None]

    def read(self, size: int) -> bytes:
        """Reads up to `size` bytes."""
        data = self.file.read(size)
        self.on_read(len(data))
        return data


def files_below(folder: str | Path, closed: Callable[[OSError], None]) -> Iterator[Path]:
    """Yields the files below a folder, hidden ones left out: its own by name, then those of each folder in it by name.

    `closed` is called with the error of a folder that cannot be opened.
    """
    for parent, folders, files in os.walk(folder, onerror=closed):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        paths = (Path(parent, name) for name in sorted(files) if not name.startswith("."))
        yield from (path for path in paths if path.is_file())
