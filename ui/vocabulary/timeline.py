"""Charts of the scripts and lengths of a vocabulary's tokens over their ids, which mostly follow the merge order."""

from functools import partial
from html import escape

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from server.encodings.encoding_store import StoredEncoding
from server.vocabulary import facts_cache
from tokenizer import Encoding
from tokenizer.i18n import mark, number, tr, trn
from tokenizer.text.scripts import localized_script
from tokenizer.vocabulary.id_ranges import OTHERS, IdRanges, id_ranges
from tokenizer.vocabulary.token_map import BROKEN, NO_LETTERS, UNUSED_IDS, script_groups
from ui.components import cache, charts
from ui.vocabulary import search_state
from ui.widgets import pickers

NUM_RANGES, NUM_TENTHS = 80, 10
GROUP_LABELS = {
    OTHERS: mark("other or mixed scripts"),
    NO_LETTERS: mark("no letters"),
    BROKEN: mark("part of a character"),
    UNUSED_IDS: mark("unused ids"),
}
NUM_LINEAR_IDS = 256  # the scale of ids is nearly linear up to here, then logarithmic: most is learned early
TICKS = [0, 256, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000]
AXIS_WIDTH_PIXELS = 54  # pixels left of both charts, so that their ids are aligned
AXIS_WIDTH = {"minExtent": AXIS_WIDTH_PIXELS, "maxExtent": AXIS_WIDTH_PIXELS, "titlePadding": 4, "labelFlush": False}
CHART_HEIGHTS_PIXELS = 290, 210  # pixels, axes and legend included
LEGEND_ANCHOR = "windowSize()[0] < 360 ? 'end' : 'start'"  # on the narrowest phones it takes the width of the axis too
# contrast of 3:1 or more in both themes; neighbors in the stack differ in lightness too
COLORS = ["#3f7fc1", "#d9480f", "#2b8a3e", "#9c5fd0", "#a66f00", "#c2255c"]
OTHER_COLORS = {OTHERS: "#0c8599", NO_LETTERS: "#8d8d86", BROKEN: "#8a5a44"}
LENGTH_COLOR = "#6b7c8c"  # of no script
SELECTION = "id_range"
ORDERED = mark(
    "Apart from special tokens, the ids mostly follow the order in which the tokens were learned: first the base "
    "symbols, then a token for each merge."
)
UNORDERED = mark(
    "In this kind of vocabulary, the ids do not have to follow the order in which the tokens were learned."
)


def show(entry: StoredEncoding) -> None:
    """Draws the finding and the two charts; a click on a range of ids shows its tokens in the table."""
    show_finding(entry)
    _, specs = _computed(entry.key)
    for name, spec in specs.items():
        with st.container(key=f"stage_{name}"):
            charts.show(spec, f"{name}_selection", partial(_search_clicked_ids, name), SELECTION)
    facts = [tr(ORDERED if entry.encoding.kind == "bpe" else UNORDERED)]
    if unused := entry.encoding.id_limit - entry.encoding.vocab_size:
        last = entry.encoding.id_limit - 1
        facts.append(
            trn("{n:,} id below {last:,} has no token.", "{n:,} ids below {last:,} have no token.", unused, last=last)
        )
    facts.append(
        tr("The further right a bar is, the more ids it covers. Choose a bar to show its tokens in the table.")
    )
    st.caption(" ".join(facts))


def show_finding(entry: StoredEncoding) -> None:
    """Draws the finding alone."""
    sentence, _ = _computed(entry.key)
    st.html(f'<p class="finding">{sentence}</p>')


def warm_up() -> None:
    """Computes the charts of the page's default encoding."""
    _computed(pickers.DEFAULT)


def _search_clicked_ids(name: str) -> None:
    if found := st.session_state[f"{name}_selection"].selection.get(SELECTION):
        search_state.search(id_range=str(found[0].get("ids", "")))


