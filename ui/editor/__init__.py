"""The live editor: a textarea and its tokens, drawn while one types, without a rerun of the script."""

import base64
from pathlib import Path

import streamlit as st

from tokenizer import Encoding
from tokenizer.errors import TokenizerError
from ui import desk, palette
from ui.answers import ROUTE, answer
from ui.editor.bundle import bundle

HERE = Path(__file__).parent
KEY = "editor"

_component = st.components.v2.component(
    "tokenloupe_editor",
    html=(HERE / "editor.html").read_text(encoding="utf-8"),
    css=f":host {{\n{palette.css_variables()}\n}}\n" + (HERE / "editor.css").read_text(encoding="utf-8"),
    js=bundle(HERE / "js" / "main.js"),
)


def editor(encoding: Encoding, special: str) -> None:
    """Draws the editor over the desk's text, in `encoding`, special tokens read as `special` ("text" or "special").

    The text comes back to the desk when the typing pauses; see `ui/desk.py`.
    """
    _component(
        key=KEY,
        data={
            "url": ROUTE,
            "push": desk.push(),
            "answer": st.session_state.get("editor_answer"),
            "encoding": {
                "name": encoding.name,
                "special": special,
                "specials": encoding.special_tokens,
                "cuts": encoding.safe_cuts,
                "hash": encoding.rank_table_sha256,
            },
        },
        on_commit_change=_commit,
        on_ask_change=_ask,
    )


def _sent(trigger: str) -> dict | None:
    """What the editor sent with this rerun. Its last words may come when the page has turned, and are not kept then:
    the browser still has the text."""
    state = st.session_state.get(KEY)
    return state[trigger] if state and trigger in state else None


def _commit() -> None:
    if commit := _sent("commit"):
        desk.commit(commit["text"], commit["push"])


def _ask() -> None:
    """Answers a question that could not take the route; it came with this rerun, and its answer goes with it."""
    if not (ask := _sent("ask")):
        return
    reply = {"number": ask["number"]}
    try:
        body = answer(ask["name"], ask["parameters"], base64.b64decode(ask["body"]))
        reply["body"] = base64.b64encode(body).decode()
    except TokenizerError as error:
        reply["error"] = str(error)
    st.session_state.editor_answer = reply
