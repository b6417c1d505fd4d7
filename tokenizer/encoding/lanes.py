"""Four ways to cut a text: into characters, words, bytes, and the tokens of an encoding."""

from typing import NamedTuple

from icu4py.breakers import WordBreaker

from tokenizer.encoding.interface import Encoding
from tokenizer.text.units import LOCALE


class Lane(NamedTuple):
    """A text cut one way: how long a sequence that is, and what vocabulary it takes; None has no end."""

    pieces: list[str] | list[bytes]
    vocabulary: int | None

    @property
    def distinct(self) -> int:
        """How many different pieces stand in the text."""
        return len(set(self.pieces))


CHARACTERS = 0x110000 - 0x800  # all code points but the surrogates, which are no characters


def lanes(text: str, encoding: Encoding) -> dict[str, Lane]:
    """Returns a text as characters, as words with what stands between them, as bytes, and as an encoding's tokens.

    >>> from tokenizer import get_encoding
    >>> {name: len(lane.pieces) for name, lane in lanes("ที่ costs", get_encoding("gpt2")).items()}
    {'characters': 9, 'words': 3, 'bytes': 15, 'BPE': 7}
    """
    data, tokens = text.encode(), encoding.tokenize(text)
    return {
        "characters": Lane(list(text), CHARACTERS),
        "words": Lane(list(WordBreaker(text, LOCALE)), None),
        "bytes": Lane([bytes([value]) for value in data], 256),
        "BPE": Lane([data[token.start : token.end] for token in tokens], encoding.vocab_size),
    }
