"""Sentences on why a piece ends where it does: what stopped its pattern, and what other patterns do there."""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import NamedTuple

from tokenizer import TokenizerError
from tokenizer.errors import BadPattern, enumerated
from tokenizer.i18n import mark, tr, trn
from tokenizer.split.alternatives import PieceReason, VerbPhrase, alternatives, explain
from tokenizer.split.guards import SAMPLE_TIMEOUT_SECONDS
from tokenizer.split.patterns import as_seen, has_safe_cuts, pattern_errors
from tokenizer.split.wording import member_with, members, noun
from tokenizer.text.regex_budget import RegexBudget
from ui.components import cache

AT_END_OF_PART = {  # reason at the end of a text -> the same reason at the end of a part of it
    mark("stops at the end of the text"): mark("stops at the end of the part of the text that is shown"),
    mark("no alternative of the pattern matches any character of this last pre-token, up to the end of the text"): mark(
        "no alternative matches any character of this last pre-token, up to the end of the part of the text that is"
        " shown"
    ),
}


class PatternLane(NamedTuple):
    """A pattern with its displayed name, and the pieces of a text that it makes, each with the reason for its end."""

    name: str
    pattern: str | None
    pieces: list[PieceReason]


def lane(name: str, text: str, pattern: str | None) -> PatternLane | TokenizerError:
    """Returns the lane of a pattern, or the error: the pattern is invalid, or exceeds its time limit.

    >>> [piece.text for piece in lane("words", "a b", r"\\w+").pieces]
    ['a', ' ', 'b']
    >>> str(lane("own", "text", "a(b"))
    "Cannot split with the pattern 'a(b': a ) is missing (character 4). Correct the pattern, or use the name of a \
known pattern."
    """
    found = _examined(text, pattern)
    return found if isinstance(found, TokenizerError) else PatternLane(name, pattern, found)


@cache.cached
def _examined(text: str, pattern: str | None) -> list[PieceReason] | TokenizerError:
    """Caches errors too, so that a catastrophic pattern takes its time limit of half a second only once."""
    try:
        return explain(text, pattern, SAMPLE_TIMEOUT_SECONDS)
    except TokenizerError as error:
        return error
    except (RecursionError, MemoryError):
        return BadPattern(pattern, tr("the pattern is nested too deeply, or is too large"))


def sentences(
    text: str, piece: PieceReason, chosen: PatternLane, others: Iterable[PatternLane], has_more: bool = False
) -> list[str]:
    r"""Returns why a piece of the chosen lane ends, and what the other lanes do at its end and inside it.

    `has_more` means that the text is the beginning of a longer one.

    >>> text = "กุ"
    >>> gpt2, o200k = (lane(name, text, name) for name in ("gpt2", "o200k_base"))
    >>> for sentence in sentences(text, gpt2.pieces[0], gpt2, [o200k]):
    ...     print(sentence)
    gpt2 stops before “◌ุ” (U+0E38, THAI CHARACTER SARA U, category Mn: a combining mark), which is not a letter (\p{L}).
    o200k_base does not split here: the pattern’s [\p{Ll}\p{Lm}\p{Lo}\p{M}] lists combining marks (\p{M}).
    """
    others, total = list(others), len(text.encode())
    found = [stop_sentence(chosen, piece, has_more and piece.end == total)]
    if piece.end < total:
        walled = {other.name: any(one.end == piece.end for one in other.pieces) for other in others}
        found += grouped_sentences(((other.name, ()) for other in others if walled[other.name]), _boundary_here)
        uncut = [other for other in others if not walled[other.name]]
        continuations = (
            (other.name, (continuation(text, other, piece.end),)) for other in uncut if other.pattern is not None
        )
        found += grouped_sentences(continuations, _continuation_sentence)
        if any(other.pattern is None for other in uncut):
            found.append(tr("Without a split pattern, the text is not split here."))
    elif before := next((one for one in chosen.pieces if one.end == piece.start), None):
        found.append(tr("Why the text is split before this pre-token: {why}", why=stop_sentence(chosen, before)))
    inside = ((other.name, boundaries_within(other, piece)) for other in others)
    return found + grouped_sentences(((name, walls) for name, walls in inside if walls), _boundaries_within)


def _boundary_here(names: str, n: int) -> str:
    return trn("{names} splits here, too.", "{names} split here, too.", n, names=names)


def _continuation_sentence(names: str, n: int, continuation: str) -> str:
    return trn(
        "{names} does not split here: {how}.", "{names} do not split here: {how}.", n, names=names, how=continuation
    )


def _boundaries_within(names: str, n: int, walls: int, why: str) -> str:
    if walls == 1:
        return trn(
            "{names} splits this pre-token once: {why}.",
            "{names} split this pre-token once: {why}.",
            n,
            names=names,
            why=why,
        )
    return trn(
        "{names} splits this pre-token at {walls:,} places. At the first place, {why}.",
        "{names} split this pre-token at {walls:,} places. At the first place, {why}.",
        n,
        names=names,
        walls=walls,
        why=why,
    )


