"""Whose vocabulary? How many tokens of each script an encoding has, and the longest of them."""

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape

import pandas as pd
import streamlit as st

from server.encodings import encoding_store
from tokenizer import Encoding
from tokenizer.display.readable import readable
from tokenizer.errors import enumerated
from tokenizer.i18n import mark, number, tr, trn
from tokenizer.measure.census import SPECIAL, Group, census
from tokenizer.text.scripts import NEVER, PART, WITH_PART, localized_script
from tokenizer.text.well_formed import as_text
from ui.components import cache, notices, tables
from ui.languages import dots
from ui.session.choices import Choice
from ui.session.visitor_state import visitor
from ui.widgets import names, pickers

FIRST = "Thai"
MIXED = "mixed scripts"
NO_SCRIPTS = {  # what is not the script of a token's letters, and what it is
    "digits": mark("tokens with digits and no letters"),
    "punctuation": mark("tokens with punctuation and no letters or digits"),
    "symbols": mark("tokens of symbols, including emoji"),
    "space": mark("tokens of nothing but white space"),
    "control characters": mark("tokens of control characters"),
    PART: mark("tokens of bytes that do not make a whole character"),
    WITH_PART: mark("tokens of whole characters and part of another"),
    MIXED: mark("tokens with letters of more than one script"),
    NEVER: mark("tokens with bytes that never occur in UTF-8"),
    SPECIAL: mark("tokens that stand for themselves and not for text"),
}
HEADS = {  # of the table, by its columns
    "kind": mark("script, or what it is made of"),
    "encoding": mark("encoding"),
    "tokens": mark("tokens"),
    "share": mark("share"),
    "bytes per token": mark("bytes per token"),
    "beginnings": mark("bytes that can only begin this script, tokens"),
}
MOST_IN_CHART = 30
MARKS = [0, 10, 100, 1_000, 10_000, 100_000]  # of the axis
LONGEST_HEADS = mark("id"), mark("characters"), mark("bytes")  # of the table of the longest tokens
KIND = Choice("token_kind", FIRST)
BEFORE = "kind"  # what links called it, as they still call the kind of encoding that the page Train trains


def show() -> None:
    """Draws the view: how many tokens of a kind, the chart of scripts, the longest tokens of the kind, the table."""
    said = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        entries = pickers.encodings()
        labels = names.labels(entries)
        found = {name: _census(entry.key) for name, entry in zip(labels, entries, strict=True)}
        kind = _kind(found)
    said.html(f'<p class="finding">{finding(kind, found, names.models(entries))}</p>')
    rows = frame(found)
    drawn = partial(chart, rows, labels, kind)
    spec = cache.get_or_compute(drawn, "whose chart", [entry.key for entry in entries], list(labels.items()), kind)
    dots.show(spec, "whose_chart", _take)
    st.caption(
        tr(
            "A token counts for a script if all its letters are of that script; marks count as letters. Bytes that are"
            " not UTF-8 by themselves are counted separately; where they can begin only one script, as E0 B8 begins"
            " Thai, the table says so."
        )
    )
    _longest(kind, dict(zip(labels, [entry.encoding for entry in entries], strict=True)), found)
    _table(rows)


@cache.cached
def _census(encoding_key: str) -> dict[str, Group]:
    return census(encoding_store.find(encoding_key).encoding)


def finding(kind: str, found: Mapping[str, Mapping[str, Group]], models: Mapping[str, str]) -> str:
    """Returns, as HTML, how many tokens of a kind each encoding has."""
    (model, count), *others = (
        (f"<span>{escape(models[name])}</span>", groups[kind].tokens if kind in groups else 0)
        for name, groups in found.items()
    )
    begins = trn("<b>{n:,}</b> token in {model}", "<b>{n:,}</b> tokens in {model}", count, model=model)
    listed = enumerated([begins, *(tr("<b>{n:,}</b> in {model}", n=n, model=other) for other, n in others)])
    called = localized_script(kind)
    return tr("{kind}: {listed}.", kind=escape(called[:1].upper() + called[1:]), listed=listed)


