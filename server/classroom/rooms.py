"""The rooms of classes: what a teacher shows, what learners guess and send; bounded plain data, in memory only.

A learner is an id that the server gave a phone (phone_ids.py), without name or address. The teacher is identified by
the room's secret. The code of a room is derived from its secret, so after a restart of the server nobody else can open
a room under the same code.
"""

import hashlib
import math
import secrets
import string
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from hmac import compare_digest
from typing import Any, NoReturn

from server.classroom import phone_ids
from server.classroom.game import COLLECT, MAX_SENTENCES, RESULT, SENTENCE_MARK_CHARACTERS, VOTE, Game
from tokenizer.errors import TokenizerError
from tokenizer.lessons.class_training import MAX_OPTIONS, ClassTraining, class_training
from tokenizer.lessons.lesson import CHOICE, CUTS, NUMBER, Step, lesson, lesson_names
from tokenizer.lessons.views import usable

ALPHABET = "ACDEFGHJKMNPQRTUVWXY34679"  # without characters that look alike on a projector: 0O, 1IL, 5S, 2Z, 8B
CODE_CHARACTERS = 5
SECRET_BYTES = 24
URL_SAFE = frozenset(string.ascii_letters + string.digits + "-_")  # characters of secrets and learners' ids

MAX_ROOMS = 20
MAX_LEARNERS_PER_ROOM = 300
MAX_TEXTS_PER_ROOM = 300  # one of each learner
MAX_TEXTS_PER_STEP = 3  # of a learner
MAX_TEXT_CHARACTERS = 200
MAX_GUESS = 100_000
AWAY_AFTER_SECONDS = 45  # without a request; then a learner does not count as present
CLOSED_AFTER_SECONDS = 3_600  # without a request of the teacher; then the room is deleted
REPLACEABLE_AFTER_SECONDS = 600  # without a request of the teacher; then a new room may replace one with phones
MAX_TIMES_EMPTIED = 10**6
MAX_ENDED_CODES = 100  # remembered, so that phones read that the class is over

GAME = "game"  # where phones name a lesson

Guess = str | int | tuple[int, ...]


class ClassProblem(TokenizerError):
    """A request to a room is refused; `word` is the reason in a form that the phone's script reads."""

    def __init__(self, word: str, message: str):
        self.word = word
        super().__init__(message)


