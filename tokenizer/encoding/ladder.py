"""The merge ladder of one pre-token in any encoding: base parts, each merge in order, and the final tokens."""

from bisect import bisect, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from tokenizer.encoding.bpe import MergeStep, Ranks
from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.merging import Joined, merge_events
from tokenizer.errors import TokenizerError
from tokenizer.i18n import tr

MAX_PRE_TOKEN_BYTES = 50_000  # takes about a second


class PreTokenTooLong(TokenizerError):
    """A pre-token is so long that replaying its merges would take minutes."""

    def __init__(self, length: int):
        self.length = length
        super().__init__(
            tr(
                "Cannot show the merges of a pre-token of {length:,} bytes: the limit is {longest:,} bytes."
                " Choose a shorter text, or a split pattern that splits this pre-token.",
                length=length,
                longest=MAX_PRE_TOKEN_BYTES,
            )
        )


class NothingToReplay(TokenizerError):
    """The encoding has no merges, or their order is not known."""

    def __init__(self, encoding: str, kind: str):
        self.encoding, self.kind = encoding, kind
        is_bpe = kind.endswith("bpe")
        if is_bpe:
            problem = tr("The merges of {encoding} cannot be shown step by step.", encoding=encoding)
        else:
            problem = tr("{encoding} has no merges to show.", encoding=encoding)
        super().__init__(problem + " " + tr("To see merges, choose another encoding, such as gpt2."))


class MergesDisagree(TokenizerError):
    """A library encodes the pre-token differently from a replay of its merges."""

    def __init__(self, encoding: str):
        self.encoding = encoding
        super().__init__(
            tr(
                "{encoding} encodes this pre-token to tokens that differ from the result of its merges, so"
                " the merges are not shown.",
                encoding=encoding,
            )
        )


class NotCharacters(TokenizerError):
    """The encoding starts from characters, and these bytes are not UTF-8."""

    def __init__(self, encoding: str, position: int):
        self.encoding, self.position = encoding, position
        super().__init__(
            tr(
                "This pre-token is not valid UTF-8 from byte {position:,} on, and {encoding} starts from"
                " characters. Choose a pre-token of whole characters.",
                encoding=encoding,
                position=position + 1,
            )
        )


class Part(NamedTuple):
    """A part of the pre-token during merging: its id, its bytes, and the byte at which it starts."""

    id: int
    bytes: bytes
    start: int


@dataclass(frozen=True, eq=False)
class Ladder:
    """The merges of one pre-token, from its base parts to its tokens."""

    pre_token: bytes
    base: list[Part]
    steps: list[MergeStep]
    tokens: list[Part]
    taken_whole: bool  # the vocabulary has the pre-token, so tiktoken takes it whole, though no merges make it
    _ranks: Ranks

    @property
    def ids(self) -> list[int]:
        """The ids of the final tokens, the same as those of `Encoding.encode`."""
        return [token.id for token in self.tokens]

    def neighbors_spelling_a_token(self) -> list[int]:
        """Returns the indices of tokens that, joined with the next one, spell a token that is made of other parts."""
        neighbors = zip(self.tokens, self.tokens[1:], strict=False)
        return [i for i, (left, right) in enumerate(neighbors) if left.bytes + right.bytes in self._ranks]


