"""Encodings of one's own without training: from the files of another program, or with special tokens added by hand."""

from collections.abc import Callable, Sequence

import streamlit as st

from tokenizer import PATTERNS, TokenizerError
from ui.desk import desk
from ui.desk.typed import special_tokens
from ui.kit import notices
from ui.server import shelf, uploads
from ui.server.shelf import Entry

AS_IN_FILE = "as the file says"


def popover(chosen: Sequence[Entry], take: Callable[[str], None]) -> None:
    """Offers both; the new encoding's key goes to `take`. Special tokens may be added to one of those `chosen`."""
    with st.popover("Load a tokenizer", icon=":material/upload:", help="From a file, or with special tokens added"):
        st.file_uploader(
            "Files of a tokenizer: minbpe’s .model, .tiktoken, Hugging Face’s tokenizer.json, GPT-2’s vocab.json"
            " with merges.txt, or our merges (.csv)",
            key="tokenizer_files",
            accept_multiple_files=True,
            max_upload_size=uploads.MOST_BYTES // 1_000_000,
        )
        words = "GPT-2’s files and .tiktoken do not hold it; for GPT-2’s it is “gpt2” unless you say otherwise."
        st.selectbox("Split pattern", [AS_IN_FILE, *PATTERNS], key="tokenizer_pattern", help=words)
        files = st.session_state.tokenizer_files
        st.button("Load", key="load_tokenizer", type="primary", disabled=not files, on_click=_load, args=(take,))
        st.text_input("Special tokens to add", key="added_specials", placeholder="<|im_start|> <|im_end|>")
        for entry in chosen:
            st.button(f"Add to {entry.name}", key=f"add_to_{entry.key}", on_click=_add, args=(entry, take))
        if said := st.session_state.get("loading_said"):
            notices.say(said)
        for entry in desk.made().values():
            if not isinstance(entry, shelf.Trained):
                st.button(
                    f"Remove {entry.name}",
                    key=f"remove_{entry.key}",
                    icon=":material/delete:",
                    type="tertiary",
                    on_click=desk.drop,
                    args=(entry.key,),
                )


def _load(take: Callable[[str], None]) -> None:
    pattern = st.session_state.tokenizer_pattern
    files = {file.name: file.getvalue() for file in st.session_state.tokenizer_files}
    _put(lambda: uploads.load(files, None if pattern == AS_IN_FILE else pattern), shelf.LOADED, take)


def _add(entry: Entry, take: Callable[[str], None]) -> None:
    if typed := st.session_state.added_specials.strip():
        _put(lambda: extended(entry, special_tokens(typed)), shelf.EXTENDED, take)
    else:
        st.session_state.loading_said = "Write the special tokens to add, with spaces between them."


def extended(entry: Entry, names: Sequence[str]):
    """Returns an encoding with these special tokens added, their ids after all others.

    >>> extended(shelf.find("gpt2"), ["<|im_start|>"]).encode("<|im_start|>", special="special")
    [50257]
    """
    first = entry.encoding.id_limit
    made = entry.encoding.with_special_tokens({name: first + i for i, name in enumerate(names)})
    made.name = f"{entry.name}+{len(names)}"
    return made


def _put(make: Callable, how: str, take: Callable[[str], None]) -> None:
    try:
        found = shelf.put_made(make(), how)
    except TokenizerError as error:
        st.session_state.loading_said = str(error)
        return
    st.session_state.loading_said = desk.made_room(desk.take(found))
    take(found.key)
