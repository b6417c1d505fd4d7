"""Views of the order of merges: by rank in encoding, and by a tie rule in training."""

from itertools import pairwise

from tokenizer.display.readable import readable
from tokenizer.encoding.ladder import Ladder, Part, base_parts, ladder
from tokenizer.encoding.merging import Joined
from tokenizer.kinds.registry import get_encoding
from tokenizer.lessons.views import MAX_MERGES, MAX_PAIRS, RANK, Parts, Shown, State, Table, merging
from tokenizer.lessons.wording import Counted
from tokenizer.split.patterns import pre_tokens
from tokenizer.training.train import TIE_RULES, top_pairs

MAX_PIECE_CHARACTERS = 100  # of a piece that is merged step by step
MAX_LADDER_ROWS = 20  # of two ladders side by side


def in_order(text: str, encoding: str = "gpt2", beside: bool = False) -> Shown:
    """Merges the first piece of a text pair by pair, the lowest rank first, like the encoder.

    With `beside`, draws beside it the merges from left to right.

    >>> facts = in_order("together").facts
    >>> facts["first"], facts["tokens"], facts["from_the_left"]
    ('he', 1, 3)
    """
    found = get_encoding(encoding)
    pieces = [one.text for one in pre_tokens(text[:MAX_PIECE_CHARACTERS], found.pattern)] if text else [""]
    replayed = ladder(pieces[0].encode(), found)
    states = _states(replayed, found.merges.joined)
    from_the_left = _from_the_left(base_parts(pieces[0].encode(), found), found.merges.joined)
    facts = {
        "start": 0,
        "piece": pieces[0],
        "first": readable(replayed.steps[0].left + replayed.steps[0].right) if replayed.steps else "",
        "steps": Counted(len(replayed.steps)),
        "tokens": Counted(len(replayed.tokens)),
        "from_the_left": Counted(len(from_the_left[-1].parts)),
    }
    return Shown(facts, [_ladders(states, from_the_left) if beside else states])


def _ladders(states: list[State], from_the_left: list[Parts]) -> Table:
    """Returns two ladders side by side; of long ones the first rows and the last."""
    ladders = [[Parts(state.parts, state.made) for state in states], from_the_left]
    size = max(map(len, ladders))
    shown = [*range(size)] if size <= MAX_LADDER_ROWS else [*range(MAX_LADDER_ROWS - 1), size - 1]
    rows = [(i, *(ladder[min(i, len(ladder) - 1)] for ladder in ladders)) for i in shown]
    return Table(("merge", "in_rank_order", "from_the_left"), rows, one_by_one=True)


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


def _from_the_left(parts: list[Part], joined: Joined) -> list[Parts]:
    """Returns the parts before the first merge and after each one, always of the first possible pair of any rank."""
    parts, states, made = list(parts), [], ""
    while True:
        states.append(Parts([readable(part.bytes) for part in parts], made))
        ids = ((i, joined(left.id, right.id)) for i, (left, right) in enumerate(pairwise(parts)))
        if (found := next(((i, id) for i, id in ids if id is not None), None)) is None:
            return states
        i, id = found
        parts[i : i + 2] = [Part(id, parts[i].bytes + parts[i + 1].bytes, 0)]
        made = readable(parts[i].bytes)


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
