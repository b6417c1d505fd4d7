"""The merge ladder: the pieces of a text to choose from, why the chosen one ends, and its merges, rung by rung."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tokenizer import Encoding, TokenizerError
from tokenizer.encoding.ladder import NothingToReplay, OtherStory
from tokenizer.encoding.ladder import ladder as merges_of
from tokenizer.encoding.ladder_json import byte_note, rungs
from tokenizer.i18n import tr
from tokenizer.split.alternatives import PieceReason, alternatives, character
from tokenizer.split.patterns import as_seen
from tokenizer.split.plain import OWN_STEPS
from ui.kit.component import STEPS, TOKENS, component
from ui.session import component_events, why_text
from ui.why.boundary_reasons import Lane, is_left_over, piece_at, sentences

KEY = "ladder"
MOST_PIECES = 300  # to choose from at once
MOST_CHARACTERS = 200  # of a piece that are told one by one
MOST_TRIED = 400  # bytes of a piece whose merges are counted before anybody asks for it
LONGEST_LABEL = 40  # characters of a piece where there are many
WALL, END, CUT = "wall", "end", "cut"  # what is at the end of a piece: the text's end, or that of what is shown of it

_component = component(__file__, "ladder", TOKENS, STEPS)


class Source(NamedTuple):
    """A stretch of a text: from byte `offset` on, of `whole` characters, and whether the text goes on after it."""

    text: str
    offset: int = 0
    whole: int = 0
    has_more: bool = False


def ladder(shown: Source, at: int | None, encoding: Encoding, chosen: Lane, others: Iterable[Lane]) -> None:
    """Draws the pieces of a text, not empty, and the story of that which has the byte `at`, counted in the longer text.

    Where nobody asked for one, it is the piece with the most merges. When the reader takes another, the page looks at
    that.
    """
    _component(key=KEY, data=told(shown, at, encoding, chosen, others), on_choose_change=_choose)


def _choose() -> None:
    sent = component_events.sent(KEY, "choose")
    if sent and isinstance(sent.get("at"), int):
        why_text.choose(why_text.other_text(), sent["at"])


def told(shown: Source, at: int | None, encoding: Encoding, chosen: Lane, others: Iterable[Lane]) -> dict:
    """Returns all that is drawn, as plain values."""
    number = richest(chosen.pieces, encoding) if at is None else piece_at(chosen.pieces, at - shown.offset)
    piece, last = chosen.pieces[number], len(chosen.pieces) - 1
    first = max(0, min(number - MOST_PIECES // 2, len(chosen.pieces) - MOST_PIECES))
    data = piece.text.encode()
    try:
        merges = {"rungs": rungs(data, encoding), "note": byte_note(data, encoding)}
    except TokenizerError as error:
        is_so = isinstance(error, NothingToReplay | OtherStory)  # and nothing went wrong
        merges = {"problem": str(error), "isAlert": not is_so, "note": ""}
    return {
        "encoding": encoding.name,
        "offset": shown.offset,
        "numPieces": len(chosen.pieces),
        "first": first,
        "pieces": [
            [one.text[:LONGEST_LABEL], one.start, one.end] for one in chosen.pieces[first : first + MOST_PIECES]
        ],
        "chosen": number,
        "piece": facts(piece, chosen) | {"isChanged": encoding.model.stages(piece.text) is not None},
        "plain": plainly(shown, piece, encoding),
        "why": sentences(shown.text, piece, chosen, others, shown.has_more),
        "ends": [
            WALL if number else CUT if shown.offset else END,
            WALL if number < last else CUT if shown.has_more else END,
        ],
        **merges,
    }


def richest(pieces: Sequence[PieceReason], encoding: Encoding) -> int:
    """Returns the number of the piece with the most merges, the first of equals; long and late ones are passed over.

    >>> from tokenizer import get_encoding
    >>> from ui.why.boundary_reasons import lane
    >>> richest(lane("gpt2", "a tokenizer cuts", "gpt2").pieces, get_encoding("gpt2"))
    1
    """
    counts = [num_merges(piece.text.encode(), encoding) for piece in pieces[:MOST_PIECES]]
    return counts.index(max(counts))


def num_merges(data: bytes, encoding: Encoding) -> int:
    """Returns how many merges a piece has; none where it is long, or where there are none to tell."""
    try:
        return len(merges_of(data, encoding).steps) if len(data) <= MOST_TRIED else 0
    except TokenizerError:
        return 0


def plainly(shown: Source, piece: PieceReason, encoding: Encoding) -> str:
    """Returns why a piece ends, for everybody."""
    if shown.has_more and piece.end == len(shown.text.encode()):
        return tr("The part of the text that is shown ends here.")
    return tr(OWN_STEPS) if encoding.split is None and encoding.is_foreign else tr(piece.plain)


def facts(piece: PieceReason, lane: Lane) -> dict:
    """Returns what is known of a piece but for its merges: its characters, and what of the pattern matched them."""
    known = alternatives(lane.pattern)
    which = None if piece.alternative is None else known[piece.alternative]
    return {
        "text": piece.text,
        "characters": [
            [found.text, found.code_point, found.name or "", found.category, tr(found.kind)]
            for found in map(character, piece.text[:MOST_CHARACTERS], as_seen(piece.text, lane.pattern))
        ],
        "pattern": lane.name,
        "isCut": lane.pattern is not None,
        "alternative": None if which is None else piece.alternative + 1,
        "numAlternatives": len(known),
        "source": which and which.source,
        "words": which and which.words and tr(which.words),
        "isUnmatched": is_left_over(piece),
    }
