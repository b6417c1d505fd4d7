"""The end of the bar: the stage and the look; and the browser's part of the menu."""

from pathlib import Path

from ui.kit.component import component

HERE = Path(__file__).parent

_component = component("bar", HERE, (HERE / "bar.css",))


def draw(page: str) -> None:
    """Draws the button of the stage and the choice of a look; `page` is the page's name in the address."""
    _component(key="end_of_bar", data={"page": page})
