"""Why a piece ends where it does, in sentences: what stopped its pattern, and what the other patterns do there."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from tokenizer import TokenizerError
from tokenizer.errors import BadPattern, enumerated
from tokenizer.split.alternatives import Clock, PieceReason, alternatives, explain
from tokenizer.split.guards import SECONDS
from tokenizer.split.patterns import as_seen, has_safe_cuts
from tokenizer.split.wording import member_with, members, noun
from ui.kit import cache


class Lane(NamedTuple):
    """A pattern under the name that readers know it by, and the pieces that it makes of a text, with reasons."""

    name: str
    pattern: str | None
    pieces: list[PieceReason]


def lane(name: str, text: str, pattern: str | None) -> Lane | TokenizerError:
    """Returns the lane of a pattern, or what is wrong with it, such as that it is not done in time.

    >>> [piece.text for piece in lane("words", "a b", r"\\w+").pieces]
    ['a', ' ', 'b']
    >>> str(lane("own", "text", "a(b"))
    "Cannot split with the pattern 'a(b': missing ) (character 4). Correct it, or name a known pattern."
    """
    found = _examined(text, pattern)
    return found if isinstance(found, TokenizerError) else Lane(name, pattern, found)


@cache.once
def _examined(text: str, pattern: str | None) -> list[PieceReason] | TokenizerError:
    """The reasons, or the error: a pattern that runs away takes its half second once."""
    try:
        return explain(text, pattern, SECONDS)
    except TokenizerError as error:
        return error
    except (RecursionError, MemoryError):
        return BadPattern(pattern, "it is nested too deeply, or too large")


def sentences(text: str, piece: PieceReason, chosen: Lane, others: Iterable[Lane], has_more: bool = False) -> list[str]:
    r"""Returns why a piece of the chosen lane ends, and what the other lanes do at its end and within it.

    `has_more` says that the text is the beginning of a longer one.

    >>> text = "ที่"
    >>> gpt2, o200k = (lane(name, text, name) for name in ("gpt2", "o200k_base"))
    >>> for sentence in sentences(text, gpt2.pieces[0], gpt2, [o200k]):
    ...     print(sentence)
    gpt2 stops before ◌ี (U+0E35, THAI CHARACTER SARA II, category Mn: a mark), which is not a letter (\p{L}).
    o200k_base goes on: its [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}] lists marks (\p{M}).
    """
    others, total = list(others), len(text.encode())
    said = [told(chosen, piece)]
    if has_more and piece.end == total:
        said = [said[0].replace("the end of the text", "the end of the part of the text that is shown")]
    if piece.end < total:
        walled = {other.name: any(one.end == piece.end for one in other.pieces) for other in others}
        said += together((other.name, "a wall here, too") for other in others if walled[other.name])
        how = ((other.name, f"on: {goes_on(text, other, piece.end)}") for other in others if not walled[other.name])
        said += together(how, "goes", "go")
    elif before := next((one for one in chosen.pieces if one.end == piece.start), None):
        said.append(f"The wall before it: {told(chosen, before)}")
    inside = ((other.name, walls_within(other, piece)) for other in others)
    return said + together((name, walls) for name, walls in inside if walls)


def told(lane: Lane, piece: PieceReason) -> str:
    """Returns what stopped a piece, as a sentence about its pattern."""
    words = piece.stop
    return f"{lane.name} {words}." if words.startswith("stops") else f"{lane.name} stops here: {words}."


def walls_within(lane: Lane, piece: PieceReason) -> str:
    """Returns how many walls a lane has within a piece, and why the first is there; nothing where there is none."""
    inner = [one for one in lane.pieces if piece.start < one.end < piece.end]
    if not inner:
        return ""
    walls = f"{len(inner):,} walls" if len(inner) > 1 else "a wall"
    words = inner[0].stop
    it = "it " if words.startswith("stops") else ""
    return f"{walls} within this piece: {'first ' if len(inner) > 1 else ''}{it}{words}"


def goes_on(text: str, lane: Lane, place: int) -> str:
    r"""Returns how a pattern comes to take the character at a byte, where it has no wall.

    >>> goes_on("ab", lane("own", "ab", r"\w+"), 1), goes_on("ab", lane("own", "ab", "[^c]+"), 1)
    ('its \\w takes word characters', 'its [^c] takes all but “c”')
    """
    if lane.pattern is None:
        return "it has no walls at all"
    piece = next(one for one in lane.pieces if one.start < place < one.end)
    if piece.alternative is None:
        return "none of its alternatives matches here, and what they do not match stays together"
    branch = alternatives(lane.pattern)[piece.alternative]
    item = taker(text, lane.pattern, piece, branch, place)
    known = item and in_class(item.source, branch.flags, text.encode()[place:].decode()[0])
    return known or f"its alternative no. {piece.alternative + 1} takes {branch.words or 'this character, too'}"


def taker(text: str, pattern: str, piece: PieceReason, branch, place: int):
    """Returns the item of an alternative that took the character at a byte of a piece; None where that is not known."""
    if not branch.in_groups:
        return None
    data = text.encode()
    start, at = len(data[: piece.start].decode()), len(data[:place].decode())
    clock = Clock(pattern, None if has_safe_cuts(pattern) else SECONDS)
    found = clock.match(branch.in_groups, as_seen(text, pattern), start)
    if not found or found.end() != start + len(piece.text):
        return None
    items = enumerate((item for item, _ in branch.steps), 1)
    return next((item for group, item in items if found.start(group) <= at < found.end(group)), None)


def in_class(source: str, flags: str, character: str) -> str:
    r"""Returns why a class of characters has this one; nothing where there are no plain words for it.

    >>> in_class(r"[\p{L}\p{M}]", "", "a"), in_class(r"\p{Thai}", "", "a")
    ('its [\\p{L}\\p{M}] lists letters (\\p{L})', '')
    """
    if not (parts := members(source)):
        name = noun(source, plural=True)
        return f"its {source if source.strip() else f'“{source}”'} takes {name}" if name else ""
    if parts[1]:
        names = [noun(member if member.startswith(("[", "\\")) else f"[{member}]", plural=True) for member in parts[0]]
        return f"its {source} takes all but {enumerated(names, 'or')}" if None not in names else ""
    found = member_with(character, source, flags, plural=True)
    return f"its {source} lists {found[1]} ({found[0]})" if found else ""


def together(said: Iterable[tuple[str, str]], one: str = "has", more: str = "have") -> list[str]:
    """Returns what is said of several names, once for all of whom it is said, with the verb that fits as many.

    >>> together([("a", "x"), ("b", "y"), ("c", "x")])
    ['a and c have x.', 'b has y.']
    """
    found: dict[str, list[str]] = {}
    for name, words in said:
        found.setdefault(words, []).append(name)
    return [f"{enumerated(names)} {one if len(names) == 1 else more} {words}." for words, names in found.items()]


def piece_at(pieces: list[PieceReason], place: int) -> int:
    """Returns the number of the piece that has a byte, or of the last one where the byte is beyond them.

    >>> piece_at(lane("none", "ab", None).pieces, 7)
    0
    """
    return max(0, bisect_right([piece.start for piece in pieces], place) - 1)
