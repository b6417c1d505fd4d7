"""Training of byte-pair encoding: yields the merges one by one."""

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, islice
from typing import NamedTuple

import numpy as np

from tokenizer.encoding.bpe import Merge as Merge
from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.spelling import PRINTABLE, UNPRINTABLE
from tokenizer.errors import (
    BadAlphabet,
    BadMerge,
    BadVocabularySize,
    CannotLift,
    NothingToTrainOn,
    UnknownTieRule,
    shown,
)
from tokenizer.i18n import mark, tr
from tokenizer.kinds.extending import BarredTokens, check_extensible, first_new_id
from tokenizer.kinds.from_merges import encoding_from_merges
from tokenizer.kinds.words import count_words, words_encoding
from tokenizer.notebook_repr import NotebookRepr
from tokenizer.split.patterns import compiled
from tokenizer.text.well_formed import well_formed
from tokenizer.training.corpus import count_pre_tokens, lay_out
from tokenizer.training.pairs import CountedPair, Pair, PairTable

Start = Encoding | Iterable[tuple[bytes, bytes] | Merge]  # what a training begins from

ALPHABETS = ("bytes", "characters")
GPT2_ORDER = [*PRINTABLE, *UNPRINTABLE]  # Hugging Face's order of single bytes
MAX_VOCABULARY_SIZE = 1_000_000
TIES = {  # the trainers that use a rule, a phrase on the pair that it chooses, and a sentence
    "first-seen": (
        "minbpe",
        mark("the pair that comes first in the text"),
        mark("The pair that comes first in the text is merged first, as in minbpe."),
    ),
    "largest-bytes": (
        "Stanford CS336",
        mark("the pair that comes last in byte order"),
        mark("The pair that comes last in byte order is merged first, as in Stanford’s CS336."),
    ),
    "smallest-ids": (
        "Hugging Face",
        mark("the pair whose tokens have the smaller ids"),
        mark("The pair whose tokens have the smaller ids is merged first, as in Hugging Face’s tokenizers."),
    ),
}


def train(
    texts: str | Iterable[str] = (),
    vocab_size: int = 512,
    pattern: str | None = "cl100k_base",
    ties: str = "first-seen",
    alphabet: str = "bytes",
    start: Start | None = None,
    counts: Mapping[str, int] | None = None,
    min_count: int = 1,
    lift_after: int | None = None,
) -> "Timeline":
    """Yields the merges that byte-pair encoding learns from the texts, one after the other.

    `vocab_size` counts base symbols and merges. Training ends earlier when no pair occurs `min_count` times.
    `start` replays these merges first. `counts` are pre-tokens in the order of their first occurrence, as
    `count_pre_tokens` returns them, instead of texts.

    An encoding as `start` brings its tokens, their ids and its split pattern: its tokens are the base symbols, the
    first merge gets the id after its last one, and `vocab_size` counts all ids. A pair is passed over where its token
    exists already, or where a table of ranks could not hold it (`BarredTokens`).

    >>> for merge in train("aaabdaaabac", vocab_size=259, pattern=None):
    ...     print(merge)
    Merge(rank=256, left=b'a', right=b'a', token=b'aa', count=4, saved=2)
    Merge(rank=257, left=b'aa', right=b'a', token=b'aaa', count=2, saved=2)
    Merge(rank=258, left=b'aaa', right=b'b', token=b'aaab', count=2, saved=2)
    >>> from tokenizer import get_encoding
    >>> next(train("Tokenloupe, tokenloupe", 50_258, start=get_encoding("gpt2")))
    Merge(rank=50257, left=b'l', right=b'ou', token=b'lou', count=2, saved=2)

    `lift_after` lifts the split pattern after this number of merges, as in SuperBPE (Liu et al. 2025,
    arXiv 2503.13423): the merges so far are applied to the unsplit texts, and further ones may join words. To encode,
    all merges are applied to the unsplit text, so the encoding has no pattern: `encoding_from_merges(merges, None)`.
    Even the first merges then join more than within pre-tokens: that of 34 also joins the 3 and the 4 of 123456, which
    GPT-4's pattern splits between them.

    >>> [merge.token for merge in train("of the cat, of the dog", 261, "gpt2", lift_after=4)]
    [b'of', b' t', b' th', b' the', b'of the']
    """
    base, start = base_and_start(start, alphabet)
    pattern = split_of(base, pattern)
    check_options(vocab_size, pattern, ties, base, len(start))
    if lift_after is not None:
        check_lift(
            lift_after, pattern, base, None if alphabet == "characters" else vocab_size - 256, counts is not None
        )
        texts = [texts] if isinstance(texts, str) else list(texts)

    def begin() -> tuple[Training, Iterator[tuple[Merge, Lifted | None]]]:
        found = count_pre_tokens(texts, pattern) if counts is None else checked(counts)
        lift = None if lift_after is None else Lift(lift_after, count_pre_tokens(texts, None))
        training = Training(found, base, ties, vocab_size, bool(start))
        steps = training.steps(start, vocab_size, min_count, lift)
        return training, ((training.merge(found), training.lifted) for found in steps)

    return Timeline(begin)  # checks the options before the first merge


