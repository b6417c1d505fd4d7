"""A reader at a browser: opens pages, finds what shows, presses, types and looks; the same in every engine."""

import json
from urllib.parse import urlsplit

from apps import until
from e2e.desk import BEYOND, DRAWN, assert_boundaries

from browsers.engine import Engine
from tokenizer import Tokens, get_encoding

ENCODING = "o200k_base"

# What a selector finds that shows and says some words, also within components; first of all what says nothing more.
FIND = """(selector, words = '') => {
  const found = [], walk = (root) => {
    for (const one of root.querySelectorAll('*')) {
      if (one.matches(selector)) found.push(one);
      if (one.shadowRoot) walk(one.shadowRoot);
    }
  };
  walk(document);
  const says = (one) => (one.ariaLabel ?? one.textContent).trim();
  const shows = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const hits = found.filter((one) => says(one).includes(words) && shows(one));
  return hits.find((one) => says(one) === words) ?? hits[0];
}"""
# Where its first box is, once it is in view and nothing moves it; what is pressed must have nothing over it.
PLACE = """async (one, isPressed) => {
  one?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
  const before = one?.getClientRects()[0];
  await new Promise((then) => setTimeout(then, 50));
  const { left, right, top, bottom } = one?.getClientRects()[0] ?? {};
  if (!before || before.left !== left || before.top !== top) return null;
  const x = (left + right) / 2, y = (top + bottom) / 2;
  let hit = document.elementFromPoint(x, y);
  for (let inner; (inner = hit?.shadowRoot?.elementFromPoint(x, y)) && inner !== hit;) hit = inner;
  while (isPressed && hit && hit !== one) hit = hit.parentNode ?? hit.host;
  return hit && { x, y, left, right };
}"""
SETTLED = "find('.tokens:not(.sheet):not([data-stale])')?.dataset"


class Reader:
    """Somebody at a browser, and the app at an address."""

    def __init__(self, engine: Engine, address: str):
        self.engine, self.address = engine, address

    # Going there

    def open(self, path: str = "/") -> None:
        """Opens a page of the app, and waits until it is done."""
        self.engine.go(self.address + path)
        self.wait("window.tokenloupeStage")
        self.idle()

    def forget(self) -> None:
        """Becomes somebody who has never been here."""
        self.engine.go(f"{self.address}/_stcore/health")  # of the app's origin, and without a script
        self.engine.run("() => { sessionStorage.clear(); localStorage.clear(); }")

    def turn_to(self, page: str) -> None:
        """Turns to another page by the menu."""
        self.click(".st-key-menu a", page)
        self.wait("window.tokenloupeHeading.isThere")
        self.idle()

    def idle(self) -> None:
        """Waits until no run of the script is under way."""
        self.wait("document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'")

    # Looking

    def ask(self, expression: str, *args: object) -> object:
        """What an expression comes to, in which `find(selector, words)` finds what shows."""
        return self.engine.run(f"async (...args) => {{ const find = {FIND}; return ({expression}); }}", *args)

    def wait(self, condition: str, *args: object) -> None:
        """Waits until such an expression is true."""
        until(lambda: self.ask(f"!!({condition})", *args))

    def says(self, selector: str) -> str:
        """The words of what a selector finds."""
        return self.ask("find(args[0])?.innerText ?? ''", selector)

    def text(self) -> str:
        """What stands in the text to tokenize."""
        return self.ask("find('textarea').value")

    def expect_text(self, text: str) -> None:
        """Waits until just this stands there."""
        self.wait("find('textarea').value === args[0]", text)

    def expect_exact(self, text: str) -> Tokens:
        """Waits until a text of one screen is shown; asserts every boundary and every id."""
        tokens = get_encoding(ENCODING).tokenize(text)
        self.wait(f"{SETTLED}?.tokens === args[0] && {SETTLED}.chars === args[1]", str(len(tokens)), str(units(text)))
        self.wait("find('.ids')?.querySelectorAll('span').length === args[0]", len(tokens))
        drawn = json.loads(self.engine.run(DRAWN))
        assert drawn["text"] == text
        assert drawn["ids"] == tokens.ids
        assert_boundaries(drawn["parts"], tokens)
        return tokens

    def beyond(self) -> list[int]:
        """By how many pixels the window and the page scroll sideways."""
        return self.engine.run(BEYOND)

    def elsewhere(self) -> list[str]:
        """What the page fetched that is not on this machine."""
        names = self.engine.run("() => performance.getEntriesByType('resource').map((one) => one.name)")
        return [name for name in names if urlsplit(name).hostname not in (None, "localhost")]

    # Using it

    def place(self, selector: str, words: str = "", is_pressed: bool = True) -> dict[str, float]:
        """Where something is that shows, in pixels of the window."""
        found, asked = [], f"await ({PLACE})(find(args[0], args[1]), args[2])"
        until(lambda: found.append(self.ask(asked, selector, words, is_pressed)) or found[-1])
        return found[-1]

    def click(self, selector: str, words: str = "") -> None:
        """Presses what a selector finds that says these words."""
        self.place(selector, words)
        self.idle()  # what is replaced while it is pressed hears nothing
        place = self.place(selector, words)  # a run that has ended since may have moved it
        self.engine.drag((place["x"], place["y"]))

    def type(self, text: str) -> None:
        """Types a text, key by key."""
        self.engine.type(text)

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other, each such as "Control+z"."""
        for one in keys:
            self.engine.press(one)

    def empty(self) -> None:
        """Takes away what stands in the text."""
        self.click("textarea")
        self.press("Control+a", "Delete")
        self.expect_text("")

    def paste(self, text: str) -> None:
        """Puts a text in the place of what stands there."""
        self.put_on_clipboard(text)
        self.click("textarea")
        self.press("Control+a", "Control+v")

    def choose(self, selector: str, value: str) -> None:
        """Chooses from a list, which opens in a window of the system: what the page then hears."""
        self.ask(
            "Object.assign(find(args[0]), { value: args[1] }).dispatchEvent(new Event('change', { bubbles: true }))",
            selector,
            value,
        )

    def put_on_clipboard(self, text: str) -> None:
        """Copies a text, as another program would."""
        self.engine.run(
            """(text) => {
              const one = document.createElement('button');
              one.style = 'position: fixed; inset: 0 auto auto 0; z-index: 9999999; width: 3rem; height: 3rem';
              one.className = 'copier';
              one.onclick = async () => { await navigator.clipboard.writeText(text); one.remove(); };
              document.body.append(one);
            }""",
            text,
        )
        self.click(".copier")
        self.wait("!find('.copier')")

    def saves(self, name: str) -> bytes:
        """Waits for a file of this name; gives what is in it."""
        file = self.engine.saved / name
        until(lambda: self.ask("true") and file.exists() and file.stat().st_size)
        content = file.read_bytes()
        file.unlink()
        return content


def units(text: str) -> int:
    """The length of a text in UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2
