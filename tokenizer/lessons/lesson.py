"""Lessons as data: assets/lessons has the steps of each lesson, and their words in a folder for each language."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from tokenizer.errors import TokenizerError, shown
from tokenizer.i18n import tr
from tokenizer.lessons import (
    beyond_views,
    chat_views,
    language_views,
    oddity_views,
    order_views,
    sentencepiece_views,
    size_views,
    training_views,
)
from tokenizer.lessons import views as plain_views
from tokenizer.lessons.views import Pipeline, Shown
from tokenizer.lessons.wording import Words
from tokenizer.paths import ASSETS, read_toml

FOLDER = ASSETS / "lessons"
LANGUAGES = ("en", "th")  # of the lessons' words, as BCP 47 tags
VIEWS = plain_views.VIEWS | order_views.VIEWS | chat_views.VIEWS | language_views.VIEWS
VIEWS |= training_views.VIEWS | sentencepiece_views.VIEWS | size_views.VIEWS
VIEWS |= oddity_views.VIEWS | beyond_views.VIEWS
NUMBER, CHOICE, CUTS = "number", "choice", "cuts"  # the forms of a guess
BESIDE_LESSONS = ("join", "pause", "game", "recap")  # parts of a plan that are not lessons


class NoLesson(TokenizerError):
    """No lesson has this name."""

    def __init__(self, name: str):
        known = ", ".join(lesson_names())
        super().__init__(tr("There is no lesson {name}. The lessons are: {known}.", name=shown(name), known=known))


class Slider(NamedTuple):
    """A number that a learner changes after the guess; `name` is the parameter of the view.

    `choice` is the name of the same choice on the page that the step links to, if any.
    """

    name: str
    least: int
    most: int
    begins: int
    by: int = 1
    choice: str = ""

    def nearest(self, value: int) -> int:
        """Returns the position that is nearest to a value.

        >>> slider = Slider("width", 256, 1024, 512, by=256)
        >>> slider.nearest(0), slider.nearest(700), slider.nearest(10**400)
        (256, 768, 1024)
        """
        inside = min(max(self.least, value), self.most)
        return self.least + round((inside - self.least) / self.by) * self.by


@dataclass(frozen=True)
class Step:
    """One question: a view of a text, and the form of the guess.

    `view` is one of VIEWS, and `how` has its arguments besides the text. `answer` names the fact that is the answer.
    `ask` is the form of the guess: a NUMBER, a CHOICE between `options`, or CUTS in a text. In an exercise the learner
    types the answer, and the page marks it as right or wrong. `page` is the page of the app that the step links to,
    `choices` are the choices there, by their names in links, and `role` is the author of the text in a chat.
    """

    id: str
    view: str
    text: str
    ask: str
    answer: str
    options: tuple[str, ...] = ()
    how: Mapping[str, Any] = field(default_factory=dict)
    page: str = "playground"
    exercise: bool = False
    slider: Slider | None = None
    choices: Mapping[str, str | int | float] = field(default_factory=dict)
    role: str = ""

    def show(self, text: str | None = None, **moved: int) -> Shown:
        """Returns the result of the step for its own text or another one; raises TokenizerError.

        `moved` has the value of the slider, by its name, if it differs from the initial one.

        >>> lesson("token").steps[0].show("hi").facts["tokens"]
        1
        """
        begins = {self.slider.name: self.slider.begins} if self.slider else {}
        return VIEWS[self.view](self.text if text is None else text, **{**self.how, **begins, **moved})

    @property
    def is_numbered(self) -> bool:
        """Whether its text is the number of a sentence of the parallel corpus."""
        return self.view in ("parallel", "causes")

    def right(self) -> Any:
        """Returns the answer, computed by the core."""
        return self.show().facts[self.answer]


@dataclass(frozen=True)
class Lesson:
    """A lesson with its steps and its duration in minutes; `pipeline` is drawn before its first step, if any."""

    name: str
    minutes: int
    steps: tuple[Step, ...]
    pipeline: Pipeline | None = None


@cache
def _order() -> dict[str, Any]:
    return read_toml("lessons/order.toml")


def lesson_names() -> list[str]:
    """Returns the names of all lessons in teaching order."""
    return list(_order()["lessons"])


def plans() -> dict[int, dict[str, int]]:
    """Returns plans by minutes: the lessons, and some of BESIDE_LESSONS, with the minutes that each takes.

    >>> sum(plans()[45].values())
    45
    """
    return {int(minutes): parts for minutes, parts in _order()["plans"].items()}


def steps_of_plan(minutes: int, name: str) -> list[int]:
    """Returns the numbers of the steps that fit into a lesson's part of a plan; an empty list if all do.

    >>> steps_of_plan(90, "oddities"), steps_of_plan(90, "token")
    ([3, 5, 7, 15], [])
    """
    ids = _order()["steps"].get(str(minutes), {}).get(name, [])
    return [number for number, step in enumerate(lesson(name).steps, 1) if step.id in ids]


@cache
def lesson(name: str) -> Lesson:
    """Returns a lesson; raises NoLesson.

    >>> lesson("bpe").steps[0].right()
    'aa'
    """
    if name not in lesson_names():
        raise NoLesson(name)
    found = read_toml(f"lessons/{name}.toml")
    steps = tuple(_step(facts, found.get("choices", {})) for facts in found["step"])
    return Lesson(name, found["minutes"], steps, Pipeline(**found["pipeline"]) if "pipeline" in found else None)


def _step(facts: dict[str, Any], choices: dict[str, Any]) -> Step:
    """Returns a step from the facts in its file; `choices` apply to all steps of the lesson that lead to a page."""
    slider = {"slider": Slider(**facts["slider"])} if "slider" in facts else {}
    common = choices.get(facts.get("page", Step.page), {})
    both = {"choices": common | facts.get("choices", {}), "options": tuple(facts.get("options", ()))}
    return Step(**facts | both | slider)


def taught_in(language: str) -> str:
    """Returns the lessons' language for a reader of `language`.

    >>> taught_in("th"), taught_in("tlh")
    ('th', 'en')
    """
    return language if language in LANGUAGES else LANGUAGES[0]


@cache
def words(name: str, language: str) -> Words:
    """Returns the words of a lesson in one of LANGUAGES, or for the name "page" those around every lesson.

    >>> words("token", "en").text("title")
    'What is a token?'
    """
    source = (FOLDER / language / f"{name}.toml").read_text(encoding="utf-8")
    return Words(tomllib.loads(source), language)
