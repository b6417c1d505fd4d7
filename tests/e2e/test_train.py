"""Training in a browser, against the core."""

import random
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect
from waiting import next_frames

from e2e.desk import assert_boundaries
from e2e.trainer import Trainer, is_key
from tokenizer import count_pre_tokens, extended_encoding, get_encoding, load_encoding, train
from tokenizer.training.corpora import own_corpora
from tokenizer.training.training_history import record_training

MIXED = "ที่นี่มีที่ดี the theme of the thesis 2026 👩‍👩‍👧 مرحبا हिन्दी\n\tน้ำ<b>&amp;"
LONG_TEXT = "".join(random.Random("long").choices("abcdefghijklmnop", k=30_000))
HOSTILE = "<img src=x onerror=alert(1)> </script><script>alert(2)</script> \"'`$x$ [a](http://b) :red[c] " * 12
KEEP_SOCKETS = """window.sockets = [];
window.WebSocket = class extends WebSocket { constructor(...all) { super(...all); window.sockets.push(this); } };"""


@pytest.fixture
def trainer(make_desk) -> Trainer:
    return make_desk(Trainer)


@pytest.fixture(scope="module")
def thai():
    """The expected training on the Thai corpus with the default choices."""
    return record_training(count_pre_tokens(own_corpora()["thai"]), 512, min_count=2)


@pytest.fixture(scope="module")
def key(own_tab, server) -> str:
    """The key of that training, shown in the shared tab."""
    return Trainer(own_tab, server).open().train().key()


@pytest.fixture
def trained(own_tab, server, key) -> Trainer:
    """The page with that training before its first merge, reused from the previous test if possible."""
    trainer = Trainer(own_tab, server)
    if trainer.key() == key and trainer.heading.is_visible():
        return trainer.begin()
    return trainer.open(trained=key).wait_for_timeline()


def test_text_is_cut_by_the_first_merges_at_every_step(trained, thai):
    trained.show_own(MIXED)
    for step in (0, 1, 2, 37, 256, 120):
        trained.go(step)
        trained.expect_cut_by(MIXED, thai.merges[:step], "cl100k_base")
        expect(trained.count("corpus")).to_have_text(f"{thai.num_tokens[step]:,}")
        expect(trained.count("ratio")).to_have_text(f"{thai.num_bytes / thai.num_tokens[step]:.2f}")
        if not step:
            continue
        merge = thai.merges[step - 1]
        expect(trained.panel).to_contain_text(f"id {merge.rank}")
        expect(trained.panel.locator(".sum")).to_contain_text(f"{merge.count:,} times")
        counts = [count for _, count in trained.candidates()]
        assert counts == [merge.count, *(count for *_, count in thai.runners_up(step - 1))]
        tied = thai.runners_up(step - 1)[0][2] == merge.count
        expect(trained.panel.locator(".tie")).to_be_visible(visible=tied)


def test_training_that_begins_from_an_encoding_cuts_by_its_tokens(trainer):
    start, first = get_encoding("gpt2"), 50_257
    trainer.open(begin="gpt2", add="80").train()
    expected = list(train(own_corpora()["thai"], first + 80, start=start, min_count=2))
    trainer.show_own(MIXED)
    for step in (0, 1, 80):
        trainer.go(step)
        tokens = extended_encoding(start, expected[:step]).tokenize(MIXED)
        assert_boundaries(trainer.parts(), tokens)
        expect(trainer.count("text")).to_have_text(f"{len(tokens):,}")
        if step:
            expect(trainer.panel).to_contain_text(f"id {first + step - 1}")
    expect(trainer.page.locator(".because", has_text="50,257 tokens of")).to_contain_text("80 more rows")


