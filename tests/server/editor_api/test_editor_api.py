"""The editor API: exact answers, and a readable refusal instead of any server fault."""

import asyncio
import io
import json
import struct
import threading
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from amounts import examples
from asgi import Sent, body_part, request
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from texts import TEXTS as TEXT

from server.editor_api import routes as routes_module
from server.editor_api.questions import (
    DECODE_CHUNK_BYTES,
    MAX_LOUPE_BYTES,
    MAX_TEXTS,
    QUESTIONS,
    VOCABULARY,
    BadQuestion,
    answer,
    decoded,
    recut,
    tokens,
)
from server.editor_api.routes import MAX_BODY_BYTES, MAX_HEAD_BYTES, routes
from server.encodings import encoding_store
from server.exports.take_home import take_home
from tokenizer import encoding_from_merges, get_encoding, list_encoding_names, train_characters, train_words
from tokenizer.display import export
from tokenizer.display.qr import qr_svg
from tokenizer.encoding.loupe import loupe
from tokenizer.errors import TokenizerError
from tokenizer.text.units import count_graphemes, count_words
from tokenizer.text.well_formed import well_formed

APP = Starlette(routes=routes)
CLIENT = TestClient(APP, base_url="http://testserver")  # raises exceptions of the server
OCTETS = {"content-type": "application/octet-stream"}

TEXTS = st.lists(TEXT.map(lambda text: well_formed(text)[0]), max_size=6)
SPECIAL = st.sampled_from(["text", "special"])


@pytest.fixture(scope="module", autouse=True)
def one_event_loop():
    with CLIENT:
        yield


def question(*texts):
    """Returns the body of a request about these texts."""
    data = [text.encode() for text in texts]
    return struct.pack(f"<{1 + len(data)}I", len(data), *map(len, data)) + b"".join(data)


def ask(name="tokens", body=None, headers=OCTETS, method="POST", **parameters):
    parameters = {"encoding": "gpt2"} | parameters
    body = question("a") if body is None else body
    return CLIENT.request(method, f"/api/{name}", params=parameters, content=body, headers=headers)


def rows(data):
    """Returns the rows of numbers in an answer."""
    numbers = np.frombuffer(data, "<u4")
    count, lengths = int(numbers[0]), numbers[1 : 1 + int(numbers[0])]
    found = np.split(numbers[1 + count :], np.cumsum(lengths))
    assert len(found.pop()) == 0
    return [row.tolist() for row in found]


def shares(values, counts):
    """Splits `values` into rows of `counts` values."""
    values = iter(values)
    dealt = [[next(values) for _ in range(count)] for count in counts]
    assert not list(values)
    return dealt


def refused(reply, status, *words):
    assert reply.status_code == status
    assert reply.headers["content-type"].startswith("text/plain")
    assert reply.headers["x-tokenloupe"] == "1"
    assert reply.headers["cache-control"] == "no-store"
    assert "Traceback" not in reply.text
    assert all(word in reply.text for word in words), reply.text


# Answers


def test_tokens_flag_texts_that_do_not_round_trip():
    letters = encoding_from_merges([], None, alphabet={"a", "b"})
    texts = ["ab", "axb", "", "x"]
    assert rows(tokens(texts, letters, "text"))[2] == [letters.decode(letters.encode(one)) == one for one in texts]
    assert rows(tokens(texts, letters, "text"))[2] == [1, 0, 1, 0]


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_harmony"])  # one of each split pattern
@examples(40)
@given(texts=TEXTS, special=SPECIAL)
def test_tokens_equal_those_of_the_encoding(name, texts, special):
    encoding = get_encoding(name)
    reply = ask("tokens", question(*texts), encoding=name, special=special)
    assert (reply.status_code, reply.headers["x-tokenloupe"]) == (200, "1")
    counts, others, _, ids, lengths, starts, kinds = rows(reply.content)
    assert starts == [] and set(kinds) <= {0, 1}
    assert shares(ids, counts) == [encoding.encode(text, special=special) for text in texts]
    assert others == [other_count(text, encoding, special) for text in texts]
    for text, own in zip(texts, shares(lengths, counts), strict=True):
        assert np.cumsum(own).tolist() == [token.end for token in encoding.tokenize(text, special=special)]


