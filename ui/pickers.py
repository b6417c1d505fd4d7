"""What a reader chooses, on every page alike: encoding, how special tokens are read, an example, a file."""

from collections.abc import Callable

import streamlit as st

from tokenizer import Encoding, TokenizerError, get_encoding, list_encoding_names, model_names
from tokenizer.files import read_text_file
from tokenizer.samples import samples
from ui import desk, notices

DEFAULT = "cl100k_base"
READ_AS = {"text": "as text", "special": "as special tokens"}


def encoding() -> Encoding:
    """The encoding in use; `?encoding=` in the address may name an encoding or a model."""
    _start("encoding", DEFAULT, lambda asked: get_encoding(asked).name)
    name = st.selectbox(
        "Encoding",
        list_encoding_names(),
        key="encoding",
        format_func=_with_models,
        persist_state="session",
        on_change=_show_in_address,
        args=("encoding",),
        width=340,
    )
    return get_encoding(_keep("encoding", name))


def _with_models(name: str) -> str:
    models = model_names(name)
    more = ", …" if len(models) > 2 else ""
    return f"{name}   {', '.join(models[:2])}{more}" if models else name


def special() -> str:
    """How the names of special tokens in the text are read: "text" or "special"."""
    _start("special", "text", _read_as)
    chosen = st.segmented_control(
        "Special tokens are read",
        list(READ_AS),
        key="special",
        format_func=READ_AS.get,
        persist_state="session",
        on_change=_show_in_address,
        args=("special",),
        required=True,
        width="content",
    )
    return _keep("special", chosen)


def _read_as(asked: str) -> str:
    if asked not in READ_AS:
        raise TokenizerError(f"The link says special={asked[:40]!r}; it must be 'text' or 'special'.")
    return asked


def _start(key: str, default: str, resolve: Callable[[str], str]) -> None:
    """Gives a new widget the desk's choice; a new desk's comes from the address, and what is wrong there is said."""
    choices, problem = desk.choices(), f"{key}_problem"
    if key not in choices:
        asked = st.query_params.get(key)
        try:
            choices[key] = default if asked is None else resolve(asked)
        except TokenizerError as error:
            choices[key] = default
            st.session_state[problem] = f"{error} Shown instead: {default}."
    if st.session_state.get(key) is None:
        st.session_state[key] = choices[key]
    if message := st.session_state.get(problem):
        notices.say(message)


def _keep(key: str, chosen: str | None) -> str:
    """Puts a choice on the desk; a widget that a page change interrupts may have lost it, and gives None."""
    if chosen is not None:
        desk.choices()[key] = chosen
    return desk.choices()[key]


def _show_in_address(key: str) -> None:
    """Keeps the address in step with a choice, so that it can be copied at any time."""
    st.query_params[key] = st.session_state[key]
    st.session_state.pop(f"{key}_problem", None)


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
