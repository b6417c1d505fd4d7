"""Graphemes and words of any language by ICU."""

from itertools import pairwise

import numpy as np
import regex
from icu4py.breakers import BaseBreaker, CharacterBreaker, WordBreaker

from tokenizer.text.regex_budget import hold_gil
from tokenizer.text.well_formed import code_points, utf8_lengths, well_formed

LOCALE = "root"  # ICU chooses its dictionaries (Thai, Lao, Khmer, Burmese, Chinese, Japanese) by script

# ICU breaks a text into words and the parts between them. icu4py does not expose which is which, so a part with a
# letter or a number counts as a word.
_has_letter_or_number = hold_gil(regex.compile(r"[\p{L}\p{N}]").search)


def is_word(piece: str) -> bool:
    """Whether a part by ICU is a word.

    >>> is_word("Don't"), is_word("สวัสดี"), is_word(" – ")
    (True, True, False)
    """
    return piece.isalnum() or _has_letter_or_number(piece) is not None  # the first test is fast and sufficient for most


def graphemes(text: str) -> list[str]:
    """Returns the graphemes of a text, the characters that a reader sees.

    >>> graphemes("ที่👩‍👦")
    ['ที่', '👩‍👦']
    """
    return list(CharacterBreaker(well_formed(text)[0], LOCALE))


def beginning(text: str, max_characters: int) -> str:
    """Returns the whole graphemes in the first characters of a text; cuts the first one if it is longer.

    >>> beginning("aที่", 3), beginning("ที่", 3), beginning("ที่", 2)
    ('a', 'ที่', 'ที')
    """
    start = well_formed(text[: max_characters + 1])[0]
    if len(start) <= max_characters:
        return start
    return "".join(graphemes(start)[:-1]) or start[:max_characters]


def words(text: str) -> list[tuple[int, int]]:
    """Returns the spans of the words in UTF-8 bytes, without spaces and punctuation.

    >>> text = "Hello, สวัสดีครับ!"
    >>> [text.encode()[start:end].decode() for start, end in words(text)]
    ['Hello', 'สวัสดี', 'ครับ']
    """
    text = well_formed(text)[0]
    breaker = WordBreaker(text, LOCALE)
    found = pairwise([0, *byte_ends(breaker, text).tolist()])
    return [span for span, piece in zip(found, breaker, strict=True) if is_word(piece)]


def count_graphemes(text: str) -> int:
    """Returns the number of graphemes.

    >>> count_graphemes("👩‍👦"), count_graphemes("ที่")
    (1, 1)
    """
    text = well_formed(text)[0]
    if text.isascii():
        return len(text) - text.count("\r\n")
    return sum(1 for _ in CharacterBreaker(text, LOCALE).segments())


def count_words(text: str) -> int:
    """Returns the number of words.

    >>> count_words("Don't panic, 42!"), count_words("สวัสดีครับ"), count_words("...")
    (3, 2, 0)
    """
    return sum(1 for piece in WordBreaker(well_formed(text)[0], LOCALE) if is_word(piece))


def grapheme_ends(text: str) -> np.ndarray:
    """Returns the end of each grapheme in UTF-8 bytes.

    >>> grapheme_ends("ที่นี่").tolist()
    [9, 18]
    """
    text = well_formed(text)[0]
    return byte_ends(CharacterBreaker(text, LOCALE), text)


def byte_ends(breaker: BaseBreaker, text: str) -> np.ndarray:
    """Returns the ends of a breaker's parts in UTF-8 bytes; ICU itself counts in UTF-16.

    >>> byte_ends(CharacterBreaker("👍é", LOCALE), "👍é").tolist()
    [4, 6]
    """
    utf16_ends = np.fromiter((end for _, end in breaker.segments()), dtype=np.int64)
    points = code_points(text)
    utf16_after = np.cumsum(1 + (points > 0xFFFF))  # UTF-16 units up to the end of each code point
    utf8_after = np.cumsum(utf8_lengths(points))
    return utf8_after[np.searchsorted(utf16_after, utf16_ends)]