@dataclass(frozen=True)
class Scene:
    """What the teacher shows: a step of a lesson by its index, whether all take it together, whether it is revealed.

    `text` replaces the step's own text, and `moved` is the position of its slider.
    """

    lesson: str
    at: int = 0
    together: bool = True
    is_revealed: bool = False
    text: str | None = None
    moved: int | None = None

    @property
    def step(self) -> Step:
        """The step that is shown."""
        return lesson(self.lesson).steps[self.at]

    @classmethod
    def read(cls, found: Mapping[str, Any]) -> "Scene":
        """Returns the scene that a browser has stored; raises ClassProblem.

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
        return replace(scene, moved=slider.nearest(moved) if can_move else None)


@dataclass
class Learner:
    """The time of a learner's last request, in seconds, and the index of the learner's step."""

    seen: float
    at: int = 0


@dataclass
class Sent:
    """A text that a learner sent for a step."""

    id: int  # value of `news` before it
    learner: str
    step: tuple[str, str]
    text: str
    mark: str  # keyed hash of the text
    is_removed: bool = False


@dataclass(eq=False)
class Room:
    """A room: its scene, and the input of learners. `version` counts scenes, `news` changes that the teacher sees."""

    code: str
    key: bytes
    scene: Scene
    seen: float
    epoch: str = field(default_factory=lambda: secrets.token_hex(4))  # identifies this opening
    version: int = 0
    news: int = 0
    address_hash: str = ""  # of the address that opened it
    is_watched: bool = False  # whether a teacher's page has ever requested it
    emptied: int = 0  # how often; earlier ids of phones are invalid
    last_rejected_at: float = -math.inf  # when a phone last found no place
    learners: dict[str, Learner] = field(default_factory=dict)
    polls: dict[tuple[str, str], dict[str, Guess]] = field(default_factory=dict)
    texts: list[Sent] = field(default_factory=list)
    has_had_texts: bool = False  # since it was opened
    refills: tuple[str, str] | None = None  # the step that was revealed before a restart; its poll takes answers again
    rounds: Counter[tuple[str, str]] = field(default_factory=Counter)  # how often each step was asked again
    game: Game | None = None  # while one is open, it is shown instead of the scene
    trained: ClassTraining | None = None  # by the game: the cache of all classes may have dropped it

    # What the teacher does

    def show(self, scene: Scene) -> None:
        """Shows a scene on all phones."""
        self.seen = time.monotonic()
        if scene != self.scene:
            with self._change_for_all():
                self.scene, self.refills = scene, None

    @contextmanager
    def _change_for_all(self) -> Iterator[None]:
        """Changes, in its block, what phones and the board show."""
        with _lock:
            yield
            self.version += 1
            self.news += 1
        on_change(self, True)

    def remove(self, id: int) -> None:
        """Removes a text that a learner sent; a game that trains on it asks its vote again, without it.

        A vote whose result is shown cannot be asked again: it no longer counts.
        """
        training = self._training_without(id)
        if training:
            training.prepare()  # before the lock
        with _lock:
            learned, _ = self._learned_without(id)
            for sent in self.texts:
                sent.is_removed |= sent.id == id
            is_learned = self.game is not None and learned != self.game.admitted
            if is_learned:
                self._ask_vote_anew(self._where())
                self.game.admitted, self.trained = learned, training
                waits = self.game.is_recollecting or not self.game.is_running  # for sentences from other phones
                if not self.game.admitted or not (waits or self._learned()):
                    self._replace_game(Game())
                self.version += 1
            self.news += 1
        on_change(self, is_learned)

    def _training_without(self, id: int) -> ClassTraining | None:
        """Returns the training of the game without a text; None where the game does not learn from it."""
        with _lock:
            marks, left = self._learned_without(id)
            is_learned = self.game is not None and marks != self.game.admitted
        return class_training(tuple(sent.text for sent in left)) if is_learned and left else None

    def _learned_without(self, id: int) -> tuple[list[str], list[Sent]]:
        """Returns the marks of the game's sentences without a text, and the sentences that it learns from then.

        The mark of the text stays as often as phones still have sent it.
        """
        marks = {sent.mark for sent in self.texts if sent.id == id}
        sent = [one for one in self.sent() if one.id != id]
        left, kept = Counter(one.mark for one in sent), []
        for mark in self.game.admitted if self.game else ():
            if mark not in marks or kept.count(mark) < left[mark]:
                kept.append(mark)
        return kept, _in_order(sent, kept)

    def note_teacher(self) -> None:
        """Notes a request of the teacher's page."""
        self.seen, self.is_watched = time.monotonic(), True

    def ask_anew(self) -> None:
        """Removes all answers and texts of the step that is shown; phones delete theirs and are asked again.

        A game begins anew.
        """
        if self.game:
            self.open_game()
            return
        with self._change_for_all():
            where = self._where()
            self.polls.pop(where, None)
            self.texts = [sent for sent in self.texts if sent.step != where]
            self.refills = None
            self.rounds[where] += 1

    def empty(self) -> None:
        """Removes all phones, answers and texts; phones that open their page again send theirs, as after a restart.

        Texts that the teacher removed before stay removed.
        """
        with self._change_for_all():
            self.learners.clear()
            self.polls.clear()
            self.texts = [sent for sent in self.texts if sent.is_removed]
            self.refills = self._where() if self.scene.is_revealed else None
            if self.game:
                self.game.recollect(time.monotonic())
                self.trained = None
            self.emptied, self.epoch, self.last_rejected_at = self.emptied + 1, secrets.token_hex(4), -math.inf

    def kept(self, secret: str) -> dict[str, Any]:
        """Returns what the teacher's browser stores; `reopen` opens the room from it after a restart."""
        shown = {"game": self.game.kept()} if self.game else {}
        return {"secret": secret, "emptied": self.emptied, **asdict(self.scene), **shown}

    # The game: the class trains a tokenizer

    def open_game(self) -> None:
        """Opens a game: phones send a sentence each."""
        with self._change_for_all():
            self._replace_game(Game())

    def play(self, action: str) -> None:
        """Does what the teacher presses: "start", "pause", "go_on", "next", "end" or "leave"; raises ClassProblem."""
        if (found := self.game) is None:
            raise ClassProblem("late", "No game is open.")
        learned = self._collected() if found.phase == COLLECT else self._learned()
        sentences = tuple(sent.text for sent in learned)
        if not sentences and action != "leave":
            raise ClassProblem("late", "There is no sentence.")
        training = class_training(sentences)
        if sentences:
            training.prepare()  # before the lock
        now = time.monotonic()
        actions = {"leave": lambda: self._replace_game(None)}
        if found.phase == COLLECT:
            actions["start"] = lambda: found.start([sent.mark for sent in self._still_there(learned)], training, now)
        else:
            actions |= {
                "pause": lambda: found.pause(now),
                "go_on": lambda: found.go_on(now),
                "next": lambda: found.next(training, now),
                "end": found.end,
            }
        if not isinstance(action, str) or action not in actions:
            raise ClassProblem("unreadable", "The game cannot do this now.")
        with self._change_for_all():
            if self.game is not found:
                raise ClassProblem("late", "The game is over.")
            where, was_recollecting = self._where(), found.is_recollecting
            self.trained = training
            actions[action]()
            if was_recollecting and not found.is_recollecting and len(learned) < len(found.admitted):
                found.admitted = [sent.mark for sent in learned]  # continues without sentences that were not sent again
                self._ask_vote_anew(where)

    def _ask_vote_anew(self, where: tuple[str, str]) -> None:
        """Removes the votes on pairs that may have changed; phones delete theirs, and a closed vote does not count."""
        self.polls.pop(where, None)
        self.rounds[where] += 1
        self.game.right.pop(int(where[1].rpartition(".")[2]), None)

    def _still_there(self, collected: list[Sent]) -> list[Sent]:
        """Returns the sentences that nobody has removed or replaced meanwhile; raises ClassProblem if none is left."""
        there = {sent.id for sent in self.sent()}
        found = [sent for sent in collected if sent.id in there]
        if not found:
            raise ClassProblem("late", "There is no sentence.")
        return found

    def _replace_game(self, game: Game | None) -> None:
        """Opens another game or none, and removes the sentences and votes of the one before."""
        self.texts = [sent for sent in self.texts if sent.step[0] != GAME]
        self.polls = {where: poll for where, poll in self.polls.items() if where[0] != GAME}
        self.game, self.trained = game, None

    def _collected(self) -> list[Sent]:
        """The sentences from which a game would learn if it began now, the oldest first."""
        return self.sent()[::-1][:MAX_SENTENCES]

    def _mark(self, sentence: str) -> str:
        """Returns a keyed hash of a sentence."""
        return phone_ids.hashed(self.key, f"sentence {sentence}")[:SENTENCE_MARK_CHARACTERS]

    def _learned(self) -> list[Sent]:
        """The sentences that the game learns from, in their order; after a restart only those that came again."""
        with _lock:
            # None: the teacher has just left the game
            return _in_order(self.sent(), self.game.admitted if self.game else [])

    def training(self) -> ClassTraining | None:
        """Returns the training on the sentences of the game; None without sentences."""
        if not (sentences := tuple(sent.text for sent in self._learned())):
            return None
        if (found := self.trained) is None or found.sentences != sentences:
            found = self.trained = class_training(sentences)
        return found

    def tick(self) -> None:
        """Lets the game do what is due by the clock."""
        with _lock:
            now = time.monotonic()
            if self.game is None or self.game.seconds_left(now) != 0:
                return
            is_seen = self.game.advance(self.training(), now)
            self.version += is_seen
            self.news += 1
        on_change(self, is_seen)

    def seconds_left(self, for_phones: bool = False) -> float | None:
        """Returns the seconds until the game changes by itself; None if it does not."""
        now, game = time.monotonic(), self.game
        if game is None or game.seconds_left(now) is None:
            return None
        training = self.training() if for_phones else None
        return game.seconds_until_seen(training, now) if training else game.seconds_left(now)

    # What learners do

    def new_id(self, address: str) -> str:
        """Returns an id for a phone that opens its page from this address."""
        return phone_ids.new_id(self.key, self.emptied, address)

    def check(self, learner: Any) -> None:
        """Raises ClassProblem unless this is an id that the room gave a phone since it was last emptied."""
        if not is_learner(learner) or not phone_ids.is_valid(self.key, self.emptied, learner):
            raise ClassProblem("stranger", "Open the page of the class first: it gives a phone its id.")

    def note_learner(self, learner: str, at: int | None = None) -> None:
        """Notes a request of a learner and the learner's step; raises ClassProblem where the room is full."""
        with _lock:
            now, known = time.monotonic(), self.learners.get(learner)
            at = at if at is not None else known.at if known else 0
            is_new = known is None or now - known.seen > AWAY_AFTER_SECONDS or known.at != at
            if known is None:
                self._make_room(learner, now)
            self.learners[learner] = Learner(now, at)
        if is_new:
            self._notify()

    def _make_room(self, newcomer: str, now: float) -> None:
        """Frees places until the newcomer has one: first of phones that are away, then of phones that never answered.

        Of the latter, only those of the newcomer's address and of the address with most phones are removed, the oldest
        first; a phone that is still open returns with its next request.
        """
        own, active = phone_ids.mark_of(newcomer), {sent.learner for sent in self.texts}.union(*self.polls.values())
        while not phone_ids.has_share(own, marks := [*map(phone_ids.mark_of, self.learners)], MAX_LEARNERS_PER_ROOM):
            longest = min(self.learners, key=lambda one: self.learners[one].seen)
            if now - self.learners[longest].seen <= AWAY_AFTER_SECONDS:
                crowd = {own, Counter(marks).most_common(1)[0][0]}
                idle = (one for one in self.learners if one not in active and phone_ids.mark_of(one) in crowd)
                longest = next(idle, None)
            if longest is None:
                self.reject("This class has no place for another phone from your address.")
            del self.learners[longest]

    def reject(self, message: str) -> NoReturn:
        """Raises ClassProblem for a phone that finds no place, and shows that to the teacher."""
        with _lock:
            now = time.monotonic()
            is_news, self.last_rejected_at = now - self.last_rejected_at > AWAY_AFTER_SECONDS, now
        if is_news:
            self._notify()
        raise ClassProblem("full", message)

    def guess(self, learner: str, name: str, step_id: str, value: Any) -> None:
        """Stores a learner's guess at a step; raises ClassProblem where it is invalid or the poll is closed.

        Together, a guess can be changed until the step is revealed; alone it cannot, since the answer follows at once.
        """
        with _lock:
            scene, where = self.scene, (name, step_id)
            if self.game:
                self._vote(learner, where, value)
                return
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
            guess = read_guess(step, value)
            if learner not in poll:
                self._make_room_in(poll, learner)
            if scene.together or learner not in poll:
                poll[learner] = guess
        self._notify()

    def _vote(self, learner: str, where: tuple[str, str], value: Any) -> None:
        """Stores a vote on the next pair, which can be changed until the server's clock closes it."""
        if any(asked == where and (learner, value) in poll.items() for asked, poll in self.polls.items()):
            return  # sent again: the phone did not receive the first answer
        if self.game.phase != VOTE or where != self._where():
            raise ClassProblem("late", "The vote is closed.")
        training = None if self.game.is_recollecting else self.training()
        asked = training.votes.get(self.game.merges) if training else None
        if type(value) is not int or not 0 <= value < (len(asked.options) if asked else MAX_OPTIONS):
            raise ClassProblem("unreadable", "This is no option of this vote.")
        poll = self.polls.setdefault(where, {})
        if learner not in poll:
            self._make_room_in(poll, learner)
        poll[learner] = value
        self._notify()

    def _make_room_in(self, poll: dict[str, Guess], newcomer: str) -> None:
        """Removes answers of phones that have lost their place until the newcomer's fits."""
        while not phone_ids.has_share(
            phone_ids.mark_of(newcomer), [*map(phone_ids.mark_of, poll)], MAX_LEARNERS_PER_ROOM
        ):
            lost = next((one for one in poll if one not in self.learners), None)
            if lost is None:
                self.reject("This poll has no place for another answer from your address.")
            del poll[lost]

    def send(self, learner: str, name: str, step_id: str, text: Any) -> None:
        """Stores a text for the step that is shown; raises ClassProblem where it is empty or there are too many."""
        with _lock:
            text = usable(text).strip()[:MAX_TEXT_CHARACTERS] if isinstance(text, str) else ""
            where = self._where_texts()
            if where != (name, step_id):
                raise ClassProblem("late", "The class is at another step.")
            if not text or self.scene.step.is_numbered and not self.game:
                raise ClassProblem("unreadable", "Nothing was sent: there is no text, or this step takes none.")
            mine = [sent for sent in self.texts if (sent.learner, sent.step) == (learner, where)]
            if text in (sent.text for sent in mine):  # sent twice
                return
            if (text, where) in ((sent.text, sent.step) for sent in self.texts if sent.is_removed):
                return  # the teacher has removed it
            replaced = []
            if self.game and self.game.phase == COLLECT:  # another sentence takes the place of the first
                mine, replaced = [], [sent for sent in mine if not sent.is_removed]
                self.texts = [sent for sent in self.texts if sent not in replaced]
            if not replaced and not self._has_share_of_texts(learner):
                self.texts = [sent for sent in self.texts if sent.step == where]
            is_full = not replaced and not self._has_share_of_texts(learner)
            if is_full or len(mine) >= (1 if self.game else MAX_TEXTS_PER_STEP):
                raise ClassProblem("enough", "No more texts are taken for this step.")
            self.texts.append(Sent(self.news, learner, where, text, self._mark(text)))
            self.has_had_texts = True
            self.news += 1
        on_change(self, False)

    def _has_share_of_texts(self, learner: str) -> bool:
        marks = [phone_ids.mark_of(sent.learner) for sent in self.texts]
        return phone_ids.has_share(phone_ids.mark_of(learner), marks, MAX_TEXTS_PER_ROOM)

    def _notify(self) -> None:
        with _lock:
            self.news += 1
        on_change(self, False)

    # What is displayed

    def _where(self) -> tuple[str, str]:
        """The step that is shown, or the vote of the game."""
        if self.game:
            asked = self.game.merges - (self.game.phase == RESULT)
            return GAME, f"{self.game.id}.{asked}"
        return self.scene.lesson, self.scene.step.id

    def _where_texts(self) -> tuple[str, str]:
        """The step that texts are for: a game is one step."""
        return (GAME, self.game.id) if self.game else self._where()

    def round(self, vote: str | None = None) -> int:
        """Returns how often the step that is shown was asked again, or the vote of a game with this id."""
        with _lock:
            return self.rounds[self._where() if vote is None else (GAME, vote)]

    def is_full(self) -> bool:
        """Whether a phone recently found no place."""
        return time.monotonic() - self.last_rejected_at <= AWAY_AFTER_SECONDS

    def present_learners(self) -> list[Learner]:
        """Returns the learners with a recent request."""
        now = time.monotonic()
        with _lock:
            return [one for one in self.learners.values() if now - one.seen <= AWAY_AFTER_SECONDS]

    def counts(self) -> Counter[Guess]:
        """Returns how often each guess was made at the step that is shown."""
        with _lock:
            return Counter(self.polls.get(self._where(), {}).values())

    def sent(self) -> list[Sent]:
        """Returns the texts for the step that is shown, the newest first."""
        with _lock:
            where = self._where_texts()
            return [sent for sent in reversed(self.texts) if sent.step == where and not sent.is_removed]


