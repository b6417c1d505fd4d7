"""UTF-8 bit by bit: the role of each byte, and the decoding of invalid bytes."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import regex

from tokenizer.errors import TokenizerError, shown
from tokenizer.i18n import mark, tr, trn

UTF8_BYTES = frozenset(bytes([byte]) for byte in (*range(0xC0), *range(0xC2, 0xF5)))  # all that occur in UTF-8

# The bits of a byte


class Octet(NamedTuple):
    """A byte in UTF-8: the bits of its role, and its payload, which are bits of the code point."""

    value: int
    mark: str
    payload: str
    role: str  # of BYTE_ROLES


BYTE_ROLES = {
    "0": mark("one-byte character"),
    "10": mark("continuation byte"),
    "110": mark("first of 2 bytes"),
    "1110": mark("first of 3 bytes"),
    "11110": mark("first of 4 bytes"),
    "11111": mark("never in UTF-8"),
}


def octet(value: int) -> Octet:
    """Returns the role and payload of a byte.

    >>> octet(0xE0), octet(0xB8)
    (Octet(value=224, mark='1110', payload='0000', role='first of 3 bytes'), \
Octet(value=184, mark='10', payload='111000', role='continuation byte'))
    """
    bits = f"{value:08b}"
    sign = next(sign for sign in BYTE_ROLES if bits.startswith(sign))
    return Octet(value, sign, bits[len(sign) :], tr(BYTE_ROLES[sign]))


def octets(data: bytes) -> list[Octet]:
    """Returns the bytes of a character; their payloads join to its code point.

    >>> chr(int("".join(octet.payload for octet in octets("ี".encode())), 2))
    'ี'
    """
    return [octet(value) for value in data]


# Decoding


class BadHex(TokenizerError):
    """The input is not bytes in hex; `position` is that of the error in the input, in characters, from 1."""

    def __init__(self, item: str, position: int, reason: str):
        self.item, self.position, self.reason = item, position, reason
        super().__init__(
            tr("{item} at character {position:,}: {reason}", item=shown(item), position=position, reason=reason)
        )


class DecodingStep(NamedTuple):
    """A step of decoding: bytes become a character, or U+FFFD with a `fault` of FAULTS and a reason in `why`."""

    start: int
    data: bytes
    text: str
    fault: str = ""
    why: str = ""


FAULTS = {
    "missing": mark("continuation byte missing"),
    "stray": mark("stray continuation byte"),
    "overlong": mark("overlong"),
    "surrogate": mark("surrogate"),
    "beyond": mark("beyond U+10FFFF"),
    "never": mark("never in UTF-8"),
}


def read_hex(source: str) -> tuple[bytes, list[BadHex]]:
    r"""Returns the bytes in hex input in order, and the other parts of the input.

    >>> data, [bad] = read_hex(r"E0B8AA 0xED,\xA0%80 G1")
    >>> data.hex(" "), str(bad)
    ('e0 b8 aa ed a0 80', "'G1' at character 21: 'G' is not a hex digit (0-9, A-F). Correct or remove this character.")
    """
    return _read(_HEX_ITEM, _hex, source)


def read_decimal(source: str) -> tuple[bytes, list[BadHex]]:
    """Returns the bytes in decimal input, such as a Python list, and the other parts of the input.

    >>> data, [bad] = read_decimal("[224, 184, 170, 256]")
    >>> list(data), str(bad)
    ([224, 184, 170], "'256' at character 17: this is not a whole number from 0 to 255. Correct or remove the number.")
    """
    return _read(_DECIMAL_ITEM, _decimal, source)


def _read(item: regex.Pattern, bytes_of: Callable[[str], bytes], source: str) -> tuple[bytes, list[BadHex]]:
    data, bad = bytearray(), []
    for found in item.finditer(source, concurrent=False):
        try:
            data += bytes_of(found[0])
        except ValueError as error:
            bad.append(BadHex(found[0], found.start() + 1, str(error)))
    return bytes(data), bad


def _decimal(item: str) -> bytes:
    if re.fullmatch(r"[0-9]{1,3}", item) and int(item) < 256:
        return bytes([int(item)])
    raise ValueError(tr("this is not a whole number from 0 to 255. Correct or remove the number."))


def _hex(item: str) -> bytes:
    digits = _HEX_PREFIX.sub("", item)
    if other := re.search(r"[^0-9A-Fa-f]", digits):
        raise ValueError(
            tr(
                "{other!r} is not a hex digit (0-9, A-F). Correct or remove this character.",
                other=other[0],
            )
        )
    if not digits:
        raise ValueError(tr("no hex digits follow. Write two hex digits for each byte."))
    if len(digits) % 2:
        raise ValueError(
            trn(
                "{n:,} hex digit is not a whole byte. Write two hex digits for each byte.",
                "{n:,} hex digits are not whole bytes. Write two hex digits for each byte.",
                len(digits),
            )
        )
    return bytes.fromhex(digits)


def decode_steps(data: bytes) -> Iterator[DecodingStep]:
    r"""Yields the steps of decoding like Python and the WHATWG: U+FFFD for each invalid maximal subpart.

    >>> [(step.data.hex(" "), step.text, step.fault) for step in decode_steps(b"a\xe0\xb8!\xff")]
    [('61', 'a', ''), ('e0 b8', '�', 'missing'), ('21', '!', ''), ('ff', '�', 'never')]
    """
    at = left = 0  # bytes that an invalid lead byte would have needed
    while at < len(data):
        is_left_over = left and 0x80 <= data[at] <= 0xBF
        step = (
            DecodingStep(at, data[at : at + 1], "\ufffd", "stray", tr(LEFT_OVER)) if is_left_over else _step(data, at)
        )
        if step.fault in ("overlong", "surrogate", "beyond"):
            left = _length(step.data[0]) - 1
        else:
            left = left - 1 if is_left_over else 0
        yield step
        at += len(step.data)


LEFT_OVER = mark("this byte belongs to the invalid bytes before it")


def _step(data: bytes, at: int) -> DecodingStep:
    lead = data[at]
    length = _length(lead)
    if fault := _refused_alone(lead):
        return DecodingStep(at, data[at : at + 1], "\ufffd", *fault)
    try:
        return DecodingStep(at, data[at : at + length], data[at : at + length].decode())
    except UnicodeDecodeError as error:
        return DecodingStep(at, data[at : at + error.end], "\ufffd", *_refused(data, at, at + error.end, length))


def _length(lead: int) -> int:
    """Returns the length of the sequence that a lead byte announces, even if it is invalid; 1 for other bytes."""
    ones = 8 - (lead ^ 0xFF).bit_length()
    return ones if 2 <= ones <= 6 else 1


def _refused_alone(lead: int) -> tuple[str, str] | None:
    if 0x80 <= lead <= 0xBF:
        return "stray", tr("this byte continues a character, but there is no unfinished character before it")
    if lead in (0xC0, 0xC1):
        first = (lead & 1) << 6
        points = {"first": f"U+{first:04X}", "last": f"U+{first + 63:04X}"}
        return "overlong", tr(
            "this byte would encode {first} to {last} in two bytes, where one byte is enough", **points
        )
    if lead >= 0xFE:
        return "never", tr("no character contains this byte")
    if lead >= 0xF5:
        return "beyond", tr("this byte would begin a code point above U+10FFFF, the last one in Unicode")
    return None


def _refused(data: bytes, at: int, end: int, length: int) -> tuple[str, str]:
    if end == len(data):
        ends = mark("this character needs {n} bytes, but the bytes end after {here} of them")
        return "missing", tr(ends, n=length, here=end - at)
    hex_bytes, following = data[at:end].hex(" ").upper(), f"{data[end]:02X}"
    if not 0x80 <= data[end] <= 0xBF:
        needs = mark(
            "this character needs {n} bytes, but after {here} comes {following}, which is not a continuation byte"
        )
        return "missing", tr(needs, n=length, here=hex_bytes, following=following)
    fault, why = INVALID_SECOND_BYTES[data[at]]
    return fault, tr(why, bytes=f"{hex_bytes} {following}")


INVALID_SECOND_BYTES = {  # by the first byte, the invalid second bytes
    0xE0: ("overlong", mark("a character that begins with {bytes} would take three bytes, but needs at most two")),
    0xED: ("surrogate", mark("{bytes} would encode a surrogate (U+D800 to U+DFFF), which only UTF-16 uses")),
    0xF0: ("overlong", mark("a character that begins with {bytes} would take four bytes, but needs at most three")),
    0xF4: ("beyond", mark("{bytes} would encode a code point above U+10FFFF, the last one in Unicode")),
}


_HEX_ITEM = regex.compile(r"""[^\s,;:|()\[\]{}<>'"`‘’“”\u200B\uFEFF]+""")
_DECIMAL_ITEM = regex.compile(r"[^\s,\[\]]+")
_HEX_PREFIX = re.compile(r"0[xX]|\\x|\\X|%")
