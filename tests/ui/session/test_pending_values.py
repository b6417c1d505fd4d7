"""Pending values: late messages with earlier widget values do not undo a choice."""

import pytest
from apps import new_app, open_page, param, ran, widget_states


def choose(app, encoding):
    return ran(app.selectbox(key="encoding").set_value(encoding).run())


def year(app, told):
    return ran(app.segmented_control(key="years").set_value(told).run())


def send(app, words):
    """Sends the label that the row of buttons shows; returns the row after the run."""
    said = widget_states((app.get("button_group")[0].proto, [words]))
    return ran(app._run(said)).get("button_group")[0].proto


@pytest.fixture
def app():
    return open_page("playground.py")


def test_late_message_of_one_widget_does_not_undo_the_choice_in_another(app):
    choose(app, "gpt2")
    year(app, "o200k_base")  # the browser has not acknowledged yet
    assert (param(app, "encoding"), app.segmented_control(key="years").value, app.selectbox(key="encoding").value) == (
        "gpt2",
        "gpt2",
        "gpt2",
    )
    year(app, "cl100k_base")
    assert param(app, "encoding") == "cl100k_base"
    app.session_state["visitor"].widgets.pending.clear()  # the browser has acknowledged
    choose(app, "gpt2")
    assert app.segmented_control(key="years").value == "gpt2"
    choose(app, "o200k_harmony")
    assert app.segmented_control(key="years").value is None


def test_message_after_the_acknowledgement_is_a_choice(app):
    choose(app, "gpt2")
    app.session_state["visitor"].widgets.pending.clear()
    year(app, "o200k_base")
    assert param(app, "encoding") == "o200k_base"


def test_message_after_the_timeout_is_a_choice(app, monkeypatch):
    choose(app, "gpt2")
    monkeypatch.setattr("ui.session.pending_values.ACKNOWLEDGE_WITHIN_SECONDS", 0)
    choose(app, "cl100k_base")
    year(app, "gpt2")
    assert param(app, "encoding") == "gpt2"


def test_late_message_does_not_empty_a_restored_box():
    app = open_page("train.py", corpus="own")
    app.session_state["visitor"].imports.typed = {"train": {"corpus_text": "kept by the tab"}}
    ran(app.run())
    for typed, text in (("", "kept by the tab"), ("newer", "newer"), ("kept by the tab", "kept by the tab")):
        ran(app.text_area(key="corpus_text").set_value(typed).run())
        assert app.text_area(key="corpus_text").value == text
    app.session_state["visitor"].widgets.pending.clear()  # the browser has acknowledged
    assert ran(app.text_area(key="corpus_text").set_value("").run()).text_area(key="corpus_text").value == ""


def test_late_messages_with_either_earlier_value_are_ignored(app):
    year(app, "gpt2")
    year(app, "cl100k_base")
    for late in ("o200k_base", "gpt2"):
        choose(app, late)
        assert param(app, "encoding") == "cl100k_base"


def test_acknowledgement_with_the_earlier_value_is_ignored():
    def hold():
        import streamlit as st

        from ui.session import pending_values
        from ui.session.visitor_state import visitor

        st.session_state.setdefault("step", 1)
        if not visitor().widgets.pending and st.session_state.step == 1:
            pending_values.set("step", 2)
        else:
            pending_values.acknowledge(1)

    app = ran(new_app(hold).run())
    app.session_state["step"] = 1
    ran(app.run())
    assert app.session_state["step"] == 2 and "step" in app.session_state["visitor"].widgets.pending
    ran(app.run())
    assert app.session_state["step"] == 2 and not app.session_state["visitor"].widgets.pending


def test_widget_value_of_a_forgotten_choice_is_ignored(app):
    """Opening a file resets all choices."""
    app.selectbox(key="encoding").set_value("cl100k_base")
    del app.session_state["encoding"]
    ran(app.run())
    assert param(app, "encoding") is None


def test_late_widget_value_does_not_undo_an_opened_page():
    """The browser sends the earlier value again where the page reruns before it is drawn."""

    def page():
        import streamlit as st

        from ui.session import choices

        if st.session_state.pop("opens", False):
            choices.forget_all()
            st.query_params["step"] = "1"
        st.session_state["seen"] = choices.Choice("step", "1").segmented("Step", {"1": "one", "2": "two"})

    def after(words):
        send(app, words)
        return app.session_state["seen"], param(app, "step")

    app = ran(new_app(page).run())
    assert after("two") == ("2", "2")
    app.session_state["opens"] = True
    assert [after("two"), after("two")] == [("1", "1")] * 2
    app.session_state["visitor"].widgets.pending.clear()  # the browser has acknowledged
    assert after("two") == ("2", "2")


def test_list_is_sent_its_pending_value_until_the_browser_acknowledges():
    def page():
        import streamlit as st

        from ui.session.choices import Choice

        if st.session_state.pop("chooses", False):
            Choice("step", "1").choose("2")
        Choice("step", "1").segmented("Step", {"1": "one", "2": "two"})

    app = ran(new_app(page).run())
    app.session_state["chooses"] = True
    for _ in range(3):  # interrupted runs
        step = send(app, "one")
        assert (list(step.raw_values), step.set_value) == (["two"], True)
    app.session_state["visitor"].widgets.pending.clear()  # the browser has acknowledged
    assert not send(app, "two").set_value
