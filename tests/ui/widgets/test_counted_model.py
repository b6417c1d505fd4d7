"""Counters on the pages: labelled counts, no tokens, and notices where something is missing."""

import io
import json
import pickle

import numpy as np
import pytest
import streamlit as st
from apps import alerts, new_app, open_page, plain_text, ran
from paths import FRAME

from server.encodings import encoding_store, reconstructed_counts, row_counts
from tokenizer import parallel_corpus
from tokenizer.errors import TokenizerError
from tokenizer.kinds import counters, open_models
from tokenizer.languages.budget import fill_whole
from tokenizer.measure.rows import count_rows
from ui.compare import rows
from ui.widgets import pickers


def html(app):
    return " ".join([*(one.proto.body for one in app.get("html")), *(one.value for one in app.caption)])


def test_playground_shows_the_reconstructed_count_only(fake_ctok):
    app = open_page("playground.py", encoding="claude-opus-4.8")
    words = len(app.session_state.visitor.text.split())
    markup = html(app)
    assert f"<dd>{words}</dd><dt>tokens, reconstruction</dt>" in markup
    assert "<dd>6</dd><dt>tokens of overhead per message</dt>" in markup and f"<dd>{words + 6}</dd>" in markup
    assert "Token boundaries are not public." in markup and "22 of 22" in markup and "1,000,000 tokens" in markup
    assert "Hidden in this text" not in markup


def test_other_pages_show_a_notice_and_keep_the_choice(fake_ctok):
    app = open_page("decode.py", encoding="claude")
    assert [one for one in alerts(app) if "can only be counted" in one and "GPT-5 · o200k_base" in one]
    assert "tokens, reconstruction" in html(ran(app.switch_page("playground.py").run()))


def test_comparison_lists_counters_by_their_counts(fake_ctok):
    app = open_page("compare.py", encodings="gpt2,claude,claude-3")
    found = [json.loads(one.proto.json) for one in app.get("bidi_component") if one.proto.json]
    [data] = [one for one in found if one.get("baseline")]
    words = len(app.session_state.visitor.text.split())
    assert [(one["key"], one["tokens"]) for one in data["counted"]] == [("claude-4.8", words), ("claude-3", words)]
    assert "7 tokens of overhead" in data["counted"][1]["note"] and "not public" in data["counted"][1]["note"]
    assert [one["key"] for one in data["encodings"]] == ["gpt2"]


def test_too_long_text_shows_a_notice(fake_ctok, monkeypatch):
    monkeypatch.setattr(reconstructed_counts, "MAX_TEXT_BYTES", 5)
    app = open_page("playground.py", encoding="claude")
    assert [one for one in alerts(app) if "a reconstructed count is possible up to 5" in one]


def test_languages_page_counts_with_a_counter(fake_ctok):
    app = open_page("languages.py", encodings="gpt2,claude-3", kinds="dialogue")
    markup, thai = html(app), parallel_corpus(("dialogue",))["th"]
    assert "Claude 3 to 4.6 (reconstruction)" in markup and "22 of 22" in markup
    table = app.dataframe[0].value
    own = table[table["encoding"] == "claude-3 (reconstruction)"]
    assert len(own) > 40 and own["share of words that are split (ICU)"].isna().all()
    assert own.set_index("language tag")["tokens"]["th"] == sum(len(line.split()) for line in thai)


@pytest.mark.parametrize(
    ("version", "why"), [((3, 11, 0), "needs Python 3.12 or newer"), ((3, 12, 1), "pip install ctok")]
)
def test_counter_without_its_package_is_listed_with_the_remedy(monkeypatch, version, why):
    monkeypatch.setattr(counters, "is_installed", lambda: False)
    monkeypatch.setattr(pickers.sys, "version_info", version)
    app = open_page("playground.py")
    label = f"Claude 3 to 4.6 · not available: {why} (Opus, Sonnet, Haiku 3, 3.5, 3.7, 4, 4.1, 4.5, 4.6)"
    place = list(pickers.listed()).index("claude-3")
    assert app.selectbox(key="encoding").options[place] == label
    assert f"[data-key='{place}']" in html(app)  # greyed out
    ran(app.selectbox(key="encoding").select("claude-3").run())
    assert [one for one in alerts(app) if "Counting the tokens of Claude 3 to 4.6 needs" in one]


