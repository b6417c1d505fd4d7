"""Our routes under a base path, with the links of their pages."""

import re

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from server.base_path import BasePath
from server.embed import SITES
from server.limits.middleware import is_api
from server.routes import routes


def client_below(base):
    guard = Middleware(BasePath, base=lambda: base, routes=routes)
    return TestClient(Starlette(routes=routes, middleware=[guard]), base_url="http://localhost", follow_redirects=False)


@pytest.fixture
def client():
    return client_below("/a/b")


def test_routes_answer_below_the_base_path_and_pages_link_there(client):
    page = client.get("/a/b/class").text
    linked = re.findall(r'(?:href|src|action)="(/[^"]*)"', page)
    assert len(linked) == 4 and all(one.startswith("/a/b/class") for one in linked)
    assert all(client.get(one).status_code == 200 for one in linked)
    assert 'data-root="/a/b/class"' in page
    assert client.get("/a/b/class?code=ab123").headers["location"] == "/a/b/class/AB123"
    assert client.get("/a/b/v1").headers["location"] == "/a/b/v1/docs"
    assert client.get("/a/b/v1/openapi.json").json()["servers"] == [{"url": "/a/b/"}]
    assert client.get("/a/b/v1/nothing").json()["type"] == "/a/b/v1/docs#no-such-path"
    assert client.post("/a/b/v1/count", json={"encoding": "gpt2", "text": "a"}).json() == {"tokens": 1}
    with client.websocket_connect("/a/b/api/live"):
        pass


def test_guessed_addresses_lead_to_the_page_and_keep_the_query(client):
    assert client.get("/a/b/playground?text=a%26b&lang=th").headers["location"] == "/a/b/?text=a%26b&lang=th"
    assert client.get("/a/b/lessons").headers["location"] == "/a/b/learn"
    assert client.get("/tokenizers").headers["location"] == "/catalog"


@pytest.mark.parametrize("base, path, page", [("/token", "/tokenizers", "/catalog"), ("/play", "/playground", "/")])
def test_guessed_addresses_may_begin_with_the_base_path(base, path, page):
    assert client_below(base).get(base + path).headers["location"] == base + page


@pytest.mark.parametrize("base", ["/class", "/v1", "/api", "/class/v1"])
def test_base_path_may_begin_as_a_path_of_ours(base):
    client = client_below(base)
    code = client.get(f"{base}/class?code=ab123").headers["location"]
    assert code == f"{base}/class/AB123" and f'data-root="{base}/class"' in client.get(code).text
    assert client.get(f"{base}/v1").headers["location"] == f"{base}/v1/docs"
    assert client.post(f"{base}/v1/count", json={"encoding": "gpt2", "text": "a"}).json() == {"tokens": 1}
    with client.websocket_connect(f"{base}/api/live"):
        pass


@pytest.mark.parametrize("base, page", [("/class", "learn"), ("/v1", "compare"), ("/v1", "_stcore/stream")])
def test_a_path_of_streamlit_below_such_a_base_path_is_none_of_ours(base, page):
    there = Route(f"{base}{{rest:path}}", lambda request: PlainTextResponse(str(is_api(request.scope))))
    guard = Middleware(BasePath, base=lambda: base, routes=routes)
    client = TestClient(Starlette(routes=[*routes, there], middleware=[guard]))
    assert {client.get(f"{base}{rest}").text for rest in (f"/{page}", "/", "")} == {"False"}


def test_our_paths_answer_without_the_base_path_too(client):
    assert client.get("/api/corrections").status_code == 200  # scripts/is_healthy.py


@pytest.mark.parametrize("path", ["/class/AB123", "/playground", "/embed"])
def test_a_slash_at_the_end_leads_to_the_same_path_below_the_base_path(client, path):
    assert client.get(f"/a/b{path}/").headers["location"] == f"http://localhost/a/b{path}"


def test_page_for_frames_answers_below_the_base_path(client, monkeypatch):
    monkeypatch.setenv(SITES, "https://blog.example.org")
    assert client.get("/a/b/embed", params={"encoding": "gpt2", "text": "a"}).status_code == 200


def test_the_page_of_v1_links_relative_to_itself(client):
    page = client.get("/a/b/v1/docs").text
    linked = re.findall(r'(?:href|src)="([^"#]+)"', page)
    assert {"docs/page.css", "docs/page.js", "openapi.json"} <= {*linked}
    assert all(client.get(f"/a/b/v1/{one}").status_code == 200 for one in linked if "://" not in one)
    assert all(client.post(f"/a/b/v1/{one}").status_code == 415 for one in re.findall(r'data-path="([^"]+)"', page))


@pytest.mark.parametrize("path", ["/a/bclass", "/a/class", "/a/b/", "/a/b/a/b/class", "/a/b/classes"])
def test_other_paths_are_left_alone(client, path):
    assert client.get(path).status_code == 404
