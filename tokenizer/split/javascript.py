r"""Split patterns for JavaScript's `RegExp` with the flags `g` and `u`, whose syntax and classes differ from `regex`.

JavaScript's `\s` has U+FEFF and lacks U+0085, it has no possessive quantifiers and no atomic groups, and not every
browser has `(?i:`. Only portable patterns are translated (see `dialects.py`).
"""

import re
from functools import cache

from tokenizer.split.dialects import PORTABLE, portable_parts

# White_Space of Unicode, as in `regex` and in tiktoken's engine; Unicode has not changed it since version 6.3.
WHITE_SPACE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
SYNTAX = r"^$\.*+?()[]{}|/"  # the only characters that may be escaped in mode `u`, besides the hyphen in a set
LONG_S = r"\u017f"  # matches "s" where case is ignored
_IN_SET = re.compile(r"\\p\{\w+\}|\\.|.")


@cache
def for_javascript(pattern: str) -> str | None:
    r"""Returns the source of a `RegExp` that finds the same pieces, or None if there may be none.

    The two may still differ at characters that one of them does not know, since each has a version of Unicode.

    >>> for_javascript(r"\p{N}{1,3}+|'(?i:ll)|[^/]")
    "(?:(?=(\\p{N}{1,3}))\\1)|'(?:[lL][lL])|[^/]"
    >>> for_javascript(r"\w+") is None
    True
    """
    parts = portable_parts(pattern)
    if parts is None:
        return None
    return _Writer().write(parts)


class _Writer:
    """Writes the parts of a pattern one after the other."""

    def __init__(self):
        self.written, self.captures = "", 0
        self.last = 0  # where the last atom or group begins
        self.groups: list[tuple[int, str]] = []  # where each open group begins, and its opening part

    def write(self, parts: list[str]) -> str | None:
        for part in parts:
            if part == ")":
                self._close()
            elif part in ("(?:", "(?>", "(?!"):
                self.groups.append((len(self.written), part))
                self.written += "(?:" if part == "(?>" else part
            elif part == "|":
                self.written += part
            elif PORTABLE["quantifier"].fullmatch(part):
                if self.written.startswith("(?!", self.last):
                    return None  # mode `u` refuses to repeat a lookahead
                self._repeat(part)
            elif part == r"\s++$":
                self.written += self._atomic(f"[{WHITE_SPACE}]+") + "$"
            elif (atom := _atom(part)) is None:
                return None
            else:
                self.last = len(self.written)
                self.written += atom
        return self.written

    def _close(self) -> None:
        self.last, opening = self.groups.pop()
        self.written += ")"
        if opening == "(?>":
            self.written = self.written[: self.last] + self._atomic(self.written[self.last :])

    def _repeat(self, quantifier: str) -> None:
        if len(quantifier) > 1 and quantifier.endswith("+"):
            repeated = self.written[self.last :] + quantifier[:-1]
            self.written = self.written[: self.last] + self._atomic(repeated)
        else:
            self.written += quantifier

    def _atomic(self, source: str) -> str:
        """Returns an expression that gives nothing back: JavaScript never backtracks into a lookahead."""
        self.captures += 1
        return rf"(?:(?=({source}))\{self.captures})"


def _atom(part: str) -> str | None:
    if part.startswith("(?i:"):
        return "(?:" + "".join(map(_in_any_case, re.findall(r"\[\w+\]|.", part[4:-1]))) + ")"
    if part.startswith("["):
        return _set(part)
    if part == r"\s":
        return f"[{WHITE_SPACE}]"
    if part == r"\S":
        return f"[^{WHITE_SPACE}]"
    return _character(part)


def _set(part: str) -> str | None:
    opening = "[^" if part.startswith("[^") else "["
    members = _IN_SET.findall(part[len(opening) : -1])
    if r"\S" in members:
        return None
    return opening + "".join(WHITE_SPACE if one == r"\s" else _character(one, "-") for one in members) + "]"


def _character(part: str, also_escaped: str = "") -> str:
    """Returns a character or an escape; mode `u` refuses an escape that is not needed."""
    if part[0] == "\\" and not part[1].isalnum() and part[1] not in SYNTAX + also_escaped:
        return part[1]
    return part


def _in_any_case(part: str) -> str:
    letters = [letter for letter in part if letter.isalpha()]
    if not letters:
        return part
    return "[" + "".join(x + x.upper() + (LONG_S if x == "s" else "") for x in letters) + "]"
