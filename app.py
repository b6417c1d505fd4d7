"""Tokenloupe: `streamlit run app.py` finds `app` here; the pages' frame is pages/frame.py."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import streamlit as st
from starlette.middleware import Middleware
from streamlit.proto.BackMsg_pb2 import BackMsg

from ui.kit import ahead, open_files, quirks
from ui.kit.crowded import has_many_fields
from ui.server import connections, memory
from ui.server.gate import Gate
from ui.server.hosts import HostGuard, OriginGuard
from ui.server.routes import routes, serving


@asynccontextmanager
async def living(app: st.App) -> AsyncIterator[None]:
    """What goes on beside the pages, as long as the app is served."""
    async with serving(app):
        ahead.begin()
        yield


memory.give_back()
quirks.undo()
quirks.start_by(connections.begin)
guards = [
    Middleware(HostGuard, allowed=lambda: st.get_option("server.allowedHosts")),
    Middleware(OriginGuard, option=st.get_option),
    Middleware(Gate, held=open_files.held, is_crowded=partial(has_many_fields, kind=BackMsg.DESCRIPTOR)),
]
app = st.App("pages/frame.py", routes=routes, middleware=guards, lifespan=living)