@cache.cached
def _computed(key: str) -> tuple[str, dict[str, dict]]:
    facts = facts_cache.facts(key)
    found = group_scripts(id_ranges(facts, range_starts(len(facts)), len(facts.scripts)))
    charts_of = {"scripts_chart": scripts(found), "lengths_chart": lengths(found)}
    return finding(facts.encoding, id_ranges(facts, NUM_TENTHS, len(facts.scripts))), charts_of


def range_starts(limit: int, max_ranges: int = NUM_RANGES) -> list[int]:
    """Returns the starts of ranges of ids, and the end of the last one; all are equally wide on the chart's scale.

    >>> range_starts(50_257, 6)
    [0, 362, 1234, 3340, 8421, 20679, 50257]
    """
    ends = NUM_LINEAR_IDS * np.expm1(np.linspace(0, np.log1p(limit / NUM_LINEAR_IDS), max_ranges + 1))
    return np.unique(ends.round().astype(int)).tolist()


def group_scripts(found: IdRanges) -> IdRanges:
    """Returns the counts of the largest scripts, of all other scripts together, and of two groups without letters."""
    groups = script_groups(found.scripts)
    return found._replace(
        scripts={name: sum(found.scripts[script] for script in scripts) for name, scripts in groups.items()}
    )


def finding(encoding: Encoding, found: IdRanges) -> str:
    """Returns the number of tokens, their scripts and lengths, in HTML; `found` has the counts of tenths of the ids.

    The lengths are left out where the first or last tenth has no tokens of text: special tokens may have higher ids.
    """
    size = trn("<b>{n:,}</b> token", "<b>{n:,}</b> tokens", encoding.vocab_size)
    total = max(1, int(found.tokens.sum()))
    groups = script_groups(found.scripts).keys() - {OTHERS, NO_LETTERS, BROKEN}
    named = [(name, int(n.sum())) for name, n in found.scripts.items() if name in groups]
    shares = [
        tr("{script} {percent} %", script=localized_script(name), percent=number(100 * n / total, ".0f"))
        for name, n in named[:3]
        if 200 * n > total  # not "0 %"
    ]
    lengths = ""
    if found.tokens[0] and found.tokens[-1]:
        lengths = tr(
            "Tokens in the first tenth of the ids have {first:.1f} bytes on average, tokens in the last tenth "
            "{last:.1f} bytes.",
            first=float(found.num_bytes[0] / found.tokens[0]),
            last=float(found.num_bytes[-1] / found.tokens[-1]),
        )
    scripts = ", ".join(f"<span>{escape(one)}</span>" for one in shares)
    sentence = mark("{size}: {scripts}.<br>{lengths}") if shares else mark("{size}.<br>{lengths}")
    return tr(sentence, size=size, scripts=scripts, lengths=lengths).removesuffix("<br>")


def scripts(found: IdRanges) -> dict:
    """Returns the chart of scripts over ids: a stacked bar for each range of ids, as shares of its tokens."""
    totals, rows = np.maximum(1, found.tokens), []
    below = np.zeros(len(totals), np.int64)
    for name, counts in found.scripts.items():
        for row, low, n, of in zip(_range_rows(found), below.tolist(), counts.tolist(), totals.tolist(), strict=True):
            if n:
                rows.append(row | {"script": label(name), "low": low / of, "high": (low + n) / of, "tokens": n})
        below += counts
    names = [label(name) for name in found.scripts]
    colors = [color(name, i) for i, name in enumerate(found.scripts)]
    shown_colors = alt.Color(
        "script:N",
        title=None,
        scale=alt.Scale(domain=names, range=colors),
        legend=alt.Legend(
            orient="top",
            columns=alt.expr("width < 500 ? 2 : width < 900 ? 3 : 5"),
            symbolType="square",
            labelLimit=alt.expr("width < 250 ? 150 : width < 500 ? width / 2 : 300"),
        ),
    )
    axis = alt.Axis(format=".0%", tickCount=4, grid=False, **AXIS_WIDTH)
    y = alt.Y("low:Q", title=tr("share of the tokens"), axis=axis, scale=alt.Scale(domain=[0, 1]))
    bars = alt.Chart(pd.DataFrame(rows)).encode(
        _x(found, labels=False), y, alt.Y2("high:Q"), shown_colors, tooltip=_tips("script:N", "tokens:Q")
    )
    about = tr("Stacked bar chart over the ids: the share of each script in the tokens of each range of ids.")
    return _spec(bars, about, CHART_HEIGHTS_PIXELS[0])


