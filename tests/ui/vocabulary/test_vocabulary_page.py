"""The vocabulary page without a browser: data of its table, charts, comparison and links."""

import re
from collections import Counter

import apps
import numpy as np
import pytest
from apps import alerts, open_saved, ran, text_of
from oracles import oracle

from server.encodings import encoding_store
from server.vocabulary.query import DEFAULTS
from tokenizer import get_encoding
from tokenizer.i18n import using_language
from tokenizer.kinds.byte_bpe import byte_bpe
from tokenizer.kinds.from_merges import encoding_from_merges
from tokenizer.text.scripts import script
from tokenizer.vocabulary.facts import facts_of
from tokenizer.vocabulary.id_ranges import id_ranges
from ui.streamlit_patches import visitors
from ui.vocabulary import byte_table, explorer, timeline, token_map
from ui.widgets import encoding_component


@pytest.fixture
def table_data(monkeypatch):
    """The data that the page last passed to its table."""
    found, draw = {}, encoding_component.draw

    def record(component, key, data, **listeners):
        if key == explorer.KEY:
            found.clear()
            found.update(data)
        draw(component, key, data, **listeners)

    monkeypatch.setattr(encoding_component, "draw", record)
    return found


def test_table_first_draws_a_page_that_its_message_has_changed(monkeypatch, table_data):
    before = []
    monkeypatch.setattr(visitors, "draw_changed_page", lambda: before.append([*table_data]))
    opened(encoding="gpt2")
    assert [] in before and table_data


def opened(**query):
    return apps.open_page("vocabulary.py", **query)


def test_table_starts_with_all_tokens_of_the_encoding(table_data):
    app = opened(encoding="gpt2")
    assert table_data["key"] == "gpt2" and table_data["than"] == ""
    assert table_data["query"] == {**DEFAULTS, "token": ""}
    assert not alerts(app) and set(DEFAULTS).isdisjoint(app.query_params)


def test_link_restores_the_query_and_the_token(table_data):
    wanted = {"find": "E0 B8", "find_as": "bytes", "sort_by": "-bytes", "byte_range": "3-", "token": "1234"}
    app = opened(encoding="cl100k_base", **wanted)
    assert table_data["query"] == {**DEFAULTS, "token": "", **wanted}
    assert not alerts(app)


def test_file_restores_the_token_of_another_encoding(table_data):
    app = opened(encoding="gpt2", token="5")
    open_saved(app, "vocabulary", address={"encoding": "cl100k_base", "token": "1234"})
    assert (table_data["key"], table_data["query"]["token"]) == ("cl100k_base", "1234")


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("sort_by", "price"),
        ("id_range", "a-b"),
        ("token", "-1"),
        ("only", "best"),
        ("find_as", "<b>"),
        ("token", "9" * 20),
    ],
)
def test_invalid_link_values_show_a_notice(table_data, name, written):
    app = opened(encoding="gpt2", **{name: written})
    assert any(f"The link says {name}=" in one for one in alerts(app))
    assert table_data["query"] == {**DEFAULTS, "token": ""}


def test_change_of_encoding_clears_the_token(table_data):
    app = opened(encoding="gpt2", token="262", find="the")
    ran(app.selectbox(key="encoding").select("cl100k_base").run())
    assert (table_data["key"], table_data["query"]["token"], table_data["query"]["find"]) == ("cl100k_base", "", "the")


@pytest.mark.slow
def test_options_count_tokens_and_list_the_longest(table_data):
    opened(encoding="gpt2")
    encoding = get_encoding("gpt2")
    special = {*encoding.special_tokens.values()}
    counts = Counter(script(encoding.token_bytes(id)) for id in encoding.ids() if id not in special)
    shown = {name: words for name, words in table_data["options"]["script"] if name not in ("", "special token")}
    assert {name: int(words.rpartition(": ")[2].replace(",", "")) for name, words in shown.items()} == counts
    assert sum(one["count"] for one in table_data["longest"]) == sum(counts.values())
    texts = {id: encoding.decode([id]) for id in encoding.ids() if id not in special}
    for one in table_data["longest"]:
        if one["script"] in ("Thai", "Greek", "Cyrillic", "Han"):
            own = [text for id, text in texts.items() if script(encoding.token_bytes(id)) == one["script"]]
            assert len(one["tokens"][0]["text"]) == max(map(len, own))