class Timeline(NotebookRepr, Iterator[Merge]):
    """The merges of a training, learned on demand and cached.

    Drawing it in a notebook trains to the end; an iteration in progress continues where it was.

    >>> timeline = train("aaabdaaabac", vocab_size=259, pattern=None)
    >>> next(timeline).token, [merge.token for merge in timeline.merges], next(timeline).token
    (b'aa', [b'aa', b'aaa', b'aaab'], b'aaa')
    >>> timeline.num_bytes, timeline.num_tokens
    (11, [11, 9, 7, 5])
    """

    def __init__(self, begin: Callable[[], tuple["Training", Iterator[tuple[Merge, "Lifted | None"]]]]):
        self._begin, self._at, self._known, self._lifted = begin, 0, [], None

    @cached_property
    def _begun(self) -> tuple[Iterator[tuple[Merge, "Lifted | None"]], int, int, int]:
        """The remaining steps; base symbols, their uses in the corpus and its bytes before the first step."""
        training, steps = self._begin()
        uses = training.uses()
        num_bytes = int(uses @ [len(token) for token in training.tokens])
        return steps, training.vocab_size, int(uses.sum()), num_bytes  # without its large arrays

    def __next__(self) -> Merge:
        if self._at == len(self._known):
            self._keep(next(self._begun[0]))
        self._at += 1
        return self._known[self._at - 1]

    def _keep(self, learned: tuple[Merge, "Lifted | None"]) -> None:
        merge, self._lifted = learned
        self._known.append(merge)

    @property
    def merges(self) -> list[Merge]:
        """All merges; trains to the end."""
        for learned in self._begun[0]:
            self._keep(learned)
        return self._known

    @property
    def num_base(self) -> int:
        """The number of base symbols."""
        return self._begun[1]

    @property
    def num_bytes(self) -> int:
        """The UTF-8 bytes of the corpus."""
        return self._begun[3]

    @property
    def num_tokens(self) -> list[int]:
        """The tokens of the corpus before the first merge and after each; of the unsplit one once it is lifted."""
        saved = [merge.saved for merge in self.merges]
        return tokens_at_each_step(self._begun[2], saved, self._lifted)

    def __repr__(self) -> str:
        return f"<a training with {len(self._known):,} merges so far>"


class Lift(NamedTuple):
    """When a training lifts its split pattern, and its unsplit texts with their counts."""

    after: int
    counts: Mapping[str, int]


class Lifted(NamedTuple):
    """The step before which a training lifted its split pattern, and the tokens of the unsplit texts then."""

    step: int
    num_tokens: int


def tokens_at_each_step(first: int, saved: Sequence[int], lifted: Lifted | None) -> list[int]:
    """Returns the tokens of a corpus before the first merge and after each, from what each saved.

    >>> tokens_at_each_step(10, [2, 1, 3], None), tokens_at_each_step(10, [2, 1, 3], Lifted(2, 8))
    ([10, 8, 7, 4], [10, 8, 7, 5])
    """
    at = len(saved) if lifted is None else lifted.step
    found = [first - total for total in accumulate(saved[:at], initial=0)]
    return found + [lifted.num_tokens - total for total in accumulate(saved[at:])] if saved[at:] else found


def train_words(
    texts: str | Iterable[str] | Mapping[str, int],
    vocab_size: int = 512,
    ties: str = "first-seen",
    min_count: int = 1,
    name: str = "words",
) -> Encoding:
    """Returns the encoding of words learned from texts, or from words with their counts.

    `vocab_size` counts characters and merges; the unknown token comes after them.

    >>> enc = train_words({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, 10)
    >>> [enc.piece(id) for id in enc.encode("bug hugs mug")]
    ['b', 'ug', 'hug', 's', '<unk>', 'ug']
    """
    counts = count_words(checked(texts) if isinstance(texts, Mapping) else texts)
    merges = train((), vocab_size, None, ties, "characters", counts=counts, min_count=min_count)
    return words_encoding(set("".join(counts)), merges, name=name)


