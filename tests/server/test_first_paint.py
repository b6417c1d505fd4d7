"""The app's style, and the one that hides Streamlit's page until it is drawn."""

import re
from pathlib import Path
from urllib.request import urlopen

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit import file_util

from server.base_path import BasePath
from server.first_paint import SHEET, STYLE, FirstPaint
from server.routes import routes
from tokenizer.paths import ASSETS

STREAMLIT = Path(file_util.get_static_dir(), "index.html")
PAGE = '<html><head></head><body><div id="root"></div></body></html>'
STYLED = PAGE.replace("</head>", STYLE.decode() + "</head>").replace("</body>", SHEET.decode() + "</body>")
BROWSER = {"accept": "text/html,*/*;q=0.8"}


@pytest.fixture
def client(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(PAGE)
    routes = [
        Route("/page", lambda _: FileResponse(page)),
        Route("/parts", lambda _: StreamingResponse([PAGE[:50], PAGE[50:]], media_type="text/html")),
        Route("/other", lambda _: HTMLResponse("<head></head>")),
        Route("/text", lambda _: PlainTextResponse(PAGE)),
        Route("/{base:path}/page", lambda _: FileResponse(page)),
        Route("/api/ranks/one", lambda _: FileResponse(page)),
    ]
    layers = [Middleware(FirstPaint), Middleware(GZipMiddleware, minimum_size=1)]
    return TestClient(Starlette(routes=routes, middleware=layers))


def test_page_gets_the_style_and_its_new_length(client):
    for path in ("/page", "/parts"):
        reply = client.get(path, headers=BROWSER | {"accept-encoding": "identity"})
        assert reply.text == STYLED
        assert reply.headers["content-length"] == str(len(STYLED.encode()))
        assert "content-encoding" not in reply.headers


def test_page_is_compressed_for_browsers_that_accept_it(client):
    for path in ("/page", "/parts"):
        reply = client.get(path, headers=BROWSER | {"accept-encoding": "gzip, br"})
        assert (reply.text, reply.headers["content-encoding"]) == (STYLED, "gzip")
        assert int(reply.headers["content-length"]) < len(STYLED.encode()) / 2
        assert "accept-encoding" in reply.headers["vary"].lower()
    for accepted in ("br", "gzip;q=0", "gzip; q=0.0, br"):
        assert "content-encoding" not in client.get("/page", headers=BROWSER | {"accept-encoding": accepted}).headers
    for accepted in ("gzip;q=0.5", "br, gzip"):
        assert (
            client.get("/page", headers=BROWSER | {"accept-encoding": accepted}).headers["content-encoding"] == "gzip"
        )


def test_page_is_never_answered_as_unchanged_or_in_part(client):
    etag = client.get("/api/ranks/one").headers["etag"]
    reply = client.get("/page", headers=BROWSER | {"if-none-match": etag, "range": "bytes=0-9"})
    assert (reply.status_code, reply.text) == (200, STYLED)
    assert not {"etag", "last-modified"} & {*reply.headers}


def test_other_answers_stay_as_they_are(client):
    assert client.get("/page", headers={"accept": "application/json"}).text == PAGE
    assert client.get("/api/ranks/one").text == PAGE  # a script that requests a file
    assert client.get("/other", headers=BROWSER).text == "<head></head>"
    assert client.get("/text", headers=BROWSER).text == PAGE
    assert client.head("/page", headers=BROWSER).headers["content-length"] == str(len(PAGE))


def test_previews_of_links_which_accept_anything_get_the_same_page(client):
    for accepted in ("*/*", "image/*,*/*;q=0.8", "text/*"):
        assert client.get("/page", headers={"accept": accepted}).text == STYLED
    for base in ("/below/a/path", "/classroom", "/apis"):
        assert client.get(f"{base}/page").text == STYLED


@pytest.mark.parametrize("base", ["/class", "/v1", "/api", "/static", "/tokens"])
def test_previews_get_the_page_below_a_base_path_that_is_named_like_a_route(base):
    async def page(*request):
        await HTMLResponse(PAGE)(*request)

    client = TestClient(BasePath(FirstPaint(page), lambda: base, routes))
    for path, text in (("", STYLED), ("/", STYLED), ("/learn", STYLED), ("/v1/count", PAGE), ("/static/js", PAGE)):
        assert client.get(base + path).text == text, path


def test_page_of_streamlit_has_the_places_that_the_style_needs():
    body = STREAMLIT.read_bytes()
    assert b"</head>" in body and b'<div id="root">' in body and b"</body>" in body


def test_page_of_streamlit_gets_the_apps_name_description_and_icon():
    served = TestClient(FirstPaint(FileResponse(STREAMLIT))).get("/", headers=BROWSER).text
    assert re.findall("<title>(.*?)</title>", served) == ["Tokenloupe"]
    assert "tokens" in re.search('<meta name="description" content="(.*?)"', served)[1]
    icons = re.findall('<link rel="shortcut icon" href="(.*?)"', served)
    assert [urlopen(one).read() for one in icons] == [(ASSETS / "icon.svg").read_bytes()]
