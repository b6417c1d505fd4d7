"""What the language of a text cost in the years of the slider."""

import re

import pytest
from apps import open_page

from server.encodings import encoding_store
from tokenizer.i18n import number, using_language
from tokenizer.languages.parallel import languages, parallel_corpus
from tokenizer.text.samples import samples
from ui.playground import years
from ui.widgets.pickers import COMPARED


@pytest.fixture(autouse=True)
def loaded():
    for key in COMPARED:
        encoding_store.find(key)


@pytest.mark.slow
def test_numbers_are_those_of_the_languages_page():
    table = open_page("languages.py").dataframe[0].value
    rows = table.set_index(["encoding", "language tag"])["premium"]
    told = 0
    for tag, lines in parallel_corpus().items():
        if found := years.cost("\n".join(lines)):
            told += 1
            wanted = [number(rows[name, tag], ".1f") for name in ("gpt2", "o200k_base")]
            assert found["language"] == tag and re.findall(r"([\d.]+) times", found["words"]) == wanted
            assert languages()[tag].name in found["words"]
    assert told == 19


@pytest.mark.parametrize(
    "text",
    ["", "123 ?!", "Good morning", "Доброе утро", "漢字", "مرحبا", "a letter ก", *[samples()[3].text]],
    ids=lambda text: text[:12],
)
def test_text_of_an_unknown_language_has_no_sentence(text):
    assert years.cost(text) is None


def test_sentence_is_in_the_language_of_the_interface():
    with using_language("th"):
        assert "8.9 เท่าของภาษาอังกฤษ" in years.cost("สวัสดี and hello")["words"]


def test_encoding_that_is_not_loaded_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(encoding_store, "is_ready", lambda key: key != "gpt2")
    assert years.cost("สวัสดี") is None
    assert [entry and entry.key for entry in years.stops()] == [None, "cl100k_base", "o200k_base"]
