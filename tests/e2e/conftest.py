"""Fixtures: one server, browser and tab for all tests, and more tabs and visitors on request."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

import pytest
from browser import chromium_path
from paths import ROOT
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect, sync_playwright

from e2e.desk import DESKTOP, Desk, Tab, clear_storage, watch
from e2e.server import Server

expect.set_options(timeout=20_000)  # ms, also on a busy machine

REST = {"viewport": DESKTOP, "color_scheme": "light", "reduced_motion": "no-preference"}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """Adds the pages' accessibility trees to the report of a failed test."""
    report = yield
    if report.when == "call" and report.failed and "visitor" in item.funcargs:
        for page in [page for context in item.funcargs["visitor"].browser.contexts for page in context.pages]:
            with suppress(Error):
                report.sections.append((page.url, page.locator("body").aria_snapshot(timeout=2_000)))
    return report


# Visitors have seen the example of a first visit; test_intro.py opens pages as visitors who have not.
SEEN = "try { localStorage['tokenloupe.intro'] = '1'; } catch {}"


@pytest.fixture(scope="session")
def server(tmp_path_factory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("server") / "log.txt") as running:
        yield running
    assert not running.log_problems(), running.log()


@pytest.fixture(scope="session")
def profile(tmp_path_factory):
    """The folder of the browser's caches."""
    return tmp_path_factory.mktemp("profile")


# Package scope, not session: a running Playwright leaves an event loop, which other tests must not see.


@pytest.fixture(scope="package")
def visitor(profile) -> Iterator[BrowserContext]:
    """A browser context that has cached the app's scripts."""
    # Pages are too short-lived for V8's optimizing compilers to pay off.
    flags = ["--no-sandbox", "--disable-gpu", "--js-flags=--no-opt --no-maglev"]
    flags.append("--host-resolver-rules=MAP *.example.test 127.0.0.1")  # for servers behind proxies
    how = {"executable_path": chromium_path(), "args": flags}
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(profile, viewport=DESKTOP, locale="en-US", **how)
        context.add_init_script(SEEN)
        yield context
        context.close()


@pytest.fixture(scope="package")
def browser(visitor) -> Browser:
    return visitor.browser


@pytest.fixture(scope="package")
def first_tab() -> list[Page]:
    """The tab that tests share, so that scripts stay compiled; empty after a failure."""
    return []


@pytest.fixture(scope="package")
def visitor_tabs() -> dict[str, list[Page]]:
    """Tabs of other visitors by context options; each is reused after it is emptied."""
    return {}


def forbid_lasting_changes(page: Page) -> Page:
    """Makes a page that tests share refuse changes that cannot be undone."""
    watch(page)

    def refuse(*_, **__) -> None:
        raise RuntimeError("This cannot be undone: make the page with alone=True.")

    page.add_init_script = page.route_web_socket = refuse
    return page


@pytest.fixture(scope="module")
def own_tab(visitor) -> Iterator[Page]:
    """A tab that all tests of one file share; its state passes from one test to the next."""
    page = visitor.new_page()
    trouble, _ = watch(page)
    yield page
    page.close()
    assert trouble == []


@pytest.fixture
def tab(request, visitor, first_tab, visitor_tabs, server) -> Iterator[Callable[..., Page]]:
    """Gives emptied tabs with the given size and media; `alone` gives one that no other test uses.

    Options of a context make another visitor. At the end no tab may have trouble.
    """
    pages, failed = [], request.session.testsfailed

    def give(alone: bool = False, is_renewed: bool = False, **options) -> Page:
        if options.keys() - REST.keys():
            pages.append(tab_of_another_visitor(options))
        elif alone or {*first_tab} & {*pages}:
            pages.append(visitor.new_page())
            settle(pages[-1], options)
        else:
            if not first_tab:
                first_tab.append(forbid_lasting_changes(visitor.new_page()))
            pages.append(first_tab[0])
            if not is_renewed:
                clear_storage(pages[-1], server)
            settle(pages[-1], options)
        return pages[-1]

    def tab_of_another_visitor(options: dict) -> Page:
        known = visitor_tabs.setdefault(repr(sorted(options.items())), [])
        for page in known:
            if page not in pages:
                clear_storage(page, server)
                return page
        context = visitor.browser.new_context(**{"viewport": DESKTOP, "locale": "en-US", **options})
        context.add_init_script(SEEN)
        known.append(forbid_lasting_changes(context.new_page()))
        known[-1].asked_for = options
        return known[-1]

    yield give
    trouble = [found for page in pages if (found := [*watch(page)[0]])]
    has_failed = request.session.testsfailed != failed
    is_reused = {"desk", "reuse_page"} & {*request.fixturenames} and not has_failed
    for page in pages:
        if page in first_tab and not has_failed:
            prepare_for_next_test(page, server, REST, is_reused)
        elif page.context is visitor:
            page.close()
            first_tab[:] = [one for one in first_tab if one is not page]
        elif has_failed or page.is_closed():
            page.context.close()
            for known in visitor_tabs.values():
                known[:] = [one for one in known if one is not page]
        else:
            prepare_for_next_test(page, server, REST | page.asked_for)
    if not is_reused:
        visitor.clear_cookies()
    visitor.clear_permissions()
    assert trouble == []


def prepare_for_next_test(page: Page, server: Server, options: dict, is_reused: bool = False) -> None:
    """Prepares a tab for the next test."""
    page.unroute_all()
    page.mouse.move(0, 0)
    if not is_reused:
        clear_storage(page, server)
    settle(page, options)
    page.context.clear_permissions()
    for recorded in watch(page):
        recorded.clear()


def settle(page: Page, options: dict) -> None:
    """Sets the size and the media of a page, and brings its tab to the front.

    Chromium never answers a request for full screen from a tab behind another one of its window.
    """
    page.bring_to_front()
    media = {name: value for name, value in options.items() if name in REST}
    # No size can be set until full screen has ended.
    page.wait_for_function("!document.fullscreenElement")
    if viewport := media.pop("viewport", None):
        page.set_viewport_size(viewport)
    if media:
        page.emulate_media(**media)


@pytest.fixture
def make_desk(tab, server) -> Callable[..., Desk]:
    """Returns a function that makes a Desk, or another kind of Tab, without opening a page."""
    return lambda kind=Desk, on=server, **options: kind(tab(**options), on)


@pytest.fixture
def desk(tab, server) -> Desk:
    """The open playground with its first text, reused from the previous test if its address is unchanged."""
    desk = Desk(tab(is_renewed=True), server)
    if desk.page.url == f"{server.url}/":
        return desk.reset()
    clear_storage(desk.page, server)
    return desk.open()


@pytest.fixture
def reuse_page(tab, server) -> Callable[..., Tab]:
    """Returns a function that reuses the previous test's page if its query has the same values, or opens it."""

    def give(kind: type[Tab], path: str, same: tuple[str, ...] = (), **query: str) -> Tab:
        one = kind(tab(is_renewed=True), server)
        address = urlsplit(one.page.url)
        parameters = {name: value for name, [value] in parse_qs(address.query).items() if name in same}
        if address.path != path or parameters != query:
            clear_storage(one.page, server)
            one.visit(path, **query)
        return one

    return give


@pytest.fixture(scope="module")
def blank(browser) -> Iterator[Page]:
    """A blank page that can import the JavaScript of this repository by path."""
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
