"""The OpenAPI 3.1 description of `/v1`, with the limits that the code enforces."""

import json
from functools import cache
from http import HTTPStatus
from typing import Any

from server.api_v1.questions import (
    MAX_COMPARED_BYTES,
    MAX_ENCODINGS,
    MAX_IDS,
    MAX_NAME_CHARACTERS,
    MAX_TEXT_BYTES,
    QUESTIONS,
    SPECIAL,
)
from server.problems import DOCS, KINDS, MEDIA_TYPE
from tokenizer.encoding.interface import MAX_ID
from tokenizer.measure.metrics import METRICS

Schema = dict[str, Any]
ALWAYS = ("wrong-host", "wrong-method", "failed")
OF_QUESTIONS = (
    "bad-json", "other-site", "wrong-host", "unknown-encoding", "wrong-method", "too-slow", "too-large", "wrong-type",
    "bad-field", "only-counted", "too-many", "failed", "not-installed", "busy",
)  # fmt: skip
ABOUT = """\
Exact tokens by the encoders themselves, from the app's own server; a count of Claude's is a reconstruction, and says \
so. Texts are not stored and not logged. \
Encodings that visitors train or load are theirs alone: they are not found here."""

NAME: Schema = {
    "type": "string",
    "maxLength": MAX_NAME_CHARACTERS,
    "description": "An encoding or a model: o200k_base, gpt-4o, llama3. /v1/encodings lists them.",
}
TEXT: Schema = {
    "type": "string",
    "description": f"At most {MAX_TEXT_BYTES:,} bytes of UTF-8, {MAX_COMPARED_BYTES:,} to compare;"
    " without lone surrogates.",
}
FIELDS: dict[str, Schema] = {
    "encoding": NAME,
    "encodings": {"type": "array", "items": NAME, "minItems": 1, "maxItems": MAX_ENCODINGS},
    "text": TEXT,
    "ids": {
        "type": "array",
        "maxItems": MAX_IDS,
        "items": {"type": "integer", "minimum": 0, "maximum": MAX_ID},
    },
    "special": {
        "enum": list(SPECIAL),
        "default": SPECIAL[0],
        "description": "What the name of a special token, such as <|endoftext|>, is in the text: ordinary text, the"
        " special token itself, or an error (422).",
    },
}
WHOLE = {"type": "integer", "minimum": 0}
NUMBERS = {
    name: {"type": ["number", "null"], "description": f"{metric.definition} Unit: {metric.unit}."}
    for name, metric in METRICS.items()
}
ANSWERS: dict[str, Schema] = {
    "count": {
        "type": "object",
        "required": ["tokens"],
        "properties": {
            "tokens": WHOLE,
            "reconstruction": {
                "type": "object",
                "description": "Only of a model whose vocabulary is not public: its tokens are counted by a package.",
                "required": ["model", "frame", "by", "accuracy"],
                "properties": {
                    "model": {"type": "string"},
                    "frame": {**WHOLE, "description": "Tokens of the frame of one message, not among those counted."},
                    "by": {"type": "string", "description": "The package, and the version that the accuracy is of."},
                    "accuracy": {"type": "string", "description": "What the package states of it."},
                },
            },
        },
    },
    "encode": {
        "type": "object",
        "required": ["ids"],
        "properties": {"ids": {"type": "array", "items": WHOLE}},
    },
    "decode": {
        "type": "object",
        "required": ["text"],
        "properties": {
            "text": {"type": "string", "description": "Bytes that are not UTF-8 are U+FFFD here."},
            "bytes": {
                "type": "string",
                "contentEncoding": "base64",
                "description": "All bytes, only where they are not UTF-8.",
            },
        },
    },
    "compare": {
        "type": "object",
        "required": ["text", "results", "boundaries"],
        "properties": {
            "text": {
                "type": "object",
                "description": "The size of the text; graphemes and words as ICU finds them.",
                "properties": dict.fromkeys(("bytes", "code_points", "graphemes", "words"), WHOLE),
            },
            "results": {
                "type": "array",
                "description": "One for each encoding, in order; null is a number that this text does not have.",
                "items": {
                    "type": "object",
                    "required": ["asked", "encoding", *METRICS],
                    "properties": {"asked": NAME, "encoding": NAME, **NUMBERS},
                },
            },
            "boundaries": {
                "type": "object",
                "description": "Places between two tokens, each once: all; shared by all encodings; only in some.",
                "properties": dict.fromkeys(("all", "shared", "disputed"), WHOLE),
            },
        },
    },
    "encodings": {
        "type": "object",
        "required": ["encodings"],
        "properties": {
            "encodings": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["name", "known_as", "models"],
                    "properties": {
                        "name": {"type": "string"},
                        "known_as": {"type": "string", "description": "Its best-known model."},
                        "models": {
                            "type": "array",
                            "items": {"type": "string"},
                            "description": "Models that use it; * is any ending.",
                        },
                        "only_counted": {
                            "type": "boolean",
                            "description": "Whether /v1/count alone takes it, and answers with a reconstruction.",
                        },
                    },
                },
            }
        },
    },
}
EXAMPLES: dict[str, tuple[dict, dict]] = {
    "count": ({"encoding": "gpt-4o", "text": "hello world"}, {"tokens": 2}),
    "encode": ({"encoding": "o200k_base", "text": "hello world"}, {"ids": [24912, 2375]}),
    "decode": ({"encoding": "o200k_base", "ids": [24912, 2375]}, {"text": "hello world"}),
    "compare": ({"encodings": ["gpt-2", "gpt-4o"], "text": "ที่ costs more"}, {}),
}
SUMMARIES = {
    "count": "How many tokens a text has",
    "encode": "The ids of a text",
    "decode": "The text of ids",
    "compare": "Several encodings on one text",
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
        | {"/v1/encodings": {"get": _operation("encodings", ALWAYS)}},
        "components": {"schemas": _schemas(), "responses": _responses()},
    }


