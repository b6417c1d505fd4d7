"""Guards against expensive custom patterns: they raise in time, and take little time themselves."""

import warnings
from unittest.mock import patch

import pytest
import regex
from amounts import examples
from hypothesis import example, given
from hypothesis import strategies as st
from regex import _main, _regex_core

from tokenizer import PATTERNS, pre_tokens
from tokenizer.errors import BadPattern
from tokenizer.split import guards, patterns
from tokenizer.split.alternatives import explain
from tokenizer.split.guards import repeated_depth
from tokenizer.split.patterns import compiled, usable_pattern
from tokenizer.split.regexes import constructs

HOSTILE = ["{", "{ ", "{1", "{1,", "[", "[^", "[\\", "(", "()", "\\", "(?", "(?i", "(?#", "(?<a", "\\p{", "a{1}"]


@pytest.mark.parametrize("depth", [16, 23, 200])
def test_nested_repeats_raise_before_compilation(depth):
    with pytest.raises(BadPattern, match="above the limit of 200,000"):
        compiled("(" * depth + "a+" + ")+" * depth + "$")
    assert repeated_depth(constructs("(" * depth + "a+" + ")+" * depth)) == depth


@pytest.mark.parametrize("pattern", [r"((a+)+)+b", r"\(\(+", r"[((+]+", r"(?:(?:x){2}){3}", *PATTERNS.values()])
def test_ordinary_repeats_are_accepted(pattern):
    assert usable_pattern(pattern, "some text") == pattern


@pytest.mark.slow
def test_catastrophic_pattern_raises_after_the_time_limit():
    with pytest.raises(BadPattern, match="longer than 0.5 seconds"):
        usable_pattern(r"(a|aa)+\d", "a" * 60 + "!")


CALLS = [r"\((?R)?\)", r"(a(?1)?b)", r"(?<x>a(?&x)?b)", r"(?P<x>a(?P>x)?b)", r"(a(?-1)?)", r"(?+1)(a)"]


@pytest.mark.parametrize("pattern", [*CALLS, r"(?x)(?P<x>a (?P >x)?)"])
def test_recursive_pattern_raises(pattern):  # it takes 800 MB a second before any time limit
    assert regex.compile(pattern)
    with pytest.raises(BadPattern, match="calls itself or one of its groups"):
        compiled(pattern)


@pytest.mark.parametrize("pattern", [r"(?P<x>a)(?P=x)", r"[(?R)]", r"\(?R", r"(?-i:a)", r"(?#(?R)a", r"(a)(?(1)b|c)"])
def test_patterns_that_only_look_recursive_are_accepted(pattern):
    assert compiled(pattern)


@pytest.mark.parametrize(
    "pattern", ["(?x)(?:a|b){9 9 9 9 9 9}", "(?x)(?:a|b){ 9#\n99999 }", "(?x)" + "(" * 17 + "a" + ") +" * 17]
)
def test_repeats_in_verbose_patterns_are_counted(pattern):
    with pytest.raises(BadPattern, match="above the limit of 200,000"):
        compiled(pattern)


PARTS = r"a [a( (?R) (?1) (?&x) (?P>x) (?+1) (?<x> (?P<x> (?x) (?V1) (?i: (?# ( ) ) ] [ \ \( # ? * + {2} {1 2} } | ^"


@pytest.mark.parametrize("work", [pre_tokens, explain])
def test_memory_error_of_a_pattern_is_raised_as_bad_pattern(work, monkeypatch):
    class Greedy:  # as (?:(a)|(b))* on 5 MB, where `regex` fails at 600 MB
        def finditer(self, *_, **__):
            raise MemoryError

    monkeypatch.setattr(patterns, "compiled", lambda pattern: Greedy())
    with pytest.raises(BadPattern, match="more memory for this text"):
        list(work("abab", "(?:(a)|(b))*"))


@examples(500)
@given(st.lists(st.sampled_from([*PARTS.split(), " ", "\n"]), max_size=9).map("".join))
@example("[(?V1)(?R)")
def test_calls_and_repeats_include_those_of_the_engine(pattern):
    with patch.object(_regex_core, "CallGroup", wraps=_regex_core.CallGroup) as calls:
        quantifier = patch.object(_regex_core, "apply_quantifier", wraps=_regex_core.apply_quantifier)
        with quantifier as repeats, warnings.catch_warnings(action="ignore"):
            try:
                regex.compile(pattern, cache_pattern=False)
            except regex.error:
                return
    found = list(constructs(pattern))
    assert bool(calls.call_args_list) <= any(part.kind == "call" for part in found)
    counts = {count for call in repeats.call_args_list for count in [call.args[2][1] or call.args[2][0]] if count > 1}
    assert counts <= {guards.most_repeats(pattern[part.start : part.end]) for part in found}


@pytest.mark.slow
@pytest.mark.parametrize("end", ["", "a", "}", "]", " " * 8_000 + "a", "1" * 8_000])
def test_long_hostile_pattern_is_refused_at_once(end):  # backtracking would take hours
    for part in HOSTILE:
        pattern = part * (5_100 // len(part)) + end
        repeated_depth(constructs(pattern))
        with pytest.raises(BadPattern):
            compiled(pattern)


def test_caches_of_custom_patterns_are_bounded():
    before = len(_main._cache)
    for number in range(40):
        list(explain("ab1", f"(?:a|b){{9}}|[a-z]{{1,{number + 1}}}|."))
    assert len(_main._cache) - before < 10 and patterns.compile_untrusted.cache_info().currsize <= 16


def test_pattern_over_the_length_limit_raises():
    with pytest.raises(BadPattern, match="the limit is 5,000"):
        compiled("{" + " " * 5_000 + "a")
    assert usable_pattern("{" + " " * 1_900 + "a", "")
