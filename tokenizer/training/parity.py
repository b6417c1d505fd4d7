"""Parity-aware BPE: each merge serves the language with the most tokens (Foroutan et al. 2025, arXiv 2508.04796).

The texts are parallel, so the cost of a language is its number of tokens. (The paper
compares compression rates; with the same lines in every language the largest number of tokens is the lowest rate.)
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tokenizer.text.well_formed import well_formed
from tokenizer.training.corpus import count_pre_tokens
from tokenizer.training.train import Training, check_options


class ParityMerge(NamedTuple):
    """One merge, the index of the text that it serves, and the tokens of each text after it."""

    left: bytes
    right: bytes
    served: int
    tokens: tuple[int, ...]


def train_parity(
    texts: Sequence[str],
    vocab_size: int,
    pattern: str | None = "o200k_base",
    ties: str = "first-seen",
    min_count: int = 1,
) -> Iterator[ParityMerge]:
    """Yields the merges of byte-level BPE if each serves the text with the most tokens.

    The most frequent pair of that text is merged in all texts. A text without a pair of `min_count` occurrences is no
    longer served; training ends when no text is left. With one text this is classic BPE.

    >>> merges = train_parity(["aaaa", "bcbcbc"], 258, None)
    >>> [(merge.left + merge.right, merge.served, merge.tokens) for merge in merges]
    [(b'bc', 1, (4, 3)), (b'aa', 0, (2, 3))]
    """
    check_options(vocab_size, pattern, ties, "bytes", 0)
    trainings = [Training(count_pre_tokens([text], pattern), "bytes", ties, vocab_size, every=True) for text in texts]
    tokens = [len(well_formed(text)[0].encode()) for text in texts]
    open_ones = set(range(len(texts)))
    while open_ones and trainings[0].vocab_size < vocab_size:
        served = max(open_ones, key=lambda i: (tokens[i], -i))
        found = trainings[served].best()
        if found is None or found.count < min_count:
            open_ones.remove(served)
            continue
        left, right = trainings[served].halves(found)
        for i, training in enumerate(trainings):
            own = found if i == served else training.pair_of(training.vocab_size, (left, right))
            tokens[i] -= training.merge(own).saved
        yield ParityMerge(left, right, served, tuple(tokens))
