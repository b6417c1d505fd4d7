"""The state of one visitor: the text, the encodings made or loaded here, and every choice, shared by all pages."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from server.encodings import encoding_store
from server.encodings.encoding_store import FromTraining, StoredEncoding
from server.limits.request_guards import network
from tokenizer.i18n import mark, tr
from tokenizer.text.samples import samples

KEY = "visitor"  # in `st.session_state`
MAX_OWN_ENCODINGS = 8
MAX_OWN_TOKENS = 160_000  # of all own encodings together, as their `size` counts them; one alone may be larger


def new_id() -> str:
    """Returns an id that nobody can guess."""
    return secrets.token_hex(8)


@dataclass
class TextPush:
    """A text that the server gives the editor; `initial` for the sample with which a visit begins."""

    text: str
    initial: bool = False
    id: str = field(default_factory=new_id)


def _first_push() -> TextPush:
    return TextPush(samples()[0].text, initial=True)


@dataclass
class PendingValue:
    """The value of a widget, what the browser may still send instead, and the number that acknowledges it."""

    value: Any
    before: list[Any]
    number: int
    until: float  # by `time.monotonic`


@dataclass
class WidgetStates:
    """Facts on Streamlit widgets, by their keys: see `pending_values` and `widget_events`."""

    pending: dict[str, PendingValue] = field(default_factory=dict)
    last_number: int = 0  # of a pending value
    labels: dict[str, tuple[dict[str, Any], ...]] = field(default_factory=dict)  # the options by their labels
    resends_left: dict[str, int] = field(default_factory=dict)
    noted_values: dict[str, Any] = field(default_factory=dict)


@dataclass
class ImportState:
    """The data of links, files and the tab that is not applied yet: see `import_page`."""

    under_way: Any = None  # `import_page.RunningImport`
    typed: dict[str, Mapping[str, Any]] = field(default_factory=dict)  # values by page, until it is drawn
    problems: list[str] = field(default_factory=list)
    problems_page: str | None = None  # on which the problems are shown
    missing_encodings: list[str] = field(default_factory=list)  # the keys of those that the tab must train again
    second_text: dict | None = None  # for the page Compare: `{id, text}`, or `{id, undo}`
    switches: dict | None = None  # of the page: `{id, on}`
    file_problem: str = ""  # why the last file could not be opened


@dataclass
class WhyState:
    """The text and byte that the page Why explains: see `why_text`."""

    problem: str | None = None
    is_newer_than_address: bool = False
    address: dict[str, str] | None = None  # the parameters that were followed or written last


@dataclass
class VisitorState:
    """All that the server keeps of one visitor, but for the values of widgets."""

    id: str = field(default_factory=new_id)
    page: str | None = None  # the page that was drawn last, by its name in the address
    pending_action: tuple[str, str | None] | None = None  # with the page on which it was requested
    last_push: TextPush = field(default_factory=_first_push)
    text: str = ""  # as the editor committed it last
    text_name: str = ""  # of the tab's text: the id of a push, or a name that the editor gave it
    long_text_name: str | None = None  # of a text of the tab that is too long to send
    replaced_text: str | None = None  # by `put_text`
    # trained, loaded or from a link; the newest last
    own_encodings: dict[str, StoredEncoding] = field(default_factory=dict)
    choices: dict[str, Any] = field(default_factory=dict)  # by the names of `Choice`: `encoding`, `special`, …
    address: dict[str, str] = field(default_factory=dict)  # the choices that are in the address, as it spells them
    restored_address: dict[str, str] = field(default_factory=dict)  # before a reload, until a page asks for them
    address_problems: dict[str, str] = field(default_factory=dict)  # what was wrong there, by the names of choices
    choices_with_widget: set[str] = field(default_factory=set)  # by their names: those that Streamlit widgets drew
    widgets: WidgetStates = field(default_factory=WidgetStates)
    imports: ImportState = field(default_factory=ImportState)
    acknowledged: dict[str, int] = field(default_factory=dict)  # the last number of each change: see `sync`
    why: WhyState = field(default_factory=WhyState)
    steps_done: set[str] = field(default_factory=set)  # of lessons, as "lesson_step"

    def __post_init__(self) -> None:
        self.text, self.text_name = self.last_push.text, self.last_push.id

    # The text

    def commit_text(self, text: str, name: str, push_id: str) -> None:
        """Stores a text that the editor sends under its own name, after it received the push `push_id`.

        A text that was typed before the last push, and comes after it, is what `undo_put` brings back.
        """
        if push_id == self.last_push.id:
            self.text, self.text_name = text, name
        else:
            self.replaced_text = text

    def note_long_text(self, name: str, push_id: str) -> None:
        """Notes that the tab has a text that is too long to send, under this name; `text` stays the one before it."""
        if push_id == self.last_push.id:
            self.text_name = self.long_text_name = name

    @property
    def has_long_text(self) -> bool:
        """Whether the tab has a text that is too long to send."""
        return self.text_name == self.long_text_name

    def put_text(self, text: str) -> None:
        """Replaces the text, in the editor too; `undo_put` restores the earlier one."""
        if not self.can_undo() or text != self.text:  # otherwise the same button was pressed twice
            self.replaced_text = self.text
        self.text, self.last_push = text, TextPush(text)
        self.text_name = self.last_push.id

    def can_undo(self) -> bool:
        """Whether there is a replaced text, and the text is still as `put_text` left it."""
        return self.replaced_text is not None and self.text == self.last_push.text

    def undo_put(self) -> None:
        """Restores the text from before the last `put_text`."""
        if self.can_undo():
            self.put_text(self.replaced_text)
            self.replaced_text = None

    def push(self) -> dict:
        """Returns the last push for the editor: `{id, text, initial, holds}`; `holds` is the name of the server's text.

        An editor that finds another name there than its own has a commit that was lost.
        """
        last = self.last_push
        return {"id": last.id, "text": last.text, "initial": last.initial, "holds": self.text_name}

    # The encodings of one's own

    def has_encoding(self, key: str) -> bool:
        """Whether an encoding can be chosen: one that every visitor has, or one of the visitor's own."""
        return not encoding_store.is_made(key) or key in self.own_encodings

    def of_trainings(self) -> dict[str, FromTraining]:
        """The own encodings that were trained here, by our own code or another program's."""
        return {key: found for key, found in self.own_encodings.items() if isinstance(found, FromTraining)}

    def add_encoding(self, found: StoredEncoding) -> str:
        """Adds an own encoding; returns a sentence that names those that were removed to make room, or nothing."""
        own = self.own_encodings
        own[found.key] = own.pop(found.key, found)
        removed = []
        while len(own) > MAX_OWN_ENCODINGS or len(own) > 1 and sum(one.size for one in own.values()) > MAX_OWN_TOKENS:
            oldest = next(iter(own.values()))
            removed.append(oldest.name)
            self.remove_encoding(oldest.key)
        if not removed:
            return ""
        sentence = mark(
            "Removed because the limit was reached: {names}. You can keep at most {most} encodings of your own, or"
            " fewer large ones."
        )
        return tr(sentence, names=", ".join(removed), most=MAX_OWN_ENCODINGS)

    def remove_encoding(self, key: str) -> None:
        """Removes an own encoding, also from every choice and from the address."""
        self.own_encodings.pop(key, None)
        if key in self.choices.get("encodings", []):
            self.choices["encodings"] = [one for one in self.choices["encodings"] if one != key]
            st.session_state.pop("encodings", None)
        for name in [name for name, chosen in self.choices.items() if chosen == key]:
            del self.choices[name]
            st.session_state.pop(name, None)
        for params in (self.restored_address, self.address, st.query_params):
            for name, value in [*params.items()]:
                several = value.split(",")  # or one
                if key in several:
                    del params[name]
                    if left := ",".join(one for one in several if one != key):
                        params[name] = left


def visitor() -> VisitorState:
    """Returns the state of the visitor whose script runs."""
    if KEY not in st.session_state:
        st.session_state[KEY] = VisitorState()
    return st.session_state[KEY]


def client() -> tuple[str, str]:
    """Returns the IP address or network of the visitor and the visitor's id, by which turns are shared out."""
    return network(st.context.ip_address or "127.0.0.1"), visitor().id
