"""The frame of every page: the menu, the pending actions."""

import streamlit as st

from tokenizer.i18n import mark, tr
from tokenizer.paths import ASSETS
from tokenizer.text.files import MAX_FILE_BYTES
from ui import run_lock
from ui.components import notices, streamlit_elements
from ui.session import choices, language, page_snapshot, pending_action, sync
from ui.session.visitor_state import client, visitor
from ui.streamlit_patches import visitors
from ui.widgets import bar

EDITORS = {"playground", "compare", "why", "hood", "catalog"}  # pages with a component that holds the visitor's text


def draw() -> None:
    """Draws the requested page in its frame."""
    language.begin()
    main = {  # page -> its name, and what it answers
        "playground": (tr("Playground"), tr("See any text as a language model reads it: in tokens")),
        "compare": (tr("Compare"), tr("How do tokens differ between tokenizers or between texts?")),
        "languages": (tr("Languages"), tr("How many tokens does the same text take in each language?")),
        "train": (tr("Train"), tr("How does a tokenizer learn its tokens?")),
        "learn": (tr("Lessons"), tr("Short lessons on tokens, with a guess before each answer")),
    }
    more = {
        "why": (tr("Why this split"), tr("Which rules decide where a text is split?")),
        "hood": (tr("Under the hood"), tr("What is a text made of, from characters down to bits?")),
        "decode": (tr("Decode"), tr("What text do token ids stand for?")),
        "chat": (tr("Chat"), tr("What does a model read when you chat with it?")),
        "catalog": (tr("Tokenizers"), tr("How does a tokenizer work, step by step?")),
        "vocabulary": (tr("Vocabulary"), tr("Which tokens does a vocabulary contain?")),
    }
    pages = {
        file: st.Page(f"{file}.py", title=title, default=file == "playground")
        for file, (title, _) in (main | more).items()
    }
    page = st.navigation(list(pages.values()), position="hidden")
    file = page.url_path or "playground"

    st.set_page_config(page_title=f"{page.title} · Tokenloupe", page_icon=str(ASSETS / "icon.svg"), layout="wide")

    content = st.container()  # before the bar in the tab order
    with st.container(key="bar", horizontal=True, vertical_alignment="center"):
        st.page_link(pages["playground"], label="Tokenloupe")
        st.html(f"<b>{page.title}</b>")
        with st.container(key="menu", horizontal=True, gap=None):
            for one in main:
                st.page_link(pages[one])
        with st.popover(tr("More"), key="current_menu" if file in more else "other_menu"):
            for key, group in {"menu_main": main, "menu_more": more}.items():
                with st.container(key=key, gap=None):
                    for one, (title, question) in group.items():
                        st.page_link(pages[one], label=f"**{title}** {question}")
        bar.draw(page.url_path)
    choices.resend_choices(page.url_path)
    sync.draw(has_editor=file in EDITORS)
    streamlit_elements.translate()
    with content:
        st.title((main | more)[file][1], anchor=False)
        if language.CHOICE.problem:
            notices.show(language.CHOICE.problem)
        if visitor().has_long_text and file not in EDITORS:
            sentence = mark(
                "Your text has over {most:,} bytes, too many for this page. Where the page uses the Playground’s"
                " text, it uses the previous one. Shorten the text on the Playground."
            )
            notices.show(tr(sentence, most=MAX_FILE_BYTES))
        if not page_snapshot.advance_import(file):
            page.run()
            pending_action.clear()
    page_snapshot.run_again_to_restore(file)
    sync.draw_snapshot(file)
    streamlit_elements.adapt_inputs()


visitors.watch_no_files()
with run_lock.script_runs.held(*client()):
    draw()
