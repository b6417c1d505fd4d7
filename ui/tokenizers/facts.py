"""The facts about one tokenizer: its kind, size, special tokens and licence, and the source of its ids."""

from html import escape

import streamlit as st

from server.encodings import encoding_store
from server.encodings.encoding_store import StoredEncoding
from tokenizer import Encoding
from tokenizer.display.readable import size_in_words
from tokenizer.i18n import mark, tr
from tokenizer.kinds.open_models import BY_KEY, NAMES, Name, OpenModel
from tokenizer.text.utf8 import UTF8_BYTES

MAX_LISTED_SPECIALS = 12
MAX_SHOWN_CHARACTERS = 200  # of a pattern, or of a special token's name
KIND_DESCRIPTIONS = {
    "characters": mark("Characters: each character is a token"),
    "words": mark("BPE within lower-cased words"),
    "sentencepiece-bpe": "SentencePiece BPE",
    "sentencepiece-unigram": "SentencePiece Unigram",
    "huggingface-bpe": mark("BPE of Hugging Face"),
    "huggingface-unigram": mark("Unigram of Hugging Face"),
    "huggingface-wordpiece": "WordPiece",
    "huggingface-wordlevel": "WordLevel",
}
OPENAI_PROVENANCE = mark("MIT, the licence of tiktoken"), mark("OpenAI’s vocabulary file, whose sha256 was checked")


def headline(entry: StoredEncoding) -> None:
    """Draws a line with the name, kind and size of a tokenizer."""
    name, what, size = map(escape, (entry.name, kind(entry.encoding), size_in_words(entry.encoding)))
    st.html(f'<h2 class="finding"><bdi>{name}</bdi>: <b>{what}</b>, {size}</h2>')


def show(entry: StoredEncoding) -> None:
    """Draws the facts as a list of terms, and below it the notes on the tokenizer's file."""
    rows = "".join(f"<div><dt>{escape(term)}</dt><dd>{fact}</dd></div>" for term, fact in rows_of(entry).items())
    sentences = "".join(f"<li>{escape(tr(sentence))}</li>" for sentence in entry.encoding.model.notes)
    st.html(f'<dl class="tokenizer">{rows}</dl>{f"<ul class=tokenizer>{sentences}</ul>" if sentences else ""}')


def kind(encoding: Encoding) -> str:
    """Returns the name of an encoding's algorithm.

    >>> from tokenizer import get_encoding
    >>> kind(get_encoding("gpt2"))
    'Byte-level BPE'
    """
    if encoding.kind == "bpe" and encoding.merges:
        return tr("Byte-level BPE") if encoding.merges.alphabet == "bytes" else tr("BPE from characters")
    return tr(KIND_DESCRIPTIONS.get(encoding.kind, encoding.kind))


def summary(encoding: Encoding) -> str:
    """Returns kind, size and split pattern in one line.

    >>> from tokenizer import get_encoding
    >>> summary(get_encoding("gpt2"))
    'Byte-level BPE, 50,256 tokens + 1 special token, split pattern gpt2'
    """
    parts = [kind(encoding), size_in_words(encoding)]
    if encoding.pattern_name:
        parts.append(tr("split pattern {name}", name=encoding.pattern_name))
    elif encoding.pattern:
        parts.append(tr("split pattern of its own"))
    return ", ".join(parts)


def rows_of(entry: StoredEncoding) -> dict[str, str]:
    """Returns the facts about a tokenizer, as HTML, by their terms."""
    encoding = entry.encoding
    licence, source = provenance(entry)
    size = tr("{size}, largest id {last:,}", size=size_in_words(encoding), last=encoding.id_limit - 1)
    facts = {
        tr("Kind"): escape(kind(encoding)),
        tr("Ids computed by"): escape(tr(encoding.engine)),
        tr("Vocabulary"): escape(size),
        tr("Split pattern"): split(encoding),
        tr("Unknown text"): escape(unknown(encoding)),
        tr("Licence"): escape(licence),
        tr("Source of the ids"): escape(source),
    }
    if known := BY_KEY.get(entry.key):
        nothing = tr("nothing: no second source of the ids is known here")
        facts[tr("Checked against")] = escape(known.checked or nothing)
        if others := " ".join(model_link(one) for one in NAMES.values() if one.key == known.key):
            facts[tr("Also used by")] = others
    facts[tr("Fingerprint (sha256, first 16 digits)")] = f"<code>{escape(encoding.fingerprint[:16])}</code>"
    return facts | {tr("Special tokens"): special_tokens(encoding)}


