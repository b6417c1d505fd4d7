"""The view "Same budget, how far?": how many of the same sentences fit into a number of tokens in each language."""

from collections.abc import Mapping, Sequence
from html import escape

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from server.encodings import encoding_store, reconstructed_counts
from tokenizer import parallel_corpus
from tokenizer.errors import enumerated
from tokenizer.i18n import SOURCE_LANGUAGE, language, mark, tr, trn, using_language
from tokenizer.kinds.counters import BY_KEY
from tokenizer.languages.budget import Filled, fill, fill_whole, whole_sentences
from tokenizer.languages.parallel import BASE, Language, languages
from tokenizer.languages.premium import count_tokens
from ui.components import cache, charts, tables
from ui.languages import controls, labels, unknown_coverage
from ui.languages.dots import row_axis, with_row_height
from ui.session.choices import Choice, int_in_range
from ui.widgets import counted_model, names, pickers

DEFAULT_LANGUAGES = ["en", "th", "hi", "my"]
MIN_BUDGET_TOKENS, MAX_BUDGET_TOKENS = 10, 20_000
MAX_WINDOW_TOKENS = 100_000_000
MAX_LANGUAGES = 6
SENTENCES_AFTER_END = 1  # drawn after the sentence that the budget cuts
FORMATS = {  # columns of the table
    mark("tokens compared with English (×)"): "%.3f",
    mark("English tokens with the same content as {window:,} tokens of the language (estimate)"): "localized",
    mark("attention cost compared with English (×)"): "%.2f",
}
COLOR, CHOSEN_COLOR = "#3f7fc1", "#d9480f"

BUDGET = Choice("budget", "300", int_in_range(MIN_BUDGET_TOKENS, MAX_BUDGET_TOKENS))
WINDOW = Choice("window", "8192", int_in_range(1, MAX_WINDOW_TOKENS))


def show() -> None:
    """Draws the choices, the filled windows, the chart of all languages and the table for a context window."""
    headline = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", key="desk_options"):
        entry = pickers.encoding(counts=True)
        counter = pickers.counter()
        chosen = controls.select_languages("languages", tr("Languages"), DEFAULT_LANGUAGES, 1, MAX_LANGUAGES)
        budget = BUDGET.ask(st.number_input, tr("Tokens"), MIN_BUDGET_TOKENS, MAX_BUDGET_TOKENS, step=50, width=160)
    corpus = parallel_corpus()
    if counter:
        key, model = counter.key, counter.label
        tokens = line_tokens(key)
        filled = {tag: fill_whole(corpus[tag], tokens[tag], budget) for tag in chosen}
    else:
        key, [model] = entry.key, names.models([entry]).values()
        filled = {tag: fill(corpus[tag], entry.encoding, budget) for tag in chosen}
    headline.html(f'<p class="finding">{finding(filled, budget, model)}</p>')
    if counter:
        headline.caption(counted_model.accuracy_note(counter))
        headline.caption(
            tr(
                "In each text below, the token budget ends after a whole sentence, because the token boundaries of "
                "this model are not public."
            )
        )
    else:
        unknown_coverage.show([entry], chosen)
    with st.container(key="stage"):
        st.html(windows(filled))
    rows = frame(line_tokens(key), budget)
    _chart(rows, key, budget, chosen)
    _context(rows)


def finding(filled: Mapping[str, Filled], budget: int, model: str) -> str:
    """Returns, as HTML, how many sentences a budget holds in each language.

    >>> finding({"en": Filled(28, "", "", 300), "th": Filled(1, "", "", 300)}, 300, "GPT-4")
    'In GPT-4, 300 tokens are enough for <b>28 whole sentences</b> in English and <b>1</b> in Thai.'
    """
    (first, one), *others = ((escape(languages()[tag].name), one.num_complete) for tag, one in filled.items())
    begins = trn(
        "<b>{n:,} whole sentence</b> in {language}", "<b>{n:,} whole sentences</b> in {language}", one, language=first
    )
    listed = enumerated([begins, *(tr("<b>{n:,}</b> in {language}", n=count, language=name) for name, count in others)])
    return tr(
        "In {model}, {budget:,} tokens are enough for {listed}.", model=escape(model), budget=budget, listed=listed
    )


