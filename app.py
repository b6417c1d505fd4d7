"""Tokenloupe: `streamlit run app.py` finds `app` here; the pages' frame is pages/frame.py."""

import streamlit as st
from streamlit import net_util

from ui.api import routes

# Streamlit asks a host on the Internet for this machine's public address, to print it and to compare origins with it.
# Nothing leaves the machine, so the answer is: unknown.
net_util.get_external_ip = lambda: None

app = st.App("pages/frame.py", routes=routes)
