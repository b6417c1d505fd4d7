"""`show`: the tokens of a text with lines between them, optionally colored."""

import json
from collections.abc import Iterator

import click

from tokenizer.command import options
from tokenizer.command.inputs import one_input
from tokenizer.command.screen import tinted, visible, wants_color
from tokenizer.display.readable import readable
from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.streams import tokenize_stream
from tokenizer.encoding.tokens import Piece, Tokens, pieces
from tokenizer.text.well_formed import as_text

SEPARATOR = "│"  # boundaries must be visible without color
EMPTY = "∅"  # a token without text
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@click.command()
@options.file
@options.encoding
@options.text
@options.reading
@click.option("--ids", "-i", is_flag=True, help="A line for each token: its place, id, bytes and text.")
@options.color
@options.as_json
def show(path, encoding, text, special, errors, ids, color, as_json):
    """Show where a text is cut into tokens.

    A line stands between two tokens; a dot for a space, an arrow for a tab or the end of a line. A raised number tells
    how many tokens share what stands before it. What a terminal would obey is written out.
    """
    stream = tokenize_stream(one_input(path, text).chunks(errors), encoding, special)
    if as_json:
        return click.echo(json.dumps({"encoding": encoding.name, "tokens": rows(stream, encoding)}))
    if ids:
        return listed(stream, encoding)
    has_color, first, last = wants_color(color), 0, "\n"
    for tokens in stream:
        for drawn in strip(tokens, first, has_color):
            click.echo(drawn, nl=False, color=has_color)
            last = drawn
        first += len(tokens)
    click.echo("" if last.endswith("\n") else "\n", nl=False)
    return None


def strip(tokens: Tokens, first: int = 0, color: bool = False) -> Iterator[str]:
    r"""Yields the drawn pieces of tokens; `first` is the index of the first token in the text.

    >>> from tokenizer import get_encoding
    >>> "".join(strip(get_encoding("gpt2").tokenize("two words, ที่\n")))
    'two│·words│,│·│ที่⁶│↵\n'
    """
    last = -1
    for i, piece in enumerate(pieces(tokens)):
        begins = piece.first > last and (i > 0 or first > 0)
        yield SEPARATOR * begins + drawn(piece, first, color)
        last = max(piece.last, last)


def drawn(piece: Piece, first: int, color: bool) -> str:
    """Returns a piece as drawn, with the number of its tokens if there are several."""
    count = piece.last - piece.first + 1
    text = visible(piece.text) if piece.text else EMPTY
    shared = str(count).translate(SUPERSCRIPTS) if count > 1 else ""
    return (tinted(text, first + piece.first) if color and count else text) + shared


def rows(stream: Iterator[Tokens], encoding: Encoding) -> list[dict]:
    """Returns the facts of each token for JSON; `start` and `end` are UTF-8 byte offsets."""
    found, at = [], 0
    for tokens in stream:
        for token in tokens:
            own = encoding.token_bytes(token.id)
            facts = {"id": token.id, "start": at + token.start, "end": at + token.end, "bytes": own.hex()}
            found.append(facts | {"text": as_text(own), "special": token.special})
        at += len(tokens.text.encode())
    return found


def listed(stream: Iterator[Tokens], encoding: Encoding) -> None:
    """Prints a line for each token."""
    k = 0
    for tokens in stream:
        for id in tokens.ids:
            k += 1
            click.echo(
                f"{k:>7}  {id:>7}  {encoding.token_bytes(id).hex(' ').upper()}  {readable(encoding.token_bytes(id))}"
            )
