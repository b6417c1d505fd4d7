"""The choice of a training text: a built-in one, the visitor's text, files or counts, or a public corpus."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import NamedTuple

import streamlit as st

from server.training import public_corpora
from tokenizer import TokenizerError
from tokenizer.i18n import mark, tr, trn
from tokenizer.split.patterns import usable_pattern
from tokenizer.text.tables import fields_of, has_fields, most_text
from tokenizer.text.well_formed import well_formed
from tokenizer.training.corpora import mix, own_corpora, read_corpus_file
from tokenizer.training.corpus import FORMS, hold_out, hold_out_words, word_counts
from tokenizer.training.counts import Counts, unpacked
from ui.components import cache, notices
from ui.session import page_snapshot, pending_action
from ui.session.choices import Choice, int_in_range, one_of
from ui.session.visitor_state import visitor

DEFAULT_WORDS = "hug 10\npug 5\npun 12\nbun 4\nhugs 5"
MAX_CORPUS_BYTES = 10_000_000
FORM_LABELS = {"as-is": mark("unchanged"), "lower": mark("in lower case"), "nfc": mark("in NFC")}
MAX_UPLOADED_BYTES = 25_000_000  # of all files together; their texts are smaller
OWN_LABELS = {
    "english": mark("English, a text that comes with the app"),
    "thai": mark("Thai, a text that comes with the app"),
}
TEXT_FORM = Choice("text_form", "as-is", one_of(FORMS))
HELD_OUT = Choice("held_out", "0", lambda value: one_of(("0", "20"))(value) == "20", lambda on: "20" if on else "0")
THAI_SHARE = Choice("thai_share", "50", int_in_range(0, 100))

MAX_COUNTS_FILE_BYTES = 10_000_000, 25_000_000  # compressed, uncompressed
MAX_SAMPLE_CHARACTERS = 100_000  # of the pre-tokens that are shown instead of a text

Files = list[tuple[str, bytes]]

_corpus_file, _fields = cache.cached(read_corpus_file), cache.cached(fields_of)


class CountsFile(NamedTuple):
    """A `.counts` file: pre-tokens that were split and counted elsewhere; `sample` joins the first of them."""

    text: str  # the content of the file
    pattern: str | None
    characters: int
    bytes: int
    distinct: int
    total: int
    floor: int
    left_out: int
    left_out_total: int
    sample: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts to train on, possibly none; `name` can be part of a file's name.

    `counted` texts are words with their counts, or the content of a `counts_file`. The last `held_out` texts are not
    learned from. `source` names a built-in text, in the form of `server/encodings/recipes.py`.
    """

    name: str
    texts: tuple[str, ...]
    counted: bool = False
    held_out: int = 0
    source: dict | None = None
    counts_file: CountsFile | None = None

    @property
    def sample(self) -> str:
        """The text that is shown for the corpus."""
        return self.counts_file.sample if self.counts_file else self.texts[0] if self.texts else ""

    @property
    def learned_characters(self) -> int:
        """The characters that are learned from: not those held out; those of words with counts, times the counts.

        >>> Corpus("words", ("hug 10", "pug 5"), counted=True, held_out=1).learned_characters
        30
        """
        if self.counts_file:
            return self.counts_file.characters
        texts = self.texts[: len(self.texts) - self.held_out]
        if self.counted:
            return sum(len(word) * n for text in texts for word, n in word_counts(text).items())
        return sum(map(len, texts))


def corpus() -> Corpus:
    """Draws the choice of a training text, and returns it; `?corpus=` in the address names the choice."""
    labels = {name: tr(label) for name, (label, _) in SOURCES.items()}
    found = SOURCES[CORPUS.select(tr("Training text"), labels)][1]()
    if _is_chosen("counts"):  # it has no text to change or to hold out
        return found
    words = tr("This choice changes only the training text, not the texts that are encoded later.")
    form = TEXT_FORM.segmented(tr("Form of the training text"), FORM_LABELS, help=words)
    source = found.source and found.source | {"form": form}
    return _held_out(_bounded(replace(found, texts=tuple(map(FORMS[form], found.texts)), source=source)))


