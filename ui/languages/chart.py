"""The chart of languages: a row a language, a dot for each encoding at what it costs there."""

from collections.abc import Collection, Mapping
from functools import partial

import pandas as pd

from tokenizer.i18n import number, tr
from tokenizer.languages.parallel import alphabetical
from ui.languages import called, dots
from ui.languages.dots import Axis
from ui.languages.table import SHOWN

NONE = "–"
DOUBLINGS = [2.0**i for i in range(-6, 11)]


def axis(measure: str, base: str) -> Axis:
    """Returns how a measure is drawn; `base` is the language that others are compared with."""
    name, unit, _ = SHOWN[measure]
    if measure == "premium":
        return Axis(tr("times {base}", base=base), two_places, "log", DOUBLINGS, line_at=1.0)
    if unit.startswith("share"):
        return Axis(tr(name).lower(), partial(number, form=".0%"), is_share=True)
    return Axis(tr(name).lower(), two_places)


two_places = partial(number, form=".2f")


def chart(
    rows: pd.DataFrame,
    measure: str,
    order: str,
    kept: Collection[str],
    chosen: str | None,
    base: str,
    labels: Mapping[str, str],
) -> dict:
    """Returns the chart for `dots.show`: the languages whose tags are `kept`, the `chosen` one marked.

    `order` is "cost", the most expensive on top, or a column's name; `labels` are those of the encodings by name.
    """
    rows = rows[rows["tag"].isin(kept)]
    shown = axis(measure, base)
    own = rows.set_index("tag").loc[ordered(rows, measure, order)].reset_index()
    own = pd.DataFrame(
        {"id": own["tag"], "row": own["language"], "encoding": own["encoding"].map(labels), "value": own[measure]}
    )
    return dots.dots(own, shown, list(labels.values()), chosen, tips(rows, measure, shown, labels))


def ordered(rows: pd.DataFrame, measure: str, order: str) -> list[str]:
    """Returns the tags in the order of the rows; a language costs what it costs in its most expensive encoding."""
    if order == "cost":
        return rows.groupby("tag", sort=False)[measure].max().sort_values(ascending=False, kind="stable").index.tolist()
    columns = {"name": ["language"]}.get(order, [order, "language"])
    return rows.drop_duplicates("tag").sort_values(columns, key=lambda column: column.map(alphabetical))["tag"].tolist()


def tips(rows: pd.DataFrame, measure: str, shown: Axis, labels: Mapping[str, str]) -> dict[str, str]:
    """Returns what is said of each language under the pointer, by its tag: a line for its name and each encoding."""
    said = {}
    for tag, own in rows.groupby("tag", sort=False):
        first = own.iloc[0]
        lines = [_tip(row, measure, shown, labels) for row in own.to_dict("records")]
        said[tag] = "\n".join([called.with_autonym(first["language"], first.get("autonym")), *lines])
    return said


def _tip(row: Mapping, measure: str, shown: Axis, labels: Mapping[str, str]) -> str:
    encoding, tokens = labels[row["encoding"]], row["tokens"]
    return tr(
        "{encoding}: {value} {measure}, {tokens:,} tokens",
        encoding=encoding,
        value=NONE if pd.isna(row[measure]) else shown.written(row[measure]),
        measure=shown.title,
        tokens=tokens,
    )
