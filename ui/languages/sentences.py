"""Two sentences that say the same, one beside the other, cut into tokens, and what the one's cost is made of."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

import pandas as pd

from tokenizer import Encoding
from tokenizer.display.strip import strip
from tokenizer.errors import counted
from tokenizer.languages.premium import count_tokens, premium, size

FACTS = {  # of a premium, row by row: what it is called, how it is written, and of which numbers
    "premium": ("<b>{:.2f}</b>", "premium"),
    "on other sentences like these (95 %)": ("{:.2f}–{:.2f}", "low", "high"),
    "from the cheapest to the dearest kind": ("{:.2f}–{:.2f}", "least_kind", "most_kind"),
    "on the Declaration of Human Rights": ("{:.2f}", "declared"),
    "= characters": ("{:.2f}", "length"),
    "× tokens per character": ("{:.2f}", "density"),
    "characters per token": ("{:.2f}", "held"),
    "UTF-8 bytes": ("{:.2f}", "byte_premium"),
}


class Side(NamedTuple):
    """A sentence and what it is called; `tag` is a BCP 47 tag or empty, `direction` "ltr", "rtl" or "auto"."""

    name: str
    text: str
    tag: str = ""
    direction: str = "auto"


def pair(base: Side, other: Side, encoding: Encoding) -> str:
    """Returns both sentences as HTML, and their premium as a line of arithmetic."""
    return f'<div class="pair">{_side(base, encoding)}{_side(other, encoding)}</div>{arithmetic(base, other, encoding)}'


def _side(side: Side, encoding: Encoding) -> str:
    tokens, own = encoding.tokenize(side.text), size([side.text])
    facts = [
        counted(len(tokens), "token"),
        counted(own.characters[0], "character"),
        counted(own.bytes[0], "byte"),
        counted(own.words[0], "word") + " (ICU)",
    ]
    lang = f' lang="{escape(side.tag)}"' if side.tag else ""
    return (
        f"<section><h4><bdi>{escape(side.name)}</bdi></h4>"
        f'<div class="strip" dir="{side.direction}"{lang}>{strip(tokens, encoding)}</div>'
        f"<p>{' · '.join(facts)}</p></section>"
    )


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


def product(rows: Sequence[Mapping]) -> str:
    """Returns premiums and their factors as HTML, a column for each encoding; a fact that none has is left out.

    >>> product([{"encoding": "x", "premium": 2, "declared": None}]).count("<tr>")
    3
    """
    head = "".join(f"<th scope='col'>{escape(row['encoding'])}</th>" for row in rows)
    body = ""
    for name, (form, *keys) in FACTS.items():
        if all(key in row for row in rows for key in keys):
            found = [[row[key] for key in keys] for row in rows]
            cells = [form.format(*own) if pd.notna(own).all() else "–" for own in found]
            body += f"<tr><th scope='row'>{name}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
    parts = f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody>"
    table = f'<table class="factors">{parts}</table>'
    return f'<div class="wide" role="region" tabindex="0" aria-label="Factors">{table}</div>'
