"""What a reader chooses, on every page alike: encoding, how special tokens are read, an example, a file."""

from functools import partial

import streamlit as st

from tokenizer import Encoding, TokenizerError, list_encoding_names, model_names
from tokenizer.files import read_text_file
from tokenizer.samples import samples
from ui import choices, desk, notices, shelf

DEFAULT = "cl100k_base"
READ_AS = {"text": "as text", "special": "as special tokens"}


def encoding() -> Encoding:
    """The encoding in use; `?encoding=` in the address may name an encoding, a model, or one that was trained here."""
    choices.start("encoding", DEFAULT, _key)
    key = st.selectbox(
        "Encoding",
        [*list_encoding_names(), *desk.trained()],
        key="encoding",
        format_func=partial(_label, desk.trained()),
        persist_state="session",
        on_change=choices.show_in_address,
        args=("encoding",),
        width=340,
    )
    return shelf.find(choices.keep("encoding", key))


def _key(asked: str) -> str:
    """The key of the encoding that an address asks for; one that was trained here comes to the desk with it."""
    if asked.startswith(shelf.TRAINED):
        desk.take(shelf.trained(asked))
        return asked
    return shelf.find(asked).name


def _label(trained: dict[str, shelf.Trained], key: str) -> str:
    """An encoding as lists show it: with its models, or as trained here."""
    if found := trained.get(key):
        return f"{found.name}   trained here, {found.encoding.vocab_size:,} tokens"
    return _with_models(key)


def _with_models(name: str) -> str:
    models = model_names(name)
    more = ", …" if len(models) > 2 else ""
    return f"{name}   {', '.join(models[:2])}{more}" if models else name


def special() -> str:
    """How the names of special tokens in the text are read: "text" or "special"."""
    choices.start("special", "text", choices.one_of("special", READ_AS))
    chosen = st.segmented_control(
        "Special tokens are read",
        list(READ_AS),
        key="special",
        format_func=READ_AS.get,
        persist_state="session",
        on_change=choices.show_in_address,
        args=("special",),
        required=True,
        width="content",
    )
    return choices.keep("special", chosen)


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
