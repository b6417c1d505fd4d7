"""What to train on, as a reader chooses it: our own texts, one of theirs, their files or counts, a public corpus."""

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
from tokenizer.training.corpus import FORMS, hold_out, word_counts
from tokenizer.training.counts import Counts, unpacked
from ui.components import cache, notices
from ui.session import page_snapshot, pending_action
from ui.session.choices import Choice, int_in_range, one_of
from ui.session.visitor_state import visitor

WORDS = "hug 10\npug 5\npun 12\nbun 4\nhugs 5"  # what stands in the box for words at first
MOST_CORPUS_BYTES = 10_000_000
FORM_LABELS = {"as-is": mark("as it is"), "lower": mark("in lower case"), "nfc": mark("in NFC")}
MOST_UPLOADED_BYTES = 25_000_000  # what the files may have together; their texts are fewer bytes than they
OWN_LABELS = {  # of our own texts
    "english": mark("English, a text that comes with the app"),
    "thai": mark("Thai, a text that comes with the app"),
}
TEXT_FORM = Choice("text_form", "as-is", one_of(FORMS))
HELD_OUT = Choice("held_out", "0", lambda asked: one_of(("0", "20"))(asked) == "20", lambda on: "20" if on else "0")
THAI_SHARE = Choice("thai_share", "50", int_in_range(0, 100))

COUNTS_BYTES = 10_000_000, 25_000_000  # what a file of counts may have, packed and unpacked
LONGEST_SAMPLE = 100_000  # characters of pre-tokens that stand for a corpus where a text is shown

Files = list[tuple[str, bytes]]

_corpus_file, _fields = cache.cached(read_corpus_file), cache.cached(fields_of)


class Cut(NamedTuple):
    """What a file of counts holds: pre-tokens, cut and counted elsewhere; `sample` is what they begin with."""

    text: str  # the file's own
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
    """Texts to train on, none where there is nothing to train on; `name` is fit for a file's name.

    They may be words with their counts, or pre-tokens that are `cut` and counted already. The last `held_out` of them
    are not learned from. `source` names a text of ours, as `server/encodings/recipes.py` has it.
    """

    name: str
    texts: tuple[str, ...]
    counted: bool = False
    held_out: int = 0
    source: dict | None = None
    cut: Cut | None = None

    @property
    def sample(self) -> str:
        """What stands for it where a text is shown."""
        return self.cut.sample if self.cut else self.texts[0] if self.texts else ""

    @property
    def characters(self) -> int:
        """How many characters it has."""
        return self.cut.characters if self.cut else sum(map(len, self.texts))


def corpus() -> Corpus:
    """The training texts; `?corpus=` in the address may name the choice."""
    labels = {name: tr(label) for name, (label, _) in SOURCES.items()}
    found = SOURCES[CORPUS.select(tr("Training text"), labels)][1]()
    if _is_chosen("counts"):  # cut and counted: there is no text any more to change or to hold out
        return found
    words = tr("Only the training text is changed. The encoding reads other texts as they are written.")
    form = TEXT_FORM.segmented(tr("Before training"), FORM_LABELS, help=words)
    source = found.source and found.source | {"form": form}
    return _held_out(_bounded(replace(found, texts=tuple(map(FORMS[form], found.texts)), source=source)))


def _held_out(found: Corpus) -> Corpus:
    """The corpus with its last fifth as texts of their own, where that is chosen."""
    is_on = HELD_OUT.ask(
        st.toggle,
        tr("Hold out the last fifth"),
        help=tr(
            "No merge is learned from the last 20 percent of the characters; they show how well the tokens fit text"
            " that the training has not seen."
        ),
    )
    if not is_on or not found.texts:
        return found
    kept, held = hold_out(found.texts)
    if not kept:
        st.caption(tr("This text is too short to hold any of it out."))
        return found
    size = sum(map(len, held))
    st.caption(trn("Held out: the last {n:,} character.", "Held out: the last {n:,} characters.", size))
    source = found.source and found.source | {"held_out": True}
    return replace(found, texts=(*kept, *held), held_out=len(held), source=source)


def _bounded(found: Corpus) -> Corpus:
    """The corpus with its size said, or without its texts where it is too large."""
    if not found.texts:
        return found
    size = sum(len(text.encode()) for text in found.texts)
    if size > MOST_CORPUS_BYTES:
        notices.show(
            tr(
                "This training text has {size:,} bytes; the limit here is {most:,}. Try a shorter part of it, or fewer"
                " files.",
                size=size,
                most=MOST_CORPUS_BYTES,
            )
        )
        return Corpus(found.name, ())
    characters = trn("{n:,} character", "{n:,} characters", found.characters)
    of_utf8 = trn("{n:,} byte (UTF-8)", "{n:,} bytes (UTF-8)", size)
    st.caption(", ".join([characters, of_utf8, trn("{n:,} text", "{n:,} texts", len(found.texts))]))
    return found


