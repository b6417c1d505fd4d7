"""Splits the files of a corpus into blocks for workers, at places that no pre-token spans."""

import codecs
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple

from tokenizer.errors import TokenizerError
from tokenizer.split.patterns import SAFE_CUT
from tokenizer.text.files import HEAD_BYTES, check_looks_like_text, codec_of, decoded, files_below
from tokenizer.text.rows import PARQUET, is_table
from tokenizer.text.tables import JSON_LINES, BadCorpusFile, has_fields, texts_in

BLOCK_BYTES = 8_000_000
SEARCH_BYTES = 1 << 16  # the first part in which a cut is searched
CONTEXT_BYTES = 16  # read before a cut to check it: more than the two characters that SAFE_CUT needs


class CannotCount(TokenizerError):
    """A corpus cannot be counted with these options."""


class Block(NamedTuple):
    """A part of a file in bytes; of a Parquet file in row groups."""

    path: str
    start: int
    end: int
    size: int  # bytes; of row groups, uncompressed


def has_rows(path: str | Path) -> bool:
    """Whether each row of a file is a text; any other file is one text."""
    return is_table(str(path))


def files_of(paths: Iterable[str | Path]) -> tuple[list[Path], dict[str, str]]:
    """Returns these files and those below these folders, and the errors of folders that cannot be opened.

    Raises CannotCount.
    """
    found: list[Path] = []
    closed: list[OSError] = []
    for path in map(Path, paths):
        if path.is_dir():
            found += files_below(path, closed.append)
        elif path.is_file():
            found.append(path)
        else:
            raise CannotCount(f"There is no file and no folder {str(path)!r}. Check how it is spelled.")
    if not found:
        raise CannotCount("There are no files here. Name files or folders with text.")
    return found, {error.filename: str(error) for error in closed}


def blocks_of(path: Path, may_cut: bool = True, block_bytes: int = BLOCK_BYTES) -> list[Block]:
    """Returns the blocks of a file, in order; JSON lines and row groups can always be split.

    Tables and UTF-16 are never split. Raises BadCorpusFile where a Parquet file cannot be read.
    """
    if path.suffix.lower() in PARQUET:
        return _row_groups(path)
    length = path.stat().st_size
    with path.open("rb") as file:
        cuts = (
            []
            if codec_of(file.read(HEAD_BYTES), length) != "utf-8"
            else _cuts(path, file, length, may_cut, block_bytes)
        )
        return [Block(str(path), start, end, end - start) for start, end in pairwise([0, *cuts, length])]


def _cuts(path: Path, file: BinaryIO, length: int, may_cut: bool, block_bytes: int) -> Iterator[int]:
    by_lines = path.suffix.lower() in JSON_LINES
    if by_lines or (may_cut and not has_fields(path.name)):
        find, at = line_end if by_lines else safe_cut, 0
        while (at := find(file, at + block_bytes, length)) < length:
            yield at


def safe_cut(file: BinaryIO, at: int, length: int) -> int:
    """Returns the offset of the first safe cut of a UTF-8 file from `at` on, or the length of the file."""
    start, look = max(0, at - CONTEXT_BYTES), SEARCH_BYTES
    while at < length:
        file.seek(start)
        data = file.read(CONTEXT_BYTES + look)
        middle, lead = at - start + _inside(data[at - start :][:3]), _inside(data[:3]) if start else 0
        before = data[lead:middle].decode("utf-8", "surrogateescape")
        # an incomplete character at the end is left out until more is read
        text = before + codecs.getincrementaldecoder("utf-8")("surrogateescape").decode(data[middle:])
        if found := SAFE_CUT.search(text, len(before)):
            return start + lead + len(text[: found.start()].encode("utf-8", "surrogateescape"))
        if start + len(data) >= length:
            break
        look *= 4
    return length


def _inside(data: bytes) -> int:
    """Returns how many of the first three bytes continue a UTF-8 character that began before."""
    return next((i for i, byte in enumerate(data) if byte & 0xC0 != 0x80), len(data))


def line_end(file: BinaryIO, at: int, length: int) -> int:
    """Returns the offset of the first line start from `at` on, or the length of the file."""
    file.seek(at - 1)
    return min(length, at - 1 + len(file.readline()))


def check(blocks: Sequence[Block], field: str) -> dict[str, str]:
    """Reads all of these blocks, and returns the errors of the files that cannot be read, by path."""
    problems: dict[str, str] = {}
    for block in blocks:
        try:
            for _ in texts_of(block, field):
                pass
        except (TokenizerError, OSError) as error:
            problems.setdefault(block.path, str(error))
    return problems


def texts_of(block: Block, field: str) -> Iterator[str]:
    """Yields the texts of a block: one for each row of a file with fields, otherwise the block itself.

    Raises BadCorpusFile.
    """
    path = Path(block.path)
    if path.suffix.lower() in PARQUET:
        return _rows(path, block, field)
    with path.open("rb") as file:
        codec = codec_of(file.read(HEAD_BYTES), path.stat().st_size)
        file.seek(block.start)
        data = file.read(block.size)
    text = decoded(data, codec, block.start)
    if block.start == 0:
        check_looks_like_text(text)
    return _fields(path, block, text, field) if has_fields(path.name) else iter([text])


def _fields(path: Path, block: Block, text: str, field: str) -> Iterator[str]:
    try:
        yield from texts_in(path.name, text if block.start else text.removeprefix("\ufeff"), field)
    except BadCorpusFile as error:
        if error.line is None or not block.start:
            raise
        with path.open("rb") as file:  # line numbers count from the beginning of the block
            before = sum(
                file.read(min(SEARCH_BYTES, block.start - at)).count(b"\n")
                for at in range(0, block.start, SEARCH_BYTES)
            )
        raise BadCorpusFile(error.name, error.reason, before + error.line) from None


# ---- Parquet ----


def _row_groups(path: Path) -> list[Block]:
    import pyarrow
    import pyarrow.parquet as parquet

    try:
        facts = parquet.read_metadata(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise BadCorpusFile(path.name, f"this is not Parquet as it should be: {error}") from None
    return [Block(str(path), i, i + 1, facts.row_group(i).total_byte_size) for i in range(facts.num_row_groups)]


def _rows(path: Path, block: Block, field: str) -> Iterator[str]:
    import pyarrow
    import pyarrow.parquet as parquet

    try:
        with parquet.ParquetFile(path) as file:
            kinds = {one.name: one.type for one in file.schema_arrow}
            if field not in kinds:
                raise BadCorpusFile(path.name, f"there is no field {field!r}. The fields here: {', '.join(kinds)}.")
            if not (pyarrow.types.is_string(kinds[field]) or pyarrow.types.is_large_string(kinds[field])):
                raise BadCorpusFile(path.name, f"the field {field!r} holds {kinds[field]}, not text. Choose another.")
            for batch in file.iter_batches(1000, range(block.start, block.end), [field], use_threads=False):
                yield from (text or "" for text in batch.column(0).to_pylist())  # null is an empty text
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise BadCorpusFile(path.name, f"this is not Parquet as it should be: {error}") from None
