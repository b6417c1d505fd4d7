"""The OpenAPI 3.1 description of `/v1`, with the limits that the code enforces."""

import json
from collections.abc import Sequence
from functools import cache
from http import HTTPStatus
from typing import Any

from server.api_v1.questions import (
    MAX_COMPARED_BYTES,
    MAX_ENCODINGS,
    MAX_IDS,
    MAX_MESSAGES,
    MAX_NAME_CHARACTERS,
    MAX_TEXT_BYTES,
    MAX_TEXTS,
    QUESTIONS,
    SPECIAL_POLICIES,
)
from server.problems import DOCS, MEDIA_TYPE, PROBLEM_KINDS
from tokenizer.encoding.interface import MAX_ID
from tokenizer.measure.metrics import METRICS

Schema = dict[str, Any]
COMMON_PROBLEMS = ("wrong-host", "wrong-method", "failed")
OF_QUESTIONS = (
    "bad-json", "other-site", "wrong-host", "unknown-encoding", "wrong-method", "too-slow", "too-large", "wrong-type",
    "bad-field", "only-counted", "too-many", "failed", "not-installed", "busy",
)  # fmt: skip
ABOUT = """\
Exact tokens by the encoders themselves, from the app's own server; a count of Claude's is a reconstruction, and says \
so. Texts are not stored and not logged. \
Encodings that visitors train or load are theirs alone: they are not found here."""


def _value(kind: str | list[str], about: str = "", **more: Any) -> Schema:
    return {"type": kind} | ({"description": about} if about else {}) | more


def _list(items: Schema, about: str = "", **more: Any) -> Schema:
    return _value("array", about, items=items, **more)


def _object(required: Sequence[str] = (), about: str = "", **properties: Schema) -> Schema:
    found = _value("object", about, properties=properties)
    return found | {"required": list(required)} if required else found


def _each(one: Schema) -> Schema:
    """Returns the schema of an answer to one text, or a list of such answers to several."""
    return {"anyOf": [one, _list(one)], "description": "A list of them where several texts were sent."}


NATURAL_NUMBER, STRING = _value("integer", minimum=0), _value("string")
NAME = _value(
    "string",
    "An encoding or a model: o200k_base, gpt-4o, llama3. /v1/encodings lists them.",
    maxLength=MAX_NAME_CHARACTERS,
)
TEXT_ABOUT = f"At most {MAX_TEXT_BYTES:,} bytes of UTF-8, {MAX_COMPARED_BYTES:,} to compare; without lone surrogates."
SPECIAL_ABOUT = """\
What the name of a special token, such as <|endoftext|>, is in the text: ordinary text, the special token itself, or \
an error (422)."""
FIELDS: dict[str, Schema] = {
    "encoding": NAME,
    "encodings": _list(NAME, minItems=1, maxItems=MAX_ENCODINGS),
    "text": _value("string", TEXT_ABOUT),
    "texts": _list(
        STRING, "Several texts in place of one, together as long as one may be.", minItems=1, maxItems=MAX_TEXTS
    ),
    "messages": _list(
        _value("object", "As in the APIs of OpenAI, Anthropic or Gemini, or as ShareGPT's from and value."),
        minItems=1,
        maxItems=MAX_MESSAGES,
    ),
    "tools": _list(_value("object"), "Definitions as for the APIs of OpenAI, Anthropic, Gemini or MCP.", minItems=1),
    "ids": _list(_value("integer", minimum=0, maximum=MAX_ID), maxItems=MAX_IDS),
    "special": {"enum": list(SPECIAL_POLICIES), "default": SPECIAL_POLICIES[0], "description": SPECIAL_ABOUT},
}
METRIC_SCHEMAS = {
    name: _value(["number", "null"], f"{metric.definition} Unit: {metric.unit}.") for name, metric in METRICS.items()
}
RECONSTRUCTION = _object(
    ["model", "frame", "by", "accuracy"],
    "Only of a model whose vocabulary is not public: its tokens are counted by a package.",
    model=STRING,
    frame=_value("integer", "Tokens of the frame of one message, not among those counted.", minimum=0),
    by=_value("string", "The package, and the version that the accuracy is of."),
    accuracy=_value("string", "What the package states of it."),
)
ENCODING = _object(
    ["name", "known_as", "models"],
    name=STRING,
    known_as=_value("string", "Its best-known model."),
    models=_list(STRING, "Models that use it; * is any ending."),
    only_counted=_value("boolean", "Whether /v1/count alone takes it, and answers with a reconstruction."),
)
ANSWERS: dict[str, Schema] = {
    "count": _object(["tokens"], tokens=_each(NATURAL_NUMBER), reconstruction=RECONSTRUCTION),
    "encode": _object(["ids"], ids=_each(_list(NATURAL_NUMBER))),
    "decode": _object(
        ["text"],
        text=_value("string", "Bytes that are not UTF-8 are U+FFFD here."),
        bytes=_value("string", "All bytes, only where they are not UTF-8.", contentEncoding="base64"),
    ),
    "compare": _object(
        ["text", "results", "boundaries"],
        text=_object(
            about="The size of the text; graphemes and words as ICU finds them.",
            **dict.fromkeys(("bytes", "code_points", "graphemes", "words"), NATURAL_NUMBER),
        ),
        results=_list(
            _object(["asked", "encoding", *METRICS], asked=NAME, encoding=NAME, **METRIC_SCHEMAS),
            "One for each encoding, in order; null is a number that this text does not have.",
        ),
        boundaries=_object(
            about="Places between two tokens, each once: all; shared by all encodings; only in some.",
            **dict.fromkeys(("all", "shared", "disputed"), NATURAL_NUMBER),
        ),
    ),
    "chat": _object(
        ["tokens", "template", "is_known"],
        tokens=_value("integer", "Of the messages, with all that the template writes around them.", minimum=0),
        template=_value("string", "The family of models whose template is used."),
        is_known=_value("boolean", "Whether the encoding certainly has this template."),
        tools=_object(
            ["tokens", "form", "is_estimate", "each", "notes"],
            tokens=_value("integer", "What the tools add to a prompt with one short user message.", minimum=0),
            form=_value("string", "The template that writes them."),
            is_estimate=_value("boolean", "Whether the model's form is unknown, and minified JSON is counted."),
            each=_list(_object(["name", "tokens"], name=STRING, tokens=NATURAL_NUMBER), "One for each tool, in order."),
            notes=_list(STRING, "What of the definitions is not counted."),
        ),
    ),
    "encodings": _object(["encodings"], encodings=_list(ENCODING)),
}
EXAMPLES: dict[str, tuple[dict, dict]] = {
    "count": ({"encoding": "gpt-4o", "text": "hello world"}, {"tokens": 2}),
    "encode": ({"encoding": "o200k_base", "text": "hello world"}, {"ids": [24912, 2375]}),
    "decode": ({"encoding": "o200k_base", "ids": [24912, 2375]}, {"text": "hello world"}),
    "compare": ({"encodings": ["gpt-2", "gpt-4o"], "text": "ที่ costs more"}, {}),
    "chat": ({"encoding": "gpt-4o", "messages": [{"role": "user", "content": "Hello"}]}, {}),
}
SUMMARIES = {
    "count": "How many tokens a text has",
    "encode": "The ids of a text",
    "decode": "The text of ids",
    "compare": "Several encodings on one text",
    "chat": "How many tokens a chat has, and what its tools add",
    "encodings": "All encodings, with the models that use them",
}


