"""What the tab keeps of the desk: a reload loses neither the text nor the encodings of one's own."""

from functools import partial

from ui.desk import desk, messages, opening
from ui.kit.component import component

KEY = "kept_text"

_component = component(__file__, "kept_text")


def bring(page: str, has_editor: bool) -> None:
    """Lets the browser bring the desk a text that it does not have yet, unless the page has an editor, which does so.

    The encodings that were on the desk before a reload come back, too. `page` is the page's name in the address.
    It is called before the page is drawn, so that the text is there as soon as can be, and draws nothing itself.
    """
    push = desk.push()
    known = push["text"] if push["initial"] else None  # the browser knows the others, which may be long
    _component(
        key=KEY,
        data={
            "hasEditor": has_editor,
            "page": page,
            "push": push | {"text": known},
            "visitor": desk.visitor(),
            "made": list(desk.made()),
        },
        on_commit_change=partial(messages.take_commit, KEY),
        on_made_change=partial(messages.take_made, KEY),
        on_damaged_change=opening.say_damaged,
    )
