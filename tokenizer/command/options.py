"""Options of several commands: the encoding, the text, how it is read, the form of the output."""

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from tokenizer.command.screen import COLOR_MODES, escaped
from tokenizer.encoding.interface import Encoding
from tokenizer.errors import TokenizerError, UnknownEncoding, shown
from tokenizer.formats import load_encoding
from tokenizer.kinds import counters
from tokenizer.kinds.counters import Counter
from tokenizer.kinds.registry import get_encoding, list_encoding_names, list_models

DEFAULT = "o200k_base"
COMPARED = ("gpt2", "cl100k_base", "o200k_base")
EXAMPLE_NUMBER = 8192  # in messages


def is_there(path: str) -> bool:
    """Whether a path exists; False for a name that is too long for the file system."""
    try:
        return Path(path).exists()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return False
        raise


class EncodingName(click.ParamType):
    """The name of an encoding or of a model, or the path of a tokenizer's file."""

    name = "name or file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Encoding:
        """Returns the encoding."""
        if isinstance(value, Encoding):
            return value
        try:
            return self._found(value)
        except TokenizerError as error:
            self.fail(escaped(str(error)), param, ctx)

    def _found(self, value: str) -> Encoding:
        try:
            return get_encoding(value)
        except UnknownEncoding as error:
            if is_there(value):
                return load_encoding(value)
            more = "The path of a tokenizer's file works, too. `tokenloupe vocab --names` lists all."
            raise TokenizerError(f"{error} {more}") from None

    def split_envvar_value(self, rv: str) -> list[str]:
        """Returns the value of the environment variable as one name: the path of a file may have spaces."""
        return [rv]

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Returns the matching names; if there are none, the shell completes files."""
        names = [CompletionItem(name) for name in dict.fromkeys(self.known()) if name.startswith(incomplete)]
        return names or [CompletionItem(incomplete, type="file")]

    def known(self) -> list[str]:
        """Returns the names of all encodings and models."""
        return [*list_encoding_names(), *list_models()]


class WholeNumber(click.IntRange):
    """A whole number within bounds; an error gives the value, the bounds and an example."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Returns the number."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            bounds = f"of {self.min:,} or more" if self.max is None else f"from {self.min:,} to {self.max:,}"
            self.fail(f"{escaped(shown(value))} is not a whole number {bounds}, such as {EXAMPLE_NUMBER}.", param, ctx)


class CountedName(EncodingName):
    """The name of an encoding, or of a model whose tokens can only be counted."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Encoding | Counter:
        """Returns the encoding, or the counter."""
        key = counters.key_of(value)
        if key is None:
            return super().convert(value, param, ctx)
        try:
            return counters.find(key)
        except TokenizerError as error:
            self.fail(escaped(str(error)), param, ctx)

    def known(self) -> list[str]:
        """Returns the names of all encodings and models, and of those that only count if they can."""
        return [*super().known(), *(counters.names() if counters.is_installed() else ())]


Command = Callable[..., Any]
ENCODING = EncodingName()


def _encoding(*name: str, **settings: Any) -> Callable[[Command], Command]:
    return click.option(
        "-e",
        "--encoding",
        *name,
        **settings,
        show_default=True,
        envvar="TOKENLOUPE_ENCODING",
        help="An encoding's name, a model's, or a tokenizer's file.",
    )


encoding = _encoding(type=ENCODING, default=DEFAULT)
encodings = _encoding("encodings", type=CountedName(), default=[DEFAULT], multiple=True)
compared = click.option(
    "-e",
    "--encoding",
    "encodings",
    type=ENCODING,
    multiple=True,
    default=COMPARED,
    show_default=True,
    help="One of those to compare; for each one.",
)
text = click.option("-t", "--text", help="This text, instead of a file.")
errors = click.option(
    "--errors",
    type=click.Choice(["strict", "replace"]),
    default="strict",
    show_default=True,
    help="At bytes that are no text: stop, or read U+FFFD.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
color = click.option(
    "--color",
    type=click.Choice(COLOR_MODES),
    default="auto",
    show_default=True,
    help="auto: on a terminal, unless NO_COLOR is set.",
)
files = click.argument("paths", nargs=-1, type=click.Path(), metavar="[FILE OR FOLDER]...")
file = click.argument("path", required=False, type=click.Path(), metavar="[FILE]")


def reading(command: Command) -> Command:
    """How a text is read."""
    return click.option(
        "--special",
        type=click.Choice(["text", "special", "error"]),
        default="text",
        show_default=True,
        help="Names of special tokens in the text: as text, as their ids, or an error.",
    )(errors(command))
