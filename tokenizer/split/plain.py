r"""Plain sentences on why a piece ends; `alternatives` has the exact reasons.

For known patterns the reason is specific; for others only that another piece begins.
"""

import unicodedata
from typing import Protocol

import regex

from tokenizer.i18n import mark, tr, trn
from tokenizer.text.regex_budget import hold_gil

TEXT_ENDS = mark("The text ends here.")
LAST_LINE_END = mark("White space up to its last line ending is one pre-token, so a new pre-token begins here.")
LEFT_FOR_WORD = mark("The last character of a run of white space is left for the next pre-token.")
UNSPLIT = (
    mark("there is no split pattern: the whole text is one pre-token"),
    mark("There is no split pattern, so the whole text is one pre-token."),
)
OWN_STEPS = mark(
    "The tokenizer of this encoding splits the text with its own rules, not with a pattern. The page “Tokenizers”"
    " shows where the text is split."
)

# Sentences on the current piece, and on the piece before it.
LEFT_OVER = (
    mark("No alternative of the pattern matches this pre-token."),
    mark("No alternative of the pattern matches the text just before this pre-token."),
)
TAKES = (
    mark("This pre-token ends before {what}: its alternative of the pattern takes {words}."),
    mark("The previous pre-token ends before {what}: its alternative of the pattern takes {words}."),
)
TAKES_NO_MORE = (
    mark("This pre-token ends before {what}: its alternative of the pattern takes no more."),
    mark("The previous pre-token ends before {what}: its alternative of the pattern takes no more."),
)
NO_CAPITAL = (
    mark(
        "This pre-token ends before {what}: its alternative of the pattern takes no capital after a lower-case letter."
    ),
    mark(
        "The previous pre-token ends before {what}: its alternative of the pattern takes no capital "
        "after a lower-case letter."
    ),
)
IS_A_RUN = (
    mark("This pre-token ({run}) ends before {what}."),
    mark("The previous pre-token ({run}) ends before {what}."),
)
COMPLETE = mark("This pre-token is complete: it is {run}."), mark("The previous pre-token is complete: it is {run}.")
PIECE_IS_FULL = (
    mark("This pre-token has reached the limit of {most}."),
    mark("The previous pre-token has reached the limit of {most}."),
)

LIMITED = (
    mark("This pre-token ends here: its alternative of the pattern takes at most {most}."),
    mark("The previous pre-token ends here: its alternative of the pattern takes at most {most}."),
)

CAPITAL, LINE_END, SIGN = mark("a capital letter"), mark("a line ending"), mark("a symbol")
CATEGORY_PHRASES = {
    "L": mark("a letter"),
    "M": mark("a combining mark"),
    "N": mark("a digit"),
    "P": SIGN,
    "S": SIGN,
    "Z": mark("a space"),
    "Cc": mark("a control character"),
    "Cf": mark("a formatting character"),
    "Cn": mark("an unassigned character"),
    "Co": mark("a private-use character"),
    "Lu": CAPITAL,
    "Lt": CAPITAL,
    "Nl": mark("a numeral"),
    "No": mark("a numeral"),
    "Zl": LINE_END,
    "Zp": LINE_END,
}
OTHER = mark("a character")
UNSEEN = {"\n": LINE_END, "\r": LINE_END, "\t": mark("a tab")}

# The pieces of the alternatives of known patterns, by their source.
LETTERS, CASED = mark("a run of letters"), mark("a run of letters and combining marks")
SIGNS, ENDING = mark("a run of symbols"), mark("the ending of a contraction ('s, 'll …)")
NUMERALS, SPACES = mark("a run of numerals"), mark("a run of white space")
RUNS = {
    r"'(?:[sdmt]|ll|ve|re)": ENDING,
    r"'(?i:[sdmt]|ll|ve|re)": ENDING,
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)": ENDING,
    r" ?\p{L}++": LETTERS,
    r"[^\r\n\p{L}\p{N}]?+\p{L}++": LETTERS,
    r"[^\r\n\p{L}\p{N}]?\p{L}+": LETTERS,
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?": CASED,
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?": CASED,
    r" ?\p{N}++": NUMERALS,
    r"\p{N}{1,3}+": NUMERALS,
    r"\p{N}{1,3}": NUMERALS,
    r" ?[^\s\p{L}\p{N}]++": SIGNS,
    r" ?[^\s\p{L}\p{N}]++[\r\n]*+": SIGNS,
    r" ?[^\s\p{L}\p{N}]+[\r\n]*": SIGNS,
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*": SIGNS,
    r"\s++$": SPACES,
    r"\s+(?!\S)": SPACES,
    r"\s": SPACES,
    r"\s+": SPACES,
}
_FIRST = {  # the characters of the run itself
    run: hold_gil(regex.compile(characters).match)
    for run, characters in ((LETTERS, r"\p{L}"), (CASED, r"[\p{L}\p{M}]"), (SIGNS, r"\S"), (NUMERALS, r"\S"))
}
LEADING = {" ": mark("a space"), "\t": mark("a tab")}  # characters before a run, in its pre-token
_has_ending = hold_gil(regex.compile(r"(?<=[\p{L}\p{M}])(?i:'s|'t|'re|'ve|'m|'ll|'d)$").search)
_has_mark = hold_gil(regex.compile(r"\p{M}").search)
_has_lower_case = hold_gil(regex.compile(r"\p{Ll}").search)
_after_signs = hold_gil(regex.compile(r"[\r\n][\r\n/]*$").search)
_line_endings = hold_gil(regex.compile(r"\r\n|[\r\n]").findall)


