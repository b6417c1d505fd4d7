"""The tokens of the 256 bytes in one table: their ids, and the letters by which GPT-2's files write them."""

from html import escape

import streamlit as st

from server.encodings.encoding_store import StoredEncoding
from server.vocabulary import facts_cache
from tokenizer.encoding.spelling import CHARACTERS
from tokenizer.i18n import mark, tr

COLUMNS = 16
HEX = "0123456789ABCDEF"
OF_IDS = {
    "values": mark("Here the id of a byte is its value."),
    "letters": mark(
        "The ids 0 to 255 are not the values of the bytes. OpenAI numbers the bytes in the order of their letters:"
        " first the 188 bytes whose own character is printable, from ! with id 0, then the other 68 bytes. A program"
        " that uses these ids as values decodes wrong bytes."
    ),
    "others": mark("Here the ids of the bytes are not their values."),
}


def show(entry: StoredEncoding) -> None:
    """Draws the table below a vocabulary in which each byte is a token."""
    rows = facts_cache.facts(entry.key).rows
    ids = [rows.get(bytes([byte])) for byte in range(256)]
    if None in ids:
        return
    with st.expander(tr("The 256 bytes: their ids, and their letters in GPT-2’s files")):
        letters = tr(
            "GPT-2’s files write each byte as a letter that can be printed: a space is Ġ, a line feed is Ċ. A Thai or"
            " Chinese character takes several letters."
        )
        st.caption(f"{tr(OF_IDS[order_of(ids)])} {letters}")
        st.html(table(ids))


def order_of(ids: list[int]) -> str:
    """Returns in which order the bytes have their ids, a key of OF_IDS.

    >>> order_of(list(range(256))), order_of([*range(100, 356)])
    ('values', 'others')
    """
    if ids == list(range(256)):
        return "values"
    return "letters" if [ids[byte] for byte in CHARACTERS] == list(range(256)) else "others"


def table(ids: list[int]) -> str:
    """Returns the table as HTML: a row for the first hex digit of a byte, a column for the second.

    >>> table(list(range(256))).count("<td>")
    256
    """
    heads = "".join(f'<th scope="col">_{digit}</th>' for digit in HEX)
    rows = "".join(
        f'<tr><th scope="row">{HEX[row]}_</th>'
        + "".join(
            f"<td><b>{escape(CHARACTERS[byte])}</b> {ids[byte]}</td>"
            for byte in range(row * COLUMNS, (row + 1) * COLUMNS)
        )
        + "</tr>"
        for row in range(COLUMNS)
    )
    return f'<div class="wide" tabindex="0"><table class="bytes"><tr><th></th>{heads}</tr>{rows}</table></div>'
