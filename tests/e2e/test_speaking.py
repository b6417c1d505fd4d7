"""A change of language in the browser reaches what lists have chosen, what components say, and Streamlit itself."""

import pytest
from apps import until
from playwright.sync_api import expect
from waiting import at_rest

from e2e.desk import DEFAULT, Held


@pytest.fixture
def speak(make_desk):
    """Opens a page, and speaks another language there."""

    def opened(path, **query):
        desk = make_desk().open(path, encoding=DEFAULT, **query)

        def to(tag):
            desk.page.locator("select.language").select_option(tag)
            expect(desk.page.locator("html")).to_have_attribute("lang", tag)
            desk.idle()

        return desk.page, to

    return opened


def test_lists_say_in_the_other_language_what_they_have_chosen(speak):
    page, to = speak("/chat", template="llama3")
    role, window = (page.locator(f"[class*=st-key-{name}] input").first for name in ("message_role", "picked"))
    before = role.input_value(), window.input_value()
    to("th")
    expect(role).not_to_have_value(before[0])
    expect(window).not_to_have_value(before[1])
    expect(page.locator(".st-key-template input")).to_have_value("Llama 3")
    to("en")
    expect(role).to_have_value(before[0])
    expect(window).to_have_value(before[1])


@pytest.mark.parametrize(
    ("path", "names"),
    [("/chat", ("message_role_1", "message_role_2", "template", "picked")), ("/languages", ("language", "base"))],
)
def test_who_changes_his_mind_before_the_page_speaks_his_language_keeps_what_is_chosen(make_desk, path, names):
    """The server speaks another one by then, and hears of lists in the words of the one before."""
    desk = make_desk(alone=True)
    held = Held(desk.page)
    desk.open(path, encoding=DEFAULT, language="hi", base="de")
    lists = [desk.page.locator(f"[class*=st-key-{name}] input").first for name in names]
    page, language = desk.page.locator("html"), desk.page.locator("select.language")

    def shown():
        return [one.input_value() for one in lists]

    def choose(tag):
        language.select_option(tag)
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
            language.select_option(one)
            held.rest()
        held.is_on = False
        held.let_go()
        at_rest(desk.page, shown)
        expect(page).to_have_attribute("lang", tag)
        until(lambda: shown() == expected)  # noqa: B023
    expect(desk.page.get_by_role("alert")).to_have_count(0)


def test_what_streamlit_and_components_say_changes_and_comes_back(speak):
    page, to = speak("/compare")
    clear, area = page.get_by_role("button", name="Clear all"), page.get_by_role("textbox", name="Text to compare")
    expect(area).to_be_visible()
    expect(clear).to_have_count(1)
    to("th")
    expect(area).to_have_count(0)
    expect(clear).to_have_count(0)
    to("en")
    expect(area).to_be_visible()
    expect(clear).to_have_count(1)


@pytest.mark.parametrize("path", ["/", "/compare", "/why", "/chat", "/hood"])
def test_a_language_that_comes_back_finds_the_page_as_it_was(speak, path):
    page, to = speak(path)

    def look():
        return page.locator("body").aria_snapshot(), page.locator(".stMain").inner_text()

    def rested():
        return at_rest(page, look, 1_000)  # as long as somebody looks

    first, second = rested(), (to("th"), rested())[1]
    assert first != second
    for tag, seen in (("en", first), ("th", second), ("en", first)):
        to(tag)
        until(lambda seen=seen: look() == seen)


def test_who_types_in_a_language_that_comes_back_sees_tokens(make_desk):
    desk = make_desk().open()
    for tag in ("th", "en", "th", "en"):
        desk.page.locator("select.language").select_option(tag)
        expect(desk.page.locator("html")).to_have_attribute("lang", tag)
        desk.idle()
    desk.write("and back, ที่นี่")
    desk.expect_exact("and back, ที่นี่")
