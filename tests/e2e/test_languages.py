"""Premiums and their factors in a browser: charts, sentences, links and screen sizes, against the core."""

import re
from collections.abc import Callable, Sequence

import pytest
from apps import until
from playwright.sync_api import expect
from waiting import awaited

from e2e.languages import Languages
from tokenizer import get_encoding, known_as, parallel_corpus
from tokenizer.languages.parallel import kinds, languages
from tokenizer.languages.premium import count_tokens, interval, premium, size
from ui.languages.table import two_digits

PROJECTOR, PHONE = ({"width": w, "height": h} for w, h in [(1920, 1080), (375, 740)])
THREE = ["gpt2", "cl100k_base", "o200k_base"]
FOUR = [*THREE, "p50k_base"]
GERMAN = {"base": "de", "encodings": ",".join(FOUR)}
ALL_KINDS = range(len(kinds()))
VIEWS = {"budget": "Token budget", "mix": "Train on mixed languages", "vocabulary": "Scripts in vocabularies"}

# Charts are drawn over several frames; two unchanged frames mean that they are done.
CHARTS_ARE_DRAWN = """async (charts) => {
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

# The lines of an element if it has this text.
NUM_LINES = """(one, text) => {
  const range = document.createRange(), before = one.textContent;
  one.textContent = text;
  range.selectNodeContents(one);
  const lines = new Set(Array.from(range.getClientRects(), (box) => box.top)).size;
  one.textContent = before;
  return lines;
}"""


def wait_for_charts(page: Languages) -> None:
    """Waits until no chart changes."""
    awaited(page.page, CHARTS_ARE_DRAWN, page.charts.element_handles(), what="charts at rest")


@pytest.fixture
def page(make_desk) -> Languages:
    return make_desk(Languages)


@pytest.fixture
def reused_page(reuse_page) -> Callable[..., Languages]:
    """Returns a function that reuses the previous test's page if its choices are equal."""

    def give(charts: int, **query: str) -> Languages:
        page = reuse_page(
            Languages, "/languages", same=("lens", "base", "encodings", "measure", "kinds", "families"), **query
        )
        page.expect_drawn(charts)
        page.idle()
        return page

    return give


def product(tags: tuple[str, str], name: str, lines: Sequence[int]) -> tuple:
    """Returns premium and factors with two decimals, interval, tokens, and the exact premium."""
    base, other = ([parallel_corpus()[tag][i] for i in lines] for tag in tags)
    tokens = [count_tokens(own, get_encoding(name)) for own in (other, base)]
    found = premium(size(other), tokens[0], size(base), tokens[1])
    return tuple(f"{value:.2f}" for value in found), interval(*tokens), int(tokens[0].sum()), found.tokens


def expect_sentence(page: Languages, tags: tuple[str, str], number: int, name: str) -> None:
    """Waits for this sentence in both languages, tokenized, with the core's numbers."""
    encoding = get_encoding(name)
    caption = f"Sentence {number} of {len(kinds())}; kind of text: {kinds()[number - 1]}"
    expect(page.page.get_by_text(caption)).to_be_visible()
    for i, tag in enumerate(tags):
        section, line = page.pair.get_by_test_id("stColumn").nth(i), parallel_corpus()[tag][number - 1]
        expect(section.locator(".tokens")).to_have_text(line, use_inner_text=False)
        expect(section.locator(".tokens")).to_have_attribute("data-tokens", str(len(encoding.encode(line))))
        expect(section.locator(".tokens")).to_have_attribute("dir", languages()[tag].direction)
        expect(section.locator(".tokens")).to_have_attribute("lang", tag)
        counted = f"{len(encoding.encode(line)):,} tokens · {len(line):,} characters · {len(line.encode()):,} bytes"
        expect(section).to_contain_text(counted)
    (tokens, length, density, _), *_ = product(tags, name, [number - 1])
    expect(page.page.locator("p.product")).to_have_text(
        f"{tokens} times the tokens of {languages()[tags[0]].name} = {length} times the characters"
        f" × {density} times the tokens per character"
    )


