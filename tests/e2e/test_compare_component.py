"""The comparison component in a browser, against brute force, with routes as of the server."""

import json
import random
import re
from functools import lru_cache
from itertools import accumulate

import pytest
from oracles import contrast
from playwright.sync_api import Page, expect
from waiting import awaited, next_frames

from e2e.corpus import edited, units
from e2e.desk import write
from e2e.stage import Stage as Base
from server.editor_api.questions import answer
from server.encodings import encoding_store
from tokenizer import get_encoding, known_as
from tokenizer.display.comparing import two_places
from tokenizer.i18n import using_language
from ui.widgets.encoding_component import encoding_data

FOUR = ["gpt2", "cl100k_base", "o200k_base", "p50k_base"]
SCRIPTS = "It's 12345, isn't it?\nความคิดเดียวกัน ที่นี่\nمرحبا بالعالم 孩子们。\nनमस्ते 👩‍👩‍👧 strawberry\n"
SHARED = "import('/web/js/editor/tab-state.js').then((all) => all.linkContent())"  # what a link would have


@pytest.fixture
def rng(request) -> random.Random:
    return random.Random(request.node.name)


# ---- brute force ----


@lru_cache(64)
def spans_of(text: str, name: str) -> list[tuple[int, int]]:
    """Returns start and end of each token in bytes, from tiktoken's ids."""
    enc = get_encoding(name)
    ends = list(accumulate(len(enc.decode_bytes([id])) for id in enc.encode(text)))
    return list(zip([0, *ends], ends, strict=False))


def disputed(text: str, names: list[str]) -> tuple[int, dict[int, int]]:
    """Returns the number of shared boundaries, and the disputed ones with the bits of their encodings."""
    cuts = [{start for start, _ in spans_of(text, name)[1:]} for name in names]
    all_have, some = set.intersection(*cuts), set.union(*cuts) - set.intersection(*cuts)
    return len(all_have), {at: sum(1 << d for d, own in enumerate(cuts) if at in own) for at in sorted(some)}


DRAWN = """(mark) => part.columns.map((column) => Array.from(column.view.querySelectorAll('.part'), (node) => (
  Array.from(node.children).filter((one) => !mark || one.classList.contains(mark)).map((one) => ({
    text: one.textContent, k: Number(one.dataset.k), n: Number(one.dataset.n ?? 1), classes: [...one.classList],
    base: column.tokenized.tokens.parts.get(node).chunk.base, leftward: 'leftward' in one.dataset,
    odd: one.style.getPropertyValue('--odd'),
    lit: ['lit', 'now', 'pinned'].map((mark) => ['', '-over'].map((end) => (
      one.style.getPropertyValue(`--${mark}${end}`)))),
  })))).flat())"""


