"""The vocabulary of a training as a table, and the merges under each of its tokens."""

from functools import partial
from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from tokenizer.display.readable import readable
from tokenizer.display.tree import tree
from tokenizer.i18n import mark, tr, trn
from tokenizer.text.scripts import localized_script, script
from tokenizer.text.units import count_graphemes
from tokenizer.text.well_formed import as_text
from tokenizer.training.training_history import TrainingHistory
from ui.components import cache
from ui.streamlit_patches import visitors

_number = partial(st.column_config.NumberColumn, format="localized")
_text = st.column_config.TextColumn
COLUMNS = {  # column -> kind, name, help
    "id": (
        partial(st.column_config.NumberColumn, format="%d"),
        mark("id"),
        mark("The id of the token in the vocabulary."),
    ),
    "token": (
        partial(_text, width="medium"),
        mark("token"),
        mark("Spaces are shown as ·. A token with part of a character is shown as its bytes, in hexadecimal."),
    ),
    "script": (
        _text,
        mark("script"),
        mark(
            "The script of the token’s letters. For a token without letters, the kind of its content, such as digits."
        ),
    ),
    "bytes": (_number, mark("bytes"), mark("The length of the token in UTF-8.")),
    "graphemes": (
        _number,
        mark("graphemes"),
        mark(
            "How many characters, as a reader sees them, the token has. The cell has “–” if the token’s bytes alone are"
            " not valid UTF-8."
        ),
    ),
    "merge": (_number, mark("merge"), mark("Which merge made the token, counted from 1.")),
    "seen": (
        _number,
        mark("pair count"),
        mark("How often the two parts of the token stood side by side in the corpus just before they were merged."),
    ),
    "saved": (
        _number,
        mark("tokens saved"),
        mark("How many fewer tokens the corpus had after the merge that made this token."),
    ),
    "uses": (
        _number,
        mark("uses at the end"),
        mark("How often the token occurs in the corpus after the last merge."),
    ),
}

BASE_USE = {  # alphabet -> sentence about its symbols
    "bytes": mark("Of the {base:,} base bytes, {alone:,} are still used alone."),
    "characters": mark("Of the {base:,} base characters, {alone:,} are still used alone."),
    "tokens": mark("Of the {base:,} old tokens, {alone:,} occur in the corpus after the last merge."),
}
FROM_THE_BEGINNING = {
    "bytes": mark("{token} is a byte, which is in the vocabulary from the beginning."),
    "characters": mark("{token} is a character, which is in the vocabulary from the beginning."),
    "tokens": mark("{token} is an old token, which is in the vocabulary from the beginning."),
}


@st.fragment
def vocabulary(history: TrainingHistory, name: str, key: str) -> None:
    """Draws the vocabulary of a training as a table; a selected row shows the merges under its token."""
    visitors.draw_changed_page()
    title = tr("Vocabulary of {name}", name=f"<bdi>{escape(name)}</bdi>")
    st.html(f'<h2 class="vocabulary-of">{title}</h2><p>{share(history)}</p>')
    rows = cache.get_or_compute(lambda: table(history), "vocabulary", key)
    shown = st.dataframe(
        rows,
        key="vocabulary_selection",
        hide_index=True,
        column_config={key: kind(tr(name), help=tr(words)) for key, (kind, name, words) in COLUMNS.items()},
        placeholder="–",
        on_select="rerun",
        selection_mode="single-row",
    )
    # A late selection may refer to the table of another training.
    selected = [row for row in shown.selection.rows if row < len(rows)]
    if selected:
        symbol = int(rows["id"].iloc[selected[0]])
        st.html(f"<p>{origin(history, symbol)}</p>{tree(history, symbol)}")
    else:
        st.caption(tr("Select a row to see the merges that made its token. Select a column’s name to sort the rows."))


def share(history: TrainingHistory) -> str:
    """Returns sentences on how many tokens of the vocabulary the corpus still uses."""
    first, uses = len(history.base), history.uses
    made, used = len(history), int(np.count_nonzero(uses[first:]))
    unseen = int(np.count_nonzero(history.count == 0))
    percent, num_base_uses = 100 * used / max(1, made), int(np.count_nonzero(uses[:first]))
    sentences = [
        tr(
            "{used:,} of {made:,} tokens made by merges ({percent:.1f} %) are still used in the corpus.",
            used=used,
            made=made,
            percent=percent,
        )
        if made
        else tr("No merge was made.")
    ]
    if unseen:
        sentences.append(
            trn("{n:,} token never occurred in the corpus.", "{n:,} tokens never occurred in the corpus.", unseen)
        )
    if used + unseen < made:
        sentences.append(tr("The other tokens no longer occur in the corpus: they are now part of longer tokens."))
    num_old = int(np.count_nonzero(history.old_lengths)) if history.alphabet == "tokens" else first
    sentences.append(tr(BASE_USE[history.alphabet], base=num_old, alone=num_base_uses))
    sentences.append(
        trn(
            "The corpus uses {n:,} distinct token in all.",
            "The corpus uses {n:,} distinct tokens in all.",
            used + num_base_uses,
        )
    )
    return " ".join(sentences)


def origin(history: TrainingHistory, symbol: int) -> str:
    """Returns the origin of a symbol as HTML."""
    text, step = _quoted(history, symbol), symbol - len(history.base)
    if step < 0:
        return tr(FROM_THE_BEGINNING[history.alphabet], token=text)
    left, right = _quoted(history, int(history.left[step])), _quoted(history, int(history.right[step]))
    return tr(
        "{token} was made by merge {merge:,}, which joined {left} and {right}.",
        token=text,
        merge=step + 1,
        left=left,
        right=right,
    )


def _quoted(history: TrainingHistory, symbol: int) -> str:
    return f"<bdi><b>{escape(readable(history.tokens[symbol], 80))}</b></bdi>"


def table(history: TrainingHistory) -> pd.DataFrame:
    """Returns one row per symbol: the tokens in the order of their merges, then the base symbols.

    Of a training that began from an encoding, only the new tokens.
    """
    tokens, first = history.tokens, len(history.base)
    shown = range(first if history.alphabet == "tokens" else 0, len(tokens))
    made = {"merge": np.arange(1, len(history) + 1), "seen": history.count, "saved": history.saved}
    frame = pd.DataFrame(
        {
            "id": np.array(shown),
            "token": [readable(tokens[id]) for id in shown],
            "bytes": [len(tokens[id]) for id in shown],
            "graphemes": pd.array(
                [None if (text := as_text(tokens[id])) is None else count_graphemes(text) for id in shown],
                dtype="Int64",
            ),
            "script": [localized_script(script(tokens[id])) for id in shown],
            **{name: pd.Series(fact, range(first, len(tokens)), dtype="Int64") for name, fact in made.items()},
            "uses": history.uses[shown.start :],
        },
        shown,
    )
    return pd.concat([frame.loc[first:], frame.loc[: first - 1]], ignore_index=True)
