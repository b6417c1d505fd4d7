"""The browser interface of the journeys: open, run scripts, keys, pointer, input method and downloads."""

import json
from pathlib import Path

# W3C's WebDriver encodes keys without a character in the private use area.
NAMED = "Backspace Tab Enter Shift Control Alt Escape End Home ArrowLeft ArrowUp ArrowRight ArrowDown Delete"
CODES = "\ue003\ue004\ue007\ue008\ue009\ue00a\ue00c\ue010\ue011\ue012\ue013\ue014\ue015\ue017"
KEYS = dict(zip(NAMED.split(), CODES, strict=True))


class Engine:
    """A browser with one tab; each engine implements the abstract methods."""

    locale = "en-US"
    line_ending = "\r\n"  # of pasted text with Windows line endings

    def __init__(self, home: Path):
        self.home, self.saved = home, home / "saved"
        self.saved.mkdir(parents=True)
        self.faults: list[str] = []  # error messages of pages

    def go(self, url: str) -> None:
        """Opens an address and waits until the document is loaded."""
        raise NotImplementedError

    def evaluate(self, source: str) -> str:
        """Returns the string to which the promise of an expression resolves."""
        raise NotImplementedError

    def perform(self, kind: str, actions: list[dict]) -> None:
        """Performs WebDriver actions of one input source: "key" or "pointer"."""
        raise NotImplementedError

    def compose(self, character: str) -> None:
        """Types a character with an input method, after intermediate compositions."""
        raise NotImplementedError

    def resize(self, width: int, height: int) -> None:
        """Sets the size of the page in CSS pixels."""
        raise NotImplementedError

    def picture(self) -> bytes:
        """Returns a screenshot as PNG."""
        raise NotImplementedError

    def close(self) -> None:
        """Closes the browser."""
        raise NotImplementedError

    def run(self, function: str, *args: object) -> object:
        """Calls a JavaScript function with JSON values and returns its result."""
        given = ", ".join(map(json.dumps, args))
        return json.loads(self.evaluate(f"(async () => JSON.stringify((await ({function})({given})) ?? null))()"))

    def press(self, keys: str) -> None:
        """Presses keys together, such as "Control+z"."""
        self._press([KEYS.get(name, name) for name in keys.split("+")])

    def type(self, text: str) -> None:
        """Types a text, key by key."""
        for letter in text:
            self._press([KEYS["Enter"] if letter == "\n" else letter])

    def _press(self, values: list[str]) -> None:
        down = [{"type": "keyDown", "value": value} for value in values]
        self.perform("key", down + [{"type": "keyUp", "value": value} for value in reversed(values)])

    def drag(self, *places: tuple[float, float]) -> None:
        """Presses at the first place, moves through the others and releases; one place is a click."""
        first, *others = ({"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0} for x, y in places)
        down, up = ({"type": name, "button": 0} for name in ("pointerDown", "pointerUp"))
        self.perform("pointer", [first, down, *others, up])
