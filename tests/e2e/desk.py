"""Page objects: a tab with a page of the app, and the playground; only they contain the selectors."""

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
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from waiting import at_rest, awaited, read_clipboard, write_clipboard

from e2e.corpus import units
from e2e.server import Server
from tokenizer import Tokens, get_encoding
from tokenizer.text.samples import samples

PAGES = ["/" if file.stem == "playground" else f"/{file.stem}" for file in sorted(paths.PAGES.glob("*.py"))]
PAGES.remove("/frame")
ABOUT = dict.fromkeys(PAGES, "[class*=st-key-stage]") | {  # the main element of each page
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
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 375, "height": 740}
MAIN_PAGES = ["Playground", "Compare", "Languages", "Train", "Lessons"]  # in the bar; the menu More has the others
IN_DETAILS = {"Spaces", "Bytes", "CSV", "JSON", "HTML", "Notebook", "SVG"}  # buttons of the playground
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
# Records the texts of each count of the editor from now on: { name: [text, …] } in window.counts.
RECORD_COUNTS = """(area) => {
  window.counts = {};
  for (const count of area.getRootNode().querySelectorAll('[data-count]')) {
    const texts = (window.counts[count.dataset.count] = [count.textContent]);
    new MutationObserver(() => {
      if (texts.at(-1) !== count.textContent) texts.push(count.textContent);
    }).observe(count, { childList: true, characterData: true, subtree: true });
  }
}"""
BUSY = "[data-testid=stApp]:not([data-test-script-state=notRunning])"
OVERFLOW = """() => [document.documentElement, document.querySelector('[data-testid=stMain]')]
  .map((one) => one.scrollWidth - one.clientWidth)"""

# The name of the page that a link of the menu opens; Streamlit leaves the address of the first page empty.
PAGE_OF = "(link) => new URL(link.getAttribute('href') || '.', document.baseURI).pathname.split('/').pop()"