def model_link(one: Name) -> str:
    """Returns, as HTML, a link to the source for the fact that a model uses another model's vocabulary."""
    link = f'<a href="{escape(one.url)}" rel="noopener" target="_blank">{escape(one.display_name)}</a>'
    return f"{link}: {escape(tr(one.description, base=one.base))}"


def special_tokens(encoding: Encoding) -> str:
    """Returns the names and ids of the first special tokens, as HTML."""
    found = sorted(encoding.special_tokens.items(), key=lambda one: one[1])
    first = found[:MAX_LISTED_SPECIALS]
    named = [f"<code><bdi>{escape(name[:MAX_SHOWN_CHARACTERS])}</bdi></code> {id}" for name, id in first]
    more = [tr("and {more:,} more", more=len(found) - MAX_LISTED_SPECIALS)] if len(found) > MAX_LISTED_SPECIALS else []
    return ", ".join([*named, *more]) or escape(tr("none"))


def split(encoding: Encoding) -> str:
    """Returns the split pattern, or the name of a known one, as HTML."""
    if encoding.pattern is None and encoding.kind.startswith("huggingface"):
        return escape(tr("none: the tokenizer’s pre-tokenizer, if there is one, splits the text"))
    if encoding.pattern is None:
        return escape(tr("none: no pattern splits the text") if encoding.kind != "words" else tr("words"))
    if encoding.pattern_name:
        return escape(encoding.pattern_name)
    is_long = len(encoding.pattern) > MAX_SHOWN_CHARACTERS
    shown = f"{encoding.pattern[: MAX_SHOWN_CHARACTERS - 1]}…" if is_long else encoding.pattern
    return f"<code>{escape(shown)}</code>"


def unknown(encoding: Encoding) -> str:
    """Returns a sentence about text that is not in the vocabulary: unknown token, bytes, or no such text."""
    found = {encoding.piece(id) for id, token in enumerate(encoding.table) if token in (b"\x00", b"\xff")}
    if {"<0x00>", "<0xFF>"} <= found:  # byte fallback, also where there is an unknown token
        return tr("Unknown text becomes its bytes, which are tokens from <0x00> to <0xFF>.")
    if encoding.unknown_id is not None:
        piece = encoding.piece(encoding.unknown_id)
        return tr("Unknown text becomes {piece}, id {id:,}.", piece=piece, id=encoding.unknown_id)
    if encoding.drops_unmatched:
        return tr(
            "{name} leaves out text that the split pattern does not match; that text is not in any token.",
            name=encoding.name,
        )
    if not UTF8_BYTES.difference(encoding.table):
        return tr("no text is unknown: each byte is a token")
    return tr("there is no unknown token: text that is not in the vocabulary is left out")


def provenance(entry: StoredEncoding) -> tuple[str, str]:
    """Returns the licence of a vocabulary and the source of its ids."""
    if known := BY_KEY.get(entry.key):
        return tr(known.licence), from_package(known)
    if not encoding_store.is_made(entry.key):
        licence, source = OPENAI_PROVENANCE
        return tr(licence), tr(source)
    source = tr("{how}, under the name {name}", how=encoding_store.origin_sentence(entry.key), name=entry.name)
    return tr("not known here"), source


def from_package(known: OpenModel) -> str:
    """Returns the package of an open model's ids and the source that the package names."""
    if known.file:
        return tr("{package}, from {source}", package=known.file.distribution, source=tr(known.source))
    return tr("splintr-rs, from {source}", source=tr(known.source))
