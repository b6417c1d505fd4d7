"""Groups of anomalous tokens: their number, the reasons, and examples."""

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

MAX_TOKENS_SHOWN, MAX_TOKENS_PER_RULE = 12, 4


def anomalies(key: str, parameters: Mapping[str, str]) -> str:
    """Returns as JSON the number of tokens in a group, with examples and reasons."""
    name, facts = parameters.get("group", ""), facts_cache.facts(key)
    if name not in facts_cache.GROUPS:
        raise BadQuery("group", name, ", ".join(facts_cache.GROUPS))
    ids = facts_cache.group(key, name)
    answer = {"total": len(ids), "rules": _rules(key) if name == facts_cache.SUSPICIOUS else [], "reasons": []}
    some = [] if answer["rules"] else [brief(facts, id) for id in spread_sample(ids.tolist(), MAX_TOKENS_SHOWN)]
    if name == facts_cache.UNREACHABLE:
        answer["reasons"] = _reasons(key)
        some = [one | {"reasons": [*reason(facts, facts_cache.non_roundtrip(key)[one["id"]])]} for one in some]
    return json.dumps(answer | {"tokens": some})


def _reasons(key: str) -> list[tuple[int, str]]:
    """Returns why tokens do not round-trip, with the number for each reason, the most frequent first."""
    counts = Counter(one.reason for one in facts_cache.non_roundtrip(key).values())
    return [(n, tr(REASONS[name])) for name, n in counts.most_common()]


def _rules(key: str) -> list[dict[str, Any]]:
    """Returns the rules that make tokens suspicious, with numbers and examples."""
    facts, found = facts_cache.facts(key), {name: facts_cache.group(key, name).tolist() for name in RULES}
    return [
        {
            "name": name,
            "description": tr(RULES[name].description),
            "total": len(ids),
            "tokens": [brief(facts, id) for id in spread_sample(ids, MAX_TOKENS_PER_RULE)],
        }
        for name, ids in found.items()
        if ids
    ]


def spread_sample(ids: list[int], max_ids: int) -> list[int]:
    """Returns at most `max_ids` of the ids, evenly spread.

    >>> spread_sample(list(range(100)), 4), spread_sample([1, 2], 4)
    ([0, 25, 50, 75], [1, 2])
    """
    if len(ids) <= max_ids:
        return ids
    return [ids[len(ids) * i // max_ids] for i in range(max_ids)]