class Stage(Base):
    """The comparison on a page."""

    folder, sheets = "web/compare", ("tokens.css", "loupe.css")

    def answer(self, name, query, body):
        with using_language(query.get("lang", "en")):
            return answer(name, query, body, encoding_store.find(query["encoding"]))

    def __init__(self, page: Page):
        super().__init__(page)
        self.area = page.get_by_label("Text to compare")
        self.columns = page.locator(".column")
        self.where = page.locator(".where")
        self.live = page.locator(".live")
        self.names: list[str] = []

    def data(
        self, names: list[str], text: str = "", push: str = "first", special: str = "text", baseline: str = ""
    ) -> dict:
        push = {"id": push, "text": text, "initial": push == "first", "holds": push}
        encodings = [encoding_data(encoding_store.find(name), special) for name in names]
        baseline = baseline or names[0]
        return {"url": "/api", "push": push, "answer": None, "encodings": encodings, "baseline": baseline}

    def mount(self, names: list[str], text: str) -> "Stage":
        self.names = names
        self.show(self.data(names, text))
        return self.wait_until_drawn(text)

    def give(self, names: list[str], **options) -> None:
        """Updates the component as a rerun does."""
        self.names = names
        self.page.evaluate("(data) => give(data)", self.data(names, **options))

    def write(self, text: str) -> "Stage":
        write(self.area, text)
        return self.wait_until_drawn(text)

    def wait_until_drawn(self, text: str) -> "Stage":
        """Waits until all columns show a text."""
        self.page.wait_for_function(
            """([size, names]) => part.isAgreed && part.columns.map(({ key }) => key).join() === names
              && part.columns.every(({ view, tokenized }) =>
                !tokenized.isStale && Number(view.dataset.chars) === size)""",
            arg=[units(text), ",".join(self.names)],
        )
        return self

    def press(self, label: str) -> None:
        self.page.get_by_role("button", name=label, exact=True).click()

    def drawn(self, mark: str = "") -> list[list[dict]]:
        """Returns the elements of each column in order: all, or those with a mark."""
        return json.loads(self.page.evaluate(f"(mark) => JSON.stringify(({DRAWN})(mark))", mark))

    def flagged(self, text: str) -> list[list[int]]:
        """Returns the bytes at which each column has a flag."""
        out = []
        for name, column in zip(self.names, self.drawn("odd"), strict=True):
            spans, own = spans_of(text, name), []
            for one in column:
                stops = re.findall(r"transparent ([\d.]+)%", one["odd"]) if one["n"] > 1 else ["0"]
                assert stops
                for stop in stops:
                    own.append(spans[one["base"] + one["k"] + round(float(stop) * one["n"] / 100)][0])
            out.append(own)
        return out

    def marked(self, mark: str) -> list[list[int]]:
        """Returns the numbers of the tokens with a mark in each column."""
        out = []
        for column in self.drawn(mark):
            own = set()
            for one in column:
                first, over = 0, one["n"]
                if one["n"] > 1:
                    first, over = map(int, one["lit"][["lit", "now", "pinned"].index(mark)])
                    first = one["n"] - first - over if one["leftward"] else first
                own |= {one["base"] + one["k"] + band for band in range(first, first + over)}
            out.append(sorted(own))
        return out

    def expect_marks(self, text: str) -> None:
        shared, some = disputed(text, self.names)
        assert self.flagged(text) == [
            [at for at, mask in some.items() if mask & 1 << d] for d in range(len(self.names))
        ]
        if len(self.names) > 1:
            expect(self.page.locator(".numbers")).to_have_text(
                f"Token boundaries: {shared:,} in all token views, {len(some):,} only in some"
            )


@pytest.fixture
def stage(blank) -> Stage:
    stage = Stage(blank)
    yield stage
    stage.close()


def overlap(text: str, names: list[str], start: int, end: int) -> list[list[int]]:
    return [[k for k, (a, b) in enumerate(spans_of(text, name)) if a < end and start < b] for name in names]


def test_flags_and_numbers_equal_brute_force_after_edits(stage, rng):
    text = SCRIPTS
    stage.mount(FOUR, text).expect_marks(text)
    for _ in range(6):
        text = edited(rng, text)
        stage.write(text).expect_marks(text)


def test_burst_of_keys_shows_no_frame_without_colours_or_flags(stage):
    text = SCRIPTS * 8
    stage.mount(FOUR, text)
    stage.page.evaluate(
        """() => {
          const seen = window.seen = { frames: 0, bare: 0 };
          const look = () => {
            seen.frames++;
            for (const { view } of part.columns) {
              const first = view.querySelector('.t');
              const bare = !first || !getComputedStyle(first).backgroundImage.includes('gradient');
              if (bare || !view.querySelector('.odd')) seen.bare++;
            }
            seen.next = requestAnimationFrame(look);
          };
          look();
        }"""
    )
    stage.area.evaluate("(area) => { area.focus(); area.setSelectionRange(5, 5); }")
    burst = "brown foxes 12345 lazy"
    stage.page.keyboard.type(burst, delay=15)
    text = text[:5] + burst + text[5:]
    stage.wait_until_drawn(text)
    seen = stage.page.evaluate("() => { cancelAnimationFrame(seen.next); return seen; }")
    assert seen["frames"] > 10 and seen["bare"] == 0
    stage.expect_marks(text)
    expect(stage.where).to_have_text("")  # a letter n in the box does not move to a difference