@pytest.mark.parametrize("encoding", [get_encoding("gpt2"), train_words("a b"), train_characters("a")], ids=repr)
def test_recut_refuses_encodings_without_learned_merges(encoding):
    with pytest.raises(BadQuestion, match="has no merge timeline, so a text cannot be shown in it"):
        recut(["a"], encoding, "text")


def other_count(text, encoding, special):
    """Returns the token count with the other special mode, or 0 where the text has no special token."""
    if not any(token in text for token in encoding.special_tokens):
        return 0
    return len(encoding.encode(text, special={"text": "special", "special": "text"}[special]))


@examples(20)
@given(text=TEXT.filter(bool), special=SPECIAL, share=st.floats(0, 0.99))
def test_loupe_equals_that_of_the_core(text, special, share):
    text = well_formed(text)[0]
    at = int(share * len(text.encode()))
    found = ask("loupe", question(text), encoding="o200k_base", special=special, at=str(at)).json()
    assert found == json.loads(json.dumps(loupe(text, at, get_encoding("o200k_base"), special)))


@pytest.mark.parametrize("at", ["", "3", "-1", "x", "٣", "1" * 10])
def test_loupe_needs_the_number_of_a_byte(at):
    answer = ask("loupe", question("abc"), at=at)
    assert answer.status_code == 400 and "the position of a byte in the text: a whole number below 3" in answer.text


@pytest.mark.slow
def test_loupe_refuses_texts_above_its_limit():
    answer = ask("loupe", question("a" * (MAX_LOUPE_BYTES + 1)), at="5")
    assert (
        answer.status_code == 400
        and "The loupe cannot explain this token: the text around the token cannot be divided" in answer.text
    )
    found = ask("loupe", question("a" * MAX_LOUPE_BYTES), at="5").json()
    assert found["merges"] is None and "Merges are shown only for pre-tokens of up to" in found["problem"]


@examples(40)
@given(texts=TEXTS)
def test_units_counts_graphemes_and_words(texts):
    graphemes, words = rows(ask("units", question(*texts)).content)
    assert graphemes == [count_graphemes(text) for text in texts]
    assert words == [count_words(text) for text in texts]


@pytest.mark.slow
@pytest.mark.parametrize("parts", [["ที่ <|endoftext|>\r\n👩‍👦 =1"], ["ที", "่ <|endof", "text|>\r\n👩‍👦 =1"], []])
@pytest.mark.parametrize("special", ["text", "special"])
def test_files_equal_exports_of_the_whole_text(parts, special):
    text, encoding = "".join(parts), get_encoding("gpt2")
    reply = {name: ask(name, question(*parts), special=special).content.decode() for name in ("csv", "json", "html")}
    assert reply["csv"] == export.to_csv(text, encoding, special)
    assert reply["json"] == export.to_json(text, encoding, special)
    assert reply["html"] == take_home(text, encoding_store.find("gpt2"), special)
    ids = encoding.encode(text, special=special)
    assert pd.read_csv(io.StringIO(reply["csv"]))["id"].tolist() == ids
    assert [token["id"] for token in json.loads(reply["json"])["tokens"]] == ids


def test_model_name_selects_its_encoding_and_special_tokens_are_text_by_default():
    body = question("<|endoftext|>")
    assert ask(body=body, encoding="gpt-4o").content == ask(body=body, encoding="o200k_base", special="text").content


@pytest.mark.slow
def test_ids_are_exact_for_a_text_that_tiktoken_fails_on():
    encoding = get_encoding("gpt2")  # tests/tokenizer/encoding has the others
    reply = ask("tokens", question(" " * 999_999 + "x"), encoding="gpt2")
    assert reply.status_code == 200
    # The pattern cuts before the last space, so the two sides can be encoded one by one.
    assert rows(reply.content)[3] == encoding.encode(" " * 999_998) + encoding.encode(" x")


