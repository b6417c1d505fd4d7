"""Encoding a segment of a longer text, cut out at safe cuts, with the tokens it has within the whole."""

import re
from collections.abc import Iterable

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.tokens import Tokens
from tokenizer.errors import TokenizerError
from tokenizer.split.patterns import SAFE_CUT

# a necessary condition of SAFE_CUT that is much faster to search for
may_contain_cut = re.compile(r".[ 。，、！？；：]|\n.", re.DOTALL).search

MAX_DECODED_AT_ONCE_TOKENS = 20_000  # more would hold the GIL for too long


def allow_safe_cuts(pieces: Iterable[str]) -> bool:
    """Whether no piece of a vocabulary spans a place where SAFE_CUT matches; `pieces` have spaces as spaces.

    A model that only merges such pieces gives the same tokens when the text is cut there.

    >>> [allow_safe_cuts(pieces) for pieces in ([" a", "b", "\\n"], ["a b"], ["a "], ["\\nb"])]
    [True, False, False, False]
    """
    # padded with letters, the neighbors that allow most cuts
    padded = [f"x{piece}x" for piece in filter(may_contain_cut, pieces)]
    return not any(
        1 < cut.start() < len(piece) - 1 for piece in padded for cut in SAFE_CUT.finditer(piece, concurrent=False)
    )


def dummy_prefix(text: str, encoding: Encoding, is_inside: bool) -> str:
    """Returns a prefix to encode before a mid-text segment, for models that treat the start of a text specially.

    A safe cut lies between the prefix and the segment. Other models, and the first segment of a text, need none: "".

    >>> from tokenizer import get_encoding
    >>> dummy_prefix(" two", get_encoding("gpt2"), is_inside=True)
    ''
    """
    return _text_before_cut(text) if is_inside and encoding.model.treats_start_specially else ""


def _text_before_cut(text: str) -> str:
    """Returns a text after which a segment that begins at a safe cut still begins at one.

    >>> _text_before_cut(" two"), _text_before_cut("line"), _text_before_cut("。")
    ('a', 'a\\n', '字')
    """
    return next((prefix for prefix in ("a", "字") if SAFE_CUT.match(prefix + text, 1)), "a\n")


def _round_trips(tokens: Tokens, data: bytes, encoding: Encoding) -> bool:
    """Whether the tokens' bytes, joined, are `data`; compared batch by batch so that other threads can run."""
    at = 0
    for first in range(0, len(tokens), MAX_DECODED_AT_ONCE_TOKENS):
        part = encoding.byte_values(tokens.id_array[first : first + MAX_DECODED_AT_ONCE_TOKENS]).tobytes()
        if data[at : at + len(part)] != part:
            return False
        at += len(part)
    return at == len(data)


def encode_segment(text: str, encoding: Encoding, special: str, is_inside: bool) -> tuple[Tokens, bool]:
    """Returns the tokens of a segment, with spans in bytes of it, and whether they decode to the segment.

    `is_inside` means that the segment follows a safe cut of a longer text. `special` is as for `Encoding.tokenize`.

    >>> from tokenizer import get_encoding
    >>> tokens, round_trips = encode_segment(" two", get_encoding("gpt2"), "text", is_inside=True)
    >>> tokens.ids, round_trips
    ([734], True)
    """
    prefix = dummy_prefix(text, encoding, is_inside)
    prefixed = encoding.tokenize(prefix + text, special)
    text = prefixed.text[len(prefix) :]  # well-formed
    size, data = len(prefix.encode()), text.encode()
    first = int((prefixed.ends <= size).sum()) if size else 0
    starts, ends = prefixed.starts[first:] - size, prefixed.ends[first:] - size
    try:
        if len(prefixed) > MAX_DECODED_AT_ONCE_TOKENS and not size and encoding.model.text_of([]) is None:
            round_trips = _round_trips(prefixed, data, encoding)
        else:
            round_trips = encoding.decode_bytes(prefixed.ids) == encoding.decode_bytes(prefixed.ids[:first]) + data
    except TokenizerError:  # a library's decoder can reject ids that its encoder returned
        round_trips = False
    return Tokens(text, prefixed.id_array[first:], ends - starts, starts, prefixed.kinds[first:]), round_trips
