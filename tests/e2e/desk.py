"""The page as a reader uses it: write, choose, look. Tests talk to this; only it knows where things are."""

import base64
import json
import re
import zlib
from contextlib import suppress
from functools import cache
from itertools import pairwise
from urllib.parse import urlencode, urlsplit

import paths
from apps import until
from playwright.sync_api import Locator, Page, TimeoutError, WebSocketRoute, expect
from waiting import at_rest, awaited, read_clipboard, write_clipboard

from e2e.corpus import units
from e2e.server import Server
from tokenizer import Tokens, get_encoding
from tokenizer.text.samples import samples

PAGES = ["/" if file.stem == "playground" else f"/{file.stem}" for file in sorted(paths.PAGES.glob("*.py"))]
PAGES.remove("/frame")
ABOUT = dict.fromkeys(PAGES, "[class*=st-key-stage]") | {  # of each page what it is about
    "/": ".tokens",
    "/compare": ".column .tokens",
    "/decode": ".strip .tokens",
    "/chat": ".strip .tokens",
    "/why": ".scene",
    "/train": ".timeline .tokens",
    "/hood": ".graphemes",
    "/languages": ".finding",
}
DEFAULT = "o200k_base"
PHONE = {"width": 375, "height": 740}
FIRST = samples()[0].text

DRAWN = """() => {
  const host = Array.from(document.querySelectorAll('*')).find((one) => one.shadowRoot?.querySelector('.tokens'));
  const root = host.shadowRoot;
  return JSON.stringify({
    parts: Array.from(root.querySelectorAll('.tokens .part'), (part) => Array.from(part.children, (one) =>
      [Number(one.dataset.k), Number(one.dataset.n ?? 1), one.textContent, one.dataset.colors.split(' ').map(Number)])),
    text: Array.from(root.querySelectorAll('.tokens .part'), (part) => part.textContent).join(''),
    ids: Array.from(root.querySelectorAll('.ids span'), (one) => Number(one.textContent)),
  });
}"""
BUSY = "[data-testid=stApp]:not([data-test-script-state=notRunning])"
BEYOND = """() => [document.documentElement, document.querySelector('[data-testid=stMain]')]
  .map((one) => one.scrollWidth - one.clientWidth)"""

# Of every text that shows and is smaller than so many pixels, also within components: what it is, and how large.
SMALLER = """(least) => {
  const found = {}, walk = (root) => {
    for (const one of root.querySelectorAll('*')) {
      if (one.shadowRoot) walk(one.shadowRoot);
      const own = Array.from(one.childNodes).filter((node) => node.nodeType === 3 && node.data.trim());
      const shows = one.checkVisibility({ opacityProperty: true, visibilityProperty: true });
      if (!own.length || !shows || one.clientWidth === 1 || one.closest('style, script, .live')) continue;
      const size = parseFloat(getComputedStyle(one).fontSize) * (one.currentCSSZoom ?? 1);
      const name = one.getAttribute('class') ?? '';
      if (size && size < least) found[`${one.tagName}.${name} ${own[0].data.trim().slice(0, 30)}`] = size;
    }
  };
  walk(document);
  return found;
}"""


def write(area: Locator, text: str) -> None:
    """Replaces what stands in a textarea, as one edit."""
    script = """(area, json) => {
      area.value = JSON.parse(json);
      area.dispatchEvent(new Event('input', { bubbles: true }));
    }"""
    area.evaluate(script, json.dumps(text))


