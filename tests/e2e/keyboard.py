"""A visitor without a mouse: goes through a page by Tab, and must see at every stop what has the focus."""

from contextlib import suppress

from playwright.sync_api import Locator, Page, TimeoutError, expect

# The name of the focused element and its ring: an outline of it or of a box around it. A ring counts if two of its
# sides are inside the window and inside all boxes that cut off their content, and nothing covers the element.
STOP = """() => {
  const MAX_LEVELS = 4, MIN_SIDES = 2; // between the element and the box with its ring
  for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish();
  const parentOf = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null;
  const isIn = (node, box) => { while (node && node !== box) node = parentOf(node); return node !== null; };
  let focused = document.activeElement;
  while (focused.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  const label = focused.labels?.[0] ?? focused.closest('.stSelectbox, .stMultiSelect')?.querySelector('label');
  const name = `${focused.ariaLabel || (label ?? focused).innerText || focused.className || focused.tagName}`;
  const found = (ring) => ({ name: name.trim().slice(0, 40), ring });
  if (focused === document.body) return found('none: the focus is lost');
  let box = focused, problem = 'none';
  for (let level = 0; box && level <= MAX_LEVELS; level++, box = parentOf(box)) {
    const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(box), width = parseFloat(outlineWidth);
    if (/^(none|dashed|dotted)$/.test(outlineStyle) || width < (outlineStyle === 'auto' ? 1 : 2)) continue;
    problem = problemOf(box, parseFloat(outlineOffset) + width);
    if (!problem) return found('visible');
  }
  return found(problem);

  function problemOf(box, reach) {
    const { left, top, right, bottom } = box.getBoundingClientRect(), clip = clipOf(box);
    const sides = [left - reach >= clip.left - 1, top - reach >= clip.top - 1, right + reach <= clip.right + 1,
      bottom + reach <= clip.bottom + 1].filter(Boolean).length;
    if (sides < MIN_SIDES) return `cut off, ${sides} sides are left`;
    const x = (Math.max(left, clip.left) + Math.min(right, clip.right)) / 2;
    const y = (Math.max(top, clip.top) + Math.min(bottom, clip.bottom)) / 2;
    let hit = document.elementFromPoint(x, y), inner;
    while ((inner = hit?.shadowRoot?.elementFromPoint(x, y)) && inner !== hit) hit = inner;
    return isIn(hit, box) ? '' : `covered by ${hit?.outerHTML.slice(0, 80)}`;
  }

  function clipOf(box) {
    const clip = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    for (let one = parentOf(box); one; one = parentOf(one)) {
      const { overflowX, overflowY, position } = getComputedStyle(one), rect = one.getBoundingClientRect();
      const x = rect.left + one.clientLeft, y = rect.top + one.clientTop;
      if (overflowX !== 'visible' && one.clientWidth) {
        clip.left = Math.max(clip.left, x);
        clip.right = Math.min(clip.right, x + one.clientWidth);
      }
      if (overflowY !== 'visible' && one.clientHeight) {
        clip.top = Math.max(clip.top, y);
        clip.bottom = Math.min(clip.bottom, y + one.clientHeight);
      }
      if (position === 'fixed') break;
    }
    return clip;
  }
}"""


# Streamlit animates an expander for half a second, and meanwhile cuts off what is outside of it.
MOVING_EXPANDERS = """() => document.getAnimations().filter(({ effect }) => effect.target?.tagName === 'DETAILS')
  .map(({ effect, playState, currentTime }) => [effect.target.innerText.slice(0, 40), playState, currentTime])"""

# While a page is turned, the browser shows a picture of the one before, and hit tests find the document alone.
NO_PAGE_TURNS = "() => !document.documentElement.matches(':active-view-transition')"

# A tooltip follows its button some frames after the button has moved, and covers the ring until then.
MAX_SETTLING_MS = 1000


def expect_highlight(page: Page, text: str) -> None:
    """Waits until Enter chooses the option with `text`: a list highlights it some frames after filtering."""
    expect(page.get_by_role("listbox").locator("[role=option][data-focused]")).to_contain_text(text)


class Keyboard:
    """The keyboard of a page, whose every stop is checked."""

    def __init__(self, page: Page):
        self.page, self.press, self.type = page, page.keyboard.press, page.keyboard.type

    def tab_to(self, target: Locator, most: int, back: bool = False) -> None:
        """Presses Tab, or Shift+Tab, at most `most` times until an element of `target` has the focus."""
        expect(target.first).to_be_visible()
        with suppress(TimeoutError):  # the next line says what moves
            self.page.wait_for_function(f"!({MOVING_EXPANDERS})().length")
        assert self.page.evaluate(MOVING_EXPANDERS) == []
        focused, stops = target.and_(self.page.locator(":focus")), []
        while not focused.count():
            assert len(stops) < most, f"not reached by {most} tabs: {stops}"
            self.press("Shift+Tab" if back else "Tab")
            stops.append(self.expect_visible_focus())

    def expect_visible_focus(self) -> str:
        """Asserts that the visitor sees what has the focus; returns its name."""
        self.page.wait_for_function(NO_PAGE_TURNS)
        with suppress(TimeoutError):
            self.page.wait_for_function(f"({STOP})().ring === 'visible'", timeout=MAX_SETTLING_MS)
        stop = self.page.evaluate(STOP)
        assert stop["ring"] == "visible", stop
        return stop["name"]
