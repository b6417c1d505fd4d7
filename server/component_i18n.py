"""Translates the sentences in the JavaScript and HTML of components."""

import ast
import json
import re
from collections.abc import Iterator
from html import escape

from tokenizer import i18n
from tokenizer.paths import APP

PLACE = "const WORDS = null;"
IN_HTML = re.compile(r"\{\{(?!>)(.+?)\}\}", re.S)
INCLUDED = re.compile(r"\{\{> (\S+)\}\}\n?")
# Python reads the escapes that our single-quoted sentences contain in the same way
_PIECE = r"'(?:[^'\\\n]|\\.)*'"
_QUOTED = rf"({_PIECE}(?:\s*\+\s*{_PIECE})*)"  # a long sentence may be several pieces
_JOIN = re.compile(r"'\s*\+\s*'")
# Babel's extractor misses sentences that are arguments of others, and those in template literals
IN_JS = re.compile(rf"\b(?:(?:tr|mark)\(\s*{_QUOTED}|trn\(\s*{_QUOTED},\s*{_QUOTED})")


def html(source: str) -> str:
    """Returns HTML with the files that it includes as `{{> path}}`, and with its `{{sentences}}` translated.

    A path begins at the folder of app.py.

    >>> html("<b>{{Theme}}</b>")
    '<b>Theme</b>'
    >>> html("<div>{{> web/player.html}}</div>").count("<button")
    5
    """
    whole = INCLUDED.sub(lambda found: (APP / found[1]).read_text(encoding="utf-8"), source)
    return IN_HTML.sub(lambda found: escape(i18n.tr(found[1])), whole)


def in_js(source: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yields the sentences of JavaScript with their lines; a plural has two forms.

    >>> list(in_js("f(tr('of {part}', { part: trn('{n} byte', '{n} bytes', 2) }))"))
    [(1, ('of {part}',)), (1, ('{n} byte', '{n} bytes'))]
    >>> list(in_js("tr('Copy ' + 'it.')"))
    [(1, ('Copy it.',))]
    """
    for found in IN_JS.finditer(source):
        yield (
            source.count("\n", 0, found.start()) + 1,
            tuple(ast.literal_eval(_JOIN.sub("", one)) for one in found.groups() if one),
        )


def js(source: str, language: str) -> str:
    """Returns JavaScript whose `web/js/dom/i18n.js` has the source's sentences in another language."""
    if (catalog := i18n.catalog(language)) is None:
        return source
    sentences = {}
    for _, (id, *_) in in_js(source):
        if (found := catalog.get(id)) and found.string:
            sentences[id] = list(found.string) if isinstance(found.string, tuple | list) else [found.string]
    plural = f"(n) => Number({catalog.plural_expr})"
    forms = json.dumps(sentences, ensure_ascii=False)
    filled = f"{{ language: {json.dumps(language)}, plural: {plural}, sentences: {forms} }}"
    return source.replace(PLACE, f"const WORDS = {filled};")
