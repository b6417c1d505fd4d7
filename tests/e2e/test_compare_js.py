"""The comparison's JavaScript in the browser: its pure modules against brute force, and the whole component against a
server that answers as ours does."""

import json
import random
import re
from itertools import pairwise
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from e2e.corpus import NO_CONTROL, edited, random_text, units
from e2e.desk import call
from e2e.server import ROOT
from tokenizer import TokenizerError, get_encoding
from tokenizer.display import palette
from tokenizer.text.well_formed import well_formed
from ui.compare.tables import two_places
from ui.desk.messages import facts
from ui.server import shelf
from ui.server.answers import answer

UI = ROOT / "ui"
EDITOR_MODULES = ["text", "document", "colors", "pieces", "paint", "tokens-view", "desk"]
MODULES = ["stretch", "boundaries", "heat", "marks", "column", "compare"]
FOUR = ["gpt2", "cl100k_base", "o200k_base", "p50k_base"]
SCRIPTS = "It's 12345, isn't it?\nความคิดเดียวกัน ที่นี่\nمرحبا بالعالم 孩子们。\nनमस्ते 👩‍👩‍👧 strawberry\n"


@pytest.fixture
def rng(request) -> random.Random:
    return random.Random(request.node.name)


@pytest.fixture(scope="module")
def blank(browser):
    """A blank page on which the modules of ui/ can be imported, with those of the comparison as its globals."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce", locale="en-US")
    page = context.new_page()

    def serve(route) -> None:
        path = urlsplit(route.request.url).path
        if path.endswith(".js"):
            route.fulfill(body=(UI / path[1:]).read_text(encoding="utf-8"), content_type="text/javascript")
        else:
            route.fulfill(body="<!doctype html><meta charset=utf-8>", content_type="text/html")

    page.route("http://modules.test/**", serve)
    page.route_web_socket("**/api/live", lambda socket: socket.close())
    page.goto("http://modules.test/")
    page.evaluate(
        """async ([editor, compare]) => {
          for (const name of editor) Object.assign(window, await import(`/kit/js/${name}.js`));
          for (const name of compare) Object.assign(window, await import(`/compare/js/${name}.js`));
        }""",
        [EDITOR_MODULES, MODULES],
    )
    page.evaluate(
        """() => { window.side = (lengths, from = 0) => {
          const ends = Uint32Array.from(lengths, (n) => (from += n));
          return { ids: new Uint32Array(ends.length), ends, starts: ends.map((end, k) => end - lengths[k]) };
        }; }"""
    )
    yield page
    context.close()


# ---- brute force ----


def spans_of(text: str, name: str, special: str = "text") -> list[tuple[int, int]]:
    """Where each token of a text begins and ends, in bytes, from tiktoken's ids."""
    enc = get_encoding(name)
    ends, at = [], 0
    for id in enc.encode(text, special=special):
        at += len(enc.decode_bytes([id]))
        ends.append(at)
    return list(zip([0, *ends], ends, strict=False))


def cuts_of(text: str, name: str, special: str = "text") -> set[int]:
    return {start for start, _ in spans_of(text, name, special)[1:]}


def disputed(text: str, names: list[str]) -> tuple[int, dict[int, int]]:
    """How many boundaries all have; and those that only some have, each with the bits of those that have it."""
    cuts = [cuts_of(text, name) for name in names]
    some = set.union(*cuts) - set.intersection(*cuts)
    return len(set.intersection(*cuts)), {
        at: sum(1 << d for d, own in enumerate(cuts) if at in own) for at in sorted(some)
    }


# ---- boundaries.js, stretch.js ----

WALK = """(states, plans, rows) => {
  const docs = plans.map(({ cuts }) => Object.assign(new Document(), { cuts }));
  const boundaries = new Boundaries(), waiting = [];
  let spot = 0;
  return { asked: waiting, found: states.map((text, s) => {
    docs.forEach((doc, d) => {
      if (!plans[d].states.includes(s)) return;
      const { fresh } = doc.edit(text);
      for (const chunk of fresh) {
        waiting.push([d, chunk.text]);
        const own = side(rows?.[spot++] ?? [chunk.bytes.length]);
        chunk.settle(own, new Uint8Array(own.ids.length));
      }
      doc.number();
    });
    if (docs.some((doc) => doc.text !== text)) return null;
    const changed = boundaries.update(docs), onward = [], back = [];
    for (let one = boundaries.after(0); one; one = boundaries.after(one.byte)) onward.push(one);
    for (let one = boundaries.before(Infinity); one; one = boundaries.before(one.byte)) back.push(one);
    return {
      shared: boundaries.shared, some: boundaries.some, onward, back, changed: changed.length,
      chunks: docs.reduce((n, doc) => n + doc.chunks.length, 0),
      odd: docs.map((doc) => doc.chunks.flatMap((chunk) => Array.from(chunk.ids, (_, k) => bytesOf({ chunk, k }).from)
        .filter((_, k) => boundaries.odds.get(chunk)[k]))),
    };
  }) };
}"""


