"""What a pattern of a visitor's own may cost: how large it may grow, and how long it may take."""

import math

import regex

from tokenizer.errors import BadPattern

SECONDS = 0.5  # for a pattern on a sample; a sound one needs a thousandth of it
SECONDS_PER_MILLION = 20
LONGEST = 5_000  # characters; `regex` takes seconds for 20,000 that are all groups
MOST_BUILT = 200_000  # `regex` builds all of (?:a|b){9999999} before any timeout: seconds, and gigabytes

# Nothing here gives back what it took, so that each takes no longer than the pattern is long.
_COUNTED = regex.compile(r"\{\s*+(\d*+)\s*+,?\s*+(\d*+)\s*+\}")
_GROUPS = regex.compile(r"\\.|\[\^?+\]?+(?:\\.|[^\]\\])*+(?:\]|\\?\z)|(\(|\))([*+?{]?)", regex.DOTALL)


def timeout_for(text: str) -> float:
    """Returns the seconds that a pattern of a user's own may take for a text; ours take a hundredth of it."""
    return 2 + SECONDS_PER_MILLION * len(text) / 1_000_000


def check_size(pattern: str) -> None:
    """Raises BadPattern if a pattern is too long, or its repeats may make it grow to more than can be built.

    Counted ones such as {1000} multiply it, and each repeated group around another doubles it.

    >>> check_size(r"[a-z]{1,3} (?:a|b){1000}")
    """
    if len(pattern) > LONGEST:
        raise BadPattern(pattern[:LONGEST], f"it has {len(pattern):,} characters; {LONGEST:,} are the most")
    counts = [max(int(n[:20]) for n in (*found, "1") if n) for found in _COUNTED.findall(pattern)]
    if math.prod(counts) * 2 ** repeated_depth(pattern) * len(pattern) > MOST_BUILT:
        raise BadPattern(pattern, f"with its repeats it grows to more than {MOST_BUILT:,} characters")


def repeated_depth(pattern: str) -> int:
    """Returns how deep repeated groups stand within each other.

    >>> repeated_depth("((a+)+b)* (c)?"), repeated_depth(r"\\((a)[)+]")
    (2, 0)
    """
    depths = [0]  # of the groups that are open, the outermost first
    for sign, repeat in _GROUPS.findall(pattern):
        if sign == "(":
            depths.append(0)
        elif sign == ")" and len(depths) > 1:
            depth = depths.pop() + bool(repeat)
            depths[-1] = max(depths[-1], depth)
    return max(depths)
