"""The vocabulary of a training: the share in use, the table, and the merge tree of a token."""

import re
from collections import Counter

import pytest
from amounts import examples
from apps import ran, run_app
from html_tree import parse_html
from hypothesis import given
from hypothesis import strategies as st
from test_charts import HOSTILE, history_of

from tokenizer import count_graphemes, count_pre_tokens
from tokenizer.display.readable import readable
from tokenizer.display.tree import MAX_FAMILY_TREE_NODES, num_nodes, tree
from tokenizer.text.scripts import script
from tokenizer.training.corpora import own_corpora
from tokenizer.training.training_history import record_training
from ui.streamlit_patches import visitors
from ui.train.vocabulary import origin, share, table


def leaves(tree):
    """Returns the bytes of the leaves of a drawn tree."""
    return [bytes.fromhex(leaf.attributes["data-bytes"]) for leaf in tree.all("li") if "data-bytes" in leaf.attributes]


def depth(element):
    """Returns how deep lists are nested."""
    return (element.tag == "ul") + max(
        map(depth, [one for one in element.children if not isinstance(one, str)]), default=0
    )


# The share in use


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k_base", None])
@pytest.mark.parametrize("language", ["english", "thai"])
def test_share_in_use_equals_that_of_the_encoder(language, pattern):
    text = own_corpora()[language]
    history = history_of(text, 700, pattern)
    used = Counter(history.encoding(pattern).encode(text))
    rows = table(history)
    assert dict(zip(rows["id"], rows["uses"], strict=True)) == {id: used[id] for id in range(len(history.tokens))}
    made, base = sum(id >= 256 for id in used), sum(id < 256 for id in used)
    text = share(history)
    percent = f"{100 * made / len(history):.1f}"
    assert text.startswith(f"{made:,} of {len(history):,} tokens made by merges ({percent} %) are still used")
    assert f"Of the 256 base bytes, {base:,} are still" in text
    assert text.endswith(f" {len(used):,} distinct tokens in all.")
    assert ("are now part of longer tokens" in text) == (made < len(history))


@given(st.text(alphabet="abกี่ c", min_size=2, max_size=60))
@examples(50)
def test_share_in_use_of_any_text_equals_that_of_the_encoder(text):
    history = record_training(count_pre_tokens(text, None), 60, alphabet="characters")
    used = set(history.encoding(None).encode(text))
    made = sum(id >= len(history.base) for id in used)
    assert share(history).startswith(f"{made} of {len(history)} tokens" if len(history) else "No merge was made")
    assert f", {len(used) - made} are still used alone" in share(history)


def test_tokens_never_in_the_corpus_are_not_called_replaced():
    text = share(record_training({"abc": 1}, 257, start=[(b"x", b"y")]))
    assert text.startswith("0 of 1 tokens made by merges (0.0 %) are still used in the corpus. 1 token never")
    assert "are now part of longer tokens" not in text
    assert share(record_training({"a": 1}, 300)).startswith("No merge was made. Of the 256 base bytes")


# The table


@pytest.mark.parametrize("alphabet", ["bytes", "characters"])
def test_table_rows_have_the_facts_of_their_tokens(alphabet):
    history = history_of(own_corpora()["thai"], 400, alphabet=alphabet)
    rows, first = table(history), len(history.base)
    assert rows["id"].tolist() == [*range(first, len(history.tokens)), *range(first)]
    made = [(merge.rank, merge.rank - first + 1, merge.count, merge.saved) for merge in history.merges]
    assert [*rows[["id", "merge", "seen", "saved"]][: len(made)].itertuples(index=False, name=None)] == made
    for row in rows.itertuples():
        token = history.tokens[row.id]
        assert (row.token, row.bytes, row.script) == (readable(token), len(token), script(token))
        try:
            assert row.graphemes == count_graphemes(token.decode())
        except UnicodeDecodeError:
            assert row.token == token.hex(" ").upper() and rows["graphemes"].isna()[row.Index]
    assert rows[-first:][["merge", "seen", "saved"]].isna().all(axis=None)


