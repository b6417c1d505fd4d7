"""The comparison of two vocabularies: shared tokens, tokens of one alone, and the visitor's text in each of them."""

from html import escape

import numpy as np
import streamlit as st

from server.encodings import encoding_store
from server.encodings.encoding_store import StoredEncoding
from server.vocabulary import facts_cache
from server.vocabulary.anomalies import spread_sample
from tokenizer.display.comparing import html_table
from tokenizer.display.palette import NUM_COLORS
from tokenizer.display.readable import readable
from tokenizer.i18n import mark, number, tr, trn
from tokenizer.vocabulary.adverts import is_advert
from tokenizer.vocabulary.facts import Facts
from tokenizer.vocabulary.shared_tokens import Coverage, SharedTokens, coverage
from ui.components import cache, notices
from ui.session.choices import Choice
from ui.session.visitor_state import visitor
from ui.vocabulary import search_state
from ui.widgets import pickers

MAX_EXAMPLES = 14  # tokens of each part


def _checked_key(value: str) -> str:
    if not value:
        return ""
    key = pickers.ENCODING.of(value)
    encoding_store.find(key)  # raises for a model that is only counted: it has no vocabulary
    return key


THAN = Choice("than", "", _checked_key, lambda key: key or None, empty=mark("none"))


def pick(entry: StoredEncoding) -> StoredEncoding | None:
    """Draws the choice of another vocabulary (`?than=` in the address); returns it, or None for the same one."""
    THAN.begin()
    own = {key: made.name for key, made in reversed(visitor().own_encodings.items())}
    rows = {"": tr("none")} | own | pickers.models()
    key = THAN.ask(st.selectbox, tr("Compare with"), list(rows), format_func=rows.get, width=300)
    found = encoding_store.find(key) if key else None
    return found if found and found.key != entry.key else None


def show(entry: StoredEncoding, other: StoredEncoding) -> None:
    """Draws the parts of two vocabularies, and their share of the visitor's text."""
    facts, other_facts = facts_cache.facts(entry.key), facts_cache.facts(other.key)
    parts, names = facts_cache.shared_with(entry.key, other.key), (escape(entry.name), escape(other.name))
    title = tr("{here} compared with {there}", here=f"<bdi>{names[0]}</bdi>", there=f"<bdi>{names[1]}</bdi>")
    st.html(f'<h2 class="vocabulary-of">{title}</h2>{bar(parts, *names)}')
    with st.container(horizontal=True):
        show, shared, alone = search_state.search, {"only": facts_cache.SHARED}, {"only": facts_cache.ONLY_HERE}
        st.button(tr("Show tokens that are in both vocabularies"), key="show_shared", on_click=show, kwargs=shared)
        label = tr("Show tokens that are only in the first vocabulary")
        st.button(label, key="show_alone", on_click=show, kwargs=alone)
        label, icon = tr("Swap vocabularies"), ":material/swap_horiz:"
        st.button(label, key="turn_around", icon=icon, on_click=_swap, args=(entry, other))
    st.html(examples(facts, other_facts, parts, *names))
    if text := visitor().text:
        with notices.errors_shown():
            st.html(coverage_table(coverages(text, entry.key, other.key), *names))
    else:
        st.caption(tr("Write a text in the Playground to compare its tokens here."))


def _swap(entry: StoredEncoding, other: StoredEncoding) -> None:
    pickers.ENCODING.choose(other.key)
    THAN.choose(entry.key)


def bar(parts: SharedTokens, name: str, other_name: str) -> str:
    """Returns a bar of three parts in HTML: the tokens only in one, in both, and only in the other."""
    rows = [
        ("here", tr("only in {name}", name=f"<bdi>{name}</bdi>"), len(parts.only_here)),
        ("both", tr("in both"), len(parts.here)),
        ("there", tr("only in {name}", name=f"<bdi>{other_name}</bdi>"), len(parts.only_there)),
    ]
    marks = "".join(f'<i class="{kind}" style="flex-grow: {n}"></i>' for kind, _, n in rows if n)
    items = "".join(f'<li><i class="{kind}"></i> <b>{number(n)}</b> {words}</li>' for kind, words, n in rows)
    return f'<div class="shares"><div aria-hidden="true">{marks}</div><ul>{items}</ul></div>'


def examples(own_facts: Facts, other_facts: Facts, parts: SharedTokens, *names: str) -> str:
    """Returns some tokens of each part as HTML, spread over the ids, without adverts."""
    rows = [
        (tr("only in {name}", name=f"<bdi>{names[0]}</bdi>"), own_facts, parts.only_here),
        (tr("in both"), own_facts, parts.here),
        (tr("only in {name}", name=f"<bdi>{names[1]}</bdi>"), other_facts, parts.only_there),
    ]
    parts_of = (
        (words, "".join(_chip(facts, id) for id in spread_sample(_without_adverts(facts, ids), MAX_EXAMPLES)))
        for words, facts, ids in rows
    )
    items = "".join(f"<dt>{words}</dt><dd>{chips}</dd>" for words, chips in parts_of if chips)
    return f'<dl class="some-tokens">{items}</dl>'


def _without_adverts(facts: Facts, ids: np.ndarray) -> list[int]:
    return [id for id in ids.tolist() if (text := facts.texts[id]) is None or not is_advert(text)]


def _chip(facts: Facts, id: int) -> str:
    title, text = escape(tr("id {id}", id=id)), escape(readable(facts.bytes_of(id), 40))
    return f'<bdi class="c{id % NUM_COLORS}" title="{title}">{text}</bdi> '


@cache.cached
def coverages(text: str, key: str, other_key: str) -> list[tuple[Coverage, Coverage]]:
    """Returns for each encoding the parts of a text in shared tokens and in tokens that it has alone."""
    parts = facts_cache.shared_with(key, other_key)
    encoding, other = (encoding_store.find(one).encoding for one in (key, other_key))
    return [
        (coverage(text, encoding, parts.here), coverage(text, encoding, parts.only_here)),
        (coverage(text, other, parts.there), coverage(text, other, parts.only_there)),
    ]


def coverage_table(found: list[tuple[Coverage, Coverage]], *names: str) -> str:
    """Returns the coverages as an HTML table; the names are HTML."""
    heads = map(escape, (tr("in both vocabularies"), tr("only in this vocabulary")))
    rows = "".join(
        f'<tr><th scope="row"><bdi>{name}</bdi></th>{_cell(shared, alone)}{_cell(alone, shared)}</tr>'
        for name, (shared, alone) in zip(names, found, strict=True)
    )
    title = tr("Your text in each vocabulary")
    return f'<h3 class="covered">{escape(title)}</h3>{html_table(title, "", heads, rows, "ways")}'


def _cell(own: Coverage, other: Coverage) -> str:
    total = max(1, own.num_bytes + other.num_bytes)
    tokens = trn("{n:,} token", "{n:,} tokens", own.tokens)
    size = trn("{n:,} byte", "{n:,} bytes", own.num_bytes)
    return f"<td>{tokens}, {size} ({number(100 * own.num_bytes / total, '.0f')} %)</td>"
