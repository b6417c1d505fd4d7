"""Two sentences that say the same, one beside the other, cut into tokens, and how the one's cost comes about."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from tokenizer import Encoding
from tokenizer.display.strip import strip
from tokenizer.errors import counted
from tokenizer.languages.premium import count_tokens, premium, size

FACTORS = ("premium <small>95 %</small>", "bytes per character", "characters", "vocabulary")


class Side(NamedTuple):
    """A sentence and what it is called; `tag` is a BCP 47 tag or empty, `direction` "ltr", "rtl" or "auto"."""

    name: str
    text: str
    tag: str = ""
    direction: str = "auto"


def pair(base: Side, other: Side, encoding: Encoding) -> str:
    """Returns both sentences as HTML, and their premium with its causes as a line of arithmetic."""
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
        f" <span>{found.width:.2f} bytes per character</span> × <span>{found.length:.2f} characters</span>"
        f" × <span>{found.vocabulary:.2f} vocabulary</span></p>"
    )


def product(rows: Sequence[Mapping]) -> str:
    """Returns premiums with their causes as an HTML table, a row for each encoding."""
    head = "".join(f"<th scope='col'>{name}</th>" for name in FACTORS)
    body = "".join(
        f"<tr><th scope='row'>{escape(row['encoding'])}</th>"
        f"<td><b>{row['premium']:.2f}</b> <small>{row['low']:.2f}–{row['high']:.2f}</small></td>"
        f"<td>= {row['width']:.2f}</td><td>× {row['length']:.2f}</td><td>× {row['vocabulary']:.2f}</td></tr>"
        for row in rows
    )
    table = f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody>"
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="Causes"><table class="factors">{table}</table></div>'
    )
