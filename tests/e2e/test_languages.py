"""Premiums and their factors in a browser: charts to click, sentences, links, screens, against the core."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from e2e.languages import Languages
from tokenizer import get_encoding, parallel_corpus
from tokenizer.languages.parallel import kinds, languages
from tokenizer.languages.premium import count_tokens, interval, premium, size
from ui.languages.chart import LABEL

PROJECTOR, PHONE = ({"width": w, "height": h} for w, h in [(1920, 1080), (375, 740)])
THREE = ["gpt2", "cl100k_base", "o200k_base"]
FOUR = [*THREE, "p50k_base"]
GERMAN = {"base": "de", "encodings": ",".join(FOUR)}
MARKUP = "<img src=x onerror=\"document.body.dataset.marked='yes'\">[x](http://a.test)"
GONE = "trained-" + "0" * 32
EVERY = range(len(kinds()))
VIEWS = {"budget": "Same budget, how far?", "mix": "Train on a mix", "vocabulary": "Whose vocabulary?"}

AXIS_ON_TOP = '[aria-label^="X-axis"] .role-axis-label text[opacity="1"]'
# Charts are drawn and sized in frames; two in a row that change nothing are rest.
REST = """async (charts) => {
  const frame = () => new Promise(requestAnimationFrame), look = () => charts.map((one) => one.innerHTML).join();
  for (let before = '', same = 0; same < 2; before = look()) {
    await frame();
    same = look() === before ? same + 1 : 0;
  }
}"""
WATCH_CHARTS = """(charts) => {
  window.redrawn = 0;
  window.before = charts.map((chart) => chart.querySelector('svg'));
  const watcher = new MutationObserver((changes) => { window.redrawn += changes.length; });
  for (const chart of charts) watcher.observe(chart, { childList: true, subtree: true, attributes: true });
}"""
SAME_CHARTS = """(charts) =>
  [window.redrawn, charts.every((chart, i) => chart.querySelector("svg") === window.before[i])]
"""


@pytest.fixture
def page(make_desk) -> Languages:
    return make_desk(Languages)


@pytest.fixture
def standing(kept) -> Callable[..., Languages]:
    """The charts for what is asked, as the test before has left them; whatever language is looked at."""

    def stand(charts: int, **query: str) -> Languages:
        page = kept(
            Languages, "/languages", same=("lens", "base", "encodings", "measure", "kinds", "families"), **query
        )
        page.expect_drawn(charts)
        page.idle()
        return page

    return stand


def product(tags: tuple[str, str], name: str, lines: Sequence[int]) -> tuple:
    """The premium of the second language over the first, with its factors, in two decimals; its interval; tokens."""
    base, other = ([parallel_corpus()[tag][i] for i in lines] for tag in tags)
    tokens = [count_tokens(own, get_encoding(name)) for own in (other, base)]
    found = premium(size(other), tokens[0], size(base), tokens[1])
    return tuple(f"{value:.2f}" for value in found), interval(*tokens), int(tokens[0].sum())


def expect_sentence(page: Languages, tags: tuple[str, str], number: int, name: str) -> None:
    """Waits for this sentence in both languages, cut by this encoding, with the core's arithmetic."""
    encoding = get_encoding(name)
    expect(page.page.get_by_text(f"Sentence {number} of {len(kinds())}: {kinds()[number - 1]}")).to_be_visible()
    for i, tag in enumerate(tags):
        section, line = page.pair.locator("section").nth(i), parallel_corpus()[tag][number - 1]
        expect(section.locator(".strip")).to_have_text(line, use_inner_text=False)
        expect(section.locator(".strip")).to_have_attribute("dir", languages()[tag].direction)
        counted = f"{len(encoding.encode(line)):,} tokens · {len(line):,} characters · {len(line.encode()):,} bytes"
        expect(section).to_contain_text(counted)
    (tokens, length, density, _), *_ = product(tags, name, [number - 1])
    expect(page.page.locator("p.product")).to_have_text(
        f"{tokens}× the tokens of {languages()[tags[0]].name} = {length} characters × {density} tokens per character"
    )


def expect_factors(page: Languages, tags: tuple[str, str], name: str, lines: Sequence[int]) -> None:
    """Waits for the premium of the chosen language, its interval and its factors, as the core has them."""
    (tokens, length, density, num_bytes), (low, high), total = product(tags, name, lines)
    held = f"{sum(len(parallel_corpus()[tags[1]][i]) for i in lines) / total:.2f}"
    column = page.page.locator(".factors thead th").all_inner_texts().index(name) + 2
    cells = page.page.locator(f".factors tbody td:nth-child({column})")
    wanted = [tokens, f"{low:.2f}–{high:.2f}", re.compile("–"), re.compile(r"\d"), length, density, held, num_bytes]
    expect(cells).to_have_text(wanted)


