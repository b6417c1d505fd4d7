"""Orders the messages of a page so that Streamlit loses none, and drops messages that our pages do not send.

Streamlit 1.67 runs a page's script for each message from its browser. Four things go wrong if messages come in quick
succession; a test shows each of them:

- A message that comes before the run for the previous one has started replaces it, or a component's trigger in it.
- A message that comes during callbacks ends the callback at its next access to `st.session_state`.
- A browser names the current page in each message. A press between a click on a link and the new page returns to the
  old page; a press in a fragment makes the browser remove the new page.
- A fragment's message that is handled while a run ends starts a second thread. Streamlit then drops what the first one
  has drawn and not yet sent: the lower part of the page is missing.

So each message is passed on when the callbacks for the previous one are done, and a fragment's when the run has ended,
which Streamlit's messages to the browser show. A message from a page that is being left is changed into one for the
whole new page.

Large messages are processed one at a time until their callbacks are done: otherwise several of them would hold the GIL
in turn while parsing megabytes of JSON, and no key would be answered. Addresses take turns. Files to download are made
one at a time, too: Streamlit makes them in the threads that answer long questions, all that a visitor requests at once.

This needs `runner.fastReruns = false`: otherwise Streamlit starts a second thread for a visitor. A Streamlit that does
not announce its runs gets all messages at once, after the first one that was held in vain. Tested with Streamlit 1.67;
no upstream issue is known.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.limits.fair_queue import Client, Slots
from server.limits.request_guards import client_of
from server.problems import Problem
from ui.streamlit_patches.internals import Missing, report
from ui.streamlit_patches.page_messages import PageMessages, Step, Undecodable

PATH = "/_stcore/stream"
MAX_HOLD_SECONDS = 10  # a callback may take some seconds
MAX_END_HOLD_SECONDS = 3  # from the run's begin; a page may be drawn for longer, and messages after these wait, too
MAX_FRAGMENT_HOLD_SECONDS = 1  # Streamlit starts no run for a fragment that is no longer on the page
LARGE_MESSAGE_BYTES = 200_000
MAX_TURN_SECONDS = 1  # of a large message; a client that reads nothing does not show when its callbacks are done
MAX_DOWNLOAD_SECONDS = 10  # the same of a download
# Codes with which a socket is closed, https://www.iana.org/assignments/websocket; the browser connects and sends again.
PROTOCOL_ERROR, TRY_AGAIN_LATER = 1002, 1013


class PageSocketMiddleware:
    """ASGI middleware for the WebSockets of pages; `messages` parses their messages, None passes them on unchanged."""

    def __init__(self, app: ASGIApp, messages: PageMessages | None):
        self.app, self.messages = app, messages
        self.large_messages, self.downloads = Slots(1), Slots(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and scope["path"].endswith(PATH) and self._orders():
            client = client_of(HTTPConnection(scope))
            socket = PageSocket(receive, send, self.messages, self.large_messages, self.downloads, client)
            receive, send = socket.receive, socket.send
        await self.app(scope, receive, send)

    def _orders(self) -> bool:
        return self.messages is not None and self.messages.announces_runs is not False


class Turn:
    """The turn of one message, which ends after `max_seconds` if nobody ends it before."""

    def __init__(self, slots: Slots, max_seconds: float):
        self.slots, self.max_seconds = slots, max_seconds
        self._held: asyncio.Future | None = None

    async def take(self, client: Client) -> None:
        """Waits for the turn; raises Problem where too many wait, or too long."""
        self._held = await self.slots.acquire(*client)
        self._timer = asyncio.get_running_loop().call_later(self.max_seconds, self.end)

    def end(self) -> None:
        """Lets the next message proceed if this one has its turn."""
        if self._held:
            self._timer.cancel()
            self.slots.release(self._held)
            self._held = None


@dataclass
class Navigation:
    """The last change of the page that a browser requested."""

    source_page: str  # the hash of the old page
    target_page: str
    query: str  # of the address of the new page
    has_begun: bool = False


class PageSocket:
    """The WebSocket of one page."""

    def __init__(
        self,
        receive: Receive,
        send: Send,
        messages: PageMessages,
        large_messages: Slots,
        downloads: Slots,
        client: Client = ("", 0),
    ):
        self._receive, self._send, self._messages = receive, send, messages
        self._client, self._large_message = client, Turn(large_messages, MAX_TURN_SECONDS)
        self._download = Turn(downloads, MAX_DOWNLOAD_SECONDS)
        self._page = ""  # the hash of the page that the script runs
        self._navigation: Navigation | None = None
        self._is_begun = False  # whether the run for the last message has started
        self._callbacks_done = asyncio.Event()  # set once the callbacks for the last message are done
        self._callbacks_done.set()
        self._hold_until = 0.0
        self._run_ended = asyncio.Event()
        self._run_ended.set()
        self._end_hold_until = 0.0

    async def receive(self) -> Message:
        """Receives the next message for Streamlit, as soon as it may be passed on."""
        while True:
            message = await self._receive()
            data = message.get("bytes")
            if message["type"] != "websocket.receive" or not data or self._messages is None:
                return message
            try:
                back_message = self._messages.read(data)
                if back_message is None:
                    continue
                if self._messages.is_download(back_message):
                    await self._download.take(self._client)
                if not self._messages.is_rerun(back_message):
                    return message
                await self._wait_for_callbacks()
                if back_message.rerun_script.fragment_id:
                    await self._wait_for_end()
                if self._messages is None:  # another part has stopped the order meanwhile
                    return message
                self._large_message.end()
                if len(data) >= LARGE_MESSAGE_BYTES:
                    await self._large_message.take(self._client)
                is_redirected = self._follow_navigation(back_message)
                if is_redirected:
                    # The whole page: a browser that gets the page and then its fragment at once removes the page.
                    back_message.rerun_script.fragment_id = ""
                self._expect_run(back_message)
                return message | {"bytes": back_message.SerializeToString()} if is_redirected else message
            except Undecodable:  # Streamlit would log a traceback for each
                return await self._close(PROTOCOL_ERROR)
            except Problem:  # too many large messages wait, or this one waited too long
                return await self._close(TRY_AGAIN_LATER)
            except Exception as error:  # a later release may change the messages
                self._stop(error)
                return message

    async def _close(self, code: int) -> Message:
        await self._send({"type": "websocket.close", "code": code})
        return {"type": "websocket.disconnect", "code": code}

    async def send(self, message: Message) -> None:
        """Sends a message to the browser, and notes the step of a run that it announces."""
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
            self._run_ended.clear()
            self._end_hold_until = asyncio.get_running_loop().time() + MAX_END_HOLD_SECONDS
            return
        if step is Step.ENDS:
            self._run_ended.set()
        if step is Step.DOWNLOADED:
            self._download.end()
        elif step is not Step.OTHER and self._is_begun:
            self._callbacks_done.set()
            self._large_message.end()

    def _stop(self, error: Exception) -> None:
        """Passes all messages on unchanged from now on."""
        report("The order of page messages", repr(error))
        self._messages = None
        self._callbacks_done.set()
        self._run_ended.set()
        self._large_message.end()
        self._download.end()

    async def _wait_for_callbacks(self) -> None:
        try:
            async with asyncio.timeout_at(self._hold_until):
                await self._callbacks_done.wait()
        except TimeoutError:
            if self._messages.announces_runs is None:
                self._messages.announces_runs = False
                raise Missing("a message that a run begins") from None

    async def _wait_for_end(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self._end_hold_until):
                await self._run_ended.wait()

    def _expect_run(self, back_message: Any) -> None:
        seconds = MAX_FRAGMENT_HOLD_SECONDS if back_message.rerun_script.fragment_id else MAX_HOLD_SECONDS
        self._hold_until = asyncio.get_running_loop().time() + seconds
        self._is_begun = False
        self._callbacks_done.clear()

    def _follow_navigation(self, back_message: Any) -> bool:
        """Changes a message from a page that is being left into one from the new page; returns whether it did."""
        rerun, last = back_message.rerun_script, self._navigation
        if last and last.target_page == self._page:
            last.has_begun = True
        if not rerun.fragment_id and not self._messages.has_trigger(back_message):  # it may be a click on a link
            self._navigation = Navigation(self._page, rerun.page_script_hash, rerun.query_string)
        elif last and not last.has_begun and rerun.page_script_hash == last.source_page:
            rerun.page_script_hash, rerun.query_string = last.target_page, last.query
            return True
        elif last and last.has_begun and rerun.page_script_hash in (last.source_page, last.target_page):
            is_redirected = rerun.page_script_hash != self._page
            rerun.page_script_hash = self._page
            return is_redirected
        return False
