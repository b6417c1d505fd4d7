"""Charts of a training over its merges: compression, tokens saved, and token lengths."""

from collections.abc import Sequence
from html import escape

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from tokenizer.display.readable import readable
from tokenizer.i18n import mark, tr
from tokenizer.training.milestones import MAX_READ_CHARACTERS, Milestone
from tokenizer.training.training_history import TrainingHistory
from ui.components import cache, charts

MAX_POINTS = 1_000  # of a chart; more would not be visible, and each is an element of the page
MAX_LINEAR_MERGES = 2_000  # beyond it the axis is logarithmic: the first merges would be a thin strip at its edge
HEIGHT_PIXELS = 400  # axes included
HEADROOM_SHARE = 0.32  # share of the height above the data, for a line of text for each milestone and the last value
LABEL_HEIGHT_PIXELS = 20
DASHES = {"crossing": [2, 3], "syllable": [8, 3], "word": [1, 0], "lift": [12, 2, 2, 2]}
MEAN_COLOR = "#d9480f"  # an orange that stands out from the blue of both themes, for color-blind readers too
MILESTONE_KINDS = {  # kind of milestone -> label in a chart, label in the list, definition
    "word": (
        mark("whole word"),
        mark("First whole word"),
        mark(
            "A token that is a word of two or more graphemes. The ICU library finds the words in the first {most:,}"
            " characters of the training text. The token may be part of other words too. A single space before the word"
            " is ignored."
        ),
    ),
    "syllable": (
        mark("Thai syllable"),
        mark("First whole Thai syllable"),
        mark(
            "A token that has the form of a Thai syllable. Consonants without a written vowel or tone mark count"
            " only if they are a word in the first {most:,} characters of the training text. A single space before the"
            " syllable is ignored."
        ),
    ),
    "crossing": (
        mark("across graphemes"),
        mark("First merge across graphemes"),
        mark("The first merge that joined two graphemes, or parts of two graphemes, anywhere in the training text."),
    ),
    "lift": (
        mark("split pattern lifted"),
        mark("Split pattern lifted"),
        mark(
            "The first merge after the split pattern was lifted: from here on a token may hold several pre-tokens. Just"
            " before, all earlier merges were repeated on the unsplit text, so the number of tokens in the corpus may"
            " rise or fall here."
        ),
    ),
}
FACT_FORMATS = {
    mark("merge"): ",d",
    mark("token"): "",
    mark("times the pair occurred"): ",d",
    mark("tokens saved"): ",d",
}


def draw(history: TrainingHistory, milestones: Sequence[Milestone], key: str) -> None:
    """Draws the charts of a training in tabs, and its milestones as a list; `key` is that of the training."""
    specs = cache.get_or_compute(
        lambda: [make(history, milestones).to_dict() for make in CHARTS.values()], "charts", key
    )
    if milestones:
        st.html(milestones_html(history, milestones))
    for tab, spec in zip(st.tabs([tr(name) for name in CHARTS]), specs, strict=True):
        with tab:
            charts.show(spec)
            st.caption(spec["usermeta"]["words"])


def milestones_html(history: TrainingHistory, milestones: Sequence[Milestone]) -> str:
    """Returns the milestones as an HTML list of sentences."""
    items = "".join(f"<li>{_milestone(history, one)}</li>" for one in milestones)
    return f'<ul class="milestones">{items}</ul>'


def _milestone(history: TrainingHistory, one: Milestone) -> str:
    _, name, meaning = MILESTONE_KINDS[one.kind]
    id = len(history.base) + one.step
    token = f"<bdi>{escape(readable(history.tokens[id]))}</bdi>"
    facts = {"milestone": tr(name), "merge": one.step + 1, "id": id, "token": token}
    sentence = tr("{milestone}: merge {merge:,} made {token} (id {id}).", **facts)
    return f"{sentence} {tr(meaning, most=MAX_READ_CHARACTERS)}"


