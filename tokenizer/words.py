"""What a reader is told, in his language: sentences by gettext's catalogues, numbers and plurals by Unicode's CLDR.

The sentences of the code are English; assets/locale has a file for each other language. A sentence takes its numbers
as fields, so that each language has them where it wants them, and so that a test can see that none is missing.
"""

import os
import string
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import Any

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import get_decimal_symbol, get_group_symbol

FOLDER = Path(os.environ.get("TOKENLOUPE_LOCALES") or Path(__file__).parents[1] / "assets" / "locale")
ORIGINAL = "en"

_spoken: ContextVar[str | None] = ContextVar("language", default=None)
_ask: Callable[[], str | None] = lambda: None  # noqa: E731


@cache
def languages() -> dict[str, str]:
    """Returns the languages that there are, by their BCP 47 tags, each by its own name.

    >>> languages()["th"]
    'ไทย'
    """
    tags = [ORIGINAL, *sorted(path.stem for path in FOLDER.glob("*.po"))]
    return {tag: _own_name(tag) for tag in tags}


def _own_name(tag: str) -> str:
    locale = Locale.parse(tag, sep="-")
    return locale.get_display_name(tag.replace("-", "_")) or tag


def language() -> str:
    """Returns the language that is spoken now: that of `speaking`, else what whoever draws the page says, else English.

    >>> language()
    'en'
    """
    return _spoken.get() or _ask() or os.environ.get("TOKENLOUPE_LANGUAGE") or ORIGINAL


def ask(who: Callable[[], str | None]) -> None:
    """Lets `who` say which language is spoken where `speaking` does not; None where he does not know."""
    global _ask
    _ask = who


@contextmanager
def speaking(tag: str) -> Iterator[None]:
    """Speaks one of `languages()` for a while, in this thread or task; English where there is no such language.

    >>> with speaking("th"):
    ...     language()
    'th'
    """
    before = _spoken.set(tag if tag in languages() else ORIGINAL)
    try:
        yield
    finally:
        _spoken.reset(before)


def tr(sentence: str, **facts: Any) -> str:
    """Returns a sentence in the language that is spoken, with these facts in it.

    >>> tr("{n:,} bytes, {share:.1%}", n=1234, share=0.5)
    '1,234 bytes, 50.0%'
    """
    return _filled(_translations(language()).gettext(sentence), facts)


def trn(one: str, many: str, n: int, **facts: Any) -> str:
    """Returns one of two sentences, or of as many as the language has, by the number `n`, which is a fact as well.

    >>> trn("{n:,} token", "{n:,} tokens", 1), trn("{n:,} token", "{n:,} tokens", 1234)
    ('1 token', '1,234 tokens')
    """
    return _filled(_translations(language()).ngettext(one, many, n), {"n": n} | facts)


def mark(sentence: str) -> str:
    """Returns the sentence itself; it is translated where it is drawn, by `tr`."""
    return sentence


def number(value: float, form: str = ",") -> str:
    """Returns a number as the language that is spoken writes it.

    >>> number(1234), number(0.5, ".1%")
    ('1,234', '50.0%')
    """
    return _Filler().format_field(value, form)


def catalog(tag: str) -> Catalog | None:
    """Returns all sentences of a language, or None of English, which is what the code says."""
    return _catalog(tag) if tag != ORIGINAL and tag in languages() else None


@cache
def _catalog(tag: str) -> Catalog:
    with (FOLDER / f"{tag}.po").open("rb") as file:
        return read_po(file, locale=tag.replace("-", "_"))


@cache
def _translations(tag: str) -> NullTranslations:
    found = catalog(tag)
    if found is None:
        return NullTranslations()
    compiled = BytesIO()
    write_mo(compiled, found)
    return GNUTranslations(BytesIO(compiled.getvalue()))


@cache
def _symbols(tag: str) -> dict[int, str]:
    locale = tag.replace("-", "_")
    return str.maketrans({",": get_group_symbol(locale), ".": get_decimal_symbol(locale)})


class _Filler(string.Formatter):
    """Fills fields in; numbers that are written in groups or with a point get the signs of the language."""

    def format_field(self, value: Any, form: str) -> str:
        written = format(value, form)
        return written.translate(_symbols(language())) if isinstance(value, int | float) and form else written


def _filled(sentence: str, facts: dict[str, Any]) -> str:
    return _Filler().vformat(sentence, (), facts) if facts else sentence
