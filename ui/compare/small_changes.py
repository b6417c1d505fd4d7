"""What small changes of the visitor's text do to its tokens, on the Compare page: a table and a chart."""

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd
import streamlit as st

from server.encodings import encoding_store
from server.encodings.encoding_store import StoredEncoding
from tokenizer.display.changing import changes_table, kinds_defined, more_in_words
from tokenizer.i18n import tr
from tokenizer.measure.small_changes import KINDS, Changed, Effect, changes, effects, usable_beginning
from ui.components import cache, charts
from ui.components.tables import download_button, to_csv, unique_labels
from ui.session.choices import Choice, int_in_range
from ui.widgets import names

MAX_SEED = 9_999
BAR_PIXELS = 9  # of each encoding in the chart
GAP_PIXELS = 10  # between two kinds of change
AXIS_PIXELS, LEGEND_PIXELS = 130, 22  # Streamlit fits the axis, and a line for each encoding, into the chart's height
SEED = Choice("change_seed", "0", int_in_range(0, MAX_SEED))

Effects = dict[str, list[Effect]]


def small_changes(text: str, encodings: Sequence[StoredEncoding], special: str) -> None:
    """Draws the effects of one change of each kind, at places that a seed chooses, in each encoding.

    A box that is closed costs nothing; an address with a seed opens it.
    """
    is_linked = SEED.name in st.query_params
    with st.expander(tr("What a small change does"), is_linked, key="small_changes", on_change="rerun") as box:
        if not box.open:
            return
        part = usable_beginning(text)
        words = tr("The seed decides which places in the text are changed. The same seed always gives the same places.")
        seed = SEED.ask(st.number_input, tr("Random seed"), 0, MAX_SEED, step=1, width=160, help=words)
        changed, found = _effects(part, tuple(entry.key for entry in encodings), special, seed)
        if len(part) < len(text):
            st.caption(tr("Only the first {n:,} characters are changed and compared.", n=len(part)))
        if changed:
            st.caption(
                tr(
                    "Each row changes the text at one place. The table shows the change in the number of tokens, the"
                    " edit distance (how many ids are added, removed or replaced), and the first token that changed."
                )
            )
            own = dict(zip(found, [entry.encoding for entry in encodings], strict=True))
            st.html(changes_table(changed, found, own, names.models(encodings)))
            charts.show(chart(changed, found).to_dict())
            frame = to_frame(changed, found)
            download_button(tr("Download the changes (CSV)"), lambda: to_csv(frame), "changes.csv")
            st.html(kinds_defined(changed))
        if missing := [tr(kind.label) for name, kind in KINDS.items() if name not in {one.kind for one in changed}]:
            st.caption(tr("These changes are not possible in this text: {kinds}.", kinds=", ".join(missing)))


@cache.cached
def _effects(text: str, keys: tuple[str, ...], special: str, seed: int) -> tuple[list[Changed], Effects]:
    entries = [encoding_store.find(key) for key in keys]
    changed = changes(text, seed)
    called = unique_labels([entry.name for entry in entries])
    return changed, {
        name: effects(text, changed, entry.encoding, special) for name, entry in zip(called, entries, strict=True)
    }


def chart(changed: Sequence[Changed], found: Mapping[str, Sequence[Effect]]) -> alt.Chart:
    """Returns a chart of the edit distances: for each kind of change a bar for each encoding."""
    rows = [
        {
            "change": tr(KINDS[one.kind].label),
            "encoding": name,
            "distance": own[i].distance,
            "more": more_in_words(own[i]),
        }
        for i, one in enumerate(changed)
        for name, own in found.items()
    ]
    most = max(row["distance"] for row in rows)
    ticks = alt.Axis(format="d", tickMinStep=1, tickCount=min(most, 8))
    base = alt.Chart(pd.DataFrame(rows)).encode(
        alt.X("distance:Q", title=tr("edit distance of the ids"), axis=ticks),
        alt.Y("change:N", sort=None, title=None, axis=alt.Axis(labelLimit=240, labelOverlap=False)),
        yOffset=alt.YOffset("encoding:N", sort=None),
        color=alt.Color("encoding:N", sort=None, title=None, legend=alt.Legend(orient="top", columns=1)),
        tooltip=[
            alt.Tooltip("change:N", title=tr("change")),
            alt.Tooltip("encoding:N", title=tr("encoding")),
            alt.Tooltip("distance:Q", title=tr("edit distance of the ids")),
            alt.Tooltip("more:N", title=tr("change in tokens")),
        ],
    )
    about = tr("Edit distance of the ids for each kind of change, one bar per encoding; the table has the numbers.")
    height = len(changed) * (BAR_PIXELS * len(found) + GAP_PIXELS) + AXIS_PIXELS + LEGEND_PIXELS * len(found)
    return base.mark_bar(height=BAR_PIXELS - 2).properties(height=height, description=about)


def to_frame(changed: Sequence[Changed], found: Mapping[str, Sequence[Effect]]) -> pd.DataFrame:
    """Returns a row for each change and encoding: tokens more, edit distance, the first token that changed, from 1."""
    rows = [
        {
            "change": one.kind,
            "changed text": one.text,
            "encoding": name,
            "tokens more": own[i].more,
            "edit distance": own[i].distance,
            "first changed token": None if own[i].first is None else own[i].first + 1,
        }
        for i, one in enumerate(changed)
        for name, own in found.items()
    ]
    return pd.DataFrame(rows, dtype=object)
