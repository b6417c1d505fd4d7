"""Views warn where unknown tokens make the cost of a language look too low."""

import pytest
from apps import alerts, open_page, text_of
from pipelines import loaded

from server.encodings import encoding_store
from tokenizer import parallel_corpus
from ui.languages import unknown_coverage

pytestmark = [pytest.mark.usefixtures("no_trainings_left"), pytest.mark.slow]


@pytest.mark.parametrize("view", [{"kinds": "dialogue"}, {"lens": "budget"}])
def test_languages_with_unknown_characters_are_named(view):
    key = encoding_store.add(loaded("WordLevel"), encoding_store.LOADED).key
    app = open_page("languages.py", encodings=f"gpt2,{key}", encoding=key, **view)
    [sentence] = [one.value for one in app.html if 'class="lacking"' in one.value]
    assert "become the unknown token" in sentence and "in Thai" in sentence and not alerts(app)


def test_share_is_that_of_characters_in_unknown_tokens():
    encoding = loaded("WordLevel")
    key = encoding_store.add(encoding, encoding_store.LOADED).key
    text = "\n".join(parallel_corpus()["th"])
    lost = [one for one in encoding.tokenize(text) if one.id == encoding.unknown_id]
    characters = sum(len(text.encode()[one.start : one.end].decode()) for one in lost)
    assert unknown_coverage.shares(key)["th"] == pytest.approx(characters / len(text))


def test_byte_encodings_show_no_warning():
    assert "become the unknown token" not in text_of(
        open_page("languages.py", encodings="gpt2,o200k_base", kinds="dialogue")
    )
