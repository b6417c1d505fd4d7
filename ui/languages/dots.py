"""The dot chart of the Languages page: one row per item, one dot per encoding at its value, labelled with it."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd
import streamlit as st

from tokenizer.i18n import tr, trn
from ui.components import charts

ROW_HEIGHT_PIXELS = 24
LABEL_WIDTH = f"((windowSize()[0] < 500 ? 8.3 : 10.6) * {charts.FONT_SIZE})"  # pixels, for the names of the rows
TITLE_ANCHOR = alt.expr("width < 250 ? 'end' : 'middle'")  # a centred title would be cut on a small phone
NUMBER_WIDTH_EMS = 3.6  # times the font size, for a dot and its number
PADDING_LEFT_PIXELS, PADDING_RIGHT_PIXELS = 36, 56  # left and right of the dots, for the outermost numbers
SELECTION = "row"  # name of the chart's selection parameter
COLORS = ["#3f7fc1", "#d9480f", "#2b8a3e", "#9c5fd0", "#a66f00", "#85857e"]  # contrast 3:1 or more in both themes
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]


class Axis(NamedTuple):
    """The axis of values; `kind` is "log", "symlog" (a logarithm that includes zero) or "linear"."""

    title: str
    format: Callable[[float], str]
    kind: str = "linear"
    ticks: Sequence[float] | None = None
    is_share: bool = False
    line_at: float | None = None  # value of a line through all rows, such as that of the base language

    def place(self, value: float) -> float:
        """Returns the position of a value, in units of this scale."""
        return {"log": math.log2, "symlog": math.log1p}.get(self.kind, float)(value)


def dots(
    rows: pd.DataFrame,
    heads: tuple[str, str],
    axis: Axis,
    names: Sequence[str],
    chosen: str | None,
    tips: Mapping[str, str],
) -> dict:
    """Returns the chart of a table with the columns `id`, `row` (a label), `encoding` and `value`: one dot per entry.

    Rows are drawn in the order of their first entry, encodings in that of `names`. `heads` say what rows and values
    are, `chosen` is the id of the marked row, `tips` are the tooltips by id. A missing value has no dot.
    """
    shown = rows.dropna(subset=["value"]).assign(tip=rows["id"].map(tips))[["id", "row", "encoding", "value", "tip"]]
    own = rows.drop_duplicates("id")
    bands = pd.DataFrame({"id": own["id"], "row": own["row"], "tip": own["id"].map(tips)})
    spans = shown.groupby("id", sort=False, as_index=False).agg(
        row=("row", "first"), low=("value", "min"), high=("value", "max")
    )
    width = alt.expr(LABEL_WIDTH)
    y = row_axis("row", own["row"], alt.expr(f"{LABEL_WIDTH} - 8"), minExtent=width, maxExtent=width)
    # Streamlit's button “Show data” shows the data of the first layer, which is for that only
    table = shown[["row", "encoding", "value"]].set_axis([heads[0], tr("encoding"), heads[1]], axis="columns")
    first = alt.Chart(table).mark_tick(opacity=0, aria=False)
    layers = [first, *_bands(bands, y, chosen), *_line(axis), *_marks(shown, spans, y, axis, names)]
    listed = ", ".join(names)
    about = trn(
        "Dot chart: {title}. {n:,} row with a dot for each encoding: {encodings}.",
        "Dot chart: {title}. {n:,} rows, each with a dot for each encoding: {encodings}.",
        len(own),
        title=axis.title,
        encodings=listed,
    )
    layered = with_row_height(alt.layer(*layers).resolve_scale(x="shared"), own["row"])
    # a test validates the chart: here it would take too long
    return layered.properties(description=about).to_dict(validate=False)


def with_row_height(chart: alt.LayerChart, names: pd.Series) -> alt.LayerChart:
    """Returns the chart with the height of its rows, which have these names, and the width of its container.

    Vega-Lite would warn in the console if such a chart had a height per row (`alt.Step`): it cannot fit that.
    """
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    return chart.properties(height=ROW_HEIGHT_PIXELS * max(1, names.nunique()), autosize=fit)


def numbers(rows: pd.DataFrame, axis: Axis) -> pd.DataFrame:
    """Returns the numbers next to the dots, each one once per row, and the distances to the row's other numbers.

    `gap` is the distance to the next number as a share of the axis, 1 for a row's last number; `before` is that to the
    previous one, 2 for a row's first number.

    >>> rows = pd.DataFrame({"id": ["a", "a", "a"], "value": [2.0, 4.0, 2.001]})
    >>> numbers(rows, Axis("times", "{:.1f}".format))[["label", "before", "gap"]].round(2).values.tolist()
    [['2.0', 2.0, 0.5], ['4.0', 0.5, 1.0]]
    """
    low, high = map(axis.place, domain(rows["value"], axis))
    labelled = rows.assign(label=rows["value"].map(axis.format), place=rows["value"].map(axis.place))
    labelled = labelled.sort_values("place", kind="stable").drop_duplicates(["id", "label"], keep="last")
    own = labelled.groupby("id")["place"]
    to_next = (own.shift(-1) - labelled["place"]) / (high - low)
    to_previous = (labelled["place"] - own.shift(1)) / (high - low)
    return labelled.assign(gap=to_next.fillna(1.0), before=to_previous.fillna(2.0)).drop(columns="place")


def domain(values: pd.Series, axis: Axis) -> tuple[float, float]:
    """Returns the ends of the axis.

    >>> domain(pd.Series([2.0, 16.0]), Axis("times", str, "log", line_at=1.0))
    (1.0, 16.0)
    """
    found = [*values, *([] if axis.line_at is None else [axis.line_at])] or [1.0]
    low, high = min(found) if axis.kind == "log" else 0.0, max(found)
    return low, high if high > low else low + 1.0


def show(spec: dict, key: str, on_click: Callable[[str], None] | None = None) -> None:
    """Draws the chart; a click on a row calls `on_click` with the row's id."""

    def handle_selection() -> None:
        if on_click and (found := st.session_state[key].selection.get(SELECTION)):
            on_click(found[0].get("id"))

    with st.container(key=f"stage_{key}"):
        charts.show(spec, key=key, on_select=handle_selection if on_click else None, clicked=on_click and SELECTION)


