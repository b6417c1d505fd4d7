"""The static token strip: coloured HTML of a text's tokens, for pages and files."""

from collections.abc import Iterator
from html import escape
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import regex

from tokenizer import Encoding, Tokens
from tokenizer.display import palette
from tokenizer.text.units import grapheme_ends


class Piece(NamedTuple):
    """What can be drawn: a run of whole graphemes of one token, or one grapheme that several tokens share."""

    text: str
    first: int  # index of the first token that has bytes in it
    last: int


def pieces(tokens: Tokens) -> Iterator[Piece]:
    """Yields the pieces of a text in order; their texts join to it.

    >>> from tokenizer import get_encoding
    >>> [tuple(piece) for piece in pieces(get_encoding("gpt2").tokenize("a ที่"))]
    [('a', 0, 0), (' ', 1, 1), ('ที่', 2, 7)]
    """
    data, ends, cuts = tokens.text.encode(), tokens.ends.tolist(), grapheme_ends(tokens.text).tolist()
    start = token = 0
    for cut, next_cut in pairwise([*cuts, len(data) + 1]):
        first = token
        while ends[token] < cut:
            token += 1
        if first < token or next_cut > ends[token]:  # shared, or the last grapheme that this token has whole
            yield Piece(data[start:cut].decode(), first, token)
            start = cut
        token += ends[token] == cut


# What an HTML parser, or Streamlit on the way to one, would change: CR becomes LF, a line of spaces loses them, NUL is
# dropped. A reference keeps the first two; nothing can spell NUL in HTML, so its picture stands for it.
KEPT = str.maketrans({"\r": "&#13;", "\n": "&#10;", "\0": "␀"})


# Format characters and controls have no shape of their own; NUL has got one above.
UNSEEN = regex.compile(r"[[\p{Cf}\p{Cc}]--[\0\t\n\r]]+", regex.V1).fullmatch


def html(text: str) -> str:
    r"""Returns `text` as HTML on one line that shows it as it is.

    >>> html("<b>\r\n&")
    '&lt;b&gt;&#13;&#10;&amp;'
    """
    return escape(text).translate(KEPT)


def strip(tokens: Tokens, encoding: Encoding) -> str:
    """Returns the tokens as HTML spans, every character of the text escaped, on one line."""
    ids, starts, ends, data = tokens.ids, tokens.starts.tolist(), tokens.ends.tolist(), tokens.text.encode()

    def facts(k: int) -> str:
        return f"token {k + 1}: id {ids[k]}, bytes {data[starts[k] : ends[k]].hex(' ').upper()}"

    def draw(piece: Piece) -> str:
        title = html("\n".join(facts(k) for k in range(piece.first, piece.last + 1)))
        count = piece.last - piece.first + 1
        if count == 1:
            unseen, name = (" unseen", f' data-m="{code_points(piece.text)}"') if UNSEEN(piece.text) else ("", "")
            color = f"c{piece.first % palette.COUNT}"
            return f'<span class="t {color}{unseen}"{name} title="{title}">{html(piece.text)}</span>'
        return f'<span class="t cut" style="{bands(piece.first, count)}" title="{title}">{html(piece.text)}</span>'

    return "".join(map(draw, pieces(tokens)))


def code_points(text: str) -> str:
    r"""Returns what a text that shows nothing is drawn by.

    >>> code_points("\ufeff\u200b")
    'U+FEFF U+200B'
    """
    return " ".join(f"U+{ord(character):04X}" for character in text)


def bands(first: int, count: int) -> str:
    """Returns the style of a grapheme that `count` tokens share, from token `first` on: a band for each."""
    stops = (
        f"var(--tok-{(first + i) % palette.COUNT}) {100 * i / count:.2f}% {100 * (i + 1) / count:.2f}%"
        for i in range(count)
    )
    return f"--n:{count};background-image:linear-gradient(90deg,{','.join(stops)})"


def decoded_strip(ids: list[int], encoding: Encoding) -> str:
    """Returns ids as a strip; where their bytes are not UTF-8 together, each token shows as much of its own as is."""
    data = encoding.decode_bytes(ids)
    try:
        tokens = Tokens(data.decode(), np.array(ids), encoding.byte_lengths(np.array(ids)))
    except UnicodeDecodeError:
        spans = (
            f'<span class="t c{k % palette.COUNT}" title="id {id}">{html(encoding.decode([id]))}</span>'
            for k, id in enumerate(ids)
        )
        return f'<div class="strip">{"".join(spans)}</div>'
    return f'<div class="strip">{strip(tokens, encoding)}</div>'
