"""A training in a process of its own: `python -m tokenizer.training.worker PARENT` reads an order.

An order is two lines of JSON: `Order`'s fields, and the texts. The output has lines of JSON: `{"stage": …}`,
`{"merges": n}`, and at the end `{"history": its bytes, "milestones": …, "new_words": …}` followed by the history, or
`{"error": …}`. For another program the order is an `ExternalTraining`, and the output ends with `{"file": its bytes}`.
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import BinaryIO

from tokenizer.encoding.interface import Encoding
from tokenizer.errors import CannotLift, TokenizerError
from tokenizer.i18n import tr
from tokenizer.kinds.extending import first_new_id, start_of
from tokenizer.kinds.words import count_words
from tokenizer.parent_watchdog import run_worker, write_message
from tokenizer.text.well_formed import well_formed
from tokenizer.training.corpora import own_corpora
from tokenizer.training.corpus import count_pre_tokens, word_counts
from tokenizer.training.makers import ExternalTraining
from tokenizer.training.milestones import MAX_READ_CHARACTERS, Milestone, milestones, new_words, word_uses
from tokenizer.training.parity import train_parity
from tokenizer.training.train import Lift, check_lift, check_options
from tokenizer.training.training_history import TrainingHistory, record_training, tokens_after_each

PROGRESS_SECONDS = 0.1  # between two progress messages


@dataclass(frozen=True)
class Order:
    """The order of a training: everything that its merges depend on except the texts.

    With `parity`, the texts are the same sentences in several languages, and each merge serves the text with the most
    tokens. With `counted`, they are words with counts, each a pre-token. The last `held_out` texts are not learned
    from. `kind` is that of the encoding: "bpe", "characters" (all of them, at any size, and no merge) or "words".
    """

    vocab_size: int = 512
    pattern: str | None = "cl100k_base"
    ties: str = "first-seen"
    alphabet: str = "bytes"
    min_count: int = 1
    start: tuple[tuple[bytes, bytes], ...] = ()
    parity: bool = False
    counted: bool = False
    held_out: int = 0
    kind: str = "bpe"
    drop_unmatched: bool = False  # text that the pattern does not match
    begin: str = ""  # the encoding from which the training begins, for `start_of`; its pattern is `pattern`
    lift_after: int | None = None  # merges before the split pattern is lifted

    @property
    def base(self) -> str | Encoding:
        """What the training begins from: an alphabet, or an encoding."""
        return start_of(self.begin) if self.begin else self.alphabet

    @property
    def num_base(self) -> int:
        """The number of base symbols, which is the first new id; 0 for characters, whose number depends on the text."""
        if self.begin:
            return first_new_id(start_of(self.begin))
        return 256 if self.alphabet == "bytes" else 0

    def counts(self, texts: Sequence[str]) -> dict[str, int]:
        """Returns the pre-tokens of the texts with their counts."""
        counts = word_counts("\n".join(texts)) if self.counted else None
        if self.kind == "words":
            return count_words(texts if counts is None else counts)
        if self.kind == "characters" and counts is None:
            return dict(Counter(character for text in texts for character in well_formed(text)[0]))
        return count_pre_tokens(texts, self.pattern, self.drop_unmatched) if counts is None else counts

    def unsplit(self, texts: Sequence[str]) -> dict[str, int] | None:
        """Returns the texts themselves with their counts; None unless the split pattern is lifted."""
        return None if self.lift_after is None else count_pre_tokens(texts, None)

    def check(self) -> None:
        """Raises TokenizerError for the first option that is invalid."""
        base = self.base
        check_options(self.vocab_size, self.pattern, self.ties, base, len(self.start))
        if self.lift_after is None:
            return
        most = self.vocab_size - self.num_base if self.alphabet == "bytes" else None
        check_lift(self.lift_after, self.pattern, base, most, self.counted)
        if self.kind != "bpe" or self.parity or self.drop_unmatched:
            raise CannotLift(tr("this is possible only in a training with classic BPE that leaves out no text"))

    def to_json(self) -> str:
        """Returns the order as one line, the same for the same order.

        >>> Order(300, start=((b"a", b"b"),)).to_json()
        '{"alphabet": "bytes", "counted": false, "held_out": 0, "kind": "bpe", "min_count": 1, \
"parity": false, "pattern": "cl100k_base", "start": [["61", "62"]], "ties": "first-seen", "vocab_size": 300}'
        """
        facts = asdict(self) | {"start": [[left.hex(), right.hex()] for left, right in self.start]}
        if not self.drop_unmatched:
            del facts["drop_unmatched"]  # so that keys of encodings in old links hold
        if not self.begin:
            del facts["begin"]  # likewise
        if self.lift_after is None:
            del facts["lift_after"]
        return json.dumps(facts, sort_keys=True)

    @classmethod
    def from_json(cls, line: str) -> "Order":
        """Returns the order that `to_json` wrote.

        >>> Order.from_json(Order(start=((b"a", b"b"),)).to_json()).start
        ((b'a', b'b'),)
        """
        facts = json.loads(line)
        start = tuple((bytes.fromhex(left), bytes.fromhex(right)) for left, right in facts["start"])
        return cls(**facts | {"start": start})


def write_order(file: BinaryIO, order: Order | ExternalTraining, texts: tuple[str, ...]) -> None:
    """Writes what `serve` reads."""
    written = f"{order.to_json()}\n{json.dumps(texts, ensure_ascii=False)}\n"
    file.write(written.encode("utf-8", "surrogatepass"))


def learn(
    order: Order,
    texts: Sequence[str],
    send: Callable[..., None] = lambda **facts: None,
    progress: Callable[[int], None] = lambda num_merges: None,
) -> tuple[TrainingHistory, list[Milestone], list[tuple[str, int]]]:
    """Trains, and returns the history, its milestones, and the words of the held-out part that are new.

    `send` gets the stages, and `progress` the number of merges so far.

    >>> learn(Order(258, None), ["aaabdaaabac"])[0].num_tokens.tolist()
    [11, 9, 7]
    """
    send(stage="splitting")
    texts, held_out = texts[: len(texts) - order.held_out], texts[len(texts) - order.held_out :]
    counts = order.counts(texts)
    send(stage="merging", pre_tokens=sum(counts.values()), distinct=len(counts))
    start = order.start
    if order.parity:  # the merges for the text with the most tokens at each step
        merges = train_parity(texts, order.vocab_size, order.pattern, order.ties, order.min_count)
        start = [(merge.left, merge.right) for merge in merges]
    size = len(set("".join(counts))) if order.kind == "characters" else order.vocab_size
    base = order.base
    unsplit = order.unsplit(texts)
    lift = None if unsplit is None else Lift(order.lift_after, unsplit)
    history = record_training(counts, size, order.ties, base, start, order.min_count, progress, lift)
    begun = base if order.begin else None
    if begun:
        english = count_pre_tokens(own_corpora()["english"], order.pattern)
        history = replace(history, english=tokens_after_each(english, history, begun))
    unseen_words = []
    if other := order.counts(held_out):
        size = sum(len(pre_token.encode()) * n for pre_token, n in other.items())
        tokens = tokens_after_each(other, history, begun, order.unsplit(held_out))
        history = replace(history, held_out=tokens, held_out_bytes=size)
        by_text = not order.counted and order.kind != "words"
        unseen_words = new_words(*(word_uses(held_out), word_uses(texts)) if by_text else (other, counts))
    read = [text.lower() for text in texts] if order.kind == "words" else texts  # as words are counted
    words = word_uses("\n".join(counts) if order.counted else read, MAX_READ_CHARACTERS)
    # old tokens may be whole words too, so none of a training that begins with them is the first
    return history, [] if begun else milestones(history, words), unseen_words


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Reads an order, trains, and writes progress messages and finally the result."""
    send = partial(write_message, sink)
    last = time.monotonic()

    def progress(num_merges: int) -> None:
        nonlocal last
        if time.monotonic() - last >= PROGRESS_SECONDS:
            last = time.monotonic()
            send(merges=num_merges)

    line = source.readline().decode()
    texts = json.loads(source.readline().decode("utf-8", "surrogatepass"))
    try:
        if "maker" in (facts := json.loads(line)):
            send(stage="making")
            found = ExternalTraining.from_facts(facts).train(texts)
            return send(found, file=len(found))
        history, reached, unseen_words = learn(Order.from_json(line), texts, send, progress)
    except TokenizerError as error:
        return send(error=str(error))
    except MemoryError:
        return send(error=tr("This training needs more memory than is allowed. Try a shorter text, or other options."))
    data = history.to_bytes()
    return send(data, history=len(data), milestones=reached, new_words=unseen_words)


if __name__ == "__main__":
    run_worker(serve)
