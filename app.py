"""Tokenloupe: `streamlit run app.py` finds `app` here; the pages' frame is pages/frame.py."""

import streamlit as st
from starlette.middleware import Middleware

from ui.kit import quirks
from ui.server.hosts import HostGuard
from ui.server.routes import routes

quirks.undo()
guard = Middleware(HostGuard, routes=routes, allowed=lambda: st.get_option("server.allowedHosts"))
app = st.App("pages/frame.py", routes=routes, middleware=[guard])
