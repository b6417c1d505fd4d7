"""The stages of a tokenizer: the output of each stage for a text, and what the stage changed."""

import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from html import escape

import streamlit as st

from server.encodings.encoding_store import StoredEncoding
from tokenizer.display.readable import readable
from tokenizer.encoding.interface import BYTE_SPELLING
from tokenizer.encoding.model import Stage
from tokenizer.encoding.spelling import unspell
from tokenizer.i18n import mark, tr, trn
from tokenizer.text.well_formed import as_text
from ui.components import notices
from ui.session.choices import switch

MAX_TEXT_CHARACTERS = 2_000
MAX_COMPARED_CHARACTERS = 1_000  # characters or pieces that are compared with those of the stage before
MAX_DRAWN_PIECES = 300  # of one stage
STAGE_LABELS = {
    "split": mark("Split"),
    "normalizer": mark("Normalizer"),
    "pre-tokenizer": mark("Pre-tokenizer"),
    "model": mark("Tokens"),
    "post-processor": mark("Post-processor"),
    "decoder": mark("Decoder"),
}


OF_PIECES = ("pre-tokenizer", "model", "post-processor")
AS_IN_FILE = switch("as_in_file")
MIDDLE_DOT = mark("· is a space, or the middle dot itself, which occurs in the text.")
LEGEND = {
    "·": mark("· is a space."),
    "‹U+": mark("‹U+…› is an invisible character."),
    bytes: mark("F0 9F and the like are the bytes, in hex, of a token with part of a character."),
}


@notices.errors_shown()
def show(entry: StoredEncoding, text: str) -> None:
    """Draws the output of each stage of an encoding for the beginning of a text."""
    stages = entry.encoding.stages(text[:MAX_TEXT_CHARACTERS]) if text else []
    if not stages:
        st.caption(tr("No text yet. Write something above, or try an example."))
        return
    if len(text) > MAX_TEXT_CHARACTERS:
        st.caption(tr("The first {most:,} characters of this text:", most=MAX_TEXT_CHARACTERS))
    is_spelled = any(read_spelling(stage.output) != stage.output for stage in stages if stage.name in OF_PIECES)
    is_read = is_spelled and not AS_IN_FILE.ask(
        st.toggle, tr("Show tokens as in the tokenizer’s file, with Ġ for a space")
    )
    drawn = html(text[:MAX_TEXT_CHARACTERS], stages, is_read)
    st.html(drawn)
    has_bytes = is_read and any(isinstance(one, bytes) for stage in stages for one in read_spelling(stage.output))
    if words := legend(text, drawn, has_bytes):
        st.caption(words)


def legend(text: str, drawn: str, has_bytes: bool) -> str:
    """Returns what the signs in the drawn stages of a text stand for; `has_bytes`: there are tokens of bytes.

    >>> legend("ab", "ab", False), legend("a b", "a·b", False), legend("a·b", "a·b", False)
    ('', '· is a space.', '· is a space, or the middle dot itself, which occurs in the text.')
    """
    signs = LEGEND | {"·": MIDDLE_DOT} if "·" in text else LEGEND
    return " ".join(tr(words) for sign, words in signs.items() if (has_bytes if sign is bytes else sign in drawn))


def html(text: str, stages: Sequence[Stage], is_read: bool = False) -> str:
    """Returns the stages as an HTML list; changes are underlined. `is_read`: pieces that spell bytes are read.

    >>> html("A", [Stage("normalizer", ["a"], "Lowercase converts letters to lower case.")])
    ... # doctest: +NORMALIZE_WHITESPACE
    '<ol class="stages"><li><h3>Normalizer</h3><p>Lowercase converts letters to lower case.</p><div class="out"
     tabindex="0" role="group" aria-label="Normalizer"><span
     class="text" dir="ltr"><mark>a</mark></span></div></li></ol>'
    """
    drawn, before = [], []
    for stage in stages:
        if is_read and stage.name in OF_PIECES:
            words = stage.description.removesuffix(tr(BYTE_SPELLING)).strip()
            stage = stage._replace(output=read_spelling(stage.output), description=words)
        description = f"<p>{escape(stage.description)}</p>" if stage.description else ""
        name = tr(STAGE_LABELS[stage.name]) if stage.name in STAGE_LABELS else stage.name.capitalize()
        drawn.append(f"<li><h3>{escape(name)}</h3>{description}{output(text, stage, before, name)}</li>")
        before = stage.output
    return f'<ol class="stages">{"".join(drawn)}</ol>'