def test_timeline_marks_where_the_split_pattern_is_lifted(trainer):
    trainer.open(lift_after="40", vocab_size="340").train()
    expected = train(own_corpora()["thai"], 340, min_count=2, lift_after=40)
    trainer.show_own(MIXED)
    for step in (0, 40, 41, 84):
        trainer.go(step)
        trainer.expect_cut_by(MIXED, expected.merges[:step], None)
        expect(trainer.count("corpus")).to_have_text(f"{expected.num_tokens[step]:,}")
        still_split = trainer.page.get_by_text("The merges before merge 41 were learned while the")
        expect(still_split).to_be_visible(visible=step <= 40)
    sign, dot = trainer.page.locator(".scrubber .lift"), trainer.page.locator(".scrubber .dot")
    expect(sign).to_be_visible()
    trainer.go(40)
    trainer.enter_stage()
    expect(trainer.page.get_by_text("The merges before merge 41 were learned while the")).to_be_in_viewport(ratio=1)
    trainer.page.keyboard.press("Escape")
    trainer.page.wait_for_function("!document.fullscreenElement")
    expect(trainer.page.locator(".st-key-bar")).to_be_visible()
    next_frames(trainer.page)
    box = dot.bounding_box()
    assert sign.bounding_box()["x"] == pytest.approx(box["x"] + box["width"] / 2, abs=1.5)
    expect(trainer.page.locator(".milestones")).to_contain_text("Split pattern lifted: merge 41 made")
    trainer.open(vocab_size="340").train()
    expect(sign).to_be_hidden()


def test_guesses_hide_what_is_below_and_last_over_a_turn_and_a_reload(trained, thai):
    guess = trained.button("Guess the next merge")
    guess.click()
    winner = thai.merges[0]
    options = trained.panel.locator(".options button")
    expect(options.first).to_be_visible()
    assert not re.search(r"\d,\d{3}", trained.panel.inner_text()), "the counts reveal the answer"
    assert (winner.left, winner.right) == (b"\xe0", b"\xb8")
    below = trained.page.locator(".st-key-below_timeline > *")
    expect(below.first).to_be_hidden()
    assert below.filter(visible=True).count() == 0, "the part below reveals later merges"
    options.filter(has_text=re.compile(r"E0.*\+.*B8")).click()
    expect(trained.panel.locator(".verdict")).to_contain_text("✓")
    expect(trained.panel.locator(".score")).to_contain_text("1 of 1")
    trained.panel.get_by_role("button", name="Next").click()
    expect(trained.heading).to_have_text("Which pair becomes merge 2?")
    for is_hidden in (False, True):
        guess.click()
        expect(below.first).to_be_visible(visible=not is_hidden)
    trained.turn_to("Decode")
    expect(trained.page.get_by_role("textbox", name="Token ids")).to_be_visible()
    expect(trained.page.locator("html")).not_to_have_attribute("data-predicting", re.compile(""))
    trained.turn_to("Train")
    for again in (lambda: None, trained.page.reload):
        again()
        expect(trained.heading).to_have_text("Which pair becomes merge 2?")
        expect(trained.panel.locator(".score")).to_contain_text("1 of 1")
        expect(below.first).to_be_hidden()
    guess.click()
    expect(below.first).to_be_visible()


def test_fork_is_trained_and_compared(trained, thai):
    text = own_corpora()["thai"]
    trained.go(21)
    before = trained.key()
    trained.panel.get_by_role("button", name=re.compile("What if")).first.click()
    trained.wait_for_timeline(before)
    left, right, count = thai.runners_up(20)[0]
    start = [*((merge.left, merge.right) for merge in thai.merges[:20]), (left, right)]
    fork = record_training(count_pre_tokens(text), 512, start=start, min_count=2)
    beside = trained.page.locator(".st-key-fork_answer")
    expect(beside).to_contain_text(
        f"The two trainings diverge at merge 21. At the end the corpus has {thai.num_tokens[-1]:,} tokens"
    )
    expect(beside.locator("th.part")).to_have_text("21")
    trained.go(21)
    expect(trained.panel.locator(".sum")).to_contain_text(f"{count:,} times")
    trained.go(200)
    expect(trained.count("corpus")).to_have_text(f"{fork.num_tokens[200]:,}")
    compare = trained.count("compare")
    expect(compare).to_contain_text(f"{fork.num_tokens[200]:,}")
    expect(compare).to_contain_text(f"{thai.num_tokens[200]:,}")
    assert "thai-512-if-21" in trained.encodings()


