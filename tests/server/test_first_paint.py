"""The app's style, and the one that hides Streamlit's page until it is drawn."""

import re
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit import file_util

from server import modules
from server.first_paint import EDITOR, SHEET, STYLE, SYNC, FirstPaint

PAGE = '<html><head></head><body><div id="root"></div></body></html>'
STYLED = PAGE.replace("</head>", STYLE.decode() + "</head>").replace("</body>", SHEET.decode() + "</body>")
BROWSER = {"accept": "text/html,*/*;q=0.8"}


@pytest.fixture
def client(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(PAGE)
    routes = [
        Route("/page", lambda _: FileResponse(page)),
        Route("/", lambda _: FileResponse(page)),
        Route("/parts", lambda _: StreamingResponse([PAGE[:50], PAGE[50:]], media_type="text/html")),
        Route("/other", lambda _: HTMLResponse("<head></head>")),
        Route("/text", lambda _: PlainTextResponse(PAGE)),
    ]
    layers = [Middleware(FirstPaint), Middleware(GZipMiddleware, minimum_size=1)]
    return TestClient(Starlette(routes=routes, middleware=layers))


def without_preloads(reply):
    """The page without the links to modules, which other tests add."""
    return re.sub('<link rel="modulepreload"[^>]*>', "", reply.text)


def test_page_gets_the_style_and_its_new_length(client):
    for path in ("/page", "/parts"):
        reply = client.get(path, headers=BROWSER)
        assert without_preloads(reply) == STYLED
        assert reply.headers["content-length"] == str(len(reply.content))


def test_page_loads_the_modules_that_the_first_tokens_wait_for(client):
    for name in (f"{SYNC}_th", EDITOR):
        modules.add(name, name)
    found = client.get("/page", headers=BROWSER | {"accept-language": "th-TH,en"}).text
    assert f'<link rel="modulepreload" href="{modules.path(f"{SYNC}_th")}">' in found and EDITOR not in found
    found = client.get("/", headers=BROWSER | {"accept-language": "th-TH,en"}).text
    assert f'<link rel="modulepreload" href="{modules.path(EDITOR)}">' in found


def test_page_is_never_answered_as_unchanged_or_in_part(client):
    etag = client.get("/page").headers["etag"]
    reply = client.get("/page", headers=BROWSER | {"if-none-match": etag, "range": "bytes=0-9"})
    assert (reply.status_code, without_preloads(reply)) == (200, STYLED)
    assert not {"etag", "last-modified"} & {*reply.headers}


def test_other_answers_stay_as_they_are(client):
    assert client.get("/page").text == PAGE  # a program
    assert client.get("/other", headers=BROWSER).text == "<head></head>"
    assert client.get("/text", headers=BROWSER).text == PAGE
    assert client.head("/page", headers=BROWSER).headers["content-length"] == str(len(PAGE))


def test_page_of_streamlit_has_the_places_that_the_style_needs():
    body = Path(file_util.get_static_dir(), "index.html").read_bytes()
    assert b"</head>" in body and b'<div id="root">' in body and b"</body>" in body
