"""A game as JSON for phones and for the teacher's board, and as a file to take home."""

from functools import lru_cache
from typing import Any, NamedTuple

from server.classroom import game_links, rooms
from server.classroom.game import COLLECT, OVER, RESULT, RUN, VOTE, Game
from server.classroom.rooms import GAME, ClassProblem, Room
from tokenizer.display.document import document
from tokenizer.kinds.registry import get_encoding
from tokenizer.lessons import drawn
from tokenizer.lessons.class_training import MAX_CACHED_TRAININGS, PATTERN, SHRINK_INTERVAL_MERGES, ClassTraining, Vote
from tokenizer.lessons.lesson import words
from tokenizer.lessons.training_views import lane, named
from tokenizer.lessons.views import Shown, Table
from tokenizer.lessons.wording import Counted, Words

MAX_SHOWN_SENTENCES = 40  # on the stage; of the others, their number
HOME_STYLE = """
:root { color-scheme: light dark; } body { font: 1.0625rem/1.6 system-ui, "Noto Sans Thai", sans-serif; }
main { max-width: 50rem; margin: 0 auto; padding: 1rem; } .sentence { font-size: 1.25rem; overflow-wrap: anywhere; }
.sentence, .shares { white-space: pre-wrap; }
"""
ACTIONS = {COLLECT: ("start",), RUN: ("pause", "next", "end"), VOTE: ("pause", "next", "end")}
ACTIONS |= {RESULT: ("pause", "next", "end"), OVER: ()}


class Played(NamedTuple):
    """A game with the words that it needs, and its training, if it has begun and all sentences may be there."""

    game: Game
    words: Words
    page: Words
    training: ClassTraining | None

    @classmethod
    def of(cls, room: Room, language: str) -> "Played":
        """Returns the game of a room in a language; raises ClassProblem if the teacher has just left it."""
        if (game := room.game) is None:
            raise ClassProblem("late", "The game is over.")
        is_trained = game.phase != COLLECT and not game.is_recollecting
        training = room.training() if is_trained else None
        return cls(game, words("class", language), words("page", language), training)

    def text(self, key: str, **facts: Any) -> str:
        return self.words.text(key, "game", **facts)

    @property
    def merges(self) -> int:
        """The merges so far."""
        return self.game.merges if self.training is None else min(self.game.merges, self.training.num_merges)

    def vote(self) -> tuple[int, Vote | None]:
        """Returns the number of merges before the vote that is open or was closed last, and the vote."""
        at = self.game.merges - (self.game.phase == RESULT)
        return at, self.training.votes.get(at) if self.training else None

    def line(self) -> str:
        """Returns the sentence on the last merge."""
        if self.training is None:
            return ""
        if not self.merges:
            return self.text("begins")
        merge, total = self.training.history.merges[self.merges - 1], self.training.num_merges
        pair, count = named_pair(merge.left, merge.right), Counted(merge.count)
        return self.text("merge", merges=self.merges, total=total, pair=pair, token=named(merge.token), count=count)

    def result(self, vote: Vote, at: int) -> str:
        """Returns the sentence on the result of a vote."""
        merge = self.training.history.merges[at]
        facts = {"pair": named_pair(merge.left, merge.right), "count": Counted(merge.count), "tied": Counted(vote.tied)}
        return self.text("tied" if vote.tied > 1 else "result", **facts)

    def hint(self) -> str:
        """Returns the line below the title, or "": the game is paused, or "·" in the pairs of the vote is a space."""
        _, vote = self.vote()
        if self.game.left is not None:
            return self.text("paused")
        has_space = self.game.phase == VOTE and vote and any(b" " in left + right for left, right, _ in vote.options)
        return self.text("space") if has_space else ""


def named_pair(left: bytes, right: bytes) -> str:
    """Returns the label of a pair.

    >>> named_pair(b"th", b"e "), named_pair("น".encode(), "้ำ".encode())
    ('th + e·', 'น + ◌้ำ')
    """
    return f"{named(left)} + {named(right)}"


# ---- phones ----


