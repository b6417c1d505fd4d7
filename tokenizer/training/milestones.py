"""Milestones of a training: the first merges whose tokens a reader recognizes."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import regex
from icu4py.breakers import WordBreaker

from tokenizer.text.regex_budget import hold_gil
from tokenizer.text.units import LOCALE, count_graphemes
from tokenizer.text.well_formed import well_formed
from tokenizer.training.training_history import NO_SYMBOL, TrainingHistory

MAX_READ_CHARACTERS = 1_000_000  # characters of a corpus that are broken into words

has_letter = hold_gil(regex.compile(r"\p{L}").search)


class Milestone(NamedTuple):
    """The first merge, counted from 0, that made a token of a kind: "word", "syllable", "crossing", or "lift"."""

    step: int
    kind: str


def milestones(history: TrainingHistory, words: Collection[str]) -> list[Milestone]:
    """Returns the first merges that made a whole word, a whole Thai syllable, and a token across graphemes.

    `words` are those of the corpus, as `word_uses` finds them; a token that is spelled like one may stand inside
    others too. Words have two graphemes or more; one space before a word or a syllable is looked past. A syllable of
    consonant letters alone must be a word, since it may as well be a piece of others: อง is one, and the end of ของ.
    "lift" is the first merge after the split pattern was lifted.
    A kind that never comes is left out.

    >>> from tokenizer.training.training_history import record_training
    >>> [(found.step, found.kind) for found in milestones(record_training({" the": 2, "th": 1}, 300), {"the"})]
    [(0, 'crossing'), (2, 'word')]
    """
    tests = {
        "word": lambda text: text in words and count_graphemes(text) >= 2,
        "syllable": lambda text: is_thai_syllable(text) and bool(has_thai_sign(text) or text in words),
    }
    found = [] if history.crossing == NO_SYMBOL else [Milestone(history.crossing, "crossing")]
    found += [Milestone(history.lift, "lift")] if history.lifted else []
    for step, token in enumerate(history.tokens[len(history.base) :]):
        try:
            text = token.decode().removeprefix(" ")
        except UnicodeDecodeError:
            continue
        for kind in [kind for kind, test in tests.items() if test(text)]:
            found.append(Milestone(step, kind))
            del tests[kind]
    return sorted(found)


def word_uses(texts: str | Iterable[str], most_characters: int | None = None) -> dict[str, int]:
    """Returns how often each word with a letter occurs in the texts, or in their first characters.

    >>> word_uses("the man, the 2 women")
    {'the': 2, 'man': 1, 'women': 1}
    """
    found: Counter[str] = Counter()
    for text in [texts] if isinstance(texts, str) else texts:
        found.update(WordBreaker(well_formed(text[:most_characters])[0], LOCALE))
        if most_characters is not None and (most_characters := most_characters - len(text)) <= 0:
            break
    return {word: count for word, count in found.items() if has_letter(word)}


def new_words(words: Mapping[str, int], known: Collection[str], max_words: int = 50) -> list[tuple[str, int]]:
    """Returns the words that are not known, with their counts, the most frequent first.

    >>> new_words({"bug": 1, "hug": 3, "mug": 2}, {"hug"})
    [('mug', 2), ('bug', 1)]
    """
    unknown = [(word, count) for word, count in words.items() if word not in known]
    return sorted(unknown, key=lambda found: -found[1])[:max_words]


# Thai orthography, as forms in which capital letters stand for these parts:
_SILENT = "(?:[ก-ฮ]{1,2}[ิุ]?์)?"  # letters silenced by ์, at the end or before it: จันทร์, สิทธิ์, การ์ด
_FINAL = "(?!รร)(?:ตร|ทธ|[กขคฆงจชซฎฏฐฑฒดตถทธณนญบปพฟภมรลศษสฬ])"
_PARTS = {
    # an initial: a true cluster, one of loan words, a leading ห or อ (อยู่ อย่า อยาก อย่าง), or one consonant
    "C": "(?:[กขคตปผพทสศซจบดฟ]ร|[กขคปผพบฟ]ล|[กขค]ว|ห[งญณนมยรลวฬ]|อ(?=ย(?:[่า]|ู))ย|[ก-ฃคฅฆ-ฮ])",
    "T": "[่-๋]?",
    "F": f"(?:{_SILENT}{_FINAL})",
    "W": f"(?:{_SILENT}(?:{_FINAL}|ว))",
    "Y": f"(?:{_SILENT}(?:{_FINAL}|ย))",
    "A": f"(?:{_SILENT}(?:{_FINAL}|[ยว]))",
    "K": _SILENT,
}
_FORMS = (
    "CTะ|CัTAK|Cั[กต]ร|CัTวะ|CTาA?K|CTำ|CิTW?K|CุTY?K|C[ีึู]TF?K|CืTF|CืTอ|ก็|C็อF"  # after, over or under the initial
    "|เCTA?K|เC็W|เCTะ|เCTาะ?|เCTาK|เCิTFK|เCีTยW?K|เCีTยะ|เCืTอY?K|เCืTอะ|เCTอF?K|เCTอะ"  # before or around it
    "|แCTW?K|แC็W|แCTะ|โCTY?K|โCTะ|ไCTย?K|ใCT"
    "|CTอY?K|CTวYK|CรรF?K|C?[ฤฦ]ๅ?F?K|CTFK"  # spelled by letters that are consonants elsewhere, or not at all
)
_syllable = hold_gil(regex.compile("".join(_PARTS.get(letter, letter) for letter in _FORMS)).fullmatch)
has_thai_sign = re.compile("[ะ-ฺเ-๋ฤฦ]").search  # a vowel or a tone; ์ may stand at the end of a piece: นทร์


def is_thai_syllable(text: str) -> bool:
    """Returns whether a text is one Thai syllable as it is written: an initial, a vowel, and what ends it, all whole.

    The vowel is a written sign, or รร, or the implicit vowel between two consonants, as in คน. Only the spelling is
    checked, so readings (ตลาด, spoken in two syllables, is none; เพลา is one, though it has two readings) and word
    ends (กา is one, and the beginning of การ) are unknown.

    >>> [is_thai_syllable(text) for text in ("ที่", "เรียน", "คน", "จันทร์", "ภาษา", "าร", "เ")]
    [True, True, True, True, False, False, False]
    """
    return _syllable(text) is not None
