"""The merge timeline's JavaScript in the browser: its pure modules against the trainer and a naive model, and the whole
component against a server that answers as ours does."""

import json
import random
import re
from collections import Counter
from itertools import accumulate
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest
import regex
from playwright.sync_api import Page, expect

from e2e.corpus import NO_CONTROL, random_text
from e2e.desk import assert_boundaries, call
from e2e.server import ROOT
from tokenizer.display import palette
from tokenizer.split.guards import timeout_for
from tokenizer.split.patterns import pieces
from tokenizer.text.well_formed import well_formed
from tokenizer.training.corpus import count_pre_tokens
from tokenizer.training.story import NONE, closings, tell
from ui.server.answers import read_texts
from ui.server.shelf import Trained

UI = ROOT / "ui"
TIMELINE = ["story", "hues", "recut", "curve", "guess", "words", "lane", "timeline"]
MODULES = [f"train/timeline/js/{name}" for name in TIMELINE]
MODULES += [f"kit/js/{name}" for name in ("keys", "box", "player")]
THAI = "น้ำท่าน้ำ ที่นี่มีน้ำ ที่นั่นก็มี บ้านน้ำท่า น้ำ\nที่บ้านมีน้ำ 👍🏽👍 e\u0301e\u0301 "
ENGLISH = "the cat sat on the mat; the hat that the cat sat on is the cat's. aaaa aaaaaaa\n\nThe the the. "
TIES = {"name": "first-seen", "words": "the pair that stands first in the text"}

RULE = "the rule first-seen decided: the pair that stands first in the text"

HELPERS = """() => {
  window.storyOf = (rows) => new Story(rows.map((row) => Uint32Array.from(row)));
  window.recutOf = ([text, ends, steps]) => new Recut(text, Uint32Array.from(ends), Uint32Array.from(steps));
}"""


@pytest.fixture
def rng(request) -> random.Random:
    return random.Random(request.function.__name__)


@pytest.fixture(scope="module")
def blank(browser):
    """A blank page on which the modules of ui/ can be imported, with those of the timeline as its globals."""
    page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")

    def serve(route) -> None:
        path = urlsplit(route.request.url).path
        if path.endswith(".js"):
            route.fulfill(body=(UI / path[1:]).read_text(encoding="utf-8"), content_type="text/javascript")
        else:
            route.fulfill(body="<!doctype html><meta charset=utf-8>", content_type="text/html")

    page.route("http://modules.test/**", serve)
    page.goto("http://modules.test/")
    page.evaluate(
        """async (names) => {
          for (const name of names) Object.assign(window, await import(`/${name}.js`));
        }""",
        MODULES,
    )
    page.evaluate(HELPERS)
    yield page
    page.close()


def trained(text: str, vocab_size: int, pattern: str | None = "cl100k_base", **options) -> Trained:
    """A training on a text as the shelf keeps it."""
    story = tell(count_pre_tokens(text, pattern), vocab_size, **options)
    encoding = story.encoding(pattern, ["<|end|>"], "tiny")
    return Trained("trained-1", encoding, SimpleNamespace(story=story))


def story_rows(one: Trained) -> list[list[int]]:
    return [[int(number) for number in row] for row in one.story_rows]


def recut_of(text: str, one: Trained) -> list:
    text = well_formed(text)[0]
    return [text, *(row.tolist() for row in closings(text, one.encoding))]


def naive_cut(text: str, one: Trained, step: int) -> list[tuple[bytes, int]]:
    """Tokens of a text and their ids after the first merges alone, made one by one: the model for all that is drawn."""
    out = []
    ids = {token: number for number, token in enumerate(one.story.tokens)}
    for piece in pieces(text, one.encoding.pattern, timeout_for(text)):
        parts = [bytes([b]) for b in piece.encode()] if one.story.alphabet == "bytes" else [c.encode() for c in piece]
        for merge in one.story.merges[:step]:
            at = 0
            while at < len(parts) - 1:
                if (parts[at], parts[at + 1]) == (merge.left, merge.right):
                    parts[at : at + 2] = [merge.token]
                at += 1
        out += [(part, ids.get(part, -1)) for part in parts]
    return out


