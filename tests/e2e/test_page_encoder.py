"""What is typed is encoded in the page, at once and without the server, which verifies it afterwards."""

import pytest
from apps import until
from playwright.sync_api import Page, expect

from e2e.desk import RECORD_COUNTS, Desk, clear_storage
from tokenizer.text.samples import samples
from tokenizer.text.units import count_words

VERIFIED = "verified by the server"
FIRST_KEYS = "Tokens ที่ 👍🏽 don't 12345"


class HeldQuestions:
    """Holds the questions of a page, created before it opens, while `is_on`, until they are let go."""

    def __init__(self, page: Page):
        self.is_on, self.held, self._page = False, [], page
        page.route_web_socket("**/api/live", self._pass_on)

    def _pass_on(self, socket) -> None:
        server = socket.connect_to_server()
        socket.on_message(lambda message: self.held.append((server, message)) if self.is_on else server.send(message))

    def wait_for(self, words: bytes) -> None:
        """Waits until a question with these words is held."""
        until(lambda: self._page.wait_for_timeout(20) or any(words in message for _, message in self.held))

    def release(self, words: bytes) -> None:
        """Sends the first question that has these words."""
        server, message = self.held.pop(next(i for i, (_, message) in enumerate(self.held) if words in message))
        server.send(message)

    def release_all(self) -> None:
        """Sends all questions, and holds no more."""
        while self.held:  # a question that arrives meanwhile is sent after them
            server, message = self.held.pop(0)
            server.send(message)
        self.is_on = False


@pytest.fixture(scope="module")
def questions(own_tab) -> HeldQuestions:
    """The questions of the tab that the tests share."""
    return HeldQuestions(own_tab)


@pytest.fixture
def desk(own_tab, questions, server) -> Desk:
    """The playground in that tab, with its first text, which encodes by itself."""
    questions.release_all()
    desk = Desk(own_tab, server)
    if desk.page.url == f"{server.url}/":
        desk.reset()
    else:
        clear_storage(desk.page, server)
        desk.open()
    wait_for_encoder(desk)
    return desk


@pytest.fixture
def new_desk(make_desk) -> Desk:
    """The playground in a tab of its own, not opened yet."""
    return make_desk(alone=True)


def wait_for_encoder(desk: Desk) -> None:
    expect(desk.badge).to_contain_text(VERIFIED)


def corrected(desk: Desk) -> int:
    return desk.page.request.get(f"{desk.server.url}/api/corrections").json()["corrected"]


def test_tokens_are_drawn_within_the_input_event(desk):
    drawn = desk.area.evaluate("""(area) => {
      area.value = 'Tokens of a key, ทันที';
      area.dispatchEvent(new Event('input', { bubbles: true }));
      return area.getRootNode().querySelector('.tokens').dataset.chars;
    }""")
    assert drawn == "22"
    desk.expect_exact("Tokens of a key, ทันที")
    wait_for_encoder(desk)


def test_letter_has_its_tokens_before_a_server_answers_that_is_200_ms_away(desk, questions):
    text, letter = ("Words of a longer text. ข้อความที่ยาวกว่านี้ " * 50)[:2_000], "ก"
    desk.write(text)
    desk.expect_counts(text)
    wait_for_encoder(desk)
    questions.is_on = True
    desk.area.press("ControlOrMeta+End")
    desk.page.keyboard.insert_text(letter)
    questions.wait_for(b'"tokens"')
    drawn = desk.state()
    desk.page.wait_for_timeout(200)
    questions.release_all()
    tokens = desk.expect_counts(text + letter)
    assert "stale" not in drawn and (drawn["chars"], drawn["tokens"]) == ("2001", str(len(tokens)))
    wait_for_encoder(desk)


def test_no_count_shows_a_third_value_while_a_server_answers_that_is_200_ms_away(desk, questions):
    text, gray = "Words of a longer text. " * 80, desk.page.locator(".pending")
    desk.write(text)
    desk.expect_counts(text)
    wait_for_encoder(desk)
    expect(gray).to_have_count(0)
    desk.area.evaluate(RECORD_COUNTS)
    questions.is_on = True
    desk.area.press("ControlOrMeta+End")
    desk.page.keyboard.insert_text("s")
    questions.wait_for(b'"units"')
    expect(gray).not_to_have_count(0)
    desk.page.wait_for_timeout(200)
    questions.release_all()
    expect(gray).to_have_count(0)
    counts = desk.page.evaluate("counts")
    assert counts["words"][-1] == str(count_words(text + "s"))
    assert [texts for texts in counts.values() if len(texts) > 2] == []


