"""Reads request bodies: strict JSON without ambiguities, whose arrays and objects are counted before it is parsed."""

import json
import re
from typing import Any

from server.limits.message_complexity import end_of_string
from server.problems import Problem
from tokenizer.errors import shown
from tokenizer.text.files import bad_byte

MAX_CONTAINERS = 100  # arrays and objects in a body; no valid one has more than two
MAX_NESTED_CONTAINERS = 10_000  # in a body with a chat and its tools
OUTSIDE = re.compile(rb'[^"\[{]*+')
QUOTE = ord('"')
MAX_DIGITS = 18  # Python is slow for numbers of thousands of digits
OUT_OF_RANGE = 10**MAX_DIGITS  # replaces larger numbers; no field allows it


def parsed(body: bytes, is_nested: bool = False) -> dict[str, Any]:
    """Returns the object in a body; raises Problem where it is no object or has a field twice.

    Only one that `is_nested` may have many arrays and objects, and keeps numbers as they are written: 1.0 is not 1.

    >>> parsed(b'{"text": "a"}')
    {'text': 'a'}
    """
    most = MAX_NESTED_CONTAINERS if is_nested else MAX_CONTAINERS
    if has_too_many_containers(body, most):
        advice = "Send a shorter chat or fewer tools." if is_nested else "Send one flat object."
        raise Problem("bad-json", f"The body has more than {most:,} arrays and objects. {advice}")
    numbers = {} if is_nested else {"parse_int": _parse_int, "parse_float": _parse_float}
    try:
        found = json.loads(
            body.decode("utf-8-sig"), object_pairs_hook=_without_repeats, parse_constant=_no_number, **numbers
        )
    except UnicodeDecodeError as error:
        at = bad_byte(body, error)
        raise Problem("bad-json", f"The body is not UTF-8: {error.reason} at byte {at:,}.") from None
    except json.JSONDecodeError as error:
        detail = f"The body is not JSON: {error.msg}, line {error.lineno:,}, column {error.colno:,}."
        raise Problem("bad-json", detail) from None
    except (ValueError, RecursionError):
        raise Problem("bad-json", "The body has a number of thousands of digits, or is nested too deep.") from None
    if not isinstance(found, dict):
        raise Problem("bad-json", 'The body must be an object, such as {"encoding": "gpt-4o", "text": "hello"}.')
    return found


def has_too_many_containers(body: bytes, most: int) -> bool:
    """Whether a body, valid JSON or not, opens more than so many arrays and objects.

    >>> has_too_many_containers(b"[" * 101, 100), has_too_many_containers(b'{"text": "' + b"[" * 101, 100)
    (True, False)
    """
    if body.count(b"[") + body.count(b"{") <= most:  # also counts those within strings
        return False
    begun, at = 0, OUTSIDE.match(body).end()
    while at < len(body) and begun <= most:
        begun += body[at] != QUOTE
        at = OUTSIDE.match(body, at + 1 if body[at] != QUOTE else end_of_string(body, at + 1)).end()
    return begun > most


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise Problem("bad-json", f"The field {shown(name)} stands in the body twice. Send it once.")
        found[name] = value
    return found


def _no_number(name: str) -> None:
    raise Problem("bad-json", f"{name} is no number in JSON.")


def _parse_int(digits: str) -> int:
    return int(digits) if len(digits) <= MAX_DIGITS else OUT_OF_RANGE


def _parse_float(written: str) -> int | float:
    """Returns a number as JSON defines it: 1.0 is 1."""
    value = float(written)
    return int(value) if value.is_integer() and abs(value) < OUT_OF_RANGE else value
