"""The rooms of classes: what a teacher shows, what learners guess and send; plain data, bounded, in memory only.

A learner is a random id that his browser made: no name, no address. The teacher is whoever has the room's secret, from
which its code follows: so after a restart of the server nobody else can open a room under the same code.
"""

import hashlib
import secrets
import string
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hmac import compare_digest
from typing import Any

from tokenizer.errors import TokenizerError
from tokenizer.lessons.lesson import CHOICE, CUTS, NUMBER, Step, lesson, lesson_names
from tokenizer.lessons.views import usable

ALPHABET = "ACDEFGHJKMNPQRTUVWXY34679"  # nothing that is taken for another on a projector: no 0O, 1IL, 5S, 2Z, 8B
CODE_LENGTH = 5
SECRET_BYTES = 24
WEB = frozenset(string.ascii_letters + string.digits + "-_")  # of secrets and learners' ids

MOST_ROOMS = 20
MOST_LEARNERS = 300  # of a room
MOST_TEXTS = 200  # of a room
TEXTS_EACH = 3  # of a learner, for a step
LONGEST_TEXT = 200  # characters
MOST_NUMBER = 100_000
AWAY = 45  # seconds without a sign of somebody until he does not count as here
ALONE = 3_600  # seconds without a sign of the teacher until the room ends
MOST_OVER = 100  # codes of ended rooms that are told from codes that never were

Guess = str | int | tuple[int, ...]


class ClassProblem(TokenizerError):
    """Why something cannot be done in a room; `word` tells a phone which of them it is."""

    def __init__(self, word: str, message: str):
        self.word = word
        super().__init__(message)


@dataclass(frozen=True)
class Scene:
    """What the teacher shows: a step of a lesson by its index, whether all walk together, and what is revealed.

    `text` is the one that the step is shown with instead of its own, and `moved` where its slider stands.
    """

    lesson: str
    at: int = 0
    together: bool = True
    is_revealed: bool = False
    text: str | None = None
    moved: int | None = None

    @property
    def step(self) -> Step:
        """The step itself."""
        return lesson(self.lesson).steps[self.at]

    @classmethod
    def read(cls, found: Mapping[str, Any]) -> "Scene":
        """Returns the scene that a browser has kept; raises ClassProblem where it is none.

        >>> Scene.read({"lesson": "bpe", "at": 1}).step.id
        'after'
        """
        name, at, text = found.get("lesson"), found.get("at", 0), found.get("text")
        if name not in lesson_names() or type(at) is not int or not 0 <= at < len(lesson(name).steps):
            raise ClassProblem("unreadable", "This is no step of a lesson.")
        together, is_revealed = found.get("together") is not False, found.get("is_revealed") is True
        scene = cls(name, at, together, is_revealed, usable(text) if isinstance(text, str) else None)
        slider, moved = scene.step.slider, found.get("moved")
        can_move = slider is not None and type(moved) is int and slider.least <= moved <= slider.most
        return replace(scene, moved=moved if can_move else None)


@dataclass
class Learner:
    """When there was last a sign of a learner, in seconds, and at which step of the lesson he is."""

    seen: float
    at: int = 0


@dataclass
class Sent:
    """A text that a learner sent for a step."""

    id: int  # how much news there was before it
    learner: str
    step: tuple[str, str]
    text: str
    is_removed: bool = False


