"""Registers a component's HTML, style sheets and JavaScript with Streamlit, in each language."""

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import streamlit as st

from server import component_i18n, modules
from server.bundle import bundle
from tokenizer import i18n
from tokenizer.display import palette


def component(file: str, name: str, *sheets: Path) -> Callable:
    """Returns a function that draws the component of a module in the visitor's language; `file` is its `__file__`.

    The module's folder has the files that `component_in` reads.
    """
    return component_in(Path(file).parent, name, *sheets)


def component_in(folder: Path, name: str, *sheets: Path) -> Callable:
    """Returns a function that draws the component of a folder in the visitor's language.

    The folder has `js/<name>.js` and, if the component is visible, `<name>.html` and `<name>.css`, which is applied
    after `sheets`. A name may begin with a folder of `js`.
    """
    registered = cache(partial(_register, folder, name, sheets))
    registered(i18n.SOURCE_LANGUAGE)
    return lambda **kwargs: registered(i18n.language())(**kwargs)


def _register(folder: Path, name: str, sheets: tuple[Path, ...], language: str) -> Callable:
    page, own_sheet = folder / f"{name}.html", folder / f"{name}.css"
    with i18n.using_language(language):
        look = {}
        if page.exists():
            html = component_i18n.html(page.read_text(encoding="utf-8"))
            read = [sheet.read_text(encoding="utf-8") for sheet in (*sheets, *[own_sheet] * own_sheet.exists())]
            look = {"html": html, "css": palette.component_css(*read)}
        own_name = f"tokenloupe_{Path(name).name}" + (f"_{language}" if language != i18n.SOURCE_LANGUAGE else "")
        source = component_i18n.js(bundle(folder / "js" / f"{name}.js"), language)
        return st.components.v2.component(own_name, js=modules.add(own_name, source), **look)
