"""Chat: the text that a model reads of a chat, with its special tokens, token counts and costs."""

import streamlit as st

from tokenizer import TokenizerError
from tokenizer.chat.reading import Prompt
from ui.chat import editor, more, prompt, template, tools
from ui.components import notices
from ui.widgets import encoding_component, pickers

encoding_component.go_to_requested_why()

with st.container(horizontal=True, vertical_alignment="bottom", key="desk_options"):
    entry = pickers.encoding()
    chosen = template.choose(entry)
    inputs = template.draw_inputs(chosen)
chat = editor.messages()
editor.examples(chosen)
found, problem = None, ""
if not editor.is_too_long(chat):
    try:
        parts, notes = template.rendered(chosen, chat, inputs)
        marks = template.marks(entry.encoding, chosen)
        found = Prompt(parts, marks.encoding)
        counts = {i: found.counts(i) for i in range(len(chat))}
    except TokenizerError as error:
        problem = str(error)
written, read = st.columns([5, 6], gap="medium")
with written:
    editor.draw(counts if found else {})
with read:
    if problem:
        notices.show(problem)
    if found:
        prompt.show(found, marks, entry, notes, bool(chat))
if more.draw(found, entry, template.model_of(chosen, inputs, entry)) == "tools":
    tools.draw(chosen, entry, inputs.day)