# Each chart has a frame with one row per point: `at` is its horizontal position, `value` its height. The text below a
# chart is in its `usermeta`, and contains no text of the visitor.


def compression(history: TrainingHistory, milestones: Sequence[Milestone]) -> alt.LayerChart:
    """Returns the chart of bytes per token of the corpus against the vocabulary size."""
    base, steps = len(history.base), shown_steps(len(history) + 1, [one.step + 1 for one in milestones])
    tokens = history.num_tokens[steps]
    facts = {mark("vocabulary size"): base + steps, mark("tokens in the corpus"): tokens}
    facts[mark("bytes per token")] = history.num_bytes / np.maximum(1, tokens)
    frame = _facts(history, steps - 1, base + steps, facts["bytes per token"]).assign(**facts)
    if other := len(history.held_out):
        frame["held-out part, bytes per token"] = frame["other"] = history.held_out_bytes / history.held_out[steps]
    values = frame[["value", "other"] if other else ["value"]]
    y = _y(tr("bytes per token"), values.min().min(), values.max().max())
    about = tr(
        "Line chart. With a vocabulary of {first:,} tokens, a token of the corpus holds {few:.2f} bytes on average;"
        " with {last:,} tokens, {many:.2f} bytes.",
        first=int(frame["at"].iloc[0]),
        few=float(frame["value"].iloc[0]),
        last=int(frame["at"].iloc[-1]),
        many=float(frame["value"].iloc[-1]),
    )
    words = tr(
        "How many bytes of UTF-8 a token of the corpus holds on average, as the vocabulary grows. The corpus has"
        " {size:,} bytes in its pre-tokens: {before:,} tokens before the first merge, {after:,} after the last.",
        size=int(history.num_bytes),
        before=int(history.num_tokens[0]),
        after=int(history.num_tokens[-1]),
    )
    tips = FACT_FORMATS | {"vocabulary size": ",d", "tokens in the corpus": ",d", "bytes per token": ".3f"}
    layers = [alt.Chart().mark_line(strokeWidth=2.5).encode(y)]
    if other:
        y_other = alt.Y("other:Q", axis=y["axis"], scale=y["scale"])
        layers.append(alt.Chart().mark_line(strokeWidth=2.5, strokeDash=[6, 3], color=MEAN_COLOR).encode(y_other))
        tips[mark("held-out part, bytes per token")] = ".3f"
        few, many = float(frame["other"].iloc[0]), float(frame["other"].iloc[-1])
        about += " " + tr(
            "The held-out part has {few:.2f} bytes per token at the start, {many:.2f} at the end.", few=few, many=many
        )
        words += " " + tr(
            "The dashed orange line shows the held-out part, which is not used in training. It has {size:,} bytes in"
            " its pre-tokens: {before:,} tokens before the first merge, {after:,} after the last.",
            size=int(history.held_out_bytes),
            before=int(history.held_out[0]),
            after=int(history.held_out[-1]),
        )
    end = alt.Chart().transform_filter(alt.datum.at == int(frame["at"].iloc[-1]))
    end = end.mark_text(align="right", dx=-2, dy=-12, fontSize=14, fontWeight=600)  # over the line, within the chart
    layers += [end.encode(y, alt.Text("value:Q", format=",.2f")), _hover(y, tips)]
    return _layered(history, milestones, tr("vocabulary size, tokens"), frame, layers, about, words)


