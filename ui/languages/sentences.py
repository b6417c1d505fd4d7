"""Two sentences that say the same, one beside the other, cut into tokens, and what the one's cost is made of."""

from collections.abc import Mapping, Sequence
from html import escape
from string import Formatter
from typing import NamedTuple

import pandas as pd

from tokenizer import Encoding
from tokenizer.display.strip import strip
from tokenizer.errors import counted
from tokenizer.languages.premium import count_tokens, premium, size

FACTS = {  # of a premium, row by row: what it is called, and how it is written
    "premium": "<b>{premium:.2f}</b>",
    "on other sentences like these (95 %)": "{low:.2f}–{high:.2f}",
    "from the cheapest to the dearest kind": "{least_kind:.2f}–{most_kind:.2f}",
    "on the Declaration of Human Rights": "{declared:.2f}",
    "= characters": "{length:.2f}",
    "× tokens per character": "{density:.2f}",
    "characters per token": "{held:.2f}",
    "UTF-8 bytes": "{byte_premium:.2f}",
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
    body = "".join(
        f"<tr><th scope='row'>{name}</th>{''.join(f'<td>{_written(fact, row)}</td>' for row in rows)}</tr>"
        for name, fact in FACTS.items()
        if all(key in row for _, key, *_ in Formatter().parse(fact) if key for row in rows)
    )
    parts = f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody>"
    table = f'<table class="factors">{parts}</table>'
    return f'<div class="wide" role="region" tabindex="0" aria-label="Factors">{table}</div>'


def _written(fact: str, row: Mapping) -> str:
    return "–" if "declared" in fact and pd.isna(row["declared"]) else fact.format_map(row)
