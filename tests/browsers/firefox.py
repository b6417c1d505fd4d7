"""Firefox over WebDriver BiDi, without a separate driver."""

import base64
import json
import re
import subprocess
from contextlib import ExitStack
from pathlib import Path

from browser import firefox_path
from websockets.sync.client import connect

from browsers.engine import Engine

FLAGS = ["--headless", "--no-remote", "--remote-debugging-port", "0", "--remote-allow-system-access"]
ANSWER_TIMEOUT_SECONDS = 120

# Simulates an input method with the service of Firefox's own tests, in the browser's window.
COMPOSE = """async (character) => {
  gBrowser.selectedBrowser.focus();
  const method = Cc['@mozilla.org/text-input-processor;1'].createInstance(Ci.nsITextInputProcessor);
  if (!method.beginInputTransactionForTests(window)) throw new Error('no input method');
  for (const text of ['a', 'ab', character]) {
    method.setPendingCompositionString(text);
    method.appendClauseToPendingComposition(text.length, method.ATTR_RAW_CLAUSE);
    method.setCaretInPendingComposition(text.length);
    method.flushPendingComposition();
  }
  method.commitCompositionWith(character);
}"""


class Firefox(Engine):
    def __init__(self, home: Path):
        super().__init__(home)
        profile = home / "profile"
        profile.mkdir()
        (profile / "user.js").write_text(f'user_pref("intl.accept_languages", "{self.locale}");\n')
        command = [firefox_path(), *FLAGS, "--profile", profile]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, errors="replace")
        self._connection, self._last = ExitStack(), 0
        self._socket = self._connection.enter_context(connect(f"{self._address()}/session", max_size=None))
        self._ask("session.new", capabilities={})
        self._ask("session.subscribe", events=["log.entryAdded"])
        self._tab = self._ask("browsingContext.getTree")["contexts"][0]["context"]
        self._window = self._ask("browsingContext.getTree", **{"moz:scope": "chrome"})["contexts"][0]["context"]
        folder = {"type": "allowed", "destinationFolder": str(self.saved)}
        self._ask("browser.setDownloadBehavior", downloadBehavior=folder)

    def _address(self) -> str:
        for line in self._process.stderr:
            if found := re.search(r"WebDriver BiDi listening on (ws://\S+)", line):
                return found[1]
        raise RuntimeError("Firefox ended during its start.")

    def _ask(self, method: str, **params: object) -> dict:
        self._last += 1
        self._socket.send(json.dumps({"id": self._last, "method": method, "params": params}))
        while (answer := json.loads(self._socket.recv(ANSWER_TIMEOUT_SECONDS))).get("id") != self._last:
            self._on_event(answer)
        if answer["type"] == "error":
            raise RuntimeError(f"{method}: {answer['error']}: {answer['message']}")
        return answer["result"]

    def _on_event(self, event: dict) -> None:
        params = event.get("params", {})
        if params.get("type") == "javascript" and params.get("level") == "error":
            self.faults.append(params["text"])

    def _evaluate(self, source: str, context: str) -> str:
        how = {"target": {"context": context}, "awaitPromise": True, "userActivation": True}
        answer = self._ask("script.evaluate", expression=source, **how)
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")

    def go(self, url: str) -> None:
        self._ask("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    def evaluate(self, source: str) -> str:
        return self._evaluate(source, self._tab)

    def perform(self, kind: str, actions: list[dict]) -> None:
        self._ask("input.performActions", context=self._tab, actions=[{"type": kind, "id": kind, "actions": actions}])

    def compose(self, character: str) -> None:
        self._evaluate(f"({COMPOSE})({json.dumps(character)})", self._window)

    def resize(self, width: int, height: int) -> None:
        self._ask("browsingContext.setViewport", context=self._tab, viewport={"width": width, "height": height})

    def picture(self) -> bytes:
        return base64.b64decode(self._ask("browsingContext.captureScreenshot", context=self._tab)["data"])

    def close(self) -> None:
        self._connection.close()
        self._process.terminate()
        self._process.wait(30)
