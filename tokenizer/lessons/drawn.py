"""Renders the blocks of a step as static HTML: for phones, for paper, and for pages without a component for them."""

from collections.abc import Sequence
from html import escape

from tokenizer.display import palette
from tokenizer.display.lanes import box
from tokenizer.display.readable import readable
from tokenizer.display.strip import html, strip
from tokenizer.i18n import using_language
from tokenizer.kinds.registry import get_encoding, known_as, list_encoding_names
from tokenizer.languages.parallel import languages, parallel_corpus
from tokenizer.lessons import drawn_picture
from tokenizer.lessons.views import BETWEEN, TIMES, Lane, Patches, Shown, State, Still, Strip, Table, Word
from tokenizer.lessons.wording import Counted, Words
from tokenizer.paths import ASSETS

STYLE = ASSETS / "lessons" / "drawn.css"
MAX_TILES = 5_000  # of all states of a merged text
MAX_PIECES = 500  # drawn in a lane; the number of further ones is written


def blocks(shown: Shown, page: Words) -> str:
    """Returns all blocks of a step as HTML; `page` has the words around them.

    >>> from tokenizer.lessons.lesson import lesson, words
    >>> step = lesson("token").steps[0]
    >>> blocks(step.show("hi <b>"), words("page", "en")).count('class="t ')
    4
    """
    return "".join(_block(one, shown, page) for one in shown.blocks)


def _block(block: Strip | Still | Lane | Table | Patches | Sequence[State], shown: Shown, page: Words) -> str:
    match block:
        case Strip():
            return tokens(block, page)
        case Still():
            return still(block, page)
        case Patches():
            return drawn_picture.patches(block.coded, page)
        case Lane():
            return lane(block, page)
        case Table():
            return table(block, page)
        case [State(), *_]:
            return merges(block, shown.facts["start"], page)
        case _:
            return ""  # a kind without a static form


def style() -> str:
    """Returns the style sheet of the blocks, with the colors of tokens for light and dark paper."""

    def colors(tints: Sequence[str]) -> str:
        return ":root { " + " ".join(f"--tok-{i}: {tint};" for i, tint in enumerate(tints)) + " }"

    classes = "\n".join(f".c{i} {{ background-color: var(--tok-{i}); }}" for i in range(palette.COUNT))
    dark = f"@media screen and (prefers-color-scheme: dark) {{ {colors(palette.DARK)} }}"
    return "\n".join((colors(palette.LIGHT), dark, STYLE.read_text(encoding="utf-8"), classes))


# ---- blocks ----


def tokens(block: Strip, page: Words) -> str:
    """Returns a text as colored tokens, with their count."""
    found = get_encoding(block.encoding).tokenize(block.text, special=block.special)
    lang = f' lang="{escape(block.lang)}"' if block.lang else ""
    heading = head(label(block.label, page), page.text("tokens", count=Counted(len(found))))
    return f'{heading}<p class="learn-tokens"{lang} dir="auto">{strip(found)}</p>'


def still(block: Still, page: Words) -> str:
    """Returns tokens of an encoding of the step, colored, with their count."""
    heading = head(label(block.label, page), page.text("tokens", count=Counted(len(block.tokens))))
    return f'{heading}<p class="strip learn-tokens" dir="auto">{strip(block.tokens)}</p>'


def lane(block: Lane, page: Words) -> str:
    """Returns pieces in a row, with their count."""
    boxes = "".join(box(i, piece) for i, piece in enumerate(block.pieces[:MAX_PIECES]))
    heading = head(label(block.label, page), page.text(block.unit, count=Counted(len(block.pieces))))
    left = Counted(len(block.pieces) - MAX_PIECES)
    more = head("", page.text("more", count=left)) if left > 0 else ""
    return f'{heading}<p class="strip learn-pieces" role="list" dir="auto">{boxes}</p>{more}'


