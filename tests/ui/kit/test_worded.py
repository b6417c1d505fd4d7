"""Lists whose words change, told by a browser that has not heard of it: what is chosen there stays chosen."""

import pytest
from apps import made, ran, told
from streamlit.runtime.state import SafeSessionState, SessionState

from ui.kit import hearing, worded


def page(kind):
    import streamlit as st

    for name, first in (("mark", ""), ("options", ["a", "b", "c"]), ("called_back", 0), ("again", False)):
        st.session_state.setdefault(name, first)
    st.session_state.setdefault("choice", ["b"] if kind == "multiselect" else "b")

    def call_back():
        st.session_state.called_back += 1

    words = {one: f"{one.upper()}{st.session_state.mark}" for one in "abcd"}
    options = st.session_state.options
    st.session_state.seen = getattr(st, kind)("one", options, format_func=words.get, key="choice", on_change=call_back)
    if st.session_state.pop("again", False):
        st.rerun()


class List:
    """A list of Streamlit's on a page, of which b is chosen, and its browser."""

    def __init__(self, kind):
        self.kind = kind
        self.app = ran(made(page, kind).run())

    def change(self, **state):
        """What the page knows becomes this."""
        for name, value in state.items():
            self.app.session_state[name] = value

    def tell(self, *words, is_browsers=True):
        """Tells what is chosen by its words; returns in which words it is told that, if it is."""
        said = told((self.proto, words))
        if is_browsers:
            said.widgets.add(id=hearing.NUMBER, int_value=1)
        ran(self.app._run(said))
        if not self.proto.set_value:
            return None
        found = getattr(self.proto, "raw_values", None) or getattr(self.proto, "raw_value", None) or self.proto.value
        return [found] if isinstance(found, str) else list(found)

    @property
    def proto(self):
        return self.app.get("button_group" if self.kind in ("segmented_control", "pills") else self.kind)[0].proto

    @property
    def chosen(self):
        """What the page has got."""
        found = self.app.session_state.seen
        return found if isinstance(found, list) else [found]

    @property
    def called_back(self):
        """How often the page was told of a choice."""
        return self.app.session_state.called_back


@pytest.fixture
def mended(monkeypatch):
    """As the server has it."""
    monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", hearing.hear)
    monkeypatch.setattr(SessionState, "register_widget", worded.register_in_words)


def test_streamlit_alone_takes_words_of_before_for_something_that_is_not_offered():
    one = List("selectbox")
    one.change(mark=" ✓")
    for words in ("B", "B", "C"):
        one.tell(words, is_browsers=False)
    assert (one.chosen, one.called_back) == (["a"], 2)


@pytest.mark.usefixtures("mended")
@pytest.mark.parametrize("kind", ["selectbox", "multiselect", "segmented_control", "pills", "radio", "select_slider"])
def test_what_is_told_in_words_of_before_is_what_it_was_and_is_told_in_those_of_now(kind):
    one = List(kind)
    assert (one.tell("B"), one.chosen) == (None, ["b"])
    one.change(mark=" ✓")
    assert (one.tell("B"), one.chosen) == (["B ✓"], ["b"])  # the run in which they change
    assert (one.tell("B"), one.chosen) == (["B ✓"], ["b"])  # which the browser never had
    assert one.called_back == 0
    assert (one.tell("C"), one.chosen, one.called_back) == (["C ✓"], ["c"], 1)  # chosen in them
    one.change(mark=" ✓✓")
    assert (one.tell("C ✓"), one.tell("C"), one.tell("C ✓"), one.chosen) == (*[["C ✓✓"]] * 3, ["c"])
    one.change(mark="")
    assert (one.tell("C ✓✓"), one.tell("C ✓"), one.chosen, one.called_back) == (["C"], ["C"], ["c"], 1)


@pytest.mark.usefixtures("mended")
@pytest.mark.parametrize("kind", ["selectbox", "multiselect"])
def test_it_is_told_until_the_browser_says_so_and_once_more(kind):
    one = List(kind)
    one.change(mark=" ✓")
    one.tell("B")
    assert one.tell("B ✓", is_browsers=False) == ["B ✓"]  # a page that asks to be drawn again is no browser
    assert one.tell("A ✓") == ["A ✓"]  # a run that came late told b, perhaps
    assert (one.tell("A ✓"), one.tell("C ✓"), one.chosen) == (None, None, ["c"])


@pytest.mark.usefixtures("mended")
def test_a_page_that_is_drawn_again_at_once_does_not_keep_its_words_to_itself():
    one = List("selectbox")
    one.change(mark=" ✓", again=True)
    assert (one.tell("B"), one.chosen) == (["B ✓"], ["b"])


@pytest.mark.usefixtures("mended")
def test_nothing_is_told_where_no_words_change():
    one = List("selectbox")
    one.change(options=["b", "c", "d"])
    assert (one.tell("B"), one.chosen) == (None, ["b"])
    assert (one.tell("D"), one.chosen) == (None, ["d"])


@pytest.mark.usefixtures("mended")
def test_more_than_a_list_has_is_not_looked_through():
    one = List("multiselect")
    one.change(mark=" ✓")
    one.tell("B")
    assert (one.tell(*["B"] * 100_000), one.chosen) == (["B ✓"] * 3, ["b"] * 3)


@pytest.mark.usefixtures("mended")
def test_what_nobody_offered_is_as_streamlit_has_it():
    one = List("selectbox")
    one.change(mark=" ✓")
    one.tell("B")
    assert (one.tell("<b>"), one.chosen) == (["A ✓"], ["a"])


def test_words_of_long_ago_are_forgotten():
    words = worded.Words({"b": 1})
    for i in range(20):
        last, words = words, worded.Words({f"b {i}": 1})
        words.follow(last)
    assert [words.of_now(f"b {i}") for i in (14, 15, 18)] == ["b 14", "b 19", "b 19"]
    assert len(words.before) == worded.MOST_BEFORE
