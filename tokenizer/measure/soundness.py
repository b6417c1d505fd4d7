"""Whether an encoding is sound: eleven checks, each with a verdict and an example.

A check fails where the encoding does what no correct tokenizer does. It warns of what is a defect in some and a design
in others, such as a normalizer that removes capital letters.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.tokens import UNKNOWN, Tokens
from tokenizer.errors import TokenizerError, enumerated, shown
from tokenizer.formats.sandboxed_model import SandboxStopped, ServerBusy
from tokenizer.i18n import mark, number, tr, trn
from tokenizer.kinds.byte_merges import replay
from tokenizer.measure.unreachable import BATCH_TOKENS, unreachable_details
from tokenizer.text.scripts import localized_script
from tokenizer.text.well_formed import as_text

PASS, WARN, FAIL = "pass", "warn", "fail"
VERDICTS = {PASS: mark("pass"), WARN: mark("warn"), FAIL: mark("fail")}

# Texts that each test one thing: a text of one check has nothing that another check looks for, so that one fault of a
# tokenizer shows in one check.
PLAIN = (
    "The quick brown fox jumps over the lazy dog",
    "def area(r): return r * r # snake_case, a.b; c != d",
    "HELLO Hello hello",
    "a b",
    "Straße œuvre",
    "ﬁle ① Ａ",
    "😀 👍🏽 👨‍👩‍👧 🇨🇭",
    "bell \x07 and escape \x1b",
    *("Пример текста", "κειμενο", "文本示例", "نموذج نص", "טקסט", "कमल नमक", "ภาษาไทย ทำงาน", "日本語", "ქართული"),
)
COMPOSED = ("café", "Ångström", "mañana", "naïve", "한국어", "Tiếng Việt", "ガラス", "й")
MARKED = ("ที่นี่", "น้ำใจ", "हिन्दी", "தமிழ்", "ខ្មែរ", "שָׁלוֹם", "مَدْرَسَة", "q̇x̣")
SPACED = ("a  b", "a\tb", "a\nb", "a\r\nb", "a\n\n\nb", "a\u00a0b", "a\u3000b")
INDENTED = ("if a:\n    b", "if a:\n\tb", "if a:\n        b\n    c")
AT_ENDS = ("  a", "a  ", "\ta", "a\n")
DIGITS = "0123456789"
DIGITS_OF_SCRIPTS = (
    "๐๑๒๓๔๕๖๗๘๙",
    "٠١٢٣٤٥٦٧٨٩",
    "۰۱۲۳۴۵۶۷۸۹",
    "०१२३४५६७८९",
    "০১২৩৪৫৬৭৮৯",
    "០១២៣៤៥៦៧៨៩",
    "໐໑໒໓໔໕໖໗໘໙",
    "၀၁၂၃၄၅၆၇၈၉",
)
NUMBERS = ("31415926535897", "27182818284590", "14142135623730", "17320508075688")
MIN_DIGITS, MAX_DIGITS = 2, 10
OF_SCRIPTS = {  # a sentence in each of these scripts
    "Latin": "All people are born free",
    "Greek": "Ολοι οι ανθρωποι",
    "Cyrillic": "Все люди рождаются свободными",
    "Armenian": "Բոլոր մարդիկ",
    "Georgian": "ყველა ადამიანი",
    "Hebrew": "כל בני האדם",
    "Arabic": "يولد جميع الناس",
    "Devanagari": "सब मनुष्य",
    "Bengali": "সব মানুষ",
    "Tamil": "மனிதர்",
    "Thai": "มนุษย์ทั้งหลายเกิดมา",
    "Lao": "ມະນຸດທຸກຄົນ",
    "Khmer": "មនុស្សទាំងអស់",
    "Myanmar": "လူတိုင်း",
    "Ethiopic": "የሰው ልጅ",
    "Hangul": "모든 사람",
    "Hiragana": "すべての",
    "Katakana": "スベテ",
    "Han": "人人生而自由",
}
CONTROL_NAME = re.compile(
    r"<\|[^\s|]+\|>|</?s>|<(?:pad|unk|bos|eos|mask|sep|cls)>|\[(?:PAD|UNK|CLS|SEP|MASK|BOS|EOS)\]"
)  # names that programs give tokens with a function
BYTE_NAME = re.compile(r"<0x[0-9A-F]{2}>")  # of a byte-fallback token, which is read where a character has no token
NEVER_IN_UTF8 = {0xC0, 0xC1, *range(0xF5, 0x100)}
MAX_TRIED_SPECIAL_TOKENS = 200
MAX_TRIED_IN_CONTEXT = 50_000  # tokens whose text alone is read as others
MAX_LISTED = 4
CONTEXTS = ("a", "1", "\n", " ", ".")  # before a token that may not begin a text


NO_TOKENS = mark("Does not apply: the vocabulary has no tokens for the texts of this check.")


class Finding(NamedTuple):
    """What a check found: its name, the verdict, an explanation in the current language, and a text with its ids."""

    name: str
    verdict: str
    explanation: str
    example: str = ""
    ids: Sequence[int] = ()


class RoundTrip(NamedTuple):
    """A text, its tokens, and the text that they decode to."""

    text: str
    tokens: Tokens
    decoded: str

    @property
    def is_kept(self) -> bool:
        """Whether the text came back as it was."""
        return self.decoded == self.text

    @property
    def has_unknown(self) -> bool:
        """Whether a part of it became the unknown token."""
        return bool((self.tokens.kinds == UNKNOWN).any())

    @property
    def normalized(self) -> str:
        """What the model read."""
        return self.tokens.normalized.replace("▁", " ")


class Subject:
    """An encoding with what several checks ask of it; each text is read once."""

    def __init__(self, encoding: Encoding):
        self.encoding = encoding
        self._reads: dict[str, RoundTrip] = {}

    def read(self, text: str) -> RoundTrip:
        """Returns a text with its tokens and what they decode to."""
        if text not in self._reads:
            tokens = self.encoding.tokenize(text)
            self._reads[text] = RoundTrip(text, tokens, self.encoding.decode(tokens.ids))
        return self._reads[text]

    @cached_property
    def texts(self) -> list[str | None]:
        """The text of every ordinary token by id; None where its bytes are not UTF-8."""
        special = {*self.encoding.special_tokens.values(), self.encoding.unknown_id}
        table = enumerate(self.encoding.table)
        return [None if token is None or id in special else as_text(token) for id, token in table]

    @cached_property
    def last(self) -> str:
        """The text of the last token of letters, as an example."""
        return next((one for one in reversed(self.texts) if one and len(one) < 40 and one.strip().isalpha()), "")

    @cached_property
    def alphabet(self) -> frozenset[str]:
        """All characters in the text of a token."""
        return frozenset("".join(filter(None, self.texts)))

    @cached_property
    def bytes(self) -> frozenset[int]:
        """The bytes that have a token of their own, of a vocabulary with tokens for parts of characters; else none."""
        found = frozenset(token[0] for token in self.encoding.table if token and len(token) == 1)
        return found if max(found, default=0) > 0x7F else frozenset()

    def lacks(self, character: str) -> bool:
        """Whether no tokens of the vocabulary spell this character."""
        if self.bytes:
            return not self.bytes.issuperset(character.encode()) and character not in self.alphabet
        return character not in self.alphabet

    def vanished(self, read: RoundTrip) -> list[str]:
        """Returns the characters of a text that the vocabulary lacks and that left no token."""
        lost = [] if read.is_kept else [one for one in dict.fromkeys(read.normalized) if one not in read.decoded]
        return [one for one in lost if not one.isspace() and self.lacks(one)]

    def is_lost(self, read: RoundTrip) -> bool:
        """Whether a character of a text has no token, so that it became the unknown token, or vanished."""
        return read.has_unknown or bool(self.vanished(read))

    def finding(self, name: str, verdict: str, explanation: str, example: str) -> Finding:
        """Returns a finding with the ids of its example."""
        return Finding(name, verdict, explanation, example, self.read(example).tokens.ids)


def check(encoding: Encoding, readers: Mapping[str, Callable[[str], list[int]]] | None = None) -> list[Finding]:
    """Returns what each check found. `readers` are other programs that read the same file: names and functions.

    >>> from tokenizer import get_encoding
    >>> [(one.name, one.verdict) for one in check(get_encoding("gpt2"))][:3]
    [('round_trip', 'pass'), ('normal_forms', 'pass'), ('bytes', 'pass')]
    """
    subject = Subject(encoding)
    found = []
    for name, function in CHECKS.items():
        try:
            found.append(function(name, subject))
        except (SandboxStopped, ServerBusy):
            raise
        except TokenizerError as error:  # a library refuses a text
            found.append(Finding(name, FAIL, str(error)))
    return [*found, second_reader("readers", subject, readers or {})]


def worst(findings: Iterable[Finding]) -> str:
    """Returns the worst verdict.

    >>> worst([Finding("a", "pass", ""), Finding("b", "warn", "")])
    'warn'
    """
    return max((one.verdict for one in findings), key=[PASS, WARN, FAIL].index, default=PASS)


# Round trip


CAUSES = {
    "unknown": mark("characters without a token"),
    "bytes": mark("bytes without a token"),
    "case": mark("capital letters that the normalizer changes"),
    "form": mark("characters that the normalizer replaces by an equivalent form"),
    "normalizer": mark("other changes by the normalizer"),
    "pattern": mark("text that is dropped when the text is split"),
    "space": mark("spaces that are added or removed"),
    "none": mark("unknown cause"),
}


def cause_of_loss(read: RoundTrip, subject: Subject) -> str | None:
    """Returns one of CAUSES for a text that does not come back; None for one that does."""
    if read.is_kept:
        return None
    if vanished := subject.vanished(read):
        return "bytes" if subject.bytes and any(map(subject.lacks, vanished)) else "unknown"
    if read.has_unknown:
        return "unknown"
    text, back, normalized = map(squashed, (read.text, read.decoded, read.normalized))
    if text == back:
        return "space"
    if back == normalized:
        if back.casefold() == text.casefold():
            return "case"
        return "form" if compatible(back) == compatible(text) else "normalizer"
    return "pattern" if compatible(back) == compatible(squashed(split_text(read.text, subject))) else "none"


def split_text(text: str, subject: Subject) -> str:
    """Returns the text in the pieces of a split pattern, without what it drops."""
    data = text.encode()
    return b"".join(data[start:end] for start, end in subject.encoding.pre_tokens(text)).decode(errors="replace")


def squashed(text: str) -> str:
    """Returns a text without white space.

    >>> squashed("a b\\n")
    'ab'
    """
    return "".join(text.split())


def compatible(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def round_trip(name: str, subject: Subject) -> Finding:
    """Whether texts come back from their ids, and if not, why."""
    reads = [subject.read(text) for text in PLAIN]
    causes: dict[str, list[str]] = {}
    for read in reads:
        if cause := cause_of_loss(read, subject):
            causes.setdefault(cause, []).append(read.text)
    if not causes:
        words = tr("Decoding the ids returns all {n} test texts exactly.", n=len(reads))
        return subject.finding(name, PASS, words, PLAIN[0])
    worst_first = sorted(causes, key=lambda cause: (cause != "none", -len(causes[cause])))
    listed = enumerated([f"{tr(CAUSES[cause])} ({number(len(causes[cause]))})" for cause in worst_first])
    lost = sum(map(len, causes.values()))
    words = tr(
        "Decoding the ids does not return {lost} of {n} test texts exactly: {causes}.",
        lost=lost,
        n=len(reads),
        causes=listed,
    )
    return subject.finding(name, FAIL if "none" in causes else WARN, words, causes[worst_first[0]][0])


# NFC and NFD


def normal_forms(name: str, subject: Subject) -> Finding:
    """Whether a text and its decomposed form are read as the same text."""
    same, known, differ, lost = 0, 0, [], []
    for text in COMPOSED:
        forms = [subject.read(unicodedata.normalize(form, text)) for form in ("NFC", "NFD")]
        is_lost = [subject.is_lost(one) for one in forms]
        if any(is_lost):
            lost += [forms[is_lost[1]].text] if is_lost[0] != is_lost[1] else []
            continue
        known += 1
        same += forms[0].tokens.ids == forms[1].tokens.ids
        for one in ([read.normalized for read in forms], [read.decoded for read in forms]):
            first, second = (unicodedata.normalize("NFC", squashed(form)) for form in one)
            differ += [forms[1].text] if first != second else []
    if differ:
        words = tr("The composed form (NFC) and the decomposed form (NFD) of a text are read as different texts.")
        return subject.finding(name, FAIL, words, differ[0])
    if lost:
        words = tr("A character has a token in one form, NFC or NFD, and none in the other.")
        return subject.finding(name, WARN, words, lost[0])
    if not known:
        return Finding(name, PASS, tr(NO_TOKENS))
    words = tr(
        "{n} test texts are read as equivalent texts in NFC and in NFD; {same} of them get the same ids in both forms.",
        same=same,
        n=known,
    )
    return subject.finding(name, PASS, words, unicodedata.normalize("NFD", COMPOSED[0]))


# Bytes


def character_with(byte: int) -> str:
    """Returns a character whose UTF-8 has this byte; "" if none has.

    >>> character_with(0x41), character_with(0xE0).encode().hex(), character_with(0xC0)
    ('A', 'e0a080', '')
    """
    if byte < 0x80:
        return chr(byte)
    if byte < 0xC0:
        return bytes([0xC2, byte]).decode()
    if byte in NEVER_IN_UTF8:
        return ""
    more = 1 + (byte >= 0xE0) + (byte >= 0xF0)
    second = {0xE0: 0xA0, 0xF0: 0x90}.get(byte, 0x80)
    return bytes([byte, second, *[0x80] * (more - 1)]).decode()


def all_bytes(name: str, subject: Subject) -> Finding:
    """Whether each of the 256 bytes has a token."""
    if not subject.bytes:
        return Finding(name, PASS, tr("Does not apply: the vocabulary has no byte tokens."))
    missing = sorted({*range(256)} - subject.bytes)
    if not missing:
        return subject.finding(name, PASS, tr("Each of the 256 bytes has a token of its own."), "\u00ff")
    listed = " ".join([*(f"{byte:02X}" for byte in missing[:16]), *(["…"] if len(missing) > 16 else [])])
    if NEVER_IN_UTF8.issuperset(missing):
        words = trn(
            "{n} byte has no token ({bytes}), but no text contains this byte.",
            "{n} bytes have no token ({bytes}), but no text contains these bytes.",
            len(missing),
            bytes=listed,
        )
        return Finding(name, PASS, words)
    for byte in missing:
        if (text := character_with(byte)) and not subject.read(text).is_kept:
            words = trn(
                "{n} byte has no token ({bytes}), and a character with this byte is lost.",
                "{n} bytes have no token ({bytes}), and a character with one of these bytes is lost.",
                len(missing),
                bytes=listed,
            )
            return subject.finding(name, FAIL, words, text)
    words = trn(
        "{n} byte has no token ({bytes}), but no character that was tried is lost.",
        "{n} bytes have no token ({bytes}), but no character that was tried is lost.",
        len(missing),
        bytes=listed,
    )
    return Finding(name, WARN, words)


# Special tokens


def special_tokens(name: str, subject: Subject) -> Finding:
    """Whether special tokens have ids of their own that no ordinary text gets."""
    encoding = subject.encoding
    names = sorted(encoding.special_tokens, key=encoding.special_tokens.__getitem__)
    names = [token for token in names if encoding.special_tokens[token] != encoding.unknown_id]
    tried = names[:: 1 + len(names) // MAX_TRIED_SPECIAL_TOKENS]
    for token in tried:
        id = encoding.special_tokens[token]
        if id in encoding.encode(token):
            words = tr(
                "The name {token} becomes the special token even where it is read as ordinary text.", token=shown(token)
            )
            return subject.finding(name, FAIL, words, token)
        if (found := encoding.encode(token, special="special")) != [id]:
            words = tr(
                "The name {token} does not become the special token, id {id}, even where names are read as special"
                " tokens.",
                token=shown(token),
                id=id,
            )
            return Finding(name, FAIL, words, token, found)
    control = [text for text in subject.texts if text and CONTROL_NAME.fullmatch(text)]
    if read := [text for text in control if len(encoding.encode(text)) == 1]:
        words = tr(
            "Ordinary text becomes the token {token}, although its name looks like a special token’s.", token=read[0]
        )
        return subject.finding(name, WARN, words, read[0])
    for token, other in pairwise(names):
        if (id := encoding.special_tokens[token]) == encoding.special_tokens[other]:
            one, other = shown(token), shown(other)
            words = tr("The special tokens {one} and {other} have the same id, {id:,}.", one=one, other=other, id=id)
            return Finding(name, WARN, words, token, encoding.encode(token))
    if not names:
        return Finding(name, PASS, tr("Does not apply: the encoding has no special tokens, or only the unknown token."))
    words = trn(
        "The name of {n:,} special token was read as ordinary text: it did not become the special token.",
        "The names of {n:,} special tokens were read as ordinary text: no name became its special token.",
        len(tried),
    )
    return subject.finding(name, PASS, words, tried[0])


# Digits


def digits(name: str, subject: Subject) -> Finding:
    """Whether different numbers stay different, and how digits are grouped."""
    reads = [subject.read(digit) for digit in DIGITS]
    if lost := [read.text for read in reads if subject.is_lost(read)]:
        words = tr("Digits without a token: {digits}.", digits=enumerated(lost))
        return subject.finding(name, WARN, words, lost[0])
    for of_script in (DIGITS, *DIGITS_OF_SCRIPTS):
        seen: dict[tuple[int, ...], str] = {}
        for read in map(subject.read, of_script):
            if not (ids := tuple(read.tokens.ids)) or subject.is_lost(read):
                continue
            if (other := seen.setdefault(ids, read.text)) != read.text:
                words = tr("The digits {one} and {other} get the same ids.", one=other, other=read.text)
                return subject.finding(name, FAIL, words, read.text)
    if changed := [text for text in numbers() if squashed(subject.read(text).decoded) != text]:
        if subject.is_lost(subject.read(changed[0])):
            words = tr("A part of the number {number} has no token.", number=changed[0])
            return subject.finding(name, WARN, words, changed[0])
        words = tr(
            "The ids of the number {number} are decoded as {text}.",
            number=changed[0],
            text=shown(subject.read(changed[0]).decoded),
        )
        return subject.finding(name, FAIL, words, changed[0])
    groups = {text: digit_groups(subject.read(text).tokens) for text in numbers()}
    kind, size = direction(groups.values())
    if kind != "irregular":
        return subject.finding(name, PASS, tr(GROUPINGS[kind], n=len(groups), size=size), max(groups, key=len))
    one, other = unlike_groups(groups, size)
    words = tr(
        "Digits are not always grouped in the same way: {one} and {other}.",
        one=grouped(one, groups[one]),
        other=grouped(other, groups[other]),
    )
    return subject.finding(name, WARN, words, other)


GROUPINGS = {
    "single": mark("In the {n} numbers tried, each digit is a token of its own."),
    "left": mark(
        "In the {n} numbers tried, digits are grouped from the left, {size} per token; a shorter group, if any, "
        "is at the end."
    ),
    "right": mark(
        "In the {n} numbers tried, digits are grouped from the right, {size} per token; a shorter group, if any, "
        "is at the beginning."
    ),
}


def grouped(number: str, sizes: Sequence[int]) -> str:
    """Returns a number with a dot between its groups.

    >>> grouped("1234567", [1, 3, 3])
    '1·234·567'
    """
    ends = np.cumsum([0, *sizes]).tolist()
    return "·".join(number[start:end] for start, end in pairwise(ends))


def numbers() -> list[str]:
    """Returns the beginnings of NUMBERS from MIN_DIGITS to MAX_DIGITS long."""
    return [one[:size] for size in range(MIN_DIGITS, MAX_DIGITS + 1) for one in NUMBERS]


def digit_groups(tokens: Tokens) -> tuple[int, ...]:
    """Returns the number of digits in each token of a number.

    >>> from tokenizer import get_encoding
    >>> digit_groups(get_encoding("cl100k_base").tokenize("1234567"))
    (3, 3, 1)
    """
    spans = zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)
    return tuple(end - start for start, end in spans if end > start)


def direction(groups: Iterable[Sequence[int]]) -> tuple[str, int]:
    """Returns "single", "left", "right" or "irregular", and the size of a full group.

    >>> direction([(3,), (3, 1), (3, 3)]), direction([(3,), (1, 3), (3, 3)]), direction([(3, 1), (2, 2)])
    (('left', 3), ('right', 3), ('irregular', 3))
    """
    groups = list(groups)
    size = max(max(one) for one in groups)
    if size == 1:
        return "single", 1
    if all(tuple(one) == full_groups(sum(one), size) for one in groups):
        return "left", size
    if all(tuple(one)[::-1] == full_groups(sum(one), size) for one in groups):
        return "right", size
    return "irregular", size


def unlike_groups(groups: Mapping[str, Sequence[int]], size: int) -> tuple[str, str]:
    """Returns two numbers whose digits are grouped differently: of the same length if possible, else one that is not
    grouped from the left and one that is not grouped from the right.

    >>> unlike_groups({"12": (2,), "34": (1, 1)}, 2), unlike_groups({"12": (1, 1), "123": (1, 2), "1234": (1, 3)}, 3)
    (('12', '34'), ('12', '123'))
    """
    first: dict[int, str] = {}
    for text, sizes in groups.items():
        if groups[first.setdefault(len(text), text)] != sizes:
            return first[len(text)], text
    from_left = [text for text, sizes in groups.items() if tuple(sizes) != full_groups(sum(sizes), size)]
    from_right = [text for text, sizes in groups.items() if tuple(sizes)[::-1] != full_groups(sum(sizes), size)]
    return from_left[0], from_right[-1]


def full_groups(total: int, size: int) -> tuple[int, ...]:
    rest = total % size
    return (size,) * (total // size) + ((rest,) if rest else ())


# Ids


def ids(name: str, subject: Subject) -> Finding:
    """Whether each id from 0 on has one token, and each token one id."""
    encoding = subject.encoding
    if shared := encoding.model.shared_id:
        token, other, id = shared
        words = tr("{token} and {other} have the same id, {id:,}.", token=shown(token), other=shown(other), id=id)
        return Finding(name, FAIL, words, token, [id])
    if moved := encoding.model.moved_id:
        token, in_file, id = moved
        words = tr(
            "The file gives {token} the id {in_file}, but the library gives it the id {id:,}.",
            token=shown(token),
            in_file=shown(in_file),
            id=id,
        )
        return Finding(name, FAIL, words, token, [id])
    first: dict[tuple[bytes, str], int] = {}
    for id in encoding.ids():
        spelled = encoding.table[id], encoding.piece(id)
        if (other := first.setdefault(spelled, id)) != id:
            words = tr("The ids {one:,} and {other:,} are the same token.", one=other, other=id)
            return Finding(name, FAIL, words, spelled[0].decode(errors="replace"), [other, id])
    gaps = [id for id, token in enumerate(encoding.table) if token is None]
    if gaps:
        words = trn(
            "{n:,} id below the largest one has no token: {ranges}.",
            "{n:,} ids below the largest one have no token: {ranges}.",
            len(gaps),
            ranges=ranges(gaps),
        )
        return Finding(name, WARN, words, "", gaps[:1])
    words = tr("Each id from 0 to {last:,} has one token.", last=encoding.id_limit - 1)
    return subject.finding(name, PASS, words, subject.last)


def ranges(found: Sequence[int]) -> str:
    """Returns the first runs of ascending numbers.

    >>> ranges([3, 5, 6, 7]), ranges([*range(0, 20, 2)])
    ('3, 5–7', '0, 2, 4, 6, …')
    """
    array = np.array(found)
    ends = np.flatnonzero(np.diff(array, append=-1) != 1)
    starts = [0, *(ends[:-1] + 1).tolist()]
    runs = [
        f"{array[start]}" if start == end else f"{array[start]}–{array[end]}"
        for start, end in zip(starts, ends, strict=True)
    ]
    return ", ".join([*runs[:MAX_LISTED], *(["…"] if len(runs) > MAX_LISTED else [])])


# Combining marks


def is_mark(character: str) -> bool:
    """Whether a character combines with the one before it.

    >>> is_mark("\u0e48"), is_mark("a")
    (True, False)
    """
    return unicodedata.category(character).startswith("M")


def without_marks(text: str) -> str:
    """Returns a text without combining marks, also of composed characters."""
    return "".join(one for one in unicodedata.normalize("NFD", text) if not is_mark(one))


def combining_marks(name: str, subject: Subject) -> Finding:
    """Whether combining marks are kept, and can share a token with their letters."""
    removed, dropped, cut, split = [], [], [], []
    known = [text for text in MARKED if not subject.is_lost(subject.read(text))]
    if not known:
        return Finding(name, PASS, tr(NO_TOKENS))
    for text in known:
        read = subject.read(text)
        back = unicodedata.normalize("NFD", squashed(read.decoded))
        if back != unicodedata.normalize("NFD", text):
            is_same = without_marks(back) == without_marks(text)
            by_normalizer = back == unicodedata.normalize("NFD", squashed(read.normalized))
            if is_same:
                (removed if by_normalizer else dropped).append(text)
        marks = [i for i, one in enumerate(text) if is_mark(one)]
        at = [len(text[:i].encode()) for i in marks]
        cut += [text] if {*at} & {start for start, _ in subject.encoding.pre_tokens(text)} else []
        split += [text] if {*at} & {*read.tokens.starts.tolist()} else []
    if dropped:
        words = tr("Combining marks are lost, although no normalizer removes them.")
        return subject.finding(name, FAIL, words, dropped[0])
    if removed:
        words = tr(
            "The normalizer removes combining marks, which are vowels and tones in some scripts: {n} of {all} test"
            " words become other words.",
            n=len(removed),
            all=len(known),
        )
        return subject.finding(name, WARN, words, removed[0])
    if cut:
        words = tr(
            "In {n} of {all} test words, the text is split before a combining mark, so that no token can contain the"
            " mark together with its letter.",
            n=len(cut),
            all=len(known),
        )
        return subject.finding(name, WARN, words, cut[0])
    words = tr(
        "Combining marks are kept, and the text is not split before them. In {n} of {all} test words, a token begins"
        " with a combining mark.",
        n=len(split),
        all=len(known),
    )
    return subject.finding(name, PASS, words, known[0])


# White space


def white_space(name: str, subject: Subject) -> Finding:
    """Whether white space between words, at line beginnings and at the ends of a text comes back."""

    def can_tell(text: str) -> bool:
        is_known = not subject.is_lost(subject.read(re.sub(r"\s+", " ", text)))
        return is_known and (subject.is_lost(read := subject.read(text)) or squashed(read.decoded) == squashed(text))

    texts = list(filter(can_tell, (*INDENTED, *SPACED, *AT_ENDS)))
    if not texts:
        return Finding(name, PASS, tr(NO_TOKENS))
    lost = {text: subject.read(text) for text in texts if not subject.read(text).is_kept}
    if not lost:
        words = tr("White space and indentation come back exactly in all {n} test texts.", n=len(texts))
        return subject.finding(name, PASS, words, texts[0])
    for text, read in lost.items():
        is_inside = read.decoded.strip() != text.strip()
        is_normalized = read.normalized.strip() != text.strip()
        spaces = [one for one in text.strip() if one.isspace()]
        if is_inside and not is_normalized and spaces and not any(map(subject.lacks, spaces)):
            words = tr("White space is changed although no normalizer changes it and the vocabulary has tokens for it.")
            return subject.finding(name, FAIL, words, text)
    words = tr(
        "White space is changed in {n} of {all} test texts, {indented} of them with indentation.",
        n=len(lost),
        all=len(texts),
        indented=len({*INDENTED} & lost.keys()),
    )
    return subject.finding(name, WARN, words, next(iter(lost)))


# Unreachable tokens


def unreachable_tokens(name: str, subject: Subject) -> Finding:
    """Whether text can become each token."""
    encoding = subject.encoding
    found = [(id, text) for id, text, _ in unreachable_details(encoding) if not BYTE_NAME.fullmatch(encoding.piece(id))]
    if encoding.runs_in_library and len(found) <= MAX_TRIED_IN_CONTEXT:
        found = _unread_in_context(subject, found)
    removed = _removed_token(subject, [id for id, _ in found])
    encoding.prefetch([])  # frees the texts
    if removed is not None:
        text = subject.texts[removed]
        words = tr(
            "The normalizer changes the text of the token {token}, id {id:,}: this text never becomes the token.",
            token=shown(text),
            id=removed,
        )
        return subject.finding(name, FAIL, words, text)
    if found:
        words = trn(
            "The text of {n:,} token is encoded as other tokens; only a longer text may contain the token.",
            "The texts of {n:,} tokens are encoded as other tokens; only longer texts may contain these tokens.",
            len(found),
        )
        return subject.finding(name, WARN, words, found[0][1])
    words = tr("The text of each token that was tried becomes that token, alone or after other text.")
    return subject.finding(name, PASS, words, subject.last)


def _removed_token(subject: Subject, found: Sequence[int]) -> int | None:
    """Returns the first of the tokens whose text, alone and between letters, the normalizer changes; None without."""
    encoding = subject.encoding
    found = [id for id in found if len(squashed(subject.texts[id] or "").encode()) > 1]
    for begin in range(0, len(found), BATCH_TOKENS):
        texts = {id: subject.texts[id] for id in found[begin : begin + BATCH_TOKENS]}
        encoding.prefetch([one for text in texts.values() for one in (text, f"a{text}a")])
        for id, text in texts.items():
            if not any(_is_read(text, one, encoding) for one in (text, f"a{text}a")):
                return id
    return None


def _is_read(part: str, text: str, encoding: Encoding) -> bool:
    """Whether the model reads a part of a text as it is, but for white space."""
    return squashed(part) in squashed(encoding.tokenize(text).normalized.replace("▁", " "))


def _unread_in_context(subject: Subject, found: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Returns those of the tokens that are not read after any of CONTEXTS either."""
    encoding = subject.encoding
    left = [(id, own) for id, own in found]
    for context in CONTEXTS:
        still = []
        for begin in range(0, len(left), BATCH_TOKENS):
            some = left[begin : begin + BATCH_TOKENS]
            texts = [context + (subject.texts[id] or own) for id, own in some]
            encoding.prefetch(texts)
            still += [one for one, text in zip(some, texts, strict=True) if one[0] not in encoding.encode(text)]
        left = still
    return left