class Named(Protocol):
    """A character with its general category."""

    text: str
    category: str


def name(one: Named) -> str:
    """Returns the name of a character, with the character itself if it is visible.

    >>> from tokenizer.split.alternatives import character
    >>> name(character("7")), name(character(" ")), name(character("ี"))
    ('“7”, a digit', 'a space', '“◌ี”, a combining mark')
    """
    kind = _kind(one.text, one.category)
    if one.category[0] in "CZ" or not one.text.isprintable():
        return kind
    return tr("“{sign}”, {kind}", sign=f"{'◌' if one.category[0] == 'M' else ''}{one.text}", kind=kind)


def _kind(character: str, category: str) -> str:
    return tr(UNSEEN.get(character) or CATEGORY_PHRASES.get(category) or CATEGORY_PHRASES.get(category[0], OTHER))


Reasons = tuple[str, str]  # for the current piece, and for the same piece as the one before


def reasons(sentences: str | tuple[str, str], **facts: object) -> Reasons:
    """Returns one sentence for both cases, or two of them, with these facts.

    >>> reasons(PIECE_IS_FULL, most="three numerals")[1]
    'The previous pre-token has reached the limit of three numerals.'
    """
    one, before = (sentences, sentences) if isinstance(sentences, str) else sentences
    return tr(one, **facts), tr(before, **facts)


def begins(following: Named) -> Reasons:
    """Returns the reason that a character begins a new piece, for unknown patterns."""
    return reasons(mark("A new pre-token begins at {what}."), what=name(following))


def ends(following: Named, source: str, words: str | None, piece: str, seen: str) -> Reasons:
    r"""Returns why a character ends the piece of an alternative; `seen` is its first character for the pattern.

    >>> from tokenizer.split.alternatives import explain
    >>> for piece in explain("Read GPTs 2 times!\n(at us", "o200k_base"):
    ...     print(f"{piece.text!r} {piece.plain}")
    'Read' This pre-token (a run of letters) ends before a space.
    ' GPTs' This pre-token (a space, then a run of letters) ends before a space.
    ' ' This pre-token (a space) ends before “2”, a digit.
    '2' This pre-token (a digit) ends before a space.
    ' times' This pre-token (a space, then a run of letters) ends before “!”, a symbol.
    '!\n' This pre-token (a symbol, followed by a line ending) ends before “(”, a symbol.
    '(at' This pre-token (“(”, then a run of letters) ends before a space.
    ' us' The text ends here.
    """
    what = name(following)
    if source not in RUNS:
        return reasons(TAKES if words else TAKES_NO_MORE, what=what, words=words)
    if RUNS[source] == CASED and following.category in ("Lu", "Lt") and _has_lower_case(piece):
        return reasons(NO_CAPITAL, what=what)
    return reasons(IS_A_RUN, what=what, run=_run(source, piece, seen))


def complete(following: Named, source: str, words: str | None, piece: str, seen: str) -> Reasons:
    """Returns the reason that a piece is complete, such as the ending of a contraction.

    >>> from tokenizer.split.alternatives import explain
    >>> explain("it's a", "gpt2")[1].plain
    "This pre-token is complete: it is the ending of a contraction ('s, 'll …)."
    """
    if source not in RUNS:
        return begins(following)
    return reasons(COMPLETE, run=_run(source, piece, seen))


def limit(source: str, most: str) -> Reasons:
    """Returns the reason that a piece has its maximal length."""
    return reasons(PIECE_IS_FULL if source in RUNS else LIMITED, most=most)


def _run(source: str, piece: str, seen: str) -> str:
    """Returns a phrase on a piece: a run, with the character before and the ending after it."""
    run = RUNS[source]
    has_leading = run in _FIRST and not _FIRST[run](seen)
    after = {CASED: _has_ending, SIGNS: _after_signs}.get(run, lambda _: None)(piece)
    size = (after.start() if after else len(piece)) - has_leading
    if size == 1:
        words = _kind(one := piece[has_leading], unicodedata.category(one))
    else:
        words = tr(LETTERS if run == CASED and not _has_mark(piece) else run)
    if has_leading:
        words = tr("{first}, then {run}", first=_leading(piece[0]), run=words)
    if run == CASED and after:
        words = tr("{run}, with the ending of a contraction", run=words)
    if run == SIGNS and (endings := len(_line_endings(piece))):
        words = trn("{run}, followed by a line ending", "{run}, followed by line endings", endings, run=words)
    return words


def _leading(character: str) -> str:
    if character in LEADING:
        return tr(LEADING[character])
    if not character.isprintable():
        return tr("one other character")
    return f"“{'◌' if unicodedata.category(character)[0] == 'M' else ''}{character}”"
