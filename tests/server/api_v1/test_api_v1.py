"""`/v1`: ids equal tiktoken's, answers match the OpenAPI description, and all else is a described problem."""

import asyncio
import base64
import codecs
import json
import logging
import re
import threading
from pathlib import Path

import pytest
from amounts import examples
from asgi import Sent, body_part, receives, request
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from oracles import oracle
from starlette.applications import Starlette
from starlette.testclient import TestClient
from texts import TEXTS
from tiktoken.model import MODEL_TO_ENCODING

from server import limits
from server.api_v1 import json_body, questions
from server.api_v1 import routes as v1
from server.api_v1.docs_page import FILES, page
from server.api_v1.json_body import parsed
from server.api_v1.openapi import EXAMPLES, description
from server.api_v1.questions import MAX_IDS, QUESTIONS
from server.api_v1.routes import INLINE_LIMIT_BYTES, MAX_BODY_BYTES, routes, routes_of
from server.encodings import encoding_store
from server.limits.middleware import RateLimitMiddleware
from server.limits.quota import BYTE_QUOTA
from server.problems import PROBLEM_KINDS, Problem
from tokenizer import get_encoding, list_encoding_names, train
from tokenizer.chat.tools import FORMATS, count_tools, read_tools
from tokenizer.errors import DamagedEncodingFile, OutOfMemory
from tokenizer.formats.sandboxed_model import ServerBusy
from tokenizer.kinds import counters, open_models
from tokenizer.kinds.from_merges import encoding_from_merges
from tokenizer.measure.metrics import METRICS
from tokenizer.text.units import count_graphemes, count_words
from tokenizer.text.well_formed import well_formed

CLIENT = TestClient(Starlette(routes=routes), base_url="http://testserver")  # an exception becomes status 500
JSON = {"content-type": "application/json"}
DESCRIPTION = description()
FIELDS_OF_COUNT = QUESTIONS["count"].fields, QUESTIONS["count"].required


@pytest.fixture(scope="module", autouse=True)
def one_event_loop():
    with CLIENT:
        yield


def described_json(reply, path, method):
    """Returns the answer's JSON; asserts that it is as described for this path, method and status."""
    found = DESCRIPTION["paths"][path][method]["responses"][str(reply.status_code)]
    if "$ref" in found:
        found = DESCRIPTION["components"]["responses"][found["$ref"].rpartition("/")[2]]
    [(media, content)] = found["content"].items()
    assert reply.headers["content-type"] == media
    assert reply.headers["cache-control"] == "no-store"
    assert all(name.lower() in reply.headers for name in found.get("headers", {}))
    valid({"$ref": content["schema"]["$ref"], "components": DESCRIPTION["components"]}, reply.json())
    return reply.json()


def valid(schema, value):
    Draft202012Validator(schema).validate(value)


def ask(name, body=None, headers=JSON, client=CLIENT, **fields):
    """Returns the status and the answer's JSON."""
    body = json.dumps(fields) if body is None else body
    reply = client.post(f"/v1/{name}", content=body, headers=headers)
    return reply.status_code, described_json(reply, f"/v1/{name}", "post")


def refused(kind, words, *given, **fields):
    status, problem = ask(*given, **fields)
    assert (status, problem["type"]) == (PROBLEM_KINDS[kind][0], f"/v1/docs#{kind}")
    assert problem["status"] == status and words in problem["detail"], problem
    return problem


# ---- answers ----


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_harmony"])  # one of each split pattern
@examples(30)
@given(text=TEXTS, special=st.sampled_from(["text", "special"]))
def test_ids_equal_tiktokens(name, text, special):
    text = well_formed(text)[0]
    allowed = "all" if special == "special" else set()
    ids = oracle(name).encode(text, allowed_special=allowed, disallowed_special=())
    assert ask("encode", encoding=name, text=text, special=special) == (200, {"ids": ids})
    assert ask("count", encoding=name, text=text, special=special) == (200, {"tokens": len(ids)})
    assert ask("decode", encoding=name, ids=ids) == (200, {"text": oracle(name).decode(ids)})


