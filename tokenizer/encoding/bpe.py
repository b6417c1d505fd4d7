"""Byte-pair encoding: how the bytes of one pre-token become tokens, merge by merge."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from tokenizer.errors import TokenizerError, shown
from tokenizer.i18n import tr

Ranks = dict[bytes, int]  # the bytes of a token -> its priority in merging (lower first), which is also its id

NO_RANK = 1 << 62  # the rank of a pair that is not a token; larger than any real rank


class NotMadeOfTwo(TokenizerError):
    """No merge of two earlier tokens makes this token, so the table was not learned by merging."""

    def __init__(self, token: bytes, rank: int, parts: list[bytes]):
        self.token, self.rank, self.parts = token, rank, parts
        super().__init__(
            tr(
                "The merges of this vocabulary are not known, because BPE training did not make all of its tokens:"
                " BPE makes each new token from two tokens of lower rank, but {token} (rank {rank}) would need {n}"
                " of them. Choose the format tiktoken, which needs no merges.",
                token=shown(token),
                rank=rank,
                n=len(parts),
            )
        )


class Merge(NamedTuple):
    """One learned merge: `left` and `right`, seen side by side `count` times, became the token with the id `rank`.

    `saved` is how many tokens fewer the corpus has now; less than `count` where a run such as `aaa` holds a pair twice.
    """

    rank: int
    left: bytes
    right: bytes
    token: bytes
    count: int
    saved: int


@dataclass(frozen=True, slots=True)
class MergeStep:
    """One applied merge: the parts at `position` and `position + 1` became one part."""

    position: int
    left: bytes
    right: bytes
    rank: int


def merge_steps(pre_token: bytes, ranks: Ranks) -> Iterator[MergeStep]:
    """Yields the merges that turn single bytes into tokens, in the order they happen.

    >>> ranks = {b"l": 0, b"o": 1, b"w": 2, b"lo": 3, b"low": 4}
    >>> list(merge_steps(b"low", ranks))
    [MergeStep(position=0, left=b'l', right=b'o', rank=3), MergeStep(position=0, left=b'lo', right=b'w', rank=4)]
    """
    parts = [pre_token[i : i + 1] for i in range(len(pre_token))]
    pair_ranks = [ranks.get(left + right, NO_RANK) for left, right in zip(parts, parts[1:], strict=False)]

    # Scanning the list for its lowest rank is quadratic, but runs in C: a pre-token
    # is a few bytes long nearly always, and one of 10,000 bytes still takes about a second.
    while pair_ranks and (rank := min(pair_ranks)) < NO_RANK:
        position = pair_ranks.index(rank)  # the leftmost, if there are several
        left, right = parts[position : position + 2]
        yield MergeStep(position, left, right, rank)

        parts[position : position + 2] = [left + right]
        del pair_ranks[position]
        # the new part makes new pairs with the parts before and after it
        for i in (position - 1, position):
            if 0 <= i < len(pair_ranks):
                pair_ranks[i] = ranks.get(parts[i] + parts[i + 1], NO_RANK)


def first_merges(ranks: Ranks, n: int) -> Ranks:
    """Returns the rank table with only its first `n` merges, which are its tokens of several bytes.

    Training learns tokens in the order of their ranks, so this is the table that it would have given with `n` merges.

    >>> first_merges({b"l": 0, b"lo": 1, b"o": 2, b"w": 3, b"low": 4}, 1)
    {b'l': 0, b'lo': 1, b'o': 2, b'w': 3}
    """
    merges = sorted(rank for token, rank in ranks.items() if len(token) > 1)
    limit = merges[n] if n < len(merges) else NO_RANK
    return {token: rank for token, rank in ranks.items() if len(token) == 1 or rank < limit}


def replay(pre_token: bytes, steps: Iterable[MergeStep]) -> Iterator[tuple[bytes, ...]]:
    """Yields the parts before the first step and after each one.

    >>> steps = [MergeStep(0, b"l", b"o", 3), MergeStep(0, b"lo", b"w", 4)]
    >>> list(replay(b"low", steps))
    [(b'l', b'o', b'w'), (b'lo', b'w'), (b'low',)]
    """
    parts = [pre_token[i : i + 1] for i in range(len(pre_token))]
    yield tuple(parts)
    for step in steps:
        parts[step.position : step.position + 2] = [step.left + step.right]
        yield tuple(parts)


def recover_merges(ranks: Ranks) -> list[tuple[bytes, bytes]]:
    """Returns the two tokens that each token of a rank table was merged from, in order of rank.

    A rank table does not have them, but merging a token's bytes by the ranks below its own ends with these two.

    >>> recover_merges({b"l": 0, b"o": 1, b"w": 2, b"lo": 3, b"low": 4})
    [(b'l', b'o'), (b'lo', b'w')]
    """
    merges = []
    for rank, token in sorted((rank, token) for token, rank in ranks.items() if len(token) > 1):
        parts = parts_below(token, rank, ranks)
        if len(parts) > 2:
            raise NotMadeOfTwo(token, rank, parts)
        merges.append((parts[0], parts[1]))
    return merges


def every_split(ranks: Ranks) -> list[tuple[bytes, bytes]]:
    """Returns all pairs of tokens that a rank table joins to a token, in order of its rank.

    A list of merges with all of them joins what the ranks join, also where no merge of tokens of lower rank makes a
    token.

    >>> every_split({b"l": 0, b"o": 1, b"w": 2, b"lo": 3, b"ow": 4, b"low": 5})
    [(b'l', b'o'), (b'o', b'w'), (b'l', b'ow'), (b'lo', b'w')]
    """
    found = []
    for token in sorted(ranks, key=ranks.__getitem__):
        halves = ((token[:i], token[i:]) for i in range(1, len(token)))
        pairs = [pair for pair in halves if pair[0] in ranks and pair[1] in ranks]
        found += sorted(pairs, key=lambda pair: (ranks[pair[0]], ranks[pair[1]]))
    return found


def parts_below(token: bytes, rank: int, ranks: Ranks) -> list[bytes]:
    """Returns the parts into which the ranks below `rank` merge the bytes of a token; it stops at two parts.

    >>> parts_below(b"low", 4, {b"l": 0, b"o": 1, b"w": 2, b"lo": 3, b"low": 4})
    [b'lo', b'w']
    """
    rank_of, parts = ranks.get, [token[i : i + 1] for i in range(len(token))]
    while len(parts) > 2:
        lowest, left = rank, parts[0]
        for i, right in enumerate(parts[1:]):
            if (found := rank_of(left + right, rank)) < lowest:
                lowest, position = found, i
            left = right
        if lowest == rank:
            break
        parts[position : position + 2] = [parts[position] + parts[position + 1]]
    return parts
