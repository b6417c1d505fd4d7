"""Restores the text and the own encodings from the tab after a reload or a restart of the server."""

from functools import partial

from ui.components.component import component
from ui.session import component_events, import_page
from ui.session.visitor_state import visitor

KEY = "text_sync"

_component = component(__file__, "text_sync")


def draw(page: str, has_editor: bool) -> None:
    """Draws the invisible component that sends a text the server does not have; an editor on the page does so itself.

    It also sends the keys of the own encodings before a reload. `page` is the page's name in the address. It is drawn
    before the page, so that the text comes as early as possible.
    """
    push = visitor().push()
    known = push["text"] if push["initial"] else None  # the browser has the others, which may be long
    _component(
        key=KEY,
        data={
            "hasEditor": has_editor,
            "page": page,
            "push": push | {"text": known},
            "visitor": visitor().id,
            "made": list(visitor().own_encodings),
        },
        on_commit_change=partial(component_events.commit_text, KEY),
        on_made_change=partial(component_events.restore_encodings, KEY),
        on_damaged_change=import_page.report_damaged_link,
    )
