"""A visitor at a browser: opens pages, finds visible elements, clicks and types, in every engine."""

import json
from urllib.parse import urlsplit

from apps import until
from e2e.desk import DRAWN, OVERFLOW, PAGE_OF, assert_boundaries

from browsers.engine import Engine
from tokenizer import Tokens, get_encoding

ENCODING = "o200k_base"

# Finds a visible element by selector and words, also inside components; prefers an exact match of the words.
FIND = """(selector, words = '') => {
  const found = [], walk = (root) => {
    for (const one of root.querySelectorAll('*')) {
      if (one.matches(selector)) found.push(one);
      if (one.shadowRoot) walk(one.shadowRoot);
    }
  };
  walk(document);
  const textOf = (one) => (one.ariaLabel ?? one.textContent).trim();
  const shows = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const hits = found.filter((one) => textOf(one).includes(words) && shows(one));
  return hits.find((one) => textOf(one) === words) ?? hits[0];
}"""
# Returns the place of its first box once it is in view and stable; a click also needs it to be uncovered.
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
    """A visitor at a browser, and the app at an address."""

    def __init__(self, engine: Engine, address: str):
        self.engine, self.address = engine, address

    # Navigation

    def open(self, path: str = "/") -> None:
        """Opens a page of the app and waits until it is idle."""
        self.engine.go(self.address + path)
        self.wait("document.querySelector('.stage-hint')")
        self.idle()

    def clear_storage(self) -> None:
        """Clears the storage of the app, so that the visitor is new, but has seen the example of a first visit."""
        self.engine.go(f"{self.address}/_stcore/health")  # the app's origin, without scripts
        self.engine.run(
            "() => { sessionStorage.clear(); localStorage.clear(); localStorage['tokenloupe.intro'] = '1'; }"
        )

    def turn_to(self, page: str) -> None:
        """Changes to another page by its link in the bar."""
        self.wait("document.documentElement.dataset.page !== undefined")  # links are tracked from then on
        path = self.evaluate(f"({PAGE_OF})(find(args[0], args[1]))", ".st-key-menu a", page)
        self.click(".st-key-menu a", page)
        self.wait("document.documentElement.dataset.page === args[0]", path)
        self.idle()

    def idle(self) -> None:
        """Waits until no script run is in progress; a saved page has none."""
        self.wait(
            "['notRunning', undefined].includes(document.querySelector('[data-test-script-state]')"
            "?.dataset.testScriptState)"
        )

    # Reading

    def evaluate(self, expression: str, *args: object) -> object:
        """Evaluates an expression, in which `find(selector, words)` finds a visible element."""
        return self.engine.run(f"async (...args) => {{ const find = {FIND}; return ({expression}); }}", *args)

    def wait(self, condition: str, *args: object) -> None:
        """Waits until such an expression is true."""
        until(lambda: self.evaluate(f"!!({condition})", *args))

    def text_of(self, selector: str) -> str:
        """Returns the text of the element that a selector finds."""
        return self.evaluate("find(args[0])?.innerText ?? ''", selector)

    def text(self) -> str:
        """Returns the text in the editor."""
        return self.evaluate("find('textarea').value")

    def expect_text(self, text: str) -> None:
        """Waits until the editor has this text."""
        self.wait("find('textarea').value === args[0]", text)

    def expect_badge(self, words: str) -> None:
        """Waits until the exactness badge has these words; it is hidden until the visitor has typed."""
        self.wait("find('.badge')?.innerText.includes(args[0])", words)

    def expect_exact(self, text: str, encoding: str = ENCODING) -> Tokens:
        """Waits until a text of one screen is drawn; asserts every boundary and every id."""
        tokens = get_encoding(encoding).tokenize(text)
        self.wait(f"{SETTLED}?.tokens === args[0] && {SETTLED}.chars === args[1]", str(len(tokens)), str(units(text)))
        self.wait("find('.ids')?.querySelectorAll('span').length === args[0]", len(tokens))
        drawn = json.loads(self.engine.run(DRAWN))
        assert drawn["text"] == text
        assert drawn["ids"] == tokens.ids
        assert_boundaries(drawn["parts"], tokens)
        return tokens

    def horizontal_overflow(self) -> list[int]:
        """Returns by how many pixels the window and the page scroll sideways."""
        return self.engine.run(OVERFLOW)

    def foreign_requests(self) -> list[str]:
        """Returns what the page loaded from other hosts."""
        names = self.engine.run("() => performance.getEntriesByType('resource').map((one) => one.name)")
        return [name for name in names if urlsplit(name).hostname not in (None, "localhost")]

    # Input

    def place(self, selector: str, words: str = "", is_pressed: bool = True) -> dict[str, float]:
        """Returns the place of a visible element, in pixels of the window."""
        found, script = [], f"await ({PLACE})(find(args[0], args[1]), args[2])"
        until(lambda: found.append(self.evaluate(script, selector, words, is_pressed)) or found[-1])
        return found[-1]

    def click(self, selector: str, words: str = "") -> None:
        """Clicks the element that a selector finds with these words."""
        self.place(selector, words)
        self.idle()  # an element that is replaced during a click gets no event
        place = self.place(selector, words)  # the run may have moved it
        self.engine.drag((place["x"], place["y"]))

    def type(self, text: str) -> None:
        """Types a text, key by key."""
        self.engine.type(text)

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other, each such as "Control+z"."""
        for one in keys:
            self.engine.press(one)

    def empty(self) -> None:
        """Empties the editor."""
        self.click("textarea")
        self.press("Control+a", "Delete")
        self.expect_text("")

    def paste(self, text: str) -> None:
        """Replaces the text in the editor by pasting."""
        self.write_clipboard(text)
        self.click("textarea")
        self.press("Control+a", "Control+v")

    def write_clipboard(self, text: str) -> None:
        """Puts a text on the clipboard, as another program would."""
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

    def downloaded(self, name: str) -> bytes:
        """Waits for a download of this name; returns its content and deletes it."""
        file = self.engine.saved / name
        until(lambda: self.evaluate("true") and file.exists() and file.stat().st_size)
        content = file.read_bytes()
        file.unlink()
        return content


def units(text: str) -> int:
    """Returns the length of a text in UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2
