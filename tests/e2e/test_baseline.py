"""The baseline of the Compare page, chosen by hand: in columns, table, address and files, and after a reload."""

import csv
import io
import re
from pathlib import Path

from playwright.sync_api import expect

from tokenizer import get_encoding
from tokenizer.text.samples import samples
from ui.compare.tables import two_places

NAMES = ["gpt2", "cl100k_base", "o200k_base"]


def expect_baseline(page, base: str, text: str) -> None:
    counts = {name: len(get_encoding(name).encode(text)) for name in NAMES}
    ratios = {name: two_places(counts[name] / counts[base]) for name in NAMES}
    wanted = ["baseline" if name == base else f"{ratios[name]} × {base}" for name in NAMES]
    expect(page.locator(".column .ratio")).to_have_text(wanted)
    table = page.get_by_role("region", name="Metrics")
    expect(table.get_by_role("columnheader").filter(has_text="baseline")).to_have_text([f"{base} baseline"])
    row = table.get_by_role("row").filter(has=page.get_by_role("rowheader", name="Tokens", exact=True))
    cells = [f"{counts[name]:,}" + ("" if name == base else f" {ratios[name]}×") for name in NAMES]
    expect(row.get_by_role("cell")).to_have_text(cells)


def downloaded(page, label: str) -> str:
    with page.expect_download() as info:
        page.get_by_role("button", name=label).click()
    return Path(info.value.path()).read_text(encoding="utf-8")


def test_a_baseline_that_is_chosen_is_the_one_everywhere(make_desk):
    text = samples()[0].text
    desk = make_desk().open("/compare")
    page = desk.page
    expect_baseline(page, "gpt2", text)
    desk.choose("Baseline", "o200k_base")
    expect_baseline(page, "o200k_base", text)
    expect(page).to_have_url(re.compile(r"[?&]baseline=o200k_base\b"))
    desk.idle()

    first, *_ = csv.DictReader(io.StringIO(downloaded(page, "Download the table (CSV)")))
    counts = {name: len(get_encoding(name).encode(text)) for name in NAMES}
    for name in NAMES:
        ratio = float(first[f"{name} / o200k_base (baseline)"])
        assert ratio == counts[name] / counts["o200k_base"]
    slides = downloaded(page, "Download for slides (HTML)")
    assert re.findall(r"<h2>(\w+), the baseline:", slides) == ["o200k_base"]

    page.reload()
    expect_baseline(page, "o200k_base", text)
    page.get_by_role("combobox", name="Encodings").press("Backspace")  # takes the last one away
    expect(page.locator(".column")).to_have_count(2)
    expect(page.locator(".column .ratio").first).to_have_text("baseline")
    expect(page).not_to_have_url(re.compile("baseline="))


def test_four_encodings_and_their_baseline_fit_on_a_phone(make_desk):
    desk = make_desk(viewport={"width": 375, "height": 740}).open(
        "/compare", encodings="gpt2,cl100k_base,o200k_base,p50k_base", baseline="p50k_base"
    )
    ratios = desk.page.locator(".column .ratio")
    expect(ratios).to_have_count(4)
    expect(ratios.nth(3)).to_have_text("baseline")
    desk.idle()
    assert desk.beyond() == [0, 0]
