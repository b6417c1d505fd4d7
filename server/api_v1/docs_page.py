"""The page that shows the description of `/v1` and tries it out: whole without scripts, and without a network."""

import json
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from server.api_v1.openapi import Schema, description
from server.problems import KINDS

HERE = Path(__file__).parent / "docs"
FILES = {"page.css": "text/css", "page.js": "text/javascript"}
POLICY = "; ".join(
    ("default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'")
    + ("form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'")
)
HEADERS = {"content-security-policy": POLICY, "referrer-policy": "no-referrer"}


@cache
def page() -> bytes:
    """Returns the page."""
    told = description()
    parts = [_section(path, *one) for path, methods in told["paths"].items() for one in methods.items()]
    links = "".join(f'<li><a href="#{path.split("/")[-1]}">{escape(path)}</a></li>' for path in told["paths"])
    return (
        _template()
        .format(
            title=escape(told["info"]["title"]),
            about=escape(told["info"]["description"]),
            links=links,
            sections="".join(parts),
            problems="".join(_problem(kind, *about) for kind, about in KINDS.items()),
        )
        .encode()
    )


@cache
def file(name: str) -> bytes:
    """Returns one of FILES."""
    return (HERE / name).read_bytes()


def _template() -> str:
    return (HERE / "page.html").read_text(encoding="utf-8")


def _section(path: str, method: str, about: Schema) -> str:
    name = about["operationId"]
    body = about.get("requestBody", {}).get("content", {}).get("application/json", {})
    fields = _table(f"Fields of {name}", _found(body["schema"])) if body else ""
    asked = f"<h3>Fields</h3>{fields}{_form(name, path, body['example'])}" if body else ""
    answer = about["responses"]["200"]["content"]["application/json"]
    answered = _table(f"Answer of {name}", _found(answer["schema"]))
    example = f"<pre>{escape(_json(answer['example']))}</pre>" if "example" in answer else ""
    failing = ", ".join(_status(status) for status in about["responses"] if status != "200")
    return (
        f'<section id="{name}"><h2><code><b>{method.upper()}</b> {escape(path)}</code></h2>'
        f"<p>{escape(about['summary'])}</p>{asked}"
        f"<h3>Answer</h3>{answered}{example}"
        f"<details><summary>Or a problem</summary><p>{failing}.</p></details></section>"
    )


def _form(name: str, path: str, example: dict) -> str:
    body = json.dumps(example, ensure_ascii=False)
    quoted = body.replace("'", "'\\''")
    rest = escape(f"{path} -H 'Content-Type: application/json' -d '{quoted}'")
    return (
        f'<h3>Try it</h3><pre>curl <span class="origin">http://localhost:8501</span>{rest}</pre>'
        f'<form data-path="{escape(path)}" hidden><label for="{name}-body">Body</label>'
        f'<textarea id="{name}-body" rows="4" spellcheck="false">{escape(_json(example))}</textarea>'
        f'<button>Send</button><output for="{name}-body"></output></form>'
    )


def _status(status: str) -> str:
    links = [f'<a href="#{kind}">{kind}</a>' for kind, (own, _) in KINDS.items() if str(own) == status]
    return f"{status} ({', '.join(links)})"


def _problem(kind: str, status: int, says: str) -> str:
    return f'<tr id="{kind}"><th scope="row"><code>{kind}</code></th><td>{status}</td><td>{escape(says)}</td></tr>'


def _table(label: str, schema: Schema) -> str:
    rows = "".join(
        f'<tr><th scope="row"><code>{escape(name)}</code></th><td>{escape(kind)}</td><td>{escape(about)}</td></tr>'
        for name, kind, about in _rows(schema)
    )
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("Field", "Kind", "What it is"))
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(label)}">'
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _rows(schema: Schema, within: str = "") -> Iterator[tuple[str, str, str]]:
    """A row for each field, with those of objects in it, as `results[].tokens`."""
    for name, own in schema.get("properties", {}).items():
        must = ", required" if name in schema.get("required", []) and not within else ""
        yield f"{within}{name}", f"{_kind(own)}{must}", own.get("description", "")
        inner = own.get("items", own)
        yield from _rows(inner, f"{within}{name}{'[]' if 'items' in own else ''}.")


def _kind(schema: Schema) -> str:
    """What a value is, in words.

    >>> _kind({"type": "array", "items": {"type": "integer"}, "maxItems": 3}), _kind({"enum": ["a", "b"]})
    ('array of integer, at most 3', '"a", "b"')
    """
    if "enum" in schema:
        return ", ".join(map(json.dumps, schema["enum"]))
    kind = schema["type"] if isinstance(schema["type"], str) else " or ".join(schema["type"])
    if kind == "array":
        kind = f"array of {_kind(schema['items'])}"
        return f"{kind}, at most {schema['maxItems']:,}" if "maxItems" in schema else kind
    return f"{kind}, {schema['contentEncoding']}" if "contentEncoding" in schema else kind


def _found(schema: Schema) -> Any:
    """The schema that a reference leads to."""
    found: Any = description()
    for part in schema["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    return found


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