def expect_factors(page: Languages, tags: tuple[str, str], name: str, lines: Sequence[int]) -> None:
    """Waits for the core's premium, factors and interval of the chosen language."""
    (tokens, length, density, num_bytes), (low, high), total, _ = product(tags, name, lines)
    held = f"{sum(len(parallel_corpus()[tags[1]][i]) for i in lines) / total:.2f}"
    own = page.page.get_by_role("rowheader", name=known_as(name), exact=True)
    expect(page.page.locator(".causes tr").filter(has=own).locator("td")).to_have_text([length, density, tokens])
    column = page.page.locator(".factors thead th").all_text_contents().index(known_as(name)) + 2
    cells = page.page.locator(f".factors tbody td:nth-child({column})")
    expect(cells).to_have_text([f"{low:.2f}–{high:.2f}", re.compile("–"), re.compile(r"\d"), held, num_bytes])


def expect_finding(page: Languages, tags: tuple[str, str], names: Sequence[str], lines: Sequence[int]) -> None:
    """Waits for the finding with the core's numbers."""
    base, other = (languages()[tag].name for tag in tags)
    expect(page.finding).to_contain_text(f"Compared with {base}, the same {len(lines)} sentences in {other} take ")
    factors = [f"{two_digits(product(tags, name, lines)[-1])} times" for name in names]
    expect(page.finding.locator("b")).to_have_text(factors)


# ---- premium ----


def test_language_is_chosen_by_keyboard_or_by_a_click_on_its_row(page):
    page.open()
    expect_finding(page, ("en", "th"), THREE, ALL_KINDS)
    language = page.page.get_by_role("combobox", name="Language", exact=True)
    for _ in range(40):
        page.page.keyboard.press("Tab")
        if language.evaluate("(one) => one === document.activeElement"):
            break
    page.page.keyboard.type("Armen")
    page.page.keyboard.press("Enter")
    expect(page.because).to_contain_text("Armenian has")
    expect_finding(page, ("en", "hy"), THREE, ALL_KINDS)
    expect_sentence(page, ("en", "hy"), 2, "gpt2")
    page.idle()

    (tokens, *_), _, total, _ = product(("en", "ka"), "cl100k_base", ALL_KINDS)
    x, y = page.place(0, "Georgian")
    page.page.mouse.move(x, y)
    for fact in (
        "Georgian · ქართული",
        f"GPT-4 · cl100k_base: {tokens} times as many tokens as English, {total:,} tokens",
    ):
        expect(page.tooltip).to_contain_text(fact)
    page.page.mouse.click(x, y)
    expect(page.because).to_contain_text("Georgian has")
    expect(page.page.get_by_role("combobox", name="Language", exact=True)).to_have_value("Georgian · ქართული")
    expect_finding(page, ("en", "ka"), THREE, ALL_KINDS)
    expect_sentence(page, ("en", "ka"), 2, "gpt2")
    page.expect_query_value("language", "ka")


def test_phone_has_one_column_without_overflow(reused_page):
    page = reused_page(1)
    page.resize(PHONE)
    wait_for_charts(page)
    assert page.horizontal_overflow() == [0, 0]
    [box] = [chart.bounding_box() for chart in page.charts.all()]
    assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"]
    assert page.because.bounding_box()["y"] < box["y"], "the chosen language is below the chart"
    for view, label in VIEWS.items():
        page.view(label)
        wait_for_charts(page)
        assert page.horizontal_overflow() == [0, 0], view
    legend = page.charts.locator(".role-legend-label text")
    expect(legend).to_have_count(len(THREE))
    labels = [label.bounding_box() for label in legend.all()]
    assert max(box["x"] + box["width"] for box in labels) <= PHONE["width"], "the legend overflows"


