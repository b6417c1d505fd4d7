"""Streamlit's own words, in the reader's language: the browser puts them in where Streamlit has put English."""

from pathlib import Path

from ui.kit.component import component

_component = component("streamlits", Path(__file__).parent)


def translate() -> None:
    """Translates what Streamlit itself says on the page."""
    _component(key="streamlits")
