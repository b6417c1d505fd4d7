"""Column labels, download buttons, and CSV for the tables of the pages."""

from collections.abc import Callable, Container

import pandas as pd
import streamlit as st

from tokenizer.errors import TokenizerError
from tokenizer.i18n import tr
from tokenizer.text.tables import csv_text, distinct
from ui.components.markdown import in_markdown

OTHER_COLUMNS = {"metric", "unit", "line", "row", "text", "graphemes"}  # tables have these besides the encodings


def unique_labels(names: list[str], others: Container[str] = OTHER_COLUMNS) -> list[str]:
    """Returns unique column labels for names, which may repeat or be the same as another column's.

    >>> unique_labels(["text", "a", "a"])
    ['text (encoding)', 'a (1)', 'a (2)']
    """
    return distinct([tr("{name} (encoding)", name=name) if name in others else name for name in names])


def download_button(label: str, write: Callable[[], str], name: str) -> None:
    """Draws a button that saves a .csv or .html file; `write` is called only when the button is pressed."""
    form = name.rpartition(".")[2]
    encoding = "utf-8-sig" if form == "csv" else "utf-8"  # without the mark, Excel reads it in a legacy encoding
    st.download_button(label, lambda: write().encode(encoding), name, f"text/{form}", on_click="ignore", key=name)


def notebook_button(write: Callable[[], str], name: str) -> None:
    """Draws a button that saves a notebook, or the reason why there is none."""
    try:
        content = write()
    except TokenizerError as error:
        return st.caption(in_markdown(str(error)))
    label = tr("Download the notebook (Python)")
    return st.download_button(label, content, name, "application/x-ipynb+json", on_click="ignore", key=name)


def to_csv(frame: pd.DataFrame) -> str:
    """Returns a table as CSV; a spreadsheet evaluates none of its cells as a formula."""
    cells = frame.astype(object).where(frame.notna(), None)
    return csv_text([frame.columns, *cells.itertuples(index=False, name=None)])
