"""Rows of a vocabulary for the table and for files."""

import json
import re
from collections.abc import Iterator, Mapping

import numpy as np

from server.encodings import encoding_store
from server.vocabulary import facts_cache, query
from server.vocabulary.query import DEFAULTS, BadQuery
from tokenizer.i18n import mark, tr
from tokenizer.text.scripts import localized_script
from tokenizer.text.tables import csv_text
from tokenizer.vocabulary.adverts import is_advert
from tokenizer.vocabulary.facts import BYTE, ORDINARY, ROLES, SPECIAL, UNKNOWN, UNUSED, Facts

MAX_ROWS_PER_ANSWER = 500
MAX_TEXT_CHARACTERS, MAX_HEX_BYTES = 120, 24  # of a token in the table
COLUMNS = ("id", "text", "bytes", "num_bytes", "num_characters", "script", "categories", "role")
UNUSED_ID = mark("unused id")


def table(key: str, parameters: Mapping[str, str]) -> str:
    """Returns as JSON the number of matching rows, `count` rows from `start` on, and the index of token `id` or -1."""
    found, facts = query.rows(key, parameters), facts_cache.facts(key)
    start, count = whole_number("start", parameters, 0), min(MAX_ROWS_PER_ANSWER, whole_number("count", parameters, 0))
    place = np.flatnonzero(found == whole_number("id", parameters, -1))
    answer = {
        "total": len(found),
        "whole": int(np.count_nonzero(facts.role != UNUSED)),
        "rows": [row(facts, id) for id in found[start : start + count].tolist()],
        "place": int(place[0]) if len(place) else -1,
    }
    return json.dumps(answer)


def map_columns(key: str, parameters: Mapping[str, str]) -> bytes:
    """Returns a byte for each id: its group of `facts_cache.token_map`; then its length; with the parameter `than`,
    then 1 where that vocabulary has the token too, else 0."""
    found, than = facts_cache.token_map(key), parameters.get("than", "")
    columns = [found.group, found.length]
    if than:
        columns.append(np.zeros(len(found.group), np.uint8))
        columns[-1][facts_cache.shared_with(key, encoding_store.find(than).key).here] = 1
    return b"".join(column.tobytes() for column in columns)


def by_ids(key: str, parameters: Mapping[str, str]) -> str:
    """Returns as JSON the rows of the ids in `ids`; with `than`, each has its id in that vocabulary, or None."""
    facts, than, limit = facts_cache.facts(key), parameters.get("than", ""), MAX_ROWS_PER_ANSWER
    other = facts_cache.facts(encoding_store.find(than).key) if than else None
    ids = [whole_number("ids", {"ids": one}, len(facts)) for one in parameters.get("ids", "").split(",", limit)]
    if len(ids) > limit or max(ids) >= len(facts):
        expected = tr("at most {most:,} ids below {limit:,}, separated by commas", most=limit, limit=len(facts))
        raise BadQuery("ids", parameters.get("ids", ""), expected)
    rows = [row(facts, id) for id in ids]
    for one, id in zip(rows, ids, strict=True):
        if other and facts.role[id] in (ORDINARY, BYTE):
            one["idThere"] = other.rows.get(facts.bytes_of(id))
    return json.dumps(rows)


def whole_number(name: str, parameters: Mapping[str, str], otherwise: int) -> int:
    """Returns a parameter as a whole number; raises BadQuery.

    >>> whole_number("count", {"count": "7"}, 0)
    7
    """
    value = parameters.get(name, "")
    if not value:
        return otherwise
    if not re.fullmatch("[0-9]{1,9}", value):
        raise BadQuery(name, value, tr("a whole number"))
    return int(value)


def row(facts: Facts, id: int) -> dict:
    """Returns the cells of a token in the table."""
    return brief(facts, id) | {
        "numBytes": int(facts.num_bytes[id]),
        "numCharacters": None if facts.texts[id] is None else int(facts.num_characters[id]),
        "script": tr(UNUSED_ID) if facts.role[id] == UNUSED else localized_script(facts.script_of(id)),
        "categories": " ".join(facts.categories_of(id)),
    }


def brief(facts: Facts, id: int) -> dict:
    """Returns the facts to draw a token; a long text and many bytes are cut. With `isAdvert` the text is veiled."""
    text, data = facts.texts[id], facts.bytes_of(id)
    if text is not None and len(text) > MAX_TEXT_CHARACTERS:
        text = f"{text[:MAX_TEXT_CHARACTERS]}…"
    digits = data[:MAX_HEX_BYTES].hex(" ").upper() + (" …" if len(data) > MAX_HEX_BYTES else "")
    found = {"id": id, "text": text, "hex": digits, "isSpecial": bool(facts.role[id] in (SPECIAL, UNKNOWN))}
    return found | {"isAdvert": True} if text is not None and is_advert(text) else found


# Files


def to_csv(key: str, parameters: Mapping[str, str]) -> str:
    """Returns the rows as CSV; `text` is a JSON string, so that no spreadsheet reads a formula and line ends show."""
    cells = (
        [id, None if text is None else json.dumps(text, ensure_ascii=False), *others]
        for id, text, *others in _records(key, parameters)
    )
    return csv_text([COLUMNS, *cells])


def to_json(key: str, parameters: Mapping[str, str]) -> str:
    """Returns the rows as JSON, with what is needed to check them: encoding, rank table, query."""
    encoding, fields = facts_cache.facts(key).encoding, query.read(parameters.get("query", "{}"))
    changed_fields = {name: value for name, value in fields.items() if value != DEFAULTS[name]}
    record = {"encoding": encoding.name, "rank_table_sha256": encoding.fingerprint, "asked": changed_fields}
    head = json.dumps(record, ensure_ascii=False).removesuffix("}")
    records = (dict(zip(COLUMNS, one, strict=True)) for one in _records(key, parameters))
    lines = (json.dumps(one, ensure_ascii=False) for one in records)
    return head + ', "tokens": [\n' + ",\n".join(lines) + "\n]}\n"


def _records(key: str, parameters: Mapping[str, str]) -> Iterator[tuple]:
    facts = facts_cache.facts(key)
    for id in query.rows(key, parameters).tolist():
        text = facts.texts[id]
        yield (
            id,
            text,
            facts.bytes_of(id).hex(" ").upper(),
            int(facts.num_bytes[id]),
            None if text is None else int(facts.num_characters[id]),
            facts.script_of(id),
            " ".join(facts.categories_of(id)),
            ROLES[facts.role[id]],
        )