# Visible texts smaller than `least` pixels, also inside components, with their sizes.
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
    """Replaces the text of a textarea, as one edit."""
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
        """Opens a page of the app with choices in its address, and waits until it is visible."""
        self.page.goto(f"{self.server.url}{path}{'?' * bool(query)}{urlencode(query)}{fragment}")
        self.page.locator("html[data-drawn]").wait_for(state="attached")

    def turn_to(self, page: str) -> None:
        """Changes to another page by the menu and waits until it is loaded."""
        self.page.locator("html[data-page]").wait_for(state="attached")  # links are tracked from then on
        link = self.link_to(page)
        path = link.evaluate(PAGE_OF)
        link.click()
        self.page.locator(f"html[data-page='{path}']").wait_for(state="attached")

    def follow(self, page: str) -> None:
        """Clicks on the link of a page."""
        self.link_to(page).click()

    def link_to(self, page: str) -> Locator:
        """The link of a page, in the bar or in the menu More, which it opens."""
        link = self.menu.get_by_role("link", name=page, exact=True)
        if page in MAIN_PAGES and self.page.viewport_size["width"] > 960:
            return link
        more = self.button("More")
        if more.get_attribute("aria-expanded") != "true":
            more.click()
        return self.page.get_by_test_id("stPopoverBody").get_by_role("link", name=re.compile(f"^{page}"))

    def share(self, item: str) -> None:
        """Presses an item of the menu Share, which is in the other menu on a phone."""
        if not self.button("Share").is_visible():
            self.button("Language and theme").click()
        self.button("Share").click()
        self.button(item).click()

    def setting(self, name: str) -> Locator:
        """The list of languages or of themes, in the last menu of the bar, which it opens."""
        box = self.page.get_by_role("combobox", name=name)
        if not box.is_visible():
            self.page.locator(".st-key-end_of_bar [popovertarget=settings]").click()
        return box

    def choose_language(self, tag: str) -> None:
        """Chooses a language of the interface and waits until the page has it."""
        self.setting("Language · ภาษา").select_option(tag)
        expect(self.page.locator("html")).to_have_attribute("lang", tag)

    def idle(self) -> None:
        """Waits until no script run is in progress."""
        self.page.locator(BUSY).wait_for(state="detached")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def choose(self, label: str, option: str) -> None:
        """Chooses the first option whose label or encoding starts with `option`."""
        typed, options = option.replace("\\", ""), self.page.get_by_role("listbox").get_by_role("option")
        self.idle()
        self.page.get_by_role("combobox", name=re.compile(label)).click()
        self.page.keyboard.type(typed)  # a long list is virtual
        wanted = re.compile(".*".join(map(re.escape, typed.replace(" ", ""))), re.IGNORECASE)
        expect(options.filter(has_not_text=wanted)).to_have_count(0)  # until then options still move
        options.filter(has_text=re.compile(rf"(^|· ){option}\b")).first.click()

    def open_upload_popover(self) -> None:
        """Opens the popover for own texts and tokenizers."""
        self.page.get_by_test_id("stPopoverButton").filter(has_text="Open", visible=True).click()

    def token(self, k: int) -> Locator:
        """The first element of token k of a text of one chunk."""
        return self.view.locator(f'[data-k="{k}"]').first

    def open_loupe(self, k: int) -> Locator:
        """Opens the loupe on token k and waits until it is loaded."""
        self.token(k).click()
        return self.loaded_loupe()

    def loaded_loupe(self) -> Locator:
        """Waits until the loupe is loaded, and shows the last merge."""
        loupe = self.page.locator(".loupe[data-explained]")
        loupe.wait_for()
        loupe.press("End")
        return loupe

    def wait_for_bar(self) -> None:
        """Waits until the bar handles keys and clicks, a moment after it is visible."""
        self.page.locator(".stage-hint").wait_for(state="attached")

    def enter_stage(self) -> None:
        """Enters the stage by its key, without focus."""
        self.wait_for_bar()
        self.page.evaluate("document.activeElement?.blur()")
        self.page.keyboard.press("p")
        self.wait_for_stage()

    def wait_for_stage(self) -> None:
        """Waits until the stage is in full screen.

        If a page is left earlier, Chromium does not report full screen to the tab's next page.
        """
        self.page.locator("html[data-stage]").wait_for(state="attached")
        self.page.wait_for_function("document.fullscreenElement")

    def copied_link(self) -> str:
        """Copies the link of the page; returns it."""
        self.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.wait_for_bar()
        write_clipboard(self.page, "")
        self.share("Copy link")
        until(lambda: read_clipboard(self.page))
        return read_clipboard(self.page)

    def texts_smaller_than(self, pixels: int) -> dict[str, float]:
        """Returns the sizes of visible texts smaller than `pixels`."""
        return self.page.evaluate(SMALLER, pixels)

    def horizontal_overflow(self) -> list[int]:
        """Returns by how many pixels the window and the page scroll sideways."""
        return self.page.evaluate(OVERFLOW)


