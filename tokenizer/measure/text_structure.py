"""Metrics of how tokens fit what is in a text: words, numbers, operators, characters and white space.

Sources and caveats are in assets/metrics.toml. Some metrics are also computed by TokEval (cimeister/
tokenizer-analysis-suite, docs/METRICS.md); docstrings name each difference.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np

from tokenizer.encoding.tokens import Tokens
from tokenizer.measure.agreement import boundaries
from tokenizer.measure.text_units import TextUnits


class Score(NamedTuple):
    """Precision, recall and F1 of boundaries; None where nothing can be counted."""

    precision: float | None
    recall: float | None
    f1: float | None


class OperatorCounts(NamedTuple):
    """The operators of a text, those isolated; the operators of two characters, and those that are one token."""

    total: int
    isolated: int
    compounds: int
    kept: int


def word_boundary_score(units: TextUnits, tokens: Tokens) -> Score:
    """Compares the boundaries of tokens with the edges of words as ICU finds them.

    An edge is where a word starts or ends inside the text. A space before a word is part of the word, so a boundary
    before such a space and one after it are the same. With B boundaries, E edges and C places that are both: precision
    = C ÷ B, recall = C ÷ E, F1 = 2C ÷ (B + E). Without boundaries the precision is None, without edges the recall.

    >>> def cut(text, *lengths):
    ...     return TextUnits(text), Tokens(text, np.arange(len(lengths)), np.array(lengths))
    >>> word_boundary_score(*cut("สวัสดีครับ", 18, 12))  # สวัสดี and ครับ
    Score(precision=1.0, recall=1.0, f1=1.0)
    >>> word_boundary_score(*cut("สวัสดีครับ", 9, 9, 6, 6))  # of 3 boundaries one is an edge; there is one edge
    Score(precision=0.3333333333333333, recall=1.0, f1=0.5)
    >>> word_boundary_score(*cut("to be or", 2, 6))  # edges after “to” and after “be”
    Score(precision=1.0, recall=0.5, f1=0.6666666666666666)
    """
    found, edges = units.without_spaces(boundaries(tokens)), units.word_edges
    both = len(np.intersect1d(found, edges, assume_unique=True))
    of_all = [both / total if total else None for total in (len(found), len(edges))]
    return Score(*of_all, 2 * both / total if (total := len(found) + len(edges)) else None)


def three_digit_f1(units: TextUnits, tokens: Tokens) -> float | None:
    """Returns the mean F1 of the boundaries in numbers, compared with groups of three digits from the right.

    A number is a run of decimal digits. Of a number with B boundaries and G ends of groups inside it, C of them the
    same, F1 is 2C ÷ (B + G), and 1 if both are 0; after Singh and Strouse 2024, arXiv 2402.14903. The same as
    `three_digit_boundary_alignment` (mean_f1) of TokEval; but TokEval gives each character to one token, while a
    boundary inside a digit, such as a Thai one of three bytes, counts here.

    >>> def score(*lengths):
    ...     text = "1234567"[: sum(lengths)]
    ...     return three_digit_f1(TextUnits(text), Tokens(text, np.arange(len(lengths)), np.array(lengths)))
    >>> score(1, 3, 3), score(2, 3, 2), score(4, 3), score(7)
    (1.0, 0.0, 0.6666666666666666, 0.0)
    >>> score(3), score(2, 1), score(0)  # up to three digits are one group; None without a number
    (1.0, 0.0, None)
    """
    if not len(units.numbers):
        return None
    first, end = units.numbers.T
    groups = (end - first - 1) // 3
    number = np.repeat(np.arange(len(first)), groups)
    from_right = 1 + np.arange(len(number)) - np.repeat(np.cumsum(groups) - groups, groups)
    ideal, found = units.character_starts[end[number] - 3 * from_right], boundaries(tokens)
    inside = np.searchsorted(found, units.character_starts[end], "left")
    inside -= np.searchsorted(found, units.character_starts[first], "right")
    both = np.bincount(number[np.isin(ideal, found, assume_unique=True)], minlength=len(first))
    total = inside + groups
    return float(np.mean(np.where(total == 0, 1.0, 2 * both / np.maximum(total, 1))))


def operator_counts(units: TextUnits, tokens: Tokens) -> OperatorCounts:
    """Counts the operators that tokens isolate, and those of two characters that one token has whole.

    An operator is isolated if its tokens have all of it and, besides it, nothing but white space. Operators and
    definitions are those of TokEval (`operator_isolation_rate`), which pools texts of code and of mathematics; here
    they are counted in the text itself. TokEval before 1.0 has no `//`, `=>` and `?:`, and allows no white space. An
    operator that no token covers is not isolated here; TokEval leaves it out.

    >>> def counts(*lengths):
    ...     return operator_counts(TextUnits("3+5>=8"), Tokens("3+5>=8", np.arange(len(lengths)), np.array(lengths)))
    >>> counts(1, 1, 1, 2, 1)  # 3 | + | 5 | >= | 8
    OperatorCounts(total=2, isolated=2, compounds=1, kept=1)
    >>> counts(2, 1, 1, 1, 1)  # 3+ | 5 | > | = | 8
    OperatorCounts(total=2, isolated=1, compounds=1, kept=0)
    """
    starts, ends = units.operators.T
    is_compound = ends - starts > 1
    covers = tokens.ends > tokens.starts
    token_starts, token_ends = tokens.starts[covers], tokens.ends[covers]
    if not len(token_starts):
        return OperatorCounts(len(starts), 0, _count(is_compound), 0)
    first = np.minimum(np.searchsorted(token_ends, starts, "right"), len(token_starts) - 1)
    last = np.maximum(np.searchsorted(token_starts, ends, "left") - 1, 0)
    has_all = (token_starts[first] <= starts) & (token_ends[last] >= ends)
    before, visible = units.visible_before, ends - starts
    is_alone = before[token_ends[last]] - before[token_starts[first]] == visible
    return OperatorCounts(
        len(starts), _count(has_all & is_alone), _count(is_compound), _count(has_all & is_compound & (first == last))
    )


def num_across_characters(units: TextUnits, tokens: Tokens) -> int:
    """Returns how many tokens have bytes of two or more characters, at least one of them not whole.

    TokEval (`boundary_crossing_rate`, a share of the tokens) looks at the bytes of the token alone, so that two last
    bytes of one character count there as two characters; here the text says which character they are of.

    >>> text = "กa"  # three bytes and one
    >>> [num_across_characters(TextUnits(text), Tokens(text, np.arange(2), np.array(cut))) for cut in ([2, 2], [1, 3])]
    [1, 1]
    >>> num_across_characters(TextUnits(text), Tokens(text, np.arange(3), np.array([1, 2, 1])))
    0
    """
    covers = tokens.ends > tokens.starts
    starts, ends = tokens.starts[covers], tokens.ends[covers]
    character = np.cumsum(units.starts_character)
    is_partial = ~(units.starts_character[starts] & units.starts_character[ends])
    return _count(is_partial & (character[ends - 1] > character[starts]))


def num_white_space(units: TextUnits, tokens: Tokens) -> int:
    r"""Returns how many tokens have nothing but white space (White_Space of Unicode), and at least one byte of it.

    >>> num_white_space(TextUnits("a \n b"), Tokens("a \n b", np.arange(4), np.array([1, 1, 1, 2])))
    2
    """
    before = units.visible_before
    return _count((tokens.ends > tokens.starts) & (before[tokens.ends] == before[tokens.starts]))


def num_missing_characters(text: str, decoded: str) -> int:
    """Returns how many characters of a text are missing in what its ids decode to.

    For each character: how many more times it is in the text than in the decoded one; these numbers are added up.
    TokEval has the share of texts that come back whole, and an edit distance, which takes too long for two megabytes.

    >>> num_missing_characters("Hello ที่", "Hello ที่"), num_missing_characters("Hello", "hello")
    (0, 1)
    >>> num_missing_characters("one  two", "one two"), num_missing_characters("ab🦜", "ab[UNK]")
    (1, 1)
    """
    return 0 if text == decoded else (Counter(text) - Counter(decoded)).total()


def _count(flags: np.ndarray) -> int:
    return int(np.count_nonzero(flags))
