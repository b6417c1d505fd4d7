"""Rooms as JSON for phones and for the teacher's board, in one of the lessons' languages."""

from functools import lru_cache
from typing import Any

from server.classroom import game_serializers, rooms
from server.classroom.game import RESULT
from server.classroom.rooms import Guess, Room, Scene
from tokenizer.errors import TokenizerError
from tokenizer.lessons import drawn, telling
from tokenizer.lessons.lesson import CHOICE, CUTS, Step, lesson, words
from tokenizer.lessons.views import Shown
from tokenizer.lessons.wording import Counted, Words

MAX_BARS = 8  # of a poll; the other guesses are one number


def scene(shown: Scene, language: str) -> dict[str, Any]:
    """Returns what a phone shows: the question, and the answer once it is revealed."""
    found = {"lesson": shown.lesson, "at": shown.at, "together": shown.together, "of": len(lesson(shown.lesson).steps)}
    if not shown.together:
        return found
    return found | step(shown, language)


def step(shown: Scene, language: str) -> dict[str, Any]:
    """Returns the step of a scene as a phone shows it."""
    lesson_words, page, question = words(shown.lesson, language), words("page", language), shown.step
    where = page.text("step_of", step=shown.at + 1, steps=len(lesson(shown.lesson).steps))
    kind = f" · {page.text('exercise')}" if question.exercise else ""
    asked = _computed(shown.lesson, shown.at, None, None) if question.is_numbered else None
    found = {
        "id": question.id,
        "where": f"{lesson_words.text('title')} · {where}{kind}",
        "question": lesson_words.text("question", question.id),
        "text": "" if question.is_numbered else question.text,
        "sentences": drawn.sentences(asked, page) if asked else "",
        "ask": question.ask,
        "options": [[option, lesson_words.option(question.id, option)] for option in question.options],
    }
    return found | {"revealed": revealed(shown, lesson_words, page) if shown.is_revealed else None}


def revealed(scene: Scene, lesson_words: Words, page: Words) -> dict[str, Any]:
    """Returns the result of a step: the answer, and the result for its text or another one as HTML and in words."""
    question, text, slider = scene.step, scene.text, scene.step.slider
    try:
        shown = _computed(scene.lesson, scene.at, text, scene.moved)
    except TokenizerError:
        shown, text = _computed(scene.lesson, scene.at, None, scene.moved), None
    is_own = text is not None or scene.moved not in (None, slider and slider.begins)
    right = _right(scene)
    return {
        "right": telling.spelled(question, right),
        "answer": telling.describe_answer(question, right, lesson_words, page),
        "html": drawn.blocks(shown, page),
        "explanation": telling.sentences(question, shown, lesson_words, page, is_own),
        "take": lesson_words.text("take", question.id),
        "slider": None if scene.together else _slider(scene, lesson_words),
        "own": None if question.is_numbered else text,
        "takes_texts": not question.is_numbered,
    }


def _slider(shown: Scene, lesson_words: Words) -> dict[str, Any] | None:
    """Returns the slider of a step for self-paced learners; in a class together, only the teacher moves it."""
    if (slider := shown.step.slider) is None:
        return None
    value = slider.begins if shown.moved is None else shown.moved
    label = lesson_words.text("slider", shown.step.id)
    return {"label": label, "least": slider.least, "most": slider.most, "by": slider.by, "value": value}


@lru_cache(64)
def _computed(name: str, at: int, text: str | None, moved: int | None) -> Shown:
    """Returns the result of a step, cached for all languages."""
    question = lesson(name).steps[at]
    return question.show(text, **({} if moved is None else {question.slider.name: moved}))


rooms.cache_clearers.append(_computed.cache_clear)


def _right(scene: Scene) -> Any:
    return _computed(scene.lesson, scene.at, None, None).facts[scene.step.answer]


# ---- the board ----


def board(room: Room, language: str) -> dict[str, Any]:
    """Returns what the board shows: the number of phones, the guesses, the texts that learners sent."""
    version = f"{room.epoch}.{room.news}"  # before the contents: what changes meanwhile is then sent once more
    class_words, page, here = words("class", language), words("page", language), room.present_learners()
    question, counts = room.scene.step, room.counts()
    shared = {"version": version} | _numbers_and_texts(room, len(here), sum(counts.values()), class_words)
    if game := room.game:
        return shared | {
            "bars": game_serializers.bars(room, language),
            "others": "",
            "closed": game.phase == RESULT,
            "steps": None,
            "game": game_serializers.board(room, language),
        }
    bars = _bars(question, counts)
    rest = sum(counts.values()) - sum(counts[guess] for guess in bars)
    right = telling.spelled(question, _right(room.scene)) if room.scene.is_revealed else None
    lesson_words = words(room.scene.lesson, language)
    return shared | {
        "bars": [
            {
                "label": telling.describe_answer(question, guess, lesson_words, page),
                "count": counts[guess],
                "answered": class_words.text("answered", "teacher", count=Counted(counts[guess])),
                "right": guess == right,
            }
            for guess in bars
        ],
        "others": class_words.text("others", "teacher", count=Counted(rest)) if rest else "",
        "closed": room.scene.together and room.scene.is_revealed,
        "steps": None if room.scene.together else _steps(room, here, class_words),
        "game": None,
    }


def _numbers_and_texts(room: Room, here: int, answered: int, class_words: Words) -> dict[str, Any]:
    """Returns what the board shows of a step and of a game: phones, answers, texts."""
    return {
        "phones": here,
        "here": class_words.text("here", "teacher", count=Counted(here)),
        "answered": class_words.text("answered", "teacher", count=Counted(answered)),
        "full": class_words.text("full", "teacher") if room.is_full() else "",
        "texts": [{"id": one.id, "text": one.text, "shown": one.text == room.scene.text} for one in room.sent()],
    }


def _bars(question: Step, counts: dict[Guess, int]) -> list[Guess]:
    """Returns the guesses with a bar: all options of a choice, otherwise the most frequent ones."""
    if question.ask == CHOICE:
        return list(question.options)
    most = sorted(counts, key=lambda guess: (-counts[guess], guess))[:MAX_BARS]
    return most if question.ask == CUTS else sorted(most)


def _steps(room: Room, here: list, class_words: Words) -> list[dict[str, Any]]:
    """Returns how many learners are at each step."""
    at = [sum(one.at == number for one in here) for number in range(len(lesson(room.scene.lesson).steps))]
    return [
        {"count": count, "label": class_words.text("at_step", "teacher", step=number, count=Counted(count))}
        for number, count in enumerate(at, 1)
    ]
