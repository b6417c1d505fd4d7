"""The desk's text: putting a text there, and undo."""

from apps import ran, run_app


def text_after(presses):
    """Returns text and `can_undo` after an own text and presses: a text puts it, None undoes."""

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

    return ran(run_app(press, presses)).session_state["found"]


def test_undo_restores_the_previous_text_once():
    assert text_after(["an example", None]) == ("one's own", False)
    assert text_after(["an example", "another", None]) == ("an example", False)


def test_repeated_press_counts_once():
    assert text_after(["an example", "an example", None]) == ("one's own", False)
    assert text_after(["an example", None, None]) == ("one's own", False)
    assert text_after(["", "", None]) == ("one's own", False)