def test_flags_stay_exact_with_one_encoding_and_without_text(stage):
    stage.mount(["gpt2"], SCRIPTS).expect_marks(SCRIPTS)
    expect(stage.page.locator(".numbers")).to_be_hidden()
    stage.give(["gpt2", "o200k_base"])
    stage.wait_until_drawn(SCRIPTS).expect_marks(SCRIPTS)
    stage.write("")
    assert stage.flagged("") == [[], []]
    stage.page.locator(".tokens").first.focus()
    stage.page.keyboard.press("n")
    expect(stage.live).to_contain_text("No differences")


def test_flags_can_be_hidden(stage):
    stage.mount(FOUR, SCRIPTS)
    flag = """(column) => getComputedStyle(column.querySelector('.odd:not(.cut)')).backgroundImage"""
    shown = stage.columns.first.evaluate(flag)
    stage.press("Mark differences")
    hidden = stage.columns.first.evaluate(flag)
    assert shown.count("linear-gradient") == hidden.count("linear-gradient") + 1
    stage.press("Mark differences")
    assert stage.columns.first.evaluate(flag) == shown


def test_flags_within_a_grapheme_are_shown_in_bytes_mode(stage):
    text = "a ที่นี่"
    stage.mount(["gpt2", "cl100k_base"], text)
    stage.press("Bytes")
    stage.expect_marks(text)
    glyph = stage.columns.first.locator(".cut.odd > .glyph").first
    assert glyph.evaluate("(one) => getComputedStyle(one).backgroundImage").count("linear-gradient") == 2


# ---- linked ----


@pytest.mark.parametrize(
    ("text", "own", "every"), [(SCRIPTS, 2, 5), *((banded, 0, 1) for banded in ("ที่ น้ำ", "שָׁלוֹם", "a👩‍👩‍👧b"))]
)
def test_hover_highlights_overlapping_tokens_in_every_column(stage, text, own, every):
    stage.mount(FOUR, text)
    spans = spans_of(text, FOUR[own])
    elements = stage.columns.nth(own).locator(".part > .t")
    bands = 0
    for i, one in list(enumerate(stage.drawn()[own]))[::every]:
        if one["text"] == "\n":
            continue
        elements.nth(i).scroll_into_view_if_needed()
        x, y, width, height = elements.nth(i).evaluate(
            "(one) => { const b = one.getClientRects()[0]; return [b.x, b.y, b.width, b.height]; }"
        )
        for band in range(one["n"] if every == 1 else 1):
            along = (band + 0.5) / one["n"]
            stage.page.mouse.move(x + width * (1 - along if one["leftward"] else along), y + height * 0.7)
            assert stage.marked("lit") == overlap(text, FOUR, *spans[one["base"] + one["k"] + band]), one["text"]
            bands += one["n"] > 1
    assert bands >= 3 or text == SCRIPTS
    stage.page.mouse.move(0, 0)
    assert stage.marked("lit") == [[]] * 4


