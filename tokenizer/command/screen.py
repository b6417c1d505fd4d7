"""Text for terminals: escaped control characters, and optional colors."""

import os
import sys
from collections.abc import Sequence

import click
import regex

from tokenizer.display import palette
from tokenizer.display.readable import MARKS, begins_with_mark

# Invisible, directional and unassigned characters; joiners within emoji are allowed.
INVISIBLE = regex.compile(
    r"[[\p{Z}\p{C}]--[\u200D]]|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D", regex.V1
)
CONTROL = regex.compile(r"[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}]")
VISIBLE_FORMS = MARKS | {"\n": "↵\n"}
COLOR_LEVELS = (0, 95, 135, 175, 215, 255)  # levels of red, green and blue in the 216 standard colors of terminals
COLOR_MODES = ("auto", "always", "never")


def escaped(text: str) -> str:
    r"""Returns a line of a message with control characters escaped.

    >>> escaped("a\x1b[2Jb\nc")
    'a\\x1b[2Jb\\x0ac'
    """
    return CONTROL.sub(lambda found: f"\\{'u' if ord(found[0]) > 255 else 'x'}{ord(found[0]):02x}", text)


def visible(text: str) -> str:
    r"""Returns a text with visible spaces and line ends, and invisible characters as code points.

    >>> visible(" two\n"), visible("\x1b[31m"), visible("ี่"), visible("👩‍👦")
    ('·two↵\n', '‹U+001B›[31m', '◌ี่', '👩‍👦')
    """
    base = "◌" if begins_with_mark(text) else ""
    return base + INVISIBLE.sub(lambda found: VISIBLE_FORMS.get(found[0]) or f"‹U+{ord(found[0]):04X}›", text)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Returns the lines of a table: names on the left, numbers right-aligned; an empty row is an empty line.

    >>> aligned([["", "gpt2"], ["tokens", "5"], []])
    ['        gpt2', 'tokens     5', '']
    """
    sizes = [max(map(len, column)) for column in zip(*filter(None, rows), strict=True)]
    return ["  ".join([row[0].ljust(sizes[0]), *map(str.rjust, row[1:], sizes[1:])]) if row else "" for row in rows]


def wants_color(when: str) -> bool:
    """Whether to color the output, by the option, https://no-color.org and the terminal."""
    if when != "auto":
        return when == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def nearest(color: str) -> int:
    """Returns the number of the terminal color, of 216, nearest to `#rrggbb`.

    >>> nearest("#dcb9cc"), nearest("#000000")
    (182, 16)
    """
    parts = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
    red, green, blue = (min(range(6), key=lambda step: abs(COLOR_LEVELS[step] - part)) for part in parts)
    return 16 + 36 * red + 6 * green + blue


TINTS, INK = [nearest(color) for color in palette.LIGHT], nearest(palette.LIGHT_INK)


def tinted(text: str, k: int) -> str:
    r"""Returns a text on the background color of token `k`, reset before each line end.

    >>> tinted("a", 0)
    '\x1b[38;5;16m\x1b[48;5;182ma\x1b[0m'
    """
    ink, tint = INK, TINTS[k % len(TINTS)]
    return "\n".join(click.style(line, fg=ink, bg=tint) if line else "" for line in text.split("\n"))