@pytest.mark.parametrize(
    "name", sorted(QUESTIONS.keys() - {"recut", "history", "loupe", "recipe", "merges", *VOCABULARY})
)  # these need a parameter or a training
def test_no_texts_and_empty_texts_are_answered(name):
    for body in (question(), question(""), question("", "a", "")):
        assert ask(name, body).status_code == 200


@pytest.mark.slow
def test_the_largest_number_of_texts_is_answered():
    counts, *_ = rows(ask(body=question(*["a"] * MAX_TEXTS)).content)
    assert counts == [1] * MAX_TEXTS


def test_concurrent_long_questions_are_all_answered():
    texts = [f"{i} " * 5000 for i in range(8)]

    async def all_at_once():
        return await asyncio.gather(*(call([question(text)]) for text in texts))

    for text, reply in zip(texts, asyncio.run(all_at_once()), strict=True):
        assert rows(reply.content)[3] == get_encoding("gpt2").encode(text)


# Bodies that are refused


async def call(parts, *headers):
    """Calls the ASGI app with raw headers and a body in parts, which a client library would normalize."""
    parts, sent, read = iter(parts), Sent(), 0

    async def receive():
        nonlocal read
        part = next(parts, None)
        read += len(part or b"")
        return body_part(part or b"", more=part is not None)

    scope = request("/api/tokens", headers=[(b"content-type", b"application/octet-stream"), *headers])
    await APP(scope | {"query_string": b"encoding=gpt2"}, receive, sent)
    head = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    text = sent.body.decode("latin-1")
    return SimpleNamespace(status_code=sent[0]["status"], headers=head, content=sent.body, text=text, read=read)


def endless():
    while True:
        yield bytes(65_536)


@pytest.mark.parametrize("announced", [MAX_BODY_BYTES + 1, 10**30])
def test_too_large_content_length_is_refused_unread(announced):
    reply = asyncio.run(call(endless(), (b"content-length", str(announced).encode())))
    refused(reply, 413, f"{MAX_BODY_BYTES:,} bytes")
    assert reply.read == 0


@pytest.mark.parametrize("headers", [[], [(b"transfer-encoding", b"chunked")], [(b"content-length", b"4")]])
def test_streamed_bodies_are_read_up_to_the_limit(headers):
    reply = asyncio.run(call(endless(), *headers))
    refused(reply, 413, f"{MAX_BODY_BYTES:,} bytes")
    assert reply.read <= MAX_BODY_BYTES + 65_536


def test_body_in_parts_equals_the_whole_body():
    whole = question("ที่", "b")
    reply = asyncio.run(call(whole[i : i + 1] for i in range(len(whole))))
    assert reply.content == ask(body=whole).content


@pytest.mark.parametrize(
    "body, words",
    [
        (b"", "too short"),
        (b"\x01\x00\x00", "too short"),
        (question("abc")[:-1], "10 bytes"),
        (question("abc") + b"d", "12 bytes"),
        (struct.pack("<I", 1), "must contain the length of each text"),
        (struct.pack("<2I", 2, 0), "must contain the length of each text"),
        (struct.pack("<2I", 1, 4), "8 bytes"),
        (struct.pack("<2I", 1, 0xFFFFFFFF), "8 bytes"),
        (struct.pack("<3I", 2, 0xFFFFFFFF, 1), "12 bytes"),  # their sum is 0 in 32 bits
        (struct.pack("<3I", 2, 0x80000000, 0x80000000), "12 bytes"),
        (struct.pack("<5I", 4, *[0x40000000] * 4), "20 bytes"),
        (struct.pack("<I", 0xFFFFFFFF), "announces 4294967295 texts"),
        (struct.pack("<I", MAX_TEXTS + 1) + bytes(4 * (MAX_TEXTS + 1)), f"at most {MAX_TEXTS}"),
        (struct.pack(">2I", 1, 1) + b"a", "announces 16777216 texts"),
        (struct.pack("<2I", 1, 1) + b"\xff", "not valid UTF-8"),
        (struct.pack("<2I", 1, 2) + "ที่".encode()[:2], "not valid UTF-8"),
        (struct.pack("<3I", 2, 1, 2) + "ท".encode(), "not valid UTF-8"),  # cut inside a character
        (struct.pack("<2I", 1, 3) + b"\xed\xa0\xbd", "not valid UTF-8"),  # the first half of a surrogate pair
        (struct.pack("<2I", 1, 6) + b"\xed\xa0\xbd\xed\xb1\x8d", "not valid UTF-8"),  # both halves
        (struct.pack("<2I", 1, 2) + b"\xc0\x80", "not valid UTF-8"),  # overlong NUL
        (struct.pack("<2I", 1, 4) + b"\xf4\x90\x80\x80", "not valid UTF-8"),  # beyond U+10FFFF
    ],
)
def test_malformed_bodies_are_refused(body, words):
    refused(ask("tokens", body), 400, words)


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_refuses_a_malformed_body(name):
    refused(ask(name, b""), 400, "too short")


