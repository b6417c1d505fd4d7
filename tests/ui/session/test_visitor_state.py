"""The desk's text: what is put there, and what `undo` brings back."""

from apps import ran, started


def text_after(presses):
    """What is on the desk after each of some presses, one text of one's own before them."""

    def press(presses):
        import streamlit as st

        from ui.session.visitor_state import visitor

        visitor().put_text("one's own")
        for text in presses:
            if text is None:
                visitor().undo_put()
            else:
                visitor().put_text(text)
        st.session_state["found"] = visitor().text, visitor().can_undo()

    return ran(started(press, presses)).session_state["found"]


def test_what_was_before_comes_back_once():
    assert text_after(["an example", None]) == ("one's own", False)
    assert text_after(["an example", "another", None]) == ("an example", False)


def test_who_presses_twice_has_pressed_once():
    assert text_after(["an example", "an example", None]) == ("one's own", False)
    assert text_after(["an example", None, None]) == ("one's own", False)
    assert text_after(["", "", None]) == ("one's own", False)
