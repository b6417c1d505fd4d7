"""Parity-aware BPE and BPE that lifts its split pattern, compared with classic BPE: the same texts and size."""

from collections.abc import Mapping, Sequence
from html import escape

import altair as alt
import pandas as pd
import streamlit as st

from tokenizer import Encoding, parallel_corpus
from tokenizer.errors import enumerated
from tokenizer.i18n import mark, number, tr
from tokenizer.languages.parallel import languages
from tokenizer.languages.premium import count_tokens, gini
from tokenizer.training.worker import Order
from ui.components import cache, charts
from ui.languages import controls, sweep
from ui.languages.dots import row_axis

DEFAULT_LANGUAGES = ["en", "th", "hi", "ru", "zh-Hans", "ar", "my"]
MIN_LANGUAGES, MAX_LANGUAGES = 2, 10
VOCABULARY_SIZES = (400, 600, 1_000, 1_500, 2_000, 3_000, 4_000)
HELD_OUT_EVERY = 3  # every third sentence is held out of the training text
WAYS = {
    "classic": mark("classic BPE"),
    "parity": mark("parity-aware BPE"),
    "lifted": mark("SuperBPE"),
}
COLORS, SHAPES = ["#3f7fc1", "#d9480f", "#2f8f5b"], ["circle", "diamond", "square"]
ROW_HEIGHT_PIXELS, AXIS_AND_LEGEND_PIXELS = 30, 130


def show() -> None:
    """Draws the choices, and the chart and table of the tokens that each way takes for the held-out sentences."""
    head = tr("Parity-aware BPE: each merge helps the language that needs the most tokens")
    st.html(f'<h2 class="lens">{escape(head)}</h2>')
    st.caption(
        tr(
            "Classic BPE merges the pair that is most frequent in all texts together. Parity-aware BPE "
            "(Foroutan et al. 2025, arXiv 2508.04796) finds the language that takes the most tokens for the "
            "same sentences, and merges the most frequent pair of that language. SuperBPE (Liu et al. 2025, "
            "arXiv 2503.13423) is classic BPE for three quarters of its merges; after that it ignores the split "
            "pattern, so later tokens may hold several words. All methods learn from two thirds of our parallel "
            "sentences, a very small corpus, and are measured on the other third."
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = tr("Languages, two or more")
        chosen = controls.select_languages("fair_languages", label, DEFAULT_LANGUAGES, MIN_LANGUAGES, MAX_LANGUAGES)
        size, pattern = sweep.select_options("fair", VOCABULARY_SIZES)
    tags = [tag for tag in parallel_corpus() if tag in chosen]  # in the same order in every language of the interface
    texts = tuple("\n".join(training_lines(tag)) for tag in tags)
    ways = orders(size, pattern)
    jobs = sweep.run("fair", tr("Train with all methods"), [(order, texts) for order in ways.values()])
    found = {
        way: cache.get_or_compute(lambda job=job: outcome(job.history.encoding(pattern), tags), "parity", job.key, tags)
        for way, job in zip(ways, jobs, strict=True)
        if job
    }
    if len(found) == len(ways):
        spec = cache.get_or_compute(lambda: chart(found), "parity chart", [job.key for job in jobs], tags)
        charts.show(spec, key="fair_chart")
        st.dataframe(table(found), hide_index=True, key="fair_table")
        st.caption(
            tr(
                "The Gini coefficient, as TokEval defines it, tells how unequal the numbers of tokens of the "
                "languages are: it is 0 if all languages need the same number. The highest premium is the number "
                "of tokens of the most expensive language divided by that of the cheapest, for the same sentences."
            )
        )


def orders(size: int, pattern: str | None) -> dict[str, Order]:
    """Returns the order of each way of training; without a pattern there is none to lift."""
    found = {"classic": Order(size, pattern), "parity": Order(size, pattern, parity=True)}
    if pattern is not None:
        found["lifted"] = Order(size, pattern, lift_after=(size - 256) * 3 // 4)
    return found


def training_lines(tag: str) -> list[str]:
    """Returns the sentences of a language that all ways are trained on."""
    lines = list(parallel_corpus()[tag])
    del lines[HELD_OUT_EVERY - 1 :: HELD_OUT_EVERY]
    return lines


def held_out_lines(tag: str) -> list[str]:
    """Returns the sentences of a language that none is trained on."""
    return parallel_corpus()[tag][HELD_OUT_EVERY - 1 :: HELD_OUT_EVERY]


def outcome(encoding: Encoding, tags: Sequence[str]) -> dict[str, int]:
    """Returns the number of tokens of the held-out sentences in an encoding, by language."""
    return {tag: int(count_tokens(held_out_lines(tag), encoding).sum()) for tag in tags}


def table(found: Mapping[str, Mapping[str, int]]) -> pd.DataFrame:
    """Returns one row per measure and one column per way of training."""
    counts = [list(one.values()) for one in found.values()]
    rows = {
        tr("highest premium (most expensive ÷ cheapest language)"): [
            number(max(own) / min(own), ".3f") for own in counts
        ],
        tr("Gini coefficient of the tokens of the languages"): [number(gini(own), ".4f") for own in counts],
        tr("tokens in all languages together"): [number(sum(own)) for own in counts],
    }
    for tag in next(iter(found.values())):
        rows[tr("tokens in {language}", language=languages()[tag].name)] = [number(one[tag]) for one in found.values()]
    heads = [tr("counted on sentences outside the training text"), *(tr(WAYS[way]) for way in found)]
    return pd.DataFrame([[name, *values] for name, values in rows.items()], columns=heads)


def chart(found: Mapping[str, Mapping[str, int]]) -> dict:
    """Returns the chart: one row per language, a dot for its tokens by each way, a line between the ends."""
    names = [tr(WAYS[way]) for way in found]
    counts = pd.DataFrame({tr(WAYS[way]): one for way, one in found.items()})
    counts.index = pd.Index([languages()[tag].name for tag in counts.index], name="language")
    rows = counts.reset_index().melt("language", var_name="way", value_name="tokens")
    order = counts[names[0]].sort_values(ascending=False, kind="stable").index
    y = row_axis("language", order)
    x = alt.X("tokens:Q", title=tr("tokens of the sentences outside the training text"), scale=alt.Scale(zero=True))
    legend = alt.Legend(orient="top")
    base = alt.Chart(rows)
    span = base.transform_aggregate(low="min(tokens)", high="max(tokens)", groupby=["language"])
    layers = [
        span.mark_rule(strokeWidth=2, opacity=0.6, aria=False).encode(alt.X("low:Q"), alt.X2("high:Q"), y),
        base.mark_point(filled=True, size=130, opacity=1).encode(
            x,
            y,
            alt.Color("way:N", title=None, scale=alt.Scale(domain=names, range=COLORS[: len(names)]), legend=legend),
            alt.Shape("way:N", title=None, scale=alt.Scale(domain=names, range=SHAPES[: len(names)]), legend=legend),
            tooltip=[
                alt.Tooltip("language:N", title=tr("language")),
                alt.Tooltip("way:N", title=tr("method")),
                alt.Tooltip("tokens:Q", title=tr("tokens"), format=","),
            ],
        ),
    ]
    about = tr(
        "Dot chart: tokens of the same sentences in {count} languages, with {methods}; "
        "the training text lacks these sentences.",
        count=len(order),
        methods=enumerated(names),
    )
    return (
        alt.layer(*layers)
        .properties(height=AXIS_AND_LEGEND_PIXELS + ROW_HEIGHT_PIXELS * len(order), description=about)
        .to_dict(validate=False)
    )
