"""Chromium, driven by Playwright as in tests/e2e."""

from pathlib import Path

from browser import chromium_path
from playwright.sync_api import sync_playwright
from waiting import awaited

from browsers.engine import KEYS, Engine

NAMES = {code: name for name, code in KEYS.items()}


class Chromium(Engine):
    def __init__(self, home: Path):
        super().__init__(home)
        self._playwright = sync_playwright().start()
        how = {"executable_path": chromium_path(), "args": ["--no-sandbox", "--disable-gpu"]}
        self._browser = self._playwright.chromium.launch(**how)
        self._page = self._browser.new_page(locale=self.locale)
        self._page.context.grant_permissions(["clipboard-read", "clipboard-write"])  # no prompt when headless
        self._page.on("pageerror", lambda error: self.faults.append(str(error)))
        self._page.on("download", self._save)

    def _save(self, download) -> None:
        download.save_as(part := self.saved / "part")
        part.replace(self.saved / download.suggested_filename)  # the name exists only once the file is complete

    def go(self, url: str) -> None:
        self._page.goto(url)

    def evaluate(self, source: str) -> str:
        return awaited(self._page, source, what=source, seconds=60)

    def perform(self, kind: str, actions: list[dict]) -> None:
        keyboard, mouse = self._page.keyboard, self._page.mouse
        does = {
            "keyDown": lambda value: keyboard.down(NAMES.get(value, value)),
            "keyUp": lambda value: keyboard.up(NAMES.get(value, value)),
            "pointerMove": lambda x, y, duration: mouse.move(x, y),
            "pointerDown": lambda button: mouse.down(),
            "pointerUp": lambda button: mouse.up(),
        }
        for action in actions:
            does[action["type"]](**{name: value for name, value in action.items() if name != "type"})

    def type(self, text: str) -> None:
        self._page.keyboard.type(text)  # characters that are not on a US keyboard are inserted

    def compose(self, character: str) -> None:
        session = self._page.context.new_cdp_session(self._page)
        for text in ("a", "ab", character):
            session.send(
                "Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)}
            )
        session.send("Input.insertText", {"text": character})

    def resize(self, width: int, height: int) -> None:
        self._page.set_viewport_size({"width": width, "height": height})

    def picture(self) -> bytes:
        return self._page.screenshot()

    def close(self) -> None:
        self._browser.close()
        self._playwright.stop()
