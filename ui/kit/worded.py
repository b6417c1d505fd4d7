"""Lists whose words change, as they do with the language: what is chosen there stays chosen, and is told in new words.

A browser tells what is chosen in a list by its words. While the run in which they change is on its way, or where
another one cut it short, it tells it in those of before. Streamlit takes that for something that the list does not
offer: it calls back who listens with those words, and falls back on the first option. Here it is what it was, and the
browser is told until it says it in the words of now.
"""

from collections.abc import MutableSequence
from dataclasses import dataclass
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.common import RegisterWidgetResult, WidgetMetadata

MOST_BEFORE = 4  # wordings of a list that are known beside its last
# what is chosen is said until the browser is heard to use the words of now, and once more: a run may come late
TO_SAY, TO_SAY_ONCE = 2, 1

register = SessionState.register_widget


@dataclass
class Words:
    """The options of a list by its words and by those of before, and how often what is chosen is yet to be said."""

    now: dict[str, Any]
    before: tuple[dict[str, Any], ...] = ()
    to_say: int = 0

    def follow(self, last: "Words") -> None:
        """Comes after the words that the list had in the run before."""
        now, then = self.now, last.now
        is_new = any(words not in now and option in now.values() for words, option in then.items())
        self.before = (*last.before, then)[-MOST_BEFORE:] if is_new else last.before
        self.to_say = TO_SAY if is_new or last.to_say == TO_SAY else 0

    def of_now(self, told: str) -> str:
        """Returns the words of now for what was told in some of before."""
        if told not in self.now:
            for before in reversed(self.before):
                if told in before:
                    return next((words for words, one in self.now.items() if one == before[told]), told)
        return told


def register_in_words(self: SessionState, metadata: WidgetMetadata, user_key: str | None) -> RegisterWidgetResult:
    """Registers a widget, and has a list whose words are new to the browser say what is chosen."""
    last = self._new_widget_state.widget_metadata.get(metadata.id)
    if last and (before := words_of(last)) and (words := words_of(metadata)):
        words.follow(before)
        if (words.to_say or before.to_say) and user_key in self and self[user_key] is not None:
            self._new_session_state.setdefault(user_key, self[user_key])
    return register(self, metadata, user_key)


def translate(state: SessionState, said: WidgetStates, is_browsers: bool) -> None:
    """Puts what a message tells in words of before into those of now, and notes where a browser uses these."""
    for widget in said.widgets:
        last = state._new_widget_state.widget_metadata.get(widget.id)
        if last and (words := words_of(last)) and words.before:
            told = told_by(widget)
            new = [words.of_now(one) for one in told[: len(words.now)]]  # no list of ours tells more
            if new != told:
                tell(widget, new)
            elif is_browsers and words.to_say:
                words.to_say = TO_SAY_ONCE


def words_of(metadata: WidgetMetadata) -> Words | None:
    """Returns the words of a list, None of another widget."""
    kept = getattr(getattr(metadata.deserializer, "__self__", None), "__dict__", {})  # of what reads it
    for name in ("formatted_option_to_option_index", "formatted_option_to_index"):  # of a list, and of a slider
        if name in kept and "words" not in kept:
            kept["words"] = Words({words: kept["options"][i] for words, i in kept[name].items()})
    return kept.get("words")


def told_by(widget: WidgetState) -> MutableSequence[str]:
    """Returns the words by which a list tells what is chosen."""
    return widget.string_array_value.data if is_of_many(widget) else [widget.string_value]


def tell(widget: WidgetState, words: list[str]) -> None:
    """Has a list tell it by other words."""
    if is_of_many(widget):
        widget.string_array_value.data[:] = words
    else:
        widget.string_value = words[0]


def is_of_many(widget: WidgetState) -> bool:
    """Whether a list may tell more than one thing that is chosen."""
    return widget.WhichOneof("value") == "string_array_value"
