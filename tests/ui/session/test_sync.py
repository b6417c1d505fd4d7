"""What the browser sends to `session_sync`."""

from apps import ran, run_app

from ui.streamlit_patches import visitors


def state_after(*messages):
    """The server's state after these messages."""

    def receive(messages):
        import streamlit as st

        from ui.session import sync
        from ui.session.visitor_state import visitor

        taken = []
        sync.register("a", "learn", lambda: None, taken.append)
        for message in messages:
            st.session_state[sync.KEY] = {"changes": message}
            sync.take(sync.KEY)
        st.session_state["found"] = taken, visitor().acknowledged, visitor().text

    return ran(run_app(receive, messages)).session_state["found"]


def test_the_higher_number_wins_and_is_taken_once():
    taken, known, _ = state_after(*({"a": {"number": number, "value": number}} for number in (2, 1, 2, 3)))
    assert taken == [2, 3] and known == {"a": 3}


def test_change_without_a_receiver_is_not_acknowledged():
    one = {"number": 1, "value": 1}
    assert state_after(None, [], {"b": one}, {"a": 1}, {"a": {"number": "1", "value": 1}})[:2] == ([], {})


def test_value_that_is_no_text_is_left_out():
    _, known, text = state_after({"text": {"number": 1, "value": {"text": 1, "name": "a", "push": "b"}}})
    assert known == {"text": 1} and isinstance(text, str)


def model_after_bare_address(params, kept):
    """The model after a tab that kept some choices was opened by an address with these parameters."""

    def receive(params, kept):
        import streamlit as st

        from ui.session import import_page
        from ui.session.visitor_state import visitor
        from ui.widgets import pickers

        st.query_params.update(params)
        pickers.ENCODING.begin()
        import_page.restore_tab(kept)
        pickers.ENCODING.begin()
        st.session_state["found"] = visitor().choices["encoding"], st.query_params.get("encoding")

    return ran(run_app(receive, params, kept)).session_state["found"]


def test_bare_address_gets_the_model_that_the_tab_kept_and_a_link_keeps_its_own():
    kept = {"encoding": "gpt2"}
    assert model_after_bare_address({}, {"asked": kept, "bare": True}) == ("gpt2", "gpt2")
    assert model_after_bare_address({"encoding": "cl100k_base"}, {"asked": kept, "bare": True})[0] == "cl100k_base"
    assert model_after_bare_address({"special": "text"}, {"asked": kept, "bare": False})[0] == "o200k_base"


def test_fragment_first_draws_a_page_that_its_message_has_changed(monkeypatch):
    def draw():
        from ui.session import sync

        sync.draw_snapshot("learn")

    called = []
    monkeypatch.setattr(visitors, "draw_changed_page", lambda: called.append(visitors.runs_script()))
    run_app(draw)
    assert called == [True]
