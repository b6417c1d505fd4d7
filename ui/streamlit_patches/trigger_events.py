"""Calls the callbacks of a component's events without serializing the events to JSON twice first.

Cause: `SessionState._dispatch_trigger_callbacks` of Streamlit 1.67 serializes the events, and the result again as a
JSON string, only to check that there are any. Effect: a text of 4 MB holds the GIL for 20 ms, and no key is answered;
`deaf_pages` of benchmarks/attacks.py: 137 ms at the 99th percentile, 41 with this patch.
Remedy: check the events themselves. Tested with Streamlit 1.67; no upstream issue is known.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ui.streamlit_patches.internals import Missing, find, guarded

STATE = "streamlit.runtime.state.session_state:SessionState"
PATCHED_METHOD = "_dispatch_trigger_callbacks"
PARAMETERS = ["self", "votes", "wid", "metadata", "args", "kwargs"]  # of the method
CALL = "_execute_widget_callback"
CALL_PARAMETERS = ["self", "votes", "callback_fn", "cb_metadata", "cb_args", "cb_kwargs"]
JSON = dict | list | str | int | float | None
FEATURE = "Calling components back without writing their events again"


@guarded(FEATURE, lambda: None, is_patch=True)
def apply() -> None:
    """Replaces the method; if this Streamlit has another one, logs a line and keeps it."""
    for name, parameters in ((PATCHED_METHOD, PARAMETERS), (CALL, CALL_PARAMETERS)):
        if [*inspect.signature(find(f"{STATE}.{name}")).parameters] != parameters:
            raise Missing(f"{STATE}.{name}")
    setattr(find(STATE), PATCHED_METHOD, made_from(find(f"{STATE}.{PATCHED_METHOD}")))


def made_from(original: Callable) -> Callable:
    """Returns the replacement, which calls the original method if the events cannot be read."""
    if hasattr(original, "replaces"):
        return original

    @guarded(FEATURE, lambda *_: None, is_patch=True)
    def read(state, wid, metadata):
        return callbacks_of(state._new_widget_state, wid, metadata)

    def dispatch(self, votes, wid, metadata, args, kwargs):
        callbacks = read(self, wid, metadata)
        if callbacks is None:
            return original(self, votes, wid, metadata, args, kwargs)
        for callback in callbacks:
            self._execute_widget_callback(votes, callback, metadata, args, kwargs)
        return None

    dispatch.replaces = original
    return dispatch


def callbacks_of(states: Mapping[str, Any], wid: str, metadata: Any) -> list[Callable] | None:
    """Returns the callbacks of the events that a component sent, in their order; None if it sent something else."""
    if metadata.value_type == "json_value":
        return []
    if metadata.value_type != "json_trigger_value":
        return None
    if wid not in states:
        return []
    sent = states[wid]
    events = sent if isinstance(sent, list) else [sent]
    if not all(isinstance(one, JSON) for one in events):
        return None
    names = [event.get("event") for event in events if isinstance(event, dict)]
    return [metadata.callbacks[name] for name in names if isinstance(name, str) and name in metadata.callbacks]