@pytest.mark.parametrize("chunks, more", [(1, -1), (1, 0), (1, 1), (2, 0), (2, 2)])
def test_long_texts_are_decoded_whole_or_refused_with_the_bad_byte(chunks, more):
    size = chunks * DECODE_CHUNK_BYTES + more
    data = ("ที่👍é" * DECODE_CHUNK_BYTES).encode()[:size]
    for cut in (data, data + b"\xff", data[: size // 2] + b"\x80" + data[size // 2 :]):
        try:
            wanted = cut.decode()
        except UnicodeDecodeError as error:
            refused(ask("tokens", struct.pack("<2I", 1, len(cut)) + cut), 400, f"at byte {error.start + 1:,}.")
        else:
            assert decoded(memoryview(cut)) == wanted


# Requests that are refused


@pytest.mark.parametrize("kind", [None, "", "text/plain", "application/json", "application/x-www-form-urlencoded"])
def test_other_content_types_are_refused(kind):
    refused(ask(headers={} if kind is None else {"content-type": kind}), 415, "application/octet-stream")


@pytest.mark.parametrize("site", ["cross-site", "same-site", "", "anything"])
def test_other_sites_are_refused(site):
    refused(ask(headers=OCTETS | {"sec-fetch-site": site}), 403, "this server")
    refused(ask(headers=OCTETS | {"sec-fetch-site": site, "origin": "http://testserver"}), 403)


@pytest.mark.parametrize(
    "origin",
    ["http://example.org", "https://testserver.example.org", "http://testserver:81", "null", "", "testserver"]
    + ["http://example.org/://testserver", "http://testserver@example.org"],
)
def test_other_origins_are_refused_without_fetch_metadata(origin):
    refused(ask(headers=OCTETS | {"origin": origin}), 403, "this server")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "none"},
        {"origin": "http://testserver"},
        {"origin": "https://testserver"},  # behind a TLS proxy
        {"sec-fetch-site": "same-origin", "origin": "http://testserver"},
        {"sec-fetch-site": "same-origin", "origin": "https://example.org"},  # behind a proxy that changes the host
    ],
)
def test_same_origin_requests_are_answered(headers):
    assert ask(headers=OCTETS | headers).status_code == 200


def test_unknown_encodings_are_refused_with_a_suggestion():
    refused(ask(encoding="cl100k"), 404, "Unknown encoding 'cl100k'", "Did you mean 'cl100k_base'?")
    refused(ask(encoding=""), 404, "Known encodings: gpt2")
    refused(CLIENT.post("/api/tokens", content=question("a"), headers=OCTETS), 404, "Known encodings: gpt2")


def test_unknown_questions_are_refused_with_the_known_ones():
    refused(ask("token"), 404, *QUESTIONS)
    with pytest.raises(TokenizerError, match="tokens, units"):
        answer("token", {}, question("a"), encoding_store.find("gpt2"))


