"""Translates Streamlit's own English texts, and adapts its inputs, in the browser.

Typed text is sent without Enter, a lone surrogate cannot break a message, right-to-left text starts at the right, and
a drop zone has an accessible name.
"""

from functools import partial

from ui.components.component import component

translate = partial(component(__file__, "streamlit/streamlit-i18n"), key="streamlit_i18n")
adapt_inputs = partial(component(__file__, "streamlit/streamlit-inputs"), key="streamlit_inputs")
