"""Late messages about lists whose labels changed, or that left the page, do not change a choice."""

import pytest
import streamlit as st
from apps import new_app, open_page, param, ran, visitor_of, widget_states

from server.encodings import encoding_store
from tokenizer import encoding_from_merges
from tokenizer.text.samples import samples
from ui.session import widget_events
from ui.session.visitor_state import visitor


def page(kind):
    import streamlit as st

    from ui.session.widget_events import labelled

    for name, first in (("mark", ""), ("options", ["a", "b", "c"]), ("again", False)):
        st.session_state.setdefault(name, first)
    st.session_state.setdefault("choice", ["b"] if kind == "multiselect" else "b")
    labels = {one: f"{one.upper()}{st.session_state.mark}" for one in "abcd"}
    st.session_state.seen = getattr(st, kind)("one", **labelled("choice", st.session_state.options, labels.get))
    if st.session_state.pop("again", False):
        st.rerun()


class List:
    """A page with a list, of which b is chosen, and its browser."""

    def __init__(self, kind):
        self.kind = kind
        self.app = ran(new_app(page, kind).run())

    def send(self, *labels):
        """Sends the labels that the browser shows as chosen; returns the options that the page gets."""
        ran(self.app._run(widget_states((self.proto, labels))))
        found = self.app.session_state["seen"]
        return found if isinstance(found, list) else [found]

    @property
    def proto(self):
        return self.app.get("button_group" if self.kind in ("segmented_control", "pills") else self.kind)[0].proto


@pytest.mark.parametrize("kind", ["selectbox", "multiselect", "segmented_control", "pills", "radio"])
def test_previous_label_selects_its_option(kind):
    one = List(kind)
    assert one.send("B") == ["b"]
    one.app.session_state["mark"] = " ✓"
    assert one.send("B") == ["b"]  # the run in which the labels change
    assert one.send("B") == ["b"]  # the new page has not reached the browser
    assert one.send("C ✓") == ["c"]
    one.app.session_state["mark"] = " ✓✓"
    assert one.send("C ✓") == one.send("C ✓") == one.send("C ✓✓") == ["c"]
    one.app.session_state["mark"] = ""
    assert one.send("C ✓✓") == one.send("C") == ["c"]
    assert one.send("A") == ["a"]


def test_label_that_two_options_had_selects_the_one_that_had_it_last():
    st.session_state.clear()
    visitor().widgets.labels["list"] = ({"first": "a", "same": "b"}, {"same": "a", "other": "b"}, {"A": "a", "B": "b"})
    for label, option in (("first", "a"), ("same", "a"), ("other", "b"), ("b", "b")):
        st.session_state["list"] = label
        widget_events.resolve_labels("list")
        assert st.session_state["list"] == option


@pytest.mark.parametrize("kind", ["selectbox", "multiselect"])
def test_browser_is_sent_the_new_label(kind):
    one = List(kind)
    one.send("B")
    one.app.session_state["mark"] = " ✓"
    one.send("B")
    one.send("B")
    found = one.proto.raw_values if kind == "multiselect" else [one.proto.raw_value]
    assert one.proto.set_value and list(found) == ["B ✓"]


def test_rerun_of_a_relabelled_page_keeps_the_choice():
    one = List("selectbox")
    one.app.session_state["mark"], one.app.session_state["again"] = " ✓", True
    assert one.send("B") == one.send("B") == ["b"]


def test_unknown_label_selects_the_default():
    one = List("selectbox")
    one.app.session_state["mark"] = " ✓"
    one.send("B")
    assert one.send("<b>") == ["a"]


def test_only_recent_labels_are_remembered():
    one = List("selectbox")
    for i in range(2 * widget_events.MAX_LABELLINGS):
        one.app.session_state["mark"] = str(i)
        one.send("B" if i == 0 else f"B{i - 1}")
    assert len(visitor_of(one.app).widgets.labels["choice"]) == widget_events.MAX_LABELLINGS
    assert one.send("B0") == ["a"]


def test_unchanged_buttons_do_not_undo_a_choice():
    app = open_page("playground.py")
    model, years, now = app.selectbox(key="encoding"), app.get("button_group")[0], "GPT-5 · o200k_base (GPT-5 mini)"

    def send(encoding, year):
        return ran(app._run(widget_states((model.proto, [encoding]), (years.proto, [year]))))

    send(now, "GPT-5 (2025)")
    assert app.session_state["years"] == "o200k_base"
    visitor_of(app).text = samples()[1].text
    send(now, "GPT-5 (2025)")
    send("GPT-2 · gpt2", "GPT-5 (2025)")
    assert param(app, "encoding") == app.session_state["encoding"] == "gpt2"


def test_encodings_of_one_name_can_be_told_apart_in_lists(no_trainings_left):
    made = [encoding_from_merges([pair], name="tokenizer") for pair in ((b"a", b"b"), (b"c", b"d"))]
    one, two = (encoding_store.add(encoding, encoding_store.LOADED).key for encoding in made)
    app = open_page("compare.py", encodings=f"{one},{two}")
    assert ran(app.run()).multiselect(key="encodings").value == [one, two]
    ran(app.multiselect(key="encodings").set_value([two]).run())
    assert visitor_of(app).choices["encodings"] == [two]
    for key in (one, two):
        ran(app.switch_page("playground.py").run())
        ran(app.selectbox(key="encoding").set_value(key).run())
        assert (app.selectbox(key="encoding").value, visitor_of(app).choices["encoding"]) == (key, key)
