"""JSON schemas as types of TypeScript, as openai-harmony 0.0.8 writes tool definitions for gpt-oss."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress

TYPE_NAMES = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean"}


def typescript(schema: object, indent: str = "") -> str:
    """Returns the type that a JSON schema describes; what the library leaves out is left out.

    >>> print(typescript({"type": "object", "properties": {"q": {"type": "string", "default": "x"}}}))
    {
    q?: string, // default: "x"
    }
    """
    schema = schema if isinstance(schema, dict) else {}
    kind, choices = schema.get("type"), schema.get("oneOf")
    if isinstance(choices, list):
        inner = f"{indent}   "
        return "".join(f"\n{indent} | {_or_null(one, inner)}{_remarks(_described(one))}" for one in choices)
    if isinstance(kind, list) and (kinds := [one for one in kind if isinstance(one, str)]):
        return " | ".join("number" if one == "integer" else one for one in kinds)
    if kind == "object":
        fields = "".join(_fields(schema, indent))
        return f"{_comment(schema.get('description'), indent)}{{\n{fields}{indent}}}"
    if kind == "array":
        return f"{typescript(schema['items'], indent)}[]" if "items" in schema else "Array<any>"
    if kind == "string" and (values := [one for one in _list(schema.get("enum")) if isinstance(one, str)]):
        return " | ".join(f'"{one}"' for one in values)
    return TYPE_NAMES.get(kind, "any") if isinstance(kind, str) else "any"


def _fields(schema: dict, indent: str) -> Iterator[str]:
    properties, required = schema.get("properties"), _list(schema.get("required"))
    for name, one in properties.items() if isinstance(properties, dict) else ():
        one = one if isinstance(one, dict) else {}
        if title := _comment(one.get("title"), indent):
            yield f"{title}{indent}//\n"
        if "oneOf" not in one:
            yield _comment(one.get("description"), indent)
        if examples := _list(one.get("examples")):
            yield f"{indent}// Examples:\n"
            yield from (f'{indent}// - "{text}"\n' for text in examples if isinstance(text, str))
        begins = f"{indent}{name}{'' if name in required else '?'}:"
        if isinstance(one.get("oneOf"), list):
            yield from _choices(one, begins, indent)
        else:
            remarks = [] if "oneOf" in one else _default(one)
            yield f"{begins} {_or_null(one, f'{indent}    ')},{_remarks(remarks)}\n"


def _choices(one: dict, begins: str, indent: str) -> Iterator[str]:
    """Yields a property that has one of several types, a line each."""
    about, choices = one.get("description"), one["oneOf"]
    first = choices[0] if choices and isinstance(choices[0], dict) else {}
    about = about if isinstance(about, str) else None
    is_above = about is not None and about != first.get("description")
    if is_above:
        yield _comment(about, indent)
    yield from (f"{indent}// {remark}\n" for remark in _default(one))
    yield f"{begins}\n"
    for i, choice in enumerate(choices):
        own = choice.get("description") if isinstance(choice, dict) else None
        is_given = isinstance(own, str) and own != about and not (i == 0 and is_above)
        remarks = [*([own] if is_given else []), *_default(choice)]
        yield f"{indent} | {_or_null(choice, f'{indent}   ')}{_remarks(remarks)}\n"
    yield f"{indent},\n"


def _or_null(schema: object, indent: str) -> str:
    found = typescript(schema, indent)
    is_nullable = isinstance(schema, dict) and schema.get("nullable") is True and "null" not in found
    return f"{found} | null" if is_nullable else found


def _described(schema: object) -> list[str]:
    about = schema.get("description") if isinstance(schema, dict) else None
    return [*([about] if isinstance(about, str) else []), *_default(schema, is_quoted=True)]


def _default(schema: object, is_quoted: bool = False) -> list[str]:
    if not isinstance(schema, dict) or "default" not in schema:
        return []
    default = schema["default"]
    if isinstance(default, str):
        return [f'default: "{default}"' if is_quoted or not _list(schema.get("enum")) else f"default: {default}"]
    return [f"default: {_json(default)}"]


def _json(value: object) -> str:
    """Returns a value as minified JSON, with numbers as Rust's serde_json spells them."""
    if isinstance(value, dict):
        return f"{{{','.join(f'{_json(key)}:{_json(one)}' for key, one in value.items())}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_json, value))}]"
    if type(value) is int and not -(1 << 63) <= value < 1 << 64:
        with suppress(OverflowError):  # the library refuses such a number
            value = float(value)
    if not isinstance(value, float):
        return json.dumps(value, ensure_ascii=False)
    digits, has_power, power = repr(value).partition("e")
    if not has_power:
        return digits
    if int(power) == -5:  # Python's first number with a power, and one too small for Rust's
        sign, digits = re.fullmatch(r"(-?)(.*)", digits).groups()
        return f"{sign}0.0000{digits.replace('.', '')}"
    return f"{digits}e{int(power)}"


def _comment(text: object, indent: str) -> str:
    return f"{indent}// {text}\n" if isinstance(text, str) else ""


def _remarks(remarks: list[str]) -> str:
    return f" // {' '.join(remarks)}" if remarks else ""


def _list(value: object) -> list:
    return value if isinstance(value, list) else []
