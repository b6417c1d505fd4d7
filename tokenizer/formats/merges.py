"""The merges of any encoding, and encodings from what files say about merges."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from tokenizer.encoding.from_merges import encoding_of, id_pairs, numbered
from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.model import Merges
from tokenizer.errors import BadMerge, BadPattern, BadTokenizerFile, CannotSave, TokenizerError, UnknownPattern


def merges_of(encoding: Encoding, form: str, alphabets: Collection[str] = ("bytes", "characters")) -> Merges:
    """Returns the merges of an encoding that a form can hold; raises CannotSave."""
    if encoding.merges is None or encoding.kind != "bpe":
        raise CannotSave(encoding.name, form, f"it is an encoding of {encoding.kind}")
    if encoding.merges.alphabet not in alphabets:
        raise CannotSave(encoding.name, form, "its base symbols are characters, not bytes")
    return encoding.merges


def spelled_vocabulary(encoding: Encoding, form: str, merges: Merges, spell: Callable[[bytes], str]) -> dict[str, int]:
    """Returns the ids of all tokens but the special ones by their spelling; raises CannotSave if two have one."""
    ids = [*merges.base.items(), *((merge.token, merge.rank) for merge in merges.in_order())]
    tokens = {spell(token): id for token, id in ids}
    if len(tokens) < len(ids):
        raise CannotSave(encoding.name, form, "two of its tokens have the same bytes")
    if both := tokens.keys() & encoding.special_tokens.keys():
        raise CannotSave(encoding.name, form, f"{min(both)!r} is a token and a special token")
    return tokens


def build(
    path: Path,
    name: str,
    pattern: str | None,
    base: Mapping[bytes, int],
    pairs: Sequence[tuple[bytes, bytes]],
    ids: Sequence[int],
    special_tokens: Mapping[str, int],
    line_of_merge: Callable[[int], int | None],
    unknown: tuple[int | None, str] = (None, "<unk>"),
) -> Encoding:
    """Returns the encoding a file describes; `line_of_merge` says where a merge stands, for the error that names it.

    `unknown` are the id and the name of the token of what is unknown.
    """
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
        return encoding_of(name, pattern, base, merges, special_tokens, *unknown)
    except (BadPattern, UnknownPattern):
        raise
    except TokenizerError as error:
        raise BadTokenizerFile(path, str(error).rstrip(".")) from None
