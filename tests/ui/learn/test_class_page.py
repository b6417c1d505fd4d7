"""The page of lessons with a class: phones see the step that the teacher shows."""

import json
import math

import pytest
from apps import click, open_page, ran, run_app, text_of, visitor_of

from server.classroom import rooms
from server.classroom.rooms import Scene
from tokenizer.languages.parallel import parallel_corpus
from tokenizer.lessons.lesson import lesson, words
from ui.learn import classroom
from ui.session.visitor_state import PendingValue

pytestmark = pytest.mark.usefixtures("no_rooms")


def page(name="token", question=1, **query):
    return open_page("learn.py", lesson=name, question=str(question), **query)


def taught(name="token", question=1, **query):
    """Opens a class; returns the page and its room."""
    app = click(page(name, question, **query), "class_open")
    [room] = rooms.open_rooms()
    return app, room


def data_of(app, component):
    """Returns the data of a component, or None where it is not on the page."""
    found = [one.proto for one in app.get("bidi_component") if one.proto.component_name.startswith(component)]
    assert len(found) <= 1
    return json.loads(found[0].mixed.json if found[0].HasField("mixed") else found[0].json) if found else None


def kept(app):
    """What the browser is to keep of the class."""
    [found] = [one.proto.json for one in app.get("bidi_component") if '"snapshot"' in one.proto.json]
    return json.loads(found)["kept"]["class"]


def test_class_sees_the_step_and_the_revealed_answer():
    app, room = taught("bpe", 2)
    assert room.scene == Scene("bpe", 1)
    assert not app.number_input  # only the class answers
    click(app, "reveal_bpe_after")
    assert room.scene == Scene("bpe", 1, is_revealed=True) and "The answer is 9." in text_of(app)
    ran(app.text_input(key="own_bpe_after").set_value("<b>").run())
    assert room.scene.text == "<b>"
    click(app, "again_bpe_after")
    assert room.scene == Scene("bpe", 1)
    click(app, "learn_next")
    assert room.scene == Scene("bpe", 2)
    ran(app.segmented_control(key=classroom.TOGETHER).set_value(False).run())
    assert room.scene == Scene("bpe", 2, together=False)


def test_slider_that_nobody_moved_does_not_change_the_scene():
    app, room = taught("size", 1)
    click(app, "reveal_size_table")
    shown = room.scene, room.version
    ran(app.run())
    assert (room.scene, room.version) == shown  # a restarted server still takes the answers again
    ran(app.slider(key="slide_size_table").set_value(1024).run())
    assert room.scene.moved == 1024


def test_class_sees_the_sentences_of_a_question_until_it_is_revealed():
    app, _ = taught("languages", 1)
    step = lesson("languages").steps[0]
    sentence = parallel_corpus()["th"][int(step.text) - 1]
    assert text_of(app).count(sentence) == 1
    click(app, f"reveal_languages_{step.id}")
    assert sentence not in " ".join(one.value for one in app.html if "sentence" in one.value)


def test_guess_before_the_class_is_not_revealed():
    app = page("bpe", 1)
    ran(app.pills(key="guess_bpe_first").set_value("aa").run())
    app = click(app, "class_open")
    [room] = rooms.open_rooms()
    assert room.scene == Scene("bpe", 0) and "Right" not in text_of(app)


def test_word_to_cut_is_shown():
    app, _ = taught("token", 2)
    assert lesson("token").steps[1].text in text_of(app)


def test_text_of_a_phone_is_shown_by_its_id(monkeypatch):
    app, room = taught("bpe", 1)
    room.send("learner-0123456789", "bpe", "first", "<i>mississippi")
    shown = []
    classroom.show_sent_text(room, shown.append, room.sent()[0].id)
    classroom.show_sent_text(room, shown.append, 99)
    assert shown == ["<i>mississippi"]
    assert not any("<i>miss" in one.value for one in app.html)


def test_ask_anew_hides_a_revealed_answer_and_clears_guesses():
    app, room = taught("bpe", 1)
    room.guess("learner-0123456789", "bpe", "first", "aa")
    click(app, "reveal_bpe_first")
    assert room.scene.is_revealed and room.counts().total() == 1
    click(app, "class_ask_anew")
    assert not room.scene.is_revealed and room.counts() == {} and room.round() == 1
    ran(app.segmented_control(key=classroom.TOGETHER).set_value(False).run())
    assert [button for button in app.button if button.key == "class_ask_anew"] == []


def test_emptied_class_refuses_old_ids_also_after_a_restart():
    app, room = taught("bpe", 1)
    before = room.new_id("127.0.0.1")
    room.note_learner(before)
    app = click(app, "class_empty")
    assert not room.learners and room.scene == Scene("bpe", 0)
    rooms.reset()
    again = rooms.reopen(kept(app)["open"])
    with pytest.raises(rooms.ClassProblem):
        again.check(before)


def test_starting_over_and_ending_without_a_class_do_nothing():
    def press():
        from ui.learn import classroom

        classroom.ask_anew(lambda: None)
        classroom.empty()
        classroom.end()

    ran(run_app(press))


