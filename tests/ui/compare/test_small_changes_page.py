"""Small changes on the Compare page: the table, the chart, the seed in the address, and the limit."""

import io
import unicodedata
from functools import partial

import pandas as pd
from apps import captions, plain_text, ran, run_app
from paths import PAGES

from tokenizer import get_encoding
from tokenizer.display.readable import readable
from tokenizer.measure.small_changes import KINDS, change, effects
from ui.compare import small_changes
from ui.components.tables import to_csv

page = partial(run_app, PAGES / "compare.py", encodings="gpt2,o200k_base")
TEXT = "<b>one</b> two แต่ที่นี่ é"


def opened(**query):
    app = page(**query)
    app.session_state.small_changes = True
    return ran(app.run())


def table(app):
    [html] = [one.value for one in app.html if 'aria-label="Small changes"' in one.value]
    return html


def with_text(text):
    return opened(on_desk=text)


def test_table_has_a_row_of_each_kind_and_the_effects_in_each_encoding():
    html = table(with_text(TEXT))
    rows = [" ".join(plain_text(row).split()) for row in html.split("<tr>")[2:]]
    assert len(rows) == len(KINDS) and "<b>" not in html
    for row, (name, kind) in zip(rows, KINDS.items(), strict=True):
        assert row.startswith(kind.label)
        changed = change(TEXT, name)
        for encoding in ("gpt2", "o200k_base"):
            [found] = effects(TEXT, [changed], get_encoding(encoding))
            assert f"distance {found.distance}" in row and f"token {found.first + 1}:" in row


def test_tokens_before_and_after_keep_their_places_where_both_run_from_right_to_left():
    text = "مرحبا بالعالم"
    [found] = effects(text, [change(text, "typo")], enc := get_encoding("o200k_base"))
    was, now = (readable(enc.token_bytes(id)) for id in (found.was, found.now))
    assert {unicodedata.bidirectional(one[-1]) for one in (was, now)} == {"AL"}
    assert f": <bdi>{was}</bdi> → <bdi>{now}</bdi></small>" in table(with_text(text))


def test_address_has_the_seed_and_another_one_changes_other_places():
    app = opened()
    first = table(app)
    ran(app.number_input(key="change_seed").set_value(7).run())
    assert app.query_params["change_seed"] in ("7", ["7"]) and table(app) != first
    assert table(page(change_seed="7")) == table(app)  # it opens the box


def test_closed_box_computes_nothing(monkeypatch):
    monkeypatch.setattr(small_changes, "changes", None)
    app = page()
    assert not [one for one in app.html if "Small changes" in one.value] and not app.exception


def test_only_the_beginning_of_a_long_text_is_changed_and_the_page_shows_so():
    app = with_text("one two " * 1_000)
    assert "Only the first 2,000 characters are changed and compared." in captions(app)
    app = with_text("one two " * 300_000)  # too large for the other tables
    assert "Only the first 2,000 characters are changed and compared." in captions(app) and table(app)
    assert not [one for one in app.html if 'aria-label="Metrics"' in one.value]
    assert "Only the first" not in str(captions(with_text("one two")))


def test_kinds_without_a_place_are_named():
    app = with_text("12 34")
    assert "These changes are not possible in this text: A typo, Two letters swapped, A word in capitals, NFD" in str(
        captions(app)
    )
    assert "no place" not in str(captions(with_text(TEXT)))
    without = with_text("1")
    assert not [one for one in without.html if "Small changes" in one.value]
    assert "Each row" not in str(captions(without))


def test_chart_and_file_have_each_change_in_each_encoding():
    changed = [change(TEXT, kind) for kind in KINDS]
    found = {name: effects(TEXT, changed, get_encoding(name)) for name in ("gpt2", "o200k_base")}
    rows = small_changes.chart(changed, found).data
    assert len(rows) == 2 * len(KINDS)
    assert rows["distance"].tolist()[:2] == [found["gpt2"][0].distance, found["o200k_base"][0].distance]
    frame = pd.read_csv(io.StringIO(to_csv(small_changes.to_frame(changed, found))))
    assert frame["edit distance"].tolist() == rows["distance"].tolist()
    assert frame["changed text"].tolist()[::2] == [one.text for one in changed]
