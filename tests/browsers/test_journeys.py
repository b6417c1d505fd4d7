"""Journeys of a visitor, from the first key to the saved file, in every engine."""

import csv
import io
import json
import re
from xml.etree import ElementTree

import pytest
from apps import until
from e2e.desk import PAGES, assert_boundaries
from e2e.trainer import PARTS

from browsers.conftest import PHONE
from browsers.reader import ENCODING, SETTLED
from tokenizer import count_pre_tokens, encoding_from_merges
from tokenizer.training.corpora import own_corpora
from tokenizer.training.training_history import record_training

TEXT = "Hello world!\nความคิดเดียวกัน ที่นี่\n孩子们在月光下读书。"
VERIFIED = "verified by the server."  # a comma follows if it has corrected something
NEW_DIGITS = "\U00010d40\U00011bf0\U0001ccf0\U0001e5f1\U00011de0"  # four are of Unicode 16, one is of 17
# Swaps the ids of "!" and "b" in rank tables that are loaded from now on.
SWAP_TWO_RANKS = """() => {
  const own = window.fetch;
  window.fetch = async (...given) => {
    const reply = await own(...given);
    if (!String(given[0]).includes('/ranks/')) return reply;
    const table = new Uint8Array(await reply.arrayBuffer());
    const at = 4 + 6 * new DataView(table.buffer).getUint32(0, true) - 33;
    [table[at + 33], table[at + 98]] = [98, 33];
    return new Response(table, { headers: { 'x-tokenloupe': '1' } });
  };
}"""
LEFTWARD = "שלום עולם טוב\nplain words\nمرحبا يا عالم"


def test_each_key_is_tokenized_and_can_be_undone(reader):
    reader.empty()
    reader.type("Hello, world\nที่นี่ +")
    reader.expect_exact("Hello, world\nที่นี่ +")
    reader.press("Backspace", "Backspace")
    reader.expect_exact("Hello, world\nที่นี่")
    reader.press("Control+z")
    reader.expect_exact("Hello, world\nที่นี่ +")
    reader.press("Control+z")
    reader.expect_exact("Hello, world\nที่นี่ ")
    reader.press("Control+Shift+z")
    reader.expect_exact("Hello, world\nที่นี่ +")


def test_wrong_tokens_of_the_page_are_replaced_counted_and_shown(reader):
    reader.engine.run(SWAP_TWO_RANKS)
    reader.click("[role=radio]", "GPT-2")
    reader.wait(f"{SETTLED}?.encoding === 'gpt2'")
    reader.empty()
    reader.type("a")
    reader.expect_badge(VERIFIED)
    before = corrections(reader)
    reader.type("b !")
    reader.expect_badge("has corrected ")
    reader.expect_exact("ab !", "gpt2")
    until(lambda: corrections(reader) > before)


def test_characters_of_a_newer_unicode_are_encoded_in_the_page_as_by_the_server(reader):
    reader.empty()
    reader.type("a")
    reader.expect_badge(VERIFIED)
    before, text = corrections(reader), " ".join(f"1{digit}234" for digit in NEW_DIGITS)
    reader.paste(text)
    reader.expect_exact(text)
    reader.expect_badge(VERIFIED)
    assert corrections(reader) == before


def corrections(reader) -> int:
    """Returns the number of pieces that the server has corrected since it started."""
    return reader.evaluate("(await (await fetch('/api/corrections')).json()).corrected")


def test_input_method_text_is_tokenized_and_is_one_undo_step(reader):
    reader.empty()
    reader.type("at ")
    reader.engine.compose("日")
    reader.expect_exact("at 日")
    reader.press("Control+z")
    reader.expect_exact("at ")
    reader.press("Control+Shift+z")
    reader.expect_exact("at 日")


def test_pasted_text_is_exact_including_line_endings(reader):
    reader.empty()
    reader.type("ab")
    reader.write_clipboard("one\r\ntwo\r\n" + TEXT)
    reader.click("textarea")
    reader.press("Control+End", "ArrowLeft", "Control+v")
    reader.expect_exact(f"aone\r\ntwo\r\n{TEXT}b".replace("\r\n", reader.engine.line_ending))
    reader.press("Control+z")
    reader.expect_exact("ab")


