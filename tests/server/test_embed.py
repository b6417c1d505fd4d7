"""The page for frames of other sites: off by default, exact, escaped, limited, and framed by listed sites alone."""

import base64
import hashlib
import json
import logging
import re

import pytest
from html_tree import parse_html
from oracles import oracle
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from server.editor_api.routes import SLOTS
from server.embed import EMBED, SITES, origins
from server.encodings import encoding_store
from server.exports.take_home import MAX_FRAMED_CHARACTERS
from server.limits.fair_queue import Slots
from server.limits.host_guard import OriginGuard
from server.limits.middleware import RateLimitMiddleware
from server.routes import routes
from tokenizer import train_words
from tokenizer.encoding.loupe import loupe

BLOG = "https://blog.example.org"
GUARDS = [Middleware(OriginGuard, option=lambda name: []), Middleware(RateLimitMiddleware, open_file_sizes=dict)]
CLIENT = TestClient(Starlette(routes=routes, middleware=GUARDS), base_url="http://localhost")
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "</noscript><img src=x onerror=alert(1)>",
    "\" onload=alert(1) x='",
    '</template></style></title><div id="root">',
    "\u2028\u2029\0\ufeff",
    "{title} {data} {{}} \\1",
    "<|endoftext|>",
]


@pytest.fixture
def allowed(monkeypatch):
    """The page is on, for one site."""
    monkeypatch.setenv(SITES, BLOG)


def ask(text="hello world", encoding="gpt-5", **more):
    return CLIENT.get(EMBED, params={"encoding": encoding, "text": text, **more})


def data_of(page):
    [script] = [one for one in parse_html(page).all("script") if one.attributes.get("id") == "data"]
    return json.loads("".join(script.children))


def test_page_for_frames_is_off_unless_a_variable_names_sites(monkeypatch):
    for value in (None, "", " , "):
        monkeypatch.delenv(SITES, raising=False) if value is None else monkeypatch.setenv(SITES, value)
        reply = ask()
        assert reply.status_code == 404 and f"{SITES}=https://example.org" in reply.text, value
        assert reply.headers["content-security-policy"] == "frame-ancestors 'self'"


def test_only_listed_sites_may_frame_the_page(monkeypatch):
    monkeypatch.setenv(SITES, f"{BLOG}/, http://localhost:3000")
    for reply in (ask(), ask(encoding="nothing")):
        [policy] = reply.headers.get_list("content-security-policy")
        assert policy == f"frame-ancestors 'self' {BLOG} http://localhost:3000; sandbox allow-scripts"
        assert reply.headers["cache-control"] == "no-store" and reply.headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in reply.headers
    for other in ("/class", "/v1/docs", "/v1/encodings", "/embed/x"):
        assert BLOG not in CLIENT.get(other).headers["content-security-policy"], other
    monkeypatch.setenv(SITES, "*")
    assert "frame-ancestors 'self' *;" in ask().headers["content-security-policy"]


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("https://a.org,https://*.b.org:8443 http://127.0.0.1:80", 3),
        ("a.org", 0),
        ("https://a.org; script-src *", 0),
        ("https://a.org/page", 0),
        ("'none'", 0),
        ("https://*", 0),
        ("https://a.org\r\nx:y", 0),
        ("https://a.org, b.org", 0),
        ("javascript:alert(1)", 0),
        ("https://a.org:999999", 0),
    ],
)
def test_setting_with_anything_but_origins_is_ignored_and_logged(written, found, monkeypatch, caplog):
    monkeypatch.setenv(SITES, written)
    with caplog.at_level(logging.WARNING):
        assert len(origins()) == found
    assert len(caplog.records) == (not found)


@pytest.mark.parametrize("special", ["text", "special"])
def test_hostile_texts_have_tiktokens_ids_the_cores_loupe_and_no_elements_of_their_own(special, allowed):
    text = " ".join(HOSTILE)
    source = ask(text, "gpt2", special=special).text
    found, page, plain = data_of(source), parse_html(source), parse_html(ask("a", "gpt2").text)
    part, values = found["parts"]["strip"], found["values"]
    specials = "all" if special == "special" else set()
    assert part["data"]["text"] == text
    assert part["data"]["ids"] == oracle("gpt2").encode(text, allowed_special=specials, disallowed_special=())
    for start, end, *places in part["pieces"][:5]:
        piece = {"start": start, "end": end}
        for place in places:
            piece |= values[place]
        assert piece == loupe(text, start, encoding_store.find("gpt2").encoding, special)
    assert [tag for tag in page.tags if tag != "span"] == [tag for tag in plain.tags if tag != "span"]
    assert page.links == []
    [still] = page.all("noscript")[0].all("div")
    assert still.text == text.replace("\0", "␀")