def savings(history: TrainingHistory, milestones: Sequence[Milestone]) -> alt.LayerChart:
    """Returns the chart of the tokens that each merge saved, on a logarithmic scale; zeros are drawn at its bottom."""
    steps = shown_steps(len(history), [one.step for one in milestones])
    saved = history.saved[steps]
    low, high = min(saved[saved > 0], default=1) * 0.7, max(saved, default=1) * 1.1
    frame = _facts(history, steps, steps + 1, np.maximum(low, saved))
    y = _y(tr("tokens saved"), low, high, "log")
    about = tr(
        "Line chart on a logarithmic scale. Number of merges: {merges:,}. The first merge saved {first:,} tokens of"
        " the corpus, the last merge {last:,}.",
        merges=len(history),
        first=int(history.saved[:1].sum()),
        last=int(history.saved[-1:].sum()),
    )
    words = tr(
        "How many fewer tokens the corpus has after each merge; each grid line stands for ten times as many as the line"
        " below."
    )
    if num_without_savings := int((history.saved == 0).sum()):
        words += " " + tr(
            "{none:,} of the merges saved no tokens (the triangles at the bottom).", none=num_without_savings
        )
    some = alt.datum["tokens saved"] > 0
    layers = [
        alt.Chart().transform_filter(some).mark_line(strokeWidth=2).encode(y),
        alt.Chart().transform_filter(~some).mark_point(shape="triangle-up", size=50).encode(y),
        _hover(y, FACT_FORMATS),
    ]
    return _layered(history, milestones, tr("merge"), frame, layers, about, words)


