"""The views of the Languages page, and the choice between them."""

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from tokenizer import TokenizerError
from ui.desk import choices
from ui.kit import notices
from ui.languages import budget, mixing, own, premium, vocabulary


class View(NamedTuple):
    """A view: what its button says, and what draws it."""

    label: str
    show: Callable[[], None]


VIEWS = {
    "premium": View("Premium and its causes", premium.show),
    "own": View("Your own text", own.show),
    "budget": View("Same budget, how far?", budget.show),
    "mix": View("Train on a mix", mixing.show),
    "vocabulary": View("Whose vocabulary?", vocabulary.show),
}


def draw() -> None:
    """Draws the view that the reader chose, and says what kept it from being drawn."""
    view = _chosen()
    try:
        view.show()
    except TokenizerError as error:  # a text that is too long, or a pattern of a visitor's own that runs away
        notices.say(str(error))


def _chosen() -> View:
    """The view that the reader chose; `?lens=` in the address may name it."""
    choices.start("lens", "premium", choices.one_of("lens", VIEWS))
    chosen = st.segmented_control(
        "Lens",
        list(VIEWS),
        format_func=lambda name: VIEWS[name].label,
        required=True,
        label_visibility="collapsed",
        **choices.lasting("lens"),
    )
    return VIEWS[choices.keep("lens", chosen)]
