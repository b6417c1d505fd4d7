"""The opening of a link or a saved page: what it brings is checked, trained again if need be, and put in place."""

import json
import re
import secrets
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from server import jobs, recipes, shelf
from server.message_complexity import exceeds_json_limit
from server.recipes import Recipe
from server.shelf import OfTraining
from tokenizer.errors import TokenizerError, enumerated, shown
from tokenizer.i18n import mark, tr, trn
from tokenizer.text.well_formed import well_formed
from tokenizer.training.makers import Making
from ui.components import notices
from ui.desk import choices, desk
from ui.desk.typed import checked_name, special_tokens
from ui.streamlit_patches.visitors import is_connected, uninterruptible

FORM, VERSION = "page", 1  # of files; a later version opens every earlier one
MOST_BYTES = 2_000_000
MOST_CHOICES, LONGEST_CHOICE = 100, 8_000
MOST_KEPT = 4_000_000  # characters of all that a tab has kept, as JSON
KEY = r"[a-z]+-[0-9a-f]{32}"
PAGES = frozenset(path.stem for path in (Path(__file__).parents[2] / "pages").glob("*.py")) - {"frame"}
STEP = 0.5  # seconds between two looks at how far trainings are
WRONG = (TokenizerError, TypeError, ValueError, KeyError, AttributeError, OverflowError, RecursionError)


class BadPage(TokenizerError):
    """A saved page that cannot be opened."""


@dataclass(frozen=True)
class Brought:
    """What a link or a file brings; a link's page, address and text are in place already."""

    page: str | None = None
    address: Mapping[str, str] = field(default_factory=dict)
    text: str | None = None
    typed: Mapping[str, Any] = field(default_factory=dict)
    made: Mapping[str, Any] = field(default_factory=dict)  # recipes by the keys that the address has for them
    second: str | None = None
    show: tuple[str, ...] | None = None  # the switches that are on


# What stands there


def read_file(text: str) -> Brought:
    """Returns what a file brings; raises BadPage with the reason.

    >>> read_file('{"tokenloupe": "page", "version": 1, "page": "hood", "address": {"view": "scripts"}}').page
    'hood'
    >>> read_file("{")
    Traceback (most recent call last):
    ui.desk.opening.BadPage: This file is damaged, or not all of it is there (line 1). Ask for it again.
    """
    if (size := len(text.encode("utf-8", "surrogatepass"))) > MOST_BYTES:
        raise BadPage(tr("This file has {n:,} bytes; the limit for a saved page is {most:,}.", n=size, most=MOST_BYTES))
    if exceeds_json_limit(text):
        raise BadPage(tr("This file is no page that Tokenloupe has saved."))
    try:
        facts = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        sentence = mark("This file is damaged, or not all of it is there (line {line:,}). Ask for it again.")
        raise BadPage(tr(sentence, line=error.lineno)) from None
    except (RecursionError, ValueError):
        raise BadPage(tr("This file is no page that Tokenloupe has saved.")) from None
    if not isinstance(facts, dict) or facts.get("tokenloupe") != FORM:
        raise BadPage(tr("This file is no page that Tokenloupe has saved."))
    version = facts.get("version")
    if type(version) is int and version > VERSION:
        sentence = mark("This page was saved by a newer Tokenloupe (its form is {version}). Open it with that one.")
        raise BadPage(tr(sentence, version=version))
    if (page := str(facts.get("page"))) not in PAGES:
        raise BadPage(tr("This file is of a page that there is not: {page}.", page=shown(page)))
    return _brought(facts, page)


def _brought(facts: Mapping[str, Any], page: str | None = None) -> Brought:
    """What plain values bring, each checked for its kind; raises BadPage."""
    try:
        return Brought(
            page,
            _address(facts.get("address", {})),
            _text(facts.get("text")),
            _of(dict, facts.get("typed", {})),
            _of(dict, facts.get("made", {})),
            _text(facts.get("second")),
            None if facts.get("show") is None else tuple(map(str, _of(list, facts["show"])[:20])),
        )
    except WRONG:
        raise BadPage(tr("This is damaged: something in it is not what it must be. Ask for it again.")) from None


def _address(found: object) -> dict[str, str]:
    for name, value in _of(dict, found).items():
        if not re.fullmatch(r"[a-z_]{1,40}", name) or not isinstance(value, str) or len(value) > LONGEST_CHOICE:
            raise TypeError(name)
    if len(found) > MOST_CHOICES:
        raise ValueError(len(found))
    return {name: well_formed(value)[0] for name, value in found.items()}


