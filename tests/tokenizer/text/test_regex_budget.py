"""The clock of a pattern: it finds what `finditer` finds, counts the pattern's own time, and keeps nobody waiting."""

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
    """A pattern whose time is over after some matches: others work meanwhile, and `regex` counts that."""

    def __init__(self, source: str, most: int):
        self.pattern, self.most, self.asked = regex.compile(source), most, []

    def finditer(self, text: str, at: int = 0, **how) -> Iterator[regex.Match]:
        self.asked.append(how)
        for number, match in enumerate(self.pattern.finditer(text, at)):
            if number == self.most:
                raise TimeoutError
            yield match

    def search(self, text: str, **how) -> regex.Match | None:
        self.asked.append(how)
        if len(self.asked) <= self.most:
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
def test_what_is_found_in_turns_is_what_is_found_at_once(source, text, most):
    found = [match.span() for match in RegexBudget(60).finditer(Interrupted(source, most), text)]
    assert found == [match.span() for match in regex.finditer(source, text)]


@pytest.mark.parametrize("most", [1, 2, 7, MATCHES_PER_SLICE, MATCHES_PER_SLICE + 1])
def test_what_others_do_meanwhile_does_not_end_a_search(most):
    pattern = Interrupted("a", most)
    assert len(list(RegexBudget(60).finditer(pattern, "a" * 500))) == 500
    assert len(pattern.asked) >= 500 // most


def test_what_is_made_of_the_matches_is_not_counted():
    seen = 0
    for _ in RegexBudget(0.1).finditer(regex.compile("a"), "a" * 5 * MATCHES_PER_SLICE):
        seen += 1
        if seen % MATCHES_PER_SLICE == 0:
            work(0.1)
    assert seen == 5 * MATCHES_PER_SLICE


def test_what_is_told_of_the_matches_is_not_counted(monkeypatch):
    monkeypatch.setattr(
        alternatives, "stopped", lambda *_: (work(0.05), alternatives.plain.reasons(alternatives.plain.END))
    )
    assert len(explain("ab" * 4, "[a-z]|x", 0.2)) == 8


def test_the_time_of_all_searches_is_counted_together():
    clock = RegexBudget(0.2)
    clock.run(lambda **_: work(0.15))
    clock.run(lambda **_: time.sleep(0.15))  # others have the processor
    assert clock.run(regex.compile("a").search, "ba")
    clock.run(lambda **_: work(0.15))
    with pytest.raises(TimeoutError):
        clock.run(regex.compile("a").search, "ba")


@pytest.mark.parametrize("find", [pre_tokens, explain])
def test_a_pattern_that_never_comes_back_is_ended(find):
    with pytest.raises(BadPattern, match="longer than 0.5 seconds"):
        find("a" * 60 + "!", r"(?:a|aa)+\d", 0.5)


@pytest.mark.parametrize("find", [pre_tokens, explain])
def test_python_s_lock_is_kept_for_a_moment_alone(find, monkeypatch):
    watched = Interrupted("[a-z]", 0)
    monkeypatch.setattr(patterns, "compiled", lambda _: watched)
    with pytest.raises(BadPattern):
        find("ab", "[a-z]|x", 0.05)
    first, *later = watched.asked
    assert not first["concurrent"] and first["timeout"] <= 0.01
    assert later and all(how["concurrent"] for how in later)


def test_a_known_pattern_keeps_python_s_lock_for_each_match(monkeypatch):
    watched = Interrupted("[a-z]", 9)
    monkeypatch.setattr(patterns, "compiled", lambda _: watched)
    assert len(pre_tokens("ab", "gpt2")) == 2
    assert watched.asked == [{"concurrent": False}]


def test_a_search_that_takes_long_goes_on_without_python_s_lock():
    watched = Interrupted("b", 1)
    assert RegexBudget(60).run(watched.search, "ab").span() == (1, 2)
    assert [how["concurrent"] for how in watched.asked] == [False, True]


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
def test_python_s_lock_is_not_kept_on_the_long_way_to_a_match(text, how):
    watched = Interrupted("a", MATCHES_PER_SLICE + 1)
    found = [match.start() for match in RegexBudget(60).finditer(watched, text)]
    assert found == [place for place, one in enumerate(text) if one == "a"]
    assert [asked["concurrent"] for asked in watched.asked] == how
