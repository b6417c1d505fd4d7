"""The view "Whose vocabulary?": the number of tokens of each script in each encoding, and the longest of them."""

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape

import pandas as pd
import streamlit as st

from server.encodings import encoding_store
from tokenizer import Encoding
from tokenizer.i18n import mark, number, tr, trn
from tokenizer.measure.census import SPECIAL_TOKEN, ScriptGroup, census
from tokenizer.text.scripts import NEVER_IN_UTF8, PART_OF_CHARACTER, WITH_PART_OF_CHARACTER, localized_script
from tokenizer.text.well_formed import as_text
from tokenizer.vocabulary.adverts import readable_or_veil
from ui.components import cache, notices, tables
from ui.languages import dots
from ui.languages.table import token_counts
from ui.session.choices import Choice
from ui.session.visitor_state import visitor
from ui.widgets import names, pickers

DEFAULT_SCRIPT = "Thai"
MIXED = "mixed scripts"
NO_SCRIPTS = {  # groups of tokens that are not one script, and their definitions
    "digits": mark(
        "tokens with digits or other numerals such as ½, and with no letters but those that several scripts share"
    ),
    "punctuation": mark(
        "tokens with punctuation, and with no numerals and no letters but those that several scripts share"
    ),
    "symbols": mark(
        "tokens of symbols, including emoji, or of letters, vowel signs and accents that several scripts share, "
        "such as ー"
    ),
    "space": mark("tokens of only white space"),
    "control characters": mark(
        "tokens of control characters, other invisible characters, or characters that Unicode does not define"
    ),
    PART_OF_CHARACTER: mark("tokens of bytes that do not make a whole character"),
    WITH_PART_OF_CHARACTER: mark("tokens of whole characters and a part of another character"),
    MIXED: mark("tokens with letters of more than one script"),
    NEVER_IN_UTF8: mark("tokens with bytes that never occur in UTF-8"),
    SPECIAL_TOKEN: mark("special tokens, which stand for no text, and the unknown token"),
}
HEADS = {  # heads of the table's columns
    "kind": mark("script or content"),
    "encoding": mark("encoding"),
    "tokens": mark("tokens"),
    "share": mark("share of the vocabulary"),
    "bytes per token": mark("bytes per token"),
    "beginnings": mark("tokens that end inside a character and can only be of this script"),
}
MAX_CHART_ROWS = 30
TICKS = [0, 10, 100, 1_000, 10_000, 100_000]
LONGEST_HEADS = mark("id"), mark("characters"), mark("bytes")
KIND = Choice("token_kind", DEFAULT_SCRIPT)
OLD_PARAMETER = "kind"  # parameter of KIND in older links; the page Train has another parameter of that name


def show() -> None:
    """Draws the number of tokens of a kind, the chart of scripts, the longest tokens of the kind and the table."""
    headline = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        entries = pickers.encodings()
        labels = names.labels(entries)
        found = {name: _census(entry.key) for name, entry in zip(labels, entries, strict=True)}
        kind = _select_kind(found)
    headline.html(f'<p class="finding">{finding(kind, found, names.models(entries))}</p>')
    rows = frame(found)
    draw = partial(chart, rows, labels, kind)
    spec = cache.get_or_compute(draw, "whose chart", [entry.key for entry in entries], list(labels.items()), kind)
    dots.show(spec, "whose_chart", _choose_kind)
    st.caption(
        tr(
            "A token counts for a script if all its letters are of that script, apart from those that several "
            "scripts share. Combining marks, such as vowel signs, count as letters. Tokens that are not valid "
            "UTF-8 by themselves are counted separately. If such a token ends inside a character and can only be of "
            "one script, the table under “All numbers” counts it for that script in a column of its own: E0 B8, for "
            "example, begins only Thai characters."
        )
    )
    _longest(kind, dict(zip(labels, [entry.encoding for entry in entries], strict=True)), found)
    _table(rows)


@cache.cached
def _census(encoding_key: str) -> dict[str, ScriptGroup]:
    return census(encoding_store.find(encoding_key).encoding)