# ---- premium ----


def test_the_keyboard_chooses_a_language_and_a_click_on_a_row_of_the_second_chart(page):
    page.open()
    counts = {tag: count_tokens(lines, get_encoding("gpt2")).sum() for tag, lines in parallel_corpus().items()}
    page.expect_rows(1, [languages()[tag].name for tag in sorted(counts, key=counts.get, reverse=True)])
    language = page.page.get_by_role("combobox", name="Language", exact=True)
    for _ in range(40):
        page.page.keyboard.press("Tab")
        if language.evaluate("(one) => one === document.activeElement"):
            break
    page.page.keyboard.type("Armen")
    page.page.keyboard.press("Enter")
    expect(page.because).to_contain_text("Armenian costs")
    expect_sentence(page, ("en", "hy"), 2, "gpt2")
    page.idle()

    (tokens, *_), (low, high), total = product(("en", "ka"), "cl100k_base", EVERY)
    x, y = page.place(1, "Georgian")
    page.page.mouse.move(x, y)
    for fact in ("Georgian", "ქართული", "cl100k_base", f"{total:,}", f"{low:.3f}", f"{high:.3f}"):
        expect(page.tooltip).to_contain_text(fact)
    page.page.mouse.move(x + 50, y)
    expect(page.tooltip).to_contain_text("tokens per character: how finely it is cut")
    page.page.mouse.click(x, y)
    expect(page.because).to_contain_text(f"Georgian costs {tokens} times as many tokens as English in cl100k_base")
    expect(page.page.get_by_role("combobox", name="Language", exact=True)).to_have_value("Georgian · ქართული")
    expect(page.page.get_by_role("combobox", name="Tokens of", exact=True)).to_have_value("cl100k_base")
    expect_sentence(page, ("en", "ka"), 2, "cl100k_base")
    page.expect_asked("language", "ka")
    for name in THREE:
        expect_factors(page, ("en", "ka"), name, EVERY)


def test_a_phone_has_the_charts_one_below_the_other_and_nothing_beside(standing):
    page = standing(3)
    page.resize(PHONE)
    page.charts.evaluate_all(REST)
    assert page.beyond() == [0, 0]
    boxes = [chart.bounding_box() for chart in page.charts.all()]
    assert len({box["x"] for box in boxes}) == 1
    assert all(upper["y"] + upper["height"] <= lower["y"] for upper, lower in pairwise(boxes))
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"] for box in boxes)
    assert page.because.bounding_box()["y"] < boxes[0]["y"], "the language that is shown is far below the charts"
    for view, label in VIEWS.items():
        page.view(label)
        page.charts.evaluate_all(REST)
        assert page.beyond() == [0, 0], view
    legend = page.charts.locator(".role-legend-label text")
    expect(legend).to_have_count(len(THREE))
    labels = [label.bounding_box() for label in legend.all()]
    assert max(box["x"] + box["width"] for box in labels) <= PHONE["width"], "the legend ends beyond the edge"


def test_what_did_not_change_is_not_drawn_again(page):
    page.open(4, **GERMAN)
    page.page.mouse.move(2, 2)
    page.charts.evaluate_all(REST)
    page.charts.evaluate_all(WATCH_CHARTS)
    number = page.page.get_by_role("spinbutton", name="Sentence")
    number.fill("5")
    number.press("Enter")
    expect_sentence(page, ("de", "th"), 5, "gpt2")
    page.choose("Language", "Lao")
    expect_sentence(page, ("de", "lo"), 5, "gpt2")
    page.choose("Tokens of", "p50k_base")
    expect_sentence(page, ("de", "lo"), 5, "p50k_base")
    page.idle()
    page.charts.evaluate_all(REST)
    assert page.charts.evaluate_all(SAME_CHARTS) == [0, True]