def lengths(found: IdRanges) -> dict:
    """Returns the chart of lengths over ids: the mean bytes of a token in each range of ids."""
    rows = [
        row | {"bytes": int(size) / n, "longest": int(longest), "tokens": int(n)}
        for row, size, longest, n in zip(_range_rows(found), found.num_bytes, found.longest, found.tokens, strict=True)
        if n
    ]
    axis = alt.Axis(tickCount=4, grid=True, **AXIS_WIDTH)
    y = alt.Y("bytes:Q", title=tr("bytes per token"), axis=axis, scale=alt.Scale(zero=True))
    tips = [
        alt.Tooltip("bytes:Q", title=tr("average bytes of a token"), format=".2f"),
        alt.Tooltip("longest:Q", title=tr("bytes of the longest token"), format=",d"),
    ]
    bars = alt.Chart(pd.DataFrame(rows)).encode(
        _x(found, labels=True), y, alt.Y2(datum=0), tooltip=[*_tips("tokens:Q"), *tips]
    )
    about = tr("Bar chart over the ids: how many bytes a token has on average in each range of ids.")
    return _spec(bars, about, CHART_HEIGHTS_PIXELS[1], color=LENGTH_COLOR)


def _spec(bars: alt.Chart, about: str, height: int, **look: str) -> dict:
    """Returns the chart with a bar that can be clicked for each range of ids."""
    clicked = alt.selection_point(name=SELECTION, fields=["ids"], toggle=False, clear=False)
    drawn = bars.mark_rect(cursor="pointer", strokeWidth=0, **look).encode(alt.X2("to:Q")).add_params(clicked)
    legend = {"layout": {"top": {"anchor": {"signal": LEGEND_ANCHOR}}}}
    spec = drawn.properties(height=height, description=about).to_dict(validate=False)
    return spec | {"config": {"legend": legend}}


def label(name: str) -> str:
    """Returns the name of a group of `script_groups` or `TokenMap` in the current language."""
    return tr(GROUP_LABELS[name]) if name in GROUP_LABELS else localized_script(name)


def color(name: str, i: int) -> str:
    """Returns the color of the group with index `i`."""
    return OTHER_COLORS.get(name) or COLORS[i]


def _range_rows(found: IdRanges) -> list[dict]:
    ends = found.starts[1:]
    return [{"from": int(a), "to": int(b), "ids": f"{a}-{b - 1}"} for a, b in zip(found.starts, ends, strict=False)]


def _x(found: IdRanges, labels: bool) -> alt.X:
    end = int(found.starts[-1])
    scale = alt.Scale(type="symlog", constant=NUM_LINEAR_IDS, domain=[0, end], nice=False)
    axis = alt.Axis(
        format=",d",
        values=[mark for mark in TICKS if mark < end * 0.8] + [end - 1],
        labels=labels,
        ticks=labels,
        grid=False,
        labelFlush=True,
    )
    return alt.X("from:Q", title=tr("id (logarithmic scale)") if labels else None, scale=scale, axis=axis)


def _tips(*fields: str) -> list[alt.Tooltip]:
    titles = {"script:N": tr("script"), "tokens:Q": tr("tokens")}
    return [alt.Tooltip("ids:N", title=tr("ids")), *(alt.Tooltip(field, title=titles[field]) for field in fields)]
