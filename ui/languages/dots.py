"""The chart of the Languages page: a row a thing, a dot for each encoding at its value, its number beside it."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd
import streamlit as st

from tokenizer.i18n import trn
from ui.components import charts

ROW = 24  # pixels
LABEL = f"((windowSize()[0] < 500 ? 8.3 : 10.6) * {charts.FONT_SIZE})"  # pixels for the names of the rows
NUMBER = 3.6  # times the size of type: what a dot and its number take
BEFORE, BEHIND = 36, 56  # pixels to the left and right of all dots: numbers stand there
SELECTION = "row"  # by this name the chart says what was clicked
COLORS = ["#3f7fc1", "#d9480f", "#2b8a3e", "#9c5fd0", "#a66f00", "#85857e"]  # 3 to 1 on the paper of either theme
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]


class Axis(NamedTuple):
    """How values are drawn: `kind` "log", "symlog" (a logarithm that has a place for zero) or "linear"."""

    title: str
    written: Callable[[float], str]
    kind: str = "linear"
    marks: Sequence[float] | None = None
    is_share: bool = False
    line_at: float | None = None  # a line through all rows, as where English is

    def place(self, value: float) -> float:
        """Returns where a value lies, in units of this scale."""
        return {"log": math.log2, "symlog": math.log1p}.get(self.kind, float)(value)

    def value(self, place: float) -> float:
        """Returns the value of a place.

        >>> axis = Axis("tokens", str, "symlog")
        >>> round(axis.value(axis.place(9.0)), 9)
        9.0
        """
        return float({"log": lambda at: 2**at, "symlog": math.expm1}.get(self.kind, float)(place))


def dots(rows: pd.DataFrame, axis: Axis, names: Sequence[str], chosen: str | None, tips: Mapping[str, str]) -> dict:
    """Returns the chart of `rows`: `id` and `row` say what a row is, `encoding` and `value` what each dot is.

    Rows are drawn in the order in which they first stand in the table, encodings in that of `names`. `chosen` is the
    id of the row that is marked, `tips` what is said under the pointer, by id. A value that is missing has no dot.
    """
    shown = rows.dropna(subset=["value"]).assign(tip=rows["id"].map(tips))[["id", "row", "encoding", "value", "tip"]]
    own = rows.drop_duplicates("id")
    bands = pd.DataFrame({"id": own["id"], "row": own["row"], "tip": own["id"].map(tips)})
    spans = shown.groupby("id", sort=False, as_index=False).agg(
        row=("row", "first"), low=("value", "min"), high=("value", "max")
    )
    y = row_axis("row", own["row"], alt.expr(f"{LABEL} - 8"), minExtent=alt.expr(LABEL), maxExtent=alt.expr(LABEL))
    layers = [*_bands(bands, y, chosen), *_line(axis), *_marks(shown, spans, y, axis, names)]
    listed = ", ".join(names)
    about = trn(
        "Dots: {title}. {n:,} row, a dot for each of {encodings}.",
        "Dots: {title}. {n:,} rows, a dot for each of {encodings}.",
        len(own),
        title=axis.title,
        encodings=listed,
    )
    made = alt.layer(*layers).resolve_scale(x="shared")
    return made.properties(height=alt.Step(ROW), description=about).to_dict(validate=False)  # a test does


def numbers(rows: pd.DataFrame, axis: Axis) -> pd.DataFrame:
    """Returns what is written beside the dots, each number once a row, and how far it is to the row's next one.

    `gap` is a share of the axis; a row's last number has all of it. `first` is its least number, which stands to the
    left of its dot where there is no room to the right.

    >>> rows = pd.DataFrame({"id": ["a", "a", "a"], "value": [2.0, 4.0, 2.001]})
    >>> numbers(rows, Axis("times", "{:.1f}".format))[["said", "gap", "first"]].round(2).values.tolist()
    [['2.0', 0.5, '2.0'], ['4.0', 1.0, '']]
    """
    low, high = map(axis.place, domain(rows["value"], axis))
    made = rows.assign(said=rows["value"].map(axis.written), place=rows["value"].map(axis.place))
    made = made.sort_values("place", kind="stable").drop_duplicates(["id", "said"], keep="last")
    own = made.groupby("id")
    to_next = (own["place"].shift(-1) - made["place"]) / (high - low)
    is_least = (own.cumcount() == 0) & to_next.notna()
    return made.assign(gap=to_next.fillna(1.0), first=made["said"].where(is_least, "")).drop(columns="place")


def domain(values: pd.Series, axis: Axis) -> tuple[float, float]:
    """Returns the ends of the axis.

    >>> domain(pd.Series([2.0, 16.0]), Axis("times", str, "log", line_at=1.0))
    (1.0, 16.0)
    """
    found = [*values, *([] if axis.line_at is None else [axis.line_at])] or [1.0]
    low, high = min(found) if axis.kind == "log" else 0.0, max(found)
    return low, high if high > low else low + 1.0


def show(spec: dict, key: str, take: Callable[[str], None] | None = None) -> None:
    """Draws the chart; `take` hears the id of a row that is clicked."""

    def clicked() -> None:
        if take and (found := st.session_state[key].selection.get(SELECTION)):
            take(found[0].get("id"))

    with st.container(key=f"stage_{key}"):
        charts.show(spec, key=key, on_select=clicked if take else None, clicked=SELECTION if take else None)


def row_axis(column: str, order: Sequence[str], limit: object = None, **more: object) -> alt.Y:
    """Returns the axis of a chart of rows: all their names, in this order, cut off at so many pixels."""
    limit = limit or alt.expr(LABEL)
    axis = alt.Axis(labelLimit=limit, domain=False, ticks=False, grid=False, labelOverlap=False, **more)
    return alt.Y(f"{column}:N", title=None, sort=list(order), axis=axis)


# The layers


def _bands(rows: pd.DataFrame, y: alt.Y, chosen: str | None) -> list[alt.Chart]:
    """A band behind each row: a click anywhere on it chooses the row; it is seen under the pointer, and if chosen."""
    clicked = alt.selection_point(name=SELECTION, fields=["id"], toggle=False, clear=False)
    here = alt.selection_point(on="pointerover", fields=["id"], empty=False, clear="pointerout")
    is_chosen = alt.FieldEqualPredicate(equal=chosen or "", field="id")
    band = alt.Chart(rows).mark_bar(height=ROW, cursor="pointer", color="#8d8d86", aria=False)
    opacity = alt.when(here).then(alt.value(0.3)).when(is_chosen).then(alt.value(0.22)).otherwise(alt.value(0))
    ends = {"x": alt.value(alt.expr(f"-{LABEL}")), "x2": alt.value("width")}
    mark = alt.Chart(rows).transform_filter(is_chosen).mark_rule(strokeWidth=ROW, aria=False)
    return [
        band.encode(y, **ends, opacity=opacity, tooltip=alt.Tooltip("tip:N")).add_params(clicked, here),
        mark.encode(y, x=alt.value(alt.expr(f"-{LABEL}")), x2=alt.value(alt.expr(f"6 - {LABEL}"))),
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
        range=[BEFORE, alt.expr(f"width - {BEHIND}")],
    )
    marks = list(axis.marks) if axis.marks is not None else alt.Undefined
    form = "format(datum.value, '.0%')" if axis.is_share else "format(datum.value, ',~r')"
    drawn = alt.Axis(orient="top", values=marks, labelExpr=form, tickCount=5, labelFlush=12)
    x = alt.X("value:Q", title=axis.title, scale=scale, axis=drawn)
    # on a phone the legend has one column, or it would end beyond the edge
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
    # each encoding's dots are smaller than the ones before, so that of those in one place all are seen
    sizes = rows["encoding"].map({name: 220 * 0.75**i for i, name in enumerate(names)})
    size = alt.Size("size:Q", scale=None, legend=None)
    points = alt.Chart(rows.assign(size=sizes)).mark_point(filled=True, opacity=1)
    written = alt.Chart(numbers(rows, axis)).encode(x, y)
    has_room = f"datum.gap * (width - {BEFORE + BEHIND}) > {NUMBER} * {charts.FONT_SIZE}"
    here = alt.condition(has_room, alt.value(1), alt.value(0))
    there = alt.condition(has_room, alt.value(0), alt.value(1))
    return [
        span.encode(alt.X("low:Q", scale=scale), alt.X2("high:Q"), y),
        *_written(written.encode(alt.Text("said:N"), opacity=here), align="left", dx=9),
        *_written(written.encode(alt.Text("first:N"), opacity=there), align="right", dx=-9),
        points.encode(x, y, color, shape, size, tooltip=alt.Tooltip("tip:N"), description=alt.Description("tip:N")),
    ]


def _written(base: alt.Chart, **where: object) -> list[alt.Chart]:
    """Words, and under them the paper, so that no line goes through them."""
    words = {"aria": False, "baseline": "middle", **where}
    return [base.mark_text(style="paper", **words), base.mark_text(**words)]
