"""Parity-aware, classic and lifted BPE: training and held-out sentences, numbers by hand, and the view."""

import altair as alt
import pytest
import sweeping
from apps import button_keys, click, ran, text_of
from sweeping import ended

from server.training import jobs
from tokenizer import encoding_from_merges, get_encoding, parallel_corpus, train
from tokenizer.languages.parallel import kinds, languages
from tokenizer.languages.premium import gini
from tokenizer.training.parity import train_parity
from ui.languages import parity
from ui.languages.parity import DEFAULT_LANGUAGES, WAYS, chart, held_out_lines, outcome, table, training_lines

TAGS = ["en", "th", "my"]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_trainings")]

# ---- training and held-out sentences ----


def test_every_sentence_is_either_trained_on_or_held_out():
    for tag in languages():
        own, others = training_lines(tag), held_out_lines(tag)
        assert sorted(own + others) == sorted(parallel_corpus()[tag])
        assert not set(own) & set(others)
        assert len(others) == pytest.approx(len(own) / 2, abs=1)
        assert not [line for line in others if line in "\n".join(own)]


def test_held_out_sentences_are_equal_in_languages_and_cover_every_kind():
    place = {tag: [parallel_corpus()[tag].index(line) for line in held_out_lines(tag)] for tag in languages()}
    assert len(set(map(tuple, place.values()))) == 1
    assert {kinds()[i] for i in place["en"]} == set(kinds())


# ---- numbers ----


def test_outcome_equals_counts_by_hand():
    gpt2 = get_encoding("gpt2")
    found = outcome(gpt2, TAGS)
    tokens = {tag: sum(len(gpt2.encode(line)) for line in held_out_lines(tag)) for tag in TAGS}
    counts = list(tokens.values())
    differences = sum(abs(a - b) for a in counts for b in counts)
    assert found == tokens
    worst, unequal, total = table({"classic": found})[WAYS["classic"]][:3]
    assert (worst, total) == (f"{max(counts) / min(counts):.3f}", f"{sum(counts):,}")
    assert float(unequal) == pytest.approx(differences / (2 * len(counts) * sum(counts)), abs=6e-5)


CLASSIC, PARITY = {"en": 1000, "th": 4000}, {"en": 3000, "th": 3000}


def test_table_has_the_expected_rows():
    rows = table({"classic": CLASSIC, "parity": PARITY})
    assert rows.columns.tolist() == [
        "counted on sentences outside the training text",
        "classic BPE",
        "parity-aware BPE",
    ]
    assert rows.values.tolist() == [
        ["highest premium (most expensive ÷ cheapest language)", "4.000", "1.000"],
        ["Gini coefficient of the tokens of the languages", "0.3000", "0.0000"],
        ["tokens in all languages together", "5,000", "6,000"],
        ["tokens in English", "1,000", "3,000"],
        ["tokens in Thai", "4,000", "3,000"],
    ]


def test_chart_is_valid_and_sorted_by_cost():
    spec = chart({"classic": CLASSIC, "parity": PARITY})
    alt.Chart.from_dict(spec)  # validates against the Vega-Lite schema
    [rows] = spec["datasets"].values()
    assert {(row["language"], row["way"], row["tokens"]) for row in rows} == {
        ("English", "classic BPE", 1000),
        ("Thai", "classic BPE", 4000),
        ("English", "parity-aware BPE", 3000),
        ("Thai", "parity-aware BPE", 3000),
    }
    assert [layer["encoding"]["y"]["sort"] for layer in spec["layer"]] == [["Thai", "English"]] * 2


# ---- the view ----


def opened(**query):
    return sweeping.opened(**{"fair_languages": ",".join(TAGS), "fair_size": "400", **query})


def shown_table(app):
    [found] = [
        frame.value for frame in app.dataframe if "counted on sentences outside the training text" in frame.value
    ]
    return found


def by_hand(tags, size, pattern):
    """The ways without the worker: classic BPE, parity-aware merges and lifted ones on the training lines."""
    texts = ["\n".join(training_lines(tag)) for tag in tags]
    merges = [(merge.left, merge.right) for merge in train_parity(texts, size, pattern)]
    found = {
        "classic": outcome(encoding_from_merges(list(train(texts, size, pattern)), pattern), tags),
        "parity": outcome(encoding_from_merges(merges, pattern), tags),
    }
    if pattern:
        lifted = list(train(texts, size, pattern, lift_after=(size - 256) * 3 // 4))
        found["lifted"] = outcome(encoding_from_merges(lifted, None), tags)
    return found


def test_trained_encodings_equal_those_of_the_core():
    app = ended(click(opened(), "fair_train"), "fair")
    tags = [tag for tag in languages() if tag in TAGS]
    expected = by_hand(tags, 400, "o200k_base")
    assert shown_table(app).equals(table(expected))
    charts = len(app.get("vega_lite_chart"))  # one of Train on mixed languages, an example, and this one
    assert charts == 2 and "fair_train" not in button_keys(app)
    classic, fair = (list(expected[way].values()) for way in ("classic", "parity"))
    assert gini(fair) < gini(classic) and max(fair) / min(fair) < max(classic) / min(classic)


def test_without_a_split_pattern_there_is_none_to_lift():
    app = ended(click(opened(fair_pattern="none"), "fair_train"), "fair")
    tags = [tag for tag in languages() if tag in TAGS]
    assert shown_table(app).equals(table(by_hand(tags, 400, None)))
    assert "SuperBPE" not in shown_table(app).columns


def test_order_of_the_chosen_languages_does_not_matter():
    ended(click(opened(), "fair_train"), "fair")
    again = opened(fair_languages=",".join(TAGS[::-1]))
    assert "fair_train" not in button_keys(again) and len(jobs.all_jobs()) == 3


def test_fewer_than_two_languages_keep_the_previous_choice():
    app = opened()
    ran(app.multiselect(key="fair_languages").set_value(["th"]).run())
    assert set(app.session_state.visitor.choices["fair_languages"]) == set(TAGS)
    assert "fair_languages" not in app.query_params and "fair_train" in button_keys(app)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fair_languages", "en"),
        ("fair_languages", "en,tlh"),
        ("fair_languages", ",".join(list(languages())[:11])),
        ("fair_size", "5"),
        ("fair_pattern", "x"),
    ],
)
def test_invalid_link_values_show_a_notice(name, value):
    app = opened(**{name: value})
    assert f"The link says {name}=" in text_of(app) and "fair_train" in button_keys(app)
    if name == "fair_languages":
        assert set(app.multiselect(key="fair_languages").value) == set(DEFAULT_LANGUAGES)


def test_default_languages_exist():
    assert set(DEFAULT_LANGUAGES) <= set(languages())
    assert parity.MIN_LANGUAGES <= len(DEFAULT_LANGUAGES) <= parity.MAX_LANGUAGES
