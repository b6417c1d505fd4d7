"""Words, numbers, operators and white space where tokens leave gaps or cover nothing; what other tests do not cut."""

import numpy as np
import pytest

from tokenizer import Tokens
from tokenizer.measure import text_structure as structure
from tokenizer.measure.text_units import TextUnits


def spans(text, *pairs):
    """A text and its tokens with these spans in bytes."""
    starts, ends = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return TextUnits(text), Tokens(text, np.arange(len(pairs)), ends - starts, starts)


@pytest.mark.parametrize(
    ("text", "pairs", "expected"),
    [
        ("+a", [(1, 2)], (1, 0, 0, 0)),  # no token covers the operator
        ("a+", [(0, 1)], (1, 0, 0, 0)),
        ("+", [], (1, 0, 0, 0)),
        (">=", [(0, 1)], (1, 0, 1, 0)),  # one of two characters is covered
        (">=", [(0, 1), (1, 1), (1, 2)], (1, 1, 1, 0)),  # a token that covers nothing is not a part of it
        (">=", [(0, 2), (2, 2)], (1, 1, 1, 1)),
        ("a > b", [(0, 1), (2, 3), (4, 5)], (1, 1, 0, 0)),  # the spaces have no tokens
        ("a >= b", [(0, 1), (1, 5), (5, 6)], (1, 1, 1, 1)),  # a space before and after it
        ("a>\u3000b", [(0, 1), (1, 3), (3, 6)], (1, 1, 0, 0)),  # a part of white space is white space
        ("ก+", [(0, 2), (2, 4)], (1, 0, 0, 0)),  # a part of a letter is not
        ("x ?: y // z", [(0, 11)], (2, 0, 2, 2)),
        ("===", [(0, 3)], (2, 0, 1, 1)),  # the longest first: == and =
    ],
)
def test_operators_by_hand(text, pairs, expected):
    assert structure.operator_counts(*spans(text, *pairs)) == expected


def test_white_space_counts_tokens_that_have_some():
    assert structure.num_white_space(*spans("a b", (0, 1), (1, 1), (1, 2), (2, 3))) == 1
    assert structure.num_white_space(*spans("\u3000\u00a0", (0, 2), (2, 5))) == 2


@pytest.mark.parametrize(
    ("text", "pairs", "expected"),
    [
        ("one two", [(0, 3), (4, 7)], (1, 1, 1)),  # a gap at the space: its two ends are one boundary
        ("one  two", [(0, 3), (3, 5), (5, 8)], (1, 1, 1)),
        (" one", [(0, 1), (1, 4)], (None, None, None)),  # the space before the first word is part of it
        ("one", [(0, 1), (1, 3)], (0, None, 0)),
        ("one.", [(0, 4)], (None, 0, 0)),
        ("", [], (None, None, None)),
        ("สวัสดีครับ", [(0, 18), (18, 30)], (1, 1, 1)),
    ],
)
def test_word_boundaries_by_hand(text, pairs, expected):
    assert structure.word_boundary_score(*spans(text, *pairs)) == expected


@pytest.mark.parametrize(
    ("text", "pairs", "expected"),
    [
        ("1234567", [(0, 1), (1, 4), (4, 7)], 1),  # Singh and Strouse 2024
        ("1234567", [(0, 2), (2, 5), (5, 7)], 0),
        ("12 3456", [(0, 2), (2, 4), (4, 7)], (1 + 1) / 2),  # the mean of two numbers
        ("๑๒๓๔", [(0, 3), (3, 12)], 1),  # Thai digits of three bytes
        ("๑๒๓๔", [(0, 3), (3, 4), (4, 12)], 2 / 3),  # a boundary inside a digit
        ("x1,234", [(0, 2), (2, 6)], 1),  # a comma ends a number
    ],
)
def test_three_digits_by_hand(text, pairs, expected):
    assert structure.three_digit_f1(*spans(text, *pairs)) == pytest.approx(expected)
