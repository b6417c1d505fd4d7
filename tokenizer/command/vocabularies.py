"""`vocab`: what an encoding knows, and which encodings there are."""

import json
from collections.abc import Iterable

import click

from tokenizer.command import options
from tokenizer.command.screen import escaped
from tokenizer.display.readable import readable
from tokenizer.encoding.bpe import merge_steps
from tokenizer.encoding.interface import Encoding
from tokenizer.errors import UnknownTokenIds
from tokenizer.kinds.registry import encoding_name, list_encoding_names, list_models, model_names
from tokenizer.measure.unreachable import unreachable
from tokenizer.text.well_formed import as_text


@click.command()
@click.argument("ids", nargs=-1, type=int, metavar="[ID]...")
@options.encoding
@click.option("--find", metavar="TEXT", help="Only tokens that have this in their text, letter for letter.")
@click.option("--unreachable", "lost", is_flag=True, help="Only tokens whose own text is read as other tokens.")
@click.option("--all", "every", is_flag=True, help="Every token, in order of ids.")
@click.option("--names", is_flag=True, help="The encodings that there are, and the models that use them.")
@options.as_json
def vocab(ids, encoding, find, lost, every, names, as_json):
    """Look into a vocabulary: what it is, or tokens by id, by text, or all of them.

    A line has the id, the bytes, the text, and the two tokens that it was merged from.
    """
    if names:
        return known(as_json)
    if not (ids or find or lost or every):
        return about(encoding, as_json)
    if unknown := {i: id for i, id in enumerate(ids) if not encoding.knows(id)}:
        raise UnknownTokenIds(unknown, encoding.name, encoding.id_limit)
    wanted = ids or encoding.ids()
    if lost:
        gone = set(unreachable(encoding))
        wanted = [id for id in wanted if id in gone]
    if find:
        part = find.encode(errors="surrogateescape")
        wanted = [id for id in wanted if part in encoding.token_bytes(id)]
    found = (token(id, encoding) for id in wanted)
    if as_json:
        return click.echo(json.dumps({"encoding": encoding.name, "tokens": list(found)}))
    return written(found)


def token(id: int, encoding: Encoding) -> dict:
    """Returns what is known of a token.

    >>> from tokenizer import get_encoding
    >>> token(995, get_encoding("gpt2"))
    {'id': 995, 'bytes': '20776f726c64', 'text': ' world', 'special': False, 'merged_from': [476, 335]}
    """
    own, special = encoding.token_bytes(id), encoding.special_tokens.get(encoding.piece(id)) == id
    halves = None if special else merged_from(own, encoding)
    return {"id": id, "bytes": own.hex(), "text": as_text(own), "special": special, "merged_from": halves}


def merged_from(own: bytes, encoding: Encoding) -> list[int] | None:
    """Returns the two tokens of the last merge that makes a token of these bytes; None where none does."""
    merges = encoding.merges
    if merges is None or merges.pairs is not None or merges.alphabet != "bytes":
        return None
    *_, last = [None, *merge_steps(own, merges.ranks)]
    return (
        None if last is None or last.left + last.right != own else [merges.ranks[last.left], merges.ranks[last.right]]
    )


def written(found: Iterable[dict]) -> None:
    """Writes a line for each token."""
    for one in found:
        own = bytes.fromhex(one["bytes"])
        more = "special" if one["special"] else " + ".join(map(str, one["merged_from"] or []))
        click.echo(f"{one['id']:>7}  {own.hex(' ').upper()}  {readable(own)}" + (f"  = {more}" if more else ""))


def about(encoding: Encoding, as_json: bool) -> None:
    """Writes what an encoding is."""
    facts = {
        "encoding": encoding.name,
        "kind": encoding.kind,
        "tokens": encoding.vocab_size,
        "largest_id": encoding.id_limit - 1,
        "special_tokens": encoding.special_tokens,
        "safe_cuts": encoding.safe_cuts,
        "split_pattern": encoding.pattern,
        "sha256": encoding.fingerprint,
    }
    if as_json:
        return click.echo(json.dumps(facts))
    for name, value in facts.items():
        click.echo(f"{name.replace('_', ' '):<15} {in_words(value)}")
    return None


def in_words(value: object) -> str:
    """Returns a fact as a line has it; of special tokens how many there are.

    >>> in_words(1234), in_words(True), in_words(None), in_words({"<|end|>": 5})
    ('1,234', 'yes', 'none', '1')
    """
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    if isinstance(value, int | dict):
        return f"{value if isinstance(value, int) else len(value):,}"
    return escaped(str(value))


def known(as_json: bool) -> None:
    """Writes the names of all encodings, with the models that use each."""
    names = dict.fromkeys([*list_encoding_names(), *map(encoding_name, list_models())])
    found = {name: model_names(name) for name in names}
    if as_json:
        return click.echo(json.dumps(found))
    for name, models in found.items():
        click.echo(f"{name:<14} {', '.join(models)}".rstrip())
    return None
