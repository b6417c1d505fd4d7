"""HTML from Jinja templates, with escaped values and translated sentences."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from markupsafe import Markup

from tokenizer.display.strip import html
from tokenizer.i18n import number, tr, trn


class WithoutLayout(Extension):
    """Removes line breaks and indentation of the source from the HTML; keeps other spaces."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """Yields the tokens of a template without the layout in its text."""
        for token in stream:
            is_text = token.type == "data"
            yield Token(token.lineno, token.type, re.sub(r"\n *", "", token.value)) if is_text else token


def escaped(value: Any) -> Markup:
    r"""Returns a value as HTML that shows each of its characters; `Markup` is HTML already.

    >>> escaped("a\n<"), escaped(Markup("<b>"))
    (Markup('a&#10;&lt;'), Markup('<b>'))
    """
    return value if isinstance(value, Markup) else Markup(html(str(value)))


def translated(translate: Callable[..., str]) -> Callable[..., str]:
    """Returns `tr` or `trn` for templates: if a fact is `Markup`, the others are escaped and the sentence is HTML.

    >>> translated(tr)("{a} < {b}", a="<", b=1), translated(tr)("{a} and {b}", a=Markup("<b>"), b="<")
    ('< < 1', Markup('<b> and &lt;'))
    """

    def sentence(*words: Any, **facts: Any) -> str:
        if not any(isinstance(fact, Markup) for fact in facts.values()):
            return translate(*words, **facts)
        facts = {name: escaped(fact) if isinstance(fact, str) else fact for name, fact in facts.items()}
        return Markup(translate(*words, **facts))

    return sentence


def environment(folder: Path, **helpers: Any) -> Environment:
    """Returns Jinja's environment for the templates of a folder, which can call the helpers.

    `get_template(name).module` has the macros of a template.
    """
    made = Environment(
        loader=FileSystemLoader(folder),
        extensions=[WithoutLayout],
        undefined=StrictUndefined,
        autoescape=True,
        auto_reload=False,
        finalize=escaped,
    )
    made.globals |= {"tr": translated(tr), "trn": translated(trn), "number": number, **helpers}
    return made


def renderer(folder: Path, **helpers: Any) -> Callable[..., Markup]:
    """Returns a function that renders a template of a folder by its name; all templates can call the helpers."""
    made = environment(folder, **helpers)

    def render(name: str, **values: Any) -> Markup:
        return Markup(made.get_template(f"{name}.jinja").render(values))

    return render