def lengths(history: TrainingHistory, milestones: Sequence[Milestone]) -> alt.LayerChart:
    """Returns the chart of the length of each new token in bytes, with the moving mean."""
    steps = shown_steps(len(history), [one.step for one in milestones])
    sizes = np.fromiter(map(len, history.tokens[len(history.base) :]), dtype=np.int64)
    window = min(500, max(5, len(sizes) // 20))  # merges
    mean = pd.Series(sizes).rolling(window, min_periods=1).mean()
    frame = _facts(history, steps, steps + 1, sizes[steps]).assign(bytes=sizes[steps], mean=mean[steps])
    y = _y(tr("length, bytes"), 0, max(frame["value"], default=1))
    about = tr(
        "Dot chart with a line. Number of merges: {merges:,}. The new tokens have {size:.2f} bytes on average;"
        " the longest has {longest:,}.",
        merges=len(history),
        size=float(sizes.sum() / max(1, len(sizes))),
        longest=int(sizes.max(initial=0)),
    )
    words = tr(
        "Dots: the number of bytes of a new token, which joins two older ones. Line: the mean of the last {window:,}"
        " tokens, or of all tokens so far if there are fewer.",
        window=window,
    )
    y_mean = alt.Y("mean:Q", axis=y["axis"], scale=y["scale"])
    layers = [
        alt.Chart().mark_point(filled=True, size=22, opacity=0.4).encode(y),
        alt.Chart().mark_line(strokeWidth=3, color=MEAN_COLOR).encode(y_mean),
    ]
    return _layered(history, milestones, tr("merge"), frame, layers, about, words)


CHARTS = {mark("Compression"): compression, mark("Tokens saved"): savings, mark("Token length"): lengths}


def shown_steps(count: int, kept: Sequence[int] = (), max_steps: int = MAX_POINTS) -> np.ndarray:
    """Returns which of `count` steps are drawn: all, or at most `max_steps`, with both ends and `kept`.

    Half of them are evenly spaced, the other half evenly on a logarithmic scale, so that both axes look even.

    >>> shown_steps(5).tolist(), shown_steps(1_000_000, [7], 8).tolist()
    ([0, 1, 2, 3, 4], [0, 7, 999, 499999, 999999])
    """
    if count <= max_steps:
        return np.arange(count)
    half = (max_steps - len(kept)) // 2
    even, by_logarithm = np.linspace(0, count - 1, half), np.geomspace(1, count, half) - 1
    return np.unique(np.concatenate([even, by_logarithm.round(), kept]).astype(np.int64))


def _facts(history: TrainingHistory, steps: np.ndarray, at: np.ndarray, value: np.ndarray) -> pd.DataFrame:
    """Returns a row a point, with the tooltip's facts about its merge; step -1 is the state before the first merge."""
    tokens, first = history.tokens, len(history.base)
    count, saved = np.append(history.count, 0), np.append(history.saved, 0)  # so that -1 finds a 0
    names = [readable(tokens[first + step], 40) if step >= 0 else tr("none yet") for step in steps.tolist()]
    facts = dict(zip(FACT_FORMATS, (steps + 1, names, count[steps], saved[steps]), strict=True))
    return pd.DataFrame(facts | {"at": at, "value": value})


def _y(title: str, low: float, high: float, kind: str = "linear") -> alt.Y:
    """Returns the axis of `value`, which leaves room for the milestones above the data."""
    lines = [10**i for i in range(19) if low <= 10**i <= high] if kind == "log" else alt.Undefined
    room = [alt.expr("height"), alt.expr(f"{HEADROOM_SHARE} * height")]
    scale = alt.Scale(type=kind, domain=[float(low), float(high)], range=room, nice=False)
    return alt.Y("value:Q", title=title, axis=alt.Axis(values=lines, tickCount=6, format=",~r"), scale=scale)


def _hover(y: alt.Y, tips: dict[str, str]) -> alt.Chart:
    """Returns the points; the browser shows the tooltip of the point nearest to the pointer, without a rerun."""
    nearest = alt.selection_point(on="pointerover", nearest=True, empty=False, clear="pointerout")
    seen = alt.when(nearest).then(alt.value(1)).otherwise(alt.value(0))
    fields = [
        alt.Tooltip(f"{name}:Q", title=tr(name), format=form) if form else alt.Tooltip(f"{name}:N", title=tr(name))
        for name, form in tips.items()
    ]
    # a screen reader gets the chart's description instead of a thousand points
    points = alt.Chart().mark_point(filled=True, size=90, aria=False)
    return points.encode(y, opacity=seen, tooltip=fields).add_params(nearest)


def _layered(
    history: TrainingHistory,
    milestones: Sequence[Milestone],
    title: str,
    frame: pd.DataFrame,
    layers: list[alt.Chart],
    about: str,
    words: str,
) -> alt.LayerChart:
    """Returns the layers over their common axis, with a labelled rule for each milestone, dashed by its kind.

    Each label has its own line above the data. Early labels stand to the right of their rules, late ones to the left,
    in an order in which no rule crosses a label.
    """
    first, last = (int(frame["at"].iloc[0]), int(frame["at"].iloc[-1])) if len(frame) else (0, 0)
    last, is_long = max(last, first + 1), len(history) > MAX_LINEAR_MERGES
    late = first**0.4 * last**0.6 if is_long else 0.4 * first + 0.6 * last
    placed = [(int((frame["at"] - frame["merge"]).iloc[0]) + one.step + 1, one) for one in milestones]
    placed = sorted((p for p in placed if p[0] > late), reverse=True) + sorted(p for p in placed if p[0] <= late)
    rules = []
    for line, (at, one) in enumerate(placed):
        label = f"{tr(MILESTONE_KINDS[one.kind][0])}: {readable(history.tokens[len(history.base) + one.step], 12)}"
        base, middle = alt.Chart(pd.DataFrame({"at": [at], "label": [label]})), LABEL_HEIGHT_PIXELS * (line + 0.5)
        align, dx = ("right", -6) if at > late else ("left", 6)
        rule = base.mark_rule(strokeWidth=1.25, strokeDash=DASHES[one.kind], aria=False)
        text = base.mark_text(align=align, dx=dx, baseline="middle", fontSize=14)
        rules.append(rule.encode(y=alt.value(middle - LABEL_HEIGHT_PIXELS / 2), y2=alt.value("height")))
        rules.append(text.encode(alt.Text("label:N"), y=alt.value(middle)))
    scale = alt.Scale(type="log" if is_long else "linear", domain=[first, last], nice=False)
    axis = alt.Axis(format=",d", tickMinStep=1, tickCount=8, labelOverlap=True, grid=False)
    chart = alt.layer(*rules, *layers, data=frame).encode(alt.X("at:Q", title=title, axis=axis, scale=scale))
    return chart.properties(height=HEIGHT_PIXELS, description=about, usermeta={"words": words})
