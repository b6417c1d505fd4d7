"""What a pattern of one's own may cost: guards that say no in time, and cost next to nothing themselves."""

import math
import re

import pytest
import regex
from amounts import examples
from hypothesis import example, given
from hypothesis import strategies as st

from tokenizer import PATTERNS
from tokenizer.errors import BadPattern
from tokenizer.split import guards
from tokenizer.split.guards import check_size, repeated_depth
from tokenizer.split.patterns import compiled, usable_pattern

HOSTILE = ["{", "{ ", "{1", "{1,", "[", "[^", "[\\", "(", "()", "\\", "(?", "(?i", "(?#", "(?<a", "\\p{", "a{1}"]


@pytest.mark.parametrize("depth", [16, 23, 200])
def test_repeated_groups_within_each_other_are_refused_before_they_are_built(depth):
    with pytest.raises(BadPattern, match="it grows to more than"):
        compiled("(" * depth + "a+" + ")+" * depth + "$")
    assert repeated_depth("(" * depth + "a+" + ")+" * depth) == depth


@pytest.mark.parametrize("pattern", [r"((a+)+)+b", r"\(\(+", r"[((+]+", r"(?:(?:x){2}){3}", *PATTERNS.values()])
def test_ordinary_repeats_are_let_through(pattern):
    assert usable_pattern(pattern, "some text") == pattern


def test_a_pattern_that_runs_away_is_cut_off():
    with pytest.raises(BadPattern, match="longer than 0.5 seconds"):
        usable_pattern(r"(a|aa)+\d", "a" * 60 + "!")


@examples(500)
@given(st.text("(){} ,12[]^\\+?a", max_size=14))
@example("{ 3 , 70000 }")
def test_the_guards_find_what_expressions_found_that_gave_back(pattern):
    counts = re.findall(r"\{\s*(\d*)\s*,?\s*(\d*)\s*\}", pattern)
    depths = [0]
    for sign, repeat in re.findall(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|(\(|\))([*+?{]?)", pattern, re.S):
        if sign == "(":
            depths.append(0)
        elif sign == ")" and len(depths) > 1:
            depths[-1] = max(depths.pop() + bool(repeat), depths[-1])
    grown = math.prod(max(int(n) for n in (*count, "1") if n) for count in counts) * 2 ** max(depths) * len(pattern)
    try:
        check_size(pattern)
    except BadPattern:
        assert grown > guards.MOST_BUILT
    else:
        try:
            regex.compile(pattern)
        except regex.error:
            return
        assert grown <= guards.MOST_BUILT


@pytest.mark.parametrize("end", ["", "a", "}", "]", " " * 100_000 + "a", "1" * 100_000])
def test_a_long_hostile_pattern_is_judged_at_once(end):  # for hours, where an expression gives back what it took
    for part in HOSTILE:
        pattern = part * (200_000 // len(part)) + end
        repeated_depth(pattern)
        with pytest.raises(BadPattern):
            compiled(pattern)


def test_a_link_that_froze_everybody_is_judged_at_once():
    with pytest.raises(BadPattern, match="5,000 are the most"):
        compiled("{" + " " * 5_000 + "a")
    assert usable_pattern("{" + " " * 1_900 + "a", "")
