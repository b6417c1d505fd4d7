"""Other views of the Languages page in a browser: budgets, vocabularies and mixes, against the core."""

import pytest
from playwright.sync_api import expect

from e2e.languages import Languages
from tokenizer import get_encoding, parallel_corpus
from tokenizer.languages.budget import fill
from tokenizer.languages.parallel import languages
from tokenizer.measure.census import census
from ui.languages.mixing import ADVISED_THAI_PERCENT, THAI_PERCENTAGES
from ui.languages.vocabulary import longest

TWO = {"encodings": "gpt2,cl100k_base"}


@pytest.fixture
def page(make_desk) -> Languages:
    return make_desk(Languages)


@pytest.mark.parametrize("lens", ["premium", "budget"])
def test_charts_cause_no_warning_in_the_console(page, lens):
    warnings = []

    def note(message) -> None:
        if message.type == "warning":
            warnings.append(message.text)

    page.page.on("console", note)
    page.open(1, lens=lens, **TWO)
    page.page.remove_listener("console", note)
    assert warnings == []


# ---- the same budget ----


def expect_window(page: Languages, budget: int) -> None:
    """Waits for the context window of Arabic, filled as by the core."""
    lines, own = parallel_corpus()["ar"], languages()["ar"]
    found = fill(lines, get_encoding("o200k_base"), budget)
    section = page.page.locator(".windows section").filter(has=page.page.get_by_role("heading", name=own.name))
    counted = f"{found.num_complete} of {len(lines)} sentences, {found.tokens:,} tokens"
    expect(section).to_contain_text(counted)
    inside = " ".join([*lines[: found.num_complete], found.part]).rstrip()
    expect(section.locator("div span")).to_have_text(inside, use_inner_text=False)
    expect(section.locator("div p")).to_have_css("direction", own.direction)
    assert (
        section.locator("small")
        .inner_text()
        .startswith(" ".join([found.rest, lines[found.num_complete + 1]])[:40].strip())
    )


def test_windows_are_filled_as_by_the_core(page):
    page.open(1, lens="budget", encoding="o200k_base", languages="en,ar", budget="500", window="8000", **TWO)
    expect_window(page, 500)
    tokens = page.page.get_by_role("spinbutton", name="Tokens", exact=True)
    tokens.fill("120")
    tokens.press("Enter")
    expect_window(page, 120)
    page.expect_query_value("budget", "120")


# ---- whose vocabulary ----


def test_longest_tokens_of_the_chosen_script_are_listed(reuse_page):
    page, names = reuse_page(Languages, "/languages", same=("encodings",), **TWO), TWO["encodings"].split(",")
    page.view("Scripts in vocabularies")
    page.expect_drawn(1)
    page.choose("Script or content", "Greek")
    page.expect_query_value("token_kind", "Greek")
    for number, name in enumerate(names):
        encoding = get_encoding(name)
        first = longest(encoding, census(encoding)["Greek"].longest).head(5)
        page.expect_table(number, [first.columns.tolist(), *first.astype(str).values.tolist()])


# ---- train on a mix ----


def test_curves_grow_are_kept_and_open_on_the_train_page(page):
    page.open(None, lens="mix", mix_size="300")
    page.button(f"Train {len(THAI_PERCENTAGES)} tokenizers").click()
    thai = page.charts.locator('path[aria-label*="curve: Thai; "]')
    expect(thai.first).to_be_attached()
    with page.server.training_held():
        assert 0 < thai.count() < len(THAI_PERCENTAGES), "the curves did not grow"
    for nth in range(1, len(THAI_PERCENTAGES)):
        expect(thai.nth(nth)).to_be_attached()
    page.page.get_by_role("radio", name="tokens in Thai ÷ tokens in English").click()
    ratios = page.charts.locator('path[aria-label*="curve: Thai ÷ English; "]')
    expect(ratios).to_have_count(len(THAI_PERCENTAGES))
    page.page.reload()
    page.expect_drawn(1)
    expect(ratios).to_have_count(len(THAI_PERCENTAGES))
    expect(page.button(f"Train {len(THAI_PERCENTAGES)} tokenizers")).to_have_count(0)

    page.button("Show how this tokenizer was trained").click()
    expect(page.page.locator(".timeline .which")).to_be_visible(timeout=20_000)
    page.turn_to("Languages")
    page.view("Scripts in vocabularies")
    page.choose("Models", f"mix-{ADVISED_THAI_PERCENT}-300")
    expect(page.charts.locator(".role-legend-label text").last).to_have_text(f"mix-{ADVISED_THAI_PERCENT}-300")
