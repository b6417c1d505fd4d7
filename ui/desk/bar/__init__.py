"""The end of the bar: the stage, the language and the look; and the browser's part of the menu."""

from tokenizer import i18n
from ui.desk import language, messages
from ui.kit.component import component

KEY = "end_of_bar"

_component = component(__file__, "bar")


def draw(page: str) -> None:
    """Draws the button of the stage, and choices of a language and a look; `page` is its name in the address."""
    data = {"page": page, "language": i18n.language(), "languages": i18n.languages()}
    _component(key=KEY, data=data, on_language_change=_speak)


def _speak() -> None:
    if (wanted := messages.sent(KEY, "language")) in i18n.languages():
        language.CHOICE.choose(wanted)
