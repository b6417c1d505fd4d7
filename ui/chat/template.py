"""Which template a chat is written by: one of ours that fits the encoding, any other, or one from a visitor's file."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from weakref import WeakKeyDictionary

import streamlit as st

from tokenizer import Encoding
from tokenizer.chat.jinja_template import MOST_BYTES, JinjaTemplate
from tokenizer.chat.messages import BadChat, Message, Part, value
from tokenizer.chat.reading import Marks, with_marks
from tokenizer.chat.templates import FAMILIES, Family, family_of
from tokenizer.errors import TokenizerError
from tokenizer.words import tr
from ui.desk import desk, templates
from ui.desk.templates import FIT, FROM_FILE, TEMPLATE
from ui.kit import cache, notices
from ui.server.shelf import Entry


def choose(entry: Entry) -> Family | JinjaTemplate:
    """Asks for the template, and for a file that holds another; returns the one that is chosen."""
    (fitting, is_known), files = _fitting(entry.encoding), templates.kept()
    label = tr(fitting.label)
    fits = tr("{name} · fits the model", name=label) if is_known else tr("{name} · as a guess", name=label)
    words = {FIT: fits} | {name: tr(one.label) for name, one in FAMILIES.items()}
    words |= {name: name.removeprefix(FROM_FILE) for name in files}
    TEMPLATE.begin()
    if desk.choices()["template"] not in words:  # a file that made room for another
        TEMPLATE.choose(FIT)
    chosen = TEMPLATE.select(tr("Template"), words, width=340)
    with st.popover(tr("Template file"), icon=":material/folder_open:"):
        limit = MOST_BYTES // 1_000_000
        label = tr("A model’s tokenizer_config.json, or its chat_template.jinja")
        st.file_uploader(label, key="template_file", on_change=_take_file, max_upload_size=limit)
        st.caption(tr("It runs in Jinja’s sandbox, by itself, for at most 3 seconds."))
        if problem := st.session_state.get("template_problem"):
            notices.say(problem)
    return files.get(chosen) or FAMILIES.get(chosen) or fitting


def _take_file() -> None:
    st.session_state.template_problem = None
    if (file := st.session_state.template_file) is None:
        return
    try:
        templates.take(file.name, file.getvalue())
    except TokenizerError as error:
        st.session_state.template_problem = str(error)


# Encodings and what is known of them, as long as they are there: to look for a token among 200,000 takes a while.

_families: WeakKeyDictionary[Encoding, tuple[Family, bool]] = WeakKeyDictionary()
_marks: WeakKeyDictionary[Encoding, dict[tuple, Marks]] = WeakKeyDictionary()


def _fitting(encoding: Encoding) -> tuple[Family, bool]:
    """The family of an encoding, and whether its tokens tell so."""
    if encoding not in _families:
        family = family_of(encoding)
        _families[encoding] = family, family.is_of(encoding) or encoding.name in family.ids
    return _families[encoding]


def marks(encoding: Encoding, template: Family | JinjaTemplate) -> Marks:
    """Returns the encoding with the special tokens that a template takes."""
    if isinstance(template, Family):
        names, documented = template.marks, template.ids.get(encoding.name, {})
    else:
        names, documented = (*template.ids, *template.names.values()), template.ids
    known, key = _marks.setdefault(encoding, {}), (tuple(names), tuple(documented.items()))
    if not (found := known.get(key)):
        found = _with_marks(encoding, names, documented)
        known.clear()  # one at a time: each has a table of all ids
        known[key] = replace(found, encoding=None) if found.encoding is encoding else found  # who has himself stays
    return found if found.encoding else replace(found, encoding=encoding)


def _with_marks(encoding: Encoding, names: Iterable[str], documented: Mapping[str, int]) -> Marks:
    return with_marks(encoding, [name for name in names if name][:2_000], documented)


def rendered(template: Family | JinjaTemplate, messages: tuple[Message, ...]) -> tuple[list[Part], list[str]]:
    """Returns the parts of the text that a model reads, and what there is to say of them; raises BadChat."""
    if isinstance(template, Family):
        return template.render(list(messages)), _notes(messages)
    plain = tuple(map(tuple, messages))
    problem, parts, notes = _of_file(template.source, tuple(template.names.items()), plain, str(date.today()))
    if problem:
        raise BadChat(problem)
    between = [tr("Wrapping between two messages counts to the later one.")] * (len(messages) > 1)
    return [Part(*one) for one in parts], [*between, *_notes(messages), *notes]


def _notes(messages: tuple[Message, ...]) -> list[str]:
    return [
        tr("The arguments of message {n} are not JSON, so they stand as they are written.", n=i + 1)
        for i, one in enumerate(messages)
        if one.role == "call" and value(one.text) is None
    ]


@cache.once
def _of_file(source: str, names: tuple, messages: tuple, today: str) -> tuple[str, list[Part], list[str]]:
    """What a template makes of messages, or what is wrong: that is kept, too, since it may have taken 3 seconds."""
    try:
        parts, notes = JinjaTemplate("", source, dict(names), {}).render([Message(*one) for one in messages])
        return "", parts, notes
    except BadChat as error:
        return str(error), [], []
