"""Views of the order of merges: by rank in encoding, and by a tie rule in training."""

from collections.abc import Callable
from itertools import pairwise

from tokenizer.display.readable import readable
from tokenizer.encoding.ladder import Ladder, Part, base_parts, ladder
from tokenizer.kinds.registry import get_encoding
from tokenizer.lessons.views import MAX_MERGES, MAX_PAIRS, RANK, Shown, State, merging
from tokenizer.lessons.wording import Counted
from tokenizer.split.patterns import pre_tokens
from tokenizer.training.train import TIE_RULES, top_pairs

MAX_PIECE_CHARACTERS = 100  # of a piece that is merged step by step
Joined = Callable[[int, int], int | None]


def in_order(text: str, encoding: str = "gpt2") -> Shown:
    """Merges the first piece of a text pair by pair, the lowest rank first, like the encoder.

    >>> facts = in_order("together").facts
    >>> facts["first"], facts["tokens"], facts["from_the_left"]
    ('he', 1, 3)
    """
    found = get_encoding(encoding)
    pieces = [one.text for one in pre_tokens(text[:MAX_PIECE_CHARACTERS], found.pattern)] if text else [""]
    replayed = ladder(pieces[0].encode(), found)
    states = _states(replayed, found.merges.joined)
    facts = {
        "start": 0,
        "piece": pieces[0],
        "first": readable(replayed.steps[0].left + replayed.steps[0].right) if replayed.steps else "",
        "steps": Counted(len(replayed.steps)),
        "tokens": Counted(len(replayed.tokens)),
        "from_the_left": Counted(len(_from_the_left(base_parts(pieces[0].encode(), found), found.merges.joined))),
    }
    return Shown(facts, [states])


def _states(replayed: Ladder, joined: Joined) -> list[State]:
    """Returns the parts after each merge, with the candidates for the next merge, the lowest rank first."""
    parts, states, made = list(replayed.base), [], ""
    for step in [*replayed.steps[:MAX_MERGES], None]:
        ranked = sorted(
            (rank, left.bytes, right.bytes)
            for left, right in pairwise(parts)
            if (rank := joined(left.id, right.id)) is not None
        )
        pairs = [(readable(left), readable(right), rank) for rank, left, right in ranked[:MAX_PAIRS]]
        states.append(State([readable(part.bytes) for part in parts], pairs, made, RANK))
        if step:
            made = readable(step.left + step.right)
            parts[step.position : step.position + 2] = [Part(step.rank, step.left + step.right, 0)]
    return states


def _from_the_left(parts: list[Part], joined: Joined) -> list[Part]:
    """Returns the parts after always merging the first possible pair of any rank."""
    parts = list(parts)
    while True:
        ids = ((i, joined(left.id, right.id)) for i, (left, right) in enumerate(pairwise(parts)))
        if (found := next(((i, id) for i, id in ids if id is not None), None)) is None:
            return parts
        i, id = found
        parts[i : i + 2] = [Part(id, parts[i].bytes + parts[i + 1].bytes, 0)]


def ties(text: str) -> Shown:
    """Finds the pair that each tie rule merges first if several are equally frequent; shows the largest one merged.

    >>> facts = ties("abcabc").facts
    >>> facts["first_seen"], facts["largest_bytes"], facts["tied"]
    ('ab', 'bc', 2)
    """
    shown = merging(text, ties="largest-bytes")
    counts = {text: 1}
    first = {rule: top_pairs(counts, 1, rule, "characters") if len(text) > 1 else [] for rule in TIE_RULES}
    pairs = top_pairs(counts, len(text), alphabet="characters") if len(text) > 1 else []
    best = max((count for _, _, count in pairs), default=0)
    named = {
        rule.replace("-", "_"): "".join(one.decode() for one in found[0][:2]) if found else ""
        for rule, found in first.items()
    }
    tied = Counted(sum(count == best for _, _, count in pairs))
    return Shown(shown.facts | named | {"tied": tied, "count": Counted(best)}, shown.blocks)


VIEWS = {"in_order": in_order, "ties": ties}
