"""Opens text files and tokenizer files, and adds special tokens to an encoding."""

import hashlib
import itertools
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from html import escape

import streamlit as st

from server.encodings import encoding_store, sidecar_files, uploads
from server.encodings.encoding_store import EXTENDED, LOADED, StoredEncoding
from tokenizer import Encoding, TokenizerError
from tokenizer.errors import BadSpecialTokens
from tokenizer.formats import gpt2
from tokenizer.formats.sandboxed_model import OPENING_SECONDS
from tokenizer.i18n import mark, tr, trn
from tokenizer.kinds.from_merges import numbered_specials
from tokenizer.kinds.steps import ignored_notes
from tokenizer.split.patterns import KNOWN_PATTERNS
from tokenizer.text.files import read_text_file
from tokenizer.text.tables import has_fields
from ui.components import notices
from ui.components.markdown import in_markdown
from ui.session import import_page
from ui.session.validation import special_tokens
from ui.session.visitor_state import client, visitor
from ui.widgets import templates

AS_IN_FILE = mark("from the file")
TIMES_CLOSED = "popover_closed"  # session key of the number of times that the script closed the popover
NUM_UPLOADS = "num_uploads"  # session key of the number of uploads that were read
CONFIRMATION_SECONDS = 6
MIN_SPINNER_SECONDS = 1.5  # for one of several tokenizers: with less time left, it is not opened


def draw_popover(chosen: Sequence[StoredEncoding], take: Callable[[str], None], opens_text: bool) -> None:
    """Draws the popover; calls `take` with the key of a new encoding; can add special tokens to the `chosen` ones."""
    _draw_confirmation()
    key = f"open_{st.session_state.get(TIMES_CLOSED, 0)}"
    with st.container(key="open", width="content"), st.popover(tr("Open"), icon=":material/folder_open:", key=key):
        _draw_uploader(take, opens_text)
        draw_special_tokens(chosen, take)


def _draw_uploader(take: Callable[[str], None], opens_text: bool) -> None:
    """Draws the upload area, which opens files as soon as they are uploaded, and why a file was not opened."""
    if "tokenizer_pattern" not in st.session_state:  # the visitor has opened another page since
        st.session_state.upload_problem, st.session_state.files_without_pattern = "", {}
    st.file_uploader(
        tr("A text of up to 5 MB, or the files of a tokenizer") if opens_text else tr("The files of a tokenizer"),
        key=_uploader_key(),
        accept_multiple_files=True,
        max_upload_size=uploads.MAX_FILE_BYTES // 1_000_000,
        on_change=partial(_open_files, take, opens_text),
    )
    if problem := st.session_state.upload_problem:
        notices.show(problem)
    st.caption(
        tr(
            "You can open tokenizer.json, tekken.json, a .model of SentencePiece or minbpe, a .tiktoken, "
            "vocab.json with merges.txt, vocab.txt, or a file of Tokenloupe (.tokenloupe, .csv, .zip). "
            "You can also drop files anywhere on the page."
        )
    )
    words = tr(
        "A vocab.json with merges.txt, or a .tiktoken, contains no split pattern. For vocab.json with merges.txt, "
        "the pattern “gpt2” is used in most cases, unless you choose another."
    )
    patterns = [AS_IN_FILE, *KNOWN_PATTERNS]
    on_change = partial(_load_waiting, take)
    st.selectbox(
        tr("Split pattern"), patterns, key="tokenizer_pattern", format_func=tr, help=words, on_change=on_change
    )


def _uploader_key() -> str:
    """Returns the key of the uploader, a new one after each upload: Streamlit adds files to those that are there."""
    return f"opened_files_{st.session_state.get(NUM_UPLOADS, 0)}"


def _draw_confirmation() -> None:
    """Draws for some seconds what was opened, in a place that takes no room."""
    words, until = st.session_state.get("opened_words", ("", 0.0))
    with st.container(key="opened_words_place"):  # drawn even if empty, so that the elements after it keep their place
        if time.monotonic() < until:
            st.html(f'<p class="toast" role="status">✓ {escape(words)}</p>')


