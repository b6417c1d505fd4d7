"""The vocabulary in a browser: search, sorting, keys, downloads and token details."""

import csv
import json
import random
import re
from itertools import pairwise
from urllib.parse import parse_qs, urlsplit

import pytest
from apps import until
from playwright.sync_api import expect
from waiting import next_frames

from e2e.desk import PHONE, Desk
from e2e.keyboard import expect_highlight
from tokenizer import get_encoding
from tokenizer.text.well_formed import as_text

# The rows with their distance in pixels to the table's head and lower edge.
ROWS = """(grid) => Array.from(grid.querySelectorAll('.body .row'), (row) => {
  const box = row.getBoundingClientRect(), head = grid.querySelector('.head').getBoundingClientRect().bottom;
  const end = grid.getBoundingClientRect().top + grid.clientTop + grid.clientHeight;
  return { i: Number(row.dataset.i), index: row.ariaRowIndex, id: row.querySelector('.id').textContent,
    text: row.querySelector('.chip')?.textContent, isIn: box.bottom > head && box.top < end,
    above: box.top - head, below: end - box.bottom, height: box.height };
})"""


class Explorer(Desk):
    """The page of a vocabulary."""

    def __init__(self, page, server):
        super().__init__(page, server)
        self.table = page.get_by_role("grid")
        self.find = page.get_by_role("searchbox", name="Search")
        self.total = page.locator(".sums .total")
        self.detail = page.locator(".detail")

    def open(self, **query):
        super().open("/vocabulary", **query)
        self.page.locator(".vocabulary[data-total]").wait_for()
        return self

    def rows(self):
        """Returns the rows in view, in order, with number, id and text."""
        self.page.wait_for_function("(grid) => !grid.querySelector('.to-come')", arg=self.table.element_handle())
        return [row for row in self.table.evaluate(ROWS) if row["isIn"]]

    def expect_rows(self, total):
        expect(self.page.locator(f'.vocabulary[data-total="{total}"]')).to_be_visible()
        return self.rows()


@pytest.fixture
def explorer(make_desk):
    return lambda **query: make_desk(Explorer).open(**query)


def test_table_is_searched_sorted_navigated_by_keys_and_linked(explorer):
    encoding = get_encoding("cl100k_base")
    page = explorer(encoding="cl100k_base")
    expect(page.total).to_have_text("100,261 tokens")

    page.find.fill("Elephant")
    wanted = [id for id in encoding.ids() if "elephant" in (as_text(encoding.table[id]) or "").casefold()]
    assert [int(row["id"]) for row in page.expect_rows(len(wanted))] == wanted
    page.find.fill("able")
    wanted = [id for id in encoding.ids() if "able" in (as_text(encoding.table[id]) or "").casefold()]
    page.expect_rows(len(wanted))
    for name, order in (("bytes", -1), ("bytes", 1)):
        page.table.get_by_role("button", name=name).click()
        expect(page.table.get_by_role("columnheader", name=name)).to_have_attribute(
            "aria-sort", "ascending" if order > 0 else "descending"
        )
        wanted.sort()
        wanted.sort(key=lambda id: order * len(encoding.table[id]))
        expect(page.table.locator(".row .id").nth(1)).to_have_text(str(wanted[0]))
        assert [int(row["id"]) for row in page.rows()] == wanted[: len(page.rows())]

    page.table.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp"):
        page.page.keyboard.press(key)
    expect(page.table.locator("[aria-selected=true] .id")).to_have_text(str(wanted[1]))
    page.page.keyboard.press("End")
    expect(page.table.locator("[aria-selected=true] .id")).to_have_text(str(wanted[-1]))
    expect(page.table.locator("[aria-selected=true]")).to_have_attribute("aria-rowindex", str(len(wanted) + 1))
    expect(page.detail).to_contain_text(f"id {wanted[-1]}")
    page.page.keyboard.press("Enter")
    expect(page.loupe).to_contain_text(f"id {wanted[-1]}")
    page.page.keyboard.press("Escape")
    expect(page.loupe).to_be_hidden()
    expect(page.table).to_be_focused()

    link = page.copied_link()
    query = {"find": ["able"], "sort_by": ["bytes"], "token": [str(wanted[-1])], "encoding": ["cl100k_base"]}
    assert parse_qs(urlsplit(link).query) == query
    page.page.goto("about:blank")
    page.page.goto(link)
    expect(page.table.locator("[aria-selected=true] .id")).to_have_text(str(wanted[-1]))
    expect(page.find).to_have_value("able")
    expect(page.detail).to_contain_text(f"id {wanted[-1]}")


