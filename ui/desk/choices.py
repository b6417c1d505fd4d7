"""How a choice lasts: on the desk from page to page, in the address from one visit to the next."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from tokenizer import TokenizerError
from tokenizer.errors import enumerated, shown
from tokenizer.i18n import mark, tr
from ui.components import notices
from ui.desk import desk, held, widget_events
from ui.streamlit_patches.visitors import uninterruptible

LASTING = ("lang", "template_files")  # choices of a visitor's, and not of a page


class BadLink(TokenizerError):
    """The address asks for something that cannot be chosen."""

    def __init__(self, key: str, asked: str, wanted: str):
        self.key, self.asked, self.wanted = key, asked, wanted
        said = tr("The link says {key}={asked}; it must be {wanted}.", key=key, asked=shown(asked), wanted=wanted)
        super().__init__(said)


class Unwanted(TokenizerError):
    """What stands in the address is not what is wanted there; the choice makes a BadLink of it."""


@dataclass(frozen=True)
class Choice:
    """One thing that a reader chooses, by whatever widget: its name, what it begins as, how the address spells it.

    `begins` is spelled as in the address, `address` is the name there where it is not `name`. `read` makes a choice of
    what stands there, or raises Unwanted; `spell` is the way back. What would be read otherwise does not stand there,
    nor what has no spelling. `is_made` tells whether what a widget holds is a choice; if not, the one before stays.
    `empty` is what it is called in words where it begins with nothing.

    >>> Choice("view", "map", one_of(["map", "list"])).of("tree")
    Traceback (most recent call last):
    ui.desk.choices.BadLink: The link says view='tree'; it must be 'map' or 'list'.
    """

    name: str
    begins: str
    read: Callable[[str], Any] = str
    spell: Callable[[Any], str | None] = str
    address: str = ""
    is_made: Callable[[Any], bool] = lambda chosen: chosen is not None
    empty: str = mark("all")

    def ask(self, widget: Callable, label: str, *options: Any, **more: Any) -> Any:
        """Draws a widget of Streamlit's, and returns what is chosen; what was wrong in the address is said above it."""
        self.begin()
        if self.problem:
            notices.show(self.problem)
        _asked().add(self.name)
        if "format_func" in more:
            held.repeat(self.name)
            more["format_func"] = widget_events.remember_labels(self.name, options[0], more["format_func"])
        chosen = widget(label, *options, key=self.name, persist_state="session", on_change=self.show_in_address, **more)
        widget_events.note_value(self.name, chosen)
        if self.is_made(chosen):  # a widget that a page change interrupts may have lost it
            desk.choices()[self.name] = chosen
        return desk.choices()[self.name]

    def segmented(self, label: str, words: Mapping[str, str], **more: Any) -> str:
        """Asks with a row of buttons for one of a few, each with its words, which are translated here."""
        called = {key: tr(said) for key, said in words.items()}
        return self.ask(st.segmented_control, label, list(words), format_func=called.get, required=True, **more)

    def select(self, label: str, words: Mapping[str, str], **more: Any) -> str:
        """Asks with a list to open for one of several, each with its words."""
        return self.ask(st.selectbox, label, list(words), format_func=words.get, **more)

    @uninterruptible()
    def begin(self) -> None:
        """Gives a new widget the desk's choice; a new desk's comes from the address."""
        choices, address = desk.choices(), self.address or self.name
        if self.name not in choices:
            before = desk.asked_before().pop(address, None)
            asked = st.query_params.get(address, before)
            try:
                choices[self.name] = self.of(self.begins if asked is None else asked)
                if asked is not None:
                    desk.in_address()[address] = asked
            except TokenizerError as error:
                choices[self.name] = self.of(self.begins)
                instead = self.begins.replace(",", ", ") or tr(self.empty)
                problem = tr("{problem} Shown instead: {instead}.", problem=str(error), instead=instead)
                st.session_state[f"{self.name}_problem"] = problem
        held.begin(self.name, choices[self.name])
        held.mend(self.name)
        asked = desk.in_address().get(address)
        if asked is not None and address not in st.query_params:  # a turn of pages by the menu has emptied it
            st.query_params[address] = asked

    def of(self, asked: str) -> Any:
        """Returns the choice that the address asks for; raises BadLink, or what `read` raises."""
        try:
            return self.read(asked)
        except Unwanted as error:
            raise BadLink(self.address or self.name, asked, str(error)) from None

    def choose(self, chosen: Any) -> None:
        """Chooses for the reader, on whatever page it is asked."""
        st.session_state.pop(f"{self.name}_problem", None)
        desk.choices()[self.name] = chosen
        if self.name in _asked():
            held.hold(self.name, chosen)
        else:
            st.session_state[self.name] = chosen
        address, asked = self.address or self.name, self._spelled(chosen)
        if asked is None or address in st.query_params:
            put_in_address(address, asked)
        else:  # the address of the page that asks for it will have it
            desk.in_address()[address] = asked

    @property
    def problem(self) -> str | None:
        """What was wrong in the address, if nothing was chosen since."""
        return st.session_state.get(f"{self.name}_problem")

    def show_in_address(self) -> None:
        """Keeps the address in step with what a widget holds, so that it can be copied at any time."""
        widget_events.resolve_labels(self.name)
        if held.is_late(self.name) or not widget_events.has_new_value(self.name):
            return
        st.session_state.pop(f"{self.name}_problem", None)
        if (chosen := st.session_state.get(self.name)) is not None:  # a file opened meanwhile takes it away
            put_in_address(self.address or self.name, self._spelled(chosen))

    def _spelled(self, chosen: Any) -> str | None:
        try:
            asked = self.spell(chosen)
            return asked if asked is not None and self.read(asked) == chosen else None
        except TokenizerError:
            return None


