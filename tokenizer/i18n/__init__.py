"""What a reader is told, in his language: sentences by gettext's catalogues, numbers and plurals by Unicode's CLDR.

The sentences of the code are English; assets/locale has a file for each other language. A sentence takes its numbers
as fields, so that each language has them where it wants them, and so that a test can see that none is missing.
"""

import os
import string
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from functools import cache
from gettext import c2py
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenizer.paths import ASSETS

if TYPE_CHECKING:  # English needs neither catalogues nor signs, so Babel is loaded where another language is spoken
    from babel.messages.catalog import Catalog

FOLDER = Path(os.environ.get("TOKENLOUPE_LOCALES") or ASSETS / "locale")
SOURCE_LANGUAGE = "en"
# Words that Unicode's dictionaries lack, so that a browser breaks lines within them: by where it would.
UNBREAKABLE_WORDS = {
    "th": ["โท|เคน", "ยู|นิ|โคด", "อี|โม|จิ", "คิว|อาร์|โค้ด", "โค้ด|พอ|ยต์", "เวก|เตอร์", "ออฟ|ไลน์", "พร|อมต์", "ฮิน|ดี", "กราฟี|ม"]
}
JOINER = "\u2060"  # Unicode's word joiner: not seen, and no line breaks at it

_spoken: ContextVar[str | None] = ContextVar("language", default=None)
_ask: Callable[[], str | None] = lambda: None  # noqa: E731


@cache
def languages() -> dict[str, str]:
    """Returns the languages that there are, by their BCP 47 tags, each by its own name.

    >>> languages()["th"]
    'ไทย'
    """
    return {tag: _own_name(tag) for tag in _tags()}


@cache
def _tags() -> list[str]:
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
    return _spoken.get() or _ask() or os.environ.get("TOKENLOUPE_LANGUAGE") or SOURCE_LANGUAGE


def set_language_source(who: Callable[[], str | None]) -> None:
    """Lets `who` say which language is spoken where `using_language` does not; None where he does not know."""
    global _ask
    _ask = who


@contextmanager
def using_language(tag: str) -> Iterator[None]:
    """Speaks one of `languages()` for a while, in this thread or task; English where there is no such language.

    >>> with using_language("th"):
    ...     language()
    'th'
    """
    before = _spoken.set(tag if tag in _tags() else SOURCE_LANGUAGE)
    try:
        yield
    finally:
        _spoken.reset(before)


def tr(sentence: str, **facts: Any) -> str:
    """Returns a sentence in the language that is spoken, with these facts in it.

    >>> tr("{n:,} bytes, {share:.1%}", n=1234, share=0.5)
    '1,234 bytes, 50.0%'
    """
    tag = language()
    forms = _translations(tag).get(sentence) if tag != SOURCE_LANGUAGE else None
    return _formatted(forms[0] if forms else sentence, facts, tag)


def trn(one: str, many: str, n: int, **facts: Any) -> str:
    """Returns one of two sentences, or of as many as the language has, by the number `n`, which is a fact as well.

    >>> trn("{n:,} token", "{n:,} tokens", 1), trn("{n:,} token", "{n:,} tokens", 1234)
    ('1 token', '1,234 tokens')
    """
    tag = language()
    forms = _translations(tag).get(one) if tag != SOURCE_LANGUAGE else None
    sentence = forms[_plural(tag)(n)] if forms else one if n == 1 else many
    return _formatted(sentence, {"n": n} | facts, tag)


def mark(sentence: str) -> str:
    """Returns the sentence itself; it is translated where it is drawn, by `tr`."""
    return sentence


def number(value: float, form: str = ",") -> str:
    """Returns a number as the language that is spoken writes it.

    >>> number(1234), number(0.5, ".1%")
    ('1,234', '50.0%')
    """
    return _formatted(f"{{value:{form}}}", {"value": value}, language())


def month(written: str) -> str:
    """Returns a month, written as in ISO 8601, as the language that is spoken names it.

    >>> month("2019-02")
    'February 2019'
    """
    from babel.dates import format_skeleton

    return format_skeleton("yMMMM", date.fromisoformat(f"{written}-01"), locale=language().replace("-", "_"))


def catalog(tag: str) -> "Catalog | None":
    """Returns all sentences of a language, or None of English, which is what the code says."""
    return _catalog(tag) if tag != SOURCE_LANGUAGE and tag in _tags() else None


def unbreakable(text: str, tag: str) -> str:
    """Returns a text of a language with joiners in the words of `UNBREAKABLE_WORDS`, so that no line breaks within one.

    >>> unbreakable("โทเคน", "th").split(JOINER), unbreakable("token", "en")
    (['โท', 'เคน'], 'token')
    """
    for word in UNBREAKABLE_WORDS.get(tag, ()):
        text = text.replace(word.replace("|", ""), word.replace("|", JOINER))
    return text


@cache
def _catalog(tag: str) -> "Catalog":
    from babel.messages.pofile import read_po

    source = (FOLDER / f"{tag}.po").read_text(encoding="utf-8")
    return read_po(StringIO(unbreakable(source, tag)), locale=tag.replace("-", "_"))


@cache
def _translations(tag: str) -> dict[str, Sequence[str]]:
    """What a language has for each sentence, or for the first of two: a form for each number; only what is whole."""
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
    """What a language writes for the signs in English numbers; nothing where they are the same."""
    if tag == SOURCE_LANGUAGE or tag not in _tags():
        return {}
    from babel.numbers import get_decimal_symbol, get_group_symbol

    locale = tag.replace("-", "_")
    own = {",": get_group_symbol(locale), ".": get_decimal_symbol(locale)}
    return str.maketrans({sign: other for sign, other in own.items() if sign != other})


class _Filler(string.Formatter):
    """Fills fields in; numbers that are written in groups or with a point get the signs of a language."""

    def __init__(self, signs: dict[int, str]):
        self.signs = signs

    def format_field(self, value: Any, form: str) -> str:
        written = format(value, form)
        return written.translate(self.signs) if isinstance(value, int | float) and form else written


def _formatted(sentence: str, facts: dict[str, Any], tag: str) -> str:
    if not facts:
        return sentence
    signs = _signs(tag)
    return _Filler(signs).vformat(sentence, (), facts) if signs else sentence.format_map(facts)
