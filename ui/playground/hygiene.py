"""The hygiene panel: hidden characters in the text, their cost in tokens, and buttons that clean them."""

from functools import partial

import streamlit as st

from server.encodings import encoding_store
from server.encodings.encoding_store import StoredEncoding
from tokenizer.errors import enumerated
from tokenizer.i18n import tr, trn
from tokenizer.text.hygiene import Finding, FunctionalInvisible, clean, findings, functional_invisibles
from ui.components import cache, notices
from ui.session.visitor_state import visitor


@notices.errors_shown()  # the pattern of a trained encoding may exceed its time limit on this text
def panel(encoding: StoredEncoding, special: str) -> None:
    """Draws the findings in the visitor's text, each with its cost in tokens of `encoding` and a button to clean it."""
    found, functional = _found(visitor().text, encoding.key, special)
    with st.container(key="hygiene", gap="xsmall"):
        st.caption(_summary(found, functional))
        for finding in found:
            _row(finding)
        for invisible in functional:
            st.markdown(_functional_note(invisible))


@cache.cached
def _found(text: str, encoding_key: str, special: str) -> tuple[list[Finding], list[FunctionalInvisible]]:
    encode = partial(encoding_store.find(encoding_key).encoding.encode, special=special)
    return findings(text, encode), functional_invisibles(text, encode)


def _summary(found: list[Finding], functional: list[FunctionalInvisible]) -> str:
    if not found:
        if functional:
            return tr("**Hidden in this text:** only invisible characters that have a function there.")
        return tr("**Hidden in this text:** nothing.")
    titles = (tr(finding.title) for finding in found)
    return tr("**Hidden in this text:** {kinds}.", kinds=enumerated([one[0].lower() + one[1:] for one in titles]))


def _functional_note(invisible: FunctionalInvisible) -> str:
    """Returns a sentence about an invisible character that has a purpose.

    >>> space = FunctionalInvisible("Zero width space", 2, 6, "marks where a line may break", ("Thai", "Khmer"))
    >>> _functional_note(space)
    '**Zero width space** × 2, costs 6 tokens. In Thai and Khmer, it marks where a line may break, so it is never \
removed.'
    """
    return tr(
        "**{kind}** × {n:,}, {cost}. In {scripts}, it {does}, so it is never removed.",
        kind=tr(invisible.title),
        n=invisible.count,
        cost=_cost(invisible.cost),
        scripts=enumerated([tr(one) for one in invisible.scripts]),
        does=tr(invisible.does),
    )


def _row(finding: Finding) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"finding_{finding.name}"):
        st.button(
            tr("Clean"),
            key=f"clean_{finding.name}",
            on_click=lambda: visitor().put_text(clean(visitor().text, finding.name)),
        )
        facts = {"kind": tr(finding.title), "n": finding.count, "cost": _cost(finding.cost), "why": tr(finding.why)}
        st.markdown(tr("**{kind}** × {n:,}, {cost}. {why}", **facts))


def _cost(tokens: int) -> str:
    """Returns the label of a finding's cost in tokens.

    >>> _cost(1), _cost(0), _cost(-1200)
    ('costs 1 token', 'costs no tokens', 'makes the text 1,200 tokens shorter')
    """
    if not tokens:
        return tr("costs no tokens")
    if tokens > 0:
        return trn("costs {n:,} token", "costs {n:,} tokens", tokens)
    return trn("makes the text {n:,} token shorter", "makes the text {n:,} tokens shorter", -tokens)