# Our own texts


def _own(language: str) -> Corpus:
    return Corpus(language, (own_corpora()[language],), source={"corpus": language})


def _mixed() -> Corpus:
    share = THAI_SHARE.ask(st.slider, tr("Share of Thai in the characters, in percent"), 0, 100)
    mixed = mix(share)
    st.caption(
        tr(
            "In whole paragraphs, Thai comes to {share:.1f} percent: {thai:,} of {all:,} characters, not counting empty"
            " lines.",
            share=mixed.share,
            thai=mixed.thai,
            all=mixed.characters,
        )
    )
    return Corpus(f"mix-{share}", (mixed.text,), source={"mix": share})


# The reader's


def _desk_text() -> Corpus:
    hint = tr("The desk is empty. Put a text on it in the playground, or choose another.")
    return _single("desk", visitor().text, hint)


def _is_chosen(name: str) -> bool:
    return visitor().choices.get(CORPUS.name) == name


def _put_on_desk(text: object) -> None:
    visitor().put_text(page_snapshot.checked_text(text))


def _my_text() -> Corpus:
    text = st.text_area(tr("My own text"), key="corpus_text", persist_state="session", height=160)
    hint = tr("Paste or type a text to train on. A page of prose is enough to begin with.")
    return _single("my-text", text or "", hint)


def _counted() -> Corpus:
    text = st.text_area(tr("Words with counts"), WORDS, key="corpus_words", persist_state="session", height=160)
    st.caption(tr("A word and how often it occurs on each line. Each word is a pre-token; no split pattern is needed."))
    found = _single("words", text or "", tr("Paste or type words with their counts."))
    try:
        word_counts(found.texts[0] if found.texts else "")
    except TokenizerError as error:
        notices.show(str(error))
        return Corpus(found.name, ())
    return replace(found, counted=True)


def _single(name: str, text: str, hint: str) -> Corpus:
    text, replaced = well_formed(text)
    _say_changes(replaced)
    if not text:
        st.caption(hint)
    return Corpus(name, (text,) if text else ())


def _say_changes(replaced: int, empty: int = 0) -> None:
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


# Files


def _my_files() -> Corpus:
    state = st.session_state
    if "corpus_files" not in state:  # after another page or choice the uploader is empty: what it held is from before
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
        _from_before(earlier, earlier.clear)
    return Corpus("my-files", _texts(files))


def _from_before(files: Files, forget: Callable[[], object]) -> None:
    """Lists files that were brought before, and offers to remove them."""
    sizes = [trn("{n:,} byte", "{n:,} bytes", len(data)) for _, data in files]
    names = [f"<li><bdi>{escape(name)}</bdi>, {size}</li>" for (name, _), size in zip(files, sizes, strict=True)]
    begins = tr("From before, still in use:")
    st.html(f"<p>{begins}</p><ul>{''.join(names)}</ul>")
    st.button(tr("Remove these files"), key="corpus_forget", on_click=forget)


def _texts(files: Files) -> tuple[str, ...]:
    size = sum(len(data) for _, data in files)
    if size > MOST_UPLOADED_BYTES:
        said = tr(
            "Together these files have {n:,} bytes; the limit is {most:,}. Remove some.",
            n=size,
            most=MOST_UPLOADED_BYTES,
        )
        notices.show(said)
        return ()
    field, read, problems = _field(files), [], []
    for name, data in files:
        try:
            read.append(_corpus_file(name, data, field))
        except TokenizerError as error:
            problems.append(str(error))
    if problems:
        notices.show(tr("Could not be read, so left out:"), problems)
    _say_changes(sum(file.replaced for file in read), sum(file.empty for file in read))
    if read and not any(file.texts for file in read):
        st.caption(tr("There is no text in these files to train on."))
    return tuple(text for file in read for text in file.texts)


def _field(files: Files) -> str:
    """The field that holds the text, where there is a file with fields."""
    names: Counter[str] = Counter()
    for name, data in files:
        with suppress(TokenizerError):  # said when the file is read
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


# Counts


