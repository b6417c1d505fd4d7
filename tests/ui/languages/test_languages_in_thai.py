"""The Languages page in Thai: names and charts are translated, files and addresses stay English."""

import csv
import io
from functools import cache

import pytest
from apps import open_page as opened_page
from apps import text_of
from babel import Locale

from tokenizer import get_encoding
from tokenizer.i18n import using_language
from tokenizer.languages.aligned import align, problems
from tokenizer.languages.parallel import kinds, languages, parallel_corpus
from tokenizer.languages.premium import cost, size
from tokenizer.text.scripts import localized_script
from ui.languages import budget, chart, custom_corpus, labels, mixing, parity, premium, vocabulary
from ui.languages.table import MEASURES, finding, frame

pytestmark = pytest.mark.slow

TAGS = ["en", "th", "zh-Hans", "km"]
LABELS = {"gpt2": "GPT-2 · gpt2"}


@cache
def counted():
    lines = {tag: parallel_corpus()[tag][:20] for tag in TAGS}
    costs = {tag: cost(own, get_encoding("gpt2")) for tag, own in lines.items()}
    return {tag: size(own) for tag, own in lines.items()}, {"gpt2": costs}


def rows():
    return frame(*counted(), languages(), {"gpt2": get_encoding("gpt2")}, "en", kinds()[:20])


def strings(node, key=None):
    """Yields the visible texts of a specification: titles, descriptions and labels in its data."""
    if isinstance(node, str):
        if key in ("title", "description", "tip", "row", "language", "way", "curve", "label"):
            yield node
    elif isinstance(node, list | dict):
        for name, value in node.items() if isinstance(node, dict) else ((key, one) for one in node):
            yield from strings(value, name)


def test_language_names_and_order_are_thai():
    with using_language("th"):
        names = [one.name for one in languages().values()]
    assert len(set(names)) == len(parallel_corpus()) and not any(name.isascii() for name in names)
    assert set(names) >= {Locale("zh", script="Hans").get_display_name("th"), Locale("pt", "BR").get_display_name("th")}
    places = [names.index(name) for name in ("กรีก", "เกาหลี", "เขมร", "คุชราต", "จอร์เจีย", "ไทย", "ยูเครน", "โยรูบา")]
    assert places == sorted(places)
    assert list(parallel_corpus()) == list(languages()), "the order of the corpus depends on the language"


def test_scripts_families_and_kinds_are_translated():
    assert set(kinds()) == labels.SENTENCE_KINDS
    with using_language("th"):
        assert not [one for one in languages().values() if one.script.isascii() or one.family.isascii()]
        assert not [kind for kind in vocabulary.NO_SCRIPTS if localized_script(kind).isascii()]


@pytest.mark.parametrize("measure", MEASURES)
def test_chart_texts_are_thai_and_rows_unchanged(measure):
    english = chart.chart(rows(), measure, "cost", TAGS, "th", "English", LABELS)
    with using_language("th"):
        thai = chart.chart(rows(), measure, "cost", TAGS, "th", languages()["en"].name, LABELS)
    assert list(strings(english)) != list(strings(thai))
    text = " ".join(strings(thai))
    assert not [word for word in ("Thai", "token", "character", "rows", "times") if word in text]
    longest = [max(list(spec["datasets"].values())[1:], key=len) for spec in (english, thai)]
    ids = [[row["id"] for row in rows] for rows in longest]
    assert ids[0] == ids[1]


def test_charts_of_other_views_are_thai():
    points = [mixing.Point(share, 1.0 + share / 50, 2.0, 3.0 - share / 40) for share in (0.0, 50.0, 100.0)]
    found = {"classic": {"en": 5, "th": 9}, "parity": {"en": 6, "th": 7}}
    lines = {tag: budget.count_tokens(parallel_corpus()[tag], get_encoding("gpt2")) for tag in TAGS}
    with using_language("th"):
        specs = [mixing.chart(points, shown) for shown in mixing.CURVES]
        specs += [parity.chart(found), budget.chart(budget.frame(lines, 300), 120, ["th"])]
        table = parity.table(found)
    for spec in specs:
        texts = [one for one in strings(spec) if any("a" <= letter <= "z" for letter in one)]
        # tooltips of languages contain autonyms
        assert not [one for one in texts if "·" not in one], texts
    assert not any(name.isascii() for name in table.columns)


def test_csv_is_english_in_every_language():
    english = premium.to_csv(rows())
    with using_language("th"):
        own_rows = rows()
        assert own_rows["language"].tolist() != rows()["tag"].tolist() and "ไทย" in own_rows["language"].tolist()
        assert premium.to_csv(own_rows) == english
    assert {row["language"] for row in csv.DictReader(io.StringIO(english))} >= {"English", "Thai"}


def test_csv_of_own_texts_is_english_in_every_language():
    found, gpt2 = align(["a", "b"], [["one", "two"], ["1", None]]), get_encoding("gpt2")
    costs = [[cost(found.column(j, found.complete()), gpt2) for j in range(2)]]

    def table():
        return custom_corpus.row_table(found, problems(found, 0), costs, 0, ["gpt2"])

    english = custom_corpus.to_csv(found, table)
    with using_language("th"):
        assert custom_corpus.to_csv(found, table) == english
        assert not table().columns[1].isascii()


def test_thai_finding_has_the_same_numbers():
    given = [{"model": "GPT-4", "tokens": 9, "premium": 4.302}, {"model": "GPT-5", "tokens": 4, "premium": 1.9}]
    with using_language("th"):
        text = finding("ไทย", "อังกฤษ", given, 1234)
    assert [text.count(fact) for fact in ("1,234", "4.3", "1.9", "GPT-4", "GPT-5", "ภาษาไทย", "ภาษาอังกฤษ")] == [1] * 7


def test_page_is_thai_and_its_address_unchanged():
    with using_language("th"):  # the language of the labels that the browser sends
        app = opened_page("languages.py", lang="th", scripts="Thai;Lao", kinds="news", measure="partial")
    assert app.multiselect(key="scripts").value == ["Thai", "Lao"]
    assert app.multiselect(key="scripts").options[0] != "Arabic"
    assert "ภาษาไทย" in text_of(app) and "the tokens in" not in text_of(app)
