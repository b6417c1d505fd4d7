"""Text files as tokenizers meet them: from their bytes."""

import codecs

from tokenizer.errors import TokenizerError

MOST_BYTES = 5_000_000


class UnreadableFile(TokenizerError):
    """A file that is not text as this program reads it."""


def read_text_file(data: bytes) -> str:
    r"""Returns the text of a UTF-8 or UTF-16 file; line ends and a UTF-8 byte order mark stay, since an encoder sees them too.

    Raises UnreadableFile where the file is too large, or is neither.

    >>> read_text_file(b"\xef\xbb\xbfa\r\n"), read_text_file("ที่".encode("utf-16"))
    ('\ufeffa\r\n', 'ที่')
    """
    if len(data) > MOST_BYTES:
        raise UnreadableFile(f"This file has {len(data):,} bytes; up to {MOST_BYTES:,} are read. Take a part of it.")
    if name := _utf16(data):
        return _decode(data, name, "UTF-16")
    return _decode(data, "utf-8", "UTF-8")


def _utf16(data: bytes) -> str | None:
    """The codec of a UTF-16 file, known by its byte order mark or, without one, by the zero bytes of its Latin letters."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    head = data[:4096]
    if len(data) % 2 == 0 and head.count(0) > len(head) // 4:
        even, odd = head[::2].count(0), head[1::2].count(0)
        if odd > 8 * even:
            return "utf-16-le"
        if even > 8 * odd:
            return "utf-16-be"
    return None


def _decode(data: bytes, codec: str, spoken: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        raise UnreadableFile(
            f"This file is not {spoken} text: byte {error.start:,} is 0x{data[error.start]:02X} ({error.reason}). "
            "Save it as UTF-8 and open it again."
        ) from None