def _held_out(found: Corpus) -> Corpus:
    """Returns the corpus, split so that its last fifth is held out, where that is chosen."""
    is_on = HELD_OUT.ask(
        st.toggle,
        tr("Hold out the last 20 %"),
        help=tr(
            "The last 20 percent of the characters are not used in training; they show how well the vocabulary"
            " compresses text that it was not trained on."
        ),
    )
    if not is_on or not found.texts:
        return found
    kept, held = hold_out_words(found.texts[0]) if found.counted else hold_out(found.texts)
    if not kept:
        st.caption(tr("This text is too short to hold a part out."))
        return found
    size = sum(map(len, held))
    st.caption(trn("The last {n:,} character is held out.", "The last {n:,} characters are held out.", size))
    source = found.source and found.source | {"held_out": True}
    return replace(found, texts=(*kept, *held), held_out=len(held), source=source)


def _bounded(found: Corpus) -> Corpus:
    """Draws the size of the corpus, and returns it; without its texts where it is too large."""
    if not found.texts:
        return found
    size = sum(len(text.encode()) for text in found.texts)
    if size > MAX_CORPUS_BYTES:
        notices.show(
            tr(
                "This training text has {size:,} bytes; the limit here is {most:,} bytes. Use a shorter part of the"
                " text, or fewer files.",
                size=size,
                most=MAX_CORPUS_BYTES,
            )
        )
        return Corpus(found.name, ())
    characters = trn("{n:,} character", "{n:,} characters", sum(map(len, found.texts)))
    of_utf8 = trn("{n:,} byte (UTF-8)", "{n:,} bytes (UTF-8)", size)
    st.caption(", ".join([characters, of_utf8, trn("{n:,} text", "{n:,} texts", len(found.texts))]))
    return found


def _own(language: str) -> Corpus:
    return Corpus(language, (own_corpora()[language],), source={"corpus": language})


def _mixed() -> Corpus:
    share = THAI_SHARE.ask(st.slider, tr("Share of Thai text, in percent"), 0, 100)
    mixed = mix(share)
    st.caption(
        tr(
            "The mix has whole paragraphs, so the actual share may differ a little from the chosen one: {share:.1f}"
            " percent of the characters are in Thai paragraphs, {thai:,} of {all:,} (not counting empty lines).",
            share=mixed.share,
            thai=mixed.thai,
            all=mixed.characters,
        )
    )
    return Corpus(f"mix-{share}", (mixed.text,), source={"mix": share})


def _desk_text() -> Corpus:
    hint = tr("There is no text yet. Write a text in the Playground, or choose another training text.")
    return _single("desk", visitor().text, hint)


def _is_chosen(name: str) -> bool:
    return CORPUS.chosen == name


def _put_on_desk(text: object) -> None:
    visitor().put_text(page_snapshot.checked_text(text))


def _my_text() -> Corpus:
    text = st.text_area(tr("A text typed here"), key="corpus_text", persist_state="session", height=160)
    hint = tr("Paste or type a text to train on. A page of prose is enough to begin with.")
    return _single("my-text", text or "", hint)


def _counted() -> Corpus:
    text = st.text_area(tr("Words with counts"), DEFAULT_WORDS, key="corpus_words", persist_state="session", height=160)
    st.caption(tr("Each line: a word and its count. Each word is a pre-token; no split pattern is needed."))
    found = _single("words", text or "", tr("Paste or type words with their counts."))
    try:
        word_counts(found.texts[0] if found.texts else "")
    except TokenizerError as error:
        notices.show(str(error))
        return Corpus(found.name, ())
    return replace(found, counted=True)


def _single(name: str, text: str, hint: str) -> Corpus:
    text, replaced = well_formed(text)
    _show_changes(replaced)
    if not text:
        st.caption(hint)
    return Corpus(name, (text,) if text else ())


def _show_changes(replaced: int, empty: int = 0) -> None:
    if replaced:
        st.caption(
            trn(
                "{n:,} lone surrogate, which UTF-8 cannot write, became U+FFFD (�).",
                "{n:,} lone surrogates, which UTF-8 cannot write, became U+FFFD (�).",
                replaced,
            )
        )
    if empty:
        st.caption(trn("{n:,} empty text left out.", "{n:,} empty texts left out.", empty))