def test_browser_stores_the_class_until_its_end():
    app, room = taught("bpe", 2)
    found = kept(app)
    assert rooms.room_of(found["open"]["secret"]) is room
    assert (found["open"]["lesson"], found["open"]["at"]) == ("bpe", 1)
    assert Scene.read(found["open"]) == room.scene
    secret = app.session_state[classroom.SECRET]
    app = click(app, "class_end")
    found = kept(app)
    assert (found["open"], found["ended"]) == (None, secret) and rooms.open_rooms() == []
    assert data_of(app, "tokenloupe_room") is None


def test_end_is_pressed_in_a_popover_that_states_what_is_deleted():
    app, _ = taught()
    [popover] = [one for one in app.get("popover") if [button.key for button in one.button] == ["class_end"]]
    assert popover.caption[0].value == words("class", "en").text("about_end", "teacher")


def test_class_that_was_ended_elsewhere_is_closed():
    app, room = taught()
    rooms.end(secret := app.session_state[classroom.SECRET])
    app = ran(app.run())
    assert data_of(app, "tokenloupe_room") is None and kept(app)["ended"] == secret


def bring(kept):
    """A page that restores the class that the browser stored."""
    from ui.learn import classroom, page

    classroom.restore(page.turn_to, kept)


def test_stored_class_is_restored_at_its_step():
    app, room = taught("bpe", 2)
    click(app, "reveal_bpe_after")
    ran(app.text_input(key="own_bpe_after").set_value("abab").run())
    found = kept(app)["open"]
    assert found["text"] == "abab"
    for is_dead in (False, True):
        if is_dead:
            rooms.reset()
        app = run_app(bring, found)
        assert rooms.room_of(app.session_state[classroom.SECRET]).scene == room.scene
        assert rooms.room(room.code).scene == room.scene
        assert app.session_state.visitor.choices == {"lesson": "bpe", "question": "2"}
        assert [*app.session_state.guesses] == ["bpe_after"] and app.session_state["own_bpe_after"] == "abab"


def test_restored_step_is_kept_until_the_browser_acknowledges_it():
    """Messages that the browser sends before the page arrives have the previous values of its widgets."""
    teacher, room = taught("token", 3)
    app = page("token", 1)
    app.session_state[classroom.SECRET] = teacher.session_state[classroom.SECRET]
    visitor_of(app).widgets.pending["question"] = PendingValue("3", ["1"], 1, math.inf)
    ran(app.segmented_control(key="question").set_value("1").run())
    assert app.segmented_control(key="question").value == "3" and room.scene == Scene("token", 2)
    ran(app.segmented_control(key="question").set_value("2").run())
    assert room.scene == Scene("token", 1)


@pytest.mark.parametrize("wrong", [{}, {"secret": "x" * 32}, {"secret": "x", "lesson": "token"}, {"lesson": ["a"]}])
def test_invalid_stored_classes_are_not_restored(wrong):
    app = run_app(bring, wrong)
    assert classroom.SECRET not in app.session_state and rooms.open_rooms() == []
    assert app.session_state[classroom.OVER] == wrong.get("secret")  # the browser deletes it


def test_refused_stored_class_shows_one_notice():
    def page():
        import streamlit as st

        from server.classroom.rooms import Scene
        from tokenizer.lessons.lesson import words
        from ui.learn import classroom

        if st.session_state.setdefault("stored", {"secret": "x" * 32}):
            classroom.restore(None, st.session_state.stored)
            st.session_state.stored = None
        classroom.lead(Scene("token"), words("class", "en"), None)

    sentence = words("class", "en").text("not_reopened", "teacher")
    app = run_app(page)
    assert sentence in text_of(app)
    assert sentence not in text_of(ran(app.run()))


@pytest.mark.slow
def test_browser_keeps_a_class_that_a_full_server_refuses():
    found = kept(taught("bpe", 2)[0])["open"]
    rooms.reset()
    for i in range(rooms.MAX_ROOMS):
        rooms.new_room(Scene("token"), f"192.0.2.{i}")
    app = run_app(bring, found)
    assert classroom.SECRET not in app.session_state and classroom.OVER not in app.session_state
    rooms.reset()
    assert classroom.SECRET in run_app(bring, found).session_state


@pytest.mark.slow
def test_full_server_shows_a_notice():
    for i in range(rooms.MAX_ROOMS):
        rooms.new_room(Scene("token"), f"192.0.2.{i}")
    app = click(page(), "class_open")
    assert words("class", "en").text("no_room", "teacher") in text_of(app) and data_of(app, "tokenloupe_room") is None


def test_class_address_is_that_of_the_server_or_of_the_page(monkeypatch):
    monkeypatch.setenv("TOKENLOUPE_ADDRESS", "http://192.168.1.5:8501/")
    app, room = taught()
    found = data_of(app, "tokenloupe_room")
    assert found["address"] == f"http://192.168.1.5:8501/class/{room.code}" and not found["warning"]
    assert found["qr"].startswith("data:image/svg+xml")
    monkeypatch.setenv("TOKENLOUPE_ADDRESS", "https://tokens.example.org/tokens/")
    found = data_of(ran(app.run()), "tokenloupe_room")
    assert found["address"] == f"https://tokens.example.org/tokens/class/{room.code}"
    monkeypatch.delenv("TOKENLOUPE_ADDRESS")
    found = data_of(ran(app.run()), "tokenloupe_room")
    assert found["address"] == f"http://localhost/class/{room.code}"
    assert found["warning"] == words("class", "en").text("only_here", "teacher")
