"""The Compare page: its baseline, its link to Why, and the comparison of two texts."""

import re
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import expect

from e2e.desk import FIRST, PHONE, Desk
from tokenizer import get_encoding, known_as
from tokenizer.display.comparing import two_places
from tokenizer.measure.small_changes import KINDS, changes
from tokenizer.text.samples import samples
from ui.compare.texts import PAIRS

NAMES = ["gpt2", "cl100k_base", "o200k_base"]
TEXT = "one ที่นี่ two"


def expect_baseline(page, base: str, text: str) -> None:
    """Waits until columns and table have this baseline; tests/ui/compare checks the numbers."""
    counts = {name: len(get_encoding(name).encode(text)) for name in NAMES}
    ratios = {name: two_places(counts[name] / counts[base]) for name in NAMES}
    wanted = ["baseline" if name == base else f"{ratios[name]} × {known_as(base)}" for name in NAMES]
    expect(page.locator(".column .ratio")).to_have_text(wanted)
    heads = page.get_by_role("region", name="Metrics").get_by_role("columnheader")
    expect(heads.filter(has_text="baseline")).to_have_text([f"{known_as(base)} {base} baseline"])


def test_pinned_range_links_to_why(make_desk):
    desk = make_desk().open("/compare")
    area = desk.page.get_by_label("Text to compare")
    area.fill(TEXT)
    column = desk.page.locator(".tokens").nth(2)
    expect(column).to_have_text(re.compile("one"))
    column.locator("[data-k]").nth(1).click()
    desk.page.get_by_role("button", name="Why does o200k_base split the text like this?").click()
    expect(desk.page).to_have_url(re.compile(r"/why\?.*encoding=o200k_base&at=\d+"))
    expect(desk.page.get_by_role("textbox", name="Text", exact=True)).to_have_value(TEXT)
    desk.turn_to("Compare")
    expect(area).to_have_value(TEXT)


def test_chart_of_small_changes_names_each_kind_and_keeps_its_bars_apart(make_desk):
    page = make_desk().open("/compare", encodings="gpt2,o200k_base", change_seed="3").page
    page.get_by_label("Text to compare").fill("مرحبا بالعالم")
    labels = [KINDS[one.kind].label for one in changes("مرحبا بالعالم", 3)]
    chart = page.locator(".stVegaLiteChart svg", has_text="edit distance")
    bars = chart.locator(".mark-rect.role-mark path")
    expect(bars).to_have_count(2 * len(labels))
    for label in labels:
        expect(chart.locator(".role-axis-label text", has_text=label).first).to_have_css("opacity", "1")
    boxes = [one.bounding_box() for one in bars.all()]
    gaps = [after["y"] - before["y"] - before["height"] for before, after in pairwise(boxes)]
    assert min(gaps[1::2]) > 5 > max(gaps[::2]) > 0


def test_chosen_baseline_is_used_everywhere(reuse_page):
    text = samples()[0].text
    desk = reuse_page(Desk, "/compare", same=("encodings", "baseline", "way"))
    page = desk.page
    page.get_by_label("Text to compare").fill(text)
    expect_baseline(page, "gpt2", text)
    desk.choose("Baseline", "GPT-5")
    expect_baseline(page, "o200k_base", text)
    expect(page).to_have_url(re.compile(r"[?&]baseline=o200k_base\b"))
    for label, words in (
        ("table (CSV)", "gpt2 / o200k_base (baseline)"),
        ("web page (HTML)", "<h2>o200k_base, the baseline:"),
    ):
        with page.expect_download() as found:
            page.get_by_role("button", name=label).click()
        assert words in Path(found.value.path()).read_text(encoding="utf-8")
    page.reload()
    expect_baseline(page, "o200k_base", text)


def test_thai_views_break_between_words_on_a_narrow_phone(make_desk):
    desk = make_desk(viewport={**PHONE, "width": 320}, locale="th").open("/compare")
    lines = """(label) => {
      const range = document.createRange();
      range.selectNodeContents(label);
      return new Set(Array.from(range.getClientRects(), (box) => Math.round(box.top))).size;
    }"""
    label = desk.page.locator(".st-key-way button p").last
    expect(label).to_have_text("ตารางข้อความ")
    assert label.evaluate(lines) == 2


