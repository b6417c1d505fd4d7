"""Charts of the Languages page: a row a language, its premium as a bar of two factors on a logarithmic scale."""

import math
from collections.abc import Callable, Collection, Sequence
from functools import partial
from html import escape
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from ui.kit.charts import show
from ui.languages.table import COLUMNS, SHOWN

ROW, AXES = 18, 52  # pixels: of a row, and of the axis
LABEL = 140  # pixels for the names of languages; assets/style.css cuts them off where charts stand side by side
ROOM = 1.5  # powers of two to the right of the longest bar: its number stands there
SELECTION = "language"  # by this name the chart says what was clicked


class Factor(NamedTuple):
    """One factor of a premium: how it is named and drawn. The heights tell the factors apart where colors do not."""

    label: str
    color: str  # 3 to 1 on the paper of either theme
    height: int  # pixels


FACTORS = {
    "length": Factor("characters: how long it is written", "#3f7fc1", 13),
    "density": Factor("tokens per character: how finely it is cut", "#d9480f", 9),
}
MARKS = {  # over the bars; the last two where other kinds of text were counted
    "tick": "premium: the two multiplied",
    "interval": "other sentences like these, 95 %",
    "kinds": "from the cheapest kind of sentence to the dearest",
    "declared": "Declaration of Human Rights",
}
BEYOND = ["least_kind", "most_kind", "declared"]  # a reader's own text has none of them
PLAIN = "#3f7fc1"  # bars that are of one number
TIPS = {  # what a tooltip says of a row, by its columns, and how numbers are written
    **dict.fromkeys(["language", "autonym", "encoding"], ""),
    "tokens": ",d",
    **dict.fromkeys(["premium", *FACTORS, "held", "byte_premium", "low", "high", *BEYOND], ".3f"),
    **dict.fromkeys(["per_word", "per_grapheme"], ".3f"),
}
Drawn = tuple[pd.DataFrame, list[alt.Chart], str]  # the table of a chart, its layers, and what it shows in words


def legend(beyond: bool = False) -> str:
    """Returns what the parts of the bars mean, as HTML; `beyond` says whether other kinds of text are marked too."""
    items = "".join(
        f'<li><i style="background:{factor.color};height:{factor.height}px"></i>{escape(factor.label)}</li>'
        for factor in FACTORS.values()
    )
    marks = MARKS if beyond else dict(list(MARKS.items())[:2])
    items += "".join(f'<li><i class="{name}"></i>{words}</li>' for name, words in marks.items())
    return f'<ul class="factor-marks">{items}</ul>'


def draw(
    made: Sequence[tuple[str, dict]], key: str, keys: Sequence[str], take: Callable[[str], None] | None = None
) -> None:
    """Draws the charts of encodings side by side; `take` hears in which of them, by its key, a row was clicked."""
    with st.container(horizontal=True, key=f"{key}_charts"):
        for i, (of, (name, spec)) in enumerate(zip(keys, made, strict=True)):
            with st.container(gap="xxsmall", key=f"{key}_chart_{i}"):
                st.html(f'<h3 class="lens">{escape(name)}</h3>')
                show(spec, key=f"{key}_of_{of}", on_select=take and partial(take, of))


def charts(rows: pd.DataFrame, measure: str, order: str, kept: Collection[str]) -> list[tuple[str, dict]]:
    """Returns, for each encoding, its name and its chart for `draw`; all have the same rows and axis.

    `order` is "cost", the dearest in the first encoding on top, or a column's name.
    """
    rows = rows[rows["tag"].isin(kept)]
    tags, limits = ordered(rows, measure, order), extent(rows, measure)
    return [
        (name, _chart(own.set_index("tag").loc[tags].reset_index(), measure, limits))
        for name, own in rows.groupby("encoding", sort=False)
    ]


def ordered(rows: pd.DataFrame, measure: str, order: str) -> list[str]:
    """Returns the tags in the order of the rows."""
    first = rows[rows["encoding"] == rows["encoding"].iloc[0]]
    columns = {"cost": [measure], "name": ["language"]}.get(order, [order, "language"])
    return first.sort_values(columns, ascending=order != "cost")["tag"].tolist()


def _chart(rows: pd.DataFrame, measure: str, extent: tuple[float, float]) -> dict:
    draw = _factors if measure == "premium" else _plain
    shown, layers, about = draw(rows, measure, extent)
    # one table for all layers: it goes to the browser once
    made = alt.layer(_rows_to_click(rows), *layers, data=shown)
    return made.properties(height=AXES + ROW * len(rows), description=about).to_dict(validate=False)  # a test does


def extent(rows: pd.DataFrame, measure: str) -> tuple[float, float]:
    """Returns the least and the most that a chart of these rows has to show.

    >>> row = {"premium": [4.0], "low": [3], "high": [5], "length": [0.5], "density": [8]}
    >>> extent(pd.DataFrame(row), "premium")
    (0.5, 8.0)
    """
    if measure != "premium":
        return 0.0, float(rows[measure].max())
    found = powers(rows)
    return float(2 ** found.min(axis=None)), float(2 ** found.max(axis=None))