@pytest.mark.parametrize("special", ["error", "", "Special", "all", "x" * 1000])
def test_unknown_special_modes_are_refused(special):
    reply = ask(special=special)
    refused(reply, 400, "must be 'text' or 'special'")
    assert len(reply.text) < 200


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_other_methods_are_refused(method):
    reply = ask(method=method)
    assert (reply.status_code, reply.headers["allow"]) == (405, "POST")
    assert "access-control-allow-origin" not in reply.headers


# Fuzzing

LENGTHS = st.integers(0, 40) | st.sampled_from([0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, MAX_TEXTS, MAX_TEXTS + 1])
BODIES = st.one_of(
    st.binary(max_size=60),
    st.builds(
        lambda numbers, rest: struct.pack(f"<{len(numbers)}I", *numbers) + rest,
        st.lists(LENGTHS, max_size=6),
        st.binary(max_size=60),
    ),
    TEXTS.map(lambda texts: question(*texts)),
)
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@examples(150)
@given(
    name=st.sampled_from(list(QUESTIONS)) | WORDS.map(lambda word: word.replace("/", "")),
    body=BODIES,
    parameters=st.fixed_dictionaries(
        {},
        optional={
            "encoding": st.sampled_from([*list_encoding_names(), "gpt-4", "ft:gpt-4o"]) | WORDS,
            "special": SPECIAL | WORDS,
            "more": WORDS,
        },
    ),
)
def test_random_requests_are_never_a_server_fault(name, body, parameters):
    quoted = "".join(f"%{byte:02X}" for byte in name.encode())
    reply = CLIENT.post(f"/api/{quoted}", params=parameters, content=body, headers=OCTETS)
    assert reply.status_code in (200, 307, 400, 404, 405)
    if reply.status_code == 400:
        refused(reply, 400)
    if reply.status_code == 200:
        assert answer(name, parameters, body, encoding_store.find(parameters["encoding"])) == reply.content


@examples(150)
@example({b"content-length": b"\xb2"})  # a digit to str.isdigit, not to int
@example({b"content-length": b"9" * 5000})  # more digits than int reads
@given(
    headers=st.dictionaries(
        st.sampled_from([b"content-type", b"origin", b"host", b"sec-fetch-site", b"content-length", b"cookie"]),
        st.binary(max_size=12) | st.sampled_from([b"://", b"-1", b"1e9", b"0", b"same-origin"]),
    )
)
def test_random_headers_are_never_a_server_fault(headers):
    assert asyncio.run(call([question("a")], *headers.items())).status_code in (200, 403, 413, 415)


# The socket


def message(head, body=b"", number=7):
    head = head if isinstance(head, bytes) else json.dumps(head).encode()
    return struct.pack("<2I", number, len(head)) + head + body


def exchange(socket, data):
    """Sends a message; returns number, status and body of the reply."""
    socket.send_bytes(data)
    reply = socket.receive_bytes()
    return *struct.unpack_from("<2I", reply), reply[8:]


def test_socket_answers_as_the_route_does():
    head = {"name": "tokens", "parameters": {"encoding": "gpt2", "special": "text"}}
    with CLIENT.websocket_connect("/api/live") as socket:
        for number, text in enumerate(["a", "ที่ <|endoftext|>", ""]):
            body = question(text)
            assert exchange(socket, message(head, body, number)) == (number, 200, ask(body=body).content)


@pytest.mark.parametrize(
    "data, status",
    [
        (b"", 400),
        (b"1234", 400),
        (message(b"not json"), 400),
        (message(b"[" * 4_000), 400),
        (message([]), 400),
        (message({"name": "tokens"}), 400),
        (message({"name": "tokens", "parameters": []}), 400),
        (message({"name": "tokens", "parameters": {"encoding": "nope"}}, question("a")), 404),
        (message({"name": "nothing", "parameters": {"encoding": "gpt2"}}, question("a")), 400),
        (message({"name": "tokens", "parameters": {"encoding": "gpt2"}}, b"\xff" * 9), 400),
        (struct.pack("<2I", 7, 2**32 - 1) + b"{}", 413),
        (message({"name": "tokens", "parameters": {"encoding": "x" * MAX_HEAD_BYTES}}), 413),
        (bytes(MAX_BODY_BYTES + 1), 413),
    ],
)
def test_socket_stays_open_after_a_refusal(data, status):
    with CLIENT.websocket_connect("/api/live") as socket:
        assert exchange(socket, data)[1] == status
        good = message({"name": "tokens", "parameters": {"encoding": "gpt2"}}, question("a"))
        assert exchange(socket, good)[1] == 200


