"""Inputs of the page Under the hood: the view, bytes in hex or decimal, and a text as numbers to copy."""

import streamlit as st

from tokenizer.i18n import mark, tr, trn
from tokenizer.text import anatomy
from tokenizer.text.anatomy import FORMS
from tokenizer.text.utf8 import BadHex, read_decimal, read_hex
from ui.session import page_snapshot
from ui.session.choices import Choice, one_of
from ui.widgets.typed_box import typed_box

VIEWS = {
    "characters": mark("Characters"),
    "forms": mark("Normal forms"),
    "scripts": mark("Scripts and direction"),
    "lanes": mark("Four ways to split"),
    "list": mark("Bytes and code points"),
    "bytes": mark("Bytes to text"),
    "merge": mark("Merge ids"),
}
VIEWS_OF_TEXT = VIEWS.keys() - {"bytes", "merge"}  # the others have an input of their own

LOOKALIKES = "ﬁne № ① x² ½ Ａ ｶﾞ Å e\u0301 น้ำ"
HEX = "E0 B8 AA ED A0 80 FF"
BYTE_ORDER_MARKS = {"UTF-16": b"\xff\xfe", "UTF-32": b"\xff\xfe\0\0"}
HEX_EXAMPLES = {
    mark("Truncated emoji"): "F0 9F 91",
    mark("“café!” in Latin-1, not UTF-8"): "63 61 66 E9 21",
    mark("Overlong “/”"): "C0 AF E0 80 AF",
    mark("Surrogates"): "ED A0 BD ED B1 8D",
    mark("Code point too large"): "F4 90 80 80 F8",
    mark("All valid"): "41 C3 A9 E0 B8 97 F0 9F 91 8D",
}
MAX_HEX_CHARACTERS = 30_000  # that are read
MAX_HEX_CHARACTERS_IN_ADDRESS = 2_000
MAX_LISTED_CHARACTERS = 50_000
VIEW = Choice("view", "characters", one_of(VIEWS))
LISTED = Choice("list", "code points", one_of(["code points", *FORMS]))
DIGITS = Choice("digits", "hex", one_of(["hex", "decimal"]))


BYTES = Choice("hex", HEX, spell=lambda source: source if len(source) <= MAX_HEX_CHARACTERS_IN_ADDRESS else None)
page_snapshot.register_long("hood", BYTES)


def unicode_version() -> str:
    """Returns a sentence on the version of Unicode that the views use."""
    return tr(
        "Names, categories and normal forms come from {unicode}, which has {n:,} characters. Scripts come from the"
        " Python module regex, which has {scripts} scripts and can follow a newer version of Unicode.",
        unicode=anatomy.NAMES_OF,
        n=anatomy.num_characters(),
        scripts=anatomy.NUM_SCRIPTS,
    )


def hex_source() -> str:
    """Draws the input of bytes and examples of malformed ones; returns its text."""
    with st.container(horizontal=True, gap="small", key="hex_examples"):
        for label, example in HEX_EXAMPLES.items():
            st.button(tr(label), key=f"hex_{label}", on_click=BYTES.choose, args=(example,), type="tertiary")
    words = tr(
        "Write two hex digits per byte in any common notation: E0 B8 AA, e0b8aa, 0xE0, \\xE0, %E0; or write "
        "decimal numbers in brackets, as Python prints a list of bytes: [224, 184, 170]."
    )
    return typed_box(BYTES, tr("Bytes in hex, or in decimal within brackets"), HEX, height=100, help=words)


def read(source: str) -> tuple[bytes, list[BadHex]]:
    """Returns the bytes that a text denotes, and its parts that denote none.

    >>> read("41 zz")[0], read("[65]")[0]
    (b'A', b'A')
    """
    return (read_decimal if source.lstrip().startswith("[") else read_hex)(source[:MAX_HEX_CHARACTERS])


def listed(text: str) -> None:
    """Draws a text as numbers to copy: its code points or its bytes, in hex or in decimal."""
    with st.container(horizontal=True):
        forms = {"code points": tr("Code points")} | {form: tr("Bytes of {form}", form=form) for form in FORMS}
        form = LISTED.segmented(tr("Numbers"), forms)
        digits = DIGITS.segmented(tr("Number base"), {"hex": tr("Hex"), "decimal": tr("Decimal")})
    found = anatomy.numbers(text[:MAX_LISTED_CHARACTERS], form)
    st.caption(f"{_size_note(len(found), form, len(text))} {_byte_order_note(form)}")
    own = " ".join(own for _, own in found) if digits == "hex" else ", ".join(str(number) for number, _ in found)
    st.code(own if digits == "hex" else f"[{own}]", language=None, wrap_lines=True, height=320)


def _size_note(n: int, form: str, size: int) -> str:
    points, data = trn("{n:,} code point", "{n:,} code points", n), trn("{n:,} byte", "{n:,} bytes", n)
    facts = {"count": points if form == "code points" else data, "most": MAX_LISTED_CHARACTERS, "size": size}
    if size > MAX_LISTED_CHARACTERS:
        return tr("The list has {count}, from the first {most:,} of the {size:,} characters.", **facts)
    return tr("{count}.", count=facts["count"])


def _byte_order_note(form: str) -> str:
    if form not in BYTE_ORDER_MARKS:
        return ""
    data = BYTE_ORDER_MARKS[form]
    return tr(
        "The bytes are in little-endian order: the low byte comes first. Files, and the result of "
        "Python’s encode({form!r}), usually begin with a byte order mark, U+FEFF, which is {hex} ({decimal}) in "
        "this order and {other} in big-endian order. No mark is added to this list.",
        form=form,
        hex=data.hex(" ").upper(),
        decimal=", ".join(map(str, data)),
        other=data[::-1].hex(" ").upper(),
    )
