"""Paste hygiene: invisible characters in a pasted text, their cost in tokens, and their removal."""

import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import regex

from tokenizer.i18n import mark, tr
from tokenizer.paths import read_toml
from tokenizer.text.anatomy import script
from tokenizer.text.regex_budget import RegexBudget
from tokenizer.text.scripts import localized_script

WORDS = read_toml("hygiene.toml")
MAX_SCAN_SECONDS = 3_600  # our patterns take less than a hundredth of it
SCAN_CHARACTERS = 20_000  # in one go: blocks other threads for a millisecond at most


class Finding(NamedTuple):
    """One kind of invisible characters in a text; `cost` is in tokens, negative if cleaning adds tokens."""

    name: str
    title: str
    count: int
    cost: int
    why: str


class Kind(NamedTuple):
    """A kind of invisible characters: how to find them, and `fix`, which returns the replacement of a match."""

    trigger: regex.Pattern  # a character that is in every match
    pattern: regex.Pattern
    fix: Callable[[str], str]
    not_in: regex.Pattern | None = None  # a line where this is found is left as it is
    narrowed: Callable[[str], regex.Pattern] | None = None  # finds the same, in texts that have no other characters


class FunctionalInvisible(NamedTuple):
    """Invisible characters of one kind that have a function in these scripts, so that no fix removes them."""

    title: str
    count: int
    cost: int  # tokens
    does: str
    scripts: tuple[str, ...]


def findings(text: str, encode: Callable[[str], Sequence[int]]) -> list[Finding]:
    """Returns the kinds of invisible characters in a text, each with its cost for this encoder.

    >>> [finding] = findings("one\\u00a0two", encode=str.encode)
    >>> finding.name, finding.count, finding.cost
    ('no-break-spaces', 1, 1)
    """
    own = characters(text)
    counts = {name: _count(text, kind, own) for name, kind in KINDS.items()}
    if not any(counts.values()):
        return []
    before = len(encode(text))
    return [
        Finding(name, tr(words["title"]), counts[name], before - len(encode(clean(text, name))), tr(words["why"]))
        for name, words in WORDS["kinds"].items()
        if counts[name]
    ]


def clean(text: str, name: str) -> str:
    """Returns the text without the findings of that name.

    >>> clean("zero\\u200bwidth", "zero-width")
    'zerowidth'
    """
    kind = KINDS[name]
    return "".join(_fixed(part, kind.pattern, kind.fix) if looks else part for part, looks in _parts(text, kind))


def _fixed(text: str, pattern: regex.Pattern, fix: Callable[[str], str]) -> str:
    parts, end = [], 0
    for found in _matches(text, pattern):
        parts += [text[end : found.start()], fix(found[0])]
        end = found.end()
    return "".join([*parts, text[end:]])


def _matches(text: str, pattern: regex.Pattern) -> Iterator[regex.Match]:
    """The matches in a text of any length, without blocking other threads."""
    return RegexBudget(MAX_SCAN_SECONDS).finditer(pattern, text)


def _count(text: str, kind: Kind, own: str) -> int:
    if not kind.trigger.search(own):
        return 0
    pattern = kind.narrowed(own) if kind.narrowed else kind.pattern
    found = (one for part, looks in _parts(text, kind) if looks for one in _matches(part, pattern))
    return sum(kind.fix(one[0]) != one[0] for one in found)


def characters(text: str) -> str:
    """Returns the distinct characters of a text, by code point.

    >>> characters("no one")
    ' eno'
    """
    if len(text) <= SCAN_CHARACTERS:
        return "".join(sorted(set(text)))
    is_present = np.zeros(sys.maxunicode + 1, bool)
    for at in range(0, len(text), SCAN_CHARACTERS):
        is_present[np.frombuffer(text[at : at + SCAN_CHARACTERS].encode("utf-32-le", "surrogatepass"), "<u4")] = True
    return "".join(map(chr, np.flatnonzero(is_present)))