@cache
def description() -> dict[str, Any]:
    """Returns the description of `/v1`."""
    return {
        "openapi": "3.1.1",
        "info": {"title": "Tokenloupe", "version": "1", "description": ABOUT},
        "servers": [{"url": "/"}],
        "paths": {f"/v1/{name}": {"post": _question(name)} for name in QUESTIONS}
        | {"/v1/encodings": {"get": _operation("encodings", COMMON_PROBLEMS)}},
        "components": {"schemas": _schemas(), "responses": _responses()},
    }


@cache
def as_json(base: str = "") -> bytes:
    """Returns the description as JSON, for a server whose paths begin with `base`."""
    found = description() | {"servers": [{"url": f"{base}/"}]}
    return json.dumps(found, ensure_ascii=False, indent=1).encode()


def _question(name: str) -> Schema:
    example, _ = EXAMPLES[name]
    content = {"schema": _ref("schemas", f"{name}-question"), "example": example}
    kinds = [*OF_QUESTIONS, "unknown-ids"] if name == "decode" else [*OF_QUESTIONS, "special-token", "refused"]
    body = {"required": True, "content": {"application/json": content}}
    return {"requestBody": body} | _operation(name, kinds)


def _operation(name: str, problems) -> Schema:
    content: Schema = {"schema": _ref("schemas", f"{name}-answer")}
    if answer := EXAMPLES.get(name, ({}, {}))[1]:
        content["example"] = answer
    statuses = sorted({PROBLEM_KINDS[kind][0] for kind in problems})
    responses = {"200": {"description": "The answer.", "content": {"application/json": content}}}
    responses |= {str(status): _ref("responses", str(status)) for status in statuses}
    return {"operationId": name, "summary": SUMMARIES[name], "responses": responses}


def _ref(kind: str, name: str) -> Schema:
    return {"$ref": f"#/components/{kind}/{name}"}


def _schemas() -> dict[str, Schema]:
    questions = {
        f"{name}-question": _object(
            question.fields[: question.required], **{field: FIELDS[field] for field in question.fields}
        )
        | {"additionalProperties": False}
        | ({"oneOf": [{"required": [field]} for field in question.one_of]} if question.one_of else {})
        for name, question in QUESTIONS.items()
    }
    return questions | {f"{name}-answer": answer for name, answer in ANSWERS.items()} | {"problem": _problem()}


def _problem() -> Schema:
    return _object(
        ["type", "title", "status", "detail"],
        "Problem details of RFC 9457; some kinds have fields more.",
        type=_value("string", enum=[f"{DOCS}#{kind}" for kind in PROBLEM_KINDS]),
        title=STRING,
        status=_value("integer"),
        detail=_value("string", "What was met, and what to do next."),
        suggestion=_value("string", "The nearest name, where one is near."),
        field=_value("string", "The field that is wrong."),
        limit=_value("integer", "The limit that was passed."),
    )


def _responses() -> dict[str, Schema]:
    found = {}
    for status in sorted({status for status, _ in PROBLEM_KINDS.values()}):
        kinds = {kind: description for kind, (own, description) in PROBLEM_KINDS.items() if own == status}
        about = " ".join(f"{kind}: {description}" for kind, description in kinds.items())
        found[str(status)] = {
            "description": f"{HTTPStatus(status).phrase}. {about}",
            "content": {MEDIA_TYPE: {"schema": _ref("schemas", "problem")}},
        }
        if status in (429, 503):
            found[str(status)]["headers"] = {
                "Retry-After": {"schema": NATURAL_NUMBER, "description": "Seconds after which to ask again."}
            }
    return found