class Desk(Tab):
    """The playground, or another page whose text is the desk's."""

    def __init__(self, page: Page, server: Server):
        super().__init__(page, server)
        self.area = page.get_by_label("Text to tokenize")
        self.view = page.locator(".tokens:not(.sheet, .at-size)")
        self.ids = page.locator(".ids")
        self.notice = page.locator("p.notice")
        self.badge = page.locator("p.badge")
        self.live = page.locator(".live")

    # Navigation

    def open(self, path: str = "/", fragment: str = "", **query: str) -> "Desk":
        """Opens a page of the app; waits for the tokens of the playground."""
        self.visit(path, fragment, **query)
        if path == "/":
            self.wait_until_drawn()
        return self

    def reset(self) -> "Desk":
        """Resets the open playground to its first text, with nothing pinned, pressed, focused or scrolled."""
        for pressed in self.page.locator('.desk [aria-pressed="true"]').all():
            pressed.click()
        self.page.locator("details.more").evaluate("(details) => { details.open = false; }")
        self.write("")
        self.write(FIRST)
        self.expect_counts(FIRST)
        self.area.evaluate("""(area) => {
          area.focus();
          area.blur();
          for (const one of [area, document.querySelector('[data-testid=stMain]')]) one.scrollTop = 0;
        }""")
        return self

    def wait_until_drawn(self) -> None:
        """Waits until the tokens of the text are drawn."""
        self.page.locator(".tokens:not(.sheet):not([data-stale])[data-tokens]").wait_for()

    # Input

    def write(self, text: str) -> None:
        """Replaces the text in the editor, as one edit."""
        write(self.area, text)

    def paste(self, text: str) -> None:
        """Pastes over the selection: the event, then the browser's default action unless prevented."""
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
        """Chooses how special tokens are read: "text" or "special"."""
        self.page.get_by_role("radio", name={"text": "as text", "special": "as special tokens"}[mode]).click()

    def press(self, label: str) -> None:
        """Presses a button of the editor."""
        if label in IN_DETAILS:
            self.open_details()
        self.button(label).click()

    def open_details(self) -> None:
        """Opens the playground's further counts, views and downloads."""
        if (closed := self.page.locator("details.more:not([open]) > summary")).count():
            closed.click()

    def try_example(self, name: str) -> None:
        """Presses a button among the playground's examples: the name of a text, or Clear."""
        self.button("Examples").click()
        self.page.locator(".st-key-examples").get_by_role("button", name=name, exact=True).click()

    def select(self, start: int, end: int) -> None:
        """Selects the text from `start` to `end`, in UTF-16 units, in the token view."""
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
        """Copies the selection in the token view; returns the copied text."""
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

    # Reading

    def count(self, name: str) -> Locator:
        """The counter with this name: tokens, characters, bytes, …"""
        return self.page.locator(f'[data-count="{name}"]')

    def text_in_editor(self) -> str:
        return json.loads(self.area.evaluate("(area) => JSON.stringify(area.value)"))

    def drawn(self) -> dict:
        """Returns the drawn `parts` (rows [k, n, text, colours]), their `text`, and the `ids`."""
        return json.loads(self.page.evaluate(DRAWN))

    def state(self) -> dict[str, str]:
        """Returns the view's chars, tokens, encoding and special, and stale during an edit."""
        return self.view.evaluate("(view) => ({ ...view.dataset })")

    def expect_counts(
        self, text: str, encoding: str = DEFAULT, special: str = "text", timeout: float = 10_000
    ) -> Tokens:
        """Waits until the view shows `text` with the right count; returns the tokens."""
        tokens = get_encoding(encoding).tokenize(text, special=special)
        wanted = {
            "chars": str(units(tokens.text)),
            "tokens": str(len(tokens)),
            "encoding": encoding,
            "special": special,
        }
        attrs = "".join(f"[data-{name}={json.dumps(value)}]" for name, value in wanted.items())
        with suppress(TimeoutError):  # a locator, because a page change replaces the view
            self.view.and_(self.page.locator(f"{attrs}:not([data-stale])")).wait_for(state="attached", timeout=timeout)
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
    """Asserts that pieces [first, count, text, …] of each part show the tokens that contain their bytes."""
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
    """Asserts that adjacent tokens differ in colour."""
    colors, previous = [], None
    for index, part in enumerate(parts):
        for k, n, _, own in part:
            for i in range(n):
                if (index, k + i) != previous:
                    colors.append(own[i])
                previous = (index, k + i)
    assert all(a != b for a, b in pairwise(colors)), colors


def fragment(text: str) -> str:
    """Returns the fragment of a link with a text."""
    return "#v=1&t=" + base64.urlsafe_b64encode(zlib.compress(text.encode())).decode().rstrip("=")


def expect_grid(grid: Locator, rows: int, *cells: str) -> None:
    """Waits until a Streamlit table has `rows` rows and these cells in order, and so handles clicks and keys.

    Other rows may be drawn on another canvas; input on the previous or an empty canvas is lost.
    """
    table = grid.locator("canvas table")
    expect(table).to_have_attribute("aria-rowcount", str(rows + 1), timeout=20_000)  # includes the header
    expect(table).to_have_text(re.compile(".*".join(map(re.escape, cells)), re.DOTALL), timeout=20_000)