TRAININGS = {
    "thai": (THAI * 5, 300, "cl100k_base", {}),
    "english": (ENGLISH * 5, 300, "gpt2", {}),
    "no pattern": (ENGLISH * 3, 290, None, {}),
    "characters": (THAI * 5, 60, "o200k_base", {"alphabet": "characters"}),
    "smallest ids": (THAI + ENGLISH * 4, 290, "cl100k_base", {"ties": "smallest-ids"}),
}


@pytest.fixture(scope="module", params=TRAININGS)
def one(request) -> Trained:
    text, size, pattern, options = TRAININGS[request.param]
    return trained(text, size, pattern, **options)


# ---- story.js ----


def test_symbols_have_their_bytes_and_lengths(blank, one):
    found = call(
        blank,
        """(rows) => {
          const story = storyOf(rows), all = Array.from(story.lengths, (_, symbol) => symbol);
          return {
            bytes: all.map((symbol) => Array.from(story.bytesOf(symbol))), lengths: Array.from(story.lengths),
            beginnings: all.map((symbol) => Array.from(story.bytesOf(symbol, 3))),
            tokens: Array.from(story.tokens), alphabet: story.alphabet,
            rates: [0, 5].map((s) => story.bytesPerToken(s)),
          };
        }""",
        story_rows(one),
    )
    tokens = [[*token] for token in one.story.tokens]
    assert found["bytes"] == tokens
    assert found["lengths"] == [*map(len, tokens)]
    assert found["beginnings"] == [token[:3] for token in tokens]
    assert found["tokens"] == one.story.num_tokens.tolist()
    assert found["alphabet"] == one.story.alphabet
    assert found["rates"] == pytest.approx([one.story.num_bytes / one.story.num_tokens[s] for s in (0, 5)])


def test_candidates_are_the_winner_and_its_runners_up(blank, one):
    found = call(
        blank,
        """(rows) => {
          const s = storyOf(rows);
          return Array.from(s.left, (_, i) => [s.candidates(i), s.tied(i), s.isForced(i)]);
        }""",
        story_rows(one),
    )
    tokens = one.story.tokens
    for i, (candidates, tied, is_forced) in enumerate(found):
        merge, rivals = one.story.merges[i], one.story.runners_up(i)
        told = [(tokens[c["left"]], tokens[c["right"]], c["count"]) for c in candidates]
        assert told == [(merge.left, merge.right, merge.count), *rivals]
        assert [c["won"] for c in candidates] == [True] + [False] * len(rivals)
        same = sum(count == merge.count for *_, count in told)
        assert tied == {"pairs": same, "more": same == 6}
        assert is_forced == any(count > merge.count for *_, count in rivals)
    assert any(tied["pairs"] > 1 for _, tied, _ in found)


def test_a_merge_chosen_by_hand_is_known_by_its_count(blank):
    plain = trained(ENGLISH * 3, 270)
    rare = plain.story.runners_up(0)[-1]
    assert rare[2] < plain.story.merges[0].count
    fork = trained(ENGLISH * 3, 270, start=[rare[:2]])
    found = call(
        blank, "(rows) => { const s = storyOf(rows); return [0, 1, 2].map((i) => s.isForced(i)); }", story_rows(fork)
    )
    assert found == [True, False, False]


def test_the_deepest_chain_of_merges_has_its_bytes(blank):
    found = call(
        blank,
        """(n) => {
          const left = [0, ...Array.from({ length: n - 1 }, (_, i) => 2 + i)], right = Array(n).fill(1);
          const story = storyOf([[0, 5, n + 1, n + 1, 2], [97, 98], left, right, right, right, [], []]);
          const all = story.bytesOf(n + 1);
          return [all.length, all[0], new Set(all.subarray(1)).size, story.bytesOf(n + 1, 2).length];
        }""",
        30_000,
    )
    assert found == [30_001, 97, 1, 2]


# ---- recut.js, hues.js ----

CUTS = """(cut, steps) => {
  const recut = recutOf(cut);
  return steps.map((step) => ({
    count: recut.count(step), newest: recut.countNewest(step),
    blocks: recut.blocks.map((block) => ({ ...recut.cut(block, step), hasNewest: recut.hasNewest(block, step) })),
  }));
}"""


def other_texts(rng: random.Random) -> list[str]:
    return ["", "x", THAI, ENGLISH, *(random_text(rng, 300, NO_CONTROL) for _ in range(3))]


