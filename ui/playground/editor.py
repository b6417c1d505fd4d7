"""The live editor: a textarea and its tokens, drawn while one types, without a rerun of the script."""

from pathlib import Path

from ui.desk import messages
from ui.kit.component import TOKENS, component
from ui.server.shelf import Entry

HERE = Path(__file__).parent
KEY = "editor"

_component = component("editor", HERE, (TOKENS,))


def editor(encoding: Entry, special: str) -> None:
    """Draws the editor over the desk's text, in `encoding`, special tokens read as `special` ("text" or "special").

    The text comes back to the desk when the typing pauses; see `ui/desk/desk.py`.
    """
    messages.draw_desk(_component, KEY, {"encoding": messages.facts(encoding, special)})
