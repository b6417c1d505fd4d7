"""The teacher's side of a class: open it, show a scene on all phones, end it."""

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from server.address import address
from server.classroom import rooms
from server.classroom.rooms import ClassProblem, Room, Scene
from tokenizer.lessons.wording import Words
from ui.components import notices, paths
from ui.learn.room import room as draw_room

SECRET, OVER, TOGETHER, REFUSED = "class_secret", "class_over", "class_together", "class_refused"
REFUSALS = {"full": "no_room", "over": "over"}  # sentences by the reason of a ClassProblem; the others have one
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "[::1]")


def current_room() -> Room | None:
    """Returns the room of the open class, or None."""
    secret = st.session_state.get(SECRET)
    return rooms.room_of(secret) if secret else None


def kept() -> dict[str, Any]:
    """Returns the class that the browser stores, and the secret of the one that it must delete."""
    secret, room = st.session_state.get(SECRET), current_room()
    if secret and room is None:  # it was ended in another tab, or removed after a long time without phones
        _leave(secret)
    return {"open": room.kept(secret) if room else None, "ended": st.session_state.get(OVER)}


def restore(turn_to: Callable[[Scene], None], found: Any) -> None:
    """Opens the class again that the browser has kept, and calls `turn_to` with its scene."""
    if not isinstance(found, dict) or current_room():  # it is open
        return
    try:
        room = rooms.reopen(found, _address())
    except ClassProblem as problem:
        if problem.word != "full":  # otherwise the browser keeps the class until there is room
            _leave(found.get("secret"))
        st.session_state[REFUSED] = problem.word
    else:
        st.session_state[SECRET], st.session_state[TOGETHER] = found["secret"], room.scene.together
        turn_to(room.scene)


def _address() -> str:
    """Returns the teacher's IP address, as the endpoints of a class see it."""
    return st.context.ip_address or "127.0.0.1"


def _leave(secret: Any) -> None:
    st.session_state.pop(SECRET, None)
    st.session_state[OVER] = secret


def lead(scene: Scene, class_words: Words, ask_again: Callable[[], None]) -> None:
    """Draws the button that opens a class, or the controls of the open one.

    `ask_again` hides the answer of the shown step again.
    """
    if reason := st.session_state.pop(REFUSED, None):
        notices.show(_sentence(class_words, REFUSALS.get(reason, "not_reopened")))
    is_open = current_room() is not None
    with st.container(key="class_options", horizontal=True, vertical_alignment="bottom" if is_open else "center"):
        if not is_open:
            st.button(_sentence(class_words, "open"), key="class_open", on_click=_open, args=(scene,))
            st.caption(_sentence(class_words, "about"))
            return
        modes = {True: _sentence(class_words, "together"), False: _sentence(class_words, "alone")}
        options = {"format_func": modes.get, "key": TOGETHER, "required": True, "persist_state": "session"}
        st.segmented_control(_sentence(class_words, "walk"), list(modes), **options)
        with st.popover(_sentence(class_words, "end")):
            st.caption(_sentence(class_words, "about_end"))
            st.button(_sentence(class_words, "end_now"), key="class_end", on_click=end)
    if not is_playing():
        st.caption(class_words.text("about", "game"))
        st.button(class_words.text("title", "game"), key="class_game", on_click=_open_game)
    with st.expander(_sentence(class_words, "anew"), key="class_anew"):
        if scene.together:
            st.caption(_sentence(class_words, "about_ask_anew"))
            st.button(_sentence(class_words, "ask_anew"), key="class_ask_anew", on_click=ask_anew, args=(ask_again,))
        st.caption(_sentence(class_words, "about_empty"))
        st.button(_sentence(class_words, "empty"), key="class_empty", on_click=empty)


def is_playing() -> bool:
    """Whether the open class trains a tokenizer, instead of answering a step."""
    room = current_room()
    return room is not None and room.game is not None


def _open_game() -> None:
    if room := current_room():
        room.open_game()


def _sentence(class_words: Words, key: str) -> str:
    return class_words.text(key, "teacher")


def _open(scene: Scene) -> None:
    try:
        st.session_state[SECRET], _ = rooms.new_room(scene, _address())
    except ClassProblem as problem:
        st.session_state[REFUSED] = problem.word
    else:
        st.session_state.pop(OVER, None)
        st.session_state[TOGETHER] = True
        st.session_state.guesses = {}  # guesses from before the class must not reveal answers to it


def ask_anew(ask_again: Callable[[], None]) -> None:
    """Clears the guesses at the shown question and hides its answer."""
    if room := current_room():
        room.ask_anew()
        ask_again()


def empty() -> None:
    """Removes all learners and their guesses."""
    if room := current_room():
        room.empty()


def end() -> None:
    if secret := st.session_state.get(SECRET):  # a double click calls this twice
        rooms.end(secret)
        _leave(secret)


def show(room: Room, scene: Scene, class_words: Words, put: Callable[[str], None]) -> None:
    """Shows a scene on all phones, and draws the room; `put` is called with a phone's text that the teacher picks."""
    room.show(scene)
    address, is_sure = where(room.code)
    is_local = not is_sure and _is_here(address)
    data = {
        "code": room.code,
        "kept": room.kept(st.session_state[SECRET]),
        "url": paths.classroom(),
        "address": address,
        "warning": "" if is_sure else _sentence(class_words, "only_here" if is_local else "perhaps"),
        "is_local": is_local,
        "language": class_words.language,
        "words": class_words.sentences["teacher"],
    }
    draw_room(data, partial(show_sent_text, room, put), room.remove)


def show_sent_text(room: Room, put: Callable[[str], None], id: int) -> None:
    """Calls `put` with the text that a phone sent under this id; does nothing where it was removed."""
    if found := next((sent.text for sent in room.sent() if sent.id == id), None):
        put(found)


def where(code: str) -> tuple[str, bool]:
    """Returns the address for phones, and whether phones are known to reach it."""
    if base_url := address():
        return f"{base_url}/class/{code}", True
    page = urlsplit(st.context.url or "http://localhost")
    return f"{page.scheme}://{page.netloc}{paths.classroom()}/{code}", False


def _is_here(address: str) -> bool:
    return urlsplit(address).netloc.startswith(LOOPBACK_HOSTS)
