"""The rows of tables, counted in processes of their own, which wait for their turn with the trainings."""

import hashlib
import json
import pickle
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any, BinaryIO

from server.jobs import Job
from server.shelf import Entry
from tokenizer import workers
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, tr
from tokenizer.measure.rows import RowCounts, count_rows
from tokenizer.parent_watchdog import run_worker
from tokenizer.text.rows import Cell, cells

MOST_BYTES = 40_000_000  # of a table
MOST_ROWS = 200_000
TELL_EVERY = 500_000  # bytes between two words on how far it is


class TooManyRows(TokenizerError):
    """A table has more rows than are counted here."""


class CountOfRows(Job):
    """One count; when it went well, `file` is there, of which `found` makes the counts."""

    MODULE = "server.row_counts"
    STOPPED = mark("The count was stopped: {reason}.")

    def __init__(self, name: str, data: bytes, digest: str, column: str, entries: Mapping[str, Entry]):
        asked = (name, digest, column, *((called, entry.key) for called, entry in entries.items()))
        super().__init__(hashlib.sha256(repr(asked).encode("utf-8", "surrogatepass")).hexdigest(), None, ())
        self.name, self.data, self.column, self.entries = name, data, column, entries
        self.size, self.max_memory = len(data), workers.SHARES.process

    @property
    def share(self) -> float:
        """How much of the table was read, from 0 to 1."""
        return min(1.0, self.num_merges / max(1, len(self.data)))

    def run(self) -> None:
        """Counts to the end, in this thread, and keeps the table no longer."""
        super().run()
        self.size -= len(self.data)
        self.data, self.entries = b"", {}

    def found(self) -> RowCounts:
        """Returns what was counted."""
        return pickle.loads(self.file)

    def _send(self, file: BinaryIO) -> None:
        pickle.dump((self.name, self.data, self.column, self.entries), file, pickle.HIGHEST_PROTOCOL)


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Reads a table, counts its rows, and writes how far it is and at last the counts."""
    name, data, column, entries = pickle.load(source)
    heard = told = 0

    def say(**facts: Any) -> None:
        sink.write(json.dumps(facts).encode() + b"\n")
        sink.flush()

    def hear(size: int) -> None:
        nonlocal heard, told
        heard += size
        if heard >= told + TELL_EVERY:
            told = heard
            say(merges=heard)

    def bounded() -> Iterator[tuple[int, Cell]]:
        for number, cell in enumerate(cells(name, BytesIO(data), column, hear=hear), 1):
            if number > MOST_ROWS:
                says = mark(
                    "This table has more than {most:,} rows. Count it in the terminal: tokenloupe count --rows."
                )
                raise TooManyRows(tr(says, most=MOST_ROWS))
            yield cell

    try:
        found = count_rows(bounded(), {called: entry.encoding for called, entry in entries.items()})
    except TokenizerError as error:
        return say(error=str(error), final=True)
    except MemoryError:
        return say(error=tr("This table needs more memory than it may use. Try fewer encodings, or a part of it."))
    written = pickle.dumps(found, pickle.HIGHEST_PROTOCOL)
    say(file=len(written))
    sink.write(written)
    return sink.flush()


if __name__ == "__main__":
    run_worker(serve)
