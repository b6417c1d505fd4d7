"""The merge timeline component in a browser, against the trainer, with routes as of the server."""

import json
import re
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect
from waiting import next_frames

from e2e.stage import Stage as Base
from e2e.trainings import ENGLISH, THAI, naive_cut, trained
from server.editor_api import questions
from server.encodings.encoding_store import Trained
from server.wire_format import pack_rows
from tokenizer import TokenizerError

WHAT_IF = re.compile("^What if .* is merged instead")
TIES = {"name": "first-seen", "words": "the pair that comes first in the text"}


class Stage(Base):
    """The timeline on a page, with a server that has these trainings."""

    folder, sheets = "web/timeline", ("tokens.css", "steps.css", "loupe.css")

    def __init__(self, page: Page):
        self.questions: list[tuple[str, str]] = []  # the previous component may already ask
        self.trained: dict[str, Trained] = {}
        super().__init__(page)
        self.lane = page.locator(".tokens")
        self.panel = page.locator(".panel")
        self.slider = page.get_by_role("slider")

    def answer(self, name: str, query: dict[str, str], body: bytes) -> bytes:
        """Answers history, recut and loupe as the server does."""
        self.questions.append((name, query["encoding"]))
        if query["encoding"] not in self.trained:
            raise TokenizerError("The server has forgotten it.")
        one = self.trained[query["encoding"]]
        if name == "history":
            return pack_rows(*one.history_rows)
        texts = questions.read_texts(body)
        if name == "loupe":
            return questions.loupe(texts, one.encoding, "text", query["at"])
        return questions.recut(texts, one.encoding, "text")

    def data(self, key: str = "k", text: str = THAI, parent: dict | None = None, name: str = "tiny") -> dict:
        own = {"key": key, "name": name, "ties": TIES, "text": text, "corpusBytes": 10, "corpusCharacters": 5}
        return {"url": "/api", "answer": None, "parent": parent} | own

    def open(self, one: Trained, text: str = THAI, fragment: str = "", key: str = "k") -> "Stage":
        self.trained[key] = one
        self.page.evaluate("(hash) => history.replaceState(null, '', `/${hash}`)", fragment)
        self.show(self.data(key, text))
        expect(self.lane).to_have_attribute("data-step", re.compile(r"\d"))
        return self

    def give(self, **changes) -> None:
        self.page.evaluate("(data) => give(data)", self.data(**changes))

    def at(self, step: int) -> None:
        expect(self.lane).to_have_attribute("data-step", str(step))

    def sent(self) -> list:
        return self.page.evaluate("sent")

    def drawn(self) -> list[list]:
        """Returns the elements of each block: first token, number of tokens, text, is newest."""
        script = """(lane) => JSON.stringify(Array.from(lane.querySelectorAll('.part'), (part) => Array.from(
          part.children, (one) => [
            Number(one.dataset.k), Number(one.dataset.n ?? 1), one.textContent, one.classList.contains('newest')])))"""
        return json.loads(self.lane.evaluate(script))


@pytest.fixture
def stage(blank) -> Stage:
    opened = Stage(blank)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def thai() -> Trained:
    return trained(THAI * 5, 300)


MOTIONS = """() => {
  const { animate } = Element.prototype;
  window.motions = [];
  Element.prototype.animate = function (frames, how) {
    const inside = this.closest('.moving') !== null;
    if (inside) motions.push([this.textContent, this.style.clipPath !== '', how.duration, frames[0].transform]);
    return animate.call(this, frames, how);
  };
  window.still = () => { Element.prototype.animate = animate; };
}"""


OPACITIES = """(lane) => Array.from(lane.querySelectorAll('.t:not(.newest)'), (one) => getComputedStyle(one).opacity)"""


LABEL = """(fork) => {
  const { left, width } = getComputedStyle(fork, '::after');
  const start = fork.getBoundingClientRect().left + parseFloat(left);
  return [start, start + parseFloat(width)];
}"""


