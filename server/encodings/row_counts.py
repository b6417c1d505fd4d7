"""Counts the rows of tables in subprocesses, queued with the trainings."""

import hashlib
import pickle
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import BinaryIO

from server.encodings.encoding_store import StoredEncoding
from server.training.jobs import Job
from tokenizer import workers
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, tr
from tokenizer.kinds.counters import Counter
from tokenizer.measure.rows import RowCounts, count_rows
from tokenizer.parent_watchdog import run_worker, write_message
from tokenizer.text.rows import Cell, cells

MAX_TABLE_BYTES = 40_000_000  # of a table
MAX_TABLE_ROWS = 200_000
BYTES_PER_MESSAGE = 500_000  # read between two messages of progress


class TooManyRows(TokenizerError):
    """A table has more than MAX_TABLE_ROWS rows."""


class RowCountJob(Job):
    """The count of one table; when it succeeded, `file` holds the pickled counts, which `found` returns."""

    MODULE = "server.encodings.row_counts"
    STOPPED = mark("The count was stopped: {reason}.")

    def __init__(
        self,
        name: str,
        data: bytes,
        digest: str,
        column: str,
        header: bool,
        entries: Mapping[str, StoredEncoding | Counter],
    ):
        parameters = (name, digest, column, header, *((called, entry.key) for called, entry in entries.items()))
        super().__init__(hashlib.sha256(repr(parameters).encode("utf-8", "surrogatepass")).hexdigest(), None, ())
        self.name, self.data, self.column, self.header, self.entries = name, data, column, header, entries
        self.size, self.max_memory = len(data), workers.SHARES.process
        self.num_read = 0  # bytes of the table

    @property
    def share(self) -> float:
        """How much of the table was read, from 0 to 1."""
        return min(1.0, self.num_read / max(1, len(self.data)))

    def run(self) -> None:
        """Counts all rows in this thread, then drops the table."""
        super().run()
        self.size -= len(self.data)
        self.data, self.entries = b"", {}

    def found(self) -> RowCounts:
        """Returns the counts."""
        return pickle.loads(self.file)

    def _note_progress(self, message: dict) -> None:
        self.num_read = message.get("read", self.num_read)

    def _send(self, file: BinaryIO) -> None:
        pickle.dump((self.name, self.data, self.column, self.header, self.entries), file, pickle.HIGHEST_PROTOCOL)


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Reads a table, counts its rows, and writes messages of progress, then the counts."""
    name, data, column, header, entries = pickle.load(source)
    num_read = num_sent = 0

    def add_read(size: int) -> None:
        nonlocal num_read, num_sent
        num_read += size
        if num_read >= num_sent + BYTES_PER_MESSAGE:
            num_sent = num_read
            write_message(sink, read=num_read)

    def bounded() -> Iterator[tuple[int, Cell]]:
        for number, cell in enumerate(cells(name, BytesIO(data), column, on_read=add_read, header=header), 1):
            if number > MAX_TABLE_ROWS:
                raise TooManyRows(
                    tr(
                        "This table has more than {most:,} rows, the limit here. Count the table in a terminal, with"
                        " the command: tokenloupe count --rows.",
                        most=MAX_TABLE_ROWS,
                    )
                )
            yield cell

    try:
        ways = {called: one if isinstance(one, Counter) else one.encoding for called, one in entries.items()}
        found = count_rows(bounded(), ways)
    except TokenizerError as error:
        return write_message(sink, error=str(error), final=True)
    except MemoryError:
        return write_message(
            sink, error=tr("This table needs more memory than is allowed. Try fewer encodings, or a part of the table.")
        )
    written = pickle.dumps(found, pickle.HIGHEST_PROTOCOL)
    return write_message(sink, written, file=len(written))


if __name__ == "__main__":
    run_worker(serve)
