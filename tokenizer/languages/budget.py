"""How much text fits into a number of tokens, in several languages."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tokenizer.encoding.interface import Encoding
from tokenizer.languages.premium import count_tokens
from tokenizer.text.units import grapheme_ends


class Filled(NamedTuple):
    """The content of a window of tokens: whole sentences, a part of the next one, and the tokens used."""

    num_complete: int  # complete sentences
    part: str  # of the next sentence, whole graphemes
    rest: str  # of that sentence, outside the window
    tokens: int


def fill(lines: Sequence[str], encoding: Encoding, budget: int) -> Filled:
    """Returns how many of the sentences, in order, fit into `budget` tokens.

    Sentences are tokenized one by one. A grapheme that does not fit completely is left out.

    >>> from tokenizer import get_encoding
    >>> fill(["one two", "three four"], get_encoding("gpt2"), 3)
    Filled(num_complete=1, part='three', rest=' four', tokens=3)
    """
    found = fill_whole(lines, count_tokens(lines, encoding), budget)
    num_complete, used = found.num_complete, found.tokens
    if num_complete == len(lines):
        return found
    tokens = encoding.tokenize(lines[num_complete])
    left = budget - used
    cut = int(tokens.ends[left - 1]) if left else 0
    graphemes = grapheme_ends(tokens.text)
    fits = int(graphemes[graphemes <= cut].max(initial=0))
    data = tokens.text.encode()
    return Filled(num_complete, data[:fits].decode(), data[fits:].decode(), budget)


def fill_whole(lines: Sequence[str], tokens: np.ndarray, budget: int) -> Filled:
    """Returns what fits into `budget` tokens of sentences with these counts, of shape (lines,), none of them in part.

    >>> fill_whole(["one two", "three four"], np.array([2, 2]), 3)
    Filled(num_complete=1, part='', rest='three four', tokens=2)
    """
    num_complete = whole_sentences(tokens, budget)
    return Filled(num_complete, "", "".join(lines[num_complete : num_complete + 1]), int(tokens[:num_complete].sum()))


def whole_sentences(tokens: np.ndarray, budget: int) -> int:
    """Returns how many sentences with these numbers of tokens fit completely, in order.

    >>> whole_sentences(np.array([5, 5, 1]), 10)
    2
    """
    return int(np.searchsorted(np.cumsum(tokens), budget, side="right"))