def _leave(name: str) -> None:
    """Forgets a choice, and what its widget has."""
    desk.choices().pop(name, None)
    if name in _asked():
        held.leave(name)
    st.session_state.pop(name, None)


def _asked() -> set[str]:
    """The names of the choices that widgets of Streamlit's have asked for."""
    return st.session_state.setdefault("asked_by_widgets", set())


def one_of(known: Collection[str]) -> Callable[[str], str]:
    """Returns what reads a choice between a few words from the address.

    >>> one_of(["a", "b", "c"])("a")
    'a'
    """

    def read(asked: str) -> str:
        if asked not in known:
            raise Unwanted(enumerated([*map(repr, known)], "or"))
        return asked

    return read


def some_of(
    known: Collection[str], separator: str = ",", least: int = 0, most: int | None = None
) -> Callable[[str], list[str]]:
    """Returns what reads a choice of several words from the address, each once.

    >>> some_of(["en", "th"])("th,en,th")
    ['th', 'en']
    >>> some_of(["en", "th"], least=2, most=6)("th")
    Traceback (most recent call last):
    ui.desk.choices.Unwanted: 2 to 6 of them, separated by ','
    """
    read_one, most = one_of(known), len(known) if most is None else most

    def read(asked: str) -> list[str]:
        found = [read_one(one) for one in dict.fromkeys(filter(None, asked.split(separator)))]
        if not least <= len(found) <= most:
            facts = {"least": least, "most": most, "separator": repr(separator)}
            raise Unwanted(tr("{least} to {most} of them, separated by {separator}", **facts))
        return found

    return read


def int_in_range(least: int, most: int) -> Callable[[str], int]:
    """Returns what reads a whole number between two bounds from the address.

    >>> int_in_range(10, 2_000)("300")
    300
    """

    def read(asked: str) -> int:
        if asked.isascii() and asked.isdigit() and len(asked) < 12 and least <= int(asked) <= most:
            return int(asked)
        raise Unwanted(tr("a whole number from {least:,} to {most:,}", least=least, most=most))

    return read


def switch(name: str, begins: bool = False) -> Choice:
    """Returns a choice between on and off, which the address spells 1 and 0.

    >>> switch("own_file").of("1")
    True
    """
    return Choice(name, str(int(begins)), lambda asked: one_of(("0", "1"))(asked) == "1", lambda on: str(int(on)))


def carry_over(page: str) -> None:
    """Tells the widgets of another page what was chosen: new in the browser, they would show their first option."""
    if st.session_state.get("page") == page:
        return
    st.session_state.page = page
    for key in desk.choices():
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]  # Streamlit sends only what a run has set


def asked() -> dict[str, str]:
    """What the addresses of all pages ask for."""
    return desk.asked_before() | desk.in_address()


def ask_as_before(asked: Mapping[str, str]) -> None:
    """Asks, on pages that are yet to be opened, for what was asked for before a reload."""
    desk.asked_before().update(asked)


def ask_again(asked: Mapping[str, str]) -> None:
    """Makes these choices anew, as an address has them; what was wrong with them before is forgotten."""
    for address, value in asked.items():
        for name in (address, f"own_{address}"):  # of one address there may be two: a pattern, and one of one's own
            _leave(name)
        for words in ("problem", "problems"):
            st.session_state.pop(f"{address}_{words}", None)
        if address in st.query_params:
            put_in_address(address, value)
        else:  # of another page, or gone from this one's: whoever asks for it puts it there
            desk.asked_before()[address] = value


def forget() -> None:
    """Forgets what was chosen on all pages but the language: what is asked for next is asked of the address."""
    for name in [name for name in desk.choices() if name not in LASTING]:
        _leave(name)
        for words in ("problem", "problems"):
            st.session_state.pop(f"{name}_{words}", None)
    for known in (desk.in_address(), desk.asked_before()):
        for address in [address for address in known if address not in LASTING]:
            del known[address]


def put_in_address(key: str, asked: str | None) -> None:
    """Writes something into the address, or takes it out."""
    desk.asked_before().pop(key, None)
    if asked is None:
        desk.in_address().pop(key, None)
        st.query_params.pop(key, None)
    else:
        desk.in_address()[key] = asked
        if st.query_params.get(key) != asked:  # each writing is a message to the browser
            st.query_params[key] = asked