@dataclass(eq=False)
class Room:
    """A room: its scene, and what learners brought. `version` counts scenes; `news` counts what the teacher sees."""

    code: str
    key: bytes
    scene: Scene
    seen: float
    epoch: str = field(default_factory=lambda: secrets.token_hex(4))  # of this opening
    version: int = 0
    news: int = 0
    learners: dict[str, Learner] = field(default_factory=dict)
    polls: dict[tuple[str, str], dict[str, Guess]] = field(default_factory=dict)
    texts: list[Sent] = field(default_factory=list)
    refills: tuple[str, str] | None = None  # the step that was revealed before a restart: its poll is filled once more

    # What the teacher does

    def show(self, scene: Scene) -> None:
        """Shows something to all."""
        with _lock:
            self.seen = time.monotonic()
            if scene == self.scene:
                return
            self.scene, self.refills = scene, None
            self.version += 1
            self.news += 1
        on_change(self, True)

    def remove(self, id: int) -> None:
        """Takes a text away that a learner sent."""
        with _lock:
            for sent in self.texts:
                sent.is_removed |= sent.id == id
        self._tell()

    def attended(self) -> None:
        """Hears a sign of the teacher."""
        self.seen = time.monotonic()

    # What learners do

    def greet(self, learner: str, at: int | None = None) -> None:
        """Hears a sign of a learner, and at which step he is; raises ClassProblem where the room is full."""
        with _lock:
            now, known = time.monotonic(), self.learners.get(learner)
            at = at if at is not None else known.at if known else 0
            is_new = known is None or now - known.seen > AWAY or known.at != at
            if known is None and len(self.learners) >= MOST_LEARNERS:
                self._make_room(now)
            self.learners[learner] = Learner(now, at)
        if is_new:
            self._tell()

    def _make_room(self, now: float) -> None:
        longest = min(self.learners, key=lambda one: self.learners[one].seen)
        if now - self.learners[longest].seen <= AWAY:
            raise ClassProblem("full", f"This class is full: it has {MOST_LEARNERS} phones.")
        del self.learners[longest]

    def guess(self, learner: str, name: str, step_id: str, value: Any) -> None:
        """Takes a learner's guess at a step; raises ClassProblem where it is none, or the poll is closed.

        Together it can be changed until the step is revealed; who walks alone has then seen the answer.
        """
        with _lock:
            scene, where = self.scene, (name, step_id)
            if name != scene.lesson:
                raise ClassProblem("late", "The class is at another lesson.")
            step = next((one for one in lesson(name).steps if one.id == step_id), None)
            if step is None:
                raise ClassProblem("unreadable", f"There is no such step in {name}.")
            poll = self.polls.setdefault(where, {})
            if scene.together and step is not scene.step:
                raise ClassProblem("late", "The class is at another step.")
            if scene.together and scene.is_revealed and (where != self.refills or learner in poll):
                raise ClassProblem("late", "The poll is closed.")
            if learner not in poll and len(poll) >= MOST_LEARNERS:
                raise ClassProblem("full", f"This poll is full: it has {MOST_LEARNERS} answers.")
            guess = read_guess(step, value)
            if scene.together or learner not in poll:
                poll[learner] = guess
        self._tell()

    def send(self, learner: str, name: str, step_id: str, text: Any) -> None:
        """Takes a text for the step on the stage; raises ClassProblem where there are too many, or it is none."""
        with _lock:
            text = usable(text).strip()[:LONGEST_TEXT] if isinstance(text, str) else ""
            where = (self.scene.lesson, self.scene.step.id)
            if where != (name, step_id):
                raise ClassProblem("late", "The class is at another step.")
            if not text or self.scene.step.is_numbered:
                raise ClassProblem("unreadable", "Nothing was sent: there is no text, or this step takes none.")
            mine = [sent for sent in self.texts if (sent.learner, sent.step) == (learner, where)]
            if text in (sent.text for sent in mine):  # it came twice
                return
            if len(self.texts) >= MOST_TEXTS:
                self.texts = [sent for sent in self.texts if sent.step == where]
            if len(mine) >= TEXTS_EACH or len(self.texts) >= MOST_TEXTS:
                raise ClassProblem("enough", "No more texts are taken for this step.")
            self.texts.append(Sent(self.news, learner, where, text))
            self.news += 1
        on_change(self, False)

    def _tell(self) -> None:
        with _lock:
            self.news += 1
        on_change(self, False)

    # What there is to see

    def here(self) -> list[Learner]:
        """Returns the learners of whom there was a sign lately."""
        now = time.monotonic()
        with _lock:
            return [one for one in self.learners.values() if now - one.seen <= AWAY]

    def counts(self) -> Counter[Guess]:
        """Returns how often each guess was made at the step that is shown."""
        with _lock:
            return Counter(self.polls.get((self.scene.lesson, self.scene.step.id), {}).values())

    def sent(self) -> list[Sent]:
        """Returns the texts that came in for the step that is shown, the newest first."""
        where = (self.scene.lesson, self.scene.step.id)
        with _lock:
            return [sent for sent in reversed(self.texts) if sent.step == where and not sent.is_removed]


def read_guess(step: Step, value: Any) -> Guess:
    """Returns a guess as it is counted; raises ClassProblem where it is none at this step.

    >>> read_guess(lesson("token").steps[1], [2, 5])
    (2, 5)
    """
    length = len(step.text)
    if step.ask == CHOICE and value in step.options:
        return value
    if step.ask == NUMBER and type(value) is int and 0 <= value <= MOST_NUMBER:
        return value
    if step.ask == CUTS and isinstance(value, list) and all(type(one) is int and 0 < one < length for one in value):
        return tuple(sorted(set(value)))
    raise ClassProblem("unreadable", "This is no answer to this question.")


