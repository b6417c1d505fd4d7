"""Encodings with more merges than they came with: all old tokens and special tokens keep their ids."""

import json
from binascii import a2b_base64
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from tokenizer.encoding.bpe import Merge, parts_below
from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.vocabulary import rank_table
from tokenizer.errors import BadMerge, CannotExtend, shown
from tokenizer.i18n import tr
from tokenizer.kinds import open_models
from tokenizer.kinds.byte_bpe import RankModel
from tokenizer.kinds.from_merges import numbered
from tokenizer.kinds.registry import get_encoding


def check_extensible(encoding: Encoding) -> None:
    """Raises CannotExtend unless the encoding merges bytes by a table of ranks, as tiktoken does.

    >>> from tokenizer import get_encoding
    >>> check_extensible(get_encoding("gpt2"))
    """
    is_bpe = encoding.kind.endswith("bpe")
    if is_bpe and encoding.runs_in_library:
        reason = tr("it runs in another library, from files that this program does not change")
    elif not is_bpe or encoding.merges is None:
        reason = tr("it does not merge pairs, or its merges are not known")
    elif encoding.merges.alphabet != "bytes":
        reason = tr("its base symbols are characters, not bytes")
    elif encoding.drops_unmatched:
        reason = tr("it leaves out text that its split pattern does not match")
    elif encoding.merges.pairs is not None:
        reason = tr("its merges are not in the order of a table of ranks")
    else:
        return
    raise CannotExtend(encoding.name, reason)


def packed_start(encoding: Encoding) -> str:
    """Returns an encoding as a line of JSON, from which another process reads it; raises CannotExtend.

    >>> from tokenizer import encoding_from_merges
    >>> start_of(packed_start(encoding_from_merges([(b"a", b"b")], None, ["<|x|>"]))).encode("ab<|x|>", "special")
    [256, 257]
    """
    check_extensible(encoding)
    pattern, ranks = encoding.pattern_name or encoding.pattern, rank_table(encoding.model.tokens).decode()
    facts = {"name": encoding.name, "pattern": pattern, "special_tokens": encoding.special_tokens, "ranks": ranks}
    return json.dumps(facts)


@lru_cache(maxsize=4)
def start_of(begin: str) -> Encoding:
    """Returns the encoding that a name or a line of `packed_start` stands for.

    >>> start_of("gpt2").name
    'gpt2'
    """
    if not begin.startswith("{"):
        return get_encoding(begin)
    facts = json.loads(begin)
    ranks = {a2b_base64(token): int(rank) for token, rank in map(str.split, facts["ranks"].splitlines())}
    return Encoding(facts["name"], RankModel(facts["pattern"], ranks), facts["special_tokens"])


def first_new_id(encoding: Encoding) -> int:
    """Returns the id after the last one of an encoding, and of its model if that keeps more for special tokens.

    >>> from tokenizer import get_encoding
    >>> first_new_id(get_encoding("gpt2")), first_new_id(get_encoding("o200k_base"))
    (50257, 200019)
    """
    known = open_models.BY_KEY.get(encoding.name)
    return max(encoding.id_limit, known.num_ids if known else 0)


class BarredTokens:
    """What no new token of an encoding may be: a special token; an unmerged token, its beginning or its end.

    No two tokens of lower rank make an unmerged token, such as ` việc` of Llama 3; it stands only for a whole
    pre-token. With ` việ` as a new token, tiktoken, which joins any two neighbors that are a token together, would make
    it of ` việ` and `c` too; a list of merges would not.

    >>> from tokenizer import get_encoding
    >>> [token in BarredTokens(get_encoding("gpt2")) for token in (b"<|endoftext|>", b" Tokenloupe")]
    [True, False]
    """

    def __init__(self, encoding: Encoding):
        self._ranks = encoding.ranks
        self._names = {name.encode() for name in encoding.special_tokens}
        self._forwards = sorted(self._ranks)
        self._backwards = sorted(token[::-1] for token in self._ranks)
        self._known: dict[bytes, bool] = {}  # whether a token is unmerged

    def __contains__(self, token: bytes) -> bool:
        ends = (found[::-1] for found in beginning_with(token[::-1], self._backwards))
        return token in self._names or any(map(self._is_unmerged, [*beginning_with(token, self._forwards), *ends]))

    def _is_unmerged(self, token: bytes) -> bool:
        if token not in self._known:
            self._known[token] = len(parts_below(token, self._ranks[token], self._ranks)) > 2
        return self._known[token]


def beginning_with(head: bytes, in_order: Sequence[bytes]) -> list[bytes]:
    """Returns those of sorted tokens that begin with these bytes.

    >>> beginning_with(b"ab", [b"a", b"ab", b"abc", b"b"])
    [b'ab', b'abc']
    """
    first = last = bisect_left(in_order, head)
    while last < len(in_order) and in_order[last].startswith(head):
        last += 1
    return list(in_order[first:last])


def extended_encoding(
    start: Encoding,
    merges: Iterable[Merge | tuple[bytes, bytes]],
    special_tokens: Iterable[str] | Mapping[str, int] = (),
    name: str | None = None,
) -> Encoding:
    """Returns an encoding with more merges and special tokens; their ids begin after the last one of `start`.

    All tokens and special tokens of `start` keep their ids. Raises CannotExtend, and BadMerge for a merge that a table
    of ranks cannot hold.

    >>> from tokenizer import get_encoding
    >>> more = extended_encoding(get_encoding("gpt2"), [(b" world", b" peace")], ["<|th|>"])
    >>> more.encode("hello world peace<|th|>", special="special")
    [31373, 995, 4167, 50258]
    """
    check_extensible(start)
    merges, first = list(merges), first_new_id(start)
    merges = numbered(merges, start.ranks, range(first, first + len(merges)))
    ranks, barred = dict(start.ranks), BarredTokens(start)
    for position, merge in enumerate(merges):
        problem = None
        if merge.token in ranks:
            problem = tr("the token {token} exists already, so this merge cannot make it", token=shown(merge.token))
        elif merge.token in barred:
            problem = tr(
                "{token} is the name of a special token, or the beginning or end of a token that no merge makes",
                token=shown(merge.token),
            )
        elif parts_below(merge.token, merge.rank, ranks) != [merge.left, merge.right]:
            problem = tr(
                "the merges before it join the bytes of the token {token} in another way", token=shown(merge.token)
            )
        if problem:
            raise BadMerge(position, (merge.left, merge.right), problem)
        ranks[merge.token] = merge.rank
    if not isinstance(special_tokens, Mapping):
        free = first + len(merges)
        special_tokens = {token: free + i for i, token in enumerate(special_tokens)}
    model = RankModel(start.pattern_name or start.pattern, ranks)
    model.extends = start, merges
    return Encoding(name or start.name, model, start.special_tokens).with_special_tokens(special_tokens)