def test_pin_follows_its_bytes_and_is_described(stage):
    text = "x ที่นี่ end"
    stage.mount(FOUR, text)
    stage.columns.nth(2).locator(".t").filter(has_text="ที่").click()
    [k] = [k for k, (a, b) in enumerate(spans_of(text, "o200k_base")) if a <= 3 < b]
    start, end = spans_of(text, "o200k_base")[k]
    assert stage.marked("pinned") == overlap(text, FOUR, start, end)
    expect(stage.page.locator(".loupe .which")).to_contain_text(f"o200k_base, token {k + 1} of")
    stage.page.keyboard.press("Escape")
    expect(stage.page.locator(".loupe")).to_be_hidden()  # the range stays pinned for the table
    rows = stage.page.locator(".stretch tbody tr")
    for d, tokens in enumerate(overlap(text, FOUR, start, end)):
        enc = get_encoding(FOUR[d])
        expect(rows.nth(d).locator("th")).to_have_text(FOUR[d])
        expect(rows.nth(d).locator("td").first).to_have_text(str(len(tokens)))
        ids = enc.encode(text)
        for chip, k in zip(rows.nth(d).locator(".chip").all(), tokens, strict=True):
            expect(chip).to_contain_text(f"id {ids[k]}")
            expect(chip).to_have_attribute("title", enc.decode_bytes([ids[k]]).hex(" ").upper())
    text = "longer " + text
    stage.write(text)
    assert stage.marked("pinned") == overlap(text, FOUR, start + 7, end + 7)
    expect(stage.page.locator(".stretch h2")).to_contain_text(f"bytes {start + 8} to {end + 7} of the text")
    stage.give(FOUR[1:])
    stage.wait_until_drawn(text)
    assert stage.marked("pinned") == overlap(text, FOUR[1:], start + 7, end + 7)
    stage.write("gone")
    assert stage.marked("pinned") == [[]] * 3
    expect(stage.page.locator(".stretch table")).to_be_hidden()


def test_keys_move_within_and_between_columns(stage):
    text = "one ที่ two"
    stage.mount(FOUR[:3], text)
    stage.columns.first.locator(".tokens").focus()
    keys = stage.page.keyboard
    for k in range(3):
        keys.press("ArrowRight")
        start, end = spans_of(text, "gpt2")[k]
        assert stage.marked("now") == overlap(text, FOUR[:3], start, end)
        expect(stage.live).to_contain_text(f"gpt2, token {k + 1} of")
    keys.press("Tab")
    assert stage.columns.nth(1).locator(".tokens").evaluate("(view) => view.getRootNode().activeElement === view")
    keys.press("ArrowRight")
    [here] = [k for k, (a, b) in enumerate(spans_of(text, "cl100k_base")) if a <= start < b]
    assert stage.marked("now")[1] == [here + 1]
    keys.press("Enter")
    assert stage.marked("pinned")[1] == [here + 1]
    expect(stage.page.locator(".loupe .which")).to_contain_text("cl100k_base, token")
    keys.press("Escape")  # closes the loupe
    keys.press("Escape")
    assert stage.marked("pinned") == stage.marked("now") == [[]] * 3


# ---- disagreements ----


def test_next_and_previous_visit_every_disagreement_in_order(stage):
    text = SCRIPTS
    stage.mount(FOUR, text)
    _, some = disputed(text, FOUR)
    stage.columns.nth(1).locator(".tokens").focus()
    bytes_gone_to = []
    for number, (at, mask) in enumerate(some.items(), 1):
        if number % 5:
            stage.page.keyboard.press("n")
        else:
            stage.press("Next difference")
            stage.columns.nth(1).locator(".tokens").focus()
        here = [name for d, name in enumerate(FOUR) if mask & 1 << d]
        others = [name for d, name in enumerate(FOUR) if not mask & 1 << d]
        words = (
            f"Difference {number} of {len(some)}, after byte {at} of the text: "
            f"{', '.join(here)} {'have' if len(here) > 1 else 'has'} a token boundary here; "
            f"{', '.join(others)} {'have' if len(others) > 1 else 'has'} no token boundary here"
        )
        expect(stage.where).to_have_text(words)
        expect(stage.live).to_have_text(words)
        now = stage.marked("now")
        assert now == overlap(text, FOUR, at - 1, at + 1)
        assert [len(own) for own in now] == [2 if mask & 1 << d else 1 for d in range(4)]
        bytes_gone_to.append(at)
    stage.page.keyboard.press("n")
    expect(stage.where).to_contain_text(f"1 of {len(some)}, after byte {bytes_gone_to[0]} of the text:")
    for number in [len(some), len(some) - 1, len(some) - 2]:
        stage.page.keyboard.press("Shift+N")
        at = bytes_gone_to[number - 1]
        expect(stage.where).to_contain_text(f"{number} of {len(some)}, after byte {at} of the text:")


