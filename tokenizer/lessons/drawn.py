"""Renders the blocks of a step as static HTML: for phones, for paper, and for pages without a component for them."""

from collections.abc import Sequence, Sized
from hashlib import sha256
from pathlib import Path

from markupsafe import Markup

from tokenizer.display import lanes, palette, templates
from tokenizer.display.readable import readable
from tokenizer.display.strip import strip
from tokenizer.encoding.tokens import Tokens, segments
from tokenizer.i18n import using_language
from tokenizer.kinds.registry import get_encoding, known_as
from tokenizer.languages.parallel import languages, parallel_corpus
from tokenizer.lessons.picture_colors import color_stops, patch_colors
from tokenizer.lessons.pictures import Coded
from tokenizer.lessons.views import Areas, Lane, Parts, Pipeline, Shown, State, Still, Strip, Table, Word
from tokenizer.lessons.wording import Counted, Words
from tokenizer.paths import ASSETS

STYLE = ASSETS / "lessons" / "drawn.css"
SHARED_STYLE = STYLE.with_name("shared.css")  # the pages of the app have it, too
MAX_TILES = 5_000  # of all states of a merged text
ROW_CELLS = 8  # of a row of an embedding that are drawn
MAX_LANE_PIECES = 500  # drawn in a lane; the number of further ones is written
TEMPLATES = Path(__file__).parent / "templates"


def blocks(shown: Shown, page: Words) -> Markup:
    """Returns all blocks of a step as HTML; `page` has the words around them.

    >>> from tokenizer.lessons.lesson import lesson, words
    >>> step = lesson("token").steps[0]
    >>> blocks(step.show("hi <b>"), words("page", "en")).count('class="t ')
    8
    """
    return Markup("").join(_block(one, shown, page) for one in shown.blocks)


def sentences(shown: Shown, page: Words) -> Markup:
    """Returns the sentences of a step with a sentence number, one for each language, as HTML without tokens.

    >>> from tokenizer.lessons.lesson import lesson, words
    >>> "<b>Thai</b>" in sentences(lesson("languages").steps[0].show(), words("page", "en"))
    True
    """
    return Markup(_macros.sentences([block for block in shown.blocks if isinstance(block, Strip)], page))


def _block(block: Strip | Still | Lane | Table | Areas | Coded | Sequence[State], shown: Shown, page: Words) -> Markup:
    if type(block) in MACROS:
        return MACROS[type(block)](block, page)
    start = shown.facts["start"]
    return _macros.merges(block, _drawn(block, start), start, page)


def _drawn(states: Sequence[State], start: int) -> list[int]:
    """Returns the drawn states: the first, `start`, the last, and as many others as MAX_TILES allows."""
    drawn, tiles = {0, start, len(states) - 1}, 0
    for at, state in enumerate(states):
        tiles += len(state.parts) + len(state.pairs)
        if tiles <= MAX_TILES:
            drawn.add(at)
    return sorted(drawn)


def pipeline(found: Pipeline, caption: str, page: Words) -> Markup:
    """Returns the way of a text through a model as HTML; the rows of an embedding have made-up colors.

    >>> from tokenizer.lessons.lesson import lesson, words
    >>> pipeline(lesson("token").pipeline, "", words("page", "en")).count('class="row"')
    5
    """
    encoding = get_encoding(found.encoding)
    pairs = [
        (segment.text, id)
        for text in (found.text, found.then)
        for segment, id in zip(segments(text, encoding.tokenize(text)), encoding.encode(text), strict=True)
    ]
    rows = [[value / 255 for value in sha256(b"%d" % id).digest()[:ROW_CELLS]] for _, id in pairs[:-1]]
    return _macros.pipeline(pairs[:-1], rows, *pairs[-1], caption, page)


def style() -> str:
    """Returns the style sheet of the blocks, with the colors of tokens for light and dark paper."""

    def colors(tints: Sequence[str]) -> str:
        return ":root { " + " ".join(f"--tok-{i}: {tint};" for i, tint in enumerate(tints)) + " }"

    dark = f"@media screen and (prefers-color-scheme: dark) {{ {colors(palette.DARK)} }}"
    sheets = (sheet.read_text(encoding="utf-8") for sheet in (STYLE, SHARED_STYLE))
    return "\n".join((colors(palette.LIGHT), dark, *sheets, palette.css_classes()))


def label(name: str, page: Words) -> str:
    """Returns the label of a block: a model, a reading, or a language of the corpus.

    >>> from tokenizer.lessons.lesson import words
    >>> label("cl100k_base", words("page", "en")), label("th", words("page", "en")), label("th", words("page", "th"))
    ('GPT-4', 'Thai', 'ไทย')
    """
    if name in parallel_corpus():
        with using_language(page.language):
            return languages()[name].name
    return page.sentences["labels"].get(name) or known_as(name)


# ---- helpers of the templates ----


def _encoded(block: Strip) -> Tokens:
    return get_encoding(block.encoding).tokenize(block.text, special=block.special)


def _count(things: Sized) -> Counted:
    return Counted(len(things))


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / (whole or 1):.3f}%"


def _number(value: float) -> str:
    return f"{int(value):,}" if isinstance(value, int) else f"{value}"


environment = templates.environment(
    TEMPLATES,
    box=lambda position, text: Markup(lanes.box(position, text)),
    color_stops=color_stops,
    count_of=_count,
    encoded=_encoded,
    is_parts=lambda value: isinstance(value, Parts),
    is_word=lambda value: isinstance(value, Word),
    label=label,
    max_pieces=MAX_LANE_PIECES,
    number=_number,
    patch_colors=patch_colors,
    percent=_percent,
    readable=readable,
    strip=lambda tokens: Markup(strip(tokens)),
)
_macros = environment.get_template("blocks.jinja").module
head, tokens, still, lane, table = _macros.head, _macros.tokens, _macros.still, _macros.lane, _macros.table
merge, patches, areas, notes = _macros.merge, _macros.patches, _macros.areas, _macros.notes
MACROS = {Strip: tokens, Still: still, Lane: lane, Table: table, Areas: areas, Coded: patches}
