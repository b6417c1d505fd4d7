"""The full record of a training: each merge with its runners-up, and the tokens of a text at each step."""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from tokenizer.encoding.interface import Encoding
from tokenizer.kinds.characters import characters_encoding
from tokenizer.kinds.extending import extended_encoding
from tokenizer.kinds.from_merges import encoding_from_merges, numbered_specials
from tokenizer.kinds.words import words_encoding
from tokenizer.notebook_repr import NotebookRepr
from tokenizer.split.guards import timeout_for
from tokenizer.split.patterns import pieces
from tokenizer.text.units import grapheme_ends
from tokenizer.text.well_formed import code_points, utf8_lengths, well_formed
from tokenizer.training.pairs import GAP_SYMBOL, CountedPair
from tokenizer.training.train import (
    MAX_VOCABULARY_SIZE,
    TIE_RULES,
    Lift,
    Lifted,
    Merge,
    Training,
    check_options,
    checked,
    tokens_at_each_step,
)

NUM_RIVALS = 5  # recorded runners-up of each step
MAX_TIES, MAX_TIED_PAIRS = 20, 100  # recorded in full
NO_SYMBOL = 0xFFFFFFFF  # no symbol; and the step of a gap that never closes


@dataclass(frozen=True, eq=False)
class TrainingHistory(NotebookRepr):
    """The merges of a training, with the runners-up, ties and counts of each step.

    A symbol's number is its id: the base symbols in the order of their bytes, then the tokens in the order of training.
    Arrays have one entry for each merge, except `base` and `uses`, which have one for each symbol. A training that
    began from an encoding has the alphabet "tokens": its base symbols are the old ids, `old_bytes` and `old_lengths`
    have their bytes, and an id that no merge may use has none.
    """

    alphabet: str
    base: np.ndarray  # the base symbols: bytes, code points, or ids
    left: np.ndarray  # the winning pair
    right: np.ndarray
    count: np.ndarray  # its occurrences in the corpus
    saved: np.ndarray  # tokens that the merge saved
    # (merges, NUM_RIVALS, 3): the pairs that came next, and their counts; NO_SYMBOL where there are fewer
    rivals: np.ndarray
    uses: np.ndarray  # occurrences of each symbol in the corpus after the last merge
    num_symbols: int  # base symbols in the corpus: its tokens before the first merge
    num_bytes: int
    # the first merge that joined parts of two graphemes of a pre-token anywhere in the corpus
    crossing: int = NO_SYMBOL
    # the first merges that a tie decided: which, how many pairs tied (0: more than MAX_TIED_PAIRS), the pair each rule
    # takes
    ties: np.ndarray = field(default_factory=lambda: np.zeros((0, 2 + 2 * len(TIE_RULES)), np.int64))
    # of a text that was held out, the tokens before the first merge and after each
    held_out: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    held_out_bytes: int = 0
    old_bytes: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint8))
    old_lengths: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    # the step before which the split pattern was lifted, and the tokens of the unsplit corpus then
    lift: int = NO_SYMBOL
    lifted_tokens: int = 0
    # of a training that began from an encoding: tokens of our English text before the first merge and after each
    english: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))

    def __len__(self) -> int:
        return len(self.left)

    @property
    def num_base(self) -> int:
        """The number of base symbols."""
        return len(self.base)

    @cached_property
    def tokens(self) -> list[bytes]:
        """The bytes of each symbol."""
        if self.alphabet == "tokens":
            joined, ends = self.old_bytes.tobytes(), [0, *np.cumsum(self.old_lengths).tolist()]
            tokens = [joined[start:end] for start, end in pairwise(ends)]
        else:
            tokens = [bytes([b]) if self.alphabet == "bytes" else chr(b).encode() for b in self.base.tolist()]
        for left, right in zip(self.left.tolist(), self.right.tolist(), strict=True):
            tokens.append(tokens[left] + tokens[right])
        return tokens

    @cached_property
    def merges(self) -> list[Merge]:
        """The merges in the form of `train`."""
        tokens, first = self.tokens, len(self.base)
        rows = zip(self.left.tolist(), self.right.tolist(), self.count.tolist(), self.saved.tolist(), strict=True)
        return [
            Merge(first + i, tokens[left], tokens[right], tokens[first + i], count, saved)
            for i, (left, right, count, saved) in enumerate(rows)
        ]

    @cached_property
    def num_tokens(self) -> np.ndarray:
        """The tokens of the corpus before the first merge and after each; of the unsplit one once it is lifted."""
        return np.array(tokens_at_each_step(self.num_symbols, self.saved.tolist(), self.lifted))

    @property
    def lifted(self) -> Lifted | None:
        """Where the split pattern was lifted; None where it was not."""
        return None if self.lift == NO_SYMBOL else Lifted(self.lift, self.lifted_tokens)

    def runners_up(self, step: int) -> list[tuple[bytes, bytes, int]]:
        """Returns the runners-up of a step with their counts."""
        found = [rival for rival in self.rivals[step].tolist() if rival[0] != NO_SYMBOL]
        return [(self.tokens[left], self.tokens[right], count) for left, right, count in found]

    def encoding(
        self,
        pattern: str | None,
        special_tokens: Sequence[str] = (),
        name: str = "trained",
        kind: str = "bpe",
        drop_unmatched: bool = False,
        start: Encoding | None = None,
    ) -> Encoding:
        """Returns the encoding of this kind with the merges; special tokens may be typed as `name=id`.

        `start` is the encoding from which the training began. Where the split pattern was lifted, it has none.
        """
        pattern = None if self.lifted else pattern
        special_tokens = numbered_specials(special_tokens, self.first_special_id(kind))
        if start:
            return extended_encoding(start, self.merges, special_tokens, name)
        alphabet = "bytes" if self.alphabet == "bytes" else [chr(point) for point in self.base.tolist()]
        if kind == "characters":  # the next id is that of unknown characters
            return characters_encoding(alphabet, special_tokens, name)
        if kind == "words":
            return words_encoding(alphabet, self.merges, special_tokens, name)
        return encoding_from_merges(self.merges, pattern, special_tokens, name, alphabet, drop_unmatched=drop_unmatched)

    def first_special_id(self, kind: str) -> int:
        """Returns the first id after the tokens; in kinds with an unknown token before the special ones, after it."""
        return len(self.base) + len(self) + (kind in ("characters", "words"))

    def to_bytes(self) -> bytes:
        """Returns the history as a numpy archive."""
        file = io.BytesIO()
        np.savez(file, **{name: getattr(self, name) for name in self.__dataclass_fields__})
        return file.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> "TrainingHistory":
        """Returns the history that `to_bytes` wrote.

        >>> history = record_training({"aaabdaaabac": 1}, 258)
        >>> TrainingHistory.from_bytes(history.to_bytes()).merges == history.merges
        True
        """
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            facts = {name: arrays[name] for name in cls.__dataclass_fields__}
        return cls(**{name: fact.item() if fact.ndim == 0 else fact for name, fact in facts.items()})


