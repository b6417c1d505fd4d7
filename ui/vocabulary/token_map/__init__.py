"""All ids of an encoding as one picture, a square for each id, which can be zoomed and searched without a rerun."""

import numpy as np

from server.encodings.encoding_store import StoredEncoding
from server.vocabulary import facts_cache
from server.web_files import TOKENS
from tokenizer.measure.census import SPECIAL_TOKEN
from tokenizer.vocabulary.token_map import UNUSED_IDS
from ui.components import cache
from ui.components.component import component
from ui.session import component_events
from ui.vocabulary import search_state, timeline
from ui.vocabulary.explorer import PARTS_SHEET
from ui.widgets import encoding_component

KEY = "token_map"

_component = component(__file__, "token_map", TOKENS, PARTS_SHEET)


def show(entry: StoredEncoding, other: StoredEncoding | None) -> None:
    """Draws the map, and the finding below it; with `other`, the map shows which tokens that vocabulary has too."""
    data = {
        "key": entry.key,
        "name": entry.name,
        "than": other.key if other else "",
        "thanName": other.name if other else "",
        "groups": groups(entry.key),
    }
    encoding_component.draw(_component, KEY, data, on_token_change=_show_token)
    timeline.show_finding(entry)


def _show_token() -> None:
    """Shows a token in the table, in a callback."""
    sent = component_events.sent(KEY, "token")
    if isinstance(sent, dict) and isinstance(sent.get("id"), int):
        search_state.search(token=str(sent["id"]))


@cache.cached
def groups(key: str) -> list[dict]:
    """Returns the groups of `facts_cache.token_map` in its order, with their numbers of ids and bytes.

    `color` is that of the charts; special tokens and unused ids have none.
    """
    facts, found = facts_cache.facts(key), facts_cache.token_map(key)
    counts = np.bincount(found.group, minlength=len(found.names)).tolist()
    num_bytes = np.bincount(found.group, facts.num_bytes, len(found.names)).astype(np.int64).tolist()
    return [
        {
            "kind": {SPECIAL_TOKEN: "special", UNUSED_IDS: "unused"}.get(name, "script"),
            "words": timeline.label(name),
            "color": "" if name in (SPECIAL_TOKEN, UNUSED_IDS) else timeline.color(name, i),
            "count": counts[i],
            "bytes": num_bytes[i],
        }
        for i, name in enumerate(found.names)
    ]
