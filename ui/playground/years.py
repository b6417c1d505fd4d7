"""Three encodings from different years, and what a language cost in them."""

import streamlit as st

from server.encodings import encoding_store
from server.encodings.encoding_store import StoredEncoding
from tokenizer.i18n import number, tr
from tokenizer.languages.parallel import BASE, language_of, languages, parallel_corpus
from tokenizer.languages.premium import count_tokens, ratio_of_tokens
from ui.components import cache
from ui.session.choices import Choice
from ui.session.visitor_state import visitor
from ui.widgets.pickers import COMPARED, YEARS


def stops() -> list[StoredEncoding | None]:
    """Returns the encodings; None for one that is not loaded, which must not delay the page."""
    return [encoding_store.find(key) if encoding_store.is_ready(key) else None for key in COMPARED]


def cost(text: str) -> dict[str, str] | None:
    """Returns what a text's language cost in the first and the last of these years, compared with English.

    None where its script does not tell the language, and where an encoding is not loaded.

    >>> loaded = [encoding_store.find(key) for key in COMPARED]
    >>> cost("สวัสดี")["words"]
    'In the same 120 sentences, Thai cost 8.9 times English in 2019, 1.9 times today.'
    """
    first, *_, last = COMPARED
    tag = language_of(text)
    if not tag or not all(map(encoding_store.is_ready, (first, last))):
        return None
    before, now = (number(_premium(key, tag), ".1f") for key in (first, last))
    names = {"language": languages()[tag].name, "base": languages()[BASE].name}
    facts = {**names, "before": before, "now": now, "year": str(YEARS[first]), "n": len(parallel_corpus()[BASE])}
    words = tr(
        "In the same {n} sentences, {language} cost {before} times {base} in {year}, {now} times today.", **facts
    )
    return {"language": tag, "words": words}


@cache.cached
def _premium(key: str, tag: str) -> float:
    encoding, corpus = encoding_store.find(key).encoding, parallel_corpus()
    return ratio_of_tokens(count_tokens(corpus[tag], encoding), count_tokens(corpus[BASE], encoding))


def open_languages() -> None:
    """Opens the costs of all languages, with the one of the visitor's text."""
    Choice("lens", "premium").choose("premium")
    if found := cost(visitor().text):
        Choice("language", "th").choose(found["language"])
    st.switch_page("languages.py")
