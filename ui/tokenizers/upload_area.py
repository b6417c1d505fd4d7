"""Uploads of tokenizers in any file format: the upload area, the download from the Hub, and the result of each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape

import streamlit as st

from server.encodings import encoding_store, hub, uploads
from tokenizer import TokenizerError
from tokenizer.errors import enumerated
from tokenizer.i18n import mark, tr, trn
from tokenizer.split.patterns import KNOWN_PATTERNS, usable_pattern
from ui.components import notices
from ui.session import import_page, pending_action
from ui.session.visitor_state import visitor
from ui.streamlit_patches.visitors import uninterruptible
from ui.tokenizers import facts
from ui.widgets import tokenizer_upload
from ui.widgets.patterns import MAX_PATTERN_CHARACTERS, OWN, OWN_START
from ui.widgets.tokenizer_upload import LoadedFiles

FILES = mark(
    "A .tiktoken, a tokenizer.json, a tekken.json, a .model of SentencePiece or minbpe, vocab.json and "
    "merges.txt, vocab.txt, or a file of Tokenloupe (.tokenloupe, .csv, .zip). You can open several files "
    "at once, at most 40 MB in all."
)
SHARED = mark(
    "Only you see what you open here. A link from “Copy link” in the bar names the chosen "
    "tokenizer: anyone with the link can use the tokenizer as long as this server keeps it."
)

NUM_DOWNLOADED = "num_downloaded"  # session key of the number of answered presses on Download


def draw_uploader(take: Callable[[str], None]) -> None:
    """Draws the upload area; calls `take` with the key of the first tokenizer that was newly loaded."""
    files = st.file_uploader(
        tr("Open the files of your own tokenizer"),
        key="brought_files",
        accept_multiple_files=True,
        max_upload_size=40,
        help=tr(FILES),
        width=420,
    )
    uploaded_ids = [(file.file_id, file.name) for file in files]
    if uploaded_ids != st.session_state.get("uploaded_ids", []):
        with uninterruptible():  # otherwise a message could end the run before the files are opened
            st.session_state.uploaded_ids = uploaded_ids
            _load(uploads.by_name((file.name, file.getvalue()) for file in files), take)
    key = f"hub_{st.session_state.get(NUM_DOWNLOADED, 0)}"
    with st.popover(tr("From the Hugging Face Hub"), icon=":material/download:", key=key):
        _draw_hub(take)


def draw_results(take: Callable[[str], None]) -> None:
    """Draws the result of each upload, with a choice of split pattern for a rank table that has none."""
    found: Sequence[LoadedFiles] = st.session_state.get("loaded_files", [])
    if not found:
        return
    with st.container(key="brought", gap="xsmall"):
        for i, one in enumerate(found):
            _draw_problem(one, i, take)
        if lines := "".join(map(_item, found)):
            st.html(f'<ul class="brought">{lines}</ul>')
            st.caption(tr(SHARED))


def _load(files: Mapping[str, bytes], take: Callable[[str], None], name: str = "") -> None:
    # each download is loaded: the tokenizer may have been refused or removed since
    before: Sequence[LoadedFiles] = [] if name else st.session_state.get("loaded_files", [])
    if page := next(filter(import_page.is_saved_page, files.values()), None):
        if problem := import_page.begin_file(page):
            st.session_state.loaded_files = [LoadedFiles.of(files, None, problem)]
        else:
            st.rerun()  # once the run can be ended
        return
    with st.spinner(tr("Reading the files …")):
        found = st.session_state.loaded_files = tokenizer_upload.load_sets(files, name, before) if files else []
    if keys := [one.key for one in found if one not in before and one.key and visitor().has_encoding(one.key)]:
        take(keys[0])


def _item(one: LoadedFiles) -> str:
    """Returns a list item that describes a loaded tokenizer; "" if it was not loaded."""
    if one.key is None or not visitor().has_encoding(one.key):
        return ""
    encoding = encoding_store.find(one.key).encoding
    sentence = trn(
        "{files} is read as {name}: {facts}.",
        "{files} are read as {name}: {facts}.",
        len(one.read),
        files=f"<b><bdi>{escape(enumerated(one.read))}</bdi></b>",
        name=escape(encoding.name),
        facts=escape(facts.summary(encoding)),
    )
    more = f" <small>{escape(' '.join(one.notes))}</small>" if one.notes else ""
    return f"<li>{sentence}{more}</li>"


def _draw_problem(one: LoadedFiles, i: int, take: Callable[[str], None]) -> None:
    """Draws why a tokenizer was not loaded, or which one was removed to make room for it."""
    if one.key and one.message:
        notices.show(one.message)
    elif one.key is None:
        notices.show(notices.of_files(one.digests, one.message))
    if one.waiting:
        _ask_for_pattern(one, i, take)


def _ask_for_pattern(one: LoadedFiles, i: int, take: Callable[[str], None]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        options = [*KNOWN_PATTERNS, OWN]
        label, own = tr("How does this tokenizer split a text?"), tr("my own regex")
        chosen = st.selectbox(label, options, None, lambda name: own if name == OWN else name, key=f"split_{i}")
        if chosen == OWN:
            chosen = st.text_input(tr("Regular expression"), OWN_START, MAX_PATTERN_CHARACTERS, key=f"own_split_{i}")
        more = {"disabled": not chosen, "on_click": _load_with_pattern, "args": (i, take)}
        st.button(tr("Load with this pattern"), key=f"load_split_{i}", type="primary", **more)


def _load_with_pattern(i: int, take: Callable[[str], None]) -> None:
    """Loads files with the chosen pattern: the present one, which may be newer than the button."""
    one, pattern = st.session_state.loaded_files[i], st.session_state[f"split_{i}"]
    if not one.waiting:  # loaded by an earlier press
        return
    if pattern == OWN:
        pattern = st.session_state.get(f"own_split_{i}", OWN_START)
    try:
        found = tokenizer_upload.load_one(
            tokenizer_upload.unpacked(one.waiting),
            pattern if pattern in KNOWN_PATTERNS else usable_pattern(pattern, ""),
        )
    except TokenizerError as error:
        found = replace(one, message=str(error))
    st.session_state.loaded_files = [*st.session_state.loaded_files[:i], found, *st.session_state.loaded_files[i + 1 :]]
    if found.key:
        take(found.key)


def _draw_hub(take: Callable[[str], None]) -> None:
    """Draws the name input and the button that downloads a tokenizer from the Hugging Face Hub."""
    name = st.text_input(tr("A model’s name on the Hugging Face Hub"), key="hub_name", placeholder="Qwen/Qwen3-8B")
    st.caption(tr("Only the files of the tokenizer are downloaded, not the weights of the model."))
    # not disabled without a name: Streamlit sends a typed name only when the box loses the focus
    if pending_action.button(tr("Download"), key="hub_download", icon=":material/download:"):
        _download(name, take)


@uninterruptible()
def _download(name: str, take: Callable[[str], None]) -> None:
    """Answers the press once: another run would download again, and what was typed as the name meanwhile.

    Then another key closes the popover, which would cover the result.
    """
    pending_action.clear()
    try:
        with st.spinner(tr("Downloading …")):
            files = hub.fetch(name)
    except TokenizerError as error:
        st.session_state.loaded_files = [LoadedFiles.of({name: b""}, None, str(error))]
    else:
        _load(files, take, hub.model_name(name).rpartition("/")[2])
    st.session_state[NUM_DOWNLOADED] = st.session_state.get(NUM_DOWNLOADED, 0) + 1
    st.rerun()
