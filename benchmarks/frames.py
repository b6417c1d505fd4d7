"""Measures frames in Chromium: of a vocabulary's map that is panned, zoomed and flown over, and of the slider.

    python benchmarks/frames.py [encoding ...]

For each motion: the milliseconds between frames, and those that a frame's own script takes, as median, 95th percentile
and longest. The slider moves from bytes alone to all merges, over 5,000 characters of English and of Thai. Chromium
without a graphics card draws them, so other machines are faster.
"""

import statistics
import sys

from _serving import server
from browser import chromium
from playwright.sync_api import Page
from waiting import awaited

from tokenizer.languages.parallel import parallel_corpus

ENCODINGS = ["gpt2", "o200k_base"]
SIZES = {"desktop": ({"width": 1280, "height": 800}, 1), "phone": ({"width": 375, "height": 740}, 2)}
LIMIT_MS = 1000 / 60
RECORD = """async (motion) => {
  const find = (selector, root = document) => root.querySelector(selector)
    ?? [...root.querySelectorAll('*')].map((one) => one.shadowRoot && find(selector, one.shadowRoot)).find(Boolean);
  const box = find(motion === 'slider' ? '.at-size' : '.picture'), times = [], scripts = [];
  const { x, y, width, height } = box.getBoundingClientRect(), range = find('.over-curve');
  const send = (name, left, top, more) => box.dispatchEvent(new (name === 'wheel' ? WheelEvent : PointerEvent)(name, {
    clientX: x + left, clientY: y + top, pointerId: 1, pointerType: 'mouse', bubbles: true, cancelable: true, ...more,
  }));
  box.setPointerCapture = () => {};
  const motions = {
    zoom: (n) => send('wheel', width / 3, height / 3, { deltaY: n % 120 < 60 ? -12 : 12, ctrlKey: true }),
    pan: (n) => send('pointermove', width / 2 + 150 * Math.sin(n / 9), height / 2 + 90 * Math.cos(n / 7)),
    hover: (n) => send('pointermove', width / 2 + 150 * Math.sin(n / 9), height / 2 + 90 * Math.cos(n / 7)),
    flight: (n) => {
      if (n % 90) return;
      const field = find('[name="find"]');
      field.value = String(100 + 397 * n);
      field.form.requestSubmit();
    },
    slider: (n) => {
      range.value = Number(range.min) + (n / 299) * (range.max - range.min);
      range.dispatchEvent(new Event('input', { bubbles: true }));
      box.getBoundingClientRect();
    },
  };
  if (motion === 'pan') send('pointerdown', width / 2, height / 2, { button: 0 });
  const request = window.requestAnimationFrame;
  const timed = (draw) => (...values) => {
    const begin = performance.now();
    draw(...values);
    scripts.push(performance.now() - begin);
  };
  window.requestAnimationFrame = (draw) => request(timed(draw));
  const move = motion === 'slider' ? timed(motions.slider) : motions[motion];
  for (let n = 0; n < 300; n++) {
    move(n);
    times.push(await new Promise((done) => request(done)));
  }
  window.requestAnimationFrame = request;
  if (motion === 'pan') send('pointerup', width / 2, height / 2);
  return [times.slice(1).map((time, i) => time - times[i]), scripts];
}"""


def summary(times: list[float]) -> str:
    """Returns median, 95th percentile and maximum.

    >>> summary([1.0] * 99 + [5.0])
    '  1.0   1.0   5.0'
    """
    return f"{statistics.median(times):5.1f} {statistics.quantiles(times, n=20)[-1]:5.1f} {max(times):5.1f}"


def measured(page: Page, name: str, size: str, *motions: str) -> None:
    """Prints a line for each motion."""
    for motion in motions:
        between, scripts = awaited(page, RECORD, motion, what=motion, seconds=120)
        print(f"{name:12} {size:8} {motion:8} {summary(between)}   {summary(scripts)}", flush=True)


def map_of(page: Page, name: str, address: str, size: str) -> None:
    """Measures the map of a vocabulary."""
    page.goto(f"{address}/vocabulary?encoding={name}&picture=map")
    page.locator(".map[data-square]").wait_for()
    page.locator(".vocabulary[data-total]").wait_for()
    page.locator(".group[data-group=suspicious] .all").wait_for()  # until the rest of the page is drawn
    measured(page, name, size, "hover", "zoom", "pan", "flight")


def slider_of(page: Page, name: str, address: str, size: str) -> None:
    """Measures the slider on the Playground, over a text of each language."""
    for language in ("en", "th"):
        page.goto(f"{address}/?encoding={name}&merges=1000")
        page.locator(".size-head").wait_for()
        text = "\n".join(parallel_corpus()[language])[:5_000]
        page.get_by_role("textbox", name="Text to tokenize").fill(text)
        page.locator(f'.tokens[data-chars="{len(text)}"]').wait_for()
        measured(page, f"{name}, {language}", size, "slider")


if __name__ == "__main__":
    with server() as app, chromium() as browser:
        print(f"{'':30} between frames      script (limit {LIMIT_MS:.1f} ms)")
        print(f"{'':30} {'  p50   p95   max  ' * 2}")
        for size, (viewport, scale) in SIZES.items():
            page = browser.new_page(viewport=viewport, device_scale_factor=scale, locale="en-US")
            for name in sys.argv[1:] or ENCODINGS:
                map_of(page, name, app.url, size)
                slider_of(page, name, app.url, size)
            page.close()