def stop_sentence(lane: PatternLane, piece: PieceReason, is_of_part: bool = False) -> str:
    """Returns a sentence on what stopped a piece; `is_of_part` means that text follows the shown part."""
    words = piece.stop
    if is_of_part:
        words = next((type(words)(tr(part)) for whole, part in AT_END_OF_PART.items() if tr(whole) == words), words)
    if isinstance(words, VerbPhrase):
        return tr("{name} {stops}.", name=lane.name, stops=words)
    return tr("{name} stops here: {why}.", name=lane.name, why=words)


def is_left_over(piece: PieceReason) -> bool:
    """Whether a piece is text between two matches, which no alternative of the pattern matches."""
    return piece.alternative is None and not isinstance(piece.stop, VerbPhrase)


def boundaries_within(lane: PatternLane, piece: PieceReason) -> tuple[int, str] | None:
    """Returns how many boundaries a lane has inside a piece, and the reason for the first; None without any."""
    inner = [one for one in lane.pieces if piece.start < one.end < piece.end]
    if not inner:
        return None
    words = inner[0].stop
    return len(inner), tr("the pattern {stops}", stops=words) if isinstance(words, VerbPhrase) else words


def continuation(text: str, lane: PatternLane, place: int) -> str:
    r"""Returns why a pattern has no boundary before the character at byte `place`: which part of it matches there.

    >>> continuation("ab", lane("own", "ab", r"\w+"), 1), continuation("ab", lane("own", "ab", "[^c]+"), 1)
    ('the pattern’s \\w matches word characters', 'the pattern’s [^c] matches every character except “c”')
    """
    piece = next(one for one in lane.pieces if one.start < place < one.end)
    if piece.alternative is None:
        if is_left_over(piece):
            return tr("no alternative of the pattern matches here, and unmatched text stays together")
        return tr("one of the alternatives of the pattern matches here, but which one is not known")
    branch = alternatives(lane.pattern)[piece.alternative]
    item = matching_item(text, lane.pattern, piece, branch, place)
    known = item and class_reason(item.source, branch.flags, text.encode()[place:].decode()[0])
    taken = tr(branch.words) if branch.words else tr("this character as well")
    return known or tr("alternative {number} of the pattern matches {what}", number=piece.alternative + 1, what=taken)


def matching_item(text: str, pattern: str, piece: PieceReason, branch, place: int):
    """Returns the item of an alternative that matched the character at byte `place`; None if that is unknown."""
    if not branch.in_groups:
        return None
    data = text.encode()
    start, at = len(data[: piece.start].decode()), len(data[:place].decode())
    clock = RegexBudget(None if has_safe_cuts(pattern) else SAMPLE_TIMEOUT_SECONDS)
    with pattern_errors(pattern, SAMPLE_TIMEOUT_SECONDS):
        found = clock.run(branch.in_groups.match, as_seen(text, pattern), start)
    if not found or found.end() != start + len(piece.text):
        return None
    items = enumerate((item for item, _ in branch.steps), 1)
    return next((item for group, item in items if found.start(group) <= at < found.end(group)), None)


def class_reason(source: str, flags: str, character: str) -> str:
    r"""Returns why a character class contains a character; "" if there are no plain words for it.

    >>> class_reason(r"[\p{L}\p{M}]", "", "a"), class_reason(r"\p{Thai}", "", "a")
    ('the pattern’s [\\p{L}\\p{M}] lists letters (\\p{L})', '')
    """
    if not (parts := members(source)):
        name = noun(source, plural=True)
        shown = source if source.strip() else f"“{source}”"
        return tr("the pattern’s {source} matches {kinds}", source=shown, kinds=name) if name else ""
    if parts[1]:
        names = [noun(member if member.startswith(("[", "\\")) else f"[{member}]", plural=True) for member in parts[0]]
        if None in names or "i" in flags:  # then [^a-z] does not match capital letters either
            return ""
        return tr(
            "the pattern’s {source} matches every character except {kinds}",
            source=source,
            kinds=enumerated(names, "or"),
        )
    found = member_with(character, source, flags, plural=True)
    if not found:
        return ""
    return tr("the pattern’s {source} lists {kinds} ({member})", source=source, kinds=found[1], member=found[0])


def grouped_sentences(facts_by_name: Iterable[tuple[str, tuple]], sentence: Callable[..., str]) -> list[str]:
    """Returns one sentence for all names with the same facts; `sentence` takes the names, their number and the facts.

    >>> grouped_sentences([("a", ("x",)), ("b", ("y",)), ("c", ("x",))], _continuation_sentence)
    ['a and c do not split here: x.', 'b does not split here: y.']
    """
    found: dict[tuple, list[str]] = {}
    for name, facts in facts_by_name:
        found.setdefault(facts, []).append(name)
    return [sentence(enumerated(names), len(names), *facts) for facts, names in found.items()]


def piece_at(pieces: list[PieceReason], place: int) -> int:
    """Returns the index of the piece that contains a byte, or of the last piece if the byte is after it.

    >>> piece_at(lane("none", "ab", None).pieces, 7)
    0
    """
    return max(0, bisect_right([piece.start for piece in pieces], place) - 1)
