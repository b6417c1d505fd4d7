"""`encode` and `decode`: from text to ids, and back to the same bytes."""

import json
import re
import sys
from itertools import islice

import click

from tokenizer.command import options
from tokenizer.command.group import Failed, print_stderr
from tokenizer.command.inputs import one_input
from tokenizer.command.screen import visible
from tokenizer.encoding.id_list import notes, parse_ids
from tokenizer.encoding.streams import encode_stream
from tokenizer.text.well_formed import as_text

MAX_REPORTED_ERRORS = 5  # errors in a list of ids


@click.command()
@options.file
@options.encoding
@options.text
@options.reading
@options.as_json
def encode(path, encoding, text, special, errors, as_json):
    """Write the ids of a file, of standard input or of a text.

    They stand on one line with spaces between, written block by block as the text is read.
    """
    begin, between, end = "", " ", ""
    if as_json:
        begin, between, end = f'{{"encoding": {json.dumps(encoding.name)}, "ids": [', ", ", "]}"
    click.echo(begin, nl=False)
    is_first = True
    for ids in encode_stream(one_input(path, text).chunks(errors), encoding, special):
        if len(ids):
            click.echo("" if is_first else between, nl=False)
            click.echo(between.join(map(str, ids.tolist())), nl=False)
            is_first = False
    click.echo(end)


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@options.encoding
@click.option("-f", "--file", "path", type=click.Path(), help="Read the ids from this file.")
@options.as_json
def decode(ids, encoding, path, as_json):
    """Write the text of ids: of the command line, of a file or of standard input.

    A list in any common writing will do, and what encode --json writes. Into a pipe or a file go the exact bytes, with
    no line end of its own; on a terminal, what it would obey is written out.
    """
    if ids and path:
        raise click.UsageError("Give ids, or a file with --file, not both.")
    source = ids_in(" ".join(ids) if ids else "".join(one_input(path, None).chunks()))
    known, bad = parse_ids(source, encoding)
    if bad:
        more = f" And {len(bad) - MAX_REPORTED_ERRORS:,} more." if len(bad) > MAX_REPORTED_ERRORS else ""
        reasons = "; ".join(map(str, islice(bad, MAX_REPORTED_ERRORS)))
        raise Failed(f"Not all of this can be decoded: {reasons}.{more} Give ids such as 24912 2375.")
    for note in notes(source, encoding):
        print_stderr(note)
    data = encoding.decode_bytes(known)
    if as_json:
        facts = {"encoding": encoding.name, "text": encoding.decode(known)}
        click.echo(json.dumps(facts | ({"bytes": data.hex()} if as_text(data) is None else {})))
    elif sys.stdout.isatty():
        click.echo(on_terminal(encoding.decode(known)))
    else:
        sys.stdout.buffer.write(data)


def ids_in(source: str) -> str:
    """Returns the ids of a source; of the JSON output of `encode --json`, its field "ids".

    >>> ids_in('{"encoding": "gpt2", "ids": [1, 2]}'), ids_in("1 2")
    ('[1, 2]', '1 2')
    """
    try:
        return str(json.loads(source)["ids"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return source


def on_terminal(text: str) -> str:
    r"""Returns a text for a terminal, with control and invisible characters escaped.

    >>> on_terminal("a b\n\x1b[2J")
    'a b\n‹U+001B›[2J'
    """
    return re.sub(r"[^ \t\n]+", lambda found: visible(found[0]), text)
