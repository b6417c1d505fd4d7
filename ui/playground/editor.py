"""The live editor: a textarea and its tokens, drawn while one types, without a rerun of the script."""

from functools import partial
from pathlib import Path

import streamlit as st

from tokenizer import Encoding, TrainedEncoding
from tokenizer.display import palette
from ui.desk import asking, desk
from ui.kit.bundle import bundle
from ui.server import shelf
from ui.server.answers import ROUTE

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

    The text comes back to the desk when the typing pauses; see `ui/desk/desk.py`.
    """
    _component(
        key=KEY,
        data={
            "url": ROUTE,
            "push": desk.push(),
            "answer": asking.last_reply(KEY),
            "encoding": about(encoding, special),
        },
        on_commit_change=partial(take_commit, KEY),
        on_ask_change=partial(asking.reply, KEY),
        on_why_change=partial(asking.take_why, KEY),
    )
    asking.turn_to_why()


def about(encoding: Encoding, special: str) -> dict:
    """Returns what a component must know of an encoding, special tokens read as `special`.

    >>> about(shelf.find("gpt2"), "text")["specials"]
    {'<|endoftext|>': 50256}
    """
    return {
        "key": shelf.key_of(encoding),
        "name": encoding.name,
        "special": special,
        "specials": encoding.special_tokens,
        "unknown": encoding.unknown_id if isinstance(encoding, TrainedEncoding) else None,
        "cuts": encoding.safe_cuts,
        "hash": encoding.rank_table_sha256,
    }


def take_commit(key: str) -> None:
    """Gives the desk the text that the component `key` sent with this rerun."""
    if commit := asking.sent(key, "commit"):
        desk.commit(commit["text"], commit["push"])
