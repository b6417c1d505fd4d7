"""The first visit: an example moves through the years, once."""

import re

import pytest
from playwright.sync_api import expect

from e2e.desk import DESKTOP, FIRST, PHONE, Desk
from e2e.shifts import record_shifts
from tokenizer import get_encoding, parallel_corpus
from ui.widgets.pickers import COMPARED

NOW = "Now type your own text here."
# Records the captions of the example, each of which is there for little more than a second, in window.captions.
RECORD_CAPTIONS = """
  window.captions = [];
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (...given) {
    const root = attach.apply(this, given);
    new MutationObserver(() => {
      const words = root.querySelector('.intro p')?.textContent;
      if (words && words !== captions.at(-1)) captions.push(words);
    }).observe(root, { childList: true, subtree: true });
    return root;
  };
"""


@pytest.fixture
def newcomer(browser, server, desk):
    """Returns a function that opens the page for a visitor who was never here; the server has loaded the encodings."""
    contexts = []

    def give(**options) -> Desk:
        context = browser.new_context(**{"viewport": DESKTOP, "locale": "en-US", **options})
        contexts.append(context)
        return Desk(context.new_page(), server)

    for key in COMPARED:
        desk.choose("Model", key)
        desk.expect_counts(FIRST, key)
    yield give
    for context in contexts:
        context.close()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"reduced_motion": "reduce"}, FIRST.split("\n")[1]),
        ({"viewport": PHONE, "locale": "ja-JP"}, parallel_corpus()["ja"][0]),
    ],
    ids=["English", "Japanese"],
)
def test_example_plays_once_over_the_tokens_and_is_not_the_text(newcomer, options, text):
    desk = newcomer(**options)
    record_shifts(desk.page)
    desk.page.add_init_script(RECORD_CAPTIONS)
    desk.open()
    hint = desk.page.get_by_text(NOW)
    expect(hint).to_be_visible()
    captions, models = desk.page.evaluate("captions"), ("GPT-2 (2019)", "GPT-4 (2023)", "GPT-5 (2025)")
    for said, key, words in zip(captions, COMPARED, models, strict=True):
        assert f"{words}: {len(get_encoding(key).encode(text)):,} tokens" in said
    assert re.search("(Thai|Japanese) took", captions[-1])
    expect(desk.page.locator(".intro")).to_have_count(0)
    expect(desk.area).to_have_value(FIRST)
    desk.expect_exact(FIRST)
    assert sum(one["value"] for one in desk.page.evaluate("shifts") if "intro" in str(one)) == 0
    desk.area.focus()
    desk.page.keyboard.press("x")
    expect(hint).to_be_hidden()
    desk.expect_exact("x")
    assert desk.page.evaluate("localStorage['tokenloupe.intro']") == "1"