def _text(found: object) -> str | None:
    return None if found is None else well_formed(_of(str, found))[0]


def _of(kind: type, found: Any) -> Any:
    if not isinstance(found, kind):
        raise TypeError(kind)
    return found


# Its opening


def link(found: object) -> None:
    """Begins to open what a link brings beside its address and its text, in a callback."""
    try:
        _begin(_brought(_of(dict, found)))
        if "damaged" in found:
            raise BadPage
    except (TypeError, BadPage):
        say_damaged()


def say_damaged() -> None:
    """Says on the page that a link cannot be read whole, in a callback."""
    st.session_state.pop("opening_page", None)
    sentence = mark(
        "A part of this link cannot be read: it may have been cut off, or be of a newer version. Ask for it again."
    )
    if (says := tr(sentence)) not in _problems():
        _problems().append(says)


def file(data: str | bytes) -> str:
    """Begins to open a saved page, before its place is drawn; returns why it cannot be, or nothing."""
    try:
        _begin(read_file(data if isinstance(data, str) else data.decode("utf-8-sig", "replace")))
    except BadPage as error:
        return str(error)
    return ""


def bring_back(found: Mapping[str, Any]) -> list[str]:
    """Takes back, in a callback, what a tab has kept: what was typed and what was asked for, on all pages.

    Returns the keys of those trained encodings that this server does not have.
    """
    asked, typed, made = (found.get(name) for name in ("asked", "typed", "made"))
    if isinstance(asked, dict):
        choices.ask_as_before({name: value for name, value in asked.items() if works(_address, {name: value})})
    if isinstance(typed, dict) and len(json.dumps(typed)) <= MOST_KEPT:
        pages = {page: values for page, values in typed.items() if page in PAGES and isinstance(values, dict)}
        st.session_state.opening_typed = pages | _typed()
    keys = [key for key in made if isinstance(key, str)] if isinstance(made, list) else []
    return [
        key for key in keys[: desk.MOST_MADE] if re.fullmatch(KEY, key) and shelf.is_made(key) and not _is_here(key)
    ]


def _typed() -> dict[str, Mapping[str, Any]]:
    """What was typed on pages, and is put back when they are drawn."""
    return st.session_state.setdefault("opening_typed", {})


def waits(page: str) -> bool:
    """Whether something that was typed on a page is yet to be put back."""
    return "opening" not in st.session_state and bool(_typed().get(page))


def forget_typed(page: str) -> None:
    """Forgets what waits for a page: it is opened for something else."""
    _typed().pop(page, None)


def is_page(data: bytes) -> bool:
    """Whether a file seems to be a saved page, whatever became of it since.

    >>> is_page(b'{"tokenloupe": "page", "version": 9'), is_page(b'{"form": "tokenloupe encoding 1"}')
    (True, False)
    """
    return bool(re.match(rb'(?:\xef\xbb\xbf)?\s*\{\s*"tokenloupe"\s*:\s*"page"', data[:200]))


def _begin(brought: Brought) -> None:
    st.session_state.opening_problems = []
    st.session_state.opening = {"brought": brought, "trainings": None}


def _problems() -> list[str]:
    return st.session_state.setdefault("opening_problems", [])


def go_on(page: str, take: Callable[[Mapping[str, Any]], list[str]] | None) -> bool:
    """Opens what has come, as far as it can be; returns whether a training is to be waited for.

    `take` puts back what was typed on this page, and returns what cannot be; None as long as nobody knows how.
    """
    if under_way := st.session_state.get("opening"):
        with nullcontext() if under_way["brought"].page else uninterruptible():  # what turns the page ends the run
            is_over = _open(under_way, page)
        if not is_over:
            _progress()
            return True
    if take:
        _put_back(page, take)
    _say_problems(page)
    return False


@uninterruptible()
def _put_back(page: str, take: Callable[[Mapping[str, Any]], list[str]]) -> None:
    """Puts back what was typed on a page."""
    if wrong := take(_typed().pop(page, {})):
        sentence = mark("Something of what was typed on this page could not be put back: {names}.")
        _problems().append(tr(sentence, names=enumerated([shown(name) for name in wrong[:5]])))


def _open(under_way: dict, page: str) -> bool:
    """Puts in place what has come, once all is trained; returns whether it is."""
    if under_way["trainings"] is None:
        under_way["trainings"] = _trainings(under_way["brought"].made)
    if any(not job.over for _, job in under_way["trainings"].values()):
        return False
    del st.session_state["opening"]
    _put(under_way["brought"], _made(under_way), page)
    return True


