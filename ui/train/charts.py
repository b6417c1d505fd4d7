"""Charts of a training: what the merges do to the corpus, and what the tokens become."""

from collections.abc import Sequence
from html import escape

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from tokenizer.display.readable import readable
from tokenizer.i18n import mark, tr
from tokenizer.training.milestones import MOST_READ, Milestone
from tokenizer.training.story import Story
from ui.components import cache, charts

MOST_POINTS = 1_000  # of a chart; more would not be seen, and each is an element of the page
LONG = 2_000  # merges; with more, the first ones would be a thin strip at the edge, so the axis becomes logarithmic
HEIGHT = 400  # pixels, axes included
HEADROOM = 0.22  # of the height, above the data: there the milestones have a line of text each, and no axis
LINE = 20  # pixels
DASHES = {"crossing": [2, 3], "syllable": [8, 3], "word": [1, 0]}
MEAN = "#d9480f"  # an orange that stands out from the blue of both themes, for color-blind readers too
KINDS = {  # of milestones: the label in a chart, the one in words, what is counted
    "word": (
        mark("whole word"),
        mark("First whole word"),
        mark(
            "A word is what ICU takes for one in the training text (its first {most:,} characters), two graphemes or"
            " longer. The token may be part of other words too. A single space before it is ignored."
        ),
    ),
    "syllable": (
        mark("Thai syllable"),
        mark("First whole Thai syllable"),
        mark(
            "A syllable is anything spelled like one; consonants alone count only if they are a word in the training"
            " text. A single space before it is ignored."
        ),
    ),
    "crossing": (
        mark("across graphemes"),
        mark("First merge across graphemes"),
        mark("It is the first that joined two graphemes, or parts of them, anywhere in the training text."),
    ),
}
FACTS = {mark("merge"): ",d", mark("token"): "", mark("pair was seen, times"): ",d", mark("tokens saved"): ",d"}


def draw(story: Story, milestones: Sequence[Milestone], key: str) -> None:
    """Shows the charts of the training of that key, one at a time, and the milestones in words."""
    specs = cache.get_or_compute(lambda: [make(story, milestones).to_dict() for make in CHARTS.values()], "charts", key)
    if milestones:
        st.html(in_words(story, milestones))
    for tab, spec in zip(st.tabs([tr(name) for name in CHARTS]), specs, strict=True):
        with tab:
            charts.show(spec)
            st.caption(spec["usermeta"]["words"])


def in_words(story: Story, milestones: Sequence[Milestone]) -> str:
    """Returns the milestones as HTML, a sentence each."""
    items = "".join(f"<li>{_milestone(story, one)}</li>" for one in milestones)
    return f'<ul class="milestones">{items}</ul>'


def _milestone(story: Story, one: Milestone) -> str:
    _, name, meaning = KINDS[one.kind]
    id = len(story.base) + one.step
    token = f"<bdi>{escape(readable(story.tokens[id]))}</bdi>"
    said = tr(
        "{milestone}: merge {merge:,} (id {id}), {token}.", milestone=tr(name), merge=one.step + 1, id=id, token=token
    )
    return f"{said} {tr(meaning, most=MOST_READ)}"


# The charts. Each has a frame with a row a point: `at` is its place from left to right, `value` its height.
# What is said under each travels with it; no text of a visitor's is in that.


