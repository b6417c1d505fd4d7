"""The merges of any encoding, and encodings from what files say about merges."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tokenizer.encoding.bpe import merge_steps
from tokenizer.encoding.byte_bpe import Encoding
from tokenizer.encoding.from_merges import TrainedEncoding, id_pairs, numbered
from tokenizer.errors import BadMerge, BadPattern, BadTokenizerFile, TokenizerError, UnknownPattern
from tokenizer.training.train import Merge


def merges_of(encoding: Encoding) -> list[Merge]:
    """Returns the merges of an encoding by id: those it knows, or those that its ranks imply.

    >>> from tokenizer.encoding.registry import get_encoding
    >>> [(merge.rank, merge.token) for merge in merges_of(get_encoding("gpt2"))[:2]]
    [(256, b' t'), (257, b' a')]
    """
    if isinstance(encoding, TrainedEncoding):
        return encoding.merges
    merges = []
    for token, rank in sorted(encoding.ranks.items(), key=lambda item: item[1]):
        if len(token) > 1:
            *_, last = merge_steps(token, encoding.ranks)
            merges.append(Merge(rank, last.left, last.right, token, 0, 0))
    return merges


def base_of(encoding: Encoding) -> dict[bytes, int]:
    """Returns the base symbols of an encoding with their ids."""
    if isinstance(encoding, TrainedEncoding):
        return encoding.base
    return {token: rank for token, rank in encoding.ranks.items() if len(token) == 1}


def build(
    path: Path,
    name: str,
    pattern: str | None,
    base: Mapping[bytes, int],
    pairs: Sequence[tuple[bytes, bytes]],
    ids: Sequence[int],
    special_tokens: Mapping[str, int],
    line_of_merge: Callable[[int], int | None],
) -> TrainedEncoding:
    """Returns the encoding a file describes; `line_of_merge` says where a merge stands, for the error that names it."""
    try:
        merges = numbered(pairs, base, ids)
        id_pairs(base, merges)
        for position, (before, after) in enumerate(zip(ids, ids[1:], strict=False), start=1):
            if before >= after:
                raise BadMerge(position, pairs[position], f"its id {after} does not follow {before}")
        if len({merge.token for merge in merges} | base.keys()) < len(merges) + len(base):
            seen = set(base)
            position = next(i for i, merge in enumerate(merges) if merge.token in seen or seen.add(merge.token))
            raise BadMerge(position, pairs[position], f"the token {merges[position].token!r} is there already")
    except BadMerge as error:
        raise BadTokenizerFile(
            path, f"the merge {error.merge!r}: {error.reason}", line_of_merge(error.position)
        ) from None
    try:
        encoding = TrainedEncoding(name, pattern, base, merges, {})
        return encoding.with_special_tokens(special_tokens) if special_tokens else encoding
    except (BadPattern, UnknownPattern):
        raise
    except TokenizerError as error:
        raise BadTokenizerFile(path, str(error).rstrip(".")) from None
