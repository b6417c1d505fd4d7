"""The loupe in a browser: its merges equal the core's; keys and wheel change the depth; phone layout."""

import re
from itertools import pairwise

import pytest
from oracles import ladder_rows
from playwright.sync_api import expect
from waiting import next_frames

from e2e.desk import DEFAULT, Desk
from tokenizer import get_encoding
from tokenizer.encoding.ladder import ladder
from tokenizer.encoding.loupe import loupe

TEXT = "The tokenizers don't 12345 ที่นี่มีน้ำ مرحبا بالعالم 👩‍👩‍👧 strawberry"
READ_PARTS = """(loupe) => Array.from(loupe.querySelectorAll('.part:not(.other)'), (part) => (
  Array.from(part.querySelectorAll('.tile'), (tile) => tile.textContent).join(' ')))"""


NOTE_MOTION = """() => {
  const { animate } = Element.prototype;
  window.lasting = [];  // duration in ms of each animation
  Element.prototype.animate = function (frames, how) {
    lasting.push(how.duration);
    return animate.call(this, frames, how);
  };
}"""


def within(parts, first, last):
    """Returns the parts between two bytes."""
    return [one for one in parts if first <= one.start and one.start + len(one.bytes) <= last]


def depth(desk: Desk) -> int:
    return int(desk.loupe.get_attribute("data-depth"))


@pytest.fixture
def still(desk) -> Desk:
    """The open playground, without animations."""
    desk.page.emulate_media(reduced_motion="reduce")
    return desk


def test_every_step_equals_the_core(still):
    desk, own = still, get_encoding(DEFAULT)
    desk.write(TEXT)
    tokens, data = desk.expect_exact(TEXT), TEXT.encode()
    desk.open_loupe(1)
    for k in range(1, len(tokens), 4):
        token = tokens[k]
        found = loupe(TEXT, token.start, own)
        replayed = ladder(data[found["start"] : found["end"]], own)
        first, last = token.start - found["start"], token.end - found["start"]
        rows = list(ladder_rows(replayed, own))
        counts = [len(within(parts, first, last)) for parts, _ in rows]
        steps = [i for i, (before, after) in enumerate(pairwise(counts)) if after < before]
        for _ in range(4 * (k > 1)):
            desk.page.keyboard.press("ArrowRight")
        desk.loaded_loupe()
        desk.page.keyboard.press("Home")
        expect(desk.loupe.locator(".which")).to_have_text(f"token {k + 1} of {len(tokens)}, id {token.id}")
        for i, state in enumerate([*steps, len(replayed.steps)]):
            assert depth(desk) == i
            parts, candidates = rows[state]
            assert desk.loupe.evaluate(READ_PARTS) == [one.bytes.hex(" ").upper() for one in within(parts, first, last)]
            if i < len(steps):
                winner = desk.loupe.locator(".rivals .winner small")
                expect(winner).to_have_text(f"rank {replayed.steps[state].rank}")
                touching = [
                    rank
                    for rank, at in candidates
                    if parts[at + 1].start in range(first, last + 1)
                    and (rank, at) != (replayed.steps[state].rank, replayed.steps[state].position)
                ]
                lost = [
                    int(words.removeprefix("rank ")) for words in desk.loupe.locator(".rival small").all_inner_texts()
                ]
                assert lost == sorted(touching)[:5]
                desk.page.keyboard.press("ArrowDown")
        for sentence in found["walls"]:
            expect(desk.loupe.locator(".walls")).to_contain_text(sentence)


