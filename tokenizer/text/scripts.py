"""The script of a token."""

from functools import cache, lru_cache

import regex
from babel import Locale

from tokenizer.i18n import SOURCE_LANGUAGE, language, mark, tr
from tokenizer.paths import read_toml
from tokenizer.text.regex_budget import hold_gil
from tokenizer.text.well_formed import as_text

UNICODE = read_toml("unicode.toml")
SCRIPTS = UNICODE["names"]["scripts"]  # those in use today, by their names in Unicode
OTHER = mark("another script")
PART_OF_CHARACTER, WITH_PART_OF_CHARACTER = (
    mark("part of a character"),
    mark("at least one whole character and part of another"),
)
NEVER_IN_UTF8 = mark("never in UTF-8")
MIXED = "mixed: "

_named = hold_gil(regex.compile("|".join(rf"(?P<{name}>\p{{Script={name}}})" for name in SCRIPTS)).match)
_never = hold_gil(regex.compile(rb"[\xC0\xC1\xF5-\xFF]").search)
_is_letter = hold_gil(regex.compile(r"[\p{L}\p{M}]").match)
_shared = hold_gil(regex.compile(r"[\p{Script=Common}\p{Script=Inherited}]").match)

# Names of tokens without letters: the first of these classes that occurs in the token.
_WITHOUT_LETTERS = {
    mark("digits"): hold_gil(regex.compile(r"\p{N}").search),
    mark("punctuation"): hold_gil(regex.compile(r"\p{P}").search),
    mark("symbols"): hold_gil(
        regex.compile(r"[\p{S}\p{L}\p{M}]").search
    ),  # letters of no script, such as ª, and marks alone, too
    mark("space"): hold_gil(regex.compile(r"[\p{Z}\t-\r]").search),
}
WITHOUT_LETTERS = [*_WITHOUT_LETTERS, mark("control characters")]


def script(token: bytes) -> str:
    """Returns the script of a token's letters, or what it is made of if it has none.

    >>> [script(text.encode()) for text in (" the", "ที่", "iPhoneที่", "๑๒", " ()", "\\n", "👍")]
    ['Latin', 'Thai', 'mixed: Latin, Thai', 'digits', 'punctuation', 'space', 'symbols']
    >>> [script(token) for token in ("ท".encode()[:2], "ทท".encode()[:5], b"\\xff")]
    ['part of a character', 'at least one whole character and part of another', 'never in UTF-8']
    """
    if (text := as_text(token)) is None:
        return (
            NEVER_IN_UTF8
            if _never(token)
            else WITH_PART_OF_CHARACTER
            if token.decode(errors="ignore")
            else PART_OF_CHARACTER
        )
    found = {name for name in map(script_of_letter, text) if name}
    if found:
        return found.pop() if len(found) == 1 else MIXED + ", ".join(sorted(found))
    return next((name for name, matches in _WITHOUT_LETTERS.items() if matches(text)), WITHOUT_LETTERS[-1])


@lru_cache(maxsize=100_000)
def script_of_letter(character: str) -> str | None:
    """Returns the script of a letter or mark; None for anything else, and for letters that scripts share.

    >>> script_of_letter("ท"), script_of_letter("1")
    ('Thai', None)
    """
    if not _is_letter(character) or _shared(character):
        return None
    match = _named(character)
    return match.lastgroup.replace("_", " ") if match else OTHER


# What `script`, and that of anatomy, call a token or a character, but for the names of scripts.
_PHRASES = {
    *(OTHER, PART_OF_CHARACTER, WITH_PART_OF_CHARACTER, NEVER_IN_UTF8, *WITHOUT_LETTERS),
    *(mark("special token"), mark("mixed scripts"), mark("Common"), mark("Inherited"), mark("Unknown")),
}

# Those whose English name in CLDR is another one than in Unicode, by their ISO 15924 codes.
_CODES = {
    "Bengali": "Beng",
    "Canadian Aboriginal": "Cans",
    "Hanifi Rohingya": "Rohg",
    "Lisu": "Lisu",
    "Mandaic": "Mand",
    "Meetei Mayek": "Mtei",
    "Miao": "Plrd",
    "Nko": "Nkoo",
    "Oriya": "Orya",
    "Tai Tham": "Lana",
}


def localized_script(name: str) -> str:
    """Returns a name that `script` returns in the current language; names of scripts are CLDR's.

    >>> from tokenizer.i18n import using_language
    >>> with using_language("th"):
    ...     localized_script("Devanagari")
    'เทวนาครี'
    """
    if name.startswith(MIXED):
        return tr("mixed: {scripts}", scripts=", ".join(map(localized_script, name.removeprefix(MIXED).split(", "))))
    if name in _PHRASES:
        return tr(name)
    tag = language()
    return name if tag == SOURCE_LANGUAGE else _names(tag).get(name, name)


@cache
def _names(tag: str) -> dict[str, str]:
    """The names of scripts in a language by those in Unicode."""
    own = Locale.parse(tag, sep="-").scripts
    codes = {name: code for code, name in Locale("en").scripts.items()} | _CODES
    return {name: own[code] for name, code in codes.items() if code in own}
