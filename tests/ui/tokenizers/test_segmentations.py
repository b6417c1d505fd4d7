"""The view of other segmentations of a text."""

import re

import pytest
import sentencepieces
from apps import alert_text, captions, click, ran, run_app, text_of

pytestmark = pytest.mark.slow


def page(data: bytes, text: str):
    from server.encodings.encoding_store import StoredEncoding
    from tokenizer import Encoding
    from tokenizer.kinds.spm import SentencePieceModel
    from ui.tokenizers import segmentations

    model = SentencePieceModel(data)
    segmentations.show(
        StoredEncoding(f"loaded-{model.fingerprint}", Encoding("mine", model, model.special_tokens)), text
    )


def drawn(app):
    return [one.value for one in app.html if 'class="draws"' in one.value]


def test_unigram_shows_segmentations_a_lattice_and_samples():
    app = run_app(page, sentencepieces.MODELS["unigram"](), "\n the <b>other</b> one")
    assert re.search("The 5 likeliest ways to split “ *the <b>other</b> one *”", text_of(app))
    assert "✓" in text_of(app) and "<b>other" not in "".join(one.value for one in app.html)
    before = drawn(app)
    assert drawn(click(app, "draw_again")) != before
    ran(app.text_input(key="lattice_of").set_value("กก\U00010300").run())
    assert "2 tokens that occur in this word" in captions(app)  # ▁ and ก; the last letter is unknown
    assert "Number of paths: 1." in captions(app)
    ran(app.text_input(key="lattice_of").set_value("ﷺ" * 20).run())
    assert "more than the 32 characters that can be shown" in alert_text(app)


def test_bpe_shows_dropout_only_and_other_models_nothing():
    app = run_app(page, sentencepieces.MODELS["bpe"](), "the other one")
    assert re.search("Share of merges left out", app.slider(key="sample_alpha").label)
    assert not app.text_input and len(drawn(app)) == 1
    assert not run_app(page, sentencepieces.MODELS["char"](), "the other one").html
    assert not run_app(page, sentencepieces.MODELS["bpe"](), " \n").html