def draw_special_tokens(chosen: Sequence[StoredEncoding], take: Callable[[str], None]) -> None:
    """Draws the input that adds special tokens to one of `chosen`, buttons that remove encodings, and the outcome."""
    if "added_specials" not in st.session_state:  # the visitor has opened another page since
        st.session_state.loading_message = ""
    st.text_input(tr("Special tokens to add"), key="added_specials", placeholder="<|im_start|> <|im_end|>")
    for entry in chosen:
        args = (take, partial(_with_typed, entry), EXTENDED)
        st.button(
            tr("Add to {name}", name=in_markdown(entry.name)), key=f"add_to_{entry.key}", on_click=_put, args=args
        )
    if message := st.session_state.loading_message:
        notices.show(message)
    for entry in visitor().own_encodings.values():
        if not isinstance(entry, encoding_store.FromTraining):
            st.button(
                tr("Remove {name}", name=in_markdown(entry.name)),
                key=f"remove_{entry.key}",
                icon=":material/delete:",
                type="tertiary",
                on_click=_remove,
                args=(entry.key,),
            )


def _remove(key: str) -> None:
    visitor().remove_encoding(key)
    st.session_state.loading_message = ""


@dataclass(frozen=True)
class LoadedFiles:
    """The files of one tokenizer, by their digests, and its key or the reason why it was not loaded.

    A session keeps it, so the contents are kept only while they wait for a split pattern, and compressed: a small zip
    unpacks to MAX_FILE_BYTES, which the quota of uploads does not see.
    """

    digests: Mapping[str, bytes]  # by the names of the files
    read: Sequence[str]  # the names of the files that contain the tokenizer itself
    key: str | None
    message: str  # the encoding that was removed to make room, or why this one was not loaded
    waiting: Mapping[str, bytes] = field(default_factory=dict)  # the files that wait for a split pattern, compressed
    notes: Sequence[str] = field(default=())  # on the use of the other files

    @classmethod
    def of(
        cls,
        files: Mapping[str, bytes],
        key: str | None,
        message: str,
        needs_pattern: bool = False,
        notes: Sequence[str] = (),
    ) -> "LoadedFiles":
        """Returns the result for these files, which wait for a split pattern where one is needed."""
        duplicates = sidecar_files.duplicates(files)
        read = [name for name in files if name not in sidecar_files.NAMES and name not in duplicates]
        waiting = {name: zlib.compress(data, 1) for name, data in files.items()} if needs_pattern else {}
        return cls(_digests(files), read, key, message, waiting, notes)


