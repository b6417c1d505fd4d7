"""A series of trainings, one after the other: the button that starts it, its progress, and the button to cancel."""

from collections.abc import Sequence

import streamlit as st

from server.training import jobs
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, number, tr
from tokenizer.training.worker import Order
from ui.components import notices
from ui.session.choices import Choice, one_of
from ui.session.visitor_state import client
from ui.streamlit_patches.visitors import is_connected, uninterruptible
from ui.widgets.patterns import NONE, PATTERN_LABELS

POLL_SECONDS = 0.5
HELP = mark(  # ะ า ำ เ แ โ ไ ใ are letters to Unicode; the others, and the tone marks, stand above or below one
    "The patterns of cl100k_base and gpt2 split Thai between a letter and a vowel sign or tone mark "
    "above or below the letter; the pattern of o200k_base does not."
)
PATTERNS = ("o200k_base", "cl100k_base", "gpt2", NONE)

Task = tuple[Order, tuple[str, ...]]


def select_options(key: str, sizes: Sequence[int]) -> tuple[int, str | None]:
    """Draws the choices of vocabulary size and split pattern; `key` is the prefix of the choices' names."""
    known = one_of(list(map(str, sizes)))
    size = Choice(f"{key}_size", "1000", lambda found: int(known(found))).ask(
        st.select_slider, tr("Vocabulary size, tokens"), sizes, format_func=number, width=300
    )
    labels = {name: tr(PATTERN_LABELS[name]) for name in PATTERNS}
    choice = Choice(f"{key}_pattern", PATTERNS[0], one_of(PATTERNS))
    pattern = choice.select(tr("Split pattern"), labels, width=280, help=tr(HELP))
    return size, None if pattern == NONE else pattern


def run(key: str, label: str, tasks: Sequence[Task]) -> list[jobs.Job | None]:
    """Draws the button that starts the missing trainings, or their progress; returns the finished one of each task.

    `key` distinguishes several series on a page.
    """
    found = [jobs.finished(*task) for task in tasks]
    under_way = st.session_state.get(f"{key}_sweep")
    if under_way and under_way["tasks"] != tasks:  # the visitor changed the options meanwhile
        _stop(key)
        under_way = None
    if under_way:
        _progress(key)
    elif not all(found):
        st.button(
            label, key=f"{key}_train", type="primary", icon=":material/play_arrow:", on_click=_start, args=(key, tasks)
        )
    problem, of_tasks = st.session_state.get(f"{key}_problem", ("", []))
    if problem and of_tasks == tasks:
        notices.show(problem)
    return found


def _start(key: str, tasks: Sequence[Task]) -> None:
    st.session_state.pop(f"{key}_problem", None)
    st.session_state[f"{key}_sweep"] = {"tasks": tasks, "job": None}
    _advance(key)


@uninterruptible()
def _advance(key: str) -> bool:
    """Starts the next training if none is running; returns whether one ended since the last poll."""
    state = st.session_state[f"{key}_sweep"]
    job = state["job"]
    if job and not job.over:
        return False
    problem = job.problem if job else ""
    left = [task for task in state["tasks"] if not jobs.finished(*task)]
    if left and not problem:
        try:
            state["job"] = jobs.begin(*left[0], client(), is_connected())
            return job is not None
        except TokenizerError as error:
            problem = str(error)
    del st.session_state[f"{key}_sweep"]
    st.session_state[f"{key}_problem"] = problem, state["tasks"]
    return True


def _stop(key: str) -> None:
    state = st.session_state.pop(f"{key}_sweep", None)
    if state and state["job"]:
        jobs.leave(state["job"], client())


@st.fragment(run_every=POLL_SECONDS)
def _progress(key: str) -> None:
    if f"{key}_sweep" not in st.session_state or _advance(key):
        st.rerun()
    tasks = st.session_state[f"{key}_sweep"]["tasks"]
    done = sum(jobs.finished(*task) is not None for task in tasks)
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_progress"):
        st.progress(done / len(tasks), tr("{done} of {all} trainings are finished", done=done, all=len(tasks)))
        st.button(tr("Cancel"), key=f"{key}_cancel", on_click=_stop, args=(key,))
