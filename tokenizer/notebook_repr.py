"""Rich display in notebooks; `tokenizer/display` registers the renderers, so that lower folders need not import it."""

from functools import singledispatch
from typing import TYPE_CHECKING

from tokenizer.i18n import tr

if TYPE_CHECKING:
    import altair

COMMAND = "pip install altair"


@singledispatch
def html(thing: object) -> str:
    """Returns an object as self-contained HTML."""
    raise NotImplementedError(type(thing).__name__)


@singledispatch
def chart(thing: object) -> "altair.TopLevelMixin":
    """Returns a chart of an object."""
    raise NotImplementedError(type(thing).__name__)


class NotebookRepr:
    """A mixin: its objects are rendered as HTML when they are the last line of a notebook cell.

    >>> from tokenizer import get_encoding
    >>> "2 tokens" in get_encoding("gpt2").tokenize("hello world")._repr_html_()
    True
    """

    def _repr_html_(self) -> str:
        return html(self)

    def chart(self) -> "altair.TopLevelMixin":
        """Returns an Altair chart; raises ImportError where Altair is not installed."""
        try:
            return chart(self)
        except ModuleNotFoundError as error:
            if error.name != "altair":
                raise
            raise ImportError(tr("A chart needs Altair: {command}", command=COMMAND)) from None