def read_spelling(pieces: Sequence[str]) -> list[str | bytes]:
    """Returns the texts of pieces that spell bytes as GPT-2's files do, or bytes that are no text; others as they are.

    >>> read_spelling(["The", "Ġcaf", "Ã©"]), read_spelling(["café", "▁"]), read_spelling(["Ã", "©"])
    (['The', ' caf', 'é'], ['café', '▁'], [b'\\xc3', b'\\xa9'])
    """
    try:
        data = [unspell(piece) for piece in pieces]
        b"".join(data).decode()  # raises where the bytes are not UTF-8: then the pieces spell no bytes
    except (KeyError, UnicodeDecodeError):
        return list(pieces)
    return [one if (text := as_text(one)) is None else text for one in data]


def output(text: str, stage: Stage, before: Sequence[str], name: str) -> str:
    """Returns the output of a stage as HTML: a text compared with the typed one, or pieces compared with `before`.

    It can be focused, because a long output scrolls; its name is the stage's.
    """
    reached = f'tabindex="0" role="group" aria-label="{escape(name)}"'
    if not any(stage.output):
        nothing = escape(tr("The result is empty."))
        return f'<p class="none">{nothing}</p>'
    if stage.name in ("normalizer", "decoder"):
        drawn = compared(text, "".join(stage.output))
        return f'<div class="out" {reached}><span class="text" dir="{direction(text)}">{drawn}</span></div>'
    pieces = stage.output[:MAX_DRAWN_PIECES]
    new = added(before[:MAX_COMPARED_CHARACTERS], pieces) if stage.name == "post-processor" else set()
    boxes = "".join(box(piece, i in new) for i, piece in enumerate(pieces))
    rest = len(stage.output) - len(pieces)
    more = escape(trn("and {n:,} more item", "and {n:,} more items", rest))
    more = f'<span class="more">{more}</span>' if rest else ""
    return f'<div class="out" dir="{direction(text)}" {reached}>{boxes}{more}</div>'


def box(piece: str | bytes, is_new: bool = False) -> str:
    """Returns a piece as HTML, marked if it is new.

    >>> box("<b>")
    '<span class="box"><bdi>&lt;b&gt;</bdi></span>'
    """
    drawn = drawable(piece) or "∅"
    return f'<span class="box"><bdi>{f"<mark>{drawn}</mark>" if is_new else drawn}</bdi></span>'


def compared(before: str, after: str) -> str:
    """Returns a text as HTML with its differences from another text: insertions underlined, deletions struck through.

    >>> compared("a b", "a_b"), compared("ab ", "ab")
    ('a<mark>_</mark>b', 'ab<del>·</del>')
    """
    known, new = before[:MAX_COMPARED_CHARACTERS], after[:MAX_COMPARED_CHARACTERS]
    parts = []
    for change, first, last, start, end in SequenceMatcher(None, known, new, autojunk=False).get_opcodes():
        tag = {"delete": "del", "equal": ""}.get(change, "mark")
        drawn = drawable(known[first:last] if change == "delete" else new[start:end])
        parts.append(f"<{tag}>{drawn}</{tag}>" if tag else drawn)
    return "".join(parts) + drawable(after[MAX_COMPARED_CHARACTERS:])


def drawable(text: str | bytes) -> str:
    """Returns a text as HTML, with its invisible characters marked or named; bytes in hex.

    >>> drawable("<b> "), drawable("")
    ('&lt;b&gt;·', '')
    """
    return escape(readable(text.encode() if isinstance(text, str) else text, 2 * MAX_TEXT_CHARACTERS))


def direction(text: str) -> str:
    """Returns "rtl" if the first strong character of a text is right-to-left, else "ltr".

    >>> direction("1 שלום"), direction("1 a")
    ('rtl', 'ltr')
    """
    strong = (kind for kind in map(unicodedata.bidirectional, text) if kind in ("L", "R", "AL"))
    return "ltr" if next(strong, "L") == "L" else "rtl"


def added(before: Sequence[str], after: Sequence[str]) -> set[int]:
    """Returns the indices of the pieces that are new or changed.

    >>> sorted(added(["a", "b"], ["[CLS]", "a", "b", "[SEP]"]))
    [0, 3]
    """
    runs = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return {i for change, _, _, start, end in runs if change != "equal" for i in range(start, end)}
