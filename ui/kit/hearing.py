"""All that a visitor says is heard, once and in order, however quickly it is said: Streamlit loses some of it.

It stops a run for what is said next, be it before the run has called back who listens, or while it does so: what was
pressed is lost then, or half done, and so is what was typed just before a turn of the page. Here the next run hears
what came before, and nothing stops it at that.

A browser that tells of the page and of a part of it (a fragment) in one message asks for the part alone. Here all runs.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from threading import RLock
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner.exec_code import exec_func_with_error_handling
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import (
    RerunData,
    ScriptRequestType,
    _coalesce_replay_trigger_states,
)
from streamlit.runtime.state import SafeSessionState, SessionState

from ui.kit.worded import translate

NUMBER = "number_of_message"  # the id of what we add to a message
MOST_WAITING, MOST_BYTES = 100, 6_000_000  # messages, and of all together


@dataclass
class Unheard:
    """The messages of one visitor that no later one repeats, until a run hears them, by their numbers.

    A later one of the same page repeats what is chosen and typed there, but not what is pressed.
    """

    lock: RLock = field(default_factory=RLock)
    waiting: dict[int, WidgetStates] = field(default_factory=dict)
    number: int = 0  # of the last message
    page: str = ""  # on which it was said

    def add(self, said: WidgetStates, page: str) -> None:
        """Gives a message its number, and lets it wait."""
        last = self.waiting.get(self.number)
        if last is not None and page == self.page and not any(map(is_pressed, last.widgets)):
            del self.waiting[self.number]
        self.number, self.page = self.number + 1, page
        self.waiting[self.number] = said
        while len(self.waiting) > MOST_WAITING or (len(self.waiting) > 1 and self._size() > MOST_BYTES):
            del self.waiting[next(iter(self.waiting))]
        said.widgets.add(id=NUMBER, int_value=self.number)

    def _size(self) -> int:
        return sum(one.ByteSize() for one in self.waiting.values())

    def before(self, said: WidgetStates) -> list[WidgetStates]:
        """Takes what came before a message and no run has heard; nobody else has it then."""
        number = number_of(said)
        return [leave_out(self.waiting.pop(one), is_number) for one in list(self.waiting) if one < number]

    def of(self, said: WidgetStates) -> WidgetStates:
        """Takes a message as it came; of several that Streamlit has put together, the last."""
        if number := number_of(said):
            said = self.waiting.pop(number, None) or leave_out(said, is_pressed)
        return leave_out(said, is_number)


def beside(state: SessionState) -> dict[str, Any]:
    """Returns where more can be kept of a visitor, as long as his state, which takes no attribute more."""
    return vars(state.query_params)


def unheard_of(state: SessionState) -> Unheard:
    """Returns what waits of a visitor."""
    return beside(state).setdefault("_unheard", Unheard())


def is_pressed(widget: WidgetState) -> bool:
    """Whether a widget says something once, as a button does when it is pressed: no turn of pages says that."""
    return (widget.WhichOneof("value") or "").endswith("trigger_value")


def is_to_stop(runner: ScriptRunner) -> bool:
    """Whether a run is to stop, for what was asked after it."""
    return runner._requests._state is ScriptRequestType.STOP


def is_number(widget: WidgetState) -> bool:
    """Whether it is the number of a message."""
    return widget.id == NUMBER


def number_of(said: WidgetStates) -> int:
    """Returns the number of a message, 0 if it has none; ours is the last."""
    return next((one.int_value for one in reversed(said.widgets) if is_number(one)), 0)


def leave_out(said: WidgetStates, is_left_out: Callable[[WidgetState], bool]) -> WidgetStates:
    """Takes some of its widgets out of a message, and returns it."""
    for i in reversed(range(len(said.widgets))):
        if is_left_out(said.widgets[i]):
            del said.widgets[i]
    return said


def hear_before(runner: ScriptRunner, asked: RerunData) -> RerunData:
    """Calls back who listens to what came before what is asked, where a run was stopped before it did so.

    It is heard on the page where it was said, before another one comes. Returns what to run, with all that was pressed.
    """
    said, state = asked.widget_states, runner._session_state
    unheard = unheard_of(state._state)
    with unheard.lock:
        before = [] if said is None or is_to_stop(runner) else unheard.before(said)
    for one in before:
        with state._lock:
            translate(state._state, one, True)
            exec_func_with_error_handling(partial(state._state.on_script_will_rerun, one), get_script_run_ctx())
        asked = with_presses(asked, one)
    return asked


def with_presses(asked: RerunData, said: WidgetStates) -> RerunData:
    """Returns what is asked for with what was pressed in a message, for the page to see: its listeners know of it."""
    pressed = WidgetStates(widgets=filter(is_pressed, said.widgets))
    return replace(asked, replay_trigger_states=_coalesce_replay_trigger_states(asked.replay_trigger_states, pressed))


def hear(self: SafeSessionState, said: WidgetStates | None, **more) -> None:
    """Calls back who listens to what is said. Has all run where that is more than the part that is to."""
    state, context, unheard = self._state, get_script_run_ctx(), unheard_of(self._state)
    with unheard.lock:
        self._yield_callback()
        is_browsers = bool(said and number_of(said))  # and no page's, which asks to be drawn again
        said = said and unheard.of(said)
    with self._lock, unstopped(self):
        if said:
            translate(state, said, is_browsers)
        state.on_script_will_rerun(said, **more)
        if said and context and is_beyond(state, context.fragment_ids_this_run):
            context.script_requests.request_rerun(with_presses(state._build_full_app_rerun(context), said))


@contextmanager
def unstopped(state: SafeSessionState) -> Iterator[None]:
    """Lets nothing that is asked for stop the run of a state, as long as the block lasts."""
    runner = getattr(state._yield_callback, "__self__", None)
    before = getattr(runner, "_execing", False)
    if runner:
        runner._execing = False
    try:
        yield
    finally:
        if runner:
            runner._execing = before


@contextmanager
def whole() -> Iterator[None]:
    """Has a change to what a page knows of its visitor done whole: what is asked for meanwhile does not stop it."""
    if context := get_script_run_ctx(suppress_warning=True):
        with unstopped(context.session_state):
            yield
    else:
        yield


def is_beyond(state: SessionState, parts: list[str] | None) -> bool:
    """Whether something has changed that is in none of these parts; `None` stands for the page."""
    known = state._new_widget_state.widget_metadata
    changed = (one for one in state._new_widget_state if one in known and state._widget_changed(one))
    return parts is not None and any(known[one].fragment_id not in parts for one in changed)
