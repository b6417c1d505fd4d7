"""Facts of characters and texts: names, categories, sizes, normal forms, scripts and direction."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from itertools import groupby
from typing import NamedTuple

import regex

from tokenizer.i18n import mark, tr
from tokenizer.text.regex_budget import hold_gil
from tokenizer.text.scripts import SCRIPTS, UNICODE
from tokenizer.text.units import graphemes
from tokenizer.text.well_formed import well_formed

# Bounds of the part of a text that is analyzed. Nobody reads explanations of more characters, and normalizing many
# marks on one letter, which are one grapheme, takes quadratic time.
MAX_GRAPHEMES = 200
MAX_SAMPLE_CHARACTERS = 600

NAMES_OF = f"Unicode {unicodedata.unidata_version}"  # Python's own tables; ICU and regex bring newer ones

# the planes with characters that Unicode counts: 0 to 3 and the tags; it counts no controls and no private use
_COUNTED = (*range(0x40000), *range(0xE0000, 0xE1000))


class TextSample(NamedTuple):
    """The beginning of a text and its graphemes, the whole text, and how many lone surrogates became U+FFFD."""

    text: str
    graphemes: list[str]
    full_text: str
    replaced: int = 0

    @property
    def is_cut(self) -> bool:
        """Whether the whole text is longer."""
        return len(self.text) < len(self.full_text)


def head(text: str) -> TextSample:
    """Returns the analyzed part of a text: whole graphemes, except for one that is too long.

    >>> head("ที่ a")
    TextSample(text='ที่ a', graphemes=['ที่', ' ', 'a'], full_text='ที่ a', replaced=0)
    """
    full_text, replaced = well_formed(text)
    start = full_text[:MAX_SAMPLE_CHARACTERS]
    found = graphemes(start)
    if len(full_text) > len(start) and len(found) > 1:
        found.pop()  # it may be incomplete
    found = found[:MAX_GRAPHEMES]
    return TextSample("".join(found), found, full_text, replaced)


# Characters


def code_point(character: str) -> str:
    """Returns the code point of a character in the notation of Unicode.

    >>> code_point("ี"), code_point("👍")
    ('U+0E35', 'U+1F44D')
    """
    return f"U+{ord(character):04X}"


def name(character: str) -> str:
    r"""Returns the official name, the formal alias of a control, or a phrase on why there is none.

    >>> name("ี"), name("\n"), name("\ue000")
    ('THAI CHARACTER SARA II', 'LINE FEED', 'private use: no name')
    """
    if found := unicodedata.name(character, ""):
        return found
    kind = category(character)
    if kind == "Cc":
        return CONTROLS[ord(character)]
    if kind == "Cn":
        is_none = ord(character) & 0xFFFE == 0xFFFE or "\ufdd0" <= character <= "\ufdef"
        return tr("noncharacter: no name") if is_none else tr("not assigned to a character")
    if kind in NAMELESS:
        return tr(NAMELESS[kind])
    return tr("name unknown: it is not in the names of {unicode}, the version used here", unicode=NAMES_OF)


@cache
def num_characters() -> int:
    """Returns the number of characters of the version NAMES_OF; Unicode's own count of version 14 is 144,697."""
    return sum(unicodedata.category(chr(point)) not in ("Cc", "Cn", "Co", "Cs") for point in _COUNTED)


def category(character: str) -> str:
    r"""Returns the general category in two letters; `CATEGORIES` has the words.

    >>> category("ี"), CATEGORIES[category("ี")]
    ('Mn', 'a combining mark')
    """
    found = unicodedata.category(character)
    return _CATEGORY(character).lastgroup if found == "Cn" else found  # regex may have a newer Unicode


@lru_cache(maxsize=20_000)
def script(character: str) -> str:
    """Returns the script; Common means several scripts, Inherited that of the preceding character.

    >>> script("ี"), script("a"), script("7"), script("\u0301")
    ('Thai', 'Latin', 'Common', 'Inherited')
    """
    return _SCRIPT(character).lastgroup.replace("_", " ")


def bidi_class(character: str) -> str:
    """Returns the bidirectional class in its letters; `BIDI_CLASSES` has the words.

    >>> bidi_class("ا"), BIDI_CLASSES[bidi_class("ا")]
    ('AL', ('strong', 'right-to-left, Arabic letter'))
    """
    # Python has none for unknown characters; regex has newer ones, and the defaults of most unassigned ranges
    found = unicodedata.bidirectional(character) or _BIDI(character).lastgroup
    return "L" if found == "R" and is_empty_place(character) and not RIGHT_TO_LEFT_BLOCKS(character) else found


