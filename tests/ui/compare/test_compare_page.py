"""The Compare page: the baseline, chosen by hand or address, and after its removal."""

import re
from functools import partial

import pytest
from apps import alert_text, ran, run_app
from paths import PAGES

from tokenizer import get_encoding
from tokenizer.display import comparing
from tokenizer.measure.metrics import METRICS
from tokenizer.text.samples import samples

PAGE = PAGES / "compare.py"
TWO = "gpt2,o200k_base"


opened = partial(run_app, PAGE)


def tables(app):
    return [one.value for one in app.html if 'aria-label="Metrics"' in one.value]


def table(app):
    [html] = tables(app)
    return html


def marked(app):
    """Returns the encodings marked as the baseline in the table."""
    return re.findall(r"<th scope='col'>[^<]+ <small>([^<]+)</small> <small>baseline</small>", table(app))


def test_example_of_two_texts_can_be_undone():
    app = opened(way="texts")
    before = app.session_state.visitor.text
    ran(app.button(key=next(one.key for one in app.button if (one.key or "").startswith("pair_"))).click().run())
    assert app.session_state.visitor.text != before
    ran(app.button(key="undo_put").click().run())
    assert app.session_state.visitor.text == before


def test_line_without_a_ratio_has_a_dash_for_it():
    app = opened(encodings=TWO, on_desk="a\n\nb")
    [lines] = [one for one in app.dataframe if "most ÷ fewest tokens" in one.value]
    assert lines.value["most ÷ fewest tokens"].isna().tolist() == [False, True, False]
    assert lines.proto.placeholder == "–"


def test_first_encoding_is_the_baseline_until_one_is_chosen():
    app = opened(encodings=TWO)
    assert marked(app) == ["gpt2"] and "baseline" not in app.query_params
    ran(app.selectbox(key="baseline").select("o200k_base").run())
    assert marked(app) == ["o200k_base"] and app.query_params["baseline"] in ("o200k_base", ["o200k_base"])
    text = samples()[0].text
    ratio = len(get_encoding("gpt2").encode(text)) / len(get_encoding("o200k_base").encode(text))
    assert f"<small>{comparing.two_places(ratio)}×</small>" in table(app)


@pytest.mark.parametrize("name", ["o200k_base", "gpt-4o"])
def test_address_selects_the_baseline(name):
    app = opened(encodings=TWO, baseline=name)
    assert marked(app) == ["o200k_base"] and not alert_text(app)


@pytest.mark.parametrize(
    "name, why",
    [("cl100k_base", "it must be one of the encodings being compared"), ("<b>", "Unknown encoding '<b>'")],
)
def test_invalid_baseline_in_the_address_shows_a_notice(name, why):
    app = opened(encodings=TWO, baseline=name)
    assert marked(app) == ["gpt2"] and why in alert_text(app)


def test_removed_baseline_is_replaced_by_the_first_encoding():
    app = opened(encodings=f"{TWO},cl100k_base", baseline="o200k_base")
    ran(app.multiselect(key="encodings").set_value(["gpt2", "cl100k_base"]).run())
    assert marked(app) == ["gpt2"] and "baseline" not in app.query_params and not alert_text(app)
    ran(app.multiselect(key="encodings").set_value(["cl100k_base", "gpt2"]).run())
    assert marked(app) == ["gpt2"]  # the baseline stays while it is in the list


def test_one_encoding_shows_a_notice_and_no_tables():
    app = opened(encodings=TWO)
    ran(app.multiselect(key="encodings").set_value(["gpt2"]).run())
    assert "Choose at least two models to compare." in alert_text(app) and not tables(app)
    ran(app.multiselect(key="encodings").set_value(["gpt2", "cl100k_base"]).run())
    assert not alert_text(app) and marked(app) == ["gpt2"]


def test_main_metrics_come_first_and_the_others_under_more():
    app = opened(encodings=TWO)
    first, others = (one.value for one in app.html if "metrics" in one.value and "is better" in one.value)
    labels = [re.findall(r'<th scope="row" title="[^"]*">([^<]+) <small>', html) for html in (first, others)]
    assert labels[0][:3] == ["Tokens", "Unknown tokens", "Characters lost"]
    assert len(labels[0]) == 7 and sorted(sum(labels, [])) == sorted(metric.label for metric in METRICS.values())
    assert "0.00×" not in first + others


def test_single_encoding_has_no_baseline():
    app = opened(encodings="gpt2", baseline="o200k_base")
    assert not tables(app) and "baseline" not in [one.key for one in app.selectbox]
    ran(app.multiselect(key="encodings").set_value(["gpt2", "cl100k_base"]).run())
    assert app.selectbox(key="baseline").value == "gpt2"
