"""Time budgets of patterns: matches equal `finditer`, only the pattern's time counts, other threads run."""

import time
from collections.abc import Iterator

import pytest
import regex
from amounts import examples
from hypothesis import example, given
from hypothesis import strategies as st

from tokenizer import pre_tokens
from tokenizer.errors import BadPattern
from tokenizer.split import alternatives, patterns
from tokenizer.split.alternatives import explain
from tokenizer.text.regex_budget import LONG_GAP_CHARACTERS, MATCHES_PER_SLICE, RegexBudget


class Interrupted:
    """A pattern that times out after some matches, as when other threads use the processor."""

    def __init__(self, source: str, limit: int):
        self.pattern, self.limit, self.calls = regex.compile(source), limit, []

    def finditer(self, text: str, at: int = 0, **how) -> Iterator[regex.Match]:
        self.calls.append(how)
        for number, match in enumerate(self.pattern.finditer(text, at)):
            if number == self.limit:
                raise TimeoutError
            yield match

    def search(self, text: str, **how) -> regex.Match | None:
        self.calls.append(how)
        if len(self.calls) <= self.limit:
            raise TimeoutError
        return self.pattern.search(text)


def work(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


PARTS = ["a", "b", "|", "a?", "b*?", r"\G", r"\K", "(?=a)", "(?<=a)", "(?<!b)", r"\b", "$", "^", ".", "(?:ab)+", "(a)"]


@examples(500)
@given(st.lists(st.sampled_from(PARTS), max_size=7).map("".join), st.text("ab ", max_size=12), st.integers(2, 4))
@example("|a", "aab", 2)
@example(r"\Ga|b*", "baab", 2)
@example("(?=a)", "aaaa", 2)
def test_matches_in_slices_equal_those_of_finditer(source, text, limit):
    found = [match.span() for match in RegexBudget(60).finditer(Interrupted(source, limit), text)]
    assert found == [match.span() for match in regex.finditer(source, text)]


@pytest.mark.parametrize("limit", [1, 2, 7, MATCHES_PER_SLICE, MATCHES_PER_SLICE + 1])
def test_time_of_other_threads_does_not_end_a_search(limit):
    pattern = Interrupted("a", limit)
    assert len(list(RegexBudget(60).finditer(pattern, "a" * 500))) == 500
    assert len(pattern.calls) >= 500 // limit


def test_time_of_the_consumer_is_not_counted():
    seen = 0
    for _ in RegexBudget(0.1).finditer(regex.compile("a"), "a" * 5 * MATCHES_PER_SLICE):
        seen += 1
        if seen % MATCHES_PER_SLICE == 0:
            work(0.04)
    assert seen == 5 * MATCHES_PER_SLICE


@pytest.mark.slow
def test_time_of_explanations_is_not_counted(monkeypatch):
    monkeypatch.setattr(
        alternatives, "stopped", lambda *_: (work(0.03), alternatives.plain.reasons(alternatives.plain.TEXT_ENDS))
    )
    assert len(explain("ab" * 4, "[a-z]|x", 0.2)) == 8


@pytest.mark.slow
def test_time_of_all_searches_is_added():
    budget = RegexBudget(0.2)
    budget.run(lambda **_: work(0.15))
    budget.run(lambda **_: time.sleep(0.15))  # waiting does not count
    assert budget.run(regex.compile("a").search, "ba")
    budget.run(lambda **_: work(0.15))
    with pytest.raises(TimeoutError):
        budget.run(regex.compile("a").search, "ba")


@pytest.mark.parametrize("find", [pre_tokens, explain])
def test_custom_pattern_keeps_the_gil_only_for_a_short_first_slice(find, monkeypatch):
    watched = Interrupted("[a-z]", 0)
    monkeypatch.setattr(patterns, "compiled", lambda _: watched)
    with pytest.raises(BadPattern):
        find("ab", "[a-z]|x", 0.05)
    first, *later = watched.calls
    assert not first["concurrent"] and first["timeout"] <= 0.01
    assert later and all(how["concurrent"] for how in later)


def test_known_pattern_keeps_the_gil(monkeypatch):
    watched = Interrupted("[a-z]", 9)
    monkeypatch.setattr(patterns, "compiled", lambda _: watched)
    assert len(pre_tokens("ab", "gpt2")) == 2
    assert watched.calls == [{"concurrent": False}]


def test_long_search_continues_without_the_gil():
    watched = Interrupted("b", 1)
    assert RegexBudget(60).run(watched.search, "ab").span() == (1, 2)
    assert [how["concurrent"] for how in watched.calls] == [False, True]


@pytest.mark.parametrize(
    "text, how",
    [
        ("b" * LONG_GAP_CHARACTERS, [False]),
        ("b" * LONG_GAP_CHARACTERS * 2, [True]),
        ("aa" + "b" * LONG_GAP_CHARACTERS * 2, [True, False]),
        (("b" * LONG_GAP_CHARACTERS * 2 + "a") * 5, [True, True, True]),
        ("a" * MATCHES_PER_SLICE * 3, [False] * 4),
    ],
)
def test_long_gaps_between_matches_are_searched_without_the_gil(text, how):
    watched = Interrupted("a", MATCHES_PER_SLICE + 1)
    found = [match.start() for match in RegexBudget(60).finditer(watched, text)]
    assert found == [place for place, one in enumerate(text) if one == "a"]
    assert [call["concurrent"] for call in watched.calls] == how
