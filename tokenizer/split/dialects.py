"""Split patterns in other programs: which ones every regex engine reads alike, and how to write them there."""

import re
from functools import lru_cache

import regex

# What the `regex` module, tiktoken's fancy-regex and Hugging Face's Oniguruma agree on. Not among it: \w and \d (other
# characters), \X and set operations (tiktoken has none), anchors (Ruby's are of lines), captures, looking behind.
CONSTRUCT = re.compile(
    r"""
      (?P<atom>
          \\s\+\+\$  # at the end of the white space, which is the end of the text for everyone
        | \\p\{(?:L|Lu|Ll|Lt|Lm|Lo|M|N)\}  |  \\[sSrnt]  |  \\[!-/:-@\[-`{-~]  |  [A-Za-z0-9\ '",:;<>=!@#%&~`/_-]
        | \[\^?(?:\\p\{(?:L|Lu|Ll|Lt|Lm|Lo|M|N)\} | \\[sSrnt] | \\[!-/:-@\[-`{-~]
            | [a-z]-[a-z] | [A-Z]-[A-Z] | [0-9]-[0-9] | [A-Za-z0-9\ '",:;<>=!@\#%/_.?*+()$])+\]
        | \(\?i:[sdmtlver'|]*(?:\[[sdmtlver]+\])?[sdmtlver'|]*\)  # letters that no engine folds in a way of its own
      )
    | (?P<open>\(\?[:>!])
    | (?P<close>\))
    | (?P<or>\|)
    | (?P<quantifier>(?:[*+?]|\{(?:0|[1-9]\d{0,3})(?:,(?:[1-9]\d{0,3})?)?\})[+?]?)
    """,
    re.VERBOSE | re.ASCII,
)
UNMATCHED = r"|(?:(?!{})[\s\S])+"  # matches what a pattern leaves out, in one piece


@lru_cache(maxsize=256)
def reads_alike(pattern: str | None) -> bool:
    r"""Tells whether other engines find the same matches, none of them empty; when in doubt, no.

    >>> reads_alike(r" ?\p{L}+|\p{N}{1,2}|\s+(?!\S)|\s+"), reads_alike(r"\w+"), reads_alike(r"\X"), reads_alike(r"a*")
    (True, False, False, False)
    """
    if not pattern or constructs(pattern) is None:
        return False
    try:
        return regex.search(pattern, "") is None
    except regex.error:
        return False


def constructs(pattern: str) -> list[re.Match] | None:
    """Returns the pattern in its parts, or None if one of them is not known here."""
    found, end = [], 0
    while end < len(pattern):
        match = CONSTRUCT.match(pattern, end)
        # {n}? and {n}?+ are read in different ways
        if not match or (match["quantifier"] or "").endswith("}?"):
            return None
        found.append(match)
        end = match.end()
    return found


def for_oniguruma(pattern: str) -> str | None:
    r"""Returns the pattern as Hugging Face's engine must be given it; None if it might read it differently.

    There `{1,3}+` is greedy twice, so a possessive interval becomes an atomic group.

    >>> for_oniguruma(r"\p{N}{1,3}+|(?:a|b){2}+")
    '(?>\\p{N}{1,3})|(?>(?:a|b){2})'
    """
    if not reads_alike(pattern):
        return None
    written, open_groups, last = "", [], 0  # `last` is where the last atom or group starts
    for construct in constructs(pattern):
        part = construct.group()
        if construct["quantifier"] and part.endswith("}+"):
            written = f"{written[:last]}(?>{written[last:]}{part[:-1]})"
            continue
        if construct["open"]:
            open_groups.append(len(written))
        elif construct["close"]:
            last = open_groups.pop()
        elif construct["atom"]:
            last = len(written)
        written += part
    return written


def in_ascii(pattern: str) -> str:
    r"""Returns a pattern that finds in ASCII texts what one of ours finds, and that the `re` module can read.

    >>> in_ascii(r" ?[^\s\p{L}]+|\S")
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
    return written


ASCII = {r"\s": r" \t-\r", r"\p{L}": "a-zA-Z", r"\p{N}": "0-9", r"\p{Lu}": "A-Z", r"\p{Ll}": "a-z"}
ASCII |= dict.fromkeys([r"\p{Lt}", r"\p{Lm}", r"\p{Lo}", r"\p{M}"], "")  # ASCII has none of these


def total(pattern: str) -> str:
    """Returns a pattern for programs that drop what is not matched: it matches that too, as pre-tokens of their own.

    >>> re.findall(total("[a-z]+"), "a, b!")
    ['a', ', ', 'b', '!']
    """
    return pattern + UNMATCHED.format(pattern)


def without_total(pattern: str) -> str:
    """Returns the pattern that `total` was given, or the pattern itself.

    >>> without_total(total("a|b")), without_total("a|b")
    ('a|b', 'a|b')
    """
    length = (len(pattern) - len(UNMATCHED.format(""))) // 2
    return pattern[:length] if length > 0 and pattern == total(pattern[:length]) else pattern
