"""Encodings from merges of a training or a file."""

import itertools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from tokenizer.encoding.bpe import Merge
from tokenizer.encoding.interface import MAX_ID, Encoding, is_id
from tokenizer.encoding.model import Pairs
from tokenizer.errors import BadAlphabet, BadMerge, BadSpecialTokens, shown
from tokenizer.i18n import tr
from tokenizer.kinds.byte_bpe import RankModel
from tokenizer.kinds.pair_merging import UNKNOWN_BYTES, PairModel, tiktoken_agrees

NAME_AND_ID = re.compile(r"(.+)=([0-9]{1,6})")  # so the largest id is 999,999: arrays have a row for each id
SINGLE_BYTES = {bytes([i]): i for i in range(256)}
MAX_TOKEN_BYTES = 1_000_000  # merges of merges double the length
MAX_VOCABULARY_BYTES = 100_000_000  # of all tokens together


def encoding_from_merges(
    merges: Iterable[Merge | tuple[bytes, bytes]],
    pattern: str | None = "cl100k_base",
    special_tokens: Iterable[str] | Mapping[str, int] = (),
    name: str = "trained",
    alphabet: str | Iterable[str] = "bytes",
    unknown_id: int | None = None,
    is_words: bool = False,
    drop_unmatched: bool = False,
) -> Encoding:
    """Returns the encoding of these merges; special tokens get the ids after them and `unknown_id`.

    `alphabet` is "bytes", "characters" (those in the merges, which must be all), or the characters themselves; the
    token of all other characters then has `unknown_id`, or the id after all others. With `drop_unmatched`, text that
    the pattern does not match has no token.

    >>> from tokenizer.training.train import train
    >>> enc = encoding_from_merges(train("aaabdaaabac", 259, None), None, ["<|end|>"], "toy")
    >>> enc.encode("aaab!<|end|>", special="special")
    [258, 33, 259]
    >>> enc = encoding_from_merges([], "[a-z]+", drop_unmatched=True)
    >>> enc.decode(enc.encode("one, two"))
    'onetwo'
    """
    merges = list(merges)
    base = base_symbols(alphabet, merges)
    first = len(base) + len(merges)
    merges = numbered(merges, base, range(len(base), first))
    if not isinstance(special_tokens, Mapping):
        free = first if unknown_id is None else max(first, unknown_id + 1)
        special_tokens = {token: free + i for i, token in enumerate(special_tokens)}
    if base is not SINGLE_BYTES and unknown_id is None:
        unknown_id = max([first - 1, *filter(is_id, special_tokens.values())]) + 1
    options = {"is_words": is_words, "drop_unmatched": drop_unmatched}
    return encoding_of(name, pattern, base, merges, special_tokens, unknown_id, **options)


def numbered_specials(typed: Iterable[str], first: int) -> dict[str, int]:
    """Returns special tokens with their ids: of `name=id` that id, of others the next free one from `first` on.

    >>> numbered_specials(["<|a|>", "<|b|>=1105", "<|c|>=513", "<|d|>"], 512)
    {'<|a|>': 512, '<|b|>': 1105, '<|c|>': 513, '<|d|>': 514}
    """
    read = [typed_special(one) for one in typed]
    taken = {id for _, id in read}
    found, free = {}, (id for id in itertools.count(first) if id not in taken)
    for name, id in read:
        if name in found:
            raise BadSpecialTokens(name, id, tr("it appears twice"))
        found[name] = next(free) if id is None else id
    return found


def typed_special(typed: str) -> tuple[str, int | None]:
    """Returns the name and the id of a special token that is typed as `name` or `name=id`."""
    found = NAME_AND_ID.fullmatch(typed)
    return (found[1], int(found[2])) if found else (typed, None)


def typed_specials(special_tokens: Mapping[str, int], first: int) -> list[str]:
    """Returns special tokens as `numbered_specials` reads them.

    >>> typed_specials({"<|a|>": 512, "<|b|>": 1105}, 512)
    ['<|a|>', '<|b|>=1105']
    """
    found = []
    for name, id in special_tokens.items():
        found.append(name if id == first else f"{name}={id}")
        first += id == first
    return found