def record_training(
    counts: Mapping[str, int],
    vocab_size: int,
    ties: str = "first-seen",
    alphabet: str | Encoding = "bytes",
    start: Iterable[tuple[bytes, bytes] | Merge] = (),
    min_count: int = 1,
    progress=lambda num_merges: None,
    lift: Lift | None = None,
) -> TrainingHistory:
    """Trains on pre-token counts and returns the record; `progress` is called with the number of merges so far.

    An encoding as `alphabet` is what the training begins from. `lift` lifts the split pattern that made the counts.

    >>> history = record_training({"aaabdaaabac": 1}, 259)
    >>> history.runners_up(0)[:1], history.num_tokens.tolist()
    ([(b'a', b'b', 2)], [11, 9, 7, 5])
    """
    start, counts = list(start), checked(counts)
    check_options(vocab_size, None, ties, alphabet, len(start))
    training = Training(counts, alphabet, ties, vocab_size, bool(start))
    num_base, num_symbols = training.vocab_size, training.uses().sum()
    middles, crossing = _grapheme_starts(counts, alphabet, training), NO_SYMBOL
    winners, saved, rivals, tied_pairs = [], [], [], []
    for found in training.steps(start, vocab_size, min_count, lift):
        step, next_ones = len(winners), training.runners_up(found, NUM_RIVALS)
        if training.lifted and step == training.lifted.step:
            middles = _grapheme_starts(lift.counts, alphabet, training)
        rivals.append(
            [(*rival.pair, rival.count) for rival in next_ones] + [(0, 0, NO_SYMBOL)] * (NUM_RIVALS - len(next_ones))
        )
        if step >= len(start) and len(tied_pairs) < MAX_TIES and next_ones and next_ones[0].count == found.count:
            tied_pairs.append((step, *_tie(training, found)))
        winners.append((*found.pair, found.count))
        if crossing == NO_SYMBOL:
            tokens_saved, merged = _merged(training, found)
            crossing = step if middles[merged + training.table.lengths[found.pair[0]]].any() else NO_SYMBOL
        else:
            tokens_saved = training.merge(found).saved
        saved.append(tokens_saved)
        progress(len(saved))

    # in training, single bytes may be numbered in another order; 0 is not a symbol there, and the first symbol here
    own = np.array([NO_SYMBOL, *range(training.vocab_size)])
    old = {}
    if isinstance(alphabet, Encoding):
        base, old_tokens, alphabet = np.arange(num_base, dtype=np.int32), training.tokens[1 : num_base + 1], "tokens"
        lengths = np.fromiter(map(len, old_tokens), np.int32)
        old = {"old_bytes": np.frombuffer(b"".join(old_tokens), np.uint8), "old_lengths": lengths}
    elif alphabet == "bytes":
        own[1:257] = [token[0] for token in training.tokens[1:257]]
        base = np.arange(256)
    else:
        base = np.array([ord(token.decode()) for token in training.tokens[1 : num_base + 1]])
    left, right, count = np.array(winners, dtype=np.int64).reshape(-1, 3).T
    rivals = np.array(rivals, dtype=np.int64).reshape(-1, NUM_RIVALS, 3)
    rivals[..., :2] = own[rivals[..., :2]]
    tied_pairs = np.array(tied_pairs, dtype=np.int64).reshape(-1, 2 + 2 * len(TIE_RULES))
    tied_pairs[:, 2:] = own[tied_pairs[:, 2:]]
    uses = np.zeros(training.vocab_size, dtype=np.int64)
    uses[own[1:]] = training.uses()[1:]
    return TrainingHistory(
        alphabet,
        base,
        own[left],
        own[right],
        count,
        np.array(saved, dtype=np.int64),
        rivals.astype(np.uint32 if rivals.max(initial=0) <= NO_SYMBOL else np.int64),
        uses,
        int(num_symbols),
        sum(len(pre_token.encode()) * n for pre_token, n in counts.items()),
        crossing,
        tied_pairs,
        **old,
        **_lift_facts(training, len(winners)),
    )


