"""Caches of vocabulary facts, shared by all visitors."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np

from server.encodings import encoding_store
from tokenizer.encoding.lru_cache import LruCache
from tokenizer.vocabulary.adverts import adverts as find_adverts
from tokenizer.vocabulary.facts import Facts, facts_of
from tokenizer.vocabulary.merge_graph import MergeGraph
from tokenizer.vocabulary.non_roundtrip import NonRoundtrip, non_roundtrip_tokens, parts_of_characters
from tokenizer.vocabulary.shared_tokens import SharedTokens, shared_tokens
from tokenizer.vocabulary.suspicious import RULES, suspicious
from tokenizer.vocabulary.token_map import TokenMap
from tokenizer.vocabulary.token_map import token_map as map_of
from tokenizer.vocabulary.usage import Usage, our_texts, usage

MAX_CACHED_VOCABULARIES = 4  # of up to 100 MB each
UNREACHABLE, PARTS, INSIDE, SUSPICIOUS = "unreachable", "parts", "inside", "suspicious"
SHARED, ONLY_HERE = "shared", "alone"
GROUPS = (UNREACHABLE, PARTS, INSIDE, SUSPICIOUS, *RULES)
Value = TypeVar("Value")


def _cached(build: Callable[[str], Value], max_size: int = MAX_CACHED_VOCABULARIES) -> Callable[[str], Value]:
    return LruCache(build, max_size).get


# each by the key of an encoding
facts: Callable[[str], Facts] = _cached(lambda key: facts_of(encoding_store.find(key).encoding))
merge_graph: Callable[[str], MergeGraph] = _cached(lambda key: MergeGraph(facts(key)))
non_roundtrip: Callable[[str], Mapping[int, NonRoundtrip]] = _cached(  # by id
    lambda key: {one.id: one for one in non_roundtrip_tokens(facts(key).encoding)}, 4 * MAX_CACHED_VOCABULARIES
)
usage_of: Callable[[str], Usage] = _cached(lambda key: usage(facts(key), our_texts()))
adverts: Callable[[str], np.ndarray] = _cached(lambda key: find_adverts(facts(key)), 4 * MAX_CACHED_VOCABULARIES)
token_map: Callable[[str], TokenMap] = _cached(lambda key: map_of(facts(key)), 4 * MAX_CACHED_VOCABULARIES)
_suspicious = _cached(lambda key: suspicious(facts(key)), 2 * MAX_CACHED_VOCABULARIES)
_shared = _cached(lambda keys: shared_tokens(*map(facts, keys.split(" "))), 2 * MAX_CACHED_VOCABULARIES)


def shared_with(key: str, other_key: str) -> SharedTokens:
    """Returns which tokens two vocabularies share."""
    return _shared(f"{key} {other_key}")


def group(key: str, name: str) -> np.ndarray:
    """Returns the ids of one of GROUPS, in order."""
    if name == UNREACHABLE:
        return np.array(sorted(non_roundtrip(key)), np.int64)
    if name == PARTS:
        return parts_of_characters(facts(key))
    if name == INSIDE:
        return usage_of(key).intermediate()
    found = _suspicious(key)
    return found[name] if name in found else np.unique(np.concatenate([*found.values()]))