@given(ids=st.lists(st.integers(0, 50256), max_size=8))
def test_decode_adds_bytes_where_they_are_not_utf8(ids):
    status, found = ask("decode", encoding="gpt2", ids=ids)
    data = oracle("gpt2").decode_bytes(ids)
    assert status == 200 and found["text"] == data.decode(errors="replace")
    assert ("bytes" in found) == (found["text"].encode() != data)
    assert base64.b64decode(found.get("bytes", "")) == (data if "bytes" in found else b"")


@pytest.mark.parametrize("size", [10, INLINE_LIMIT_BYTES, 60_000])
def test_long_texts_have_the_ids_of_tiktoken(size):
    text = ("The cat ที่ 👍 <|endoftext|> " * size)[:size]
    ids = oracle("o200k_base").encode(text, disallowed_special=())
    assert ask("encode", encoding="gpt-4o", text=text) == (200, {"ids": ids})
    assert ask("count", encoding="gpt-4o", text=text) == (200, {"tokens": len(ids)})
    assert ask("decode", encoding="gpt-4o", ids=ids) == (200, {"text": text})


@pytest.mark.slow
def test_model_names_select_their_encodings():
    for model, name in MODEL_TO_ENCODING.items():
        ids = oracle(name).encode("two words ที่")
        assert ask("encode", encoding=model, text="two words ที่") == (200, {"ids": ids}), model


@pytest.mark.slow
@pytest.mark.skipif(not open_models.is_installed(), reason="needs splintr-rs")
def test_open_models_can_be_used():
    encoding = get_encoding("llama-3.1")
    for text in ("two words", "สวัสดี 👍" * 2000):
        assert ask("encode", encoding="llama-3.1", text=text) == (200, {"ids": encoding.encode(text)})


@pytest.mark.parametrize("text", ["", "hello ที่ 👍 <|endoftext|>", "a\r\nb " * 3000])
def test_compare_gives_counts_sizes_metrics_and_boundaries(text):
    names = ["gpt-2", "cl100k_base", "gpt-4o"]
    status, found = ask("compare", encodings=names, text=text)
    counts = {name: len(oracle(get_encoding(name).name).encode(text, disallowed_special=())) for name in names}
    assert status == 200
    assert {one["asked"]: one["tokens"] for one in found["results"]} == counts
    assert [one["encoding"] for one in found["results"]] == ["gpt2", "cl100k_base", "o200k_base"]
    sizes = [len(text.encode()), len(text), count_graphemes(text), count_words(text)]
    assert list(found["text"].values()) == sizes
    assert all({*METRICS} < {*one} for one in found["results"])
    assert found["boundaries"]["all"] == found["boundaries"]["shared"] + found["boundaries"]["disputed"]


def test_encodings_lists_every_name_that_can_be_used():
    reply = CLIENT.get("/v1/encodings")
    found = described_json(reply, "/v1/encodings", "get")["encodings"]
    assert [one["name"] for one in found][: len(list_encoding_names())] == list_encoding_names()
    for one in found:
        if one.get("only_counted"):
            continue
        for name in [one["name"], *(model for model in one["models"] if "*" not in model)]:
            assert questions.names({"encoding": name}) == [one["name"]]


def test_counters_answer_count_with_a_reconstruction(fake_ctok):
    for text in ("one two ที่", "one two " * INLINE_LIMIT_BYTES):
        status, found = ask("count", encoding="Claude", text=text)
        assert (status, found["tokens"]) == (200, len(text.split()))
        assert found["reconstruction"]["frame"] == 6 and "22 of 22" in found["reconstruction"]["accuracy"]
    listed = CLIENT.get("/v1/encodings").json()["encodings"]
    assert [one["name"] for one in listed if one.get("only_counted")] == ["claude-4.8", "claude-4.7", "claude-3"]
    refused("only-counted", "Ask /v1/count", "encode", encoding="claude", text="a")
    refused("only-counted", "Ask /v1/count", "compare", encodings=["gpt2", "claude-3"], text="a")
    refused("bad-field", "special", "count", encoding="claude", text="a", special="special")
    refused("too-large", "1,000,000", "count", encoding="claude", text="a " * 500_001)


