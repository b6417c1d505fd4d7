"""The view "Train on mixed languages": how the share of Thai in the training text changes what both languages cost."""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

import altair as alt
import pandas as pd
import streamlit as st

from server.encodings import encoding_store
from tokenizer import Encoding, parallel_corpus
from tokenizer.i18n import mark, tr
from tokenizer.languages.premium import count_tokens
from tokenizer.training.corpora import Mix, mix
from tokenizer.training.worker import Order
from ui.components import cache, charts, notices
from ui.languages import parity, sweep
from ui.session import pending_action, selected_training
from ui.session.choices import Choice, one_of

THAI_PERCENTAGES = (0, 5, 10, 20, 33, 40, 50, 60, 70, 80, 90, 100)  # percent of the characters that are Thai
ADVISED_THAI_PERCENT = 33  # percent: one course’s rule is two English texts to one Thai text
MIX_CHARACTERS = 15_600  # the same for every mix, so that only the share differs
VOCABULARY_SIZES = (300, 400, 600, 800, 1_000, 1_500, 2_000, 3_000)
CURVES = {  # curves by measure: the field of a point, then the curve's name, color and dashes
    "bytes": {"thai": (mark("Thai"), "#d9480f", [1, 0]), "english": (mark("English"), "#3f7fc1", [7, 3])},
    "tokens": {"ratio": (mark("Thai ÷ English"), "#d9480f", [1, 0])},
}
LABELS = {"bytes": mark("bytes per token"), "tokens": mark("tokens in Thai ÷ tokens in English")}
PARITIES = {"bytes": mark("equal bytes per token"), "tokens": mark("equal numbers of tokens")}
DESCRIBED_SHARES = {
    0: mark("Training text without Thai"),
    ADVISED_THAI_PERCENT: mark("Training text with one third Thai, by one course’s rule (English 2 : Thai 1)"),
    100: mark("Training text only in Thai"),
}
CHART_HEIGHT_PIXELS = 380
LABEL_TOP_PIXELS = 12
MIN_LABELED_WIDTH_PIXELS = 700  # of the window; below it, the lines have no labels

MEASURE = Choice("mix_shows", "bytes", one_of(LABELS))


class Point(NamedTuple):
    """Measures of a tokenizer trained on a mix, on sentences that are not in the mix."""

    share: float  # of Thai in the characters of the mix, in percent
    thai: float  # bytes per token
    english: float
    ratio: float  # tokens in Thai over tokens in English, for the same sentences


# What the default choices give, so that there is a picture before a visitor trains. The tests train again.
EXAMPLE_CHOICES = 1_000, "o200k_base"  # vocabulary size, split pattern
EXAMPLE = {
    0: Point(0, 1.00022, 2.32984, 5.73609),
    5: Point(4.88626, 2.95335, 2.29083, 1.91012),
    10: Point(10.0375, 3.35241, 2.25787, 1.65854),
    20: Point(20.0402, 3.77263, 2.18348, 1.42525),
    33: Point(32.6205, 4.05332, 2.10488, 1.2788),
    40: Point(39.9083, 4.12666, 2.07385, 1.23755),
    50: Point(49.2204, 4.37391, 1.96559, 1.10664),
    60: Point(59.3142, 4.58758, 1.89202, 1.01561),
    70: Point(69.6681, 4.68056, 1.79133, 0.942456),
    80: Point(79.8332, 4.74038, 1.69732, 0.88173),
    90: Point(89.7803, 5.09491, 1.53849, 0.743603),
    100: Point(100, 5.18776, 1.00034, 0.474842),
}


