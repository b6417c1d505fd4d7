"""What a browser says of Streamlit's widgets before it has the page that was drawn last.

Two of its messages mislead. A browser names an option by its label, and after a change of the language by the label of
before, which `st.selectbox` and `st.multiselect` take for a new option. And it repeats what a widget holds that has
left the page, which Streamlit takes for a change, as it has forgotten the value, and calls the callback.

A browser also shows the label of before until it is sent the value anew.
"""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

MAX_LABELLINGS = 4  # sets of labels that are remembered of a widget
NUM_RESENDS = 3  # runs that send a value by its new label: each may be ended before the browser has it


def remember_labels(key: str, options: Sequence[Any], label: Callable[[Any], str]) -> Callable[[Any], str]:
    """Remembers by which labels the widget `key` offers its options now; returns what labels other values, too.

    Streamlit also asks for the label of what it takes for a new option.
    """
    known = st.session_state.setdefault("option_labels", {})
    labels = {option: str(label(option)) for option in options}
    now = {said: option for option, said in labels.items()}
    before = known.get(key, ())
    if not before or before[-1] != now:
        known[key] = (*before, now)[-MAX_LABELLINGS:]
        if before and any(said not in now and option in labels for said, option in before[-1].items()):
            _resends()[key] = NUM_RESENDS
    if _resends().get(key) and key in st.session_state:
        _resends()[key] -= 1
        st.session_state[key] = st.session_state[key]  # Streamlit sends what a run has set
    return lambda option: labels.get(option, str(option))


def _resends() -> dict[str, int]:
    return st.session_state.setdefault("option_resends", {})


def labelled(key: str, options: Sequence[Any], label: Callable[[Any], str]) -> dict[str, Any]:
    """Returns the arguments of a list whose labels may change, for one with no callback of its own."""
    label = remember_labels(key, options, label)
    return {"options": options, "key": key, "format_func": label, "on_change": resolve_labels, "args": (key,)}


def resolve_labels(key: str) -> None:
    """Makes options of labels of before; called in the callback of the widget, before its value is read."""
    labellings = st.session_state.get("option_labels", {}).get(key, ())
    value = st.session_state.get(key)
    if isinstance(value, str):
        found = _option(value, labellings)
    elif isinstance(value, list):
        found = [_option(one, labellings) for one in value]
    else:
        return
    if found != value:
        st.session_state[key] = found


def _option(value: Any, labellings: Sequence[dict[str, Any]]) -> Any:
    if not isinstance(value, str) or (labellings and value in labellings[-1].values()):
        return value
    return next((labels[value] for labels in reversed(labellings) if value in labels), value)


def note_value(key: str, value: Any) -> None:
    """Notes what the widget `key` holds as it is drawn."""
    st.session_state.setdefault("noted_values", {})[key] = value


def has_new_value(key: str) -> bool:
    """Whether a widget holds what it did not hold when it was drawn or heard last; for its callback."""
    noted, value = st.session_state.setdefault("noted_values", {}), st.session_state.get(key)
    is_new = key not in noted or noted[key] != value
    noted[key] = value
    return is_new
