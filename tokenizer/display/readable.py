"""Tokens as readable text for tables, charts and trees."""

import unicodedata

import regex

from tokenizer.encoding.interface import Encoding
from tokenizer.i18n import trn
from tokenizer.text.regex_budget import hold_gil
from tokenizer.text.well_formed import as_text

MARKS = {" ": "·", "\t": "→", "\n": "↵", "\r": "␍"}  # as in the editor
_UNSEEN = regex.compile(r"[[\p{Z}\p{C}]--[ \t\n\r]]", regex.V1)
begins_with_mark = hold_gil(regex.compile(r"\p{M}").match)  # it would combine with the character before it
_MARKED = str.maketrans(MARKS)


def readable(token: bytes, max_characters: int = 200) -> str:
    r"""Returns a token's text with invisible characters named, or its bytes in hex if they are not UTF-8.

    The result is cut to `max_characters` characters or bytes.

    >>> readable(b" the\n"), readable("ี่".encode()), readable(b"\xe0\xb8"), readable("\u200b".encode())
    ('·the↵', '◌ี่', 'E0 B8', '‹U+200B›')
    """
    if (text := as_text(token)) is None:
        return f"{token[:max_characters].hex(' ').upper()}{'…' if len(token) > max_characters else ''}"
    text, more = text[:max_characters], "…" if len(text) > max_characters else ""
    if not text.isprintable():
        text = _UNSEEN.sub(lambda found: f"‹U+{ord(found[0]):04X}›", text)
    if text and unicodedata.category(text[0]).startswith("M"):
        text = f"◌{text}"
    return text.translate(_MARKED) + more


def size_in_words(encoding: Encoding) -> str:
    """Returns a phrase on the number of tokens of an encoding, with its special tokens separately.

    >>> from tokenizer.kinds.registry import get_encoding
    >>> size_in_words(get_encoding("gpt2"))
    '50,256 tokens + 1 special token'
    """
    specials = len(encoding.special_tokens)
    size = trn("{n:,} token", "{n:,} tokens", encoding.vocab_size - specials)
    if not specials:
        return size
    return trn("{size} + {n:,} special token", "{size} + {n:,} special tokens", specials, size=size)
