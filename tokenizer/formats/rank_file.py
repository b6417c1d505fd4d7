"""tiktoken's `.tiktoken`: a token in base64 and its rank on each line; the rest stands in a file beside it."""

import re
from binascii import Error, a2b_base64
from collections.abc import Mapping
from pathlib import Path

from tokenizer.encoding.byte_bpe import byte_bpe
from tokenizer.encoding.from_merges import SINGLE_BYTES
from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.vocabulary import rank_table
from tokenizer.errors import BadPattern, BadTokenizerFile, CannotSave, TokenizerError, UnknownPattern
from tokenizer.formats import sidecar
from tokenizer.formats.merges import merges_of
from tokenizer.formats.reading import read_id, read_lines


def files(encoding: Encoding, name: str) -> dict[str, bytes]:
    """Returns the files that hold an encoding: `name`.tiktoken and `name`.tiktoken.json."""
    merges = merges_of(encoding, "tiktoken", ["bytes"])
    if merges.pairs is not None:
        raise CannotSave(encoding.name, "tiktoken", "tiktoken would merge in another way")
    table = rank_table(merges.tokens)
    return {f"{name}.tiktoken": table, f"{name}.tiktoken.json": sidecar.written(encoding)}


def recognises(data: bytes) -> bool:
    """Whether a file begins as this form does."""
    return re.match(rb"[A-Za-z0-9+/]+=* \d+\r?(\n|$)", data) is not None


def read(path: Path, data: bytes, pattern: str | None, special_tokens: Mapping[str, int] | None) -> Encoding:
    """Returns the encoding that a rank table and the file beside it hold."""
    ranks: dict[bytes, int] = {}
    used: set[int] = set()
    for number, line in enumerate(read_lines(path, data), start=1):
        parts = line.split(" ")
        try:
            token = a2b_base64(parts[0], strict_mode=True)
        except (Error, ValueError):
            token = b""
        if len(parts) != 2 or not token:
            raise BadTokenizerFile(path, f"{line[:80]!r} is not a token in base64 and its rank", number)
        rank = read_id(path, parts[1], number)
        if token in ranks or rank in used:
            raise BadTokenizerFile(path, f"{line[:80]!r} has a token or a rank that another line has", number)
        ranks[token] = rank
        used.add(rank)
    if missing := SINGLE_BYTES.keys() - ranks:
        raise BadTokenizerFile(path, f"there is no token for the byte {min(missing)!r}", number)
    facts = sidecar.beside(path, pattern, special_tokens)
    try:
        encoding = byte_bpe(facts.name, facts.pattern, ranks)
        return encoding.with_special_tokens(facts.special_tokens) if facts.special_tokens else encoding
    except (BadPattern, UnknownPattern):
        raise
    except TokenizerError as error:
        raise BadTokenizerFile(path, str(error).rstrip(".")) from None