def test_counter_without_its_package_is_not_installed(monkeypatch):
    monkeypatch.setattr(counters, "is_installed", lambda: False)
    assert refused("not-installed", "Claude 3", "count", encoding="claude-3", text="a")["command"] == "pip install ctok"


def test_only_long_texts_are_counted_in_threads(monkeypatch):
    here = []
    answer = QUESTIONS["count"].answer
    question = questions.Question(*FIELDS_OF_COUNT, lambda one: here.append(threading.current_thread()) or answer(one))
    monkeypatch.setitem(QUESTIONS, "count", question)
    for text in ("a", "a " * INLINE_LIMIT_BYTES):
        assert ask("count", encoding="gpt2", text=text)[0] == 200
    assert [one.name.startswith("v1") for one in here] == [False, True]


# ---- refused requests ----


def flat(**fields):
    return json.dumps({"encoding": "gpt2", "text": "a"} | fields)


NOT_JSON = {
    "empty": b"",
    "cut": b'{"encoding": "gpt2", "text": "a',
    "not UTF-8": b'{"encoding": "gpt2", "text": "\xff"}',
    "UTF-16": flat().encode("utf-16"),
    "a list": b"[1]",
    "null": b"null",
    "deep": b"[" * 100_000,
    "deep and closed": b'{"text": ' * 5_000 + b"1" + b"}" * 5_000,
    "wide": b'{"ids": [' + b"[]," * 1_000_000 + b"[]]}",
    "twice": b'{"encoding": "gpt2", "text": "a", "text": "b"}',
    "twice in another": b'{"encoding": {"a": 1, "a": 2}, "text": "b"}',
    "NaN": b'{"encoding": "gpt2", "text": NaN}',
    "infinity": b'{"encoding": "gpt2", "ids": [-Infinity]}',
    "two": b'{"encoding": "gpt2", "text": "a"} {}',
    "quotes": b'"' + b'\\"' * 1_000_000 + b"\\",
    "brackets before quotes": b'{"text": "' + b'\\"[' * 1_000_000 + b"\\",
    "NUL": b"\0" * 100,
}


@pytest.mark.parametrize("case", NOT_JSON)
def test_invalid_json_is_refused(case):
    refused("bad-json", "", "count", NOT_JSON[case])


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_refuses_invalid_json(name):
    refused("bad-json", "", name, b"[1]")


@pytest.mark.parametrize(("before", "at"), [(b"", 2), (codecs.BOM_UTF8, 5)])
def test_first_byte_that_is_not_utf_8_is_named(before, at):
    refused("bad-json", f"at byte {at}.", "count", before + b'"\xff"')


@given(body=st.lists(st.sampled_from([b'"', b"\\", b"[", b"{", b"a", b"\n"]), max_size=20).map(b"".join))
def test_nesting_counts_only_brackets_outside_strings(body):
    inside = escaped = False
    begun = 0
    for byte in map(chr, body):
        begun += not inside and byte in "[{"
        inside, escaped = byte != '"' or escaped if inside else byte == '"', inside and byte == "\\" and not escaped
    assert json_body.has_too_many_containers(body, 2) == (begun > 2)


