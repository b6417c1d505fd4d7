"""Training on a mix: numbers against counts by hand, the chart, the summary and the view."""

import re

import altair as alt
import numpy as np
import pytest
import sweeping
from apps import button_keys, click, ran, text_of
from hypothesis import given
from hypothesis import strategies as st
from sweeping import ended, one_more

from server.training import jobs
from tokenizer import encoding_from_merges, parallel_corpus, train
from tokenizer.training.corpora import mix, own_corpora
from ui.languages import mixing
from ui.languages.mixing import (
    ADVISED_THAI_PERCENT,
    MIX_CHARACTERS,
    THAI_PERCENTAGES,
    Point,
    chart,
    crossing,
    findings,
    parities,
    point,
)

pytestmark = pytest.mark.slow

FEW = (0, ADVISED_THAI_PERCENT, 100)

RISING = [  # parity of bytes per token at 25 %, of cost at 75 %
    Point(0.0, 1.0, 4.0, 9.0),
    Point(50.0, 4.0, 1.0, 1.5),
    Point(100.0, 5.0, 1.0, 0.5),
]

# ---- numbers ----


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=8))
def test_crossing_is_the_first_zero_of_the_line(values):
    shares = np.linspace(0, 100, len(values)) if len(values) > 1 else [0]
    found = crossing(list(shares), values)
    fine = np.interp(np.linspace(0, 100, 10_001), shares, values)
    if found is None:
        assert (np.sign(values) == np.sign(values[0])).all() and values[0] != 0
    else:
        assert np.interp(found, shares, values) == pytest.approx(0, abs=1e-9)
        before = fine[: int(found * 100)]
        assert (np.sign(before) == np.sign(values[0])).all()


def test_parities_do_not_depend_on_the_order_of_points():
    assert parities(RISING) == parities(RISING[::-1]) == {"bytes": 25.0, "tokens": 75.0}
    assert parities(RISING[:1]) == {"bytes": None, "tokens": None}


@pytest.mark.parametrize("share", [0, ADVISED_THAI_PERCENT, 100])
@pytest.mark.parametrize("pattern", ["o200k_base", None])
def test_point_equals_counts_by_hand(share, pattern):
    own = mix(share, None, MIX_CHARACTERS)
    encoding = encoding_from_merges(list(train(own.text, 320, pattern)), pattern)
    found, held_out = point(share, encoding), parallel_corpus()
    tokens = {tag: sum(len(encoding.encode(line)) for line in held_out[tag]) for tag in ("th", "en")}
    assert found.share == 100 * own.thai / own.characters
    assert found.thai == len("".join(held_out["th"]).encode()) / tokens["th"]
    assert found.english == len("".join(held_out["en"]).encode()) / tokens["en"]
    assert found.ratio == tokens["th"] / tokens["en"]


def test_mixes_have_the_stated_length_and_share():
    for share in THAI_PERCENTAGES:
        found = mix(share, None, MIX_CHARACTERS)
        assert found.share == pytest.approx(share, abs=1)
        assert found.characters == pytest.approx(MIX_CHARACTERS, rel=0.03)


def spans(text, length):
    return {text[i : i + length] for i in range(len(text) - length + 1)}


@pytest.mark.parametrize(("tag", "language"), [("th", "thai"), ("en", "english")])
def test_measured_sentences_are_not_in_the_training_texts(tag, language):
    """Neither sentences nor any 30 characters of them."""
    seen = spans(own_corpora()[language], 30)
    for line in parallel_corpus()[tag]:
        assert line not in own_corpora()[language]
        assert not spans(line, 30) & seen, line


def test_shares_include_the_advice_and_are_sorted():
    assert {0, ADVISED_THAI_PERCENT, 100} <= set(THAI_PERCENTAGES) and list(THAI_PERCENTAGES) == sorted(
        set(THAI_PERCENTAGES)
    )


# ---- the chart and the summary ----


def points_of(spec):
    rows = [row for rows in spec["datasets"].values() for row in rows]
    return sorted({(row["curve"], row["share"], row["value"]) for row in rows if "curve" in row})


def labels_of(spec):
    return {row["label"]: row["share"] for rows in spec["datasets"].values() for row in rows if "label" in row}


@pytest.mark.parametrize("shown", mixing.CURVES)
@pytest.mark.parametrize("points", [RISING[:1], RISING[:2], RISING], ids=len)
def test_chart_is_valid_and_has_every_point(shown, points):
    spec = chart(points, shown)
    alt.Chart.from_dict(spec)  # validates against the Vega-Lite schema
    if shown == "tokens":
        expected = [("Thai ÷ English", one.share, one.ratio) for one in points]
    else:
        expected = [("Thai", one.share, one.thai) for one in points]
        expected += [("English", one.share, one.english) for one in points]
    assert points_of(spec) == sorted(expected)
    assert f"{len(points)} trainings" in spec["description"]


@pytest.mark.parametrize(("shown", "at"), [("bytes", 25.0), ("tokens", 75.0)])
def test_chart_marks_the_advice_and_parity(shown, at):
    marks = labels_of(chart(RISING, shown))
    equal = {"bytes": "equal bytes per token", "tokens": "equal numbers of tokens"}[shown]
    assert marks.pop(f"{equal}\nat {at:.0f} % Thai (estimate)") == at
    [(advice, share)] = marks.items()
    assert advice == "one course’s rule:\nEnglish 2 : Thai 1" and share == ADVISED_THAI_PERCENT
    assert list(labels_of(chart(RISING[:1], shown))) == [advice]


