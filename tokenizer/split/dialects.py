"""Split patterns for other programs: portable ones, and their spelling for other regex engines."""

import re
from functools import cache, lru_cache

import regex

from tokenizer.errors import BadPattern
from tokenizer.split.guards import SAMPLE_TIMEOUT_SECONDS, check_cost
from tokenizer.split.regexes import constructs
from tokenizer.text.regex_budget import RegexBudget

# Constructs with the same meaning in `regex`, tiktoken's fancy-regex and Hugging Face's Oniguruma. Not included:
# \w and \d (other characters), \X and set operations (tiktoken has none), anchors (Ruby's apply to lines), captures,
# lookbehinds.
CATEGORIES = ("L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "N")
_CLASS = rf"\\p\{{(?:{'|'.join(CATEGORIES)})\}}" r"|\\[sSrnt]|\\[!-/:-@\[-`{-~]"
PORTABLE = {
    "escape": regex.compile(_CLASS),
    "character": regex.compile(r"""[A-Za-z0-9 '",:;<>=!@#%&~`/_-]"""),
    "set": regex.compile(
        rf"""\[\^?(?:{_CLASS}|[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9]|[A-Za-z0-9 '",:;<>=!@#%/_.?*+()$])+\]"""
    ),
    "open": regex.compile(r"\(\?[:>!]"),
    "close": regex.compile(r"\)"),
    "or": regex.compile(r"\|"),
    # engines differ on {n}? and {n}?+
    "quantifier": regex.compile(r"[*+?][+?]?|\{(?:0|[1-9][0-9]{0,3})(?:,(?:[1-9][0-9]{0,3})?)?\}\+?"),
}
# whose case folding is the same in all engines
IN_ANY_CASE = regex.compile(r"\(\?i:[sdmtlver'|]*+(?:\[[sdmtlver]++\])?[sdmtlver'|]*+\)")
AT_THE_END = [r"\s", "++", "$"]  # white space up to the end of the text in all engines
UNMATCHED = r"|(?:(?!{})[\s\S])+"  # matches text that a pattern leaves out, in one piece


@lru_cache(maxsize=256)
def is_portable(pattern: str | None) -> bool:
    r"""Whether other engines certainly find the same matches, none of them empty.

    >>> is_portable(r" ?\p{L}+|\p{N}{1,2}|\s+(?!\S)|\s+"), is_portable(r"\w+"), is_portable(r"\X"), is_portable(r"a*")
    (True, False, False, False)
    """
    try:
        check_cost(pattern or "")
        if not pattern or portable_parts(pattern) is None:
            return False
        return RegexBudget(SAMPLE_TIMEOUT_SECONDS).run(regex.compile(pattern, cache_pattern=False).search, "") is None
    except (regex.error, BadPattern, TimeoutError):
        return False


def portable_parts(pattern: str) -> list[str] | None:
    """Returns the parts of the pattern, or None if one of them is not portable."""
    found: list[str] = []
    inside = False  # a case-insensitive group is one part
    for kind, start, end, _ in constructs(pattern):
        part = pattern[start:end]
        if inside or part == "(?i:":
            found.append(found.pop() + part if inside else part)
            inside = kind != "close"
            if not inside and not IN_ANY_CASE.fullmatch(found[-1]):
                return None
        elif [*found[-2:], part] == AT_THE_END:
            found[-2:] = ["".join(AT_THE_END)]
        elif kind in PORTABLE and PORTABLE[kind].fullmatch(part):
            found.append(part)
        else:
            return None
    return found


def for_oniguruma(pattern: str) -> str | None:
    r"""Returns the pattern in the syntax of Hugging Face's engine; None if it might match differently.

    There `{1,3}+` is a repeated interval, so a possessive interval becomes an atomic group.

    >>> for_oniguruma(r"\p{N}{1,3}+|(?:a|b){2}+")
    '(?>\\p{N}{1,3})|(?>(?:a|b){2})'
    """
    if not is_portable(pattern):
        return None
    written, open_groups, last = "", [], 0  # `last` is where the last atom or group starts
    for part in portable_parts(pattern):
        if part.endswith("}+"):
            written = f"{written[:last]}(?>{written[last:]}{part[:-1]})"
            continue
        if part in ("(?:", "(?>", "(?!"):
            open_groups.append(len(written))
        elif part == ")":
            last = open_groups.pop()
        elif part != "|" and not PORTABLE["quantifier"].fullmatch(part):
            last = len(written)
        written += part
    return written


@cache
def in_ascii(pattern: str) -> re.Pattern:
    r"""Returns an expression of the `re` module with the matches of our pattern in ASCII texts.

    >>> in_ascii(r" ?[^\s\p{L}]+|\S").pattern
    ' ?[^ \\t-\\ra-zA-Z]+|[^ \\t-\\r]'
    """
    written, in_class = "", False
    for part in re.findall(r"\\p\{\w+\}|\\.|\[\^?|.", pattern):
        if part == r"\S":
            part = "[^" + ASCII[r"\s"] + "]"
        elif part in ASCII:
            part = ASCII[part] if in_class else f"[{ASCII[part]}]"
        elif part[0] in "[]":
            in_class = part != "]"
        written += part
    return re.compile(written)


ASCII = {r"\s": r" \t-\r", r"\p{L}": "a-zA-Z", r"\p{N}": "0-9", r"\p{Lu}": "A-Z", r"\p{Ll}": "a-z"}
ASCII |= dict.fromkeys([r"\p{Lt}", r"\p{Lm}", r"\p{Lo}", r"\p{M}"], "")  # ASCII has none of these


def total(pattern: str) -> str:
    """Returns a pattern for programs that drop unmatched text: it also matches that text, as separate pre-tokens.

    >>> re.findall(total("[a-z]+"), "a, b!")
    ['a', ', ', 'b', '!']
    """
    return pattern + UNMATCHED.format(pattern)


def without_total(pattern: str) -> str:
    """Returns the argument of `total` from its result; any other pattern unchanged.

    >>> without_total(total("a|b")), without_total("a|b")
    ('a|b', 'a|b')
    """
    length = (len(pattern) - len(UNMATCHED.format(""))) // 2
    return pattern[:length] if length > 0 and pattern == total(pattern[:length]) else pattern