BAD_FIELDS = {
    "missing": ("count", '{"encoding": "gpt2"}', "exactly one of the fields 'text' and 'texts'"),
    "both": ("count", flat(texts=["a"]), "exactly one of the fields 'text' and 'texts'"),
    "no texts": ("encode", '{"encoding": "gpt2", "texts": []}', "1 to 10,000 strings"),
    "a number": ("encode", '{"encoding": "gpt2", "texts": ["a", 1]}', "the one at place 1, counted from 0, must be"),
    "no messages": ("chat", '{"encoding": "gpt2", "messages": []}', "1 to 2,000 messages"),
    "no tools": ("chat", '{"encoding": "gpt2", "messages": [{}], "tools": [1]}', "a list of tool definitions"),
    "unknown": ("count", flat(txet="a"), "Did you mean 'text'?"),
    "long unknown": ("count", flat(**{"x" * 100_000: 1}), "There is no field"),
    "no string": ("count", flat(text=1), "must be a string"),
    "an object": ("count", flat(text={"a": 1}), "must be a string"),
    "lone surrogate": ("count", flat(text="ab\ud83d"), "lone surrogate, half a character of UTF-16, at code point 2"),
    "the other half": ("encode", flat(text="\udc4d\ud83d"), "at code point 0"),
    "a long name": ("count", flat(encoding="gpt" * 1_000_000), "at most 200 characters"),
    "no name": ("count", flat(encoding=None), "must be the name"),
    "special": ("encode", flat(special="yes"), "must be one of 'text', 'special', 'error'"),
    "special list": ("encode", flat(special=["text"]), "must be one of"),
    "no list": ("decode", '{"encoding": "gpt2", "ids": 1}', "must be a list"),
    "negative": (
        "decode",
        '{"encoding": "gpt2", "ids": [1, -1]}',
        "such as [24912, 2375]; the one at place 1, counted from 0, is -1.",
    ),
    "boolean": ("decode", '{"encoding": "gpt2", "ids": [true]}', "the one at place 0"),
    "a half": ("decode", '{"encoding": "gpt2", "ids": [0.5]}', "the one at place 0"),
    "huge": ("decode", '{"encoding": "gpt2", "ids": [1' + "0" * 1_000_000 + "]}", "the one at place 0"),
    "beyond floats": ("decode", '{"encoding": "gpt2", "ids": [1e999]}', "the one at place 0"),
    "strings": ("decode", '{"encoding": "gpt2", "ids": ["1"]}', "the one at place 0"),
    "none": ("compare", '{"encodings": [], "text": ""}', "1 to 6 names"),
    "seven": ("compare", json.dumps({"encodings": ["gpt2"] * 7, "text": ""}), "1 to 6 names"),
}


@pytest.mark.parametrize("case", BAD_FIELDS)
def test_bad_fields_are_named(case):
    name, body, words = BAD_FIELDS[case]
    refused("bad-field", words, name, body)


def test_integral_json_floats_are_accepted_as_ids():
    assert parsed(b'{"ids": [1.0, 1e3, -0, 12, 1.5]}')["ids"] == [1, 1000, 0, 12, 1.5]
    assert ask("decode", '{"encoding": "gpt2", "ids": [64.0, 2.75e2]}') == (200, {"text": "a b"})
    assert ask("count", "\ufeff" + flat()) == (200, {"tokens": 1})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["gpt2", "a", "text", "special", "error", "x" * 201, 5, 5.0, 999_999, 1_000_000, -1]),
    lambda inner: st.lists(inner, max_size=7) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONS)
@examples(60)
@given(
    right=st.fixed_dictionaries(
        {"encoding": st.just("gpt2"), "encodings": st.just(["gpt2"]), "text": st.just("a"), "ids": st.just([1])}
        | {"messages": st.just([{"role": "user", "content": "a"}])}
    ),
    wrong=st.dictionaries(st.sampled_from([*questions.FIELDS, "other"]), VALUES, max_size=2),
    left_out=st.sets(st.sampled_from(["encoding", "text", "ids"]), max_size=1),
)
def test_questions_are_accepted_exactly_as_described(name, right, wrong, left_out):
    fields = {key: value for key, value in right.items() if key in QUESTIONS[name].fields} | wrong
    fields = {key: value for key, value in fields.items() if key not in left_out}
    schema = {"$ref": f"#/components/schemas/{name}-question", "components": DESCRIPTION["components"]}
    _, found = ask(name, **fields)
    is_refused = found.get("type", "").endswith("#bad-field")
    assert Draft202012Validator(schema).is_valid(fields) == (not is_refused), (fields, found)


