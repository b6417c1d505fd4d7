"""The desk's text, with undo, and what depends on the page or on an encoding of one's own."""

import streamlit as st
from apps import ran, run_app

from ui.session import page_snapshot, pending_action
from ui.session.visitor_state import visitor
from ui.train import corpora  # noqa: F401, it registers its boxes


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


def test_undo_restores_what_was_typed_before_the_last_push():
    st.session_state.clear()
    before = visitor().last_push.id
    visitor().put_text("an example")
    visitor().commit_text("typed meanwhile", "a name", before)
    assert visitor().text == "an example"
    visitor().undo_put()
    assert visitor().text == "typed meanwhile"


def test_long_text_stands_for_the_previous_one_until_another_text_comes():
    st.session_state.clear()
    visitor().put_text("short")
    visitor().note_long_text("too late", "an earlier push")
    assert not visitor().has_long_text
    for put in (visitor().put_text, lambda text: visitor().commit_text(text, "its name", visitor().last_push.id)):
        visitor().note_long_text("long", visitor().last_push.id)
        assert visitor().has_long_text and visitor().text == "short" and visitor().push()["holds"] == "long"
        put("another")
        assert not visitor().has_long_text and visitor().text == "another"
        visitor().put_text("short")


def test_action_counts_only_on_its_page():
    st.session_state.clear()
    visitor().page = "why"
    pending_action.request("train_on_it")
    assert pending_action.is_requested("train_on_it") and not pending_action.is_requested("use")
    visitor().page = "train"
    assert not pending_action.is_requested("train_on_it")


def test_text_of_a_hidden_box_is_kept_by_the_tab_only():
    st.session_state.clear()
    st.session_state["corpus_text"] = "kept"
    for corpus, link, tab in (("own", "kept", None), ("english", None, "kept")):
        visitor().choices["corpus"] = corpus
        assert page_snapshot.values("train", page_snapshot.BOTH).get("corpus_text") == link
        assert page_snapshot.values("train", page_snapshot.TAB).get("corpus_text_unseen") == tab


def test_cleared_box_is_kept_where_it_begins_with_a_text():
    st.session_state.clear()
    visitor().choices["corpus"] = "words"
    assert "corpus_words" not in page_snapshot.values("train", page_snapshot.BOTH)  # it was never drawn
    st.session_state["corpus_words"] = st.session_state["corpus_text"] = ""
    assert page_snapshot.values("train", page_snapshot.BOTH)["corpus_words"] == ""
    assert "corpus_text_unseen" not in page_snapshot.values("train", page_snapshot.TAB)
    assert page_snapshot.restore("train", {"corpus_words": ""}) == [] and st.session_state["corpus_words"] == ""


def test_removed_encoding_is_not_chosen_again_after_a_reload():
    st.session_state.clear()
    visitor().restored_address = {"encodings": "gpt2,trained-1", "encoding": "trained-1"}
    visitor().remove_encoding("trained-1")
    assert visitor().restored_address == {"encodings": "gpt2"}
