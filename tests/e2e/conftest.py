"""One server and one browser for all tests here; for each test a context of its own."""

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from browser import chromium_path
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
def modules(browser) -> Iterator[Page]:
    """A blank page with everything that the editor's JavaScript modules export as its globals."""
    from e2e.server import ROOT

    folder = ROOT / "ui"
    page = browser.new_page()

    def serve(route) -> None:
        name = urlsplit(route.request.url).path[1:]
        if name:
            route.fulfill(body=(folder / name).read_text(encoding="utf-8"), content_type="text/javascript")
        else:
            route.fulfill(body="<!doctype html><meta charset=utf-8>", content_type="text/html")

    page.route("http://modules.test/**", serve)
    page.goto("http://modules.test/")
    names = [f"kit/js/{name}" for name in ["text", "document", "colors", "pieces", "link", "wire", "paint", "readout"]]
    names.append("playground/js/svg")
    page.evaluate(
        "async (names) => { for (const name of names) Object.assign(window, await import(`/${name}.js`)); }", names
    )
    page.evaluate(
        """() => { window.side = (lengths, from = 0) => {
          const ends = Uint32Array.from(lengths, (n) => (from += n));
          return { ids: new Uint32Array(ends.length), ends, starts: ends.map((end, k) => end - lengths[k]) };
        }; }"""
    )
    yield page
    page.close()
