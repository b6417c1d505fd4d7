"""The hygiene panel: what is hidden in the text on the desk, what it costs, and a clean that can be undone."""

import streamlit as st

from tokenizer import Encoding
from tokenizer.hygiene import Finding, clean
from ui import cached, desk


def panel(encoding: Encoding, special: str) -> None:
    """Lists the findings in the desk's text, each with its cost in tokens of `encoding` and a button that cleans it."""
    text = desk.text()
    found = cached.hygiene(text, encoding.name, special)
    with st.container(key="hygiene", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"**Hidden in this text:** {_summary(found)}")
            if desk.can_undo():
                st.button("Undo", key="undo_put", icon=":material/undo:", on_click=desk.undo, help="Bring back the text before")
        for finding in found:
            _row(finding, text)


def _summary(found: list[Finding]) -> str:
    return "nothing." if not found else f"{len(found)} kind{'s' * (len(found) > 1)} of what one does not see."


def _row(finding: Finding, text: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"finding_{finding.name}"):
        st.button("Clean", key=f"clean_{finding.name}", on_click=_clean, args=(finding.name,))
        st.markdown(f"**{finding.title}** × {finding.count:,}: {finding.cost:+,} tokens. {finding.why}")


def _clean(name: str) -> None:
    desk.put(clean(desk.text(), name))
