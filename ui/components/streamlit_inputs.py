"""Adapts Streamlit's inputs, in the browser.

Typed text is sent without Enter, a lone surrogate cannot break a message, right-to-left text starts at the right, and
a drop zone has an accessible name.
"""

from ui.components.component import component

_component = component(__file__, "streamlit/streamlit-inputs")


def install() -> None:
    """Adapts every text input and drop zone of the page."""
    _component(key="streamlit_inputs")