def _lift_facts(training: Training, num_merges: int) -> dict[str, int]:
    """Returns the fields on the lift; empty where no merge came after it."""
    lifted = training.lifted
    return {"lift": lifted.step, "lifted_tokens": lifted.num_tokens} if lifted and lifted.step < num_merges else {}


def _grapheme_starts(counts: Mapping[str, int], alphabet: str | Encoding, training: Training) -> np.ndarray:
    """Returns for each position of a training's row whether a grapheme of its pre-token begins there."""
    text = "\0".join(["", *counts, ""])  # in the layout of the row; no grapheme spans a NUL
    begins = np.zeros(len(text.encode()) + 1, dtype=bool)
    begins[grapheme_ends(text)] = True
    if isinstance(alphabet, Encoding) or training.lifted:
        return begins[np.append(0, np.cumsum(_symbol_lengths(training)))]
    return begins if alphabet == "bytes" else begins[np.append(0, np.cumsum(utf8_lengths(code_points(text))))]


def _symbol_lengths(training: Training) -> np.ndarray:
    """Returns the bytes of the symbol at each position of a row that has just been laid out; 1 for a gap."""
    lengths = np.fromiter(map(len, training.tokens), np.int64)
    lengths[0] = 1
    return lengths[training.table.row]


def _tie(training: Training, winner: CountedPair) -> tuple[int, ...]:
    """Returns how many pairs tie with the winner, and the choice of each rule; 0 and the winner if too many tie."""
    rivals = training.runners_up(winner, MAX_TIED_PAIRS)
    tied = [winner, *(rival for rival in rivals if rival.count == winner.count)]
    if len(tied) > MAX_TIED_PAIRS:
        return 0, *winner.pair * len(TIE_RULES)
    return len(tied), *(symbol for rule in TIE_RULES for symbol in training.chosen(tied, rule).pair)


