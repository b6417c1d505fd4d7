"""Choices: kept in the visitor's state from page to page, and in the address from one visit to the next."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from tokenizer import TokenizerError
from tokenizer.errors import enumerated, shown
from tokenizer.i18n import mark, tr
from ui.components import notices
from ui.session import pending_values, widget_events
from ui.session.visitor_state import visitor
from ui.streamlit_patches.visitors import uninterruptible

NOT_OF_PAGES = ("lang", "template_files", "chat_before")  # choices that a link or a file leaves as they are


class BadLink(TokenizerError):
    """A parameter of the address has a value that cannot be chosen."""

    def __init__(self, key: str, value: str, expected: str):
        problem = tr("The link says {key}={value}; it must be {wanted}.", key=key, value=shown(value), wanted=expected)
        super().__init__(problem)


class InvalidValue(TokenizerError):
    """A value in the address is not allowed there; the choice makes a BadLink of it."""


@dataclass(frozen=True)
class Choice:
    """A choice, by any widget: its name, its default, and how the address spells it.

    `begins` is the default as the address spells it, `address` the parameter's name where it is not `name`. `read`
    parses the parameter or raises InvalidValue; `spell` is the inverse. A value that has no spelling, or one that would
    be parsed differently, is left out of the address. `is_made` returns whether a widget's value is a choice; if not,
    the one before stays. `empty` is a word for an empty default.

    >>> Choice("view", "map", one_of(["map", "list"])).of("tree")
    Traceback (most recent call last):
    ui.session.choices.BadLink: The link says view='tree'; it must be 'map' or 'list'.
    """

    name: str
    begins: str
    read: Callable[[str], Any] = str
    spell: Callable[[Any], str | None] = str
    address: str = ""
    is_made: Callable[[Any], bool] = lambda chosen: chosen is not None
    empty: str = mark("all")

    def ask(self, widget: Callable, label: str, *options: Any, **more: Any) -> Any:
        """Draws a Streamlit widget, below a notice of the problem in the address; returns the chosen value."""
        self.begin()
        if self.problem:
            notices.show(self.problem)
        visitor().choices_with_widget.add(self.name)
        if "format_func" in more:
            pending_values.resend(self.name)
            more["format_func"] = widget_events.remember_labels(self.name, options[0], more["format_func"])
        if widget in (st.text_input, st.text_area, st.number_input):
            # Until the browser first reports a widget, each run sends it a value that is not the default, and what was
            # typed meanwhile would be lost.
            more.setdefault("value", self.chosen)
        chosen = widget(label, *options, key=self.name, persist_state="session", on_change=self.show_in_address, **more)
        widget_events.note_value(self.name, chosen)
        if self.is_made(chosen):  # a widget may lose its value where a page change interrupts it
            visitor().choices[self.name] = chosen
        return visitor().choices[self.name]

    @property
    def chosen(self) -> Any:
        """The visitor's choice; None before `begin`."""
        return visitor().choices.get(self.name)

    def segmented(self, label: str, labels: Mapping[str, str], **more: Any) -> str:
        """Draws a row of buttons with these labels, which are translated here; returns the chosen key."""
        translated = {key: tr(label) for key, label in labels.items()}
        return self.ask(st.segmented_control, label, list(labels), format_func=translated.get, required=True, **more)

    def select(self, label: str, words: Mapping[str, str], **more: Any) -> str:
        """Draws a list to open with these labels; returns the chosen key."""
        return self.ask(st.selectbox, label, list(words), format_func=words.get, **more)

    @uninterruptible()
    def begin(self) -> None:
        """Gives a new widget the visitor's choice; that of a new visitor comes from the address."""
        choices, address = visitor().choices, self.address or self.name
        if self.name not in choices:
            before = visitor().restored_address.pop(address, None)
            value = st.query_params.get(address, before)
            try:
                choices[self.name] = self.of(self.begins if value is None else value)
                if value is not None:
                    visitor().address[address] = value
            except TokenizerError as error:
                choices[self.name] = self.of(self.begins)
                instead = self.begins.replace(",", ", ") or tr(self.empty)
                problem = tr("{problem} The page shows {instead} instead.", problem=str(error), instead=instead)
                visitor().address_problems[self.name] = problem
        pending_values.set_default(self.name, choices[self.name])
        value = visitor().address.get(address)
        # Streamlit empties the query where a page is opened by the menu
        if value is not None and address not in st.query_params:
            st.query_params[address] = value

    def of(self, value: str) -> Any:
        """Returns the choice that an address spells; raises BadLink, or what `read` raises."""
        try:
            return self.read(value)
        except InvalidValue as error:
            raise BadLink(self.address or self.name, value, str(error)) from None

    def choose(self, chosen: Any) -> None:
        """Sets the choice from code, on any page."""
        visitor().address_problems.pop(self.name, None)
        visitor().choices[self.name] = chosen
        if self.name in visitor().choices_with_widget:
            pending_values.set(self.name, chosen)
        else:
            st.session_state[self.name] = chosen
        address, value = self.address or self.name, self._spelled(chosen)
        if value is None or address in st.query_params:
            set_address(address, value)
        else:  # the page that draws it puts it into its address
            visitor().address[address] = value

    @property
    def problem(self) -> str | None:
        """The problem in the address, until a value is chosen."""
        return visitor().address_problems.get(self.name)

    def show_in_address(self) -> None:
        """Writes a widget's value into the address, in the widget's callback, so that it can be copied at any time."""
        widget_events.resolve_labels(self.name)
        if pending_values.is_stale(self.name) or not widget_events.has_new_value(self.name):
            return
        visitor().address_problems.pop(self.name, None)
        if (chosen := st.session_state.get(self.name)) is not None:  # opening a file meanwhile removes it
            set_address(self.address or self.name, self._spelled(chosen))

    def _spelled(self, chosen: Any) -> str | None:
        try:
            value = self.spell(chosen)
            return value if value is not None and self.read(value) == chosen else None
        except TokenizerError:
            return None