def _in_order(sent: list[Sent], marks: list[str]) -> list[Sent]:
    """Returns the sentences with these marks in the order of the marks; `sent` has the newest first."""
    found = defaultdict(list)
    for one in sent:
        found[one.mark].append(one)
    return [found[mark].pop() for mark in marks if found[mark]]


def read_guess(step: Step, value: Any) -> Guess:
    """Returns a guess in the form in which it is counted; raises ClassProblem where it is invalid for this step.

    >>> read_guess(lesson("token").steps[1], [2, 5])
    (2, 5)
    """
    length = len(step.text)
    if step.ask == CHOICE and value in step.options:
        return value
    if step.ask == NUMBER and type(value) is int and 0 <= value <= MAX_GUESS:
        return value
    if step.ask == CUTS and isinstance(value, list) and all(type(one) is int and 0 < one < length for one in value):
        return tuple(sorted(set(value)))
    raise ClassProblem("unreadable", "This is no answer to this question.")


# ---- the rooms ----

_lock = threading.RLock()
_rooms: dict[str, Room] = {}
_KEY_OF_MARKS = secrets.token_bytes(32)  # of the addresses that opened rooms
_over: dict[str, None] = {}  # codes, the oldest first
# called when a room that has had texts of learners is deleted: each empties a cache that may contain them
cache_clearers: list[Callable[[], None]] = [class_training.cache_clear]