def test_the_table_is_downloaded_as_the_core_has_it(standing):
    page = standing(4, **GERMAN)
    page.unfold("All numbers")
    rows = page.csv()
    assert len(rows) == len(FOUR) * len(languages())
    base = parallel_corpus()["de"]
    base_size, base_tokens = size(base), {name: count_tokens(base, get_encoding(name)) for name in FOUR}
    for row in rows:
        lines = parallel_corpus()[row["tag"]]
        tokens = [count_tokens(lines, get_encoding(row["encoding"])), base_tokens[row["encoding"]]]
        found = premium(size(lines), tokens[0], base_size, tokens[1])
        assert int(row["tokens"]) == tokens[0].sum()
        written = [float(row[name]) for name in row if name == "premium" or name.endswith(", ratio")]
        assert written == pytest.approx(list(found))


def test_a_projector_has_the_charts_side_by_side(standing):
    page = standing(4, **GERMAN)
    page.page.emulate_media(color_scheme="dark")
    page.resize(PROJECTOR)
    page.charts.evaluate_all(REST)
    assert page.beyond() == [0, 0]
    boxes = [chart.bounding_box() for chart in page.charts.all()]
    assert len({box["y"] for box in boxes}) == 1
    first, *others = (page.page.locator(f".st-key-languages_chart_{i}").bounding_box() for i in range(4))
    assert all(before["x"] + before["width"] <= after["x"] for before, after in pairwise([first, *others]))
    for chart, box in enumerate([first, *others]):
        marks = [one.bounding_box() for one in page.charts.nth(chart).locator(AXIS_ON_TOP).all() if one.is_visible()]
        ends = [(mark["x"], mark["x"] + mark["width"]) for mark in marks]
        assert ends and all(box["x"] <= start and end <= box["x"] + box["width"] for start, end in ends), chart
    plots = [first["width"] - LABEL, *(box["width"] for box in others)]  # the names of the languages stand in the first
    assert max(plots) - min(plots) < 2, "the charts have one scale"


def test_a_link_restores_all_choices(page):
    query = {"base": "th", "language": "he", "encodings": "o200k_base,gpt2", "sentence": "7", "order": "name"}
    query |= {"kinds": "news;technical", "families": "Afro-Asiatic: Semitic", "lens": "premium"}
    page.open(2, **query)
    lines = [i for i, kind in enumerate(kinds()) if kind in ("news", "technical")]
    expect(page.page.get_by_text(f"Counted on {len(lines)} sentences (news, technical)")).to_be_visible()
    for name in ("o200k_base", "gpt2"):
        expect_factors(page, ("th", "he"), name, lines)
    expect_sentence(page, ("th", "he"), 7, "o200k_base")
    page.expect_rows(1, sorted(one.name for one in languages().values() if one.family == "Afro-Asiatic: Semitic"))
    page.choose("Bars show", "Tokens per grapheme")
    expect(page.page.get_by_text("A grapheme is a letter in Thai")).to_be_visible()
    page.page.reload()
    page.expect_drawn(2)
    expect(page.page.get_by_text("A grapheme is a letter in Thai")).to_be_visible()
    expect_sentence(page, ("th", "he"), 7, "o200k_base")
    assert {name: page.asked(name) for name in query} == query


def test_a_link_that_asks_for_what_is_not_there_is_said_and_never_markup(page):
    wrong = dict.fromkeys(["language", "base", "kinds", "languages", "kind", "encoding"], MARKUP)
    numbers = {"budget": "5", "window": "1e9"}
    page.open(3, **wrong, sentence="0", encodings=f"gpt2,{GONE}", **numbers)
    for name in ("language", "base", "sentence"):
        expect(page.alert.filter(has_text=f"The link says {name}=")).to_be_visible()
    expect(page.alert.filter(has_text="the server has forgotten it. Train it again")).to_be_visible()
    page.button("Filter").click()
    expect(page.alert.filter(has_text="The link says kinds=")).to_be_visible()
    expect(page.because).to_contain_text("Thai costs")
    page.page.keyboard.press("Escape")
    expect(page.alert.filter(has_text="The link says kinds=")).to_be_hidden()
    for view, label in [("budget", "Languages"), ("vocabulary", "Encodings")]:
        page.view(VIEWS[view])
        expect(page.page.get_by_role("combobox", name=label, exact=True)).to_be_visible()
        expect(page.alert.first).to_be_visible()
        if view == "budget":
            for name, value in numbers.items():
                said = f"The link says {name}='{value}'; it must be a whole number from"
                expect(page.alert.filter(has_text=said)).to_be_visible()
            expect(page.page.get_by_text("sentences whole, 300 tokens").first).to_be_visible()
    assert page.page.locator("img[src=x]").count() == 0
    assert page.page.locator('a[href^="http://a.test"]').count() == 0
    assert page.page.evaluate("document.body.dataset.marked ?? null") is None
