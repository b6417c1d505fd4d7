"""A component: HTML, style sheets and JavaScript of ours, as Streamlit takes them."""

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import streamlit as st

from server import component_i18n
from server.bundle import bundle
from tokenizer import i18n
from tokenizer.display import palette

TOKENS = Path(__file__).parent / "tokens.css"  # how tokens look, in every component that draws some
LOUPE = Path(__file__).parent / "loupe.css"  # and the one that is opened
STEPS = Path(__file__).parent / "steps.css"  # the controls of components that go from merge to merge


def component(name: str, folder: Path, sheets: tuple[Path, ...] = ()) -> Callable:
    """Returns what draws the component of `folder` in the reader's language, with these style sheets.

    It is `js/<name>.js`, and `<name>.html` where it draws something.
    """
    registered = cache(partial(_registered, name, folder, sheets))
    registered(i18n.ORIGINAL)
    return lambda **given: registered(i18n.language())(**given)


def _registered(name: str, folder: Path, sheets: tuple[Path, ...], language: str) -> Callable:
    page = folder / f"{name}.html"
    with i18n.speaking(language):
        look = {}
        if page.exists():
            look = {"html": component_i18n.html(page.read_text(encoding="utf-8")), "css": _css(sheets)}
        return st.components.v2.component(
            f"tokenloupe_{name}" + (f"_{language}" if language != i18n.ORIGINAL else ""),
            js=component_i18n.js(bundle(folder / "js" / f"{name}.js"), language),
            **look,
        )


def _css(sheets: tuple[Path, ...]) -> str:
    colors = f":host {{\n{palette.css_variables()}\n}}"
    return "\n".join([colors, *(sheet.read_text(encoding="utf-8") for sheet in sheets)])
