"""From a pinned token to the page that tells why it is cut there."""

import re

from playwright.sync_api import expect

TEXT = "one ที่นี่ two"


def test_a_pinned_token_leads_to_its_why(desk):
    desk.write(TEXT)
    desk.expect_exact(TEXT)
    desk.token(2).click()
    desk.press("Why this split?")
    expect(desk.page).to_have_url(re.compile(r"/why\?.*encoding=cl100k_base&at=\d+"))
    expect(desk.page.get_by_role("textbox", name="Text", exact=True)).to_have_value(TEXT)
    desk.turn_to("Playground")
    desk.expect_exact(TEXT)


def test_a_pinned_stretch_of_the_comparison_leads_there_too(make_desk):
    desk = make_desk().open("/compare")
    area = desk.page.get_by_label("Text to compare")
    expect(area).to_be_visible(timeout=20_000)
    area.fill(TEXT)
    column = desk.page.locator(".tokens").nth(2)
    expect(column).to_have_text(re.compile("one"))
    column.locator("[data-k]").nth(1).click()
    desk.page.get_by_role("button", name="Why does o200k_base split here?").click()
    expect(desk.page).to_have_url(re.compile(r"/why\?.*encoding=o200k_base&at=\d+"))
    expect(desk.page.get_by_role("textbox", name="Text", exact=True)).to_have_value(TEXT)