def test_open_models_without_their_package_are_listed_with_the_remedy(without_splintr):
    app = open_page("playground.py")
    for name in ("Llama 3, 3.1, 3.2, 3.3", "Typhoon 2.5 4B", "Gemini 2, 2.5, 3"):
        assert f"{name} · not available: pip install splintr-rs" in app.selectbox(key="encoding").options
    ran(app.selectbox(key="encoding").select("typhoon2.5").run())
    assert [one for one in alerts(app) if "pip install splintr-rs" in one and "The page shows GPT-5" in one]


@pytest.mark.slow
@pytest.mark.skipif(not open_models.is_installed(), reason="splintr-rs is not installed")
def test_gemini_uses_the_vocabulary_of_gemma():
    app = open_page("compare.py", encodings="gemini,gemma3,gpt2")
    assert app.multiselect(key="encodings").value == ["gemini", "gemma3", "gpt2"]
    found = [json.loads(one.proto.json) for one in app.get("bidi_component") if one.proto.json]
    [data] = [one for one in found if one.get("baseline")]
    assert [one["key"] for one in data["encodings"]] == ["gemma3", "gpt2"]
    assert "Google’s own library counts" in html(open_page("catalog.py", encoding="gemini"))


@pytest.mark.parametrize("is_installed", [True, False])
def test_list_names_versions_and_shared_tokenizers_and_sorts_counters(monkeypatch, is_installed):
    monkeypatch.setattr(counters, "is_installed", lambda: is_installed)
    keys, labels = zip(*pickers.listed().items(), strict=True)
    assert (keys.index("claude-4.8") == keys.index("gpt2") + 1) == is_installed
    are_absent = ["not available" in label for label in labels]
    assert are_absent == sorted(are_absent)  # the models that can be counted are first
    for name in ("Llama 3, 3.1, 3.2, 3.3", "Qwen 3, 2.5, 2"):
        assert any(label.startswith(f"{name} · ") for label in labels)
    if open_models.is_installed():
        assert "Gemini 2, 2.5, 3 · tokenizer of Gemma 3" in labels


@pytest.mark.parametrize(
    "value, key",
    [
        ("gpt-oss", "o200k_harmony"),
        ("GPT 5", "o200k_base"),
        ("openai/gpt-4o-2024-08-06", "gpt-4o"),
        ("LLaMA 3.1", "llama3"),
        ("Qwen2.5", "qwen3"),
        ("Qwen/Qwen3-8B", "qwen3"),
        ("gemini-2.5-pro", "gemini"),
    ],
)
def test_model_names_in_the_address_are_matched_loosely(value, key):
    if key in open_models.BY_KEY | open_models.NAMES and not open_models.is_installed():
        pytest.skip("splintr-rs is not installed")
    assert pickers.ENCODING.read(value) == key


def test_grok_is_listed_with_the_reason_why_it_is_missing():
    app = open_page("decode.py")
    place = list(pickers.listed()).index("grok")
    assert (
        app.selectbox(key="encoding").options[place] == "Grok · not available: no package used here has its vocabulary"
    )
    assert f"[data-key='{place}']" in html(app)
    ran(app.selectbox(key="encoding").select("grok").run())
    assert [
        one for one in alerts(app) if "no package used here has its vocabulary" in one and "The page shows GPT-5" in one
    ]
    assert [one for one in alerts(open_page("compare.py", encodings="gpt2,grok")) if "no package used here" in one]


@pytest.mark.slow
@pytest.mark.parametrize("parameters", [{"encoding": "claude"}, {"than": "claude"}])
def test_vocabulary_page_shows_a_notice_for_counters(fake_ctok, parameters):
    assert [
        one
        for one in alerts(open_page("vocabulary.py", **parameters))
        if "With Claude 4.8 to 5, tokens can only be counted" in one
    ]


