"""tiktoken's `.tiktoken`: a token in base64 and its rank on each line; a second file has everything else."""

import hashlib
import re
from binascii import Error, a2b_base64
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.vocabulary import rank_table
from tokenizer.errors import BadTokenizerFile
from tokenizer.formats import sidecar
from tokenizer.formats.merges import DoesNotFit, in_file, merges_of
from tokenizer.formats.reading import Source, read_id, require_bytes
from tokenizer.i18n import mark, tr
from tokenizer.kinds.byte_bpe import byte_bpe
from tokenizer.kinds.registry import of_ranks

# base64 has groups of four characters; other words with numbers are lists of words and how often each occurs
FIRST_LINE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?=\S)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|=)?"
    rb"[ \t]+\d+[ \t]*(?:[\r\n]|$)"
)
MAX_PUBLISHED_BYTES = 10_000_000  # that of GPT-5 has 3.6 million


def files(encoding: Encoding, name: str) -> dict[str, bytes]:
    """Returns the files of an encoding: `name`.tiktoken and `name`.tiktoken.json."""
    merges = merges_of(encoding, "tiktoken", ["bytes"])
    if merges.pairs is not None:
        raise DoesNotFit(tr("tiktoken would merge the tokens in another order, with other results"))
    names = sorted(encoding.special_tokens)  # a name follows its prefixes
    if alike := next((pair for pair in pairwise(names) if pair[1].startswith(pair[0])), None):
        reason = tr(
            "the special token {token!r} is the beginning of {other!r}, so tiktoken might read {token!r} where"
            " the text has {other!r}",
            token=alike[0],
            other=alike[1],
        )
        raise DoesNotFit(reason)
    table = rank_table(merges.tokens)
    return {f"{name}.tiktoken": table, f"{name}.tiktoken.json": sidecar.written(encoding)}


def recognises(data: bytes) -> bool:
    r"""Whether a file begins like this form.

    >>> recognises(b"IQ== 0\nIg== 1\n"), recognises(b"\xef\xbb\xbf\r\n IQ==\t0 \r\n"), recognises(b"[UNK]\n")
    (True, True, False)
    >>> recognises(b"the 12345\n"), recognises(b"2000000 300\n")
    (False, False)
    """
    return FIRST_LINE.match(data) is not None


def lines_of(data: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Yields the words of each line with its number like tiktoken, which ignores blank lines, tabs and CR."""
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").splitlines(), start=1):
        if words := line.split():
            yield number, words


def read(source: Source) -> Encoding:
    """Returns the encoding in a rank table and the file beside it.

    Whisper's has a token without bytes, which is written as "=".
    """
    path, ranks = source.path, {}
    lines: dict[int, int] = {}  # numbers of lines by their ranks
    number = 1
    for number, words in lines_of(source.data):
        line = b" ".join(words).decode(errors="replace")
        try:
            token = b"" if words[0] == b"=" else a2b_base64(words[0], strict_mode=True)
        except (Error, ValueError):
            words = []
        if len(words) != 2:
            raise BadTokenizerFile(
                path,
                tr("{line!r} should be a token in base64, a space, and the rank of the token", line=line[:80]),
                number,
            )
        rank = read_id(path, words[1].decode(errors="replace"), number)
        if ranks.get(token) == rank:
            continue  # a repeated line, which tiktoken accepts too
        if token in ranks:
            problem = mark("{line!r} is the same token as in line {other:,}, with another rank; remove the wrong line")
            raise BadTokenizerFile(path, tr(problem, line=line[:80], other=lines[ranks[token]]), number)
        if rank in lines:
            problem = mark("{line!r} has the same rank as the token in line {other:,}; remove the wrong line")
            raise BadTokenizerFile(path, tr(problem, line=line[:80], other=lines[rank]), number)
        ranks[token], lines[rank] = rank, number
    require_bytes(path, ranks, number)
    facts, lazy_notes = _known(source), []
    if facts:
        known = mark("The tokens and ranks in the file are those of {name}, so text is split as in {name}.")
        lazy_notes = [partial(tr, known, name=facts.name)]
        lazy_notes += [] if facts.special_tokens else [partial(tr, mark("The special tokens are not in this file."))]
    facts = facts or sidecar.read_sidecar(source)
    with in_file(path):
        made = byte_bpe(facts.name, facts.pattern, ranks).with_special_tokens(facts.special_tokens)
    made.model.lazy_notes = lazy_notes
    return made


def _known(source: Source) -> sidecar.Sidecar | None:
    """Returns the facts of a published table for which there is no file beside it."""
    if source.pattern is not None or sidecar.sidecar_path(source.path).exists():
        return None
    found = _published(source.data)
    return found and sidecar.Sidecar(*found[:2], found[2] if source.special_tokens is None else source.special_tokens)


def needs_pattern(data: bytes) -> bool:
    """Whether these bytes are a rank table with an unknown split pattern."""
    return recognises(data) and _published(data) is None


def _published(data: bytes) -> tuple | None:
    """Returns the facts of a published table; None for another, and at once for one that is larger than any."""
    return of_ranks(fingerprint_of(data)) if len(data) <= MAX_PUBLISHED_BYTES else None


def fingerprint_of(data: bytes) -> str:
    """Returns the sha256 of a table in OpenAI's form: a line for each token, with one space and a line feed."""
    lines = dict.fromkeys(b" ".join(words) for _, words in lines_of(data))
    return hashlib.sha256(b"".join(b"%s\n" % line for line in lines)).hexdigest()
