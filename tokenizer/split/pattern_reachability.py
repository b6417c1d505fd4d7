"""Whether any pre-token that a split pattern produces can contain a text, by reachability in an NFA of the pattern."""

from collections.abc import Callable, Iterable
from functools import lru_cache

import regex

from tokenizer.split.patterns import KNOWN_PATTERNS, as_seen, compiled
from tokenizer.split.regexes import ASSERTIONS, LOOKAROUNDS, Item, constructs, items
from tokenizer.text.regex_budget import hold_gil

MAX_UNROLLED_REPEATS = 20  # an item with more repeats is treated as unbounded
NO_FLAGS = {"(?:": "", "(?>": "", "(?i:": "(?i)"}

Test = Callable[[str], object]


class UnsupportedConstruct(Exception):
    """The pattern has a construct that the NFA cannot model."""


def can_contain(pattern: str | None, text: str) -> bool:
    r"""Returns False if no pre-token of the pattern, in any text, contains this text.

    True proves nothing: lookarounds are ignored, so the NFA accepts more than the pattern.

    >>> can_contain("o200k_base", " I'"), can_contain("llama3", " 1"), can_contain("[a-z](b)", "1")
    (True, False, True)
    >>> can_contain("llama3", "202"), can_contain("llama3", "2020")
    (True, False)
    """
    if pattern is None or not text:
        return True
    pattern = KNOWN_PATTERNS.get(pattern, pattern)
    try:
        nfa = _nfa(pattern)
    except UnsupportedConstruct:
        return True
    seen = as_seen(text, pattern)
    return nfa.spells(seen) or not any(map(nfa.matches_alone, seen))


@lru_cache(maxsize=16)
def _nfa(pattern: str) -> "Nfa":
    if compiled(pattern).flags & (regex.VERSION1 | regex.VERBOSE | regex.REVERSE):
        raise UnsupportedConstruct
    return Nfa(pattern)


class Nfa:
    """A nondeterministic automaton of a pattern; an edge without a test needs no character."""

    def __init__(self, pattern: str):
        self.edges: list[list[tuple[Test | None, int]]] = []
        self.add_alternatives(pattern, "", self.state())
        self.tests = [hold_gil(regex.compile(one).fullmatch) for one in alternatives_of(pattern) if is_sure(one)]

    def matches_alone(self, character: str) -> bool:
        """Whether some alternative matches this character alone in any context, so that it is always in a match."""
        return any(test(character) for test in self.tests)

    def spells(self, text: str) -> bool:
        """Whether a path between any two states spells this text."""
        now = set(range(len(self.edges)))
        for character in text:
            steps = (edge for state in self.reached(now) for edge in self.edges[state])
            now = {to for test, to in steps if test and test(character)}
            if not now:
                return False
        return True

    def reached(self, states: Iterable[int]) -> set[int]:
        """Returns the epsilon closure of these states."""
        found, waiting = set(), list(states)
        while waiting:
            if (state := waiting.pop()) not in found:
                found.add(state)
                waiting += [to for test, to in self.edges[state] if test is None]
        return found

    # Building it

    def state(self, *before: int) -> int:
        """Adds a state with epsilon edges from these states, and returns it."""
        self.edges.append([])
        for one in before:
            self.edges[one].append((None, len(self.edges) - 1))
        return len(self.edges) - 1

    def add_alternatives(self, source: str, flags: str, start: int) -> int:
        ends = []
        for alternative in alternatives_of(source):
            known, at = items(alternative, list(constructs(alternative))), self.state(start)
            if known is None:
                raise UnsupportedConstruct
            for item in known:
                at = self.add_item(item, flags, at)
            ends.append(at)
        return self.state(*ends)

    def add_item(self, item: Item, flags: str, at: int) -> int:
        if item.kind == "look":
            return at
        if item.high is None or item.high > MAX_UNROLLED_REPEATS:
            start = self.state(at)
            end = self.add_once(item, flags, start)
            self.edges[end].append((None, start))
            return self.state(end, *[start] * (item.low == 0))
        for i in range(item.high):
            start = self.state(at)
            end = self.add_once(item, flags, start)
            at = self.state(end, *[start] * (i >= item.low))
        return at

    def add_once(self, item: Item, flags: str, start: int) -> int:
        if item.kind == "one":
            end = self.state()
            self.edges[start].append((hold_gil(regex.compile(flags + item.source).fullmatch), end))
            return end
        opening = next((one for one in NO_FLAGS if item.source.startswith(one)), None)
        if item.kind != "group" or opening is None:
            raise UnsupportedConstruct
        return self.add_alternatives(item.source[len(opening) : -1], flags + NO_FLAGS[opening], start)


def alternatives_of(source: str) -> list[str]:
    """Returns the top-level alternatives of a pattern.

    >>> alternatives_of("a(?:b|c)|[|]")
    ['a(?:b|c)', '[|]']
    """
    cuts = [part.start for part in constructs(source) if part.kind == "or" and part.depth == 0]
    return [source[start:end] for start, end in zip([0, *(cut + 1 for cut in cuts)], [*cuts, len(source)], strict=True)]


def is_sure(source: str) -> bool:
    r"""Whether an alternative that matches a character alone matches it in every context.

    It must have no assertions and lookarounds. Possessive and atomic parts are allowed if all items match one character
    each, because no other item could have taken it.

    >>> [is_sure(source) for source in (r"\s+(?!\S)", "a$", "[$]", " ?+a++b*", "(?:aa)?+a")]
    [False, False, True, True, False]
    """
    parts = list(constructs(source))
    owns = [source[part.start : part.end] for part in parts]
    if any(own in ASSERTIONS or own.startswith(LOOKAROUNDS) for own in owns):
        return False
    quantifiers = [own for part, own in zip(parts, owns, strict=True) if part.kind == "quantifier"]
    keeps = "(?>" in owns or any(len(own) > 1 and own.endswith("+") for own in quantifiers)
    return not keeps or all(item.kind == "one" for item in items(source, parts) or [])
