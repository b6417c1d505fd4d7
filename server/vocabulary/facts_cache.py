"""What is known of vocabularies, kept for all who ask: the facts of their tokens, and which are not what they seem."""

from collections.abc import Mapping

import numpy as np

from server.encodings import encoding_store
from tokenizer.encoding.lru_cache import LruCache
from tokenizer.vocabulary.facts import Facts, facts_of
from tokenizer.vocabulary.merge_graph import MergeGraph
from tokenizer.vocabulary.non_roundtrip import NonRoundtrip, non_roundtrip_tokens, parts_of_characters
from tokenizer.vocabulary.shared_tokens import SharedTokens, shared_tokens
from tokenizer.vocabulary.suspicious import RULES, suspicious
from tokenizer.vocabulary.usage import Usage, our_texts, usage

MAX_CACHED_VOCABULARIES = 4  # vocabularies that are kept, of up to 100 MB each
UNREACHABLE, PARTS, INSIDE, SUSPICIOUS = "unreachable", "parts", "inside", "suspicious"
SHARED, ONLY_HERE = "shared", "alone"
GROUPS = (UNREACHABLE, PARTS, INSIDE, SUSPICIOUS, *RULES)


def facts(key: str) -> Facts:
    """Returns the facts of every token of the encoding of this key."""
    return _facts.get(key)


def family(key: str) -> MergeGraph:
    """Returns who was merged from whom."""
    return _families.get(key)


def seeming(key: str) -> Mapping[int, NonRoundtrip]:
    """Returns, by their ids, the tokens that their own text does not give back."""
    return _seeming.get(key)


def used(key: str) -> Usage:
    """Returns how the texts that come with the app use the vocabulary."""
    return _used.get(key)


def shared_with(key: str, than: str) -> SharedTokens:
    """Returns which tokens two vocabularies share."""
    return _shared.get(f"{key} {than}")


def group(key: str, name: str) -> np.ndarray:
    """Returns the ids of one of GROUPS, in order."""
    if name == UNREACHABLE:
        return np.array(sorted(seeming(key)), np.int64)
    if name == PARTS:
        return parts_of_characters(facts(key))
    if name == INSIDE:
        return used(key).intermediate()
    found = _suspicious.get(key)
    return found[name] if name in found else np.unique(np.concatenate([*found.values()]))


_facts = LruCache(lambda key: facts_of(encoding_store.find(key).encoding), MAX_CACHED_VOCABULARIES)
_families = LruCache(lambda key: MergeGraph(facts(key)), MAX_CACHED_VOCABULARIES)
_seeming = LruCache(
    lambda key: _Table((one.id, one) for one in non_roundtrip_tokens(facts(key).encoding)), 4 * MAX_CACHED_VOCABULARIES
)
_used = LruCache(lambda key: usage(facts(key), our_texts()), MAX_CACHED_VOCABULARIES)
_suspicious = LruCache(lambda key: suspicious(facts(key)), 2 * MAX_CACHED_VOCABULARIES)
_shared = LruCache(lambda keys: shared_tokens(*map(facts, keys.split(" "))), 2 * MAX_CACHED_VOCABULARIES)


class _Table(dict):
    """Tokens by their ids; also where there are none, they have been looked for."""

    def __bool__(self) -> bool:
        return True
