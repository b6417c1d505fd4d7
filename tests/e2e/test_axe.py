"""Accessibility of popovers and the loupe; that of pages is in test_every_page.py."""

import pytest
from playwright.sync_api import expect

from e2e.axe import assert_accessible, inject_axe


@pytest.fixture
def opened(make_desk):
    """Returns a function that opens a page with axe-core."""
    return lambda path: inject_axe(make_desk(reduced_motion="reduce").open(path))


def test_loupe_is_accessible(opened):
    desk = opened("/")
    desk.token(1).click()
    expect(desk.loupe).to_be_visible()
    assert_accessible(desk)


@pytest.mark.parametrize("path, words, key", [("/", "Open", "upload"), ("/chat", "Template file", "template_file")])
def test_popovers_are_accessible(opened, path, words, key):
    desk = opened(path)
    desk.page.get_by_test_id("stPopoverButton").filter(has_text=words, visible=True).click()
    expect(desk.page.locator(f".st-key-{key}")).to_be_visible()
    assert_accessible(desk)