@pytest.mark.parametrize("lens", ["own", "vocabulary"])
def test_other_language_views_leave_counters_out_with_a_notice(fake_ctok, lens):
    app = open_page("languages.py", lens=lens, encodings="gpt2,claude", encoding="claude")
    assert [one for one in alerts(app) if "can only be counted" in one]


def test_budget_of_a_counter_ends_after_whole_sentences(fake_ctok):
    app = open_page("languages.py", lens="budget", encoding="claude-3", budget="30", languages="en,th")
    markup, corpus = html(app), parallel_corpus()
    whole = {
        tag: fill_whole(corpus[tag], np.array([len(line.split()) for line in corpus[tag]]), 30).num_complete
        for tag in corpus
    }
    assert f"<b>{whole['en']:,} whole sentences</b> in English and <b>{whole['th']:,}</b> in Thai" in markup
    assert "In Claude 3 to 4.6 (reconstruction), 30 tokens are enough for" in markup and "22 of 22" in markup
    assert "ends after a whole sentence" in markup and not alerts(app)


def test_metrics_of_a_counter_are_those_of_a_token_count(fake_ctok):
    app = open_page("compare.py", encodings="gpt2,claude-3")
    text, [table, *_] = app.session_state.visitor.text, [one.value for one in app.html if "<table" in one.value]
    count = len(text.split())
    head, tokens, _, _, size, *_ = [plain_text(row) for row in table.split("<tr>")[1:]]
    assert "claude-3 (reconstruction)" in head and f" {count} " in f" {tokens} "
    assert f"{len(text.encode()) / count:.2f}" in size and "–" in table
    assert "22 of 22" in html(app) and "A dash marks a value that cannot be calculated" in html(app)


def test_row_job_counts_texts_of_a_counter_and_refuses_chats(fake_ctok):
    def counted(name, data):
        sink, way = io.BytesIO(), {"claude-3 (reconstruction)": counters.BY_KEY["claude-3"]}
        row_counts.serve(io.BytesIO(pickle.dumps((name, data, name[0], True, way))), sink)
        return sink.getvalue().partition(b"\n")

    head, _, file = counted("a.csv", b"a\none two\nthree\n")
    assert pickle.loads(file).tokens.tolist() == [[2], [1]] and json.loads(head)["file"] == len(file)
    head, _, _ = counted("m.jsonl", b'{"m": [{"role": "user", "content": "Hi"}]}\n')
    assert "For Claude 3 to 4.6, only texts can be counted" in json.loads(head)["error"]


@pytest.mark.usefixtures("no_trainings_left")
def test_table_of_texts_labels_counts_of_a_counter(fake_ctok, monkeypatch):
    def enter(job, *_):
        ways = {name: getattr(one, "encoding", one) for name, one in job.entries.items()}
        job.file = pickle.dumps(count_rows([(2, "one two")], ways))
        return job

    monkeypatch.setattr(rows.jobs, "enter", enter)
    app = open_page("compare.py", way="table", encodings="gpt2,claude-3")
    app.file_uploader(key="table_file").set_value([("a.csv", b"a\none two\n", "")])
    markup = html(ran(app.run()))
    assert "claude-3 (reconstruction)" in markup and "22 of 22" in markup


def test_page_shows_which_model_it_loads_until_it_is_loaded(monkeypatch):
    def is_said():
        return "Loading GPT-2 …" in html(open_page("playground.py", encoding="gpt2"))

    assert not is_said()
    monkeypatch.setattr(encoding_store, "is_ready", lambda key: False)
    assert not is_said()  # any more
    monkeypatch.setattr(encoding_store, "find", lambda key: st.stop())  # the page as it is during the loading
    assert is_said()


def test_loading_sentence_is_removed_if_an_encoding_cannot_be_loaded(monkeypatch):
    def fail(key):
        raise TokenizerError("damaged")

    monkeypatch.setattr(encoding_store, "is_ready", lambda key: False)
    monkeypatch.setattr(encoding_store, "find", fail)
    app = new_app(FRAME, encoding="gpt2").switch_page("playground.py").run()
    assert app.exception and "Loading" not in html(app)
