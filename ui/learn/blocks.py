"""What a step computed, drawn: tokens, pieces, tables, and merges one by one."""

from html import escape

import streamlit as st

from tokenizer import list_encoding_names
from tokenizer.display.lanes import box
from tokenizer.display.readable import readable
from tokenizer.lessons.views import Lane, Shown, State, Strip, Table
from tokenizer.lessons.wording import Counted, Words
from ui.desk import names, own_text
from ui.desk.strip import strip
from ui.server import shelf


def draw(key: str, shown: Shown, page: Words) -> None:
    """Draws all blocks of a step; `page` has the words that stand around them."""
    for i, block in enumerate(shown.blocks):
        match block:
            case Strip():
                _strip(f"{key}_{i}", block, page)
            case Lane():
                st.html(_lane(block, page))
            case Table():
                st.html(_table(block, page))
            case _:
                _states(f"{key}_{i}", block, shown.facts["start"], page)


def _strip(key: str, block: Strip, page: Words) -> None:
    entry = shelf.find(block.encoding)
    tokens = entry.encoding.tokenize(block.text, special=block.special)
    st.html(_head(_label(block.label, page), page.text("tokens", count=Counted(len(tokens)))))
    strip(f"learn_{key}", tokens, entry, own_text.WRITTEN, lang=block.lang)


def _label(label: str, page: Words) -> str:
    """What a block is called: a model, a reading, or a language by its own name."""
    return names.model(shelf.find(label)) if label in list_encoding_names() else page.said["labels"].get(label, label)


def _head(label: str, count: str) -> str:
    return f'<p class="learn-head"><b>{escape(label)}</b> {escape(count)}</p>'


def _lane(block: Lane, page: Words) -> str:
    boxes = "".join(box(i, piece) for i, piece in enumerate(block.pieces))
    head = _head(_label(block.label, page), page.text("pieces", count=Counted(len(block.pieces))))
    return f'{head}<p class="strip learn-pieces" role="list" dir="auto">{boxes}</p>'


def _table(block: Table, page: Words) -> str:
    head = "".join(f"<th scope=col>{escape(page.said['heads'][name])}</th>" for name in block.head)
    rows = "".join(f"<tr>{''.join(_cell(one, page) for one in row)}</tr>" for row in block.rows)
    return _framed(f"<tr>{head}</tr>", rows)


def _framed(head: str, rows: str) -> str:
    return f'<div class="learn-table" tabindex="0"><table><thead>{head}</thead><tbody>{rows}</tbody></table></div>'


def _cell(value: object, page: Words) -> str:
    if isinstance(value, int):
        return f'<td class="number">{value:,}</td>'
    return f"<td><bdi>{escape(page.said['cells'].get(value, value))}</bdi></td>"


def _states(key: str, states: list[State], start: int, page: Words) -> None:
    """A text merge by merge: a slider goes through them, and the pairs stand beside."""
    last = len(states) - 1
    step = st.slider(page.text("merge"), 0, last, start, key=f"learn_{key}_{last}") if last else 0
    state = states[step]
    count = Counted(sum(part != " " for part in state.parts))
    said = page.text("merged", step=step, steps=last, count=count) if step else page.text("start")
    made = "".join(states[step - 1].pairs[0][:2]) if step else ""
    tiles = "".join(_tile(part, part == made) for part in state.parts)
    st.html(f'<p class="learn-head">{escape(said)}</p><p class="tiles" dir="auto">{tiles}</p>{_pairs(state, page)}')


def _tile(part: str, is_new: bool) -> str:
    if part == " ":
        return '<i class="between"> </i>'
    return f'<span class="tile{" new" * is_new}">{escape(readable(part.encode()))}</span>'


def _pairs(state: State, page: Words) -> str:
    if not state.pairs or state.pairs[0][2] < 2:
        return f'<p class="learn-head">{escape(page.text("no_pair"))}</p>'
    rows = "".join(
        f"<tr>{_cell(f'{readable(left.encode())} + {readable(right.encode())}', page)}{_cell(count, page)}</tr>"
        for left, right, count in state.pairs
    )
    head = f"<tr><th scope=col>{escape(page.text('pair'))}</th><th scope=col>{escape(page.text('times'))}</th></tr>"
    return _framed(head, rows)
