"""Merging by pairs, our own way: for vocabularies that tiktoken, which merges by joined bytes, cannot hold."""

import heapq
from collections.abc import Mapping, Sequence

Pairs = Mapping[tuple[int, int], int]  # two ids -> the id of the token they become; lower ids are merged first


def encode_pairs(ids: Sequence[int], pairs: Pairs) -> list[int]:
    """Returns the ids that are left when no pair can be merged any more.

    >>> encode_pairs([1, 1, 1, 2], {(1, 1): 3, (1, 2): 4})
    [3, 4]
    """
    ids, end = list(ids), len(ids)
    before, after = list(range(-1, end - 1)), list(range(1, end + 1))
    candidates = [(pairs[pair], i) for i, pair in enumerate(zip(ids, ids[1:], strict=False)) if pair in pairs]
    heapq.heapify(candidates)  # the lowest id first, and the leftmost of equals
    while candidates:
        new, i = heapq.heappop(candidates)
        j = after[i]
        if ids[i] is None or j == end or pairs.get((ids[i], ids[j])) != new:
            continue  # one of the two has been merged with another
        ids[i], ids[j], after[i] = new, None, after[j]
        if after[i] < end:
            before[after[i]] = i
        for left, right in ((before[i], i), (i, after[i])):
            if left >= 0 and right < end and (made := pairs.get((ids[left], ids[right]))) is not None:
                heapq.heappush(candidates, (made, left))
    return [id for id in ids if id is not None]


class OwnEngine:
    """Does what `Encoding` asks of a `tiktoken.Encoding`, by pairs of ids."""

    def __init__(
        self, tokens: Mapping[int, bytes], base: Mapping[str | int, int], pairs: Pairs, unknown_id: int | None
    ):
        self.tokens, self.base, self.pairs, self.unknown_id = tokens, base, pairs, unknown_id
        self.n_vocab = max(tokens) + 1

    def encode_to_numpy(self, *args, **kwargs):
        raise ValueError("Only pre-tokens can be encoded here.")

    def _encode_single_piece(self, pre_token: str) -> list[int]:
        units = pre_token if self.unknown_id is not None else pre_token.encode()
        return encode_pairs([self.base.get(unit, self.unknown_id) for unit in units], self.pairs)

    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        return b"".join([self.tokens[id] for id in ids])

    def decode_single_token_bytes(self, id: int) -> bytes:
        return self.tokens[id]


def tiktoken_agrees(tokens: Mapping[int, bytes], pairs: Pairs) -> bool:
    r"""Tells whether merging by joined bytes, which is tiktoken's way, gives the same as merging by pairs.

    It does if all tokens differ and each is made from single bytes by no way but its own: when it comes about, nothing
    may have been merged across the middle of it. That holds for all merges that were learned from a text.

    >>> tokens = {i: bytes([i]) for i in range(256)}
    >>> tiktoken_agrees(tokens | {256: b"ab", 257: b"abc"}, {(97, 98): 256, (256, 99): 257})
    True
    >>> tiktoken_agrees(tokens | {256: b"bc", 257: b"ab", 258: b"abc"}, {(98, 99): 256, (97, 98): 257, (257, 99): 258})
    False
    """
    if len(set(tokens.values())) < len(tokens):
        return False
    halves = {new: pair for pair, new in pairs.items()}
    return len(halves) == len(pairs) and all(stays_apart(*pair, new, pairs, halves) for pair, new in pairs.items())


def stays_apart(left: int, right: int, limit: int, pairs: Pairs, halves: Mapping[int, tuple[int, int]]) -> bool:
    """Tells whether two tokens, made side by side from single bytes by merges below `limit`, come about as these two.

    Undoes their merges, the youngest first, and asks each time whether an older merge would have crossed the middle.
    """
    while True:
        if pairs.get((left, right), limit) < limit:
            return False
        if left not in halves and right not in halves:
            return True
        if right not in halves or (left in halves and left > right):
            limit, left = left, halves[left][1]
        else:
            limit, right = right + 1, halves[right][0]  # + 1: a run goes left to right, so across the middle first