def test_every_step_cuts_as_the_merges_do_one_by_one(blank, rng, one):
    n = len(one.story)
    base = len(one.story.base)
    for text in other_texts(rng):
        text = well_formed(text)[0]
        steps = sorted({0, 1, 2, n // 2, n - 1, n})
        for step, found in zip(steps, call(blank, CUTS, recut_of(text, one), steps), strict=True):
            wanted = naive_cut(text, one, step)
            at, told = 0, []
            for block in found["blocks"]:
                start = at
                for end, made, unit in zip(block["ends"], block["made"], block["units"], strict=True):
                    own = text.encode()[at : start + end]
                    told.append((own, base + made if made >= 0 else dict(wanted).get(own, -1)))
                    assert unit == (at if one.story.alphabet == "bytes" else len(text.encode()[:at].decode()))
                    at = start + end
            assert told == wanted
            assert found["count"] == len(wanted)
            newest = sum(token_id == base + step - 1 for _, token_id in wanted) if step else 0
            assert found["newest"] == newest
            assert [block["hasNewest"] for block in found["blocks"]] == [
                step > 0 and step - 1 in block["made"] for block in found["blocks"]
            ]


def test_blocks_are_whole_graphemes_between_gaps_that_stay(blank, rng, one):
    for text in other_texts(rng):
        cut = recut_of(text, one)
        blocks = call(
            blank,
            "(cut) => recutOf(cut).blocks.map(({ from, to, text, endsLine }) => ({ from, to, text, endsLine }))",
            cut,
        )
        text, _, steps = cut
        assert "".join(block["text"] for block in blocks) == text
        ends = {m.end() for m in regex.finditer(r"\X", text)}
        at = 0
        for i, block in enumerate(blocks):
            assert block["from"] == (blocks[i - 1]["to"] if i else 0)
            at += len(block["text"])
            if i < len(blocks) - 1:
                assert at in ends
                assert steps[block["to"] - 1] == NONE
                assert block["endsLine"] == block["text"].endswith("\n")


def test_long_texts_have_small_blocks(blank):
    one = trained(THAI * 5, 300)
    sizes = call(blank, "(cut) => recutOf(cut).blocks.map((block) => block.text.length)", recut_of(THAI * 40, one))
    assert max(sizes) < 130
    assert len(sizes) > 30


def test_blocks_that_are_not_touched_stay_as_they_are(blank, rng, one):
    n = len(one.story)
    pairs = [sorted(rng.sample(range(n + 1), 2), reverse=rng.random() < 0.5) for _ in range(20)]
    pairs += [[s, s + 1] for s in range(0, n, 7)]
    touched, kept = call(
        blank,
        """(cut, pairs) => {
          const recut = recutOf(cut), look = (block, step) => JSON.stringify(recut.cut(block, step));
          let touched = 0, kept = 0;
          for (const [a, b] of pairs) for (const block of recut.blocks) {
            if (recut.isTouched(block, a, b)) { touched++; continue; }
            kept++;
            const isMarked = recut.hasNewest(block, a) || recut.hasNewest(block, b);
            if (look(block, a) !== look(block, b) || isMarked) throw new Error(`${a} ${b} ${block.text}`);
          }
          return [touched, kept];
        }""",
        recut_of((THAI + ENGLISH) * 4, one),
        pairs,
    )
    assert touched
    assert kept


NEIGHBORS = """(closings, steps) => {
  const colors = hues(Uint32Array.from(closings));
  for (const step of steps) {
    let last = -1;
    for (let i = 0; i < closings.length; i++) {
      if (i > 0 && closings[i - 1] < step) continue;
      if (colors[i] === last || colors[i] > 6) return [step, i];
      last = colors[i];
    }
  }
  return new Set(colors).size;
}"""


def test_tokens_side_by_side_differ_in_color_at_every_step(blank, rng):
    for size in (1, 2, 5, 40, 300):
        for most in (1, 3, 20, 300):
            for _ in range(6):
                steps = [rng.choice([rng.randrange(most), rng.randrange(most), NONE]) for _ in range(size)]
                assert isinstance(call(blank, NEIGHBORS, steps, [*range(most + 2)]), int)


def test_real_text_uses_every_color(blank, one):
    _, _, steps = recut_of(THAI + ENGLISH, one)
    assert call(blank, NEIGHBORS, steps, [*range(len(one.story) + 1)]) == 7


# ---- curve.js ----


@pytest.mark.parametrize("n", [0, 1, 7, 499, 1000, 30_000])
def test_a_curve_has_few_points_and_both_ends(blank, n):
    for limit in sorted({0, n // 3, n}):
        found = call(blank, "(n, limit) => samples(n, limit)", n, limit)
        assert found == sorted(set(found))
        assert (found[0], found[-1]) == (0, limit)
        assert len(found) <= 502


def test_the_way_to_a_step_and_back(blank):
    shares = [-1, 0, 0.24, 0.5, 0.999, 1, 2]
    assert call(blank, "(shares) => shares.map((share) => stepAt(share, 100))", shares) == [0, 0, 24, 50, 100, 100, 100]
    low, high, ends = call(
        blank,
        """(rows) => {
          const story = storyOf(rows), scale = scaleOf([story], story.numMerges);
          const path = pathOf(story, scale, story.numMerges);
          return [scale.low, scale.high, [path.match(/^M[^L]*/)[0], path.match(/L[^L]*$/)[0]]];
        }""",
        story_rows(trained(ENGLISH, 280)),
    )
    assert low == 1
    assert high > 1
    assert ends == ["M0 100", "L1000 0"]


# ---- guess.js, words.js, keys.js, box.js ----


def test_the_order_of_the_choices_does_not_tell_the_winner(blank, one):
    orders = call(
        blank,
        """(rows) => { const s = storyOf(rows); return Array.from(s.left, (_, i) => choices(s, i).map((one) => [
          [...s.bytesOf(one.left), ...s.bytesOf(one.right)], s.lengths[one.left], one.won])); }""",
        story_rows(one),
    )
    for order in orders:
        assert [row[:2] for row in order] == sorted(row[:2] for row in order)
        assert sum(row[2] for row in order) == 1
    places = Counter(next(k for k, row in enumerate(order) if row[2]) for order in orders)
    assert len(places) > 2


def test_the_judge_counts_a_tie_as_right(blank):
    found = call(
        blank,
        """() => {
          const options = [{ count: 4, won: false }, { count: 9, won: true }, { count: 9, won: false }];
          const score = new Score();
          const verdicts = [1, 2, 0, 1].map((k) => judge(options, k)), heard = [];
          for (const verdict of verdicts) { score.add(verdict); heard.push([score.right, score.asked, score.streak]); }
          return [verdicts, heard, scoreInWords(score), scoreInWords(new Score())];
        }""",
    )
    assert found == [
        ["right", "tie", "wrong", "right"],
        [[1, 1, 1], [2, 2, 2], [2, 3, 0], [3, 4, 1]],
        "3 of 4",
        "No guess yet.",
    ]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("seenAndSaved(1234, 1234, false)", "Seen 1,234 times; saved 1,234 tokens."),
        ("seenAndSaved(1, 1, true)", "It stands once; joining it saves 1 token."),
        ("tieSentence({ pairs: 2, more: false }, 41, TIES)", f"2 pairs stood 41 times; {RULE}."),
        ("tieSentence({ pairs: 6, more: true }, 41, TIES)", f"6 or more pairs stood 41 times; {RULE}."),
        ("stepInWords(37, 256, 'th + e')", "merge 37 of 256: th + e"),
        ("stepInWords(0, 256, '')", "before the first of 256 merges"),
        ("comparison(120, 14310, 14202)", "After 120 merges: 14,310 tokens; the history it left: 14,202 (+0.8 %)."),
        ("comparison(1, 990, 1000)", "After 1 merge: 990 tokens; the history it left: 1,000 (−1.0 %)."),
        ("comparison(2, 10, 10)", "After 2 merges: 10 tokens; the history it left: 10 (the same)."),
    ],
)  # fmt: skip
def test_sentences(blank, script, words):
    assert blank.evaluate(f"(TIES) => {script}", TIES) == words


def test_what_was_saved_may_be_less_than_what_was_seen(blank):
    said = blank.evaluate("seenAndSaved(7, 4, false)")
    assert said.startswith("Seen 7 times; saved 4 tokens. Fewer, because a run")


@pytest.mark.parametrize(
    ("key", "focus", "wanted"),
    [
        ({"key": "ArrowRight"}, "", {"move": 1}),
        ({"key": "ArrowLeft", "shiftKey": True}, "button", {"move": -10}),
        ({"key": "ArrowRight"}, "field", None),
        ({"key": "ArrowRight"}, "select", None),
        ({"key": "ArrowDown"}, "lane", {"token": 1}),
        ({"key": "ArrowUp"}, "range", {"move": 1}),
        ({"key": "ArrowDown"}, "", None),
        ({"key": " "}, "", "play"),
        ({"key": " "}, "button", None),
        ({"key": "Enter"}, "range", "next"),
        ({"key": "+"}, "", {"speed": 1}),
        ({"key": "-"}, "lane", {"speed": -1}),
        ({"key": "3"}, "button", {"pick": 2}),
        ({"key": "7"}, "", None),
        ({"key": "1", "ctrlKey": True}, "", None),
        ({"key": "r"}, "", None),
    ],
)
def test_keys(blank, key, focus, wanted):
    assert call(blank, "(key, focus) => meaning(key, focus)", key, focus) == wanted


def test_enter_pins_the_token_that_is_shown(blank):
    found = call(blank, "() => ['lane', 'range', 'button'].map((focus) => meaning({ key: 'Enter' }, focus, true))")
    assert found == ["pin", "next", None]


def test_home_and_end_go_all_the_way(blank):
    found = blank.evaluate("['Home', 'End'].map((key) => meaning({ key }, 'range').move)")
    assert found == [float("-inf"), float("inf")]


def test_bytes_are_runs_of_characters_and_of_the_rest(blank, rng):
    for _ in range(60):
        data = random_text(rng, 6, NO_CONTROL).encode()
        data = data[rng.randrange(3) : len(data) - rng.randrange(3)]
        runs = call(blank, "(bytes) => runsOf(Uint8Array.from(bytes))", [*data])
        back = b"".join(run["text"].encode() if "text" in run else bytes(run["bytes"]) for run in runs)
        assert back == data
        assert all(a.keys() != b.keys() for a, b in zip(runs, runs[1:], strict=False))
        spelled = "".join(
            run["text"] if "text" in run else "".join(f"\\x{b:02x}" for b in run["bytes"]) for run in runs
        )
        assert spelled == data.decode(errors="backslashreplace")


def test_names_of_symbols(blank):
    names = call(
        blank,
        "(all) => all.map((bytes) => nameOfBytes(Uint8Array.from(bytes)))",
        [[*text] for text in (b" the", b"\xe0\xb8", "น".encode() + b"\xe0", "\u0e35".encode(), b"x" * 90)],
    )
    assert names == ["·the", "E0 B8", "น E0", "◌\u0e35", "x" * 24 + " …"]


# ---- the component ----

MOUNT = """([html, css, data]) => {
  const host = document.createElement('div');
  document.body.replaceChildren(host);
  const shadow = host.attachShadow({ mode: 'open' });
  shadow.append(document.createElement('div'));
  shadow.firstChild.innerHTML = `<style>${css}</style>${html}`;
  window.sent = [];
  window.timeline?.leave();
  window.timeline = new Timeline(shadow.firstChild);
  window.give = (data) => timeline.update({ data, setTriggerValue: (name, value) => sent.push([name, value]) });
  give(data);
}"""


class Stage:
    """The component on a page, with a server that has these trainings."""

    def __init__(self, page: Page):
        self.page = page
        self.asked: list[tuple[str, str]] = []
        self.trained: dict[str, Trained] = {}
        page.route("http://modules.test/api/**", self._answer)
        self.lane = page.locator(".tokens")
        self.panel = page.locator(".panel")
        self.slider = page.get_by_role("slider")

    def _answer(self, route) -> None:
        url = urlsplit(route.request.url)
        name, key = url.path.rpartition("/")[2], parse_qs(url.query)["encoding"][0]
        self.asked.append((name, key))
        headers = {"x-tokenloupe": "1"}
        if key not in self.trained:
            return route.fulfill(status=404, body="The server has forgotten it.", headers=headers)
        one, texts = self.trained[key], read_texts(route.request.post_data_buffer)
        rows = one.story_rows if name == "story" else closings("".join(texts), one.encoding)
        data = [len(rows), *(len(row) for row in rows), *(int(n) for row in rows for n in row)]
        return route.fulfill(body=b"".join(n.to_bytes(4, "little") for n in data), headers=headers)

    def data(self, key: str = "k", text: str = THAI, parent: dict | None = None, name: str = "tiny") -> dict:
        return {
            "url": "/api",
            "key": key,
            "name": name,
            "ties": TIES,
            "text": text,
            "corpusBytes": 10,
            "corpusCharacters": 5,
            "parent": parent,
            "answer": None,
        }

    def open(self, one: Trained, text: str = THAI, fragment: str = "", key: str = "k") -> "Stage":
        self.trained[key] = one
        self.page.evaluate("(hash) => history.replaceState(null, '', `/${hash}`)", fragment)
        css = "".join(
            (UI / path).read_text(encoding="utf-8")
            for path in ("kit/tokens.css", "kit/steps.css", "train/timeline/timeline.css")
        )
        html = (UI / "train" / "timeline" / "timeline.html").read_text(encoding="utf-8")
        css = f":host {{ {palette.css_variables()} --st-text-color: #111; --st-background-color: #fff }} {css}"
        self.page.evaluate(MOUNT, [html, css, self.data(key, text)])
        expect(self.lane).to_have_attribute("data-step", re.compile(r"\d"))
        return self

    def give(self, **changes) -> None:
        self.page.evaluate("(data) => give(data)", self.data(**changes))

    def at(self, step: int) -> None:
        expect(self.lane).to_have_attribute("data-step", str(step))

    def sent(self) -> list:
        return self.page.evaluate("sent")

    def drawn(self) -> list[list]:
        """Of every block in the lane its elements: first token, number of tokens, text, whether it is the newest."""
        script = """(lane) => JSON.stringify(Array.from(lane.querySelectorAll('.part'), (part) => Array.from(
          part.children, (one) => [
            Number(one.dataset.k), Number(one.dataset.n ?? 1), one.textContent, one.classList.contains('newest')])))"""
        return json.loads(self.lane.evaluate(script))


@pytest.fixture
def stage(blank) -> Stage:
    opened = Stage(blank)
    yield opened
    blank.evaluate("() => { window.timeline?.leave(); window.timeline = null; }")
    blank.unroute("http://modules.test/api/**")


@pytest.fixture(scope="module")
def thai() -> Trained:
    return trained(THAI * 5, 300)


def test_the_lane_holds_the_text_exactly_at_every_step(stage, thai):
    stage.open(thai)
    for step in (0, 1, 9, len(thai.story), 3, 0):
        stage.slider.fill(str(step))
        stage.at(step)
        parts, wanted = stage.drawn(), naive_cut(THAI, thai, step)
        ends = [*accumulate(len(token) for token, _ in wanted)]
        assert_boundaries(parts, SimpleNamespace(text=THAI, ends=ends))
        assert stage.lane.get_attribute("data-tokens") == str(len(wanted))
        newest = any(token_id == 255 + step for _, token_id in wanted) and step > 0
        assert any(is_newest for part in parts for *_, is_newest in part) == newest
        assert stage.page.locator('[data-count="text"]').text_content() == str(len(wanted))


def test_keys_step_and_screen_readers_hear_it(stage, thai):
    stage.open(thai)
    stage.slider.focus()
    for key, step in [
        ("ArrowRight", 1),
        ("Shift+ArrowRight", 11),
        ("ArrowLeft", 10),
        ("End", len(thai.story)),
        ("Home", 0),
    ]:
        stage.page.keyboard.press(key)
        stage.at(step)
        expect(stage.slider).to_have_value(str(step))
    stage.page.keyboard.press("ArrowRight")
    expect(stage.slider).to_have_attribute("aria-valuetext", re.compile(rf"^merge 1 of {len(thai.story)}: "))


def test_playing_comes_to_the_end_and_stops(stage, thai):
    end = len(thai.story)
    stage.open(thai, fragment=f"#step={end - 4}")
    stage.at(end - 4)
    stage.page.get_by_label("Speed").select_option("20")
    stage.page.get_by_role("button", name="Play").click()
    expect(stage.page.get_by_role("button", name="Pause")).to_be_visible()
    stage.at(end)
    expect(stage.page.get_by_role("button", name="Play")).to_be_visible()


def test_a_link_opens_at_its_step_and_the_same_data_disturbs_nothing(stage, thai):
    stage.open(thai, fragment="#step=7")
    stage.at(7)
    stage.page.evaluate("timeline.go(9)")
    stage.at(9)
    asked = len(stage.asked)
    stage.give()
    stage.page.wait_for_timeout(100)
    stage.at(9)
    assert len(stage.asked) == asked


def test_nothing_of_the_future_is_shown_while_one_predicts(stage, thai):
    stage.open(thai, fragment="#step=5")
    stage.page.get_by_role("button", name="Predict").click()
    options = stage.panel.locator(".option")
    expect(options).to_have_count(1 + len(thai.story.runners_up(5)))
    assert str(thai.story.merges[5].count) not in stage.panel.text_content()
    assert stage.panel.locator(".number, .mark, .newest").count() == 0
    before = stage.page.locator(".curve").get_attribute("d")
    assert max(float(x) for x in re.findall(r"[ML]([\d.]+)", before)) <= 1000 * 5 / len(thai.story) + 0.1
    stage.slider.fill("30")
    stage.page.keyboard.press("End")
    stage.at(5)
    expect(stage.slider).to_have_value("5")


def test_guesses_are_judged_counted_and_lead_on(stage, thai):
    stage.open(thai, fragment="#step=0")
    stage.page.get_by_role("button", name="Predict").click()
    right = asked = 0
    for step in range(4):
        winner, rivals = thai.story.merges[step], thai.story.runners_up(step)
        order = sorted(
            [(winner.left, winner.right, winner.count), *rivals], key=lambda pair: (pair[0] + pair[1], pair[0])
        )
        stage.slider.focus()
        stage.page.keyboard.press(str(step % len(order) + 1))
        picked = order[step % len(order)]
        right, asked = right + (picked[2] == winner.count), asked + 1
        expect(stage.panel.locator(".score")).to_have_text(re.compile(rf"^Score: {right} of {asked}"))
        counts = [int(text.replace(",", "")) for text in stage.panel.locator(".number").all_text_contents()]
        assert counts == [winner.count, *(count for *_, count in rivals)]
        verdict = stage.panel.locator(".verdict")
        kind = "right" if picked[:2] == (winner.left, winner.right) else "tie" if picked[2] == winner.count else "wrong"
        expect(verdict).to_have_class(f"verdict {kind}")
        stage.page.keyboard.press("Enter")  # the focus is on "Next"
        stage.at(step + 1)


def test_bars_of_one_list_have_one_scale(stage, thai):
    counts = [
        [merge.count, *(count for *_, count in thai.story.runners_up(i))] for i, merge in enumerate(thai.story.merges)
    ]
    step = next(i for i, own in enumerate(counts) if len({len(str(count)) for count in own}) > 1) + 1
    stage.open(thai, fragment=f"#step={step}")
    stage.at(step)
    bars = stage.panel.locator(".ranking .bar").evaluate_all(
        """(bars) => bars.map((bar) => [bar.getBoundingClientRect().width, bar.style.getPropertyValue('--share')])"""
    )
    assert len({width for width, _ in bars}) == 1
    assert [float(share) for _, share in bars] == pytest.approx([n / max(counts[step - 1]) for n in counts[step - 1]])


def test_what_if_sends_the_pair_and_the_step_at_which_it_stood(stage, thai):
    stage.open(thai, fragment="#step=9")
    stage.panel.get_by_role("button", name=re.compile("^What if this one")).nth(1).click()
    rival = [int(n) for n in thai.story.rivals[8][1]]
    assert stage.sent() == [["fork", {"step": 8, "left": rival[0], "right": rival[1]}]]
    expect(stage.page.locator(".notice")).to_contain_text("Training a fork")


def test_a_fork_opens_after_its_choice_and_is_compared(stage, thai):
    stage.open(thai, fragment="#step=9")
    rival = thai.story.runners_up(8)[1]
    start = [(m.left, m.right) for m in thai.story.merges[:8]] + [rival[:2]]
    fork = stage.trained["fork"] = trained(THAI * 5, 300, start=start)
    stage.give(key="fork", name="tiny-if", parent={"key": "k", "name": "tiny", "at": 8})
    expect(stage.page.locator(".title")).to_contain_text("tiny-if")
    stage.at(9)
    expect(stage.panel).to_contain_text("chosen here, in the fork")
    stage.slider.fill("40")
    own, theirs = int(fork.story.num_tokens[40]), int(thai.story.num_tokens[40])
    expect(stage.page.locator(".compare")).to_contain_text(
        f"After 40 merges: {own:,} tokens; the history it left: {theirs:,}"
    )
    assert [key for name, key in stage.asked if name == "story"] == ["k", "fork"]  # the parent was here already


def test_a_text_of_ones_own_is_cut_instead(stage, thai):
    stage.open(thai, fragment="#step=12")
    stage.page.get_by_role("button", name="Your own text").click()
    own = "น้ำ and <b>tea</b> " * 300
    stage.page.get_by_label("Your own text to cut").fill(own)
    expect(stage.page.locator(".caption")).to_contain_text("Shown: the first 3,000 characters")
    assert stage.lane.text_content() == own[:3000]
    assert stage.lane.get_attribute("data-tokens") == str(len(naive_cut(own[:3000], thai, 12)))
    stage.page.get_by_role("button", name="Reset").click()
    expect(stage.lane).to_have_text(THAI, use_inner_text=False)


def test_a_token_says_what_it_is(stage, thai):
    stage.open(thai, fragment="#step=20")
    stage.lane.focus()
    stage.page.keyboard.press("ArrowDown")
    tip = stage.page.locator(".tip")
    expect(tip).to_be_visible()
    token, token_id = naive_cut(THAI, thai, 20)[0]
    expect(tip).to_contain_text(token.hex(" ").upper())
    expect(tip).to_contain_text(f"id{token_id}")
    expect(tip).to_contain_text(f"merge {token_id - 255}" if token_id > 255 else "a base symbol")


@pytest.mark.parametrize("step", [0, 20, 200])
def test_every_token_can_be_pinned_and_asked_about(stage, thai, step):
    stage.open(thai, fragment=f"#step={step}")
    card, page, at = stage.page.locator(".tip"), stage.page, 0
    pieces = naive_cut(THAI, thai, step)
    stage.lane.focus()
    for number, (token, _) in enumerate(pieces[:12]):
        page.keyboard.press("ArrowDown")
        expect(card.get_by_role("button")).to_have_count(0)
        page.keyboard.press("Enter")
        expect(card.get_by_role("button", name="Why this split?")).to_be_focused()
        page.keyboard.press("Enter")
        assert page.evaluate("sent.filter(([name]) => name === 'why').length") == number + 1
        name, asked = page.evaluate("sent[sent.length - 1]")
        assert name == "why" and asked == {"key": "k", "at": at, "text": THAI}
        at += len(token)
        card.get_by_role("button", name="Unpin").click() if number == 3 else page.keyboard.press("Escape")
        expect(card).to_be_hidden()
        expect(stage.lane).to_be_focused()
        for _ in range(number + 1):
            page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    for _ in pieces:
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")  # the last one, of another block than the first
    assert page.evaluate("sent[sent.length - 1][1].at") == len(THAI.encode()) - len(pieces[-1][0])
    assert page.evaluate("sent.filter(([name]) => name !== 'why').length") == 0


def test_a_pinned_token_stays_until_it_is_let_go(stage, thai):
    stage.open(thai, fragment="#step=20")
    page, card, tokens = stage.page, stage.page.locator(".tip"), stage.lane.locator("[data-k]")
    tokens.nth(2).click()
    head = card.locator(".head").inner_text()
    tokens.nth(8).hover()
    expect(card.locator(".head")).to_have_text(head)
    expect(card).to_have_attribute("role", "group")
    tokens.nth(8).click()
    expect(card.locator("dl")).not_to_have_text(head)
    expect(stage.lane.locator(".pinned")).not_to_have_count(0)
    tokens.nth(8).click()  # the same again lets go
    expect(stage.lane.locator(".pinned")).to_have_count(0)
    tokens.nth(8).click()
    page.locator(".counts").click()
    expect(card).to_be_hidden()
    tokens.nth(8).click()
    card.get_by_role("button", name="Why this split?").focus()
    page.keyboard.press("ArrowRight")  # another merge
    stage.at(21)
    expect(card).to_be_hidden()
    expect(stage.lane).to_be_focused()


def test_a_server_that_has_forgotten_says_so_in_place(stage, thai):
    stage.open(thai)
    stage.give(key="gone")
    notice = stage.page.locator(".notice")
    expect(notice).to_have_text("The server has forgotten it.")
    expect(notice).to_have_class(re.compile("alert"))


def test_text_between_lines_is_copied_exactly(stage, thai):
    text = "น้ำ\nmore\n\nlast"
    stage.open(thai, text)
    copied = stage.lane.evaluate(
        """(lane) => {
          getSelection().selectAllChildren(lane);
          const clipboardData = new DataTransfer();
          lane.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }));
          return clipboardData.getData('text/plain');
        }"""
    )
    assert copied == text
