"""Two translations of a sentence side by side, cut into tokens, and the factors of the cost of the one."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

import pandas as pd
import streamlit as st

from server.encodings.encoding_store import StoredEncoding
from tokenizer import Encoding
from tokenizer.display.comparing import html_table
from tokenizer.i18n import mark, number, tr, trn
from tokenizer.languages.premium import count_tokens, premium, size
from ui.session import why_text
from ui.widgets.token_strip import token_strip

FACTS = {  # rows of the table of facts: the label, then the column with the value or the columns with its range
    mark("premium, 95 % confidence interval"): ("low", "high"),
    mark("premium, range across kinds of sentences"): ("least_kind", "most_kind"),
    mark("premium in the Declaration of Human Rights"): ("declared",),
    mark("characters per token"): ("held",),
    mark("UTF-8 bytes, ratio to the language of comparison"): ("byte_premium",),
}
CAUSES = {"length": mark("characters"), "density": mark("× tokens per character"), "premium": mark("= tokens")}


class Side(NamedTuple):
    """A sentence and the name of its language; `tag` is a BCP 47 tag or "", `direction` "ltr", "rtl" or "auto"."""

    name: str
    text: str
    tag: str = ""
    direction: str = "auto"


def pair(key: str, base: Side, other: Side, entry: StoredEncoding) -> None:
    """Draws the tokens of both sentences in an encoding, and their premium as a product of its factors."""
    with st.container(key=f"pair_{key}"):
        for place, (column, side) in enumerate(zip(st.columns(2), (base, other), strict=True)):
            tokens = entry.encoding.tokenize(side.text)
            with column:
                st.html(f'<h3 class="side"><bdi>{escape(side.name)}</bdi></h3>')
                token_strip(f"{key}_{place}", tokens, entry, why_text.SENTENCE, side.tag, side.direction)
                st.caption(counts(side.text, len(tokens)))
        st.html(arithmetic(base, other, entry.encoding))


def counts(text: str, tokens: int) -> str:
    """Returns the numbers of tokens, characters, bytes and words of a sentence, as text.

    >>> counts("one two", 2)
    '2 tokens · 7 characters · 7 bytes · 2 words (ICU)'
    """
    own = size([text])
    facts = [
        trn("{n:,} token", "{n:,} tokens", tokens),
        trn("{n:,} character", "{n:,} characters", int(own.characters[0])),
        trn("{n:,} byte", "{n:,} bytes", int(own.bytes[0])),
        trn("{n:,} word (ICU)", "{n:,} words (ICU)", int(own.words[0])),
    ]
    return " · ".join(facts)


def arithmetic(base: Side, other: Side, encoding: Encoding) -> str:
    """Returns the ratio of the sentences' tokens as a product of its factors, in HTML; "" if one sentence is empty."""
    if not base.text or not other.text:
        return ""
    tokens = [count_tokens([side.text], encoding) for side in (other, base)]
    found = premium(size([other.text]), tokens[0], size([base.text]), tokens[1])
    product = tr(
        "<b>{tokens:.2f} times</b> the tokens of {base} = <span>{length:.2f} times the characters</span> × "
        "<span>{density:.2f} times the tokens per character</span>",
        tokens=found.tokens,
        base=f"<bdi>{escape(base.name)}</bdi>",
        length=found.length,
        density=found.density,
    )
    return f'<p class="product">{product}</p>'


def causes(base: str, rows: Sequence[Mapping]) -> str:
    """Returns the factors of premiums as an HTML table of bars, one row per encoding, with a line at 1 in each cell.

    >>> causes("English", [{"model": "x", "length": 0.5, "density": 8, "premium": 4}]).count("--share:0.5000")
    1
    """
    most = max(1.0, *(row[cause] for row in rows for cause in CAUSES))
    head = "".join(f"<th scope='col'>{escape(tr(words))}</th>" for words in CAUSES.values())
    body = ""
    for row in rows:
        cells = "".join(
            f'<td class="{cause}"><i style="--share:{row[cause] / most:.4f}"><b></b></i>'
            f"{number(row[cause], '.2f')}</td>"
            for cause in CAUSES
        )
        body += f"<tr><th scope='row'><bdi>{escape(row['model'])}</bdi></th>{cells}</tr>"
    caption = tr(
        "Each number is a ratio to {base}: 2 means twice as many. The line marks 1, the same as {base}.",
        base=f"<bdi>{escape(base)}</bdi>",
    )
    parts = f"<caption>{caption}</caption><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="wide" style="--one:{1 / most:.4f}"><table class="causes">{parts}</table></div>'


def facts(rows: Sequence[Mapping]) -> str:
    """Returns the `FACTS` of premiums as an HTML table, one column per encoding; a fact without columns is left out.

    >>> facts([{"model": "x", "held": 2, "declared": None}]).count("<tr>")
    3
    """
    body = ""
    for name, keys in FACTS.items():
        if all(key in row for row in rows for key in keys):
            found = [[row[key] for key in keys] for row in rows]
            cells = ["–".join(number(x, ".2f") for x in own) if pd.notna(own).all() else "–" for own in found]
            body += f"<tr><th scope='row'>{escape(tr(name))}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
    heads = [escape(row["model"]) for row in rows]
    return html_table(tr("How reliable are these numbers?"), "", heads, body, "factors")
