"""Page object of the Languages page."""

import csv
import io
import re
from urllib.parse import parse_qs, quote_plus, urlsplit

from playwright.sync_api import Page, expect
from waiting import awaited

from e2e.desk import Tab
from e2e.keyboard import expect_highlight
from e2e.server import Server

WIDE = """() => Array.from(document.querySelectorAll('[data-testid=stVegaLiteChart]')).every((one) =>
  Math.abs(one.getBoundingClientRect().width - one.querySelector('svg')?.getBoundingClientRect().width) < 1)"""


STILL = """async (fold) => {
  await Promise.all(fold.getAnimations({ subtree: true }).map(({ finished }) => finished));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""


class Languages(Tab):
    """The page in one browser tab."""

    def __init__(self, page: Page, server: Server):
        super().__init__(page, server)
        self.charts = page.get_by_test_id("stVegaLiteChart")
        self.finding = page.locator(".finding")
        self.because = page.locator(".because")
        self.pair = page.locator('[class*="st-key-pair_"]')
        self.tooltip = page.locator("#vg-tooltip-element")

    def open(self, charts: int | None = 1, **query: str) -> "Languages":
        """Opens the page with choices in its address; waits for `charts` charts and an idle page."""
        self.visit("/languages", **query)
        expect(self.page.get_by_role("radio", name="Tokens by language")).to_be_visible()
        if charts is not None:
            self.expect_drawn(charts)
        self.idle()
        return self

    def expect_drawn(self, charts: int) -> None:
        """Waits until there are `charts` charts, each with marks."""
        expect(self.charts.locator("svg.marks")).to_have_count(charts)
        for chart in self.charts.all():
            expect(chart.locator("path[aria-label]").first).to_be_attached()

    def resize(self, size: dict[str, int]) -> None:
        """Resizes the window and waits until each chart fills its place."""
        self.page.set_viewport_size(size)
        self.page.wait_for_function(WIDE)

    def unfold_numbers(self) -> None:
        """Opens the table of all numbers and waits until its animation ends, since scrolling closes lists."""
        fold = self.page.get_by_test_id("stExpander").filter(has_text="All numbers")
        fold.get_by_text("All numbers").click()
        expect(fold.get_by_test_id("stDataFrame").locator("table")).to_be_attached()
        awaited(self.page, STILL, fold.element_handle(), what="the end of the animation")

    def choose(self, label: str, option: str) -> None:
        """Chooses an option by typing; closes a multiselect."""
        box = self.page.get_by_role("combobox", name=label, exact=True)
        box.press("ArrowDown")
        box.fill(option)
        expect_highlight(self.page, option)
        box.press("Enter")
        box.press("Tab")
        self.idle()

    def place(self, chart: int, language: str) -> tuple[float, float]:
        """Returns the point where a language's row starts in a chart, beside its name."""
        row = self.charts.nth(chart).get_by_text(language, exact=True)
        row.scroll_into_view_if_needed()
        at = row.bounding_box()
        return at["x"] + at["width"] + 3, at["y"] + at["height"] / 2

    def expect_rows(self, chart: int, names: list[str]) -> None:
        """Waits until a chart has these rows, from top to bottom."""
        axis = self.charts.nth(chart).locator(".role-axis").last.locator(".role-axis-label text")
        expect(axis).to_have_text(names)

    def expect_table(self, number: int, rows: list[list[str]]) -> None:
        """Waits until a table starts with these rows, including the header."""
        table, wanted = self.page.get_by_test_id("stDataFrame").nth(number).locator("table"), sum(rows, [])
        expect(table).to_be_attached(timeout=20_000)
        script = """([table, wanted]) => wanted.every((text, i) =>
          table.querySelectorAll('th, td')[i]?.textContent === text)"""
        self.page.wait_for_function(script, arg=[table.element_handle(), wanted])

    def view(self, label: str) -> None:
        """Chooses a view once the page is idle, since a press during a run may be lost."""
        self.idle()
        self.page.get_by_role("radio", name=label, exact=True).click()
        self.idle()

    def csv(self) -> list[dict[str, str]]:
        """Downloads the table."""
        with self.page.expect_download() as found:
            self.button("Download the table (CSV)").press("Enter")  # a click may miss it while an expander opens
        return list(csv.DictReader(io.StringIO(found.value.path().read_text(encoding="utf-8-sig"))))

    def query_value(self, name: str) -> str | None:
        """Returns a value of the address."""
        return parse_qs(urlsplit(self.page.url).query).get(name, [None])[0]

    def expect_query_value(self, name: str, value: str) -> None:
        """Waits until the address has this value."""
        expect(self.page).to_have_url(re.compile(rf"[?&]{name}={re.escape(quote_plus(value))}(&|$)"))
