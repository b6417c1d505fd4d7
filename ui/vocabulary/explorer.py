"""The searchable table of a vocabulary's tokens with the details of the selected one; it works without a rerun."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

from server.encodings.encoding_store import StoredEncoding
from server.vocabulary import facts_cache
from server.vocabulary.query import DEFAULTS
from server.vocabulary.rows import brief
from server.web_files import LOUPE, TOKENS
from tokenizer.i18n import mark, tr
from tokenizer.text.anatomy import CATEGORIES
from tokenizer.text.scripts import localized_script
from tokenizer.vocabulary.facts import CATEGORY_NAMES, ROLES, UNUSED, WHOLENESS
from tokenizer.vocabulary.id_ranges import longest_tokens, text_rows
from tokenizer.vocabulary.suspicious import RULES
from ui.components import cache
from ui.components.component import component
from ui.session import component_events, why_text
from ui.streamlit_patches import visitors
from ui.vocabulary import search_state
from ui.widgets import encoding_component

KEY = "vocabulary"
PARTS_SHEET = Path(__file__).parent / "parts.css"
SEARCHES = {
    "text": mark("text, ignoring case"),
    "exact": mark("text, with the same case"),
    "bytes": mark("bytes, in hex"),
    "regex": mark("regular expression"),
}
SPACES = {"": mark("any"), "yes": mark("yes"), "no": mark("no")}
ROLE_LABELS = {
    "ordinary": mark("ordinary"),
    "byte": mark("byte fallback"),
    "special": mark("special"),
    "unknown": mark("unknown"),
    "unused": mark("unused ids"),
}
GROUPS = {
    facts_cache.UNREACHABLE: mark("unreachable"),
    facts_cache.PARTS: mark("not whole characters"),
    facts_cache.INSIDE: mark("always merged in our sample texts"),
    facts_cache.SUSPICIOUS: mark("suspicious"),
}
COMPARED_GROUPS = {
    facts_cache.SHARED: mark("in both vocabularies"),
    facts_cache.ONLY_HERE: mark("only in the first vocabulary"),
}
NUM_LONGEST_PER_SCRIPT = 3

SORTS = {
    "id": mark("id"),
    "text": mark("token"),
    "bytes": mark("bytes"),
    "characters": mark("characters"),
    "script": mark("script"),
    "categories": mark("categories"),
    "space": mark("leading space first"),
    "wholeness": mark("whole characters first"),
    "role": mark("kind"),
}

_component = component(__file__, "vocabulary", TOKENS, LOUPE, PARTS_SHEET)


@st.fragment
def explorer(entry: StoredEncoding, other: StoredEncoding | None) -> None:
    """Draws the table of an encoding's tokens; with `other`, it can be filtered by what both encodings share."""
    visitors.draw_changed_page()
    search_state.begin(entry)
    data = {
        "key": entry.key,
        "name": entry.name,
        "than": other.key if other else "",
        "options": options(entry.key, bool(other)),
        "begins": DEFAULTS,
        "query": search_state.current(),
        "push": search_state.push(),
        "longest": longest(entry.key),
        "adverts": len(facts_cache.adverts(entry.key)),
        "odd": {name: tr(words) for name, words in GROUPS.items()},
    }
    listeners = {"on_query_change": _take, "on_why_change": partial(encoding_component.take_why, KEY, why_text.PAGE)}
    encoding_component.draw(_component, KEY, data, **listeners)


def _take() -> None:
    search_state.take(component_events.sent(KEY, "query"))


def options(key: str, is_beside: bool) -> dict[str, list[tuple[str, str]]]:
    """Returns the options of each list: value and label."""
    only = GROUPS | (COMPARED_GROUPS if is_beside else {})
    return _options(key) | {
        "find_as": [(name, tr(words)) for name, words in SEARCHES.items()],
        "space": [(name, tr(words)) for name, words in SPACES.items()],
        "sort_by": [(name, tr(words)) for name, words in SORTS.items()]
        + [(f"-{name}", tr("{order}, reversed", order=tr(words))) for name, words in SORTS.items()],
        "only": [("", tr("all")), *((name, tr(words)) for name, words in only.items())]
        + [(name, tr("suspicious: {rule}", rule=tr(rule.description))) for name, rule in RULES.items()],
    }


@cache.cached
def _options(key: str) -> dict[str, list[tuple[str, str]]]:
    """Returns the options that occur in a vocabulary, each with its number of tokens in the label."""
    facts = facts_cache.facts(key)
    is_there = facts.role != UNUSED
    scripts = np.bincount(facts.script[is_there], minlength=len(facts.scripts))
    order = [i for i in np.argsort(-scripts, kind="stable").tolist() if scripts[i]]
    wholeness, roles = np.bincount(facts.wholeness[is_there], minlength=4), np.bincount(facts.role, minlength=5)
    categories = [(name, int(np.count_nonzero(facts.categories & 1 << i))) for i, name in enumerate(CATEGORY_NAMES)]
    return {
        "script": _counted((facts.scripts[i], localized_script(facts.scripts[i]), scripts[i]) for i in order),
        "category": _counted((name, f"{name}, {tr(CATEGORIES[name])}", n) for name, n in categories),
        "made": _counted((name, tr(name), wholeness[i]) for i, name in enumerate(WHOLENESS)),
        "role": _counted((name, tr(ROLE_LABELS[name]), roles[i]) for i, name in enumerate(ROLES)),
    }


@cache.cached
def longest(key: str) -> list[dict]:
    """Returns for each script its name, its number of tokens, and the longest of them."""
    facts = facts_cache.facts(key)
    counts = np.bincount(facts.script[text_rows(facts)], minlength=len(facts.scripts)).tolist()
    return [
        {
            "script": name,
            "words": localized_script(name),
            "count": counts[facts.scripts.index(name)],
            "tokens": [brief(facts, id) for id in ids],
        }
        for name, ids in longest_tokens(facts, NUM_LONGEST_PER_SCRIPT).items()
    ]


def _counted(rows: Iterable[tuple[str, str, int]]) -> list[tuple[str, str]]:
    counted = [(name, tr("{words}: {n:,}", words=words, n=int(n))) for name, words, n in rows if n]
    return [("", tr("any")), *counted] if len(counted) > 1 else []