def test_click_on_the_chart_filters_the_table(table_data, monkeypatch):
    app = opened(encoding="gpt2", find="x")
    before = table_data["push"]
    monkeypatch.setattr(timeline.charts, "show", lambda spec, key, on_select, clicked: _click(on_select, key))
    ran(app.run())
    ran(app.run())
    assert table_data["push"] > before
    assert table_data["query"] == {**DEFAULTS, "token": "", "id_range": "100-199"}


def _click(on_select, key):
    import streamlit as st

    class Clicked:
        selection = {timeline.SELECTION: [{"ids": "100-199"}]}

    if key == "scripts_chart_selection":
        st.session_state[key] = Clicked()
        on_select()


def test_map_replaces_the_charts_and_shows_a_token_in_the_table(table_data, monkeypatch):
    drawn, draw = {}, encoding_component.draw

    def record(component, key, data, **listeners):
        drawn[key] = data
        if key == token_map.KEY and len(drawn) == 1:  # in the first run, before the table
            listeners["on_token_change"]()
        draw(component, key, data, **listeners)

    monkeypatch.setattr(encoding_component, "draw", record)
    monkeypatch.setattr(token_map.component_events, "sent", lambda key, name: {"id": 262})
    app = opened(encoding="gpt2", find="x", picture="map", than="cl100k_base")
    found = drawn[token_map.KEY]
    assert (found["key"], found["than"]) == ("gpt2", "cl100k_base")
    assert sum(group["count"] for group in found["groups"]) == 50_257
    assert sum(group["bytes"] for group in found["groups"]) == sum(map(len, get_encoding("gpt2").table))
    assert table_data["query"] == {**DEFAULTS, "token": "262"}
    drawn.clear()
    ran(app.segmented_control(key="picture").select("charts").run())
    assert token_map.KEY not in drawn


def test_charts_count_every_token_once():
    facts = facts_of(get_encoding("gpt2"))
    found = timeline.group_scripts(id_ranges(facts, timeline.range_starts(len(facts)), len(facts.scripts)))
    assert sum(int(counts.sum()) for counts in found.scripts.values()) == 50_256
    assert np.array_equal(sum(found.scripts.values()), found.tokens)
    rows = timeline.scripts(found)["datasets"]
    [piles] = rows.values()
    tops = {}
    for row in piles:
        assert 0 <= row["low"] < row["high"] <= 1 + 1e-9
        tops[row["ids"]] = tops.get(row["ids"], 0) + row["tokens"]
    spans = zip(found.starts.tolist(), found.starts[1:].tolist(), found.tokens.tolist(), strict=False)
    assert tops == {f"{start}-{end - 1}": n for start, end, n in spans if n}


