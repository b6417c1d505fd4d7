"""What the browser sends to `session_sync`."""

from apps import ran, run_app


def state_after(*messages):
    """What the server knows after these messages."""

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


def test_what_nothing_takes_is_not_acknowledged():
    one = {"number": 1, "value": 1}
    assert state_after(None, [], {"b": one}, {"a": 1}, {"a": {"number": "1", "value": 1}})[:2] == ([], {})


def test_a_text_that_is_no_text_is_left_out():
    _, known, text = state_after({"text": {"number": 1, "value": {"text": 1, "name": "a", "push": "b"}}})
    assert known == {"text": 1} and isinstance(text, str)
