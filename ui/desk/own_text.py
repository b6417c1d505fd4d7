"""What the Why page looks at: the desk's text or one of its own, which byte of it, and how the address says so.

A text of its own was written there, or came from where somebody asked why; the one on the desk stays as it is.
"""

import hashlib
import re
import secrets
from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from tokenizer.errors import TokenizerError
from tokenizer.i18n import ORIGINAL, mark, speaking, tr
from tokenizer.text.files import MOST_BYTES
from tokenizer.text.well_formed import well_formed
from ui.components import cache
from ui.desk import choices, desk
from ui.streamlit_patches.visitors import uninterruptible

MOST_IN_ADDRESS = 300  # characters; a longer text is kept by the cache, and the address has its key
WRITTEN, TIMELINE, IDS, SENTENCE = "written", "timeline", "ids", "sentence"
IN_ADDRESS = ("at", "text", "kept")


class NoText(TokenizerError):
    """A text that cannot be looked at: too long, or not there any more."""


class OwnText(NamedTuple):
    """A well-formed text that is not the desk's, and where it comes from: WRITTEN, TIMELINE, IDS or SENTENCE."""

    text: str
    origin: str = WRITTEN


def read(text: str, origin: str = WRITTEN) -> OwnText:
    r"""Returns a text to look at; raises NoText.

    >>> read("a\ud800")
    OwnText(text='a�', origin='written')
    """
    text = well_formed(text)[0]
    if (size := len(text.encode())) > MOST_BYTES:
        facts = {"n": size, "most": MOST_BYTES}
        raise NoText(tr("This text has {n:,} bytes; the limit is {most:,}. Try a shorter part of it.", **facts))
    return OwnText(text, origin)


# What is looked at


def own() -> OwnText | None:
    """The text that the page has for itself; None while it looks at the desk's."""
    return desk.choices().get("why_own")


def place() -> int | None:
    """The byte of the text whose pre-token is looked at; None where nobody asked for one."""
    return desk.choices().get("at")


def look_at(text: OwnText | None, at: int | None = None) -> None:
    """Looks at a text, None for the desk's, and there at the pre-token of a byte; the address hears of it later."""
    st.session_state.pop("why_problem", None)
    for name, chosen in (("why_own", text), ("at", at)):
        if chosen is None:
            desk.choices().pop(name, None)
        else:
            desk.choices()[name] = chosen


def choose(text: OwnText | None, at: int | None = None) -> None:
    """Does so in a callback of the page's own: what stands in the address then is older."""
    look_at(text, at)
    st.session_state.why_chosen = True


def problem() -> str | None:
    """What was wrong with the last thing that was asked for, until something else is."""
    return st.session_state.get("why_problem")


def say_problem(error: TokenizerError) -> None:
    """Keeps what was wrong for the page to say."""
    st.session_state.why_problem = str(error)


# The address


def in_address() -> dict[str, str]:
    """Returns how an address spells what is looked at."""
    found, text = {}, own()
    if text is not None:
        found = {"text": text.text} if len(text.text) <= MOST_IN_ADDRESS else {"kept": _keep(text)}
    if place() is not None:
        found["at"] = str(place())
    return found


@uninterruptible()
def follow_address() -> None:
    """Looks at what the address asks for, where that is new, and keeps the address in step with what is looked at."""
    asked = {name: st.query_params[name] for name in IN_ADDRESS if name in st.query_params}
    chosen_here = st.session_state.pop("why_chosen", False)
    if asked and not chosen_here and asked != st.session_state.get("why_address"):
        _follow(asked)
    wanted = st.session_state.why_address = in_address()
    before = st.query_params.to_dict()
    after = {name: value for name, value in before.items() if name not in IN_ADDRESS} | wanted
    if after != before:
        st.query_params.from_dict(after)  # at once: each writing is a message to the browser


def _follow(asked: Mapping[str, str]) -> None:
    text = None
    look_at(None)
    try:
        if "text" in asked:
            text = read(asked["text"])
        elif "kept" in asked:
            text = _found(asked["kept"])
        look_at(text)
        if "at" in asked:
            if not re.fullmatch(r"[0-9]{1,9}", asked["at"]):
                raise choices.BadLink("at", asked["at"], tr("the number of a byte in the text, counting from 0"))
            look_at(text, int(asked["at"]))
    except TokenizerError as error:
        say_problem(error)


# Texts that are too long for an address; who has the key may read the text, in whatever language

_salt = secrets.token_bytes(16)  # so that the key cannot be told from the text


def _keep(found: OwnText) -> str:
    key = hashlib.sha256(_salt + "".join(found).encode()).hexdigest()[:32]
    with speaking(ORIGINAL):
        cache.get_or_compute(lambda: found, "own text", key)
    return key


def _found(key: str) -> OwnText:
    try:
        with speaking(ORIGINAL):
            return cache.get_or_compute(_is_gone, "own text", key)
    except NoText:
        says = mark("The text was too long to fit in this link, and the server has forgotten it. Paste it again.")
        raise NoText(tr(says)) from None


def _is_gone() -> OwnText:
    raise NoText