def _my_files() -> Corpus:
    state = st.session_state
    if "corpus_files" not in state:  # after a page change the uploader is empty; its files are kept as earlier ones
        state.corpus_earlier = state.get("corpus_kept", [])
    uploaded = st.file_uploader(
        tr("Text files, up to 5 MB each"),
        accept_multiple_files=True,
        key="corpus_files",
        max_upload_size=5,
        help=tr("In .jsonl, .csv and .tsv files, one field of each row holds a text. Any other file is one text."),
    )
    files = state.corpus_kept = [*state.corpus_earlier, *((file.name, file.getvalue()) for file in uploaded)]
    if not files:
        st.caption(tr("Add files to train on: .txt, .jsonl, .csv or .tsv."))
    if earlier := state.corpus_earlier:
        _list_earlier_files(earlier, earlier.clear)
    return Corpus("my-files", _texts(files))


def _list_earlier_files(files: Files, forget: Callable[[], object]) -> None:
    """Draws the list of files that were uploaded before a page change, and a button that removes them."""
    sizes = [trn("{n:,} byte", "{n:,} bytes", len(data)) for _, data in files]
    names = [f"<li><bdi>{escape(name)}</bdi>, {size}</li>" for (name, _), size in zip(files, sizes, strict=True)]
    begins = tr("Uploaded files still in use:")
    st.html(f"<p>{begins}</p><ul>{''.join(names)}</ul>")
    st.button(tr("Remove these files"), key="corpus_forget", on_click=forget)


def _texts(files: Files) -> tuple[str, ...]:
    size = sum(len(data) for _, data in files)
    if size > MAX_UPLOADED_BYTES:
        facts = {"n": size, "most": MAX_UPLOADED_BYTES}
        notices.show(tr("Together these files have {n:,} bytes; the limit is {most:,} bytes. Remove some.", **facts))
        return ()
    field, read, problems = _field(files), [], []
    for name, data in files:
        try:
            read.append(_corpus_file(name, data, field))
        except TokenizerError as error:
            problems.append(str(error))
    if problems:
        notices.show(tr("Files that could not be read and are left out:"), problems)
    _show_changes(sum(file.replaced for file in read), sum(file.empty for file in read))
    if read and not any(file.texts for file in read):
        st.caption(tr("These files have no text to train on."))
    return tuple(text for file in read for text in file.texts)


def _field(files: Files) -> str:
    """Draws the choice of the field that holds the text, for files with fields; returns its name."""
    names: Counter[str] = Counter()
    for name, data in files:
        with suppress(TokenizerError):  # reported when the file is read
            names.update(_fields(name, data) if has_fields(name) else ())
    if not names:
        return ""
    if st.session_state.get("corpus_field") not in names:
        st.session_state.corpus_field = most_text(names)
    return st.selectbox(
        tr("Field that holds the text"),
        list(names),
        key="corpus_field",
        format_func=lambda name: name or tr("(a field without a name)"),
        persist_state="session",
    )


def read_counts_file(data: bytes) -> CountsFile:
    """Returns the content of a `.counts` file; raises TokenizerError where it is not valid.

    >>> read_counts_file(Counts({"to": 2, " be": 2}, "gpt2", 2, 2, 2).to_bytes())[1:]
    ('gpt2', 10, 10, 2, 4, 2, 2, 2, 'to be')
    """
    text = unpacked(data, MAX_COUNTS_FILE_BYTES[1])
    found = Counts.from_text(text)
    characters = sum(len(pre_token) * n for pre_token, n in found.counts.items())
    sizes = characters, found.num_bytes, len(found.counts), found.total
    usable_pattern(found.pattern, sample := "".join(found.counts)[:MAX_SAMPLE_CHARACTERS])
    return CountsFile(text, found.pattern, *sizes, found.floor, found.left_out, found.left_out_total, sample)


_read_counts_file = cache.cached(read_counts_file)


