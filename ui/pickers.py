"""What a reader chooses, on every page alike: encoding, how special tokens are read, an example, a file."""

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
    _resolve_link()
    names = list_encoding_names()
    name = st.selectbox(
        "Encoding",
        names,
        index=names.index(DEFAULT),
        key="encoding",
        format_func=_with_models,
        bind="query-params",
        persist_state="session",
        width=340,
    )
    return get_encoding(name or DEFAULT)


def _with_models(name: str) -> str:
    models = model_names(name)
    more = ", …" if len(models) > 2 else ""
    return f"{name}   {', '.join(models[:2])}{more}" if models else name


def _resolve_link() -> None:
    asked = st.query_params.get("encoding") or st.query_params.get("model")
    if asked is None or asked in list_encoding_names():
        return
    st.query_params.pop("model", None)
    try:
        st.query_params["encoding"] = st.session_state["encoding"] = get_encoding(asked).name
    except TokenizerError as error:
        st.query_params.pop("encoding", None)
        st.warning(f"{markdown(str(error))} Shown: {DEFAULT}.", icon=":material/link_off:")


def special() -> str:
    """How the names of special tokens in the text are read: "text" or "special"."""
    chosen = st.segmented_control(
        "Special tokens are read",
        list(READ_AS),
        default="text",
        key="special",
        format_func=READ_AS.get,
        bind="query-params",
        persist_state="session",
        required=True,
        width="content",
    )
    return chosen or "text"


def examples() -> None:
    """Our own texts, one click away."""
    with st.popover("Examples", icon=":material/menu_book:"):
        for sample in samples():
            st.button(sample.label, key=f"example_{sample.name}", on_click=desk.put, args=(sample.text,), type="tertiary")


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