def read_cut(data: bytes) -> Cut:
    """Returns what a file of counts holds; raises TokenizerError.

    >>> read_cut(Counts({"to": 2, " be": 2}, "gpt2", 2, 2, 2).to_bytes())[1:]
    ('gpt2', 10, 10, 2, 4, 2, 2, 2, 'to be')
    """
    text = unpacked(data, COUNTS_BYTES[1])
    found = Counts.from_text(text)
    characters = sum(len(pre_token) * n for pre_token, n in found.counts.items())
    sizes = characters, found.num_bytes, len(found.counts), found.total
    usable_pattern(found.pattern, sample := "".join(found.counts)[:LONGEST_SAMPLE])
    return Cut(text, found.pattern, *sizes, found.floor, found.left_out, found.left_out_total, sample)


_cut = cache.cached(read_cut)


def _counts() -> Corpus:
    state = st.session_state
    if "corpus_counts" not in state:
        state.counts_earlier = state.get("counts_kept")
    uploaded = st.file_uploader(
        tr("A .counts file, up to 10 MB"),
        type=["counts"],
        key="corpus_counts",
        max_upload_size=COUNTS_BYTES[0] // 1_000_000,
        help=tr(
            "The pre-tokens of a corpus of any size, cut and counted on other machines: `python -m tokenizer.cluster"
            " count FOLDER` writes such a file."
        ),
    )
    file = state.counts_kept = (uploaded.name, uploaded.getvalue()) if uploaded else state.counts_earlier
    if file is None:
        st.caption(tr("Add a .counts file: the pre-tokens of a corpus, which itself stays where it is."))
        return Corpus("counts", ())
    if not uploaded:
        _from_before([file], partial(state.__setitem__, "counts_earlier", None))
    try:
        found = _cut(file[1])
    except TokenizerError as error:
        notices.show(str(error))
        return Corpus("counts", ())
    _say_counts(found)
    return Corpus("counts", (found.text,) if found.distinct else (), counted=True, cut=found)


def _say_counts(found: Cut) -> None:
    distinct = trn("{n:,} distinct pre-token", "{n:,} distinct pre-tokens", found.distinct)
    occur = trn("{n:,} occurrence", "{n:,} occurrences", found.total)
    st.caption(", ".join([distinct, occur, trn("{n:,} byte (UTF-8)", "{n:,} bytes (UTF-8)", found.bytes)]))
    st.caption(tr("Where a text is shown, these stand for it: each once, in the order in which they first occurred."))
    if found.left_out:
        st.caption(
            trn(
                "When it was counted, {n:,} pre-token that occurs fewer than {floor:,} times was left out. Pairs count"
                " less without it, and merges may differ from those of the whole corpus.",
                "When it was counted, {n:,} pre-tokens that occur fewer than {floor:,} times were left out:"
                " {all:,} occurrences. Pairs count less without them, and merges may differ from those of the whole"
                " corpus.",
                found.left_out,
                floor=found.floor,
                all=found.left_out_total,
            )
        )


# Public corpora


def _public() -> Corpus:
    labels = {name: tr(corpus.label) for name, corpus in public_corpora.PUBLIC.items()}
    chosen = Choice("public", next(iter(labels)), one_of(labels)).select(tr("Public corpus"), labels)
    public = public_corpora.PUBLIC[chosen]
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
        pending_action.clear()  # once is enough
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


SOURCES: dict[str, tuple[str, Callable[[], Corpus]]] = {  # the choices: of each its label, and what asks for the rest
    **{one: (OWN_LABELS.get(one, one.title()), partial(_own, one)) for one in own_corpora()},
    "mix": (mark("Thai and English, mixed"), _mixed),
    "desk": (mark("The text on the desk"), _desk_text),
    "own": (mark("My own text"), _my_text),
    "words": (mark("Words with counts"), _counted),
    "files": (mark("Files"), _my_files),
    "counts": (mark("Counts of a larger corpus (.counts)"), _counts),
    "public": (mark("Tiny Shakespeare, and other public texts"), _public),
}
CORPUS = Choice("corpus", "english", one_of(SOURCES))


page_snapshot.register_box("train", "corpus_text", partial(_is_chosen, "own"))
page_snapshot.register_box("train", "corpus_words", partial(_is_chosen, "words"))
page_snapshot.register(
    "train", "desk", lambda: visitor().text if _is_chosen("desk") else None, _put_on_desk, page_snapshot.LINKS
)


def ask_for_own() -> None:
    """Opens the choices where one's own text is asked for."""
    CORPUS.choose("own")
    st.session_state.train_choices = True
