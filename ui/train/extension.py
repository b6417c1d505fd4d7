"""What a training that began from an encoding changes: the cost of two texts, the new rows, the old tokens in each."""

from html import escape

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from server.encodings.encoding_store import Trained
from tokenizer.display.readable import readable
from tokenizer.i18n import tr, trn
from tokenizer.kinds.registry import known_as
from tokenizer.training.training_history import TrainingHistory
from tokenizer.vocabulary.coverage import coverage
from ui.components import cache, charts
from ui.train.charts import HEIGHT_PIXELS, MEAN_COLOR, shown_steps

MAX_LISTED_TOKENS = 1_000
WIDTH = 4_096  # of the rows in the example
PERCENT = "percent"


def draw(found: Trained) -> None:
    """Draws the sentences on rows and cost, the chart of cost, and the table of old tokens."""
    start, history = found.job.order.base, found.history
    st.html(f'<p class="because">{rows_html(start.vocab_size, known_as(start.name), history)}</p>')
    spec = cache.get_or_compute(lambda: cost(history).to_dict(), "cost", found.job.key)
    charts.show(spec)
    st.caption(spec["usermeta"]["words"])
    with st.expander(tr("The old tokens that make up each new token"), key="coverage", on_change="rerun") as opened:
        if opened.open:
            st.caption(
                tr(
                    "A model can begin the embedding of a new token from the mean of the embeddings of these old"
                    " tokens. At most {most:,} new tokens are listed; the JSON file under “Download” has all.",
                    most=MAX_LISTED_TOKENS,
                )
            )
            rows = cache.get_or_compute(lambda: coverage_rows(found), "coverage", found.key)
            st.dataframe(rows, hide_index=True)


def rows_html(num_old: int, name: str, history: TrainingHistory) -> str:
    """Returns sentences on the ids that stay and the rows that a model gets, as HTML."""
    kept = tr(
        "All {n:,} tokens of {name} keep their ids; the new ids begin at {first:,}.",
        n=num_old,
        name=f"<bdi>{escape(name)}</bdi>",
        first=len(history.base),
    )
    rows = trn(
        "A model stores a row of numbers for each token (an embedding), so it needs <b>{n:,} more row</b>. With, for"
        " example, {width:,} numbers per row, that is {parameters:,} parameters, and twice as many if the output has a"
        " table of its own.",
        "A model stores a row of numbers for each token (an embedding), so it needs <b>{n:,} more rows</b>. With, for"
        " example, {width:,} numbers per row, that is {parameters:,} parameters, and twice as many if the output has a"
        " table of its own.",
        len(history),
        width=WIDTH,
        parameters=len(history) * WIDTH,
    )
    return f"{kept} {rows}"


def cost(history: TrainingHistory) -> alt.LayerChart:
    """Returns the chart of the tokens of the training text and of our English text, as percent of those before."""
    steps, first = shown_steps(len(history) + 1), len(history.base)
    texts = {tr("training text"): history.num_tokens, tr("our English text"): history.english}
    frames = [
        pd.DataFrame({"at": first + steps, PERCENT: 100 * tokens[steps] / max(1, tokens[0]), "text": name})
        for name, tokens in texts.items()
    ]
    before_after = [(int(tokens[0]), int(tokens[-1])) for tokens in texts.values()]
    facts = dict(
        zip(("before", "after", "english_before", "english_after"), np.ravel(before_after).tolist(), strict=True)
    )
    words = tr(
        "The number of tokens of two texts after each merge, in percent of the number before the first merge. Blue:"
        " the training text, from {before:,} tokens to {after:,} at the end. Orange, dashed: our English text, from"
        " {english_before:,} tokens to {english_after:,}.",
        **facts,
    )
    lowest = min(frame[PERCENT].min() for frame in frames)
    y = alt.Y(
        f"{PERCENT}:Q",
        title=tr("tokens, percent"),
        scale=alt.Scale(domain=[min(95.0, float(lowest)), 101.0], nice=False),
    )
    scale = alt.Scale(domain=[first, first + max(1, len(history))], nice=False)
    axis = alt.Axis(format=",d", tickMinStep=1, tickCount=8, labelOverlap=True, grid=False)
    x = alt.X("at:Q", title=tr("id of the next new token"), axis=axis, scale=scale)
    lines = [
        alt.Chart(frames[0]).mark_line(strokeWidth=2.5).encode(x, y),
        alt.Chart(frames[1]).mark_line(strokeWidth=2.5, strokeDash=[6, 3], color=MEAN_COLOR).encode(x, y),
    ]
    return alt.layer(*lines).properties(height=HEIGHT_PIXELS // 2, description=words, usermeta={"words": words})


def coverage_rows(found: Trained) -> list[dict]:
    """Returns a row for each new token: its id, its text, the ids and the texts of the old tokens."""
    start = found.job.order.base
    return [
        {
            tr("id"): one.id,
            tr("token"): readable(one.token, 60),
            tr("old ids"): " ".join(map(str, one.old_ids)),
            tr("old tokens"): " | ".join(readable(start.token_bytes(id), 40) for id in one.old_ids),
        }
        for one in coverage(start, found.encoding)[:MAX_LISTED_TOKENS]
    ]
