"""The snapshot of a page: the values typed on it that neither its address nor the visitor's text holds.

Each page registers its values here. The browser writes them into links and files, and sends back what it finds in
those. It also keeps the values of all pages in sessionStorage, for a reload and for a restarted server.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from tokenizer.text.well_formed import well_formed
from ui.session import import_page, pending_values
from ui.session.choices import Choice
from ui.session.visitor_state import visitor

MAX_TEXT_CHARACTERS = 1_000_000  # of one typed text; the browser stores as many of all typed texts together
LINKS, TAB, BOTH = "links", "tab", "both"  # links and files, sessionStorage only, both


class Typed(NamedTuple):
    """A typed value: `give` returns it as JSON values, None where the address already has it.

    `take` restores it; it raises TokenizerError, TypeError, ValueError or KeyError for any other value. `by` is LINKS,
    TAB or BOTH. `address` has the parameters of the address that replace it.
    """

    give: Callable[[], Any]
    take: Callable[[Any], None]
    by: str
    address: tuple[str, ...]


_typed: dict[str, dict[str, Typed]] = {}  # page -> name in links, which never changes -> value


def register(
    page: str, name: str, give: Callable[[], Any], take: Callable[[Any], None], by: str = BOTH, address: str = ""
) -> None:
    """Registers a typed value of a page under its name in links and files; `address` may have several parameters."""
    _typed.setdefault(page, {})[name] = Typed(give, take, by, (*address.split(),))


def register_long(page: str, choice: Choice) -> None:
    """Registers the text of a choice where it is too long for the address."""

    def give() -> str | None:
        text = choice.chosen
        return text if text and choice.spell(text) is None else None

    address = choice.address or choice.name
    register(page, choice.name, give, lambda found: choice.choose(checked_text(found)), address=address)


def register_box(page: str, key: str, is_there: Callable[[], bool], begins: str = "") -> None:
    """Registers the text in the box with this key, which begins with `begins`; only the tab keeps it while the box is
    not shown."""

    def take(value: object) -> None:
        pending_values.set(key, checked_text(value))  # the browser may still send the box as it was

    def give() -> str | None:
        text = st.session_state.get(key)
        return text if text or begins else None

    register_part(page, key, give, take, is_there)


def register_part(
    page: str, name: str, give: Callable[[], Any], take: Callable[[Any], None], is_there: Callable[[], bool]
) -> None:
    """Registers a value of a part of a page; only the tab keeps it while that part is not shown."""
    register(page, name, lambda: give() if is_there() else None, take)
    register(page, f"{name}_unseen", lambda: None if is_there() else give(), take, TAB)


def checked_text(value: object) -> str:
    r"""Returns a text, well-formed; raises TypeError where it is not text, and ValueError where it is too long.

    >>> checked_text("a\ud800")
    'a�'
    """
    if not isinstance(value, str):
        raise TypeError(value)
    if len(value) > MAX_TEXT_CHARACTERS:
        raise ValueError(len(value))
    return well_formed(value)[0]


def values(page: str, *by: str) -> dict[str, Any]:
    """Returns the typed values of a page by their names, of those registered with one of `by`."""
    found = {name: one.give() for name, one in _typed.get(page, {}).items() if one.by in by}
    return {name: value for name, value in found.items() if value is not None}


def restore(page: str, typed: Mapping[str, Any]) -> list[str]:
    """Restores typed values of a page; returns the names of those that cannot be restored."""
    known = _typed.get(page, {})
    return [
        name for name, value in typed.items() if name not in known or not import_page.accepts(known[name].take, value)
    ]


def advance_import(page: str) -> bool:
    """Advances the import of a link or a file before the page is drawn; returns whether the page must wait for it."""
    must_wait = import_page.advance(page, partial(restore, page) if page in _typed else None)
    pending_values.reapply_all()
    return must_wait


def snapshot(page: str) -> dict[str, Any]:
    """Returns the typed values of a page: in links and files, only in the tab, and the names of those not there.

    Values that wait for a training are among them: a reload during the training must not lose them. `replaced` has the
    names of those of which the address has another value.
    """
    known, pending = _typed.get(page, {}), visitor().imports.typed.get(page, {})
    linked = {name: value for name, value in pending.items() if name in known and known[name].by != TAB}
    unlinked = {name: value for name, value in pending.items() if name not in linked}
    return {
        "page": page,
        "typed": values(page, LINKS, BOTH) | linked,
        "unseen": values(page, TAB) | unlinked,
        "unkept": [name for name, one in known.items() if one.by == LINKS],
        "replaced": [name for name, one in known.items() if any(param in st.query_params for param in one.address)],
    }


def run_again_to_restore(page: str) -> None:
    """Runs the page once more where it has only now registered the values that are to be restored."""
    if page in _typed and import_page.has_pending(page):
        st.rerun()