class HeldMessages:
    """Holds the server's messages to a page, created before it opens, while `is_on`, until they are let go."""

    def __init__(self, page: Page):
        self.is_on, self._held, self._page = False, [], page
        self._num_known = 0  # how many of the held messages the last wait has seen
        page.route_web_socket("**/_stcore/stream", self._pass_on)

    def _pass_on(self, route: WebSocketRoute) -> None:
        route.connect_to_server().on_message(
            lambda message: self._held.append((route, message)) if self.is_on else route.send(message)
        )

    @property
    def waiting(self) -> int:
        """The number of held messages."""
        return len(self._held)

    @property
    def _is_run_over(self) -> bool:
        """Whether a run has ended since the last wait, and none is under way."""
        new = self._held[self._num_known :]
        kinds = [ForwardMsg.FromString(message).WhichOneof("type") for _, message in new]
        return [one for one in kinds if one in ("new_session", "script_finished")][-1:] == ["script_finished"]

    def wait_until_complete(self) -> None:
        """Waits until the messages of another whole run are held and no more arrive."""
        for _ in range(2):  # after the first rest, another run may be under way
            until(lambda: self._page.wait_for_timeout(100) or self._is_run_over)
            at_rest(self._page, lambda: self.waiting)
        self._num_known = self.waiting

    def release(self, most: int | None = None) -> None:
        """Sends the first `most` held messages, or all."""
        first, self._held[:most] = self._held[:most], []
        self._num_known = max(0, self._num_known - len(first))
        for route, message in first:
            route.send(message)

    def stop(self) -> None:
        """Sends all held messages, and holds no more; one that arrives meanwhile is sent after them."""
        while self._held:
            route, message = self._held.pop(0)
            route.send(message)
        self.is_on, self._num_known = False, 0


def drop_first_message(page: Page, words: bytes) -> list[bytes]:
    """Drops a page's first message with these words; call before it opens. Returns the list of dropped ones."""
    lost = []

    def pass_on(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        route.on_message(
            lambda message: lost.append(message) if words in message and not lost else server.send(message)
        )

    page.route_web_socket("**/_stcore/stream", pass_on)
    return lost


class SlowConnection:
    """A connection between a page and its server, created before the page opens, that can be made slow."""

    def __init__(self, page: Page):
        self.is_slow, self.sent, self.late = False, [], []
        page.route_web_socket("**/_stcore/stream", self._pass_on)

    def _pass_on(self, route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        self._send = route.send
        route.on_message(lambda message: (self.sent.append(message), server.send(message)))
        server.on_message(lambda message: self.late.append(message) if self.is_slow else route.send(message))

    def wait_until_sent(self, page: Page, words: bytes) -> None:
        """Waits until the page has sent a message with these words."""
        until(lambda: page.wait_for_timeout(20) or any(words in message for message in self.sent))

    def deliver(self) -> None:
        """Delivers all late messages."""
        self.is_slow = False
        for message in self.late:
            self._send(message)


def leave_full_screen(page: Page) -> None:
    """Leaves full screen, or else Chromium may not report it to the tab's next page."""
    awaited(page, "document.fullscreenElement && document.exitFullscreen()", what="the end of full screen")


def clear_storage(page: Page, server: Server) -> None:
    """Leaves a tab's page and clears its storage."""
    leave_full_screen(page)
    health = f"{server.url}/_stcore/health"  # the app's origin, without scripts
    if page.url != health:
        page.goto(health)
    page.evaluate("sessionStorage.clear(); localStorage.clear()")
    page.context.clear_cookies()


def ignore_errors(page: Page, words: str) -> None:
    """Removes trouble with these words, which the test causes itself."""
    trouble, _ = watch(page)
    trouble[:] = [found for found in trouble if words not in found]


@cache
def watch(page: Page) -> tuple[list[str], list[str]]:
    """Records a page's trouble and its dialogs from the first call on; each call returns the same lists.

    Trouble is console errors, uncaught errors, dialogs, and requests to other hosts. From then on each action waits
    until no script run is in progress, because an element that is replaced during a click gets no event.
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
        # Streamlit first requests these paths below a page's address, then at the root.
        if message.type == "error" and not re.search(r"/\w+/_stcore/(health|host-config)$", url):
            trouble.append(f"console: {message.text} ({url})")

    page.on("console", on_console)
    page.on("pageerror", lambda error: trouble.append(f"uncaught: {error}"))
    page.on("dialog", on_dialog)
    page.on("request", on_request)
    page.add_locator_handler(page.locator(BUSY), lambda: None)
    return trouble, dialogs
