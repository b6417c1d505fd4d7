"""The application that `streamlit run app.py` serves; pages/frame.py draws the frame of every page."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware

from server import address, malloc
from server.base_path import BasePath
from server.editor_api.routes import serving
from server.first_paint import FirstPaint
from server.limits import connections
from server.limits.host_guard import HostGuard, OriginGuard
from server.limits.middleware import RateLimitMiddleware
from server.limits.proxy_headers import ProxyHeaders, configured
from server.routes import routes
from ui import garbage, warmup
from ui.components.paths import base_path
from ui.streamlit_patches import page_messages, trigger_events, visitors
from ui.streamlit_patches.page_socket import PageSocketMiddleware


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Runs the background tasks of the server for as long as it serves the app."""
    connections.send_without_delay()
    async with serving(app):
        garbage.make_full_collections_rare()
        warmup.start()
        collecting = asyncio.create_task(garbage.collect_ended_sessions(visitors.session_ids))
        yield
        collecting.cancel()


def allowed_hosts() -> list[str]:
    """Returns the names that the server answers to."""
    return [*st.get_option("server.allowedHosts"), *address.hosts()]


malloc.tune_malloc()
# A key press waits up to this long, several times, while a thread computes. With Python's 5 ms, keys are visibly late
# while other visitors load something; with 1 ms, the 99th percentile doubles beside fifty visitors; with 0.1 ms, pages
# take longer.
sys.setswitchinterval(0.0003)
connections.raise_open_files()
trigger_events.apply()
messages = page_messages.load()
guards = [
    Middleware(ProxyHeaders, proxies=configured(), allowed=allowed_hosts),
    Middleware(HostGuard, allowed=allowed_hosts),
    Middleware(OriginGuard, option=st.get_option),
    Middleware(BasePath, base=base_path, routes=routes),
    Middleware(
        RateLimitMiddleware,
        open_file_sizes=visitors.open_file_sizes,
        is_complex=messages.is_complex if messages else lambda data: False,
    ),
    Middleware(PageSocketMiddleware, messages=messages),
    Middleware(FirstPaint),
]
app = st.App("pages/frame.py", routes=routes, middleware=guards, lifespan=lifespan)