def test_keys_wheel_and_buttons_change_the_depth(still):
    desk = still
    desk.write(TEXT)
    desk.expect_exact(TEXT)
    depths = int(desk.open_loupe(1).get_attribute("data-depths"))
    assert depth(desk) == depths > 2
    for key, expected in [
        ("Home", 0),
        ("ArrowUp", 0),
        ("ArrowDown", 1),
        ("ArrowDown", 2),
        ("ArrowUp", 1),
        ("End", depths),
    ]:
        desk.page.keyboard.press(key)
        assert depth(desk) == expected
    desk.loupe.locator(".tiles").hover()
    desk.page.mouse.wheel(0, -50)
    expect(desk.loupe).to_have_attribute("data-depth", str(depths - 1))
    desk.page.mouse.wheel(0, 50)
    expect(desk.loupe).to_have_attribute("data-depth", str(depths))
    desk.loupe.get_by_role("button", name="Back", exact=True).click()
    assert depth(desk) == depths - 1
    assert desk.loupe.get_by_role("button", name="Next", exact=True).is_enabled()
    desk.loupe.get_by_role("button", name="Next token").click()
    expect(desk.loaded_loupe()).to_contain_text("token 3 of")
    desk.area.click()
    expect(desk.loupe).to_be_hidden()


def test_loupe_animates_up_to_the_token_unless_motion_is_reduced(make_desk):
    desk = make_desk(alone=True).open()
    desk.write("tokenizers")
    desk.expect_exact("tokenizers")
    depths = int(desk.open_loupe(0).get_attribute("data-depths"))
    desk.page.keyboard.press("Escape")
    desk.loupe.evaluate("""(loupe) => {
      window.seen = [];
      const see = () => seen.at(-1) === Number(loupe.dataset.depth) || seen.push(Number(loupe.dataset.depth));
      new MutationObserver(see).observe(loupe, { attributeFilter: ['data-depth'] });
    }""")
    desk.token(0).click()
    expect(desk.loupe).to_have_class(re.compile("done"))
    assert desk.page.evaluate("seen") == list(range(depths + 1)) and depths > 1
    desk.page.keyboard.press("Escape")
    desk.page.emulate_media(reduced_motion="reduce")
    desk.token(0).click()
    desk.page.locator(".loupe[data-explained]").wait_for()
    assert depth(desk) == 0
    desk.page.evaluate(NOTE_MOTION)
    desk.page.keyboard.press("ArrowDown")
    assert depth(desk) == 1 and desk.page.evaluate("lasting") == []


def test_animations_are_short_and_a_closed_loupe_sends_no_request(make_desk):
    desk = make_desk(alone=True).open()
    requests: list[str] = []
    desk.page.on("request", lambda request: requests.append(request.url))
    desk.page.on("websocket", lambda socket: socket.on("framesent", lambda frame: requests.append(str(frame))))
    desk.page.reload()
    desk.wait_until_drawn()
    desk.write("tokenizers tokenized")
    desk.expect_exact("tokenizers tokenized")
    desk.token(0).hover()
    assert not [one for one in requests if re.search(r"\bloupe", one)]
    desk.open_loupe(0)
    assert [one for one in requests if re.search(r"\bloupe", one)]
    desk.page.keyboard.press("Home")
    desk.page.evaluate(NOTE_MOTION)
    for key in ("ArrowDown", "End", "ArrowRight", "Escape"):
        desk.page.keyboard.press(key)
    lasting = desk.page.evaluate("lasting")
    assert lasting and max(lasting) <= 200


def test_loupe_is_a_sheet_below_the_token_on_a_phone(make_desk):
    desk = make_desk(viewport={"width": 375, "height": 740}, has_touch=True, reduced_motion="reduce").open()
    desk.write(TEXT)
    desk.expect_exact(TEXT)
    desk.token(1).tap()
    desk.loaded_loupe()
    sheet = desk.loupe.bounding_box()
    assert sheet["x"] == 0 and sheet["width"] == 375 and abs(sheet["y"] + sheet["height"] - 740) < 1
    assert all(one.bounding_box()["height"] >= 44 for one in desk.loupe.get_by_role("button").all())
    token = desk.token(1).bounding_box()
    assert token["y"] >= 0 and token["y"] + token["height"] <= sheet["y"]
    assert desk.horizontal_overflow() == [0, 0]