def walked(blank, states: list[str], plans: list[dict]) -> list[dict | None]:
    """What Boundaries finds at each state of a text, in documents that take the states that their plans say."""
    asked = call(blank, WALK, states, plans, None)["asked"]
    rows = []
    for d, text in asked:
        rows.append([end - start for start, end in spans_of(text, plans[d]["name"])])
    return call(blank, WALK, states, plans, rows)["found"]


def states_of(rng: random.Random, size: int, edits: int) -> list[str]:
    texts = [random_text(rng, size)]
    for _ in range(edits):
        texts.append(edited(rng, texts[-1]))
    return [text for text in (well_formed(text)[0] for text in texts) if text]


@pytest.mark.parametrize("cuts", [[True] * 4, [True, False, True, True], [False] * 4], ids=["all", "mixed", "none"])
def test_disagreements_are_those_of_brute_force_after_every_edit(blank, rng, cuts):
    for size in (8, 3000):
        states = states_of(rng, size, 25)
        plans = []
        for name, cut in zip(FOUR, cuts, strict=True):  # each misses some states, so that chunks come to differ
            taken = [s for s in range(len(states)) if rng.random() < 0.8 or s % 3 == 2 or s == len(states) - 1]
            plans.append({"name": name, "cuts": cut, "states": taken})
        compared = 0
        for text, found in zip(states, walked(blank, states, plans), strict=True):
            if found is None:
                continue
            compared += 1
            shared, some = disputed(text, FOUR)
            assert (found["shared"], found["some"]) == (shared, len(some))
            assert [(one["byte"], one["mask"]) for one in found["onward"]] == list(some.items())
            assert [one["number"] for one in found["onward"]] == [*range(1, len(some) + 1)]
            assert found["back"] == found["onward"][::-1]
            for d in range(len(FOUR)):
                assert found["odd"][d] == [at for at, mask in some.items() if mask & 1 << d]
        assert compared > 5


def test_an_edit_leaves_most_of_what_is_known_alone(blank):
    text = "".join(f"line {n} of it, ที่นี่\n" for n in range(800))
    states = [text, text[:9000] + "y" + text[9000:], text[:9000] + "yz" + text[9000:]]
    plans = [{"name": name, "cuts": True, "states": [0, 1, 2]} for name in FOUR]
    first, *after = walked(blank, states, plans)
    assert first["changed"] == first["chunks"] > 60
    assert max(found["changed"] for found in after) <= 2 * len(FOUR)


OVERLAPS = """(text, lengths, ranges) => {
  const doc = new Document();
  doc.edit(text);
  let at = 0, end = 0;
  for (const chunk of doc.chunks) {
    const own = [], size = (end += chunk.bytes.length);
    for (let sum = size - chunk.bytes.length; sum < size; sum += lengths[at++]) own.push(lengths[at]);
    chunk.settle(side(own), null);
  }
  doc.number();
  return ranges.map(([from, to]) => overlapping(doc, from, to).flatMap(({ chunk, from, to }) => (
    Array.from({ length: to - from }, (_, i) => chunk.base + from + i))));
}"""


def test_tokens_that_overlap_a_stretch(blank, rng):
    for name in FOUR[:3]:
        text = well_formed(random_text(rng, 1500))[0]
        spans, size = spans_of(text, name), len(text.encode())
        ranges = sorted((start, start + rng.choice([1, 2, 7, 3000])) for start in rng.choices(range(size), k=60))
        found = call(blank, OVERLAPS, text, [end - start for start, end in spans], ranges)
        for (start, end), own in zip(ranges, found, strict=True):
            assert own == [k for k, span in enumerate(spans) if span[0] < end and start < span[1]]


# ---- heat.js ----

HEAT = """(texts, rows) => texts.map((text, i) => {
  const chunk = new Chunk(text, true);
  chunk.settle(side(rows[i]), new Uint8Array(rows[i].length));
  const bytes = (part) => new TextEncoder().encode(part).length, ends = [0];
  for (const { segment } of new Intl.Segmenter('und').segment(text)) ends.push(ends.at(-1) + bytes(segment));
  const heats = partsOf(chunk, 3).flatMap(({ pieces, from }) => heatOf(pieces, from)
    .flatMap((heat, j) => Array(pieces[j].graphemes).fill(heat)));
  return { ends, heats, steps: heats.map(heatStep) };
})"""


def brute_heat(ends: list[int], spans: list[tuple[int, int]]) -> list[float]:
    """Tokens per grapheme: each token shared out evenly over the graphemes that it touches."""
    graphemes = list(pairwise(ends))
    heats = [0.0] * len(graphemes)
    for start, end in spans:
        touched = [g for g, (a, b) in enumerate(graphemes) if a < end and start < b]
        for g in touched:
            heats[g] += 1 / len(touched)
    return heats


@pytest.mark.parametrize("name", FOUR[:3])
def test_heat_is_tokens_per_grapheme_and_adds_up_to_the_tokens(blank, rng, name):
    texts = ["", "four", "ที่", SCRIPTS, *(well_formed(random_text(rng, 20))[0] for _ in range(300))]
    spans = [spans_of(text, name) for text in texts]
    rows = [[end - start for start, end in own] for own in spans]
    for own, found in zip(spans, call(blank, HEAT, texts, rows), strict=True):
        assert sum(found["heats"]) == pytest.approx(len(own))
        wanted = brute_heat(found["ends"], own)
        assert found["heats"] == pytest.approx(wanted)
        assert found["steps"] == [sum(heat > most + 1e-9 for most in (0.25, 0.5, 1, 2)) for heat in wanted]