def table(block: Table, page: Words) -> str:
    """Returns a table of words and numbers."""
    first = block.rows[0] if block.rows else [""] * len(block.head)
    heads = zip(block.head, first, strict=True)
    names = "".join(f"<th scope=col{_side(one)}>{escape(page.said['heads'][name])}</th>" for name, one in heads)
    rows = "".join(f"<tr>{''.join(_cell(one, page) for one in row)}</tr>" for row in block.rows)
    return _framed(f"<tr>{names}</tr>", rows)


def merges(states: Sequence[State], start: int, page: Words) -> str:
    """Returns the states of a text, merge by merge, as a list; `start` is marked as the first one to show.

    A long text has only some of its states, each with its number.
    """
    rows = "".join(f"<li{' data-first' * (at == start)}>{merge(states, at, page)}</li>" for at in _drawn(states, start))
    return f'<ol class="learn-merges">{rows}</ol>'


def _drawn(states: Sequence[State], start: int) -> list[int]:
    """Returns the drawn states: the first, `start`, the last, and as many others as MAX_TILES allows."""
    drawn, tiles = {0, start, len(states) - 1}, 0
    for at, state in enumerate(states):
        tiles += len(state.parts) + len(state.pairs)
        if tiles <= MAX_TILES:
            drawn.add(at)
    return sorted(drawn)


def merge(states: Sequence[State], at: int, page: Words) -> str:
    """Returns a text after `at` merges: its parts with the new ones marked, and the candidates for the next merge."""
    state = states[at]
    count = Counted(sum(part != BETWEEN for part in state.parts))
    said = page.text("merged", step=at, steps=state.merges, count=count) if at else page.text("start")
    tiles = "".join(_tile(part, part == state.made) for part in state.parts)
    return f'<p class="learn-head">{escape(said)}</p><p class="tiles" dir="auto">{tiles}</p>{_pairs(state, page)}'


def head(name: str, count: str) -> str:
    """Returns the heading of a block: its name and a count."""
    return f'<p class="learn-head"><b>{escape(name)}</b> {escape(count)}</p>'


def label(name: str, page: Words) -> str:
    """Returns the label of a block: a model, a reading, or a language of the corpus.

    >>> from tokenizer.lessons.lesson import words
    >>> label("cl100k_base", words("page", "en")), label("th", words("page", "en")), label("th", words("page", "th"))
    ('GPT-4', 'Thai', 'ไทย')
    """
    if name in parallel_corpus():
        with using_language(page.language):
            return languages()[name].name
    return known_as(name) if name in list_encoding_names() else page.said["labels"].get(name, name)


def _framed(head: str, rows: str) -> str:
    return f'<div class="learn-table" tabindex="0"><table><thead>{head}</thead><tbody>{rows}</tbody></table></div>'


def _cell(value: object, page: Words) -> str:
    if isinstance(value, int | float):
        return f"<td{_side(value)}>{int(value):,}</td>" if isinstance(value, int) else f"<td{_side(value)}>{value}</td>"
    said = page.said["cells"].get(value, value) if isinstance(value, Word) else value
    return f"<td><bdi>{html(said)}</bdi></td>"


def _side(value: object) -> str:
    """Returns the class that aligns numbers and their head."""
    return ' class="number"' if isinstance(value, int | float) else ""


def _tile(part: str, is_new: bool) -> str:
    if part == BETWEEN:
        return '<i class="between"> </i>'
    return f'<span class="tile{" new" * is_new}">{escape(readable(part.encode()))}</span>'


def _pairs(state: State, page: Words) -> str:
    if not state.pairs or (state.by == TIMES and state.pairs[0][2] < 2):
        said = page.text("no_pair" if state.by == TIMES else "no_merge")
        return f'<p class="learn-head">{escape(said)}</p>'
    rows = "".join(
        f"<tr>{_cell(f'{readable(left.encode())} + {readable(right.encode())}', page)}{_cell(count, page)}</tr>"
        for left, right, count in state.pairs
    )
    names = f"<tr><th scope=col>{escape(page.text('pair'))}</th><th scope=col>{escape(page.text(state.by))}</th></tr>"
    return _framed(names, rows)
