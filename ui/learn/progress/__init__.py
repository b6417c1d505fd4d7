"""Which steps a learner has done: kept in the browser, and known to no one else."""

from functools import partial

from tokenizer.lessons.lesson import lesson, lesson_names
from ui.components.component import component
from ui.session import component_events
from ui.session.visitor_state import visitor

KEY = "lessons_done"

_component = component(__file__, "progress")


def keep() -> None:
    """Lets the browser keep what is done, and bring back what was done before; draws nothing."""
    _component(key=KEY, data={"done": sorted(visitor().steps_done)}, on_before_change=partial(_take, KEY))


def _take(key: str) -> None:
    known = {f"{name}_{step.id}" for name in lesson_names() for step in lesson(name).steps}
    found = component_events.sent(key, "before")
    if isinstance(found, list):
        visitor().steps_done.update(known & {one for one in found if isinstance(one, str)})
