"""What is said of a step and of a guess: the same words on the page, on a phone and on paper."""

from collections.abc import Sequence
from typing import Any

from tokenizer.lessons.lesson import CHOICE, CUTS, NUMBER, Step
from tokenizer.lessons.views import Shown
from tokenizer.lessons.wording import Words


def is_right(step: Step, guess: Any, right: Any) -> bool:
    """Whether a guess is the answer; a choice is spelled as a word, whatever the fact is."""
    return spelled(step, right) == guess if step.ask == CHOICE else guess == right


def spelled(step: Step, right: Any) -> Any:
    """Returns the answer as a guess of the step is spelled."""
    return str(int(right)) if step.ask == CHOICE and isinstance(right, int) else right


def in_words(step: Step, value: Any, said: Words, page: Words) -> str:
    """Returns a guess, or the answer, as a reader reads it."""
    if step.ask == CUTS:
        return cut_up(step.text, value) if value else page.text("no_cuts")
    if step.ask == NUMBER:
        return f"{int(value):,}"
    return said.option(step.id, spelled(step, value))


def cut_up(text: str, places: Sequence[int]) -> str:
    """Returns a text with a bar where it is cut.

    >>> cut_up("unhappy", [2])
    'un | happy'
    """
    return " | ".join(text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True))


def sentences(step: Step, shown: Shown, said: Words, page: Words, is_own: bool) -> str:
    """Returns what a step shows, in words, and on a line of its own what is true of its own text alone."""
    told = [said.text("reveal", step.id, **shown.facts)]
    if shown.facts.get("merges") == 0:
        told = [page.text("no_pair")]
    if shown.facts.get("first") == "":
        told = [page.text("no_merge")]
    if not is_own:
        told.append(said.text("because", step.id, **shown.facts))
    return "\n".join(told)
