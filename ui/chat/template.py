"""The chat template in use: the one that fits the encoding, another of ours, or one from a visitor's file."""

from dataclasses import replace
from datetime import date
from typing import NamedTuple
from weakref import WeakKeyDictionary

import streamlit as st

from server.encodings.encoding_store import StoredEncoding
from tokenizer import Encoding
from tokenizer.chat.jinja_template import MAX_FILE_BYTES, JinjaTemplate
from tokenizer.chat.messages import DEFAULT_DAY, BadChat, Message, Part, json_value
from tokenizer.chat.reading import Marks, with_marks
from tokenizer.chat.templates import FAMILIES, Family, family_of
from tokenizer.chat.tools import BadTools, ToolList, read_tools
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, tr
from ui.chat import tools
from ui.components import cache, notices
from ui.session.choices import Choice, InvalidValue, switch
from ui.widgets import pickers, templates
from ui.widgets.templates import FIT, FROM_FILE, TEMPLATE

EARLIEST, LATEST = date(2000, 1, 1), date(2099, 12, 31)


def _day(value: str) -> date:
    try:
        found = date.fromisoformat(value)
    except ValueError:
        found = None
    if found is None or not EARLIEST <= found <= LATEST:
        raise InvalidValue(tr("a date from 2000 to 2099, such as {day}", day=DEFAULT_DAY.isoformat()))
    return found


OWN_FILE = switch("own_file")
DAY = Choice("chat_day", DEFAULT_DAY.isoformat(), _day)


class TemplateInputs(NamedTuple):
    """Options of a template: whether to use the template in the models' own files, the date, and tools as JSON."""

    own_file: bool
    day: date
    tools: str


def choose(entry: StoredEncoding) -> Family | JinjaTemplate:
    """Draws the choice of a template and the upload of a file; returns the chosen template."""
    (fitting, is_known), files = _fitting(entry.encoding), templates.kept()
    is_known = is_known or pickers.ENCODING.chosen in fitting.models
    fits = mark("{name} · matches the model") if is_known else mark("{name} · may not match the model")
    words = {FIT: tr(fits, name=tr(fitting.label))} | {name: tr(one.label) for name, one in FAMILIES.items()}
    words |= {name: name.removeprefix(FROM_FILE) for name in files}
    TEMPLATE.begin()
    if TEMPLATE.chosen not in words:  # its file was replaced by another
        TEMPLATE.choose(FIT)
    chosen = TEMPLATE.select(tr("Template"), words)
    with st.popover(tr("Template file"), icon=":material/folder_open:"):
        limit = MAX_FILE_BYTES // 1_000_000
        label = tr("A model’s tokenizer_config.json, or its chat_template.jinja")
        st.file_uploader(label, key="template_file", on_change=_take_file, max_upload_size=limit)
        st.caption(tr("The template runs isolated in Jinja’s sandbox, for at most 3 seconds of processor time."))
        if chosen in files:
            st.caption(tr("The template also gets the tools pasted under “Tool definitions” below."))
        if problem := st.session_state.get("template_problem"):
            notices.show(problem)
    return files.get(chosen) or FAMILIES.get(chosen) or fitting


def draw_inputs(chosen: Family | JinjaTemplate) -> TemplateInputs:
    """Draws the options of a template and returns them."""
    own_file, is_ours = False, isinstance(chosen, Family)
    if is_ours and chosen.own:
        own_file = OWN_FILE.ask(st.toggle, tr("Use the template in the files of {models}", models=chosen.own.models))
    day = DEFAULT_DAY
    if (own_file and chosen.own.writes_date) if is_ours else chosen.writes_date:
        day = DAY.ask(st.date_input, tr("Date in the prompt"), min_value=EARLIEST, max_value=LATEST, **DATE)
    return TemplateInputs(own_file, day, "" if is_ours else tools.pasted())


def model_of(chosen: Family | JinjaTemplate, inputs: TemplateInputs, entry: StoredEncoding) -> str:
    """Returns the model in windows.toml whose own template is in use with its own tokens; empty if there is none."""
    is_own = inputs.own_file and isinstance(chosen, Family) and chosen.is_known_of(entry.encoding)
    return chosen.own.window_of if is_own and chosen.own else ""


DATE = {"format": "YYYY-MM-DD", "width": 160}


