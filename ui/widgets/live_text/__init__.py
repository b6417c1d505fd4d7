"""An input of up to three lines for the visitor's text, higher while it has the focus; typing updates the page."""

from server.web_files import TOKENS
from ui.components.component import component
from ui.session.visitor_state import visitor

KEY = "live_text"

_component = component(__file__, "live_text", TOKENS)


def live_text() -> str:
    """Draws the input; returns the text that the component committed last."""
    _component(key=KEY, data={"push": visitor().push()})
    return visitor().text
