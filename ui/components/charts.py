"""Charts on the page, as Altair's `to_dict` wrote them."""

from collections.abc import Callable

import streamlit as st

from tokenizer.display import palette

# type grows with the window, as assets/style.css has it; rows keep their height
TYPE = "(clamp(windowSize()[0] * 0.00625 + 8, 16, 20) * 0.875)"


def show(
    spec: dict, key: str | None = None, on_select: Callable[[], None] | None = None, clicked: str | None = None
) -> None:
    """Puts a chart, as Altair's `to_dict` wrote it, on the page; `on_select` hears of its selection named `clicked`."""
    # what Streamlit's theme leaves black or pale has the ink of the page
    is_dark = st.context.theme.type == "dark"
    ink = palette.DARK_INK if is_dark else palette.LIGHT_INK
    paper = palette.DARK_PAPER if is_dark else palette.LIGHT_PAPER
    names, color = {"labelColor": ink, "titleColor": ink}, {"color": ink}
    names |= {"aria": False}  # Vega would describe axes in English; a chart's own description says what it shows
    axis = names | {"labelFontSize": {"expr": TYPE}, "titleFontSize": {"expr": TYPE}}
    under = {"stroke": paper, "strokeWidth": 6, "strokeJoin": "round"}  # what stands under words that a line crosses
    config = {
        "style": {"paper": under},
        "axis": axis,
        "text": color | {"fontSize": {"expr": TYPE}},
        "rule": color,
        "tick": color,
        "legend": names | {"labelFontSize": {"expr": TYPE}},
    }
    # not st.altair_chart, which would check each chart against Vega-Lite's schema again on every run: 0.1 s
    st.vega_lite_chart(
        spec | {"config": config},
        width="stretch",
        theme="streamlit",
        key=key,
        on_select=on_select or "ignore",
        selection_mode=clicked,  # a selection that follows the pointer would run the script at each of its moves
    )
