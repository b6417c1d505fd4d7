"""The right end of the top bar: stage, link, picture, language, theme, and the part of the menu in the browser."""

from server import embed
from tokenizer import i18n
from ui.components import paths
from ui.components.component import component
from ui.session import component_events, language
from ui.widgets import pickers

KEY = "end_of_bar"

_component = component(__file__, "bar")


def draw(page: str) -> None:
    """Draws the component; `page` is the page's name in the address."""
    data = {"page": page, "language": i18n.language(), "languages": i18n.languages(), "embed": None}
    data["whole"] = i18n.unbreakable_words(i18n.language())
    if not page and (sites := embed.origins()):  # the Playground
        data["embed"] = {"path": paths.embed(), "encoding": pickers.DEFAULT, "sites": sites}
    _component(key=KEY, data=data, on_language_change=_take_language)


def _take_language() -> None:
    if (tag := component_events.sent(KEY, "language")) in i18n.languages():
        language.CHOICE.choose(tag)
