"""An input in which the learner marks token boundaries in a text."""

from collections.abc import Callable
from functools import partial

from ui.components.component import component
from ui.session import component_events

_component = component(__file__, "cuts")


def cuts(key: str, text: str, words: dict[str, str], guessed: Callable[[tuple[int, ...]], None]) -> None:
    """Draws a text with a button between each two characters; `guessed` is called with the chosen offsets.

    `words` are `hint`, `check` and `gap`, the last with the two characters around it as {before} and {after}.
    """
    _component(key=key, data={"text": text, "words": words}, on_guess_change=partial(_take, key, len(text), guessed))


def _take(key: str, length: int, guessed: Callable[[tuple[int, ...]], None]) -> None:
    found = component_events.sent(key, "guess")
    if isinstance(found, list) and all(isinstance(at, int) and 0 < at < length for at in found):
        guessed(tuple(sorted(set(found))))
