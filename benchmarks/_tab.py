"""A browser's tab without a browser: what it says to Streamlit and to the editor's socket, and what it keeps.

It follows `tab-state.js` and `text-editor.js` in `ui/components/js/editor`, and `ui/session/text_sync/js/text_sync.js`:
the tab owns the text, and commits it to a server that holds it under another name.
"""

import asyncio
import json
import secrets
from contextlib import suppress

import numpy as np
import websockets
from neighbors import ask
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

PATIENCE = 60  # seconds until an answer is missing
KEPT = 2  # runs for which a large message is kept, as Streamlit's JavaScript does
NO_TOKEN = "PLACEHOLDER_AUTH_TOKEN"  # stands before the session's id, as in Streamlit's own JavaScript


class Failed(Exception):
    """The server's answer says that something went wrong."""


class Tab:
    """One tab, with its session on the server while it is open."""

    def __init__(self, url: str):
        self.url, self.session, self.page, self.query = url, "", "", ""
        self.text = self.name = self.push = None  # as `kept()` has them
        self.messages: dict[str, ForwardMsg] = {}  # large ones, which are sent once
        self.needed: dict[str, int] = {}  # in which run each of them was last
        self.runs = 0
        self.hashes: dict[str, str] = {}  # Streamlit's own names of the pages
        self.forget()

    def forget(self) -> None:
        """Another page is coming."""
        self.pushes: dict[str, tuple[str, dict]] = {}  # key of a component -> its id, and what it is told of the text
        self.buttons: dict[str, str] = {}
        self.html: list[str] = []
        self.fragment = ""  # that runs again by itself

    async def open(self) -> None:
        """Opens both sockets; a session that the server still has goes on."""
        there = self.url.replace("http", "ws", 1)
        known = ["streamlit", NO_TOKEN, self.session] if self.session else ["streamlit"]
        options = {"max_size": None, "origin": self.url, "open_timeout": PATIENCE}
        self.stream = await websockets.connect(f"{there}/_stcore/stream", subprotocols=known, **options)
        self.live = await websockets.connect(f"{there}/api/live", **options)

    async def close(self) -> None:
        for socket in (self.stream, self.live):
            with suppress(Exception):
                await socket.close()

    # ---- pages ----

    async def turn(self, page: str, query: str = "") -> None:
        """Opens a page, and tells it of the text if it does not have it."""
        self.page, self.query = page, query
        await self.run()
        await self.tell()

    async def run(self, *pressed: WidgetState, fragment: str = "") -> None:
        """Lets the page run, and hears all that it says."""
        message = BackMsg()
        asked = message.rerun_script
        asked.page_name, asked.page_script_hash = self.page, self.hashes.get(self.page, "")
        asked.query_string, asked.fragment_id, asked.is_auto_rerun = self.query, fragment, bool(fragment)
        asked.cached_message_hashes.extend(self.messages)
        asked.widget_states.widgets.extend(pressed)
        await self.stream.send(message.SerializeToString())
        while not self.hear(ForwardMsg.FromString(await asyncio.wait_for(self.stream.recv(), PATIENCE))):
            pass
        self.runs += not fragment
        self.needed = {hash: run for hash, run in self.needed.items() if self.runs - run <= KEPT}
        self.messages = {hash: self.messages[hash] for hash in self.needed}

    def hear(self, said: ForwardMsg) -> bool:
        """Takes one message; says whether it was the last."""
        kind = said.WhichOneof("type")
        if kind == "ref_hash":
            return self.hear(self.messages[said.ref_hash])
        if said.metadata.cacheable:
            self.messages[said.hash], self.needed[said.hash] = said, self.runs
        if kind == "new_session":
            self.session = said.new_session.initialize.session_id
            if not said.metadata.run.fragment_ids:
                self.forget()
        elif kind == "navigation":
            self.hashes = {page.url_pathname: page.page_script_hash for page in said.navigation.app_pages}
        elif kind == "page_info_changed":
            self.query = said.page_info_changed.query_string
        elif kind == "auto_rerun":
            self.fragment = said.auto_rerun.fragment_id
        elif kind == "delta" and said.delta.WhichOneof("type") == "new_element":
            self.see(said.delta.new_element)
        return kind == "script_finished" and said.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN

    def see(self, element) -> None:
        kind = element.WhichOneof("type")
        if kind == "exception":
            raise Failed(f"/{self.page}: {element.exception.type} {element.exception.message}")
        if kind == "button":
            self.buttons[_key(element.button.id)] = element.button.id
        elif kind == "html":
            self.html.append(element.html.body)
        elif kind == "bidi_component" and '"holds"' in element.bidi_component.json:
            found = element.bidi_component
            self.pushes[_key(found.id)] = found.id, json.loads(found.json)["push"]

    async def press(self, key: str) -> None:
        await self.run(WidgetState(id=self.buttons[key], trigger_value=True))

    # ---- the text ----

    def write(self, text: str) -> None:
        """Changes the text; the server's desk has not heard of it yet."""
        self.text, self.name = text, None

    async def tell(self) -> None:
        """Tells the server's desk of the text, if it holds another."""
        key = next((key for key in self.pushes if key != "kept_text"), "kept_text")
        component, push = self.pushes[key]
        if self.text is None:
            self.text, self.name = push["text"], push["holds"]
        self.push = push["id"]
        if self.name == push["holds"]:
            return
        self.name = secrets.token_hex(8)
        commit = {"text": self.text, "name": self.name, "push": self.push}
        said = json.dumps([{"event": "commit", "value": commit}])
        await self.run(WidgetState(id=_make_trigger_id(component, "events"), json_trigger_value=said))

    async def has_text(self) -> bool:
        """Whether the server shows the text that this tab keeps, word for word, on a page that draws it there."""
        await self.turn("hood", "view=scripts")
        return any(self.text.split("\n")[0] in body for body in self.html)

    def alerts(self) -> list[str]:
        """What the page says of things that went wrong."""
        return [body for body in self.html if 'role="alert"' in body]

    # ---- tokens ----

    async def ids(self, encoding: str, text: str) -> list[int]:
        """What the editor is told of the tokens of a text; raises Failed with the server's words."""
        status, answer = await asyncio.wait_for(ask(self.live, encoding, text), PATIENCE)
        if status != 200:
            raise Failed(f"{status} {answer.decode(errors='replace')}")
        lengths = np.frombuffer(answer, "<u4", int.from_bytes(answer[:4], "little"), 4)
        return np.frombuffer(answer, "<u4", offset=4 + 4 * len(lengths))[sum(lengths[:3]) :][: lengths[3]].tolist()


def _key(id: str) -> str:
    """What a widget is called in the app, of its id: `$$ID-<hash>-<key>`."""
    return id.split("-", 2)[2]
