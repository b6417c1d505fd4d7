"""What the journeys ask of a browser: open, run a script, keys, the pointer, an input method, files that it saves."""

import json
from pathlib import Path

# W3C's WebDriver writes the keys that write nothing as characters of its own.
NAMED = "Backspace Tab Enter Shift Control Alt Escape End Home ArrowLeft ArrowUp ArrowRight ArrowDown Delete"
CODES = "\ue003\ue004\ue007\ue008\ue009\ue00a\ue00c\ue010\ue011\ue012\ue013\ue014\ue015\ue017"
KEYS = dict(zip(NAMED.split(), CODES, strict=True))


class Engine:
    """A browser with one tab; each engine knows how to reach its own."""

    locale = "en-US"
    line_ending = "\r\n"  # what a page gets of a clipboard that has these

    def __init__(self, home: Path):
        self.home, self.saved = home, home / "saved"
        self.saved.mkdir(parents=True)
        self.faults: list[str] = []  # what pages say that have faults

    def go(self, url: str) -> None:
        """Opens an address, and waits until the document is there."""
        raise NotImplementedError

    def evaluate(self, source: str) -> str:
        """The string that an expression promises."""
        raise NotImplementedError

    def perform(self, kind: str, actions: list[dict]) -> None:
        """Does W3C's actions of one source of input: "key" or "pointer"."""
        raise NotImplementedError

    def compose(self, character: str) -> None:
        """Writes a character by an input method, by way of others that do not stay."""
        raise NotImplementedError

    def resize(self, width: int, height: int) -> None:
        """Gives the page so many pixels of CSS."""
        raise NotImplementedError

    def picture(self) -> bytes:
        """What the page looks like, as PNG."""
        raise NotImplementedError

    def close(self) -> None:
        """Ends the browser."""
        raise NotImplementedError

    def run(self, function: str, *args: object) -> object:
        """What a function of JavaScript returns of these values, all of them JSON."""
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
        """Presses at the first place and lets go at the last, by way of all; one place is a click."""
        first, *others = ({"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0} for x, y in places)
        down, up = ({"type": name, "button": 0} for name in ("pointerDown", "pointerUp"))
        self.perform("pointer", [first, down, *others, up])
