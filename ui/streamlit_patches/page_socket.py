"""Puts the messages of a page into an order in which Streamlit loses none, and keeps out what no page of ours sends.

Streamlit 1.67 runs a page's script for each message from its browser. Three things go wrong where messages come in
quick succession, each of them shown by a test:

- A message that comes before the run for the one before has begun replaces it, or the trigger of a component in it.
- A message that comes while callbacks run ends the callback at its next access to `st.session_state`, in the middle.
- A browser names in each message the page that it shows. Something pressed between a click on a link and the new page
  turns the page back; sent by a fragment, it makes the browser clear the new page away.

So each message goes to Streamlit once the callbacks for the one before are done, which Streamlit's own messages to the
browser show. A message from a page that is being left is passed on as one from the page that replaces it.

A large message has a turn until its callbacks are done: those of several visitors would hold Python's lock in turn, for
as long as they read megabytes of JSON, and nobody else's key would be answered.

This needs `runner.fastReruns = false`: else Streamlit starts a second thread for a visitor beside the first.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.streamlit_patches.internals import report
from ui.streamlit_patches.page_messages import PageMessages, Step, Undecodable

PATH = "/_stcore/stream"
MAX_HOLD_SECONDS = 10  # a callback may take some seconds
MAX_FRAGMENT_HOLD_SECONDS = 1  # Streamlit starts no run for a fragment that has left the page
LARGE_MESSAGE_BYTES = 200_000
MAX_TURN_SECONDS = 1  # of a large message; a visitor who reads nothing does not show when its callbacks are done
PROTOCOL_ERROR = 1002  # https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1


class PageSocketMiddleware:
    """ASGI middleware for the WebSockets of pages; `messages` reads what they carry, None leaves them as they are."""

    def __init__(self, app: ASGIApp, messages: PageMessages | None):
        self.app, self.messages = app, messages
        self.large_messages = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and scope["path"].endswith(PATH) and self.messages:
            socket = PageSocket(receive, send, self.messages, self.large_messages)
            receive, send = socket.receive, socket.send
        await self.app(scope, receive, send)


@dataclass
class Navigation:
    """The last change of the page that a browser asked for."""

    left: str  # the hash of the page that it leaves
    wanted: str
    query: str  # of the address of the wanted page
    has_begun: bool = False


class PageSocket:
    """The WebSocket of one page."""

    def __init__(self, receive: Receive, send: Send, messages: PageMessages, large_messages: asyncio.Lock):
        self._receive, self._send, self._messages, self._large_messages = receive, send, messages, large_messages
        self._turn_end: asyncio.TimerHandle | None = None  # while a large message has its turn
        self._page = ""  # the hash of the page that the script runs
        self._navigation: Navigation | None = None
        self._is_begun = False  # whether the run for the last message has begun
        self._heard = asyncio.Event()  # set once the callbacks for the last message are done
        self._heard.set()
        self._hold_until = 0.0

    async def receive(self) -> Message:
        """Receives the next message that Streamlit may see, when it may see it."""
        while True:
            message = await self._receive()
            data = message.get("bytes")
            if message["type"] != "websocket.receive" or not data or self._messages is None:
                return message
            try:
                asked = self._messages.read(data)
                if asked is None:
                    continue
                if not self._messages.is_rerun(asked):
                    return message
                await self._wait_for_callbacks()
                self._end_turn()
                if len(data) >= LARGE_MESSAGE_BYTES:
                    await self._large_messages.acquire()
                    self._turn_end = asyncio.get_running_loop().call_later(MAX_TURN_SECONDS, self._end_turn)
                is_redirected = self._follow_navigation(asked)
                self._expect_run(asked)
                return message | {"bytes": asked.SerializeToString()} if is_redirected else message
            except Undecodable:  # Streamlit would log a traceback for each
                await self._send({"type": "websocket.close", "code": PROTOCOL_ERROR})
                return {"type": "websocket.disconnect", "code": PROTOCOL_ERROR}
            except Exception as error:  # whatever a later release makes of the messages
                self._stop(error)
                return message

    async def send(self, message: Message) -> None:
        """Sends a message to the browser, and notes which step of a run it announces."""
        if message["type"] == "websocket.send" and (data := message.get("bytes")) and self._messages:
            try:
                self._note_step(*self._messages.step(data))
            except Exception as error:
                self._stop(error)
        await self._send(message)

    def _note_step(self, step: Step, page: str) -> None:
        self._page = page or self._page
        if step is Step.BEGINS:
            self._is_begun = True
        elif step is Step.DRAWS and self._is_begun:
            self._heard.set()
            self._end_turn()

    def _end_turn(self) -> None:
        """Lets the next large message go on, if this socket's has a turn."""
        if self._turn_end:
            self._turn_end.cancel()
            self._turn_end = None
            self._large_messages.release()

    def _stop(self, error: Exception) -> None:
        """Passes all messages on as they are from now on."""
        report("The order of page messages", repr(error))
        self._messages = None
        self._heard.set()
        self._end_turn()

    async def _wait_for_callbacks(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self._hold_until):
                await self._heard.wait()

    def _expect_run(self, asked: Any) -> None:
        seconds = MAX_FRAGMENT_HOLD_SECONDS if asked.rerun_script.fragment_id else MAX_HOLD_SECONDS
        self._hold_until = asyncio.get_running_loop().time() + seconds
        self._is_begun = False
        self._heard.clear()

    def _follow_navigation(self, asked: Any) -> bool:
        """Changes a message from a page that is being left into one from the next page; returns whether it did."""
        rerun, last = asked.rerun_script, self._navigation
        if last and last.wanted == self._page:
            last.has_begun = True
        if not rerun.fragment_id and not self._messages.has_trigger(asked):  # it may be a click on a link
            self._navigation = Navigation(self._page, rerun.page_script_hash, rerun.query_string)
        elif last and not last.has_begun and rerun.page_script_hash == last.left:
            rerun.page_script_hash, rerun.query_string = last.wanted, last.query
            return True
        elif last and last.has_begun and rerun.page_script_hash in (last.left, last.wanted):
            is_redirected = rerun.page_script_hash != self._page
            rerun.page_script_hash = self._page
            return is_redirected
        return False
