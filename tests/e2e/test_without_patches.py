"""With TOKENLOUPE_PATCHES=off, on plain Streamlit, every page works for one visitor."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from e2e.desk import ABOUT, PAGES, Desk
from e2e.server import WITHOUT_WARMUP, Server
from e2e.trainer import Trainer
from ui.streamlit_patches.internals import PATCHES_VARIABLE

TEXT = "plain words\nที่นี่ ไม่มีอะไร"


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Server]:
    log = tmp_path_factory.mktemp("plain") / "log.txt"
    with Server(log, WITHOUT_WARMUP, **{PATCHES_VARIABLE: "off"}) as running:
        yield running
    assert not running.log_problems(), running.log()


@pytest.mark.parametrize("path", PAGES)
def test_page_opens_by_its_address(make_desk, path):
    desk = make_desk(Desk)
    desk.visit(path)
    about = desk.button("Train") if path == "/train" else desk.page.locator(ABOUT[path]).first
    expect(about).to_be_visible(timeout=30_000)
    desk.idle()
    expect(desk.page.get_by_test_id("stException")).to_have_count(0)


def test_typed_text_is_counted_and_follows_the_visitor(make_desk):
    desk = make_desk().open()
    desk.write(TEXT)
    desk.expect_counts(TEXT)
    desk.turn_to("Compare")
    expect(desk.page.locator(".column .tokens").first).to_have_text(TEXT, use_inner_text=False)
    desk.turn_to("Under the hood")
    desk.turn_to("Playground")
    desk.expect_counts(TEXT)
    desk.page.reload()
    desk.expect_counts(TEXT)


def test_tokenizer_is_trained_and_listed(make_desk):
    trainer = make_desk(Trainer).open(vocab_size="300")
    trainer.train()
    trainer.go(9)
    assert len(trainer.encodings()) > 3 and trainer.page.url.startswith(trainer.server.url)


def test_link_opens_for_another_visitor(make_desk):
    desk = make_desk().open()
    desk.choose("Model", "GPT-2")
    expect(desk.page).to_have_url(re.compile("encoding=gpt2"))  # plain Streamlit may lose one of two quick messages
    desk.write(TEXT)
    desk.expect_counts(TEXT, "gpt2")
    link = desk.copied_link()
    other = make_desk(locale="en-GB")
    other.page.goto(link)
    other.expect_counts(TEXT, "gpt2")


def test_file_replaces_the_text(make_desk, tmp_path: Path):
    desk = make_desk().open()
    file = tmp_path / "text.txt"
    file.write_text(TEXT, encoding="utf-8")
    desk.open_upload_popover()
    desk.page.locator("input[type=file]").first.set_input_files(file)
    desk.expect_counts(TEXT)
    desk.button("Undo").click()
    expect(desk.area).not_to_have_value(TEXT)
