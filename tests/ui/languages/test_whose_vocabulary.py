"""The views of budgets and vocabularies: their charts and pages."""

from functools import cache, partial

import altair as alt
import numpy as np
import pytest
from apps import open_page as opened_page
from apps import ran, text_of
from oracles import contrast

from tokenizer import encoding_from_merges, get_encoding
from tokenizer.display import palette
from tokenizer.languages.parallel import languages
from tokenizer.measure.census import census
from ui.languages import budget, dots, vocabulary

pytestmark = pytest.mark.slow

opened = partial(opened_page, "languages.py")


@cache
def census_of(name):
    return census(get_encoding(name))


# ---- the charts ----


@pytest.mark.parametrize("names", [["gpt2"], ["gpt2", "o200k_base"]], ids=len)
def test_vocabulary_chart_is_valid_and_includes_zeros(names):
    found = {name: census_of(name) for name in names}
    rows, labels = vocabulary.frame(found), {name: f"the {name}" for name in names}
    spec = vocabulary.chart(rows, labels)
    alt.Chart.from_dict(spec)  # validates against the Vega-Lite schema
    [points] = [layer for layer in spec["layer"] if layer["mark"]["type"] == "point"]
    drawn = spec["datasets"][points["data"]["name"]]
    kinds = list(dict.fromkeys(rows[rows["tokens"] > 0]["kind"]))[: vocabulary.MAX_CHART_ROWS]
    values = {(point["id"], point["encoding"]): point["value"] for point in drawn}
    of_one_script = [kind for kind in kinds if kind != vocabulary.MIXED]
    for kind in of_one_script:
        for name in names:
            assert values[kind, labels[name]] == (found[name][kind].tokens if kind in found[name] else 0)
    assert len(values) == len(kinds) * len(names)
    assert points["encoding"]["x"]["scale"]["domain"][0] == 0


def test_finding_states_the_tokens_of_a_script():
    found = {name: census_of(name) for name in ("gpt2", "o200k_base")}
    sentence = vocabulary.finding("Thai", found, {"gpt2": "GPT-2", "o200k_base": "GPT-5"})
    thai = found["o200k_base"]["Thai"].tokens
    counts = f"<b>0</b> tokens in <span>GPT-2</span> and <b>{thai:,}</b> in <span>GPT-5</span>"
    assert sentence == f"Thai in the vocabularies: {counts}."


@pytest.mark.parametrize("paper", [palette.LIGHT_PAPER, palette.DARK_PAPER])
def test_chart_colours_have_enough_contrast(paper):
    assert min(contrast(color, paper) for color in dots.COLORS) >= 3


def test_budget_chart_is_valid_and_sorted():
    rows = budget.frame(budget.line_tokens("gpt2"), 300)
    spec = budget.chart(rows, 120)
    alt.Chart.from_dict(spec)
    assert spec["layer"][0]["encoding"]["y"]["sort"] == rows["language"].tolist()
    assert rows["sentences"].is_monotonic_decreasing and len(rows) == len(languages())


# ---- the vocabulary view ----


def test_longest_tokens_of_a_script_are_listed_per_encoding():
    app = opened(lens="vocabulary", encodings="gpt2,o200k_base", kind="Thai")
    tables = {frame.value.columns[0]: frame.value for frame in app.dataframe if "id" in frame.value}
    assert "gpt2" not in tables and "gpt2  has no such token." in text_of(app)
    thai = census_of("o200k_base")["Thai"]
    assert tables["o200k_base"]["id"].tolist() == thai.longest
    ran(app.selectbox(key="token_kind").select("special token").run())
    tables = {frame.value.columns[0]: frame.value for frame in app.dataframe if "id" in frame.value}
    assert tables["gpt2"]["gpt2"].tolist() == ["<|endoftext|>"]


def test_kind_of_token_is_independent_of_the_kind_of_encoding():
    app = opened_page("train.py")
    app.session_state.lens = app.session_state.visitor.choices["lens"] = "vocabulary"
    app = ran(app.switch_page("languages.py").run())
    assert app.selectbox(key="token_kind").value == "Thai" and "None of these" not in text_of(app)
    ran(app.switch_page("train.py").run())