@pytest.mark.parametrize("hostile", ['"><script>', "\r\nx: y", "gpt2</title>", "\0"])
def test_other_parameters_are_not_repeated_as_html(hostile, allowed):
    for more in ({"encoding": hostile}, {"special": hostile}):
        reply = ask(**more)
        assert 400 <= reply.status_code < 500 and reply.headers["content-type"].startswith("text/plain")
    reply = ask(lang=hostile)
    assert reply.status_code == 200 and hostile not in reply.text and "x" not in reply.headers


def test_page_is_small_and_runs_no_script_but_its_own(allowed):
    reply = ask("a")
    assert len(reply.content) < 250_000
    page = parse_html(reply.text)
    [policy] = [one.attributes["content"] for one in page.all("meta") if "http-equiv" in one.attributes]
    [script] = [one for one in page.all("script") if one.attributes.get("type") == "module"]
    digest = base64.b64encode(hashlib.sha256("".join(script.children).encode()).digest()).decode()
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'" and rules["script-src"] == f"'sha256-{digest}'"
    assert "connect-src" not in rules


def test_surrogates_and_broken_utf8_in_an_address_become_replacement_characters(allowed):
    reply = CLIENT.get(f"{EMBED}?encoding=gpt2&text=a%ED%A0%80b%FF%C3")
    assert reply.status_code == 200
    assert re.fullmatch("a\ufffd+b\ufffd+", data_of(reply.text)["parts"]["strip"]["data"]["text"])


@pytest.mark.slow
def test_longest_text_is_shown_and_a_longer_one_refused(allowed):
    longest = "ก" * MAX_FRAMED_CHARACTERS
    assert data_of(ask(longest).text)["parts"]["strip"]["data"]["text"] == longest
    reply = ask(f"{longest}ก")
    assert reply.status_code == 400 and "2,001 characters" in reply.text and "at most 2,000" in reply.text


@pytest.mark.parametrize(
    ("given", "status", "words"),
    [
        ({"encoding": "gpt4"}, 404, "Did you mean 'gpt-4'?"),
        ({"encoding": ""}, 404, "Unknown encoding"),
        ({"encoding": "claude"}, 400, "can only be counted"),
        ({"encoding": "trained-0"}, 404, "only tokenizers that come with Tokenloupe"),
        ({"text": ""}, 400, "The address contains no text."),
        ({"special": "error"}, 400, "it must be 'text' or 'special'"),
    ],
)
def test_refusals_are_one_sentence_on_cause_and_remedy(given, status, words, allowed):
    reply = ask(**given)
    assert (reply.status_code, reply.headers["content-type"]) == (status, "text/plain; charset=utf-8")
    assert words in reply.text


def test_encodings_of_visitors_are_not_shown(allowed):
    entry = encoding_store.add(train_words("low lower lowest", 40), encoding_store.LOADED)
    assert encoding_store.find(entry.key) and ask(encoding=entry.key).status_code == 404


def test_page_for_frames_is_in_the_language_of_the_address(allowed):
    page = ask("the cat", "gpt2", lang="th").text
    assert '<html lang="th">' in page and "<h1>2 โทเคนใน gpt2</h1>" in page
    assert "ไม่รู้จัก" in ask(encoding="nothing", lang="th").text


@pytest.mark.parametrize(("queue", "text"), [("known", "a"), ("file", "a " * 600)])
def test_page_for_frames_waits_in_the_queue_of_questions_or_of_exports(queue, text, allowed, monkeypatch):
    monkeypatch.setitem(SLOTS, queue, Slots(0, max_wait=0.01))
    reply = ask(text)
    assert reply.status_code == 503 and "busy" in reply.text


def test_page_for_frames_answers_only_get(allowed):
    assert CLIENT.post(EMBED, data={"text": "a"}).status_code == 405