def test_selected_tokens_are_copied_as_text(reader):
    reader.paste(TEXT)
    reader.expect_exact(TEXT)
    reader.click("summary", "More counts, views and downloads")
    reader.click("button", "Spaces")
    first, last = reader.place(".tokens .t", "Hello"), reader.place(".tokens .t", "在")
    reader.engine.drag((first["left"] + 1, first["y"]), (last["x"], last["y"] - 4), (last["left"] + 1, last["y"]))
    assert not reader.evaluate("!!find('.loupe')")  # a selection does not open the loupe
    reader.press("Control+c")
    reader.empty()
    reader.press("Control+v")
    reader.expect_exact(TEXT[: TEXT.index("在")])


def test_right_to_left_lines_start_at_the_right(reader):
    reader.paste(LEFTWARD)
    reader.expect_exact(LEFTWARD)
    (start, end), hebrew, latin, arabic = reader.evaluate(
        "[find('.frame'), ...args.map((word) => find('.tokens .t', word))]"
        ".map((one) => one.getBoundingClientRect()).map(({ left, right }) => [left, right])",
        "שלום",
        "plain",
        "مرح",
    )
    assert end - hebrew[1] < 40 and end - arabic[1] < 40
    assert latin[0] - start < 40


def test_loupe_steps_from_bytes_to_the_token(reader):
    tokens = reader.expect_exact(reader.text())
    k = next(k for k, token in enumerate(tokens) if tokens.text.encode()[token.start : token.end] == b" thought")
    reader.click(".tokens .t", "thought")
    reader.wait("find('.loupe[data-explained]')")
    assert f"token {k + 1} of {len(tokens)}, id {tokens.ids[k]}" in reader.text_of(".loupe .which")
    inside = "find('.loupe').querySelectorAll('.part:not(.other)').length === args[0]"
    reader.press("Home")
    reader.wait(inside, len(b" thought"))
    reader.press("End")
    reader.wait(inside, 1)
    reader.press("Escape")
    reader.wait("!find('.loupe')")


def test_stage_shows_only_the_tokens_and_saves_a_picture(reader):
    reader.press("Tab", "p")  # moves the focus out of the text
    reader.wait("'stage' in document.documentElement.dataset && !find('.st-key-bar')")
    reader.press("b")
    reader.wait("getComputedStyle(document.documentElement, '::after').backgroundColor === 'rgb(0, 0, 0)'")
    reader.press("b", "Escape")
    reader.wait("find('.st-key-bar')")
    for form in ("svg", "png"):
        reader.click("button", "Share")
        reader.click("button", f"Picture ({form.upper()})")
        picture = reader.downloaded(f"tokenloupe.{form}")
        if form == "png":
            assert picture.startswith(b"\x89PNG")
        else:
            words = "".join(ElementTree.fromstring(picture).itertext())
            assert "thought" in words and "ความคิด" in words


def test_exports_equal_the_core(reader):
    reader.paste(TEXT)
    tokens = reader.expect_exact(TEXT)
    reader.click("summary", "More counts, views and downloads")
    reader.click("button", "CSV")
    rows = list(csv.DictReader(io.StringIO(reader.downloaded(f"tokens-{ENCODING}.csv").decode("utf-8-sig"))))
    assert [int(row["id"]) for row in rows] == tokens.ids
    reader.click("button", "JSON")
    assert [one["id"] for one in json.loads(reader.downloaded(f"tokens-{ENCODING}.json"))["tokens"]] == tokens.ids
    reader.click("button", "SVG")
    assert "Hello" in "".join(ElementTree.fromstring(reader.downloaded(f"tokens-{ENCODING}.svg")).itertext())
    reader.click("button", "HTML")
    assert "Hello" in reader.downloaded(f"tokens-{ENCODING}.html").decode()
    reader.click("button", "Notebook")
    assert json.loads(reader.downloaded(f"tokens-{ENCODING}.ipynb"))["nbformat"] == 4
    reader.click("button", "Copy")
    reader.wait("find('.done', 'Ids copied.')")
    reader.click("textarea")
    reader.press("Control+a", "Control+v")
    reader.wait("find('textarea').value.startsWith(args[0])", str(tokens.ids[0]))
    assert [int(one) for one in re.findall(r"\d+", reader.text())] == tokens.ids


