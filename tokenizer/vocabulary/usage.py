"""Which tokens a text uses, and which it makes only on the way to longer ones."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from tokenizer.languages.parallel import parallel_corpus
from tokenizer.training.corpora import own_corpora
from tokenizer.vocabulary.facts import Facts
from tokenizer.vocabulary.merge_graph import MergeGraph


class Usage(NamedTuple):
    """How often each row is a token of some texts, and how often merging makes it there, to stay or to be merged on.

    A base symbol, such as a byte, is made as often as merging starts from it. `tokens` are all tokens of the texts.
    """

    seen: np.ndarray
    made: np.ndarray
    tokens: int

    def intermediate(self) -> np.ndarray:
        """Returns the rows that merging makes in these texts, and of which it leaves none: longer tokens take them."""
        return np.flatnonzero((self.seen == 0) & (self.made > 0))


def usage(facts: Facts, texts: Iterable[str]) -> Usage:
    """Returns how texts use a vocabulary, special tokens read as text.

    What is made on the way to a token is told by its tree of merges: exact for a vocabulary that merging learned.

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
    """Returns the texts that come with this core: the same sentences in many languages, and the texts to train on."""
    return [*("\n".join(lines) for lines in parallel_corpus().values()), *own_corpora().values()]
