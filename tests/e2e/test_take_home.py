"""The exported page, opened from disk and offline: numbers, loupe, timeline and hostile texts."""

import re

import pytest
from oracles import oracle
from playwright.sync_api import expect

from e2e.axe import AXE, violations
from e2e.offline_pages import WRITE, assert_ids_equal_tiktokens, record_trouble
from e2e.trainings import ENGLISH, THAI, naive_cut
from server.encodings import encoding_store
from server.exports.take_home import take_home
from server.training.jobs import Job
from tokenizer.encoding.bpe import first_merges
from tokenizer.encoding.loupe import loupe
from tokenizer.kinds.byte_bpe import byte_bpe
from tokenizer.text.units import count_graphemes, count_words
from tokenizer.text.well_formed import well_formed
from tokenizer.training.worker import Order

TEXTS = {
    "english": "The unbelievably lazy dog.\n\n  Tokenization is fun, isn't it? " * 3,
    "thai": "ที่นี่มีแมวนอนบนเสื่อ น้ำท่วม",
    "arabic": "مرحبا بالعالم، كيف حالك؟ hello 123",
    "emoji": "👩‍👩‍👧 👍🏽 🇹🇭 e\u0301 ﷺ",
    "markup": "</script><script>alert(1)</script><!-- <b>&amp;</b> <img src=x onerror=alert(1)> {title}",
    "unseen": "a\u2028b\u2029c\0d\ufeff\u200be\r\nf\x07 \ud800",
}


@pytest.fixture(scope="module")
def trained():
    """A trained encoding in the store."""
    job = Job("take-home", Order(300), (ENGLISH * 5 + THAI,))
    job.run()
    return encoding_store.add_trained(job, Order(300).pattern, ["<|end|>"], "tiny <b>")


class Home:
    """An exported page, opened offline."""

    def __init__(self, context, path):
        self.page = context.new_page()
        self.trouble = record_trouble(self.page, lambda url: url.startswith("file:"))
        self.page.goto(path.as_uri())
        part = self.page.locator(":is(.strip, .editor)")
        self.view = self.page.locator(".strip .tokens, .editor .pane .tokens")
        self.loupe, self.area = part.locator(".loupe"), part.locator("textarea")
        self.timeline = self.page.locator(".timeline")
        expect(self.view).to_have_attribute("data-tokens", re.compile(r"\d"))

    def token(self, k):
        return self.view.locator(f'.t[data-k="{k}"]').first

    def wait_for_encoder(self):
        self.write("ready")
        expect(self.view).to_have_text("ready")
        expect(self.view).not_to_have_attribute("data-stale", "")

    def wait_for_ids(self):
        """Waits until the keyboard can scroll the ids if they do not fit."""
        ids = self.page.locator(".ids").element_handle()
        self.page.wait_for_function("(ids) => (ids.scrollHeight > ids.clientHeight) === (ids.tabIndex === 0)", arg=ids)

    def write(self, text):
        """Puts a text into the box; returns the ids that are drawn before the browser's next frame, if they all are."""
        return self.area.evaluate(WRITE, text)

    def count(self, unit):
        return int(self.page.locator("main > .counts > div", has_text=unit).locator("dd").inner_text().replace(",", ""))


@pytest.fixture(scope="module")
def offline(browser):
    """Returns a function that gives an offline context, shared for equal options."""
    contexts = {}

    def give(**options):
        if (key := repr(sorted(options.items()))) not in contexts:
            size = {"width": 1280, "height": 800}
            contexts[key] = browser.new_context(locale="en-US", offline=True, **{"viewport": size, **options})
        return contexts[key]

    yield give
    for context in contexts.values():
        context.close()