# Unknown characters


def unknown_characters(name: str, subject: Subject) -> Finding:
    """In which scripts characters have no token."""
    shares, vanished = {}, []
    for script, text in OF_SCRIPTS.items():
        read = subject.read(text)
        characters = sum(len(lost) for _, lost in subject.encoding.unknown_characters(text))
        gone = [] if read.has_unknown else subject.vanished(read)
        vanished += [text] if gone else []
        if lost := characters or sum(map(text.count, gone)):
            shares[script] = lost / len(text)
    if vanished and subject.encoding.unknown_id is None and not subject.bytes:
        words = tr(
            "Characters that are not in the vocabulary are left out: there is no unknown token and no byte fallback."
        )
        return subject.finding(name, FAIL, words, vanished[0])
    if not shares:
        words = tr("The test texts, in {n} scripts, have no unknown characters.", n=len(OF_SCRIPTS))
        return subject.finding(name, PASS, words, OF_SCRIPTS["Thai"])
    most = sorted(shares, key=lambda script: -shares[script])
    listed = [f"{localized_script(script)} {number(shares[script], '.0%')}" for script in most[:MAX_LISTED]]
    words = tr(
        "In the test texts of {n} of {all} scripts, some characters have no token; the scripts with the largest share"
        " of such characters: {scripts}.",
        n=len(shares),
        all=len(OF_SCRIPTS),
        scripts=enumerated(listed),
    )
    return subject.finding(name, WARN, words, OF_SCRIPTS[most[0]])