def _counts() -> Corpus:
    state = st.session_state
    if "corpus_counts" not in state:
        state.counts_earlier = state.get("counts_kept")
    uploaded = st.file_uploader(
        tr("A .counts file, up to 10 MB"),
        type=["counts"],
        key="corpus_counts",
        max_upload_size=MAX_COUNTS_FILE_BYTES[0] // 1_000_000,
        help=tr(
            "A .counts file has the pre-tokens of a corpus of any size, split and counted beforehand. The "
            "command `python -m tokenizer.cluster count FOLDER` writes such a file."
        ),
    )
    file = state.counts_kept = (uploaded.name, uploaded.getvalue()) if uploaded else state.counts_earlier
    if file is None:
        st.caption(tr("Add a .counts file: the pre-tokens of a corpus, without its texts."))
        return Corpus("counts", ())
    if not uploaded:
        _list_earlier_files([file], partial(state.__setitem__, "counts_earlier", None))
    try:
        found = _read_counts_file(file[1])
    except TokenizerError as error:
        notices.show(notices.of_files([file[0]], str(error)))
        return Corpus("counts", ())
    _show_counts(found)
    return Corpus("counts", (found.text,) if found.distinct else (), counted=True, counts_file=found)


def _show_counts(found: CountsFile) -> None:
    distinct = trn("{n:,} distinct pre-token", "{n:,} distinct pre-tokens", found.distinct)
    occur = trn("{n:,} occurrence", "{n:,} occurrences", found.total)
    st.caption(", ".join([distinct, occur, trn("{n:,} byte (UTF-8)", "{n:,} bytes (UTF-8)", found.bytes)]))
    st.caption(
        tr(
            "Instead of a text, the page shows these pre-tokens, or the first of them, each once, in the order in which"
            " they first occurred."
        )
    )
    if found.left_out:
        st.caption(
            trn(
                "The counts leave out {n:,} pre-token that occurs fewer than {floor:,} times. So the counts "
                "of pairs are lower, and merges may differ from those of the whole corpus.",
                "The counts leave out {n:,} pre-tokens that occur fewer than {floor:,} times: {all:,} "
                "occurrences. So the counts of pairs are lower, and merges may differ from those of the "
                "whole corpus.",
                found.left_out,
                floor=found.floor,
                all=found.left_out_total,
            )
        )


def _public() -> Corpus:
    labels = {name: tr(corpus.label) for name, corpus in public_corpora.PUBLIC_CORPORA.items()}
    chosen = Choice("public", next(iter(labels)), one_of(labels)).select(tr("Public corpus"), labels)
    public = public_corpora.PUBLIC_CORPORA[chosen]
    st.caption(
        trn(
            "{n:,} byte, {licence}, from {source} on {host}",
            "{n:,} bytes, {licence}, from {source} on {host}",
            public.bytes,
            licence=tr(public.licence),
            source=public.source,
            host=public.host,
        )
    )
    if public_corpora.cached(public):
        return Corpus(public.name, (public_corpora.fetch(public),), source={"public": public.name})
    problems = st.session_state.setdefault("download_problems", {})
    if pending_action.button(tr("Download (needs the internet)"), key="download", icon=":material/download:"):
        pending_action.clear()  # the download must not start again in the next run
        problems.clear()
        try:
            with st.spinner(tr("Downloading …")):
                public_corpora.fetch(public)
            st.rerun()
        except TokenizerError as error:
            problems[public.name] = str(error)
    if public.name in problems:
        notices.show(problems[public.name])
    return Corpus(public.name, ())


# choice -> label, and the function that draws the rest and returns the corpus
SOURCES: dict[str, tuple[str, Callable[[], Corpus]]] = {
    **{one: (OWN_LABELS.get(one, one.title()), partial(_own, one)) for one in own_corpora()},
    "mix": (mark("Thai and English, mixed"), _mixed),
    "desk": (mark("Your text"), _desk_text),
    "own": (mark("A text typed here"), _my_text),
    "words": (mark("Words with counts"), _counted),
    "files": (mark("Files"), _my_files),
    "counts": (mark("Counted pre-tokens of a corpus (.counts file)"), _counts),
    "public": (mark("Tiny Shakespeare, and other public texts"), _public),
}
CORPUS = Choice("corpus", "english", one_of(SOURCES))


page_snapshot.register_box("train", "corpus_text", partial(_is_chosen, "own"))
page_snapshot.register_box("train", "corpus_words", partial(_is_chosen, "words"), DEFAULT_WORDS)
page_snapshot.register(
    "train", "desk", lambda: visitor().text if _is_chosen("desk") else None, _put_on_desk, page_snapshot.LINKS
)


def ask_for_own() -> None:
    """Opens the choices with the input for an own text."""
    CORPUS.choose("own")
    st.session_state.train_choices = True
