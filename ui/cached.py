"""The one door to what is computed once and kept: plain values in, plain values out."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
import pandas as pd
import streamlit as st

from tokenizer import parallel_corpus
from tokenizer.display.lanes import lanes as draw_lanes
from tokenizer.languages.parallel import kinds, languages
from tokenizer.languages.premium import Cost, Size, cost, count_tokens, size
from tokenizer.measure.census import Group
from tokenizer.measure.census import census as take_census
from tokenizer.text.hygiene import Finding, findings
from tokenizer.text.tables import fields_of
from tokenizer.training import corpora
from tokenizer.training.corpora import CorpusFile
from ui.compare.comparison import Comparison, apart, compare
from ui.languages import chart
from ui.languages.table import frame as premium_frame
from ui.server import shelf

T = TypeVar("T")


@st.cache_data(max_entries=64, show_spinner=False)
def hygiene(text: str, encoding_key: str, special: str) -> list[Finding]:
    """What is hidden in a text, and what it costs in an encoding."""
    encoding = shelf.find(encoding_key).encoding
    return findings(text, lambda part: encoding.encode(part, special=special))


@st.cache_data(max_entries=8, show_spinner=False)
def corpus_file(name: str, data: bytes, field: str) -> CorpusFile:
    """The texts of a file that somebody trains on."""
    return corpora.read_corpus_file(name, data, field)


@st.cache_data(max_entries=8, show_spinner=False)
def corpus_fields(name: str, data: bytes) -> list[str]:
    """The fields of such a file to choose from."""
    return fields_of(name, data)


@st.cache_data(max_entries=12, show_spinner=False)
def of_training(what: str, key: str, _make: Callable[[], T]) -> T:
    """What is shown of a training and takes a while to make: `key` tells which training, `what` tells what of it."""
    return _make()


@st.cache_data(max_entries=64, show_spinner=False)
def lanes(sample: str, patterns: list[tuple[str, str | None]], chosen: str) -> str:
    """What split patterns do to a sample, as HTML; one that runs away takes half a second each time."""
    return draw_lanes(sample, patterns, chosen)


@st.cache_data(max_entries=16, show_spinner=False)
def comparison(text: str, encoding_keys: tuple[str, ...], special: str) -> Comparison:
    """What these encodings make of a text."""
    return compare(text, [shelf.find(key).encoding for key in encoding_keys], special)


@st.cache_data(max_entries=16, show_spinner=False)
def of_comparison(what: str, text: str, encoding_keys: tuple[str, ...], special: str, _make: Callable[[], T]) -> T:
    """What is drawn of such a comparison and takes a while to make: `what` tells what of it."""
    return _make()


@st.cache_data(max_entries=16, show_spinner=False)
def premiums(encoding_keys: tuple[str, ...], base: str, some_kinds: tuple[str, ...]) -> pd.DataFrame:
    """What each language of our corpus costs in these encodings, over a base language; no kinds stand for all."""
    found = [shelf.find(key) for key in encoding_keys]
    encodings = dict(zip(apart([one.name for one in found]), [one.encoding for one in found], strict=True))
    return premium_frame(parallel_corpus(some_kinds), languages(), encodings, base, kinds(some_kinds))


@st.cache_data(max_entries=32, show_spinner=False)
def premium_charts(
    encoding_keys: tuple[str, ...],
    base: str,
    some_kinds: tuple[str, ...],
    measure: str,
    order: str,
    shown: tuple[str, ...],
) -> list[tuple[str, dict]]:
    """The charts of these encodings, with their names, over the same rows in the same order."""
    return chart.charts(premiums(encoding_keys, base, some_kinds), measure, order, shown)


@st.cache_data(max_entries=16, show_spinner=False)
def census(encoding_key: str) -> dict[str, Group]:
    """How many tokens of which script an encoding has."""
    return take_census(shelf.find(encoding_key).encoding)


@st.cache_data(max_entries=16, show_spinner=False)
def line_tokens(encoding_key: str) -> dict[str, np.ndarray]:
    """How many tokens each sentence of our corpus has in an encoding, by language."""
    encoding = shelf.find(encoding_key).encoding
    return {tag: count_tokens(lines, encoding) for tag, lines in parallel_corpus().items()}


@st.cache_data(max_entries=32, show_spinner=False)
def budget_chart(_make: Callable[[], dict], encoding_key: str, budget: int) -> dict:
    """The chart of how far a budget goes."""
    return _make()


@st.cache_data(max_entries=200, show_spinner=False)
def mix(thai_share: int, characters: int) -> corpora.Mix:
    """A mix of our two training texts."""
    return corpora.mix(thai_share, None, characters)


@st.cache_data(max_entries=500, show_spinner=False)
def measured(_make: Callable[[], T], job_key: str, on: tuple[str, ...]) -> T:
    """What a tokenizer that was trained here makes of sentences; `on` tells which."""
    return _make()


@st.cache_data(max_entries=8, show_spinner=False)
def of_file(what: str, name: str, data: bytes, _read: Callable[[str, bytes], T]) -> T:
    """What is read from a file of a visitor's; `what` tells by which reader."""
    return _read(name, data)


@st.cache_data(max_entries=8, show_spinner=False)
def own_costs(
    columns: tuple[tuple[str, ...], ...], encoding_keys: tuple[str, ...]
) -> tuple[list[Size], list[list[Cost]]]:
    """The sizes of a visitor's columns of lines, and what each encoding makes of each."""
    encodings = [shelf.find(key).encoding for key in encoding_keys]
    return [size(column) for column in columns], [[cost(column, one) for column in columns] for one in encodings]
