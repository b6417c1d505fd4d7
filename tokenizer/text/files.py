"""Text files as tokenizers meet them: from their bytes."""

import codecs
import io
import re
from collections.abc import Iterator
from typing import BinaryIO

from tokenizer.errors import TokenizerError
from tokenizer.words import tr

MOST_BYTES = 5_000_000
CHUNK = 1 << 20  # bytes read at once of a file of any size
HEAD = 4096  # how much of a file is looked at to know its kind
CONTROL = re.compile(r"[\x00-\x08\x0E-\x1A\x1C-\x1F]")  # white space and the escape of terminals stand in texts too


class UnreadableFile(TokenizerError):
    """A file that is not text as this program reads it."""


def read_text_file(data: bytes) -> str:
    r"""Returns the text of a UTF-8 or UTF-16 file.

    Line ends and a UTF-8 byte order mark stay, since an encoder sees them too.
    Raises UnreadableFile where the file is too large, is neither, or is full of control characters.

    >>> read_text_file(b"\xef\xbb\xbfa\r\n"), read_text_file("ที่".encode("utf-16"))
    ('\ufeffa\r\n', 'ที่')
    """
    if len(data) > MOST_BYTES:
        raise UnreadableFile(
            tr(
                "This file has {size:,} bytes; the limit is {most:,}. Try a shorter part of it.",
                size=len(data),
                most=MOST_BYTES,
            )
        )
    return "".join(read_chunks(io.BytesIO(data)))


def read_chunks(file: BinaryIO, errors: str = "strict") -> Iterator[str]:
    r"""Yields the text of a UTF-8 or UTF-16 file of any size, chunk by chunk, as `read_text_file` reads it.

    With `errors="replace"`, what is not valid becomes U+FFFD, and whatever the file holds is read.

    >>> list(read_chunks(io.BytesIO(b"caf\xe9!"), "replace"))
    ['caf�!']
    """
    data, at = file.read(CHUNK), 0
    codec = _utf16(data) or "utf-8"
    decoder = codecs.getincrementaldecoder(codec)(errors)
    while True:
        kept = len(decoder.getstate()[0])  # bytes of a character whose rest comes now
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise _not_text(codec, error, at - kept) from None
        if at == 0 and errors == "strict":
            _check(text[:HEAD])
        if text:
            yield text
        if not data:
            return
        at += len(data)
        data = file.read(CHUNK)


def _not_text(codec: str, error: UnicodeDecodeError, at: int) -> UnreadableFile:
    """What is said of a byte that is wrong, in what begins at byte `at` of a file."""
    return UnreadableFile(
        tr(
            "This file is not {form} text: byte {at:,} is 0x{byte:02X} ({reason}). Save it as UTF-8 and open it again.",
            form="UTF-8" if codec == "utf-8" else "UTF-16",
            at=at + error.start,
            byte=error.object[error.start],
            reason=error.reason,
        )
    )


def _check(head: str) -> None:
    """Raises UnreadableFile where a file begins with too many control characters to be text."""
    # In UTF-16 without a mark, Thai is valid UTF-8 with a control character in every other place, Hindi in every fifth.
    controls = len(CONTROL.findall(head))
    if controls > max(3, len(head) / 8):
        raise UnreadableFile(
            tr(
                "This file does not look like text: {controls:,} of its first {n:,} characters are control"
                " characters. If it is text, save it as UTF-8 and open it again.",
                controls=controls,
                n=len(head),
            )
        )


def _utf16(data: bytes) -> str | None:
    """The codec of a UTF-16 file, known by its byte order mark or else by the zero bytes of its Latin letters."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    head = data[:HEAD]
    if len(data) % 2 == 0 and head.count(0) > len(head) // 4:
        even, odd = head[::2].count(0), head[1::2].count(0)
        if odd > 8 * even:
            return "utf-16-le"
        if even > 8 * odd:
            return "utf-16-be"
    return None
