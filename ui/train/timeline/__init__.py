"""The merge timeline: a text cut again at every step of a training, scrubbed through without a rerun of the script."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from tokenizer.display import palette
from ui.desk import asking, own_text
from ui.kit.bundle import bundle
from ui.server.answers import ROUTE

HERE = Path(__file__).parent
EDITOR = HERE.parent / "editor"
KEY = "timeline"
MOST_CHARACTERS = 3000  # of the text that is cut again

_component = st.components.v2.component(
    "tokenloupe_timeline",
    html=(HERE / "timeline.html").read_text(encoding="utf-8"),
    css=f":host {{\n{palette.css_variables()}\n}}\n"
    + "".join(path.read_text(encoding="utf-8") for path in (EDITOR / "editor.css", HERE / "timeline.css")),
    js=bundle(HERE / "js" / "main.js"),
)


def timeline(
    entry_key: str,
    name: str,
    ties: dict[str, str],
    text: str,
    corpus_bytes: int,
    corpus_characters: int,
    on_fork: Callable[[int, int, int], None],
    parent: dict | None = None,
    ended: int = 0,
) -> None:
    """Draws the timeline of a trained encoding over a text.

    `ties` has the `name` of the tie rule and the `words` for the pair that it takes; `parent`, of a fork, the `key` and
    `name` of the encoding whose history it left, and `at`, the merges that both share. `on_fork(step, left, right)` is
    called with symbol numbers when the reader wants another pair joined after `step` merges. `ended` counts trainings
    that are over, however they went.
    """
    _component(
        key=KEY,
        data={
            "url": ROUTE,
            "key": entry_key,
            "name": name,
            "ties": ties,
            "text": text[:MOST_CHARACTERS],
            "corpusBytes": corpus_bytes,
            "corpusCharacters": corpus_characters,
            "parent": parent,
            "ended": ended,
            "answer": asking.last_reply(KEY),
        },
        on_ask_change=partial(asking.reply, KEY),
        on_fork_change=partial(_fork, on_fork),
        on_why_change=partial(asking.take_why_elsewhere, KEY, own_text.TIMELINE),
    )
    asking.turn_to_why()


def _fork(on_fork: Callable[[int, int, int], None]) -> None:
    fork = asking.sent(KEY, "fork")
    if isinstance(fork, dict) and all(isinstance(fork.get(part), int) for part in ("step", "left", "right")):
        on_fork(fork["step"], fork["left"], fork["right"])
