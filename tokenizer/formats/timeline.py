"""The merge timeline as CSV: merges and their counts in the order of training."""

from codecs import BOM_UTF8
from collections.abc import Iterable
from pathlib import Path

from tokenizer.encoding.bpe import Merge
from tokenizer.encoding.interface import Encoding
from tokenizer.errors import BadTokenizerFile
from tokenizer.formats import sidecar
from tokenizer.formats.merges import DoesNotFit, merges_of
from tokenizer.formats.reading import Source, read_id, read_lines
from tokenizer.i18n import tr
from tokenizer.kinds.from_merges import encoding_from_merges
from tokenizer.text.tables import csv_text

COLUMNS = ["rank", "left", "right", "token", "count", "saved", "text"]


def files(encoding: Encoding, name: str) -> dict[str, bytes]:
    """Returns the files of an encoding: `name`.csv and `name`.csv.json."""
    found = merges_of(encoding, "csv")
    merges, base = found.in_order(), found.base
    first = len(base)
    in_order = sorted(base, key=base.get) == sorted(base)
    if found.alphabet == "characters" and encoding.unknown_id is None:
        raise DoesNotFit(tr("the encoding leaves out characters that have no token, which this format cannot express"))
    if not in_order or [merge.rank for merge in merges] != list(range(first, first + len(merges))):
        raise DoesNotFit(
            tr(
                "this format needs ids without a gap: first the ids of the base symbols, in the order of their bytes,"
                " then the ids of the merges, in the order of the merges"
            )
        )
    return {f"{name}.csv": table(merges), f"{name}.csv.json": sidecar.written(encoding)}


def table(merges: Iterable[Merge]) -> bytes:
    """Returns the merges as CSV: bytes in hexadecimal, and the token also as text for readers.

    >>> print(table([Merge(256, b"a", b"b", b"ab", 3, 3)]).decode())
    rank,left,right,token,count,saved,text
    256,0x61,0x62,0x6162,3,3,'ab'
    <BLANKLINE>
    """
    rows = (
        # with 0x, no spreadsheet reads a cell as a number
        [rank, *(f"0x{part.hex()}" for part in (left, right, token)), count, saved]
        + [repr(token.decode(errors="backslashreplace"))]
        for rank, left, right, token, count, saved in merges
    )
    return csv_text([COLUMNS, *rows]).encode()


def recognises(data: bytes) -> bool:
    """Whether a file begins like this form."""
    return data.removeprefix(BOM_UTF8).startswith(",".join(COLUMNS).encode())


def read_merges(path: Path, data: bytes) -> list[Merge]:
    """Returns the merges of a timeline."""
    merges = []
    for number, line in enumerate(read_lines(path, data)[1:], start=2):
        cells = line.split(",", 6)  # only the last cell can contain a comma
        try:
            left, right, token = (bytes.fromhex(cell.removeprefix("0x")) for cell in cells[1:4])
            rank, count, saved = int(cells[0]), int(cells[4]), int(cells[5])
        except (ValueError, IndexError):
            raise BadTokenizerFile(
                path,
                tr("{line!r} should be six numbers and a text, separated by commas", line=line[:80]),
                number,
            ) from None
        if not left or not right or left + right != token or min(count, saved) < 0:
            raise BadTokenizerFile(
                path,
                tr(
                    "in {line!r} the token must be the left part followed by the right part, and no count may be"
                    " negative",
                    line=line[:80],
                ),
                number,
            )
        if merges and rank != merges[-1].rank + 1:
            raise BadTokenizerFile(
                path,
                tr(
                    "the rank {rank} should be one more than the rank before it, {before}",
                    rank=rank,
                    before=merges[-1].rank,
                ),
                number,
            )
        merges.append(Merge(read_id(path, rank, number), left, right, token, count, saved))
    return merges


def read(source: Source) -> Encoding:
    """Returns the encoding in a timeline and the file beside it."""
    merges, facts = read_merges(source.path, source.data), sidecar.read_sidecar(source)
    alphabet = facts.alphabet
    if alphabet is None:
        alphabet = "characters" if merges and merges[0].rank != 256 else "bytes"
    return encoding_from_merges(merges, facts.pattern, facts.special_tokens, facts.name, alphabet, facts.unknown_id)
