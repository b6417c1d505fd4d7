"""The slider below the tokens shows the text by the first merges of the encoding, and a curve of its tokens."""

import re
from functools import cache

from playwright.sync_api import expect

from e2e.desk import DEFAULT, Desk
from tokenizer import get_encoding
from tokenizer.encoding.bpe import first_merges
from tokenizer.kinds.byte_bpe import byte_bpe

TEXT = "Where is the nearest station?\nสถานีที่ใกล้ที่สุดอยู่ที่ไหน 👍🏽"


@cache
def count(text: str, merges: int) -> int:
    """The number of tokens of a text by the first merges of the default encoding, by the core."""
    whole = get_encoding(DEFAULT)
    return len(byte_bpe("cut", whole.pattern, first_merges(whole.ranks, merges)).encode(text))


def expect_size(desk: Desk, title: str, tokens: int) -> None:
    expect(desk.page.locator(".size-head h3")).to_have_text(title)
    expect(desk.page.locator(".size-count b")).to_have_text(f"{tokens} tokens")


def test_keys_move_through_the_sizes_at_which_the_text_gets_shorter(desk):
    desk.write(TEXT)
    desk.page.get_by_text("How merges build").click()
    total = len(get_encoding(DEFAULT).ranks) - 256
    all_tokens = len(get_encoding(DEFAULT).encode(TEXT))
    expect_size(desk, f"All {total:,} merges of {DEFAULT}", all_tokens)
    slider = desk.page.get_by_role("slider", name="Merges applied")
    slider.press("Home")
    expect_size(desk, "No merges: bytes alone", len(TEXT.encode()))
    sizes = [0]
    for key in ["ArrowRight", "ArrowRight", "ArrowRight", "PageUp", "PageUp", "PageUp", "ArrowLeft"]:
        slider.press(key)
        merges = int(
            re.search("first ([\\d,]+) merges?", desk.page.locator(".size-head h3").inner_text())[1].replace(",", "")
        )
        expect_size(desk, f"The first {merges:,} merges of {DEFAULT}", count(TEXT, merges))
        sizes.append(merges)
        assert count(TEXT, merges - 1) > count(TEXT, merges)
    assert sizes[:-1] == sorted(set(sizes[:-1])) and sizes[-3] < sizes[-1] < sizes[-2]
    drawn = desk.page.locator(".at-size .part").all_inner_texts()
    assert "".join(drawn).replace("\n", "") == TEXT.replace("\n", "")
    assert desk.count("tokens").inner_text() == str(all_tokens)  # the page's own count does not change
    expect(desk.page).to_have_url(re.compile(f"merges={sizes[-1]}"))
    assert f"merges={sizes[-1]}" in desk.copied_link()


def test_link_opens_the_slider_at_its_merges_with_a_curve_and_notes_also_on_the_stage(make_desk):
    desk = make_desk().open(merges="1000")
    desk.write("a<|endoftext|>" + "b " * 5_000)
    expect(desk.page.locator(".size-note")).to_have_text(
        "Only the first 5,000 characters are read here. Names of special tokens are read as text here."
    )
    desk.write(TEXT)
    expect_size(desk, f"The first 1,000 merges of {DEFAULT}", count(TEXT, 1000))
    expect(desk.page.locator(".legend li")).to_have_text(
        [re.compile("^Thai"), re.compile("^Latin"), re.compile("^other")]
    )
    curve = desk.page.get_by_role("img", name=re.compile("^Thai, number of tokens: 84 with 0 merges, "))
    expect(curve).to_be_visible()
    assert count(TEXT, 1000) == sum(int(one.split()[0]) for one in desk.page.locator(".legend b").all_inner_texts())
    desk.enter_stage()
    for part in (".size-head", ".at-size", ".size-merge", ".plot"):
        expect(desk.page.locator(part)).to_be_in_viewport()
    expect(desk.view).to_be_hidden()
    expect(desk.count("tokens")).to_be_hidden()
    desk.page.keyboard.press("Escape")
    expect(desk.count("tokens")).to_be_visible()


def test_play_ends_with_all_merges(make_desk):
    desk = make_desk(alone=True)
    desk.page.clock.install()
    desk.open(merges="150000")
    desk.write(TEXT)
    expect_size(desk, f"The first 150,000 merges of {DEFAULT}", count(TEXT, 150_000))
    desk.button("Play").click()
    desk.page.clock.run_for(5_000)
    expect(desk.page.locator(".size-head h3")).to_have_text(re.compile("^All "))
    expect(desk.button("Play")).to_be_visible()


def test_encoding_without_ranks_shows_why_there_is_no_slider(make_desk):
    desk = make_desk().open(encoding="deepseek_v3", merges="1000")
    expect(desk.page.locator(".size-note")).to_have_text(
        "deepseek_v3 cannot be shown with fewer merges: this view encodes in the browser, but only the server can"
        " encode with deepseek_v3."
    )
    expect(desk.page.get_by_role("slider", name="Merges applied")).to_be_hidden()


def test_wrong_number_in_a_link_is_refused(make_desk):
    desk = make_desk().open(merges="-1")
    expect(desk.alert.filter(has_text="merges='-1'")).to_be_visible()
    assert not desk.page.locator("details.vocabulary").evaluate("(details) => details.open")
