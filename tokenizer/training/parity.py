"""Parity-aware BPE: each merge serves the language that is worst off (Foroutan et al. 2025, arXiv 2508.04796).

The texts are parallel, so what a language costs is the number of its tokens: all texts say the same. (The paper
compares compression rates; with the same lines in every language the largest number of tokens is the lowest rate.)
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tokenizer.training.corpus import count_pre_tokens
from tokenizer.training.train import Training, check_options


class ParityMerge(NamedTuple):
    """One merge, the text that it was made for, by its place among the texts, and the tokens of each text after it."""

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
    """Yields the merges that byte-level BPE learns when each goes to the text with the most tokens.

    That text's most frequent pair is merged in all of them. A text in which no pair occurs `min_count` times is served
    no more; when none is left, training ends. With one text this is classic BPE.

    >>> merges = train_parity(["aaaa", "bcbcbc"], 258, None)
    >>> [(merge.left + merge.right, merge.served, merge.tokens) for merge in merges]
    [(b'bc', 1, (4, 3)), (b'aa', 0, (2, 3))]
    """
    check_options(vocab_size, pattern, ties, "bytes", 0)
    trainings = [Training(count_pre_tokens([text], pattern), "bytes", ties, vocab_size, every=True) for text in texts]
    tokens = [len(text.encode("utf-8", "replace")) for text in texts]
    open_ones = set(range(len(texts)))
    while open_ones and trainings[0].vocab_size < vocab_size:
        served = max(open_ones, key=lambda i: (tokens[i], -i))
        found = trainings[served].best()
        if found is None or found.count < min_count:
            open_ones.remove(served)
            continue
        left, right = trainings[served].halves(found)
        for i, training in enumerate(trainings):
            own = found if i == served else training.given(training.vocab_size, (left, right))
            tokens[i] -= training.merge(own).saved
        yield ParityMerge(left, right, served, tuple(tokens))
