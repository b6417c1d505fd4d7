"""Three encodings from different years, and what a language cost in them."""

import streamlit as st
from babel.core import get_global

from server.encodings import encoding_store
from server.encodings.encoding_store import StoredEncoding
from tokenizer.i18n import number, tr, trn
from tokenizer.languages.parallel import BASE, language_of, languages, parallel_corpus
from tokenizer.languages.premium import count_tokens, ratio_of_tokens
from ui.components import cache
from ui.session.choices import Choice
from ui.session.visitor_state import visitor
from ui.widgets.pickers import COMPARED, YEARS, model_of


def stops() -> list[StoredEncoding | None]:
    """Returns the encodings; None for one that is not loaded, which must not delay the page."""
    return [encoding_store.find(key) if encoding_store.is_ready(key) else None for key in COMPARED]


def cost(text: str) -> dict[str, str] | None:
    """Returns what a text's language cost in the first and the last of these years, compared with English.

    None where its script does not tell the language, and where an encoding is not loaded.

    >>> loaded = [encoding_store.find(key) for key in COMPARED]
    >>> cost("สวัสดี")["words"]
    'In 120 sentences and their translations, Thai took 8.9 times the tokens of English in 2019, 1.9 times today.'
    """
    tag = language_of(text)
    return {"language": tag, "words": _words(tag)} if tag and all(stops()) else None


def _words(tag: str) -> str:
    first, *_, last = COMPARED
    return tr(
        "In {n} sentences and their translations, {language} took {before} times the tokens of {base} in {year},"
        " {now} times today.",
        n=len(parallel_corpus()[BASE]),
        language=languages()[tag].name,
        base=languages()[BASE].name,
        before=number(_premium(first, tag), ".1f"),
        year=str(YEARS[first]),
        now=number(_premium(last, tag), ".1f"),
    )


def intro(sample: str) -> dict | None:
    """Returns an example in the browser's language, and where each encoding ends its tokens; None if one is not loaded.

    In English few tokens would move, so there it is the last line of the text with which the page begins.
    """
    if not all(stops()):
        return None
    tag = corpus_tag(st.context.locale)
    return _intro(None if tag == BASE else tag, sample)


@cache.cached
def _intro(tag: str | None, sample: str) -> dict:
    text = parallel_corpus()[tag][0] if tag else sample.split("\n")[-1]
    tokens = {key: encoding_store.find(key).encoding.tokenize(text) for key in COMPARED}
    labels = {
        key: trn(
            "{model} ({year}): {n:,} token",
            "{model} ({year}): {n:,} tokens",
            len(own),
            model=model_of(key),
            year=str(YEARS[key]),
        )
        for key, own in tokens.items()
    }
    shown = [{"label": labels[key], "ends": own.ends.tolist()} for key, own in tokens.items()]
    tag = tag or language_of(text)
    return {"text": text, "stops": shown, "words": _words(tag) if tag else ""}


def corpus_tag(locale: str | None) -> str | None:
    """Returns the language of the corpus for a browser's locale; None if the corpus has none.

    >>> corpus_tag("th-TH"), corpus_tag("zh-TW"), corpus_tag("de"), corpus_tag("tlh"), corpus_tag(None)
    ('th', 'zh-Hant', 'de', None, None)
    """
    name = (locale or "").replace("-", "_")
    first = name.partition("_")[0]
    language, script, *_ = [*get_global("likely_subtags").get(name, name).split("_"), ""]
    tags = (f"{language}-{script}", first)
    return next((tag for tag in tags if tag in parallel_corpus()), None)


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