# A second reader


def second_reader(name: str, subject: Subject, readers: Mapping[str, Callable[[str], list[int]]]) -> Finding:
    """Whether other programs read the texts of all checks as the same ids."""
    texts = [*PLAIN, *COMPOSED, *MARKED, *SPACED, *INDENTED, *AT_ENDS, *numbers(), *OF_SCRIPTS.values()]
    compared: dict[str, int] = {}
    for reader, read in (own_reader(subject.encoding) | dict(readers)).items():
        for text in texts:
            try:
                other = read(text)
            except (SandboxStopped, ServerBusy):
                raise
            except TokenizerError as error:
                return subject.finding(name, FAIL, tr("{reader}: {reason}", reader=reader, reason=error), text)
            if other is None:
                continue
            compared[reader] = compared.get(reader, 0) + 1
            if other != subject.read(text).tokens.ids:
                words = tr(
                    "{reader} gives other ids for the example: {ids}.",
                    reader=reader,
                    ids=" ".join([*map(str, other[:8]), *(["…"] if len(other) > 8 else [])]) or tr("none"),
                )
                return subject.finding(name, FAIL, words, text)
    if not compared:
        return Finding(name, PASS, tr("Does not apply: only one program reads this tokenizer here."))
    words = tr(
        "{engine} and {readers} give the same ids for {n} test texts.",
        engine=tr(subject.encoding.engine),
        readers=enumerated(list(compared)),
        n=min(compared.values()),
    )
    return subject.finding(name, PASS, words, PLAIN[0])


