"""Streamlit's own boxes, attended to: what one types is taken at once, a lone surrogate loses no message, a text from
right to left begins at the right, a place to drop files is called by its name."""

from pathlib import Path

from ui.kit.component import component

_component = component("text_boxes", Path(__file__).parent)


def install() -> None:
    """Attends to every text box of the page."""
    _component(key="text_boxes")
