"""The text of the Why page: the visitor's or another one, the byte that is explained, and both in the address.

Another text was written on that page, or came with the question from another page. The visitor's text stays as it is.
"""

import hashlib
import re
import secrets
from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from tokenizer.errors import TokenizerError
from tokenizer.i18n import SOURCE_LANGUAGE, mark, tr, using_language
from tokenizer.text.files import MAX_FILE_BYTES
from tokenizer.text.well_formed import well_formed
from ui.components import cache
from ui.session import choices
from ui.session.visitor_state import visitor
from ui.streamlit_patches.visitors import uninterruptible

MAX_ADDRESS_CHARACTERS = 300  # of a text; the cache keeps a longer one, and the address has its key
WRITTEN, PAGE, TIMELINE, IDS, SENTENCE = "written", "page", "timeline", "ids", "sentence"
ADDRESS_PARAMS = ("at", "text", "kept")


class TextUnavailable(TokenizerError):
    """A text cannot be explained: it is too long, or no longer in the cache."""


class OtherText(NamedTuple):
    """A well-formed text other than the visitor's, and its origin: WRITTEN (in the address or a file) or another."""

    text: str
    origin: str = WRITTEN


def checked(text: str, origin: str = WRITTEN) -> OtherText:
    r"""Returns a text to explain; raises TextUnavailable where it is too long.

    >>> checked("a\ud800")
    OtherText(text='a�', origin='written')
    """
    text = well_formed(text)[0]
    if (size := len(text.encode())) > MAX_FILE_BYTES:
        facts = {"n": size, "most": MAX_FILE_BYTES}
        raise TextUnavailable(
            tr("This text has {n:,} bytes; the limit is {most:,} bytes. Try a shorter part of it.", **facts)
        )
    return OtherText(text, origin)


# The text and the byte


def other_text() -> OtherText | None:
    """The other text; None while the page explains the visitor's."""
    return visitor().choices.get("why_own")


def byte_offset() -> int | None:
    """The byte of the text whose pre-token is explained; None where none was asked for."""
    return visitor().choices.get("at")


def show(text: OtherText | None, at: int | None = None) -> None:
    """Sets the text, None for the visitor's, and the byte; `sync_address` writes them into the address later."""
    visitor().why.problem = None
    for name, chosen in (("why_own", text), ("at", at)):
        if chosen is None:
            visitor().choices.pop(name, None)
        else:
            visitor().choices[name] = chosen


def choose(text: OtherText | None, at: int | None = None) -> None:
    """Sets both in a callback; the address is stale until it is rewritten, so it is ignored."""
    show(text, at)
    visitor().why.is_newer_than_address = True


def problem() -> str | None:
    """The problem of the last request, until the next."""
    return visitor().why.problem


# The address


def address_params() -> dict[str, str]:
    """Returns the parameters of the text and the byte in an address."""
    found, text = {}, other_text()
    if text is not None:
        found = {"text": text.text} if len(text.text) <= MAX_ADDRESS_CHARACTERS else {"kept": _store(text)}
    if byte_offset() is not None:
        found["at"] = str(byte_offset())
    return found


@uninterruptible()
def sync_address() -> None:
    """Takes the text and the byte from the address where that is new, and writes them there otherwise."""
    params = {name: st.query_params[name] for name in ADDRESS_PARAMS if name in st.query_params}
    state = visitor().why
    if params and not state.is_newer_than_address and params != state.address:
        _follow(params)
    state.is_newer_than_address = False
    own_params = state.address = address_params()
    before = st.query_params.to_dict()
    after = {name: value for name, value in before.items() if name not in ADDRESS_PARAMS} | own_params
    if after != before:
        st.query_params.from_dict(after)  # in one go: each write is a message to the browser


def _follow(params: Mapping[str, str]) -> None:
    text = None
    show(None)
    try:
        if "text" in params:
            text = checked(params["text"])
        elif "kept" in params:
            text = _stored(params["kept"])
        show(text)
        if "at" in params:
            if not re.fullmatch(r"[0-9]{1,9}", params["at"]):
                raise choices.BadLink("at", params["at"], tr("the number of a byte in the text, counting from 0"))
            show(text, int(params["at"]))
    except TokenizerError as error:
        visitor().why.problem = str(error)


# Texts that are too long for an address; every visitor with the key may read the text, in any language

_salt = secrets.token_bytes(16)  # so that nobody can compute the key from the text


def _store(found: OtherText) -> str:
    key = hashlib.sha256(_salt + "".join(found).encode()).hexdigest()[:32]
    with using_language(SOURCE_LANGUAGE):
        cache.get_or_compute(lambda: found, "own text", key)
    return key


def _stored(key: str) -> OtherText:
    try:
        with using_language(SOURCE_LANGUAGE):
            return cache.get_or_compute(_is_gone, "own text", key)
    except TextUnavailable:
        problem = mark(
            "The text was too long for this link, and the server no longer has the text. Paste the text instead."
        )
        raise TextUnavailable(tr(problem)) from None


def _is_gone() -> OtherText:
    raise TextUnavailable