def finding(kind: str, found: Mapping[str, Mapping[str, ScriptGroup]], models: Mapping[str, str]) -> str:
    """Returns a sentence in HTML with the number of tokens of a kind in each encoding."""
    counts = [groups[kind].tokens if kind in groups else 0 for groups in found.values()]
    listed = token_counts(counts, [f"<span>{escape(models[name])}</span>" for name in found])
    label = localized_script(kind)
    return tr("{kind} in the vocabularies: {listed}.", kind=escape(label[:1].upper() + label[1:]), listed=listed)


def frame(found: Mapping[str, Mapping[str, ScriptGroup]]) -> pd.DataFrame:
    """Returns one row per kind of token and encoding (0 if it has none), sorted by each kind's greatest count."""
    kinds = {kind for groups in found.values() for kind in groups}
    none = ScriptGroup(0, 0, [])
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
    """Returns the chart: one row per kind of token, one dot per encoding at its number of tokens, 0 included."""
    kinds = list(dict.fromkeys(rows[rows["tokens"] > 0]["kind"]))[:MAX_CHART_ROWS]
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
    axis = dots.Axis(tr("tokens (logarithmic scale from zero)"), partial(number, form=",.0f"), "symlog", TICKS)
    heads = tr(HEADS["kind"]), tr(HEADS["tokens"])
    return dots.dots(shown, heads, axis, list(labels.values()), chosen, tips)


def _tip(row: Mapping) -> str:
    return trn(
        "{encoding}: {n:,} token, {share:.3%} of the vocabulary",
        "{encoding}: {n:,} tokens, {share:.3%} of the vocabulary",
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


def _select_kind(found: Mapping[str, Mapping[str, ScriptGroup]]) -> str:
    """Draws the select box for the kind of token; replaces a kind that no encoding has by the default."""
    kinds = sorted({DEFAULT_SCRIPT, *(kind for groups in found.values() for kind in groups)})
    if KIND.name not in visitor().choices and (old := st.query_params.pop(OLD_PARAMETER, None)) is not None:
        KIND.choose(old)
    KIND.begin()
    if st.session_state[KIND.name] not in kinds:
        notices.show(tr("None of these encodings has a token of the chosen kind, so another kind is shown."))
        KIND.choose(DEFAULT_SCRIPT)
    return KIND.ask(st.selectbox, tr("Script or content"), kinds, format_func=localized_script, width=240)


def _choose_kind(kind: str) -> None:
    if kind != MIXED:  # a row of the chart that sums many kinds
        KIND.choose(kind)


def _longest(kind: str, encodings: Mapping[str, Encoding], found: Mapping[str, Mapping[str, ScriptGroup]]) -> None:
    head = tr("The longest tokens: {kind}", kind=localized_script(kind))
    st.html(f'<h2 class="lens">{escape(head)}</h2>')
    for column, (name, groups) in zip(st.columns(min(3, len(found))) * 3, found.items(), strict=False):
        with column:
            if kind in groups and groups[kind].longest:
                st.dataframe(
                    longest(encodings[name], groups[kind].longest),
                    hide_index=True,
                    key=f"whose_longest_{name}",
                    placeholder="–",
                    column_config={head: tr(head) for head in LONGEST_HEADS},
                )
            else:
                none = tr("{encoding} has no such token.", encoding=f"<bdi>{escape(name)}</bdi>")
                st.html(f"<p>{none}</p>")


def longest(encoding: Encoding, ids: Sequence[int]) -> pd.DataFrame:
    """Returns a table of tokens, in the column of the encoding's name; adverts are veiled."""
    [head] = tables.unique_labels([encoding.name], LONGEST_HEADS)
    tokens = [encoding.token_bytes(id) for id in ids]
    texts = list(map(as_text, tokens))
    return pd.DataFrame(
        {
            head: [readable_or_veil(token, 80) for token in tokens],
            "id": ids,
            "characters": pd.array([None if text is None else len(text) for text in texts], dtype="Int64"),
            "bytes": [len(token) for token in tokens],
        }
    )
