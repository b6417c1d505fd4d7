"""One server and one browser for all tests here; for each test a context of its own."""

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from browser import chromium_path
from paths import ROOT
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from e2e.desk import Desk
from e2e.server import Server

expect.set_options(timeout=20_000)  # ms; a machine that is busy with others is slow, not wrong

# Package scope, not session: a running Playwright leaves an event loop behind that other tests must not meet.


@pytest.fixture(scope="package")
def server(tmp_path_factory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("server") / "log.txt") as running:
        yield running
    assert not running.complaints(), running.log()


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


@pytest.fixture
def make_desk(browser, server) -> Iterator[Callable[..., Desk]]:
    """Makes desks in new contexts, or in one that is given. At the end none may have met trouble."""
    desks, contexts = [], []

    def make(context: BrowserContext | None = None, on: Server | None = None, **options) -> Desk:
        if context is None:
            options = {"viewport": {"width": 1280, "height": 800}, "locale": "en-US", **options}
            context = browser.new_context(**options)
            contexts.append(context)
        desks.append(Desk(context.new_page(), on or server))
        return desks[-1]

    yield make
    for context in contexts:
        context.close()
    assert [desk.trouble for desk in desks if desk.trouble] == []


@pytest.fixture
def desk(make_desk) -> Desk:
    """The playground, open, with its first text."""
    return make_desk().open()


@pytest.fixture(scope="module")
def blank(browser) -> Iterator[Page]:
    """A blank page on which the JavaScript of this repository can be imported, by its paths."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce", locale="en-US")
    page = context.new_page()

    def serve(route) -> None:
        path = urlsplit(route.request.url).path
        if path.endswith(".js"):
            route.fulfill(path=ROOT / path[1:], content_type="text/javascript")
        else:
            route.fulfill(body="<!doctype html><meta charset=utf-8>", content_type="text/html")

    page.route("http://modules.test/**", serve)
    page.route_web_socket("**/api/live", lambda socket: socket.close())
    page.goto("http://modules.test/")
    yield page
    context.close()
