"""Tokens that a text uses, and tokens that only occur during its merging."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from tokenizer.languages.parallel import parallel_corpus
from tokenizer.training.corpora import own_corpora
from tokenizer.vocabulary.facts import Facts
from tokenizer.vocabulary.merge_graph import MergeGraph


class Usage(NamedTuple):
    """How often each row is a token of some texts, and how often merging produces it, including intermediate ones.

    A base symbol, such as a byte, is produced as often as merging starts from it. `tokens` are all tokens of the texts.
    """

    seen: np.ndarray
    made: np.ndarray
    tokens: int

    def intermediate(self) -> np.ndarray:
        """Returns the rows that merging produces in these texts but always merges into longer tokens."""
        return np.flatnonzero((self.seen == 0) & (self.made > 0))


def usage(facts: Facts, texts: Iterable[str]) -> Usage:
    """Returns how texts use a vocabulary, with special names read as text.

    The intermediate tokens of a token are those of its merge tree: exact for a vocabulary that merging learned.

    >>> from tokenizer import get_encoding
    >>> from tokenizer.vocabulary.facts import facts_of
    >>> facts = facts_of(get_encoding("gpt2"))
    >>> found = usage(facts, ["the cat and the dog"])
    >>> found.tokens, [facts.texts[row] for row in found.intermediate()]
    (5, ['a', 'c', 'd', 'e', 'g', 'h', 'n', 'o', 't', ' ', ' t', ' a', 'he', 'at', ' c', ' an', ' d', ' do'])
    """
    seen = np.zeros(len(facts), np.int64)
    for text in texts:
        seen += np.bincount(facts.encoding.encode_array(text), minlength=len(facts))
    made, family = seen.copy(), MergeGraph(facts)
    for length in range(int(facts.num_bytes[made > 0].max(initial=0)), 1, -1):  # halves are shorter
        for row in np.flatnonzero((facts.num_bytes == length) & (made > 0)).tolist():
            for half in family.halves(row) or ():
                made[half] += made[row]
    return Usage(seen, made, int(seen.sum()))


def our_texts() -> list[str]:
    """Returns the texts of this core: the parallel sentences and the training texts."""
    return [*("\n".join(lines) for lines in parallel_corpus().values()), *own_corpora().values()]
