"""The command group and its entry point."""

import sys

import click

from tokenizer.command.changing import change
from tokenizer.command.checking import check
from tokenizer.command.comparing import compare
from tokenizer.command.completing import completion
from tokenizer.command.counting import count
from tokenizer.command.encoding import decode, encode
from tokenizer.command.group import Commands
from tokenizer.command.serving import serve
from tokenizer.command.showing import show
from tokenizer.command.tools import tools
from tokenizer.command.training import train
from tokenizer.command.vocabularies import vocab
from tokenizer.version import __version__


def version_of(ctx: click.Context, param: click.Parameter, is_requested: bool) -> None:
    """Prints the version and exits."""
    if is_requested:
        click.echo(f"Tokenloupe {__version__}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=version_of, help="Say the version."
)
def tokenloupe():
    """How language models read text: exact tokens, in the terminal and without a network.

    Ends with 0 when all went well, 1 when something could not be read or done, 2 when the command line is wrong, 130
    after Ctrl-C.
    """


for command in (count, encode, decode, show, tools, train, compare, change, vocab, check, serve, completion):
    tokenloupe.add_command(command)


def main() -> None:
    """Runs the command line; characters that the output encoding lacks are escaped."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.reconfigure(errors="backslashreplace")
    tokenloupe()
