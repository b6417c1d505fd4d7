"""Takes the README's animation of the running app: a text is typed, the loupe opens, the years change.

    python scripts/animation.py http://localhost:8501

Each picture is taken when the page is at rest, and motions of tokens are moved on by hand, so that the animation does
not depend on the speed of the machine.
"""

import io
import sys

from PIL import Image
from playwright.sync_api import Browser, Page, expect
from screenshot import ROOT, chromium

OUT = ROOT / "docs" / "playground.webp"
SIZE = {"width": 1104, "height": 621}
SCALE = 960 / SIZE["width"]  # of the animation
TEXT = "Tokens cost more in Thai: ภาษาไทยแพงกว่า"
EXPLAINED = " cost"  # the token that the loupe explains
KEY_MS, MOVE_MS = 60, 45  # that a picture stays while somebody types, and while tokens move
MERGE_MS = 450  # that a merge in the loupe stays
MOTION_MS = 450  # of web/js/tokens/token-motion.js
BEGIN_MS, TYPED_MS, LOUPE_MS, YEAR_MS = 300, 500, 500, 700  # that a state stays

# Motions that begin while `window.held` is a list are paused at their beginning.
HOLD = """(() => {
  const { animate } = Element.prototype;
  Element.prototype.animate = function (...given) {
    const motion = animate.apply(this, given);
    if (window.held) { motion.pause(); window.held.push(motion); }
    return motion;
  };
  localStorage['tokenloupe.intro'] = '1'; // the example of a first visit
})()"""
MOVE = "(ms) => { for (const one of window.held) one.currentTime = ms; }"
END = "() => { for (const one of window.held) one.finish(); window.held = null; }"


class FrameRecorder:
    """The pictures of a page, each with its time."""

    def __init__(self, page: Page):
        self.page, self.pictures, self.times = page, [], []

    def take(self, ms: int) -> None:
        """Adds a picture that stays so long; one that is the same as the last lets that one stay longer."""
        picture = Image.open(io.BytesIO(self.page.screenshot(caret="initial"))).convert("RGB")
        if self.pictures and self.pictures[-1] == picture:
            self.times[-1] += ms
        else:
            self.pictures.append(picture)
            self.times.append(ms)

    def settle(self, ms: int) -> None:
        """Adds a picture of the page at rest."""
        self.page.wait_for_timeout(1500)  # the counts of graphemes and words, and the server's answer
        self.take(ms)

    def save(self) -> None:
        first, *others = self.pictures
        first.save(OUT, save_all=True, append_images=others, duration=self.times, loop=0, lossless=True, method=4)


def opened(browser: Browser, url: str) -> Page:
    """Returns a new light page of the Playground, in English and without a text."""
    page = browser.new_page(viewport=SIZE, device_scale_factor=SCALE, color_scheme="light", locale="en-US")
    page.add_init_script(HOLD)
    page.goto(url)
    page.locator(".tokens[data-tokens]").wait_for()
    return page


def show_merges(film: FrameRecorder) -> None:
    """Shows the merges in the loupe from the first on, once it has played them."""
    buttons = film.page.locator(".loupe .steps button")
    back, on = buttons.first, buttons.last
    expect(on).to_be_disabled()
    while back.is_enabled():
        back.click()
    film.page.mouse.move(0, 0)
    film.take(MERGE_MS)
    while on.is_enabled():
        on.click()
        film.page.mouse.move(0, 0)
        film.page.wait_for_timeout(300)
        film.take(MERGE_MS)


def choose_year(film: FrameRecorder, year: int) -> None:
    """Moves the slider of the years, and shows how the tokens move."""
    page = film.page
    page.evaluate("() => { window.held = []; }")
    page.locator(".st-key-years").get_by_role("radio", name=str(year)).click()
    page.wait_for_function("() => window.held.length")
    for ms in range(0, MOTION_MS, MOVE_MS):
        page.evaluate(MOVE, ms)
        film.take(MOVE_MS)
    page.evaluate(END)
    film.settle(YEAR_MS)


def main(url: str) -> None:
    with chromium() as browser:
        page = opened(browser, url)
        film = FrameRecorder(page)
        area = page.get_by_label("Text to tokenize")
        area.fill("")
        film.settle(BEGIN_MS)
        for i, letter in enumerate(TEXT):
            area.press_sequentially(letter)
            page.locator(f'.tokens[data-chars="{i + 1}"]:not([data-stale])').wait_for()
            film.take(KEY_MS)
        film.settle(TYPED_MS)
        page.locator(".tokens .t", has_text=EXPLAINED).first.click()
        page.mouse.move(0, 0)
        page.locator(".loupe[data-explained]").wait_for()
        show_merges(film)
        film.settle(LOUPE_MS)
        for year in (2023, 2019, 2025):
            choose_year(film, year)
        film.save()
    print(f"{OUT}: {len(film.pictures)} pictures, {sum(film.times) / 1000:.1f} s, {OUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8501")
