"""Training on an uploaded `.counts` file: the merges equal those of the counted corpus."""

import gzip

import apps
import pytest
from apps import alert_text, captions, click, ran

from server.encodings import recipes
from server.wire_format import pack_rows
from tokenizer import count_pre_tokens, encoding_from_merges, train
from tokenizer.training.corpora import own_corpora
from tokenizer.training.counts import Counts
from ui.train.corpora import read_counts_file

TEXT = own_corpora()["thai"] + "the cat sat on the mat <b>&amp;</b>\n" * 20
COUNTS = Counts(count_pre_tokens(TEXT, "gpt2"), "gpt2")

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_trainings", "no_charts")]


def upload(*files, **query):
    """Uploads files, each in place of the previous one."""
    app = apps.open_page("train.py", corpus="counts", min_count="1", **query)
    for data in files:
        ran(app.file_uploader(key="corpus_counts").set_value(("own.counts", data, "")).run())
    return app


def trained(app):
    [found] = apps.train_on_page(app).session_state.visitor.own_encodings.values()
    return found


def test_counts_file_trains_to_the_merges_of_its_corpus():
    app = upload(COUNTS.to_bytes(), vocab_size="400", ties="smallest-ids")
    assert f"{len(COUNTS.counts):,} distinct pre-tokens" in captions(app) and "left out" not in captions(app)
    assert f" tokens from {len(TEXT):,} characters." in captions(app)
    assert [one.value for one in app.code] == ["gpt2"]
    assert not {"maker", "kind", "pattern", "text_form", "held_out"} & apps.button_keys(app)
    found = trained(app)
    merges = list(train(TEXT, 400, "gpt2", "smallest-ids"))
    assert found.history.merges == merges and found.name == "counts-400"
    assert found.encoding.encode(TEXT) == encoding_from_merges(merges, "gpt2").encode(TEXT)
    assert found.sample == ("".join(COUNTS.counts), len(TEXT)) and found.history.num_bytes == len(TEXT.encode())
    again = recipes.read(recipes.as_values(found))
    assert again.order == found.job.order and again.texts == found.job.texts
    for form in ("huggingface", "notebook", "page"):
        ran(app.selectbox(key="form").select(form).run())
        assert not alert_text(app), form


def test_counts_file_is_kept_until_it_is_removed():
    app = upload(COUNTS.to_bytes())
    app.switch_page("decode.py").run()
    ran(app.switch_page("train.py").run())
    assert f"{len(COUNTS.counts):,} distinct" in captions(app) and not app.button(key="train").disabled
    click(app, "corpus_forget")
    assert "Add a .counts file" in captions(app) and app.button(key="train").disabled


def test_omitted_rare_pre_tokens_are_stated():
    counts = {one: n for one, n in COUNTS.counts.items() if n >= 2}
    app = upload(Counts(counts, None, 2, 1_000, 1_000).to_bytes())
    assert "The counts leave out 1,000 pre-tokens that occur fewer than 2 times" in captions(app)
    assert "merges may differ" in captions(app) and "No split pattern was used for this corpus" in captions(app)
    assert trained(app).history.merges == list(train((), 512, counts=counts))


def test_invalid_counts_file_shows_a_notice_and_can_be_replaced():
    bomb = gzip.compress(b"\n" * 30_000_000)
    for data, words in (
        (b"hug 10", "not a .counts file"),
        (bomb, "the limit of 25,000,000 bytes"),
        (b"", "the file is incomplete"),
    ):
        app = upload(data)
        assert words in alert_text(app) and "own.counts: " in alert_text(app) and app.button(key="train").disabled
    ran(app.file_uploader(key="corpus_counts").set_value(("own.counts", COUNTS.to_bytes(), "")).run())
    assert not alert_text(app) and not app.button(key="train").disabled


def test_pattern_that_times_out_shows_a_notice():
    runaway = Counts({"a" * 60: 2}, r"(?:.|..)+(?:!|\d\d\d\d)").to_bytes()
    assert "the pattern took longer than" in alert_text(app := upload(runaway)) and app.button(key="train").disabled
    assert read_counts_file(Counts({}, None).to_bytes()).distinct == 0 and upload(Counts({}, None).to_bytes())


def test_counts_above_32_bits_reach_the_timeline_exactly(with_charts):
    times = 1 << 37
    app = upload(Counts({one: n * times for one, n in COUNTS.counts.items()}, "gpt2").to_bytes())
    found, small = trained(app), list(train(TEXT, 512, "gpt2"))
    assert [one.count for one in found.history.merges] == [one.count * times for one in small]
    assert [one.token for one in found.history.merges] == [one.token for one in small]
    rows, halves = found.history_rows[:8], found.history_rows[8:]
    assert (rows[4] + (halves[4] << 32)).tolist() == [one.count * times for one in small]
    assert len(pack_rows(*found.history_rows)) == 4 * (17 + 2 * sum(map(len, rows)))
