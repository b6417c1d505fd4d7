"""What is typed is encoded in the page, at once and without the server, which verifies it afterwards."""

import pytest
from apps import until
from playwright.sync_api import expect

from e2e.desk import Desk
from tokenizer.text.samples import samples

VERIFIED = "verified by the server"
FIRST_KEYS = "Tokens ที่ 👍🏽 don't 12345"


@pytest.fixture
def desk(make_desk) -> Desk:
    return make_desk(alone=True)


def wait_for_encoder(desk: Desk) -> None:
    expect(desk.badge).to_contain_text(VERIFIED)


def corrected(desk: Desk) -> int:
    return desk.page.request.get(f"{desk.server.url}/api/corrections").json()["corrected"]


def test_tokens_are_drawn_within_the_input_event(desk):
    desk.open()
    wait_for_encoder(desk)
    drawn = desk.area.evaluate("""(area) => {
      area.value = 'Tokens of a key, ทันที';
      area.dispatchEvent(new Event('input', { bubbles: true }));
      return area.getRootNode().querySelector('.tokens').dataset.chars;
    }""")
    assert drawn == "22"
    desk.expect_exact("Tokens of a key, ทันที")
    wait_for_encoder(desk)


def test_typing_goes_on_while_the_server_does_not_answer(desk):
    is_held = []

    def pass_on(socket) -> None:
        server = socket.connect_to_server()
        socket.on_message(lambda message: None if is_held else server.send(message))

    desk.page.route_web_socket("**/api/live", pass_on)
    desk.open()
    wait_for_encoder(desk)
    is_held.append(True)  # from now on no question arrives
    desk.write(FIRST_KEYS)
    desk.expect_exact(FIRST_KEYS)


def test_everyday_texts_need_no_correction(desk):
    desk.open()
    wait_for_encoder(desk)
    before = corrected(desk)
    for sample in samples():
        desk.write(sample.text)
        desk.expect_exact(sample.text)
        wait_for_encoder(desk)
    expect(desk.badge).not_to_contain_text("corrected")
    assert corrected(desk) == before


def test_tokens_of_the_server_replace_wrong_ones_of_the_page(desk):
    def damage(route) -> None:
        reply = route.fetch()
        table = bytearray(reply.body())
        at = 4 + int.from_bytes(table[:4], "little")
        table[at + ord("!") - 33], table[at + ord("a") - 33] = ord("a"), ord("!")  # swaps the ids of "a" and "!"
        route.fulfill(body=bytes(table), content_type="application/octet-stream")

    desk.page.route("**/api/ranks/**", damage)
    desk.open()
    wait_for_encoder(desk)
    before = corrected(desk)
    desk.write("a b ! c")
    expect(desk.badge).to_contain_text("has corrected 1 piece.")
    desk.expect_exact("a b ! c")
    until(lambda: corrected(desk) == before + 1)


def test_page_that_cannot_load_the_table_leaves_all_to_the_server(desk):
    desk.page.route("**/api/ranks/**", lambda route: route.abort())
    desk.open()
    desk.write(FIRST_KEYS)
    desk.expect_exact(FIRST_KEYS)
    expect(desk.badge).not_to_contain_text(VERIFIED)
    desk.trouble[:] = [line for line in desk.trouble if "Failed to load resource" not in line]