def _parts(text: str, kind: Kind) -> Iterator[tuple[str, bool]]:
    """The parts of a text, and whether the kind is searched in each."""
    if kind.not_in is None or not kind.not_in.search(text):
        yield text, True
    else:
        yield from (
            (line, not kind.not_in.search(line, concurrent=False))
            for line in (found[0] for found in _matches(text, _PARAGRAPH))
        )


def functional_invisibles(text: str, encode: Callable[[str], Sequence[int]]) -> list[FunctionalInvisible]:
    """Returns the kinds of invisible characters that cleaning keeps for their function, each with its cost in tokens.

    >>> [found] = functional_invisibles("ภาษา\u200bไทย", encode=str.encode)
    >>> found.title, found.count, found.cost, found.scripts
    ('Zero width space', 1, 3, ('Thai',))
    """
    own, found = characters(text), []
    works = {name: pattern for name, pattern in FUNCTIONAL.items() if pattern.search(own)}
    for name in CLEANED_FIRST if works else ():
        text = clean(text, name)
    for name, pattern in works.items():
        if places := [match.start() for match in _matches(text, pattern)]:
            cost = len(encode(text)) - len(encode(_fixed(text, pattern, _remove)))
            scripts = tuple(dict.fromkeys(filter(None, (_script_around(text, place) for place in places))))
            title, does = WORDS["functional"][name].values()
            if scripts == (tr("emoji"),) and name == "zero-width-joiner":
                does = JOINS_EMOJI
            found.append(FunctionalInvisible(tr(title), len(places), cost, tr(does), scripts or (tr("punctuation"),)))
    return found


def _script_around(text: str, place: int) -> str:
    """The name of the script of the nearest character, or "emoji", or nothing."""
    near = [text[at] for at in (place - 1, place + 1, place - 2, place + 2) if 0 <= at < len(text)]
    own = [name for name in map(script, near) if name not in ("Common", "Inherited")]
    return localized_script(own[0]) if own else tr("emoji") if any(map(_PICTURE.match, near)) else ""


def _remove(_: str) -> str:
    return ""


def _decomposed(own: str) -> regex.Pattern:
    """A pattern for decomposed sequences of these characters only: faster than one of all combining marks."""
    marks, others = ("".join(sign.findall(own)) for sign in (_MARK, _NOT_COMPOSED))
    either = [f"(?s:.)[{marks}]++"] * bool(marks) + [f"[{others}]"] * bool(others)
    return regex.compile("|".join(either), cache_pattern=False)


def _break_or_remove(control: str) -> str:
    return "\n" if control in "\v\f\x85" else ""  # these three break lines, so words must not run together


def _compose(sequence: str) -> str:
    # CPython sorts the marks of one letter by insertion: 160,000 marks took 19 s. A heap like that is not writing.
    return sequence if len(sequence) > 200 else unicodedata.normalize("NFC", sequence)


def _kind(
    trigger: str, pattern: str = "", fix: Callable[[str], str] = _remove, functional: str = "", **options: Any
) -> Kind:
    """A kind by its patterns, of which `pattern` is by default `trigger`; characters that match `functional` stay."""
    pattern = pattern or trigger
    skipped = rf"(?:{functional})(*SKIP)(*FAIL)|" if functional else ""
    return Kind(regex.compile(trigger), regex.compile(skipped + pattern), fix, **options)


# The scripts whose spelling needs joiners: the cursive ones, and those that stack or conjoin letters.
_CURSIVE = "Adlm Arab Mand Mani Mong Nkoo Phag Rohg Sogd Syrc Thaa"
_STACKED = (
    "Bali Beng Cakm Deva Gran Gujr Guru Java Khmr Knda Lepc Mlym Modi Mymr Newa Orya Sidd Sinh Taml Telu Tibt Tirh"
)
_JOINING = "".join(rf"\p{{scx={script}}}" for script in f"{_CURSIVE} {_STACKED}".split())
_EMOJI_JOINER = r"(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F\u20E3])\u200D(?=\p{Extended_Pictographic})"
_FUNCTIONAL_JOINER = rf"(?<=[{_JOINING}])[\u200C\u200D]|[\u200C\u200D](?=[{_JOINING}])|{_EMOJI_JOINER}"

