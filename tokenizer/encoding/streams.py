"""Encoding a stream of text block by block; the ids are those of the whole text."""

from collections.abc import Iterable, Iterator

import numpy as np

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.segments import dummy_prefix, encode_segment
from tokenizer.encoding.tokens import Tokens
from tokenizer.errors import SpecialTokenInText
from tokenizer.split.blocks import blocks


def encode_stream(chunks: Iterable[str], encoding: Encoding, special: str = "text") -> Iterator[np.ndarray]:
    """Yields the ids of a text that comes in chunks: a uint32 array for each block.

    If the encoding has no safe cuts, the whole text is one block and is held in memory.

    >>> from tokenizer import get_encoding
    >>> [ids.tolist() for ids in encode_stream(["one two th", "ree"], get_encoding("gpt2"))]
    [[505, 734], [1115]]
    """
    for block, is_inside in _placed(chunks, encoding, special):
        if dummy_prefix(block, encoding, is_inside):
            yield encode_segment(block, encoding, special, is_inside)[0].id_array
        else:
            yield encoding.encode_array(block, special)


def tokenize_stream(chunks: Iterable[str], encoding: Encoding, special: str = "text") -> Iterator[Tokens]:
    """Yields the tokens of a text that comes in chunks, block by block; spans are relative to the block.

    >>> from tokenizer import get_encoding
    >>> [(tokens.text, len(tokens)) for tokens in tokenize_stream(["one two th", "ree"], get_encoding("gpt2"))]
    [('one two', 2), (' three', 1)]
    """
    for block, is_inside in _placed(chunks, encoding, special):
        yield encode_segment(block, encoding, special, is_inside)[0]


def _placed(chunks: Iterable[str], encoding: Encoding, special: str) -> Iterator[tuple[str, bool]]:
    """Yields each block, and whether it follows another; raises SpecialTokenInText with positions in the whole text."""
    characters = size = 0
    for block in blocks(chunks) if encoding.safe_cuts else ["".join(chunks)]:
        if special == "error" and encoding.contains_special_token(block):
            try:
                encoding.split_special_tokens(block, special)
            except SpecialTokenInText as found:
                place = characters + found.position, size + found.byte_position
                raise SpecialTokenInText(found.token, *place) from None
        yield block, characters > 0
        characters += len(block)
        size += len(block.encode()) if special == "error" else 0
