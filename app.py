"""Tokenloupe: `streamlit run app.py` finds `app` here; the pages' frame is pages/frame.py."""

import streamlit as st

from ui.kit import quirks
from ui.server.routes import routes

quirks.undo()
app = st.App("pages/frame.py", routes=routes)