def test_next_disagreement_scrolls_into_view_in_all_columns(stage):
    text = "same words here\n" * 1500 + "and 12345 differ\n" + "the same again\n" * 1500
    stage.mount(FOUR[:2], text)
    [at, *_] = disputed(text, FOUR[:2])[1]
    assert abs(at - text.index("12345")) < 5
    stage.columns.first.locator(".tokens").focus()
    stage.page.keyboard.press("n")
    expect(stage.where).to_contain_text(f"after byte {at:,} of the text:")
    stage.page.wait_for_function(
        """() => part.columns.every(({ view }) => {
          const now = view.querySelector('.now')?.getBoundingClientRect(), frame = view.getBoundingClientRect();
          return now && now.top >= frame.top && now.bottom <= frame.bottom;
        })"""
    )


def test_columns_scroll_together_by_text_position(stage):
    text = "".join(f"{n} ความคิดเดียวกัน costs more in some scripts, isn't it? {n * n}\n" for n in range(500))
    stage.mount(FOUR[:3], text)
    together = """async (leader) => {
      const { topOf } = await import('/web/compare/js/scroll-lock.js');
      const tops = part.columns.map((column) => topOf(column).byte);
      return tops[leader] > 0 && tops.every((at) => Math.abs(at - tops[leader]) < 60);
    }"""  # within a row, because rows wrap differently
    for leader, place in [(0, 12_000), (2, 400), (1, 5_000)]:
        view = stage.columns.nth(leader).locator(".tokens")
        view.dispatch_event("wheel")
        view.evaluate("(view, place) => { view.scrollTop = place; }", place)
        stage.page.wait_for_function(together, arg=leader)
        assert abs(view.evaluate("(view) => view.scrollTop") - place) < 2


def test_pin_scrolls_into_view_in_every_column(stage):
    text = "".join(f"{n} ความคิดเดียวกัน\n" for n in range(300))
    stage.mount(["gpt2", "o200k_base"], text)
    view = stage.columns.nth(1).locator(".tokens")
    view.evaluate("(view) => { view.scrollTop = 3000; }")  # without a wheel event the other column does not follow
    next_frames(stage.page)
    box = view.bounding_box()
    stage.page.mouse.click(box["x"] + 60, box["y"] + 100)
    stage.page.wait_for_function(
        """() => part.columns.every(({ view }) => {
          const pinned = view.querySelector('.pinned')?.getBoundingClientRect(), frame = view.getBoundingClientRect();
          return view.scrollTop > 1000 && pinned && pinned.top >= frame.top && pinned.bottom <= frame.bottom;
        })"""
    )


# ---- heat ----


# tests/js/compare.js compares the function with brute force.
HEATS = """async () => {
  const { heatOf, heatStep } = await import('/web/compare/js/marks.js');
  const parts = part.columns.flatMap(({ tokenized, doc }) => Array.from(tokenized.tokens.paintedParts(doc.chunks)));
  return parts.flatMap((own) => (
    heatOf(own.pieces, own.from).map((heat, i) => (
      [[...own.node.children[i].classList].filter((name) => /^h\\d$/.test(name)), `h${heatStep(heat)}`]))));
}"""


def test_heat_steps_are_updated_after_edits(stage, rng):
    text = SCRIPTS
    stage.mount(FOUR[:3], text)
    expect(stage.page.locator(".legend")).to_be_hidden()
    stage.press("Heat map")
    expect(stage.page.locator(".legend")).to_be_visible()
    for _ in range(4):
        found = awaited(stage.page, HEATS, what="the heat of each token")
        assert found and all(classes == [wanted] for classes, wanted in found)
        text = edited(rng, text)
        stage.write(text)


