"""Counts the small parts of a message before anything parses it: parsing very many holds Python's lock for seconds."""

import re
from functools import cache

from google.protobuf.descriptor import Descriptor, FieldDescriptor

MAX_FIELDS = 20_000  # protobuf fields of a message, at all depths; each number of an array counts as one or more
MAX_JSON_STRUCTURE_BYTES = 100_000  # bytes of a JSON text outside its strings; each string counts as one
MAX_JSON_DEPTH = 100  # levels of arrays and objects in a JSON text; Streamlit copies values by recursion
BRACKET = re.compile(rb"[\[\]{}]")
# The repetition is bounded, so that Python's lock is released between two matches.
STRING_PART = re.compile(rb'(?:[^"\\]{1,100}+|\\.){0,1000}+', re.DOTALL)
BACKSLASH = ord("\\")
VARINT, FIXED_64, LENGTH_DELIMITED, FIXED_32 = 0, 1, 2, 5  # wire types
OPAQUE_TYPES = (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)


def exceeds_field_limit(data: bytes, kind: Descriptor) -> bool:
    """Whether a protobuf message of this kind has more than `MAX_FIELDS` fields, as far as it can be read.

    The wire format: https://protobuf.dev/programming-guides/encoding/

    >>> from google.protobuf.struct_pb2 import ListValue
    >>> few, many = (ListValue(values=[{"number_value": 1}] * n).SerializeToString() for n in (9, 9_999))
    >>> exceeds_field_limit(few, ListValue.DESCRIPTOR), exceeds_field_limit(many, ListValue.DESCRIPTOR)
    (False, False)
    >>> exceeds_field_limit(many * 2, ListValue.DESCRIPTOR)
    True
    """
    try:
        return _fields_left(data, 0, len(data), kind, MAX_FIELDS) < 0
    except IndexError:  # the message is cut off
        return False


def _fields_left(data: bytes, at: int, end: int, kind: Descriptor, left: int) -> int:
    """Subtracts the fields between two offsets from `left`; stops below 0."""
    fields = _fields_by_number(kind)
    while at < end and left >= 0:
        left -= 1
        key, at = (data[at], at + 1) if data[at] < 128 else read_varint(data, at)
        field, wire_type = fields.get(key >> 3), key & 7
        if wire_type == VARINT:
            _, at = read_varint(data, at)
        elif wire_type == LENGTH_DELIMITED:
            size, at = (data[at], at + 1) if data[at] < 128 else read_varint(data, at)
            if field and field.message_type:
                left = _fields_left(data, at, at + size, field.message_type, left)
            elif field and field.type not in OPAQUE_TYPES:
                left -= size
            at += size
        else:
            at += {FIXED_64: 8, FIXED_32: 4}.get(wire_type, end)  # after an unknown wire type nothing can be read
    return left


@cache
def _fields_by_number(kind: Descriptor) -> dict[int, FieldDescriptor]:
    """Returns the fields of a kind of message as a dict, which is faster than protobuf's own mapping."""
    return dict(kind.fields_by_number)


def read_varint(data: bytes | memoryview, at: int) -> tuple[int, int]:
    """Returns the varint that begins at an offset, and the offset after it; raises IndexError where it is cut off."""
    number = shift = 0
    while True:
        number |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128 or shift > 63:
            return number, at


def exceeds_json_limit(text: str) -> bool:
    """Whether a text, be it JSON or not, is too large outside its JSON strings, or nested too deep.

    >>> exceeds_json_limit("[" + "0," * 50_000 + "0]"), exceeds_json_limit('"' + "0," * 50_000 + '"')
    (True, False)
    >>> exceeds_json_limit("[" * 101), exceeds_json_limit("[]" * 101), exceeds_json_limit('"' + "[" * 101)
    (True, False, False)
    """
    body, at, outside, depth = text.encode("utf-8", "surrogatepass"), 0, 0, 0
    if len(body) <= MAX_JSON_STRUCTURE_BYTES and body.count(b"[") + body.count(b"{") <= MAX_JSON_DEPTH:
        return False
    while at < len(body):
        begin = body.find(b'"', at)
        end = begin if begin >= 0 else len(body)
        outside += end - at + (begin >= 0)
        if outside > MAX_JSON_STRUCTURE_BYTES:
            return True
        for bracket in BRACKET.findall(body, at, end):
            depth += 1 if bracket in b"[{" else -1
            if depth > MAX_JSON_DEPTH:
                return True
        at = end_of_string(body, end + 1)
    return False


def end_of_string(body: bytes, at: int) -> int:
    """Returns the offset after the JSON string whose first character is at `at`; an unclosed one goes to the end."""
    end = body.find(b'"', at)
    while end >= 0 and body[end - 1] == BACKSLASH:  # the quotation mark may be escaped
        begin, at = at, STRING_PART.match(body, at).end()
        if at == begin:  # it is not
            break
        if at > end:
            end = body.find(b'"', at)
    return (end if end >= 0 else len(body)) + 1
