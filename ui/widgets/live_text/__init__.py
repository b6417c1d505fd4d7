"""A box for the visitor's text, one line high, that grows while it has the focus; the page follows what is typed."""

from functools import partial

from ui.components.component import TOKENS, component
from ui.session import component_events
from ui.session.visitor_state import visitor

KEY = "live_text"

_component = component(__file__, "live_text", TOKENS)


def live_text() -> str:
    """Draws the box; returns the text that was committed last, a moment behind the keys."""
    _component(key=KEY, data={"push": visitor().push()}, on_commit_change=partial(component_events.commit_text, KEY))
    return visitor().text
