"""What all commands have in common: how they end, and what is said when something goes wrong."""

import os
import sys
from contextlib import suppress
from typing import Any

import click

from tokenizer.command.screen import escaped
from tokenizer.errors import SpecialTokenInText, TokenizerError

CTRL_C = 130  # what shells say of a program that was interrupted: 128, and the number of the signal
HINTS = {
    FileNotFoundError: "Check its name, and the folder you are in.",
    PermissionError: "You may not read or write it; choose another, or ask for the right.",
}


class Failed(click.ClickException):
    """Something could not be done; its message says what to do next. The program ends with 1."""

    def show(self, file: Any = None) -> None:
        """Writes the message where errors go."""
        say(f"Error: {self.message}")


class Commands(click.Group):
    """Commands that end quietly when the reader of a pipe has gone, and say all errors in one way."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command; what stops it becomes a message, and a number for the shell."""
        try:
            found = super().invoke(ctx)
            if sys.stdout:  # a shell may have closed it
                sys.stdout.flush()
        except BrokenPipeError:
            forget_output()
            ctx.exit(0)
        except KeyboardInterrupt:
            say("")
            ctx.exit(CTRL_C)
        except MemoryError:
            raise Failed("There is not enough memory for this. Try a shorter text.") from None
        except TokenizerError as error:
            raise Failed(reason(error)) from None
        except OSError as error:
            if error.filename is None:  # so it was in writing: the disk is full, perhaps
                forget_output()
            raise Failed(reason(error)) from None
        return found


def reason(error: TokenizerError | OSError) -> str:
    """Returns what went wrong and what to do next, in the words of the command line.

    >>> reason(FileNotFoundError(2, "No such file or directory", "a.txt"))
    'a.txt: No such file or directory. Check its name, and the folder you are in.'
    """
    if isinstance(error, SpecialTokenInText):
        return (
            f"The text contains the special token {error.token!r} at character {error.position:,}."
            " To read it as ordinary text: --special text. As its own id: --special special."
        )
    if isinstance(error, TokenizerError):
        return str(error)
    name = f"{os.fsdecode(error.filename)}: " if error.filename is not None else ""
    return f"{name}{error.strerror or error}. {HINTS.get(type(error), '')}".rstrip()


def say(words: str) -> None:
    """Writes a line where errors and notes go; nothing in it commands a terminal."""
    with suppress(OSError):  # nobody may be there to read it
        click.echo(escaped(words), err=True)


def forget_output() -> None:
    """Lets nothing more be written where that failed, or Python would try again at its end, and complain."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