class Tab:
    """A browser tab with a page of the app."""

    def __init__(self, page: Page, server: Server):
        self.page, self.server = page, server
        self.alert = page.get_by_role("alert")
        self.menu = page.locator(".st-key-menu")
        self.loupe = page.locator(".loupe")
        self.trouble, self.dialogs = watch(page)

    def visit(self, path: str, fragment: str = "", **query: str) -> None:
        """Opens a page of the app with these choices in its address."""
        self.page.goto(f"{self.server.url}{path}{'?' * bool(query)}{urlencode(query)}{fragment}")

    def turn_to(self, page: str) -> None:
        """Turns to another page by the menu, and waits until it has come."""
        self.page.wait_for_function("window.tokenloupeHeading")  # from then on the tab knows where a link leads
        self.follow(page)
        self.page.wait_for_function("window.tokenloupeHeading.isThere")

    def follow(self, page: str) -> None:
        """Clicks on a link of the menu."""
        self.menu.get_by_role("link", name=page).click()

    def idle(self) -> None:
        """Waits until no run of the script is under way."""
        self.page.locator(BUSY).wait_for(state="detached")

    def button(self, name: str) -> Locator:
        """A button of the page."""
        return self.page.get_by_role("button", name=name, exact=True)

    def choose(self, label: str, option: str) -> None:
        """Takes the first option of a list that begins so, or whose encoding does."""
        typed, options = option.replace("\\", ""), self.page.get_by_role("listbox").get_by_role("option")
        self.idle()
        self.page.get_by_role("combobox", name=re.compile(label)).click()
        self.page.keyboard.type(typed)  # a long list shows only a part of itself
        wanted = re.compile(".*".join(map(re.escape, typed)), re.IGNORECASE)
        expect(options.filter(has_not_text=wanted)).to_have_count(0)  # before, none stays in its place
        options.filter(has_text=re.compile(rf"(^|· ){option}\b")).first.click()

    def open_what_is_brought(self) -> None:
        """Opens what takes a text or a tokenizer of one's own."""
        self.page.get_by_test_id("stPopoverButton").filter(has_text="Open", visible=True).click()

    def token(self, k: int) -> Locator:
        """The first element that shows token k of a text of one chunk."""
        return self.view.locator(f'[data-k="{k}"]').first

    def look(self, k: int) -> Locator:
        """Takes token k under the loupe, and waits until it has been told of."""
        self.token(k).click()
        return self.told()

    def told(self) -> Locator:
        """Waits until the loupe knows all of its token, and shows its last merge."""
        told = self.page.locator(".loupe[data-told]")
        told.wait_for()
        told.press("End")
        return told

    def awake(self) -> None:
        """Waits until the bar hears keys and presses; it shows a moment before."""
        self.page.wait_for_function("window.tokenloupeStage")

    def enter_stage(self) -> None:
        """Enters the stage by its key, with the keyboard nowhere."""
        self.awake()
        self.page.evaluate("document.activeElement?.blur()")
        self.page.keyboard.press("p")
        self.on_stage()

    def on_stage(self) -> None:
        """Waits until the stage fills the screen.

        Where a page is left before, Chromium never tells the next page of the tab whether its screen is full.
        """
        self.page.locator("html[data-stage]").wait_for(state="attached")
        self.page.wait_for_function("document.fullscreenElement")

    def copied_link(self) -> str:
        """The link that the bar puts on the clipboard."""
        self.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.awake()
        write_clipboard(self.page, "")
        self.button("Copy link").click()
        until(lambda: read_clipboard(self.page))
        return read_clipboard(self.page)

    def smaller_than(self, pixels: int) -> dict[str, float]:
        """The sizes of all texts that show and are smaller."""
        return self.page.evaluate(SMALLER, pixels)

    def beyond(self) -> list[int]:
        """By how many pixels the window and the page scroll sideways."""
        return self.page.evaluate(BEYOND)