def frame(found: Mapping[str, Mapping[str, Group]]) -> pd.DataFrame:
    """Returns a row for each kind of token and encoding, the largest kind in any first; one that has none has zero."""
    kinds = {kind for groups in found.values() for kind in groups}
    none = Group(0, 0, [])
    rows = pd.DataFrame(
        [
            (MIXED if kind.startswith("mixed: ") else kind, name, group.tokens, group.bytes, group.beginnings)
            for name, groups in found.items()
            for kind, group in ((kind, groups.get(kind, none)) for kind in [*groups, *sorted(kinds - groups.keys())])
        ],
        columns=["kind", "encoding", "tokens", "bytes", "beginnings"],
    )
    rows = rows.groupby(["encoding", "kind"], sort=False, as_index=False).sum()
    rows["share"] = rows["tokens"] / rows.groupby("encoding")["tokens"].transform("sum")
    rows["bytes per token"] = (rows["bytes"] / rows["tokens"]).astype(float)
    rows["most"] = rows.groupby("kind")["tokens"].transform("max")
    rows = rows.sort_values(["most", "kind"], ascending=[False, True], kind="stable", ignore_index=True)
    return rows[["kind", "encoding", "tokens", "share", "bytes per token", "beginnings"]]


def chart(rows: pd.DataFrame, labels: Mapping[str, str], chosen: str | None = None) -> dict:
    """Returns the chart: a row a kind, a dot for each encoding at its number of tokens, none of them too."""
    kinds = list(dict.fromkeys(rows[rows["tokens"] > 0]["kind"]))[:MOST_IN_CHART]
    shown = rows[rows["kind"].isin(kinds)]
    shown = shown.assign(
        id=shown["kind"],
        row=shown["kind"].map(localized_script),
        value=shown["tokens"].astype(float),
        encoding=shown["encoding"].map(labels),
    )
    tips = {
        kind: "\n".join([localized_script(kind), *map(_tip, own.to_dict("records"))])
        for kind, own in shown.groupby("kind", sort=False)
    }
    axis = dots.Axis(tr("tokens (logarithmic, from zero)"), partial(number, form=",.0f"), "symlog", MARKS)
    return dots.dots(shown, axis, list(labels.values()), chosen, tips)


def _tip(row: Mapping) -> str:
    return trn(
        "{encoding}: {n:,} token, {share:.3%}",
        "{encoding}: {n:,} tokens, {share:.3%}",
        row["tokens"],
        encoding=row["encoding"],
        share=row["share"],
    )


def _table(rows: pd.DataFrame) -> None:
    with st.expander(tr("All numbers")):
        shown = rows.assign(kind=rows["kind"].map(localized_script)).rename(columns=lambda name: tr(HEADS[name]))
        st.dataframe(shown, hide_index=True, key="whose_table", placeholder="–")
        st.markdown("\n".join(f"- **{localized_script(kind)}**: {tr(words)}" for kind, words in NO_SCRIPTS.items()))
        csv = tables.to_csv(rows.rename(columns=HEADS))
        tables.download_button(tr("Download the table (CSV)"), lambda: csv, "vocabularies.csv")


def _kind(found: Mapping[str, Mapping[str, Group]]) -> str:
    """Asks for the kind of token that is looked at."""
    kinds = sorted({FIRST, *(kind for groups in found.values() for kind in groups)})
    if KIND.name not in visitor().choices and (asked := st.query_params.pop(BEFORE, None)) is not None:
        KIND.choose(asked)
    KIND.begin()
    if st.session_state[KIND.name] not in kinds:
        notices.show(tr("None of these encodings has a token of that kind."))
        KIND.choose(FIRST)
    return KIND.ask(st.selectbox, tr("Tokens of"), kinds, format_func=localized_script, width=240)


def _take(kind: str) -> None:
    if kind != MIXED:  # one row of the chart for many kinds
        KIND.choose(kind)


def _longest(kind: str, encodings: Mapping[str, Encoding], found: Mapping[str, Mapping[str, Group]]) -> None:
    head = tr("The longest tokens: {kind}", kind=localized_script(kind))
    st.html(f'<h2 class="lens">{escape(head)}</h2>')
    for column, (name, groups) in zip(st.columns(min(3, len(found))) * 3, found.items(), strict=False):
        with column:
            if kind in groups and groups[kind].longest:
                st.dataframe(
                    longest(encodings[name], groups[kind]),
                    hide_index=True,
                    key=f"whose_longest_{name}",
                    placeholder="–",
                    column_config={head: tr(head) for head in LONGEST_HEADS},
                )
            else:
                none = tr("{encoding} has none.", encoding=f"<bdi>{escape(name)}</bdi>")
                st.html(f"<p>{none}</p>")


def longest(encoding: Encoding, group: Group | None) -> pd.DataFrame:
    """Returns the longest tokens of a group, longest first, under the name of the encoding."""
    ids: Sequence[int] = group.longest if group else []
    tokens = [encoding.token_bytes(id) for id in ids]
    texts = map(as_text, tokens)
    return pd.DataFrame(
        {
            encoding.name: [readable(token, 80) for token in tokens],
            "id": ids,
            "characters": pd.array([None if text is None else len(text) for text in texts], dtype="Int64"),
            "bytes": [len(token) for token in tokens],
        }
    )
