"""Which steps a learner has done: kept in the browser, and known to no one else."""

from functools import partial

import streamlit as st

from tokenizer.lessons.lesson import lesson, lesson_names
from ui.kit.component import component
from ui.session import component_events

KEY = "lessons_done"

_component = component(__file__, "progress")


def done() -> set[str]:
    """The steps that are done, by lesson and id; what is added here is kept."""
    return st.session_state.setdefault("steps_done", set())


def keep() -> None:
    """Lets the browser keep what is done, and bring back what was done before; draws nothing."""
    _component(key=KEY, data={"done": sorted(done())}, on_before_change=partial(_take, KEY))


def _take(key: str) -> None:
    known = {f"{name}_{step.id}" for name in lesson_names() for step in lesson(name).steps}
    found = component_events.sent(key, "before")
    done().update(known & {one for one in found if isinstance(one, str)} if isinstance(found, list) else ())