def powers(rows: pd.DataFrame) -> pd.DataFrame:
    """Returns where each bar begins and ends and the marks lie, in powers of two: what saves goes left, costs right.

    >>> row = {"premium": [4.0], "low": [4], "high": [4], "length": [0.5], "density": [8]}
    >>> powers(pd.DataFrame(row))[["length_from", "length", "density_from", "density"]].values.tolist()
    [[0.0, -1.0, 0.0, 3.0]]
    """
    marks = [name for name in ("premium", "low", "high", *BEYOND) if name in rows]
    found = np.log2(rows[[*FACTORS, *marks]].apply(pd.to_numeric))
    found["length_from"] = 0.0
    found["density_from"] = found["length"].where(found["length"] * found["density"] > 0, 0.0)
    return found.assign(density=found["density_from"] + found["density"])


def _factors(rows: pd.DataFrame, measure: str, extent: tuple[float, float]) -> Drawn:
    low, high = math.log2(extent[0]) - 0.2, math.log2(extent[1]) + ROOM
    scale, marks = alt.Scale(domain=[low, high], nice=False), list(range(math.ceil(low), math.floor(high) + 1))
    # flush: half of a label at the edge would be cut off, and 25× is not 0.25×
    times = "format(pow(2, datum.value), '~g') + '×'"
    axis = alt.Axis(orient="top", values=marks, labelExpr=times, labelFlush=16)
    places = powers(rows).add_prefix("at_")
    shown = rows.join(places).assign(
        label=[f"{premium:.2f}×" for premium in rows["premium"]], at_label=places.max(axis=1)
    )
    base = alt.Chart().encode(_y(rows), tooltip=_tips(rows))
    bars = [
        base.mark_bar(height=factor.height, color=factor.color).encode(
            alt.X(f"at_{name}_from:Q", title=None, scale=scale, axis=axis), alt.X2(f"at_{name}:Q")
        )
        for name, factor in FACTORS.items()
    ]
    layers = [
        alt.Chart().mark_rule(strokeWidth=1.5).encode(x=alt.datum(0)),
        *bars,
        base.mark_rule(strokeWidth=3.5).encode(alt.X("at_low:Q"), alt.X2("at_high:Q")),
        base.mark_tick(thickness=3, size=ROW - 4, opacity=1).encode(alt.X("at_premium:Q")),
        base.mark_text(align="left", dx=9, fontSize=12).encode(alt.X("at_label:Q"), alt.Text("label:N")),
    ]
    if "declared" in rows:
        layers += [
            base.mark_rule(strokeWidth=1).encode(alt.X("at_least_kind:Q"), alt.X2("at_most_kind:Q")),
            base.mark_text(text="◇", fontSize=15).encode(alt.X("at_declared:Q")),
        ]
    return (
        shown,
        layers,
        f"Bars on a logarithmic scale: the premium of {len(rows)} languages in {rows['encoding'].iloc[0]}, each the"
        " product of characters and tokens per character.",
    )


def _plain(rows: pd.DataFrame, measure: str, extent: tuple[float, float]) -> Drawn:
    name, unit, _ = SHOWN[measure]
    is_share = unit.startswith("share")
    form = ".0%" if is_share else "~g"
    scale = alt.Scale(domain=[0, (extent[1] or 1) * 1.2], nice=False)
    x = alt.X(f"{measure}:Q", title=None, scale=scale, axis=alt.Axis(orient="top", format=form, tickCount=4))
    shown = rows[measure].map(
        lambda value: "–" if pd.isna(value) else f"{100 * value:.1f} %" if is_share else f"{value:.2f}"
    )
    base = alt.Chart().encode(x, _y(rows))
    layers = [
        base.mark_bar(height=11, color=PLAIN).encode(tooltip=_tips(rows)),
        base.mark_text(align="left", dx=6, fontSize=12).encode(alt.Text("label:N")),
    ]
    about = f"Bars: {name.lower()} of {len(rows)} languages in {rows['encoding'].iloc[0]}, {unit}."
    return rows.assign(label=shown), layers, about


def _rows_to_click(rows: pd.DataFrame) -> alt.Chart:
    """A band behind each row, seen under the pointer: a click anywhere on it chooses the language."""
    clicked = alt.selection_point(name=SELECTION, fields=["tag"], toggle=False, clear=False)
    here = alt.selection_point(on="pointerover", fields=["tag"], empty=False, clear="pointerout")
    band = alt.Chart().mark_bar(height=ROW, cursor="pointer", color="#8d8d86")
    return band.encode(
        _y(rows),
        x=alt.value(-LABEL),
        x2=alt.value("width"),
        opacity=alt.when(here).then(alt.value(0.3)).otherwise(alt.value(0)),
        tooltip=_tips(rows),
    ).add_params(clicked, here)


def row_axis(column: str, order: Sequence[str], limit: int = 150, **more: object) -> alt.Y:
    """Returns the axis of a chart of rows: all their names, in this order, cut off at so many pixels."""
    axis = alt.Axis(labelLimit=limit, domain=False, ticks=False, labelFontSize=13, labelOverlap=False, **more)
    return alt.Y(f"{column}:N", title=None, sort=list(order), axis=axis)


def _y(rows: pd.DataFrame) -> alt.Y:
    return row_axis("language", rows["language"], LABEL - 8, minExtent=LABEL, maxExtent=LABEL, labelFlush=False)


def _tips(rows: pd.DataFrame) -> list[alt.Tooltip]:
    titles = COLUMNS | {name: factor.label for name, factor in FACTORS.items()}
    return [
        alt.Tooltip(f"{name}:{'Q' if form else 'N'}", title=titles[name], format=form or alt.Undefined)
        for name, form in TIPS.items()
        if name in rows
    ]
