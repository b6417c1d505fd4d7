"""Limits on untrusted patterns: their size when compiled, and their running time."""

from collections.abc import Iterable

import regex

from tokenizer.errors import BadPattern
from tokenizer.i18n import mark, tr
from tokenizer.split.regexes import LOOKAROUNDS, Construct, constructs

SAMPLE_TIMEOUT_SECONDS = 0.5  # on a sample; a sound pattern needs a thousandth of it
MIN_TIMEOUT_SECONDS, TIMEOUT_SECONDS_PER_MILLION = 2, 20  # on a text, per million characters
MAX_PATTERN_CHARACTERS = 5_000  # `regex` takes seconds for 20,000 characters of groups
MAX_EXPANDED_CHARACTERS = 200_000  # `regex` expands (?:a|b){9999999} before any timeout: seconds and gigabytes


def timeout_for(text: str) -> float:
    """Returns the time limit, in seconds, of an untrusted pattern on a text; known patterns take a hundredth of it.

    >>> timeout_for(""), timeout_for(500_000 * "a")
    (2.0, 12.0)
    """
    return MIN_TIMEOUT_SECONDS + TIMEOUT_SECONDS_PER_MILLION * len(text) / 1_000_000


def check_cost(pattern: str) -> None:
    r"""Raises BadPattern if compiling or matching a pattern could exceed the limits; does not compile it.

    Counted repeats such as {1000} multiply the cost, and each nesting of repeated groups doubles it. A pattern that
    calls its own group may take hundreds of megabytes a second during matching, and one with \K in a lookaround finds
    the same match again and again.

    >>> check_cost(r"[a-z]{1,3} (?:a|b){1000}")
    """
    if len(pattern) > MAX_PATTERN_CHARACTERS:
        raise BadPattern(
            f"{pattern[:40]}…",
            tr(
                "the pattern has {n:,} characters; the limit is {most:,} characters",
                n=len(pattern),
                most=MAX_PATTERN_CHARACTERS,
            ),
        )
    parts = list(constructs(pattern))
    if call := next((part for part in parts if part.kind == "call"), None):
        reason = tr("the pattern calls itself or one of its groups, which could use up the memory")
        raise BadPattern(pattern, reason, call.start)
    if keep := _keep_in_lookaround(pattern, parts):
        raise BadPattern(pattern, tr(KEEP_IN_LOOKAROUND), keep.start)
    built = len(pattern) << repeated_depth(parts)
    for part in parts:
        if part.kind == "quantifier":
            built *= most_repeats(pattern[part.start : part.end])
            if built > MAX_EXPANDED_CHARACTERS:
                break
    if built > MAX_EXPANDED_CHARACTERS:
        raise BadPattern(
            pattern,
            tr(
                "the pattern could take too much memory or time: its length, multiplied by each repeat count and"
                " doubled for each level of repeated groups, is above the limit of {most:,}; use smaller counts or"
                " fewer levels",
                most=MAX_EXPANDED_CHARACTERS,
            ),
        )


KEEP_IN_LOOKAROUND = mark("\\K inside a lookaround would make pre-tokens overlap; move it out of the lookaround")


def _keep_in_lookaround(pattern: str, parts: Iterable[Construct]) -> Construct | None:
    r"""Returns the first \K in a lookaround: with it a match may end before it starts, or overlap the match before."""
    are_lookarounds = []  # of the open groups
    for part in parts:
        if part.kind == "open":
            are_lookarounds.append(pattern.startswith(LOOKAROUNDS, part.start))
        elif part.kind == "close":
            are_lookarounds.pop()
        elif any(are_lookarounds) and pattern[part.start : part.end] == r"\K":
            return part
    return None


def most_repeats(quantifier: str) -> int:
    """Returns the larger count of a quantifier; 1 where it has none.

    >>> most_repeats("{2,30}"), most_repeats("{5,}?"), most_repeats("*+")
    (30, 5, 1)
    """
    counts = ("".join(regex.findall("[0-9]", count))[:20] for count in quantifier.split(","))
    return max(int(count or 1) for count in (*counts, "1"))


def repeated_depth(parts: Iterable[Construct]) -> int:
    r"""Returns the nesting depth of repeated groups.

    >>> repeated_depth(constructs("((a+)+b)* (c)?")), repeated_depth(constructs(r"\((a)[)+]"))
    (2, 0)
    """
    depths = [0]  # of the open groups, the outermost first
    last = ""
    for part in parts:
        if part.kind in ("open", "call"):
            depths.append(0)
        elif part.kind == "close":
            ended = depths.pop()
            depths[-1] = max(depths[-1], ended)
        elif part.kind == "quantifier" and last == "close":
            depths[-1] = max(depths[-1], ended + 1)
        last = part.kind
    return max(depths)
