"""Own parallel texts in a browser: paste, select, download, and files."""

import csv
import io

import pytest
from playwright.sync_api import expect

from e2e.desk import Desk, expect_grid
from tokenizer import get_encoding

HOSTILE = '<img src=x onerror="document.title=1">'


@pytest.fixture
def own(reuse_page) -> Desk:
    """The view, reused from the previous test."""
    return reuse_page(Desk, "/languages", same=("lens",), lens="own")


def choose_source(desk: Desk, source: str) -> Desk:
    """Chooses the source of the text."""
    radio = desk.page.get_by_role("radio", name=source)
    radio.click()
    expect(radio).to_be_checked()
    desk.idle()
    return desk


def paste(desk: Desk, *columns: str) -> None:
    for j, text in enumerate(columns, 1):
        box = desk.page.get_by_label(f"Text of column {j}")
        box.fill(text)
        box.press("Control+Enter")
        desk.idle()


def ratio(other: list[str], base: list[str], name: str) -> float:
    encoding = get_encoding(name)
    return sum(len(encoding.encode(line)) for line in other) / sum(len(encoding.encode(line)) for line in base)


def test_missing_lines_are_named_and_the_input_is_kept(own):
    desk = choose_source(own, "Paste text")
    paste(desk, "one\ntwo\nthree", f"eins\n{HOSTILE}")
    expect(desk.page.get_by_text("Thai, row 3: there is no text")).to_be_visible()
    expect(desk.page.get_by_text("2 of 3 rows were compared.")).to_be_visible()
    desk.turn_to("Playground")
    desk.wait_until_drawn()
    desk.turn_to("Languages")
    expect(desk.page.get_by_label("Text of column 2")).to_have_value(f"eins\n{HOSTILE}")
    expect(desk.page.get_by_text("2 of 3 rows were compared.")).to_be_visible()


def test_selected_row_shows_its_sentences_and_the_csv_has_all(own):
    desk = choose_source(own, "Paste text")
    paste(desk, "one two\nthree", f"eins {HOSTILE}\ndrei")
    grid, pair = desk.page.get_by_test_id("stDataFrame"), desk.page.locator('[class*="st-key-pair_"]')
    expect_grid(grid, 2, "Thai: unusual length")
    grid.click(position={"x": 16, "y": 52})
    expect(pair).to_contain_text(f"eins {HOSTILE}")
    expect(pair).to_contain_text(f"{len(get_encoding('gpt2').encode('one two'))} tokens")
    with desk.page.expect_download() as found:
        desk.page.get_by_role("button", name="Download the rows (CSV)").click()
    text = found.value.path().read_text(encoding="utf-8")
    assert text[0] == "\ufeff"  # so that Excel reads it as UTF-8
    rows = list(csv.DictReader(io.StringIO(text[1:])))
    assert rows[0]["text of Thai"] == f"eins {HOSTILE}"
    assert float(rows[1]["Thai / English, gpt2"]) == pytest.approx(ratio(["drei"], ["three"], "gpt2"))


def test_files_are_compared_or_refused(own):
    desk = choose_source(own, "Open a file")
    upload = desk.page.locator("input[type=file]")
    upload.set_input_files({"name": "b.csv", "mimeType": "text/csv", "buffer": b"English,Thai\none,two\n"})
    expect(desk.page.get_by_text("1 of 1 row was compared.")).to_be_visible()
    expect(desk.page.get_by_role("heading", name="Thai compared with English")).to_be_visible()
    desk.page.get_by_role("button", name="Remove b.csv").click()
    upload.set_input_files({"name": "a.csv", "mimeType": "text/csv", "buffer": b"en,de\nhello\n"})
    expect(desk.page.get_by_role("alert").filter(has_text="line 2")).to_be_visible()


def test_view_fits_a_phone(own):
    own.page.set_viewport_size({"width": 375, "height": 700})
    for source in ("Open a file", "Paste a table", "Paste text"):
        choose_source(own, source)
        assert own.horizontal_overflow() == [0, 0]