def test_table_shows_its_rows_at_every_position_and_the_csv_has_all(explorer, tmp_path):
    page, rng = explorer(encoding="o200k_base"), random.Random(7)
    known = get_encoding("o200k_base").ids()
    for share in [1, 0, *(rng.random() for _ in range(3))]:
        page.table.evaluate("(grid, share) => { grid.scrollTop = grid.scrollHeight * share; }", share)
        next_frames(page.page)
        rows = page.rows()
        assert len(rows) > 5
        assert [row["i"] for row in rows] == [*range(rows[0]["i"], rows[0]["i"] + len(rows))]
        assert all(int(row["id"]) == known[row["i"]] and int(row["index"]) == row["i"] + 2 for row in rows)
        assert all(b["above"] - a["above"] == pytest.approx(a["height"]) for a, b in pairwise(rows))
        assert share != 0 or (rows[0]["i"], rows[0]["above"]) == (0, pytest.approx(0, abs=1))
        assert share != 1 or (rows[-1]["i"], rows[-1]["below"]) == (len(known) - 1, pytest.approx(0, abs=1))
    assert page.table.get_attribute("aria-rowcount") == str(len(known) + 1)
    assert page.table.locator(".body .row").count() < 80

    page.page.get_by_role("combobox", name="Script").select_option("Thai")
    page.page.get_by_role("searchbox").fill("ที่")
    thai = [id for id in known if "ที่" in (as_text(get_encoding("o200k_base").table[id]) or "")]
    page.expect_rows(len(thai))
    with page.page.expect_download() as found:
        page.button("CSV").click()
    found.value.save_as(tmp_path / "rows.csv")
    head, *rows = csv.reader((tmp_path / "rows.csv").read_text(encoding="utf-8-sig").splitlines())
    assert [(int(row[0]), json.loads(row[1])) for row in rows] == [
        (id, get_encoding("o200k_base").decode([id])) for id in thai
    ]

    page.page.get_by_role("button", name="Show all", exact=True).click()
    page.page.locator('.group[data-group="unreachable"] .all').click()
    rows = page.expect_rows(12)
    assert rows[0]["id"] == "3413"
    page.table.locator(".body .row").first.click()
    expect(page.detail).to_contain_text("the result is ·I (357) + ' (6)")
    page.detail.get_by_role("button", name="·I'm, id 5477").first.click()  # not in the filtered table
    expect(page.detail).to_contain_text("id 5477")
    expect(page.table.locator("[aria-selected=true]")).to_have_count(0)


def test_search_typed_before_a_page_change_or_a_reload_is_restored(explorer):
    page = explorer(encoding="gpt2")
    page.find.click()
    page.page.keyboard.type("dog")
    page.turn_to("Decode")
    page.turn_to("Vocabulary")
    expect(page.find).to_have_value("dog")
    page.page.wait_for_url("**find=dog**")
    page.find.press("End")
    page.page.keyboard.type("house")
    page.page.reload()
    expect(page.find).to_have_value("doghouse")
    page.page.wait_for_url("**find=doghouse**")
    assert parse_qs(urlsplit(page.page.url).query)["find"] == ["doghouse"]


def test_search_typed_while_the_server_is_busy_is_kept_also_in_another_vocabulary(explorer):
    page = explorer(encoding="gpt2")
    page.find.click()
    with page.server.paused():
        page.page.keyboard.type("cat")
        page.page.wait_for_timeout(1_000)  # until the message is sent; the server handles it later
        page.page.keyboard.type("tle")
    page.turn_to("Decode")
    page.turn_to("Vocabulary")
    expect(page.find).to_have_value("cattle")
    page.idle()
    page.page.get_by_role("combobox", name="Model").click()
    page.page.keyboard.type("gpt-4")
    expect_highlight(page.page, "GPT-4 · cl100k_base")
    with page.server.paused():
        page.page.keyboard.press("Enter")
        page.page.wait_for_timeout(300)  # until the message is sent; the server handles it later
        page.find.evaluate("(box) => box.select()")  # `fill` waits for a run that the pause has stopped
        page.page.keyboard.type(" hello")
    expect(page.total).to_have_text("3 of 100,261 tokens")
    page.page.wait_for_url("**find=+hello**")
    page.idle()
    expect(page.find).to_have_value(" hello")


