"""Other segmentations of a text, for models that have them: the n best, the lattice of a word, and random samples."""

import math
import re
from collections.abc import Iterable, Sequence
from html import escape

import streamlit as st

from server.encodings.encoding_store import StoredEncoding
from tokenizer.display import palette, strip
from tokenizer.display.comparing import html_table
from tokenizer.i18n import mark, number, tr, trn
from tokenizer.text.units import beginning
from ui.components import cache, notices
from ui.session.choices import Choice, int_in_range

MAX_TEXT_CHARACTERS, MAX_WORD_CHARACTERS = 80, 24
NUM_SAMPLES = 5
NAME_IN_BRACKETS = re.compile(r"<.+>")  # the piece of a byte, or of the unknown token
NUM_SEGMENTATIONS = Choice("ways", "5", int_in_range(2, 20))
DROPOUT = mark(
    "BPE-dropout leaves out some merges at random, so that a model in training sees a word split in "
    "several ways. At 0 no merge is left out; at 1 nothing is merged."
)
SAMPLING = mark(
    "In training, a model may see a word split in several ways: each way is drawn at random with a "
    "probability in proportion to its likelihood to the power of alpha. If alpha is 0, all ways are "
    "drawn equally often; with a larger alpha, the likeliest ways are drawn more often."
)


def show(entry: StoredEncoding, text: str) -> None:
    """Draws the parts that an encoding's model is capable of, for the beginning of a text; nothing without any."""
    drawn = [draw for name, draw in PARTS.items() if name in entry.encoding.model.capabilities]
    begun = first_line(text)
    if not drawn or not begun.strip():
        return
    with st.container(key="segmentations"):
        for draw in drawn:
            with notices.errors_shown():
                draw(entry, begun)


def first_line(text: str) -> str:
    """Returns the beginning of a text's first line that is not empty.

    >>> first_line("  \\nab cd")
    'ab cd'
    """
    return beginning(next((line for line in text.splitlines() if line.strip()), ""), MAX_TEXT_CHARACTERS)


def _draw_segmentations(entry: StoredEncoding, text: str) -> None:
    label = tr("Number of ways to show")
    num = NUM_SEGMENTATIONS.ask(st.number_input, label, step=1, min_value=2, max_value=20, width=220)
    found = _call_model(entry, "segmentations", text, num)
    shown = f"<bdi>{strip.html(text)}</bdi>"
    head = tr("The only way to split “{text}”", text=shown)
    if len(found) > 1:
        head = tr("The {count} likeliest ways to split “{text}”", count=len(found), text=shown)
    st.html(f"<h3>{head}</h3>{ways_table(found)}")
    st.caption(
        tr(
            "The score of a way is the sum of the scores of its tokens; the score of a token is the natural "
            "logarithm of its likelihood. A character without a token scores 10 less than the least likely "
            "token."
        )
    )


def ways_table(found: Sequence[Sequence]) -> str:
    """Returns segmentations, each a score, ids and pieces, as an HTML table.

    >>> ways_table([[-1.5, [7], ["<b>"]]]).partition("<tbody>")[2][:60]
    '<tr><td>−1.50</td><td>1</td><td>1</td><td class="strip"><bdi'
    """
    heads = [tr("score"), tr("likelihood compared with the first way"), tr("tokens"), tr("split")]
    rows = "".join(_row(score, score - found[0][0], pieces) for score, _, pieces in found)
    return html_table(tr("The likeliest ways"), "", map(escape, heads), rows, "ways", corner="")


def _row(score: float, difference: float, pieces: Sequence[str]) -> str:
    share = number(math.exp(min(0.0, difference)), ".2g")
    facts = "".join(f"<td>{words}</td>" for words in (_signed(score), share, len(pieces)))
    return f'<tr>{facts}<td class="strip"><bdi>{colored(pieces)}</bdi></td></tr>'


def colored(pieces: Sequence[str]) -> str:
    """Returns the pieces as a strip's HTML; the name of a byte is isolated from right-to-left text next to it.

    >>> colored(["م", "<0xD8>"])
    '<span class="t c0">م</span><bdi class="t c1">&lt;0xD8&gt;</bdi>'
    """
    return "".join(_colored(piece, k % palette.NUM_COLORS) for k, piece in enumerate(pieces))


def _colored(piece: str, color: int) -> str:
    tag = "bdi" if NAME_IN_BRACKETS.fullmatch(piece) else "span"
    kind, code = (" unseen", f' data-m="{strip.code_points(piece)}"') if strip.is_invisible(piece) else ("", "")
    return f'<{tag} class="t c{color}{kind}"{code}>{strip.html(piece)}</{tag}>'


def _signed(score: float) -> str:
    return number(score, ".2f").replace("-", "−")


def _draw_lattice(entry: StoredEncoding, text: str) -> None:
    if "lattice_of" not in st.session_state or st.session_state.get("lattice_from") != text:
        st.session_state.lattice_from, st.session_state.lattice_of = text, first_word(text)
    words = tr("The drawing shows every token of the vocabulary that is a part of the word.")
    more = {"max_chars": MAX_WORD_CHARACTERS, "help": words, "width": 340}
    word = st.text_input(tr("A short word"), key="lattice_of", persist_state="session", **more)
    if not word.strip():
        return
    found = _call_model(entry, "lattice", word)
    st.html(lattice_grid(found["text"], found["edges"], found["best"]))
    count = num_tokens(found["edges"], entry.encoding.unknown_id)
    pieces = trn(
        "The vocabulary has {n:,} token that occurs in this word.",
        "The vocabulary has {n:,} tokens that occur in this word.",
        count,
    )
    ways = tr(
        "A path is a row of tokens that together make the whole word. Number of paths: {ways:,}. The framed "
        "tokens with ✓ are the likeliest path.",
        ways=ways_through(found["edges"], len(found["text"])),
    )
    st.caption(f"{pieces} {ways}")


