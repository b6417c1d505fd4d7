"""What components are told and send with a rerun, and answers to their questions where the route is out of reach."""

import base64
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import streamlit as st

from server import routes, shelf
from server.answers import ROUTE
from tokenizer.errors import TokenizerError
from ui.desk import desk, names, opening, own_text, pickers
from ui.kit import presses


def sent(key: str, trigger: str) -> dict | None:
    """What the component `key` sent with this rerun. Its last words may come when the page has turned, and are not
    kept then: the browser still has what it showed."""
    state = st.session_state.get(key)
    return state[trigger] if state and trigger in state else None


def facts(entry: shelf.Entry, special: str) -> dict:
    """Returns what a component must know of an encoding, special tokens read as `special` ("text" or "special").

    >>> facts(shelf.find("gpt2"), "text")["specials"]
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
        "merges": encoding.merges is not None,
        "cuts": encoding.safe_cuts,
        "front": encoding.model.has_front,
        "hash": encoding.fingerprint,
    }


def draw(component: Callable, key: str, data: dict, **listeners: Callable) -> None:
    """Draws a component; what is asked in it comes back here where the route is out of reach, the rest to `listeners`.

    An answer goes with one run, and is not kept: where that is lost, the component asks again.
    """
    said = {"url": ROUTE, "answer": st.session_state.pop(f"{key}_answer", None), **data}
    component(key=key, data=said, on_ask_change=partial(reply, key), **listeners)
    turn_to_why()


def draw_desk(component: Callable, key: str, data: dict, **listeners: Callable) -> None:
    """Draws a component over the desk's text; what is typed and wanted to be known in it comes back here, too."""
    listeners |= {"on_commit_change": partial(take_commit, key), "on_why_change": partial(take_why, key)}
    draw(component, key, {"push": desk.push(), "show": st.session_state.get("shown"), **data}, **listeners)


def take_commit(key: str) -> None:
    """Gives the desk the text that the component `key` sent with this rerun."""
    if commit := sent(key, "commit"):
        desk.commit(commit["text"], commit["name"], commit["push"])


def take_made(key: str) -> None:
    """Puts encodings back on the desk that the component `key` says were there before a reload; some may be gone."""
    asked = sent(key, "made")
    for made in asked[: desk.MOST_MADE] if isinstance(asked, list) else ():
        with suppress(TokenizerError):
            if isinstance(made, str) and shelf.is_made(made) and made not in desk.made():
                desk.take(shelf.find(made))


def take_why(key: str, origin: str | None = None) -> None:
    """Hears that the reader of the component `key` wants to know why an encoding cuts at a byte of a text.

    It is the desk's, or one of another origin, which the desk's does not have to make room for.
    """
    why = sent(key, "why")
    if not isinstance(why, dict) or not isinstance(why.get("at"), int) or not isinstance(why.get("text"), str):
        return
    try:
        shelf.find(asked := str(why["key"]))
    except TokenizerError:  # it was removed in the meantime
        return
    if desk.has(asked):
        if "push" in why:
            desk.commit(why["text"], why["name"], why["push"])
        ask_why(asked, why["at"], origin and own_text.read(why["text"], origin))


def ask_why(encoding_key: str, at: int, text: own_text.OwnText | None = None) -> None:
    """Asks, in a callback, why an encoding cuts at a byte of a text, None for the desk's; `turn_to_why` answers."""
    opening.forget_typed("why")
    own_text.look_at(text, at)
    pickers.ENCODING.choose(encoding_key)
    presses.keep("why")


def turn_to_why() -> None:
    """Turns to the page that answers, if a reader has just asked."""
    if presses.is_kept("why"):
        if st.session_state.get("page") == "why":
            presses.forget()
        asked = st.session_state.why_address = own_text.in_address()
        st.switch_page("why.py", query_params={"encoding": desk.choices()["encoding"], **asked})


def decoded(body: str) -> bytes:
    """The bytes of a body; none where it is no base64."""
    with suppress(ValueError):
        return base64.b64decode(body)
    return b""


def reply(key: str) -> None:
    """Answers a question that could not take the route; it came with this rerun, and its answer goes with it."""
    match sent(key, "ask"):
        case {"number": int(number), "name": str(name), "parameters": dict(parameters), "body": str(body)}:
            asked = {str(one): str(value) for one, value in parameters.items()}
            status, found = routes.reply(name, asked, decoded(body), desk.visitor())
            said = {"body": base64.b64encode(found).decode()} if status == 200 else {"error": found.decode()}
            st.session_state[f"{key}_answer"] = {"number": number, **said}
