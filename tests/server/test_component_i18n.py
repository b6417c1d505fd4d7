"""Sentences in JavaScript are extracted from any position and translated."""

import json
import re

import pytest
from paths import ROOT

from server import component_i18n
from tokenizer import i18n

SOURCES = sorted(path for top in ("server", "ui", "web") for path in (ROOT / top).rglob("*.js"))
CALLED = re.compile(r"(?<![\w.])(?:tr|trn|mark)\(\s*['\"`]")


def test_every_call_of_a_translation_function_is_extracted():
    for path in SOURCES:
        source = path.read_text(encoding="utf-8")
        assert len(list(component_i18n.in_js(source))) == len(CALLED.findall(source)), path


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


PLAYER = "web/player.html"


@pytest.mark.parametrize("path", ["web/timeline/timeline.html", "ui/why/ladder.html"])
def test_included_file_is_translated_and_its_sentences_are_in_the_catalogue(path):
    title = "Before the first merge (Home)"
    source = (ROOT / path).read_text(encoding="utf-8")
    assert not component_i18n.IN_HTML.search(f"{{{{> {PLAYER}}}}}") and title not in source
    for tag in i18n.languages():
        with i18n.using_language(tag):
            shown = component_i18n.html(source)
        wanted = title if tag == i18n.SOURCE_LANGUAGE else i18n.catalog(tag).get(title).string
        assert shown.count(f'title="{wanted}"') == 1 and "{{" not in shown
    places = [where for where, _ in i18n.catalog("th").get(title).locations]
    assert places == [PLAYER]
