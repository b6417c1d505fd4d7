"""The result of another program's training, compared with Tokenloupe's on the same text with as many tokens."""

from html import escape
from typing import NamedTuple

import numpy as np
import streamlit as st

from server.encodings import encoding_store
from server.encodings.encoding_store import ExternallyTrained, StoredEncoding
from server.training import jobs
from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.tokens import BYTE, UNKNOWN
from tokenizer.errors import TokenizerError
from tokenizer.i18n import tr, trn
from tokenizer.training.makers import MAKERS
from tokenizer.training.worker import Order
from ui.components import cache, notices
from ui.session import why_text
from ui.session.visitor_state import client
from ui.streamlit_patches.visitors import is_connected
from ui.widgets.token_strip import token_strip

POLL_SECONDS = 0.5
MAX_MEASURED_CHARACTERS = 100_000
MAX_STRIP_CHARACTERS = 600


class TextCounts(NamedTuple):
    """The counts of a text in one encoding."""

    tokens: int
    bytes: int
    spelled: int  # characters in byte tokens
    lost: int  # unknown tokens
    left_out: int  # bytes that no token covers


def show(found: ExternallyTrained) -> None:
    """Draws the tokens of both trainings, and the notes on the program's file."""
    compare(found)
    about = " ".join(map(tr, found.encoding.model.notes))
    st.html(f'<p class="about">{escape(about)}</p>')  # it contains names from the file


@st.fragment(run_every=POLL_SECONDS)
def _wait(job: jobs.Job) -> None:
    if job.over:
        st.rerun()
    st.progress(job.share, tr("Tokenloupe trains on the same text, to compare"))


def compare(found: ExternallyTrained) -> None:
    """Draws the tokens of both trainings once Tokenloupe's has ended, or the reason why there is none."""
    size = found.encoding.vocab_size
    if size < 256:
        st.caption(
            trn(
                "Tokenloupe begins with 256 bytes, so it has no vocabulary of {n:,} token to compare.",
                "Tokenloupe begins with 256 bytes, so it has no vocabulary of {n:,} tokens to compare.",
                size,
            )
        )
        return _draw(found, [found])
    try:
        order = Order(size, held_out=found.job.order.held_out, min_count=1)
        job = _ours(order, found.job.texts)
    except TokenizerError as error:
        notices.show(str(error))
        return _draw(found, [found])
    if not job.over:
        return _wait(job)
    if job.history is None:
        notices.show(job.problem)
        st.button(tr("Try again"), key="retry_comparison", on_click=st.session_state.pop, args=("comparison_job", None))
        return _draw(found, [found])
    return _draw(found, [found, encoding_store.add_trained(job, order.pattern, (), f"{found.name[:30]}-ours")])


def _ours(order: Order, texts: tuple[str, ...]) -> jobs.Job:
    """Starts Tokenloupe's training on the same text; a failed one is not started again by each rerun."""
    job = st.session_state.get("comparison_job")
    if not (job and job.problem and job.key == jobs.job_key(order, texts)):
        job = st.session_state["comparison_job"] = jobs.begin(order, texts, client(), is_connected())
    return job


@notices.errors_shown()  # encoding may take too long
def _draw(found: ExternallyTrained, entries: list[StoredEncoding]) -> None:
    text = found.sample[0][:MAX_MEASURED_CHARACTERS]
    measures = [cache.get_or_compute(lambda one=one: measured(one.encoding, text), "made", one.key) for one in entries]
    drawn = [one.encoding.tokenize(text[:MAX_STRIP_CHARACTERS]) for one in entries]
    st.html(f"<p>{_measured_on(text, len(text) == found.sample[1])} {differences(found, measures)}</p>")
    labels = [MAKERS[found.job.order.maker].label, "Tokenloupe"]
    for i, (column, one) in enumerate(zip(st.columns(2, gap="large"), entries, strict=False)):
        with column:
            st.html(f'<div class="made"><h3>{labels[i]}</h3><p>{counts_html(one.encoding, measures[i])}</p></div>')
            token_strip(f"made_{i}", drawn[i], one, why_text.PAGE)


