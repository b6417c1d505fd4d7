"""How a choice lasts: on the desk from page to page, in the address from one visit to the next."""

from collections.abc import Callable, Collection
from typing import Any

import streamlit as st

from tokenizer import TokenizerError
from tokenizer.errors import shown
from ui.desk import desk
from ui.kit import notices


class BadLink(TokenizerError):
    """The address asks for something that cannot be chosen."""

    def __init__(self, key: str, asked: str, wanted: str):
        self.key, self.asked, self.wanted = key, asked, wanted
        super().__init__(f"The link says {key}={shown(asked)}; it must be {wanted}.")


def one_of(key: str, known: Collection[str]) -> Callable[[str], str]:
    """Returns what reads a choice between a few words from the address.

    >>> one_of("ties", ["a", "b", "c"])("a")
    'a'
    >>> one_of("ties", ["a", "b", "c"])("d")
    Traceback (most recent call last):
    ui.desk.choices.BadLink: The link says ties='d'; it must be 'a', 'b' or 'c'.
    """

    def read(asked: str) -> str:
        if asked not in known:
            *others, last = map(repr, known)
            raise BadLink(key, asked, f"{', '.join(others)} or {last}")
        return asked

    return read


def some_of(
    key: str, known: Collection[str], separator: str = ",", least: int = 0, most: int | None = None
) -> Callable[[str], list[str]]:
    """Returns what reads a choice of several words from the address, each once.

    >>> some_of("languages", ["en", "th"])("th,en,th")
    ['th', 'en']
    >>> some_of("languages", ["en", "th"], least=2, most=6)("th")
    Traceback (most recent call last):
    ui.desk.choices.BadLink: The link says languages='th'; it must be 2 to 6 of them, with ',' between.
    """
    read_one, most = one_of(key, known), len(known) if most is None else most

    def read(asked: str) -> list[str]:
        found = [read_one(one) for one in dict.fromkeys(filter(None, asked.split(separator)))]
        if not least <= len(found) <= most:
            raise BadLink(key, asked, f"{least} to {most} of them, with {separator!r} between")
        return found

    return read


def whole(key: str, least: int, most: int) -> Callable[[str], int]:
    """Returns what reads a whole number between two bounds from the address.

    >>> whole("budget", 10, 2_000)("300")
    300
    >>> whole("budget", 10, 2_000)("3e2")
    Traceback (most recent call last):
    ui.desk.choices.BadLink: The link says budget='3e2'; it must be a whole number from 10 to 2,000.
    """

    def read(asked: str) -> int:
        if asked.isascii() and asked.isdigit() and len(asked) < 12 and least <= int(asked) <= most:
            return int(asked)
        raise BadLink(key, asked, f"a whole number from {least:,} to {most:,}")

    return read


def start(key: str, default: str, resolve: Callable[[str], Any]) -> None:
    """Gives a new widget the desk's choice; a new desk's comes from the address, and what is wrong there is said.

    `default` is spelled as in the address.
    """
    begin(key, default, resolve)
    say_problem(key)


def begin(key: str, default: str, resolve: Callable[[str], Any], address: str = "") -> None:
    """Does what `start` does, but for `say_problem`; `address` is the name there where it is not `key`."""
    choices = desk.choices()
    if key not in choices:
        asked = st.query_params.get(address or key)
        try:
            choices[key] = resolve(default if asked is None else asked)
            if asked is not None:
                desk.in_address()[address or key] = asked
        except TokenizerError as error:
            choices[key] = resolve(default)
            st.session_state[f"{key}_problem"] = f"{error} Shown instead: {default}."
    if st.session_state.get(key) is None:
        st.session_state[key] = choices[key]
    remind(address or key)


def carry_over(page: str) -> None:
    """Tells the widgets of another page what was chosen: new in the browser, they would show their first option."""
    if st.session_state.get("page") == page:
        return
    st.session_state.page = page
    for key in desk.choices():
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]  # Streamlit sends only what a run has set


def choose(key: str, chosen: Any, asked: str) -> None:
    """Chooses for the reader, on whatever page it is asked; `asked` is how the address spells it."""
    desk.choices()[key] = st.session_state[key] = chosen
    desk.in_address()[key] = asked


def remind(address: str) -> None:
    """Puts a choice back into the address, which a turn of pages by the menu has emptied."""
    asked = desk.in_address().get(address)
    if asked is not None and address not in st.query_params:
        st.query_params[address] = asked


def has_problem(key: str) -> bool:
    """Whether the address asked for something that cannot be, and nothing was chosen since."""
    return f"{key}_problem" in st.session_state


def say_problem(key: str) -> None:
    """Says what was wrong in the address, until something is chosen."""
    if has_problem(key):
        notices.say(st.session_state[f"{key}_problem"])


def keep(key: str, chosen: Any) -> Any:
    """Puts a choice on the desk; a widget that a page change interrupts may have lost it, and gives None."""
    if chosen is not None:
        desk.choices()[key] = chosen
    return desk.choices()[key]


def lasting(key: str, spelled: Callable[[Any], str | None] = str, address: str = "") -> dict:
    """Returns the arguments that make a widget's choice outlast a turn of pages and show in the address."""
    return {
        "key": key,
        "persist_state": "session",
        "on_change": show_in_address,
        "args": (address or key, spelled),
    }


def show_in_address(key: str, spelled: Callable[[Any], str | None] = str) -> None:
    """Keeps the address in step with a choice, so that it can be copied at any time; what is spelled None leaves it."""
    st.session_state.pop(f"{key}_problem", None)
    if (chosen := st.session_state[key]) is None:
        return
    put_in_address(key, spelled(chosen))


def put_in_address(key: str, asked: str | None) -> None:
    """Writes something into the address, or takes it out."""
    if asked is None:
        desk.in_address().pop(key, None)
        st.query_params.pop(key, None)
    else:
        desk.in_address()[key] = asked
        if st.query_params.get(key) != asked:  # each writing is a message to the browser
            st.query_params[key] = asked
