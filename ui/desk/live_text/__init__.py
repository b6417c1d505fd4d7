"""The text on the desk in a box of a line that grows while one writes in it: what a page shows of it follows."""

from functools import partial

from ui.desk import desk, messages
from ui.kit.component import TOKENS, component

KEY = "live_text"

_component = component(__file__, "live_text", TOKENS)


def live_text() -> str:
    """Draws the box, and returns the text as the server's desk has it: a moment behind the keys."""
    _component(key=KEY, data={"push": desk.push()}, on_commit_change=partial(messages.take_commit, KEY))
    return desk.text()
