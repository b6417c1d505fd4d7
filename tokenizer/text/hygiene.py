"""Paste hygiene: what a pasted text carries that nobody sees, what it costs in tokens, and how to take it away."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import regex


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of invisible matter met in a text; `cost` is in tokens, and below 0 where cleaning adds some."""

    name: str
    title: str
    count: int
    cost: int
    why: str


@dataclass(frozen=True, slots=True)
class Kind:
    """What to look for, and `fix`, which says what stands in the place of each match."""

    title: str
    why: str
    pattern: regex.Pattern
    fix: Callable[[str], str]


def findings(text: str, encode: Callable[[str], Sequence[int]]) -> list[Finding]:
    """Every kind of invisible matter in the text, with its cost for this encoder.

    >>> [finding] = findings("one\\u00a0two", encode=str.encode)
    >>> finding.name, finding.count, finding.cost
    ('no-break-spaces', 1, 1)
    """
    counts = {name: _count(text, kind) for name, kind in KINDS.items()}
    if not any(counts.values()):
        return []
    before = len(encode(text))
    return [
        Finding(name, KINDS[name].title, count, before - len(encode(clean(text, name))), KINDS[name].why)
        for name, count in counts.items()
        if count
    ]


def clean(text: str, name: str) -> str:
    """The text without the findings of that name.

    >>> clean("zero\\u200bwidth", "zero-width")
    'zerowidth'
    """
    kind = KINDS[name]
    return kind.pattern.sub(lambda match: kind.fix(match[0]), text)


def _count(text: str, kind: Kind) -> int:
    return sum(kind.fix(found) != found for found in kind.pattern.findall(text))


def _remove(_: str) -> str:
    return ""


def _space(_: str) -> str:
    return " "


def _line_feed(_: str) -> str:
    return "\n"


def _break_or_remove(control: str) -> str:
    return "\n" if control in "\v\f\x85" else ""  # these three break lines, so words must not run together


def _compose(sequence: str) -> str:
    # CPython sorts the marks of one letter by insertion: 160,000 marks took 19 s. A heap like that is not writing.
    return sequence if len(sequence) > 200 else unicodedata.normalize("NFC", sequence)


def _unless(at_work: str, pattern: str) -> regex.Pattern:
    """The pattern, stepping over every stretch where these characters do their work."""
    return regex.compile(rf"(?:{at_work})(*SKIP)(*FAIL)|{pattern}")


# The scripts whose spelling needs joiners: the cursive ones, and those that stack or conjoin letters.
_CURSIVE = "Adlm Arab Mand Mani Mong Nkoo Phag Rohg Sogd Syrc Thaa"
_STACKED = (
    "Bali Beng Cakm Deva Gran Gujr Guru Java Khmr Knda Lepc Mlym Modi Mymr Newa Orya Sidd Sinh Taml Telu Tibt Tirh"
)
_JOINING = "".join(rf"\p{{scx={script}}}" for script in f"{_CURSIVE} {_STACKED}".split())
_EMOJI_JOINER = r"(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F\u20E3])\u200D(?=\p{Extended_Pictographic})"
_JOINER_AT_WORK = rf"(?<=[{_JOINING}])[\u200C\u200D]|[\u200C\u200D](?=[{_JOINING}])|{_EMOJI_JOINER}"

# A black flag, a region such as "gbsct" spelled in tag characters, and the tag that ends it: 🏴󠁧󠁢󠁳󠁣󠁴󠁿
_FLAG = r"\U0001F3F4[\U000E0030-\U000E0039\U000E0061-\U000E007A]{3,6}\U000E007F"

# What may join or trade places with the character before it: marks of a class, vowels and jamo that compose, and
# three Tibetan vowels that decompose into marks. \X would do too, but takes quadratic time on a row of flags.
_COMBINING = r"[\P{ccc=0}\p{NFC_QC=Maybe}\u0F73\u0F75\u0F81]"

# No pattern may look back or ahead without a bound: a text of 1 MB takes well under a second for each.
KINDS = {
    "byte-order-mark": Kind(
        "Byte order mark",
        "An editor marked the file as Unicode; a model reads the mark as text.",
        regex.compile(r"\A\uFEFF+"),
        _remove,
    ),
    "line-ends": Kind(
        "Windows line ends (CRLF)",
        "A carriage return stands where a line feed alone would do, so known runs of white space no longer match.",
        regex.compile(r"\r\n?"),
        _line_feed,
    ),
    "trailing-space": Kind(
        "White space at line ends",
        "Spaces and tabs before a line end cannot be seen, yet they are encoded.",
        regex.compile(r"(?<![ \t])[ \t]++(?=[\r\n]|\Z)"),
        _remove,
    ),
    "no-break-spaces": Kind(
        "No-break spaces",
        "They look like spaces, but are other characters that seldom merge with the word after them.",
        regex.compile(r"[\u00A0\u2007\u202F]"),
        _space,
    ),
    "zero-width": Kind(
        "Zero-width characters",
        "They have no width and do no work here; each one breaks the word it stands in.",
        _unless(rf"\A\uFEFF+|{_JOINER_AT_WORK}", r"[\u200B-\u200D\u2060\uFEFF]"),
        _remove,
    ),
    "soft-hyphens": Kind(
        "Soft hyphens",
        "They show where a line might break; in the middle of a word they break its tokens instead.",
        regex.compile(r"\u00AD"),
        _remove,
    ),
    "bidi-controls": Kind(
        "Direction controls",
        "They steer right-to-left text without being seen, and can make a line read otherwise than it is encoded.",
        regex.compile(r"[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]"),
        _remove,
    ),
    "decomposed": Kind(
        "Decomposed characters (not NFC)",
        "Letters and their marks come apart or in an unusual order, though they look the same on screen.",
        regex.compile(rf"(?s).{_COMBINING}++|\p{{NFC_QC=No}}"),
        _compose,
    ),
    "control-characters": Kind(
        "Control characters",
        "They are leftovers of terminals, printers and damaged files, without a shape of their own.",
        regex.compile(r"[\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F]"),
        _break_or_remove,
    ),
    "tags": Kind(
        "Tag characters (invisible ink)",
        "A whole message can be spelled in them: a reader sees nothing, a model reads every word.",
        _unless(_FLAG, r"[\U000E0000-\U000E007F]"),
        _remove,
    ),
}