def test_heat_is_readable_and_not_by_colour_only(stage):
    stage.page.evaluate("document.documentElement.style.colorScheme = 'light dark'")
    stage.mount(FOUR[:2], SCRIPTS)
    papers = set()
    for scheme in ("light", "dark"):
        stage.page.emulate_media(color_scheme=scheme)
        ink, paper, *steps = stage.page.locator(".legend").evaluate(
            """(legend) => ['ink', 'paper', 'heat-0', 'heat-1', 'heat-2', 'heat-3', 'heat-4'].map((name) => {
              legend.style.color = `var(--${name})`;
              return getComputedStyle(legend).color;
            })"""
        )
        papers.add(paper)
        assert min(contrast(color, ink) for color in (paper, *steps)) >= 4.5
        assert len(set(steps)) == 5
    assert len(papers) == 2
    stage.press("Heat map")
    bars = stage.columns.first.evaluate(
        """(column) => [0, 1, 2, 3, 4].map((step) => {
          const one = column.querySelector(`.t.h${step}`);
          return one && parseFloat(getComputedStyle(one).getPropertyValue('--thick'));
        }).filter((thick) => thick !== null)"""
    )
    assert len(bars) >= 4 and bars == sorted(set(bars))  # also shown by thickness


# ---- columns ----


def test_columns_are_added_and_removed_without_redrawing_others(stage):
    stage.mount(FOUR[:2], SCRIPTS)
    stage.page.evaluate(
        """() => {
          window.firsts = part.columns.map(({ place }) => place);
          window.changes = 0;
          for (const { view } of part.columns) new MutationObserver((records) => {
            changes += records.filter(({ type }) => type === 'childList').length;
          }).observe(view, { subtree: true, childList: true });
        }"""
    )
    stage.give(["gpt2", "o200k_base", "cl100k_base", "p50k_base"])
    stage.wait_until_drawn(SCRIPTS).expect_marks(SCRIPTS)
    same = "(places) => places.map((i) => part.columns[i].place === firsts[i ? 1 : 0])"
    assert stage.page.evaluate(same, [0, 2]) == [True, True]
    expect(stage.columns.locator(".name")).to_have_text(
        [re.compile(f"{name}$") for name in ("gpt2", "o200k_base", "cl100k_base", "p50k_base")]
    )
    stage.give(["cl100k_base", "gpt2"])
    stage.wait_until_drawn(SCRIPTS).expect_marks(SCRIPTS)
    assert stage.page.evaluate("changes") == 0
    expect(stage.columns.locator(".name")).to_have_text(["GPT-4 cl100k_base", "GPT-2 gpt2"])
    counts = [len(spans_of(SCRIPTS, name)) for name in ("cl100k_base", "gpt2")]
    expect(stage.columns.locator(".count")).to_have_text([str(n) for n in counts])
    expect(stage.columns.locator(".ratio")).to_have_text(["baseline", f"{counts[1] / counts[0]:.2f} × GPT-4"])


def test_change_of_baseline_changes_only_the_ratios(stage):
    stage.mount(FOUR, SCRIPTS)
    before = stage.drawn()
    for base in (FOUR[3], FOUR[0]):
        stage.give(FOUR, text=SCRIPTS, baseline=base)
        counts = {name: len(spans_of(SCRIPTS, name)) for name in FOUR}
        ratios = {name: f"{two_places(counts[name] / counts[base])} × {known_as(base)}" for name in FOUR}
        expect(stage.columns.locator(".ratio")).to_have_text(list((ratios | {base: "baseline"}).values()))
        assert stage.drawn() == before
    text = f"{SCRIPTS} and more"
    stage.give(FOUR, text=SCRIPTS, baseline=FOUR[2])
    stage.write(text)
    expect(stage.columns.locator(".ratio").nth(2)).to_have_text("baseline")
    stage.give(FOUR[:2], baseline=FOUR[2])  # removed: the first replaces it until the page names another
    stage.wait_until_drawn(text)
    expect(stage.columns.locator(".ratio").first).to_have_text("baseline")


