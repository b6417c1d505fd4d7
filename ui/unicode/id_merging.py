"""The view of ids on the page Under the hood: a typed sequence, its pairs with their counts, and the merge of one."""

from collections.abc import Sequence

import streamlit as st

from tokenizer.encoding.id_list import parse_sequence
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, tr
from tokenizer.text.well_formed import well_formed
from tokenizer.training.id_pairs import count_pairs, merge_pair, next_id
from tokenizer.training.pairs import CountedPair, Pair
from ui.components import notices
from ui.session import page_snapshot, pending_values
from ui.session.choices import Choice
from ui.session.visitor_state import visitor
from ui.unicode import views
from ui.widgets.typed_box import typed_box

MAX_IDS = 1_000  # that are read
MAX_ADDRESS_CHARACTERS = 2_000


def _in_address(typed: str) -> str | None:
    return typed if len(typed) <= MAX_ADDRESS_CHARACTERS else None


SEQUENCE = Choice("sequence", "5, 6, 6, 7, 9, 1", spell=_in_address)
PAIR = Choice("pair", "6, 7", spell=_in_address)
NEW_ID = Choice("new_id", "99", spell=_in_address)
page_snapshot.register_long("hood", SEQUENCE)


class BadAmount(TokenizerError):
    """A box for ids has more or fewer of them than it takes."""


def show() -> None:
    """Draws the boxes, and what the merge makes of the sequence; of a box that cannot be read, the reason."""
    words = tr("Type or paste numbers, with spaces, commas, brackets or line endings between the numbers.")
    typed = typed_box(SEQUENCE, tr("A sequence of ids"), SEQUENCE.begins, height="content", help=words)
    row = st.container(horizontal=True, vertical_alignment="bottom", key="merge_boxes")
    with row:
        typed_pair = PAIR.ask(st.text_input, tr("Pair to merge"), width=160)
        typed_new = NEW_ID.ask(st.text_input, tr("New id"), width=160)
        text = well_formed(visitor().text)[0].encode()
        label = tr("Take the bytes of my text")
        if len(text) > MAX_IDS:
            label = tr("Take the first {most:,} bytes of my text", most=MAX_IDS)
        st.button(label, key="merge_text", on_click=_take, args=([*text[:MAX_IDS]],), disabled=not text)
    with notices.errors_shown():
        ids = parse_sequence(typed)
        if len(ids) > MAX_IDS:
            notices.show(tr("Only the first {most:,} of {n:,} ids are read.", most=MAX_IDS, n=len(ids)))
            ids = ids[:MAX_IDS]
        if len(ids) < 2:
            st.caption(tr("There is no pair yet: type two ids or more."))
            return
        counted = count_pairs(ids)
        with row:
            _most_frequent(counted)
        pair, new = _amount(typed_pair, 2), _amount(typed_new, 1)[0]
        found = merge_pair(ids, pair, new)
        with row:
            go_on, off = tr("Continue with the result"), not found.places or len(found.ids) < 2
            args = ((typed, typed_pair, typed_new), found.ids)
            st.button(go_on, key="merge_go_on", on_click=_go_on, args=args, disabled=off)
        with st.container(key="stage"):
            st.html(views.merged_ids(ids, counted, pair, new, found))


def _amount(typed: str, wanted: int) -> Pair | tuple[int]:
    """Returns the ids in a box that takes as many as `wanted`; raises BadSequence or BadAmount."""
    found = tuple(parse_sequence(typed))
    if len(found) != wanted:
        if wanted == 2:
            raise BadAmount(tr("A pair is two ids, such as 6, 7. The box “Pair to merge” has {n:,}.", n=len(found)))
        raise BadAmount(tr("The new id is one number, such as 99. The box “New id” has {n:,}.", n=len(found)))
    return found


def _most_frequent(counted: Sequence[CountedPair]) -> None:
    left, right = counted[0].pair
    label = mark("Merge the most frequent pair: {left}, {right}")
    if len(counted) > 1 and counted[1].count == counted[0].count:
        label = mark("Merge the first of the most frequent pairs: {left}, {right}")
    label = tr(label, left=left, right=right)
    st.button(label, key="merge_most_frequent", on_click=_choose_pair, args=(counted[0].pair,))


def _choose_pair(pair: Pair) -> None:
    PAIR.choose(", ".join(map(str, pair)))


def _go_on(drawn: tuple[str, str, str], ids: list[int]) -> None:
    """Continues with the result of the boxes: `ids`, unless one of them comes with the press, typed after `drawn`."""
    now = tuple(_typed(*one) for one in zip((SEQUENCE, PAIR, NEW_ID), drawn, strict=True))
    if now != drawn:
        try:
            found = merge_pair(parse_sequence(now[0])[:MAX_IDS], _amount(now[1], 2), _amount(now[2], 1)[0])
        except TokenizerError:  # the page shows the reason
            return
        if not found.places or len(found.ids) < 2:
            return
        ids = found.ids
    _take(ids)


def _typed(choice: Choice, drawn: str) -> str:
    value = st.session_state.get(choice.name)
    return drawn if value is None or pending_values.is_stale(choice.name) else value


def _take(ids: list[int]) -> None:
    """Puts a sequence into the box, its most frequent pair and the next id into the others."""
    SEQUENCE.choose(", ".join(map(str, ids)))
    if len(ids) > 1:
        _choose_pair(count_pairs(ids)[0].pair)
    NEW_ID.choose(str(next_id(ids)))
