r"""Why a piece ends, in one sentence for everybody; `alternatives` has the exact one.

What is said of a piece of our own patterns is known; of a visitor's pattern, no more than that another piece begins.
"""

from typing import Protocol

import regex

END = "The text ends here."
LEFT_OVER = "No part of the pattern matches this stretch."
LAST_LINE_END = "White space ends here, after its last line ending: what follows begins a new piece."
LEFT_FOR_WORD = "The last character of a run of white space is left for what comes after it."
UNSPLIT = (
    "no split pattern: the whole text is one pre-token",
    "No pattern splits this text.",
)
OWN_STEPS = "Its tokenizer reads this text in steps of its own. The page Tokenizers shows where they cut it."

KINDS = {"L": "a letter", "M": "a mark", "N": "a digit", "P": "a sign", "S": "a sign", "Z": "a space"}
KINDS |= {"Cc": "a control character", "Cf": "a formatting character", "Cn": "an unassigned character"}
KINDS |= {"Lu": "a capital letter", "Lt": "a capital letter", "Zl": "a line ending", "Zp": "a line ending"}
KINDS |= {"Nl": "a number", "No": "a number", "Co": "a private-use character"}
UNSEEN = {"\n": "a line ending", "\r": "a line ending", "\t": "a tab"}

# What the pieces are that the alternatives of our own patterns take, each as it is written there.
LETTERS, CASED, SIGNS, ENDING = "a run of letters", "a run of letters and marks", "a run of signs", "an English ending"
DIGITS, SPACES = "a run of digits", "a run of white space"
RUNS = {
    r"'(?:[sdmt]|ll|ve|re)": ENDING,
    r"'(?i:[sdmt]|ll|ve|re)": ENDING,
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)": ENDING,
    r" ?\p{L}++": LETTERS,
    r"[^\r\n\p{L}\p{N}]?+\p{L}++": LETTERS,
    r"[^\r\n\p{L}\p{N}]?\p{L}+": LETTERS,
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?": CASED,
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?": CASED,
    r" ?\p{N}++": DIGITS,
    r"\p{N}{1,3}+": DIGITS,
    r"\p{N}{1,3}": DIGITS,
    r" ?[^\s\p{L}\p{N}]++": SIGNS,
    r" ?[^\s\p{L}\p{N}]++[\r\n]*+": SIGNS,
    r" ?[^\s\p{L}\p{N}]+[\r\n]*": SIGNS,
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*": SIGNS,
    r"\s++$": SPACES,
    r"\s+(?!\S)": SPACES,
    r"\s": "one character of white space",
    r"\s+": SPACES,
}
_FIRST = {LETTERS: r"\p{L}", CASED: r"[\p{L}\p{M}]", SIGNS: r"\S", DIGITS: r"\S"}  # what belongs to the run itself
_ENDING = regex.compile(r"[\p{L}\p{M}](?i:'s|'t|'re|'ve|'m|'ll|'d)$")


class Named(Protocol):
    """A character with its general category."""

    text: str
    category: str


def name(one: Named) -> str:
    """Returns what a character is called: with itself where it can be seen.

    >>> from tokenizer.split.alternatives import character
    >>> name(character("7")), name(character(" ")), name(character("ี"))
    ('“7”, a digit', 'a space', '“◌ี”, a mark')
    """
    kind = UNSEEN.get(one.text) or KINDS.get(one.category) or KINDS.get(one.category[0], "a character")
    if one.category[0] in "CZ" or not one.text.isprintable():
        return kind
    return f"“{'◌' if one.category[0] == 'M' else ''}{one.text}”, {kind}"


def _as_subject(one: Named) -> str:
    words = name(one)
    return f"{words}," if words[0] == "“" else words[0].upper() + words[1:]


def begins(following: Named) -> str:
    """Returns that a character begins a new piece, which is all that is known."""
    return f"{_as_subject(following)} begins a new piece."


def ends(following: Named, source: str, words: str | None, piece: str, seen: str) -> str:
    r"""Returns why a character ends a piece that an alternative took; `seen` is how the pattern sees its beginning.

    >>> from tokenizer.split.alternatives import explain
    >>> for piece in explain("Read GPTs 2 times!\nat OpenAI", "o200k_base"):
    ...     print(f"{piece.text!r} {piece.plain}")
    'Read' A space ends this piece, which is a run of letters and marks.
    ' GPTs' A space ends this piece, which is a run of letters and marks after a space.
    ' ' “2”, a digit, ends this piece, which is a run of white space.
    '2' A space ends this piece, which is a run of digits.
    ' times' “!”, a sign, ends this piece, which is a run of letters and marks after a space.
    '!\n' “a”, a letter, ends this piece, which is a run of signs, followed by line endings.
    'at' A space ends this piece, which is a run of letters and marks.
    ' Open' “A”, a capital letter, ends this piece: in a word, capitals come first.
    'AI' The text ends here.
    """
    if source not in RUNS:
        tail = f"this part of the pattern takes {words}" if words else "this part of the pattern takes no more"
        return f"{_as_subject(following)} ends this piece: {tail}."
    if RUNS[source] == CASED and following.category in ("Lu", "Lt"):
        return f"{_as_subject(following)} ends this piece: in a word, capitals come first."
    return f"{_as_subject(following)} ends this piece, which is {_run(source, piece, seen)}."


def complete(following: Named, source: str, words: str | None, piece: str, seen: str) -> str:
    """Returns that a piece is complete, as an English ending is: nothing may follow in it.

    >>> from tokenizer.split.alternatives import explain
    >>> explain("it's a", "gpt2")[1].plain
    'This piece is complete: it is an English ending.'
    """
    if source not in RUNS:
        return begins(following)
    return f"This piece is complete: it is {_run(source, piece, seen)}."


def limit(source: str, most: str) -> str:
    """Returns that a piece has as much as it may have.

    >>> limit(r"\\p{N}{1,3}", "three digits")
    'This piece is full: the limit is three digits.'
    """
    whole = "This piece is full" if source in RUNS else "This part of the pattern takes no more"
    return f"{whole}: the limit is {most}."


def _run(source: str, piece: str, seen: str) -> str:
    run = words = RUNS[source]
    if run in _FIRST and not regex.match(_FIRST[run], seen):
        words += {" ": " after a space", "\t": " after a tab"}.get(piece[0], " after another character")
    if run == CASED and _ENDING.search(piece):
        words += ", with an English ending"
    if run == SIGNS and set(piece) & set("\r\n"):
        words += ", followed by line endings"
    return words
