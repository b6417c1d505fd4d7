"""The frame of every page: the menu, the name, the style that a theme cannot express."""

from pathlib import Path

import streamlit as st

from tokenizer.display import palette
from ui.desk import choices, kept_text
from ui.kit import well_formed

ASSETS = Path(__file__).parents[1] / "assets"

st.set_page_config(page_title="Tokenloupe", page_icon=str(ASSETS / "icon.svg"), layout="wide")
st.logo(str(ASSETS / "logo.svg"), size="medium")
st.html(f"<style>:root {{ {palette.css_variables()} }}</style>")
st.html(ASSETS / "style.css")

with_editor = [
    st.Page("playground.py", title="Playground", icon=":material/edit_note:", default=True),
    st.Page("compare.py", title="Compare", icon=":material/view_column:"),
]
page = st.navigation(
    [
        *with_editor,
        st.Page("why.py", title="Why this split", icon=":material/call_split:"),
        st.Page("languages.py", title="Languages", icon=":material/translate:"),
        st.Page("train.py", title="Train", icon=":material/model_training:"),
        st.Page("hood.py", title="Under the hood", icon=":material/search:"),
        st.Page("decode.py", title="Decode", icon=":material/tag:"),
    ],
    position="top",
)
choices.carry_over(page.url_path)
kept_text.bring(page.url_path, has_editor=page in with_editor)
page.run()
well_formed.mend_text_boxes()
