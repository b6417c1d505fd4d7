"""`vocab`: the tokens of an encoding, and the known encodings."""

import json
from collections.abc import Iterable

import click
import numpy as np

from tokenizer.command import options
from tokenizer.command.screen import escaped
from tokenizer.display.readable import readable
from tokenizer.encoding.interface import Encoding
from tokenizer.errors import UnknownTokenIds
from tokenizer.kinds.registry import encoding_name, list_encoding_names, list_models, model_names
from tokenizer.vocabulary.facts import SPECIAL, facts_of
from tokenizer.vocabulary.merge_graph import MergeGraph
from tokenizer.vocabulary.non_roundtrip import REASONS, NonRoundtrip, non_roundtrip_tokens
from tokenizer.vocabulary.token_search import Query, find


@click.command()
@click.argument("ids", nargs=-1, type=int, metavar="[ID]...")
@options.encoding
@click.option("--find", "text", metavar="TEXT", default="", help="Only tokens that have this in their text.")
@click.option("--regex", "expression", metavar="PATTERN", default="", help="Only tokens that have a match of this.")
@click.option("--script", "scripts", multiple=True, help="Only tokens of this script, such as Thai; repeatable.")
@click.option(
    "--unreachable", "lost", is_flag=True, help="Only tokens whose own text is read as other tokens, and why."
)
@click.option("--all", "every", is_flag=True, help="Every token, in order of ids.")
@click.option("--names", is_flag=True, help="The encodings that there are, and the models that use them.")
@options.as_json
def vocab(ids, encoding, text, expression, scripts, lost, every, names, as_json):
    """Look into a vocabulary: what it is, or tokens by id, by text, by script, or all of them.

    A line has the id, the bytes, the text, and the two tokens that it was merged from.
    """
    if names:
        return print_names(as_json)
    if not (ids or text or expression or scripts or lost or every):
        return print_facts(encoding, as_json)
    if unknown := {i: id for i, id in enumerate(ids) if not encoding.has_token(id)}:
        raise UnknownTokenIds(unknown, encoding.name, encoding.id_limit)
    facts = facts_of(encoding)
    if missing := sorted({*scripts} - {*facts.scripts}):
        scripts_in_vocabulary = "; ".join(filter(None, facts.scripts))
        raise click.UsageError(
            f"{encoding.name} has no token of the script {missing[0]!r}. It has: {scripts_in_vocabulary}."
        )
    among = np.array(ids) if ids else None
    found = find(facts, Query(text, expression=expression, scripts=frozenset(scripts), among=among)).tolist()
    if ids:
        found = [id for id in ids if id in {*found}]  # in the order of the arguments
    reasons = {one.id: one for one in non_roundtrip_tokens(encoding)} if lost else {}
    family = MergeGraph(facts)
    tokens = (token(id, family, reasons.get(id)) for id in found if not lost or id in reasons)
    if as_json:
        return click.echo(json.dumps({"encoding": encoding.name, "tokens": list(tokens)}))
    return print_tokens(tokens)


def token(id: int, family: MergeGraph, seems: NonRoundtrip | None = None) -> dict:
    """Returns the facts of a token, and the tokens of its own text if they are others.

    >>> from tokenizer import get_encoding
    >>> token(995, MergeGraph(facts_of(get_encoding("gpt2"))))
    {'id': 995, 'bytes': '20776f726c64', 'text': ' world', 'special': False, 'merged_from': [476, 335]}
    """
    facts, halves = family.facts, family.halves(id)
    found = {"id": id, "bytes": facts.bytes_of(id).hex(), "text": facts.texts[id]}
    found |= {"special": bool(facts.role[id] == SPECIAL), "merged_from": halves and list(halves)}
    return found | ({"read_as": seems.ids, "why": REASONS[seems.reason]} if seems else {})


def print_tokens(found: Iterable[dict]) -> None:
    """Prints a line for each token."""
    for one in found:
        own = bytes.fromhex(one["bytes"])
        more = "special" if one["special"] else " + ".join(map(str, one["merged_from"] or []))
        line = f"{one['id']:>7}  {own.hex(' ').upper()}  {readable(own)}" + (f"  = {more}" if more else "")
        if "why" in one:
            line += f"  read as {' '.join(map(str, one['read_as']))}: {one['why']}"
        click.echo(line)


def print_facts(encoding: Encoding, as_json: bool) -> None:
    """Prints the facts of an encoding."""
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
        click.echo(f"{name.replace('_', ' '):<15} {formatted(value)}")
    return None


def formatted(value: object) -> str:
    """Returns a formatted fact; of special tokens, their number.

    >>> formatted(1234), formatted(True), formatted(None), formatted({"<|end|>": 5})
    ('1,234', 'yes', 'none', '1')
    """
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    if isinstance(value, int | dict):
        return f"{value if isinstance(value, int) else len(value):,}"
    return escaped(str(value))


def print_names(as_json: bool) -> None:
    """Prints the names of all encodings, with the models that use each."""
    names = dict.fromkeys([*list_encoding_names(), *map(encoding_name, list_models())])
    found = {name: model_names(name) for name in names}
    if as_json:
        return click.echo(json.dumps(found))
    for name, models in found.items():
        click.echo(f"{name:<14} {', '.join(models)}".rstrip())
    return None