def top_pairs(
    counts: Mapping[str, int],
    limit: int = 10,
    ties: str = "first-seen",
    alphabet: str = "bytes",
    start: Start = (),
) -> list[tuple[bytes, bytes, int]]:
    """Returns the candidates for the next merge after `start`, the best first, with their counts.

    >>> top_pairs({"aaabdaaabac": 1}, limit=2)
    [(b'a', b'a', 4), (b'a', b'b', 2)]
    """
    base, start = base_and_start(start, alphabet)
    check_options(MAX_VOCABULARY_SIZE, None, ties, base, len(start))
    training = Training(checked(counts), base, ties, MAX_VOCABULARY_SIZE, bool(start))
    for found in training.steps(start, 0, 1):
        training.merge(found)
    best = islice(iter(training.best, None), limit)
    return [(*training.halves(found), found.count) for found in best]


class Training:
    """The state of a training: tokens, positions of pairs, and a heap of candidates.

    A pair's count can only fall and its first position only rise, so the heap has bounds. The best bound is counted
    again; if no other bound is better then, it is the best pair, ties included. Rare pairs are added to the heap when
    they may be the best; `every` adds all at once, for given merges.
    """

    def __init__(
        self, counts: Mapping[str, int], alphabet: str | Encoding, ties: str, vocab_size: int, every: bool = False
    ):
        if not counts:
            raise NothingToTrainOn
        row, weights, symbols = lay_out(counts, alphabet)
        if ties == "smallest-ids" and alphabet == "bytes":
            row, symbols = in_gpt2_order(row, symbols)
        if vocab_size < len(symbols):
            raise BadVocabularySize(vocab_size, len(symbols), MAX_VOCABULARY_SIZE)
        self.tokens = [b"", *symbols]  # by symbol; 0 is the gap between pre-tokens
        self.symbols = {token: symbol for symbol, token in enumerate(self.tokens)}
        self.tie_key, self.alphabet, self.num_base = TIE_RULES[ties], alphabet, len(symbols)
        self.pairs: list[Pair] = []  # that were merged, in order
        self.lifted: Lifted | None = None  # where the split pattern was lifted
        self.barred = BarredTokens(alphabet) if isinstance(alphabet, Encoding) else None
        self._max_vocab_size = vocab_size
        self._begin(row, weights, every)

    def _begin(self, row: np.ndarray, weights: np.ndarray, every: bool) -> None:
        """Counts the pairs of a row of the current symbols."""
        self.table = PairTable(row, weights, self.vocab_size, self._max_vocab_size - self.vocab_size)
        self.heap = list(map(self.bound, self.table.more_pairs(1 if every else None)))
        heapq.heapify(self.heap)

    @property
    def vocab_size(self) -> int:
        """The current number of tokens, which is the id of the next one."""
        return len(self.tokens) - 1

    def uses(self) -> np.ndarray:
        """Returns the current number of occurrences of each symbol in the corpus."""
        table = self.table
        counts = np.bincount(table.row, weights=table.weights, minlength=self.vocab_size + 1).astype(np.int64)
        counts[0] = 0
        return counts

    def halves(self, found: CountedPair) -> tuple[bytes, bytes]:
        """Returns the bytes of the two tokens of a pair."""
        return self.tokens[found.pair[0]], self.tokens[found.pair[1]]

    def bound(self, found: CountedPair) -> tuple:
        """Returns the key of the heap: high counts first, then the tie rule, then the pair itself."""
        return -found.count, self.tie_key(found, self.tokens), found.pair

    def best(self) -> CountedPair | None:
        """Removes the best pair from the heap; None if no pairs are left."""
        while True:
            while self.heap and -self.heap[0][0] >= self.table.least:
                pair = heapq.heappop(self.heap)[-1]
                found = self.table.count(pair)
                bound = self.bound(found)
                if found.count >= self.table.least and (not self.heap or bound < self.heap[0]):
                    if self.barred is None or self._may_merge(found):
                        return found
                    continue
                if found.count:
                    heapq.heappush(self.heap, bound)
                else:
                    self.table.positions.pop(pair)
            if self.table.least == 1:
                return None
            for found in self.table.more_pairs():
                heapq.heappush(self.heap, self.bound(found))

    def _may_merge(self, found: CountedPair) -> bool:
        """Whether the pair may become a token.

        The bytes of a pair in the text are not an old token, except one that no merge makes: that one is barred.
        """
        return b"".join(self.halves(found)) not in self.barred

    def steps(
        self,
        start: Sequence[tuple[bytes, bytes] | Merge],
        vocab_size: int,
        min_count: int,
        lift: Lift | None = None,
    ) -> Iterator[CountedPair]:
        """Yields the pair to merge next, which the caller then merges: those of `start`, then the best of each step."""
        for position, merge in enumerate(start):
            self._lift_if_due(lift, every=True)
            yield self.pair_of(position, merge)
        while self.vocab_size < vocab_size:
            self._lift_if_due(lift)
            found = self.best()
            if found is None or found.count < min_count:
                return
            yield found

    def _lift_if_due(self, lift: Lift | None, every: bool = False) -> None:
        """Lays the unsplit texts out by the merges so far if the split pattern ends here; `every`: see the class."""
        if not lift or self.lifted or len(self.pairs) < lift.after:
            return
        merges = [(self.tokens[left], self.tokens[right]) for left, right in self.pairs]
        characters = [token.decode() for token in self.tokens[1 : self.num_base + 1] if self.alphabet != "bytes"]
        encoding = encoding_from_merges(merges, None, alphabet=characters or "bytes")
        row, weights, _ = lay_out(lift.counts, encoding)
        symbols = np.array([0, *(self.symbols.get(token, 0) for token in encoding.model.tokens)])  # by id + 1
        self._begin(symbols[row], weights, every)
        self.lifted = Lifted(len(self.pairs), int(self.uses().sum()))

    def runners_up(self, winner: CountedPair, limit: int) -> list[CountedPair]:
        """Returns the pairs after the winner, best first, with exact counts, without removing them."""
        passed = []
        while len(passed) <= limit and (found := self.best()):
            passed.append(found)
        for found in passed:
            heapq.heappush(self.heap, self.bound(found))
        return [found for found in passed if found.pair != winner.pair][:limit]

    def chosen(self, tied: Iterable[CountedPair], ties: str) -> CountedPair:
        """Returns the one of several pairs with the same count that a tie rule chooses."""
        gpt2 = {bytes([byte]): number for number, byte in enumerate(GPT2_ORDER)} if self.alphabet == "bytes" else {}

        def key(found: CountedPair) -> tuple:
            return TIE_RULES[ties](found, self.tokens), [gpt2.get(self.tokens[symbol], symbol) for symbol in found.pair]

        return min(tied, key=key)

    def merge(self, found: CountedPair) -> Merge:
        """Merges the pair to a token; its count must be current."""
        (left, right), rank = self.halves(found), self.vocab_size
        saved, made = self.table.merge(found.pair, rank + 1)
        self.pairs.append(found.pair)
        self.tokens.append(left + right)
        self.symbols[left + right] = rank + 1
        for pair in made:
            heapq.heappush(self.heap, self.bound(pair))
        return Merge(rank, left, right, left + right, found.count, saved)

    def pair_of(self, position: int, merge: tuple[bytes, bytes] | Merge) -> CountedPair:
        """Returns the pair of the two tokens with these bytes, with any count."""
        left, right = (merge.left, merge.right) if isinstance(merge, Merge) else merge
        for token in (left, right):
            if not token or token not in self.symbols:
                reason = tr("{half} is neither a base symbol nor the result of an earlier merge", half=shown(token))
                raise BadMerge(position, (left, right), reason)
        if left + right in self.symbols:
            raise BadMerge(
                position,
                (left, right),
                tr("the token {token} exists already, so this merge cannot make it", token=shown(left + right)),
            )
        return self.table.count((self.symbols[left], self.symbols[right]))