class Desk(Tab):
    """The playground, or another page whose text is the desk's."""

    def __init__(self, page: Page, server: Server):
        super().__init__(page, server)
        self.area = page.get_by_label("Text to tokenize")
        self.view = page.locator(".tokens:not(.sheet)")
        self.ids = page.locator(".ids")
        self.notice = page.locator("p.notice")
        self.badge = page.locator("p.badge")
        self.live = page.locator(".live")

    # Going there

    def open(self, path: str = "/", fragment: str = "", **query: str) -> "Desk":
        """Opens a page of the app; the playground is there when its tokens are."""
        self.visit(path, fragment, **query)
        if path == "/":
            self.settled()
        return self

    def renewed(self) -> "Desk":
        """Brings the open playground back to its first text, with nothing pinned, pressed, focused or scrolled."""
        for pressed in self.page.locator('.desk [aria-pressed="true"]').all():
            pressed.click()
        self.write("")
        self.write(FIRST)
        self.expect_counts(FIRST)
        self.area.evaluate("""(area) => {
          area.focus();
          area.blur();
          for (const one of [area, document.querySelector('[data-testid=stMain]')]) one.scrollTop = 0;
        }""")
        return self

    def settled(self) -> None:
        """Waits until the colours of the text are in the document."""
        self.page.locator(".tokens:not(.sheet):not([data-stale])[data-tokens]").wait_for()

    # Using it

    def write(self, text: str) -> None:
        """Replaces what stands in the textarea, as one edit."""
        write(self.area, text)

    def paste(self, text: str) -> None:
        """Pastes over what is selected: the event with its data, then what the browser does unless prevented."""
        self.area.evaluate(
            """(area, json) => {
              const text = JSON.parse(json), clipboardData = new DataTransfer();
              clipboardData.setData('text/plain', text);
              const how = { clipboardData, bubbles: true, cancelable: true, composed: true };
              if (!area.dispatchEvent(new ClipboardEvent('paste', how))) return;
              area.setRangeText(text.replace(/\\r\\n?/g, '\\n'), area.selectionStart, area.selectionEnd, 'end');
              area.dispatchEvent(new Event('input', { bubbles: true }));
            }""",
            json.dumps(text),
        )

    def read_special(self, mode: str) -> None:
        """Chooses how the names of special tokens are read: "text" or "special"."""
        self.page.get_by_role("radio", name={"text": "as text", "special": "as special tokens"}[mode]).click()

    def press(self, label: str) -> None:
        """Presses a button of the editor."""
        self.button(label).click()

    def select(self, start: int, end: int) -> None:
        """Marks the shown text from `start` to `end`, in UTF-16 units, in the token view."""
        self.view.evaluate(
            """(view, [start, end]) => {
              const range = document.createRange(), walker = document.createTreeWalker(view, NodeFilter.SHOW_TEXT);
              let at = 0;
              for (let node; (node = walker.nextNode()); at += node.length) {
                if (at <= start && start < at + node.length) range.setStart(node, start - at);
                if (at < end && end <= at + node.length) range.setEnd(node, end - at);
              }
              const selection = getSelection();
              selection.setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset);
            }""",
            [start, end],
        )

    def copied(self) -> str:
        """What a copy of the selection in the token view puts on the clipboard."""
        return json.loads(
            self.view.evaluate(
                """(view) => {
                  const clipboardData = new DataTransfer();
                  const how = { clipboardData, bubbles: true, cancelable: true, composed: true };
                  view.dispatchEvent(new ClipboardEvent('copy', how));
                  return JSON.stringify(clipboardData.getData('text/plain'));
                }"""
            )
        )

    # Looking at it

    def count(self, name: str) -> Locator:
        """A counter, by its name: tokens, characters, bytes, …"""
        return self.page.locator(f'[data-count="{name}"]')

    def raw(self) -> str:
        """What stands in the textarea."""
        return json.loads(self.area.evaluate("(area) => JSON.stringify(area.value)"))

    def drawn(self) -> dict:
        """What the views hold: `parts` (rows [k, n, text, colours]), their `text`, and the `ids`."""
        return json.loads(self.page.evaluate(DRAWN))

    def state(self) -> dict[str, str]:
        """What the view says of itself: chars, tokens, encoding, special; stale where an edit is under way."""
        return self.view.evaluate("(view) => ({ ...view.dataset })")

    def expect_counts(
        self, text: str, encoding: str = DEFAULT, special: str = "text", timeout: float = 10_000
    ) -> Tokens:
        """Waits until the view says that it shows `text`, with the right count; returns the right tokens."""
        tokens = get_encoding(encoding).tokenize(text, special=special)
        wanted = {
            "chars": str(units(tokens.text)),
            "tokens": str(len(tokens)),
            "encoding": encoding,
            "special": special,
        }
        said = "".join(f"[data-{name}={json.dumps(value)}]" for name, value in wanted.items())
        with suppress(TimeoutError):  # a locator: a page that turns puts another view in its place
            self.view.and_(self.page.locator(f"{said}:not([data-stale])")).wait_for(state="attached", timeout=timeout)
        assert self.state() == wanted
        return tokens

    def expect_exact(self, text: str, encoding: str = DEFAULT, special: str = "text") -> Tokens:
        """Waits until the view shows `text`; asserts every boundary and every id. For texts of about one screen."""
        tokens = self.expect_counts(text, encoding, special)
        expect(self.ids.locator("span")).to_have_count(len(tokens))
        drawn = self.drawn()
        assert drawn["text"] == tokens.text
        assert drawn["ids"] == tokens.ids
        assert_boundaries(drawn["parts"], tokens)
        return tokens


def assert_boundaries(parts: list[list], tokens) -> None:
    """Asserts that pieces [first, count, text, …], part by part, show the tokens whose bytes they hold."""
    at = first = 0
    for part in parts:
        bases = set()
        for k, n, text, *_ in part:
            end = at + len(text.encode())
            while tokens.ends[first] <= at:
                first += 1
            last = first
            while tokens.ends[last] < end:
                last += 1
            own = tokens.text.encode()[at:end]
            assert last - first + 1 == n, f"{own!r} holds bytes of {last - first + 1} tokens and is drawn as {n}"
            bases.add(first - k)
            at, first = end, last
        assert len(bases) <= 1, f"tokens of one part are numbered from several places: {bases}"
    assert at == len(tokens.text.encode())


def assert_neighbours_differ(parts: list[list]) -> None:
    """Asserts that no two tokens side by side have one colour."""
    colors, previous = [], None
    for index, part in enumerate(parts):
        for k, n, _, own in part:
            for i in range(n):
                if (index, k + i) != previous:
                    colors.append(own[i])
                previous = (index, k + i)
    assert all(a != b for a, b in pairwise(colors)), colors


def fragment(text: str) -> str:
    """The part of a link that brings a text."""
    return "#v=1&t=" + base64.urlsafe_b64encode(zlib.compress(text.encode())).decode().rstrip("=")


