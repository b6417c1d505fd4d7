"""Several trainings in turn: start, progress, cancel, changed choices and failures."""

import unicodedata
from itertools import starmap

import pytest
import sweeping
from apps import alert_text, button_keys, click, new_app, ran

from server.training import jobs
from tokenizer import pre_tokens, train
from tokenizer.training.worker import Order

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_trainings")]

TEXTS = ["the theme of the thesis, ที่นี่มีที่ดี", "other words, other pairs, other words"]


def tasks(sizes=(258, 260, 262), text=TEXTS[0], pattern="gpt2"):
    return [(Order(size, pattern), (text,)) for size in sizes]


def page():
    import streamlit as st

    from ui.languages import sweep

    for key in st.session_state.runs:
        sweep.run(key, f"Train {key}", st.session_state.runs[key])


def opened(**runs):
    app = new_app(page)
    app.session_state["runs"] = runs
    return ran(app.run())


def ended(app, key="a"):
    return sweeping.ended(app, key)


def job_of(app):
    return app.session_state["a_sweep"]["job"]


def test_gpt2_and_cl100k_cut_at_thai_marks_and_o200k_does_not():
    thai = [chr(point) for point in range(0x0E01, 0x0E5C) if unicodedata.category(chr(point)) in ("Lo", "Mn")]
    for pattern, cuts in (("gpt2", True), ("cl100k_base", True), ("o200k_base", False)):
        for character in thai:
            pieces = [piece.text for piece in pre_tokens(f"ก{character}ก", pattern)]
            assert (pieces[0] == "ก") == (cuts and unicodedata.category(character) == "Mn"), (pattern, character)
    assert all(unicodedata.category(letter) == "Lo" for letter in "ะาำเแโไใ")


def test_nothing_is_trained_before_the_button_is_pressed():
    app = opened(a=tasks())
    assert button_keys(app) == {"a_train"} and app.button(key="a_train").label == "Train a"
    assert not jobs.all_jobs() and not any(starmap(jobs.finished, tasks()))


def test_trained_merges_equal_those_of_the_core():
    app = ended(click(opened(a=tasks()), "a_train"))
    for order, (text,) in tasks():
        found = jobs.finished(order, (text,))
        assert found.history.merges == list(train(text, order.vocab_size, order.pattern, min_count=1))
    assert not button_keys(app) and not alert_text(app)


def test_trainings_run_one_at_a_time_with_progress(run_trainings):
    app = click(opened(a=tasks()), "a_train")
    for number in range(3):
        ran(app.run())
        assert [job.over for job in jobs.all_jobs().values()] == [True] * number + [False]
        assert app.get("progress")[0].proto.text == f"{number} of 3 trainings are finished" and button_keys(app) == {
            "a_cancel"
        }
        sweeping.one_more(app, "a", run_trainings)
    assert "a_sweep" not in app.session_state and not app.get("progress")


def test_cancel_stops_the_training_and_keeps_finished_ones(run_trainings):
    done = tasks()[:1]
    run_trainings()
    ended(click(opened(a=done), "a_train"))
    jobs.MAX_RUNNING_JOBS = 0
    app = click(opened(a=tasks()), "a_train")
    job = job_of(app)
    click(app, "a_cancel")
    assert job.problem and not job.history and button_keys(app) == {"a_train"}
    assert jobs.finished(*done[0]) and not alert_text(app)


def test_run_continues_after_a_cancel(run_trainings):
    app = opened(a=tasks())
    click(click(app, "a_train"), "a_cancel")
    run_trainings()
    ended(click(app, "a_train"))
    assert all(starmap(jobs.finished, tasks()))


def test_changed_choices_stop_the_run(run_trainings):
    app = click(opened(a=tasks()), "a_train")
    old = job_of(app)
    app.session_state["runs"] = {"a": tasks(text=TEXTS[1])}
    ran(app.run())
    assert old.over and old.history is None
    assert button_keys(app) == {"a_train"} and "a_sweep" not in app.session_state
    run_trainings()
    ended(click(app, "a_train"))
    assert all(starmap(jobs.finished, tasks(text=TEXTS[1])))
    assert not any(starmap(jobs.finished, tasks()))


def test_cancel_keeps_a_training_that_another_visitor_waits_for(run_trainings):
    app, other = (click(opened(a=tasks()), "a_train") for _ in range(2))
    job = job_of(app)
    assert job_of(other) is job
    click(app, "a_cancel")
    assert not job.over
    run_trainings()
    ended(other)
    assert job.history


def test_failed_training_ends_the_run_with_a_notice():
    app = ended(click(opened(a=tasks(pattern="[a")), "a_train"))
    assert "a [ is not closed" in alert_text(app)
    assert button_keys(app) == {"a_train"}
    assert len(jobs.all_jobs()) == 1, "the ones after it would fail too"


def test_training_without_merges_finishes():
    ended(click(opened(a=tasks(text="a")), "a_train"))
    assert all(starmap(jobs.finished, tasks(text="a")))


def test_notice_disappears_when_the_run_restarts(run_trainings):
    run_trainings()
    app = ended(click(opened(a=tasks(pattern="[a")), "a_train"))
    jobs.MAX_RUNNING_JOBS = 0
    click(app, "a_train")
    assert button_keys(app) == {"a_cancel"} and not alert_text(app)


def test_notice_disappears_when_choices_change():
    app = ended(click(opened(a=tasks(pattern="[a")), "a_train"))
    app.session_state["runs"] = {"a": tasks()}
    ran(app.run())
    assert not alert_text(app)


def test_full_waiting_list_shows_a_notice(monkeypatch, run_trainings):
    monkeypatch.setattr(jobs, "MAX_RUNNING_JOBS", 0)
    monkeypatch.setattr(jobs, "MAX_WAITING_JOBS", 0)
    app = click(opened(a=tasks()), "a_train")
    ran(app.run())
    assert "Try again in a minute" in alert_text(app) and button_keys(app) == {"a_train"}


def test_finished_trainings_are_shared_between_visitors():
    ended(click(opened(a=tasks()), "a_train"))
    before = jobs.all_jobs()
    assert not button_keys(opened(a=tasks()))
    more = ended(click(opened(a=tasks((258, 260, 262, 264))), "a_train"))
    assert not button_keys(more) and len(jobs.all_jobs()) == 4
    assert all(jobs.all_jobs()[key] is job for key, job in before.items()), "a finished training was repeated"


def test_two_runs_on_one_page_are_independent(run_trainings):
    app = opened(a=tasks(), b=tasks(text=TEXTS[1]))
    assert button_keys(app) == {"a_train", "b_train"}
    click(app, "a_train")
    assert button_keys(app) == {"a_cancel", "b_train"}
    click(app, "b_train")
    click(app, "a_cancel")
    assert button_keys(app) == {"a_train", "b_cancel"}
    run_trainings()
    ended(app, "b")
    assert button_keys(app) == {"a_train"} and all(starmap(jobs.finished, tasks(text=TEXTS[1])))
