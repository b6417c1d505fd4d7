"""The hygiene panel: what is hidden in the text on the desk, what it costs, and a clean that can be undone."""

import streamlit as st

from tokenizer.errors import BadPattern, counted
from tokenizer.text.hygiene import Finding, clean, findings
from ui.desk import desk
from ui.kit import cache, notices
from ui.server import shelf
from ui.server.shelf import Entry


def panel(encoding: Entry, special: str) -> None:
    """Lists the findings in the desk's text, each with its cost in tokens of `encoding` and a button that cleans it."""
    try:
        found = _found(desk.text(), encoding.key, special)
    except BadPattern as error:  # one that somebody trained with, and that runs away on this text
        return notices.say(str(error))
    with st.container(key="hygiene", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"**Hidden in this text:** {_summary(found)}", width="content")
            if desk.can_undo():
                st.button("Undo the last change", key="undo_put", icon=":material/undo:", on_click=desk.undo)
        for finding in found:
            _row(finding)
    return None


@cache.once
def _found(text: str, encoding_key: str, special: str) -> list[Finding]:
    encoding = shelf.find(encoding_key).encoding
    return findings(text, lambda part: encoding.encode(part, special=special))


def _summary(found: list[Finding]) -> str:
    return "nothing." if not found else f"{len(found)} kind{'s' * (len(found) > 1)} of thing that one does not see."


def _row(finding: Finding) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"finding_{finding.name}"):
        st.button("Clean", key=f"clean_{finding.name}", on_click=_clean, args=(finding.name,))
        st.markdown(f"**{finding.title}** × {finding.count:,}, {_cost(finding.cost)}. {finding.why}")


def _cost(tokens: int) -> str:
    """In words: what cleaning would take away.

    >>> _cost(1), _cost(0), _cost(-1200)
    ('costs 1 token', 'costs no token', 'saves 1,200 tokens')
    """
    if tokens == 0:
        return "costs no token"
    return f"{'costs' if tokens > 0 else 'saves'} {counted(abs(tokens), 'token')}"


def _clean(name: str) -> None:
    desk.put(clean(desk.text(), name))
