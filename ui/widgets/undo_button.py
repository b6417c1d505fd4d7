"""The button Undo, beside a sentence that says what was replaced."""

from collections.abc import Callable

import streamlit as st

from tokenizer.i18n import tr


def offer(sentence: str, key: str, undo: Callable[..., None], *args: object) -> None:
    """Draws the sentence and the button, which calls `undo` with `args`; for a horizontal container."""
    st.caption(sentence, width="content")
    st.button(tr("Undo"), key=key, icon=":material/undo:", on_click=undo, args=args, type="tertiary")
