"""The merge ladder: the pieces of a text, why the chosen piece ends, and a rung for each of its merges."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from server.web_files import STEPS, TOKENS
from tokenizer import Encoding, TokenizerError
from tokenizer.encoding.ladder import MergesDisagree, NothingToReplay
from tokenizer.encoding.ladder import ladder as merges_of
from tokenizer.encoding.ladder_json import byte_note, ladder_json
from tokenizer.i18n import tr
from tokenizer.split.alternatives import PieceReason, alternatives, character
from tokenizer.split.patterns import as_seen
from tokenizer.split.plain import OWN_STEPS
from ui.components.component import component
from ui.session import component_events, why_text
from ui.why.boundary_reasons import PatternLane, is_left_over, piece_at, sentences

KEY = "ladder"
MAX_LISTED_PIECES = 300  # in the list
MAX_DESCRIBED_CHARACTERS = 200  # of the chosen piece
MAX_COUNTED_BYTES = 400  # a longer piece is not tried in the search for the piece with which the page opens
OPENING_MERGES = 3, 6  # of that piece: enough to see how merges work, few enough to follow
MAX_LABEL_CHARACTERS = 40  # of a piece in the list
WALL, END, CUT = "wall", "end", "cut"  # what ends a piece: a boundary, the text's end, the shown part's end

_component = component(__file__, "ladder", TOKENS, STEPS)


class Source(NamedTuple):
    """A part of a text that has `full_length` characters: it begins at byte `offset`; `has_more`: text follows."""

    text: str
    offset: int = 0
    full_length: int = 0
    has_more: bool = False


def ladder(
    shown: Source, at: int | None, encoding: Encoding, chosen: PatternLane, others: Iterable[PatternLane]
) -> None:
    """Draws the pieces of a non-empty text, and the merges of the piece that contains byte `at` of the whole text.

    Without `at`, the browser chooses the piece of the token that is pinned, otherwise it is `opening_piece`.
    """
    data = ladder_data(shown, at, encoding, chosen, others)
    data["isOpening"] = at is None and why_text.other_text() is None
    _component(key=KEY, data=data, on_choose_change=_choose)


def _choose() -> None:
    sent = component_events.sent(KEY, "choose")
    if sent and isinstance(sent.get("at"), int):
        why_text.choose(why_text.other_text(), sent["at"])


def ladder_data(
    shown: Source, at: int | None, encoding: Encoding, chosen: PatternLane, others: Iterable[PatternLane]
) -> dict:
    """Returns the data of the component as plain values."""
    number = opening_piece(chosen.pieces, encoding) if at is None else piece_at(chosen.pieces, at - shown.offset)
    piece, last = chosen.pieces[number], len(chosen.pieces) - 1
    first = max(0, min(number - MAX_LISTED_PIECES // 2, len(chosen.pieces) - MAX_LISTED_PIECES))
    data = piece.text.encode()
    try:
        merges = {"rungs": ladder_json(data, encoding), "note": byte_note(data, encoding)}
    except TokenizerError as error:
        is_expected = isinstance(error, NothingToReplay | MergesDisagree)  # the piece has no merges to show
        merges = {"problem": str(error), "isAlert": not is_expected, "note": ""}
    return {
        "encoding": encoding.name,
        "offset": shown.offset,
        "numPieces": len(chosen.pieces),
        "first": first,
        "pieces": [
            [one.text[:MAX_LABEL_CHARACTERS], one.start, one.end]
            for one in chosen.pieces[first : first + MAX_LISTED_PIECES]
        ],
        "chosen": number,
        "piece": piece_facts(piece, chosen) | {"isChanged": encoding.model.stages(piece.text) is not None},
        "plain": plain_reason(shown, piece, encoding),
        "why": sentences(shown.text, piece, chosen, others, shown.has_more),
        "ends": [
            WALL if number else CUT if shown.offset else END,
            WALL if number < last else CUT if shown.has_more else END,
        ],
        **merges,
    }


def opening_piece(pieces: Sequence[PieceReason], encoding: Encoding) -> int:
    """Returns the index of the first piece with 3 to 6 merges, among the first 300, or of the one nearest to that.

    >>> from tokenizer import get_encoding
    >>> from ui.why.boundary_reasons import lane
    >>> opening_piece(lane("gpt2", "a tokenizer cuts", "gpt2").pieces, get_encoding("gpt2"))
    2
    """
    least, most = OPENING_MERGES
    counts = [num_merges(piece.text.encode(), encoding) for piece in pieces[:MAX_LISTED_PIECES]]
    return counts.index(min(counts, key=lambda n: max(least - n, n - most, 0)))


def num_merges(data: bytes, encoding: Encoding) -> int:
    """Returns the number of merges of a piece; 0 if it is too long or its encoding has no merges to replay."""
    try:
        return len(merges_of(data, encoding).steps) if len(data) <= MAX_COUNTED_BYTES else 0
    except TokenizerError:
        return 0


def plain_reason(shown: Source, piece: PieceReason, encoding: Encoding) -> str:
    """Returns why a piece ends, without the terms of regular expressions."""
    if shown.has_more and piece.end == len(shown.text.encode()):
        return tr("The part of the text that is shown ends here.")
    return tr(OWN_STEPS) if encoding.split is None and encoding.runs_in_library else tr(piece.plain)


def piece_facts(piece: PieceReason, lane: PatternLane) -> dict:
    """Returns the characters of a piece, and the alternative of the pattern that matched it."""
    known = alternatives(lane.pattern)
    alternative = None if piece.alternative is None else known[piece.alternative]
    return {
        "text": piece.text,
        "characters": [
            [found.text, found.code_point, found.name or "", found.category, tr(found.kind)]
            for found in map(character, piece.text[:MAX_DESCRIBED_CHARACTERS], as_seen(piece.text, lane.pattern))
        ],
        "pattern": lane.name,
        "isCut": lane.pattern is not None,
        "alternative": None if alternative is None else piece.alternative + 1,
        "numAlternatives": len(known),
        "source": alternative and alternative.source,
        "words": alternative and alternative.words and tr(alternative.words),
        "isUnmatched": is_left_over(piece),
    }
