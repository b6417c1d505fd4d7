"""Translates Streamlit's own English texts, in the browser."""

from ui.components.component import component

_component = component(__file__, "streamlit/streamlit-i18n")


def translate() -> None:
    """Translates Streamlit's texts on the page."""
    _component(key="streamlit_i18n")