SCRIPTS = {
    "Latin": ["the", " é", "e\u0301"],
    "Thai": ["ๆ", "ี่"],
    "mixed: Latin, Thai": ["ไทยland"],
    "mixed: Han, Hiragana": ["漢字かな"],
    "Hebrew": ["שלום"],
    "Arabic": ["مرحبا"],
    "another script": ["𓀀"],
    "digits": ["2026", " ๑", "½."],
    "punctuation": ["...", " ("],
    "symbols": ["=", "👩‍👦", "\u0301"],
    "space": [" \n\t\r", "\u3000"],
    "control characters": ["\0", "\u200b"],
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_of_a_token_is_named(name):
    assert {script(text.encode()) for text in SCRIPTS[name]} == {name}


def test_every_character_and_byte_has_a_script_name():
    names = {script(chr(point).encode()) for point in range(0, 0x110000, 37) if not 0xD800 <= point < 0xE000}
    assert {"Latin", "Thai", "Han", "Hangul", "another script"} < names
    assert {script(bytes([b])) for b in range(128, 256)} == {"part of a character", "never in UTF-8"}
    # Python's encoder produces every byte that UTF-8 can contain
    within = {b for point in range(0x110000) if not 0xD800 <= point < 0xE000 for b in chr(point).encode()}
    assert {b for b in range(256) if script(bytes([b])) == "never in UTF-8"} == {*range(256)} - within


@pytest.mark.parametrize(
    "token, shown",
    [
        (b" the", "·the"),
        (b"\r\n\t", "␍↵→"),
        (b"\0", "‹U+0000›"),
        ("\u202eab".encode(), "‹U+202E›ab"),
        ("\u00a0\u3000".encode(), "‹U+00A0›‹U+3000›"),
        ("👩‍👦".encode(), "👩‹U+200D›👦"),
        ("่า".encode(), "◌่า"),
        (b"\xe0\xb8", "E0 B8"),
        (b"a\xff", "61 FF"),
        (b"x" * 300, "x" * 200 + "…"),
        (b"", ""),
    ],
)
def test_readable_shows_invisible_characters_and_bytes(token, shown):
    assert readable(token) == shown


@given(st.text(max_size=20))
def test_readable_contains_no_invisible_characters(text):
    text = text.encode(errors="replace").decode()
    shown = readable(text.encode())
    assert not re.search(r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]", shown)


# The tree


@pytest.mark.parametrize("alphabet", ["bytes", "characters"])
@pytest.mark.parametrize("language", ["english", "thai"])
def test_leaves_of_a_tree_join_to_the_token(language, alphabet):
    history = history_of(own_corpora()[language], 500, alphabet=alphabet)
    for symbol, token in enumerate(history.tokens):
        drawn = parse_html(tree(history, symbol))
        assert b"".join(leaves(drawn)) == token
        whole = len(leaves(drawn)) * 2 - 1
        assert whole == num_nodes(history, symbol) == len(drawn.all("bdi"))
        assert set(leaves(drawn)) <= {*history.tokens[: len(history.base)]} and "left out" not in drawn.text
        assert drawn.all("bdi")[0].text == readable(token)
    assert "family" in tree(history, 0)


def test_tree_names_the_merges_of_its_nodes():
    history = record_training({"aaabdaaabac": 1}, 259)
    drawn = parse_html(tree(history, 258))
    assert [node.text for node in drawn.all("bdi")] == ["aaab", "aaa", "aa", "a", "a", "a", "b"]
    whence = ["258 merge 3", "257 merge 2", "256 merge 1", "97 byte", "97 byte", "97 byte", "98 byte"]
    assert [" ".join(one) for one in re.findall(r"id (\d+) +(merge \d+|byte)", " ".join(drawn.texts))] == whence
    assert re.sub("<[^>]+>", "", origin(history, 258)) == "aaab was made by merge 3, which joined aaa and b."
    assert "byte, which is in the vocabulary" in origin(history, 97)


def test_large_tree_is_cut_with_counts_of_hidden_nodes():
    history = record_training({"abcd" * 600: 1}, 300)
    symbol = len(history.tokens) - 1
    drawn, total = parse_html(tree(history, symbol)), 2 * len(history.tokens[symbol]) - 1
    assert total > 1000
    assert len(drawn.all("bdi")) == 199 and f"The first 199 of the {total:,} nodes of the tree" in drawn.text
    assert b"".join(leaves(drawn)) == history.tokens[symbol]
    hidden = [int(number.replace(",", "")) for number in re.findall(r"([\d,]+) nodes below", drawn.text)]
    assert sum(hidden) + 199 == total
    assert len(tree(history, symbol)) < 200_000
    for one in range(len(history.tokens)):  # small trees are drawn as family trees
        assert ("family" in tree(history, one)) == (num_nodes(history, one) <= MAX_FAMILY_TREE_NODES)


def test_deep_tree_is_drawn():
    # each merge adds one letter to the previous token
    start = [(b"a" * n, b"a") for n in range(1, 300)]
    history = record_training({"a" * 400: 1}, 256 + len(start), start=start)
    drawn = parse_html(tree(history, len(history.tokens) - 1))
    assert len(drawn.all("bdi")) == 199 and depth(drawn) == 100
    assert b"".join(leaves(drawn)) == b"a" * 300


def test_texts_of_visitors_are_escaped():
    history = history_of(HOSTILE * 20, 420, pattern=None)
    for symbol in range(256, len(history.tokens)):
        html = tree(history, symbol) + origin(history, symbol)
        assert set(parse_html(html).tags) <= {"div", "ul", "li", "b", "bdi", "small", "span", "i", "p"}
        assert "\u202e" not in html and "<img" not in html
    assert any("&lt;img" in tree(history, symbol) for symbol in range(256, len(history.tokens)))


# On a page


def page():
    from test_charts import HOSTILE, history_of

    from tokenizer.training.milestones import milestones, word_uses
    from ui.train import charts
    from ui.train.vocabulary import vocabulary

    history = history_of(HOSTILE * 20, 330)
    charts.draw(history, milestones(history, word_uses(HOSTILE)), "hostile")
    vocabulary(history, "<b>name", "hostile")


def test_page_shows_charts_and_vocabulary_and_computes_the_table_once(monkeypatch):
    from ui.train import vocabulary as module

    made = []
    monkeypatch.setattr(module, "table", lambda history: made.append(1) or table(history))
    app = ran(run_app(page).run())
    assert [tab.label for tab in app.tabs] == ["Compression", "Tokens saved", "Token length"]
    assert any("&lt;b&gt;name" in html.value for html in app.html)
    assert len(app.dataframe[0].value) > 256
    assert len(made) == 1
    shown = "".join(element.value for element in [*app.caption, *app.markdown])
    assert "<img" not in shown and "onerror" not in shown


def test_vocabulary_first_draws_a_page_that_its_message_has_changed(monkeypatch):
    called = []
    monkeypatch.setattr(visitors, "draw_changed_page", lambda: called.append(visitors.runs_script()))
    assert run_app(page).dataframe and called == [True]
