"""`count`: how many tokens texts have, whatever their size."""

import json
from typing import NamedTuple

import click

from tokenizer.command import options
from tokenizer.command.group import reason, say
from tokenizer.command.inputs import WORTH_A_BAR, Input, inputs, progress
from tokenizer.command.screen import escaped
from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.streams import encode_stream
from tokenizer.kinds import counters
from tokenizer.kinds.counters import Counter
from tokenizer.text.files import UnreadableFile

WIDTH = 12  # of a column of numbers; a wider number has its room
MOST_HELD = 64_000_000  # bytes of a text that may be held without a word about it


class Counted(NamedTuple):
    """How many tokens a text has, and bytes as it was read."""

    name: str
    tokens: int
    bytes: int


@click.command()
@options.files
@options.counted
@options.text
@options.reading
@options.as_json
@click.pass_context
def count(ctx, paths, encoding, text, special, errors, as_json):
    """Count the tokens of files, folders or standard input.

    One text gives its number alone; several give a line each, and a total. Of a folder, all files below it are counted
    that are text and not hidden. Of Claude there is a reconstructed count, by the package ctok: -e claude.
    """
    if isinstance(encoding, Counter) and special != "text":
        raise click.UsageError(f"{encoding.called} is counted with --special text alone.")
    given, tally = inputs(paths, text), Tally()
    alone = len(given) == 1 and not given[0].found
    for one in given:
        found = tally.add(one, encoding, special, errors)
        if found and not as_json:
            click.echo(found.tokens if alone else line(found.tokens, one.name))
    if tally.left_out:
        say(f"Note: left out, as they are not text: {', '.join(tally.left_out)}.")
    if isinstance(encoding, Counter):
        say(f"Note: {encoding.in_full}")
    if as_json:
        click.echo(json.dumps(named(encoding) | tally.facts()))
    elif not alone:
        click.echo(line(tally.total, "total"))
    ctx.exit(1 if tally.problems else 0)


class Tally:
    """What came of each text: a number, a problem, or that it is none and was not named."""

    def __init__(self):
        self.counted: list[Counted] = []
        self.problems: dict[str, str] = {}
        self.left_out: list[str] = []

    @property
    def total(self) -> int:
        """The tokens of all texts."""
        return sum(one.tokens for one in self.counted)

    def add(self, one: Input, encoding: Encoding | Counter, special: str, errors: str) -> Counted | None:
        """Counts a text; what is wrong with it is said at once, and does not keep the others from being counted."""
        try:
            self.counted.append(counted(one, encoding, special, errors))
            return self.counted[-1]
        except (OSError, UnreadableFile) as error:
            if one.found and isinstance(error, UnreadableFile):
                self.left_out.append(one.name)
            else:
                self.problems[one.name] = reason(error)
                say(f"Error: {self.problems[one.name]}")
        return None

    def facts(self) -> dict:
        """Returns what JSON says of all this."""
        errors = {"errors": self.problems} if self.problems else {}
        return {"tokens": self.total, "files": [one._asdict() for one in self.counted]} | errors


def line(tokens: int, name: str) -> str:
    """Returns a line of the answer.

    >>> line(12, "a.txt")
    '          12  a.txt'
    """
    return f"{tokens:>{WIDTH}}  {escaped(name)}"


def named(encoding: Encoding | Counter) -> dict:
    """Returns what JSON says of an encoding, and of a count that it is a reconstruction."""
    if not isinstance(encoding, Counter):
        return {"encoding": encoding.name}
    return {"encoding": encoding.key, "reconstruction": {"frame": encoding.frame, "accuracy": encoding.accuracy}}


def counted(one: Input, encoding: Encoding | Counter, special: str = "text", errors: str = "strict") -> Counted:
    """Returns what a text has; of one that is cut where that is safe, no more than some blocks is ever held."""
    size, tokens, held = 0, 0, 0
    length = one.size if (one.size or 0) > WORTH_A_BAR else None
    with progress(escaped(one.name), length) as advance:

        def heard(n: int) -> None:
            nonlocal size, held
            if held <= MOST_HELD < held + n:
                say(f"Note: {too_much(one, encoding)}")
            size, held = size + n, held + n
            advance(n)

        if isinstance(encoding, Counter):  # it reads the text whole, and takes all of it as text
            text = "".join(one.chunks(errors, heard))
            return Counted(one.name, counters.count(encoding.key, text), size)
        for ids in encode_stream(one.chunks(errors, heard), encoding, special):
            tokens, held = tokens + len(ids), 0
    return Counted(one.name, tokens, size)


def too_much(one: Input, encoding: Encoding | Counter) -> str:
    """Returns why so much of a text is held in memory."""
    if isinstance(encoding, Counter):
        return f"{encoding.called} is counted on a text as a whole, so all of {one.name} is held in memory."
    if encoding.safe_cuts:
        return f"{one.name} has {MOST_HELD // 10**6} MB without a safe place to cut, which are held in memory."
    return f"{encoding.name} reads a text as a whole, so all of {one.name} is held in memory."
