"""Layout shifts of a page: how far its content jumps, and what jumped."""

from playwright.sync_api import Page
from waiting import at_rest

from e2e.desk import BUSY

REST_MS = 1_000
RECORD_SHIFTS = """() => {
  const nameOf = (node) => {
    const element = node?.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    const keyed = element?.closest?.('[class*=st-key-]')?.className.match(/st-key-[\\w-]+/)?.[0] ?? '';
    const words = (element?.textContent ?? '').trim().slice(0, 20);
    const name = element?.dataset?.testid ?? element?.className ?? element?.nodeName;
    return [keyed, name, words].filter(Boolean).join(' ');
  };
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources, startTime } of list.getEntries()) window.shifts.push({
      value, startTime, moved: sources.map(({ node, previousRect: from, currentRect: to }) =>
        `${nameOf(node)} y ${from.y}>${to.y} h ${from.height}>${to.height}`),
    });
  }).observe({ type: 'layout-shift', buffered: true });
}"""


def record_shifts(page: Page) -> None:
    """Records the layout shifts of each document that is opened next."""
    page.add_init_script(f"({RECORD_SHIFTS})()")


def shifts(page: Page, path: str) -> list[dict]:
    """Returns the shifts since the last call, once the page of `path` is open and at rest.

    Each has its value, its time in milliseconds, and what moved. Unlike the metric CLS, shifts within 500 ms of a
    click are counted too, since a turn to another page begins with one.
    """
    page.locator(f"html[data-page='{path[1:]}']").wait_for(state="attached")
    page.locator(BUSY).wait_for(state="detached")
    at_rest(page, lambda: page.evaluate("shifts.length"), REST_MS)
    return page.evaluate("shifts.splice(0)")
