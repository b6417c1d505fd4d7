"""Inputs of commands, read in chunks: files, folders, standard input or a text of the command line."""

import io
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

import click

from tokenizer.command.group import Failed, print_stderr
from tokenizer.text.files import CountingReader, UnreadableFile, files_below, read_chunks
from tokenizer.text.well_formed import well_formed

STDIN = "-"
MIN_PROGRESS_BYTES = 20_000_000  # shorter inputs take a few seconds at most


class Input(NamedTuple):
    """One text to read: its name and its source; `found` if it was found in a folder."""

    name: str
    path: Path | None = None
    text: str | None = None
    found: bool = False

    @property
    def size(self) -> int | None:
        """The size in bytes, if known before reading."""
        if self.path is None:
            return None
        about = self.path.stat()
        return about.st_size if stat.S_ISREG(about.st_mode) else None

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Opens the input for reading bytes."""
        if self.text is not None:
            yield io.BytesIO(self.text.encode())
        elif self.path is None:
            if sys.stdin is None:
                raise Failed("There is no standard input to read. Name a file, or give a text with --text.")
            if sys.stdin.isatty():
                print_stderr(
                    "Reading what you type. End it with Ctrl-D on a line of its own (on Windows Ctrl-Z and Enter)."
                )
            yield sys.stdin.buffer
        else:
            with self.path.open("rb") as file:
                yield file

    def chunks(self, errors: str = "strict", on_read: Callable[[int], None] = lambda size: None) -> Iterator[str]:
        """Yields the text in chunks; calls `on_read` with the bytes of each. Raises UnreadableFile with the name."""
        with self.open() as file:
            try:
                yield from read_chunks(CountingReader(file, on_read), errors)
            except UnreadableFile as error:
                raise UnreadableFile(f"{self.name}: {error} To read it as it is: --errors replace.") from None


def inputs(paths: Sequence[str], text: str | None) -> list[Input]:
    """Returns the inputs in order; for a folder, all files below it that are not hidden."""
    if text is not None:
        if paths:
            raise click.UsageError("Give a text with --text, or files, not both.")
        return [typed(text)]
    return [one for path in paths or [STDIN] for one in _inputs_of(path)]


def one_input(path: str | None, text: str | None) -> Input:
    """Returns the single input; raises Failed for a folder."""
    if path not in (None, STDIN) and Path(path).is_dir():
        raise Failed(f"{path}: this is a folder. Name a file in it; count and train take whole folders.")
    return inputs([path] if path else [], text)[0]


def typed(text: str) -> Input:
    """Returns a text of the command line as input; prints a note if invalid characters became U+FFFD."""
    text, replaced = well_formed(text)
    if replaced:
        print_stderr(f"Note: {replaced:,} of the text's characters cannot be UTF-8, and became U+FFFD.")
    return Input("text", text=text)


def _inputs_of(path: str) -> Iterator[Input]:
    if path == STDIN:
        yield Input("standard input")
    elif Path(path).is_dir():
        closed: list[OSError] = []
        files = [Input(str(file), file, found=True) for file in files_below(path, closed.append)]
        files += (Input(error.filename, Path(error.filename)) for error in closed)  # reading them reports the error
        if not files:
            raise Failed(f"{path}: there are no files in this folder but hidden ones. Name a file, or another folder.")
        yield from files
    else:
        yield Input(path, Path(path))


@contextmanager
def progress(label: str, length: int | None) -> Iterator[Callable[[int], None]]:
    """Draws a progress bar on a terminal if `length` is known; yields the function that advances it."""
    hidden = length is None or not sys.stderr.isatty()
    with click.progressbar(length=length or 0, label=label, file=sys.stderr, hidden=hidden) as bar:
        yield bar.update