def test_halves_of_a_merge_slide_together_unless_motion_is_reduced(stage):
    english = trained(ENGLISH * 5, 300)
    stage.open(english, ENGLISH)
    stage.page.evaluate(MOTIONS)
    stage.page.evaluate("part.go(1)")
    stage.at(1)
    assert stage.page.evaluate("motions") == []  # reduced motion
    stage.page.emulate_media(reduced_motion="no-preference")
    stage.page.evaluate("part.go(2)")
    stage.at(2)
    found = stage.page.evaluate("motions")
    newest = [text for part in stage.drawn() for _, _, text, is_newest in part if is_newest]
    assert newest and [text for text, *_ in found] == [text for text in newest[: len(found) // 2] for _ in range(2)]
    assert all(is_cut and ms <= 200 for _, is_cut, ms, _ in found)
    assert all(
        one[3].startswith("translateX(-") and not other[3].startswith("translateX(-")
        for one, other in zip(found[::2], found[1::2], strict=True)
    )
    assert set(stage.lane.evaluate(OPACITIES)) == {"1"}  # the text keeps its contrast
    stage.page.evaluate("part.go(9)")  # a jump is not animated
    stage.at(9)
    assert stage.page.evaluate("motions") == found
    stage.page.evaluate("still()")
    stage.page.emulate_media(reduced_motion="reduce")


def test_partial_characters_are_labelled_with_their_character(stage, thai):
    stage.open(thai)
    merges = thai.history.merges
    whole = next(i for i, one in enumerate(merges) if one.left in (b"\xe0\xb8", b"\xe0\xb9") and len(one.right) == 1)
    stage.slider.fill(str(whole + 1))
    stage.at(whole + 1)
    letter = (merges[whole].left + merges[whole].right).decode()
    halves = stage.panel.locator(".join .pair .box")
    expect(halves.first).to_have_text(re.compile(rf"{letter}\s*1–2/3$"))
    expect(halves.last).to_have_text(re.compile(rf"{letter}\s*3/3$"))
    start = next(i for i, one in enumerate(merges) if one.token == merges[whole].left)
    stage.slider.fill(str(start + 1))
    stage.at(start + 1)
    expect(stage.panel.locator(".join .newest")).to_contain_text("Thai character, 2 of 3 bytes")


def test_playing_stops_at_the_end(stage, thai):
    end = len(thai.history)
    stage.open(thai, fragment=f"#step={end - 4}")
    stage.at(end - 4)
    stage.page.get_by_label("Speed").select_option("20")
    stage.page.get_by_role("button", name="Play").click()
    expect(stage.page.get_by_role("button", name="Pause")).to_be_visible()
    stage.at(end)
    expect(stage.page.get_by_role("button", name="Play")).to_be_visible()


def test_link_opens_at_its_step_and_equal_data_change_nothing(stage, thai):
    stage.open(thai, fragment="#step=7")
    stage.at(7)
    stage.page.evaluate("part.go(9)")
    stage.at(9)
    num_questions = len(stage.questions)
    stage.give()
    next_frames(stage.page)
    stage.at(9)
    assert len(stage.questions) == num_questions


@pytest.fixture
def opened_with_a_training(stage):
    """The page was opened with a link to the training `k` at merge 7."""
    opened = "() => { performance.getEntriesByType = () => [{ name: `${location.origin}/?trained=k#step=7` }]; }"
    stage.page.evaluate(opened)
    yield
    stage.page.evaluate("() => { delete performance.getEntriesByType; }")


@pytest.mark.usefixtures("opened_with_a_training")
def test_step_of_a_link_waits_for_the_training_that_the_link_names(stage, thai):
    stage.trained["example"] = stage.trained["k"] = stage.trained["later"] = thai
    stage.show(stage.data("example") | {"isOwn": False})
    stage.at(0)
    for key, step in (("k", 7), ("later", 0)):  # the visitor trains the later one
        stage.page.evaluate("(data) => give(data)", stage.data(key) | {"isOwn": True})
        stage.at(step)


@pytest.mark.usefixtures("opened_with_a_training")
def test_new_training_begins_at_its_first_merge_where_the_linked_one_is_gone(stage, thai):
    stage.trained["new"] = thai
    stage.show(stage.data("new") | {"isNew": True, "isOwn": True})
    stage.at(0)


def test_guess_hides_later_merges_and_is_judged_and_counted(stage, thai):
    stage.open(thai, fragment="#step=5")
    stage.page.get_by_role("button", name="Guess the next merge").click()
    options = stage.panel.locator(".option")
    expect(options).to_have_count(1 + len(thai.history.runners_up(5)))
    numbers = stage.panel.locator(
        ".box > :not(.part-of), :not(.box, .part-of, .bytes):not(:has(*))"
    ).all_text_contents()
    assert str(thai.history.merges[5].count) not in " ".join(numbers)
    assert stage.panel.locator(".number, .mark, .newest").count() == 0
    before = stage.page.locator(".curve").get_attribute("d")
    assert max(float(x) for x in re.findall(r"[ML]([\d.]+)", before)) <= 1000 * 5 / len(thai.history) + 0.1
    stage.slider.fill("30")
    stage.page.keyboard.press("End")
    stage.at(5)
    expect(stage.slider).to_have_value("5")
    right = 0
    for num_guesses, step in enumerate(range(5, 9), 1):
        winner, rivals = thai.history.merges[step], thai.history.runners_up(step)
        order = sorted(
            [(winner.left, winner.right, winner.count), *rivals], key=lambda pair: (pair[0] + pair[1], pair[0])
        )
        picked = order[step % len(order)]
        stage.slider.focus()
        stage.page.keyboard.press(str(step % len(order) + 1))
        right += picked[2] == winner.count
        expect(stage.panel.locator(".score")).to_have_text(re.compile(rf"^Score: {right} of {num_guesses}"))
        counts = [int(text.replace(",", "")) for text in stage.panel.locator(".number").all_text_contents()]
        assert counts == [winner.count, *(count for *_, count in rivals)]
        kind = "right" if picked[:2] == (winner.left, winner.right) else "tie" if picked[2] == winner.count else "wrong"
        expect(stage.panel.locator(".verdict")).to_have_class(f"verdict {kind}")
        stage.page.keyboard.press("Enter")  # the focus is on "Next"
        stage.at(step + 1)


def test_bars_of_a_list_share_a_scale(stage, thai):
    counts = [
        [merge.count, *(count for *_, count in thai.history.runners_up(i))]
        for i, merge in enumerate(thai.history.merges)
    ]
    step = next(i for i, own in enumerate(counts) if len({len(str(count)) for count in own}) > 1) + 1
    stage.open(thai, fragment=f"#step={step}")
    stage.at(step)
    bars = stage.panel.locator(".ranking .bar").evaluate_all(
        """(bars) => bars.map((bar) => [bar.getBoundingClientRect().width, bar.style.getPropertyValue('--share')])"""
    )
    assert len({width for width, _ in bars}) == 1
    assert [float(share) for _, share in bars] == pytest.approx([n / max(counts[step - 1]) for n in counts[step - 1]])


def test_rivals_keep_their_places_and_the_focus_and_ask_for_a_fork(stage, thai):
    stage.open(thai, fragment="#step=9")
    rival_button = stage.panel.get_by_role("button", name=WHAT_IF).nth(1)
    rival_button.focus()
    stage.page.evaluate("button => { window.held = button }", rival_button.element_handle())
    tops = set()
    for step in range(10, 40, 3):
        stage.page.evaluate("(step) => part.go(step)", step)
        stage.at(step)
        assert stage.page.evaluate("held === part.root.getRootNode().activeElement")
        tops.add(stage.page.evaluate("held.getBoundingClientRect().top"))
    assert len(tops) == 1
    stage.page.keyboard.press("Enter")
    rival = [int(n) for n in thai.history.rivals[step - 1][1]]
    assert stage.sent() == [["fork", {"step": step - 1, "left": rival[0], "right": rival[1]}]]
    expect(stage.page.locator(".notice")).to_contain_text("Training again from merge")


def test_double_click_asks_for_one_fork(stage, thai):
    stage.open(thai, fragment="#step=9")
    stage.panel.get_by_role("button", name=WHAT_IF).nth(1).dblclick()
    rival = [int(n) for n in thai.history.rivals[8][1]]
    expect(stage.page.locator(".notice")).to_contain_text("Training again from merge")
    assert stage.sent() == [["fork", {"step": 8, "left": rival[0], "right": rival[1]}]]


def test_focus_of_a_rival_that_is_gone_stays_in_the_timeline(stage, thai):
    rivals = [len(thai.history.runners_up(i)) for i in range(len(thai.history.merges))]
    step = next(i for i, (before, now) in enumerate(pairwise(rivals), 1) if now < before)
    stage.open(thai, fragment=f"#step={step}")
    stage.panel.get_by_role("button", name=WHAT_IF).nth(rivals[step - 1] - 1).focus()
    stage.page.evaluate("(step) => part.go(step)", step + 1)
    stage.at(step + 1)
    next_frames(stage.page)
    stage.page.keyboard.press("ArrowRight")
    stage.at(step + 2)


def test_pointer_on_a_rival_stops_a_playing_timeline(stage, thai):
    stage.open(thai)
    stage.page.mouse.move(0, 0)  # an earlier test has left it where a rival may appear while the timeline plays
    stage.page.evaluate("part.player.play()")
    expect(stage.page.get_by_role("button", name="Pause")).to_be_visible()
    stage.panel.get_by_role("button", name=WHAT_IF).first.hover()
    expect(stage.page.get_by_role("button", name="Play")).to_be_visible()


def test_fork_opens_after_its_choice_without_loading_its_parent_again(stage, thai):
    stage.open(thai, fragment="#step=9")
    start = [(m.left, m.right) for m in thai.history.merges[:8]] + [thai.history.runners_up(8)[1][:2]]
    stage.trained["fork"] = trained(THAI * 5, 300, start=start)
    stage.give(key="fork", name="tiny-if", parent={"key": "k", "name": "tiny", "at": 8})
    expect(stage.page.locator(".title")).to_contain_text("tiny-if")
    stage.at(9)
    expect(stage.panel).to_contain_text("chosen by hand in the fork")
    expect(stage.page.locator(".compare")).to_contain_text("without the fork")
    assert [key for name, key in stage.questions if name == "history"] == ["k", "fork"]
    label_start, label_end = stage.page.locator(".fork").evaluate(LABEL)
    dot = stage.page.locator(".dot").bounding_box()
    assert not label_start <= dot["x"] + dot["width"] / 2 <= label_end, "the slider's line is on the label"


def test_text_typed_while_a_history_loads_does_not_lose_the_history(stage, thai):
    stage.open(thai)
    stage.trained["next"] = trained(THAI * 3, 300)
    typed = "(data) => { give(data); part.setOwnText('น้ำ'); part.recutText(part.ownText); }"
    stage.page.evaluate(typed, stage.data(key="next", name="next"))
    expect(stage.page.locator(".title")).to_contain_text("next")
    expect(stage.lane).to_have_text("น้ำ")
    stage.page.evaluate("part.setOwnText(null)")  # the tab stores it


def test_own_text_replaces_the_training_text(stage, thai):
    stage.open(thai, fragment="#step=12")
    stage.page.get_by_role("button", name="Tokenize another text").click()
    own = "น้ำ and <b>tea</b> " * 300
    stage.page.get_by_label("Your own text to tokenize").fill(own)
    expect(stage.page.locator(".caption")).to_contain_text(f"The first 3,000 of {len(own):,} characters are shown.")
    assert stage.lane.text_content() == own[:3000]
    assert stage.lane.get_attribute("data-tokens") == str(len(naive_cut(own[:3000], thai, 12)))
    stage.page.get_by_role("button", name="Reset").click()
    expect(stage.lane).to_have_text(THAI, use_inner_text=False)


def test_jump_input_survives_a_new_text(stage, thai):
    stage.open(thai)
    jump = stage.page.get_by_label("Jump to merge")
    jump.fill("7")
    stage.page.evaluate("part.recutText('น้ำ')")
    expect(stage.lane).to_have_text("น้ำ")
    expect(jump).to_have_value("7")
    jump.press("Enter")
    stage.at(7)
    jump.fill("99999")
    jump.press("Enter")
    expect(jump).to_have_value(str(len(thai.history)))


def test_step_and_focused_token_are_announced(stage, thai):
    stage.open(thai, fragment="#step=9")
    stage.slider.focus()
    stage.page.keyboard.press("Shift+ArrowRight")
    stage.at(19)
    stage.page.keyboard.press("ArrowRight")
    stage.at(20)
    expect(stage.slider).to_have_value("20")
    expect(stage.slider).to_have_attribute("aria-valuetext", re.compile(rf"^merge 20 of {len(thai.history)}: "))
    stage.lane.focus()
    stage.page.keyboard.press("+")
    expect(stage.page.get_by_label("Speed")).to_have_value("2")
    stage.page.keyboard.press("ArrowDown")
    token_id = naive_cut(THAI, thai, 20)[0][1]
    live = stage.page.locator(".live")
    expect(live).to_contain_text(f"id {token_id}")
    stage.page.wait_for_timeout(700)  # longer than the delayed announcement of the step
    expect(live).to_contain_text(f"id {token_id}")
    expect(live).to_contain_text(f"merge {token_id - 255}" if token_id > 255 else "before the first merge")


TILES = """(loupe) => Array.from(loupe.querySelectorAll('.part:not(.other)'), (part) => (
  Array.from(part.querySelectorAll('.tile'), (tile) => tile.textContent).join(' ')))"""


@pytest.mark.parametrize("step", [0, 25])
def test_loupe_shows_every_token_and_no_later_merges_and_links_to_why(stage, thai, step):
    stage.open(thai, fragment=f"#step={step}")
    loupe, page, pieces = stage.page.locator(".loupe"), stage.page, naive_cut(THAI, thai, step)
    stage.lane.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    at = 0
    for number, (token, token_id) in enumerate(pieces[:30]):
        expect(loupe.locator(".which")).to_contain_text(re.compile(rf"^id {token_id}\b"))
        page.locator(".loupe[data-explained]").wait_for()
        page.keyboard.press("End")
        assert loupe.evaluate(TILES) == [token.hex(" ").upper()]
        depth = int(loupe.get_attribute("data-depth"))
        for i in range(depth, 0, -1):  # each merge joins two existing parts
            assert len(loupe.evaluate(TILES)) == depth - i + 1
            page.keyboard.press("ArrowUp")
            for rank in loupe.locator(".rivals small").all_inner_texts():
                assert int(rank.removeprefix("rank ")) < 256 + step
        assert loupe.evaluate(TILES) == [f"{byte:02X}" for byte in token]
        if number % 7 == 0:
            loupe.get_by_role("button", name="Why this split?").click()
            name, question = page.evaluate("sent[sent.length - 1]")
            assert name == "why" and question == {"key": "k", "at": at, "text": THAI}
        at += len(token)
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    expect(loupe).to_be_hidden()
    expect(stage.lane).to_be_focused()


def test_loupe_stays_on_its_token_until_it_is_closed(stage, thai):
    stage.open(thai, fragment="#step=20")
    page, loupe, tokens = stage.page, stage.page.locator(".loupe"), stage.lane.locator("[data-k]")
    tokens.nth(2).click()
    head = loupe.locator(".which").inner_text()
    tokens.nth(0).hover()
    expect(loupe.locator(".which")).to_have_text(head)
    expect(stage.lane.locator(".pinned")).not_to_have_count(0)
    page.keyboard.press("Escape")
    expect(stage.lane.locator(".pinned")).to_have_count(0)
    tokens.nth(2).click()
    expect(loupe).to_be_visible()
    stage.page.get_by_role("heading", name="tiny").click()
    expect(loupe).to_be_hidden()
    tokens.nth(2).click()
    expect(loupe).to_be_visible()
    page.evaluate("part.go(21)")  # another merge: the token may be gone
    stage.at(21)
    expect(loupe).to_be_hidden()
    expect(stage.lane).to_be_focused()


def test_evicted_training_shows_a_notice(stage, thai):
    stage.open(thai)
    stage.give(key="gone")
    notice = stage.page.locator(".notice")
    expect(notice).to_have_text("The server has forgotten it.")
    expect(notice).to_have_class(re.compile("alert"))


def test_text_of_several_lines_is_copied_exactly(stage, thai):
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
