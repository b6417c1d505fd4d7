"""The difference of two merge vocabularies, such as a trained one and a published one."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple


class VocabularyDiff(NamedTuple):
    """A vocabulary compared with another one, both in the order of their merges.

    `same` is the length of the common prefix; `shared` the number of tokens that the other vocabulary has anywhere;
    `lacking` the indices, from 0, of those that it lacks.
    """

    same: int
    shared: int
    lacking: list[int]


def vocabulary_diff(tokens: Sequence[bytes], others: Sequence[bytes]) -> VocabularyDiff:
    """Compares tokens with those of another vocabulary, both in the order of their merges.

    >>> vocabulary_diff([b"th", b" t", b"zz"], [b"th", b"in", b" t", b"he"])
    VocabularyDiff(same=1, shared=2, lacking=[2])
    """
    known, both = set(others), zip(tokens, others, strict=False)
    lacking = [i for i, token in enumerate(tokens) if token not in known]
    return VocabularyDiff(
        sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both)), len(tokens) - len(lacking), lacking
    )


def merged_tokens(ranks: Mapping[bytes, int]) -> list[bytes]:
    """Returns the tokens of two bytes or more in the order of their ranks, which is that of the merges.

    >>> merged_tokens({b"a": 0, b"ab": 2, b"aa": 1})
    [b'aa', b'ab']
    """
    return sorted((token for token in ranks if len(token) > 1), key=ranks.__getitem__)


class TrainingStep(NamedTuple):
    """One step of two trainings: the token that each made, and the step at which the other made it, or None."""

    tokens: tuple[bytes | None, bytes | None]
    elsewhere: tuple[int | None, int | None]


def align(one: Sequence[bytes], other: Sequence[bytes], start: int, stop: int) -> list[TrainingStep]:
    """Returns the steps of two trainings in parallel, from `start` to before `stop`, counted from 0.

    >>> align([b"th", b"in"], [b"th", b"he", b"in"], 1, 3)
    [TrainingStep(tokens=(b'in', b'he'), elsewhere=(2, None)), TrainingStep(tokens=(None, b'in'), elsewhere=(None, 1))]
    """
    indices = [{token: i for i, token in enumerate(tokens)} for tokens in (other, one)]
    steps = []
    for i in range(start, min(stop, max(len(one), len(other)))):
        tokens = tuple(own[i] if i < len(own) else None for own in (one, other))
        steps.append(
            TrainingStep(tokens, tuple(places.get(token) for places, token in zip(indices, tokens, strict=True)))
        )
    return steps
