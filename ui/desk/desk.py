"""The visitor's desk: one text, and the encodings made here, shared by all pages of a session."""

import secrets

import streamlit as st

from server import shelf
from server.shelf import Entry, OfTraining, Trained
from tokenizer.i18n import tr
from tokenizer.text.samples import samples

MOST_MADE = 8
MOST_MERGES = 160_000  # of all of them on one desk, or as much: Gemma’s 262,144 tokens, and small ones beside them


def text() -> str:
    """The text on the desk, as the editor last gave it."""
    return _desk()["text"]


def visitor() -> str:
    """What tells this visitor from others."""
    return _desk()["visitor"]


def made() -> dict[str, Entry]:
    """The encodings that were trained or loaded here or came by a link, by their keys, the newest last."""
    return _desk()["made"]


def has(key: str) -> bool:
    """Whether an encoding may be chosen here: one that every visitor has, or one of the desk's own."""
    return not shelf.is_made(key) or key in made()


def trained() -> dict[str, Trained]:
    """Those of them that our own code trained here."""
    return {key: found for key, found in made().items() if isinstance(found, Trained)}


def of_trainings() -> dict[str, OfTraining]:
    """Those of them that were trained here, by our own code or another program's."""
    return {key: found for key, found in made().items() if isinstance(found, OfTraining)}


def take(found: Entry) -> str:
    """Puts such an encoding on the desk; where that is too much for it, the oldest go, and are named in words."""
    on_desk = made()
    on_desk[found.key] = on_desk.pop(found.key, found)
    gone = []
    while len(on_desk) > MOST_MADE or (len(on_desk) > 1 and sum(kept.size for kept in on_desk.values()) > MOST_MERGES):
        oldest = next(iter(on_desk.values()))
        gone.append(oldest.name)
        drop(oldest.key)
    if not gone:
        return ""
    return tr(
        "Removed to make room: {names}. A desk holds at most {most} encodings of your own, fewer if they are large.",
        names=", ".join(gone),
        most=MOST_MADE,
    )


def drop(key: str) -> None:
    """Takes such an encoding off the desk, out of every choice and out of the address."""
    made().pop(key, None)
    if key in choices().get("encodings", []):
        choices()["encodings"] = [kept for kept in choices()["encodings"] if kept != key]
        st.session_state.pop("encodings", None)
    for name in [name for name, chosen in choices().items() if chosen == key]:
        del choices()[name]
        st.session_state.pop(name, None)
    for known in (asked_before(), in_address(), st.query_params):
        for name, asked in [*known.items()]:
            several = asked.split(",")  # or one
            if key in several:
                del known[name]
                if left := ",".join(one for one in several if one != key):
                    known[name] = left


def choices() -> dict[str, str]:
    """What was chosen on any page, by the name that it has in a link: `encoding`, `special`, …"""
    return _desk()["choices"]


def in_address() -> dict[str, str]:
    """What was chosen and stands in the address, as it is spelled there."""
    return _desk()["address"]


def asked_before() -> dict[str, str]:
    """What the addresses of pages asked for before a reload, until they are opened again."""
    return _desk()["asked_before"]


def commit(text: str, name: str, push_id: str) -> None:
    """Keeps what the editor holds since it took the push of that id, under the name that the editor gives it.

    What was typed before a newer push, and arrives after it, is what `undo` brings back.
    """
    desk = _desk()
    if push_id == desk["push"]["id"]:
        desk["text"], desk["holds"] = text, name
    else:
        desk["before"] = text


def put(text: str) -> None:
    """Puts a text on the desk and into the editor; `undo` brings the one before back."""
    desk = _desk()
    if not can_undo() or text != desk["text"]:  # else it is pressed a second time
        desk["before"] = desk["text"]
    desk["text"] = text
    desk["push"] = {"id": secrets.token_hex(8), "text": text, "initial": False}
    desk["holds"] = desk["push"]["id"]


def can_undo() -> bool:
    """Whether `undo` has a text to bring back: the one on the desk is still as `put` left it."""
    desk = _desk()
    return desk["before"] is not None and desk["text"] == desk["push"]["text"]


def undo() -> None:
    """Brings back the text before the last `put`."""
    if can_undo():
        put(_desk()["before"])
        _desk()["before"] = None


def push() -> dict:
    """The last text that the page gave the editor: `{id, text, initial, holds}`, the last the name of the desk's own.

    That is the push's id until the editor commits another; one that it does not find there was lost on its way.
    """
    return _desk()["push"] | {"holds": _desk()["holds"]}


def _desk() -> dict:
    if "desk" not in st.session_state:
        first = samples()[0].text
        push = {"id": secrets.token_hex(8), "text": first, "initial": True}
        st.session_state.desk = {
            "visitor": secrets.token_hex(8),
            "text": first,
            "before": None,
            "push": push,
            "holds": push["id"],
            "made": {},
            "choices": {},
            "address": {},
            "asked_before": {},
        }
    return st.session_state.desk
