"""Parser for regular expressions of the `regex` module."""

import re
from collections.abc import Iterator
from typing import NamedTuple

# None of these backtracks or crosses the start of another part, since a pattern may be hostile.
ESCAPE = re.compile(
    r"\\(?:[pP]\{[^}\\]*+\}|N\{[^}\\]*+\}|[gkL]<[^>\\]*+>"
    r"|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|\d{1,3}|(?s:.)?)"
)
_COUNTS = (
    r"(?:(?P<sign>[*+?])|\{%(?=[0-9,])(?P<low>(?:[0-9]%)*+)(?:(?P<comma>,)%(?P<high>(?:[0-9]%)*+))?+\})(?P<mode>[+?])?"
)
QUANTIFIER = re.compile(_COUNTS.replace("%", ""))
SPACED_QUANTIFIER = re.compile(_COUNTS.replace("%", r"(?:\s|#[^\n]*+\n)*+"))
POSIX_CLASS = re.compile(r"\[:\^?+[\w =-]++:\]")
CALL = re.compile(r"\(\?(?:R|[0-9]|&|P(?![<=])|[+-](?![A-Za-z]))")
FLAGS = re.compile(r"\(\?(?P<on>(?:V[01]|[A-Za-z])*+)(?:-(?P<off>[A-Za-z]++))?+(?P<end>[:)])")
OPENING = re.compile(r"\((?:\?(?:<[=!]|[=!>|]|P?<\w++>))?")
COMMENT = re.compile(r"\(\?#(?:[^\\)]|\\.)*+(?:\)|\\?\Z)", re.DOTALL)
SET_OPERATORS = ("--", "||", "&&", "~~")


class Construct(NamedTuple):
    """A part of a pattern: "or", "open", "close", "call", "flags", "set", "escape", "quantifier" or "character"."""

    kind: str
    start: int
    end: int
    depth: int  # number of open groups around it


def constructs(pattern: str) -> Iterator[Construct]:
    """Yields the parts of a regular expression of the `regex` module; comments are left out.

    A "call" starts a group that matches like another group or the whole pattern.

    >>> [part.kind for part in constructs("[a|b]+|(c|d)") if part.depth == 0]
    ['set', 'quantifier', 'or', 'open', 'close']
    """
    found = list(_constructs(pattern, version_1=False))
    flags = (FLAGS.match(pattern, part.start) for part in found if part.kind in ("flags", "open"))
    is_version_1 = any(one and "V1" in one["on"] for one in flags)
    return _constructs(pattern, version_1=True) if is_version_1 else iter(found)


def _constructs(pattern: str, version_1: bool) -> Iterator[Construct]:
    verbose, outside = False, []  # whether white space is ignored here, and around each open group
    end = 0
    while end < len(pattern):
        start, character, depth, kind = end, pattern[end], len(outside), "character"
        end += 1
        if verbose and (character.isspace() or character == "#"):
            if character == "#":
                end = pattern.find("\n", start) + 1 or len(pattern)
            continue
        if comment := COMMENT.match(pattern, start):
            end = comment.end()
            continue
        if call := CALL.match(pattern, start):
            kind, end = "call", call.end()
            outside.append(verbose)
        elif flags := FLAGS.match(pattern, start):
            kind, end = "flags" if flags["end"] == ")" else "open", flags.end()
            outside += [verbose] if kind == "open" else []  # without a colon, they apply from here on
            verbose = (verbose or "x" in flags["on"]) and "x" not in (flags["off"] or "")
        elif character == "(":
            kind, end = "open", OPENING.match(pattern, start).end()
            outside.append(verbose)
        elif character == ")" and outside:
            kind, depth, verbose = "close", depth - 1, outside.pop()
        elif character == "[":
            kind, end = "set", end_of_set(pattern, start, version_1)
        elif escape := ESCAPE.match(pattern, start):
            kind, end = "escape", escape.end()
        elif quantifier := (SPACED_QUANTIFIER if verbose else QUANTIFIER).match(pattern, start):
            kind, end = "quantifier", quantifier.end()
        elif character == "|":
            kind = "or"
        yield Construct(kind, start, end, depth)


