"""The tokens of a vocabulary that are not what they seem, group by group: how many, why, and some of them."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from server.vocabulary import facts_cache
from server.vocabulary.query import BadQuery
from server.vocabulary.rows import brief
from server.vocabulary.token_detail import reason
from tokenizer.i18n import tr
from tokenizer.vocabulary.non_roundtrip import REASONS
from tokenizer.vocabulary.suspicious import RULES

MAX_TOKENS_SHOWN, MAX_TOKENS_PER_RULE = 12, 4  # tokens


def anomalies(key: str, parameters: Mapping[str, str]) -> str:
    """JSON: how many tokens a group of those that are not what they seem has, and some of them with what is told."""
    name, facts = parameters.get("group", ""), facts_cache.facts(key)
    if name not in facts_cache.GROUPS:
        raise BadQuery("group", name, ", ".join(facts_cache.GROUPS))
    ids = facts_cache.group(key, name)
    told = {"total": len(ids), "rules": _rules(key) if name == facts_cache.SUSPICIOUS else [], "reasons": []}
    some = [] if told["rules"] else [brief(facts, id) for id in spread_sample(ids.tolist(), MAX_TOKENS_SHOWN)]
    if name == facts_cache.UNREACHABLE:
        told["reasons"] = _reasons(key)
        some = [one | {"says": [*reason(facts, facts_cache.seeming(key)[one["id"]])]} for one in some]
    return json.dumps(told | {"tokens": some})


def _reasons(key: str) -> list[tuple[int, str]]:
    """For which reason how many tokens are not given back, the most frequent first."""
    counts = Counter(one.reason for one in facts_cache.seeming(key).values())
    return [(n, tr(REASONS[name])) for name, n in counts.most_common()]


def _rules(key: str) -> list[dict[str, Any]]:
    """By which rule how many tokens are suspicious, and some of them."""
    facts, found = facts_cache.facts(key), {name: facts_cache.group(key, name).tolist() for name in RULES}
    return [
        {
            "name": name,
            "says": tr(RULES[name].says),
            "total": len(ids),
            "tokens": [brief(facts, id) for id in spread_sample(ids, MAX_TOKENS_PER_RULE)],
        }
        for name, ids in found.items()
        if ids
    ]


def spread_sample(ids: list[int], most: int) -> list[int]:
    """Returns some of the ids, from all over.

    >>> spread_sample(list(range(100)), 4), spread_sample([1, 2], 4)
    ([0, 25, 50, 75], [1, 2])
    """
    if len(ids) <= most:
        return ids
    return [ids[len(ids) * i // most] for i in range(most)]
