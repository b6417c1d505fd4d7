"""The live editor: a textarea and its tokens, drawn while one types, without a rerun of the script."""

from functools import partial
from pathlib import Path

from ui.desk import desk, messages
from ui.kit.component import TOKENS, component
from ui.server.answers import ROUTE
from ui.server.shelf import Entry

HERE = Path(__file__).parent
KEY = "editor"

_component = component("editor", HERE, (TOKENS,))


def editor(encoding: Entry, special: str) -> None:
    """Draws the editor over the desk's text, in `encoding`, special tokens read as `special` ("text" or "special").

    The text comes back to the desk when the typing pauses; see `ui/desk/desk.py`.
    """
    _component(
        key=KEY,
        data={
            "url": ROUTE,
            "push": desk.push(),
            "answer": messages.last_reply(KEY),
            "encoding": messages.facts(encoding, special),
        },
        on_commit_change=partial(messages.take_commit, KEY),
        on_ask_change=partial(messages.reply, KEY),
        on_why_change=partial(messages.take_why, KEY),
    )
    messages.turn_to_why()
