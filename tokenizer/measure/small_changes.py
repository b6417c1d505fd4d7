"""Small changes of a text, each at a place that a seed chooses, and what they do to its tokens.

After TokSuite (Altıntaş et al. 2025, arXiv 2512.20757), which measures models on texts that were changed in such ways.
"""

import random
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise, zip_longest
from typing import NamedTuple

import numpy as np

from tokenizer.encoding.interface import Encoding
from tokenizer.i18n import mark
from tokenizer.text.units import beginning, graphemes, words
from tokenizer.text.well_formed import well_formed

MAX_CHARACTERS = 2_000  # of a text that is changed; of longer texts the beginning
CONTEXT_CHARACTERS = 6  # at most, before and after the graphemes of a change, to show it
ZERO_WIDTH_SPACE = "\u200b"
TONE_MARKS = "\u0e48\u0e49\u0e4a\u0e4b"
ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "ภถคตจขช", "ไรนยบล", "ฟหกด", "าสวง", "ผปแอ", "ทมใฝ")  # QWERTY, Kedmanee
LATIN, CYRILLIC = "aceopxyijsABCEHKMOPTX", "асеорхуіјѕАВСЕНКМОРТХ"
LOOK_ALIKES = dict(zip(LATIN + CYRILLIC, CYRILLIC + LATIN, strict=True))
LOOK_ALIKES |= {"แ": "เเ", "ำ": "\u0e4d\u0e32", "ο": "o", "Ο": "O", "ν": "v", "Α": "A", "Ε": "E"}


class Edit(NamedTuple):
    """The part of a text from `start` to `end`, in characters, and what replaces it."""

    start: int
    end: int
    new: str


class Changed(NamedTuple):
    """A text with one change of a kind; `before` and `after` are the changed part with some graphemes around it."""

    kind: str
    text: str
    before: str
    after: str


class Effect(NamedTuple):
    """What a change does to the tokens of a text; `more` is negative if there are fewer.

    `first` is the index of the first token that is another one, `was` its id and `now` the id in its place; all are
    None if no token changed, and one of the ids where the other text has ended.
    """

    more: int
    distance: int
    first: int | None
    was: int | None
    now: int | None


def change(text: str, kind: str, seed: int = 0) -> Changed | None:
    """Returns a text with one change of a kind, or None if there is no place for it; the same for the same seed.

    >>> [change("one two", kind).text for kind in ("space", "capitals", "look-alike")]
    ['one  two', 'ONE two', 'onе two']
    >>> {change("ที่นี่", "tone", seed).text for seed in range(9)} == {"ทีนี่", "ที่นี"}, change("abc", "tone")
    (True, None)
    """
    text = well_formed(text)[0]
    edits = list(KINDS[kind].edits(text))
    if not edits:
        return None
    start, end, new = edits[int(random.Random(f"{kind} {seed}").random() * len(edits))]
    first, last = _context(text, start, end)
    around = text[first:start], text[end:last]
    return Changed(kind, text[:start] + new + text[end:], text[first:last], new.join(around))


