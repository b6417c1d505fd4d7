"""Translates Streamlit's own English texts, and adapts its inputs, in the browser.

Typed text is sent without Enter, a lone surrogate cannot break a message, right-to-left text starts at the right, and
a drop zone has an accessible name.
"""

from functools import partial

from server.web_files import FOLDER
from ui.components.component import component_in

translate = partial(component_in(FOLDER, "streamlit/streamlit-i18n"), key="streamlit_i18n")
adapt_inputs = partial(component_in(FOLDER, "streamlit/streamlit-inputs"), key="streamlit_inputs")