def _digests(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {name: hashlib.sha256(data).digest() for name, data in files.items()}


def unpacked(waiting: Mapping[str, bytes]) -> dict[str, bytes]:
    """Returns the files that waited for a split pattern."""
    return {name: zlib.decompress(data) for name, data in waiting.items()}


def load_sets(
    files: Mapping[str, bytes],
    name: str = "",
    before: Sequence[LoadedFiles] = (),
    missing_pattern: str | None = None,
) -> list[LoadedFiles]:
    """Loads all tokenizers in these files, adds them to the visitor's own, and returns the result of each.

    They are named `name`, or after their files; those without a split pattern get `missing_pattern`. A result in
    `before` for the same files is returned unchanged: loading takes seconds, and an encoding that was removed to make
    room must not remove another one in turn. After OPENING_SECONDS, the remaining files are not opened.
    """
    until = time.monotonic() + OPENING_SECONDS
    if (size := sum(map(len, files.values()))) > uploads.MAX_FILE_BYTES:
        words = mark("These files have {n:,} bytes together; the limit is {most:,} bytes. Open fewer files at once.")
        if len(files) == 1:
            words = mark("This file has {n:,} bytes; the limit is {most:,} bytes. Choose a smaller file.")
        message = tr(words, n=size, most=uploads.MAX_FILE_BYTES)
        return [LoadedFiles.of(files, None, message)]
    found, left = [], {}
    for one in uploads.sets(files):
        digests = _digests(one)
        if old := next((old for old in before if old.digests == digests), None):
            found.append(old)
        elif found and until - time.monotonic() < MIN_SPINNER_SECONDS:
            left |= one
        else:
            pattern = missing_pattern if uploads.needs_pattern(one) or uploads.lacks_pattern(one) else None
            found.append(load_one(one, pattern, name, max(MIN_SPINNER_SECONDS, until - time.monotonic())))
    if left:
        sentence = mark(
            "Not opened: the other files took the whole time limit of {seconds} seconds. Open the files listed here"
            " separately."
        )
        found.append(LoadedFiles.of(left, None, tr(sentence, seconds=OPENING_SECONDS)))
    return found


def load_one(
    files: Mapping[str, bytes], pattern: str | None = None, name: str = "", seconds: float | None = None
) -> LoadedFiles:
    """Loads the files of one tokenizer; those of an unknown rank table without `pattern` wait for one."""
    with_template = _templates(files)
    notes = [tr("The Chat page uses the template in {file}.", file=with_template[0])] if with_template else []
    if sidecar_files.has_no_tokenizer(files):
        reason = trn(
            "This file contains no tokenizer. Open it together with the tokenizer.json, .model or vocabulary file "
            "of the same tokenizer.",
            "These files contain no tokenizer. Open them together with the tokenizer.json, .model or vocabulary file "
            "of the same tokenizer.",
            len(files),
        )
        return LoadedFiles.of(files, None, " ".join([reason, *notes]))
    if pattern is None and uploads.needs_pattern(files):
        message = tr(
            "This file contains no split pattern, and Tokenloupe does not know this tokenizer. Choose its split "
            "pattern."
        )
        return LoadedFiles.of(files, None, message, True)
    try:
        loaded = uploads.load(files, pattern, name, seconds)
        loaded.name = _distinct_name(loaded)
        found = encoding_store.add(loaded, LOADED, address=client()[0])
    except TokenizerError as error:
        return LoadedFiles.of(files, None, str(error), pattern is not None)
    if pattern is None and uploads.lacks_pattern(files) and found.encoding.pattern_name == "gpt2":
        notes.append(tr("These files contain no split pattern, so GPT-2’s is used."))
    notes += ignored_notes(found.encoding.model.ignored_settings)
    notes += sidecar_files.notes(files, found.encoding, [*with_template, *_read_with(files)])
    return LoadedFiles.of(files, found.key, visitor().add_encoding(found), notes=notes)


def _distinct_name(loaded: Encoding) -> str:
    """Returns the name of an encoding, with a number if the visitor has another one of this name.

    Most tokenizers of the Hub are in a file named tokenizer.json; two of them may differ in special tokens alone.
    """

    def contents(one: Encoding) -> tuple:
        return one.fingerprint, one.special_tokens, str(one.split)

    known = [(one.name, contents(one.encoding)) for one in visitor().own_encodings.values()]
    taken = {name for name, _ in known}
    names = itertools.chain([loaded.name], (f"{loaded.name}-{number}" for number in itertools.count(2)))
    return next(name for name in names if name not in taken or (name, contents(loaded)) in known)


def _templates(files: Mapping[str, bytes]) -> list[str]:
    """Adds the first valid chat template among the files; returns the names of the files that it was read from."""
    for name in ("chat_template.jinja", "chat_template.json", sidecar_files.CONFIG):
        if name in files:
            with suppress(TokenizerError):
                templates.take(name, files[name], files.get(sidecar_files.CONFIG, b""))
                return [name, sidecar_files.CONFIG]
    return []


def _read_with(files: Mapping[str, bytes]) -> list[str]:
    """Returns the names of files that were read together with a vocabulary: its configuration, its added tokens."""
    found = [sidecar_files.CONFIG] if {"vocab.txt", sidecar_files.CONFIG} <= files.keys() else []
    is_added_to = gpt2.ADDED_TOKENS_FILE in files and any(name in files for name in gpt2.VOCABULARIES)
    return [*found, gpt2.ADDED_TOKENS_FILE] if is_added_to and "tokenizer.json" not in files else found


def _open_files(take: Callable[[str], None], opens_text: bool) -> None:
    """Opens the uploaded files: a saved page, a text where the page has one, or tokenizers."""
    files = uploads.by_name((file.name, file.getvalue()) for file in st.session_state[_uploader_key()])
    st.session_state[NUM_UPLOADS] = st.session_state.get(NUM_UPLOADS, 0) + 1
    st.session_state.upload_problem, st.session_state.files_without_pattern = "", {}
    if not files:
        return
    if any(map(import_page.is_saved_page, files.values())):
        problem = _import(files)
    elif opens_text and not _has_tokenizer(files):
        problem = _take_text(files)
    else:
        _load(files, take)
        return
    if problem:
        st.session_state.upload_problem = notices.of_files(files, problem)


def _has_tokenizer(files: Mapping[str, bytes]) -> bool:
    """Whether one of the files is a tokenizer's, or two of them belong together: GPT-2's two may have any names."""
    is_pair = len(uploads.sets(files)) < len(files)
    return is_pair or any(uploads.is_tokenizer(name, data) for name, data in files.items())


def _import(files: Mapping[str, bytes]) -> str | None:
    """Opens a saved page; returns why it was not opened."""
    if len(files) > 1:
        return tr("Open a saved page alone, without other files.")
    if problem := import_page.begin_file(*files.values()):
        return problem
    _close_popover()
    return None


def _take_text(files: Mapping[str, bytes]) -> str | None:
    """Makes a file the visitor's text; returns why it did not."""
    if len(files) > 1:
        return tr("Open one text at a time.")
    [(name, data)] = files.items()
    try:
        text = read_text_file(data)
        visitor().put_text(text.removeprefix("\ufeff") if has_fields(name) else text)  # the mark is for Excel
    except TokenizerError as error:
        return str(error)
    _close(tr("{name} is your text now, on every page.", name=name))
    return None


def _load(files: Mapping[str, bytes], take: Callable[[str], None]) -> None:
    """Adds the tokenizers in the files and chooses the first; keeps the files that wait for a split pattern."""
    pattern = st.session_state.tokenizer_pattern
    found = load_sets(files, missing_pattern=None if pattern == AS_IN_FILE else pattern)
    opened = [one for one in found if one.key]
    problems = [notices.of_files(one.digests, one.message) for one in found if not one.key]
    st.session_state.upload_problem = " ".join(problems)
    st.session_state.files_without_pattern = {name: data for one in found for name, data in one.waiting.items()}
    if opened:
        take(opened[0].key)
        name = encoding_store.find(opened[0].key).name
        words = [tr("{name} is chosen on this page, and the lists of other pages have it, too.", name=name)]
        words += [one.message for one in opened if one.message]
        _confirm(" ".join(words))
        if not problems:
            _close_popover()


def _load_waiting(take: Callable[[str], None]) -> None:
    """Loads the files that wait for a split pattern, once one is chosen."""
    if (waiting := st.session_state.files_without_pattern) and st.session_state.tokenizer_pattern != AS_IN_FILE:
        _load(unpacked(waiting), take)


def _with_typed(entry: StoredEncoding) -> Encoding:
    if not (names := special_tokens(st.session_state.added_specials)):
        raise TokenizerError(tr("Type the special tokens to add, separated by spaces."))
    return with_special_tokens(entry, names)


def with_special_tokens(entry: StoredEncoding, names: Sequence[str]) -> Encoding:
    """Returns an encoding with these special tokens added, their ids after all others or typed with them, as `name=id`.

    >>> with_special_tokens(encoding_store.find("gpt2"), ["<|im_start|>"]).encode("<|im_start|>", special="special")
    [50257]
    """
    added = numbered_specials(names, entry.encoding.id_limit)
    made = entry.encoding.with_special_tokens(added)
    if made.id_limit > (limit := max(uploads.MAX_IDS, entry.encoding.id_limit + len(added))):
        reason = tr("the largest id is {last:,}; the limit is {most:,}", last=made.id_limit - 1, most=limit - 1)
        raise BadSpecialTokens(*max(added.items(), key=lambda one: one[1]), reason)
    made.name = f"{entry.name}+{len(names)}"
    return made


def _put(take: Callable[[str], None], make: Callable[[], Encoding], prefix: str) -> None:
    try:
        found = encoding_store.add(make(), prefix, address=client()[0])
    except TokenizerError as error:
        st.session_state.loading_message = str(error)
        return
    st.session_state.loading_message = visitor().add_encoding(found)
    take(found.key)
    if not st.session_state.loading_message:
        _close(tr("{name} is chosen on this page, and the lists of other pages have it, too.", name=found.name))


def _close(words: str) -> None:
    """Closes the popover, and confirms with `words`."""
    _confirm(words)
    _close_popover()


def _confirm(words: str) -> None:
    st.session_state.opened_words = words, time.monotonic() + CONFIRMATION_SECONDS


def _close_popover() -> None:
    """Closes the popover by giving it another key: Streamlit draws a new popover closed."""
    st.session_state.tokenizer_pattern = AS_IN_FILE  # a pattern is chosen for one tokenizer
    st.session_state[TIMES_CLOSED] = st.session_state.get(TIMES_CLOSED, 0) + 1