IN_VIEW = """(view) => {
  const box = view.querySelector('.pinned').getBoundingClientRect(), frame = view.getBoundingClientRect();
  return box.top >= frame.top && box.bottom <= frame.bottom;
}"""


def test_click_on_an_id_scrolls_to_its_token_above_the_loupe(still):
    desk = still
    desk.page.set_viewport_size({"width": 1000, "height": 800})
    text = "a line of it\n" * 60
    desk.write(text)
    tokens = desk.expect_exact(text)
    desk.ids.locator("span").nth(len(tokens) - 3).click()
    desk.loaded_loupe()
    assert desk.view.evaluate(IN_VIEW)
    view, sheet = desk.view.bounding_box(), desk.loupe.bounding_box()
    assert view["y"] + view["height"] <= sheet["y"]  # the sheet covers none of the tokens
    desk.view.evaluate("(view) => { view.scrollTop = 0; }")
    next_frames(desk.page)
    assert desk.loupe.bounding_box() == sheet


SMALLEST = """(loupe) => Math.min(...Array.from(loupe.querySelectorAll('*'))
  .filter((one) => Array.from(one.childNodes).some((node) => node.nodeType === 3 && node.data.trim()))
  .map((one) => parseFloat(getComputedStyle(one).fontSize)))"""


def test_text_of_the_loupe_is_large_enough_on_page_and_stage(desk):
    desk.page.set_viewport_size({"width": 1920, "height": 1080})
    desk.write(TEXT)
    desk.expect_exact(TEXT)
    assert desk.open_loupe(1).evaluate(SMALLEST) >= 14
    desk.page.keyboard.press("Escape")
    desk.enter_stage()
    assert desk.open_loupe(1).evaluate(SMALLEST) >= 24
    desk.page.keyboard.press("Escape")  # closes the loupe, not the stage
    expect(desk.loupe).to_be_hidden()
    assert desk.page.evaluate("'stage' in document.documentElement.dataset")
    desk.page.keyboard.press("Escape")
    assert not desk.page.evaluate("'stage' in document.documentElement.dataset")


def test_arabic_pre_token_is_isolated_so_that_its_space_comes_first(desk):
    desk.write("العربية لغة")
    desk.expect_exact("العربية لغة")
    quoted = desk.open_loupe(2).locator("li").filter(has_text="Pre-token").locator("bdi")
    expect(quoted).to_have_text("·لغة")


def test_decoded_ids_open_the_loupe(make_desk):
    desk, encoding = make_desk(reduced_motion="reduce").open("/decode", encoding=DEFAULT), get_encoding(DEFAULT)
    ids = encoding.encode("one two ที่นี่")
    area = desk.page.get_by_role("textbox", name="Token ids")
    area.fill(" ".join(map(str, ids)))
    area.press("Control+Enter")
    expect(desk.view).to_have_attribute("data-tokens", str(len(ids)))
    expect(desk.view).to_have_text("one two ที่นี่", use_inner_text=False)
    expect(desk.open_loupe(1)).to_contain_text("Pre-token: “·two”")
    expect(desk.loupe.locator(".which")).to_have_text(f"token 2 of {len(ids)}, id {ids[1]}")
    assert int(desk.loupe.get_attribute("data-depths")) > 0
    others = encoding.encode("o") + encoding.encode("ne")  # ids that the encoder would not produce
    assert others != encoding.encode("one")
    desk.page.keyboard.press("Escape")
    area.fill(" ".join(map(str, others)))
    area.press("Control+Enter")
    expect(desk.view).to_have_attribute("data-tokens", "2")
    expect(desk.open_loupe(1)).to_contain_text(
        "gives other tokens than these, so there are no merges to show for this token"
    )
    desk.press("Why this split?")
    expect(desk.page).to_have_url(re.compile(r"/why\?.*text=one"))