@pytest.fixture
def opened(offline, tmp_path):
    """Returns a function that opens the page of a text; requests, errors and dialogs fail the test."""
    homes = []

    def give(text, entry, special="text", **options):
        path = tmp_path / "tokens.html"
        path.write_text(take_home(text, entry, special), encoding="utf-8")
        homes.append(Home(offline(**options), path))
        return homes[-1]

    yield give
    for home in homes:
        home.page.close()
    assert [home.trouble for home in homes if home.trouble] == []


@pytest.mark.parametrize("text", TEXTS)
def test_counts_ids_and_descriptions_of_the_tokens_equal_tiktokens(opened, text):
    own, gpt2 = well_formed(TEXTS[text])[0], oracle("gpt2")
    home, ids = opened(TEXTS[text], encoding_store.find("gpt2")), gpt2.encode_ordinary(own)
    expect(home.page.locator("h1")).to_have_text(f"{len(ids)} tokens in gpt2")
    assert [home.count(unit) for unit in ("tokens", "characters", "bytes")] == [len(ids), len(own), len(own.encode())]
    assert home.page.locator(".ids").text_content().split() == list(map(str, ids))
    assert home.view.evaluate("(view) => view.textContent") == own
    reads = home.page.locator(".reads")
    home.token(0).hover(position={"x": 1, "y": 8})
    expect(reads).to_contain_text(f"token 1 of {len(ids)}: ")
    home.view.focus()
    for k in range(min(8, len(ids))):
        home.page.keyboard.press("Home") if k == 0 else home.page.keyboard.press("ArrowRight")
        data = gpt2.decode_single_token_bytes(ids[k]).hex(" ").upper()
        expect(reads).to_have_text(re.compile(rf"^token {k + 1} of {len(ids)}: .*, id {ids[k]}, bytes {data}$", re.S))


def test_ids_of_typed_texts_equal_tiktokens(opened):
    home = opened("A text to change.", encoding_store.find("o200k_base"))
    home.wait_for_encoder()
    assert_ids_equal_tiktokens(home.write, "o200k_base", TEXTS.values())


def test_typed_text_is_counted_undone_and_not_stored(opened):
    home = opened("Hello", encoding_store.find("o200k_base"))
    home.area.press("End")
    home.area.press_sequentially(" สวัสดีครับ, 👍🏽!")
    text = "Hello สวัสดีครับ, 👍🏽!"
    ids = oracle("o200k_base").encode_ordinary(text)
    expect(home.page.locator("h1")).to_have_text(f"{len(ids)} tokens in o200k_base")
    expect(home.page).to_have_title(f"{len(ids)} tokens in o200k_base")
    assert [home.count(unit) for unit in ("tokens", "characters", "graphemes", "words", "bytes")] == [
        len(ids),
        len(text),
        count_graphemes(text),
        count_words(text),
        len(text.encode()),
    ]
    home.area.press("Control+z")
    expect(home.area).not_to_have_value(text)
    expect(home.view).to_have_text(home.area.input_value())
    home.token(1).click()
    stored = "() => [localStorage.length, sessionStorage.length, document.cookie, location.hash]"
    assert home.page.evaluate(stored) == [0, 0, "", ""]


def test_long_text_is_encoded_and_a_part_without_a_place_to_split_is_refused(opened):
    home, name = opened("Hello", encoding_store.find("o200k_base")), "o200k_base"
    text = "The cat sat on the mat. ที่นี่มีแมว\n" * 5_600
    home.write(text)
    count = len(oracle(name).encode_ordinary(text))
    expect(home.page.locator("h1")).to_have_text(f"{count:,} tokens in {name}")
    home.write("x" * 20_001)
    notice = home.page.locator(".notice")
    expect(notice).to_have_text(re.compile(r"^The text has a part of more than 20,000 bytes [^(]* Shorten this .*$"))
    expect(home.page.locator("h1")).to_have_text(name)
    expect(home.page.locator("dd")).to_have_text(["–"] * 5)
    expect(home.view).to_be_hidden()
    home.write("x" * 20_000)
    expect(home.page.locator("h1")).to_have_text(
        f"{len(oracle(name).encode_ordinary('x' * 20_000)):,} tokens in {name}"
    )
    expect(notice).to_be_hidden()
    expect(home.view).to_be_visible()


