"""What is made of very many small things: to read it holds everybody up, whatever it says. Nothing of ours is."""

import re

from google.protobuf.descriptor import Descriptor, FieldDescriptor

MOST = 20_000  # fields of a message, at all depths; numbers of an array count one by one, or more
MOST_OUTSIDE = 100_000  # bytes of a JSON text beside its strings, each of which counts as one
INSIDE = re.compile(rb'(?:[^"\\]{1,100}+|\\.){0,1000}+', re.DOTALL)  # so many at a time: nobody else runs meanwhile
BACKSLASH = ord("\\")
VARINT, EIGHT, SIZED, FOUR = 0, 1, 2, 5  # how a field of a message is spelled
WHOLE = (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)


def has_many_fields(data: bytes, kind: Descriptor) -> bool:
    """Whether a message of a kind has more fields than it may have, as far as it can be read.

    The spelling: https://protobuf.dev/programming-guides/encoding/

    >>> from streamlit.proto.WidgetStates_pb2 import WidgetState
    >>> data = WidgetState(id="a", string_value="b" * 99_999).SerializeToString()
    >>> has_many_fields(data, WidgetState.DESCRIPTOR)
    False
    """
    try:
        return _left(memoryview(data), 0, len(data), kind, MOST) < 0
    except IndexError:  # it ends too soon
        return False


def _left(data: memoryview, at: int, end: int, kind: Descriptor, left: int) -> int:
    """How many more fields there may be after those between two bytes; below 0 where those were too many."""
    while at < end and left >= 0:
        left -= 1
        key, at = _number(data, at)
        field, spelling = kind.fields_by_number.get(key >> 3), key & 7
        if spelling == VARINT:
            _, at = _number(data, at)
        elif spelling == SIZED:
            size, at = _number(data, at)
            if field and field.message_type:
                left = _left(data, at, at + size, field.message_type, left)
            elif field and field.type not in WHOLE:
                left -= size
            at += size
        else:
            at += {EIGHT: 8, FOUR: 4}.get(spelling, end)  # of another spelling nothing can be read
    return left


def _number(data: memoryview, at: int) -> tuple[int, int]:
    """The number that begins at a byte, seven bits in each, and where it ends."""
    number = shift = 0
    while True:
        number |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128 or shift > 63:
            return number, at


def has_many_values(text: str) -> bool:
    """Whether a text, be it JSON or not, has more outside its strings than any that a page of ours sends.

    >>> has_many_values("[" + "0," * 50_000 + "0]"), has_many_values('"' + "0," * 50_000 + '"')
    (True, False)
    """
    if len(text) <= MOST_OUTSIDE:
        return False
    body, at, outside = text.encode("utf-8", "surrogatepass"), 0, 0
    while outside <= MOST_OUTSIDE and (begin := body.find(b'"', at)) >= 0:
        outside, at = outside + begin + 1 - at, end_of_string(body, begin + 1)  # a string counts as one
    return outside + max(0, len(body) - at) > MOST_OUTSIDE


def end_of_string(body: bytes, at: int) -> int:
    """Where the JSON string ends whose first character is at `at`; one that is not closed goes to the end."""
    end = body.find(b'"', at)
    while end >= 0 and body[end - 1] == BACKSLASH:  # it may be a character of the string
        begin, at = at, INSIDE.match(body, at).end()
        if at == begin:  # it is none
            break
        if at > end:
            end = body.find(b'"', at)
    return (end if end >= 0 else len(body)) + 1