@pytest.mark.parametrize("size", [PHONE, PROJECTOR])
def test_name_of_a_counter_is_broken_between_words(reused_page, size):
    page = reused_page(1)
    page.resize(size)
    wait_for_charts(page)
    name, heads = page.page.locator(".causes tbody bdi").first, page.page.locator(".causes thead th")
    assert (name.evaluate(NUM_LINES, "(reconstruction)"), heads.first.evaluate(NUM_LINES, "characters")) == (1, 1)


def test_unchanged_charts_are_not_redrawn(page):
    page.open(**GERMAN)
    page.page.mouse.move(2, 2)
    wait_for_charts(page)
    page.charts.evaluate_all(WATCH_CHARTS)
    number = page.page.get_by_role("spinbutton", name="Sentence")
    number.fill("5")
    number.press("Enter")
    expect_sentence(page, ("de", "th"), 5, "gpt2")
    page.choose("Model", known_as("p50k_base"))
    expect_sentence(page, ("de", "th"), 5, "p50k_base")
    page.idle()
    wait_for_charts(page)
    assert page.charts.evaluate_all(SAME_CHARTS) == [0, True]


def test_downloaded_table_has_every_language_in_every_model(reused_page):
    page = reused_page(1, **GERMAN)
    page.unfold_numbers()
    rows = {(row["language tag"], row["encoding"]): row for row in page.csv()}
    assert {*rows} == {(tag, name) for tag in languages() for name in FOUR}
    *_, premium_of_thai = product(("de", "th"), "gpt2", ALL_KINDS)
    assert float(rows["th", "gpt2"]["premium"]) == pytest.approx(premium_of_thai)


def test_wide_screen_has_the_chart_beside_the_language(reused_page):
    page = reused_page(1, **GERMAN)
    page.page.emulate_media(color_scheme="dark")
    page.resize(PROJECTOR)
    wait_for_charts(page)
    assert page.horizontal_overflow() == [0, 0]
    box, beside = page.charts.first.bounding_box(), page.because.bounding_box()
    assert box["x"] + box["width"] <= beside["x"]
    marks = [one.bounding_box() for one in page.charts.locator(".mark-text text").all() if one.is_visible()]
    assert marks and all(box["x"] <= one["x"] and one["x"] + one["width"] <= box["x"] + box["width"] for one in marks)


def test_link_restores_all_choices(page):
    query = {"base": "th", "language": "he", "encodings": "o200k_base,gpt2", "sentence": "7", "order": "name"}
    query |= {"kinds": "news;technical", "families": "Afro-Asiatic: Semitic", "lens": "premium"}
    page.open(**query)
    lines = [i for i, kind in enumerate(kinds()) if kind in ("news", "technical")]
    expect_finding(page, ("th", "he"), ["o200k_base", "gpt2"], lines)
    for name in ("o200k_base", "gpt2"):
        expect_factors(page, ("th", "he"), name, lines)
    expect_sentence(page, ("th", "he"), 7, "o200k_base")
    page.expect_rows(0, sorted(one.name for one in languages().values() if one.family == "Afro-Asiatic: Semitic"))
    title = page.page.get_by_role("heading", name="Tokens per grapheme")
    page.button("Options").click()
    page.choose("Measure", "Tokens per grapheme")
    expect(title).to_be_visible()
    page.page.reload()
    page.expect_drawn(1)
    expect(title).to_be_visible()
    expect_sentence(page, ("th", "he"), 7, "o200k_base")
    assert {name: page.query_value(name) for name in query} == query


def test_curves_of_the_mix_take_the_width_of_a_phone(make_desk):
    page = make_desk(Languages, viewport=PHONE)
    page.visit("/languages", lens="mix")
    curve = page.charts.locator("svg .mark-line path").first
    until(lambda: (curve.bounding_box() or {"width": 0})["width"] > 0.6 * PHONE["width"])
    expect(page.charts.first).not_to_contain_text("course’s rule")
    expect(page.page.get_by_text("The dotted line marks one course’s rule")).to_be_visible()