def scene(room: Room, language: str) -> dict[str, Any]:
    """Returns what a phone shows of a game, in the form of a step: a vote is a choice, its result is the answer."""
    found = Played.of(room, language)
    game = found.game
    shown = {"lesson": GAME, "id": game.id, "at": 0, "of": 1, "together": True, "where": found.text("title")}
    shown |= {"text": "", "ask": "", "options": [], "revealed": None}
    shown |= {"question": found.text("collect" if game.phase == COLLECT else "running")}
    at, vote = found.vote()
    if game.phase in (VOTE, RESULT) and vote:
        options = [[i, named_pair(left, right)] for i, (left, right, _) in enumerate(vote.options)]
        shown |= {"id": f"{game.id}.{at}", "question": found.text("ask"), "ask": "choice", "options": options}
    if game.phase == RESULT and vote:
        shown["revealed"] = {
            "right": vote.right[0],
            "rights": vote.right,
            "answer": " / ".join(options[i][1] for i in vote.right),
            "html": "",
            "explanation": found.result(vote, at),
            "take": "",
            "slider": None,
            "own": None,
            "takes_texts": False,
        }
    if game.phase == OVER:
        shown["question"] = found.text("over", merges=Counted(found.merges))
    shown["game"] = {"id": game.id, "phase": game.phase, "right": game.right, "hint": found.hint()}
    shown["round"] = room.round(shown["id"])  # 0 between votes, so that phones keep their sentences
    return shown


def own(room: Room, learner: str, language: str) -> dict[str, Any] | None:
    """Returns a phone's sentence as tokens of the class's tokenizer and of GPT-5, and links that open the tokenizer.

    The sentence is None where the phone has sent none. Returns None before the end.
    """
    found, sentence = _ended(room, language), _sentence_of(room, learner)
    if found is None:
        return None
    return {
        "html": drawn.blocks(_cut(found, sentence), found.page) if sentence else "",
        "sentence": sentence,
        "links": game_links.phone_links(found.training, found.merges, sentence or "", language),
    }


def _ended(room: Room, language: str) -> Played | None:
    """Returns the game, None before its end or without its sentences."""
    found = Played.of(room, language)
    return found if found.game.phase == OVER and found.training else None


def _sentence_of(room: Room, learner: str) -> str | None:
    return next((sent.text for sent in room.sent() if sent.learner == learner), None)


def _cut(found: Played, sentence: str) -> Shown:
    encodings = {found.text("class"): found.training.encoding(found.merges), PATTERN: get_encoding(PATTERN)}
    return Shown({}, [lane(label, encoding, sentence) for label, encoding in encodings.items()])


def home(room: Room, learner: str, language: str) -> str | None:
    """Returns the page to take home: a phone's sentence and all merges; None before the end of the game."""
    if (found := _ended(room, language)) is None:
        return None
    merges = found.training.history.merges[: found.merges]
    rows = [(i, named_pair(one.left, one.right), one.count) for i, one in enumerate(merges, 1)]
    table = Shown({}, [Table(("merge", "tokens", "pair_seen"), rows)])
    sentence = _sentence_of(room, learner)
    body = drawn.environment.get_template("class_home.jinja").render(
        title=found.text("class"),
        yours=found.text("yours"),
        sentence=sentence,
        cut=drawn.blocks(_cut(found, sentence), found.page) if sentence else "",
        merges=found.text("merges"),
        table=drawn.blocks(table, found.page),
        shares=_shares(found),
    )
    return document(found.text("class"), f"{drawn.style()}\n{HOME_STYLE}", body, language)


def _shares(found: Played) -> str:
    facts = _share_facts(found.training, found.merges)
    return found.text("shares", **facts) if facts else ""


@lru_cache(MAX_CACHED_TRAININGS)  # the board asks after each change, and so does each phone that saves its file
def _share_facts(training: ClassTraining, merges: int) -> dict[str, Counted] | None:
    return training.shares(merges)


rooms.cache_clearers.append(_share_facts.cache_clear)


# ---- the board ----


