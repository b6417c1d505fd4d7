"""Lessons as data: what each step computes stands in assets/lessons, and its words beside it, a folder a language."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from tokenizer.errors import TokenizerError, shown
from tokenizer.i18n import tr, unbreakable
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
from tokenizer.lessons.views import Shown
from tokenizer.lessons.wording import Words
from tokenizer.paths import ASSETS

FOLDER = ASSETS / "lessons"
LANGUAGES = ("en", "th")  # in which there are words for the lessons, by their BCP 47 tags
VIEWS = plain_views.VIEWS | order_views.VIEWS | chat_views.VIEWS | language_views.VIEWS
VIEWS |= training_views.VIEWS | sentencepiece_views.VIEWS | size_views.VIEWS
VIEWS |= oddity_views.VIEWS | beyond_views.VIEWS
NUMBER, CHOICE, CUTS = "number", "choice", "cuts"  # how one guesses
PAUSE = "pause"  # of a plan


class NoLesson(TokenizerError):
    """No lesson has this name."""

    def __init__(self, name: str):
        known = ", ".join(lesson_names())
        super().__init__(tr("There is no lesson {name}. There are: {known}.", name=shown(name), known=known))


class Slider(NamedTuple):
    """A number that a learner moves once a step is guessed; its view takes it under this name.

    `choice` is what it is called on the page that the step leads to, if it is chosen there, too.
    """

    name: str
    least: int
    most: int
    begins: int
    by: int = 1
    choice: str = ""


@dataclass(frozen=True)
class Step:
    """One question: what is computed of which text, and how one guesses it.

    `view` is one of VIEWS and `how` what it is given beside the text. `answer` names the fact that is the answer, and
    `ask` says how it is guessed: as a NUMBER, by CHOICE between `options`, or as CUTS into a text. Of an exercise one
    types the answer, and is told whether it is right. `page` is the page of the app that a step leads to, `choices`
    what is chosen there, by the names that they have in a link, and `role` whose message the text is in a chat.
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
        """Returns what the step computes, of its own text or of another; raises TokenizerError.

        `moved` is where the slider stands, by its name, where it is not where it begins.

        >>> lesson("token").steps[0].show("hi").facts["tokens"]
        1
        """
        begins = {self.slider.name: self.slider.begins} if self.slider else {}
        return VIEWS[self.view](self.text if text is None else text, **{**self.how, **begins, **moved})

    @property
    def is_numbered(self) -> bool:
        """Whether its text is the number of a sentence that is there in many languages."""
        return self.view in ("parallel", "causes")

    def right(self) -> Any:
        """Returns the answer, as the core computes it now."""
        return self.show().facts[self.answer]


@dataclass(frozen=True)
class Lesson:
    """A lesson: its steps, and how many minutes a class needs."""

    name: str
    minutes: int
    steps: tuple[Step, ...]


@cache
def _order() -> dict[str, Any]:
    with (FOLDER / "order.toml").open("rb") as file:
        return tomllib.load(file)


def lesson_names() -> list[str]:
    """Returns the names of all lessons, in the order in which they are taught."""
    return list(_order()["lessons"])


def plans() -> dict[int, dict[str, int]]:
    """Returns what fits into so many minutes: lessons by name, and how many minutes each then takes; PAUSE is one.

    >>> sum(plans()[45].values())
    45
    """
    return {int(minutes): parts for minutes, parts in _order()["plans"].items()}


@cache
def lesson(name: str) -> Lesson:
    """Returns a lesson; raises NoLesson.

    >>> lesson("bpe").steps[0].right()
    'aa'
    """
    if name not in lesson_names():
        raise NoLesson(name)
    with (FOLDER / f"{name}.toml").open("rb") as file:
        found = tomllib.load(file)
    return Lesson(name, found["minutes"], tuple(_step(facts, found.get("choices", {})) for facts in found["step"]))


def _step(facts: dict[str, Any], choices: dict[str, Any]) -> Step:
    """A step as its file has it; `choices` are those that all steps of the lesson share."""
    slider = {"slider": Slider(**facts["slider"])} if "slider" in facts else {}
    both = {"choices": choices | facts.get("choices", {}), "options": tuple(facts.get("options", ()))}
    return Step(**facts | both | slider)


def taught_in(language: str) -> str:
    """Returns the language in which there are words for who speaks `language`.

    >>> taught_in("th"), taught_in("tlh")
    ('th', 'en')
    """
    return language if language in LANGUAGES else LANGUAGES[0]


@cache
def words(name: str, language: str) -> Words:
    """Returns the words of a lesson in one of LANGUAGES, or with the name "page" those that stand around every lesson.

    >>> words("token", "en").text("title")
    'What is a token?'
    """
    said = (FOLDER / language / f"{name}.toml").read_text(encoding="utf-8")
    return Words(tomllib.loads(unbreakable(said, language)), language)
