"""Messages with too many small fields are detected before they are parsed; long simple ones pass."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from server.limits import message_complexity
from server.limits.message_complexity import (
    MAX_FIELDS,
    MAX_JSON_STRUCTURE_BYTES,
    end_of_string,
    exceeds_field_limit,
    exceeds_json_limit,
)


def fields(message) -> int:
    """Returns the number of fields at all depths; each array element counts as one."""
    number = 0
    for field, value in message.ListFields():
        for one in value if field.is_repeated else [value]:
            number += 1 + (fields(one) if field.message_type else 0)
    return number


def rerun_message(**values) -> bytes:
    """Returns a serialized rerun message with one widget."""
    message = BackMsg()
    widget = message.rerun_script.widget_states.widgets.add(id="x")
    for name, value in values.items():
        getattr(widget, name).data.extend(value) if isinstance(value, list) else setattr(widget, name, value)
    return message.SerializeToString()


def is_crowded(data: bytes) -> bool:
    return exceeds_field_limit(data, BackMsg.DESCRIPTOR)


@pytest.mark.parametrize(
    "data",
    [
        rerun_message(string_array_value=[""] * MAX_FIELDS),
        rerun_message(int_array_value=[0] * MAX_FIELDS),
        rerun_message(double_array_value=[0.0] * MAX_FIELDS),
        b"\x50\x00" * (MAX_FIELDS + 1),  # unknown fields
        b"\x5a\xff\xff\xff\x7f" + b"\x12\x00" * (MAX_FIELDS + 1),  # a length beyond the end
        rerun_message(string_array_value=[""] * MAX_FIELDS) + b"\x5a\xff",  # cut off
    ],
    ids=["texts", "whole numbers", "numbers", "unknown", "longer", "cut off"],
)
def test_messages_of_many_small_fields_are_rejected(data):
    assert is_crowded(data)


@pytest.mark.parametrize(
    "data",
    [
        rerun_message(string_value="0," * 5_000_000),
        rerun_message(json_trigger_value="[" * 5_000_000),
        rerun_message(bytes_value=b"\x50\x00" * MAX_FIELDS),
        rerun_message(string_array_value=["a" * 100] * 9_000),
        b"\x5a\xff",
        b"\x0f" * 99_999,
        b"\xff" * 99_999,
        b"",
    ],
    ids=["text", "json", "bytes", "a thousand names", "cut off", "no message", "no number", "nothing"],
)
def test_long_simple_messages_pass(data):
    assert not is_crowded(data)


WIDGETS = st.builds(
    lambda id, kind, texts, numbers: {"id": id, kind: {"data": texts if kind.startswith("string") else numbers}},
    st.text(max_size=3),
    st.sampled_from(["string_array_value", "int_array_value"]),
    st.lists(st.text(max_size=2), max_size=4),
    st.lists(st.integers(-64, 63), max_size=4),  # of one byte each
)


@given(st.lists(WIDGETS, max_size=4), st.lists(st.text(max_size=2), max_size=4), st.integers(-2, 2))
def test_fields_are_counted_as_protobuf_parses_them(widgets, known, more):
    message = BackMsg()
    for widget in widgets:
        message.rerun_script.widget_states.widgets.append(WidgetState(**widget))
    message.rerun_script.cached_message_hashes.extend(known)
    packed = sum(1 for widget in widgets if widget.get("int_array_value", {}).get("data"))  # the field of the array
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(message_complexity, "MAX_FIELDS", fields(message) + packed + more)
        assert is_crowded(message.SerializeToString()) == (more < 0)


VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(max_size=3), inner, max_size=9),
)


@given(VALUES, st.booleans(), st.integers(-1, 1))
def test_json_limit_counts_bytes_outside_strings(value, is_ascii, more):
    text = json.dumps(value, ensure_ascii=is_ascii)
    outside = sum(not token.startswith('"') and len(token) or 1 for token in tokens(text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(message_complexity, "MAX_JSON_STRUCTURE_BYTES", outside + more)
        assert exceeds_json_limit(text) == (more < 0 and len(text) > outside + more)


def tokens(text: str) -> list[str]:
    """Splits a JSON text into its strings, found by Python's decoder, and the text between."""
    found, at = [], 0
    while (begin := text.find('"', at)) >= 0:
        _, end = json.decoder.scanstring(text, begin + 1)
        found += [text[at:begin], text[begin:end]]
        at = end
    return [one for one in [*found, text[at:]] if one]


@given(st.text('"\\a', max_size=30))
def test_end_of_string_equals_that_of_python(value):
    written = json.dumps(value)
    assert end_of_string(f'{written}\\"'.encode(), 1) == len(written)


@pytest.mark.parametrize("text", ["0," * 60_000, "[" * 200_000, '"",' * 60_000, '{"a":1},' * 50_000, "9" * 200_000])
def test_json_of_many_values_is_rejected(text):
    assert exceeds_json_limit(text) and not exceeds_json_limit(json.dumps(text))


@pytest.mark.parametrize(
    "text", ['"' + "a" * 3 * MAX_JSON_STRUCTURE_BYTES, '"' + '\\"' * 3 * MAX_JSON_STRUCTURE_BYTES, '"\\', '"', ""]
)
def test_unclosed_json_strings_extend_to_the_end(text):
    assert not exceeds_json_limit(text)
    assert end_of_string(text.encode(), 1) >= len(text)
