"""Pending values: late messages with earlier widget values do not undo a choice."""

import pytest
from apps import acknowledge, new_app, open_page, param, ran, visitor_of, widget_states

from ui.widgets.pickers import COMPARED


def choose(app, encoding):
    return ran(app.selectbox(key="encoding").set_value(encoding).run())


def year(app, label):
    return ran(app.segmented_control(key="years").set_value(label).run())


def send(app, words):
    """Sends the label that the row of buttons shows; returns the row after the run."""
    states = widget_states((app.get("button_group")[0].proto, [words]))
    return ran(app._run(states)).get("button_group")[0].proto


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
    acknowledge(app)
    choose(app, "gpt2")
    assert app.segmented_control(key="years").value == "gpt2"
    choose(app, "o200k_harmony")
    assert app.segmented_control(key="years").value is None


def test_message_after_the_acknowledgement_is_a_choice(app):
    choose(app, "gpt2")
    acknowledge(app)
    year(app, "o200k_base")
    assert param(app, "encoding") == "o200k_base"


def test_message_after_the_timeout_is_a_choice(app, monkeypatch):
    choose(app, "gpt2")
    monkeypatch.setattr("ui.session.pending_values.ACKNOWLEDGE_WITHIN_SECONDS", 0)
    choose(app, "cl100k_base")
    year(app, "gpt2")
    assert param(app, "encoding") == "gpt2"


OPENED = {"lab": True, "guesses": {"token_count": 0}}  # the parts of pages with these boxes are open
RESTORED = [  # page, address, box, typed values by name
    ("train", {"corpus": "own"}, "corpus_text", lambda text: {"corpus_text": text}),
    ("train", {}, "trained_name", lambda text: {"name": text}),
    ("why", {}, "lab_pattern", lambda text: {"pattern": text}),
    ("languages", {"lens": "own"}, "own_text_0", lambda text: {"own": {"own_text_0": text}}),
    ("learn", {}, "own_token_count", lambda text: {"own": [text, None, None, "token_count"]}),
]


@pytest.mark.parametrize(("page", "address", "key", "typed"), RESTORED, ids=[key for _, _, key, _ in RESTORED])
def test_late_message_does_not_overwrite_a_restored_box(page, address, key, typed):
    def box():
        return next(one for one in [*app.text_area, *app.text_input] if one.key == key)

    app = open_page(f"{page}.py", **address)
    for name, value in OPENED.items():
        app.session_state[name] = value
    ran(app.run())
    before = box().value
    visitor_of(app).imports.typed = {page: typed("kept by the tab")}
    ran(app.run())
    for sent, text in ((before, "kept by the tab"), ("newer", "newer"), ("kept by the tab", "kept by the tab")):
        ran(box().set_value(sent).run())
        assert box().value == text
    acknowledge(app)
    assert ran(box().set_value(before).run()) and box().value == before


@pytest.mark.slow
def test_late_message_does_not_move_a_restored_base():
    app = open_page("languages.py", lens="own")
    visitor_of(app).imports.typed = {"languages": {"own": {"own_base": 1}}}
    ran(app.run())
    assert ran(app.selectbox(key="own_base").set_value(0).run()).selectbox(key="own_base").value == 1
    assert visitor_of(app).choices["own_base"] == 1


def test_late_message_does_not_bring_back_a_removed_text_of_a_lesson():
    app = open_page("learn.py", lesson="token", question="1")
    ran(app.button(key="show_token_count").click().run())
    ran(app.text_input(key="own_token_count").set_value("mine").run())
    ran(app.button(key="again_token_count").click().run())
    ran(app.button(key="show_token_count").click().run())
    assert not app.text_input(key="own_token_count").value
    ran(app.text_input(key="own_token_count").set_value("mine").run())
    assert not app.text_input(key="own_token_count").value


@pytest.mark.slow
def test_late_messages_with_either_earlier_value_are_ignored(app):
    year(app, "gpt2")
    year(app, "cl100k_base")
    for late in ("o200k_base", "gpt2"):
        choose(app, late)
        assert param(app, "encoding") == "cl100k_base"


def test_late_message_with_a_value_that_the_server_gave_between_two_choices_is_ignored(app):
    """The browser shows the server's values one after the other, after it has sent all choices."""
    models, row = app.selectbox(key="encoding").proto, app.get("button_group")[0].proto
    gpt2, cl100k, o200k = (one.content for one in row.options)
    model = {one.split(" · ")[0]: one for one in models.options}

    def send_both(model_shown, year_shown):
        ran(app._run(widget_states((models, [model[model_shown]]), (row, [year_shown]))))
        return param(app, "encoding")

    assert [send_both("GPT-5", one) for one in (gpt2, cl100k, o200k, gpt2)] == COMPARED + ["gpt2"]
    assert [send_both(shown, gpt2) for shown in ("GPT-2", "GPT-4", "GPT-5", "GPT-2")] == ["gpt2"] * 4


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
    assert app.session_state["step"] == 2 and "step" in visitor_of(app).widgets.pending
    ran(app.run())
    assert app.session_state["step"] == 2 and not visitor_of(app).widgets.pending


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
    acknowledge(app)
    assert after("two") == ("2", "2")


def test_late_message_before_a_removed_choice_is_drawn_does_not_bring_it_back():
    def page():
        import streamlit as st

        from ui.session import choices

        step = choices.Choice("step", "1")
        match st.session_state.pop("does", None):
            case "opens":
                choices.forget_all()
                st.query_params["step"] = "1"
            case "is late":  # the page has not drawn the choice yet
                st.session_state["step"] = "2"
        if st.session_state.get("draws", True):
            st.session_state["seen"] = step.segmented("Step", {"1": "one", "2": "two"})

    app = ran(new_app(page).run())
    send(app, "two")
    for does, draws in (("opens", False), ("is late", True)):
        app.session_state["does"], app.session_state["draws"] = does, draws
        ran(app.run())
    assert app.session_state["seen"] == "1"


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
    acknowledge(app)
    assert not send(app, "two").set_value
