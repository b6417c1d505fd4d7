"""Several trainings one after the other: begun, followed, stopped, changed on the way; one that fails is said."""

import unicodedata

import pytest
import sweeping
from apps import keys, made, pressed, ran, said

from server.training import jobs
from tokenizer import pre_tokens, train
from tokenizer.training.worker import Order
from ui.languages import sweep

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trains_here")]

TEXTS = ["the theme of the thesis, ที่นี่มีที่ดี", "other words, other pairs, other words"]


def tasks(sizes=(258, 260, 262), text=TEXTS[0], pattern="gpt2"):
    return [(Order(size, pattern), (text,)) for size in sizes]


def page():
    import streamlit as st

    from ui.languages import sweep

    for key in st.session_state.runs:
        sweep.run(key, f"Train {key}", st.session_state.runs[key])


def opened(**runs):
    app = made(page)
    app.session_state["runs"] = runs
    return ran(app.run())


def ended(app, key="a"):
    return sweeping.ended(app, key)


def job_of(app, key="a"):
    return app.session_state[f"{key}_sweep"]["job"]


def test_what_is_said_of_thai_marks_is_so():
    thai = [chr(point) for point in range(0x0E01, 0x0E5C) if unicodedata.category(chr(point)) in ("Lo", "Mn")]
    for pattern, cuts in (("gpt2", True), ("cl100k_base", True), ("o200k_base", False)):
        for character in thai:
            pieces = [piece.text for piece in pre_tokens(f"ก{character}ก", pattern)]
            assert (pieces[0] == "ก") == (cuts and unicodedata.category(character) == "Mn"), (pattern, character)
    assert all(unicodedata.category(letter) == "Lo" for letter in "ะาำเแโไใ")


def test_nothing_trains_before_it_is_asked_for():
    app = opened(a=tasks())
    assert keys(app) == {"a_train"} and app.button(key="a_train").label == "Train a"
    assert not jobs._jobs and not any(map(sweep.finished, tasks()))


def test_all_are_trained_and_as_the_core_trains_them():
    app = ended(pressed(opened(a=tasks()), "a_train"))
    for order, (text,) in tasks():
        found = sweep.finished((order, (text,)))
        assert found.story.merges == list(train(text, order.vocab_size, order.pattern, min_count=1))
    assert not keys(app) and not said(app)


def test_one_after_the_other_and_how_far_it_is(no_turns):
    app = pressed(opened(a=tasks()), "a_train")
    for number in range(3):
        ran(app.run())
        assert [job.over for job in jobs._jobs.values()] == [True] * number + [False]
        assert app.get("progress")[0].proto.text == f"{number} of 3 trainings" and keys(app) == {"a_cancel"}
        sweeping.one_more(app, "a", no_turns)
    assert "a_sweep" not in app.session_state and not app.get("progress")


def test_cancelling_stops_the_training_and_keeps_what_is_there(no_turns):
    done = tasks()[:1]
    no_turns()
    ended(pressed(opened(a=done), "a_train"))
    jobs.MAX_RUNNING = 0
    app = pressed(opened(a=tasks()), "a_train")
    job = job_of(app)
    pressed(app, "a_cancel")
    assert job.problem and not job.story and keys(app) == {"a_train"}
    assert sweep.finished(done[0]) and not said(app)


def test_after_cancelling_it_goes_on_from_there():
    app = opened(a=tasks())
    pressed(pressed(app, "a_train"), "a_cancel")
    ended(pressed(app, "a_train"))
    assert all(map(sweep.finished, tasks()))


def test_another_choice_while_it_runs_stops_the_old_run(no_turns):
    app = pressed(opened(a=tasks()), "a_train")
    old = job_of(app)
    app.session_state["runs"] = {"a": tasks(text=TEXTS[1])}
    ran(app.run())
    assert old.over and old.story is None
    assert keys(app) == {"a_train"} and "a_sweep" not in app.session_state
    no_turns()
    ended(pressed(app, "a_train"))
    assert all(map(sweep.finished, tasks(text=TEXTS[1])))
    assert not any(map(sweep.finished, tasks()))


def test_a_training_that_somebody_else_waits_for_goes_on_after_cancelling(no_turns):
    app, other = (pressed(opened(a=tasks()), "a_train") for _ in range(2))
    job = job_of(app)
    assert job_of(other) is job
    pressed(app, "a_cancel")
    assert not job.over
    no_turns()
    ended(other)
    assert job.story


def test_a_training_that_fails_is_said_and_ends_the_run():
    app = ended(pressed(opened(a=tasks(pattern="[a")), "a_train"))
    assert "unterminated character set" in said(app)
    assert keys(app) == {"a_train"}
    assert len(jobs._jobs) == 1, "the ones after it would fail too"


def test_a_training_without_merges_ends_too():
    ended(pressed(opened(a=tasks(text="a")), "a_train"))
    assert all(map(sweep.finished, tasks(text="a")))


def test_what_was_said_goes_when_it_begins_again(no_turns):
    no_turns()
    app = ended(pressed(opened(a=tasks(pattern="[a")), "a_train"))
    jobs.MAX_RUNNING = 0
    pressed(app, "a_train")
    assert keys(app) == {"a_cancel"} and not said(app)


def test_what_was_said_of_other_choices_is_said_no_more():
    app = ended(pressed(opened(a=tasks(pattern="[a")), "a_train"))
    app.session_state["runs"] = {"a": tasks()}
    ran(app.run())
    assert not said(app)


def test_too_many_that_wait_are_said(monkeypatch, no_turns):
    monkeypatch.setattr(jobs, "MAX_RUNNING", 0)
    monkeypatch.setattr(jobs, "MAX_WAITING", 0)
    app = pressed(opened(a=tasks()), "a_train")
    ran(app.run())
    assert "Try again in a minute" in said(app) and keys(app) == {"a_train"}


def test_a_second_visitor_has_them_at_once():
    ended(pressed(opened(a=tasks()), "a_train"))
    before = dict(jobs._jobs)
    assert not keys(opened(a=tasks()))
    more = ended(pressed(opened(a=tasks((258, 260, 262, 264))), "a_train"))
    assert not keys(more) and len(jobs._jobs) == 4
    assert all(jobs._jobs[key] is job for key, job in before.items()), "what was there is not trained again"


def test_two_runs_of_one_page_are_told_apart(no_turns):
    app = opened(a=tasks(), b=tasks(text=TEXTS[1]))
    assert keys(app) == {"a_train", "b_train"}
    pressed(app, "a_train")
    assert keys(app) == {"a_cancel", "b_train"}
    pressed(app, "b_train")
    pressed(app, "a_cancel")
    assert keys(app) == {"a_train", "b_cancel"}
    no_turns()
    ended(app, "b")
    assert keys(app) == {"a_train"} and all(map(sweep.finished, tasks(text=TEXTS[1])))
