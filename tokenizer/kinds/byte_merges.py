"""Merges of a byte-level vocabulary from another program; a replay tests that ours give the same tokens."""

from collections.abc import Iterable, Mapping, Sequence

from tokenizer.encoding.merging import merge_all
from tokenizer.encoding.model import Merges
from tokenizer.kinds.pair_merging import tiktoken_agrees

SINGLE_BYTES = {bytes([byte]) for byte in range(256)}


def byte_merges(
    model: Mapping, spellings: Mapping[int, str], tokens: Sequence[bytes | None], taken: Iterable[int] = ()
) -> Merges | None:
    """Returns the merges of a byte-level vocabulary by id; None if replay by id could differ.

    The library orders merges by file position, we by id; if two tokens share an id, one is dropped. The tokens `taken`
    are found before any merge, and each is a pre-token of its own.
    """
    ids = {token: id for id, token in spellings.items()}
    pairs: dict[tuple[int, int], int] = {}
    last, is_clear = -1, not model.get("ignore_merges")  # without: a piece that is a token is not split into merges
    for merge in model["merges"]:
        left, right = merge.split(" ", 1) if isinstance(merge, str) else merge
        if not {left, right, left + right} <= ids.keys() or (id := ids[left + right]) < last:
            return None
        is_clear &= id != last
        last = pairs.setdefault((ids[left], ids[right]), id)
    made = {*pairs.values()}
    ranks: dict[bytes, int] = {}
    for id, token in enumerate(tokens):
        if token is not None and (id in made or len(token) == 1):
            ranks.setdefault(token, id)
    base = {token: id for token, id in ranks.items() if len(token) == 1}
    if base.keys() != SINGLE_BYTES:
        return None
    of_ranks = {id: token for token, id in ranks.items()}
    by_bytes = tiktoken_agrees(of_ranks, pairs) or has_every_split(ranks, pairs)
    unmerged = {tokens[id]: id for id in taken if ranks.get(tokens[id]) != id}
    if not by_bytes and (unmerged or not is_clear):
        return None
    if not ranks.keys().isdisjoint(unmerged):
        return None  # bytes that two tokens have
    ranks |= unmerged
    return Merges("bytes", base, ranks, tokens, None, None if by_bytes else pairs)


def has_every_split(ranks: Mapping[bytes, int], pairs: Mapping[tuple[int, int], int]) -> bool:
    """Whether any two tokens that join to a token are a merge: then joined bytes determine it, as in tiktoken."""
    return all(
        (ranks[token[:i]], ranks[token[i:]]) in pairs
        for token in ranks
        for i in range(1, len(token))
        if token[:i] in ranks and token[i:] in ranks
    )


def replay(piece: bytes, merges: Merges) -> list[int]:
    """Returns the ids that replaying the merges gives a pre-token."""
    if merges.pairs is None and piece in merges.ranks:
        return [merges.ranks[piece]]
    base = [merges.base[piece[i : i + 1]] for i in range(len(piece))]
    return [id for _, id in merge_all(base, merges.joined)]
