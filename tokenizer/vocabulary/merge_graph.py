"""The merges of a vocabulary as a graph: the halves of a token, and the tokens that have it as a half."""

from functools import cached_property, partial

import numpy as np

from tokenizer.display.tree import MAX_NODES, Node, top_of_tree
from tokenizer.encoding.ladder import MAX_PRE_TOKEN_BYTES, base_parts
from tokenizer.encoding.merging import merge_all
from tokenizer.errors import TokenizerError
from tokenizer.vocabulary.facts import BYTE, ORDINARY, Facts
from tokenizer.vocabulary.token_search import with_bytes


class MergeGraph:
    """The merges of an encoding; without merges no token has halves or children."""

    def __init__(self, facts: Facts):
        self.facts, self.merges = facts, facts.encoding.merges

    def halves(self, id: int) -> tuple[int, int] | None:
        """Returns the two tokens whose merge is this one; None for a base symbol, and for a token no merge makes.

        If only ranks are known, the halves of tokens longer than `ladder.MAX_PRE_TOKEN_BYTES` are not computed.

        >>> from tokenizer import get_encoding
        >>> from tokenizer.vocabulary.facts import facts_of
        >>> MergeGraph(facts_of(get_encoding("gpt2"))).halves(262)  # " the" of " t" and "he"
        (256, 258)
        """
        if self.merges is None or self.facts.role[id] != ORDINARY:
            return None
        if self._made_of is not None:
            return self._made_of.get(id)
        token = self.facts.bytes_of(id)
        if self.merges.ranks.get(token) != id or len(token) > MAX_PRE_TOKEN_BYTES:
            return None
        try:
            parts = [part.id for part in base_parts(token, self.facts.encoding)]
        except TokenizerError:
            return None
        left = [part for _, part in merge_all(parts, partial(self._below, id))]
        return tuple(left) if len(left) == 2 else None

    def _below(self, limit: int, left: int, right: int) -> int | None:
        found = self.merges.joined(left, right)
        return found if found is not None and found < limit else None

    @cached_property
    def _made_of(self) -> dict[int, tuple[int, int]] | None:
        """The halves of each token from a training or a list of merges; of two merges of one token the first."""
        if self.merges.pairs is not None:
            return {id: pair for pair, id in reversed(self.merges.pairs.items())}
        if self.merges.learned is not None:
            ids = self.merges.ranks
            return {merge.rank: (ids[merge.left], ids[merge.right]) for merge in self.merges.learned}
        return None

    def tree(self, id: int, max_nodes: int = MAX_NODES) -> list[Node]:
        """Returns the merge tree of a token breadth first, with at most `max_nodes` nodes.

        A node has the id as `symbol`, and as `child` the index of the first of its two halves: 0 if it has none, or if
        they would exceed `max_nodes`.

        >>> from tokenizer import get_encoding
        >>> from tokenizer.vocabulary.facts import facts_of
        >>> facts = facts_of(get_encoding("gpt2"))
        >>> [(facts.texts[node.symbol], node.child) for node in MergeGraph(facts).tree(262)]
        [(' the', 1), (' t', 3), ('he', 5), (' ', 0), ('t', 0), ('h', 0), ('e', 0)]
        """
        return top_of_tree(id, self.halves, max_nodes)

    def children(self, id: int) -> list[int]:
        """Returns the tokens that have this one as a half, by id.

        >>> from tokenizer import get_encoding
        >>> from tokenizer.vocabulary.facts import facts_of
        >>> facts = facts_of(get_encoding("gpt2"))
        >>> [facts.texts[child] for child in MergeGraph(facts).children(facts.rows[b" spect"])]
        [' spectrum', ' spectacular', ' spectacle', ' spectators', ' spectral', ' spectator']
        """
        return [row for row in self.containing(id).tolist() if self._may_join(row, id) and id in self.halves(row)]

    def containing(self, id: int) -> np.ndarray:
        """Returns the rows of longer tokens that contain the bytes of this one, by id."""
        facts = self.facts
        rows = np.flatnonzero(
            ((facts.role == ORDINARY) | (facts.role == BYTE)) & (facts.num_bytes > facts.num_bytes[id])
        )
        return with_bytes(rows, facts.bytes_of(id), facts.data, facts.starts)

    def _may_join(self, row: int, id: int) -> bool:
        """Whether a token can have this one as a half: a quick test by prefix and suffix."""
        token, part = self.facts.bytes_of(row), self.facts.bytes_of(id)
        known = self.merges.ranks if self.merges else {}
        begins, ends = token.startswith(part), token.endswith(part)
        rests = [token[len(part) :]] * begins + [token[: -len(part)]] * ends
        return any(rest in known for rest in rests) and self.halves(row) is not None