def end_of_set(pattern: str, start: int, version_1: bool) -> int:
    """Returns the end of the character set that begins at `start`; in version 1 sets can be nested.

    >>> end_of_set("[]|]x", 0, False), end_of_set("[a--[b]]]", 0, True), end_of_set("[[:alpha:]]", 0, False)
    (4, 8, 11)
    """
    depth, first, end = 0, False, start
    while end < len(pattern):
        if not first and pattern[end] == "]":
            depth, end = depth - 1, end + 1
            if depth == 0:
                return end
        elif posix := depth and POSIX_CLASS.match(pattern, end):
            first, end = False, posix.end()
        elif pattern[end] == "[" and (version_1 or depth == 0):
            depth, end = depth + 1, end + 1
            end += pattern.startswith("^", end)
            first = True  # a closing bracket in first position is literal
        elif version_1 and not first and pattern.startswith(SET_OPERATORS, end):
            first, end = True, end + 2
        else:
            first, end = False, ESCAPE.match(pattern, end).end() if pattern[end] == "\\" else end + 1
    return end


class Item(NamedTuple):
    """An element of an alternative with its quantifier."""

    kind: str  # "one" character, a "group", a "look" that matches no character, or "flags"
    source: str
    quantifier: str = ""
    low: int = 1
    high: int | None = 1
    mode: str = ""  # "?" is lazy, "+" possessive


LOOKAROUNDS = ("(?=", "(?!", "(?<=", "(?<!")
PLAIN_GROUPS = ("(?>", *LOOKAROUNDS)
ASSERTIONS = {"^", "$", *(rf"\{letter}" for letter in "bBAZzmM")}
NOT_PLAIN = re.compile(r"\\[1-9gkLGK]")  # back references, lists of strings, the start of a search
OF_MANY = (r"\X", r"\R")


def items(pattern: str, parts: list[Construct]) -> list[Item] | None:
    r"""Returns the items of a part of a pattern, or None if it has captures or unsupported constructs.

    >>> [(item.kind, item.source, item.quantifier) for item in items(r"\s+(?!\S)", list(constructs(r"\s+(?!\S)")))]
    [('one', '\\s', '+'), ('look', '(?!\\S)', '')]
    >>> items("(a)", list(constructs("(a)"))) is None
    True
    """
    found, opened = [], None
    top = min((part.depth for part in parts), default=0)
    for part in parts:
        source = pattern[part.start : part.end]
        if part.kind == "open":
            if not (source.startswith(PLAIN_GROUPS) or FLAGS.fullmatch(source)):
                return None
            opened = part if part.depth == top else opened
        elif NOT_PLAIN.match(source) or source == "{":  # a brace that is not a quantifier may be fuzzy matching
            return None
        elif part.depth > top:
            continue
        elif part.kind == "quantifier":
            if (
                not found
                or found[-1].quantifier
                or found[-1].kind in ("look", "flags")
                or not QUANTIFIER.fullmatch(source)
            ):
                return None
            found[-1] = quantified(found[-1], source)
        elif part.kind == "close":
            source = pattern[opened.start : part.end]
            found.append(Item("look" if source.startswith(LOOKAROUNDS) else "group", source))
        elif part.kind == "flags":
            found.append(Item("flags", source))
        else:
            found.append(Item("look" if source in ASSERTIONS else "group" if source in OF_MANY else "one", source))
    return found


def quantified(item: Item, quantifier: str) -> Item:
    """Returns an item with the bounds of a quantifier.

    >>> quantified(Item("one", "a"), "{2,3}+")
    Item(kind='one', source='a', quantifier='{2,3}+', low=2, high=3, mode='+')
    """
    match = QUANTIFIER.fullmatch(quantifier)
    if match["sign"]:
        low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}[match["sign"]]
    else:
        low = int(match["low"] or 0)
        high = low if not match["comma"] else int(match["high"]) if match["high"] else None
    return Item(item.kind, item.source, quantifier, low, high, match["mode"] or "")