def _context(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns where the whole graphemes at a change and up to CONTEXT_CHARACTERS beside it begin and end."""
    edges = list(accumulate(map(len, graphemes(text)), initial=0))
    before, after = edges[bisect_right(edges, start) - 1], edges[bisect_left(edges, end)]
    first = min(before, edges[bisect_left(edges, start - CONTEXT_CHARACTERS)])
    return first, max(after, edges[bisect_right(edges, end + CONTEXT_CHARACTERS) - 1])


def changes(text: str, seed: int = 0) -> list[Changed]:
    """Returns a changed text for each kind that has a place in the text, in the order of KINDS.

    >>> [one.kind for one in changes("ที่")], [one.kind for one in changes("12")]
    (['typo', 'tone'], [])
    """
    return [found for kind in KINDS if (found := change(text, kind, seed))]


def usable_beginning(text: str) -> str:
    """Returns the part of a text that is changed and compared: whole graphemes, at most MAX_CHARACTERS characters.

    >>> len(usable_beginning("ab" * 5_000)), usable_beginning("ab")
    (2000, 'ab')
    """
    return beginning(text, MAX_CHARACTERS)


def effects(text: str, changed: Sequence[Changed], encoding: Encoding, special: str = "text") -> list[Effect]:
    """Compares the ids of a text with those of each changed one.

    >>> from tokenizer.kinds.registry import get_encoding
    >>> effects("hello world", [change("hello world", "space")], get_encoding("gpt2"))
    [Effect(more=1, distance=1, first=1, was=995, now=220)]
    """
    encoding.prefetch([text, *(one.text for one in changed)])
    before = encoding.encode(text, special)
    return [_effect(before, encoding.encode(one.text, special)) for one in changed]


def _effect(before: list[int], after: list[int]) -> Effect:
    first = next((i for i, (was, now) in enumerate(zip_longest(before, after)) if was != now), None)
    was, now = (None if first is None or first == len(ids) else ids[first] for ids in (before, after))
    return Effect(len(after) - len(before), edit_distance(before, after), first, was, now)


def edit_distance(one: Sequence[int], other: Sequence[int]) -> int:
    """Returns how many ids must be added, removed or replaced to make one list of the other (Levenshtein).

    What both begin and end with is left out; the rest takes a row of numbers for each id of the shorter one.

    >>> edit_distance([1, 2, 3, 4], [1, 3, 4, 5]), edit_distance([], [7, 7]), edit_distance([1], [1])
    (2, 2, 0)
    """
    one, other = sorted((one, other), key=len)
    start = _shared(one, other)
    one, other = one[start:], other[start:]
    end = _shared(one[::-1], other[::-1])
    one, other = one[: len(one) - end], np.array(other[: len(other) - end])
    steps = np.arange(len(other) + 1)
    row = steps  # the distances of what was read of `one` to each beginning of `other`
    for id in one:
        best = np.minimum(row[1:] + 1, row[:-1] + (other != id))
        row = np.minimum.accumulate(np.concatenate([[row[0] + 1], best]) - steps) + steps
    return int(row[-1])


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    """Returns how many ids both begin with."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))


# The edits of each kind


class Kind(NamedTuple):
    """A kind of change: its name, what it does, and all edits of a text that are one."""

    label: str
    description: str
    edits: Callable[[str], Iterator[Edit]]


def _typos(text: str) -> Iterator[Edit]:
    """Yields each letter as its neighbor on the keyboard; of scripts without a keyboard here, as two of the letter."""
    for i, letter in enumerate(text):
        row = next((row for row in ROWS if letter.lower() in row), "")
        at = row.find(letter.lower())
        for near in (at - 1, at + 1):
            if row and 0 <= near < len(row):
                yield Edit(i, i + 1, row[near].upper() if letter.isupper() else row[near])
        if not row and letter.isalpha():
            yield Edit(i, i + 1, letter * 2)


def _turned(text: str) -> Iterator[Edit]:
    pairs = enumerate(pairwise(text))
    return (Edit(i, i + 2, b + a) for i, (a, b) in pairs if a != b and a.isalpha() and b.isalpha())


def _spaces(text: str) -> Iterator[Edit]:
    """Yields a second space at each space; in a text without a space, one between two words."""
    places = [i for i, sign in enumerate(text) if sign == " "] or _between_words(text)
    return (Edit(i, i, " ") for i in places)


def _between_words(text: str) -> list[int]:
    return [end for (_, end), (start, _) in pairwise(_words(text)) if end == start]


def _words(text: str) -> list[tuple[int, int]]:
    """Returns the spans of words in characters."""
    data = text.encode()
    return [(len(data[:start].decode()), len(data[:end].decode())) for start, end in words(text)]


def _capitals(text: str) -> Iterator[Edit]:
    for start, end in _words(text):
        if (capitals := text[start:end].upper()) != text[start:end]:
            yield Edit(start, end, capitals)


def _decomposed(text: str) -> Iterator[Edit]:
    for i, character in enumerate(text):
        if (parts := unicodedata.normalize("NFD", character)) != character:
            yield Edit(i, i + 1, parts)


def _look_alikes(text: str) -> Iterator[Edit]:
    return (Edit(i, i + 1, LOOK_ALIKES[letter]) for i, letter in enumerate(text) if letter in LOOK_ALIKES)


def _lost_tones(text: str) -> Iterator[Edit]:
    return (Edit(i, i + 1, "") for i, sign in enumerate(text) if sign in TONE_MARKS)


def _zero_width(text: str) -> Iterator[Edit]:
    pairs = enumerate(pairwise(text), 1)
    return (Edit(i, i, ZERO_WIDTH_SPACE) for i, (a, b) in pairs if a.isalpha() and b.isalpha())


KINDS = {
    "typo": Kind(
        mark("A typo"),
        mark(
            "A letter becomes the letter next to it on the keyboard (a to z, many Thai letters); any other letter is "
            "typed twice."
        ),
        _typos,
    ),
    "turned": Kind(mark("Two letters swapped"), mark("Two letters next to each other are swapped."), _turned),
    "space": Kind(
        mark("An extra space"),
        mark("One space becomes two; in a text without spaces, a space is added between two words."),
        _spaces,
    ),
    "capitals": Kind(mark("A word in capitals"), mark("One word is written in capitals."), _capitals),
    "nfd": Kind(
        mark("NFD"),
        mark("One character is written as in Unicode’s normal form NFD, for example é as e and an accent."),
        _decomposed,
    ),
    "look-alike": Kind(
        mark("A look-alike letter"),
        mark(
            "A letter becomes one or two letters that look (almost) the same, for example a Latin a becomes a"
            " Cyrillic а."
        ),
        _look_alikes,
    ),
    "tone": Kind(mark("A missing tone mark"), mark("One Thai tone mark is left out."), _lost_tones),
    "zero-width": Kind(
        mark("A zero-width space"), mark("An invisible character, U+200B, is added between two letters."), _zero_width
    ),
}