is_empty_place = hold_gil(regex.compile(r"\p{Cn}").match)
# ranges whose unassigned code points are right-to-left (DerivedBidiClass.txt)
RIGHT_TO_LEFT_BLOCKS = hold_gil(
    regex.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]").match
)


# UTF-8, UTF-16, UTF-32


def code_units(text: str, form: str) -> list[str]:
    """Returns the code units of a text in hex, in the form UTF-8, UTF-16 or UTF-32.

    >>> code_units("👍", "UTF-16"), code_units("👍", "UTF-32"), code_units("é", "UTF-8")
    (['D83D', 'DC4D'], ['0001F44D'], ['C3', 'A9'])
    """
    codec, width = FORMS[form]
    return text.encode(codec).hex(" ", -width).upper().split()


def sizes(text: str) -> dict[str, tuple[int, int]]:
    """Returns the numbers of code units and bytes of a text in each form, without a byte order mark.

    >>> sizes("ที่👍")
    {'UTF-8': (13, 13), 'UTF-16': (5, 10), 'UTF-32': (4, 16)}
    """
    found = {form: len(text.encode(codec)) for form, (codec, _) in FORMS.items()}
    return {form: (size // FORMS[form][1], size) for form, size in found.items()}


FORMS = {"UTF-8": ("utf-8", 1), "UTF-16": ("utf-16-be", 2), "UTF-32": ("utf-32-be", 4)}


# Normal forms

NORMAL_FORMS: dict[str, str] = UNICODE["normal_forms"]


def numbers(text: str, form: str) -> list[tuple[int, str]]:
    """Returns a text in a form, "code points" or the bytes of one of FORMS, as numbers with their hex digits.

    UTF-16 and UTF-32 are little-endian here, without a byte order mark.

    >>> numbers("ที", "code points"), numbers("é", "UTF-8"), numbers("é", "UTF-16")
    ([(3607, 'U+0E17'), (3637, 'U+0E35')], [(195, 'C3'), (169, 'A9')], [(233, 'E9'), (0, '00')])
    """
    if form == "code points":
        return [(ord(character), code_point(character)) for character in text]
    return [(byte, f"{byte:02X}") for byte in text.encode(FORMS[form][0].replace("-be", "-le"))]


class NormalizedPart(NamedTuple):
    """A part of a text and its normal form, which is mostly the same."""

    before: str
    after: str


def normalized(graphemes: Iterable[str], form: str) -> list[NormalizedPart]:
    """Returns a text as parts with their normal forms; each change is a part of its own.

    >>> [tuple(part) for part in normalized(["a", "ﬁ", "①"], "NFKC")]
    [('a', 'a'), ('ﬁ', 'fi'), ('①', '1')]
    """
    found: list[NormalizedPart] = []
    for grapheme in graphemes:
        after = unicodedata.normalize(form, grapheme)
        # two graphemes may become one: NFKC joins the letter ㄱ (U+3131) and a vowel (U+1161) after it to a syllable
        while found and unicodedata.normalize(form, found[-1].after + after) != found[-1].after + after:
            grapheme = found.pop().before + grapheme
            after = unicodedata.normalize(form, grapheme)
        found.append(NormalizedPart(grapheme, after))
    joined: list[NormalizedPart] = []
    for changed, group in groupby(found, lambda one: one.before != one.after):
        parts = list(group)
        joined += parts if changed else [NormalizedPart(*map("".join, zip(*parts, strict=True)))]
    return joined


def changes(parts: Iterable[NormalizedPart]) -> Counter[NormalizedPart]:
    """Returns the changes by a normal form with their frequencies.

    >>> changes(normalized(["①", "é", "①"], "NFKC"))
    Counter({NormalizedPart(before='①', after='1'): 2})
    """
    return Counter(one for one in parts if one.before != one.after)


def lost(text: str) -> list[str]:
    """Returns a sentence on what NFKC and NFKD remove from a text for good.

    >>> lost("①ﬁ"), lost("é")
    (['the circle around a character', 'the form of a compatibility variant'], [])
    """
    tags = (unicodedata.decomposition(character) for character in unicodedata.normalize("NFD", text))
    return list(dict.fromkeys(tr(COMPATIBILITY_TAGS[tag[1 : tag.index(">")]]) for tag in tags if tag.startswith("<")))


# Scripts and direction


class ScriptRun(NamedTuple):
    """Consecutive graphemes of one script."""

    script: str
    graphemes: list[str]

    @property
    def text(self) -> str:
        """The graphemes, joined."""
        return "".join(self.graphemes)


def script_runs(graphemes: Iterable[str]) -> list[ScriptRun]:
    """Returns the runs of one script; shared characters belong to the run before them, or else to the first.

    >>> [(run.script, run.text) for run in script_runs(["1", "ก", " ", "a", "!"])]
    [('Thai', '1ก '), ('Latin', 'a!')]
    """
    runs: list[ScriptRun] = []
    for grapheme in graphemes:
        own = grapheme_script(grapheme)
        if runs and own in (runs[-1].script, "Common"):
            runs[-1].graphemes.append(grapheme)
        elif runs and runs[-1].script == "Common":  # at the beginning
            runs[-1] = ScriptRun(own, [*runs[-1].graphemes, grapheme])
        else:
            runs.append(ScriptRun(own, [grapheme]))
    return runs


def grapheme_script(grapheme: str) -> str:
    """Returns the script of the first character with a script of its own, or Common.

    >>> grapheme_script("e\u0301"), grapheme_script("👍🏽")
    ('Latin', 'Common')
    """
    found = (script(character) for character in grapheme)
    return next((name for name in found if name not in ("Common", "Inherited")), "Common")


class Paragraph(NamedTuple):
    """A paragraph, its direction by UAX #9, and the character that determines it; the default is left to right."""

    text: str
    direction: str
    decider: str


LEFT_TO_RIGHT, RIGHT_TO_LEFT = mark("left to right"), mark("right to left")


def paragraphs(text: str) -> list[Paragraph]:
    r"""Returns the paragraphs of a text, each with its line end.

    >>> [(one.text, one.direction, one.decider) for one in paragraphs("1 ab\n(مرحبا) a\n...")]
    [('1 ab\n', 'left to right', 'a'), ('(مرحبا) a\n', 'right to left', 'م'), ('...', 'left to right', '')]
    """
    found = []
    for paragraph in _PARAGRAPH.findall(text):
        decider = _first_strong(paragraph)
        rtl = decider and bidi_class(decider) != "L"
        found.append(Paragraph(paragraph, RIGHT_TO_LEFT if rtl else LEFT_TO_RIGHT, decider))
    return found


def _first_strong(paragraph: str) -> str:
    depth = 0  # rule P2 skips isolates up to their end or the end of the paragraph
    for character in paragraph:
        kind = bidi_class(character)
        if kind in ("LRI", "RLI", "FSI"):
            depth += 1
        elif kind == "PDI":
            depth = max(0, depth - 1)
        elif depth == 0 and kind in ("L", "R", "AL"):
            return character
    return ""


_PARAGRAPH = regex.compile(r"[^\n\r\x1C-\x1E\x85\u2029]*(?:\r\n|[\n\r\x1C-\x1E\x85\u2029])|[^\n\r\x1C-\x1E\x85\u2029]+")


def count_bidi_classes(text: str) -> dict[str, Counter[str]]:
    """Returns the characters of a text by bidirectional class, the strong classes first.

    >>> count_bidi_classes("1ab a")
    {'L': Counter({'a': 2, 'b': 1}), 'EN': Counter({'1': 1}), 'WS': Counter({' ': 1})}
    """
    found: dict[str, Counter[str]] = {}
    for character, count in Counter(text).items():
        found.setdefault(bidi_class(character), Counter())[character] = count
    return {kind: found[kind] for kind in BIDI_CLASSES if kind in found}


# Words for abbreviations of Unicode

NAMELESS = {"Co": mark("private use: no name"), "Cs": mark("surrogate: not a character")}
CATEGORIES: dict[str, str] = UNICODE["categories"]
BIDI_CLASSES: dict[str, tuple[str, str]] = {kind: tuple(words) for kind, words in UNICODE["bidi_classes"].items()}
COMPATIBILITY_TAGS: dict[str, str] = UNICODE["compatibility_tags"]
CONTROLS = dict(zip([*range(0x20), *range(0x7F, 0xA0)], UNICODE["names"]["controls"], strict=True))


def _one_of(prop: str, values: Iterable[str]) -> Callable[[str], regex.Match | None]:
    named = "|".join(rf"(?P<{value}>\p{{{prop}={value}}})" for value in values)
    return hold_gil(regex.compile(named, regex.DOTALL).match)


ALL_SCRIPTS = ["Common", "Inherited", *SCRIPTS, *UNICODE["names"]["historic_scripts"], "Unknown"]
NUM_SCRIPTS = len(ALL_SCRIPTS) - 3  # as Unicode counts them: without Common, Inherited and Unknown
_SCRIPT = _one_of("Script", ALL_SCRIPTS)
_CATEGORY = _one_of("General_Category", CATEGORIES)
_BIDI = _one_of("Bidi_Class", BIDI_CLASSES)