def test_slider_cuts_what_is_typed_by_the_first_merges(opened):
    home, text = opened("Hello", encoding_store.find("gpt2"), reduced_motion="reduce"), "Tokens ที่ are fun 👍🏽"
    home.page.get_by_text("How merges build").click()
    home.area.fill(text)
    slider, lane = home.page.locator(".vocabulary").get_by_role("slider"), home.page.locator(".vocabulary .tokens")
    expect(lane).to_have_text(text)
    for key in ["ArrowLeft", "PageDown", "Home"]:
        slider.press(key)
        said = slider.get_attribute("aria-valuetext")
        found = re.search(r"first ([\d,]+) merges of gpt2", said)
        merges = first_merges(
            encoding_store.find("gpt2").encoding.model.ranks, int(found[1].replace(",", "")) if found else 0
        )
        count = len(byte_bpe("cut", "gpt2", merges).encode(text))
        assert f": {count} tokens" in said and bool(found) == (key != "Home")


def test_text_over_the_limit_shows_no_tokens(opened):
    home = opened("Hello", encoding_store.find("gpt2"))
    long = "a " * 2_500_001
    home.write(long)
    expect(home.page.locator("h1")).to_have_text("gpt2")
    for text, count in (("Hello", "1 token"), ("other words", "2 tokens")):
        home.write(text)
        expect(home.page.locator("h1")).to_have_text(f"{count} in gpt2")
    home.write(long)
    expect(home.page.locator(".notice")).to_contain_text("more than 5,000,000 bytes")
    expect(home.page.locator("h1")).to_have_text("gpt2")


def expect_loupe_of_the_core(home, text, is_typed=False):
    """Opens the loupe on the first tokens, whose steps are those of the core; so are the walls of a saved text."""
    encoding = encoding_store.find("o200k_base").encoding
    tokens = list(encoding.tokenize(text))
    home.view.focus()
    home.page.keyboard.press("Home")
    for k in range(min(6, len(tokens))):
        home.page.keyboard.press("Enter") if k == 0 else home.page.keyboard.press("ArrowRight")
        facts = loupe(text, tokens[k].start, encoding)
        expect(home.loupe.locator(".which")).to_have_text(f"token {k + 1} of {len(tokens)}, id {tokens[k].id}")
        for wall in [] if is_typed else facts["walls"]:
            expect(home.loupe.locator(".walls")).to_contain_text(wall)
        steps = own_steps(facts, tokens[k])
        if not steps:
            expect(home.loupe.locator(".steps")).to_be_hidden()
            continue
        for done, rank in enumerate(steps):
            expect(home.loupe.locator(".count")).to_have_text(f"Merge {done} of {len(steps)}")
            expect(home.loupe.locator(".winner small")).to_have_text(f"rank {rank}")
            home.page.keyboard.press("ArrowDown")
        expect(home.loupe.locator(".sentence")).to_contain_text(f"rank {steps[-1]}.")
    home.page.keyboard.press("Escape")
    expect(home.loupe).to_be_hidden()


@pytest.mark.parametrize("text", ["thai", "arabic", "unseen"])
def test_loupe_of_a_saved_text_shows_the_walls_and_steps_of_the_core(opened, text):
    own = well_formed(TEXTS[text])[0]
    expect_loupe_of_the_core(opened(own, encoding_store.find("o200k_base"), reduced_motion="reduce"), own)


def test_loupe_of_typed_texts_shows_the_steps_of_the_core(opened):
    home = opened("", encoding_store.find("o200k_base"), reduced_motion="reduce")
    home.wait_for_encoder()
    for text in TEXTS.values():
        own = well_formed(text)[0].replace("\r", "")
        home.write(own)
        expect_loupe_of_the_core(home, own, is_typed=True)


