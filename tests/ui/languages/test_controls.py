"""The lists that several views of the Languages page show."""

from apps import new_app, ran, visitor_of


def test_choice_is_stored_though_the_run_ends_before_the_list_is_drawn():
    def page():
        import streamlit as st

        from ui.languages.controls import select_option

        if not st.session_state.get("is_ended"):
            select_option("base", "Compared with", {0: "English", 1: "Thai"})

    app = ran(new_app(page).run())
    app.selectbox(key="base").set_value(1)
    app.session_state["is_ended"] = True
    ran(app.run())
    assert visitor_of(app).choices["base"] == 1
