"""The game of a class that trains a tokenizer: its phases by the server's clock.

Phones send sentences until the teacher starts. Then merge follows merge; before some, phones vote on the next pair. A
vote closes after VOTE_SECONDS, and its result stays for RESULT_SECONDS.
"""

import secrets
import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tokenizer.lessons.class_training import MAX_MERGES, MAX_OPTIONS, ClassTraining

COLLECT, RUN, VOTE, RESULT, OVER = PHASES = ("collect", "run", "vote", "result", "over")
MERGE_SECONDS, VOTE_SECONDS, RESULT_SECONDS = 0.6, 5.0, 4.0
ID_CHARACTERS = 8
MAX_SENTENCES = 300
SENTENCE_MARK_CHARACTERS = 12  # of the hash of a sentence


@dataclass
class Game:
    """A game: its phase, the merges so far, and the sentences that it learns from, as keyed hashes in their order.

    `until` is when the phase or the next merge ends, in seconds of a monotonic clock; `left` are the seconds that
    remained when the teacher paused. `right` has the positions of the right options of each vote that was closed.
    """

    id: str = field(default_factory=lambda: secrets.token_hex(ID_CHARACTERS // 2))
    phase: str = COLLECT
    merges: int = 0
    admitted: list[str] = field(default_factory=list)
    right: dict[int, list[int]] = field(default_factory=dict)
    until: float = 0.0
    left: float | None = None
    is_recollecting: bool = False  # from a restart until the teacher continues: phones send their sentences again

    # What a teacher does

    def start(self, admitted: list[str], training: ClassTraining, now: float) -> None:
        """Starts the training on the sentences with these hashes."""
        self.phase, self.admitted = RUN, admitted
        self._run(training, now)

    def pause(self, now: float) -> None:
        """Stops the clock; votes still count."""
        if self.is_running and self.left is None:
            self.left = max(0.0, self.until - now)

    def go_on(self, now: float) -> None:
        """Continues after a pause."""
        if self.left is not None:
            self.until, self.left, self.is_recollecting = now + self.left, None, False

    def next(self, training: ClassTraining, now: float) -> None:
        """Goes to the next vote, the result of this one, or the end."""
        self.go_on(now)
        phase = self.phase
        while self.is_running and (self.phase == phase or self.phase == RUN):
            self._step(training, now)

    def end(self) -> None:
        """Ends the training with the merges so far."""
        self.phase, self.left, self.is_recollecting = OVER, None, False

    # The clock

    @property
    def is_running(self) -> bool:
        """Whether merges follow: the game has begun and is not over."""
        return self.phase in (RUN, VOTE, RESULT)

    def seconds_left(self, now: float) -> float | None:
        """Returns the seconds until something changes by itself; None if nothing does."""
        if not self.is_running or self.left is not None:
            return None
        return max(0.0, self.until - now)

    def seconds_until_seen(self, training: ClassTraining, now: float) -> float | None:
        """Returns the seconds until phones see a change, if nobody presses anything; None if nothing changes."""
        left = self.seconds_left(now)
        if left is None or self.phase != RUN:
            return left
        ends = [at for at in (*training.votes, training.num_merges) if at > self.merges]
        return left + MERGE_SECONDS * (min(ends, default=self.merges + 1) - self.merges - 1)

    def advance(self, training: ClassTraining, now: float) -> bool:
        """Does what is due; returns whether phones see a change."""
        before = self.seen_by_phones()
        while self.seconds_left(now) == 0.0:
            self._step(training, self.until)
        return self.seen_by_phones() != before

    def seen_by_phones(self) -> tuple:
        """What phones show: not every merge."""
        return self.phase, len(self.right), self.left is None

    def recollect(self, now: float) -> None:
        """Pauses until the teacher continues, because the sentences are lost; phones send them again."""
        if self.is_running:
            self.pause(now)
            self.is_recollecting = True

    def _step(self, training: ClassTraining, now: float) -> None:
        if self.phase == VOTE:
            self.right[self.merges] = list(training.votes[self.merges].right) if self.merges in training.votes else []
            self.merges, self.phase, self.until = self.merges + 1, RESULT, now + RESULT_SECONDS
        elif self.phase == RESULT:
            self.phase = RUN
            self._run(training, now)
        else:
            self.merges += 1
            self._run(training, now)

    def _run(self, training: ClassTraining, now: float) -> None:
        """Begins what follows at this number of merges: the end, a vote, or another merge."""
        if self.merges >= training.num_merges:
            self.merges = training.num_merges
            self.end()
        elif self.merges in training.votes:
            self.phase, self.until = VOTE, now + VOTE_SECONDS
        else:
            self.until = now + MERGE_SECONDS

    # What a teacher's browser stores

    def kept(self) -> dict[str, Any]:
        """Returns what the teacher's browser stores; it contains no sentence."""
        right = {str(at): found for at, found in self.right.items()}
        return {"id": self.id, "phase": self.phase, "merges": self.merges, "admitted": self.admitted, "right": right}

    @classmethod
    def read(cls, found: Any) -> "Game | None":
        """Returns the game that a browser stored, paused; None for anything else.

        >>> Game.read(Game("0a1b2c3d", RUN, 7, ["x" * 12]).kept()).merges, Game.read({"id": 1})
        (7, None)
        """
        if not isinstance(found, Mapping):
            return None
        id, phase, merges = found.get("id"), found.get("phase"), found.get("merges")
        admitted, right = found.get("admitted"), found.get("right")
        if not isinstance(id, str) or len(id) != ID_CHARACTERS or not set(id) <= set(string.hexdigits):
            return None
        if phase not in PHASES or type(merges) is not int or not 0 <= merges <= MAX_MERGES:
            return None
        if not isinstance(admitted, list) or len(admitted) > MAX_SENTENCES or not all(map(is_mark, admitted)):
            return None
        game = cls(id, phase, merges, admitted, _right(right))
        game.until = VOTE_SECONDS if phase == VOTE else 0.0
        game.recollect(0.0)
        return game


def is_mark(found: Any) -> bool:
    """Whether something has the form of the hash of a sentence."""
    return isinstance(found, str) and len(found) == SENTENCE_MARK_CHARACTERS


def _right(found: Any) -> dict[int, list[int]]:
    """Returns the right options of closed votes that a browser stored."""
    read = {}
    for at, options in found.items() if isinstance(found, Mapping) else ():
        if not (isinstance(at, str) and at.isdecimal() and len(at) < 4 and int(at) < MAX_MERGES):
            continue
        if isinstance(options, list) and all(type(one) is int and 0 <= one < MAX_OPTIONS for one in options):
            read[int(at)] = options[:MAX_OPTIONS]
    return read
