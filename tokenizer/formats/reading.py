"""Bounded reading of tokenizer files: bytes, lines, and JSON without duplicate keys."""

import codecs
import json
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tokenizer.encoding.interface import MAX_ID, is_id
from tokenizer.errors import BadTokenizerFile
from tokenizer.i18n import mark, tr
from tokenizer.i18n.third_party_messages import translated
from tokenizer.kinds.from_merges import SINGLE_BYTES
from tokenizer.text.files import bad_byte

MAX_FILE_BYTES = 100_000_000  # a tokenizer.json with 200,000 merges has about 15 million

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
DAMAGED_UTF_16 = mark(
    "the file begins like text in UTF-16, but a part of the file is not UTF-16; save the text again as UTF-8"
)


class Source(NamedTuple):
    """A file, with a split pattern and special tokens that replace the file's own."""

    path: Path
    data: bytes
    pattern: str | None = None
    special_tokens: Mapping[str, int] | None = None


def read_bytes(path: Path) -> bytes:
    """Returns the bytes of a file within MAX_FILE_BYTES, of UTF-16 text as UTF-8."""
    try:
        if not path.is_file():
            raise BadTokenizerFile(path, tr("the file does not exist; check its name"))
        if (size := path.stat().st_size) > MAX_FILE_BYTES:
            raise BadTokenizerFile(
                path, tr("the file has {size:,} bytes; the limit is {most:,} bytes", size=size, most=MAX_FILE_BYTES)
            )
        return as_utf8(path.read_bytes())
    except OSError as error:
        raise BadTokenizerFile(path, error.strerror or str(error)) from None


def as_utf8(data: bytes) -> bytes:
    r"""Returns UTF-16 text with a byte order mark, as PowerShell writes files, in UTF-8; other bytes unchanged.

    >>> as_utf8(b"\xff\xfea\0"), as_utf8(b"\xff\xfea"), as_utf8(b"\xef\xbb\xbfa")
    (b'a', b'\xff\xfea', b'\xef\xbb\xbfa')
    """
    if data.startswith(UTF_16):
        with suppress(UnicodeDecodeError):
            return data.decode("utf-16").encode()
    return data


def read_text(path: Path, data: bytes) -> str:
    """Returns the text of a UTF-8 file."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if data.startswith(UTF_16):
            raise BadTokenizerFile(path, tr(DAMAGED_UTF_16)) from None
        at = bad_byte(data, error)
        problem = tr("the file is not valid UTF-8 at byte {at:,}", at=at)
        raise BadTokenizerFile(path, problem, data.count(b"\n", 0, at) + 1) from None


def read_lines(path: Path, data: bytes) -> list[str]:
    r"""Returns the lines of a UTF-8 file, without their ends.

    >>> read_lines(Path("a"), b"a\r\nb\r\n"), read_lines(Path("a"), b"a\rb\r"), read_lines(Path("a"), b"a\rb\n")
    (['a', 'b'], ['a', 'b'], ['a\rb'])
    """
    text = read_text(path, data).replace("\r\n", "\n")
    lines = (text if "\n" in text else text.replace("\r", "\n")).split("\n")  # old Macs end lines with CR
    return lines[:-1] if lines[-1] == "" else lines


def read_json(path: Path, data: bytes) -> object:
    """Returns the content of a JSON file; a duplicate key in an object is an error."""

    def unique(pairs):
        found = dict(pairs)
        if len(found) < len(pairs):
            seen = set()
            key = next(key for key, _ in pairs if key in seen or seen.add(key))
            raise BadTokenizerFile(path, tr("the key {key!r} appears twice", key=key), line_of(data, key))
        return found

    try:
        return json.loads(read_text(path, data), object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise BadTokenizerFile(
            path, tr("the file is not valid JSON: {reason}", reason=translated(error.msg)), error.lineno
        ) from None
    except RecursionError:
        raise BadTokenizerFile(path, tr("lists and objects in the file are nested too deeply")) from None
    except BadTokenizerFile:
        raise
    except ValueError:  # Python raises it for numbers of more than 4,300 digits
        raise BadTokenizerFile(path, tr("the file contains a number with too many digits")) from None


def in_folder(path: Path) -> Path:
    """Returns the tokenizer.json of a folder, which programs read before any other file; any other path unchanged."""
    return found if (found := path / "tokenizer.json").is_file() else path


def line_of(data: bytes, *words: str) -> int | None:
    """Returns the line of a JSON file with these strings in this order; None if it is not found."""
    start = 0
    for word in words:
        for written in (json.dumps(word), json.dumps(word, ensure_ascii=False)):
            found = data.find(written.encode("utf-8", "surrogatepass"), start)
            if found >= 0:
                start = found
                break
        else:
            return None
    return data.count(b"\n", 0, start) + 1


def require_bytes(path: Path, tokens: Collection[bytes], line: int | None = None) -> None:
    """Raises BadTokenizerFile with the first byte that is not a token.

    >>> require_bytes(Path("a.json"), {bytes([byte]) for byte in range(255)})
    Traceback (most recent call last):
    tokenizer.errors.BadTokenizerFile: Cannot load a.json: there is no token for the byte 0xFF.
    """
    if missing := SINGLE_BYTES.keys() - tokens:
        raise BadTokenizerFile(path, tr("there is no token for the byte 0x{byte:02X}", byte=min(missing)[0]), line)


def read_id(path: Path, value: object, line: int | None | Callable[[], int | None]) -> int:
    """Returns a token's id from digits or a number; `line` is only called for an error."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 9:
        value = int(value)
    if not is_id(value):
        line = line() if callable(line) else line
        raise BadTokenizerFile(
            path,
            tr(
                "{value!r} is not an id; an id is a whole number from 0 to {largest:,}",
                value=str(value)[:40],
                largest=MAX_ID,
            ),
            line,
        )
    return value
