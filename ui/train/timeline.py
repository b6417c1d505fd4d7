"""The merge timeline: the tokens of a text after any number of merges, without a rerun of the script."""

from collections.abc import Callable
from functools import partial

from server.encodings.encoding_store import Trained
from server.exports.take_home import MAX_TIMELINE_CHARACTERS
from server.web_files import FOLDER, LOUPE, STEPS, TOKENS
from ui.components.component import component_in
from ui.session import component_events, why_text
from ui.session.visitor_state import visitor
from ui.widgets import encoding_component

KEY = "timeline"

_component = component_in(FOLDER / "timeline", "timeline", TOKENS, STEPS, LOUPE)


def timeline(
    found: Trained,
    on_fork: Callable[[int, int, int], None],
    ended: int = 0,
    is_new: bool = False,
    is_own: bool = True,
) -> None:
    """Draws the timeline of a trained encoding over the text that it was trained on.

    `on_fork(step, left, right)` is called with symbol numbers when the visitor picks another pair after `step` merges.
    `ended` counts the trainings that have ended; a new training (`is_new`) is played automatically. One that is not
    the visitor's own becomes it when the page Why is asked about it.
    """
    text = found.beginning(MAX_TIMELINE_CHARACTERS)
    data = {**found.facts, "text": text, "ended": ended, "isNew": is_new, "isOwn": is_own}
    fork, why = partial(_fork, on_fork), partial(_take_why, None if is_own else found)
    encoding_component.draw(_component, KEY, data, on_fork_change=fork, on_why_change=why)


def _take_why(found: Trained | None) -> None:
    if found:
        visitor().add_encoding(found)
    encoding_component.take_why(KEY, why_text.TIMELINE)


def _fork(on_fork: Callable[[int, int, int], None]) -> None:
    fork = component_events.sent(KEY, "fork")
    if isinstance(fork, dict) and all(isinstance(fork.get(part), int) for part in ("step", "left", "right")):
        on_fork(fork["step"], fork["left"], fork["right"])
