"""Other views of the Languages page in a browser: budgets, vocabularies and mixes, against the core."""

import re

import pytest
from apps import until
from playwright.sync_api import expect

from e2e.languages import Languages
from tokenizer import encoding_from_merges, get_encoding, parallel_corpus, train
from tokenizer.languages.budget import fill, whole_sentences
from tokenizer.languages.parallel import languages
from tokenizer.languages.premium import count_tokens
from tokenizer.measure.census import census
from tokenizer.training.corpora import mix
from tokenizer.training.parity import train_parity
from ui.languages.mixing import ADVISED_THAI_PERCENT, MIX_CHARACTERS, THAI_PERCENTAGES, findings, point
from ui.languages.parity import outcome, table, training_lines
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


def expect_window(page: Languages, tag: str, budget: int) -> None:
    """Waits for the context window of a language, filled as by the core."""
    lines, own = parallel_corpus()[tag], languages()[tag]
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
    page.open(1, lens="budget", encoding="o200k_base", languages="en,ar,my", budget="500", window="8000", **TWO)
    for tag in ("en", "ar", "my"):
        expect_window(page, tag, 500)
    tokens = page.page.get_by_role("spinbutton", name="Tokens", exact=True)
    tokens.fill("120")
    tokens.press("Enter")
    for tag in ("en", "ar", "my"):
        expect_window(page, tag, 120)
    page.expect_query_value("budget", "120")
    counts = {tag: count_tokens(lines, get_encoding("o200k_base")) for tag, lines in parallel_corpus().items()}
    rows = {row["tag"]: row for row in page.csv()}
    assert set(rows) == set(counts)
    for tag, row in rows.items():
        assert int(row["sentences"]) == whole_sentences(counts[tag], 120)
        assert int(row["tokens"]) == counts[tag].sum()
        times = counts[tag].sum() / counts["en"].sum()
        assert float(row["premium"]) == pytest.approx(times)
        [held] = [value for column, value in row.items() if "same content as 8,000 tokens" in column]
        assert int(held) == int(8000 / times)


# ---- whose vocabulary ----


def test_vocabulary_table_adds_up_and_lists_the_longest_tokens(reuse_page):
    page, names = reuse_page(Languages, "/languages", same=("encodings",), **TWO), TWO["encodings"].split(",")
    page.view("Scripts in vocabularies")
    page.expect_drawn(1)
    found = {name: census(get_encoding(name)) for name in names}
    page.unfold_numbers()
    rows, kind = page.csv(), "script or content"
    for name in names:
        own = {row[kind]: row for row in rows if row["encoding"] == name}
        encoding = get_encoding(name)
        all_tokens = len(encoding.ranks) + len(encoding.special_tokens)
        assert sum(int(row["tokens"]) for row in own.values()) == all_tokens
        assert sum(float(row["share of the vocabulary"]) for row in own.values()) == pytest.approx(1)
        assert int(own["Cyrillic"]["tokens"]) == found[name]["Cyrillic"].tokens
    page.choose("Script or content", "Greek")
    page.expect_query_value("token_kind", "Greek")
    for number, name in enumerate(names):  # the last table is that of all numbers
        first = longest(get_encoding(name), found[name]["Greek"].longest).head(5)
        page.expect_table(number, [first.columns.tolist(), *first.astype(str).values.tolist()])


# ---- train on a mix ----


def test_curves_grow_survive_cancel_and_open_on_the_train_page(page):
    page.open(None, lens="mix", mix_size="300")
    train_all = page.button(f"Train {len(THAI_PERCENTAGES)} tokenizers")
    train_all.click()
    thai = page.charts.locator('path[aria-label*="curve: Thai; "]')
    expect(thai.first).to_be_attached()
    with page.server.training_held():
        page.button("Cancel").click()
        expect(train_all).to_be_visible()
        page.idle()
        trained = thai.count()
        assert 0 < trained < len(THAI_PERCENTAGES), "the curves did not grow"
    until(lambda: not page.server.trainings(), seconds=1)  # a paused process ends now
    train_all.click()
    expect(thai.nth(trained)).to_be_attached()
    with page.server.training_held():
        assert trained < thai.count() < len(THAI_PERCENTAGES)
    for nth in range(trained + 1, len(THAI_PERCENTAGES)):
        expect(thai.nth(nth)).to_be_attached()
    text = mix(ADVISED_THAI_PERCENT, None, MIX_CHARACTERS).text
    merges = list(train(text, 300, "o200k_base"))
    summary = findings({ADVISED_THAI_PERCENT: point(ADVISED_THAI_PERCENT, encoding_from_merges(merges, "o200k_base"))})
    expect(page.page.get_by_text(re.search("<li>(Training text with one third.*?)</li>", summary)[1])).to_be_visible()
    page.page.get_by_role("radio", name="tokens in Thai ÷ tokens in English").click()
    expect(page.charts.locator('path[aria-label*="curve: Thai ÷ English; "]')).to_have_count(len(THAI_PERCENTAGES))
    page.page.reload()
    page.expect_drawn(1)
    expect(page.charts.locator('path[aria-label*="curve: Thai ÷ English; "]')).to_have_count(len(THAI_PERCENTAGES))
    expect(page.button(f"Train {len(THAI_PERCENTAGES)} tokenizers")).to_have_count(0)

    page.button("Show how this tokenizer was trained").click()
    expect(page.page.locator(".timeline .which")).to_be_visible(timeout=20_000)
    page.page.get_by_label("Jump to merge").fill("1")
    page.page.get_by_label("Jump to merge").press("Enter")
    expect(page.page.locator(".timeline .which")).to_have_text(re.compile(f"^Merge 1 of {len(merges)}"))
    key = page.query_value("trained")
    page.turn_to("Languages")
    page.view("Scripts in vocabularies")
    page.choose("Models", f"mix-{ADVISED_THAI_PERCENT}-300")
    expect(page.charts.locator(".role-legend-label text").last).to_have_text(f"mix-{ADVISED_THAI_PERCENT}-300")
    page.open(1, encodings=key)  # as another visitor
    expect(page.charts.locator(".role-legend-label text")).to_have_text(f"mix-{ADVISED_THAI_PERCENT}-300")


def test_classic_parity_and_lifted_trainings_equal_the_core(page):
    tags = ["en", "th", "my"]
    page.open(None, lens="mix", fair_languages=",".join(tags), fair_size="400")
    page.button("Train with all methods").click()
    texts = ["\n".join(training_lines(tag)) for tag in languages() if tag in tags]
    merges = {
        "classic": list(train(texts, 400, "o200k_base")),
        "parity": [(one.left, one.right) for one in train_parity(texts, 400)],
        "lifted": list(train(texts, 400, "o200k_base", lift_after=108)),
    }
    found = {
        way: outcome(
            encoding_from_merges(own, None if way == "lifted" else "o200k_base"),
            [tag for tag in languages() if tag in tags],
        )
        for way, own in merges.items()
    }
    expected = table(found)
    page.expect_table(0, [expected.columns.tolist(), *expected.values.tolist()])
    page.expect_drawn(2)  # the mix's example, and this one
    assert page.charts.locator("path[aria-label*='parity-aware BPE']").count() == len(tags)
    page.expect_query_value("fair_size", "400")