def _no_subscriber(room: Room, for_phones: bool) -> None:
    """The value of `on_change` before long_poll subscribes."""


on_change: Callable[[Room, bool], None] = _no_subscriber  # called in any thread; True if phones see the change


def open_rooms() -> list[Room]:
    """Returns the rooms that are open."""
    with _lock:
        return [*_rooms.values()]


def reset() -> None:
    """Removes all rooms and all codes, as a restart of the server does."""
    with _lock:
        _rooms.clear()
        _over.clear()


def new_secret() -> str:
    """Returns a secret for a room, 32 characters that are safe in a URL."""
    return secrets.token_urlsafe(SECRET_BYTES)


def is_secret(found: Any) -> bool:
    """Whether something has the form of a secret."""
    return isinstance(found, str) and len(found) == SECRET_BYTES * 4 // 3 and URL_SAFE.issuperset(found)


@lru_cache(64)
def code_of(secret: str) -> str:
    """Returns the code of a secret; it is slow on purpose, so that nobody finds another secret with the same code.

    >>> len(code_of("x" * 32))
    5
    """
    found = hashlib.scrypt(secret.encode(), salt=b"tokenloupe class", n=2**14, r=8, p=1, dklen=16)
    number, code = int.from_bytes(found, "big"), ""
    for _ in range(CODE_CHARACTERS):
        number, digit = divmod(number, len(ALPHABET))
        code += ALPHABET[digit]
    return code