def _remove(name: str) -> None:
    """Removes a choice and the value of its widget; a link may name anything, such as "visitor", which stays."""
    if name not in visitor().choices and name not in visitor().choices_with_widget:
        return
    visitor().choices.pop(name, None)
    if name in visitor().choices_with_widget:
        pending_values.mark_removed(name)
    st.session_state.pop(name, None)


def _remove_problems(name: str) -> None:
    """Removes the problems of a choice, in the visitor's state and on its page."""
    visitor().address_problems.pop(name, None)
    for key in (f"{name}_problem", f"{name}_problems"):
        st.session_state.pop(key, None)


def one_of(known: Collection[str]) -> Callable[[str], str]:
    """Returns a parser for one of a few words.

    >>> one_of(["a", "b", "c"])("a")
    'a'
    """

    def read(value: str) -> str:
        if value not in known:
            raise InvalidValue(enumerated([*map(repr, known)], "or"))
        return value

    return read


def some_of(
    known: Collection[str], separator: str = ",", least: int = 0, most: int | None = None
) -> Callable[[str], list[str]]:
    """Returns a parser for several words of a few, each once.

    >>> some_of(["en", "th"])("th,en,th")
    ['th', 'en']
    >>> some_of(["en", "th"], least=2, most=6)("th")
    Traceback (most recent call last):
    ui.session.choices.InvalidValue: 2 to 6 codes such as en, separated by ','
    """
    read_one, most = one_of(known), len(known) if most is None else most

    def read(value: str) -> list[str]:
        found = [read_one(one) for one in dict.fromkeys(filter(None, value.split(separator)))]
        if not least <= len(found) <= most:
            facts = {"least": least, "most": most, "separator": repr(separator), "example": next(iter(known))}
            raise InvalidValue(tr("{least} to {most} codes such as {example}, separated by {separator}", **facts))
        return found

    return read


def int_in_range(low: int, high: int) -> Callable[[str], int]:
    """Returns a parser for a whole number between two bounds.

    >>> int_in_range(10, 2_000)("300")
    300
    """

    def read(value: str) -> int:
        if value.isascii() and value.isdigit() and len(value) < 12 and low <= int(value) <= high:
            return int(value)
        raise InvalidValue(tr("a whole number from {least:,} to {most:,}", least=low, most=high))

    return read


def switch(name: str, begins: bool = False) -> Choice:
    """Returns a choice between on and off, which the address spells 1 and 0.

    >>> switch("own_file").of("1")
    True
    """
    return Choice(name, str(int(begins)), lambda value: one_of(("0", "1"))(value) == "1", lambda on: str(int(on)))


def resend_choices(page: str) -> None:
    """Sends the choices again on a new page, whose widgets would otherwise show their first option."""
    if visitor().page == page:
        return
    visitor().page = page
    for key in visitor().choices:
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]  # Streamlit sends only what a run has set


def all_address_params() -> dict[str, str]:
    """Returns the choices that the addresses of all pages have, those not yet restored too."""
    return visitor().restored_address | visitor().address


def restore_address(params: Mapping[str, str], is_bare: bool = False) -> None:
    """Restores address parameters of before a reload, for pages that are not open yet.

    If the page was opened by an address without any, it gets them too, unless it has a newer choice.
    """
    visitor().restored_address.update(params)
    if is_bare:
        known = visitor().address.keys() | NOT_OF_PAGES
        choose_from_address({name: value for name, value in params.items() if name not in known})


def choose_from_address(params: Mapping[str, str]) -> None:
    """Sets choices from the parameters of an address, and removes their problems."""
    for address, value in params.items():
        for name in (address, f"own_{address}"):  # one parameter may have two choices: a pattern, and one's own
            _remove(name)
        _remove_problems(address)
        if address in st.query_params:
            set_address(address, value)
        else:  # of another page, or removed from this one's; the choice puts it there when it is drawn
            visitor().restored_address[address] = value


def forget_all() -> None:
    """Removes the choices of all pages; they are made again from the address."""
    for name in [name for name in visitor().choices if name not in NOT_OF_PAGES]:
        _remove(name)
        _remove_problems(name)
    for known in (visitor().address, visitor().restored_address):
        for address in [address for address in known if address not in NOT_OF_PAGES]:
            del known[address]


def set_address(key: str, value: str | None) -> None:
    """Writes a parameter into the address, or removes it."""
    visitor().restored_address.pop(key, None)
    if value is None:
        visitor().address.pop(key, None)
        st.query_params.pop(key, None)
    else:
        visitor().address[key] = value
        if st.query_params.get(key) != value:  # each writing is a message to the browser
            st.query_params[key] = value
