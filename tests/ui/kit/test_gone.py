"""Lists that have left the page, told of by a browser that has not heard of it."""

import pytest
from apps import asked, made, opened, ran, told
from streamlit.runtime.state import SessionState

from tokenizer.text.samples import samples
from ui.kit import gone


def page():
    import streamlit as st

    st.session_state.setdefault("is_there", True)
    st.session_state.setdefault("heard", [])

    def hear():
        st.session_state.heard.append(st.session_state.choice)

    if st.session_state.is_there:
        st.segmented_control("one", ["a", "b", "c"], key="choice", default="a", on_change=hear)


def tell(app, *widgets):
    """Has the browser tell lists, each with its words."""
    return ran(app._run(told(*((widget.proto, [words]) for widget, words in widgets))))


def buttons(app):
    return app.get("button_group")[0]


@pytest.fixture
def mended(monkeypatch):
    """As the server has it."""
    monkeypatch.setattr(SessionState, "_remove_stale_widgets", gone.remove_stale)
    monkeypatch.setattr(SessionState, "_widget_changed", gone.is_news)


def left():
    """A page whose list is gone, that list, and what the page has heard of it."""
    app = ran(made(page).run())
    one = buttons(app)
    tell(app, (one, "b"))
    app.session_state["is_there"] = False
    tell(app, (one, "b"))
    assert not app.get("button_group")
    return app, one, app.session_state["heard"]


def test_streamlit_alone_takes_it_for_a_change():
    app, one, heard = left()
    tell(app, (one, "b"))
    assert heard == ["b", "b"]


@pytest.mark.usefixtures("mended")
def test_it_is_news_only_if_it_is_not_as_before():
    app, one, heard = left()
    for _ in range(3):
        tell(app, (one, "b"))
    assert heard == ["b"]
    tell(app, (one, "c"))  # chosen just before it went
    assert heard == ["b", "c"]
    tell(app, (one, "c"))
    app.session_state["is_there"] = True
    tell(app, (one, "c"))
    assert heard == ["b", "c"]
    tell(app, (one, "a"))
    tell(app, (one, "c"))
    assert heard == ["b", "c", "a", "c"]


@pytest.mark.usefixtures("mended")
def test_of_many_that_are_gone_and_of_what_is_long_not_all_is_kept(monkeypatch):
    monkeypatch.setattr(gone, "MOST_GONE", 0)
    app, one, heard = left()
    tell(app, (one, "b"))
    assert heard == ["b", "b"]
    monkeypatch.setattr(gone, "MOST_GONE", 1)
    monkeypatch.setattr(gone, "LONGEST", 0)
    app, one, heard = left()
    tell(app, (one, "b"))
    assert heard == ["b", "b"]


@pytest.mark.usefixtures("mended")
def test_a_choice_is_not_undone_by_the_years_that_have_gone_with_the_first_text():
    app = opened("playground.py")
    model, years, now = app.selectbox(key="encoding"), buttons(app), "GPT-5 · o200k_base"
    tell(app, (model, now), (years, "GPT-5"))
    assert app.session_state["years"] == "o200k_base"
    app.session_state["desk"]["text"] = samples()[1].text
    tell(app, (model, now), (years, "GPT-5"))
    tell(app, (model, "GPT-2 · gpt2"), (years, "GPT-5"))
    assert asked(app, "encoding") == app.session_state["encoding"] == "gpt2"