def expect_grid(grid: Locator, rows: int, *cells: str) -> None:
    """Waits until a table of Streamlit's has so many rows, these cells in this order, and so takes clicks and keys.

    A table of other rows may be another canvas; what is pressed on the one before, or on one without rows, is lost.
    """
    table = grid.locator("canvas table")
    expect(table).to_have_attribute("aria-rowcount", str(rows + 1), timeout=20_000)  # with its head
    expect(table).to_have_text(re.compile(".*".join(map(re.escape, cells)), re.DOTALL), timeout=20_000)


class Held:
    """What the server says to a page that is not open yet; while `is_on`, it waits until it is let go."""

    def __init__(self, page: Page):
        self.is_on, self._late, self._page = False, [], page
        page.route_web_socket("**/_stcore/stream", self._pass_on)

    def _pass_on(self, route: WebSocketRoute) -> None:
        route.connect_to_server().on_message(
            lambda said: self._late.append((route, said)) if self.is_on else route.send(said)
        )

    @property
    def waiting(self) -> int:
        """How many messages wait."""
        return len(self._late)

    def rest(self) -> None:
        """Waits until something waits, and no more comes."""
        until(lambda: self._page.wait_for_timeout(100) or self.waiting)
        at_rest(self._page, lambda: self.waiting)

    def let_go(self, most: int | None = None) -> None:
        """Sends the first so many of what waits, or all."""
        first, self._late[:most] = self._late[:most], []
        for route, said in first:
            route.send(said)


def swallow(page: Page, words: bytes) -> list[bytes]:
    """Loses the first message with these words of a page that is not open yet; returns what was lost so far."""
    lost = []

    def pass_on(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        route.on_message(lambda said: lost.append(said) if words in said and not lost else server.send(said))

    page.route_web_socket("**/_stcore/stream", pass_on)
    return lost


class SlowLine:
    """Between a page that is not open yet and its server: what the server says can be kept from it for a while."""

    def __init__(self, page: Page):
        self.is_slow, self.told, self.late = False, [], []
        page.route_web_socket("**/_stcore/stream", self._pass_on)

    def _pass_on(self, route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        self._send = route.send
        route.on_message(lambda said: (self.told.append(said), server.send(said)))
        server.on_message(lambda said: self.late.append(said) if self.is_slow else route.send(said))

    def has_told(self, page: Page, words: bytes) -> None:
        """Waits until the page has told the server something with these words."""
        until(lambda: page.wait_for_timeout(20) or any(words in said for said in self.told))

    def arrive(self) -> None:
        """Lets all come that is late."""
        self.is_slow = False
        for said in self.late:
            self._send(said)


def leave_full_screen(page: Page) -> None:
    """Leaves it where a page fills the screen: else Chromium may never tell the next page of the tab that it does."""
    awaited(page, "document.fullscreenElement && document.exitFullscreen()", what="the full screen to be left")


def empty(page: Page, server: Server) -> None:
    """Leaves what a tab shows, and forgets what it keeps."""
    leave_full_screen(page)
    health = f"{server.url}/_stcore/health"  # of the app's origin, and without a script
    if page.url != health:
        page.goto(health)
    page.evaluate("sessionStorage.clear(); localStorage.clear()")
    page.context.clear_cookies()


def forgive(page: Page, words: str) -> None:
    """Takes out of a page's trouble what the test has made: it says these words."""
    trouble, _ = watch(page)
    trouble[:] = [found for found in trouble if words not in found]


@cache
def watch(page: Page) -> tuple[list[str], list[str]]:
    """Notes what a page without faults never says, and its dialogs, from the first call on; each call gives the same.

    Trouble is console errors, uncaught errors, dialogs, and requests that leave the machine. From then on each press
    and each look waits until no run of the script is under way: what is replaced while it is pressed hears nothing.
    """
    trouble, dialogs = [], []

    def on_dialog(dialog) -> None:
        dialogs.append(dialog.message)
        trouble.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def on_request(request) -> None:
        if urlsplit(request.url).hostname not in (None, "localhost"):
            trouble.append(f"leaves the machine: {request.url}")

    def on_console(message) -> None:
        url = message.location["url"]
        # Streamlit looks for itself below a page's address before it looks at the root.
        if message.type == "error" and not re.search(r"/\w+/_stcore/(health|host-config)$", url):
            trouble.append(f"console: {message.text} ({url})")

    page.on("console", on_console)
    page.on("pageerror", lambda error: trouble.append(f"uncaught: {error}"))
    page.on("dialog", on_dialog)
    page.on("request", on_request)
    page.add_locator_handler(page.locator(BUSY), lambda: None)
    return trouble, dialogs
