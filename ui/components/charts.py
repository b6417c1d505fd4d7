"""Draws a Vega-Lite specification in the colours and the type size of the page."""

from collections.abc import Callable

import streamlit as st

from tokenizer.display import palette

# The font grows with the window, as in assets/style.css; rows keep their height.
FONT_SIZE = "(clamp(windowSize()[0] * 0.00625 + 8, 16, 20) * 0.875)"


def show(
    spec: dict, key: str | None = None, on_select: Callable[[], None] | None = None, clicked: str | None = None
) -> None:
    """Draws a chart from Altair's `to_dict`; `on_select` is called when its selection named `clicked` changes."""
    # Streamlit's theme leaves some parts black or pale: they get the page's text color.
    is_dark = st.context.theme.type == "dark"
    ink = palette.DARK_INK if is_dark else palette.LIGHT_INK
    paper = palette.DARK_PAPER if is_dark else palette.LIGHT_PAPER
    names, color = {"labelColor": ink, "titleColor": ink}, {"color": ink}
    names |= {"aria": False}  # Vega would describe the axes in English; the chart has a translated description
    axis = names | {"labelFontSize": {"expr": FONT_SIZE}, "titleFontSize": {"expr": FONT_SIZE}}
    halo = {"stroke": paper, "strokeWidth": 10, "strokeJoin": "round"}  # around text that a line crosses
    config = {
        "style": {"paper": halo},
        "axis": axis,
        "text": color | {"fontSize": {"expr": FONT_SIZE}},
        "rule": color,
        "tick": color,
        "legend": names | {"labelFontSize": {"expr": FONT_SIZE}} | spec.get("config", {}).get("legend", {}),
    }
    # st.altair_chart would validate the chart against Vega-Lite's schema in every run, which takes 0.1 s.
    st.vega_lite_chart(
        spec | {"config": config},
        width="stretch",
        theme="streamlit",
        key=key,
        on_select=on_select or "ignore",
        selection_mode=clicked,  # without it, a selection that follows the pointer would rerun the script at each move
    )
