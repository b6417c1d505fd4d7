"""Sentences on a step and a guess, for the page, for phones and for paper."""

from collections.abc import Sequence
from typing import Any

from tokenizer.lessons.lesson import CHOICE, CUTS, NUMBER, Step
from tokenizer.lessons.views import Shown
from tokenizer.lessons.wording import Words


def is_right(step: Step, guess: Any, right: Any) -> bool:
    """Whether a guess is the answer; a choice is compared as a string."""
    return spelled(step, right) == guess if step.ask == CHOICE else guess == right


def spelled(step: Step, right: Any) -> Any:
    """Returns the answer in the form of a guess."""
    return str(int(right)) if step.ask == CHOICE and isinstance(right, int) else right


def describe_answer(step: Step, value: Any, lesson_words: Words, page: Words) -> str:
    """Returns a guess or the answer in words."""
    if step.ask == CUTS:
        return cut_up(step.text, value) if value else page.text("no_cuts")
    if step.ask == NUMBER:
        return f"{int(value):,}"
    return lesson_words.option(step.id, spelled(step, value))


def cut_up(text: str, places: Sequence[int]) -> str:
    """Returns a text with bars at the cuts.

    >>> cut_up("unhappy", [2])
    'un | happy'
    """
    return " | ".join(text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True))


def sentences(step: Step, shown: Shown, lesson_words: Words, page: Words, is_own: bool) -> str:
    """Returns the result of a step in words, and on a second line what applies to the step's own text only."""
    lines = [lesson_words.text("reveal", step.id, **shown.facts)]
    is_chosen = step.slider is not None and step.slider.name == "merges"
    if shown.facts.get("merges") == 0 and not is_chosen:
        lines = [page.text("no_pair")]
    if shown.facts.get("first") == "":
        lines = [page.text("no_merge")]
    if not is_own:
        lines.append(lesson_words.text("because", step.id, **shown.facts))
    return "\n".join(lines)