def test_unknown_script_in_a_link_shows_a_notice():
    app = opened(lens="vocabulary", encodings="gpt2", kind="<b>")
    assert "None of these encodings has a token of the chosen kind, so another kind is shown." in text_of(app)
    assert app.selectbox(key="token_kind").value in app.selectbox(key="token_kind").options


def test_script_without_tokens_shows_a_notice_after_a_change_of_encodings():
    app = opened(lens="vocabulary", encodings="gpt2,o200k_base", kind="Telugu")
    assert "None of these" not in text_of(app)
    ran(app.multiselect(key="encodings").set_value(["gpt2"]).run())
    assert "None of these encodings has a token of the chosen kind, so another kind is shown." in text_of(app)


@pytest.mark.parametrize("name", ["id", "bytes", "toy"])
def test_longest_tokens_are_listed_whatever_the_name_of_the_encoding_is(name):
    table = vocabulary.longest(encoding_from_merges([(b"a", b"b")], None, name=name), [256, 65])
    assert table.iloc[:, 0].tolist() == ["ab", "A"] and table["id"].tolist() == [256, 65]
    assert table["bytes"].tolist() == [2, 1] and table.columns[0].startswith(name)


# ---- the budget view ----


@pytest.mark.parametrize("dropped", [["th"], ["en"], ["en", "th"]])
def test_language_of_which_an_encoding_makes_no_tokens_has_no_premium(dropped):
    counts = {tag: np.full(120, tag not in dropped, int) for tag in ("en", "th")}
    rows = budget.frame(counts, 300)
    shown = budget.window_table(rows, 8_192).set_index("language")
    assert shown.loc["Thai"].isna().all() and shown.loc["English"].isna().all() == ("en" in dropped)
    [drawn] = budget.chart(rows, 120)["datasets"].values()
    [thai] = [row["tip"] for row in drawn if row["language"] == "Thai"]
    whole = "120 whole sentences, 100.0% of the whole text (counted in characters of the English text)"
    assert thai.splitlines() == ["Thai · ไทย", whole]


@pytest.mark.parametrize(
    ("english", "thai", "window", "content"), [(49, 63, 4_500, 3_500), (2_500, 85, 8_500, 250_000)]
)
def test_content_of_a_context_window_is_a_whole_quotient(english, thai, window, content):
    rows = budget.frame({"en": np.array([english]), "th": np.array([thai])}, 300)
    assert budget.window_table(rows, window).set_index("language").loc["Thai"].iloc[1] == content


def test_budget_that_holds_every_sentence_is_stated():
    app = opened(lens="budget", encoding="o200k_base", budget="20000", languages="en,th")
    assert "all sentences are within the token budget" in text_of(app)
    assert any("the token budget is enough for all sentences" in caption.value for caption in app.caption)


def test_context_window_holds_less_with_a_higher_premium():
    app = opened(lens="budget", encoding="gpt2", window="1000")
    [table] = [frame.value for frame in app.dataframe]
    own = table.set_index("language")
    rows = budget.frame(budget.line_tokens("gpt2"), 300).set_index("language")
    [held] = [name for name in table.columns if "same content as 1,000 tokens" in name]
    [attention] = [name for name in table.columns if "attention" in name]
    assert own.loc["English", held] == 1000 and own.loc["English", attention] == 1
    for name, premium in rows["premium"].items():
        assert own.loc[name, held] == int(1000 / premium)
        assert own.loc[name, attention] == round(premium**2, 2)


@pytest.mark.parametrize(
    ("name", "value"),
    [("budget", "9"), ("budget", "๓๐๐"), ("window", "0"), ("languages", "tlh"), ("encoding", "x")],
)
def test_invalid_link_values_show_a_notice(name, value):
    app = opened(lens="budget", **{name: value})
    assert "The page shows" in text_of(app) and "300 tokens are enough for " in text_of(app)


def test_cleared_languages_keep_the_windows():
    app = opened(lens="budget", languages="th")
    ran(app.multiselect(key="languages").set_value([]).run())
    assert "whole sentences  in Thai." in text_of(app) and "languages" not in app.query_params
