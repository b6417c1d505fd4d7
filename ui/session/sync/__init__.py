"""Keeps the visitor's state and the browser in step, by one component, `session_sync`, which shows nothing.

It is drawn twice in a run:

- Before the page, so that the text comes as early as possible. Changes sent by this mount run the page.
- After the page, in a fragment, with what the browser keeps of the page. Changes sent by this mount run only the
  fragment.

A change has a name and a number. The browser sends it until it is acknowledged, and numbers a newer one higher: the
server takes a number once, and nothing that is older.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st

from server.address import address
from server.encodings import encoding_store, recipes
from tokenizer.errors import TokenizerError
from ui.components import paths
from ui.components.component import component
from ui.session import choices, component_events, import_page, page_snapshot, pending_values
from ui.session.visitor_state import MAX_OWN_ENCODINGS, visitor
from ui.streamlit_patches import visitors

KEY, SNAPSHOT_KEY = "session_sync", "session_snapshot"

_component = component(__file__, "session_sync")
_take: dict[str, Callable[[Any], None]] = {}  # by the names of changes
_give: dict[str, tuple[str, Callable[[], Any]]] = {}  # name -> page, what the browser keeps of it


def register(name: str, page: str, give: Callable[[], Any], take: Callable[[Any], None]) -> None:
    """Registers a value that the browser stores, and that the page takes back where the browser has a newer one."""
    _give[name], _take[name] = (page, give), take


def draw(has_editor: bool) -> None:
    """Draws the component before the page; an editor on the page sends the text itself."""
    push = visitor().push()
    known = push["text"] if push["initial"] else None  # the browser has the others, which may be long
    data = {
        "hasEditor": has_editor,
        "push": push | {"text": known},
        "made": list(visitor().own_encodings),
        "fileProblem": visitor().imports.file_problem,
    }
    _draw(KEY, data, on_back_change=lambda: None)  # a restarted server has no state of the page until it has run it


@st.fragment
def draw_snapshot(page: str) -> None:
    """Draws the component after the page, with the snapshot that the browser stores and writes into links and files."""
    visitors.draw_changed_page()
    data = {
        "snapshot": page_snapshot.snapshot(page)
        | {
            "asked": choices.all_address_params(),
            "made": [key for key, found in visitor().own_encodings.items() if recipes.is_portable(found)],
            "lacks": visitor().imports.missing_encodings,
            "isImporting": visitor().imports.under_way is not None,
            "address": address(),
            "url": paths.editor_api(),
            "classroom": paths.classroom(),
        },
        "pending": pending_values.last_number(),
        "kept": {name: give() for name, (where, give) in _give.items() if where == page},
    }
    _draw(SNAPSHOT_KEY, data)


def _draw(key: str, data: Mapping[str, Any], **listeners: Callable) -> None:
    known = {"page": visitor().page, "visitor": visitor().id, "acknowledged": visitor().acknowledged}
    _component(key=key, data={**known, **data}, on_changes_change=partial(take, key), **listeners)


def take(key: str) -> None:
    """Takes the changes that came from one of the two places, in its callback."""
    acknowledged = visitor().acknowledged
    changes = component_events.sent(key, "changes")
    for name, change in changes.items() if isinstance(changes, dict) else ():
        match change:
            case {"number": int(number), "value": value} if name in _take and number > acknowledged.get(name, 0):
                _take[name](value)
                acknowledged[name] = number


def _take_text(found: Any) -> None:
    match found:
        case {"text": str(text), "name": str(name), "push": str(push_id)}:
            visitor().commit_text(text, name, push_id)
        case {"text": None, "name": str(name), "push": str(push_id)}:
            visitor().note_long_text(name, push_id)


def _take_made(keys: Any) -> None:
    """Adds the own encodings that the visitor had before a reload; some are gone."""
    for key in keys[:MAX_OWN_ENCODINGS] if isinstance(keys, list) else ():
        with suppress(TokenizerError):
            if isinstance(key, str) and encoding_store.is_made(key) and key not in visitor().own_encodings:
                visitor().add_encoding(encoding_store.find(key))


def _take_tab(found: Any) -> None:
    if isinstance(found, dict):
        visitor().imports.missing_encodings = import_page.restore_tab(found)


def _take_file(text: Any) -> None:
    visitor().imports.file_problem = import_page.begin_file(str(text))


_take |= {
    "text": _take_text,
    "made": _take_made,
    "tab": _take_tab,
    "file": _take_file,
    "link": import_page.begin_link,
    "recipes": import_page.begin_recipes,
    "damaged": lambda _: import_page.report_damaged_link(),
    "pending": pending_values.acknowledge,
    "call": lambda _: None,  # it is answered once all that was sent before is taken
}
