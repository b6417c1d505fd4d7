"""What components say, in the language of the reader: the sentences of their JavaScript and of their HTML."""

import ast
import json
import re
from collections.abc import Iterator
from html import escape

from tokenizer import i18n

PLACE = "const WORDS = null;"
IN_HTML = re.compile(r"\{\{(.+?)\}\}", re.S)
# what is escaped between single quotes is so in Python, too, as far as it is said in our sentences
_PIECE = r"'(?:[^'\\\n]|\\.)*'"
_QUOTED = rf"({_PIECE}(?:\s*\+\s*{_PIECE})*)"  # a long sentence may be several pieces
_JOIN = re.compile(r"'\s*\+\s*'")
# not Babel's own extractor, which reads neither a sentence that is a fact of another nor one in a template literal
IN_JS = re.compile(rf"\b(?:(?:tr|mark)\(\s*{_QUOTED}|trn\(\s*{_QUOTED},\s*{_QUOTED})")


def html(source: str) -> str:
    """Returns HTML whose `{{sentences}}` are translated.

    >>> html("<b>{{Theme}}</b>")
    '<b>Theme</b>'
    """
    return IN_HTML.sub(lambda found: escape(i18n.tr(found[1])), source)


def in_js(source: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yields what JavaScript says: the line, and the sentence, or two of which a number chooses.

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
    """Returns JavaScript whose `ui/components/js/dom/i18n.js` has the source's sentences in another language."""
    if (catalog := i18n.catalog(language)) is None:
        return source
    said = {}
    for _, (id, *_) in in_js(source):
        if (found := catalog.get(id)) and found.string:
            said[id] = list(found.string) if isinstance(found.string, tuple | list) else [found.string]
    plural = f"(n) => Number({catalog.plural_expr})"
    filled = f"{{ language: {json.dumps(language)}, plural: {plural}, said: {json.dumps(said, ensure_ascii=False)} }}"
    return source.replace(PLACE, f"const WORDS = {filled};")