def open_room(secret: str, scene: Scene, address: str = "", emptied: int = 0, game: Game | None = None) -> Room:
    """Returns the room of a secret, opened with this scene if it is not open; raises ClassProblem.

    A room that is reopened after a restart of the server accepts guesses at its revealed step again.
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
        mark = phone_ids.mark(_KEY_OF_MARKS, address)
        _close_unwatched(mark)
        refills = (scene.lesson, scene.step.id) if scene.is_revealed else None
        room = Room(code, key, scene, time.monotonic(), address_hash=mark, emptied=emptied, refills=refills, game=game)
        _rooms[code] = room
    return room


def new_room(scene: Scene, address: str = "") -> tuple[str, Room]:
    """Opens a room for a teacher's page, and returns its secret and the room; raises ClassProblem."""
    while True:
        secret = new_secret()
        if code_of(secret) not in (_rooms.keys() | _over.keys()):
            room = open_room(secret, replace(scene, is_revealed=False), address)
            room.note_teacher()
            return secret, room


def reopen(kept: Mapping[str, Any], address: str = "") -> Room:
    """Returns the room that a browser has stored (`Room.kept`), reopened if needed; raises ClassProblem."""
    emptied = kept.get("emptied", 0)
    if type(emptied) is not int or not 0 <= emptied <= MAX_TIMES_EMPTIED:
        raise ClassProblem("unreadable", "This is no number of times that a class was emptied.")
    return open_room(kept.get("secret"), Scene.read(kept), address, emptied, Game.read(kept.get("game")))


