"""Links to Why from tokens on other pages, and the Why page's own box."""

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, expect

from e2e.desk import DEFAULT, PHONE, expect_grid
from e2e.keyboard import Keyboard
from e2e.trainer import Trainer, is_key
from tokenizer import get_encoding, pre_tokens
from tokenizer.text.samples import samples

MIXED = "one ที่นี่ the theme\nof it 2026"
SAMPLE = samples()[0].text
MAX_TABS_IN_LOUPE = 20


def box(page: Page) -> Locator:
    """The Why page's box."""
    return page.get_by_role("textbox", name="Text", exact=True)


def own_text(page: Page) -> Locator:
    """The Why page's own text, where it is not the desk's."""
    return page.locator(".why-text")


def expect_piece(page: Page, text: str) -> None:
    """Waits until a piece with this text is selected."""
    expect(page.locator(".pieces [aria-selected=true]")).to_have_text(text, use_inner_text=False)


def query(page: Page) -> dict[str, str]:
    """Returns the query of the address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def piece_at(text: str, at: int, pattern: str) -> str:
    return next(one.text for one in pre_tokens(text, pattern) if one.start <= at < one.end)


# The playground and the timeline


def test_menu_and_loupe_lead_to_the_piece_of_the_token(make_desk):
    desk, text = make_desk().open(), "one ที่นี่ two"
    desk.write(text)
    tokens = desk.expect_exact(text)
    desk.open_loupe(0)
    desk.turn_to("Why this split")
    expect_piece(desk.page, "one")
    desk.turn_to("Playground")
    desk.expect_exact(text)
    desk.open_loupe(2)
    desk.press("Why this split?")
    expect(desk.page).to_have_url(re.compile(rf"/why\?.*encoding={DEFAULT}&at={tokens[2].start}"))
    expect(box(desk.page)).to_have_value(text)
    desk.turn_to("Playground")
    desk.expect_exact(text)


def test_timeline_token_links_to_why_by_touch(make_desk):
    trainer = make_desk(Trainer, viewport=PHONE, has_touch=True)
    page = trainer.page
    trainer.open(vocab_size="300").train().show_own(MIXED)
    trainer.view.locator("[data-k]").nth(1).tap()
    button = trainer.loupe.get_by_role("button", name="Why this split?")
    page.locator(".loupe[data-explained]").wait_for()  # what it explains moves the button
    expect(button).to_be_visible()
    assert button.bounding_box()["x"] + button.bounding_box()["width"] <= PHONE["width"]
    button.tap()
    expect(own_text(page)).to_have_text(MIXED, use_inner_text=False)
    assert trainer.horizontal_overflow() == [0, 0]


def test_timeline_token_links_to_why_and_back(make_desk):
    trainer = make_desk(Trainer)
    page = trainer.page
    trainer.open(vocab_size="300").train().show_own(MIXED)
    trainer.go(3)
    trainer.open_loupe(6)
    own = trainer.loupe.locator(".part:not(.other) .tile").all_inner_texts()
    key = trainer.key()
    trainer.loupe.get_by_role("button", name="Why this split?").click()
    expect(page).to_have_url(re.compile(r"/why\?"))
    expect(own_text(page)).to_have_text(MIXED, use_inner_text=False)
    parameters = query(page)
    assert parameters["encoding"] == key and is_key(key)
    at = int(parameters["at"])
    assert MIXED.encode()[at:].startswith(bytes.fromhex("".join(own)))
    expect_piece(page, piece_at(MIXED, at, "cl100k_base"))
    page.get_by_role("link", name="Train").click()
    expect(trainer.view).to_have_text(MIXED, use_inner_text=False)
    trainer.expect_step(3)
    trainer.follow("Why this split")
    expect_piece(page, piece_at(MIXED, at, "cl100k_base"))
    page.reload()
    expect_piece(page, piece_at(MIXED, at, "cl100k_base"))
    assert query(page) == parameters
    page.get_by_role("button", name="Back to my text").click()
    expect(box(page)).to_have_value(SAMPLE)
    assert set(query(page)) == {"encoding"}


def test_why_link_works_by_keyboard_and_a_long_text_survives_a_reload(make_desk):
    trainer = make_desk(Trainer)
    page, why_button = trainer.page, trainer.loupe.get_by_role("button", name="Why this split?")
    trainer.open(pattern="none", vocab_size="300").train()  # the whole text is one piece
    text = trainer.view.text_content()
    assert len(text) > 1000
    trainer.view.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    trainer.loaded_loupe()
    Keyboard(page).tab_to(why_button, MAX_TABS_IN_LOUPE)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/why\?.*kept="))
    shown = re.sub(r"\s+", " ", text)
    for _ in range(2):
        expect(page.locator(".which")).to_have_text("pre-token 1 of 1")
        assert re.sub(r"\s+", " ", own_text(page).text_content()) in shown
        assert len(own_text(page).text_content()) > 200
        page.reload()


# Decode


def test_selected_id_links_to_why_by_mouse_and_keyboard(make_desk):
    desk, encoding = make_desk().open("/decode", encoding="o200k_base"), get_encoding("o200k_base")
    page = desk.page
    ids = encoding.encode(MIXED)
    area = page.get_by_role("textbox", name="Token ids")
    area.fill(" ".join(map(str, ids)))
    area.press("Control+Enter")
    grid = page.get_by_test_id("stDataFrame")
    expect_grid(grid, len(ids), *map(str, ids))  # not the first ids of the page
    for way, row in (("mouse", 3), ("keyboard", 2)):
        if way == "mouse":
            grid.click(position={"x": 12, "y": 35 + 35 * row + 17})  # the row's checkbox, below the head
        else:
            desk.turn_to("Decode")
            expect_grid(grid, len(ids), *map(str, ids))
            desk.idle()
            grid.locator("canvas").first.focus()
            for at, key in enumerate(["ArrowDown"] * row + ["Shift+Space"]):
                expect(grid.locator(f"#glide-cell-1-{at}")).to_be_focused()
                page.keyboard.press(key)
        expect(page.get_by_text(f"Token {row + 1} of {len(ids)}")).to_be_visible()
        page.get_by_role("button", name="Why this split?").click()
        expect(page).to_have_url(re.compile(r"/why\?"))
        at = len(encoding.decode_bytes(ids[:row]))
        expect_piece(page, piece_at(MIXED, at, "o200k_base"))
        assert query(page) == {"encoding": "o200k_base", "text": MIXED, "at": str(at)}
        expect(page.get_by_text("the text of the decoded ids")).to_be_visible()


# The box


def test_long_text_survives_the_menu_and_a_reload(make_desk):
    desk = make_desk().open("/why")
    page = desk.page
    text = "begin " + "word ที่นี่ 👍🏽 " * 1500 + "ends here"
    expect(box(page)).to_have_value(SAMPLE)  # waits, or the text could arrive while it is replaced
    box(page).fill(text)
    expect(page.get_by_text(re.compile(rf"The first \d+ of the {len(text):,} characters in your text"))).to_be_visible()
    assert box(page).input_value() == text
    page.get_by_role("button", name="Next part").click()
    expect(page.get_by_text(re.compile(r"in your text are shown, from byte \d+ on"))).to_be_visible()
    parameters = query(page)
    assert "text" not in parameters and int(parameters["at"]) > 100
    desk.follow("Decode")
    expect(page.get_by_role("textbox", name="Token ids")).to_be_visible(timeout=20_000)
    desk.follow("Why this split")
    expect(box(page)).to_have_value(text)
    expect(page).to_have_url(re.compile(f"at={parameters['at']}"))
    page.reload()
    expect(box(page)).to_have_value(text)
    page.get_by_role("button", name="Previous part").click()
    expect(page.get_by_text(re.compile(r"The first \d+ of the .* in your text are shown"))).to_be_visible()