# Scripts without spaces between words, or with lines that break at syllables, by the classes of UAX #14. Between two
# letters or digits of other alphabets no line breaks, so a character that forbids a break has no effect there.
_UNSPACED = r"\p{lb=SA}\p{lb=AK}\p{lb=AP}\p{lb=AS}\p{lb=VI}\p{lb=VF}"
_UNBROKEN = r"\p{lb=AL}\p{lb=HL}\p{lb=NU}\u200B-\u200D\u2060\uFEFF"
_FUNCTIONAL_SPACE = rf"(?<=[{_UNSPACED}])\u200B|\u200B(?=[{_UNSPACED}])"
_FUNCTIONAL_FORBIDDER = rf"(?<=[^{_UNBROKEN}\r\n])[\u2060\uFEFF]|[\u2060\uFEFF](?![{_UNBROKEN}\s]|\Z)"

_DIRECTION = r"[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]"
_RIGHT_TO_LEFT = regex.compile(r"(?![\u061C\u200F])[\p{bc=R}\p{bc=AL}]")
_PARAGRAPH = regex.compile(r"[^\r\n\u2029]*[\r\n\u2029]|[^\r\n\u2029]+")
_PICTURE = regex.compile(r"\p{Extended_Pictographic}")

# A black flag, a region such as "gbsct" spelled in tag characters, and the tag that ends it: 🏴󠁧󠁢󠁳󠁣󠁴󠁿
_FLAG = r"\U0001F3F4[\U000E0030-\U000E0039\U000E0061-\U000E007A]{3,6}\U000E007F"

# Characters that may compose or reorder with the one before them: marks of a class, vowels and jamo that compose, and
# three Tibetan vowels that decompose into marks. \X would do too, but takes quadratic time on a row of flags.
_COMBINING = r"[\P{ccc=0}\p{NFC_QC=Maybe}\u0F73\u0F75\u0F81]"
_MARK, _NOT_COMPOSED = map(regex.compile, (_COMBINING, r"\p{NFC_QC=No}"))

# No pattern may look back or ahead without a bound: a text of 1 MB takes well under a second for each.
KINDS = {
    "byte-order-mark": _kind(r"\uFEFF", r"\A\uFEFF+"),
    "line-ends": _kind(r"\r", r"\r\n?", lambda _: "\n"),
    "trailing-space": _kind(r"[ \t]", r"(?<![ \t])[ \t]++(?=[\r\n]|\Z)"),
    "no-break-spaces": _kind(r"[\u00A0\u2007\u202F]", fix=lambda _: " "),
    "zero-width": _kind(
        r"[\u200B-\u200D\u2060\uFEFF]",
        functional=rf"\A\uFEFF+|{_FUNCTIONAL_JOINER}|{_FUNCTIONAL_SPACE}|{_FUNCTIONAL_FORBIDDER}",
    ),
    "soft-hyphens": _kind(r"\u00AD"),
    "bidi-controls": _kind(_DIRECTION, not_in=_RIGHT_TO_LEFT),
    "decomposed": _kind(
        rf"{_COMBINING}|\p{{NFC_QC=No}}", rf"(?s).{_COMBINING}++|\p{{NFC_QC=No}}", _compose, narrowed=_decomposed
    ),
    "control-characters": _kind(r"[\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F]", fix=_break_or_remove),
    "tags": _kind(r"[\U000E0000-\U000E007F]", functional=_FLAG),
}

CLEANED_FIRST = ("byte-order-mark", "zero-width", "bidi-controls")
JOINS_EMOJI = mark("joins several into one")
FUNCTIONAL = {
    "zero-width-space": regex.compile(r"\u200B"),
    "zero-width-non-joiner": regex.compile(r"\u200C"),
    "zero-width-joiner": regex.compile(r"\u200D"),
    "word-joiner": regex.compile(r"[\u2060\uFEFF]"),
    "direction-control": regex.compile(_DIRECTION),
}