def test_invalid_search_shows_a_notice_and_is_kept(explorer):
    page = explorer(encoding="gpt2")
    page.page.get_by_role("combobox", name="Search in", exact=True).select_option("regex")
    page.find.fill("(un")
    expect(page.notice).to_contain_text("(un")
    expect(page.find).to_have_value("(un")
    page.find.fill("^\u202e")
    page.expect_rows(0)
    expect(page.notice).to_be_hidden()
    page.page.get_by_role("combobox", name="Search in", exact=True).select_option("bytes")
    page.find.fill("zz")
    expect(page.notice).to_contain_text("two digits of 0 to 9 and A to F")
    page.find.fill("E2 80 AE")
    assert all(
        "‹" in row["text"] or " " in row["text"] for row in page.rows()
    )  # control characters are shown by name or as bytes

    page.page.set_viewport_size(PHONE)
    expect(page.detail.locator(".scripts li")).not_to_have_count(0)
    sizes = page.detail.evaluate("(one) => [one.scrollWidth, one.clientWidth]")
    assert sizes[0] == sizes[1], "the longest tokens overflow their pane"


def test_number_in_the_search_offers_the_token_with_this_id(explorer):
    page = explorer(encoding="cl100k_base")
    offer = page.page.locator("[data-do=id]")
    expect(offer).to_be_hidden()
    page.find.fill(" 9906")
    expect(offer).to_have_text("Show the token with id 9906")
    offer.click()
    expect(page.table).to_be_focused()
    (row,) = page.expect_rows(1)
    assert (row["id"], row["text"]) == ("9906", "Hello")
    expect(page.find).to_have_value("")
    expect(offer).to_be_hidden()
    page.find.fill("9906")
    expect(offer).to_be_visible()
    with page.server.paused():  # it does not wait for the answer: a press would clear the search
        page.find.fill("9906a")
        expect(offer).to_be_hidden()
    page.expect_rows(0)
    expect(offer).to_be_hidden()


def test_fields_under_a_label_of_two_lines_are_in_line(explorer):
    page = explorer(encoding="gpt2")
    page.page.get_by_text("More filters").click()
    fields = page.page.locator(".asking details .row-of-fields")
    edges = "(row, edge) => [...row.children].map((label) => label.lastElementChild.getBoundingClientRect()[edge])"
    assert len(set(fields.evaluate(edges, "x"))) == 8, "the fields are not in one row"
    heights = fields.evaluate(edges, "height")
    assert max(heights) - min(heights) < 3, "lists and boxes differ in height"


def test_longest_thai_token_is_whole_in_the_table(explorer):
    page = explorer(encoding="o200k_base", script="Thai", sort_by="-characters")
    page.expect_rows(1_543)
    widths = page.table.locator(".body .chip").first.evaluate("(chip) => [chip.scrollWidth, chip.clientWidth]")
    assert widths[0] == widths[1], "the token is cut"