# Keys of the tie rules: the pair with the smallest key is merged first; for equal keys the smaller ids win, left before
# right. Ties occur early: in minbpe's taylorswift.txt two pairs tie on the 23rd merge, and all later merges may differ.
TIE_RULES: dict[str, Callable[[CountedPair, list[bytes]], object]] = {
    "first-seen": lambda found, tokens: found.first,  # minbpe, and the notebooks that follow it
    "largest-bytes": lambda found, tokens: [descending(tokens[symbol]) for symbol in found.pair],  # Stanford's CS336
    "smallest-ids": lambda found, tokens: 0,  # Hugging Face's tokenizers
}


def descending(token: bytes) -> str:
    """Returns a string that sorts before that of any smaller token.

    >>> sorted([b"a", b"b", b"ab", b""], key=descending)
    [b'b', b'ab', b'a', b'']
    """
    return token.decode("latin-1").translate(DESCENDING) + "\u0100"  # greater than any byte


DESCENDING = {byte: 255 - byte for byte in range(256)}


def in_gpt2_order(row, symbols):
    """Renumbers the bytes like Hugging Face: those that GPT-2's files spell as themselves come first."""
    renumbered = [0] * 257
    for number, byte in enumerate(GPT2_ORDER, start=1):
        renumbered[byte + 1] = number
    return np.array(renumbered)[row], [symbols[byte] for byte in GPT2_ORDER]


