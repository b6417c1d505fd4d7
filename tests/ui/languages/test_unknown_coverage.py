"""What a vocabulary lacks of a language is said wherever its few tokens could be taken for a low cost."""

import pytest
from apps import alerts, opened, seen
from pipelines import loaded

from server.encodings import encoding_store
from tokenizer import parallel_corpus
from ui.languages import unknown_coverage

pytestmark = [pytest.mark.usefixtures("no_trainings_left"), pytest.mark.slow]


@pytest.mark.parametrize("view", [{}, {"lens": "budget"}])
def test_what_has_no_token_is_said(view):
    key = encoding_store.add(loaded("WordLevel"), encoding_store.LOADED).key
    app = opened("languages.py", encodings=f"gpt2,{key}", encoding=key, **view)
    [said] = [one.value for one in app.html if 'class="lacking"' in one.value]
    assert "has no token for" in said and "in Thai" in said and not alerts(app)


def test_the_share_is_that_of_the_characters_which_became_the_unknown_token():
    encoding = loaded("WordLevel")
    key = encoding_store.add(encoding, encoding_store.LOADED).key
    text = "\n".join(parallel_corpus()["th"])
    lost = [one for one in encoding.tokenize(text) if one.id == encoding.unknown_id]
    characters = sum(len(text.encode()[one.start : one.end].decode()) for one in lost)
    assert unknown_coverage.shares(key)["th"] == pytest.approx(characters / len(text))


def test_of_an_encoding_of_bytes_nothing_is_said():
    assert "has no token for" not in seen(opened("languages.py", encodings="gpt2,o200k_base"))
