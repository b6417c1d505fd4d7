"""A text in stretches that are read one by one: where a vocabulary allows it, and how one inside a text is read."""

import re
from collections.abc import Iterable

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.tokens import Tokens
from tokenizer.errors import TokenizerError
from tokenizer.split.patterns import SAFE_CUT
from tokenizer.text.well_formed import well_formed

# what is there wherever a cut is, and is far faster to look for
may_contain_cut = re.compile(r".[ 。，、！？；：]|\n.", re.DOTALL).search


MAX_DECODED_AT_ONCE_TOKENS = 20_000  # tokens


def allow_safe_cuts(pieces: Iterable[str]) -> bool:
    """Whether no piece of a vocabulary, with its spaces as spaces, can stand over a place where SAFE_CUT cuts.

    Where nothing but pieces is merged, a text may be cut there then.

    >>> [allow_safe_cuts(pieces) for pieces in ([" a", "b", "\\n"], ["a b"], ["a "], ["\\nb"])]
    [True, False, False, False]
    """
    some = filter(may_contain_cut, pieces)
    padded = [f"x{piece}x" for piece in some]  # letters are the neighbors that allow most cuts
    return not any(
        1 < cut.start() < len(piece) - 1 for piece in padded for cut in SAFE_CUT.finditer(piece, concurrent=False)
    )


def dummy_prefix(text: str, encoding: Encoding, is_inside: bool) -> str:
    """Returns what a stretch is read behind: something that a safe cut parts from it, where its place matters.

    >>> from tokenizer import get_encoding
    >>> dummy_prefix(" two", get_encoding("gpt2"), is_inside=True)
    ''
    """
    return _text_before_cut(text) if is_inside and encoding.model.treats_start_specially else ""


def _text_before_cut(text: str) -> str:
    """Returns something that a text may stand behind: between them is a safe cut, if the text begins at one.

    >>> _text_before_cut(" two"), _text_before_cut("line"), _text_before_cut("。")
    ('a', 'a\\n', '字')
    """
    return next((one for one in ("a", "字") if SAFE_CUT.match(one + text, 1)), "a\n")


def _round_trips(tokens: Tokens, data: bytes, encoding: Encoding) -> bool:
    """Whether tokens that are decoded one by one give back these bytes; bit by bit: at once it would hold up others."""
    at = 0
    for first in range(0, len(tokens), MAX_DECODED_AT_ONCE_TOKENS):
        part = encoding.byte_values(tokens.id_array[first : first + MAX_DECODED_AT_ONCE_TOKENS]).tobytes()
        if data[at : at + len(part)] != part:
            return False
        at += len(part)
    return at == len(data)


def encode_segment(text: str, encoding: Encoding, special: str, is_inside: bool) -> tuple[Tokens, bool]:
    """Returns the tokens of a stretch, and whether they decode to it; `is_inside` says that it follows a safe cut.

    >>> from tokenizer import get_encoding
    >>> tokens, holds = encode_segment(" two", get_encoding("gpt2"), "text", is_inside=True)
    >>> tokens.ids, holds
    ([734], True)
    """
    text = well_formed(text)[0]
    lead = dummy_prefix(text, encoding, is_inside)
    whole = encoding.tokenize(lead + text, special)
    size, data = len(lead.encode()), text.encode()
    first = int((whole.ends <= size).sum()) if size else 0
    starts, ends = whole.starts[first:] - size, whole.ends[first:] - size
    try:
        if len(whole) > MAX_DECODED_AT_ONCE_TOKENS and not size and encoding.model.text_of([]) is None:
            holds = _round_trips(whole, data, encoding)
        else:
            holds = encoding.decode_bytes(whole.ids) == encoding.decode_bytes(whole.ids[:first]) + data
    except TokenizerError:  # a library's decoder can fail on ids that its encoder gives
        holds = False
    return Tokens(text, whole.id_array[first:], ends - starts, starts, whole.kinds[first:]), holds
