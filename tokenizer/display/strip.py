"""The static token strip: coloured HTML of a text's tokens, for pages and files."""

from html import escape

import regex

from tokenizer.display import palette
from tokenizer.encoding.id_list import decode_with_spans
from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.tokens import Piece, Tokens, pieces
from tokenizer.i18n import tr
from tokenizer.text.regex_budget import hold_gil

# Characters that an HTML parser or Streamlit would change: CR becomes LF, lines of spaces become empty, NUL is dropped.
# Character references keep the first two; HTML cannot express NUL, so its symbol replaces it.
ESCAPES = str.maketrans({"\r": "&#13;", "\n": "&#10;", "\0": "␀"})


# Format characters and controls have no glyph; NUL is replaced above.
is_invisible = hold_gil(regex.compile(r"[[\p{Cf}\p{Cc}]--[\0\t\n\r]]+", regex.V1).fullmatch)


STRIP_CSS = """\
.tokens { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; text-align: start; tab-size: 4;
  font: 1.125em/2 "Source Code Pro", "Noto Sans Thai", monospace; }
.t { box-shadow: inset 1px 0 0 color-mix(in srgb, currentColor 60%, transparent); border-radius: 2px; }
.cut { padding-inline: calc((min(var(--n), 12) - 1) * 0.125em); }
.unseen::before { content: attr(data-m); direction: ltr; unicode-bidi: isolate; font-size: max(14px, 0.77em);
  border: 1px dotted; padding: 0 2px; }
table { border-collapse: collapse; } th, td { padding: 0.25em 0.75em; text-align: end; }
th[scope=row], caption { text-align: start; font-weight: 600; }
thead th { vertical-align: top; } thead small { display: block; font-weight: 400; }
.bar { display: block; height: 3px; width: calc(6em * var(--share)); background: currentColor; }
"""


def strip_css() -> str:
    """Returns the style sheet of strips and tables outside the app; it needs the palette's variables."""
    return STRIP_CSS + palette.css_classes()


def html(text: str) -> str:
    r"""Returns `text` as HTML on one line that shows it as it is.

    >>> html("<b>\r\n&")
    '&lt;b&gt;&#13;&#10;&amp;'
    """
    return escape(text).translate(ESCAPES)


def strip(tokens: Tokens) -> str:
    """Returns the tokens as HTML spans, every character of the text escaped, on one line."""
    ids, starts, ends, data = tokens.ids, tokens.starts.tolist(), tokens.ends.tolist(), tokens.text.encode()

    def facts(k: int) -> str:
        own = data[starts[k] : ends[k]].hex(" ").upper()
        return tr("token {n}: id {id}, bytes {bytes}", n=k + 1, id=ids[k], bytes=own)

    def draw(piece: Piece) -> str:
        title = html("\n".join(facts(k) for k in range(piece.first, piece.last + 1)))
        count = piece.last - piece.first + 1
        if count == 0:  # a gap
            return html(piece.text)
        if count == 1:
            unseen, name = (" unseen", f' data-m="{code_points(piece.text)}"') if is_invisible(piece.text) else ("", "")
            color = f"c{piece.first % palette.NUM_COLORS}"
            return f'<span class="t {color}{unseen}"{name} title="{title}">{html(piece.text)}</span>'
        return f'<span class="t cut" style="{bands(piece.first, count)}" title="{title}">{html(piece.text)}</span>'

    return "".join(map(draw, pieces(tokens)))


def code_points(text: str) -> str:
    r"""Returns the label of an invisible text.

    >>> code_points("\ufeff\u200b")
    'U+FEFF U+200B'
    """
    return " ".join(f"U+{ord(character):04X}" for character in text)


def bands(first: int, count: int) -> str:
    """Returns the style of a grapheme that `count` tokens share, from token `first` on, with a band for each."""
    stops = (
        f"var(--tok-{(first + i) % palette.NUM_COLORS}) {100 * i / count:.2f}% {100 * (i + 1) / count:.2f}%"
        for i in range(count)
    )
    return f"--n:{count};background-image:linear-gradient(90deg,{','.join(stops)})"


def decoded_strip(ids: list[int], encoding: Encoding) -> str:
    """Returns ids as a strip; if their bytes are not UTF-8, each token is decoded separately."""
    if found := decode_with_spans(ids, encoding):
        drawn = strip(found)
    else:
        drawn = "".join(
            f'<span class="t c{k % palette.NUM_COLORS}" title="{html(name)}">{html(encoding.decode([id]))}</span>'
            for k, (id, name) in enumerate((id, tr("id {id}", id=id)) for id in ids)
        )
    return f'<div class="strip">{drawn}</div>'
