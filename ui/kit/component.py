"""A component: HTML, style sheets and JavaScript of ours, as Streamlit takes them."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from tokenizer.display import palette
from ui.kit.bundle import bundle

TOKENS = Path(__file__).parent / "tokens.css"  # how tokens look, in every component that draws some
LOUPE = Path(__file__).parent / "loupe.css"  # and the one that is opened
STEPS = Path(__file__).parent / "steps.css"  # the controls of components that go from merge to merge


def component(name: str, folder: Path, sheets: tuple[Path, ...] = ()) -> Callable:
    """Returns what draws the component of `folder`: its `<name>.html` and `js/<name>.js`, with these style sheets."""
    return st.components.v2.component(
        f"tokenloupe_{name}",
        html=(folder / f"{name}.html").read_text(encoding="utf-8"),
        css="\n".join([f":host {{\n{palette.css_variables()}\n}}", *(s.read_text(encoding="utf-8") for s in sheets)]),
        js=bundle(folder / "js" / f"{name}.js"),
    )
