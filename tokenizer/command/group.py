"""Exit codes and error messages of all commands."""

import os
import sys
from contextlib import suppress
from typing import Any

import click

from tokenizer.command.screen import escaped
from tokenizer.errors import SpecialTokenInText, TokenizerError

CTRL_C = 130  # exit code after SIGINT by convention of shells: 128 and the number of the signal
HINTS = {
    FileNotFoundError: "Check its name, and the folder you are in.",
    PermissionError: "You may not read or write it; choose another, or ask for the right.",
}


class Failed(click.ClickException):
    """A command failed; the message says what to do next, and the exit code is 1."""

    def show(self, file: Any = None) -> None:
        """Prints the message to standard error."""
        print_stderr(f"Error: {self.message}")


class Commands(click.Group):
    """A command group that exits silently on a broken pipe and reports all errors in one form."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command; turns exceptions into messages and exit codes."""
        try:
            found = super().invoke(ctx)
            if sys.stdout:  # None if the shell closed it
                sys.stdout.flush()
        except BrokenPipeError:
            discard_output()
            ctx.exit(0)
        except KeyboardInterrupt:
            print_stderr("")
            ctx.exit(CTRL_C)
        except MemoryError:
            raise Failed("There is not enough memory for this. Try a shorter text.") from None
        except TokenizerError as error:
            raise Failed(reason(error)) from None
        except OSError as error:
            if error.filename is None:  # raised by a write, for example to a full disk
                discard_output()
            raise Failed(reason(error)) from None
        return found


def reason(error: TokenizerError | OSError) -> str:
    """Returns the message of an error, with what to do next on the command line.

    >>> reason(FileNotFoundError(2, "No such file or directory", "a.txt"))
    'a.txt: No such file or directory. Check its name, and the folder you are in.'
    """
    if isinstance(error, SpecialTokenInText):
        return (
            f"The text contains the special token {error.token!r} at character {error.position + 1:,}."
            " To read it as ordinary text: --special text. As its own id: --special special."
        )
    if isinstance(error, TokenizerError):
        return str(error)
    name = f"{os.fsdecode(error.filename)}: " if error.filename is not None else ""
    return f"{name}{error.strerror or error}. {HINTS.get(type(error), '')}".rstrip()


def print_stderr(words: str) -> None:
    """Prints a line to standard error, with control characters escaped."""
    with suppress(OSError):  # standard error may be closed
        click.echo(escaped(words), err=True)


def discard_output() -> None:
    """Redirects standard output to the null device; else Python reports the failed write again at exit."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