def encoding_of(
    name: str,
    pattern: str | None,
    base: Mapping[bytes, int],
    merges: Sequence[Merge],
    special_tokens: Mapping[str, int],
    unknown_id: int | None,
    unknown_name: str = "<unk>",
    is_words: bool = False,
    unknown_text: bytes = UNKNOWN_BYTES,
    drop_unmatched: bool = False,
) -> Encoding:
    """Returns the encoding of merges with ids; it uses tiktoken if that gives the same ids.

    The unknown token decodes to `unknown_text`.
    """
    pairs = id_pairs(base, merges)
    tokens = {id: symbol for symbol, id in base.items()} | {merge.rank: merge.token for merge in merges}
    is_bytes = base.keys() == SINGLE_BYTES.keys()
    if is_bytes and not is_words and not drop_unmatched and tiktoken_agrees(tokens, pairs):
        model = RankModel(pattern, {token: id for id, token in tokens.items()}, learned=merges)
    else:
        unknown = unknown_id, unknown_name
        model = PairModel(pattern, base, merges, pairs, *unknown, is_words, unknown_text, drop_unmatched)
    return Encoding(name, model, {}).with_special_tokens(special_tokens)


def base_symbols(alphabet: str | Iterable[str], merges: Sequence) -> dict[bytes, int]:
    """Returns the base symbols with their ids: 256 bytes, or characters by code point.

    >>> base_symbols("ba", [])
    {b'a': 0, b'b': 1}
    """
    if alphabet == "bytes":
        return SINGLE_BYTES
    if alphabet == "characters":
        try:
            seen = sorted({c for merge in merges for half in halves(merge) for c in half.decode()})
        except UnicodeDecodeError:
            raise BadAlphabet(alphabet, tr("the merges join bytes, not characters; pass 'bytes'")) from None
        ranks = [merge.rank for merge in merges[:1] if isinstance(merge, Merge)]
        if ranks and ranks[0] != len(seen):
            raise BadAlphabet(
                alphabet,
                tr(
                    "the training started from {had:,} base symbols, but the merges contain only {used:,}"
                    " characters; pass 'bytes' if it started from bytes, else all characters, such as set(text)",
                    had=ranks[0],
                    used=len(seen),
                ),
            )
        return {c.encode(): id for id, c in enumerate(seen)}
    characters = sorted(set(alphabet))
    if not characters or not all(
        isinstance(c, str) and len(c) == 1 and not "\ud800" <= c <= "\udfff" for c in characters
    ):
        raise BadAlphabet(
            alphabet, tr("the alphabet must be 'bytes', 'characters' or a collection of single characters")
        )
    return {c.encode(): id for id, c in enumerate(characters)}


def halves(merge: Merge | tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """Returns the two tokens that a merge joins."""
    return (merge.left, merge.right) if isinstance(merge, Merge) else tuple(merge)


def numbered(merges: Iterable[Merge | tuple[bytes, bytes]], base: Collection[bytes], ids: Iterable[int]) -> list[Merge]:
    """Returns the merges as `Merge` with these ids; pairs get the count 0."""
    numbered, known, size = [], set(base), 0
    for position, (merge, id) in enumerate(zip(merges, ids, strict=True)):
        left, right = halves(merge)
        for half in (left, right):
            if half not in known:
                raise BadMerge(
                    position,
                    (left, right),
                    tr("{half} is neither a base symbol nor the result of an earlier merge", half=shown(half)),
                )
        size += (length := len(left) + len(right))
        if length > MAX_TOKEN_BYTES or size > MAX_VOCABULARY_BYTES or id > MAX_ID:
            raise BadMerge(
                position,
                (left, right),
                tr(
                    "the vocabulary is too large: the new token has {length:,} bytes (limit: {max_length:,}) and the"
                    " id {id:,} (limit: {max_id:,}); the tokens of all merges so far have {size:,} bytes (limit:"
                    " {max_size:,})",
                    length=length,
                    id=id,
                    size=size,
                    max_length=MAX_TOKEN_BYTES,
                    max_id=MAX_ID,
                    max_size=MAX_VOCABULARY_BYTES,
                ),
            )
        known.add(left + right)
        count, saved = (merge.count, merge.saved) if isinstance(merge, Merge) else (0, 0)
        numbered.append(Merge(id, left, right, left + right, count, saved))
    return numbered


def id_pairs(base: Mapping[bytes, int], merges: Iterable[Merge]) -> Pairs:
    """Returns the two ids that each merge joins; for tokens with the same bytes, the first one."""
    ids, pairs = dict(base), {}
    for position, merge in enumerate(merges):
        pair = ids[merge.left], ids[merge.right]
        if pair in pairs:
            raise BadMerge(position, (merge.left, merge.right), tr("an earlier merge joins the same two tokens"))
        pairs[pair] = merge.rank
        ids.setdefault(merge.token, merge.rank)
    return pairs