def test_socket_opens_for_same_origin_pages_only():
    for headers in ({"origin": "http://other.test"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}):
        with pytest.raises(WebSocketDisconnect), CLIENT.websocket_connect("/api/live", headers=headers):
            pass
    with CLIENT.websocket_connect("/api/live", headers={"origin": "http://testserver"}) as socket:
        socket.send_text("no bytes")  # closes the socket without an exception


def draw_code(link: bytes, headers=OCTETS):
    return CLIENT.post("/api/qr", content=link, headers=headers)


def test_qr_code_equals_the_core_and_its_link_is_not_logged(caplog):
    link = "http://192.168.1.5:8501/#v=1&t=secret-ที่"
    reply = draw_code(link.encode())
    assert reply.status_code == 200 and reply.content == qr_svg(link)
    assert reply.headers["content-type"].startswith("image/svg+xml") and reply.headers["cache-control"] == "no-store"
    assert "secret" not in caplog.text and b"secret" not in reply.content


@pytest.mark.parametrize(
    ("link", "headers", "status", "words"),
    [
        (b"x" * 2_332, OCTETS, 400, "2,332 bytes are too many for a QR code"),
        (b"x" * 10_001, OCTETS, 413, "longer than 10,000 bytes"),
        (b"\xff", OCTETS, 400, "not valid UTF-8"),
        (b"x", {"content-type": "text/plain"}, 415, "octet-stream"),
        (b"x", OCTETS | {"sec-fetch-site": "cross-site"}, 403, "Only pages of this server"),
        (b"x", OCTETS | {"origin": "http://evil.example"}, 403, "Only pages of this server"),
    ],
)
def test_qr_code_requests_are_refused_with_a_reason(link, headers, status, words):
    reply = draw_code(link, headers)
    assert reply.status_code == status and words in reply.text


@pytest.mark.parametrize("key", ["gpt2", f"trained-{'0' * 32}", "loaded-" + "0" * 32, "x"])
def test_recipe_is_refused_for_encodings_not_trained_here(key):
    reply = ask("recipe", encoding=key)
    assert reply.status_code in (400, 404) and reply.text


# Inline answers on the event loop


SHORT_TEXT = "a" * 900


@pytest.mark.parametrize(
    ("name", "texts", "is_at_once"),
    [
        ("tokens", [SHORT_TEXT] * 4, True),
        ("tokens", [SHORT_TEXT] * 5, False),
        ("tokens", [""] * 64, True),
        ("tokens", [""] * 65, False),
        ("loupe", [SHORT_TEXT], True),
        ("loupe", [SHORT_TEXT * 2], False),
        ("recut", ["a"], False),
        ("csv", ["a"], False),
    ],
)
def test_only_short_questions_are_answered_on_the_event_loop(monkeypatch, name, texts, is_at_once):
    monkeypatch.setattr(routes_module, "answer", lambda *given: threading.get_ident())
    found = asyncio.run(routes_module.answer_question(name, {"encoding": "gpt2"}, question(*texts)))
    assert (found[1] == threading.get_ident()) is is_at_once


def test_qr_code_is_drawn_in_a_thread(monkeypatch):
    drawn = []
    monkeypatch.setattr(routes_module, "qr_svg", lambda link: drawn.append(threading.current_thread()) or "")
    CLIENT.post("/api/qr", content=b"http://localhost/", headers=OCTETS)
    assert "asyncio_" in drawn[0].name