def _say_problems(page: str) -> None:
    """Says what went wrong, for as long as the page is the same."""
    if st.session_state.setdefault("opening_page", page) != page:
        st.session_state.opening_problems, st.session_state.opening_page = [], page
    for problem in _problems():
        notices.show(problem)


def works(take: Callable[[Any], None], value: object) -> bool:
    """Whether something is what can be taken; then it is."""
    try:
        take(value)
    except WRONG:
        return False
    return True


def _put(brought: Brought, keys: Mapping[str, str], page: str) -> None:
    """Puts in place what was brought; `keys` are those that its encodings have now. A file's page is turned to."""
    address = {name: _renamed(value, keys) for name, value in brought.address.items()}
    if brought.second is not None:
        st.session_state.second_text = {"id": secrets.token_hex(8), "text": brought.second}
    if brought.show is not None:
        st.session_state.shown = {"id": secrets.token_hex(8), "on": list(brought.show)}
    st.session_state.opening_page = brought.page or page
    if brought.page is None:
        _typed()[page] = {**_typed().get(page, {}), **brought.typed}
        return choices.ask_again(address)
    _typed()[brought.page] = brought.typed
    choices.forget()
    if brought.text is not None:
        desk.put(brought.text)
    return st.switch_page(f"{brought.page}.py", query_params=address)


def _renamed(value: str, keys: Mapping[str, str]) -> str:
    return re.sub(KEY, lambda found: keys.get(found[0], found[0]), value)


# What is trained again


def _trainings(made: Mapping[str, Any]) -> dict[str, tuple[Recipe, jobs.Job]]:
    """The trainings that there must be; what is wrong with one is said later, and the others go on."""
    found = {}
    for key, facts in list(made.items())[: desk.MOST_MADE]:
        if not _is_here(key) and not _is_alone(facts):
            try:
                recipe = recipes.read(facts)
                checked_name(recipe.name)
                special_tokens(" ".join(recipe.special_tokens))
                found[key] = recipe, jobs.begin(recipe.order, recipe.texts, desk.visitor(), is_connected())
            except TokenizerError as error:
                _problems().append(str(error))
    return found


def _is_alone(facts: object) -> bool:
    """Whether the merges came without the text that they were learned from."""
    return isinstance(facts, dict) and "file" in facts


def _is_here(key: str) -> bool:
    try:
        return bool(shelf.of_training(key))
    except TokenizerError:
        return False


def _made(under_way: dict) -> dict[str, str]:
    """Puts on the desk what was trained, or was there; returns the keys of now by those that were brought."""
    keys = {}
    for key, facts in list(under_way["brought"].made.items())[: desk.MOST_MADE]:
        try:
            recipe, job = under_way["trainings"].get(key, (None, None))
            if _is_alone(facts):
                found = recipes.put_alone(facts)
                keys[key] = found.key
                _problems().extend(filter(None, [desk.take(found)]))
            elif job or _is_here(key):
                found = _put_made(recipe, job) if job else shelf.of_training(key)
                keys[key] = found.key
                _problems().extend(filter(None, [desk.take(found)]))
        except TokenizerError as error:
            _problems().append(str(error))
    return keys


def _put_made(recipe: Recipe, job: jobs.Job) -> OfTraining:
    if not job.went_well:
        reason = job.problem or ""
        raise BadPage(tr("{name} could not be trained again. {reason}", name=recipe.name, reason=reason))
    if isinstance(recipe.order, Making):
        return shelf.put_file(job, recipe.name, recipe.source)
    specials = recipe.special_tokens
    return shelf.put(job, recipe.order.pattern, specials, recipe.name, recipe.parent, recipe.source)


@st.fragment(run_every=STEP)
def _progress() -> None:
    under_way = st.session_state.get("opening")
    if under_way is None or all(job.over for _, job in under_way["trainings"].values()):
        st.rerun()
    trainings = under_way["trainings"].values()
    share = sum(1.0 if job.over else job.share for _, job in trainings) / len(trainings)
    with st.container(horizontal=True, vertical_alignment="center", key="opening"):
        st.progress(share, trn("A tokenizer is trained again", "{n} tokenizers are trained again", len(trainings)))
        st.button(tr("Cancel"), key="cancel_opening", on_click=_cancel)


def _cancel() -> None:
    under_way = st.session_state.pop("opening", None) or {"trainings": {}}
    for _, job in under_way["trainings"].values():
        jobs.let_go(job, desk.visitor())
