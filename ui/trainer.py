"""The way from choices to a trained encoding: the button, how far it is, and what came of it."""

from dataclasses import replace

import streamlit as st

from tokenizer.errors import TokenizerError
from tokenizer.worker import Order
from ui import desk, notices, shelf, training
from ui.corpora import Corpus
from ui.recipe import Recipe
from ui.shelf import Trained

STEP = 0.25  # seconds between two looks at how far a training is


def train_button(corpus: Corpus, recipe: Recipe | None) -> None:
    """The button that begins a training, or how far it is."""
    task = st.session_state.get("training")
    if task and not task["job"].over:
        _progress()
        return
    st.button(
        "Train",
        key="train",
        type="primary",
        icon=":material/play_arrow:",
        disabled=recipe is None or not corpus.texts,
        on_click=_train,
        args=(corpus, recipe),
    )
    if problem := st.session_state.get("training_problem"):
        notices.say(problem)


def _train(corpus: Corpus, recipe: Recipe) -> None:
    order = Order(recipe.vocab_size, recipe.pattern, recipe.ties, recipe.alphabet, recipe.min_count)
    _begin(order, corpus.texts, recipe.special_tokens, recipe.name, None)


def fork(parent: Trained, step: int, left: int, right: int) -> None:
    """Begins a training that goes with another one up to a step, and there takes this pair of symbols."""
    story, order = parent.story, parent.job.order
    try:
        pairs = [(merge.left, merge.right) for merge in story.merges[:step]]
        start = (*pairs, (story.tokens[left], story.tokens[right]))
    except (IndexError, TypeError):
        return
    name, branch = f"{parent.name[:28]}-if-{step + 1}", {"key": parent.key, "name": parent.name, "at": step}
    _begin(replace(order, start=start), parent.job.texts, tuple(parent.encoding.special_tokens), name, branch)


def _begin(order: Order, texts: tuple[str, ...], special_tokens: tuple[str, ...], name: str, parent: dict | None):
    st.session_state.training_problem = None
    try:
        job = training.begin(order, texts, desk.visitor())
    except TokenizerError as error:
        st.session_state.training_problem = str(error)
        return
    st.session_state.training = {"job": job, "special_tokens": special_tokens, "name": name, "parent": parent}
    if job.over:
        _finish()


@st.fragment(run_every=STEP)
def _progress() -> None:
    task = st.session_state.get("training")
    if task is None or task["job"].over:
        st.rerun()
    job = task["job"]
    with st.container(horizontal=True, vertical_alignment="center", key="training"):
        st.progress(job.share, _in_words(job))
        st.button("Cancel", key="cancel_training", on_click=_cancel)


def _in_words(job: training.Job) -> str:
    """Returns how far a training is."""
    if job.stage == "waiting":
        before = training.num_before(job)
        return f"Waiting for its turn: {before} before it" if before else "Starting"
    if job.stage == "splitting":
        return "Cutting the text into pre-tokens"
    left = job.seconds_left
    estimate = f", about {max(1, round(left))} s left (estimate)" if left is not None else ""
    return f"{job.num_merges:,} merges{estimate}"


def _cancel() -> None:
    task = st.session_state.pop("training", None)
    if task:
        training.let_go(task["job"], desk.visitor())
        st.session_state.training_problem = "Cancelled. Your choices are as they were."


def _finish() -> None:
    """Puts what a training made on the desk, and shows it."""
    task = st.session_state.pop("training")
    job = task["job"]
    if job.story is None:
        st.session_state.training_problem = job.problem
        return
    try:
        found = shelf.put(job, job.order.pattern, task["special_tokens"], _unused(task["name"], job), task["parent"])
    except TokenizerError as error:
        st.session_state.training_problem = str(error)
        return
    desk.take(found)
    show(found.key)


def _unused(name: str, job: training.Job) -> str:
    """Returns the name, or with a number where an encoding of another training on this desk has it."""
    taken = {found.name for found in desk.trained().values() if found.job.key != job.key}
    return next(own for own in [name, *(f"{name}-{i}" for i in range(2, 100))] if own not in taken)


def show(key: str) -> None:
    """Makes this trained encoding the one that the page is about."""
    desk.choices()["trained"] = key
    st.session_state.trained = key
    st.query_params["trained"] = key


def shown() -> Trained | None:
    """The trained encoding that the page is about: the newest, or the one that was chosen; `?trained=` brings one."""
    if (task := st.session_state.get("training")) and task["job"].over:
        _finish()
    if "trained" not in desk.choices() and (asked := st.query_params.get("trained")):
        try:
            desk.take(shelf.trained(asked))
            desk.choices()["trained"] = asked
        except TokenizerError as error:
            notices.say(str(error))
    on_desk = desk.trained()
    key = desk.choices().get("trained")
    return on_desk.get(key) or next(reversed(on_desk.values()), None)
