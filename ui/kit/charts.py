"""Charts on the page, as Altair's `to_dict` wrote them."""

from collections.abc import Callable

import streamlit as st

from tokenizer.display import palette


def show(spec: dict, key: str | None = None, on_select: Callable[[], None] | None = None) -> None:
    """Puts a chart, as Altair's `to_dict` wrote it, on the page; `on_select` hears when a part of it is chosen."""
    # what Streamlit's theme leaves black or pale has the ink of the page
    ink = palette.DARK_INK if st.context.theme.type == "dark" else palette.LIGHT_INK
    names, color = {"labelColor": ink, "titleColor": ink}, {"color": ink}
    axis = names | {"labelFontSize": 13, "titleFontSize": 13}
    config = {"axis": axis, "text": color, "rule": color, "tick": color, "legend": names}
    # not st.altair_chart, which would check each chart against Vega-Lite's schema again on every run: 0.1 s
    st.vega_lite_chart(
        spec | {"config": config}, width="stretch", theme="streamlit", key=key, on_select=on_select or "ignore"
    )
