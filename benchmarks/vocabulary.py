"""Measures the time from a change of a filter or an order on the vocabulary page to its rows on the screen.

    python benchmarks/vocabulary.py [encoding ...]

Sets each filter and each order twice in Chromium: the first time the server works it out, the second time it has the
rows in its cache. Then scrolls through the table from end to end. Milliseconds, each up to the first frame after the
rows.
"""

import statistics
import sys

from _serving import server
from browser import chromium
from playwright.sync_api import Page
from waiting import awaited

ENCODINGS = ["cl100k_base", "o200k_base"]
NO_FILTER = {"find": "", "find_as": "text", "script": "", "only": "", "made": "", "space": "", "category": ""}
QUERIES = [
    {"find": "the"},
    {"find": "e"},
    {"find": "ing", "find_as": "exact"},
    {"find": "E0 B8", "find_as": "bytes"},
    {"find": "^ un.*able$", "find_as": "regex"},
    {"find": r"(\w)\1\1", "find_as": "regex"},
    {"script": "Thai"},
    {"category": "Lu"},
    {"space": "yes"},
    {"made": "part of a character"},
    {"only": "parts"},
    {"sort": "bytes"},
    {"sort": "text"},
]
FIND = """const find = (selector, root = document) => root.querySelector(selector)
  ?? [...root.querySelectorAll('*')].map((one) => one.shadowRoot && find(selector, one.shadowRoot)).find(Boolean);"""
ASK = (
    "async (query) => {"
    + FIND
    + """
  const desk = find('.vocabulary'), before = desk.dataset.query;
  const fields = Object.entries(query).filter(([name]) => name !== 'sort');
  const shown = new Promise((done) => {
    const look = (_, watch) => { if (desk.dataset.query !== before) { watch.disconnect(); done(); } };
    new MutationObserver(look).observe(desk, { attributes: true });
  });
  const begin = performance.now();
  for (const [name, value] of fields) desk.querySelector(`[name="${name}"]`).value = value;
  if (query.sort) desk.querySelector(`[data-do="sort ${query.sort}"]`).click();
  else desk.querySelector('[name="find"]').dispatchEvent(new Event('input', { bubbles: true }));
  await shown;
  await new Promise((later) => requestAnimationFrame(() => setTimeout(later, 0)));
  return performance.now() - begin;
}"""
)
SCROLL = (
    "async () => {"
    + FIND
    + """
  const grid = find('.vocabulary .grid'), took = [];
  for (let i = 0; i <= 40; i++) {
    const begin = performance.now();
    grid.scrollTop = (grid.scrollHeight * i) / 40;
    await new Promise((later) => requestAnimationFrame(() => setTimeout(later, 0)));
    while (grid.querySelector('.body .to-come')) await new Promise((later) => requestAnimationFrame(later));
    took.push(performance.now() - begin);
  }
  return took;
}"""
)


def ask(page: Page, query: dict[str, str]) -> float:
    """Returns the milliseconds from a question to its rows."""
    return awaited(page, ASK, NO_FILTER | query, what=f"the rows for {query}", seconds=120)


def measured(page: Page, name: str, address: str) -> None:
    """Prints a line for each question."""
    page.goto(f"{address}/vocabulary?encoding={name}")
    page.locator(".vocabulary[data-total]").wait_for()
    page.locator('.group[data-group="suspicious"] .all').wait_for()  # until the first facts are computed
    for query in QUERIES:
        took = []
        for _ in range(2):
            took.append(ask(page, query))
            ask(page, {"find": "a" if query.get("find") != "a" else "b"})
            ask(page, {})
        print(f"{name:12} {' '.join(map(str, query.values())):24} {took[0]:6.0f} {took[1]:6.0f}", flush=True)
    jumps = awaited(page, SCROLL, what="the rows of each jump", seconds=120)
    print(f"{name:12} {'a jump of 5,000 rows':24} {statistics.median(jumps):6.0f} {max(jumps):6.0f} (median, longest)")


with server() as app, chromium() as browser:
    print("                                       first  again")
    for encoding in sys.argv[1:] or ENCODINGS:
        measured(browser.new_page(viewport={"width": 1280, "height": 800}), encoding, app.url)