# ---- tokens-view.js: what an edit leaves of a painted chunk ----

PATCH = """(states, rows) => {
  const element = document.createElement('div'), show = () => ({ names: new Map(), withBytes: false });
  document.body.replaceChildren(element);
  const view = new TokensView(element, show), doc = new Document();
  doc.cuts = false;
  let colors = null, before = null, kept = 0;
  const out = states.map((text, s) => {
    const { gone, fresh } = doc.edit(text), [chunk] = fresh;
    const ids = Uint32Array.from(rows[s].ids);
    const old = before ?? { ids: new Uint32Array(0), colors: new Uint8Array(0) };
    doc.settle(chunk, { ...side(rows[s].lengths), ids }, recolor(ids, old, -1, -1).colors);
    before = chunk;
    doc.number();
    const elements = new Set(element.querySelectorAll('.t'));
    view.replace(gone, fresh, doc.chunks, true);
    kept += Array.from(element.querySelectorAll('.t')).filter((one) => elements.has(one)).length;
    const drawn = view.shown.get(chunk).parts.flatMap((part) => Array.from(part.node.children, (one) => one.outerHTML));
    const { fragment, index } = paintTokens(chunk, piecesOf(chunk), 0, ids.length, show());
    const same = index.every((own, k) => {
      const found = view.elementsOf(chunk, k);
      return own.length === found.length && own.every((one, i) => one.outerHTML === found[i].outerHTML);
    });
    return { drawn, wanted: Array.from(fragment.children, (one) => one.outerHTML), same,
      texts: view.shown.get(chunk).parts.every((part) => (
        part.node.textContent === part.text && view.parts.get(part.node) === part)) };
  });
  return { out, kept };
}"""


@pytest.mark.parametrize("size", [12, 900])
def test_a_chunk_that_is_edited_is_drawn_as_if_anew(blank, rng, size):
    kept = 0
    for name in FOUR[:3]:
        states = states_of(rng, size, 40)
        rows = []
        for text in states:
            own = get_encoding(name).tokenize(text)
            rows.append({"ids": own.ids, "lengths": (own.ends - own.starts).tolist()})
        found = call(blank, PATCH, states, rows)
        kept += found["kept"]
        for one in found["out"]:
            assert one["drawn"] == one["wanted"]
            assert one["same"] and one["texts"]
    assert kept > 40 * size  # most elements stay where they are


# ---- the component ----

MOUNT = """([html, css, data]) => {
  const host = document.createElement('div');
  document.body.replaceChildren(host);
  const shadow = host.attachShadow({ mode: 'open' });
  shadow.append(document.createElement('div'));
  shadow.firstChild.innerHTML = `<style>${css}</style>${html}`;
  window.sent = [];
  window.compare?.leave();
  sessionStorage.clear();
  keep({ text: null, push: null, heard: null });
  window.compare = new Compare(shadow.firstChild);
  window.give = (data) => compare.update({ data, setTriggerValue: (name, value) => sent.push([name, value]) });
  give(data);
}"""

THEME = f"""
  :host {{ --st-text-color: light-dark({palette.LIGHT_INK}, {palette.DARK_INK}); color-scheme: inherit;
    --st-background-color: light-dark({palette.LIGHT_PAPER}, {palette.DARK_PAPER}); --st-font: sans-serif;
    --st-secondary-background-color: light-dark(#f4f2ec, #1d1f25); --st-border-color: light-dark(#d9d5ca, #3a3d45);
    --st-primary-color: light-dark(#2f5d8c, #8ab4e0); --st-code-font: monospace; --st-red-color: red; }}
"""

DRAWN = """() => compare.columns.map((column) => Array.from(column.view.querySelectorAll('.part'), (node) => (
  Array.from(node.children, (one) => ({
    text: one.textContent, k: Number(one.dataset.k), n: Number(one.dataset.n ?? 1), classes: [...one.classList],
    base: column.reader.tokens.parts.get(node).chunk.base, leftward: 'leftward' in one.dataset,
    odd: one.style.getPropertyValue('--odd'),
    lit: ['lit', 'now', 'pinned'].map((mark) => ['', '-over'].map((end) => (
      one.style.getPropertyValue(`--${mark}${end}`)))),
  })))).flat())"""


