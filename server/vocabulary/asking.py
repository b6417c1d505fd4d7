"""What is asked of a vocabulary: a text or an expression, facts that a token must have, an order; as plain words."""

import json
import re
from collections.abc import Collection, Mapping
from functools import lru_cache

import numpy as np

from server import shelf
from server.vocabulary import known
from tokenizer.errors import TokenizerError, enumerated, shown
from tokenizer.i18n import tr
from tokenizer.vocabulary.facts import ROLES, WHOLENESS
from tokenizer.vocabulary.token_search import ANY, SORTS, TOKENS, Query, Range, find

LONGEST = 4_000  # characters of all that is asked
MOST_ORDERS = 32  # that are kept, of up to a megabyte each
SEARCHES = ("text", "exact", "bytes", "regex")
SPACES = {"": None, "yes": True, "no": False}
ONLY = ("", *known.GROUPS, known.SHARED, known.ALONE)
BEGINS = {  # what is asked at first, by the names that links have for it
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


class BadAsking(TokenizerError):
    """What is asked of a vocabulary cannot be read; `wanted` says what it must be."""

    def __init__(self, name: str, asked: object, wanted: str):
        self.wanted = wanted
        super().__init__(tr("{name} is {asked}; it must be {wanted}.", name=name, asked=shown(asked), wanted=wanted))


def read(asked: str) -> dict[str, str]:
    """Returns what is asked, each thing by its name; raises BadAsking.

    >>> read('{"find": "the", "sort_by": "-bytes"}')["sort_by"]
    '-bytes'
    """
    try:
        found = json.loads(asked) if len(asked) <= LONGEST else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        wanted = tr("a JSON object of names and texts, of at most {most:,} characters", most=LONGEST)
        raise BadAsking("asked", asked, wanted)
    return BEGINS | {name: value for name, value in found.items() if name in BEGINS}


def query(asked: Mapping[str, str], among: np.ndarray | None = None) -> Query:
    """Returns what is looked for, among these ids; raises BadAsking.

    >>> query(BEGINS | {"find": "E0 B8", "find_as": "bytes", "byte_range": "3-"}).num_bytes
    (3, None)
    """
    way, sort = _one_of("find_as", asked, SEARCHES), asked["sort_by"]
    _one_of("sort_by", {"sort_by": sort.removeprefix("-")}, SORTS)
    _one_of("only", asked, ONLY)
    made, role = _one_of("made", asked, ("", *WHOLENESS)), _one_of("role", asked, ("", *ROLES))
    return Query(
        text=asked["find"] if way in ("text", "exact") else "",
        ignores_case=way == "text",
        hex=asked["find"] if way == "bytes" else "",
        expression=asked["find"] if way == "regex" else "",
        ids=span("id_range", asked),
        num_bytes=span("byte_range", asked),
        num_characters=span("length_range", asked),
        scripts=frozenset({asked["script"]} - {""}),
        categories=frozenset({asked["category"]} - {""}),
        leading_space=SPACES[_one_of("space", asked, SPACES)],
        wholeness=frozenset({WHOLENESS.index(made)} if made else ()),
        roles=frozenset({ROLES.index(role)} if role else TOKENS),
        among=among,
        sort=sort.removeprefix("-"),
        descending=sort.startswith("-"),
    )


def _one_of(name: str, asked: Mapping[str, str], words: Collection[str]) -> str:
    if asked[name] not in words:
        raise BadAsking(name, asked[name], enumerated([*map(repr, words)], "or"))
    return asked[name]


def span(name: str, asked: Mapping[str, str]) -> Range:
    """Returns the ends of what is written as a range; None where there is none; raises BadAsking.

    >>> [span("", {"": written}) for written in ("3", "3-9", "3–", "-9", "")]
    [(3, 3), (3, 9), (3, None), (None, 9), (None, None)]
    """
    written = asked[name].strip()
    if not written:
        return ANY
    if not (found := re.fullmatch(r"([0-9]{0,9})\s*(?:([-–])\s*([0-9]{0,9}))?", written)) or written in "-–":
        raise BadAsking(name, written, tr("a number, or a range such as 3-9"))
    low, dash, high = found.groups()
    ends = (low, high) if dash else (low, low)
    return tuple(int(end) if end else None for end in ends)


def rows(key: str, parameters: Mapping[str, str]) -> np.ndarray:
    """Returns the ids of an encoding that meet what is asked, in order; raises BadAsking and what `find` raises.

    The vocabulary that it is set beside is the parameter `than`.
    """
    than = parameters.get("than", "")
    return _rows(key, than and shelf.find(than).key, tuple(sorted(read(parameters.get("asked", "{}")).items())))


@lru_cache(maxsize=MOST_ORDERS)
def _rows(key: str, than: str, asked: tuple[tuple[str, str], ...]) -> np.ndarray:
    found = dict(asked)
    return find(known.facts(key), query(found, _among(key, than, found["only"]))).astype(np.uint32)


def _among(key: str, than: str, only: str) -> np.ndarray | None:
    if only in (known.SHARED, known.ALONE):
        if not than:
            return None
        parts = known.beside(key, than)
        return parts.here if only == known.SHARED else parts.only_here
    return known.group(key, only) if only in known.GROUPS else None


def pace(asked: str) -> str:
    """Returns "own" where an expression of a visitor's own is asked for, which may take long, nothing where texts must
    be read for the answer, and else "known"."""
    try:
        found = read(asked)
    except BadAsking:
        return "known"
    if found["find_as"] == "regex":
        return "own"
    return "" if found["only"] in (known.UNREACHABLE, known.INSIDE) else "known"