def own_reader(encoding: Encoding) -> dict[str, Callable[[str], list[int] | None]]:
    """Returns our own merging as a second reader of byte-level merges, which a library makes otherwise.

    >>> from tokenizer import get_encoding
    >>> [read("two words") for read in own_reader(get_encoding("gpt2")).values()]
    [[11545, 2456]]
    """
    merges = encoding.merges
    if merges is None or merges.alphabet != "bytes" or len(merges.base) < 256:
        return {}

    def read(text: str) -> list[int] | None:
        data, spans = text.encode(), encoding.pre_tokens(text)
        if encoding.tokenize(text).normalized != text or sum(end - start for start, end in spans) != len(data):
            return None  # the merges read another text than this one
        return [id for start, end in spans for id in replay(data[start:end], merges)]

    return {tr("Tokenloupe’s own merging"): read}


CHECKS: dict[str, Callable[[str, Subject], Finding]] = {
    "round_trip": round_trip,
    "normal_forms": normal_forms,
    "bytes": all_bytes,
    "special_tokens": special_tokens,
    "digits": digits,
    "ids": ids,
    "combining_marks": combining_marks,
    "white_space": white_space,
    "unreachable": unreachable_tokens,
    "unknown": unknown_characters,
}
TITLES = {
    "round_trip": mark("Round trip"),
    "normal_forms": mark("NFC and NFD"),
    "bytes": mark("All 256 bytes"),
    "special_tokens": mark("Special tokens in text"),
    "digits": mark("Digits"),
    "ids": mark("Missing and repeated ids"),
    "combining_marks": mark("Combining marks"),
    "white_space": mark("White space and indentation"),
    "unreachable": mark("Unreachable tokens"),
    "unknown": mark("Unknown characters"),
    "readers": mark("Other programs"),
}
