"""Merges of encodings for files, and encodings from the merges in files."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tokenizer.encoding.bpe import Merge
from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.model import Merges
from tokenizer.errors import BadMerge, BadPattern, BadTokenizerFile, TokenizerError, UnknownPattern, shown
from tokenizer.formats.reading import Source
from tokenizer.i18n import tr
from tokenizer.kinds.from_merges import encoding_of, id_pairs, numbered

FORMS_THAT_DROP = "minbpe", "huggingface"  # can store that text which the split pattern does not match has no token


class DoesNotFit(Exception):
    """A form cannot represent an encoding, for the reason in the message."""


def merges_of(encoding: Encoding, form: str, alphabets: Collection[str] = ("bytes", "characters")) -> Merges:
    """Returns the merges of an encoding if a form can represent them; raises DoesNotFit."""
    if encoding.merges is None or encoding.kind != "bpe":
        raise DoesNotFit(tr("this format cannot hold encodings of the kind {kind}", kind=encoding.kind))
    if encoding.drops_unmatched and form not in FORMS_THAT_DROP:
        reason = tr(
            "the encoding leaves out text that the split pattern does not match, which this format cannot express"
        )
        raise DoesNotFit(reason)
    if encoding.merges.alphabet not in alphabets:
        raise DoesNotFit(tr("the base symbols of the encoding are characters, but this format needs bytes"))
    return encoding.merges


def spelled_vocabulary(
    encoding: Encoding, ids: Sequence[tuple[bytes, int]], spell: Callable[[bytes], str]
) -> dict[str, int]:
    """Returns the ids of all ordinary tokens by their spelling; raises DoesNotFit for a duplicate spelling."""
    tokens = {spell(token): id for token, id in ids}
    if len(tokens) < len(ids):
        raise DoesNotFit(tr("two tokens of the encoding have the same bytes"))
    if both := tokens.keys() & encoding.special_tokens.keys():
        raise DoesNotFit(tr("{token} is both an ordinary token and a special token", token=shown(min(both))))
    return tokens


def ids_of(encoding: Encoding, merges: Iterable[Merge]) -> list[tuple[bytes, int]]:
    """Returns the base symbols of an encoding and what its merges make, with their ids."""
    return [*encoding.merges.base.items(), *((merge.token, merge.rank) for merge in merges)]


@contextmanager
def in_file(path: Path, line_of_merge: Callable[[int], int | None] = lambda position: None) -> Iterator[None]:
    """Adds the file, and the line of a wrong merge, to errors in the block, except those of the split pattern."""
    try:
        yield
    except (BadPattern, UnknownPattern, BadTokenizerFile):
        raise
    except BadMerge as error:
        reason = tr("the merge {merge}: {reason}", merge=shown(error.merge), reason=error.reason)
        raise BadTokenizerFile(path, reason, line_of_merge(error.position)) from None
    except TokenizerError as error:
        raise BadTokenizerFile(path, str(error).rstrip(".")) from None


def build(
    source: Source,
    name: str,
    pattern: str | None,
    base: Mapping[bytes, int],
    pairs: Iterable[tuple[bytes, bytes]],
    ids: Sequence[int],
    special_tokens: Mapping[str, int],
    unknown: tuple[int | None, str] = (None, "<unk>"),
    drop_unmatched: bool = False,
) -> Encoding:
    """Returns the encoding that a file describes; `unknown` has id and name of the unknown token."""
    merges = numbered(pairs, base, ids)
    id_pairs(base, merges)
    seen = set(base)
    for position, (merge, before) in enumerate(zip(merges, [-1, *ids], strict=False)):
        if before >= merge.rank:
            raise BadMerge(
                position,
                (merge.left, merge.right),
                tr(
                    "the id {rank} of the merge must be larger than {before}, the id before it",
                    rank=merge.rank,
                    before=before,
                ),
            )
        if merge.token in seen:
            raise BadMerge(
                position,
                (merge.left, merge.right),
                tr("the token {token} exists already, so this merge cannot make it", token=shown(merge.token)),
            )
        seen.add(merge.token)
    special_tokens = special_tokens if source.special_tokens is None else source.special_tokens
    pattern = pattern if source.pattern is None else source.pattern
    options = {"unknown_text": unknown[1].encode(), "drop_unmatched": drop_unmatched}
    return encoding_of(name, pattern, base, merges, special_tokens, *unknown, **options)
