"""The page that shows the description of `/v1` and tries it out; it is readable without scripts or a network."""

import json
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from server.api_v1.openapi import Schema, description
from server.problems import PROBLEM_KINDS

FOLDER = Path(__file__).parent / "docs"
FILES = {"page.css": "text/css", "page.js": "text/javascript"}
POLICY = "; ".join(
    ("default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'")
    + ("form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'")
)
EXAMPLE_ORIGIN = "http://localhost:8501"  # page.js replaces it by that of the page
HEADERS = {"content-security-policy": POLICY, "referrer-policy": "no-referrer"}


@cache
def page() -> bytes:
    """Returns the page."""
    environment = Environment(loader=FileSystemLoader(FOLDER), undefined=StrictUndefined, autoescape=True)
    environment.globals |= {"rows": _rows, "as_json": partial(json.dumps, ensure_ascii=False)}
    rows = [(kind, *about) for kind, about in PROBLEM_KINDS.items()]
    template = environment.get_template("page.jinja")
    return template.render(description(), origin=EXAMPLE_ORIGIN, problems=PROBLEM_KINDS, problem_rows=rows).encode()


@cache
def file(name: str) -> bytes:
    """Returns one of FILES."""
    return (FOLDER / name).read_bytes()


def _rows(schema: Schema, within: str = "") -> Iterator[tuple[str, str, str]]:
    """Yields name, kind and meaning of each field, with those of objects in it, as `results[].tokens`."""
    schema = _resolved(schema)
    for name, own in schema.get("properties", {}).items():
        required = ", required" if name in schema.get("required", []) and not within else ""
        yield f"{within}{name}", f"{_kind(own)}{required}", own.get("description", "")
        inner = own.get("items", own)
        yield from _rows(inner, f"{within}{name}{'[]' if 'items' in own else ''}.")


def _kind(schema: Schema) -> str:
    """Returns the type of a value in words.

    >>> _kind({"type": "array", "items": {"type": "integer"}, "maxItems": 3}), _kind({"enum": ["a", "b"]})
    ('array of integer, at most 3', '"a", "b"')
    """
    if "enum" in schema:
        return ", ".join(map(json.dumps, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    kind = schema["type"] if isinstance(schema["type"], str) else " or ".join(schema["type"])
    if kind == "array":
        kind = f"array of {_kind(schema['items'])}"
        return f"{kind}, at most {schema['maxItems']:,}" if "maxItems" in schema else kind
    return f"{kind}, {schema['contentEncoding']}" if "contentEncoding" in schema else kind


def _resolved(schema: Schema) -> Schema:
    """Returns the schema that a reference leads to; any other schema as it is."""
    if "$ref" not in schema:
        return schema
    found: Any = description()
    for part in schema["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    return found
