"""The checks on the page of tokenizers: verdicts, examples that open in the Playground, files of visitors."""

import json

import pytest
from apps import alert_text, alerts, captions, click, open_page, ran, text_of, visitor_of
from pipelines import files

from server.encodings import encoding_store, uploads
from server.workers.background_worker import WorkFailed, WorkStopped, worker
from tokenizer import encoding_from_merges
from tokenizer.measure.soundness import TITLES

PAGE = "catalog.py"

pytestmark = pytest.mark.slow  # the checks run in the worker process


def opened(app):
    """Opens the expander, as the browser does."""
    app.session_state["soundness"] = True
    return ran(app.run())


def test_checks_run_in_an_open_expander_and_an_example_opens_in_the_playground():
    app = open_page(PAGE, encoding="gpt2")
    assert "Round trip" not in text_of(app)
    words = text_of(opened(app))
    assert all(title in words for title in TITLES.values())
    assert "9 passed, 2 warned, 0 failed" in captions(app) and "! warn" in words and not alerts(app)
    assert words.index("! warn") < words.index("✓ pass")
    click(app, "check_digits")
    assert visitor_of(app).text == "2718"
    assert app.selectbox(key="encoding").value == "gpt2" and not alerts(app)


def test_uploaded_tokenizer_is_checked_in_processes_of_their_own():
    facts = json.loads(files("DeepSeek's way")["tokenizer.json"])
    name = "<b>*x*</b>"
    last = max(facts["model"]["vocab"].values())
    facts["model"]["vocab"][name] = last
    found = uploads.load({"odd.json": json.dumps(facts).encode()})
    app = opened(open_page(PAGE, encoding=encoding_store.add(found, encoding_store.LOADED).key))
    assert "1 failed" in captions(app) and f"have the same id, {last:,}" in text_of(app) and not alerts(app)
    assert not any("<b>*x*" in one.value for one in app.html)
    assert "<" not in app.button(key="check_ids").label.replace("\\<", "")


def test_checks_of_an_encoding_run_once(monkeypatch):
    calls = []
    monkeypatch.setattr(worker, "run", lambda function, *args: calls.append(args) or function(*args))
    key = encoding_store.add(encoding_from_merges([], name="never checked"), encoding_store.LOADED).key
    app = opened(open_page(PAGE, encoding=key))
    ran(app.run())
    opened(open_page(PAGE, encoding=key))
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (WorkStopped(True), "The checks were stopped"),
        (WorkFailed("ValueError"), "(ValueError). Try another text or tokenizer."),
    ],
)
def test_checks_that_do_not_end_show_a_notice(monkeypatch, error, words):
    def fail(*args):
        raise error

    monkeypatch.setattr(worker, "run", fail)
    key = encoding_store.add(encoding_from_merges([], name="unchecked"), encoding_store.LOADED).key
    assert words in alert_text(opened(open_page(PAGE, encoding=key)))