def test_advert_is_veiled_until_it_is_shown_and_always_on_the_stage(explorer):
    page = explorer(encoding="o200k_base", find="天天中彩票", sort_by="-characters")
    chip, veil = page.table.locator(".body .chip").first, "(one) => getComputedStyle(one, '::before').content"
    hidden = page.loupe.get_by_text("The text of this token is hidden")
    why = page.loupe.get_by_role("button", name="Why this split?")
    assert chip.evaluate(veil) == '"hidden (adult or gambling)"' and chip.inner_text() == ""
    named = page.page.get_by_role("button", name=re.compile(r"^hidden \(adult or gambling\), id \d+$"))
    expect(named).not_to_have_count(0)
    expect(page.page.get_by_role("button", name="彩")).to_have_count(0)
    page.table.focus()
    page.page.keyboard.press("Home")
    page.page.keyboard.press("Enter")
    expect(hidden).to_be_visible()
    assert why.count() == 0 and "彩票" not in page.loupe.inner_text()
    page.page.get_by_role("button", name="tokens hidden: show").click()  # closes the loupe
    page.page.wait_for_function(f"(one) => ({veil})(one).includes('天天中彩票')", arg=chip.element_handle())
    page.table.focus()
    page.page.keyboard.press("Enter")
    expect(page.loupe.locator(".characters")).to_contain_text("彩")
    expect(why).to_be_visible()
    page.page.evaluate("document.activeElement.blur()")
    page.page.locator("body").press("p")
    expect(hidden).to_be_visible()
    assert "彩" not in page.loupe.inner_text() and chip.evaluate(veil) == '"hidden (adult or gambling)"'
    page.page.keyboard.press("Escape")  # closes the loupe
    expect(page.loupe).to_be_hidden()
    page.page.keyboard.press("Escape")
    page.page.get_by_role("button", name="Hide").click()
    assert chip.evaluate(veil) == '"hidden (adult or gambling)"'


def test_map_takes_the_place_of_the_charts_and_opens_its_token_in_the_table(explorer):
    page = explorer(encoding="gpt2", find="x")
    charts = page.page.locator(".st-key-stage_scripts_chart")
    expect(charts).to_be_visible()
    page.page.get_by_role("radio", name="Map").click()
    expect(charts).to_have_count(0)
    assert parse_qs(urlsplit(page.copied_link()).query)["picture"] == ["map"]
    text = "The ที่นี่ costs"
    page.page.get_by_label("Mark the tokens of a text").fill(text)
    ids = get_encoding("gpt2").encode(text)
    expect(page.page.locator(".map .marked small")).to_have_text([str(id) for id in ids])
    find = page.page.get_by_role("searchbox", name="Go to a token")
    find.fill(" elephant")
    find.press("Enter")
    [id] = get_encoding("gpt2").encode(" elephant")
    expect(page.page.locator(f'.map[data-shown="{id}"][data-is-flying="false"]')).to_be_visible()
    page.button("Show in the table").click()
    expect(page.table.locator("[aria-selected=true] .id")).to_have_text(str(id))
    expect(page.find).to_have_value("")
    page.turn_to("Decode")
    page.turn_to("Vocabulary")
    expect(page.page.locator(".map .marked small")).to_have_text([str(id) for id in ids])


@pytest.mark.parametrize("locale", ["en", "th"])
def test_legend_of_the_chart_is_whole_on_a_phone(make_desk, locale):
    desk = make_desk(Explorer, viewport={**PHONE, "width": 320}, locale=locale).open()
    chart = desk.page.locator(".st-key-stage_scripts_chart svg.marks")
    labels = chart.locator(".role-legend-label text")
    expect(labels).to_have_count(9)

    def is_whole(label) -> bool:
        box, around = label.bounding_box(), chart.bounding_box()
        return "…" not in label.text_content() and box["x"] + box["width"] <= around["x"] + around["width"]

    until(lambda: all(map(is_whole, labels.all())), 10)
    before = chart.bounding_box()["width"]
    desk.page.set_viewport_size(PHONE)
    until(lambda: (chart.bounding_box() or {"width": before})["width"] > before, 10)
    until(lambda: all(map(is_whole, labels.all())), 10)


def test_facts_of_a_token_are_in_view_with_the_map_also_on_the_stage(explorer):
    desk = explorer(encoding="gpt2", picture="map", than="r50k_base")
    page, canvas, facts = desk.page, desk.page.locator(".map canvas"), desk.page.locator(".map .facts")
    find, text = page.get_by_role("searchbox", name="Go to a token"), page.get_by_label("Mark the tokens of a text")
    text.fill("a market in Bangkok")
    find.fill(" market")
    find.press("Enter")
    expect(page.locator(".map .found")).to_be_visible()
    expect(facts).to_contain_text("id 1910")
    expect(facts).to_be_in_viewport(ratio=1)
    for box in (find, text):
        box.fill("")
    page.set_viewport_size({"width": 1280, "height": 720})
    desk.enter_stage()
    expect(canvas).to_be_in_viewport(ratio=1)
    expect(facts).to_be_in_viewport(ratio=1)