@pytest.mark.parametrize(
    ("at", "of_advice", "of_parity"),
    [
        (3, "left", "left"),  # its left end is at the line
        (25, "left", "right"),
        (40, "right", "left"),
        (75, "right", "right"),
    ],
)
def test_labels_of_lines_do_not_run_towards_the_nearest_line(at, of_advice, of_parity):
    points = [Point(0, 1, 1 + at, 2), Point(100, 101 - at, 1, 2)]
    spec = chart(points, "bytes")
    aligned = {
        row["share"]: layer["mark"]["align"]
        for layer in spec["layer"]
        if layer["mark"]["type"] == "text"
        for row in spec["datasets"][layer["data"]["name"]]
    }
    assert aligned == {ADVISED_THAI_PERCENT: of_advice, at: of_parity}


def test_names_of_lines_have_room_above_the_curves_of_bytes():
    y = chart(RISING, "bytes")["layer"][2]["encoding"]["y"]
    assert y["scale"]["domainMax"] > 1.25 * max(one.thai for one in RISING)


def test_summary_states_the_effect_of_the_advice():
    found = {0: RISING[0], ADVISED_THAI_PERCENT: RISING[1], 100: RISING[2]}
    words = re.sub(r"<[^>]+>", " ", findings(found))
    assert "Training text without Thai: Thai has 1.00 bytes per token, English has 4.00" in words
    assert (
        "English 2 : Thai 1): Thai has 4.00 bytes per token, English has 1.00; the same sentences take 1.50 times"
        in words
    )
    assert "per token if about 25 % of the training text is Thai" in words
    assert "as many tokens as English if about 75 % of the training text is Thai" in words


def test_missing_parity_is_stated_once_all_shares_are_trained():
    dear = {share: Point(share, 1.0, 4.0, 2.0) for share in THAI_PERCENTAGES}
    assert (sentence := "Thai and English never need the same number of tokens") in findings(dear)
    assert sentence not in findings({0: dear[0]})


# ---- the view ----


@pytest.fixture
def few(monkeypatch, inline_trainings):
    monkeypatch.setattr(mixing, "THAI_PERCENTAGES", FEW)


def opened(**query):
    return sweeping.opened(**{"mix_size": "300", **query})


def num_charts(app):
    return len(app.get("vega_lite_chart"))


def by_hand(share, size=300, pattern="o200k_base"):
    text = mix(share, None, MIX_CHARACTERS).text
    return point(share, encoding_from_merges(list(train(text, size, pattern)), pattern))


def test_example_is_what_the_default_choices_give(inline_trainings):
    app = sweeping.opened()
    assert num_charts(app) == 1 and not jobs.all_jobs()
    assert any("These results were computed beforehand." in one.value for one in app.caption)
    assert "mix_take" not in [one.key for one in app.selectbox]
    trained = {share: by_hand(share, *mixing.EXAMPLE_CHOICES) for share in THAI_PERCENTAGES}
    assert trained == {share: pytest.approx(one, rel=1e-5) for share, one in mixing.EXAMPLE.items()}
    assert not num_charts(opened())  # at another size


def test_curves_come_from_trainings_on_the_mixes(few):
    app = opened()
    assert app.button(key="mix_train").label == "Train 3 tokenizers" and not num_charts(app)
    ended(click(app, "mix_train"), "mix")
    assert num_charts(app) == 1 and "mix_train" not in button_keys(app)
    assert "mix_train" not in button_keys(opened()), "a second visitor gets the finished trainings"
    assert findings({share: by_hand(share) for share in FEW}) in [html.value for html in app.get("html")]


def test_curves_grow_with_each_training(few, run_trainings):
    app = click(opened(), "mix_train")
    for number in range(len(FEW)):
        assert text_of(app).count("bytes per token, English") == number
        one_more(app, "mix", run_trainings)


def test_cancelling_keeps_the_choices(few, run_trainings):
    app = click(opened(mix_pattern="gpt2"), "mix_train")
    assert "mix_cancel" in button_keys(app)
    click(app, "mix_cancel")
    assert {"mix_train"} <= button_keys(app) and all(job.over for job in jobs.all_jobs().values())
    assert app.selectbox(key="mix_pattern").value == "gpt2"
    assert app.select_slider(key="mix_size").value == 300


def test_other_curves_need_no_training(few):
    app = ended(click(opened(), "mix_train"), "mix")
    ran(app.segmented_control(key="mix_shows").set_value("tokens").run())
    assert num_charts(app) == 1 and len(jobs.all_jobs()) == len(FEW)
    assert app.query_params["mix_shows"] in ("tokens", ["tokens"])


def test_trained_mix_can_be_opened_on_the_train_page(few):
    app = ended(click(opened(), "mix_train"), "mix")
    assert app.selectbox(key="mix_take").value == ADVISED_THAI_PERCENT
    app.button(key="mix_use").click().run()
    ran(app)
    [found] = app.session_state.visitor.own_encodings.values()
    assert found.name == f"mix-{ADVISED_THAI_PERCENT}-300"
    assert found.history.merges == list(train(mix(ADVISED_THAI_PERCENT, None, MIX_CHARACTERS).text, 300, "o200k_base"))
    assert app.selectbox(key="trained").value == found.key, "it is shown on the Train page"


@pytest.mark.parametrize(
    ("name", "value"), [("mix_size", "301"), ("mix_size", "<b>"), ("mix_pattern", "x"), ("mix_shows", "y")]
)
def test_invalid_link_values_show_a_notice(name, value):
    app = opened(**{name: value})
    assert f"The link says {name}=" in text_of(app) and "mix_train" in button_keys(app)