class Stage:
    """The component on a page, with a server that answers as ours."""

    def __init__(self, page: Page):
        self.page = page
        page.route("http://modules.test/api/**", self._answer)
        self.area = page.get_by_label("Text to compare")
        self.columns = page.locator(".column")
        self.where = page.locator(".where")
        self.live = page.locator(".live")
        self.names: list[str] = []

    def _answer(self, route) -> None:
        url = urlsplit(route.request.url)
        headers = {"x-tokenloupe": "1"}
        try:
            body = answer(url.path.rpartition("/")[2], dict(parse_qsl(url.query)), route.request.post_data_buffer)
        except TokenizerError as error:
            return route.fulfill(status=400, body=str(error), headers=headers)
        return route.fulfill(body=body, headers=headers)

    def data(
        self, names: list[str], text: str = "", push: str = "first", special: str = "text", baseline: str = ""
    ) -> dict:
        push = {"id": push, "text": text, "initial": push == "first"}
        encodings = [facts(shelf.find(name), special) for name in names]
        baseline = baseline or names[0]
        return {"url": "/api", "push": push, "answer": None, "encodings": encodings, "baseline": baseline}

    def mount(self, names: list[str], text: str) -> "Stage":
        sheets = (UI / "kit" / "tokens.css", UI / "compare" / "compare.css")
        css = THEME + f":host {{ {palette.css_variables()} }}" + "".join(path.read_text("utf-8") for path in sheets)
        html = (UI / "compare" / "compare.html").read_text("utf-8")
        self.names = names
        self.page.evaluate(MOUNT, [html, css, self.data(names, text)])
        return self.settled(text)

    def give(self, names: list[str], **options) -> None:
        """What a rerun of the page brings."""
        self.names = names
        self.page.evaluate("(data) => give(data)", self.data(names, **options))

    def write(self, text: str) -> "Stage":
        self.area.evaluate(
            """(area, json) => {
              area.value = JSON.parse(json);
              area.dispatchEvent(new Event('input', { bubbles: true }));
            }""",
            json.dumps(text),
        )
        return self.settled(text)

    def settled(self, text: str) -> "Stage":
        """Waits until all columns show a text."""
        self.page.wait_for_function(
            """([size, names]) => compare.isAgreed && compare.columns.map(({ key }) => key).join() === names
              && compare.columns.every(({ view, reader }) => !reader.isStale && Number(view.dataset.chars) === size)""",
            arg=[units(text), ",".join(self.names)],
        )
        return self

    def press(self, label: str) -> None:
        self.page.get_by_role("button", name=label, exact=True).click()

    def drawn(self) -> list[list[dict]]:
        """The elements of each column, in order, each with the byte where it begins."""
        found = json.loads(self.page.evaluate(f"() => JSON.stringify(({DRAWN})())"))
        for column in found:
            at = 0
            for one in column:
                one["at"] = at
                at += len(one["text"].encode())
        return found

    def flagged(self, text: str) -> list[list[int]]:
        """The bytes at which each column has a flag."""
        out = []
        for name, column in zip(self.names, self.drawn(), strict=True):
            spans, own = spans_of(text, name), []
            for one in column:
                if "odd" not in one["classes"]:
                    continue
                stops = re.findall(r"transparent ([\d.]+)%", one["odd"]) if one["n"] > 1 else ["0"]
                assert stops
                for stop in stops:
                    own.append(spans[one["base"] + one["k"] + round(float(stop) * one["n"] / 100)][0])
            out.append(own)
        return out

    def marked(self, mark: str) -> list[list[int]]:
        """The numbers of the tokens that carry a mark, in each column."""
        out = []
        for column in self.drawn():
            own = set()
            for one in column:
                if mark not in one["classes"]:
                    continue
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
                f"Boundaries: {shared:,} shared by all, {len(some):,} only in some"
            )


@pytest.fixture
def stage(blank) -> Stage:
    stage = Stage(blank)
    yield stage
    blank.evaluate("() => { compare.leave(); delete window.compare; document.body.replaceChildren(); }")
    blank.unroute("http://modules.test/api/**")
    blank.set_viewport_size({"width": 1280, "height": 800})
    blank.emulate_media(color_scheme="light")


def overlap(text: str, names: list[str], start: int, end: int) -> list[list[int]]:
    return [[k for k, (a, b) in enumerate(spans_of(text, name)) if a < end and start < b] for name in names]


def test_flags_and_numbers_are_those_of_brute_force_while_one_edits(stage, rng):
    text = SCRIPTS
    stage.mount(FOUR, text).expect_marks(text)
    for _ in range(25):
        text = edited(rng, text, NO_CONTROL)
        stage.write(text).expect_marks(text)