def tokens_after_each(
    counts: Mapping[str, int],
    history: TrainingHistory,
    start: Encoding | None = None,
    unsplit: Mapping[str, int] | None = None,
) -> np.ndarray:
    """Returns the tokens of other pre-tokens before the first merge of a history and after each.

    `start` is the encoding from which the training began. `unsplit` are the texts of the pre-tokens, where the history
    lifted its split pattern.

    >>> tokens_after_each({"aaab": 1, "b": 2}, record_training({"aaabdaaabac": 1}, 259)).tolist()
    [6, 5, 4, 3]
    """
    training = Training(checked(counts), start or history.alphabet, "first-seen", MAX_VOCABULARY_SIZE, every=True)
    saved = np.zeros(len(history) + 1, dtype=np.int64)
    saved[0] = -training.uses().sum()
    for step, found in _replayed(training, history.merges):
        saved[step + 1] = training.merge(found).saved
    tokens = -np.cumsum(saved)
    if history.lifted:
        tokens[history.lift + 1 :] = tokens_after_each(unsplit, replace(history, lift=NO_SYMBOL))[history.lift + 1 :]
    return tokens


def closings(text: str, encoding: Encoding) -> tuple[np.ndarray, np.ndarray]:
    """Returns where the base symbols of a text end, in UTF-8 bytes, and at which merge the gap after each closes.

    Before merge `i` is applied, the tokens end where a gap closes at `i` or later; `NO_SYMBOL` is a gap that stays.

    >>> from tokenizer.training.train import train
    >>> ends, steps = closings("abcab", encoding_from_merges(train("abcabab", 258, None), None))
    >>> ends.tolist(), [step if step != NO_SYMBOL else "stays" for step in steps.tolist()]
    ([1, 2, 3, 4, 5], [0, 1, 'stays', 0, 'stays'])
    """
    text = well_formed(text)[0]
    found = [*pieces(text, encoding.split and encoding.split.pattern, timeout_for(text))]
    distinct = dict.fromkeys(found, 1)
    if not found:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    base, merges = timeline_of(encoding)
    training = Training(distinct, base, "first-seen", MAX_VOCABULARY_SIZE, every=True)
    sizes, row = _symbol_lengths(training), training.table.row.copy()
    gone = np.full(len(row), NO_SYMBOL, dtype=np.int64)
    for step, one in _replayed(training, merges):
        gone[_merged(training, one)[1] + training.table.lengths[one.pair[0]] - 1] = step

    gaps = np.flatnonzero(row == GAP_SYMBOL).tolist()  # before, between and after the pieces
    places = {piece: slice(gap + 1, after) for piece, (gap, after) in zip(distinct, pairwise(gaps), strict=True)}
    steps = np.concatenate([gone[places[piece]] for piece in found])
    return np.cumsum(np.concatenate([sizes[places[piece]] for piece in found])), steps


def timeline_of(encoding: Encoding) -> tuple[str | Encoding, Sequence[Merge]] | None:
    """Returns the alphabet or encoding with which a timeline begins, and its merges; None for one without a timeline.

    >>> from tokenizer import get_encoding
    >>> timeline_of(encoding_from_merges([(b"a", b"b")], None))[0], timeline_of(get_encoding("gpt2"))
    ('bytes', None)
    """
    if encoding.kind != "bpe" or encoding.drops_unmatched or encoding.merges is None:
        return None
    if encoding.model.extends:
        return encoding.model.extends
    return None if encoding.merges.learned is None else (encoding.merges.alphabet, encoding.merges.learned)


def _merged(training: Training, found: CountedPair) -> tuple[int, np.ndarray]:
    """Merges a pair; returns how many tokens that saved, and where the new ones begin."""
    places = np.asarray(training.table.positions.get(found.pair, []), dtype=np.int64)
    saved = training.merge(found).saved
    return saved, places[training.table.row[places] == training.vocab_size]  # not all, where the pair stands in a run


def _replayed(training: Training, merges: Sequence[Merge]) -> Iterator[tuple[int, CountedPair]]:
    """Yields the merges whose pair currently occurs in another corpus, each with its step; the caller merges it."""
    for step, merge in enumerate(merges):
        pair = training.symbols.get(merge.left), training.symbols.get(merge.right)
        if pair in training.table.positions and (found := training.table.count(pair)).count:
            yield step, found
