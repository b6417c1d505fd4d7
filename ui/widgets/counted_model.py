"""A model whose tokens can only be counted, by a reconstruction: the count, and how exact it is."""

from html import escape

import streamlit as st

from server.encodings import reconstructed_counts
from tokenizer.chat.samples import window_by_id
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, number, tr, trn
from tokenizer.kinds.counters import Counter
from ui.components import cache, headline_metric, notices
from ui.session.visitor_state import visitor


def show(counter: Counter) -> None:
    """Draws the number of tokens of the visitor's text, and that of the frame of a message."""
    with st.container(key="counted"), notices.errors_shown():
        st.html(f'<h2 class="lens">{escape(counter.label)}</h2>')
        tokens = tokens_of(counter.key, visitor().text)
        frame = trn("token of overhead per message", "tokens of overhead per message", counter.frame)
        together = number(tokens + counter.frame), tr("tokens as one message, with overhead")
        headline_metric.show(tokens, unit_label(tokens), (number(counter.frame), frame), together)
        st.caption(f"{accuracy_note(counter)} {window(counter, tokens)}")


def facts(counter: Counter) -> dict:
    """Returns the data of a component's column for the visitor's text, or the reason why it is not counted."""
    column = {"key": counter.key, "name": counter.label, "tokens": None, "unit": ""}
    try:
        tokens = tokens_of(counter.key, visitor().text)
    except TokenizerError as error:
        return column | {"note": str(error)}
    frame = trn("A message has {n:,} token of overhead.", "A message has {n:,} tokens of overhead.", counter.frame)
    return column | {"tokens": tokens, "unit": unit_label(tokens), "note": f"{frame} {accuracy_note(counter)}"}


@cache.cached
def tokens_of(key: str, text: str) -> int:
    """Returns the number of tokens of a text, counted in the worker process; raises TokenizerError."""
    return reconstructed_counts.count(key, text)


def unit_label(tokens: int) -> str:
    """Returns the unit of a number of tokens.

    >>> unit_label(2)
    'tokens, reconstruction'
    """
    return trn("token, reconstruction", "tokens, reconstruction", tokens)


def accuracy_note(counter: Counter) -> str:
    """Returns a note on the missing token boundaries, and on how exact the count is."""
    return f"{tr('Token boundaries are not public.')} {counter.accuracy}"


def window(counter: Counter, tokens: int) -> str:
    """Returns a sentence on how much of the model's context window a message takes, with its source; empty if unknown.

    >>> from tokenizer.kinds.counters import BY_KEY
    >>> window(BY_KEY["claude-3"], 1_993)
    'As one message, this text takes 2,000 of the 200,000 tokens of the model’s context window (source of its size: \
Anthropic, “Introducing the next generation of Claude” (anthropic.com/news/claude-3-family), 2024-03).'
    >>> window(BY_KEY["claude-3"], 200_000).partition(" of the model")[0]
    'As one message, this text has 200,007 tokens, more than the 200,000 tokens'
    """
    found = window_by_id(counter.key)
    if found is None:
        return ""
    together = tokens + counter.frame
    sentence = mark(
        "As one message, this text takes {tokens:,} of the {n:,} tokens of the model’s context "
        "window (source of its size: {source}, {date})."
    )
    if together > found.tokens:
        sentence = mark(
            "As one message, this text has {tokens:,} tokens, more than the {n:,} tokens of the model’s context "
            "window (source of its size: {source}, {date})."
        )
    return tr(sentence, tokens=together, n=found.tokens, source=found.source, date=found.date)
