"""A change of language updates lists, components and Streamlit's own texts."""

from contextlib import suppress

import pytest
from apps import until
from playwright.sync_api import expect
from waiting import at_rest

from e2e.desk import DEFAULT, HeldMessages


@pytest.mark.parametrize(
    ("path", "names"),
    [("/chat", ("message_role_1", "message_role_2", "template", "picked")), ("/languages", ("language", "base"))],
)
def test_choices_survive_quick_changes_of_language(make_desk, path, names):
    """The server has changed the language when it receives option labels of the previous one."""
    desk = make_desk(alone=True)
    held = HeldMessages(desk.page)
    desk.open(path, encoding=DEFAULT, language="hi", base="de")
    lists = [desk.page.locator(f"[class*=st-key-{name}] input").first for name in names]
    page = desk.page.locator("html")

    def shown():
        return [one.input_value() for one in lists]

    def choose(tag):
        desk.setting("Language · ภาษา").select_option(tag)
        at_rest(desk.page, shown)

    choose("en")
    english = shown()
    choose("th")
    expect(page).to_have_attribute("lang", "th")
    thai = shown()
    assert all(map(str.__ne__, english, thai))
    for tag, other, expected in (("th", "en", thai), ("en", "th", english)):
        choose(tag)
        expect(page).to_have_attribute("lang", tag)
        desk.idle()
        held.is_on = True
        for one in (other, tag):
            desk.setting("Language · ภาษา").select_option(one)
            held.wait_until_complete()
        held.stop()
        at_rest(desk.page, shown)
        expect(page).to_have_attribute("lang", tag)
        until(lambda: shown() == expected)  # noqa: B023
    expect(desk.page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize(
    ("path", "words"), [("/compare", ["Clear all", "Text to compare"]), ("/chat", ["Text of message 1"])]
)
def test_page_is_unchanged_after_a_return_to_its_language(make_desk, path, words):
    """The words are a text of Streamlit and labels of a component and of a widget."""
    desk = make_desk().open(path, encoding=DEFAULT)

    def look():
        return desk.page.locator("body").aria_snapshot(), desk.page.locator(".stMain").inner_text()

    def to(tag):
        desk.choose_language(tag)
        desk.idle()

    def rested():
        return at_rest(desk.page, look, 1_000)  # a pause as of a reader

    first, second = rested(), (to("th"), rested())[1]
    assert all(word in first[0] for word in words)
    assert not any(word in second[0] for word in words)
    for tag, seen in (("en", first), ("th", second), ("en", first)):
        to(tag)
        with suppress(AssertionError):  # the next line says what differs
            until(lambda seen=seen: look() == seen)
        assert look() == seen


def test_typing_works_after_several_changes_of_language(make_desk):
    desk = make_desk().open()
    for tag in ("th", "en", "th", "en"):
        desk.choose_language(tag)
        desk.idle()
    desk.write("and back, ที่นี่")
    desk.expect_exact("and back, ที่นี่")
