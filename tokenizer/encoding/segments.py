"""A text in stretches that are read one by one: where a vocabulary allows it, and how one inside a text is read."""

import re
from collections.abc import Iterable

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.tokens import Tokens
from tokenizer.errors import TokenizerError
from tokenizer.split.patterns import SAFE_CUT
from tokenizer.text.well_formed import well_formed

# what is there wherever a cut is, and is far faster to look for
NEAR_A_CUT = re.compile(r".[ 。，、！？；：]|\n.", re.DOTALL).search


MANY = 20_000  # tokens


def keep_cuts(pieces: Iterable[str]) -> bool:
    """Whether no piece of a vocabulary, with its spaces as spaces, can stand over a place where SAFE_CUT cuts.

    Where nothing but pieces is merged, a text may be cut there then.

    >>> keep_cuts([" a", "b", "\\n"]), keep_cuts(["a b"]), keep_cuts(["a "]), keep_cuts(["\\nb"])
    (True, False, False, False)
    """
    some = filter(NEAR_A_CUT, pieces)
    padded = [f"x{piece}x" for piece in some]  # letters are the neighbors that allow most cuts
    return not any(
        1 < cut.start() < len(piece) - 1 for piece in padded for cut in SAFE_CUT.finditer(piece, concurrent=False)
    )


def front(text: str, encoding: Encoding, is_inside: bool) -> str:
    """Returns what a stretch is read behind: something that a safe cut parts from it, where its place matters.

    >>> from tokenizer import get_encoding
    >>> front(" two", get_encoding("gpt2"), is_inside=True)
    ''
    """
    return _lead(text) if is_inside and encoding.model.has_front else ""


def _lead(text: str) -> str:
    """Returns something that a text may stand behind: between them is a safe cut, if the text begins at one.

    >>> _lead(" two"), _lead("line"), _lead("。")
    ('a', 'a\\n', '字')
    """
    return next((one for one in ("a", "字") if SAFE_CUT.match(one + text, 1)), "a\n")


def _hold(tokens: Tokens, data: bytes, encoding: Encoding) -> bool:
    """Whether tokens that are decoded one by one give back these bytes; bit by bit: at once it would hold up others."""
    at = 0
    for first in range(0, len(tokens), MANY):
        part = encoding.byte_values(tokens.id_array[first : first + MANY]).tobytes()
        if data[at : at + len(part)] != part:
            return False
        at += len(part)
    return at == len(data)


def stretch(text: str, encoding: Encoding, special: str, is_inside: bool) -> tuple[Tokens, bool]:
    """Returns the tokens of a stretch, and whether they decode to it; `is_inside` says that it follows a safe cut.

    >>> from tokenizer import get_encoding
    >>> tokens, holds = stretch(" two", get_encoding("gpt2"), "text", is_inside=True)
    >>> tokens.ids, holds
    ([734], True)
    """
    text = well_formed(text)[0]
    lead = front(text, encoding, is_inside)
    whole = encoding.tokenize(lead + text, special)
    size, data = len(lead.encode()), text.encode()
    first = int((whole.ends <= size).sum()) if size else 0
    starts, ends = whole.starts[first:] - size, whole.ends[first:] - size
    try:
        if len(whole) > MANY and not size and encoding.model.text_of([]) is None:
            holds = _hold(whole, data, encoding)
        else:
            holds = encoding.decode_bytes(whole.ids) == encoding.decode_bytes(whole.ids[:first]) + data
    except TokenizerError:  # a library's decoder can fail on ids that its encoder gives
        holds = False
    return Tokens(text, whole.id_array[first:], ends - starts, starts, whole.kinds[first:]), holds
