"""Two sentences that say the same, one beside the other, cut into tokens, and what the one's cost is made of."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

import pandas as pd
import streamlit as st

from tokenizer import Encoding
from tokenizer.errors import counted
from tokenizer.languages.premium import count_tokens, premium, size
from ui.desk import own_text
from ui.desk.strip import strip
from ui.server.shelf import Entry

FACTS = {  # of a premium, row by row: what it is called, how it is written, and of which numbers
    "on other sentences like these (95 %)": ("{:.2f}–{:.2f}", "low", "high"),
    "from the least to the most expensive kind": ("{:.2f}–{:.2f}", "least_kind", "most_kind"),
    "on the Declaration of Human Rights": ("{:.2f}", "declared"),
    "characters per token": ("{:.2f}", "held"),
    "UTF-8 bytes": ("{:.2f}", "byte_premium"),
}
CAUSES = {"length": "characters", "density": "× tokens per character", "premium": "= tokens"}


class Side(NamedTuple):
    """A sentence and what it is called; `tag` is a BCP 47 tag or empty, `direction` "ltr", "rtl" or "auto"."""

    name: str
    text: str
    tag: str = ""
    direction: str = "auto"


def pair(key: str, base: Side, other: Side, entry: Entry) -> None:
    """Draws both sentences in an encoding, and their premium as a line of arithmetic."""
    with st.container(key=f"pair_{key}"):
        for place, (column, side) in enumerate(zip(st.columns(2), (base, other), strict=True)):
            tokens = entry.encoding.tokenize(side.text)
            with column:
                st.html(f"<h3><bdi>{escape(side.name)}</bdi></h3>")
                strip(f"{key}_{place}", tokens, entry, own_text.SENTENCE, side.tag, side.direction)
                st.caption(counts(side.text, len(tokens)))
        st.html(arithmetic(base, other, entry.encoding))


def counts(text: str, tokens: int) -> str:
    """Returns what a sentence is made of, in words.

    >>> counts("one two", 2)
    '2 tokens · 7 characters · 7 bytes · 2 words (ICU)'
    """
    own = size([text])
    facts = [
        counted(tokens, "token"),
        counted(own.characters[0], "character"),
        counted(own.bytes[0], "byte"),
        counted(own.words[0], "word") + " (ICU)",
    ]
    return " · ".join(facts)


def arithmetic(base: Side, other: Side, encoding: Encoding) -> str:
    """Returns how many times as many tokens the one sentence costs, as a product, in HTML; nothing if one is empty."""
    if not base.text or not other.text:
        return ""
    tokens = [count_tokens([side.text], encoding) for side in (other, base)]
    found = premium(size([other.text]), tokens[0], size([base.text]), tokens[1])
    return (
        f'<p class="product"><b>{found.tokens:.2f}×</b> the tokens of <bdi>{escape(base.name)}</bdi> ='
        f" <span>{found.length:.2f} characters</span> × <span>{found.density:.2f} tokens per character</span></p>"
    )


def causes(base: str, rows: Sequence[Mapping]) -> str:
    """Returns what premiums are made of as HTML: bars, a row for each encoding; a line in each cell is the base's 1.

    >>> causes("English", [{"model": "x", "length": 0.5, "density": 8, "premium": 4}]).count("--share:0.5000")
    1
    """
    most = max(1.0, *(row[cause] for row in rows for cause in CAUSES))
    head = "".join(f"<th scope='col'>{words}</th>" for words in CAUSES.values())
    body = ""
    for row in rows:
        cells = "".join(
            f'<td class="{cause}"><i style="--share:{row[cause] / most:.4f}"></i>{row[cause]:.2f}</td>'
            for cause in CAUSES
        )
        body += f"<tr><th scope='row'><bdi>{escape(row['model'])}</bdi></th>{cells}</tr>"
    caption = f"Times <bdi>{escape(base)}</bdi>: the line in each column marks its 1."
    parts = f"<caption>{caption}</caption><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="wide" style="--one:{1 / most:.4f}"><table class="causes">{parts}</table></div>'


def facts(rows: Sequence[Mapping]) -> str:
    """Returns how far to trust premiums as HTML, a column for each encoding; a fact that none has is left out.

    >>> facts([{"model": "x", "held": 2, "declared": None}]).count("<tr>")
    3
    """
    head = "".join(f"<th scope='col'>{escape(row['model'])}</th>" for row in rows)
    body = ""
    for name, (form, *keys) in FACTS.items():
        if all(key in row for row in rows for key in keys):
            found = [[row[key] for key in keys] for row in rows]
            cells = [form.format(*own) if pd.notna(own).all() else "–" for own in found]
            body += f"<tr><th scope='row'>{name}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
    parts = f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody>"
    table = f'<table class="factors">{parts}</table>'
    return f'<div class="wide" role="region" tabindex="0" aria-label="How far to trust it">{table}</div>'
