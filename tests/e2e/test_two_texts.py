"""Two texts under one encoding: their numbers are the encoder's while one types, and both texts last."""

from playwright.sync_api import expect

from tokenizer import get_encoding
from ui.compare.texts import pairs


def expect_numbers(page, encoding, first, second):
    counts = [(len(encoding.encode(text)), len(text), len(text.encode())) for text in (first, second)]
    rows = page.locator(".texts tbody tr")
    for i, (one, other) in enumerate(zip(*counts, strict=True)):
        difference = f"{other - one:+,}".replace("-", "−") if other != one else "0"
        ratio = f"{other / one:.2f}" if one else "–"
        expect(rows.nth(i).locator("td")).to_have_text([f"{one:,}", f"{other:,}", difference, ratio])


def test_two_texts_are_counted_as_they_are_typed_and_stay(make_desk):
    page = make_desk().open("/compare", way="texts", encoding="o200k_base").page
    encoding, (yaml, json) = get_encoding("o200k_base"), pairs()["YAML and JSON"]
    page.get_by_role("button", name="YAML and JSON").click()
    expect_numbers(page, encoding, yaml, json)
    box = page.get_by_role("textbox", name="Second text")
    box.fill("ความคิดเดียวกัน <b>")
    expect_numbers(page, encoding, yaml, "ความคิดเดียวกัน <b>")
    page.get_by_role("textbox", name="First text").fill("")
    expect_numbers(page, encoding, "", "ความคิดเดียวกัน <b>")
    page.reload()
    expect(box).to_have_value("ความคิดเดียวกัน <b>")
    expect_numbers(page, encoding, "", "ความคิดเดียวกัน <b>")
