"""Sentences in JavaScript are extracted from any position and translated."""

import json
import re

import pytest
from paths import ROOT

from server import component_i18n
from tokenizer import i18n

SOURCES = sorted(path for top in ("server", "ui") for path in (ROOT / top).rglob("*.js"))
CALLED = re.compile(r"(?<![\w.])(?:tr|trn|mark)\(\s*['\"`]")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: f"{path.parents[1].name}-{path.name}")
def test_every_call_of_a_translation_function_is_extracted(path):
    source = path.read_text(encoding="utf-8")
    assert len(list(component_i18n.in_js(source))) == len(CALLED.findall(source))


def test_nested_sentences_and_template_literals_are_extracted():
    source = r"""a(tr('It\'s {x}', { x: trn('{n} part', '{n} parts', 2) }), `${tr('in text')}`, mark( 'marked'));"""
    assert [sentence for _, sentence in component_i18n.in_js(source)] == [
        ("It's {x}",),
        ("{n} part", "{n} parts"),
        ("in text",),
        ("marked",),
    ]


@pytest.mark.parametrize("tag", [tag for tag in i18n.languages() if tag != i18n.SOURCE_LANGUAGE])
def test_translated_bundle_contains_its_translations(tag):
    source = f"{component_i18n.PLACE}\nf(tr('Theme'), tr('Nobody translated this.'));"
    found = component_i18n.js(source, tag).partition("sentences: ")[2].partition(" };")[0]
    assert json.loads(found) == {"Theme": [i18n.catalog(tag).get("Theme").string]}
    assert component_i18n.js(source, i18n.SOURCE_LANGUAGE) == source


def test_translations_in_html_are_escaped(monkeypatch):
    monkeypatch.setattr(i18n, "tr", {"a": '"<b>"'}.get)
    assert component_i18n.html('<i title="{{a}}">') == '<i title="&quot;&lt;b&gt;&quot;">'
