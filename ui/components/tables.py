"""Tables that pages show and give away."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from tokenizer.errors import TokenizerError
from tokenizer.i18n import tr
from tokenizer.text.tables import distinct, written

COLUMNS = {"metric", "unit", "line", "row", "text", "graphemes"}  # that tables have beside those of the encodings


def unique_labels(names: list[str]) -> list[str]:
    """Tells names apart that are there twice, as one trained here and one from a link, or that head a column."""
    return distinct([f"{name} (encoding)" if name in COLUMNS else name for name in names])


def download_button(label: str, write: Callable[[], str], name: str) -> None:
    """Draws a button that writes a .csv or .html file when it is pressed, and not before."""
    st.download_button(label, write, name, f"text/{name.rpartition('.')[2]}", on_click="ignore", key=name)


def notebook_button(write: Callable[[], str], name: str) -> None:
    """Draws a button that saves a notebook; where there is none, it says why."""
    try:
        written = write()
    except TokenizerError as error:
        return st.caption(str(error))
    label = tr("Download the notebook (Python)")
    return st.download_button(label, written, name, "application/x-ipynb+json", on_click="ignore", key=name)


def to_csv(frame: pd.DataFrame) -> str:
    """Returns a table as CSV, in which no text is a formula."""
    cells = frame.astype(object).where(frame.notna(), None)
    return written([frame.columns, *cells.itertuples(index=False, name=None)])
