"""The chart of languages: one row per language, one dot per encoding at the value of a measure."""

from collections.abc import Collection, Mapping
from functools import partial

import pandas as pd

from tokenizer.i18n import number, tr
from tokenizer.languages.parallel import alphabetical
from ui.languages import dots
from ui.languages.dots import Axis
from ui.languages.labels import with_autonym
from ui.languages.table import MEASURES

MISSING = "–"
LOG_TICKS = [2.0**i for i in range(-6, 11)]


def axis(measure: str, base: str) -> Axis:
    """Returns the axis of a measure; `base` is the language that others are compared with."""
    name, unit, _ = MEASURES[measure]
    if measure == "premium":
        return Axis(tr("times as many tokens as {base}", base=base), format_number, "log", LOG_TICKS, line_at=1.0)
    if unit.startswith("share"):
        return Axis(tr(name).lower(), partial(number, form=".0%"), is_share=True)
    return Axis(tr(name).lower(), format_number)


format_number = partial(number, form=".2f")


def chart(
    rows: pd.DataFrame,
    measure: str,
    order: str,
    kept: Collection[str],
    chosen: str | None,
    base: str,
    labels: Mapping[str, str],
) -> dict:
    """Returns the chart for `dots.show`: the languages whose tags are in `kept`, the `chosen` one marked.

    `order` is "cost" (highest value first) or a column's name; `labels` maps names of encodings to their labels.
    """
    rows = rows[rows["tag"].isin(kept)]
    shown = axis(measure, base)
    own = rows.set_index("tag").loc[ordered(rows, measure, order)].reset_index()
    own = pd.DataFrame(
        {"id": own["tag"], "row": own["language"], "encoding": own["encoding"].map(labels), "value": own[measure]}
    )
    heads, found = (tr("language"), shown.title), tips(rows, measure, shown, labels)
    return dots.dots(own, heads, shown, list(labels.values()), chosen, found)


def ordered(rows: pd.DataFrame, measure: str, order: str) -> list[str]:
    """Returns the tags in the order of the rows; the cost of a language is that in its most expensive encoding."""
    if order == "cost":
        return rows.groupby("tag", sort=False)[measure].max().sort_values(ascending=False, kind="stable").index.tolist()
    columns = {"name": ["language"]}.get(order, [order, "language"])
    return rows.drop_duplicates("tag").sort_values(columns, key=lambda column: column.map(alphabetical))["tag"].tolist()


def tips(rows: pd.DataFrame, measure: str, shown: Axis, labels: Mapping[str, str]) -> dict[str, str]:
    """Returns the tooltip of each language by its tag: one line for its name and one for each encoding."""
    found = {}
    for tag, own in rows.groupby("tag", sort=False):
        first = own.iloc[0]
        lines = [_tip(row, measure, shown, labels) for row in own.to_dict("records")]
        found[tag] = "\n".join([with_autonym(first["language"], first.get("autonym")), *lines])
    return found


def _tip(row: Mapping, measure: str, shown: Axis, labels: Mapping[str, str]) -> str:
    value = MISSING if pd.isna(row[measure]) else shown.format(row[measure])
    facts = {"encoding": labels[row["encoding"]], "value": value, "measure": shown.title, "tokens": row["tokens"]}
    return tr("{encoding}: {value} {measure}, {tokens:,} tokens", **facts)
