"""A note on characters that an encoding replaces by the unknown token: they make a text seem cheap."""

from collections.abc import Mapping, Sequence
from html import escape

import streamlit as st

from server.encodings import encoding_store
from server.encodings.encoding_store import StoredEncoding
from tokenizer import Encoding, parallel_corpus
from tokenizer.errors import enumerated
from tokenizer.i18n import tr
from tokenizer.languages.parallel import languages
from ui.components import cache
from ui.widgets import names

MIN_SHARE = 0.01  # share of a language's characters


def show(encodings: Sequence[StoredEncoding], tags: Sequence[str]) -> None:
    """Draws a note for each encoding that makes more than `MIN_SHARE` of the characters of a language unknown."""
    with st.container():  # drawn even if empty, so that the elements after it keep their place
        for entry, name in zip(encodings, names.models(encodings).values(), strict=True):
            if entry.encoding.unknown_id is not None and (text := note(name, shares(entry.key), tags)):
                st.html(f'<p class="lacking">{escape(text)}</p>')


def note(name: str, found: Mapping[str, float], tags: Sequence[str]) -> str:
    """Returns the note on an encoding, or "" if every share is at most `MIN_SHARE`.

    `found` is the share of unknown characters by language; the note has the shares of `tags`, and counts the others.

    >>> note("toy", {"en": 0.0, "th": 0.5, "lo": 1.0}, ["en", "th"]).partition(". ")[0]
    'In toy, 0 % of the characters in English and 50 % in Thai become the unknown token; in 2 of 3 languages, more \
than 1 % of the characters do'
    """
    if not (num := sum(share > MIN_SHARE for share in found.values())):
        return ""
    (first, share), *others = ((languages()[tag].name, 100 * found[tag]) for tag in tags)
    begins = tr("{share:.0f} % of the characters in {language}", share=share, language=first)
    listed = [begins, *(tr("{share:.0f} % in {language}", share=share, language=other) for other, share in others)]
    return tr(
        "In {name}, {here} become the unknown token; in {num:,} of {all:,} languages, more than {least:.0f} % of the "
        "characters do. The unknown token often stands for many characters at once, so a small number of tokens in "
        "such a language does not mean a low cost.",
        name=name,
        here=enumerated(listed),
        least=100 * MIN_SHARE,
        num=num,
        all=len(found),
    )


@cache.cached
def shares(key: str) -> dict[str, float]:
    """Returns the share of the parallel corpus's characters that become the unknown token, by language."""
    encoding = encoding_store.find(key).encoding
    return {tag: _share("\n".join(lines), encoding) for tag, lines in parallel_corpus().items()}


def _share(text: str, encoding: Encoding) -> float:
    return sum(len(lost) for _, lost in encoding.unknown_characters(text)) / len(text)
