"""Queries of a vocabulary as strings: a text or an expression, facts of the tokens, an order."""

import json
import re
from collections.abc import Collection, Mapping
from functools import lru_cache

import numpy as np

from server.encodings import encoding_store
from server.vocabulary import facts_cache
from tokenizer.errors import TokenizerError, enumerated, shown
from tokenizer.i18n import tr
from tokenizer.text.scripts import WITH_PART_OF_CHARACTER
from tokenizer.vocabulary.facts import ROLES, WHOLENESS
from tokenizer.vocabulary.token_search import ANY, SORTS, TOKENS, Query, Range, find

MAX_QUERY_CHARACTERS = 4_000
MAX_CACHED_ORDERS = 32  # of up to a megabyte each
SEARCHES = ("text", "exact", "bytes", "regex")
SPACES = {"": None, "yes": True, "no": False}
TOKEN_GROUPS = ("", *facts_cache.GROUPS, facts_cache.SHARED, facts_cache.ONLY_HERE)
RENAMED = {"contains part of a character": WITH_PART_OF_CHARACTER}  # values in links of earlier versions
DEFAULTS = {  # by the names in links
    "find": "",
    "find_as": "text",
    "script": "",
    "category": "",
    "space": "",
    "made": "",
    "role": "",
    "only": "",
    "id_range": "",
    "byte_range": "",
    "length_range": "",
    "sort_by": "id",
}


class BadQuery(TokenizerError):
    """A part of a query is invalid; `expected` describes a valid one."""

    def __init__(self, name: str, value: object, expected: str):
        self.expected = expected
        super().__init__(
            tr(
                "The parameter “{name}” is {value}; it must be {wanted}.",
                name=name,
                value=shown(value),
                wanted=expected,
            )
        )


def read(source: str) -> dict[str, str]:
    """Returns the parts of a query by name; raises BadQuery.

    >>> read('{"find": "the", "sort_by": "-bytes"}')["sort_by"]
    '-bytes'
    """
    try:
        found = json.loads(source) if len(source) <= MAX_QUERY_CHARACTERS else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        expected = tr(
            "a JSON object of at most {most:,} characters, whose values are strings", most=MAX_QUERY_CHARACTERS
        )
        raise BadQuery("query", source, expected)
    return DEFAULTS | {name: value for name, value in found.items() if name in DEFAULTS}


def query(fields: Mapping[str, str], among: np.ndarray | None = None) -> Query:
    """Returns a query for the core, limited to the ids in `among`; raises BadQuery.

    >>> query(DEFAULTS | {"find": "E0 B8", "find_as": "bytes", "byte_range": "3-"}).num_bytes
    (3, None)
    """
    way, sort = _one_of("find_as", fields, SEARCHES), fields["sort_by"]
    _one_of("sort_by", {"sort_by": sort.removeprefix("-")}, SORTS)
    _one_of("only", fields, TOKEN_GROUPS)
    made, role = _one_of("made", fields, ("", *WHOLENESS)), _one_of("role", fields, ("", *ROLES))
    return Query(
        text=fields["find"] if way in ("text", "exact") else "",
        ignores_case=way == "text",
        hex=fields["find"] if way == "bytes" else "",
        expression=fields["find"] if way == "regex" else "",
        ids=span("id_range", fields),
        num_bytes=span("byte_range", fields),
        num_characters=span("length_range", fields),
        scripts=frozenset({fields["script"]} - {""}),
        categories=frozenset({fields["category"]} - {""}),
        leading_space=SPACES[_one_of("space", fields, SPACES)],
        wholeness=frozenset({WHOLENESS.index(made)} if made else ()),
        roles=frozenset({ROLES.index(role)} if role else TOKENS),
        among=among,
        sort=sort.removeprefix("-"),
        descending=sort.startswith("-"),
    )


def _one_of(name: str, fields: Mapping[str, str], words: Collection[str]) -> str:
    if fields[name] not in words:
        raise BadQuery(name, fields[name], enumerated([*map(repr, words)], "or"))
    return fields[name]


def span(name: str, fields: Mapping[str, str]) -> Range:
    """Returns the ends of a range, None for an open end; raises BadQuery.

    >>> [span("", {"": written}) for written in ("3", "3-9", "3–", "-9", "")]
    [(3, 3), (3, 9), (3, None), (None, 9), (None, None)]
    """
    written = fields[name].strip()
    if not written:
        return ANY
    if not (found := re.fullmatch(r"([0-9]{0,9})\s*(?:([-–])\s*([0-9]{0,9}))?", written)) or written in "-–":
        raise BadQuery(name, written, tr("a number, or a range such as 3-9"))
    low, dash, high = found.groups()
    ends = (low, high) if dash else (low, low)
    return tuple(int(end) if end else None for end in ends)


def rows(key: str, parameters: Mapping[str, str]) -> np.ndarray:
    """Returns the ids of an encoding that match the query, in its order; raises BadQuery and what `find` raises.

    The parameter `than` is the key of the vocabulary for comparison.
    """
    other_key = parameters.get("than", "")
    fields = read(parameters.get("query", "{}"))
    return _rows(key, other_key and encoding_store.find(other_key).key, tuple(sorted(fields.items())))


@lru_cache(maxsize=MAX_CACHED_ORDERS)
def _rows(key: str, other_key: str, fields: tuple[tuple[str, str], ...]) -> np.ndarray:
    found = dict(fields)
    return find(facts_cache.facts(key), query(found, _ids_of_part(key, other_key, found["only"]))).astype(np.uint32)


def _ids_of_part(key: str, other_key: str, only: str) -> np.ndarray | None:
    if only in (facts_cache.SHARED, facts_cache.ONLY_HERE):
        if not other_key:
            return None
        parts = facts_cache.shared_with(key, other_key)
        return parts.here if only == facts_cache.SHARED else parts.only_here
    return facts_cache.group(key, only) if only in facts_cache.GROUPS else None


def cost_class(source: str) -> str:
    """Returns the queue for a query: "own" for a regular expression, which may take long, "" where the answer needs
    the encoding to read texts, otherwise "known"."""
    try:
        found = read(source)
    except BadQuery:
        return "known"
    if found["find_as"] == "regex":
        return "own"
    return "" if found["only"] in (facts_cache.UNREACHABLE, facts_cache.INSIDE) else "known"
