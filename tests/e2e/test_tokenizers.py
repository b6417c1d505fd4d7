"""The page of tokenizers in a browser: several uploads, a reload, and another visitor with the link."""

import re

import pytest
from apps import until
from oracles import contrast
from playwright.sync_api import expect

from tokenizer import encoding_files, encoding_from_merges, train

TEXT = "the theme of the thesis, 12345 <|end|> ที่\n"
TOY = encoding_from_merges(train(TEXT * 3, 270, "cl100k_base"), "cl100k_base", ["<|end|>"], "toy")


def dropped(desk, **files: bytes):
    box = desk.page.locator(".st-key-brought_files input[type=file]").first
    box.set_input_files(
        [{"name": name.replace("_", "."), "mimeType": "", "buffer": data} for name, data in files.items()]
    )


@pytest.fixture
def opened(make_desk):
    def give(path: str = "/catalog", **context):
        desk = make_desk(**context).open(path)
        expect(desk.page.locator("h2.finding")).to_be_visible()
        return desk

    return give


def test_uploads_are_listed_kept_and_shared_only_by_link(opened):
    desk = opened()
    ranks = encoding_files(TOY, "tiktoken", "toy")["toy.tiktoken"]
    dropped(desk, toy_json=encoding_files(TOY, "huggingface", "toy")["toy.json"], odd_tiktoken=ranks, bad_json=b"{}")
    expect(desk.page.locator(".brought")).to_have_text(
        re.compile("toy.json is read as toy: Byte-level BPE, 270 tokens")
    )
    expect(desk.page.get_by_role("alert").filter(has_text="Cannot load bad.json")).to_be_visible()
    notice = "odd.tiktoken: This file contains no split pattern"
    expect(desk.page.get_by_role("alert").filter(has_text=notice)).to_be_visible()
    expect(desk.page).to_have_url(re.compile("encoding=loaded-"))

    address = desk.page.url.partition("/catalog")[2]
    desk.page.reload()
    expect(desk.page.locator("h2.finding")).to_have_text("toy: Byte-level BPE, 270 tokens + 1 special token")
    desk.page.get_by_text("More about this tokenizer").click()
    expect(desk.page.locator("dl.tokenizer")).to_contain_text("<|end|>")

    other = opened("/catalog")
    expect(other.page.locator("h2.finding")).not_to_contain_text("270 tokens")
    guest = opened(f"/catalog{address}")
    expect(guest.page.locator("h2.finding")).to_contain_text("270 tokens + 1 special token")


def test_typed_name_of_the_hub_is_sent_by_one_press_and_answered_in_view(opened):
    desk = opened()
    desk.button("From the Hugging Face Hub").click()
    desk.page.get_by_role("textbox", name="A model’s name").press_sequentially("no name!")
    desk.button("Download").click(timeout=3_000)
    refused = "The tokenizer of 'no name!' could not be downloaded: this is not the name of a model."
    expect(desk.page.get_by_role("alert")).to_contain_text(refused)
    expect(desk.page.get_by_test_id("stPopoverBody")).to_have_count(0)  # it would cover the result


def own(desk) -> list[str]:
    """Returns the names of own encodings in the list of models."""
    desk.page.get_by_role("combobox", name="Model").click()
    found = desk.page.get_by_role("option").filter(has_text="opened or downloaded").all_inner_texts()
    desk.page.keyboard.press("Escape")
    return [label.partition(" ")[0] for label in found]


def test_uploads_survive_a_reload_and_removed_ones_do_not(make_desk):
    desk = make_desk(alone=True).open("/catalog")
    ranks = encoding_files(TOY, "huggingface", "toy")["toy.json"]
    dropped(desk, toy_json=ranks, other_json=ranks.replace(b"<|end|>", b"<|stop|>"))
    expect(desk.page.locator(".brought")).to_have_text(
        re.compile("other.json is read as other.*toy.json is read as toy")
    )
    desk.turn_to("Playground")
    desk.choose("Model", "gpt2")
    expect(desk.page).to_have_url(re.compile("encoding=gpt2"))
    for left in (["toy", "other"], ["toy"]):
        desk.page.reload()
        desk.wait_until_drawn()
        until(lambda: own(desk) == left)  # noqa: B023  restored after the page has loaded
        if len(left) > 1:
            desk.open_upload_popover()
            desk.page.get_by_role("button", name="Remove other").click()
            expect(desk.page.get_by_role("button", name="Remove other")).to_have_count(0)
            desk.page.wait_for_function("JSON.parse(sessionStorage.getItem('tokenloupe.tab')).own.keys.length === 1")


COLORS = """(button) => {
  const ground = (one) => {
    const color = getComputedStyle(one).backgroundColor;
    return color === 'rgba(0, 0, 0, 0)' ? ground(one.parentElement) : color;
  };
  return [getComputedStyle(button.querySelector('p')).color, ground(button)];
}"""


def test_load_button_is_readable_disabled_enabled_and_under_the_pointer(opened):
    desk = opened("/catalog")
    table = {"name": "a.tiktoken", "mimeType": "", "buffer": b"YQ== 0\n"}
    desk.page.locator(".st-key-brought_files input[type=file]").set_input_files(table)
    button, question = desk.button("Load with this pattern"), "How does this tokenizer split a text?"

    def assert_readable(scheme: str) -> None:
        desk.page.emulate_media(color_scheme=scheme)
        expect(desk.page.locator("html")).to_have_css("color-scheme", scheme)
        button.evaluate("(one) => Promise.all(one.getAnimations({ subtree: true }).map(({ finished }) => finished))")
        assert contrast(*button.evaluate(COLORS)) >= 4.5

    expect(button).to_be_disabled()
    assert_readable("dark")
    assert_readable("light")
    desk.choose(question, "gpt2")
    expect(button).to_be_enabled()
    for place in (desk.page.get_by_text(question).first, button):
        place.hover()
        assert_readable("dark")
        assert_readable("light")


def test_checks_show_verdicts_and_an_example_opens_in_the_playground(opened):
    desk = opened("/catalog?encoding=gpt2")
    desk.page.get_by_text("Does this tokenizer have defects?").click()
    expect(desk.page.locator(".check")).to_have_count(11)
    row = desk.page.locator(".st-key-soundness .stHorizontalBlock", has_text="Digits")
    expect(row).to_contain_text("! warn")
    row.get_by_role("button", name="2718").click()
    desk.page.locator("html[data-page='']").or_(desk.page.locator("html[data-page='playground']")).wait_for(
        state="attached"
    )
    expect(desk.page.locator(".tokens").first).to_have_text("2718")
    expect(desk.page).to_have_url(re.compile("encoding=gpt2"))