def windows(filled: Mapping[str, Filled]) -> str:
    """Returns the filled window of each language as HTML, side by side."""
    corpus, known = parallel_corpus(), languages()
    drawn = "".join(_window(known[tag], corpus[tag], found) for tag, found in filled.items())
    return f'<div class="windows">{drawn}</div>'


def _window(own: Language, lines: Sequence[str], filled: Filled) -> str:
    inside = " ".join([*lines[: filled.num_complete], filled.part]).rstrip()
    after = filled.num_complete + 1  # the index after the sentence that the budget cuts
    next_ones = lines[after : after + SENTENCES_AFTER_END] if filled.rest or filled.part else []
    outside = " ".join([filled.rest, *next_ones])
    more = len(lines) - after - len(next_ones)
    end = tr("the token budget ends here") if outside else tr("all sentences are within the token budget")
    dots = " …" if more > 0 else ""
    counts = trn(
        "{whole:,} of {n:,} sentence, {tokens:,} tokens",
        "{whole:,} of {n:,} sentences, {tokens:,} tokens",
        len(lines),
        whole=filled.num_complete,
        tokens=filled.tokens,
    )
    return (
        f"<section><h2><bdi>{escape(own.name)}</bdi></h2><p>{escape(counts)}</p>"
        f'<i style="--share:{filled.num_complete / len(lines):.4f}"></i>'
        f'<div tabindex="0" role="region" aria-label="{escape(own.name)}">'
        f'<p lang="{escape(own.tag)}" dir="{own.direction}"><span>{escape(inside)}</span>'
        f' <b class="end" dir="ltr" lang="{escape(language())}">{escape(end)}</b>'
        f" <small>{escape(outside)}{dots}</small></p></div></section>"
    )


@cache.cached
def line_tokens(key: str) -> dict[str, np.ndarray]:
    """Returns the number of tokens of each sentence of the parallel corpus by an encoding or a counter, by language."""
    corpus = parallel_corpus()
    if key in BY_KEY:
        return reconstructed_counts.count_groups(key, corpus)
    encoding = encoding_store.find(key).encoding
    return {tag: count_tokens(lines, encoding) for tag, lines in corpus.items()}


