"""What draws itself in a notebook. How is said in `tokenizer/display`, which the rooms before it know nothing of."""

from functools import singledispatch
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import altair


@singledispatch
def html(thing: object) -> str:
    """Returns a thing as HTML that stands alone in any page."""
    raise NotImplementedError(type(thing).__name__)


@singledispatch
def chart(thing: object) -> "altair.TopLevelMixin":
    """Returns a chart of a thing."""
    raise NotImplementedError(type(thing).__name__)


class NotebookRepr:
    """Draws itself where it is the last line of a notebook's cell.

    >>> from tokenizer import get_encoding
    >>> "2 tokens" in get_encoding("gpt2").tokenize("hello world")._repr_html_()
    True
    """

    def _repr_html_(self) -> str:
        return html(self)

    def chart(self) -> "altair.TopLevelMixin":
        """Returns an Altair chart; raises ImportError where Altair is not installed."""
        return chart(self)