# ---- the rooms ----

_lock = threading.RLock()
_rooms: dict[str, Room] = {}
_over: dict[str, None] = {}  # codes, the oldest first


def _nobody_waits(room: Room, for_phones: bool) -> None:
    """What is called until somebody waits for changes."""


on_change: Callable[[Room, bool], None] = _nobody_waits  # hears of each change, and whether phones see it; any thread


def new_secret() -> str:
    """Returns a secret for a room, 32 characters that are safe in an address."""
    return secrets.token_urlsafe(SECRET_BYTES)


def is_secret(found: Any) -> bool:
    """Whether something has the form of a secret."""
    return isinstance(found, str) and len(found) == SECRET_BYTES * 4 // 3 and WEB.issuperset(found)


@lru_cache(64)
def code_of(secret: str) -> str:
    """Returns the code that belongs to a secret; it takes a moment, so that no other secret is found for a code.

    >>> len(code_of("x" * 32))
    5
    """
    found = hashlib.scrypt(secret.encode(), salt=b"tokenloupe class", n=2**14, r=8, p=1, dklen=16)
    number, code = int.from_bytes(found, "big"), ""
    for _ in range(CODE_LENGTH):
        number, digit = divmod(number, len(ALPHABET))
        code += ALPHABET[digit]
    return code


def open_room(secret: str, scene: Scene) -> Room:
    """Returns the room of a secret, opened with this scene if it is not open; raises ClassProblem.

    A room that comes back after a restart of the server takes the guesses at its revealed step once more.
    """
    if not is_secret(secret):
        raise ClassProblem("unreadable", "This is no secret of a class.")
    code, key = code_of(secret), _key(secret)
    with _lock:
        _sweep()
        if code in _over:
            raise ClassProblem("over", "This class is over.")
        if code in _rooms:
            if not compare_digest(_rooms[code].key, key):
                raise ClassProblem("taken", "Another class has this code.")
            return _rooms[code]
        if len(_rooms) >= MOST_ROOMS:
            _close_an_empty_one()
        refills = (scene.lesson, scene.step.id) if scene.is_revealed else None
        room = _rooms[code] = Room(code, key, scene, time.monotonic(), refills=refills)
    return room


def new_room(scene: Scene) -> tuple[str, Room]:
    """Opens a room, and returns its secret, too; raises ClassProblem where there are too many."""
    while True:
        secret = new_secret()
        if code_of(secret) not in (_rooms.keys() | _over.keys()):
            return secret, open_room(secret, replace(scene, is_revealed=False))


def room(code: str) -> Room:
    """Returns the open room with this code; raises ClassProblem.

    >>> room("XXXXX")
    Traceback (most recent call last):
    ui.server.classroom.rooms.ClassProblem: There is no class with this code.
    """
    with _lock:
        _sweep()
        if code in _rooms:
            return _rooms[code]
        if code in _over:
            raise ClassProblem("over", "This class is over.")
    raise ClassProblem("unknown", "There is no class with this code.")


def room_of(secret: str) -> Room | None:
    """Returns the open room of a secret, if there is one."""
    key = _key(secret)
    with _lock:
        _sweep()
        return next((one for one in _rooms.values() if compare_digest(one.key, key)), None)


def end(secret: str) -> None:
    """Ends the room of a secret, and forgets all of it but that its code is over."""
    if found := room_of(secret):
        with _lock:
            _rooms.pop(found.code, None)
            _over[found.code] = None
            while len(_over) > MOST_OVER:
                del _over[next(iter(_over))]
        on_change(found, True)


def is_learner(found: Any) -> bool:
    """Whether something has the form of a learner's id.

    >>> is_learner("f81d4fae7dec11d0a7"), is_learner("me"), is_learner("<script>alert(1)")
    (True, False, False)
    """
    return isinstance(found, str) and 16 <= len(found) <= 40 and WEB.issuperset(found)


def _key(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def _sweep() -> None:
    """Forgets the rooms whose teacher has gone; with the secret they can be opened again."""
    now = time.monotonic()
    for one in [one for one in _rooms.values() if now - one.seen > ALONE]:
        del _rooms[one.code]


def _close_an_empty_one() -> None:
    """Forgets the room in which there has been nobody for longest; raises ClassProblem where somebody is in each."""
    now = time.monotonic()
    empty = [one for one in _rooms.values() if now - one.seen > AWAY and not one.here()]
    if not empty:
        raise ClassProblem("full", f"There are {MOST_ROOMS} classes on this server, and no more fit.")
    del _rooms[min(empty, key=lambda one: one.seen).code]
