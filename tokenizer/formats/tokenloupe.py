"""Our own form, for kinds without a file format of other programs: characters and words."""

import json
from collections.abc import Mapping

from tokenizer.encoding.interface import Encoding
from tokenizer.errors import BadTokenizerFile, enumerated
from tokenizer.formats.merges import DoesNotFit, in_file
from tokenizer.formats.reading import Source, line_of, read_id
from tokenizer.i18n import tr
from tokenizer.kinds.characters import characters_encoding
from tokenizer.kinds.words import words_encoding
from tokenizer.text.well_formed import well_formed

FORM = "tokenloupe encoding 1"
KINDS = ("characters", "words")


def files(encoding: Encoding, name: str) -> dict[str, bytes]:
    """Returns the file of an encoding: `name`.tokenloupe."""
    if encoding.kind not in KINDS:
        raise DoesNotFit(tr("this format can hold only encodings of these kinds: {kinds}", kinds=enumerated(KINDS)))
    merges = encoding.merges
    unknown = encoding.unknown_id
    characters = list(merges.base) if merges else [encoding.bytes_of(id) for id in range(unknown)]
    facts = {
        "form": FORM,
        "kind": encoding.kind,
        "name": encoding.name,
        "characters": b"".join(characters).decode(),
        "merges": [[merge.left.decode(), merge.right.decode()] for merge in merges.in_order()] if merges else [],
        "special_tokens": encoding.special_tokens,
    }
    return {f"{name}.tokenloupe": json.dumps(facts, ensure_ascii=False, indent=1).encode() + b"\n"}


def recognises(facts: object) -> bool:
    """Whether a JSON file is of this form."""
    return isinstance(facts, dict) and facts.get("form") == FORM


def read(source: Source, facts: dict) -> Encoding:
    """Returns the encoding in a file; it splits in its own way, so a pattern has no effect."""
    path, data, _, special = source
    kind, name, characters, merges = map(facts.get, ("kind", "name", "characters", "merges"))
    special = facts.get("special_tokens") if special is None else special
    if kind not in KINDS or not isinstance(name, str) or not isinstance(characters, str):
        raise BadTokenizerFile(
            path, tr("the file must give the kind, the name and the characters of the encoding"), line_of(data, "kind")
        )
    if not isinstance(special, Mapping) or not isinstance(merges, list):
        raise BadTokenizerFile(
            path, tr("the file must give the merges and the special tokens of the encoding"), line_of(data, "merges")
        )
    special = {token: read_id(path, id, line_of(data, token)) for token, id in special.items()}
    name = well_formed(name)[0]
    with in_file(path, lambda position: line_of(data, "merges", *merges[position])):
        if kind == "characters":
            return characters_encoding(set(characters), special, name)  # a string could be the name of an alphabet
        try:
            pairs = [(left.encode(), right.encode()) for left, right in merges]
        except (TypeError, ValueError, AttributeError):
            raise BadTokenizerFile(
                path, tr("each merge in the file must be two strings"), line_of(data, "merges")
            ) from None
        return words_encoding(characters, pairs, special, name)