def test_special_tokens_are_counted_both_ways_per_encoding(stage):
    text = "a<|endoftext|>b"
    stage.mount(FOUR[:2], text)
    notice = stage.page.locator(".notice")

    def counts(special):
        return ", ".join(f"{name}: {len(get_encoding(name).encode(text, special=special))}" for name in FOUR[:2])

    other = f"Tokens if they are read as special tokens: {counts('special')}."
    expect(notice).to_have_text(f"This text contains names of special tokens, which are now read as text. {other}")
    stage.give(FOUR[:2], special="special")
    stage.page.wait_for_function("() => part.isAgreed && part.columns.every(({ counts }) => counts.tokens === 3)")
    expect(notice).to_contain_text(f"now read as special tokens. Tokens if they are read as text: {counts('text')}.")
    stage.give(FOUR[:1], special="special")
    expect(notice).to_contain_text(f"names of {FOUR[0]}’s special tokens. The whole text has")
    assert stage.columns.first.locator(".special").all_text_contents() == ["<|endoftext|>"]
    stage.write("a\ud83db")
    expect(notice).to_have_text(re.compile("^1 lone surrogate .+ in this text"))


def test_link_names_the_encodings_and_a_baseline_other_than_the_first(stage):
    stage.mount(["gpt2", "o200k_base"], "linked ที่")
    for baseline, named in (("gpt2", ""), ("o200k_base", "&baseline=o200k_base")):
        stage.give(["gpt2", "o200k_base"], text="linked ที่", baseline=baseline)
        link = stage.page.evaluate(SHARED)
        assert link == {"query": f"encodings=gpt2,o200k_base{named}&special=text", "text": "linked ที่"}


def test_counter_has_a_column_that_fades_while_it_is_outdated(stage):
    stage.mount(["gpt2"], "one two")
    known = {"key": "claude-3", "name": "Claude <3>", "tokens": 3, "unit": "tokens, reconstruction", "note": "why"}
    data = stage.data(["gpt2"], "one two") | {"counted": [known]}
    stage.page.evaluate("(data) => give(data)", data)
    column = stage.page.locator(".column.counted")
    expect(column).to_have_text(re.compile(r"^Claude <3>3 tokens, reconstruction 1\.50 × GPT-2\s*why$"))
    expect(column).not_to_have_class(re.compile("stale"))
    assert column.locator(".tokens, .t").count() == 0
    assert stage.page.evaluate(SHARED)["query"] == "encodings=gpt2,claude-3&special=text"
    stage.write("one two three")
    expect(column).to_have_class(re.compile("stale"))
    stage.give(["gpt2"], text="one two three")
    expect(column).to_have_count(0)


def test_name_and_unit_of_a_counter_are_not_cut_off(stage):
    stage.mount(FOUR, "one two")
    known = {"key": "claude-4.8", "name": "Claude 4.8 to 5 (reconstruction)", "tokens": 123_456, "note": "why"}
    counted = [known | {"unit": "tokens, reconstruction"}]
    stage.page.evaluate("(data) => give(data)", stage.data(FOUR, "one two") | {"counted": counted})
    column = stage.page.locator(".column.counted")
    for width in (1180, 375):
        stage.page.set_viewport_size({"width": width, "height": 800})
        for words in (column.locator(".name"), column.locator(".number")):
            expect(words).to_contain_text("reconstruction")
            assert words.evaluate("(one) => one.scrollWidth <= one.clientWidth")


def test_one_token_is_singular(stage):
    for text, count in (("a", "1 token"), ("a b", "2 tokens")):
        stage.mount(["gpt2", "o200k_base"], text)
        expect(stage.columns.first.locator(".number")).to_have_text(re.compile(rf"^{count} "))


def test_columns_fit_the_screen(stage):
    stage.mount([*FOUR, "r50k_base", "p50k_edit"], SCRIPTS + "x" * 400)
    for width, per_row in ((1600, 6), (1180, 3), (375, 1)):
        stage.page.set_viewport_size({"width": width, "height": 800})
        tops = [column.bounding_box()["y"] for column in stage.columns.all()]
        assert [tops.count(top) for top in sorted(set(tops))] == [per_row] * (6 // per_row)
        assert stage.page.evaluate("document.documentElement.scrollWidth") <= width
        for view in stage.columns.locator(".tokens").all():
            assert view.evaluate("(view) => view.scrollWidth <= view.clientWidth")
