"""Whose vocabulary? How many tokens of each script an encoding has, and the longest of them."""

from collections.abc import Mapping, Sequence
from html import escape

import pandas as pd
import streamlit as st

from tokenizer import Encoding
from tokenizer.display.readable import readable
from tokenizer.errors import counted, enumerated
from tokenizer.measure.census import SPECIAL, Group, census
from tokenizer.text.scripts import NEVER, PART, WITH_PART
from tokenizer.text.well_formed import as_text
from ui.desk import names, pickers
from ui.desk.choices import Choice
from ui.kit import cache, notices, tables
from ui.languages import dots
from ui.server import shelf

FIRST = "Thai"
MIXED = "mixed scripts"
NO_SCRIPTS = {  # what is not the script of a token's letters, and what it is
    "digits": "tokens with digits and no letters",
    "punctuation": "tokens with punctuation and no letters or digits",
    "symbols": "tokens of symbols, including emoji",
    "space": "tokens of nothing but white space",
    "control characters": "tokens of control characters",
    PART: "tokens of bytes that do not make a whole character",
    WITH_PART: "tokens of whole characters and part of another",
    MIXED: "tokens with letters of more than one script",
    NEVER: "tokens with bytes that never occur in UTF-8",
    SPECIAL: "tokens that stand for themselves and not for text",
}
MOST_IN_CHART = 30
AXIS = dots.Axis("tokens (logarithmic, from zero)", "{:,.0f}".format, "symlog", [0, 10, 100, 1_000, 10_000, 100_000])
KIND = Choice("kind", FIRST)


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
    dots.show(chart(rows, labels, kind), "whose_chart", _take)
    st.caption(
        "A token counts for a script if all its letters are of that script; marks count as letters. Bytes that are not"
        " UTF-8 by themselves are counted separately; where they can begin only one script, as E0 B8 begins Thai, the"
        " table says so."
    )
    _longest(kind, dict(zip(labels, [entry.encoding for entry in entries], strict=True)), found)
    _table(rows)


@cache.once
def _census(encoding_key: str) -> dict[str, Group]:
    return census(shelf.find(encoding_key).encoding)


def finding(kind: str, found: Mapping[str, Mapping[str, Group]], models: Mapping[str, str]) -> str:
    """Returns, as HTML, how many tokens of a kind each encoding has."""
    counts = [(models[name], groups[kind].tokens if kind in groups else 0) for name, groups in found.items()]
    units = [" token" if counts[0][1] == 1 else " tokens", *[""] * len(counts)]
    numbers = enumerated(
        [
            f"<b>{count:,}</b>{unit} in <span>{escape(model)}</span>"
            for (model, count), unit in zip(counts, units, strict=False)
        ]
    )
    return f"{escape(kind[:1].upper() + kind[1:])}: {numbers}."


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
    tips = {
        kind: "\n".join(
            [
                kind,
                *(
                    f"{labels[row['encoding']]}: {counted(row['tokens'], 'token')}, {row['share']:.3%}"
                    for row in own.to_dict("records")
                ),
            ]
        )
        for kind, own in shown.groupby("kind", sort=False)
    }
    own = shown.assign(
        id=shown["kind"], row=shown["kind"], value=shown["tokens"].astype(float), encoding=shown["encoding"].map(labels)
    )
    return dots.dots(own, AXIS, list(labels.values()), chosen, tips)


def _table(rows: pd.DataFrame) -> None:
    with st.expander("All numbers"):
        shown = rows.rename(
            columns={
                "kind": "script, or what it is made of",
                "beginnings": "bytes that can only begin this script, tokens",
            }
        )
        st.dataframe(shown, hide_index=True, key="whose_table", placeholder="–")
        st.markdown("\n".join(f"- **{kind}**: {words}" for kind, words in NO_SCRIPTS.items()))
        tables.download("Download the table (CSV)", lambda: tables.to_csv(shown), "vocabularies.csv")


def _kind(found: Mapping[str, Mapping[str, Group]]) -> str:
    """Asks for the kind of token that is looked at."""
    kinds = sorted({FIRST, *(kind for groups in found.values() for kind in groups)})
    KIND.begin()
    if st.session_state.kind not in kinds:
        notices.say("None of these encodings has a token of that kind.")
        KIND.choose(FIRST)
    return KIND.ask(st.selectbox, "Tokens of", kinds, width=240)


def _take(kind: str) -> None:
    if kind != MIXED:  # one row of the chart for many kinds
        KIND.choose(kind)


def _longest(kind: str, encodings: Mapping[str, Encoding], found: Mapping[str, Mapping[str, Group]]) -> None:
    st.html(f'<h2 class="lens">The longest tokens: {escape(kind)}</h2>')
    for column, (name, groups) in zip(st.columns(min(3, len(found))) * 3, found.items(), strict=False):
        with column:
            if kind in groups and groups[kind].longest:
                st.dataframe(
                    longest(encodings[name], groups[kind]),
                    hide_index=True,
                    key=f"whose_longest_{name}",
                    placeholder="–",
                )
            else:
                st.html(f"<p><bdi>{escape(name)}</bdi> has none.</p>")


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