@pytest.mark.slow
@given(texts=st.lists(st.text(), min_size=1, max_size=5))
@examples(30)
def test_several_texts_are_answered_like_each_alone(texts):
    ids = [oracle("cl100k_base").encode(text, disallowed_special=()) for text in texts]
    assert ask("encode", encoding="gpt-4", texts=texts) == (200, {"ids": ids})
    assert ask("count", encoding="gpt-4", texts=texts) == (200, {"tokens": [*map(len, ids)]})


def test_several_texts_share_the_limit_of_one_and_a_refused_one_is_named():
    refused("too-large", "The texts together have", "count", encoding="gpt2", texts=["ab" * 1_000_000] * 3)
    given = {"encoding": "gpt2", "special": "error"}
    found = refused("special-token", "<|endoftext|>", "count", texts=["a", "b<|endoftext|>"], **given)
    assert (found["place"], found["token"], found["code_point"]) == (1, "<|endoftext|>", 1)


CHAT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Rain?"}]
PARAMETERS = {"type": "object", "properties": {"place": {"type": "string", "default": 1.0}}}
TOOL = {"name": "rain", "description": "Rain in millimetres", "parameters": PARAMETERS}


def test_chat_is_counted_by_the_template_of_its_model():
    text = "<|im_start|>system<|im_sep|>Be brief.<|im_end|><|im_start|>user<|im_sep|>Rain?<|im_end|>"
    text += "<|im_start|>assistant<|im_sep|>"
    marks = len(text.split("<|")) - 1
    words = [one for one in re.split(r"<\|\w+\|>", text) if one]
    tokens = marks + sum(len(oracle("cl100k_base").encode(one)) for one in words)
    answer = {"tokens": tokens, "template": "ChatML (GPT-3.5, GPT-4, GPT-4o)", "is_known": True}
    assert ask("chat", encoding="gpt-4", messages=CHAT) == (200, answer)


def test_tools_of_a_chat_are_counted_one_by_one():
    messages = [*CHAT, {"role": "assistant", "tool_calls": [{"function": {"name": "rain", "arguments": "{}"}}]}]
    tools = [{"type": "function", "function": {**TOOL, "name": name}} for name in ("rain", "snow")]
    status, found = ask("chat", encoding="o200k_harmony", messages=messages, tools=tools)
    assert status == 200 and found["tools"]["form"].startswith("gpt-oss") and not found["tools"]["is_estimate"]
    assert [one["name"] for one in found["tools"]["each"]] == ["rain", "snow"]
    expected = count_tools(read_tools(json.dumps(tools)).tools, get_encoding("o200k_harmony"), FORMATS["harmony"])
    assert found["tools"]["tokens"] == expected.added > sum(one["tokens"] for one in found["tools"]["each"]) > 20
    without = ask("chat", encoding="o200k_harmony", messages=messages)[1]
    assert without == {key: value for key, value in found.items() if key != "tools"}
    assert ask("chat", encoding="gpt-4", messages=CHAT, tools=tools)[1]["tools"]["is_estimate"]


def test_lone_surrogates_in_a_chat_and_its_tools_become_replacement_characters():
    tools = [{"name": "a\ud83d", "parameters": {}}, {"name": "b", "type": "\ud83d"}]
    status, found = ask("chat", encoding="gpt-4", messages=[{"role": "user", "content": "\ud83d"}], tools=tools)
    assert (status, [one["name"] for one in found["tools"]["each"]]) == (200, ["a\ufffd"])


def test_chat_has_the_same_limit_as_a_text():
    half = {"role": "user", "content": "ab " * 833_334}
    refused("too-large", "The chat as its template writes it has 5,000,", "chat", encoding="gpt2", messages=[half] * 2)


