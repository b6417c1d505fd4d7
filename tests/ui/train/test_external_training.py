"""The Train page with external trainers: options, results and the comparison with ours."""

import re

import apps
import pytest
from apps import alert_text, click, ran, text_of, until

from server.training import jobs
from tokenizer.training.corpora import own_corpora
from ui.widgets import pickers

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_trainings", "no_charts")]


def opened(**query):
    return apps.open_page("train.py", **{"corpus": "thai", "maker": "sentencepiece"} | query)


def trained(app):
    apps.train_on_page(app)
    until(lambda: all(job.over for job in jobs.all_jobs().values()))
    return ran(app.run())


def on_desk(app):
    return list(app.session_state.visitor.own_encodings.values())


def test_sentencepiece_training_is_listed_and_compared_with_ours():
    app = trained(opened(spm_type="bpe"))
    [found] = on_desk(app)
    assert (found.name, found.encoding.kind, found.encoding.vocab_size) == (
        "thai-sentencepiece-512",
        "sentencepiece-bpe",
        512,
    )
    assert "In SentencePiece, text without a token is written as the tokens of its bytes" in text_of(app)
    assert text_of(app).count("from a vocabulary of 512") == 2
    app = ran(app.switch_page("playground.py").run())
    assert any("trained by SentencePiece" in option for option in app.selectbox(key=pickers.ENCODING.name).options)
    app = ran(app.switch_page("train.py").run())
    click(app, "remove")
    assert not on_desk(app)


def test_external_training_is_restored_by_a_link_and_repeatable():
    app = trained(opened())
    [found] = on_desk(app)
    again = apps.open_page("train.py", trained=found.key)
    assert on_desk(again) == [found]
    assert on_desk(trained(app)) == [found]


@pytest.mark.parametrize(
    "query, reason",
    [
        ({"vocab_size": "9000"}, "The vocabulary size is 9,000 tokens, but this text allows at most"),
        ({"spm_symbols": "<s>"}, "SentencePiece always has the token <s>"),
        ({"spm_coverage": "2"}, "it must be a number from 0.98 to 1"),
        ({"vocab_size": "3"}, "Choose a whole number from 8"),
    ],
)
def test_impossible_trainings_show_a_notice(query, reason):
    app = opened(**query)
    if not app.button(key="train").disabled:
        trained(app)
    assert reason in alert_text(app)
    assert not on_desk(app) or query.keys() == {"spm_coverage"}


def test_failed_comparison_training_shows_a_notice_and_is_not_repeated(monkeypatch):
    app = trained(opened(spm_type="bpe"))
    [found] = on_desk(app)
    begun = []

    def fail(order, texts, *visitor):
        begun.append(jobs.Job(jobs.job_key(order, texts), order, texts))
        begun[-1].problem = "It took too long."
        return begun[-1]

    monkeypatch.setattr(jobs, "begin", fail)
    del app.session_state["comparison_job"]
    for _ in range(3):
        ran(app.run())
    assert len(begun) == 1 and "It took too long." in alert_text(app)
    click(app, "retry_comparison")
    assert len(begun) == 2 and on_desk(app) == [found]


def test_vocabulary_below_our_minimum_has_no_comparison():
    app = trained(opened(spm_fallback="0", vocab_size="120"))
    assert "Tokenloupe begins with 256 bytes" in " ".join(caption.value for caption in app.caption)
    assert "becomes the unknown token and is lost" in text_of(app)


def test_dropped_and_unknown_text_is_stated():
    app = trained(
        opened(corpus="english", maker="huggingface", hf_model="wordlevel", hf_splitting="words", vocab_size="300")
    )
    words = " ".join(text_of(app).split())
    assert re.search(r"The tokens of .{,40} leave out \d", words) and "the text that they replace is lost." in words


def test_the_first_of_several_texts_is_called_the_beginning():
    app, text = opened(corpus="files"), own_corpora()["thai"]
    files = [(f"{i}.txt", part.encode(), "text/plain") for i, part in enumerate((text[:3_000], text[3_000:]))]
    app = trained(ran(app.file_uploader(key="corpus_files").set_value(files).run()))
    assert "The beginning of the training text, 3,000 characters:" in text_of(app)
