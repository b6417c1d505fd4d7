"""One text in four units: characters, words, bytes, and the tokens of an encoding."""

from icu4py.breakers import WordBreaker

from tokenizer.encoding.interface import Encoding
from tokenizer.text.units import LOCALE


def lanes(text: str, encoding: Encoding) -> dict[str, list[str] | list[bytes]]:
    """Returns a text as characters, as words and the text between them, as bytes, and as the tokens of an encoding.

    >>> from tokenizer import get_encoding
    >>> {name: len(pieces) for name, pieces in lanes("ที่ costs", get_encoding("gpt2")).items()}
    {'characters': 9, 'words': 3, 'bytes': 15, 'BPE': 7}
    """
    data = text.encode()
    return {
        "characters": list(text),
        "words": list(WordBreaker(text, LOCALE)),
        "bytes": [bytes([value]) for value in data],
        "BPE": [data[token.start : token.end] for token in encoding.tokenize(text)],
    }