def row_axis(column: str, order: Sequence[str], limit: object = None, **more: object) -> alt.Y:
    """Returns the axis with the names of all rows in this order, each truncated to `limit` pixels."""
    limit = limit or alt.expr(LABEL_WIDTH)
    axis = alt.Axis(labelLimit=limit, domain=False, ticks=False, grid=False, labelOverlap=False, **more)
    return alt.Y(f"{column}:N", title=None, sort=list(order), axis=axis)


def _bands(rows: pd.DataFrame, y: alt.Y, chosen: str | None) -> list[alt.Chart]:
    """Returns a clickable band behind each row, visible under the pointer and on the chosen row."""
    clicked = alt.selection_point(name=SELECTION, fields=["id"], toggle=False, clear=False)
    hovered = alt.selection_point(on="pointerover", fields=["id"], empty=False, clear="pointerout")
    is_chosen = alt.FieldEqualPredicate(equal=chosen or "", field="id")
    band = alt.Chart(rows).mark_bar(height=ROW_HEIGHT_PIXELS, cursor="pointer", color="#8d8d86", aria=False)
    opacity = alt.when(hovered).then(alt.value(0.3)).when(is_chosen).then(alt.value(0.22)).otherwise(alt.value(0))
    ends = {"x": alt.value(alt.expr(f"-{LABEL_WIDTH}")), "x2": alt.value("width")}
    mark = alt.Chart(rows).transform_filter(is_chosen).mark_rule(strokeWidth=ROW_HEIGHT_PIXELS, aria=False)
    return [
        band.encode(y, **ends, opacity=opacity, tooltip=alt.Tooltip("tip:N")).add_params(clicked, hovered),
        mark.encode(y, x=ends["x"], x2=alt.value(alt.expr(f"6 - {LABEL_WIDTH}"))),
    ]


def _line(axis: Axis) -> list[alt.Chart]:
    if axis.line_at is None:
        return []
    return [alt.Chart().mark_rule(strokeWidth=1.5, aria=False).encode(x=alt.datum(axis.line_at))]


def _marks(rows: pd.DataFrame, spans: pd.DataFrame, y: alt.Y, axis: Axis, names: Sequence[str]) -> list[alt.Chart]:
    scale = alt.Scale(
        type=axis.kind,
        domain=list(domain(rows["value"], axis)),
        nice=False,
        range=[PADDING_LEFT_PIXELS, alt.expr(f"width - {PADDING_RIGHT_PIXELS}")],
    )
    ticks = list(axis.ticks) if axis.ticks is not None else alt.Undefined
    form = "format(datum.value, '.0%')" if axis.is_share else "format(datum.value, ',~r')"
    x_axis = alt.Axis(
        orient="top", values=ticks, labelExpr=form, tickCount=5, labelFlush=False, titleAnchor=TITLE_ANCHOR
    )
    x = alt.X("value:Q", title=axis.title, scale=scale, axis=x_axis)
    # one column on a phone, where a wider legend would overflow
    legend = alt.Legend(
        orient="top",
        columns=alt.expr("width < 400 ? 1 : 6"),
        labelLimit=alt.expr("width < 400 ? width : 400"),
        symbolSize=120,
    )
    colors, shapes = (alt.Scale(domain=list(names), range=kinds[: len(names)]) for kinds in (COLORS, SHAPES))
    color = alt.Color("encoding:N", title=None, scale=colors, legend=legend)
    shape = alt.Shape("encoding:N", title=None, scale=shapes, legend=legend)
    span = alt.Chart(spans).mark_rule(strokeWidth=2, opacity=0.45, aria=False)
    # each encoding's dots are smaller than those of the previous one: dots in the same place all stay visible
    sizes = rows["encoding"].map({name: 240 * 0.65**i for i, name in enumerate(names)})
    size = alt.Size("size:Q", scale=None, legend=None)
    points = alt.Chart(rows.assign(size=sizes)).mark_point(filled=True, opacity=1)
    base = alt.Chart(numbers(rows, axis)).encode(x, y)
    width = f"(width - {PADDING_LEFT_PIXELS + PADDING_RIGHT_PIXELS})"
    number_width = f"{NUMBER_WIDTH_EMS} * {charts.FONT_SIZE}"
    fits_after = f"datum.gap * {width} > {number_width}"
    fits_before = f"datum.before * {width} > 2 * {number_width}"  # next to the number of the previous dot
    after, before = (
        alt.condition(test, alt.value(1), alt.value(0)) for test in (fits_after, f"!({fits_after}) && {fits_before}")
    )
    return [
        span.encode(alt.X("low:Q", scale=scale), alt.X2("high:Q"), y),
        *_outlined(base.encode(alt.Text("label:N"), opacity=after), align="left", dx=9),
        *_outlined(base.encode(alt.Text("label:N"), opacity=before), align="right", dx=-9),
        points.encode(x, y, color, shape, size, tooltip=alt.Tooltip("tip:N"), description=alt.Description("tip:N")),
    ]


def _outlined(base: alt.Chart, **position: object) -> list[alt.Chart]:
    """Returns a text with an outline in the background's color, so that no line crosses the text."""
    text = {"aria": False, "baseline": "middle", **position}
    return [base.mark_text(style="paper", **text), base.mark_text(**text)]
