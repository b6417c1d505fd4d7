"""`change`: a text with one small change of each kind, and what each does to its tokens."""

import json
from collections.abc import Mapping, Sequence

import click

from tokenizer.command import options
from tokenizer.command.inputs import Input, one_input
from tokenizer.command.screen import aligned, escaped
from tokenizer.display.changing import first_in_words, more_in_words
from tokenizer.display.readable import readable
from tokenizer.encoding.interface import Encoding
from tokenizer.measure.comparison import by_name
from tokenizer.measure.small_changes import (
    KINDS,
    MAX_CHARACTERS,
    Changed,
    Effect,
    changes,
    effects,
    usable_beginning,
)


@click.command()
@options.file
@options.compared
@options.text
@options.reading
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Chooses the places: the same for the same number."
)
@options.as_json
def change(path, encodings, text, special, errors, seed, as_json):
    """Change a text a little in eight ways, and compare its tokens with those before.

    Each change is at one place, which the seed chooses. Shown are the change in the number of tokens, the
    edit distance of the ids, and the first token that changed. Of a long text only the beginning is read.
    """
    part, is_whole = _read_beginning(one_input(path, text), errors)
    changed = changes(part, seed)
    encodings = by_name(encodings)
    found = [effects(part, changed, encoding, special) for encoding in encodings.values()]
    if as_json:
        rows = [{"kind": one.kind, "text": one.text} for one in changed]
        for i, row in enumerate(rows):
            row["effects"] = {name: own[i]._asdict() for name, own in zip(encodings, found, strict=True)}
        return click.echo(json.dumps({"characters": len(part), "seed": seed, "changes": rows}))
    if not is_whole:
        click.echo(f"Only the first {len(part):,} characters are changed.\n")
    click.echo("\n".join(_lines(changed, encodings, found)))
    return None


def _read_beginning(one: Input, errors: str) -> tuple[str, bool]:
    """Returns the beginning that is changed, and whether it is the whole text; reads no more than it needs."""
    read = ""
    for chunk in one.chunks(errors):
        read += chunk
        if len(read) > MAX_CHARACTERS:
            break
    part = usable_beginning(read)
    return part, len(part) == len(read)


def _lines(
    changed: Sequence[Changed], encodings: Mapping[str, Encoding], found: Sequence[Sequence[Effect]]
) -> list[str]:
    """Returns a line for each change and, indented, a row for each encoding."""
    lines = []
    for i, one in enumerate(changed):
        lines.append(f"{KINDS[one.kind].label}: {readable(one.before.encode())} → {readable(one.after.encode())}")
        pairs = [(name, own[i]) for name, own in zip(encodings, found, strict=True)]
        rows = [[f"  {escaped(name)}", more_in_words(its), f"distance {its.distance:,}"] for name, its in pairs]
        firsts = [first_in_words(its, encodings[name]) for name, its in pairs]
        lines += [f"{row}  {first}" for row, first in zip(aligned(rows), firsts, strict=True)]
    return lines or ["There is no place for any of these changes."]