def compression(story: Story, milestones: Sequence[Milestone]) -> alt.LayerChart:
    """Returns bytes per token of the corpus against vocabulary size."""
    base, steps = len(story.base), shown_steps(len(story) + 1, [one.step + 1 for one in milestones])
    tokens = story.num_tokens[steps]
    facts = {mark("vocabulary size"): base + steps, mark("tokens in the corpus"): tokens}
    facts[mark("bytes per token")] = story.num_bytes / np.maximum(1, tokens)
    frame = _facts(story, steps - 1, base + steps, facts["bytes per token"]).assign(**facts)
    if other := len(story.held_out):
        frame["held-out part, bytes per token"] = frame["other"] = story.held_out_bytes / story.held_out[steps]
    values = frame[["value", "other"] if other else ["value"]]
    y = _y(tr("bytes per token"), values.min().min(), values.max().max())
    about = tr(
        "Line chart. With a vocabulary of {first:,} tokens, a token of the corpus holds {few:.2f} bytes on average;"
        " with {last:,}, {many:.2f}.",
        first=int(frame["at"].iloc[0]),
        few=float(frame["value"].iloc[0]),
        last=int(frame["at"].iloc[-1]),
        many=float(frame["value"].iloc[-1]),
    )
    words = tr(
        "How many bytes of UTF-8 a token of the corpus holds on average, as the vocabulary grows."
        " The corpus has {size:,} bytes: {before:,} tokens before the first merge, {after:,} after the last.",
        size=int(story.num_bytes),
        before=int(story.num_tokens[0]),
        after=int(story.num_tokens[-1]),
    )
    tips = FACTS | {"vocabulary size": ",d", "tokens in the corpus": ",d", "bytes per token": ".3f"}
    layers = [alt.Chart().mark_line(strokeWidth=2.5).encode(y)]
    if other:
        y_other = alt.Y("other:Q", axis=y["axis"], scale=y["scale"])
        layers.append(alt.Chart().mark_line(strokeWidth=2.5, strokeDash=[6, 3], color=MEAN).encode(y_other))
        tips[mark("held-out part, bytes per token")] = ".3f"
        few, many = float(frame["other"].iloc[0]), float(frame["other"].iloc[-1])
        about += " " + tr("In the held-out part: {few:.2f} and {many:.2f}.", few=few, many=many)
        words += " " + tr(
            "Dashed, in orange: the held-out part of {size:,} bytes, {before:,} tokens before the first merge,"
            " {after:,} after the last.",
            size=int(story.held_out_bytes),
            before=int(story.held_out[0]),
            after=int(story.held_out[-1]),
        )
    end = alt.Chart().transform_filter(alt.datum.at == int(frame["at"].iloc[-1]))
    end = end.mark_text(align="right", dx=-2, dy=-12, fontSize=13, fontWeight=600)  # over the line, within the chart
    layers += [end.encode(y, alt.Text("value:Q", format=",.2f")), _hover(y, tips)]
    return _layered(story, milestones, tr("vocabulary size, tokens"), frame, layers, about, words)


def savings(story: Story, milestones: Sequence[Milestone]) -> alt.LayerChart:
    """Returns how many tokens each merge saved, on a logarithmic scale; merges that saved none stand on its floor."""
    steps = shown_steps(len(story), [one.step for one in milestones])
    saved = story.saved[steps]
    low, high = min(saved[saved > 0], default=1) * 0.7, max(saved, default=1) * 1.1
    frame = _facts(story, steps, steps + 1, np.maximum(low, saved))
    y = _y(tr("tokens saved"), low, high, "log")
    about = tr(
        "Line chart on a logarithmic scale. The first of {merges:,} merges saved {first:,} tokens of the corpus, the"
        " last one {last:,}.",
        merges=len(story),
        first=int(story.saved[:1].sum()),
        last=int(story.saved[-1:].sum()),
    )
    words = tr("How many fewer tokens the corpus has after each merge; each line is ten times the one below it.")
    if none := int((story.saved == 0).sum()):
        words += " " + tr("{none:,} of the merges saved no tokens: the triangles at the bottom.", none=none)
    some = alt.datum["tokens saved"] > 0
    layers = [
        alt.Chart().transform_filter(some).mark_line(strokeWidth=2).encode(y),
        alt.Chart().transform_filter(~some).mark_point(shape="triangle-up", size=50).encode(y),
        _hover(y, FACTS),
    ]
    return _layered(story, milestones, tr("merge"), frame, layers, about, words)