def ladder(pre_token: bytes, encoding: Encoding) -> Ladder:
    """Returns the ladder of one pre-token; its final ids are those of the encoding.

    For an encoding that runs in a library, it starts from the bytes of the library's tokens, such as a dummy prefix.
    Raises PreTokenTooLong, NothingToReplay, NotCharacters, and MergesDisagree if the final ids would be others.

    >>> from tokenizer.kinds.byte_bpe import byte_bpe
    >>> toy = byte_bpe("toy", None, {bytes([i]): i for i in range(256)} | {b"lo": 256, b"ow": 257, b"low": 258})
    >>> replayed = ladder(b"slow", toy)
    >>> replayed.steps
    [MergeStep(position=1, left=b'l', right=b'o', rank=256), MergeStep(position=1, left=b'lo', right=b'w', rank=258)]
    >>> [token.bytes for token in replayed.tokens], replayed.ids, replayed.neighbors_spelling_a_token()
    ([b's', b'low'], [115, 258], [])
    """
    if len(pre_token) > MAX_PRE_TOKEN_BYTES:
        raise PreTokenTooLong(len(pre_token))
    if encoding.merges is None:
        raise NothingToReplay(encoding.name, encoding.kind)
    if not encoding.model.runs_in_library:
        return replay(pre_token, encoding)
    try:
        ids = encoding.encode(pre_token.decode())
    except UnicodeDecodeError as error:
        raise NotCharacters(encoding.name, error.start) from None
    return replay_to(ids, encoding)


def replay_to(ids: Sequence[int], encoding: Encoding) -> Ladder:
    """Returns the ladder of the joined bytes of these ids; raises MergesDisagree if it ends in others."""
    replayed = replay(b"".join(encoding.bytes_of(id) or b"" for id in ids), encoding)
    if replayed.ids != list(ids):
        raise MergesDisagree(encoding.name)
    return replayed


def replay(pre_token: bytes, encoding: Encoding) -> Ladder:
    """Returns the ladder of a pre-token by its merges alone."""
    merges = encoding.merges
    base = base_parts(pre_token, encoding)
    steps, tokens = merged(base, merges.joined)
    # a table that was not learned by merging can have tokens that no merges make; tiktoken finds them all the same
    taken_whole = len(tokens) > 1 and merges.pairs is None and pre_token in merges.ranks
    if taken_whole:
        steps, tokens = [], [Part(merges.ranks[pre_token], pre_token, 0)]
    return Ladder(pre_token, base, steps, tokens, taken_whole, merges.ranks)


def base_parts(pre_token: bytes, encoding: Encoding) -> list[Part]:
    """Returns the parts that merging starts from: single bytes, or characters; raises NotCharacters."""
    symbols = [pre_token[i : i + 1] for i in range(len(pre_token))]
    if encoding.merges.alphabet == "characters":
        try:
            symbols = [character.encode() for character in pre_token.decode()]
        except UnicodeDecodeError as error:
            raise NotCharacters(encoding.name, error.start) from None
    if encoding.merges.alphabet == "characters" and encoding.byte_tokens:
        known = encoding.merges.base
        symbols = [part for one in symbols for part in ([one] if one in known else [bytes([byte]) for byte in one])]
    starts = accumulate(map(len, symbols), initial=0)

    def id_of(symbol: bytes, unknown: int | None) -> int | None:
        return encoding.merges.base.get(symbol, encoding.byte_tokens.get(symbol, unknown))

    parts = [Part(id_of(one, encoding.unknown_id), one, start) for one, start in zip(symbols, starts, strict=False)]
    # without an unknown token, characters without a token are dropped
    return [part for part in parts if part.id is not None]


def merged(base: list[Part], joined: Joined) -> tuple[list[MergeStep], list[Part]]:
    """Returns the merges in order, and the final parts; `joined` maps two neighbors' ids to that of their merge.

    >>> pairs = {(0, 0): 1, (1, 0): 2}
    >>> steps, parts = merged([Part(0, b"a", i) for i in range(3)], lambda *pair: pairs.get(pair))
    >>> [(step.position, step.rank) for step in steps], parts
    ([(0, 1), (0, 2)], [Part(id=2, bytes=b'aaa', start=0)])
    """
    parts: list[Part | None] = list(base)
    gone, steps = [], []  # indices of parts that were merged away, sorted
    for i, j, rank in merge_events([part.id for part in base], joined):
        left, right = parts[i], parts[j]
        steps.append(MergeStep(i - bisect(gone, i), left.bytes, right.bytes, rank))
        insort(gone, j)
        parts[i], parts[j] = Part(rank, left.bytes + right.bytes, left.start), None
    return steps, [part for part in parts if part]
