"""A browser's tab without a browser: it sends what Streamlit's and our JavaScript send, and keeps what they keep.

It follows `tab-state.js` and `text-editor.js` in `web/js/editor`, and `ui/session/sync/js/text.js`:
the tab owns the text, and commits it to a server that holds another.
"""

import asyncio
import json
import secrets
import time
from contextlib import suppress

import numpy as np
import websockets
from _typists import ANSWER_SECONDS, ask
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

SYNC = "session_sync"  # the component that takes the text
RUNS_KEPT = 2  # runs for which a large message is kept, as Streamlit's JavaScript does
NO_TOKEN = "PLACEHOLDER_AUTH_TOKEN"  # stands before the session's id, as in Streamlit's own JavaScript


class Failed(Exception):
    """The server answered with an error."""


class Tab:
    """One tab, with its session on the server while it is open."""

    def __init__(self, url: str):
        self.url, self.session, self.page, self.query = url, "", "", ""
        self.text = self.name = self.push = None  # the text, the name under which the server holds it, the last push
        self.messages: dict[str, ForwardMsg] = {}  # large messages, which are sent once, by hash
        self.last_needed: dict[str, int] = {}  # the last run that needed each of them
        self.runs = 0
        self.page_hashes: dict[str, str] = {}
        self.live: websockets.ClientConnection | None = None
        self._clear()

    def _clear(self) -> None:
        """Removes the elements of the page before."""
        self.pushes: dict[str, tuple[str, dict]] = {}  # key of a component -> its id, the server's push
        self.buttons: dict[str, str] = {}
        self.downloads: dict[str, str] = {}  # key of a button -> the id of the file that is made when it is pressed
        self.html: list[str] = []
        self.fragment = ""  # that runs again by itself

    async def open(self, **options) -> None:
        """Opens the page's socket; resumes its session if the server has it."""
        known = ["streamlit", NO_TOKEN, self.session] if self.session else ["streamlit"]
        self.stream = await self._connect("/_stcore/stream", subprotocols=known, **options)

    async def _connect(self, path: str, **options) -> websockets.ClientConnection:
        options = {"max_size": None, "origin": self.url, "open_timeout": ANSWER_SECONDS, **options}
        return await websockets.connect(self.url.replace("http", "ws", 1) + path, **options)

    async def close(self) -> None:
        """Closes all sockets."""
        for socket in filter(None, (self.stream, self.live)):
            with suppress(Exception):
                await socket.close()
        self.live = None

    # ---- pages ----

    async def open_page(self, page: str, query: str = "") -> None:
        """Opens a page, and commits the text if the server holds another."""
        self.page, self.query = page, query
        await self.run()
        await self.commit()

    async def run(self, *widgets: WidgetState, fragment: str = "") -> None:
        """Lets the page run, and reads all of its messages."""
        await self.stream.send(self.rerun(*widgets, fragment=fragment))
        await self.finish()
        self.runs += not fragment
        self.last_needed = {hash: run for hash, run in self.last_needed.items() if self.runs - run <= RUNS_KEPT}
        self.messages = {hash: self.messages[hash] for hash in self.last_needed}

    def rerun(self, *widgets: WidgetState, fragment: str = "") -> bytes:
        """Returns the message that lets the page run with these values of widgets."""
        message = BackMsg()
        rerun = message.rerun_script
        rerun.page_name, rerun.page_script_hash = self.page, self.page_hashes.get(self.page, "")
        rerun.query_string, rerun.fragment_id, rerun.is_auto_rerun = self.query, fragment, bool(fragment)
        rerun.cached_message_hashes.extend(self.messages)
        rerun.widget_states.widgets.extend(widgets)
        return message.SerializeToString()

    async def finish(self) -> None:
        """Reads messages until a run is over."""
        while not self._take(ForwardMsg.FromString(await asyncio.wait_for(self.stream.recv(), ANSWER_SECONDS))):
            pass

    def _take(self, message: ForwardMsg) -> bool:
        """Stores the content of a message; returns whether it is the last of a run."""
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            return self._take(self.messages[message.ref_hash])
        if message.metadata.cacheable:
            self.messages[message.hash], self.last_needed[message.hash] = message, self.runs
        if kind == "new_session":
            self.session = message.new_session.initialize.session_id
            if not message.metadata.run.fragment_ids:
                self._clear()
        elif kind == "navigation":
            self.page_hashes = {page.url_pathname: page.page_script_hash for page in message.navigation.app_pages}
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "auto_rerun":
            self.fragment = message.auto_rerun.fragment_id
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            self._show(message.delta.new_element)
        return kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN

    def _show(self, element) -> None:
        kind = element.WhichOneof("type")
        if kind == "exception":
            raise Failed(f"/{self.page}: {element.exception.type} {element.exception.message}")
        if kind == "button":
            self.buttons[_key(element.button.id)] = element.button.id
        elif kind == "download_button":
            self.downloads[_key(element.download_button.id)] = element.download_button.deferred_file_id
        elif kind == "html":
            self.html.append(element.html.body)
        elif kind == "bidi_component" and '"holds"' in element.bidi_component.json:
            found = element.bidi_component
            self.pushes[_key(found.id)] = found.id, json.loads(found.json)["push"]

    async def press(self, key: str) -> None:
        """Presses a button."""
        await self.run(WidgetState(id=self.buttons[key], trigger_value=True))

    def alerts(self) -> list[str]:
        """Returns the alerts of the page as HTML."""
        return [body for body in self.html if 'role="alert"' in body]

    # ---- the text ----

    @property
    def owner(self) -> tuple[str, dict]:
        """The id of the component that has the text, and its push."""
        return self.pushes[next((key for key in self.pushes if key != SYNC), SYNC)]

    def events(self, events: str) -> WidgetState:
        """Returns what the browser sends where that component has events, given as JSON."""
        return WidgetState(id=_make_trigger_id(self.owner[0], "events"), json_trigger_value=events)

    def event(self, name: str, value: dict) -> WidgetState:
        """Returns what the browser sends where that component has one event."""
        return self.events(json.dumps([{"event": name, "value": value}]))

    def text_change(self, value: dict) -> WidgetState:
        """Returns what the browser sends where the text changed: a change with a higher number each time."""
        change = {"text": {"number": time.time_ns(), "value": value}}
        events = json.dumps([{"event": "changes", "value": change}])
        return WidgetState(id=_make_trigger_id(self.pushes[SYNC][0], "events"), json_trigger_value=events)

    def write(self, text: str) -> None:
        """Changes the text, which the server does not hold yet."""
        self.text, self.name = text, None

    async def commit(self) -> None:
        """Commits the text if the server holds another."""
        _, push = self.owner
        if self.text is None:
            self.text, self.name = push["text"], push["holds"]
        self.push = push["id"]
        if self.name == push["holds"]:
            return
        self.name = secrets.token_hex(8)
        await self.run(self.text_change({"text": self.text, "name": self.name, "push": self.push}))

    async def has_text(self) -> bool:
        """Whether the server shows the first line of this tab's text on a page that draws it."""
        await self.open_page("hood", "view=scripts")
        return any(self.text.split("\n")[0] in body for body in self.html)

    # ---- tokens ----

    async def ids(self, encoding: str, text: str) -> list[int]:
        """Returns the ids of a text, as the editor requests them; raises Failed with the server's reason."""
        self.live = self.live or await self._connect("/api/live")
        status, answer = await ask(self.live, encoding, text)
        if status != 200:
            raise Failed(f"{status} {answer.decode(errors='replace')}")
        lengths = np.frombuffer(answer, "<u4", int.from_bytes(answer[:4], "little"), 4)
        return np.frombuffer(answer, "<u4", offset=4 + 4 * len(lengths))[sum(lengths[:3]) :][: lengths[3]].tolist()


def _key(id: str) -> str:
    """Returns the key of a widget from its id, `$$ID-<hash>-<key>`."""
    return id.split("-", 2)[2]
