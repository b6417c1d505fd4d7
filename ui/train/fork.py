"""A fork compared with its parent training: the merges of both, from the first difference."""

from html import escape

import streamlit as st

from server.encodings import encoding_store
from server.encodings.encoding_store import Trained
from tokenizer.display.readable import readable
from tokenizer.i18n import number, tr, trn
from tokenizer.measure.vocabulary_diff import TrainingStep, align, vocabulary_diff
from tokenizer.training.training_history import TrainingHistory
from ui.components import notices

MERGES_BEFORE, MERGES_AFTER = 2, 14  # shown before and after the first difference


@notices.errors_shown()
def draw(fork: Trained) -> None:
    """Draws both histories and a summary, or an error where the server no longer has the parent."""
    parent = encoding_store.trained(fork.parent["key"])
    at = fork.parent["at"]
    names = [f"<bdi>{escape(one.name)}</bdi>" for one in (parent, fork)]
    with st.container(key="fork_answer"):
        st.html(
            summary_html(parent.history, fork.history, at, *names) + table(parent.history, fork.history, at, *names)
        )


def summary_html(parent: TrainingHistory, fork: TrainingHistory, at: int, name: str, other: str) -> str:
    """Returns where two histories differ and the final token counts, as HTML; the names are HTML too."""
    fork_tokens, parent_tokens = merged_tokens(fork), merged_tokens(parent)
    difference = vocabulary_diff(fork_tokens, parent_tokens)
    before, after = int(parent.num_tokens[-1]), int(fork.num_tokens[-1])
    parted = tr(
        "The two trainings diverge at <b>merge {merge:,}</b>. At the end the corpus has {tokens} in "
        "{name}, and <b>{difference}</b> in {other}.",
        merge=at + 1,
        tokens=trn("{n:,} token", "{n:,} tokens", before),
        difference=_difference(before, after),
        name=name,
        other=other,
    )
    shared = trn(
        "Of the {n:,} token that {other} made, {shared:,} were made in {name} too.",
        "Of the {n:,} tokens that {other} made, {shared:,} were made in {name} too.",
        len(fork_tokens),
        shared=difference.shared,
        name=name,
        other=other,
    )
    return f'<p class="because">{parted} {shared}</p>'


def _difference(before: int, after: int) -> str:
    if before == after:
        return tr("just as many")
    more = abs(after - before)
    return tr("{more:,} more", more=more) if after > before else tr("{fewer:,} fewer", fewer=more)


def table(parent: TrainingHistory, fork: TrainingHistory, at: int, name: str, other: str) -> str:
    """Returns the merges around the place where two histories differ as an HTML table with a row for each."""
    start = max(0, at - MERGES_BEFORE)
    steps = list(enumerate(align(merged_tokens(parent), merged_tokens(fork), start, at + MERGES_AFTER), start))
    marks = [" class=part" * (step == at) for step, _ in steps]
    head = "".join(
        f"<th scope='col'{mark}>{number(step + 1)}</th>" for mark, (step, _) in zip(marks, steps, strict=True)
    )
    rows = ""
    for side, title in enumerate((name, other)):
        cells = (f"<td{mark}>{_cell(found, side, step)}</td>" for mark, (step, found) in zip(marks, steps, strict=True))
        rows += f"<tr><th scope='row'>{title}</th>{''.join(cells)}</tr>"
    label, corner = escape(tr("The two trainings compared")), escape(tr("merge"))
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{label}"><table class="histories">'
        f"<thead><tr><th scope='row'>{corner}</th>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _cell(found: TrainingStep, side: int, step: int) -> str:
    token, elsewhere = found.tokens[side], found.elsewhere[side]
    if token is None:
        return "–"
    where = (
        tr("only in this training")
        if elsewhere is None
        else tr("merge {merge:,} in the other training", merge=elsewhere + 1)
    )
    where = "" if elsewhere == step else where
    return f"<b><bdi>{escape(readable(token, 40))}</bdi></b>{f'<small>{where}</small>' * bool(where)}"


def merged_tokens(history: TrainingHistory) -> list[bytes]:
    """Returns the merged tokens in the order of their merges."""
    return history.tokens[len(history.base) :]