def test_unreadable_chats_and_tools_are_refused():
    refused("refused", "unknown role", "chat", encoding="gpt-4", messages=[{"role": "poet", "content": "a"}])
    refused("refused", "the key name is missing", "chat", encoding="gpt-4", messages=CHAT, tools=[{"a": 1}])
    deep = '{"encoding": "gpt2", "messages": [' + "[" * 9_000 + "]" * 9_000 + "]}"
    refused("bad-json", "nested too deep", "chat", deep)
    refused("bad-json", "more than 10,000", "chat", '{"encoding": "gpt2", "messages": [' + "{}," * 10_000 + "{}]}")


def test_unknown_encoding_names_get_a_suggestion():
    assert (
        refused("unknown-encoding", "Did you mean 'gpt-4'?", "count", encoding="gpt4", text="a")["suggestion"]
        == "gpt-4"
    )
    refused("unknown-encoding", "Did you mean 'o200k_base'?", "compare", encodings=["gpt2", "o200k_bas"], text="a")
    refused("unknown-encoding", "Grok is not available: no package", "count", encoding="x-ai/grok-4", text="a")
    answered = CLIENT.post("/v1/count", json={"encoding": "openai/gpt-oss-20b", "text": "a"})
    assert answered.status_code == 200 and answered.json()["tokens"] == 1
    for name in ("", "../../etc/passwd", "GPT-4O\0", "\ud800", "<b>"):
        refused("unknown-encoding", "Unknown encoding", "encode", encoding=name, text="a")


def test_encodings_of_visitors_cannot_be_used(no_trainings_left):
    trained = encoding_from_merges(train("abcabc", 257, None), None, name="mine")
    for how in (encoding_store.LOADED, encoding_store.EXTENDED):
        entry = encoding_store.add(trained, how)
        assert encoding_store.find(entry.key).encoding is trained
        for name in (entry.key, "mine"):
            refused("unknown-encoding", "Unknown encoding", "encode", encoding=name, text="a")
            refused("unknown-encoding", "Unknown encoding", "decode", encoding=name, ids=[1])
        assert entry.key not in CLIENT.get("/v1/encodings").text and "mine" not in CLIENT.get("/v1/encodings").text


def test_unknown_ids_are_named_with_their_places():
    problem = refused("unknown-ids", "60000 at position 2", "decode", encoding="gpt2", ids=[1, 60_000, 2, 999_999])
    assert problem["places"] == [1, 3]


def test_special_error_names_the_special_token_and_its_place():
    fields = {"encoding": "gpt2", "text": "é<|endoftext|>"}
    problem = refused("special-token", "'<|endoftext|>'", "encode", **fields, special="error")
    assert (problem["token"], problem["code_point"], problem["byte"]) == ("<|endoftext|>", 1, 2)
    assert ask("encode", **fields, special="special") == (200, {"ids": [2634, 50256]})
    assert ask("encode", **fields) == (200, {"ids": oracle("gpt2").encode(fields["text"], disallowed_special=())})


def test_too_large_requests_name_the_limit(monkeypatch):
    assert refused("too-large", "10,000,000", "count", b"x" * (MAX_BODY_BYTES + 1))["limit"] == MAX_BODY_BYTES
    parts = (b"x" * 1_000_000 for _ in range(11))  # without Content-Length
    refused("too-large", "10,000,000", "count", parts)
    refused("too-large", "", "count", b"x", JSON | {"content-length": "9" * 30})
    refused(
        "too-large",
        "2,000,001 bytes; the limit is 2,000,000",
        "compare",
        encodings=["gpt2"],
        text="é" * 1_000_000 + "a",
    )
    monkeypatch.setattr(questions, "MAX_IDS", 3)
    refused("too-large", "4 ids", "decode", encoding="gpt2", ids=[1, 2, 3, 4])
    assert MAX_IDS * 9 < MAX_BODY_BYTES


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"content-type": "text/plain"},
        {"content-type": "application/jsonp"},
        {"content-type": "application/x-www-form-urlencoded"},
        {"content-type": "application/json; charset=latin-1"},
        JSON | {"content-encoding": "gzip"},
    ],
)
def test_other_content_types_are_refused(headers):
    refused("wrong-type", "Send", "count", flat().encode(), headers)