def test_a_burst_of_keys_never_shows_a_frame_without_colours_or_flags(stage):
    text = SCRIPTS * 20
    stage.mount(FOUR, text)
    stage.page.evaluate(
        """() => {
          const seen = window.seen = { frames: 0, bare: 0 };
          const look = () => {
            seen.frames++;
            for (const { view } of compare.columns) {
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
    burst = "quick brown foxes jump over 12345 lazy dogs"
    stage.page.keyboard.type(burst, delay=15)
    text = text[:5] + burst + text[5:]
    stage.settled(text)
    seen = stage.page.evaluate("() => { cancelAnimationFrame(seen.next); return seen; }")
    assert seen["frames"] > 10 and seen["bare"] == 0
    stage.expect_marks(text)


def test_flags_stay_exact_with_one_encoding_and_without_text(stage):
    stage.mount(["gpt2"], SCRIPTS).expect_marks(SCRIPTS)
    expect(stage.page.locator(".numbers")).to_be_hidden()
    stage.give(["gpt2", "o200k_base"])
    stage.settled(SCRIPTS).expect_marks(SCRIPTS)
    stage.write("")
    assert stage.flagged("") == [[], []]
    stage.page.locator(".tokens").first.focus()
    stage.page.keyboard.press("n")
    expect(stage.live).to_contain_text("No disagreement")


def test_flags_can_be_put_away(stage):
    stage.mount(FOUR, SCRIPTS)
    flag = """(column) => getComputedStyle(column.querySelector('.odd:not(.cut)')).backgroundImage"""
    shown = stage.columns.first.evaluate(flag)
    stage.press("Mark disagreements")
    hidden = stage.columns.first.evaluate(flag)
    assert shown.count("linear-gradient") == hidden.count("linear-gradient") + 1
    stage.press("Mark disagreements")
    assert stage.columns.first.evaluate(flag) == shown


def test_flags_within_a_grapheme_stand_in_bytes_mode_too(stage):
    text = "a ที่นี่"
    stage.mount(["gpt2", "cl100k_base"], text)
    stage.press("Bytes")
    stage.expect_marks(text)
    glyph = stage.columns.first.locator(".cut.odd > .glyph").first
    assert glyph.evaluate("(one) => getComputedStyle(one).backgroundImage").count("linear-gradient") == 2


# ---- linked ----


@pytest.mark.parametrize("own", range(4))
def test_hover_lights_the_tokens_that_overlap_in_every_column(stage, own):
    text = SCRIPTS
    stage.mount(FOUR, text)
    spans = spans_of(text, FOUR[own])
    view = stage.columns.nth(own).locator(".tokens")
    elements = view.locator(".part > .t")
    for i in range(0, elements.count(), 5):
        element = elements.nth(i)
        one = stage.drawn()[own][i]
        if one["text"] == "\n":
            continue
        element.scroll_into_view_if_needed()
        box = element.evaluate("(one) => { const b = one.getClientRects()[0]; return [b.x, b.y, b.width, b.height]; }")
        along = 0.5 / one["n"]
        x = box[0] + box[2] * (1 - along if one["leftward"] else along)
        stage.page.mouse.move(x, box[1] + box[3] * 0.7)
        start, end = spans[one["base"] + one["k"]]
        assert stage.marked("lit") == overlap(text, FOUR, start, end), one["text"]
    expect(stage.page.locator(".tip")).to_be_visible()
    stage.page.mouse.move(0, 0)
    assert stage.marked("lit") == [[]] * 4
    expect(stage.page.locator(".tip")).to_be_hidden()


@pytest.mark.parametrize(
    "text", ["ที่ น้ำ", "مرحبا بالعالم", "שָׁלוֹם", "a👩‍👩‍👧b"], ids=["thai", "arabic", "hebrew", "family"]
)
def test_each_band_of_a_shared_grapheme_lights_its_own_bytes(stage, text):
    names = ["gpt2", "o200k_base"]
    stage.mount(names, text)
    spans = spans_of(text, "gpt2")
    elements = stage.columns.first.locator(".part > .t")
    bands = 0
    for i, one in enumerate(stage.drawn()[0]):
        box = elements.nth(i).bounding_box()
        for band in range(one["n"] if one["n"] > 1 else 0):
            along = (band + 0.5) / one["n"]
            x = box["x"] + box["width"] * (1 - along if one["leftward"] else along)
            stage.page.mouse.move(x, box["y"] + box["height"] * 0.7)
            assert stage.marked("lit") == overlap(text, names, *spans[one["base"] + one["k"] + band])
            bands += 1
    assert bands >= 3


def test_a_pin_stays_with_its_bytes_and_is_told_of(stage):
    text = "x ที่นี่ end"
    stage.mount(FOUR, text)
    stage.columns.nth(2).locator(".t").filter(has_text="ที่").click()
    [k] = [k for k, (a, b) in enumerate(spans_of(text, "o200k_base")) if a <= 3 < b]
    start, end = spans_of(text, "o200k_base")[k]
    assert stage.marked("pinned") == overlap(text, FOUR, start, end)
    rows = stage.page.locator(".stretch tbody tr")
    for d, tokens in enumerate(overlap(text, FOUR, start, end)):
        enc = get_encoding(FOUR[d])
        expect(rows.nth(d).locator("th")).to_have_text(FOUR[d])
        expect(rows.nth(d).locator("td").first).to_have_text(str(len(tokens)))
        ids = enc.encode(text)
        for chip, k in zip(rows.nth(d).locator(".chip").all(), tokens, strict=True):
            expect(chip).to_contain_text(f"id {ids[k]}")
            expect(chip).to_contain_text(enc.decode_bytes([ids[k]]).hex(" ").upper())
    text = "longer " + text
    stage.write(text)
    assert stage.marked("pinned") == overlap(text, FOUR, start + 7, end + 7)
    expect(stage.page.locator(".stretch h3")).to_contain_text(f"bytes {start + 7} to {end + 6}")
    stage.give(FOUR[1:])
    stage.settled(text)
    assert stage.marked("pinned") == overlap(text, FOUR[1:], start + 7, end + 7)
    stage.write("gone")
    assert stage.marked("pinned") == [[]] * 3
    expect(stage.page.locator(".stretch table")).to_be_hidden()


def test_keyboard_in_a_column_and_from_one_to_the_next(stage):
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
    keys.press("Escape")
    assert stage.marked("pinned") == stage.marked("now") == [[]] * 3


# ---- from one disagreement to the next ----


def test_next_and_previous_visit_every_disagreement_once_in_order(stage):
    text = SCRIPTS
    stage.mount(FOUR, text)
    _, some = disputed(text, FOUR)
    stage.columns.nth(1).locator(".tokens").focus()
    bytes_gone_to = []
    for number, (at, mask) in enumerate(some.items(), 1):
        if number % 2:
            stage.page.keyboard.press("n")
        else:
            stage.press("Next disagreement")
            stage.columns.nth(1).locator(".tokens").focus()
        here = [name for d, name in enumerate(FOUR) if mask & 1 << d]
        others = [name for d, name in enumerate(FOUR) if not mask & 1 << d]
        words = (
            f"{number} of {len(some)}, byte {at}: {', '.join(here)} {'cut' if len(here) > 1 else 'cuts'} here; "
            f"{', '.join(others)} {'do' if len(others) > 1 else 'does'} not"
        )
        expect(stage.where).to_have_text(words)
        expect(stage.live).to_have_text(words)
        assert stage.marked("now") == overlap(text, FOUR, at - 1, at + 1)
        assert [len(own) for own in stage.marked("now")] == [2 if mask & 1 << d else 1 for d in range(4)]
        bytes_gone_to.append(at)
    stage.page.keyboard.press("n")
    expect(stage.where).to_contain_text(f"1 of {len(some)}, byte {bytes_gone_to[0]}:")
    for number in [len(some), len(some) - 1, len(some) - 2]:
        stage.page.keyboard.press("p")
        expect(stage.where).to_contain_text(f"{number} of {len(some)}, byte {bytes_gone_to[number - 1]}:")


def test_n_in_the_text_is_a_letter(stage):
    stage.mount(FOUR[:2], "a 12345")
    stage.area.focus()
    stage.page.keyboard.press("End")
    stage.page.keyboard.type("n")
    stage.settled("a 12345n")
    expect(stage.where).to_have_text("")


def test_the_next_disagreement_comes_into_view_in_all_columns(stage):
    text = "same words here\n" * 3000 + "and 12345 differ\n" + "the same again\n" * 3000
    stage.mount(FOUR[:2], text)
    [at, *_] = disputed(text, FOUR[:2])[1]
    assert abs(at - text.index("12345")) < 5
    stage.columns.first.locator(".tokens").focus()
    stage.page.keyboard.press("n")
    expect(stage.where).to_contain_text(f"byte {at:,}:")
    stage.page.wait_for_function(
        """() => compare.columns.every(({ view }) => {
          const now = view.querySelector('.now')?.getBoundingClientRect(), frame = view.getBoundingClientRect();
          return now && now.top >= frame.top && now.bottom <= frame.bottom;
        })"""
    )


def test_columns_scroll_by_the_place_in_the_text(stage):
    text = "".join(f"{n} ความคิดเดียวกัน costs more in some scripts, isn't it? {n * n}\n" for n in range(1500))
    stage.mount(FOUR[:3], text)
    top = """async () => {
      const { topOf } = await import('/compare/js/scroll-lock.js');
      return compare.columns.map((column) => topOf(column).byte);
    }"""
    for leader, place in [(0, 20_000), (2, 400), (1, 9_000)]:
        view = stage.columns.nth(leader).locator(".tokens")
        view.dispatch_event("wheel")
        view.evaluate("(view, place) => { view.scrollTop = place; }", place)
        stage.page.wait_for_timeout(400)
        tops = stage.page.evaluate(top)
        assert tops[leader] > 0
        assert max(abs(at - tops[leader]) for at in tops) < 60  # within a row, since rows break where they must


def test_a_pin_comes_into_view_in_every_column(stage):
    text = "".join(f"{n} ความคิดเดียวกัน\n" for n in range(300))
    stage.mount(["gpt2", "o200k_base"], text)
    view = stage.columns.nth(1).locator(".tokens")
    view.evaluate("(view) => { view.scrollTop = 3000; }")  # nobody's wheel: the other column does not follow
    stage.page.wait_for_timeout(300)
    box = view.bounding_box()
    stage.page.mouse.click(box["x"] + 60, box["y"] + 100)
    stage.page.wait_for_function(
        """() => compare.columns.every(({ view }) => {
          const pinned = view.querySelector('.pinned')?.getBoundingClientRect(), frame = view.getBoundingClientRect();
          return view.scrollTop > 1000 && pinned && pinned.top >= frame.top && pinned.bottom <= frame.bottom;
        })"""
    )


# ---- heat ----


def test_heat_steps_are_those_of_brute_force_while_one_edits(stage, rng):
    text = SCRIPTS
    stage.mount(FOUR[:3], text)
    expect(stage.page.locator(".legend")).to_be_hidden()
    stage.press("Heat")
    expect(stage.page.locator(".legend")).to_be_visible()
    for _ in range(12):
        ends = call(
            stage.page,
            """(text) => Array.from(new Intl.Segmenter('und').segment(text), ({ segment }) => segment)""",
            text,
        )
        ends = [len("".join(ends[:i]).encode()) for i in range(len(ends) + 1)]
        for name, column in zip(FOUR, stage.drawn(), strict=False):
            heats = brute_heat(ends, spans_of(text, name))
            for one in column:
                heat = heats[ends.index(one["at"])]
                step = sum(heat > most + 1e-9 for most in (0.25, 0.5, 1, 2))
                assert [name for name in one["classes"] if re.fullmatch(r"h\d", name)] == [f"h{step}"]
        text = edited(rng, text, NO_CONTROL)
        stage.write(text)


CONTRASTS = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const light = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = Array.from(canvas.getImageData(0, 0, 1, 1).data)
      .map((x) => ((x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const colorOf = (value) => {
    const probe = document.createElement('i');
    probe.style.color = value;
    compare.desk.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
  const ink = colorOf('var(--ink)');
  const steps = [0, 1, 2, 3, 4].map((step) => colorOf(`var(--heat-${step})`));
  const heat = steps.map((one) => contrast(one, ink));
  return { heat, flag: contrast(ink, colorOf('var(--paper)')), different: new Set(steps).size };
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_heat_and_flags_can_be_read(stage, scheme):
    stage.page.emulate_media(color_scheme=scheme)
    stage.page.evaluate("document.documentElement.style.colorScheme = 'light dark'")
    stage.mount(FOUR[:2], SCRIPTS)
    found = stage.page.evaluate(CONTRASTS)
    assert min(*found["heat"], found["flag"]) >= 4.5
    assert found["different"] == 5
    stage.press("Heat")
    bars = stage.columns.first.evaluate(
        """(column) => [0, 1, 2, 3, 4].map((step) => {
          const one = column.querySelector(`.t.h${step}`);
          return one && parseFloat(getComputedStyle(one).getPropertyValue('--thick'));
        }).filter((thick) => thick !== null)"""
    )
    assert len(bars) >= 4 and bars == sorted(set(bars))  # not by colour alone


# ---- columns ----


def test_columns_come_and_go_and_others_stay_as_they_are(stage):
    stage.mount(FOUR[:2], SCRIPTS)
    stage.page.evaluate(
        """() => {
          window.firsts = compare.columns.map(({ place }) => place);
          window.changes = 0;
          for (const { view } of compare.columns) new MutationObserver((records) => {
            changes += records.filter(({ type }) => type === 'childList').length;
          }).observe(view, { subtree: true, childList: true });
        }"""
    )
    stage.give(["gpt2", "o200k_base", "cl100k_base", "p50k_base"])
    stage.settled(SCRIPTS).expect_marks(SCRIPTS)
    same = "(places) => places.map((i) => compare.columns[i].place === firsts[i ? 1 : 0])"
    assert stage.page.evaluate(same, [0, 2]) == [True, True]
    expect(stage.columns.locator(".name")).to_have_text(["gpt2", "o200k_base", "cl100k_base", "p50k_base"])
    stage.give(["cl100k_base", "gpt2"])
    stage.settled(SCRIPTS).expect_marks(SCRIPTS)
    assert stage.page.evaluate("changes") == 0
    expect(stage.columns.locator(".name")).to_have_text(["cl100k_base", "gpt2"])
    counts = [len(spans_of(SCRIPTS, name)) for name in ("cl100k_base", "gpt2")]
    expect(stage.columns.locator(".count")).to_have_text([str(n) for n in counts])
    expect(stage.columns.locator(".ratio")).to_have_text(["baseline", f"{counts[1] / counts[0]:.2f} × cl100k_base"])


def test_the_baseline_is_a_choice_and_changes_nothing_else(stage):
    stage.mount(FOUR, SCRIPTS)
    before = stage.drawn()
    for base in (*FOUR[1:], FOUR[0]):
        stage.give(FOUR, text=SCRIPTS, baseline=base)
        counts = {name: len(spans_of(SCRIPTS, name)) for name in FOUR}
        ratios = {name: f"{two_places(counts[name] / counts[base])} × {base}" for name in FOUR} | {base: "baseline"}
        expect(stage.columns.locator(".ratio")).to_have_text(list(ratios.values()))
        assert stage.drawn() == before
    text = f"{SCRIPTS} and more"
    stage.give(FOUR, text=SCRIPTS, baseline=FOUR[2])
    stage.write(text)
    expect(stage.columns.locator(".ratio").nth(2)).to_have_text("baseline")
    stage.give(FOUR[:2], baseline=FOUR[2])  # taken out: the first stands in until the page names another
    stage.settled(text)
    expect(stage.columns.locator(".ratio").first).to_have_text("baseline")


def test_the_link_names_a_baseline_that_is_not_the_first(stage):
    stage.mount(FOUR[:2], "link")
    for base, wanted in ((FOUR[0], None), (FOUR[1], FOUR[1])):
        stage.give(FOUR[:2], text="link", baseline=base)
        query = dict(parse_qsl(stage.page.evaluate("() => compare.bar.query()")))
        assert query == {"encodings": ",".join(FOUR[:2]), "special": "text"} | ({"baseline": wanted} if wanted else {})


@pytest.mark.parametrize("number", [2.125, 1.005, 0.375, 1234, 0.115, 2.675, 1 / 3])
def test_ratios_are_rounded_alike_in_columns_and_table(blank, number):
    assert blank.evaluate("(number) => fixedRatio(number)", number) == two_places(number)


@pytest.mark.parametrize(
    "pieces, runs",
    [
        (["(", "שלום", ")", " ", "abc", "."], "111101"),
        (["“", "abc", "”", " ", "שלום", "!"], "000010"),
        (["שלום", " ", "12", ",", " ", "34", " - ", "ב"], "11011011"),
        (["!", "abc", "\n", "!", "ב", ".\n", "…"], "0001110"),
        (["...", "\n", "-", "12"], "0000"),
        (["א", " ", "ab", " ", "cd", " ", "ב"], "1100011"),
    ],
)
def test_a_piece_begins_where_its_line_has_it(blank, pieces, runs):
    shown = blank.evaluate("(texts) => directions(texts.map((text) => ({ text })))", pieces)
    assert [str(int(one)) for one in shown] == list(runs)


def test_special_tokens_are_counted_both_ways_for_every_encoding(stage):
    text = "a<|endoftext|>b"
    stage.mount(FOUR[:2], text)
    notice = stage.page.locator(".notice")
    for name in FOUR[:2]:
        enc = get_encoding(name)
        expect(notice).to_contain_text(
            f"special tokens of {name}: {len(enc.encode(text))} tokens if they are read as text, "
            f"{len(enc.encode(text, special='special'))} as special tokens"
        )
    stage.give(FOUR[:2], special="special")
    stage.page.wait_for_function("() => compare.isAgreed && compare.columns.every(({ counts }) => counts.tokens === 3)")
    expect(notice).to_contain_text("Shown: as special tokens.")
    assert stage.columns.first.locator(".special").all_text_contents() == ["<|endoftext|>"]


def test_lone_surrogates_and_texts_that_are_too_long(stage):
    stage.mount(FOUR[:2], "short")
    notice = stage.page.locator(".notice")
    stage.write("a\ud83db")
    expect(notice).to_contain_text("1 lone surrogate in this text")
    stage.area.evaluate(
        """(area) => {
          area.value = 'Nineteen characters\\n'.repeat(250_001);
          area.dispatchEvent(new Event('input', { bubbles: true }));
        }"""
    )
    expect(notice).to_contain_text("over 5,000,000 bytes")
    stage.write("short again").expect_marks("short again")
    expect(notice).to_be_hidden()


def test_the_text_goes_to_the_server_and_comes_from_it(stage):
    stage.mount(FOUR[:2], "from the page")
    stage.write("typed ที่")
    stage.page.wait_for_function("() => sent.length")
    assert stage.page.evaluate("sent") == [["commit", {"text": "typed ที่", "push": "first"}]]
    stage.give(FOUR[:2], text="put by the page", push="second")
    stage.settled("put by the page").expect_marks("put by the page")
    expect(stage.area).to_have_value("put by the page")


def test_the_link_names_the_encodings(stage):
    stage.mount(["gpt2", "o200k_base"], "linked ที่")
    stage.page.evaluate(
        """() => {
          const value = { writeText: async (text) => { window.copied = text; } };
          Object.defineProperty(navigator, 'clipboard', { configurable: true, value });
        }"""
    )
    stage.press("Copy link")
    expect(stage.page.locator(".done")).to_contain_text("Link copied")
    link = urlsplit(stage.page.evaluate("copied"))
    assert link.query == "encodings=gpt2,o200k_base&special=text"
    read = "async (fragment) => (await import('/kit/js/link.js')).textFrom(fragment)"
    assert call(stage.page, read, link.fragment) == "linked ที่"


def test_text_is_never_markup(stage):
    text = "<img src=x onerror=\"document.body.dataset.marked='yes'\"></textarea><script>alert(1)</script>&amp;"
    stage.mount(FOUR[:2], text)
    stage.columns.first.locator(".t").nth(3).click()
    stage.columns.nth(1).locator(".t").nth(2).hover()
    expect(stage.page.locator(".stretch table")).to_be_visible()
    assert stage.page.locator(".compare img, .compare script").count() == 0
    assert stage.page.evaluate("document.body.dataset.marked ?? null") is None


@pytest.mark.parametrize(("width", "count", "per_row"), [(1180, 4, 4), (1600, 6, 6), (1180, 6, 3), (375, 4, 1)])
def test_columns_fit_the_screen(stage, width, count, per_row):
    stage.page.set_viewport_size({"width": width, "height": 800})
    stage.mount([*FOUR, "r50k_base", "o200k_harmony"][:count], SCRIPTS + "x" * 400)
    tops = [stage.columns.nth(i).bounding_box()["y"] for i in range(count)]
    assert [tops.count(top) for top in sorted(set(tops))] == [per_row] * (count // per_row)
    assert stage.page.evaluate("document.documentElement.scrollWidth") <= width
    for i in range(count):
        view = stage.columns.nth(i).locator(".tokens")
        assert view.evaluate("(view) => view.scrollWidth <= view.clientWidth")
