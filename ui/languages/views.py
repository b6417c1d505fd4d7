"""The views of the Languages page, and the choice between them."""

from collections.abc import Callable
from typing import NamedTuple

from tokenizer import TokenizerError
from ui.desk.choices import Choice, one_of
from ui.kit import notices
from ui.languages import budget, mixing, own, premium, vocabulary


class View(NamedTuple):
    """A view: what its button says, and what draws it."""

    label: str
    show: Callable[[], None]


VIEWS = {
    "premium": View("Premium and its factors", premium.show),
    "own": View("Your own text", own.show),
    "budget": View("Same budget, how far?", budget.show),
    "mix": View("Train on a mix", mixing.show),
    "vocabulary": View("Whose vocabulary?", vocabulary.show),
}
LENS = Choice("lens", "premium", one_of(VIEWS))


def draw() -> None:
    """Draws the view that the reader chose, and says what kept it from being drawn."""
    view = _chosen()
    try:
        view.show()
    except TokenizerError as error:  # a text that is too long, or a pattern of a visitor's own that runs away
        notices.say(str(error))


def _chosen() -> View:
    """The view that the reader chose; `?lens=` in the address may name it."""
    labels = {name: view.label for name, view in VIEWS.items()}
    return VIEWS[LENS.segmented("Lens", labels, label_visibility="collapsed")]
