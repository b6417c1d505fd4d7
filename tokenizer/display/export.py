"""Exported files: tokens as CSV and JSON, a comparison of encodings as an HTML page."""

import json
from collections.abc import Iterator, Sequence
from html import escape

import numpy as np

from tokenizer.display import palette
from tokenizer.display.document import document
from tokenizer.display.strip import strip, strip_css
from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.tokens import Tokens
from tokenizer.i18n import language, mark, tr, trn
from tokenizer.text.tables import csv_text
from tokenizer.text.well_formed import as_text

MAX_SHOWN_CHARACTERS = 20_000  # of a text on a comparison page
COLUMNS = ("index", "id", "start", "end", "bytes", "text", "special")
READINGS = {
    "text": mark("{sizes}; names of special tokens are read as text."),
    "special": mark("{sizes}; names of special tokens are read as special tokens."),
}


def rows(tokens: Tokens) -> Iterator[tuple[int, int, int, int, str, str, bool]]:
    """Yields a row a token: index, id, UTF-8 span, bytes in hex, text (empty where it is not UTF-8 alone), special.

    >>> from tokenizer import get_encoding
    >>> [row[1:6] for row in rows(get_encoding("gpt2").tokenize("ที"))][:2]
    [(19567, 0, 2, 'E0 B8', ''), (245, 2, 3, '97', '')]
    """
    data = tokens.text.encode()
    for i, token in enumerate(tokens):
        piece = data[token.start : token.end]
        yield i, token.id, token.start, token.end, piece.hex(" ").upper(), as_text(piece) or "", token.special


def to_csv(text: str, encoding: Encoding, special: str = "text") -> str:
    """Returns the tokens as CSV; `text` is a JSON string, so that no spreadsheet reads a formula and line ends show."""
    found = rows(encoding.tokenize(text, special=special))
    cells = ([*facts, json.dumps(piece, ensure_ascii=False), is_special] for *facts, piece, is_special in found)
    return csv_text([COLUMNS, *cells])


def to_json(text: str, encoding: Encoding, special: str = "text") -> str:
    """Returns the tokens as JSON, with what is needed to check them: encoding, rank table, special tokens."""
    tokens = encoding.tokenize(text, special=special)
    record = {
        "encoding": encoding.name,
        "rank_table_sha256": encoding.fingerprint,
        "special": special,
        "text": tokens.text,
    }
    head = json.dumps(record, ensure_ascii=False).removesuffix("}")
    lines = (json.dumps(dict(zip(COLUMNS, row, strict=True)), ensure_ascii=False) for row in rows(tokens))
    return head + ', "tokens": [\n' + ",\n".join(lines) + "\n]}\n"


STYLE = """:root {{ color-scheme: light dark; {variables} }}
body {{ margin: 2rem auto; max-width: 60rem; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif;
  color: light-dark({palette.LIGHT_INK}, {palette.DARK_INK});
  background: light-dark({palette.LIGHT_PAPER}, {palette.DARK_PAPER}); }}
{looks}"""


def comparison_html(text: str, encodings: Sequence[Encoding], special: str, table: str, baseline: int = 0) -> str:
    """Returns a self-contained page of one text in several encodings; `table` is HTML.

    `baseline` is the index of the encoding with which the others are compared.
    """
    parts, most = [], MAX_SHOWN_CHARACTERS
    for i, encoding in enumerate(encodings):
        tokens = encoding.tokenize(text, special=special)
        # the tokens are cut, not the text: a token across the end of a cut text would become other tokens
        end = len(tokens.text[:most].encode())
        shown = tokens.beginning(int(np.searchsorted(tokens.ends, end, side="right")))
        name = encoding.name
        if i == baseline and len(encodings) > 1:
            name = tr("{encoding}, the baseline", encoding=name)
        heading = trn("{encoding}: {n:,} token", "{encoding}: {n:,} tokens", len(tokens), encoding=name)
        if len(shown) < len(tokens):
            facts = {"heading": heading, "most": len(shown.text) or most}
            cut = mark("{heading}, the first {most:,} characters are shown")
            none = mark(
                "{heading}; no tokens are shown: in the first {most:,} characters no token ends where a grapheme ends"
            )
            heading = tr(cut if len(shown) else none, **facts)
        heading = escape(heading)
        parts.append(f'<h2>{heading}</h2><div class="tokens" lang="">{strip(shown)}</div>')
    summary = escape(tr(READINGS[special], sizes=_sizes(tokens)))
    return page(escape(tr("One text, several encodings")), f"<p>{summary}</p>{table}{''.join(parts)}")


def _sizes(tokens: Tokens) -> str:
    characters = trn("{n:,} character", "{n:,} characters", len(tokens.text))
    return characters + ", " + trn("{n:,} byte", "{n:,} bytes", len(tokens.text.encode()))


def page(title: str, body: str) -> str:
    """Returns a self-contained page; title and body are HTML."""
    style = STYLE.format(
        variables=palette.css_variables(),
        looks=strip_css(),
        palette=palette,
    )
    return document(title, style, body, language())