def first_word(text: str) -> str:
    """Returns the first run of a text without spaces, cut to half the length of a lattice's longest word.

    >>> first_word("  unbelievable things")
    'unbelievable'
    """
    return beginning(next(iter(re.findall(r"\S+", text)), ""), MAX_WORD_CHARACTERS // 2)


def num_tokens(edges: Iterable[Sequence], unknown_id: int | None) -> int:
    """Returns the number of tokens in a lattice: one that occurs twice counts once, unknown characters do not count.

    >>> num_tokens([["a", 7, 0, 1, 0], ["a", 7, 1, 2, 0], ["aa", 8, 0, 2, 0], ["ก", 0, 2, 3, 0]], 0)
    2
    """
    return len({id for _, id, *_ in edges} - {unknown_id})


def ways_through(edges: Iterable[Sequence], size: int) -> int:
    """Returns the number of paths through a lattice of `size` characters.

    >>> ways_through([["a", 0, 0, 1, 0], ["b", 1, 1, 2, 0], ["ab", 2, 0, 2, 0]], 2)
    2
    """
    ways = [1] + [0] * size
    for _, _, start, end, _ in sorted(edges, key=lambda edge: edge[2]):
        ways[end] += ways[start]
    return ways[size]


def lattice_grid(text: str, edges: Sequence[Sequence], best: Sequence[int]) -> str:
    """Returns a lattice as HTML: a grid with a column for each character, and a box for each piece."""
    heads = "".join(f'<b style="grid-column:{i + 1}">{strip.html(character)}</b>' for i, character in enumerate(text))
    rows = packed([(start, end) for _, _, start, end, _ in edges], best)
    boxes = "".join(_box(edge, row, i in set(best)) for i, (edge, row) in enumerate(zip(edges, rows, strict=True)))
    style = f"grid-template-columns:repeat({len(text)},minmax(3.5rem,1fr))"
    label = tr("The tokens that are a part of {text}", text=strip.html(text))
    region = f'<div class="lattice" tabindex="0" role="region" aria-label="{label}">'
    return f'{region}<div style="{style}">{heads}{boxes}</div></div>'


def _box(edge: Sequence, row: int, is_best: bool) -> str:
    piece, _, start, end, score = edge
    place = f"grid-column:{start + 1}/{end + 1};grid-row:{row + 2}"
    kind, mark = (' class="best"', "✓ ") if is_best else ("", "")
    return f'<span{kind} style="{place}"><bdi>{mark}{strip.html(piece)}</bdi> <small>{_signed(score)}</small></span>'


def packed(spans: Sequence[tuple[int, int]], first: Iterable[int]) -> list[int]:
    """Returns a row for each span so that no spans of a row overlap; the spans with indices `first` share row 0.

    >>> packed([(0, 1), (1, 2), (0, 2)], [2])
    [1, 1, 0]
    """
    rows, free = [0] * len(spans), []
    chosen = set(first)
    for i in [*sorted(chosen), *(k for k in range(len(spans)) if k not in chosen)]:
        start, end = spans[i]
        fits = (row for row, taken in enumerate(free) if not any(start < b and a < end for a, b in taken))
        row = next(fits, len(free))
        free += [[]] if row == len(free) else []
        free[row].append((start, end))
        rows[i] = row
    return rows


def _draw_samples(entry: StoredEncoding, text: str) -> None:
    is_dropout = "segmentations" not in entry.encoding.model.capabilities
    name = tr("Share of merges left out") if is_dropout else tr("alpha, the exponent of the likelihood")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        alpha = st.slider(name, 0.0, 1.0, 0.1, 0.05, key="sample_alpha", width=340)
        st.button(tr("Draw other samples"), key="draw_again", icon=":material/casino:", on_click=_draw_again)
    seed = st.session_state.get("sample_seed", 1)
    drawn = [entry.encoding.model.sample(text, alpha, seed * NUM_SAMPLES + i)[1] for i in range(NUM_SAMPLES)]
    head = escape(tr("Ways to split, drawn at random {count} times", count=NUM_SAMPLES))
    st.html(f'<h3>{head}</h3><ul class="draws">{"".join(map(_sample_item, drawn))}</ul>')
    st.caption(tr(DROPOUT) if is_dropout else tr(SAMPLING))


def _sample_item(pieces: Sequence[str]) -> str:
    size = trn("{n:,} token", "{n:,} tokens", len(pieces))
    return f'<li class="strip"><bdi>{colored(pieces)}</bdi> <small>{escape(size)}</small></li>'


def _draw_again() -> None:
    st.session_state.sample_seed = st.session_state.get("sample_seed", 1) + 1


def _call_model(entry: StoredEncoding, name: str, *values: object) -> list | dict:
    """Returns the cached result of a method of the model."""
    return cache.get_or_compute(lambda: getattr(entry.encoding.model, name)(*values), "model", name, entry.key, *values)


PARTS = {"segmentations": _draw_segmentations, "lattice": _draw_lattice, "sample": _draw_samples}  # by capability
