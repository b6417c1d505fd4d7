"""Translation of sentences by gettext catalogs, and of numbers and plurals by Unicode's CLDR.

Sentences in the code are English; assets/locale has a catalog for each other language. Numbers are fields of a
sentence, so that a translation can place them, and a test can check that none is missing.
"""

import math
import os
import string
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, localcontext
from functools import cache
from gettext import c2py
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenizer.paths import ASSETS

if TYPE_CHECKING:  # Babel is imported only for languages other than English
    from babel.messages.catalog import Catalog

FOLDER = Path(os.environ.get("TOKENLOUPE_LOCALES") or ASSETS / "locale")
SOURCE_LANGUAGE = "en"
# Words that Unicode's dictionaries lack: browsers break lines within them unless an element forbids it.
UNBREAKABLE_WORDS = {
    "th": ["โทเคน", "ยูนิโคด", "อีโมจิ", "คิวอาร์โค้ด", "โค้ดพอยต์", "เวกเตอร์", "ออฟไลน์", "พรอมต์", "ฮินดี", "กราฟีม"]
}

_current_language: ContextVar[str | None] = ContextVar("language", default=None)
_source: Callable[[], str | None] = lambda: None  # noqa: E731


@cache
def languages() -> dict[str, str]:
    """Returns the names of the available languages, each in itself, by BCP 47 tag.

    >>> languages()["th"]
    'ไทย'
    """
    return {tag: _own_name(tag) for tag in tags()}


@cache
def tags() -> list[str]:
    """Returns the tags of the available languages, English first."""
    return [SOURCE_LANGUAGE, *sorted(path.stem for path in FOLDER.glob("*.po"))]


def _own_name(tag: str) -> str:
    from babel import Locale

    locale = Locale.parse(tag, sep="-")
    return locale.get_display_name(tag.replace("-", "_")) or tag


def language() -> str:
    """Returns the current language: that of `using_language`, else of `set_language_source`, else English.

    >>> language()
    'en'
    """
    return _current_language.get() or _source() or os.environ.get("TOKENLOUPE_LANGUAGE") or SOURCE_LANGUAGE


def set_language_source(source: Callable[[], str | None]) -> None:
    """Sets a function that returns the current language where no `using_language` applies, or None."""
    global _source
    _source = source


@contextmanager
def using_language(tag: str) -> Iterator[None]:
    """Sets the current language of this thread or task within a block; English if there is no such language.

    >>> with using_language("th"):
    ...     language()
    'th'
    """
    before = _current_language.set(tag if tag in tags() else SOURCE_LANGUAGE)
    try:
        yield
    finally:
        _current_language.reset(before)


def tr(sentence: str, **facts: Any) -> str:
    """Returns a sentence in the current language, formatted with these facts.

    >>> tr("{n:,} bytes, {share:.1%}", n=1234, share=0.5)
    '1,234 bytes, 50.0%'
    """
    tag = language()
    forms = _translations(tag).get(sentence) if tag != SOURCE_LANGUAGE else None
    return _formatted(forms[0] if forms else sentence, facts, tag)


def trn(one: str, many: str, n: int, **facts: Any) -> str:
    """Returns the plural form of a sentence for the number `n`, which is a fact too.

    >>> trn("{n:,} token", "{n:,} tokens", 1), trn("{n:,} token", "{n:,} tokens", 1234)
    ('1 token', '1,234 tokens')
    """
    tag = language()
    forms = _translations(tag).get(one) if tag != SOURCE_LANGUAGE else None
    sentence = forms[_plural(tag)(n)] if forms else one if n == 1 else many
    return _formatted(sentence, {"n": n} | facts, tag)


def mark(sentence: str) -> str:
    """Returns the sentence itself: marks it for the catalogs, to be translated later by `tr`."""
    return sentence


def number(value: float, form: str = ",") -> str:
    """Returns a number in the format of the current language.

    >>> number(1234), number(0.5, ".1%"), number(33 / 8, ".2f")
    ('1,234', '50.0%', '4.13')
    """
    return _formatted(f"{{value:{form}}}", {"value": value}, language())


def month(written: str) -> str:
    """Returns the name of a month, given as in ISO 8601, in the current language.

    >>> month("2019-02")
    'February 2019'
    """
    from babel.dates import format_skeleton

    return format_skeleton("yMMMM", date.fromisoformat(f"{written}-01"), locale=language().replace("-", "_"))


def catalog(tag: str) -> "Catalog | None":
    """Returns the catalog of a language; None for English."""
    return _catalog(tag) if tag != SOURCE_LANGUAGE and tag in tags() else None


def unbreakable_words(tag: str) -> list[str]:
    """Returns the words of a language within which a browser would break lines.

    >>> unbreakable_words("th")[0], unbreakable_words("en")
    ('โทเคน', [])
    """
    return UNBREAKABLE_WORDS.get(tag, [])


@cache
def _catalog(tag: str) -> "Catalog":
    from babel.messages.pofile import read_po

    source = (FOLDER / f"{tag}.po").read_text(encoding="utf-8")
    return read_po(StringIO(source), locale=tag.replace("-", "_"))


@cache
def _translations(tag: str) -> dict[str, Sequence[str]]:
    """The forms of each translated sentence, by the English one; sentences with an empty form are left out."""
    messages = [message for message in catalog(tag) or () if message.id]
    forms = {_first(message.id): _forms(message.string) for message in messages}
    return {sentence: own for sentence, own in forms.items() if all(own)}


def _first(id: str | Sequence[str]) -> str:
    return id if isinstance(id, str) else id[0]


def _forms(string: str | Sequence[str]) -> Sequence[str]:
    return (string,) if isinstance(string, str) else string


@cache
def _plural(tag: str) -> Callable[[int], int]:
    return c2py(catalog(tag).plural_expr)


@cache
def _signs(tag: str) -> dict[int, str]:
    """The translation of the signs in English numbers to a language; empty if they are the same."""
    if tag == SOURCE_LANGUAGE or tag not in tags():
        return {}
    from babel.numbers import get_decimal_symbol, get_group_symbol

    locale = tag.replace("-", "_")
    own = {",": get_group_symbol(locale), ".": get_decimal_symbol(locale)}
    return str.maketrans({sign: other for sign, other in own.items() if sign != other})


class _HalfUp(float):
    """A number whose halves are rounded up, as the scripts of the page do; Python alone writes 4.125 as 4.12."""

    def __format__(self, form: str) -> str:
        if not form.endswith(("f", "%")) or not math.isfinite(self):
            return super().__format__(form)
        with localcontext(rounding=ROUND_HALF_UP):
            return format(Decimal(float.__repr__(self)), form)


class _Filler(string.Formatter):
    """A formatter that writes numbers with the group and decimal signs of a language."""

    def __init__(self, signs: dict[int, str]):
        self.signs = signs

    def format_field(self, value: Any, form: str) -> str:
        written = format(value, form)
        return written.translate(self.signs) if isinstance(value, int | float) and form else written


def _formatted(sentence: str, facts: dict[str, Any], tag: str) -> str:
    if not facts:
        return sentence
    facts = {name: _HalfUp(fact) if isinstance(fact, float) else fact for name, fact in facts.items()}
    signs = _signs(tag)
    return _Filler(signs).vformat(sentence, (), facts) if signs else sentence.format_map(facts)