TAKEN_HOME = {  # format to ending of the file that is loaded again
    "Hugging": ".json",
    "tiktoken": ".tiktoken",
    "GPT-2": "vocab.json",
    "minbpe": ".model",
    "CSV": ".csv",
}


def test_page_begins_with_a_paused_example_and_one_press_trains_and_plays(trainer):
    trainer.visit("/train")
    trainer.expect_step(0)
    expect(trainer.button("Play")).to_be_visible()
    trainer.enter_stage()
    expect(trainer.view).to_be_visible()
    trainer.page.keyboard.press("Escape")
    trainer.train_button.click()  # the same training
    expect(trainer.heading).to_have_text(re.compile(r"^Merge ([2-9]|\d\d+) of"), timeout=20_000)  # plays by itself
    expect(trainer.page).to_have_url(re.compile("trained="))
    trainer.button("Pause").click()


def test_downloaded_encodings_give_the_same_ids(trained, thai, tmp_path):
    ours = thai.encoding("cl100k_base", ["<|endoftext|>"])
    for form, end in TAKEN_HOME.items():
        path = trained.download(form, tmp_path)
        if path.suffix == ".zip":
            folder = tmp_path / path.stem
            zipfile.ZipFile(path).extractall(folder)
            [path] = folder.glob(f"*{end}")
        encoding = load_encoding(path)
        for text in (MIXED, own_corpora()["english"]):
            assert encoding.encode(text) == ours.encode(text), form
        assert encoding.special_tokens == ours.special_tokens, form


def test_trained_encoding_opens_in_the_playground(trained, thai):
    trained.button("Use in the Playground").click()
    expect(trained.page.locator(".tokens:not(.sheet)")).to_have_attribute("data-encoding", "thai-512")
    trained.page.get_by_label("Text to tokenize").fill(MIXED)
    expected = thai.encoding("cl100k_base", ["<|endoftext|>"]).encode(MIXED)
    expect(trained.page.locator(".ids span")).to_have_text(list(map(str, expected)))
    assert is_key(re.search(r"encoding=([^&#]+)", trained.page.url).group(1))


@contextmanager
def paused_training(trainer: Trainer) -> Iterator[None]:
    """Starts a training and pauses it until the end of the block."""
    trainer.open_with(LONG_TEXT, pattern="none", vocab_size="3000")
    trainer.train_button.click()
    with trainer.server.training_held():
        expect(trainer.button("Cancel")).to_be_visible()
        yield


def test_training_can_be_cancelled(trainer):
    with paused_training(trainer):
        trainer.button("Cancel").click()
        expect(trainer.page.get_by_text("Cancelled. Your choices are unchanged.")).to_be_visible()
        expect(trainer.train_button).to_be_enabled()
        expect(trainer.page.get_by_text(f"{len(LONG_TEXT):,} bytes (UTF-8)")).to_be_visible()


def test_training_continues_without_connection_and_on_another_page(make_desk):
    trainer = make_desk(Trainer, alone=True)
    trainer.page.add_init_script(KEEP_SOCKETS)
    with paused_training(trainer):
        trainer.page.evaluate("() => { for (const socket of window.sockets) socket.close(); }")
        trainer.page.wait_for_function("() => window.sockets.at(-1).readyState === WebSocket.OPEN")
        expect(trainer.button("Cancel")).to_be_visible()
        trainer.turn_to("Playground")
        expect(trainer.page.get_by_label("Text to tokenize")).to_be_visible()
        trainer.turn_to("Train")
        expect(trainer.button("Cancel")).to_be_visible()
    expect(trainer.heading).to_be_visible()
    assert is_key(trainer.key())
    trainer.trouble[:] = [line for line in trainer.trouble if "from server" not in line and "CLOSED" not in line]


