"""Corrects what browsers send about Streamlit's widgets before they show the page that was drawn last.

- A browser names an option by its label. After a change of language it still sends the old label, which `st.selectbox`
  and `st.multiselect` take for a new option: `resolve_labels` finds the option. The browser also goes on showing the
  old label until the value is sent to it once more: `remember_labels` does so.
- A browser repeats the value of a widget that is no longer drawn. Streamlit has forgotten that value, takes it for a
  change and calls the callback: with `has_new_value` the callback recognizes that it is none.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from ui.session.visitor_state import visitor

MAX_LABELLINGS = 4  # sets of labels that are remembered of a widget
NUM_RESENDS = 3  # runs that send a value by its new label: each may be ended before the browser has it


def remember_labels(key: str, options: Sequence[Any], label: Callable[[Any], str]) -> Callable[[Any], str]:
    """Stores the labels of the options of the widget `key`; returns a `format_func` that accepts other values, too.

    Streamlit asks it for the label of a value that it takes for a new option.
    """
    widgets = visitor().widgets
    known, resends = widgets.labels, widgets.resends_left
    labels = told_apart({option: str(label(option)) for option in options})
    now = {text: option for option, text in labels.items()}
    before = known.get(key, ())
    if not before or before[-1] != now:
        known[key] = (*before, now)[-MAX_LABELLINGS:]
        if before and any(text not in now and option in labels for text, option in before[-1].items()):
            resends[key] = NUM_RESENDS
    if resends.get(key) and key in st.session_state:
        resends[key] -= 1
        st.session_state[key] = st.session_state[key]  # Streamlit sends what a run has set
    return lambda option: labels.get(option, str(option))


def told_apart(labels: Mapping[Any, str]) -> dict[Any, str]:
    """Returns labels that are all different: the browser names an option by its label alone.

    Those of several options get the end of the option, such as of the key of an encoding.

    >>> told_apart({"loaded-2c4f": "tokenizer", "loaded-90aa": "tokenizer", "gpt2": "GPT-2"})
    {'loaded-2c4f': 'tokenizer · 2c4f', 'loaded-90aa': 'tokenizer · 90aa', 'gpt2': 'GPT-2'}
    """
    times = Counter(labels.values())
    return {option: text if times[text] == 1 else f"{text} · {str(option)[-4:]}" for option, text in labels.items()}


def labelled(key: str, options: Sequence[Any], label: Callable[[Any], str]) -> dict[str, Any]:
    """Returns the arguments of a list whose labels may change, for one with no callback of its own."""
    label = remember_labels(key, options, label)
    return {"options": options, "key": key, "format_func": label, "on_change": resolve_labels, "args": (key,)}


def resolve_labels(key: str) -> None:
    """Replaces old labels in a widget's value by their options; its callback calls this before it reads the value."""
    labellings = visitor().widgets.labels.get(key, ())
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
    """Notes the value of the widget `key` as it is drawn."""
    visitor().widgets.noted_values[key] = value


def has_new_value(key: str) -> bool:
    """Whether a widget's value differs from that at its last drawing or callback; called in its callback."""
    noted, value = visitor().widgets.noted_values, st.session_state.get(key)
    is_new = key not in noted or noted[key] != value
    noted[key] = value
    return is_new