@pytest.mark.parametrize(
    "kind",
    [
        "Application/JSON",
        "application/json; charset=UTF-8",
        'application/json;charset="utf-8"',
        "application/json; charset=utf-8; profile=a",
    ],
)
def test_json_content_type_may_name_utf8(kind):
    assert ask("count", flat(), {"content-type": kind, "content-encoding": "Identity"}) == (200, {"tokens": 1})


@pytest.mark.parametrize("path", [*QUESTIONS, "encodings", "openapi.json", "docs", "docs/page.js"])
def test_other_methods_get_405_with_the_allowed_ones(path):
    allowed = ["POST"] if path in QUESTIONS else ["GET", "HEAD"]
    for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
        reply = CLIENT.request(method, f"/v1/{path}")
        assert (reply.status_code == 405) == (method not in allowed)
        if reply.status_code == 405:
            assert reply.headers["allow"] == ", ".join(allowed)


@pytest.mark.parametrize("path", ["coun", "count/x", "trained-0", "%2e%2e/api", "docs/page.jinja", "a" * 5000])
def test_unknown_paths_get_404_with_a_suggestion(path):
    reply = CLIENT.post(f"/v1/{path}", json={})
    assert (reply.status_code, reply.json()["type"]) == (404, "/v1/docs#no-such-path")
    assert "Did you mean /v1/count?" in CLIENT.get("/v1/coun").json()["detail"]


# ---- incomplete bodies, and faults ----


def half_sent(*parts, api=None):
    """Returns status, headers and body of the answer to a request that stops or disconnects after `parts`."""
    sent, scope = Sent(), request("/v1/count", headers=[(b"content-type", b"application/json")])
    asyncio.run((api or v1.Api())(scope, receives(*parts), sent))
    return sent[0]["status"], dict(sent[0]["headers"]), sent.body


def test_stalled_bodies_time_out(monkeypatch):
    monkeypatch.setattr(limits, "BODY_TIMEOUT_SECONDS", 0.01)
    api = RateLimitMiddleware(v1.Api(), dict)
    status, headers, answer = half_sent(body_part(b'{"encoding": "gpt2"', more=True), api=api)
    assert (status, json.loads(answer)["type"]) == (408, "/v1/docs#too-slow")
    assert headers[b"connection"] == b"close" and not BYTE_QUOTA.reserved


def test_disconnect_during_the_body_logs_nothing(caplog):
    assert half_sent(body_part(b'{"encoding": "gpt2"', more=True), {"type": "http.disconnect"})[0] == 400
    assert caplog.records == []


def test_bodies_beyond_the_quota_are_refused(monkeypatch):
    monkeypatch.setattr("server.limits.quota.MAX_BYTES_IN_FLIGHT_PER_ADDRESS", 10)
    status, headers, answer = half_sent(body_part(b"x" * 11, more=True))
    assert (status, json.loads(answer)["type"], headers[b"retry-after"]) == (429, "/v1/docs#too-many", b"2")


def test_faults_are_logged_and_answered_without_the_text(monkeypatch, caplog):
    def fail(fields):
        raise RuntimeError(fields["text"])

    monkeypatch.setitem(QUESTIONS, "count", questions.Question(*FIELDS_OF_COUNT, fail))
    caplog.set_level(logging.DEBUG)
    problem = refused("failed", "fault", "count", encoding="gpt2", text="a secret")
    assert "RuntimeError in /v1" in caplog.text and "in fail" in caplog.text
    assert "secret" not in caplog.text + str(problem)


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (ServerBusy(), "busy", "Try again in a moment"),
        (DamagedEncodingFile(Path("/srv/gpt2.tiktoken.gz"), "missing", ""), "failed", "The server has a fault"),
        (OutOfMemory("gpt2", 9), "refused", "not enough memory"),
    ],
)
def test_errors_of_encodings_have_the_status_of_their_cause(monkeypatch, error, kind, words):
    def fail(name):
        raise error

    monkeypatch.setattr(questions.encoding_store, "find", fail)
    monkeypatch.setattr(v1, "is_quick", lambda name: False)
    problem = refused(kind, words, "count", encoding="gpt2", text="a")
    assert "/srv" not in str(problem)


