"""Names that visitors or links give are drawn as they are, although Streamlit reads captions and labels as Markdown."""

import ast
import re

import pytest
import streamlit as st
from paths import ROOT

from tokenizer.errors import TokenizerError
from ui.components import tables
from ui.components.markdown import in_markdown

NAME = "![x](https://example.org/x.png)"
READ_AS_MARKDOWN = {"button", "caption", "download_button", "expander", "markdown"}
PAGES = [path for top in ("pages", "ui") for path in sorted((ROOT / top).rglob("*.py"))]


def refuse() -> str:
    raise TokenizerError(f"A notebook cannot be made for {NAME}.")


def test_reason_why_there_is_no_notebook_shows_no_picture(monkeypatch):
    drawn = []
    monkeypatch.setattr(st, "caption", drawn.append)
    tables.notebook_button(refuse, "a.ipynb")
    assert [one.replace("\u2060", "") for one in drawn] == [
        r"A notebook cannot be made for \!\[x\]\(https\:\/\/example\.org\/x\.png\)\."
    ]


@pytest.mark.parametrize("name", [NAME, "HTTP://example.org", "www.example.org", "me@example.org"])
def test_address_in_a_name_becomes_no_link(name):
    read = re.sub(r"\\(.)", r"\1", in_markdown(name))  # Streamlit looks for addresses in the text without the escapes
    assert not re.search(r"https?://|www\.|[-.\w+]@[-\w]", read, re.IGNORECASE)
    assert read.replace("\u2060", "") == name


SYMBOLS = r"(?:^|\s)(?:<->|->|<-|--|>=|<=|~=)(?:\s|$)|:(?:streamlit|material_\w+|\+1|[-\w]+):"  # of Streamlit's script


@pytest.mark.parametrize(
    "name",
    ["a -> b.json", "<-> b", "a <-", "a -- b", "a >= b", "a <= b", "~=", ":streamlit:", ":material_home:", "a :+1: b"],
)
def test_signs_in_a_name_become_no_symbol(name):
    read = re.sub(r"\\(.)", r"\1", in_markdown(name))
    assert re.search(SYMBOLS, name) and not re.search(SYMBOLS, read)
    assert read.replace("\u2060", "") == name


@pytest.mark.parametrize("name", ["a->b", "merges-0--1", "llama3:8b", "a > b", "a - b", "C:/x"])
def test_other_signs_in_a_name_are_copied_as_they_are(name):
    assert "\u2060" not in in_markdown(name)


def unescaped_names(source: str) -> list[str]:
    """Returns the facts of sentences that are drawn as Markdown and are names of encodings, not escaped."""
    drawn = [
        one
        for one in ast.walk(ast.parse(source))
        if getattr(getattr(one, "func", None), "attr", "") in READ_AS_MARKDOWN
    ]
    inner = [
        one
        for call in drawn
        for one in ast.walk(call)
        if getattr(getattr(one, "func", None), "id", "") in ("tr", "trn")
    ]
    values = [ast.unparse(fact.value) for call in inner for fact in call.keywords]
    return [value for value in values if value in ("entry.name", "encoding.name", "found.name", "found.names[0]")]


@pytest.mark.slow
def test_names_of_encodings_are_escaped_in_markdown():
    assert [path for path in PAGES if unescaped_names(path.read_text(encoding="utf-8"))] == []
    assert unescaped_names("st.button(tr('Add to {name}', name=entry.name))") == ["entry.name"]