def test_markup_in_a_training_text_stays_text_and_ties_name_their_rule(trainer):
    trainer.open(corpus="own", vocab_size="420", ties="largest-bytes")
    area, text = trainer.page.get_by_label("A text typed here"), HOSTILE + "\ufffd"
    area.focus()
    area.evaluate("(_, text) => document.execCommand('insertText', false, `${text}\ud800`)", HOSTILE)
    expect(area).to_have_value(text)
    area.blur()
    expect(trainer.page.get_by_text(f"{len(text):,} characters, {len(text.encode()):,} bytes (UTF-8)")).to_be_visible()
    trainer.train()
    for step in (1, 20, 40):
        trainer.go(step)
    expect(trainer.panel.locator(".tie")).to_contain_text("largest-bytes")
    expect(trainer.panel.locator(".tie")).to_contain_text("the pair that comes last in byte order")
    trainer.show_own("<img src=x onerror=alert(3)>")
    assert trainer.page.locator(".timeline img, .stMain script").count() == 0
    assert trainer.dialogs == []


def test_timeline_works_without_the_route(make_desk, thai, key):
    trainer = make_desk(Trainer, alone=True)
    trainer.page.route("**/api/**", lambda route: route.abort())
    trainer.page.route_web_socket("**/api/live", lambda socket: socket.close())
    trainer.open(trained=key).wait_for_timeline()
    trainer.go(37)
    expect(trainer.count("corpus")).to_have_text(f"{thai.num_tokens[37]:,}")
    trainer.trouble.clear()  # of the aborted requests


def test_ten_thousand_merges_are_trained_and_stepped(trainer, tmp_path):
    choice = random.Random(5)
    syllables = [a + b + c for a in "bcdfghjklmnpqrst" for b in "aeiou" for c in ["", "n", "r", "ng"]]
    words = ["".join(choice.choices(syllables, k=choice.randint(1, 4))) for _ in range(20_000)]
    text = " ".join(choice.choices(words, weights=[1 / (i + 5) for i in range(len(words))], k=100_000))
    (tmp_path / "words.txt").write_text(text)
    trainer.open(corpus="files", vocab_size="10256")
    trainer.page.locator("input[type=file]").set_input_files(tmp_path / "words.txt")
    expect(trainer.page.get_by_text(f"{len(text):,} bytes (UTF-8)")).to_be_visible(timeout=20_000)
    trainer.train_button.click()
    expect(trainer.heading).to_be_visible(timeout=60_000)
    merges = list(train(text, 10_256, min_count=2))
    assert len(merges) == 10_000
    for step in (10_000, 5_000, 1):
        trainer.go(step)
    trainer.show_own("banana merge of words")
    trainer.go(7_000)
    trainer.expect_cut_by("banana merge of words", merges[:7_000], "cl100k_base")


def test_unknown_characters_are_counted(trainer):
    trainer.open(alphabet="characters", vocab_size="200").train()
    trainer.button("Use in the Playground").click()
    area, badge = trainer.page.get_by_label("Text to tokenize"), trainer.page.locator("p.badge")
    expect(badge).to_contain_text("thai-200")
    area.fill("น้ำ xyz")
    expect(badge).to_contain_text("3 tokens are unknown: the text they stand for is not in this vocabulary")
    area.fill("น้ำ")
    expect(badge).to_contain_text("round trip returns all 9 bytes")


def test_menu_reload_and_link_restore_the_training_and_the_step(trained, make_desk):
    trained.go(42)
    key = trained.key()
    trained.turn_to("Playground")
    expect(trained.page.get_by_label("Text to tokenize")).to_be_visible(timeout=20_000)
    trained.turn_to("Train")
    for again in (lambda: None, trained.page.reload):
        again()
        trained.wait_for_timeline()
        trained.expect_step(42)
        assert trained.key() == key
    link = trained.copied_link()
    other = make_desk(Trainer)
    other.page.goto(link)
    other.wait_for_timeline()
    other.expect_step(42)
