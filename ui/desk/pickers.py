"""What a reader chooses, on every page alike: encoding, how special tokens are read, an example, a file."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from tokenizer import Encoding, TokenizerError, list_encoding_names, model_names
from tokenizer.text.files import read_text_file
from tokenizer.text.samples import samples
from ui.desk import desk, loading
from ui.desk.choices import Choice, Unwanted, one_of, put_in_address
from ui.kit import notices
from ui.server import shelf
from ui.server.shelf import Entry

DEFAULT = "cl100k_base"
COMPARED = ["gpt2", "cl100k_base", "o200k_base"]
MOST_COMPARED = 6
READ_AS = {"text": "as text", "special": "as special tokens"}


def encoding() -> Entry:
    """The encoding in use; `?encoding=` in the address may name an encoding, a model, or one that was trained here."""
    ENCODING.begin()  # a link may bring one to the desk
    known = [*list_encoding_names(), *desk.made()]
    label = partial(_label, desk.made())
    found = shelf.find(ENCODING.ask(st.selectbox, "Encoding", known, format_func=label, width=340))
    loading.popover([found], ENCODING.choose)
    return found


def encodings() -> list[Entry]:
    """Several encodings to compare; `?encodings=` in the address may name them, with commas."""
    ENCODINGS.begin()
    known = [*list_encoding_names(), *desk.made()]
    label = partial(_short_label, desk.made())
    chosen = ENCODINGS.ask(st.multiselect, "Encodings", known, format_func=label, max_selections=MOST_COMPARED)
    on_desk = [key for key in chosen if desk.has(key)]
    found = [shelf.find(key) for key in on_desk or COMPARED]
    loading.popover(found, lambda key: ENCODINGS.choose([*(on_desk or COMPARED)[: MOST_COMPARED - 1], key]))
    return found


def baseline(encodings: Sequence[Entry]) -> Entry:
    """The one of several that the others are set against; `?baseline=` in the address may name it, else the first."""
    keys = [entry.key for entry in encodings]
    if len(keys) == 1:
        return encodings[0]
    choice = Choice("baseline", keys[0], partial(_one_of_them, keys))
    choice.begin()
    if st.session_state.baseline not in keys:  # it was taken out of the comparison
        st.session_state.baseline = keys[0]
        put_in_address("baseline", None)
    label = partial(_short_label, desk.made())
    key = choice.ask(st.selectbox, "Baseline", keys, format_func=label, width=220)
    return encodings[keys.index(key)]


def _one_of_them(keys: Sequence[str], asked: str) -> str:
    if (key := _key(asked)) not in keys:
        raise Unwanted("one of the encodings that are compared")
    return key


def _keys(asked: str) -> list[str]:
    found = list(dict.fromkeys(map(_key, asked.split(","))))
    if len(found) > MOST_COMPARED:
        raise Unwanted(f"at most {MOST_COMPARED} encodings, with commas between them")
    return found


def _short_label(made: dict[str, Entry], key: str) -> str:
    return made[key].name if key in made else key


def _key(asked: str) -> str:
    """The key of the encoding that an address asks for; one that was made here comes to the desk with it."""
    found = shelf.find(asked)
    if not desk.has(found.key):
        desk.take(found)
    return found.key


def _label(made: dict[str, Entry], key: str) -> str:
    """An encoding as lists show it: with its models, or how it was made."""
    if found := made.get(key):
        [how] = [words for prefix, (words, _) in shelf.MADE.items() if key.startswith(prefix)]
        return f"{found.name}   {how}, {found.encoding.vocab_size:,} tokens"
    models = model_names(key)
    more = ", …" if len(models) > 2 else ""
    return f"{key}   {', '.join(models[:2])}{more}" if models else key


def begin_ids(encoding: Encoding) -> None:
    """Gives the box of ids something to begin with, in the encoding in use, until the reader writes there."""
    beginning = " ".join(map(str, encoding.encode("The same thought costs more")))
    if st.session_state.get("ids") in (None, desk.choices().get("ids_beginning")):
        st.session_state.ids = beginning
    desk.choices()["ids_beginning"] = beginning


def special() -> str:
    """How the names of special tokens in the text are read: "text" or "special"."""
    return SPECIAL.segmented("Special tokens are read", READ_AS, width="content")


def examples() -> None:
    """Our own texts, one click away."""
    with st.container(horizontal=True, gap="small", key="examples"):
        for sample in samples():
            st.button(
                sample.label, key=f"example_{sample.name}", on_click=desk.put, args=(sample.text,), type="tertiary"
            )


def upload() -> None:
    """A text file of the reader's, put on the desk."""
    with st.popover("Open a file", icon=":material/upload_file:"):
        st.file_uploader("A text file, up to 5 MB", key="upload", on_change=_read_upload, max_upload_size=5)
        if problem := st.session_state.get("upload_problem"):
            notices.say(problem)


def _read_upload() -> None:
    st.session_state.upload_problem = None
    if (file := st.session_state.upload) is None:
        return
    try:
        desk.put(read_text_file(file.getvalue()))
    except TokenizerError as error:
        st.session_state.upload_problem = str(error)


ENCODING = Choice("encoding", DEFAULT, _key)
ENCODINGS = Choice("encodings", ",".join(COMPARED), _keys, ",".join, is_made=bool)
SPECIAL = Choice("special", "text", one_of(READ_AS))
