"""Details of one token: facts, variants, the merges under it, and the tokens that contain it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from server.encodings import encoding_store
from server.vocabulary import facts_cache
from server.vocabulary.query import BadQuery
from server.vocabulary.rows import brief, row, whole_number
from tokenizer.display.tree import Node
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, tr, trn
from tokenizer.text.anatomy import CATEGORIES
from tokenizer.text.scripts import NEVER_IN_UTF8
from tokenizer.vocabulary import non_roundtrip
from tokenizer.vocabulary.adverts import is_advert, readable_or_veil
from tokenizer.vocabulary.contexts import PROOFS, find_context
from tokenizer.vocabulary.facts import BYTE, ORDINARY, SPECIAL, UNKNOWN, UNUSED, WHOLE_CHARACTERS, WHOLENESS, Facts
from tokenizer.vocabulary.non_roundtrip import REASONS, NonRoundtrip
from tokenizer.vocabulary.suspicious import RULES
from tokenizer.vocabulary.variants import AS_TYPED, Variant, variants

MAX_TREE_NODES = 63  # a tree of pairs always has an odd number
MAX_PARENTS = 40
MAX_BYTES_SHOWN = 400
MAX_CONTEXTS_TRIED = 300
ROLE_NOTES = {
    UNUSED: mark("No token has this id."),
    BYTE: mark("A token for byte fallback: it stands for one byte of a character that has no token of its own."),
    SPECIAL: mark("A special token has a function, such as the end of a text; ordinary text does not produce it."),
    UNKNOWN: mark("The unknown token replaces text for which the vocabulary has no token."),
}
SUSPICIOUS = mark("This token is marked as suspicious, because of its text alone: {rule}.")
IN_CHARACTER = mark(
    "The bytes of this token are not valid UTF-8 by themselves: the token begins or ends inside a character."
)
ENCODED_AS = mark("When the text of this token is encoded, the result is {pieces}: {reason}.")
NOT_ENCODED = mark("When the text of this token is encoded, the result has no token: {reason}.")
BASE_TOKEN = mark("This token was in the vocabulary before the first merge.")
NO_MERGE = mark("No merge makes this token.")
VARIANT_GROUPS = {
    True: mark("The same word in upper or lower case, with or without a space in front"),
    False: mark("Plural or singular, by the rules of English spelling"),
}


def token(key: str, parameters: Mapping[str, str]) -> str:
    """Returns as JSON the details of the token `id`."""
    facts, id = facts_cache.facts(key), whole_number("id", parameters, 0)
    if id >= len(facts):
        raise BadQuery("id", id, tr("an id below {limit:,}", limit=len(facts)))
    detail = row(facts, id) | {
        "bytes": facts.bytes_of(id).hex() if facts.num_bytes[id] <= MAX_BYTES_SHOWN else "",
        "facts": [*_facts(facts, id), *_in_other(facts, id, parameters.get("than", ""))],
        "notes": [*_notes(facts, id)],
        "variants": _variants(facts, id),
        "parents": _parents(key, facts, id),
        **_tree(key, facts, id),
    }
    return json.dumps(detail)


def _facts(facts: Facts, id: int) -> list[tuple[str, str]]:
    """Returns terms with their values."""
    if facts.role[id] == UNUSED:
        return []
    data, piece = facts.bytes_of(id), facts.encoding.piece(id)
    digits = data[:MAX_BYTES_SHOWN].hex(" ").upper() + (" …" if len(data) > MAX_BYTES_SHOWN else "")
    found = [(trn("{n:,} byte", "{n:,} bytes", len(data)), digits)]
    if (text := facts.texts[id]) is not None:
        points = " ".join(f"U+{ord(character):04X}" for character in text[:40]) + (" …" if len(text) > 40 else "")
        found.append((trn("{n:,} character", "{n:,} characters", len(text)), points))
        made_of = ", ".join(f"{name} ({tr(CATEGORIES[name])})" for name in facts.categories_of(id))
        found.append((tr("kinds of characters"), made_of))
    if piece.encode() != data and not _is_advert(facts, id):
        found.append((tr("written in the vocabulary as"), piece[:MAX_BYTES_SHOWN]))
    return found


def _in_other(facts: Facts, id: int, other_key: str) -> Iterator[tuple[str, str]]:
    """Yields what the other vocabulary has for the same bytes."""
    if other_key and facts.role[id] in (ORDINARY, BYTE):
        other = facts_cache.facts(encoding_store.find(other_key).key)
        other_id = other.rows.get(facts.bytes_of(id))
        yield (
            tr("in {name}", name=other.encoding.name),
            tr("no token") if other_id is None else tr("id {id}", id=other_id),
        )


def _notes(facts: Facts, id: int) -> Iterator[str]:
    """Yields sentences on what is unusual about a token."""
    role = int(facts.role[id])
    if role in ROLE_NOTES:
        yield tr(ROLE_NOTES[role])
    if role not in (ORDINARY, BYTE):
        return
    if facts.wholeness[id] != WHOLE_CHARACTERS:
        if WHOLENESS[facts.wholeness[id]] != NEVER_IN_UTF8:
            yield tr(IN_CHARACTER)
        yield from _context(facts, id)
    text = facts.texts[id]
    own = "" if text is None else facts.encoding.decode([id])
    if own and facts.encoding.encode(own) != [id]:
        yield from reason(facts, non_roundtrip.explain_non_roundtrip(id, facts.encoding))
    for rule in RULES.values():
        if text and rule.fits(text):
            yield tr(SUSPICIOUS, rule=tr(rule.description))


def reason(facts: Facts, found: NonRoundtrip) -> Iterator[str]:
    """Yields how the token's text is encoded instead, why, and a text in which the token does appear."""
    if _is_advert(facts, found.id):  # the texts of its parts would spell it
        pieces = " + ".join(tr("id {id}", id=id) for id in found.ids[:8])
    else:
        pieces = " + ".join(f"{readable_or_veil(facts.bytes_of(id), 40)} ({id})" for id in found.ids[:8])
    pieces += " …" if len(found.ids) > 8 else ""
    yield tr(ENCODED_AS if pieces else NOT_ENCODED, pieces=pieces, reason=tr(REASONS[found.reason]))
    if not _is_advert(facts, found.id):
        yield from _context(facts, found.id)