def frame(counts: Mapping[str, np.ndarray], budget: int) -> pd.DataFrame:
    """Returns one row per language: the sentences that fit, their share of the base language's text, the premium.

    `counts` are the tokens of each sentence, by language. The premium is NaN if one of its two texts has no tokens.
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
    rows["premium"] = rows["tokens"].where(rows["tokens"] > 0) / (counts[BASE].sum() or np.nan)
    return rows.sort_values(["sentences", "premium"], ascending=[False, True], ignore_index=True)


def _chart(rows: pd.DataFrame, key: str, budget: int, chosen: Sequence[str]) -> None:
    count = len(parallel_corpus()[BASE])
    head = tr("Number of whole sentences within {budget:,} tokens, out of {all:,}", budget=budget, all=count)
    st.html(f'<h2 class="lens">{escape(head)}</h2>')
    spec = cache.get_or_compute(lambda: chart(rows, count, chosen), "budget", key, budget, list(chosen))
    charts.show(spec, key="budget_chart")
    if rows["sentences"].max() == count:
        st.caption(
            trn(
                "In {n:,} language, the token budget is enough for all sentences. Choose fewer tokens to see larger "
                "differences.",
                "In {n:,} languages, the token budget is enough for all sentences. Choose fewer tokens to see larger "
                "differences.",
                int((rows["sentences"] == count).sum()),
            )
        )


def chart(rows: pd.DataFrame, count: int, chosen: Sequence[str] = ()) -> dict:
    """Returns the bar chart of the sentences that fit in each language; the `chosen` languages have another color."""
    y = row_axis("language", rows["language"])
    scale = alt.Scale(domain=[0, min(count, int(rows["sentences"].max()) + 1) * 1.06], nice=False)
    axis = alt.Axis(orient="top", tickMinStep=1, tickCount=8)
    x = alt.X("sentences:Q", title=tr("number of whole sentences"), scale=scale, axis=axis)
    base = alt.Chart(
        rows.assign(
            tip=list(map(_tip, rows.to_dict("records"))),
            number=rows["sentences"].map(str) + rows["tag"].map(lambda tag: " ←" * (tag in chosen)),
        )
    )
    is_chosen = alt.FieldOneOfPredicate(oneOf=list(chosen), field="tag")
    color = alt.when(is_chosen).then(alt.value(CHOSEN_COLOR)).otherwise(alt.value(COLOR))
    tip = {"tooltip": alt.Tooltip("tip:N"), "description": alt.Description("tip:N")}
    bars = base.mark_bar(height=11).encode(x, y, color=color, **tip)
    numbers = base.mark_text(align="left", dx=5, aria=False).encode(x, y, alt.Text("number:N"))
    layers = with_row_height(alt.layer(bars, numbers), rows["language"])
    about = tr(
        "Bar chart: number of whole sentences within the token budget, out of {all:,}, in {languages:,} languages.",
        all=count,
        languages=len(rows),
    )
    return layers.properties(description=about).to_dict(validate=False)


def _tip(row: Mapping) -> str:
    sentences = trn(
        "{n:,} whole sentence, {share:.1%} of the whole text (counted in characters of the English text)",
        "{n:,} whole sentences, {share:.1%} of the whole text (counted in characters of the English text)",
        row["sentences"],
        share=row["share"],
    )
    lines = [labels.with_autonym(row["language"], row["autonym"]), sentences]
    if pd.notna(row["premium"]):
        lines.append(tr("{times:.2f} times as many tokens as English", times=row["premium"]))
    return "\n".join(lines)


def _context(rows: pd.DataFrame) -> None:
    head = tr("How much text a context window can contain")
    st.html(f'<h2 class="lens">{escape(head)}</h2>')
    rows = rows.sort_values("premium", ignore_index=True)
    window = WINDOW.ask(st.number_input, tr("Context window, tokens"), 1, MAX_WINDOW_TOKENS, step=1024, width=220)
    shown = window_table(rows, window)
    forms = dict(zip(shown.columns[1:], FORMATS.values(), strict=True))
    columns = {name: st.column_config.NumberColumn(format=form) for name, form in forms.items()}
    st.dataframe(shown, hide_index=True, key="budget_table", column_config=columns, placeholder="–")
    st.caption(
        tr(
            "The ratios were measured on our sentences in this model. Other texts have other ratios, so the "
            "number of English tokens is an estimate. The attention of a model compares the tokens in pairs "
            "(Vaswani et al. 2017, arXiv 1706.03762), so the attention cost of the same text grows with the "
            "square of the ratio."
        )
    )
    tables.download_button(tr("Download the table (CSV)"), lambda: _csv(rows, window), "budget.csv")


def window_table(rows: pd.DataFrame, window: int) -> pd.DataFrame:
    """Returns the premium of each language, and what a context window of `window` tokens holds in it."""
    premium = rows["premium"]
    # from whole numbers: the floor of window / premium can be 1 too low, as the premium is a rounded quotient
    tokens_of_base = (rows["tokens"] / premium).round()
    facts = premium.round(3), (window * tokens_of_base // rows["tokens"]).astype("Int64"), (premium**2).round(2)
    named = dict(zip((tr(name, window=window) for name in FORMATS), facts, strict=True))
    return pd.DataFrame({tr("language"): rows["language"]} | named)


def _csv(rows: pd.DataFrame, window: int) -> str:
    rows = labels.with_english_names(rows)
    with using_language(SOURCE_LANGUAGE):
        return tables.to_csv(rows.merge(window_table(rows, window), on="language"))
