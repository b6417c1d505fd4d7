"""What a vocabulary lacks of a language: text that becomes the unknown token is no cheap text."""

from collections.abc import Mapping, Sequence
from html import escape

import streamlit as st

from tokenizer import Encoding, parallel_corpus
from tokenizer.errors import enumerated
from tokenizer.languages.parallel import languages
from ui.desk import names
from ui.kit import cache
from ui.server import shelf
from ui.server.shelf import Entry

LEAST = 0.01  # share of a language's characters


def say(encodings: Sequence[Entry], tags: Sequence[str]) -> None:
    """Says of each encoding what it has no token for, in these languages by name and in all by their number."""
    with st.container():  # also where it is empty: what stands after it stays what it is
        for entry, name in zip(encodings, names.models(encodings).values(), strict=True):
            if entry.encoding.unknown_id is not None and (words := sentence(name, shares(entry.key), tags)):
                st.html(f'<p class="lacking">{escape(words)}</p>')


def sentence(name: str, found: Mapping[str, float], tags: Sequence[str]) -> str:
    """Returns it in words, given the share of the characters in each language; nothing where that is small everywhere.

    >>> sentence("toy", {"en": 0.0, "th": 0.5, "lo": 1.0}, ["en", "th"]).partition(". ")[0]
    'toy has no token for 0 % of the characters in English and 50 % in Thai, and for more than 1 % in 2 of 3 languages'
    """
    if not (num := sum(share > LEAST for share in found.values())):
        return ""
    here = [f"{100 * found[tag]:.0f} % in {languages()[tag].name}" for tag in tags]
    here[0] = here[0].replace(" % ", " % of the characters ", 1)
    return (
        f"{name} has no token for {enumerated(here)}, and for more than {100 * LEAST:.0f} % in {num} of {len(found)}"
        " languages. What it lacks becomes the unknown token, often many characters at once, so few tokens there are no"
        " low cost."
    )


@cache.once
def shares(key: str) -> dict[str, float]:
    """Returns the share of the characters that become the unknown token, of our sentences in each language."""
    encoding = shelf.find(key).encoding
    return {tag: _share("\n".join(lines), encoding) for tag, lines in parallel_corpus().items()}


def _share(text: str, encoding: Encoding) -> float:
    return sum(len(lost) for _, lost in encoding.unknown_characters(text)) / len(text)
