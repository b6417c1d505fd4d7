"""tiktoken's `.tiktoken`: a token in base64 and its rank on each line; the rest stands in a file beside it."""

import hashlib
import re
from binascii import Error, a2b_base64
from functools import partial

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.vocabulary import rank_table
from tokenizer.errors import BadTokenizerFile, CannotSave
from tokenizer.formats import sidecar
from tokenizer.formats.merges import in_file, merges_of
from tokenizer.formats.reading import Source, read_id, read_lines
from tokenizer.kinds.byte_bpe import byte_bpe
from tokenizer.kinds.from_merges import SINGLE_BYTES
from tokenizer.kinds.registry import of_ranks
from tokenizer.words import mark, tr


def files(encoding: Encoding, name: str) -> dict[str, bytes]:
    """Returns the files that hold an encoding: `name`.tiktoken and `name`.tiktoken.json."""
    merges = merges_of(encoding, "tiktoken", ["bytes"])
    if merges.pairs is not None:
        raise CannotSave(encoding.name, "tiktoken", tr("tiktoken would merge differently"))
    table = rank_table(merges.tokens)
    return {f"{name}.tiktoken": table, f"{name}.tiktoken.json": sidecar.written(encoding)}


def recognises(data: bytes) -> bool:
    """Whether a file begins as this form does."""
    return re.match(rb"[A-Za-z0-9+/]+=* \d+\r?(\n|$)", data) is not None


def read(source: Source) -> Encoding:
    """Returns the encoding that a rank table and the file beside it hold."""
    path, ranks = source.path, {}
    used: set[int] = set()
    for number, line in enumerate(read_lines(path, source.data), start=1):
        parts = line.split(" ")
        try:
            token = a2b_base64(parts[0], strict_mode=True)
        except (Error, ValueError):
            token = b""
        if len(parts) != 2 or not token:
            raise BadTokenizerFile(
                path, tr("{line!r} is not a token in base64 followed by its rank", line=line[:80]), number
            )
        rank = read_id(path, parts[1], number)
        if token in ranks or rank in used:
            raise BadTokenizerFile(
                path, tr("{line!r} repeats a token or a rank of another line", line=line[:80]), number
            )
        ranks[token] = rank
        used.add(rank)
    if missing := SINGLE_BYTES.keys() - ranks:
        raise BadTokenizerFile(path, tr("there is no token for the byte {byte!r}", byte=min(missing)), number)
    facts, notes = _known(source), []
    if facts:
        known = mark("Its ranks are those of {name}, so a text is split as there.")
        notes = [partial(tr, known, name=facts.name)]
        notes += [] if facts.special_tokens else [partial(tr, mark("Its special tokens are not in this file."))]
    facts = facts or sidecar.beside(source)
    with in_file(path):
        made = byte_bpe(facts.name, facts.pattern, ranks).with_special_tokens(facts.special_tokens)
    made.model.notes = notes
    return made


def _known(source: Source) -> sidecar.Sidecar | None:
    """What is known of a table that somebody published, where nothing is said beside it."""
    if source.pattern is not None or sidecar.path_beside(source.path).exists():
        return None
    found = of_ranks(hashlib.sha256(source.data).hexdigest())
    return found and sidecar.Sidecar(*found[:2], found[2] if source.special_tokens is None else source.special_tokens)


def needs_pattern(data: bytes) -> bool:
    """Whether these bytes are a rank table of which nobody knows how a text is split for it."""
    return recognises(data) and of_ranks(hashlib.sha256(data).hexdigest()) is None