def own_steps(facts, token):
    """Returns the ranks of the merges inside a token, in order."""
    parts = [(i, i + 1) for i in range(facts["end"] - facts["start"])]
    at, end, ranks = token.start - facts["start"], token.end - facts["start"], []
    for position, rank in zip(facts["merges"]["positions"], facts["merges"]["ranks"], strict=True):
        parts[position : position + 2] = [(parts[position][0], parts[position + 1][1])]
        if at <= parts[position][0] and parts[position][1] <= end:
            ranks.append(rank)
    return ranks


def test_timeline_steps_by_keyboard(opened, trained):
    home = opened(ENGLISH, trained, reduced_motion="reduce")
    slider, lane = home.timeline.get_by_role("slider"), home.timeline.locator(".tokens")
    expect(home.page.locator("h1")).to_contain_text("tokens in tiny <b>")
    slider.focus()
    for step in range(4):
        expect(lane).to_have_attribute("data-step", str(step))
        expect(lane).to_have_attribute("data-tokens", str(len(naive_cut(ENGLISH, trained, step))))
        home.page.keyboard.press("ArrowRight")
    home.page.keyboard.press("End")
    last = len(trained.history)
    expect(lane).to_have_attribute("data-step", str(last))
    expect(lane).to_have_attribute("data-tokens", str(len(trained.encoding.encode(ENGLISH))))
    for button in ("Tokenize another text", "What if", "Why this split"):
        expect(home.page.get_by_role("button", name=button)).to_have_count(0)
    lane.locator(".t").nth(2).click()
    expect(home.timeline.locator(".loupe .which")).to_contain_text("id")
    expect(home.timeline.locator(".loupe .walls")).to_contain_text("ends")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_page_is_accessible_and_fits(opened, trained, width, scheme):
    size = {"width": width, "height": 800}
    home = opened(ENGLISH + THAI, trained, color_scheme=scheme, reduced_motion="reduce", viewport=size)
    home.wait_for_ids()
    home.page.set_viewport_size({**size, "width": 1670 - width})  # more or less of the ids fits
    home.wait_for_ids()
    home.page.set_viewport_size(size)
    home.wait_for_ids()
    home.page.evaluate(AXE.read_text(encoding="utf-8"))
    home.token(3).click()
    expect(home.loupe).to_be_visible()
    assert violations(home.page) == []
    home.page.keyboard.press("Escape")
    home.page.get_by_text("How merges build").click()
    expect(home.page.locator(".vocabulary").get_by_role("slider")).to_be_visible()
    assert violations(home.page) == []
    assert home.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_right_to_left_text_starts_at_the_right(opened):
    home = opened(TEXTS["arabic"], encoding_store.find("o200k_base"))
    view, first = home.view.bounding_box(), home.token(0).bounding_box()
    assert view["x"] + view["width"] - first["x"] - first["width"] < 40


def test_tokens_are_shown_without_scripts(browser, tmp_path):
    path = tmp_path / "tokens.html"
    path.write_text(take_home(TEXTS["thai"], encoding_store.find("gpt2")), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert page.locator("noscript .tokens .t").count() > 3
    expect(page.locator("noscript .tokens")).to_have_text(TEXTS["thai"])
    expect(page.locator("textarea")).to_be_hidden()
    context.close()


def test_print_contains_the_whole_text_and_the_ids(opened):
    text = "the cat sat on the mat. " * 200
    home = opened(text, encoding_store.find("gpt2"))
    home.page.emulate_media(media="print")
    home.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(home.page.locator(".ids")).to_be_visible()
    expect(home.page.locator(".hint")).to_be_hidden()
    assert home.view.evaluate("(view) => view.scrollHeight <= view.clientHeight + 2")
    assert home.view.locator(".t").count() == len(oracle("gpt2").encode_ordinary(text))
    assert len(home.page.pdf()) > 10_000