def test_verified_tokens_do_not_hide_that_others_are_missing(desk, questions):
    questions.is_on = True
    desk.write("Hello")
    questions.wait_for(b'"tokens"')
    desk.write("Hello<|endoftext|>")
    questions.release(b'"tokens"')
    desk.page.wait_for_timeout(500)
    expect(desk.page.locator(".tokens[data-stale]")).to_have_count(1)
    questions.release_all()
    desk.expect_exact("Hello<|endoftext|>")


def test_everyday_texts_need_no_correction_also_in_an_encoding_chosen_after_typing(desk):
    before = corrected(desk)
    text = "\n".join(sample.text for sample in samples() if "<|" not in sample.text)
    desk.write(text)
    desk.expect_exact(text)
    wait_for_encoder(desk)
    for i, model in enumerate(["GPT-2", "GPT-4", "GPT-5"]):
        desk.write(f"text number {i}")
        desk.page.get_by_role("radio", name=model).click()
        wait_for_encoder(desk)
    expect(desk.badge).not_to_contain_text("corrected")
    assert corrected(desk) == before


def test_tokens_of_the_server_replace_wrong_ones_of_the_page(new_desk):
    def damage(route) -> None:
        reply = route.fetch()
        table = bytearray(reply.body())
        at = 4 + 6 * int.from_bytes(table[:4], "little")
        table[at + ord("!") - 33], table[at + ord("a") - 33] = ord("a"), ord("!")  # swaps the ids of "a" and "!"
        route.fulfill(body=bytes(table), headers={"x-tokenloupe": "1"})

    new_desk.page.route("**/api/ranks/**", damage)
    new_desk.open()
    wait_for_encoder(new_desk)
    before = corrected(new_desk)
    new_desk.write("a b ! c")
    expect(new_desk.badge).to_contain_text("has corrected the tokens in 1 part of the text.")
    new_desk.expect_exact("a b ! c")
    until(lambda: corrected(new_desk) == before + 1)


def test_text_that_only_the_server_may_encode_waits_for_it(desk, questions):
    for text, is_at_once in (("a <|endoftext", True), ("a <|endoftext|>", False)):
        desk.write("")
        desk.expect_counts("")
        wait_for_encoder(desk)
        questions.is_on = True
        desk.write(text)
        assert ("stale" not in desk.state()) == is_at_once
        questions.wait_for(b'"tokens"')
        assert ("stale" not in desk.state()) == is_at_once
        questions.release_all()
        desk.expect_counts(text)
        wait_for_encoder(desk)


def test_device_that_saves_data_asks_the_server_alone(new_desk):
    session = new_desk.page.context.new_cdp_session(new_desk.page)
    session.send("Emulation.setDataSaverOverride", {"dataSaverEnabled": True})
    expect_no_table(new_desk)


def test_device_with_little_memory_asks_the_server_alone(new_desk):
    new_desk.page.add_init_script("Object.defineProperty(Navigator.prototype, 'deviceMemory', { get: () => 1 });")
    expect_no_table(new_desk)


def expect_no_table(desk: Desk) -> None:
    tables = []
    desk.page.on("request", lambda request: "/ranks/" in request.url and tables.append(request.url))
    desk.open()
    desk.page.get_by_text("How merges build tokens").click()
    expect(desk.page.locator(".size-note")).to_contain_text("this device is set to save data or has little memory")
    desk.write(FIRST_KEYS)
    desk.expect_exact(FIRST_KEYS)
    expect(desk.badge).not_to_contain_text(VERIFIED)
    assert tables == []


def test_page_that_cannot_load_the_table_leaves_all_to_the_server(new_desk):
    new_desk.page.route("**/api/ranks/**", lambda route: route.abort())
    new_desk.open()
    new_desk.write(FIRST_KEYS)
    new_desk.expect_exact(FIRST_KEYS)
    expect(new_desk.badge).not_to_contain_text(VERIFIED)
    new_desk.trouble[:] = [line for line in new_desk.trouble if "Failed to load resource" not in line]