def base_and_start(start: Start | None, alphabet: str) -> tuple[str | Encoding, list[tuple[bytes, bytes] | Merge]]:
    """Returns the alphabet or encoding that a training begins from, and the merges to replay; raises CannotExtend."""
    if isinstance(start, Encoding):
        check_extensible(start)
        return start, []
    return alphabet, list(start or ())


def split_of(base: str | Encoding, pattern: str | None) -> str | None:
    """Returns the split pattern of a training: that of the encoding from which it begins, or the chosen one."""
    return (base.pattern_name or base.pattern) if isinstance(base, Encoding) else pattern


def check_lift(
    lift_after: object,
    pattern: str | None,
    base: str | Encoding,
    most_merges: int | None = None,
    is_counted: bool = False,
) -> None:
    """Raises CannotLift where the split pattern of a training cannot be lifted after this number of merges."""
    if type(lift_after) is not int or lift_after < 0:
        raise CannotLift(tr("{number!r} is not a number of merges", number=lift_after))
    if isinstance(base, Encoding):
        raise CannotLift(tr("the tokens of {name} keep their ids only if text is split as in {name}", name=base.name))
    if pattern is None:
        raise CannotLift(tr("the training has no split pattern"))
    if is_counted:
        raise CannotLift(tr("the training has counts of pre-tokens, and not the text that they came from"))
    if most_merges is not None and lift_after >= most_merges:
        problem = mark("the training makes at most {most:,} merges, so there is no merge after merge {last:,}")
        raise CannotLift(tr(problem, most=most_merges, last=lift_after))


def check_options(vocab_size: object, pattern: object, ties: object, alphabet: object, num_start: int) -> None:
    """Raises an error for the first invalid option."""
    if ties not in TIE_RULES:
        raise UnknownTieRule(ties, TIE_RULES)
    if isinstance(alphabet, Encoding):
        smallest = first_new_id(alphabet)
        if type(vocab_size) is not int or not smallest <= vocab_size <= MAX_VOCABULARY_SIZE:
            needed_for = tr("the {n:,} ids of {name}", n=smallest, name=alphabet.name)
            raise BadVocabularySize(vocab_size, smallest, MAX_VOCABULARY_SIZE, needed_for)
        return
    if alphabet not in ALPHABETS:
        raise BadAlphabet(
            alphabet, tr("{alphabet!r} is not one of {known}", alphabet=alphabet, known=", ".join(map(repr, ALPHABETS)))
        )
    smallest = num_start + (256 if alphabet == "bytes" else 1)
    if type(vocab_size) is not int or not smallest <= vocab_size <= MAX_VOCABULARY_SIZE:
        needed_for = tr("the 256 bytes") if alphabet == "bytes" else tr("one character")
        if num_start:
            needed_for = tr("{symbols} and the {n:,} merges to start from", symbols=needed_for, n=num_start)
        raise BadVocabularySize(vocab_size, smallest, MAX_VOCABULARY_SIZE, needed_for)
    if pattern is not None:
        compiled(pattern)


def checked(counts: Mapping[str, int]) -> dict[str, int]:
    """Returns the counts of the well-formed pre-tokens that are not empty."""
    found: dict[str, int] = {}
    for pre_token, count in counts.items():
        pre_token = well_formed(pre_token)[0]
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise NothingToTrainOn(
                tr("the pre-token {pre_token!r} cannot occur {count!r} times", pre_token=pre_token, count=count)
            )
        if pre_token:
            found[pre_token] = found.get(pre_token, 0) + count
    return found
