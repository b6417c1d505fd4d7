"""The one door to what is computed once and kept: plain values in, plain values out."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from tokenizer import corpora
from tokenizer.corpora import CorpusFile
from tokenizer.hygiene import Finding, findings
from ui import shelf
from ui.comparison import Comparison, compare
from ui.lanes import lanes as draw_lanes

T = TypeVar("T")


@st.cache_data(max_entries=64, show_spinner=False)
def hygiene(text: str, encoding_key: str, special: str) -> list[Finding]:
    """What is hidden in a text, and what it costs in an encoding."""
    encoding = shelf.find(encoding_key)
    return findings(text, lambda part: encoding.encode(part, special=special))


@st.cache_data(max_entries=8, show_spinner=False)
def corpus_file(name: str, data: bytes, field: str) -> CorpusFile:
    """The texts of a file that somebody trains on."""
    return corpora.read_corpus_file(name, data, field)


@st.cache_data(max_entries=8, show_spinner=False)
def corpus_fields(name: str, data: bytes) -> list[str]:
    """The fields of such a file to choose from."""
    return corpora.fields_of(name, data)


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
    return compare(text, [shelf.find(key) for key in encoding_keys], special)