def test_one_model_shows_a_sentence_and_empty_space_that_does_not_move(make_desk):
    desk = make_desk().open("/compare", encodings="gpt2,o200k_base")
    area, columns = desk.page.get_by_label("Text to compare"), desk.page.locator(".columns")
    expect(columns).to_be_visible()
    desk.idle()
    before, drawn = area.bounding_box(), area.element_handle()
    desk.page.get_by_role("combobox", name="Models").press("Backspace")
    expect(desk.alert).to_have_text("Choose at least two models to compare.")
    expect(columns).to_be_hidden()
    desk.idle()
    for hidden in ("Pinned bytes in each encoding", "Metrics"):
        expect(desk.page.get_by_text(hidden)).to_be_hidden()
    assert area.bounding_box() == before
    desk.choose("Models", "cl100k_base")
    expect(columns).to_be_visible()
    expect(desk.page.locator(".column")).to_have_count(2)
    assert area.bounding_box() == before
    assert drawn.evaluate("(area) => area.isConnected")  # what is typed meanwhile stays in it


def expect_numbers(page, encoding, first, second):
    counts = [(len(encoding.encode(text)), len(text), len(text.encode())) for text in (first, second)]
    rows = page.locator(".texts tbody tr")
    for i, (one, other) in enumerate(zip(*counts, strict=True)):
        difference = f"{other - one:+,}".replace("-", "−") if other != one else "0"
        compared = [difference, f"{other / one:.2f}"] if one and other else ["–", "–"]
        expect(rows.nth(i).locator("td")).to_have_text([f"{one:,}", f"{other:,}", *compared])
    (one, other), finding = (len(encoding.encode(text)) for text in (first, second)), page.locator(".texts .finding")
    names, (least, most) = ("second", "first") if other > one else ("first", "second"), sorted((one, other))
    if not least:
        expect(finding).to_have_text("Type both texts to compare their tokens.")
    elif least == most:
        expect(finding).to_have_text(f"Both texts cost the same: {most:,} token{'s' * (most > 1)} each.")
    else:
        digits = next(n for n in range(1, 9) if most / least - 1 >= 10**-n * (1 - 1e-9))
        words = f"The {names[0]} text costs {most / least:.{digits}f} times the {names[1]}"
        expect(finding).to_have_text(f"{words}: {most:,} tokens instead of {least:,}.")


def test_two_texts_are_counted_while_typing_and_kept(make_desk):
    page = make_desk().open("/compare", way="texts", encoding="o200k_base").page
    encoding, (yaml, json) = get_encoding("o200k_base"), PAIRS["YAML and JSON"]
    page.get_by_role("button", name="YAML and JSON").click()
    expect_numbers(page, encoding, yaml, json)
    box = page.get_by_role("textbox", name="Second text")
    box.fill("ความคิดเดียวกัน <b>")
    expect_numbers(page, encoding, yaml, "ความคิดเดียวกัน <b>")
    page.get_by_role("button", name="YAML and JSON").click()
    expect(box).to_have_value(json)
    page.get_by_role("button", name="Undo").click()
    expect_numbers(page, encoding, FIRST, "ความคิดเดียวกัน <b>")
    for first, second in (
        ("a", "b"),
        ("a" * 500 + "!", "!" + "a" * 500),
        ("one two", " one" * 201),
        (" x" * 300, " x" * 301),
    ):
        page.get_by_role("textbox", name="First text").fill(first)
        box.fill(second)
        expect_numbers(page, encoding, first, second)
    box.fill("ความคิดเดียวกัน <b>")
    page.get_by_role("textbox", name="First text").fill("")
    expect_numbers(page, encoding, "", "ความคิดเดียวกัน <b>")
    page.reload()
    expect(box).to_have_value("ความคิดเดียวกัน <b>")
    expect_numbers(page, encoding, "", "ความคิดเดียวกัน <b>")
