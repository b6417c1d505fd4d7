"""All commands under one name, and the one way in."""

import sys

import click

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
from tokenizer.paths import APP


def version_of(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    """Writes which version is installed, and ends."""
    from importlib.metadata import PackageNotFoundError, version  # which takes long, and is seldom asked for

    if wanted:
        try:
            click.echo(f"Tokenloupe {version('tokenloupe')}")
        except PackageNotFoundError:
            click.echo(f"Tokenloupe, not installed: run from {APP}")
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


for command in (count, encode, decode, show, tools, train, compare, vocab, serve, completion):
    tokenloupe.add_command(command)


def main() -> None:
    """Runs what the command line asks for; what the other end's alphabet lacks is written by its number."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.reconfigure(errors="backslashreplace")
    tokenloupe()
