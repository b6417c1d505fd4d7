"""UTF-8, bit by bit, against Python's own encoder and decoder and the standard's rules."""

import codecs
import re

import pytest
from amounts import examples
from hypothesis import example, given
from hypothesis import strategies as st

from tokenizer.text import utf8

# The bits of a byte


@given(st.characters(exclude_categories=["Cs"]))
@examples(500)
@example("\x7f")
@example("\x80")
@example("\uffff")
@example("\U0010ffff")
def test_payload_bits_join_to_the_code_point(character):
    found = utf8.octets(character.encode())
    assert bytes(octet.value for octet in found) == character.encode()
    assert all(int(octet.mark + octet.payload, 2) == octet.value for octet in found)
    assert int("".join(octet.payload for octet in found), 2) == ord(character)
    first, *rest = found
    assert first.role == {1: "one-byte character"}.get(len(found), f"first of {len(found)} bytes")
    assert {octet.mark for octet in rest} <= {"10"}


def test_bytes_from_f8_on_are_never_in_utf8():
    never = {value for value in range(256) if utf8.octet(value).role == "never in UTF-8"}
    assert never == set(range(0xF8, 0x100))


# Valid and invalid bytes


def spans_of_python(data):
    """The spans that Python's decoder rejects."""
    found = []

    def note(error):
        found.append((error.start, error.end))
        return "\ufffd", error.end

    codecs.register_error("test-note", note)
    data.decode("utf-8", "test-note")
    return found


EDGES = bytes.fromhex("00 41 7F 80 8F 90 9F A0 BF C0 C1 C2 DF E0 E1 ED EE F0 F1 F4 F5 F8 FC FF")
PARTS = [*(bytes([value]) for value in EDGES), *map(str.encode, "éก👍\ufffd")]
ALMOST_UTF8 = st.lists(st.sampled_from(PARTS), max_size=12).map(b"".join)


@given(st.one_of(st.binary(max_size=40), ALMOST_UTF8))
@examples(800)
@example(bytes.fromhex("61 F1 80 80 E1 80 C2 62 80 63 80 BF 64"))
@example(b"\xef\xbf\xbd")
def test_decode_steps_equal_pythons_decoder(data):
    steps = list(utf8.decode_steps(data))
    assert "".join(step.text for step in steps) == data.decode("utf-8", "replace")
    assert b"".join(step.data for step in steps) == data
    assert [(step.start, step.start + len(step.data)) for step in steps if step.fault] == spans_of_python(data)
    assert all(step.fault in ("", *utf8.FAULTS) and bool(step.fault) == bool(step.why) for step in steps)
    for step in steps:
        assert step.fault or step.data.decode() == step.text


@pytest.mark.slow
def test_decode_steps_of_short_sequences_equal_pythons_decoder():
    edges = [b"", *(bytes([value]) for value in b"\x00\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xff")]
    for first in range(0x7F, 0x100):
        for second in (0, *range(0x7E, 0x100)):
            for third in edges if first >= 0xE0 else edges[:1]:
                data = bytes([first, second]) + third
                assert "".join(step.text for step in utf8.decode_steps(data)) == data.decode("utf-8", "replace")


def meaning(data):
    """The number in the payload bits, without the rules that reject it."""
    return int("".join(utf8.octet(value).payload for value in data), 2)


def test_fault_depends_on_the_encoded_number():
    second = [0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF]
    for lead in range(0xC0, 0xF8):
        length = len(utf8.octet(lead).mark) - 1
        for value in second:
            data = bytes([lead, value, *[0x80] * (length - 2)])
            first, *rest = utf8.decode_steps(data)
            number, least = meaning(data), {2: 0x80, 3: 0x800, 4: 0x10000}[length]
            faults = {"overlong": number < least, "surrogate": 0xD800 <= number < 0xE000, "beyond": number > 0x10FFFF}
            assert first.fault == next((name for name, holds in faults.items() if holds), ""), data.hex()
            assert all(step.fault == "stray" for step in rest)
            assert [step.why == utf8.LEFT_OVER for step in rest] == [True] * len(rest)


@pytest.mark.parametrize(
    "data, faults",
    [
        ("F0 9F 91", ["missing"]),
        ("63 61 66 E9 21", ["", "", "", "missing", ""]),
        ("80", ["stray"]),
        ("C3 A9 BF", ["", "stray"]),
        ("C0 AF", ["overlong", "stray"]),
        ("E0 80 AF", ["overlong", "stray", "stray"]),
        ("ED A0 80", ["surrogate", "stray", "stray"]),
        ("F4 90 80 80", ["beyond", "stray", "stray", "stray"]),
        ("F8 FC FE FF", ["beyond", "beyond", "never", "never"]),
        ("E0 B8 E0 B8 97", ["missing", ""]),
    ],
)
def test_faults_of_invalid_bytes_by_hand(data, faults):
    assert [step.fault for step in utf8.decode_steps(bytes.fromhex(data))] == faults


def test_left_over_bytes_are_at_most_those_of_the_sequence():
    steps = list(utf8.decode_steps(b"\xc0\x80\x80\x80"))
    assert [step.why == utf8.LEFT_OVER for step in steps] == [False, True, False, False]
    for data in (b"\xe0\x80a\x80", b"\xf0\x80a\x80"):
        steps = list(utf8.decode_steps(data))
        assert [step.why == utf8.LEFT_OVER for step in steps] == [False, True, False, False]


@given(st.binary(max_size=30), st.sampled_from([" ", "\n", ", ", " 0x", r"\x", "%", ""]), st.booleans())
def test_hex_is_read_in_common_notations(data, between, upper):
    source = between.join(["", *(f"{value:02X}" if upper else f"{value:02x}" for value in data)])
    assert utf8.read_hex(source) == (data, [])


@given(st.text(max_size=60))
@examples(500)
def test_any_input_is_read_as_hex_or_reported_with_its_position(source):
    data, bad = utf8.read_hex(source)
    for one in bad:
        assert source[one.position - 1 :].startswith(one.item)
    digits = re.sub(r"0[xX]|\\[xX]|%", "", source)
    assert not data or data.hex()[:2] in digits.lower()


@pytest.mark.parametrize(
    "source, data, errors",
    [
        ("E0 zz B8", "E0 B8", ["'zz' at character 4: 'z' is not a hex digit"]),
        ("E 41", "41", ["'E' at character 1: 1 hex digit is not a whole byte. Write two hex digits for each byte."]),
        ("41 0x", "41", ["'0x' at character 4: no hex digits follow"]),
        ("E0B 41", "41", ["'E0B' at character 1: 3 hex digits are not whole bytes"]),
        ("๔๑ 41", "41", ["'๔๑' at character 1: '๔' is not a hex digit"]),
        ("", "", []),
    ],
)
def test_invalid_hex_is_reported_with_the_reason(source, data, errors):
    found, bad = utf8.read_hex(source)
    assert found == bytes.fromhex(data)
    assert len(bad) == len(errors) and all(str(one).startswith(words) for one, words in zip(bad, errors, strict=True))
