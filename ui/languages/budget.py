"""Same budget, how far? A window of tokens filled with the same sentences in each language."""

from collections.abc import Mapping, Sequence
from html import escape

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from tokenizer import Encoding, parallel_corpus
from tokenizer.languages.budget import Filled, fill, whole_sentences
from tokenizer.languages.parallel import BASE, Language, languages
from tokenizer.languages.premium import count_tokens
from ui.desk import pickers
from ui.desk.choices import Choice, whole
from ui.kit import cache, charts, tables
from ui.languages import asking
from ui.languages.chart import row_axis
from ui.server import shelf

FIRST = ["en", "th", "hi", "my"]
LEAST, MOST = 10, 20_000  # tokens of a budget
MOST_WINDOW = 100_000_000  # tokens
MOST_LANGUAGES = 6
AFTER = 3  # sentences behind the end of the window that are still drawn
ROW, AXES = 18, 40  # pixels: of a row, and of the axis
ENOUGH = "#3f7fc1"

BUDGET = Choice("budget", "300", whole(LEAST, MOST))
WINDOW = Choice("window", "8192", whole(1, MOST_WINDOW))


def show() -> None:
    """Draws the view: choices, the filled windows, the chart of all languages, what it means for a context window."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        entry = pickers.encoding()
        chosen = asking.several_languages("languages", "Languages", FIRST, 1, MOST_LANGUAGES)
        budget = BUDGET.ask(st.number_input, "Tokens", LEAST, MOST, step=50, width=160)
    st.html(windows(chosen, entry.encoding, budget))
    rows = frame(line_tokens(entry.key), budget)
    _chart(rows, entry.key, budget)
    _context(rows)


# The windows


def windows(tags: Sequence[str], encoding: Encoding, budget: int) -> str:
    """Returns the filled window of each language as HTML, side by side."""
    corpus, known = parallel_corpus(), languages()
    drawn = "".join(_window(known[tag], corpus[tag], fill(corpus[tag], encoding, budget)) for tag in tags)
    return f'<div class="windows">{drawn}</div>'


def _window(language: Language, lines: Sequence[str], filled: Filled) -> str:
    inside = " ".join([*lines[: filled.whole], filled.part]).rstrip()
    next_ones = lines[filled.whole + 1 : filled.whole + 1 + AFTER] if filled.rest or filled.part else []
    outside = " ".join([filled.rest, *next_ones])
    more = len(lines) - filled.whole - 1 - len(next_ones)
    cut = '<b class="end">window ends</b>' if outside else '<b class="end">all sentences fit</b>'
    dots = " …" if more > 0 else ""
    return (
        f"<section><h3><bdi>{escape(language.name)}</bdi></h3>"
        f"<p>{filled.whole} of {len(lines)} sentences whole, {filled.tokens:,} tokens</p>"
        f'<div tabindex="0" role="region" aria-label="{escape(language.name)}" lang="{escape(language.tag)}"'
        f' dir="{language.direction}"><span>{escape(inside)}</span> {cut} '
        f"<s>{escape(outside)}{dots}</s></div></section>"
    )


# All languages


@cache.once
def line_tokens(encoding_key: str) -> dict[str, np.ndarray]:
    """Returns how many tokens each sentence of our corpus has in an encoding, by language."""
    encoding = shelf.find(encoding_key).encoding
    return {tag: count_tokens(lines, encoding) for tag, lines in parallel_corpus().items()}


def frame(counts: Mapping[str, np.ndarray], budget: int) -> pd.DataFrame:
    """Returns a row a language: how many sentences fit, what share of the base's text that is, and the premium.

    `counts` are the tokens of each sentence.
    """
    known = languages()
    characters = np.cumsum([0, *map(len, parallel_corpus()[BASE])])
    rows = pd.DataFrame(
        [
            (tag, known[tag].name, known[tag].autonym, whole_sentences(tokens, budget), int(tokens.sum()))
            for tag, tokens in counts.items()
        ],
        columns=["tag", "language", "autonym", "sentences", "tokens"],
    )
    rows["share"] = characters[rows["sentences"]] / characters[-1]
    rows["premium"] = rows["tokens"] / counts[BASE].sum()
    return rows.sort_values(["sentences", "premium"], ascending=[False, True], ignore_index=True)


def _chart(rows: pd.DataFrame, key: str, budget: int) -> None:
    count = len(parallel_corpus()[BASE])
    st.html(f'<h3 class="lens">Whole sentences that {budget:,} tokens hold, of {count}</h3>')
    spec = cache.kept(lambda: chart(rows, count), "budget", key, budget)
    charts.show(spec, key="budget_chart")
    if rows["sentences"].max() == count:
        st.caption(
            f"{(rows['sentences'] == count).sum()} languages fit whole: the sentences end there, not the tokens."
            " Take a smaller number of tokens to tell those languages apart."
        )


def chart(rows: pd.DataFrame, count: int) -> dict:
    """Returns the chart: a row a language, as many sentences long as fit."""
    y = row_axis("language", rows["language"], labelFlush=False)
    scale = alt.Scale(domain=[0, min(count, int(rows["sentences"].max()) + 1) * 1.06], nice=False)
    x = alt.X("sentences:Q", title=None, scale=scale, axis=alt.Axis(orient="top", tickMinStep=1, tickCount=8))
    base = alt.Chart(rows)
    tips = [
        alt.Tooltip("language:N"),
        alt.Tooltip("autonym:N", title="its own name"),
        alt.Tooltip("sentences:Q", title="whole sentences that fit"),
        alt.Tooltip("share:Q", title="share of the English text", format=".1%"),
        alt.Tooltip("premium:Q", title="premium over English", format=".3f"),
    ]
    bars = base.mark_bar(height=11, color=ENOUGH).encode(x, y, tooltip=tips)
    numbers = base.mark_text(align="left", dx=5, fontSize=12).encode(x, y, alt.Text("sentences:Q"))
    made = alt.layer(bars, numbers).properties(height=AXES + ROW * len(rows))
    about = f"Bars: how many of {count} sentences fit whole, for {len(rows)} languages."
    return made.properties(description=about).to_dict(validate=False)


# What it means


def _context(rows: pd.DataFrame) -> None:
    st.html('<h3 class="lens">In a context window</h3>')
    window = WINDOW.ask(st.number_input, "Window of a model, tokens", 1, MOST_WINDOW, step=1024, width=220)
    held = np.floor(window / rows["premium"]).astype(int)
    premium, attention = "premium over English", "attention scores for the same text, times English"
    worth = f"{window:,} tokens hold what so many hold in English (estimate)"
    shown = pd.DataFrame(
        {
            "language": rows["language"],
            premium: rows["premium"].round(3),
            worth: held,
            attention: (rows["premium"] ** 2).round(2),
        }
    )
    formats = {premium: "%.3f", worth: "localized", attention: "%.2f"}
    columns = {name: st.column_config.NumberColumn(format=form) for name, form in formats.items()}
    st.dataframe(shown, hide_index=True, key="budget_table", column_config=columns)
    st.caption(
        "The premium is that of our sentences in this encoding; another text has another one, so what a window holds is"
        " an estimate. Attention compares each token with each other one (Vaswani et al. 2017, arXiv 1706.03762): for"
        " the same text the number of scores grows as the square of the premium, all else in the model as the premium."
    )
    tables.download("Download the table (CSV)", lambda: tables.to_csv(rows.merge(shown, on="language")), "budget.csv")