@cache
def as_json() -> bytes:
    """Returns the description as JSON."""
    return json.dumps(description(), ensure_ascii=False, indent=1).encode()


def _question(name: str) -> Schema:
    asked, _ = EXAMPLES[name]
    content = {"schema": _ref("schemas", f"{name}-question"), "example": asked}
    kinds = [*OF_QUESTIONS, "unknown-ids"] if name == "decode" else [*OF_QUESTIONS, "special-token", "refused"]
    body = {"required": True, "content": {"application/json": content}}
    return {"requestBody": body} | _operation(name, kinds)


def _operation(name: str, problems) -> Schema:
    content: Schema = {"schema": _ref("schemas", f"{name}-answer")}
    if answer := EXAMPLES.get(name, ({}, {}))[1]:
        content["example"] = answer
    statuses = sorted({KINDS[kind][0] for kind in problems})
    responses = {"200": {"description": "The answer.", "content": {"application/json": content}}}
    responses |= {str(status): _ref("responses", str(status)) for status in statuses}
    return {"operationId": name, "summary": SUMMARIES[name], "responses": responses}


def _ref(kind: str, name: str) -> Schema:
    return {"$ref": f"#/components/{kind}/{name}"}


def _schemas() -> dict[str, Schema]:
    asked = {
        f"{name}-question": {
            "type": "object",
            "properties": {field: FIELDS[field] for field in question.fields},
            "required": list(question.fields[: question.required]),
            "additionalProperties": False,
        }
        for name, question in QUESTIONS.items()
    }
    return asked | {f"{name}-answer": answer for name, answer in ANSWERS.items()} | {"problem": _problem()}


def _problem() -> Schema:
    fields = {
        "type": {"type": "string", "enum": [f"{DOCS}#{kind}" for kind in KINDS]},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What was met, and what to do next."},
        "suggestion": {"type": "string", "description": "The nearest name, where one is near."},
        "field": {"type": "string", "description": "The field that is wrong."},
        "limit": {"type": "integer", "description": "The limit that was passed."},
    }
    about = "Problem details of RFC 9457; some kinds have fields more."
    return {"type": "object", "description": about, "required": list(fields)[:4], "properties": fields}


def _responses() -> dict[str, Schema]:
    found = {}
    for status in sorted({status for status, _ in KINDS.values()}):
        kinds = {kind: says for kind, (own, says) in KINDS.items() if own == status}
        about = " ".join(f"{kind}: {says}" for kind, says in kinds.items())
        found[str(status)] = {
            "description": f"{HTTPStatus(status).phrase}. {about}",
            "content": {MEDIA_TYPE: {"schema": _ref("schemas", "problem")}},
        }
        if status in (429, 503):
            found[str(status)]["headers"] = {
                "Retry-After": {"schema": WHOLE, "description": "Seconds after which to ask again."}
            }
    return found
