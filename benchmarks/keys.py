"""Measures the time from a key to its colours, compared with a bare textarea in the same browser.

    python benchmarks/keys.py [size ...] [encoding ...]

Presses keys in Chromium, one at a time, at the end of texts of TEXT_SIZES characters, and measures the time until the
first frame after the token view has drawn the new text. Several encodings with commas between them are compared on one
page; then all views must have drawn it. Compare machines by the ratio to the bare textarea. Up to 2,000 characters, a
page that colours words without a server is measured too: it draws in the frame of the key, ours in the next. Then two
phones open the Playground, of which one saves data, so that the server encodes alone: bytes, memory of the tab, a key.
"""

import statistics
import sys
from contextlib import suppress

from _serving import server
from browser import chromium
from playwright.sync_api import Browser, Page, expect
from psutil import NoSuchProcess, Process
from waiting import awaited

from tokenizer.text.samples import samples

TEXT_SIZES = [100, 2_000, 20_000, 200_000, 1_000_000]
NUM_KEYS = 12
MAX_LOCAL_CHARACTERS = 2_000  # of a text for the page that asks no server
BARE = "<textarea style='width:600px;height:270px' aria-label='Text to tokenize'></textarea><pre class=tokens>.</pre>"
# a page that asks no server: it cuts the text at every space, and colours the parts
LOCAL = """() => { const [area, view] = [document.querySelector('textarea'), document.querySelector('pre')];
  area.addEventListener('input', () => {
    view.replaceChildren(...area.value.split(/(?= )/).map((word, i) => {
      const span = document.createElement('span');
      span.style.backgroundColor = ['#dcb9cc', '#fff3b0', '#b9c9ad'][i % 3];
      span.textContent = word;
      return span;
    }));
    view.dataset.chars = area.value.length;
  }); }"""
ECHO = """() => { const [area, view] = [document.querySelector('textarea'), document.querySelector('pre')];
  area.addEventListener('input', () => { view.dataset.chars = area.value.length; }); }"""
WATCH = """() => {
  const find = (selector, root = document) => [...root.querySelectorAll(selector),
    ...[...root.querySelectorAll('*')].flatMap((e) => (e.shadowRoot ? find(selector, e.shadowRoot) : []))];
  const [area] = find("textarea[aria-label^='Text to ']"), views = find('.tokens');
  let pressed = null;
  const isDrawn = () => views.every((view) => Number(view.dataset.chars) === area.value.length);
  window.bench = { area, isDrawn, took: [] };
  area.addEventListener('keydown', () => { pressed = performance.now(); }, true);
  const observer = new MutationObserver(() => {
    if (pressed === null || !isDrawn()) return;
    const since = pressed;
    pressed = null;
    requestAnimationFrame(() => { const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => window.bench.took.push(performance.now() - since); port2.postMessage(0); });
  });
  for (const view of views) observer.observe(view, { subtree: true, childList: true, attributes: true });
}"""
PHONE = {"viewport": {"width": 375, "height": 740}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}
TRANSFERRED = "() => performance.getEntries().reduce((n, one) => n + (one.transferSize ?? 0), 0)"
FILL = """async (text) => {
  const { area, isDrawn } = window.bench, begin = performance.now();
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set.call(area, text);
  area.dispatchEvent(new Event('input', { bubbles: true }));
  while (!isDrawn()) await new Promise((later) => setTimeout(later, 5));
  await new Promise((later) => requestAnimationFrame(() => setTimeout(later, 0)));
  return performance.now() - begin;
}"""


TO_THE_END = """() => {
  const { area } = window.bench;
  area.focus();
  area.setSelectionRange(area.value.length, area.value.length);
  window.bench.took = [];
}"""


def key_median(page: Page, text: str) -> tuple[float, float]:
    """Returns the milliseconds to draw the whole text, and the median from a key to its colours."""
    drawn = awaited(page, FILL, text, what=f"{len(text):,} characters to be drawn", seconds=120)
    page.evaluate(TO_THE_END)
    for i in range(NUM_KEYS):
        page.keyboard.press("a")
        page.wait_for_function(f"bench.took.length > {i}")
    return drawn, statistics.median(page.evaluate("bench.took"))


def sample_of(language: str, size: int) -> str:
    """Returns `size` characters of our sample in a language, repeated as needed."""
    text = next(sample.text for sample in samples() if sample.name == language) + "\n"
    return (text * (size // len(text) + 1))[:size]


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:] if word.isdecimal()] or TEXT_SIZES
    encodings = [word for word in sys.argv[1:] if not word.isdecimal()] or ["o200k_base"]
    with server() as app, chromium() as browser:
        for language in ("English", "Thai"):
            for size in sizes:
                text = sample_of(language, size)
                floor, local = (
                    _bare(browser, text, ECHO),
                    _bare(browser, text, LOCAL) if size <= MAX_LOCAL_CHARACTERS else None,
                )
                for encoding in encodings:
                    page = f"compare?encodings={encoding}" if "," in encoding else f"?encoding={encoding}"
                    drawn, median = _ours(browser, f"{app.url}/{page}", text)
                    print(
                        f"{encoding:12} {language:8} {size:9,} characters: drawn in {drawn / 1000:5.2f} s,"
                        f" a key {median:5.0f} ms, {median / floor:4.1f} x the bare textarea's {floor:3.0f} ms"
                        + (f", {median / local:4.1f} x the {local:3.0f} ms of a page by itself" if local else ""),
                        flush=True,
                    )
        for saves_data in (True, False):
            _print_phone(browser, app.url, saves_data)


def _print_phone(browser: Browser, url: str, saves_data: bool) -> None:
    known = {*_renderers()}
    with browser.new_context(**PHONE, locale="en-US") as context:
        page = context.new_page()
        override = {"dataSaverEnabled": saves_data}
        context.new_cdp_session(page).send("Emulation.setDataSaverOverride", override)
        page.goto(url)
        page.locator(".tokens[data-tokens]").wait_for()
        if not saves_data:
            expect(page.locator("p.badge")).to_contain_text("verified by the server", timeout=60_000)
        page.evaluate(WATCH)
        received = page.evaluate(TRANSFERRED)
        _, key = key_median(page, sample_of("English", 2_000))
        memory = sum(size for pid, size in _renderers().items() if pid not in known)
    way = "saves data, so the server encodes alone" if saves_data else "encodes by itself"
    print(f"a phone that {way}: {received / 1e6:.2f} MB by HTTP, {memory:.0f} MB of memory, a key {key:.0f} ms")


def _renderers() -> dict[int, float]:
    """Returns the megabytes of each tab's process, by its id; what several share is counted once."""
    found = {}
    for one in Process().children(recursive=True):
        with suppress(NoSuchProcess):  # it has ended
            if "--type=renderer" in one.cmdline():
                found[one.pid] = one.memory_full_info().pss / 2**20
    return found


def _bare(browser: Browser, text: str, script: str) -> float:
    with browser.new_page() as page:
        page.set_content(BARE)
        page.evaluate(script)
        page.evaluate(WATCH)
        return key_median(page, text)[1]


def _ours(browser: Browser, url: str, text: str) -> tuple[float, float]:
    with browser.new_page() as page:
        page.goto(url)
        page.locator(".tokens[data-tokens]").nth(url.count(",")).wait_for()
        page.evaluate(WATCH)
        return key_median(page, text)


if __name__ == "__main__":
    main()
