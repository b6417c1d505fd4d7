"""A change of language in the browser reaches what lists have chosen, what components say, and Streamlit itself."""

import pytest
from playwright.sync_api import expect

from e2e.desk import DEFAULT


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
