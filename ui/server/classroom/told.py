"""What phones and the teacher's board are told of a room, in one of the lessons' languages."""

from typing import Any

from tokenizer.errors import TokenizerError
from tokenizer.lessons import drawn, telling
from tokenizer.lessons.lesson import CHOICE, CUTS, Step, lesson, words
from tokenizer.lessons.wording import Counted, Words
from ui.server.classroom.rooms import Guess, Room, Scene

MOST_BARS = 8  # of a poll; what is beyond them is one number


def scene(shown: Scene, language: str) -> dict[str, Any]:
    """Returns what a phone is to show: the question, and what comes of it as soon as that is revealed."""
    found = {"lesson": shown.lesson, "at": shown.at, "together": shown.together, "of": len(lesson(shown.lesson).steps)}
    if not shown.together:
        return found
    return found | step(shown.lesson, shown.at, language, shown.is_revealed, shown.text)


def step(name: str, at: int, language: str, is_revealed: bool, text: str | None = None) -> dict[str, Any]:
    """Returns a step as a phone shows it, `text` in place of its own once it is revealed."""
    said, page, asked = words(name, language), words("page", language), lesson(name).steps[at]
    where = page.text("step_of", step=at + 1, steps=len(lesson(name).steps))
    kind = f" · {page.text('exercise')}" if asked.exercise else ""
    found = {
        "id": asked.id,
        "where": f"{said.text('title')} · {where}{kind}",
        "question": said.text("question", asked.id),
        "text": "" if asked.is_numbered else asked.text,
        "ask": asked.ask,
        "options": [[option, said.option(asked.id, option)] for option in asked.options],
    }
    return found | {"revealed": revealed(asked, text, said, page) if is_revealed else None}


def revealed(asked: Step, text: str | None, said: Words, page: Words) -> dict[str, Any]:
    """Returns what comes of a step: the answer, what is computed of its text or of another, drawn and in words."""
    try:
        shown = asked.show(text)
    except TokenizerError:
        shown, text = asked.show(), None
    right = _right(asked)
    return {
        "right": telling.spelled(asked, right),
        "answer": telling.in_words(asked, right, said, page),
        "html": drawn.blocks(shown, page),
        "said": telling.sentences(asked, shown, said, page, is_own=text is not None),
        "take": said.text("take", asked.id),
        "own": None if asked.is_numbered else text,
        "takes_texts": not asked.is_numbered,
    }


_rights: dict[int, Any] = {}  # by the step itself, which is kept as long as this is


def _right(asked: Step) -> Any:
    """The answer, which is computed once."""
    if id(asked) not in _rights:
        _rights[id(asked)] = asked.right()
    return _rights[id(asked)]


# ---- the board ----


def board(room: Room, language: str) -> dict[str, Any]:
    """Returns what the teacher sees of a room: who is here, how they guessed, which texts they sent, in words."""
    around, page, here = words("class", language), words("page", language), room.here()
    asked, counts = room.scene.step, room.counts()
    bars = _bars(asked, counts)
    rest = sum(counts.values()) - sum(counts[guess] for guess in bars)
    right = telling.spelled(asked, _right(asked)) if room.scene.is_revealed or not room.scene.together else None
    said = words(room.scene.lesson, language)
    return {
        "version": f"{room.epoch}.{room.news}",
        "here": around.text("here", "teacher", count=Counted(len(here))),
        "answered": around.text("answered", "teacher", count=Counted(sum(counts.values()))),
        "bars": [
            {
                "label": telling.in_words(asked, guess, said, page),
                "count": counts[guess],
                "said": around.text("answered", "teacher", count=Counted(counts[guess])),
                "right": guess == right,
            }
            for guess in bars
        ],
        "others": around.text("others", "teacher", count=Counted(rest)) if rest else "",
        "closed": room.scene.together and room.scene.is_revealed,
        "texts": [{"id": one.id, "text": one.text, "shown": one.text == room.scene.text} for one in room.sent()],
        "steps": None if room.scene.together else _steps(room, here, around),
    }


def _bars(asked: Step, counts: dict[Guess, int]) -> list[Guess]:
    """The guesses that have a bar: all options of a choice, else the most frequent ones."""
    if asked.ask == CHOICE:
        return list(asked.options)
    most = sorted(counts, key=lambda guess: (-counts[guess], guess))[:MOST_BARS]
    return most if asked.ask == CUTS else sorted(most)


def _steps(room: Room, here: list, around: Words) -> list[dict[str, Any]]:
    """How many are at each step."""
    at = [sum(one.at == number for one in here) for number in range(len(lesson(room.scene.lesson).steps))]
    return [
        {"count": count, "said": around.text("at_step", "teacher", step=number, count=Counted(count))}
        for number, count in enumerate(at, 1)
    ]