def _take_file() -> None:
    st.session_state.template_problem = None
    if (file := st.session_state.template_file) is None:
        return
    try:
        templates.take(file.name, file.getvalue())
    except TokenizerError as error:
        st.session_state.template_problem = notices.of_files([file.name], str(error))


# Caches by encoding: a search for a token among 200,000 is slow.

_families: WeakKeyDictionary[Encoding, tuple[Family, bool]] = WeakKeyDictionary()
_marks: WeakKeyDictionary[Encoding, dict[tuple, Marks]] = WeakKeyDictionary()


def _fitting(encoding: Encoding) -> tuple[Family, bool]:
    """Returns the family of an encoding, and whether it is certain."""
    if encoding not in _families:
        family = family_of(encoding)
        _families[encoding] = family, family.is_known_of(encoding)
    return _families[encoding]


def marks(encoding: Encoding, template: Family | JinjaTemplate) -> Marks:
    """Returns the encoding with the special tokens of a template."""
    if isinstance(template, Family):
        names, documented = template.marks, template.ids.get(encoding.name, {})
    else:
        names, documented = (*template.ids, *template.names.values()), template.ids
    known, key = _marks.setdefault(encoding, {}), (tuple(names), tuple(documented.items()))
    if not (found := known.get(key)):
        found = with_marks(encoding, [name for name in names if name][:2_000], documented)
        known.clear()  # store one: each has a table of all ids
        # no reference to the key of the weak dictionary
        known[key] = replace(found, encoding=None) if found.encoding is encoding else found
    return found if found.encoding else replace(found, encoding=encoding)


def rendered(
    template: Family | JinjaTemplate, messages: tuple[Message, ...], inputs: TemplateInputs
) -> tuple[list[Part], list[str]]:
    """Returns the parts of the prompt, and remarks; raises BadChat."""
    if isinstance(template, Family):
        parts = template.render(list(messages), inputs.day if inputs.own_file else None)
        return parts, [*(_own_file(template, inputs.day) if inputs.own_file else []), *_left_out(parts, messages)]
    plain = tuple(map(tuple, messages))
    names = tuple(template.names.items())
    problem, parts, notes = _of_file(template.source, names, plain, inputs.day.isoformat(), inputs.tools.strip())
    if problem:
        raise BadChat(problem)
    parts = [Part(*one) for one in parts]
    remarks = {
        tr("Template tokens between two messages are counted with the later message."): (
            len({one.message for one in parts} - {None}) > 1
        ),
        tr("Tool definitions count as template tokens."): inputs.tools.strip() and "tools" in template.source,
        tr("The template uses {day} as today’s date.", day=inputs.day.isoformat()): template.writes_date,
    }
    return parts, [*(one for one, is_so in remarks.items() if is_so), *_notes(messages), *notes]


def _own_file(template: Family, day: date) -> list[str]:
    own = template.own
    remark = tr("The template in the files of {models} is used: {does}.", models=own.models, does=tr(own.does))
    return [remark, *([tr("The template uses {day} as today’s date.", day=day.isoformat())] if own.writes_date else [])]


def _left_out(parts: list[Part], messages: tuple[Message, ...]) -> list[str]:
    written = {part.message for part in parts}
    lost = [i for i, one in enumerate(messages) if one.text and i not in written]
    return [*_notes(messages), *(tr("The template omits the text of message {n}.", n=i + 1) for i in lost)]


def _notes(messages: tuple[Message, ...]) -> list[str]:
    return [
        tr("The arguments of message {n} are not valid JSON, so they are counted as text.", n=i + 1)
        for i, one in enumerate(messages)
        if one.role == "call" and json_value(one.text) is None
    ]


@cache.cached
def _of_file(source: str, names: tuple, messages: tuple, day: str, tools: str) -> tuple[str, list[Part], list[str]]:
    """Returns the problem, the parts and the remarks; problems are cached too, since finding one may take 3 s."""
    try:
        found, read = [Message(*one) for one in messages], read_tools(tools) if tools else ToolList([], [])
        template = JinjaTemplate("", source, dict(names), {})
        parts, notes = template.render(found, date.fromisoformat(day), read.tools or None)
        return "", parts, [*notes, *read.notes]
    except BadTools as error:
        return tr("The tools pasted under “Tool definitions” cannot be used. {problem}", problem=str(error)), [], []
    except BadChat as error:
        return str(error), [], []