def test_finding_equals_counts_of_the_tokens():
    encoding = get_encoding("gpt2")
    facts = facts_of(encoding)
    sentence = timeline.finding(encoding, id_ranges(facts, 10, len(facts.scripts)))
    tokens = [encoding.token_bytes(id) for id in range(50_256)]
    latin = sum(script(token) == "Latin" for token in tokens)
    assert sentence.startswith("<b>50,257</b> tokens") and f"Latin {round(100 * latin / 50_256)} %" in sentence
    ends = [50_257 * i // 10 for i in (1, 9)]
    first, last = tokens[: ends[0]], tokens[ends[1] :]
    for part in (first, last):
        assert f"{sum(map(len, part)) / len(part):.1f}" in sentence


def test_finding_has_no_mean_length_of_ids_without_tokens_of_text():
    encoding = encoding_from_merges([(b"a", b"b"), (b"ab", b"c")], None, {"<|end|>": 1105})
    facts = facts_of(encoding)
    sentence = timeline.finding(encoding, id_ranges(facts, 10, len(facts.scripts)))
    assert sentence == "<b>259</b> tokens: <span>Latin 21 %</span>."


def test_finding_in_thai_has_its_sentences_on_lines_of_their_own():
    encoding = get_encoding("gpt2")
    facts = facts_of(encoding)
    with using_language("th"):
        sentence = timeline.finding(encoding, id_ranges(facts, 10, len(facts.scripts)))
    assert "%</span><br>" in sentence and "%." not in sentence


@pytest.mark.slow
def test_comparison_counts_shared_tokens_and_their_cover_of_the_text(table_data):
    app = opened(encoding="cl100k_base", than="gpt2")
    assert table_data["than"] == "gpt2"
    assert ("shared", "in both vocabularies") in table_data["options"]["only"]
    words = text_of(app)
    gpt2, gpt4 = (
        {enc.token_bytes(id) for id in range(n)}
        for enc, n in ((get_encoding("gpt2"), 50_256), (get_encoding("cl100k_base"), 100_256))
    )
    for n in (len(gpt2 & gpt4), len(gpt4 - gpt2), len(gpt2 - gpt4)):
        assert f"{n:,}" in words
    text = app.session_state.visitor.text
    for name, other in (("cl100k_base", gpt2), ("gpt2", gpt4)):
        enc = get_encoding(name)
        tokens = [enc.token_bytes(id) for id in enc.encode(text)]
        both = [token for token in tokens if token in other]
        assert f"{len(both):,} tokens, {sum(map(len, both)):,} bytes" in words


def test_encoding_is_not_compared_with_itself(table_data):
    app = opened(encoding="gpt2", than="gpt2")
    assert table_data["than"] == "" and "beside" not in text_of(app)


def test_unknown_second_encoding_shows_a_notice(table_data):
    app = opened(encoding="gpt2", than="nothing")
    [alert] = alerts(app)
    assert "Unknown encoding 'nothing'" in alert and "The page shows none instead." in alert


def _take(sent):
    import streamlit as st

    from ui.vocabulary import search_state

    for choice in search_state.CHOICES.values():
        choice.begin()
    st.session_state["vocabulary_of"] = "gpt2"
    search_state.take(sent)
    st.session_state.now = search_state.current()


@pytest.mark.parametrize("sent", [None, [], "x", {"find": 3}])
def test_queries_from_the_table_are_validated(sent):
    assert apps.run_app(_take, sent).session_state.now == {**DEFAULTS, "token": ""}
    good = {"find": "a", "token": "12", "id_range": "1-2"}
    app = apps.run_app(_take, {**good, "sort_by": "bogus", "encoding": "x", "only": 3})
    assert app.session_state.now == {**DEFAULTS, **good}
    ran(app.run())  # updates the address
    assert {name: apps.param(app, name) for name in ("find", "token", "id_range", "sort_by")} == {
        **good,
        "sort_by": None,
    }


def test_token_of_the_vocabulary_before_is_not_selected_in_another():
    for key, token in (("gpt2", "12"), ("cl100k_base", "")):
        app = apps.run_app(_take, {"find": "a", "token": "12", "key": key})
        assert app.session_state.now == {**DEFAULTS, "find": "a", "token": token}


def test_names_of_encodings_are_escaped(table_data):
    bold = byte_bpe("<b>bold</b>", None, {bytes([i]): i for i in range(256)}, {})
    entry = encoding_store.add(bold, encoding_store.LOADED)
    app = apps.run_app(_beside, entry.key)
    html = "".join(one.value for one in app.html)
    assert "&lt;b&gt;bold" in html and "<b>bold" not in html


def _beside(key):
    from server.encodings import encoding_store
    from ui.vocabulary import compare

    compare.show(encoding_store.find(key), encoding_store.find("gpt2"))


@pytest.mark.parametrize("name", ["gpt2", "o200k_base"])
def test_bytes_have_their_ids_and_letters_in_one_table(name):
    app = opened(encoding=name)
    [html] = [one.value for one in app.html if 'class="bytes"' in one.value]
    found = [oracle(name).encode_single_token(bytes([byte])) for byte in range(256)]
    assert [id for id in found if not re.search(rf"<td><b>[^<]+</b> {id}</td>", html)] == []
    assert f"<b>!</b> {found[33]}<" in html and f"<b>Ġ</b> {found[32]}<" in html and found[33] == 0
    assert byte_table.order_of(found) == "letters"
    assert "The ids 0 to 255 are not the values of the bytes." in " ".join(one.value for one in app.caption)
