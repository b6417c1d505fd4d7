"""Charts on the page, as Altair's `to_dict` wrote them."""

from collections.abc import Callable

import streamlit as st

from tokenizer.display import palette


def show(spec: dict, key: str | None = None, on_select: Callable[[], None] | None = None) -> None:
    """Puts a chart, as Altair's `to_dict` wrote it, on the page; `on_select` hears when a part of it is chosen."""
    ink = palette.DARK_INK if st.context.theme.type == "dark" else palette.LIGHT_INK
    # not st.altair_chart, which would check each chart against Vega-Lite's schema again on every run: 0.1 s
    st.vega_lite_chart(
        spec | {"config": config(ink)}, width="stretch", theme="streamlit", key=key, on_select=on_select or "ignore"
    )


def config(ink: str) -> dict:
    """Returns a chart's configuration: what Streamlit's theme leaves black or pale has the ink of the page."""
    axis = {"labelColor": ink, "titleColor": ink, "labelFontSize": 13, "titleFontSize": 13}
    return {
        "axis": axis,
        "text": {"color": ink},
        "rule": {"color": ink},
        "tick": {"color": ink},
        "legend": {"labelColor": ink},
    }