def _measured_on(text: str, is_whole: bool) -> str:
    if is_whole:
        return trn("The training text, {n:,} character:", "The training text, {n:,} characters:", len(text))
    return trn(
        "The beginning of the training text, {n:,} character:",
        "The beginning of the training text, {n:,} characters:",
        len(text),
    )


def measured(encoding: Encoding, text: str) -> TextCounts:
    """Returns the counts of a text in an encoding.

    >>> from tokenizer import get_encoding
    >>> measured(get_encoding("gpt2"), "two words")
    TextCounts(tokens=2, bytes=9, spelled=0, lost=0, left_out=0)
    """
    tokens = encoding.tokenize(text)
    spelled = map(encoding.bytes_of, tokens.id_array[tokens.kinds == BYTE].tolist())
    starts = sum(byte[0] & 0xC0 != 0x80 for byte in spelled)
    size, held = len(tokens.text.encode()), int((tokens.ends - tokens.starts).sum())
    return TextCounts(len(tokens), size, starts, int(np.count_nonzero(tokens.kinds == UNKNOWN)), size - held)


def counts_html(encoding: Encoding, found: TextCounts) -> str:
    """Returns the counts as HTML.

    >>> from tokenizer import get_encoding
    >>> counts_html(get_encoding("gpt2"), TextCounts(2, 9, 0, 0, 0))
    '<b>2 tokens</b>, 4.50 bytes per token, from a vocabulary of 50,257 tokens'
    """
    return trn(
        "<b>{n:,} token</b>, {ratio:.2f} bytes per token, from a vocabulary of {size:,} tokens",
        "<b>{n:,} tokens</b>, {ratio:.2f} bytes per token, from a vocabulary of {size:,} tokens",
        found.tokens,
        ratio=found.bytes / max(1, found.tokens),
        size=encoding.vocab_size,
    )


def differences(found: ExternallyTrained, measures: list[TextCounts]) -> str:
    """Returns sentences about the differences of the two, as HTML."""
    label, external = escape(MAKERS[found.job.order.maker].label), measures[0]
    if found.encoding.kind.startswith("sentencepiece"):
        own_note = (
            tr("Tokenloupe builds tokens from bytes, and every character can be written in bytes.")
            if len(measures) > 1
            else ""
        )
        return f"{_of_sentencepiece(found.encoding, external, label)} {own_note}"
    sentences = []
    if len(measures) > 1:
        sentences.append(tr("{label} and Tokenloupe were trained on the same text.", label=label))
    if external.left_out:
        sentences.append(
            trn(
                "The tokens of {label} leave out {n:,} byte.",
                "The tokens of {label} leave out {n:,} bytes.",
                external.left_out,
                label=label,
            )
        )
        if len(measures) > 1:
            sentences.append(tr("Tokenloupe’s tokens leave out none."))
    if external.lost:
        sentences.append(
            trn(
                "{label} makes {n:,} unknown token here: the text that it replaces is lost.",
                "{label} makes {n:,} unknown tokens here: the text that they replace is lost.",
                external.lost,
                label=label,
            )
        )
    return " ".join(sentences)


def _of_sentencepiece(encoding: Encoding, external: TextCounts, label: str) -> str:
    if encoding.unknown_id is not None and not _has_bytes(encoding):
        return trn(
            "In {label}, text without a token becomes the unknown token and is lost ({n:,} unknown token here).",
            "In {label}, text without a token becomes the unknown token and is lost ({n:,} unknown tokens here).",
            external.lost,
            label=label,
        )
    return trn(
        "In {label}, text without a token is written as the tokens of its bytes ({n:,} character here).",
        "In {label}, text without a token is written as the tokens of its bytes ({n:,} characters here).",
        external.spelled,
        label=label,
    )


def _has_bytes(encoding: Encoding) -> bool:
    return "<0x00>" in {encoding.piece(id) for id in encoding.ids()[:300]}
