"""`count`: tokens of texts of any size, and of the rows of tables."""

import json
from pathlib import Path
from typing import NamedTuple

import click

from tokenizer.command import options, tables
from tokenizer.command.group import print_stderr, reason
from tokenizer.command.inputs import MIN_PROGRESS_BYTES, Input, inputs, progress
from tokenizer.command.screen import escaped
from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.streams import encode_stream
from tokenizer.kinds import counters
from tokenizer.kinds.counters import Counter
from tokenizer.text.files import UnreadableFile

MIN_COLUMN_CHARACTERS = 12  # characters of a column of numbers, at least
NOTE_BUFFER_BYTES = 64_000_000  # a note is printed if more of a text is held in memory


class TextTokens(NamedTuple):
    """The tokens of a text, and its bytes in the file."""

    name: str
    tokens: int
    bytes: int


@click.command()
@options.files
@options.encodings
@options.text
@options.reading
@click.option("--rows", is_flag=True, help="Count each row of a table: .csv, .tsv, .jsonl, .json or .parquet.")
@click.option("--column", help="The same, of this column; else it is the one with the most text.")
@click.option("--header/--no-header", default=None, help="Whether the first row of CSV or TSV names its columns.")
@click.option("--window", type=options.WholeNumber(1), help="Of a table: how many rows have more tokens.")
@click.option("-o", "--output", type=click.Path(), help="Of a table: save all rows as CSV, the longest first.")
@options.as_json
@click.pass_context
def count(ctx, paths, encodings, text, special, errors, rows, column, header, window, output, as_json):
    """Count the tokens of files, folders or standard input.

    One text gives its number alone; several give a line each, and a total. Of a folder, all files below it are counted
    that are not hidden. A file that is not text is reported, the others are still counted, and the exit code is 1.
    Of Claude there is a reconstructed count, by the package ctok: -e claude.

    With --rows or --column a table is counted row by row, in one or more encodings. A field of JSON lines or Parquet
    may hold a chat, such as OpenAI's messages: it is written by the template of each encoding's family. Whether the
    first row of CSV or TSV has names is detected; without names, a column is called by its number.
    """
    for one in encodings:
        if isinstance(one, Counter) and special != "text":
            raise click.UsageError(f"{one.display_name} is counted with --special text alone.")
    sources, tally = inputs(paths, text), Tally()
    if rows or column is not None:
        if len(sources) > 1:
            raise click.UsageError("Name one table.")
        if output and sources[0].path and Path(output).resolve() == Path(sources[0].path).resolve():
            raise click.UsageError("--output names the table itself, which it would overwrite.")
        column, found = tables.counted(sources[0], column, header, encodings, special, errors)
        for one in encodings:
            note_reconstruction(one)
        if output:
            tables.save(found, output)
        write = tables.as_json if as_json else tables.as_text
        return click.echo(write(sources[0].name, column, found, window))
    if len(encodings) > 1 or window or output or header is not None:
        raise click.UsageError("Several encodings, --header, --window and --output are for tables: add --rows.")
    [encoding] = encodings
    is_single = len(sources) == 1 and not sources[0].found
    for one in sources:
        found = tally.add(one, encoding, special, errors)
        if found and not as_json:
            click.echo(found.tokens if is_single else line(found.tokens, one.name))
    note_reconstruction(encoding)
    if as_json:
        click.echo(json.dumps(named(encoding) | tally.facts()))
    elif not is_single:
        click.echo(line(tally.total, "total"))
    return ctx.exit(1 if tally.problems else 0)


def note_reconstruction(one: Encoding | Counter) -> None:
    """Prints that the number of a model whose tokens are only counted is a reconstruction."""
    if isinstance(one, Counter):
        print_stderr(f"Note: {one.description}")


class Tally:
    """The results of all texts: counts, and the problems of those that could not be read."""

    def __init__(self):
        self.counted: list[TextTokens] = []
        self.problems: dict[str, str] = {}

    @property
    def total(self) -> int:
        """The tokens of all texts."""
        return sum(one.tokens for one in self.counted)

    def add(self, one: Input, encoding: Encoding | Counter, special: str, errors: str) -> TextTokens | None:
        """Counts a text and returns the count; prints an error at once and returns None if it cannot be read."""
        try:
            self.counted.append(counted(one, encoding, special, errors))
            return self.counted[-1]
        except (OSError, UnreadableFile) as error:
            self.problems[one.name] = reason(error)
            print_stderr(f"Error: {self.problems[one.name]}")
        return None

    def facts(self) -> dict:
        """Returns the results for JSON."""
        errors = {"errors": self.problems} if self.problems else {}
        return {"tokens": self.total, "files": [one._asdict() for one in self.counted]} | errors


def line(tokens: int, name: str) -> str:
    """Returns a line of output.

    >>> line(12, "a.txt")
    '          12  a.txt'
    """
    return f"{tokens:>{MIN_COLUMN_CHARACTERS}}  {escaped(name)}"


def named(encoding: Encoding | Counter) -> dict:
    """Returns the name of an encoding for JSON; a counter is marked as a reconstruction."""
    if not isinstance(encoding, Counter):
        return {"encoding": encoding.name}
    return {"encoding": encoding.key, "reconstruction": {"frame": encoding.frame, "accuracy": encoding.accuracy}}


def counted(one: Input, encoding: Encoding | Counter, special: str = "text", errors: str = "strict") -> TextTokens:
    """Returns the tokens of a text; only a few blocks are held in memory if the encoding has safe cuts."""
    size, tokens, held = 0, 0, 0
    length = one.size if (one.size or 0) > MIN_PROGRESS_BYTES else None
    with progress(escaped(one.name), length) as advance:

        def add_read(n: int) -> None:
            nonlocal size, held
            if held <= NOTE_BUFFER_BYTES < held + n:
                print_stderr(f"Note: {memory_note(one, encoding)}")
            size, held = size + n, held + n
            advance(n)

        if isinstance(encoding, Counter):  # counts whole texts only, without special tokens
            text = "".join(one.chunks(errors, add_read))
            return TextTokens(one.name, counters.count(encoding.key, text), size)
        for ids in encode_stream(one.chunks(errors, add_read), encoding, special):
            tokens, held = tokens + len(ids), 0
    return TextTokens(one.name, tokens, size)


def memory_note(one: Input, encoding: Encoding | Counter) -> str:
    """Returns the reason why much of a text is held in memory."""
    if isinstance(encoding, Counter):
        return f"{encoding.display_name} is counted on a text as a whole, so all of {one.name} is held in memory."
    if encoding.safe_cuts:
        return f"{one.name} has {NOTE_BUFFER_BYTES // 10**6} MB without a safe place to cut, which are held in memory."
    return f"{encoding.name} reads a text as a whole, so all of {one.name} is held in memory."