def board(room: Room, language: str) -> dict[str, Any]:
    """Returns what the stage shows of a game: the tokens of the sentences, the votes, and which buttons there are."""
    found = Played.of(room, language)
    game, sent = found.game, room.sent()
    at, vote = found.vote()
    actions = list(ACTIONS[game.phase])
    if game.left is not None:
        actions[0] = "go_on"
    if game.phase == COLLECT and not sent:
        actions = []
    leave = ["leave", found.text("leave"), found.text("leave_now") if sent else ""]  # the last is a confirmation
    shown = {
        "phase": game.phase,
        "actions": [*([action, found.text(action), ""] for action in actions), leave],
        "title": _title(found, len(sent)),
        "check": found.text("check") if game.phase == COLLECT and sent else "",
        "line": _line(found, len(sent)),
        "result": found.result(vote, at) if game.phase == RESULT and vote else "",
        "seconds": room.seconds_left() if game.phase == VOTE else None,
        "sentences": [],
        "more": "",
        "made": "",
        "shrunk": None,
        "shares": "",
        "how": "",
        "links": [],
        "kept": game.kept(),
    }
    if found.training:
        sentences = range(min(MAX_SHOWN_SENTENCES, len(found.training.sentences)))
        rest = len(found.training.sentences) - len(sentences)
        shown["sentences"] = [found.training.pieces(i, found.merges) for i in sentences]
        shown["more"] = found.page.text("more", count=Counted(rest)) if rest else ""
        shown["made"] = found.training.history.merges[found.merges - 1].token.decode() if found.merges else ""
        shown["shrunk"] = _shrunk(found)
    if found.training and game.phase == OVER:
        shown["shares"] = _shares(found)
        shown["how"] = found.text("take_home")
        shown["links"] = game_links.teacher_links(found.training, found.merges, language)
    return shown


def _title(found: Played, size: int) -> str:
    game = found.game
    if game.is_recollecting:
        admitted = len(game.admitted)
        return found.text("refilling", back=min(size, admitted), count=Counted(admitted))
    if game.phase == COLLECT:
        return found.text("collect")
    if game.phase == OVER:
        return found.text("over", merges=Counted(found.merges))
    return found.text("ask" if game.phase in (VOTE, RESULT) else "running")


def _line(found: Played, size: int) -> str:
    game = found.game
    if game.phase == COLLECT:
        return found.text("collected", count=Counted(size))
    if game.is_recollecting:
        return ""
    if game.phase == OVER and not found.training:
        return found.text("none_back")
    if game.phase == OVER and size < (admitted := len(game.admitted)):
        return found.text("incomplete", back=size, count=Counted(admitted))
    return found.hint() or (found.line() if game.phase in (RUN, OVER) else "")


def _shrunk(found: Played) -> dict[str, str] | None:
    """Returns whose sentence shrank most by the last merge that SHRINK_INTERVAL_MERGES divides, or the last of all."""
    is_over = found.game.phase == OVER
    merges = found.merges if is_over else found.merges // SHRINK_INTERVAL_MERGES * SHRINK_INTERVAL_MERGES
    if not merges:
        return None
    most = found.training.shrunk(merges)
    facts = {"characters": Counted(most.characters), "tokens": Counted(most.tokens), "merges": Counted(merges)}
    return {"line": found.text("shrunk", **facts), "text": found.training.sentences[most.position]}


def bars(room: Room, language: str) -> list[dict[str, Any]]:
    """Returns the options of a vote, and after it how often each was chosen."""
    found = Played.of(room, language)
    _, vote = found.vote()
    if found.game.phase not in (VOTE, RESULT) or not vote:
        return []
    is_closed, counts = found.game.phase == RESULT, room.counts()
    return [
        {
            "label": named_pair(left, right),
            "count": counts[i] if is_closed else 0,
            "answered": found.words.text("answered", "teacher", count=Counted(counts[i])) if is_closed else "",
            "right": is_closed and i in vote.right,
        }
        for i, (left, right, _) in enumerate(vote.options)
    ]
