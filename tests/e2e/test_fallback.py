"""Where the editor API cannot be reached, reruns of the page answer, slower but exact."""

from collections.abc import Iterator

import pytest
from apps import until
from playwright.sync_api import Page, expect

from e2e.desk import Desk, clear_storage

NOTICE = "The fast connection to the server does not work"

# Skips the 20 s after which the route is tried again.
HURRY = """
  const now = performance.now.bind(performance);
  let ahead = 0;
  performance.now = () => now() + ahead;
  window.hurry = () => (ahead += 30_000);
"""


FAILURES = {
    "abort": lambda route: route.abort(),
    "a proxy or host that does not know the route": lambda route: route.fulfill(
        status=404, content_type="text/html", body="<h1>Not found</h1>"
    ),
    "a host with one page for every address": lambda route: route.fulfill(
        content_type="text/html", body="<!doctype html><title>app</title>"
    ),
}


def break_routes(page: Page, way: str = "abort") -> None:
    page.route("**/api/**", FAILURES[way])


@pytest.fixture(scope="module")
def tab_without_socket(own_tab) -> Page:
    """A tab whose socket never opens, so that every question takes the route."""
    own_tab.add_init_script(HURRY)
    own_tab.route_web_socket("**/api/live", lambda socket: socket.close())
    return own_tab


@pytest.fixture
def desk(tab_without_socket, server) -> Iterator[Desk]:
    """The playground in that tab, with its first text."""
    desk = Desk(tab_without_socket, server)
    if desk.page.url == f"{server.url}/":
        desk.page.evaluate("hurry()")
        desk.reset()
    else:
        clear_storage(desk.page, server)
        desk.open()
    yield desk
    desk.page.unroute_all()
    # ignores errors of the requests that the test blocked
    desk.trouble[:] = [line for line in desk.trouble if "Failed to load resource" not in line]


def test_editor_falls_back_to_reruns_and_recovers(desk):
    expect(desk.badge).not_to_contain_text(NOTICE)
    for way in FAILURES:
        break_routes(desk.page, way)
        desk.write(f"Without a route ที่ 👍 {way}")
        desk.expect_exact(f"Without a route ที่ 👍 {way}")
        expect(desk.badge).to_contain_text(NOTICE)
        expect(desk.count("graphemes")).to_have_text(str(20 + len(way)))
        desk.write("Again, without a route")
        desk.expect_exact("Again, without a route")

        desk.page.unroute("**/api/**")
        desk.page.evaluate("hurry()")
        desk.write("And with it")
        desk.expect_exact("And with it")
        expect(desk.badge).not_to_contain_text(NOTICE)


def test_late_answer_of_the_lost_route_does_not_end_the_fallback(desk):
    held = []

    def abort(route):
        route.abort()
        while held:
            held.pop().continue_()

    desk.page.route("**/api/units**", lambda route: held.append(route))
    with desk.page.expect_request("**/api/units**"):
        desk.write("Asked with the route")
    desk.expect_exact("Asked with the route")
    assert held
    desk.page.route("**/api/tokens**", abort)
    desk.write("And without it")
    desk.expect_exact("And without it")
    expect(desk.badge).to_contain_text(NOTICE)


def test_page_that_opens_without_the_route_is_exact_while_typing_and_switching_encodings(desk):
    break_routes(desk.page)
    desk.open(encoding="o200k_base")
    desk.write("")
    desk.area.focus()
    desk.page.keyboard.type("คน typed key by key", delay=20)
    desk.expect_exact("คน typed key by key")
    expect(desk.badge).to_contain_text(NOTICE)
    expect(desk.open_loupe(0)).to_contain_text("Pre-token: “คน”.")
    desk.page.keyboard.press("Escape")
    desk.write("Switch เปลี่ยน")
    desk.choose("Model", "gpt2")
    desk.expect_exact("Switch เปลี่ยน", "gpt2")


def test_refusal_of_the_server_is_shown_escaped(desk):
    desk.page.route(
        "**/api/tokens**",
        lambda route: route.fulfill(status=400, headers={"x-tokenloupe": "1"}, body="The server's own <b>words</b>."),
    )
    desk.write("refused")
    expect(desk.notice).to_have_text("The server's own <b>words</b>.")
    desk.page.unroute("**/api/tokens**")
    desk.write("accepted")
    desk.expect_exact("accepted")
    expect(desk.notice).to_be_hidden()


def test_keys_use_the_socket_and_then_the_route_when_it_closes(make_desk):
    desk, sockets, requests = make_desk(alone=True), [], []

    def pass_on(socket):
        sockets.append(socket)
        socket.connect_to_server()

    desk.page.route_web_socket("**/api/live", pass_on)
    desk.page.on("request", lambda request: requests.append(request.url) if "/api/tokens" in request.url else None)
    desk.open()
    desk.page.wait_for_function("() => true")
    requests.clear()
    desk.write("over the socket ที่")
    desk.expect_exact("over the socket ที่")
    assert sockets and not requests
    sockets[-1].close()
    desk.write("over the route ที่")
    desk.expect_exact("over the route ที่")
    # The page may have encoded this text itself; the server verifies it later.
    until(lambda: desk.page.wait_for_timeout(20) or requests)
    expect(desk.badge).not_to_contain_text(NOTICE)