def room(code: str) -> Room:
    """Returns the open room with this code; raises ClassProblem.

    >>> room("XXXXX")
    Traceback (most recent call last):
    server.classroom.rooms.ClassProblem: There is no class with this code.
    """
    with _lock:
        _sweep()
        if found := _rooms.get(code):
            found.tick()
            return found
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
    """Deletes the room of a secret, and stores its code as ended."""
    if found := room_of(secret):
        with _lock:
            _delete(found.code)
            _over[found.code] = None
            while len(_over) > MAX_ENDED_CODES:
                del _over[next(iter(_over))]
        on_change(found, True)


def is_learner(found: Any) -> bool:
    """Whether something has the form of a learner's id.

    >>> is_learner("f81d4fae7dec11d0a7"), is_learner("me"), is_learner("<script>alert(1)")
    (True, False, False)
    """
    return isinstance(found, str) and 16 <= len(found) <= 40 and URL_SAFE.issuperset(found)


def _key(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def _sweep() -> None:
    """Deletes rooms whose teacher has gone; the secret opens them again."""
    now = time.monotonic()
    for one in [one for one in _rooms.values() if now - one.seen > CLOSED_AFTER_SECONDS]:
        _delete(one.code)


def _delete(code: str) -> None:
    """Deletes a room, and what was computed from its texts."""
    if found := _rooms.pop(code, None):
        found.trained = None
    for clear in cache_clearers if found and found.has_had_texts else ():
        clear()


def _close_unwatched(newcomer: str) -> None:
    """Deletes rooms until the address with this mark may open one; raises ClassProblem where teachers use all of them.

    Candidates are rooms of this address and of the address with most rooms that have neither a teacher's page nor
    phones, or no teacher's page for REPLACEABLE_AFTER_SECONDS; rooms that no teacher ever requested go first.
    """
    now = time.monotonic()
    while not phone_ids.has_share(newcomer, marks := [one.address_hash for one in _rooms.values()], MAX_ROOMS):
        crowd = {newcomer, Counter(marks).most_common(1)[0][0]}
        unwatched = [one for one in _rooms.values() if one.address_hash in crowd and _is_removable(one, now)]
        if not unwatched:
            raise ClassProblem("full", "There is no place for another class from your address on this server.")
        _delete(min(unwatched, key=lambda one: (one.is_watched, one.seen)).code)


def _is_removable(room: Room, now: float) -> bool:
    unseen = now - room.seen
    return (
        unseen > REPLACEABLE_AFTER_SECONDS
        or not room.present_learners()
        and (unseen > AWAY_AFTER_SECONDS or not room.is_watched)
    )
