"""What was chosen for a reader, while his browser still tells what its widgets showed before."""

import pytest
from apps import asked, made, opened, ran, told


def choose(app, encoding):
    return ran(app.selectbox(key="encoding").set_value(encoding).run())


def year(app, told):
    return ran(app.segmented_control(key="years").set_value(told).run())


def tell(app, words):
    """Has the browser tell the one row of buttons by its words; returns what it is given then."""
    said = told((app.get("button_group")[0].proto, [words]))
    return ran(app._run(said)).get("button_group")[0].proto


@pytest.fixture
def app():
    return opened("playground.py")


def test_what_one_widget_shows_late_does_not_undo_what_was_chosen_in_the_other(app):
    choose(app, "gpt2")
    year(app, "o200k_base")  # it had not heard yet
    assert (asked(app, "encoding"), app.segmented_control(key="years").value, app.selectbox(key="encoding").value) == (
        "gpt2",
        "gpt2",
        "gpt2",
    )
    year(app, "cl100k_base")
    assert asked(app, "encoding") == "cl100k_base"
    app.session_state["visitor"].widgets.pending.clear()  # it has heard
    choose(app, "gpt2")
    assert app.segmented_control(key="years").value == "gpt2"
    choose(app, "o200k_harmony")
    assert app.segmented_control(key="years").value is None


def test_it_is_news_once_the_browser_has_heard(app):
    choose(app, "gpt2")
    app.session_state["visitor"].widgets.pending.clear()
    year(app, "o200k_base")
    assert asked(app, "encoding") == "o200k_base"


def test_it_is_news_after_a_while(app, monkeypatch):
    choose(app, "gpt2")
    monkeypatch.setattr("ui.session.pending_values.ACKNOWLEDGE_WITHIN_SECONDS", 0)
    choose(app, "cl100k_base")
    year(app, "gpt2")
    assert asked(app, "encoding") == "gpt2"


def test_who_chooses_twice_is_late_with_either(app):
    year(app, "gpt2")
    year(app, "cl100k_base")
    for late in ("o200k_base", "gpt2"):
        choose(app, late)
        assert asked(app, "encoding") == "cl100k_base"


def test_who_tells_the_value_before_has_not_heard():
    def hold():
        import streamlit as st

        from ui.session import pending_values
        from ui.session.visitor_state import visitor

        st.session_state.setdefault("step", 1)
        if not visitor().widgets.pending and st.session_state.step == 1:
            pending_values.set("step", 2)
        else:
            st.session_state[pending_values.KEY] = {"acknowledged": 1}
            pending_values._acknowledge()

    app = ran(made(hold).run())
    app.session_state["step"] = 1
    ran(app.run())
    assert app.session_state["step"] == 2 and "step" in app.session_state["visitor"].widgets.pending
    ran(app.run())
    assert app.session_state["step"] == 2 and not app.session_state["visitor"].widgets.pending


def test_a_page_that_is_gone_has_nothing_to_say():
    def hear():
        from ui.session import pending_values

        pending_values._acknowledge()

    ran(made(hear).run())


def test_what_a_widget_tells_of_a_choice_that_is_forgotten_is_no_news(app):
    """A file that is opened begins all choices anew, and takes them from their widgets."""
    app.selectbox(key="encoding").set_value("cl100k_base")
    del app.session_state["encoding"]
    ran(app.run())
    assert asked(app, "encoding") is None


def test_what_a_widget_showed_before_a_page_was_opened_does_not_undo_what_that_brought():
    """The browser tells it once more, where the page asks for another run before it has drawn what it was given."""

    def page():
        import streamlit as st

        from ui.session import choices

        if st.session_state.pop("opens", False):
            choices.forget_all()
            st.query_params["step"] = "1"
        st.session_state["seen"] = choices.Choice("step", "1").segmented("Step", {"1": "one", "2": "two"})

    def told(words):
        tell(app, words)
        return app.session_state["seen"], asked(app, "step")

    app = ran(made(page).run())
    assert told("two") == ("2", "2")
    app.session_state["opens"] = True
    assert [told("two"), told("two")] == [("1", "1")] * 2
    app.session_state["visitor"].widgets.pending.clear()  # it has heard
    assert told("two") == ("2", "2")


def test_a_list_is_told_what_was_chosen_for_it_until_the_browser_has_heard():
    def page():
        import streamlit as st

        from ui.session.choices import Choice

        if st.session_state.pop("chooses", False):
            Choice("step", "1").choose("2")
        Choice("step", "1").segmented("Step", {"1": "one", "2": "two"})

    app = ran(made(page).run())
    app.session_state["chooses"] = True
    for _ in range(3):  # runs that were cut short
        step = tell(app, "one")
        assert (list(step.raw_values), step.set_value) == (["two"], True)
    app.session_state["visitor"].widgets.pending.clear()  # it has heard
    assert not tell(app, "two").set_value
