"""Runs a training: starts it, draws its progress, and adds the result to the visitor's encodings."""

from dataclasses import replace

import streamlit as st

from server.encodings import encoding_store, example_training
from server.encodings.encoding_store import FromTraining, Trained
from server.training import jobs
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, tr, trn
from tokenizer.training.makers import MAKERS, ExternalTraining
from tokenizer.training.worker import Order
from ui.components import notices
from ui.session import page_snapshot, pending_action, selected_training
from ui.session.choices import set_address
from ui.session.visitor_state import MAX_OWN_ENCODINGS, client, visitor
from ui.streamlit_patches.visitors import is_connected, uninterruptible
from ui.train.corpora import Corpus
from ui.train.recipe import TrainingOptions

POLL_SECONDS = 0.5
CHOICES_OPEN = "train_choices_open"  # session key: whether the next run draws the choices opened
MERGES_ONLY = mark(
    "{name} was shared without its training text, so there is no timeline, and the counts of pairs are unknown. To"
    " see its tokens and merges, choose {name} as the model on another page."
)


def train_button(corpus: Corpus, recipe: TrainingOptions | None) -> None:
    """Draws the button that starts a training, or the progress of the running one."""
    if recipe and corpus.texts:
        _resume(corpus, recipe)
    if "training" in st.session_state:  # or one that ended after the call of `shown`: the next run shows it
        _progress()
        return
    is_ready = recipe is not None and bool(corpus.texts)
    label, icon = tr("Train"), ":material/play_arrow:"
    if pending_action.button(label, key="train", type="primary", icon=icon, disabled=not is_ready) and is_ready:
        _answer_press(corpus, recipe)
        st.rerun()
    if problem := st.session_state.get("training_problem"):
        notices.show(problem)


@uninterruptible()
def _answer_press(corpus: Corpus, recipe: TrainingOptions) -> None:
    """Begins a training with the choices of this run: those of the run that drew the button may be older."""
    pending_action.clear()
    _train(corpus, recipe)
    # the timeline comes next on the page and for the keyboard
    st.session_state[CHOICES_OPEN] = bool(st.session_state.get("training_problem"))


def _train(corpus: Corpus, recipe: TrainingOptions) -> None:
    st.session_state.pop("cut_off", None)
    if isinstance(recipe.order, ExternalTraining) and corpus.counted:
        return selected_training.report(
            tr(
                "Words with counts work only with Tokenloupe’s own training. Choose “Tokenloupe” under “Trained by”,"
                " or another text."
            )
        )
    return _begin(_order(corpus, recipe), corpus.texts, recipe.special_tokens, recipe.name, None, corpus.source)


def _order(corpus: Corpus, recipe: TrainingOptions) -> Order | ExternalTraining:
    counted = {} if isinstance(recipe.order, ExternalTraining) else {"counted": corpus.counted}
    return replace(recipe.order, held_out=corpus.held_out, **counted)


def example(corpus: Corpus, recipe: TrainingOptions | None) -> Trained | None:
    """Returns the training that comes with the app, if these choices ask for the same one.

    None where the address names another training: the step in a link belongs to that one.
    """
    if recipe is None or not corpus.texts or corpus.source != example_training.SOURCE or "trained" in st.query_params:
        return None
    is_same = jobs.job_key(_order(corpus, recipe), corpus.texts) == example_training.job().key
    return example_training.example() if is_same else None


def warm_up() -> None:
    """Trains the example of the page."""
    example_training.example()


def _resume(corpus: Corpus, recipe: TrainingOptions) -> None:
    """Restarts a training that a reload or a server restart interrupted, once its text and options are restored."""
    cut_off = None if st.session_state.get("training") else st.session_state.get("cut_off")
    if cut_off and jobs.job_key(_order(corpus, recipe), corpus.texts) == cut_off:
        with uninterruptible():  # otherwise the run could end between the removal of the key and the training
            _train(corpus, recipe)
        if "training" not in st.session_state:  # it has ended already
            st.rerun()


def _running_key() -> str | None:
    """Returns the key of the running or interrupted training; not of a fork, which needs its parent."""
    task = st.session_state.get("training")
    return task["job"].key if task and not task["parent"] else st.session_state.get("cut_off")


def _restore_key(key: object) -> None:
    st.session_state.cut_off = page_snapshot.checked_text(key)


page_snapshot.register("train", "under_way", _running_key, _restore_key, page_snapshot.TAB)


def fork(parent: Trained, step: int, left: int, right: int) -> None:
    """Starts a training that repeats another one up to a step, and then merges a given pair of symbols."""
    history, order = parent.history, parent.job.order
    if not 0 <= step < len(history):
        return
    try:
        pairs = [(merge.left, merge.right) for merge in history.merges[:step]]
        start = (*pairs, (history.tokens[left], history.tokens[right]))
    except (IndexError, TypeError):
        return
    forced = [*(parent.parent or {}).get("forced", []), step]
    branch = {"key": parent.key, "name": parent.name, "at": step, "forced": [one for one in forced if one <= step]}
    name = f"{parent.name[:28]}-if-{step + 1}"
    specials = tuple(parent.typed_specials)
    _begin(replace(order, start=start), parent.job.texts, specials, name, branch, parent.source)