def test_texts_are_not_logged(caplog):
    caplog.set_level(logging.DEBUG)
    ask("count", encoding="gpt2", text="a secret")
    ask("count", encoding="a secret", text="a secret " * INLINE_LIMIT_BYTES)
    ask("encode", '{"a secret": ')
    assert "secret" not in caplog.text


# ---- cross-origin requests ----

ORIGIN = "https://a.org"
PREFLIGHT = {
    "origin": ORIGIN,
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type",
}


def test_cross_origin_requests_are_refused_by_default():
    assert v1.CORS in refused("other-site", "", "count", flat(), JSON | {"origin": ORIGIN})["detail"]
    refused("other-site", "", "count", flat(), JSON | {"sec-fetch-site": "cross-site"})
    assert CLIENT.options("/v1/count", headers=PREFLIGHT).status_code == 405
    for reply in (
        CLIENT.options("/v1/count", headers=PREFLIGHT),
        CLIENT.get("/v1/encodings", headers={"origin": ORIGIN}),
    ):
        assert not [name for name in reply.headers if name.startswith("access-control")]
    assert ask("count", flat(), JSON | {"origin": "http://testserver"}) == (200, {"tokens": 1})


@pytest.mark.parametrize(("let_in", "is_in"), [([ORIGIN], True), (["*"], True), (["https://b.org"], False)])
def test_cross_origin_requests_are_allowed_from_configured_origins(let_in, is_in):
    client = TestClient(Starlette(routes=routes_of(let_in)))
    reply = client.options("/v1/count", headers=PREFLIGHT)
    assert (reply.status_code == 200) == is_in
    assert is_in or reply.json()["type"] == "/v1/docs#other-site"
    headers = JSON | {"origin": ORIGIN, "sec-fetch-site": "cross-site"}
    reply = client.post("/v1/count", content=flat(), headers=headers)
    assert (reply.status_code == 200) == is_in
    assert (reply.headers.get("access-control-allow-origin") in (ORIGIN, "*")) == is_in
    assert "access-control-allow-credentials" not in reply.headers
    assert client.post("/v1/count", content=flat(), headers=JSON).status_code == 200  # a program


# ---- OpenAPI ----


def test_description_is_valid_openapi_and_lists_every_path():
    validate(DESCRIPTION)
    assert CLIENT.get("/v1/openapi.json").json() == DESCRIPTION
    assert {*DESCRIPTION["paths"]} == {f"/v1/{name}" for name in [*QUESTIONS, "encodings"]}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of_the_description_are_true(name):
    fields, answer = EXAMPLES[name]
    status, found = ask(name, **fields)
    assert status == 200 and (not answer or found == answer)


def test_docs_page_lists_everything_and_loads_nothing_from_elsewhere():
    found = page().decode()
    assert all(f'id="{kind}"' in found for kind in [*PROBLEM_KINDS, *QUESTIONS, "encodings"])
    assert all(f"<code>{field}</code>" in found for one in QUESTIONS.values() for field in one.fields)
    reply = CLIENT.get("/v1/docs")
    assert reply.text == found and "default-src 'none'" in reply.headers["content-security-policy"]
    assert all(CLIENT.get(f"/v1/docs/{name}").headers["content-type"].startswith(kind) for name, kind in FILES.items())


def test_problems_match_the_schema_and_have_their_status():
    for kind, (status, _) in PROBLEM_KINDS.items():
        reply = Problem(kind, "Words.").response()
        valid({"$ref": "#/components/schemas/problem", "components": DESCRIPTION["components"]}, json.loads(reply.body))
        assert reply.status_code == status and ("retry-after" in reply.headers) == (status in (429, 503))
