"""Components that show the tokens of an encoding: their data, their events, and the link from a token to page Why."""

import base64
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import streamlit as st

from server.editor_api import routes
from server.encodings import encoding_store, rank_tables
from tokenizer.errors import TokenizerError
from ui.components import paths
from ui.session import component_events, import_page, pending_action, why_text
from ui.session.visitor_state import client, visitor
from ui.widgets import names, pickers


def encoding_data(entry: encoding_store.StoredEncoding, special: str) -> dict:
    """Returns a component's data on an encoding; special tokens are read as `special` ("text" or "special").

    >>> encoding_data(encoding_store.find("gpt2"), "text")["specials"]
    {'<|endoftext|>': 50256}
    """
    encoding = entry.encoding
    return {
        "key": entry.key,
        "name": entry.name,
        "model": names.model(entry) or entry.name,
        "special": special,
        "specials": encoding.special_tokens,
        "split": encoding.split is not None,
        "cuts": encoding.safe_cuts,
        "front": encoding.model.treats_start_specially,
        "hash": encoding.fingerprint,
        "pageEncoder": rank_tables.page_encoder(entry.key, encoding, paths.editor_api()),
    }


def draw(component: Callable, key: str, data: dict, **listeners: Callable) -> None:
    """Draws a component that uses the editor API; if it cannot reach the API, it sends its question with a rerun.

    The answer is sent once: if it is lost, the component sends the question again.
    """
    answer = st.session_state.pop(f"{key}_answer", None)
    data = {"url": paths.editor_api(), "answer": answer, **data}
    component(key=key, data=data, on_ask_change=partial(answer_question, key), **listeners)
    go_to_requested_why()


def draw_with_text(component: Callable, key: str, data: dict, **listeners: Callable) -> None:
    """Draws a component that edits the visitor's text."""
    data = {"push": visitor().push(), "show": visitor().imports.switches, **data}
    draw(component, key, data, on_why_change=partial(take_why, key), **listeners)


def take_why(key: str, origin: str | None = None) -> None:
    """Handles the event of the component `key` that requests the page Why for a byte of a text.

    The text is the visitor's, or one of another origin, which does not replace the visitor's.
    """
    why = component_events.sent(key, "why")
    if not isinstance(why, dict) or not isinstance(why.get("at"), int) or not isinstance(why.get("text"), str):
        return
    try:
        encoding_store.find(encoding_key := str(why["key"]))
    except TokenizerError:  # it was removed in the meantime
        return
    if visitor().has_encoding(encoding_key):
        if "push" in why:
            visitor().commit_text(why["text"], why["name"], why["push"])
        request_why(encoding_key, why["at"], origin and why_text.checked(why["text"], origin))


def request_why(encoding_key: str, at: int, text: why_text.OtherText | None = None) -> None:
    """Requests, in a callback, the page Why for a byte of a text (None: the visitor's)."""
    import_page.discard_pending("why")
    why_text.show(text, at)
    pickers.ENCODING.choose(encoding_key)
    pending_action.request("why")


def go_to_requested_why() -> None:
    """Switches to the page Why, if it was requested."""
    if pending_action.is_requested("why"):
        if visitor().page == "why":
            pending_action.clear()
        params = visitor().why.address = why_text.address_params()
        st.switch_page("why.py", query_params={"encoding": pickers.ENCODING.chosen, **params})


def decode_base64(body: str) -> bytes:
    """Returns the bytes of a body; b"" if it is not base64."""
    with suppress(ValueError):
        return base64.b64decode(body)
    return b""


def answer_question(key: str) -> None:
    """Answers, in a callback, the question that the component `key` sent with this rerun."""
    match component_events.sent(key, "ask"):
        case {"number": int(number), "name": str(name), "parameters": dict(parameters), "body": str(body)}:
            texts = {str(one): str(value) for one, value in parameters.items()}
            status, found = routes.reply(name, texts, decode_base64(body), client())
            answer = {"body": base64.b64encode(found).decode()} if status == 200 else {"error": found.decode()}
            st.session_state[f"{key}_answer"] = {"number": number, **answer}
