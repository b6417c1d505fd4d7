"""Adds the app's name and style to Streamlit's page, and hides it until our script marks it as drawn.

The elements of the page arrive one by one, and each moves others. Streamlit's own page cannot be configured, and
a style that the script of a page sends arrives after the first elements. The name, the icon and the description are
what search engines and previews of links read, and what a tab shows until the page's script has run.
"""

import gzip
import re
from base64 import b64encode
from functools import lru_cache

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.base_path import OF_STREAMLIT
from tokenizer.display import palette
from tokenizer.paths import ASSETS

# ui/session/sync/js/page-turn.js sets data-drawn; the timer shows the page if that script never runs. Each element is
# hidden by itself, because Streamlit makes its labels visible.
STYLE = (
    b"<style>html:not([data-drawn]) :is(#root, #root *) { visibility: hidden !important; }</style>"
    b"<script>setTimeout(() => { document.documentElement.dataset.drawn = ''; }, 15000)</script>"
)
LOGO = b64encode((ASSETS / "icon.svg").read_bytes()).decode()
RULES = "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in ("lessons/shared.css", "style.css"))
VARIABLES = f":root {{ {palette.css_variables()} --logo: url(data:image/svg+xml;base64,{LOGO}); }}"
# At the end of the body: of two equal rules the later one applies, and Streamlit adds its own to the head.
SHEET = f"<style>{VARIABLES}\n{palette.css_classes('--tok')}\n{RULES}</style>".encode()
TITLE, ICON = b"<title>Streamlit</title>", b"./favicon.png"
OWN_TITLE = (
    b"<title>Tokenloupe</title>"
    b'<meta name="description" content="Paste text in any language and see the exact tokens a language model reads.">'
)
OWN_ICON = f"data:image/svg+xml;base64,{LOGO}".encode()
GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))")
END_OF_HEAD, END_OF_BODY, ROOT = b"</head>", b"</body>", b'<div id="root">'
# Matches page URLs below any base path. Fetches also send Accept: */*, and these routes must stay compressed.
PAGE_PATH = re.compile(r"(?:/(?!(?:_stcore|static|component|media|api|v1|class)(?:/|$))[^/.]+)*/?")
# The answer to a request with one of these may be compressed, partial, or "not modified" although STYLE is.
DROPPED_HEADERS = {b"accept-encoding", b"if-none-match", b"if-modified-since", b"range"}


class FirstPaint:
    """Adds name, icon, STYLE and SHEET to Streamlit's page where a browser or a preview opens it."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _requests_page(scope):
            await self.app(scope, receive, send)
            return
        kept = [(name, value) for name, value in scope["headers"] if name not in DROPPED_HEADERS]
        is_gzip_accepted = bool(GZIP.search(Headers(scope=scope).get("accept-encoding", "")))
        await self.app({**scope, "headers": kept}, receive, _Styled(send, is_gzip_accepted))


def _requests_page(scope: Scope) -> bool:
    """Whether a browser requests a page, or a program that shows previews of links, which accepts anything."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return False
    accepted = Headers(scope=scope).get("accept", "*/*")
    is_anything = "*/*" in accepted or "text/*" in accepted
    path = scope["path"].removeprefix(scope.get(OF_STREAMLIT) or scope.get("root_path", ""))
    return "text/html" in accepted or (is_anything and PAGE_PATH.fullmatch(path) is not None)


class _Styled:
    """Forwards an answer; collects one in HTML first, and changes it if it is Streamlit's page."""

    def __init__(self, send: Send, is_gzip_accepted: bool):
        self.send, self.is_gzip_accepted = send, is_gzip_accepted
        self.start: Message | None = None  # of an answer in HTML
        self.body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            if Headers(raw=message["headers"]).get("content-type", "").startswith("text/html"):
                self.start = message
                return
        elif self.start:
            self.body += message.get("body", b"")
            if not message.get("more_body"):
                await self._send_whole(self.start)
            return
        await self.send(message)

    async def _send_whole(self, start: Message) -> None:
        body = self.body
        if ROOT in body:
            body = body.replace(TITLE, OWN_TITLE, 1).replace(ICON, OWN_ICON, 1)
            body = body.replace(END_OF_HEAD, STYLE + END_OF_HEAD, 1).replace(END_OF_BODY, SHEET + END_OF_BODY, 1)
            headers = MutableHeaders(raw=start["headers"])
            headers.add_vary_header("Accept-Encoding")
            if self.is_gzip_accepted:
                body, headers["content-encoding"] = _compressed(body), "gzip"
            headers["content-length"] = str(len(body))
            for name in ("etag", "last-modified"):
                del headers[name]
        await self.send(start)
        await self.send({"type": "http.response.body", "body": body})


@lru_cache(maxsize=4)  # Streamlit's page is the same for everybody
def _compressed(body: bytes) -> bytes:
    return gzip.compress(body, mtime=0)
