"""One server, one browser and one tab for all tests here; more tabs and visitors for those that ask."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

import pytest
from browser import chromium_path
from paths import ROOT
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect, sync_playwright

from e2e.desk import Desk, Tab, empty, watch
from e2e.server import Server

expect.set_options(timeout=20_000)  # ms; a machine that is busy with others is slow, not wrong

DESKTOP = {"width": 1280, "height": 800}
REST = {"viewport": DESKTOP, "color_scheme": "light", "reduced_motion": "no-preference"}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """Where a test fails, its report says what the pages show."""
    report = yield
    if report.when == "call" and report.failed and "visitor" in item.funcargs:
        for page in [page for context in item.funcargs["visitor"].browser.contexts for page in context.pages]:
            with suppress(Error):
                report.sections.append((page.url, page.locator("body").aria_snapshot(timeout=2_000)))
    return report


@pytest.fixture(scope="session")
def server(tmp_path_factory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("server") / "log.txt") as running:
        yield running
    assert not running.complaints(), running.log()


@pytest.fixture(scope="session")
def profile(tmp_path_factory):
    """Where the browser keeps what it has fetched and compiled."""
    return tmp_path_factory.mktemp("profile")


# Package scope, not session: a running Playwright leaves an event loop behind that other tests must not meet.


@pytest.fixture(scope="package")
def visitor(profile) -> Iterator[BrowserContext]:
    """Somebody whose browser knows the app's scripts already."""
    # A page lives too short here for what the compilers of V8 save later.
    flags = ["--no-sandbox", "--disable-gpu", "--js-flags=--no-opt --no-maglev"]
    how = {"executable_path": chromium_path(), "args": flags}
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(profile, viewport=DESKTOP, locale="en-US", **how)
        yield context
        context.close()


@pytest.fixture(scope="package")
def browser(visitor) -> Browser:
    return visitor.browser


@pytest.fixture(scope="package")
def first_tab() -> list[Page]:
    """The tab that one test after the other uses, so that no script is read and compiled anew; none after a failure."""
    return []


@pytest.fixture(scope="package")
def strangers() -> dict[str, list[Page]]:
    """The tabs of other visitors, by what their browsers are: each is used again, as if it had never been here."""
    return {}


def lasting(page: Page) -> Page:
    """A page that many tests use, one after the other: it refuses what cannot be taken back."""
    watch(page)

    def refuse(*_, **__) -> None:
        raise RuntimeError("This cannot be taken back: make the page with alone=True.")

    page.add_init_script = page.route_web_socket = refuse
    return page


@pytest.fixture(scope="module")
def own_tab(visitor) -> Iterator[Page]:
    """A tab that only the tests of one file use, and all of them: what one leaves there, the next one finds."""
    page = visitor.new_page()
    trouble, _ = watch(page)
    yield page
    page.close()
    assert trouble == []


@pytest.fixture
def tab(request, visitor, first_tab, strangers, server) -> Iterator[Callable[..., Page]]:
    """Gives tabs as if they were new: sizes and media can be asked for, `alone` if no other test may have it.

    What only a context can have makes another visitor. At the end no tab may have met trouble.
    """
    pages, failed = [], request.session.testsfailed

    def give(alone: bool = False, is_renewed: bool = False, **options) -> Page:
        if options.keys() - REST.keys():
            pages.append(stranger(options))
        elif alone or {*first_tab} & {*pages}:
            pages.append(visitor.new_page())
            settle(pages[-1], options)
        else:
            if not first_tab:
                first_tab.append(lasting(visitor.new_page()))
            pages.append(first_tab[0])
            if not is_renewed:
                empty(pages[-1], server)
            settle(pages[-1], options)
        return pages[-1]

    def stranger(options: dict) -> Page:
        known = strangers.setdefault(repr(sorted(options.items())), [])
        for page in known:
            if page not in pages:
                empty(page, server)
                return page
        context = visitor.browser.new_context(**{"viewport": DESKTOP, "locale": "en-US", **options})
        known.append(lasting(context.new_page()))
        known[-1].asked_for = options
        return known[-1]

    yield give
    trouble = [found for page in pages if (found := [*watch(page)[0]])]
    has_failed = request.session.testsfailed != failed
    is_kept = {"desk", "kept"} & {*request.fixturenames} and not has_failed
    for page in pages:
        if page in first_tab and not has_failed:
            rest(page, server, REST, is_kept)
        elif page.context is visitor:
            page.close()
            first_tab[:] = [one for one in first_tab if one is not page]
        elif has_failed or page.is_closed():
            page.context.close()
            for known in strangers.values():
                known[:] = [one for one in known if one is not page]
        else:
            rest(page, server, REST | page.asked_for)
    if not is_kept:
        visitor.clear_cookies()
    visitor.clear_permissions()
    assert trouble == []


def rest(page: Page, server: Server, options: dict, is_kept: bool = False) -> None:
    """Makes a tab ready for the next test."""
    page.unroute_all()
    page.mouse.move(0, 0)
    if not is_kept:
        empty(page, server)
    settle(page, options)
    page.context.clear_permissions()
    for heard in watch(page):
        heard.clear()


def settle(page: Page, options: dict) -> None:
    """Gives a page the size and the media that are asked for."""
    media = {name: value for name, value in options.items() if name in REST}
    # The stage is left in a moment; until then no size can be set.
    page.wait_for_function("!document.fullscreenElement")
    if viewport := media.pop("viewport", None):
        page.set_viewport_size(viewport)
    if media:
        page.emulate_media(**media)


@pytest.fixture
def make_desk(tab, server) -> Callable[..., Desk]:
    """Opens nothing yet: desks in tabs, or other kinds of Tab."""
    return lambda kind=Desk, on=server, **options: kind(tab(**options), on)


@pytest.fixture
def desk(tab, server) -> Desk:
    """The playground, open, with its first text: the one of the test before, if that has left its address as it was."""
    desk = Desk(tab(is_renewed=True), server)
    if desk.page.url == f"{server.url}/":
        return desk.renewed()
    empty(desk.page, server)
    return desk.open()


@pytest.fixture
def kept(tab, server) -> Callable[..., Tab]:
    """Gives a page as the test before has left it, if its address has the same of these names; else opened anew."""

    def give(kind: type[Tab], path: str, same: tuple[str, ...] = (), **query: str) -> Tab:
        one = kind(tab(is_renewed=True), server)
        address = urlsplit(one.page.url)
        asked = {name: value for name, [value] in parse_qs(address.query).items() if name in same}
        if address.path != path or asked != query:
            empty(one.page, server)
            one.visit(path, **query)
        return one

    return give


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
