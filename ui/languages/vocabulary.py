"""Whose vocabulary? How many tokens of each script an encoding has, and the longest of them."""

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd
import streamlit as st

from tokenizer import Encoding
from tokenizer.display.readable import readable
from tokenizer.measure.census import SPECIAL, Group, census
from tokenizer.text.scripts import NEVER, PART, WITH_PART
from tokenizer.text.well_formed import as_text
from ui.desk import pickers
from ui.desk.choices import Choice
from ui.kit import cache, charts, notices, tables
from ui.languages.chart import row_axis
from ui.server import shelf

FIRST = "Thai"
MIXED = "mixed scripts"
NO_SCRIPTS = {  # what is not the script of a token's letters, and what it is
    "digits": "tokens without letters that have a digit",
    "punctuation": "tokens without letters or digits that have punctuation",
    "symbols": "tokens of symbols, emoji among them",
    "space": "tokens of nothing but space and line ends",
    "control characters": "tokens of control characters",
    PART: "tokens of bytes that are no whole character",
    WITH_PART: "tokens of whole characters and a part of one",
    MIXED: "tokens with letters of more than one script",
    NEVER: "bytes that no UTF-8 text has",
    SPECIAL: "tokens that stand for themselves and not for text",
}
MOST_IN_CHART = 30
ROW, AXES = 20, 80  # pixels: of a row, and of axis and legend
COLORS = ["#3f7fc1", "#d9480f", "#2b8a3e", "#9c5fd0", "#a66f00", "#85857e"]  # 3 to 1 on the paper of either theme
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]


def show() -> None:
    """Draws the view: the chart of scripts, the table, the longest tokens of one of them."""
    entries = pickers.encodings()
    names = tables.apart([entry.name for entry in entries])
    found = {name: _census(entry.key) for name, entry in zip(names, entries, strict=True)}
    rows = frame(found)
    charts.show(chart(rows), key="whose_chart")
    st.caption(
        "A token counts for a script if all its letters are of it, whatever else it has; marks are letters here."
        " Bytes that are not UTF-8 alone are counted apart; where they can only be the beginning of one script, such as"
        " E0 B8 of Thai, the table says so. The axis is logarithmic."
    )
    _table(rows)
    _longest(dict(zip(names, [entry.encoding for entry in entries], strict=True)), found)


@cache.once
def _census(encoding_key: str) -> dict[str, Group]:
    return census(shelf.find(encoding_key).encoding)


def frame(found: Mapping[str, Mapping[str, Group]]) -> pd.DataFrame:
    """Returns a row for each kind of token and encoding, the largest kind in any first."""
    rows = pd.DataFrame(
        [
            (MIXED if kind.startswith("mixed: ") else kind, name, group.tokens, group.bytes, group.beginnings)
            for name, groups in found.items()
            for kind, group in groups.items()
        ],
        columns=["kind", "encoding", "tokens", "bytes", "beginnings"],
    )
    rows = rows.groupby(["encoding", "kind"], sort=False, as_index=False).sum()
    rows["share"] = rows["tokens"] / rows.groupby("encoding")["tokens"].transform("sum")
    rows["bytes per token"] = (rows["bytes"] / rows["tokens"]).astype(float)
    rows["most"] = rows.groupby("kind")["tokens"].transform("max")
    rows = rows.sort_values(["most", "kind"], ascending=[False, True], kind="stable", ignore_index=True)
    return rows[["kind", "encoding", "tokens", "share", "bytes per token", "beginnings"]]


def chart(rows: pd.DataFrame) -> dict:
    """Returns the chart: a row a kind, a mark for each encoding at its number of tokens."""
    kinds = list(dict.fromkeys(rows[rows["tokens"] > 0]["kind"]))[:MOST_IN_CHART]
    shown, names = rows[rows["kind"].isin(kinds) & (rows["tokens"] > 0)], list(dict.fromkeys(rows["encoding"]))
    # on a phone the legend has one column, or it would end beyond the edge
    legend = alt.Legend(orient="top", columns=alt.expr("width < 400 ? 1 : 6"), labelFontSize=13)
    y = row_axis("kind", kinds, 190, grid=True)
    x = alt.X(
        "tokens:Q", title="tokens, logarithmic", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s", orient="top")
    )
    colors = alt.Scale(domain=names, range=COLORS[: len(names)])
    shapes = alt.Scale(domain=names, range=SHAPES[: len(names)])
    color = alt.Color("encoding:N", title=None, scale=colors, legend=legend)
    shape = alt.Shape("encoding:N", title=None, scale=shapes, legend=legend)
    tips = [
        alt.Tooltip("kind:N"),
        alt.Tooltip("encoding:N"),
        alt.Tooltip("tokens:Q", format=","),
        alt.Tooltip("share:Q", title="share of the vocabulary", format=".3%"),
    ]
    made = alt.Chart(shown).mark_point(filled=True, size=90, opacity=1).encode(x, y, color, shape, tooltip=tips)
    about = f"Tokens by script, {len(kinds)} rows, a mark for each of {len(names)} encodings, on a logarithmic scale."
    return made.properties(height=AXES + ROW * len(kinds), description=about).to_dict(validate=False)


def _table(rows: pd.DataFrame) -> None:
    with st.expander("All numbers"):
        shown = rows.rename(
            columns={
                "kind": "script, or what it is made of",
                "beginnings": "bytes that can only begin this script, tokens",
            }
        )
        st.dataframe(shown, hide_index=True, key="whose_table")
        st.markdown("\n".join(f"- **{kind}**: {words}" for kind, words in NO_SCRIPTS.items()))
        tables.download("Download the table (CSV)", lambda: tables.to_csv(shown), "vocabularies.csv")


def _longest(encodings: Mapping[str, Encoding], found: Mapping[str, Mapping[str, Group]]) -> None:
    kinds = sorted({kind for groups in found.values() for kind in groups})
    kind = Choice("kind", FIRST if FIRST in kinds else kinds[0])
    kind.begin()
    if st.session_state.kind not in kinds:
        notices.say("None of these encodings has a token of that kind.")
        kind.choose(kinds[0])
    chosen = kind.ask(st.selectbox, "Longest tokens of", kinds, width=320)
    for column, (name, groups) in zip(st.columns(min(3, len(found))) * 3, found.items(), strict=False):
        with column:
            st.dataframe(longest(encodings[name], groups.get(chosen)), hide_index=True, key=f"whose_longest_{name}")


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
