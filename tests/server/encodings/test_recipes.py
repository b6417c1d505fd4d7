"""Recipes of trained encodings: they train to the same encoding, and invalid ones are refused."""

import json

import pytest
from apps import until

from server.editor_api.questions import answer
from server.encodings import encoding_store, recipes
from server.encodings.recipes import BadRecipe, texts_of
from server.training import jobs
from tokenizer import get_encoding
from tokenizer.errors import TokenizerError
from tokenizer.training.makers import ExternalTraining
from tokenizer.training.spm import Options
from tokenizer.training.worker import Order

TEXT = "hug pug pun bun hugs " * 9
ORDER = json.loads(Order(264, min_count=2).to_json())
VALID = {"name": "hugs", "order": ORDER, "specials": ["<|end|>"], "texts": [TEXT]}


pytestmark = pytest.mark.usefixtures("inline_trainings")


def trained(recipe: recipes.Recipe):
    job = jobs.begin(recipe.order, recipe.texts, ("10.0.0.1", "test"))
    until(lambda: job.over)
    assert job.succeeded, job.problem
    if isinstance(recipe.order, ExternalTraining):
        return encoding_store.add_external(job, recipe.name, recipe.source)
    return encoding_store.add_trained(
        job, recipe.order.pattern, recipe.special_tokens, recipe.name, recipe.parent, recipe.source
    )