def test_saved_page_is_opened_from_disk_and_typed_in(reader, tmp_path):
    reader.paste(TEXT)
    reader.expect_exact(TEXT)
    reader.click("summary", "More counts, views and downloads")
    reader.click("button", "HTML")
    file, typed = tmp_path / "saved.html", "Merged ที่นี่, don't 12345"
    file.write_bytes(reader.downloaded(f"tokens-{ENCODING}.html"))
    reader.engine.go(file.as_uri())
    reader.empty()
    reader.type(typed)
    tokens = reader.expect_exact(typed)
    reader.wait("find('h1').innerText === args[0]", f"{len(tokens)} tokens in {ENCODING}")
    k = next(k for k, token in enumerate(tokens) if tokens.text.encode()[token.start : token.end] == b"123")
    reader.click(".tokens .t", "123")
    reader.wait("find('.loupe .which').innerText.startsWith(args[0])", f"token {k + 1} of {len(tokens)}, id ")
    reader.press("Escape")
    reader.click("summary", "How merges build tokens")
    reader.wait("find('.size-count b')?.innerText === args[0]", f"{len(tokens)} tokens")
    reader.click("input[type=range]")
    reader.press("Home")
    reader.wait("find('.size-count b').innerText === args[0]", f"{len(typed.encode())} tokens")


def test_link_and_reload_restore_the_text(reader):
    reader.paste(TEXT)
    reader.expect_exact(TEXT)
    reader.turn_to("Compare")
    reader.turn_to("Playground")
    reader.expect_exact(TEXT)
    reader.open()
    reader.expect_exact(TEXT)
    reader.click("button", "Share")
    reader.click("button", "Copy link")
    reader.wait("find('.done', 'Link copied. Your text is in the link')")
    reader.empty()
    reader.press("Control+v")
    reader.wait("find('textarea').value.startsWith('http')")
    link = reader.text()
    reader.clear_storage()
    reader.open(link.removeprefix(reader.address))
    reader.expect_exact(TEXT)


def test_timeline_shows_the_tokens_after_each_merge(reader):
    own = "ที่นี่มีที่ดี the theme of the thesis"
    history = record_training(count_pre_tokens(own_corpora()["thai"]), 300, min_count=2)
    reader.open("/train?corpus=thai&vocab_size=300")
    reader.click("button", "Train")
    reader.wait("find('.timeline .jump')")
    reader.write_clipboard(own)
    reader.click("button", "Tokenize another text")
    reader.click(".timeline textarea")
    reader.press("Control+a", "Control+v")
    for step in (12, 13, 44):
        reader.click(".timeline .jump")
        reader.press("Control+a")
        reader.type(f"{step}\n")
        reader.wait("find('.timeline .panel .which').innerText.startsWith(`Merge ${args[0]} of`)", step)
        tokens = encoding_from_merges(history.merges[:step], "cl100k_base").tokenize(own)
        reader.wait("find('.timeline [data-count=text]').innerText === args[0]", str(len(tokens)))
        parts = json.loads(reader.evaluate(f"({PARTS})(find('.timeline .tokens'))"))
        assert "".join(row[2] for part in parts for row in part) == own
        assert_boundaries(parts, tokens)


def test_click_on_a_chart_selects_its_row(reader):
    reader.open("/languages")
    reader.wait("find('.finding') && find('.stVegaLiteChart svg text', 'Georgian')")
    name = reader.place(".stVegaLiteChart svg text", "Georgian", is_pressed=False)
    reader.engine.drag((name["right"] + 3, name["y"]))  # the row starts beside the name
    reader.wait("find('.finding')?.innerText.includes('sentences in Georgian take ')")


@pytest.mark.parametrize("path", PAGES)
def test_pages_open_without_errors_wide_and_on_a_phone(reader, path):
    reader.open(path)
    reader.wait("find('h1')")
    assert reader.horizontal_overflow() == [0, 0]
    reader.engine.resize(*PHONE)
    until(lambda: reader.horizontal_overflow() == [0, 0])
