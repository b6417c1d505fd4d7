"""The vocabulary of a training as a table, and the merges under each of its tokens."""

from functools import partial
from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from tokenizer.display.readable import readable
from tokenizer.display.tree import tree
from tokenizer.text.scripts import script
from tokenizer.text.units import count_graphemes
from tokenizer.text.well_formed import as_text
from tokenizer.training.story import Story
from ui.kit import cache

SHOWN = "Spaces are shown as ·. Bytes that are not UTF-8 by themselves are shown in hexadecimal."
_number = partial(st.column_config.NumberColumn, format="localized")
COLUMNS = {
    "id": st.column_config.NumberColumn(format="%d"),
    "token": st.column_config.TextColumn(width="medium", help=SHOWN),
    "script": st.column_config.TextColumn(help="Of its letters, or what it is made of if it has none."),
    "bytes": _number(help="Its length in UTF-8."),
    "graphemes": _number(help="What a reader sees as one character. A part of a character has no number."),
    "merge": _number(help="Which merge made it, counted from 1."),
    "seen": _number("pair seen", help="How often its two halves were side by side when they were merged."),
    "saved": _number("tokens saved", help="How many fewer tokens the corpus had after its merge."),
    "uses": _number("uses at the end", help="How often it occurs in the corpus after the last merge."),
}


@st.fragment
def vocabulary(story: Story, name: str, key: str) -> None:
    """Shows the vocabulary of the training of that key: search, sort, and select a token to see its merges."""
    st.html(f'<h2 class="vocabulary-of">Vocabulary of <bdi>{escape(name)}</bdi></h2><p>{share(story)}</p>')
    rows = cache.kept(lambda: table(story), "vocabulary", key)
    shown = st.dataframe(
        rows,
        key="vocabulary",
        hide_index=True,
        column_config=COLUMNS,
        placeholder="–",
        on_select="rerun",
        selection_mode="single-row",
    )
    selected = [row for row in shown.selection.rows if row < len(rows)]  # it may be of another training's table
    if selected:
        symbol = int(rows["id"].iloc[selected[0]])
        st.html(f"<p>{origin(story, symbol)}</p>{tree(story, symbol)}")
    else:
        st.caption("Select a row to see the merges under its token. Click a column's name to sort by it.")


def share(story: Story) -> str:
    """Returns how much of the vocabulary the corpus itself still uses, in words."""
    first, uses = len(story.base), story.uses
    made, used = len(story), int(np.count_nonzero(uses[first:]))
    unseen = int(np.count_nonzero(story.count == 0))
    percent = f" ({100 * used / made:.1f} %)" if made else ""
    words = f"{used:,} of {made:,} tokens{percent} are still used in the corpus" if made else "No merge was made"
    if used + unseen < made:
        words += "; longer tokens have taken the place of the others"
    if unseen:
        words += f"; {unseen:,} never occurred in it"
    kind = "bytes" if story.alphabet == "bytes" else "characters"
    alone = int(np.count_nonzero(uses[:first]))
    return f"{words}. Of the {first:,} {kind} at the base, {alone:,} are still used by themselves."


def origin(story: Story, symbol: int) -> str:
    """Returns, as HTML, how a symbol came to be."""
    text, step = _quoted(story, symbol), symbol - len(story.base)
    if step < 0:
        return f"{text} is a {'byte' if story.alphabet == 'bytes' else 'character'}: it was there from the beginning."
    left, right = _quoted(story, int(story.left[step])), _quoted(story, int(story.right[step]))
    return f"{text} was made by merge {step + 1:,}, which joined {left} and {right}."


def _quoted(story: Story, symbol: int) -> str:
    return f"<bdi><b>{escape(readable(story.tokens[symbol], 80))}</b></bdi>"


def table(story: Story) -> pd.DataFrame:
    """Returns a row a symbol: the tokens in the order of their making, then the base symbols."""
    tokens, first = story.tokens, len(story.base)
    made = {"merge": np.arange(1, len(story) + 1), "seen": story.count, "saved": story.saved}
    frame = pd.DataFrame(
        {
            "id": np.arange(len(tokens)),
            "token": [readable(token) for token in tokens],
            "bytes": [len(token) for token in tokens],
            "graphemes": pd.array(
                [None if text is None else count_graphemes(text) for text in map(as_text, tokens)], dtype="Int64"
            ),
            "script": [script(token) for token in tokens],
            **{name: pd.Series(fact, range(first, len(tokens)), dtype="Int64") for name, fact in made.items()},
            "uses": story.uses,
        },
        range(len(tokens)),
    )
    return pd.concat([frame[first:], frame[:first]], ignore_index=True)
