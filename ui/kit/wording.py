"""What components say, in the language of the reader: the sentences of their JavaScript and of their HTML."""

import json
import re
from html import escape
from io import BytesIO

from babel.messages.extract import extract_javascript

from tokenizer import words

SPOKEN = {"tr": None, "trn": (1, 2), "mark": None}  # the functions that translate, as Babel's extractors take them
PLACE = "const WORDS = null;"
IN_HTML = re.compile(r"\{\{(.+?)\}\}", re.S)


def html(source: str) -> str:
    """Returns HTML whose `{{sentences}}` are translated.

    >>> html("<b>{{Theme}}</b>")
    '<b>Theme</b>'
    """
    return IN_HTML.sub(lambda found: escape(words.tr(found[1])), source)


def js(source: str, language: str) -> str:
    """Returns JavaScript into whose kit/js/words.js is put what the source says, in another language."""
    if (catalog := words.catalog(language)) is None:
        return source
    said = {}
    for _, _, sentence, _ in extract_javascript(BytesIO(source.encode()), SPOKEN, (), {"encoding": "utf-8"}):
        id = sentence[0] if isinstance(sentence, tuple) else sentence
        if (found := catalog.get(id)) and found.string:
            said[id] = list(found.string) if isinstance(found.string, tuple | list) else [found.string]
    plural = f"(n) => Number({catalog.plural_expr})"
    filled = f"{{ language: {json.dumps(language)}, plural: {plural}, said: {json.dumps(said, ensure_ascii=False)} }}"
    return source.replace(PLACE, f"const WORDS = {filled};")