def _is_advert(facts: Facts, id: int) -> bool:
    text = facts.texts[id]
    return text is not None and is_advert(text)


def _context(facts: Facts, id: int) -> Iterator[str]:
    found, tried, proof = find_context(id, facts.encoding, MAX_CONTEXTS_TRIED)
    if found:
        yield tr("A text that does contain this token: “{text}”.", text=readable_or_veil(found.text.encode(), 80))
    elif proof:
        yield tr("No text contains this token: {proof}.", proof=tr(PROOFS[proof]))
    else:
        yield trn(
            "This token did not occur in the {n:,} text that was tried; it may occur in other texts.",
            "This token did not occur in the {n:,} texts that were tried; it may occur in other texts.",
            tried,
        )


def _variants(facts: Facts, id: int) -> list[tuple[str, list[dict]]]:
    """Returns other spellings of a word, and separately its plural or singular forms."""
    text = facts.texts[id] if facts.role[id] == ORDINARY else None
    if not text or not any(character.isalpha() for character in text):
        return []
    try:
        found = [one for one in variants(text, facts) if one.text != text]
    except TokenizerError:
        return []
    parts = [(is_same, [one for one in found if (one.number == AS_TYPED) == is_same]) for is_same in VARIANT_GROUPS]
    return [
        (tr(VARIANT_GROUPS[is_same]), [_variant(facts, one) for one in part])
        for is_same, part in parts
        if any(one.id is not None for one in part)
    ]


def _variant(facts: Facts, one: Variant) -> dict[str, Any]:
    if one.id is not None:
        return brief(facts, one.id)
    found = {"id": None, "text": one.text, "hex": "", "label": trn("{n:,} token", "{n:,} tokens", len(one.ids))}
    return found | {"isAdvert": True} if is_advert(one.text) else found


def _parents(key: str, facts: Facts, id: int) -> dict[str, Any]:
    """Returns the tokens that have this one as a half; without merges, those that contain its bytes."""
    found = facts_cache.merge_graph(key)
    if facts.role[id] not in (ORDINARY, BYTE) or not facts.num_bytes[id]:
        return {"words": "", "total": 0, "tokens": []}
    containing = found.containing(id).tolist()
    made = found.children(id) if found.merges else containing
    words = (
        trn(
            "{n:,} longer token was merged from this token and a neighbouring token",
            "{n:,} longer tokens were merged from this token and a neighbouring token",
            len(made),
        )
        if made
        else tr("This token was not merged into any longer token")
    )
    if not containing:
        words = tr("This token is not part of any longer token.")
    elif len(containing) > len(made) or not found.merges:
        more = trn(
            "{n:,} longer token contains the bytes of this token",
            "{n:,} longer tokens contain the bytes of this token",
            len(containing),
        )
        words = f"{words}; {more}" if found.merges else more
    return {"words": words, "total": len(made), "tokens": [brief(facts, one) for one in made[:MAX_PARENTS]]}


def _tree(key: str, facts: Facts, id: int) -> dict[str, Any]:
    """Returns the merges under a token from the top, up to MAX_TREE_NODES, or why there are none."""
    found = facts_cache.merge_graph(key)
    if facts.role[id] not in (ORDINARY, BYTE):
        return {"tree": None, "noTree": ""}
    if not found.merges:
        return {
            "tree": None,
            "noTree": tr("No merges of this vocabulary are known here, so there is no tree of merges."),
        }
    nodes = found.tree(id, MAX_TREE_NODES)
    if len(nodes) == 1:
        is_base = facts.num_bytes[id] == 1 or facts.num_characters[id] == 1
        return {"tree": None, "noTree": tr(BASE_TOKEN if is_base else NO_MERGE)}
    return {"tree": _node(facts, nodes, 0, found), "noTree": ""}


def _node(facts: Facts, nodes: list[Node], place: int, found: Any) -> dict[str, Any]:
    id, child = nodes[place]
    halves = [_node(facts, nodes, child + i, found) for i in (0, 1)] if child else []
    return brief(facts, id) | {"halves": halves, "isCut": not child and found.halves(id) is not None}
