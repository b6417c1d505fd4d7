"""Untranslated words: pages in a pseudo-language that brackets each sentence have none outside."""

import re
import sys

import pytest
from babel.messages.pofile import write_po
from paths import ROOT
from playwright.sync_api import expect

from e2e.desk import ABOUT, ignore_errors
from e2e.server import WITHOUT_WARMUP, Server

sys.path.insert(0, str(ROOT / "scripts"))
from words import template

BRACKETED = "ka"  # neither it nor its CLDR names use Latin letters
READ = (ROOT / "tests" / "js" / "words_on_page.js").read_text(encoding="utf-8")
# Not the app's words: visitors' texts, tokens, code, names in their own language.
NOT_OURS = (
    "textarea, input, code, pre, bdi, [lang]:not(html), .tokens, .strip, .ids, .stDataFrame, .vega-embed,"
    " option[value], [data-testid=stIconMaterial], [data-testid=stExpanderIcon]"
)
NAMES = (
    r"Tokenloupe|GPT-?[\w.-]*|gpt2|llama3|NFK?[CD]|[\w-]+_(?:base|edit|harmony)|UTF-\d+|B?BPE|U\+[0-9A-F]+"
    r"|English|EN|KA|PNG|SVG|CSV|JSONL?|HTML|YAML|Python"
)
# Lessons have their own word files, which tests/tokenizer/lessons compares.
ADDRESSES = ["/", "/compare", "/decode", "/chat", "/why", "/train", "/hood", "/languages", "/catalog", "/vocabulary"]


@pytest.fixture(scope="module")
def bracketed_server(tmp_path_factory):
    """A server on which every sentence of the code is bracketed."""
    folder, catalog = tmp_path_factory.mktemp("locale"), template()
    catalog.locale = BRACKETED
    for message in catalog:
        if message.id:
            bracketed = [f"⟦{form}⟧" for form in (message.id if message.pluralizable else [message.id])]
            message.string = tuple(bracketed) if message.pluralizable else bracketed[0]
    with (folder / f"{BRACKETED}.po").open("wb") as file:
        write_po(file, catalog)
    with Server(folder / "log.txt", WITHOUT_WARMUP, TOKENLOUPE_LOCALES=str(folder)) as running:
        yield running
    assert not running.log_problems(), running.log()


def untranslated_words(lines: list[str]) -> list[str]:
    """Returns the Latin words outside brackets.

    >>> untranslated_words(["⟦a ⟦b⟧ c⟧ word ⟦x⟧ 5", "GPT-5 · o200k_base"])
    ['word']
    """
    found = []
    for line in lines:
        while (shorter := re.sub(r"⟦[^⟦⟧]*⟧", " ", line)) != line:
            line = shorter
        found += re.findall(r"[A-Za-z]{2,}(?:[ -][A-Za-z]+)*", re.sub(rf"\b(?:{NAMES})\b", " ", line))
    return found


@pytest.mark.parametrize("address", ADDRESSES)
def test_page_has_no_words_outside_the_catalogs(bracketed_server, make_desk, address):
    desk = make_desk(on=bracketed_server).open(address, lang=BRACKETED)
    desk.page.locator(ABOUT[address] if address != "/train" else "h1").first.wait_for()
    desk.idle()
    expect(desk.page.get_by_test_id("stSkipToContent")).to_contain_text("⟦")  # Streamlit's own words load last
    assert untranslated_words(desk.page.evaluate(READ, NOT_OURS)) == []


def test_dialog_about_an_unknown_page_is_translated(bracketed_server, make_desk):
    desk = make_desk(on=bracketed_server)
    desk.visit("/nowhere", lang=BRACKETED)
    dialog = desk.page.get_by_role("dialog")
    expect(dialog.get_by_role("heading")).to_have_text("⟦Page not found⟧")
    assert untranslated_words(dialog.inner_text().splitlines()) == []
    ignore_errors(desk.page, "does not seem to exist")  # Streamlit logs it, too