def _begin(
    order: Order | ExternalTraining,
    texts: tuple[str, ...],
    specials: tuple[str, ...],
    name: str,
    parent: dict | None,
    source: dict | None,
) -> None:
    selected_training.report(None)
    st.session_state.pop("trained_problems", None)
    if st.session_state.get("training"):
        return selected_training.report(tr("A training is already running. Wait for it to finish, or cancel it first."))
    try:
        if isinstance(order, Order):
            order.check()
        job = jobs.begin(order, texts, client(), is_connected())
    except TokenizerError as error:
        return selected_training.report(str(error))
    task = {"job": job, "special_tokens": specials, "name": name, "parent": parent, "source": source}
    st.session_state.training = task
    if job.over:
        _finish()
    return None


@st.fragment(run_every=POLL_SECONDS)
def _progress() -> None:
    task = st.session_state.get("training")
    if task is None or task["job"].over:
        st.rerun()
    job = task["job"]
    with st.container(horizontal=True, vertical_alignment="center", key="training"):
        st.progress(job.share, _progress_label(job))
        st.button(tr("Cancel"), key="cancel_training", on_click=_cancel)


def _progress_label(job: jobs.Job) -> str:
    if job.stage == "waiting":
        before = jobs.num_before(job)
        return tr("Waiting in the queue. Tasks ahead: {before}", before=before) if before else tr("Starting")
    if job.stage == "making":
        return tr("{maker} is training", maker=MAKERS[job.order.maker].label)
    if job.stage == "splitting":
        return tr("Splitting the text into pre-tokens")
    if (left := job.seconds_left) is None:
        return trn("{n:,} merge", "{n:,} merges", job.num_merges)
    return trn(
        "{n:,} merge, about {seconds} s left (estimate)",
        "{n:,} merges, about {seconds} s left (estimate)",
        job.num_merges,
        seconds=max(1, round(left)),
    )


def _cancel() -> None:
    task = st.session_state.pop("training", None)
    if task:
        jobs.leave(task["job"], client())
        st.session_state.train_choices = True
        selected_training.report(tr("Cancelled. Your choices are unchanged."))


@uninterruptible()
def _finish() -> None:
    """Adds the result of a training to the visitor's encodings, and shows it."""
    task = st.session_state.pop("training")
    job, specials = task["job"], task["special_tokens"]
    if not job.succeeded:
        return selected_training.report(job.problem)
    try:
        name = _unused_name(task["name"], job, specials)
        if isinstance(job.order, ExternalTraining):
            return selected_training.add(encoding_store.add_external(job, name, task["source"], client()[0]))
        found = encoding_store.add_trained(job, job.order.pattern, specials, name, task["parent"], task["source"])
    except TokenizerError as error:
        return selected_training.report(str(error))
    st.session_state.new_training = None if task["parent"] else found.key
    return selected_training.add(found)


def _unused_name(name: str, job: jobs.Job, specials: tuple[str, ...]) -> str:
    """Returns the name, with a number where another encoding of the visitor has it."""
    taken = set()
    for one in visitor().of_trainings().values():
        its_specials = tuple(one.typed_specials) if isinstance(one, Trained) else ()
        if (one.job.key, its_specials) != (job.key, specials):
            taken.add(one.name)
    return next(free for free in [name, *(f"{name}-{i}" for i in range(2, 100))] if free not in taken)


def shown() -> FromTraining | None:
    """Returns the chosen trained encoding, or the newest one.

    The address holds its key and those of the visitor's other trainings, so that a link or a reload restores them.
    """
    if (task := st.session_state.get("training")) and task["job"].over:
        _finish()
    _add_from_address()
    on_desk = visitor().of_trainings()
    found = on_desk.get(visitor().choices.get("trained")) or next(reversed(on_desk.values()), None)
    others = [key for key in reversed(on_desk) if key != found.key] if found else []  # the newest first, as in `_add`
    set_address("trained", ",".join([found.key, *others]) if found else None)
    for problem in st.session_state.get("trained_problems", []):
        notices.show(problem)
    return found


@uninterruptible()
def _add_from_address() -> None:
    """Adds the trainings of the address, or of the address before a reload, unless one is chosen already."""
    before = visitor().restored_address.pop("trained", "")
    if "trained" not in visitor().choices and (keys := st.query_params.get("trained", before)):
        _add(list(filter(None, keys.split(",")))[:MAX_OWN_ENCODINGS])


def _add(keys: list[str]) -> None:
    """Adds the trainings of a link that the server still has, the first one last; stores an error for each other."""
    problems = {}  # a dict instead of a list: each message once
    for key in reversed(keys):
        try:
            if key.startswith(encoding_store.MERGES):
                visitor().add_encoding(found := encoding_store.find(key))
                problems[tr(MERGES_ONLY, name=found.name)] = None
                continue
            visitor().add_encoding(encoding_store.of_training(key))
            visitor().choices["trained"] = key
        except TokenizerError as error:
            problems[str(error)] = None
    st.session_state.trained_problems = list(problems)
