"""What a link and a file bring beside the address and the text: what is typed on a page, encodings to train again.

The address has what is chosen, and the editor's text stands behind its `#`. Each page names here what else is typed
on it. The browser makes links and files of all that, and gives back here what it finds in them. The tab keeps it, too,
of all pages, for a reload and for a server that is started anew.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from server import recipes
from server.address import address
from server.answers import ROUTE
from tokenizer.text.well_formed import well_formed
from ui.desk import choices, desk, messages, opening
from ui.kit.component import component

KEY = "carried"
LONGEST = 500_000  # characters of one text that is typed
LONGEST_ID = 40
LINKS, TAB, BOTH = "links", "tab", "both"  # links and files have what is seen, the tab what is not seen just now, too

_component = component(__file__, "carried")


class Typed(NamedTuple):
    """Something typed on a page: `give` returns it as plain values, None where there is nothing that the address lacks.

    `take` puts it back; it raises TokenizerError, or TypeError, ValueError or KeyError where it is something else.
    `by` says who carries it: LINKS, which are files as well, the TAB or BOTH.
    """

    give: Callable[[], Any]
    take: Callable[[Any], None]
    by: str


_typed: dict[str, dict[str, Typed]] = {}  # page -> its name in links, for ever -> how


def carry(page: str, name: str, give: Callable[[], Any], take: Callable[[Any], None], by: str = BOTH) -> None:
    """Lets links to a page and its files carry something that is typed there, and the tab keep it."""
    _typed.setdefault(page, {})[name] = Typed(give, take, by)


def carry_box(page: str, key: str, is_there: Callable[[], bool]) -> None:
    """Lets them carry what stands in a box with this key, where it is there; where it is not, the tab keeps it."""
    carry_where(page, key, partial(_in_box, key), partial(_put, key), is_there)


def carry_where(
    page: str, name: str, give: Callable[[], Any], take: Callable[[Any], None], is_there: Callable[[], bool]
) -> None:
    """The same of what else is typed on a part of a page that may be there or not."""
    carry(page, name, lambda: give() if is_there() else None, take)
    carry(page, f"{name}_unseen", lambda: None if is_there() else give(), take, TAB)


def _in_box(key: str) -> str | None:
    return st.session_state.get(key) or None


def _put(key: str, value: object) -> None:
    st.session_state[key] = as_text(value)


def as_text(value: object) -> str:
    r"""Returns a text that is not too long, well-formed; raises TypeError or ValueError where it is none.

    >>> as_text("a\ud800")
    'a�'
    """
    if not isinstance(value, str):
        raise TypeError(value)
    if len(value) > LONGEST:
        raise ValueError(len(value))
    return well_formed(value)[0]


def given(page: str, *by: str) -> dict[str, Any]:
    """Returns what is typed on a page and stands neither in its address nor on the desk, if carried `by` these."""
    found = {name: one.give() for name, one in _typed.get(page, {}).items() if one.by in by}
    return {name: value for name, value in found.items() if value is not None}


def take(page: str, typed: Mapping[str, Any]) -> list[str]:
    """Puts back what was typed on a page, and returns the names of what cannot be."""
    return [name for name, value in typed.items() if not opening.works(_taking(page, name), value)]


def _taking(page: str, name: str) -> Callable[[Any], None]:
    known = _typed.get(page, {}).get(name)
    return known.take if known else _refuse


def _refuse(value: object) -> None:
    raise KeyError(value)


def arrive(page: str) -> bool:
    """Opens what a link or a file has brought, before the page is drawn; returns whether the page must wait for it."""
    return opening.go_on(page, partial(take, page) if page in _typed else None)


def draw(page: str) -> None:
    """Tells the browser what links and files are made of, and hears what it finds in some; draws nothing itself."""
    if page in _typed and opening.waits(page):
        st.rerun()  # drawn for the first time since the server began, the page has only now said how
    data = {
        "page": page,
        "typed": given(page, LINKS, BOTH),
        "unseen": given(page, TAB),
        "asked": choices.asked(),
        "unkept": [name for name, one in _typed.get(page, {}).items() if one.by == LINKS],
        "visitor": desk.visitor(),
        "made": [key for key, found in desk.made().items() if recipes.goes_along(found)],
        "brought": st.session_state.get("kept_brought"),
        "lacks": st.session_state.get("kept_lacks", []),
        "address": address(),
        "url": ROUTE,
        "said": st.session_state.get("opening_said"),
        "taken": st.session_state.get("link_taken"),
        "called": st.session_state.get("carried_called"),
    }
    listeners = {
        "on_link_change": _take_link,
        "on_file_change": _take_file,
        "on_kept_change": _take_kept,
        "on_call_change": _hear_call,
    }
    _component(key=KEY, data=data, on_back_change=_be_there, **listeners)


def _be_there() -> None:
    """A server that was started anew knows nothing of the page until it has run."""


def _hear_call() -> None:
    id = messages.sent(KEY, "call")
    if isinstance(id, str) and len(id) < LONGEST_ID:
        st.session_state.carried_called = id


def _take_kept() -> None:
    found = messages.sent(KEY, "kept")
    id = found.get("id") if isinstance(found, dict) else None
    if isinstance(id, str) and len(id) < LONGEST_ID and id != st.session_state.get("kept_brought"):
        st.session_state.kept_brought = id
        st.session_state.kept_lacks = opening.bring_back(found)


def _take_link() -> None:
    found = messages.sent(KEY, "link")
    if isinstance(found, dict) and found.get("id") != st.session_state.get("link_taken"):
        st.session_state.link_taken = found.get("id")
        opening.link(found)


def _take_file() -> None:
    if isinstance(found := messages.sent(KEY, "file"), dict):
        problem = opening.file(str(found.get("text", "")))
        st.session_state.opening_said = {"id": found.get("id"), "problem": problem}
