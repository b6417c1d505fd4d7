"""Every page with encodings without merges, split pattern, bytes or inverse: notices where needed."""

import pytest
import sentencepieces
from apps import alerts, captions, click, open_page, text_of

from server.encodings import encoding_store
from tokenizer import encoding_from_merges, train_characters, train_words

HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
KINDS = {"characters": lambda: train_characters("hello the same"), "words": lambda: train_words(HUGS, 12)}
PAGES = ["playground", "compare", "compare?way=texts", "why", "hood?view=forms", "hood?view=lanes"]
PAGES += ["languages?lens=vocabulary", "vocabulary", "vocabulary?than=gpt2"]

OF_SENTENCEPIECE = ("unigram, bytes", "unigram", "bpe, bytes, as Llama", "char")

pytestmark = pytest.mark.usefixtures("no_trainings_left")
every_kind = pytest.mark.parametrize("kind", KINDS)


def opened(kind, page, text=None):
    make = KINDS.get(kind) or (lambda: sentencepieces.encoding(kind))
    entry = encoding_store.add(make(), encoding_store.LOADED)
    name, *parameters = page.split("?")
    view = dict(one.split("=") for one in parameters)
    return open_page(f"{name}.py", on_desk=text, encoding=entry.key, encodings=f"gpt2,{entry.key}", **view)


def words(app):
    return f"{text_of(app)} {captions(app)}"


@pytest.mark.parametrize(
    ("page", "kind"),
    [(page, kind) for page in PAGES for kind in KINDS]
    + [pytest.param(page, kind, marks=pytest.mark.slow) for page in PAGES for kind in OF_SENTENCEPIECE],
)
def test_every_page_opens_with_every_kind_of_encoding(kind, page):
    assert alerts(opened(kind, page, "hugs ที่ help")) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["characters", "unigram, bytes"])
def test_languages_page_opens_with_an_encoding_in_python_and_one_in_a_library(kind):
    assert alerts(opened(kind, "languages?kinds=dialogue")) == []


@every_kind
def test_decode_page_marks_unknown_tokens(kind):
    app = opened(kind, "decode")  # starts with ids of a text with unknown characters
    assert "replaces text that is not in the vocabulary" in words(app) and "not valid UTF-8" not in words(app)
    [table] = [one.value for one in app.dataframe]
    unknown = encoding_store.find(app.selectbox(key="encoding").value).encoding.unknown_id
    assert set(table[table["id"] == unknown]["text"]) == {"unknown"}


def test_decode_page_names_ids_of_an_encoding_that_leaves_out_its_example():
    made = encoding_from_merges([], "[ก-ฮ]+", name="thai", drop_unmatched=True)
    app = open_page("decode.py", on_desk="latin", encoding=encoding_store.add(made, encoding_store.LOADED).key)
    assert "such as `[0, 1]`." in captions(app)


@pytest.mark.slow
def test_lane_of_an_encoding_without_merges_is_not_called_bpe():
    characters, learned = (words(opened(kind, "hood?view=lanes")) for kind in ("characters", "words"))
    assert "BPE" not in characters and "BPE" in learned


def test_pattern_that_drops_text_shows_a_note():
    assert "words leaves out text that the split pattern does not match" in words(opened("words", "why", "hugs bug"))
    assert "leaves out" not in words(opened("characters", "why", "hugs bug"))


def test_encoding_with_steps_of_its_own_shows_a_note():
    assert "processes a text in its own steps" in words(opened("unigram", "why", "hugs"))
    assert "in its own steps" not in words(opened("characters", "why", "hugs"))


@every_kind
def test_special_tokens_can_be_added_to_any_kind(kind):
    app = opened(kind, "playground")
    app.text_input(key="added_specials").set_value("<|end|>").run()
    click(app, f"add_to_{app.selectbox(key='encoding').value}")
    made = encoding_store.find(app.selectbox(key="encoding").value).encoding
    assert made.decode(made.encode("<|end|>", special="special")) == "<|end|>"