def lengths(story: Story, milestones: Sequence[Milestone]) -> alt.LayerChart:
    """Returns the length in bytes of each new token, and the mean of the last ones."""
    steps = shown_steps(len(story), [one.step for one in milestones])
    sizes = np.fromiter(map(len, story.tokens[len(story.base) :]), dtype=np.int64)
    window = min(500, max(5, len(sizes) // 20))  # merges
    mean = pd.Series(sizes).rolling(window, min_periods=1).mean()
    frame = _facts(story, steps, steps + 1, sizes[steps]).assign(bytes=sizes[steps], mean=mean[steps])
    y = _y(tr("length, bytes"), 0, max(frame["value"], default=1))
    about = tr(
        "Dot chart with a line. The tokens that {merges:,} merges made have {size:.2f} bytes on average; the longest"
        " has {longest:,}.",
        merges=len(story),
        size=float(sizes.sum() / max(1, len(sizes))),
        longest=int(sizes.max(initial=0)),
    )
    words = tr(
        "Dots: the bytes of each new token, which joins two older ones. Line: the mean of the last {window:,} of them.",
        window=window,
    )
    layers = [
        alt.Chart().mark_point(filled=True, size=22, opacity=0.4).encode(y),
        alt.Chart().mark_line(strokeWidth=3, color=MEAN).encode(alt.Y("mean:Q", axis=y["axis"], scale=y["scale"])),
    ]
    return _layered(story, milestones, tr("merge"), frame, layers, about, words)


CHARTS = {mark("Compression"): compression, mark("Tokens saved"): savings, mark("Token length"): lengths}


# What they show


def shown_steps(count: int, kept: Sequence[int] = (), most: int = MOST_POINTS) -> np.ndarray:
    """Returns which of `count` steps are drawn: all, or at most `most`, the `kept` and both ends among them.

    They are thinned out evenly, half of them by their number and half by its logarithm, for either scale.

    >>> shown_steps(5).tolist(), shown_steps(1_000_000, [7], 8).tolist()
    ([0, 1, 2, 3, 4], [0, 7, 999, 499999, 999999])
    """
    if count <= most:
        return np.arange(count)
    half = (most - len(kept)) // 2
    even, by_logarithm = np.linspace(0, count - 1, half), np.geomspace(1, count, half) - 1
    return np.unique(np.concatenate([even, by_logarithm.round(), kept]).astype(np.int64))


def _facts(story: Story, steps: np.ndarray, at: np.ndarray, value: np.ndarray) -> pd.DataFrame:
    """A row a point, with what the tooltips say of its merge; -1 is the time before the first."""
    tokens, first = story.tokens, len(story.base)
    count, saved = np.append(story.count, 0), np.append(story.saved, 0)  # so that -1 finds a 0
    names = [readable(tokens[first + step], 40) if step >= 0 else tr("none yet") for step in steps.tolist()]
    told = dict(zip(FACTS, (steps + 1, names, count[steps], saved[steps]), strict=True))
    return pd.DataFrame(told | {"at": at, "value": value})


# What they are drawn with


def _y(title: str, low: float, high: float, kind: str = "linear") -> alt.Y:
    """The axis of `value`: up to the data's top, and above it room for the milestones."""
    lines = [10**i for i in range(19) if low <= 10**i <= high] if kind == "log" else alt.Undefined
    room = [alt.expr("height"), alt.expr(f"{HEADROOM} * height")]
    scale = alt.Scale(type=kind, domain=[float(low), float(high)], range=room, nice=False)
    return alt.Y("value:Q", title=title, axis=alt.Axis(values=lines, tickCount=6, format=",~r"), scale=scale)


def _hover(y: alt.Y, tips: dict[str, str]) -> alt.Chart:
    """The points; the one nearest to the pointer shows its facts, found in the browser without a rerun."""
    nearest = alt.selection_point(on="pointerover", nearest=True, empty=False, clear="pointerout")
    seen = alt.when(nearest).then(alt.value(1)).otherwise(alt.value(0))
    fields = [
        alt.Tooltip(f"{name}:Q", title=tr(name), format=form) if form else alt.Tooltip(f"{name}:N", title=tr(name))
        for name, form in tips.items()
    ]
    # a screen reader gets the description of the chart, not a thousand points
    points = alt.Chart().mark_point(filled=True, size=90, aria=False)
    return points.encode(y, opacity=seen, tooltip=fields).add_params(nearest)


def _layered(
    story: Story,
    milestones: Sequence[Milestone],
    title: str,
    frame: pd.DataFrame,
    layers: list[alt.Chart],
    about: str,
    words: str,
) -> alt.LayerChart:
    """The layers over their common axis, and in each milestone's place a rule, dashed by its kind, with a label.

    The labels have lines of their own above the data: early ones stand to the right of their rules, late ones to the
    left; in this order no rule crosses a label.
    """
    first, last = (int(frame["at"].iloc[0]), int(frame["at"].iloc[-1])) if len(frame) else (0, 0)
    last, is_long = max(last, first + 1), len(story) > LONG
    late = first**0.4 * last**0.6 if is_long else 0.4 * first + 0.6 * last
    placed = [(int((frame["at"] - frame["merge"]).iloc[0]) + one.step + 1, one) for one in milestones]
    placed = sorted((p for p in placed if p[0] > late), reverse=True) + sorted(p for p in placed if p[0] <= late)
    rules = []
    for line, (at, one) in enumerate(placed):
        label = f"{tr(KINDS[one.kind][0])}: {readable(story.tokens[len(story.base) + one.step], 12)}"
        base, middle = alt.Chart(pd.DataFrame({"at": [at], "label": [label]})), LINE * (line + 0.5)
        align, dx = ("right", -6) if at > late else ("left", 6)
        rule = base.mark_rule(strokeWidth=1.25, strokeDash=DASHES[one.kind], aria=False)
        text = base.mark_text(align=align, dx=dx, baseline="middle", fontSize=13)
        rules.append(rule.encode(y=alt.value(middle - LINE / 2), y2=alt.value("height")))
        rules.append(text.encode(alt.Text("label:N"), y=alt.value(middle)))
    scale = alt.Scale(type="log" if is_long else "linear", domain=[first, last], nice=False)
    axis = alt.Axis(format=",d", tickMinStep=1, tickCount=8, labelOverlap=True, grid=False)
    chart = alt.layer(*rules, *layers, data=frame).encode(alt.X("at:Q", title=title, axis=axis, scale=scale))
    return chart.properties(height=HEIGHT, description=about, usermeta={"words": words})
