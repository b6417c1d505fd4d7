"""The hygiene panel: what is hidden in the text on the desk, what it costs, and a clean that can be undone."""

import streamlit as st

from tokenizer.errors import BadPattern, counted, enumerated
from tokenizer.text.hygiene import Finding, Work, at_work, clean, findings
from ui.desk import desk
from ui.kit import cache, notices
from ui.server import shelf
from ui.server.shelf import Entry


def panel(encoding: Entry, special: str) -> None:
    """Lists the findings in the desk's text, each with its cost in tokens of `encoding` and a button that cleans it."""
    try:
        found, works = _found(desk.text(), encoding.key, special)
    except BadPattern as error:  # one that somebody trained with, and that runs away on this text
        notices.say(str(error))
        return
    with st.container(key="hygiene", gap="xsmall"):
        st.caption(f"**Hidden in this text:** {_summary(found, works)}")
        for finding in found:
            _row(finding)
        for work in works:
            st.markdown(_kept(work))


@cache.once
def _found(text: str, encoding_key: str, special: str) -> tuple[list[Finding], list[Work]]:
    encoding = shelf.find(encoding_key).encoding
    found, works = (look(text, lambda part: encoding.encode(part, special=special)) for look in (findings, at_work))
    return found, works


def _summary(found: list[Finding], works: list[Work]) -> str:
    if not found:
        return "only characters that have a purpose there." if works else "nothing."
    return enumerated([finding.title[0].lower() + finding.title[1:] for finding in found]) + "."


def _kept(work: Work) -> str:
    """In words: what an invisible character does where it stands.

    >>> _kept(Work("Zero width space", 2, 6, "marks where a line may break", ("Thai", "Khmer")))
    '**Zero width space** × 2, costs 6 tokens. It has a purpose here and is never cleaned away: in Thai and Khmer it \
marks where a line may break.'
    """
    return (
        f"**{work.title}** × {work.count:,}, {_cost(work.cost)}. It has a purpose here and is never cleaned away:"
        f" in {enumerated(work.scripts)} it {work.does}."
    )


def _row(finding: Finding) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"finding_{finding.name}"):
        st.button("Clean", key=f"clean_{finding.name}", on_click=lambda: desk.put(clean(desk.text(), finding.name)))
        st.markdown(f"**{finding.title}** × {finding.count:,}, {_cost(finding.cost)}. {finding.why}")


def _cost(tokens: int) -> str:
    """In words: what cleaning would take away.

    >>> _cost(1), _cost(0), _cost(-1200)
    ('costs 1 token', 'costs no tokens', 'saves 1,200 tokens')
    """
    return f"{'costs' if tokens > 0 else 'saves'} {counted(abs(tokens), 'token')}" if tokens else "costs no tokens"
