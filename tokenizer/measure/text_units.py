"""Units of a text that do not depend on an encoding: characters, graphemes, words, lines, numbers, operators."""

import re
from functools import cached_property

import numpy as np

from tokenizer.text.units import grapheme_ends, words
from tokenizer.text.well_formed import code_points, utf8_lengths, well_formed

# The operators of TokEval (cimeister/tokenizer-analysis-suite, docs/METRICS.md); of two at one place the longer one.
OPERATOR = re.compile(rb"\*\*|//|<<|>>|<=|>=|=>|==|!=|&&|\|\||\?:|[-+*/=<>!&|^~%]")
NUMBER = re.compile(r"\d+")  # decimal digits of any script
SPACE = ord(" ")
# The code points with the property White_Space of Unicode.
WHITE_SPACE = [*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F]
WHITE_SPACE += [0x3000]


class TextUnits:
    """Units of a text that do not depend on an encoding, computed once on demand.

    Every function of the metrics accepts one in place of a text, so that ICU reads the text once for several encodings.

    >>> units = TextUnits("hi, ที่\\r\\n")
    >>> len(units.data), units.num_characters, units.grapheme_ends.tolist(), units.words.tolist()
    (15, 9, [1, 2, 3, 4, 13, 15], [[0, 2], [4, 13]])
    """

    def __init__(self, text: str):
        self.text = well_formed(text)[0]
        self.num_characters = len(self.text)

    @cached_property
    def data(self) -> np.ndarray:
        """The UTF-8 bytes."""
        return np.frombuffer(self.text.encode(), dtype=np.uint8)

    @cached_property
    def starts_character(self) -> np.ndarray:
        """Whether a character starts at each byte; True at the end of the text, too."""
        return np.append((self.data & 0xC0) != 0x80, True)

    @cached_property
    def character_starts(self) -> np.ndarray:
        """The byte offset of each character, and of the end of the text."""
        return np.flatnonzero(self.starts_character)

    @cached_property
    def grapheme_ends(self) -> np.ndarray:
        """The byte offset of the end of each grapheme."""
        return grapheme_ends(self.text)

    @cached_property
    def words(self) -> np.ndarray:
        """Start and end of each word as byte offsets, of shape (words, 2)."""
        return _spans(words(self.text))

    @cached_property
    def spaced_word_starts(self) -> np.ndarray:
        """The starts of words that have a space before them, as byte offsets."""
        starts = self.words[:, 0]
        return starts[(starts > 0) & (self.data[starts - 1] == SPACE)]

    @cached_property
    def word_edges(self) -> np.ndarray:
        """The starts and ends of words inside the text as byte offsets, each once; a space before a word is part of it.

        >>> TextUnits("one two, three").word_edges.tolist(), TextUnits("สวัสดีครับ").word_edges.tolist()
        ([3, 7, 8], [18])
        """
        return self.without_spaces(self.words.ravel())

    def without_spaces(self, offsets: np.ndarray) -> np.ndarray:
        """Returns offsets inside the text, ascending, each once; a word's start becomes that of a space before it."""
        is_offset = np.zeros(len(self.data) + 1, dtype=bool)
        is_offset[offsets] = True
        starts = self.spaced_word_starts
        is_offset[starts - 1] |= is_offset[starts]
        is_offset[starts] = False
        is_offset[[0, -1]] = False
        return np.flatnonzero(is_offset)

    @cached_property
    def numbers(self) -> np.ndarray:
        """Start and end of each run of decimal digits in characters, of shape (numbers, 2)."""
        return _spans([match.span() for match in NUMBER.finditer(self.text)])

    @cached_property
    def operators(self) -> np.ndarray:
        """Start and end of each operator as byte offsets, of shape (operators, 2).

        >>> TextUnits("3+5>=8").operators.tolist()
        [[1, 2], [3, 5]]
        """
        return _spans([match.span() for match in OPERATOR.finditer(self.text.encode())])

    @cached_property
    def visible_before(self) -> np.ndarray:
        """The number of bytes other than white space before each byte, and before the end of the text."""
        points = code_points(self.text)
        is_visible = np.isin(points, WHITE_SPACE, invert=True)
        return np.concatenate([[0], np.cumsum(np.repeat(is_visible, utf8_lengths(points)))])

    @cached_property
    def line_ends(self) -> np.ndarray:
        r"""The end of each line in bytes, after \n, \r\n or lone \r; a text that ends with one has no further line."""
        breaks = self.data == ord("\n")
        breaks |= (self.data == ord("\r")) & ~np.append(breaks[1:], False)
        ends = np.flatnonzero(breaks) + 1
        size = len(self.data)
        return ends if size == (ends[-1] if len(ends) else 0) else np.append(ends, size)


def _spans(found: list[tuple[int, int]]) -> np.ndarray:
    return np.array(found, dtype=np.int64).reshape(-1, 2)