def show() -> None:
    """Draws the choices, the curves of the finished trainings and the findings, then parity-aware training.

    Before the first training, the default choices show an example.
    """
    st.caption(
        tr(
            "Each tokenizer is trained on about {length:,} characters of our own texts in Thai and English, "
            "each time with another share of Thai. The tokens are counted on our parallel sentences, which say "
            "the same in both languages and are not in the training text.",
            length=MIX_CHARACTERS,
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        size, pattern = sweep.select_options("mix", VOCABULARY_SIZES)
        shown = MEASURE.segmented(tr("Measure"), LABELS)
    tasks = [(Order(size, pattern), (_mix(share).text,)) for share in THAI_PERCENTAGES]
    found = sweep.run("mix", tr("Train {count} tokenizers", count=len(THAI_PERCENTAGES)), tasks)
    jobs = {share: job for share, job in zip(THAI_PERCENTAGES, found, strict=True) if job}
    points = {
        share: cache.get_or_compute(
            lambda share=share, job=job: point(share, job.history.encoding(pattern)), "mix", job.key
        )
        for share, job in jobs.items()
    }
    if not points and (size, pattern) == EXAMPLE_CHOICES:
        points = EXAMPLE
        st.caption(tr("These results were computed beforehand. To open one of the tokenizers, first train them all."))
    if points:
        with st.container(key="stage"):
            trained = [(share, job.key) for share, job in jobs.items()]
            spec = cache.get_or_compute(lambda: chart(list(points.values()), shown), "mix chart", trained, shown)
            charts.show(spec, key="mix_chart")
        st.html(findings(points))
        if len(jobs) == len(THAI_PERCENTAGES):
            _take_one(jobs, pattern, size)
    st.divider()
    parity.show()


@cache.cached
def _mix(share: int) -> Mix:
    return mix(share, None, MIX_CHARACTERS)


def point(share: int, encoding: Encoding) -> Point:
    """Returns the measures, on the parallel sentences, of a tokenizer trained on this share of Thai in percent."""
    lines = {tag: parallel_corpus()[tag] for tag in ("th", "en")}
    size = {tag: sum(len(line.encode()) for line in own) for tag, own in lines.items()}
    tokens = {tag: int(count_tokens(own, encoding).sum()) for tag, own in lines.items()}
    return Point(_mix(share).share, size["th"] / tokens["th"], size["en"] / tokens["en"], tokens["th"] / tokens["en"])


def crossing(shares: Sequence[float], values: Sequence[float]) -> float | None:
    """Returns the share at which values first change sign, by linear interpolation between the two points there.

    >>> crossing([0, 50, 100], [-1, 1, 3]), crossing([0, 100], [1, 2])
    (25.0, None)
    """
    points = list(zip(shares, values, strict=True))
    for (x, y), (next_x, next_y) in pairwise([*points, *points[-1:]]):  # repeated because the last value may be zero
        if y * next_y <= 0:
            return float(x if y == next_y else x + (next_x - x) * y / (y - next_y))
    return None


def parities(points: Sequence[Point]) -> dict[str, float | None]:
    """Returns the percent of Thai at which both languages have equal bytes per token, and equal numbers of tokens."""
    ordered = sorted(points)
    shares = [one.share for one in ordered]
    return {
        "bytes": crossing(shares, [one.thai - one.english for one in ordered]),
        "tokens": crossing(shares, [one.ratio - 1 for one in ordered]),
    }


def chart(points: Sequence[Point], shown: str) -> dict:
    """Returns the curves of a measure, with the advised share and the point of parity marked."""
    names, colors, dashes = zip(*CURVES[shown].values(), strict=True)
    names, measure = list(map(tr, names)), tr(LABELS[shown])
    curves = pd.DataFrame(sorted(points)).rename(columns=dict(zip(CURVES[shown], names, strict=True)))
    rows = curves.melt("share", names, "curve")
    legend = alt.Legend(orient="top") if len(names) > 1 else None
    x = alt.X(
        "share:Q",
        title=[tr("share of Thai in the training text"), tr("percent of the characters")],  # two lines, for phones
        scale=alt.Scale(domain=[0, 100]),
        axis=alt.Axis(tickCount=10),
    )
    # The names of the vertical lines stand at the top, above the curve of bytes.
    room = {"zero": True, "domainMax": 1.3 * curves[names].max(axis=None)} if shown == "bytes" else {"zero": False}
    y = alt.Y("value:Q", title=measure, scale=alt.Scale(**room, nice=True))
    color = alt.Color("curve:N", title=None, scale=alt.Scale(domain=names, range=colors), legend=legend)
    dash = alt.StrokeDash("curve:N", title=None, scale=alt.Scale(domain=names, range=dashes), legend=legend)
    base = alt.Chart(rows).encode(x, y, color)
    tips = [
        alt.Tooltip("curve:N", title=tr("curve")),
        alt.Tooltip("share:Q", title=tr("share of Thai, percent"), format=".1f"),
        alt.Tooltip("value:Q", title=measure, format=".3f"),
    ]
    at = parities(points)[shown]
    advice = f"{tr('one course’s rule:')}\n{tr('English 2 : Thai 1')}"
    layers = [
        *_rule(ADVISED_THAI_PERCENT, advice, [2, 4], is_left=at is None or at > ADVISED_THAI_PERCENT),
        base.mark_line(strokeWidth=3).encode(dash),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            alt.Shape("curve:N", title=None, scale=alt.Scale(domain=names), legend=legend), tooltip=tips
        ),
    ]
    if shown == "tokens":
        layers.insert(0, alt.Chart(pd.DataFrame({"value": [1.0]})).mark_rule(strokeWidth=1, aria=False).encode(y))
    if at is not None:
        parity = f"{tr(PARITIES[shown])}\n{tr('at {share:.0f} % Thai (estimate)', share=at)}"
        lower, upper = (0, ADVISED_THAI_PERCENT) if at < ADVISED_THAI_PERCENT else (ADVISED_THAI_PERCENT, 100)
        layers += _rule(at, parity, [1, 0], is_left=at - lower > upper - at)
    about = tr(
        "Line chart: {measure} by the share of Thai in the training text, counted on sentences outside the "
        "training text, for {count} trainings.",
        measure=measure,
        count=len(points),
    )
    return alt.layer(*layers).properties(height=CHART_HEIGHT_PIXELS, description=about).to_dict(validate=False)


def _rule(share: float, label: str, dash: list[int], is_left: bool) -> list[alt.Chart]:
    """Returns a vertical line and its label, left or right of it, placed so that the two labels do not overlap."""
    base = alt.Chart(pd.DataFrame({"share": [share], "label": [label]})).encode(alt.X("share:Q"))
    align, dx = ("right", -6) if is_left else ("left", 6)
    return [
        base.mark_rule(strokeWidth=1.5, strokeDash=dash, aria=False),
        # On a phone it would leave the plot no width; `findings` says what the lines are.
        base.mark_text(
            align=align,
            dx=dx,
            lineBreak="\n",
            text=alt.expr(f"windowSize()[0] < {MIN_LABELED_WIDTH_PIXELS} ? '' : datum.label"),
        ).encode(y=alt.value(LABEL_TOP_PIXELS)),
    ]


def findings(points: Mapping[int, Point]) -> str:
    """Returns an HTML list: what the dotted line is, and at which shares the languages are how far apart, or equal."""
    found = parities(list(points.values()))
    sentences = [tr("The dotted line marks one course’s rule for training text: two parts English, one part Thai.")]
    sentences += [
        _share_sentence(tr(name), points[share]) for share, name in DESCRIBED_SHARES.items() if share in points
    ]
    of_bytes, of_tokens = found["bytes"], found["tokens"]
    if of_bytes is not None:
        sentences.append(
            tr(
                "Both languages have the same number of bytes per token if about {share:.0f} % of the training "
                "text is Thai (estimate).",
                share=of_bytes,
            )
        )
    if of_tokens is not None:
        sentences.append(
            tr(
                "Thai needs as many tokens as English if about {share:.0f} % of the training text is Thai "
                "(estimate): a Thai letter takes three bytes, so a token with the same number of bytes holds fewer "
                "letters.",
                share=of_tokens,
            )
        )
    elif len(points) == len(THAI_PERCENTAGES):
        sentences.append(
            tr(
                "For the same sentences, Thai and English never need the same number of tokens at these shares of "
                "Thai in the training text."
            )
        )
    return f"<ul>{''.join(f'<li>{escape(one)}</li>' for one in sentences)}</ul>"


def _share_sentence(name: str, one: Point) -> str:
    return tr(
        "{name}: Thai has {thai:.2f} bytes per token, English has {english:.2f}; the same sentences take "
        "{ratio:.2f} times as many tokens in Thai as in English.",
        name=name,
        thai=one.thai,
        english=one.english,
        ratio=one.ratio,
    )


def _take_one(jobs: Mapping[int, object], pattern: str | None, size: int) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        share = st.selectbox(
            tr("Share of Thai, percent"),
            list(jobs),
            index=list(jobs).index(ADVISED_THAI_PERCENT),
            key="mix_take",
            width=180,
        )
        if pending_action.button(tr("Show how this tokenizer was trained"), key="mix_use", icon=":material/timeline:"):
            with notices.errors_shown():
                source = {"mix": share, "characters": MIX_CHARACTERS}
                selected_training.add(
                    encoding_store.add_trained(jobs[share], pattern, (), f"mix-{share}-{size}", source=source)
                )
                st.switch_page("train.py")
