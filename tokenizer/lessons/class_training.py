"""A class trains byte-pair encoding on its sentences: the merges, the votes on the next pair, and what shrank."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import regex

from tokenizer.encoding.interface import Encoding
from tokenizer.kinds.from_merges import encoding_from_merges
from tokenizer.lessons.wording import Counted
from tokenizer.text.regex_budget import hold_gil
from tokenizer.training.corpus import count_pre_tokens
from tokenizer.training.training_history import TrainingHistory, closings, record_training

PATTERN = "o200k_base"  # GPT-5's, with which the result is compared
MAX_MERGES = 100
MIN_COUNT = 2  # of a pair that is merged
VOTE_START_MERGES = (0, 5, 10, 15, 20, 40, 60, 80)  # one vote from each of these merges on, before the next of them
MAX_OPTIONS = 4  # of a vote
SHRINK_INTERVAL_MERGES = 20  # merges
MAX_CACHED_TRAININGS = 8

thai_characters = hold_gil(regex.compile(r"\p{Thai}").findall)
other_letters = hold_gil(regex.compile(r"[\p{L}--\p{Thai}]", regex.V1).findall)


class Vote(NamedTuple):
    """The pairs between which a class chooses, with their count in the corpus.

    `right` has the positions of those that occur most often: the next pair, and the one that ties with it, if any.
    """

    options: tuple[tuple[bytes, bytes, int], ...]
    right: tuple[int, ...]
    tied: int  # pairs with the highest count, the next one included


class Shrunk(NamedTuple):
    """The sentence that lost the largest part of its tokens: its position, its characters, its tokens now."""

    position: int
    characters: int
    tokens: int


class ClassTraining:
    """The training on the sentences of a class, at most MAX_MERGES merges of pairs that occur MIN_COUNT times.

    The base symbols are the characters of the sentences. No merge crosses the end of a sentence.

    >>> training = ClassTraining(("aaabdaaabac", "ab"))
    >>> [merge.token for merge in training.history.merges], training.pieces(0, 2)
    ([b'aa', b'ab', b'aaab'], ['aa', 'ab', 'd', 'aa', 'ab', 'a', 'c'])
    """

    def __init__(self, sentences: Sequence[str]):
        self.sentences = tuple(sentences)

    @cached_property
    def history(self) -> TrainingHistory:
        """The training, merge by merge; raises NothingToTrainOn where there are no sentences."""
        counts = count_pre_tokens(self.sentences, PATTERN)
        size = len(set("".join(counts))) + MAX_MERGES
        return record_training(counts, size, alphabet="characters", min_count=MIN_COUNT)

    @property
    def num_merges(self) -> int:
        """The number of merges that it has learned."""
        return len(self.history)

    def encoding(self, merges: int = MAX_MERGES, name: str = "class") -> Encoding:
        """Returns the encoding of the first merges.

        >>> ClassTraining(("aaabdaaabac",)).encoding(1).encode("aaab")
        [4, 0, 1]
        """
        alphabet = [chr(point) for point in self.history.base.tolist()]
        return encoding_from_merges(self.history.merges[:merges], PATTERN, name=name, alphabet=alphabet)

    def prepare(self) -> None:
        """Computes the merges and the votes, which are cached from then on."""
        len(self.votes)

    @cached_property
    def _closings(self) -> list[list[int]]:
        encoding = self.encoding()
        return [closings(sentence, encoding)[1].tolist() for sentence in self.sentences]

    def pieces(self, position: int, merges: int) -> list[str]:
        """Returns a sentence as its tokens after so many merges."""
        pieces, begin, sentence = [], 0, self.sentences[position]
        for end, closes in enumerate(self._closings[position], 1):
            if closes >= merges:
                pieces.append(sentence[begin:end])
                begin = end
        return pieces

    def size(self, position: int, merges: int) -> int:
        """Returns the tokens of a sentence after so many merges."""
        return sum(closes >= merges for closes in self._closings[position])

    @cached_property
    def votes(self) -> dict[int, Vote]:
        """The votes, by the number of merges before them.

        >>> ClassTraining(("aaabdaaabac", "ab")).votes[0]
        Vote(options=((b'a', b'a', 4), (b'a', b'b', 3), (b'b', b'd', 1), (b'd', b'a', 1)), right=(0,), tied=1)
        """
        found, ends = {}, (*VOTE_START_MERGES[1:], MAX_MERGES)
        for start, end in zip(VOTE_START_MERGES, ends, strict=True):
            for step in range(start, min(end, self.num_merges)):
                if vote := self._vote(step):
                    found[step] = vote
                    break
        return found

    def _vote(self, step: int) -> Vote | None:
        """Returns the vote before a step, None where no pair with a lower count is among the recorded runners-up."""
        merge, runners_up = self.history.merges[step], self.history.runners_up(step)
        tied = [one for one in runners_up if one[2] == merge.count]
        fewer = [one for one in runners_up if one[2] < merge.count]
        if not fewer:
            return None
        options = sorted([(merge.left, merge.right, merge.count), *tied[:1], *fewer][:MAX_OPTIONS])
        right = [i for i, (_, _, count) in enumerate(options) if count == merge.count]
        return Vote(tuple(options), tuple(right), 1 + len(tied))

    def shrunk(self, merges: int) -> Shrunk:
        """Returns the sentence that shrank most by the first merges; of several, the first.

        >>> ClassTraining(("abcab", "abab")).shrunk(2)
        Shrunk(position=1, characters=4, tokens=2)
        """
        sizes = [(len(self._closings[i]), self.size(i, merges)) for i in range(len(self.sentences))]
        position = min(range(len(sizes)), key=lambda i: sizes[i][1] / (sizes[i][0] or 1))
        return Shrunk(position, *sizes[position])

    def shares(self, merges: int) -> dict[str, Counted] | None:
        """Returns what Thai and other sentences cost together and alone after so many merges; None without both.

        `thai_alone` is the number of tokens of the Thai sentences where the same number of merges is learned from them
        only, `other_alone` the same of the others.

        >>> facts = ClassTraining(("กากากา", "la la la la")).shares(2)
        >>> facts["thai"], facts["thai_tokens"], facts["thai_alone"], facts["other_tokens"], facts["other_alone"]
        (1, 3, 2, 7, 4)
        """
        groups: dict[str, list[str]] = {"thai": [], "other": []}
        for sentence in self.sentences:
            groups["thai" if is_thai(sentence) else "other"].append(sentence)
        if not all(groups.values()):
            return None
        together, facts = self.encoding(merges), {"merges": Counted(min(merges, self.num_merges))}
        facts["characters"] = Counted(sum(map(len, self.sentences)))
        for name, own in groups.items():
            alone = class_training(tuple(own)).encoding(merges)
            facts[name] = Counted(len(own))
            facts[f"{name}_characters"] = Counted(sum(map(len, own)))
            facts[f"{name}_tokens"] = Counted(sum(len(together.encode(sentence)) for sentence in own))
            facts[f"{name}_alone"] = Counted(sum(len(alone.encode(sentence)) for sentence in own))
        return facts


def is_thai(sentence: str) -> bool:
    """Whether a sentence has more Thai characters than letters of other scripts.

    >>> is_thai("ฝนตก ok"), is_thai("rain")
    (True, False)
    """
    return len(thai_characters(sentence)) > len(other_letters(sentence))


@lru_cache(MAX_CACHED_TRAININGS)
def class_training(sentences: tuple[str, ...]) -> ClassTraining:
    """Returns the training on these sentences from the cache."""
    return ClassTraining(sentences)