def recipe_answer(key: str) -> dict:
    """Returns the recipe as a browser gets it."""
    return json.loads(answer("recipe", {}, bytes(4), encoding_store.find(key)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "facts",
    [
        VALID,
        VALID | {"order": ORDER | {"kind": "characters", "alphabet": "characters"}, "specials": []},
        {"name": "en", "order": ORDER, "specials": [], "source": {"corpus": "english", "form": "lower"}},
        {
            "name": "sp",
            "order": json.loads(ExternalTraining("sentencepiece", Options("bpe", 280)).to_json()),
            "texts": [TEXT],
        },
    ],
    ids=["own text", "characters", "our text", "SentencePiece"],
)
def test_recipe_trains_to_the_same_encoding(facts):
    found = trained(recipes.read(facts))
    assert recipe_answer(found.key) == facts
    assert trained(recipes.read(recipe_answer(found.key))).key == found.key


def test_texts_of_a_source_equal_those_of_the_train_page():
    from tokenizer.training.corpora import mix, own_corpora

    assert texts_of({"corpus": "thai"}) == (own_corpora()["thai"],)
    assert texts_of({"mix": 30, "form": "lower"}) == (mix(30).text.lower(),)
    kept, held = texts_of({"corpus": "english", "held_out": True})
    assert kept + held == own_corpora()["english"] and 0.7 < len(kept) / len(kept + held) < 0.85


def test_recipes_with_long_texts_are_refused():
    found = trained(recipes.read(VALID))
    long = encoding_store.Trained(
        "trained-" + "0" * 32, found.encoding, jobs.Job("", found.job.order, ("x" * 1_000_001,))
    )
    with pytest.raises(
        BadRecipe,
        match="hugs cannot be shared: its training text has 1,000,001 bytes, more than the limit of 1,000,000",
    ):
        recipes.as_values(long)


INVALID = [
    None,
    [],
    "recipe",
    {},
    VALID | {"name": 7},
    VALID | {"specials": [1]},
    VALID | {"specials": 7},
    VALID | {"texts": [7]},
    VALID | {"texts": ["x" * 1_000_001]},
    VALID | {"parent": 7},
    VALID | {"order": 7},
    VALID | {"order": {}},
    VALID | {"order": ORDER | {"vocab_size": "300"}},
    VALID | {"order": ORDER | {"vocab_size": True}},
    VALID | {"order": ORDER | {"vocab_size": 50_001}},
    VALID | {"order": ORDER | {"vocab_size": -1}},
    VALID | {"order": ORDER | {"pattern": "(["}},
    VALID | {"order": ORDER | {"pattern": 7}},
    VALID | {"order": ORDER | {"ties": "<b>"}},
    VALID | {"order": ORDER | {"alphabet": "none"}},
    VALID | {"order": ORDER | {"kind": "../x"}},
    VALID | {"order": ORDER | {"held_out": 2}},
    VALID | {"order": ORDER | {"start": [["zz", "61"]]}},
    VALID | {"order": ORDER | {"start": 7}},
    VALID | {"order": ORDER | {"more": 1}},
    VALID | {"order": {"maker": "no-such", "options": {}, "held_out": 0}},
    VALID | {"order": {"maker": "sentencepiece", "options": {"vocab_size": [1]}, "held_out": 0}},
    VALID | {"order": {"maker": "sentencepiece", "options": 7, "held_out": 0}},
    {"name": "x", "order": ORDER, "source": {"corpus": "../../etc/passwd"}},
    {"name": "x", "order": ORDER, "source": {"public": "no-such"}},
    {"name": "x", "order": ORDER, "source": {"mix": "a"}},
    {"name": "x", "order": ORDER, "source": 7},
]


@pytest.mark.parametrize("facts", INVALID, ids=lambda facts: str(facts)[-60:])
def test_invalid_recipes_are_refused(facts):
    with pytest.raises(TokenizerError):
        recipes.read(facts)


@pytest.mark.parametrize(
    "change, words",
    [({"kind": "syllables"}, "setting 'syllables'"), ({"kind": ""}, "setting ''"), ({"min_count": 0}, "damaged")],
)
def test_message_names_the_unknown_setting(change, words):
    with pytest.raises(BadRecipe, match=words):
        recipes.read(VALID | {"order": ORDER | change})


def test_public_texts_must_be_downloaded_first(monkeypatch):
    monkeypatch.setattr(recipes.public_corpora, "cached", lambda public: False)
    with pytest.raises(BadRecipe, match="must be downloaded first"):
        texts_of({"public": "shakespeare"})


# ---- merges alone ----


def merges_answer(key: str) -> dict:
    """Returns the merges without the text, as a browser gets them."""
    return json.loads(answer("merges", {}, bytes(4), encoding_store.find(key)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "order",
    [
        ORDER,
        ORDER | {"alphabet": "characters"},
        ORDER | {"kind": "characters", "alphabet": "characters"},
        ORDER | {"kind": "words", "alphabet": "characters"},
        json.loads(ExternalTraining("sentencepiece", Options("bpe", 280)).to_json()),
    ],
    ids=["bytes", "characters", "characters alone", "words", "SentencePiece"],
)
def test_merges_give_the_same_encoding_and_contain_no_text(order):
    specials = ["<|end|>"] if order.get("kind") == "bpe" else []
    secret = f"{TEXT} bungsecret hugs-and-pugs"
    found = trained(recipes.read({"name": "hugs", "order": order, "specials": specials, "texts": [secret]}))
    given = merges_answer(found.key)
    key = given.pop("key")
    for words in ("bungsecret", "hugs-and-pugs", "hug pug", found.key.rpartition("-")[2]):
        assert words not in json.dumps(given)
    assert key.startswith("merges-") and key.rpartition("-")[2] != found.key.rpartition("-")[2]
    other = recipes.add_merges(given)
    assert other.name == "hugs" and other.encoding.special_tokens == found.encoding.special_tokens
    for text in (secret, "hug<|end|>ที่ 👩‍👦\n\n  x", ""):
        for special in ("text", "special"):
            here, there = (one.encoding.tokenize(text, special) for one in (found, other))
            assert here.ids == there.ids and here.starts.tolist() == there.starts.tolist()
    again = merges_answer(other.key)  # a link to merges from a link
    assert recipes.add_merges(again).key == other.key


def test_merges_are_refused_for_encodings_not_trained_here():
    for key in ("gpt2", f"trained-{'0' * 32}", f"merges-{'0' * 32}"):
        with pytest.raises(TokenizerError):
            merges_answer(key)


@pytest.mark.parametrize(
    "facts",
    [
        {},
        {"name": "x", "file": "x.model"},
        {"name": "x", "file": "x.model", "text": 7},
        {"name": "x", "file": "x.model", "base64": "\ud800"},
        {"name": ["x"], "file": "x.model", "text": "minbpe v1\n\n0\n"},
        {"name": "x", "file": "../../etc/passwd", "text": "root"},
        {"name": "x", "file": "x.model", "text": "minbpe v1\n\ud800\n0\n"},
        {"name": "x", "file": "x.model", "text": "minbpe v1\n\n0\n1 999\n"},
    ],
    ids=range(8),
)
def test_damaged_merges_are_refused(facts):
    with pytest.raises(TokenizerError):
        recipes.add_merges(facts)


def test_special_tokens_with_the_separator_of_key_parts_give_different_keys():
    tokens = [{"a": 50257, "b": 50258}, {"a 50257\0b": 50258}, {"a 50257\1 50257\0b": 50258}]
    base = get_encoding("gpt2")
    found = [encoding_store.add(base.with_special_tokens(one), encoding_store.EXTENDED) for one in tokens]
    assert [one.encoding.special_tokens for one in found] == [base.special_tokens | one for one in tokens]
