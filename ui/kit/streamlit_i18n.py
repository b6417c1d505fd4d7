"""Translates Streamlit's own English texts, in the browser."""

from ui.kit.component import component

_component = component(__file__, "streamlits")


def translate() -> None:
    """Translates Streamlit's texts on the page."""
    _component(key="streamlits")
