"""What a reader chooses, on every page alike: encoding, how special tokens are read, an example, a file."""

from collections.abc import Callable

import streamlit as st

from tokenizer import Encoding, TokenizerError, get_encoding, list_encoding_names, model_names
from tokenizer.files import read_text_file
from tokenizer.samples import samples
from ui import desk
from ui.escape import markdown

DEFAULT = "cl100k_base"
READ_AS = {"text": "as text", "special": "as special tokens"}


def encoding() -> Encoding:
    """The encoding in use; `?encoding=` in the address may name an encoding or a model."""
    _seed("encoding", DEFAULT, lambda asked: get_encoding(asked).name)
    name = st.selectbox(
        "Encoding",
        list_encoding_names(),
        key="encoding",
        format_func=_with_models,
        persist_state="session",
        on_change=_remember,
        args=("encoding",),
        width=340,
    )
    return get_encoding(name)


def _with_models(name: str) -> str:
    models = model_names(name)
    more = ", …" if len(models) > 2 else ""
    return f"{name}   {', '.join(models[:2])}{more}" if models else name


def special() -> str:
    """How the names of special tokens in the text are read: "text" or "special"."""
    _seed("special", "text", _read_as)
    return st.segmented_control(
        "Special tokens are read",
        list(READ_AS),
        key="special",
        format_func=READ_AS.get,
        persist_state="session",
        on_change=_remember,
        args=("special",),
        required=True,
        width="content",
    )


def _read_as(asked: str) -> str:
    if asked not in READ_AS:
        raise TokenizerError(f"The link says special={asked[:40]!r}; it must be 'text' or 'special'.")
    return asked


def _seed(key: str, default: str, resolve: Callable[[str], str]) -> None:
    """Starts a choice from the address, once a session; what it asks for and we do not have is said, not guessed."""
    asked, problem = st.query_params.get(key), f"{key}_problem"
    if key not in st.session_state:
        st.session_state[key] = default
        try:
            st.session_state[key] = resolve(asked) if asked is not None else default
        except TokenizerError as error:
            st.session_state[problem] = f"{error} Shown instead: {default}."
    if message := st.session_state.get(problem):
        st.warning(markdown(message), icon=":material/link_off:")


def _remember(key: str) -> None:
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
            st.error(markdown(problem))


def _read_upload() -> None:
    st.session_state.upload_problem = None
    if (file := st.session_state.upload) is None:
        return
    try:
        desk.put(read_text_file(file.getvalue()))
    except TokenizerError as error:
        st.session_state.upload_problem = str(error)
