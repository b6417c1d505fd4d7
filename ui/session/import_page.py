"""Imports a link or a saved page: checks it, trains its encodings again where needed, and applies it."""

import json
import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import streamlit as st

from server.encodings import encoding_store, recipes
from server.encodings.encoding_store import FromTraining
from server.encodings.recipes import Recipe
from server.limits.message_complexity import exceeds_json_limit
from server.training import jobs
from tokenizer.errors import TokenizerError, shown
from tokenizer.i18n import mark, tr, trn
from tokenizer.text.well_formed import well_formed
from tokenizer.training.makers import ExternalTraining
from ui.components import notices
from ui.session import choices
from ui.session.validation import checked_name, special_tokens
from ui.session.visitor_state import MAX_OWN_ENCODINGS, client, new_id, visitor
from ui.streamlit_patches.visitors import is_connected, uninterruptible

FORM, VERSION = "page", 1  # of files; each version must open those of all earlier ones
MAX_FILE_BYTES = 2_000_000
MAX_CHOICES, MAX_CHOICE_CHARACTERS = 100, 8_000
MAX_TAB_CHARACTERS = 4_000_000  # of all typed values of a tab, as JSON; the browser stores at most a million
KEY_PATTERN = r"[a-z]+-[0-9a-f]{32}"
PAGES = frozenset(path.stem for path in (Path(__file__).parents[2] / "pages").glob("*.py")) - {"frame"}
PROGRESS_SECONDS = 0.5  # between two updates of the progress bar
INVALID_VALUE_ERRORS = (TokenizerError, TypeError, ValueError, KeyError, AttributeError, OverflowError, RecursionError)


class BadPage(TokenizerError):
    """A saved page that cannot be opened."""


@dataclass(frozen=True)
class Import:
    """The contents of a link or a file; a link's page, address and text are in place already."""

    page: str | None = None
    address: Mapping[str, str] = field(default_factory=dict)
    text: str | None = None
    typed: Mapping[str, Any] = field(default_factory=dict)
    made: Mapping[str, Any] = field(default_factory=dict)  # recipes by the keys that the address has for them
    second: str | None = None
    show: tuple[str, ...] | None = None  # the switches that are on


@dataclass
class RunningImport:
    """An import whose encodings are trained again, by the keys that it has for them; None before that begins."""

    imported: Import
    trainings: dict[str, tuple[Recipe, jobs.Job]] | None = None


# Reading


def read_file(text: str) -> Import:
    """Returns the contents of a file; raises BadPage with the reason.

    >>> read_file('{"tokenloupe": "page", "version": 1, "page": "hood", "address": {"view": "scripts"}}').page
    'hood'
    >>> read_file("{")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ui.session.import_page.BadPage: This file is damaged or incomplete (line 1). Save the page again, ...
    """
    if (size := len(text.encode("utf-8", "surrogatepass"))) > MAX_FILE_BYTES:
        sentence = mark("This file has {n:,} bytes, but a saved page has at most {most:,} bytes. Choose another file.")
        raise BadPage(tr(sentence, n=size, most=MAX_FILE_BYTES))
    if exceeds_json_limit(text):
        raise BadPage(tr("This file is not a page saved by Tokenloupe. Choose another."))
    try:
        facts = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        sentence = mark(
            "This file is damaged or incomplete (line {line:,}). Save the page again, or ask the sender for another"
            " copy."
        )
        raise BadPage(tr(sentence, line=error.lineno)) from None
    except (RecursionError, ValueError):
        raise BadPage(tr("This file is not a page saved by Tokenloupe. Choose another.")) from None
    if not isinstance(facts, dict) or facts.get("tokenloupe") != FORM:
        raise BadPage(tr("This file is not a page saved by Tokenloupe. Choose another."))
    version = facts.get("version")
    if type(version) is int and version > VERSION:
        sentence = mark(
            "This page was saved by a newer Tokenloupe (format {version}). Open the file with the newer Tokenloupe."
        )
        raise BadPage(tr(sentence, version=version))
    if (page := str(facts.get("page"))) not in PAGES:
        raise BadPage(tr("This file belongs to a page that does not exist: {page}.", page=shown(page)))
    return _import_of(facts, page)


def _import_of(facts: Mapping[str, Any], page: str | None = None) -> Import:
    """Returns the contents as JSON values, each of the right type; raises BadPage."""
    try:
        return Import(
            page,
            _address(facts.get("address", {})),
            _text(facts.get("text")),
            _of(dict, facts.get("typed", {})),
            _of(dict, facts.get("made", {})),
            _text(facts.get("second")),
            None if facts.get("show") is None else tuple(map(str, _of(list, facts["show"])[:20])),
        )
    except INVALID_VALUE_ERRORS:
        raise BadPage(tr("A part of this link or file is damaged. Ask the sender for another copy.")) from None


def _address(found: object) -> dict[str, str]:
    for name, value in _of(dict, found).items():
        if not re.fullmatch(r"[a-z_]{1,40}", name) or not isinstance(value, str) or len(value) > MAX_CHOICE_CHARACTERS:
            raise TypeError(name)
    if len(found) > MAX_CHOICES:
        raise ValueError(len(found))
    return {name: well_formed(value)[0] for name, value in found.items()}


def _text(found: object) -> str | None:
    return None if found is None else well_formed(_of(str, found))[0]


def _of(kind: type, found: Any) -> Any:
    if not isinstance(found, kind):
        raise TypeError(kind)
    return found


# Applying


def begin_link(found: object) -> None:
    """Begins, in a callback, the import of a link's data other than its address and its text."""
    _begin_merged(found, lambda linked: _merge(_running_link(), linked))


def begin_recipes(found: object) -> None:
    """Begins, in a callback, the training of encodings that a restarted server lost; a running import continues."""
    running = visitor().imports.under_way
    _begin_merged(found, lambda lost: _merge(lost, running and running.imported))


def _begin_merged(found: object, merge: Callable[[Import], Import]) -> None:
    """Begins the import of JSON values, merged with the one under way; reports them where they are damaged."""
    try:
        _begin(merge(_import_of(_of(dict, found))))
        if "damaged" in found:
            raise BadPage
    except (TypeError, BadPage):
        report_damaged_link()


def _running_link() -> Import | None:
    """Returns the running import of a link or of recipes; None without one, or for a file, which a link replaces."""
    running = visitor().imports.under_way
    return running.imported if running and running.imported.page is None else None


def _merge(base: Import | None, over: Import | None) -> Import:
    """Returns both imports as one, in which `over` has precedence; at least one is given.

    If `over` is a file, it gets only the trainings of `base`: the file's address is that of another page. Of more
    encodings than a visitor can have, those of `over` are kept, and the newest of `base`.
    """
    if base is None or over is None:
        return over or base
    others = [key for key in base.made if key not in over.made]
    room = max(0, MAX_OWN_ENCODINGS - len(over.made))
    made = {**{key: base.made[key] for key in others[max(0, len(others) - room) :]}, **over.made}
    if over.page:
        return replace(over, made=made)
    return Import(
        None,
        {**base.address, **over.address},
        base.text if over.text is None else over.text,
        {**base.typed, **over.typed},
        made,
        base.second if over.second is None else over.second,
        base.show if over.show is None else over.show,
    )


def report_damaged_link() -> None:
    """Reports on the page that a part of a link cannot be read, in a callback."""
    visitor().imports.problems_page = None
    sentence = mark(
        "A part of this link cannot be read: the link may have been cut off, or made by a newer version. Ask the"
        " sender for the link again."
    )
    if (problem := tr(sentence)) not in visitor().imports.problems:
        visitor().imports.problems.append(problem)


def begin_file(data: str | bytes) -> str:
    """Begins the import of a saved page, in a callback; returns why it cannot be imported, or nothing."""
    try:
        _begin(read_file(data if isinstance(data, str) else data.decode("utf-8-sig", "replace")))
    except BadPage as error:
        return str(error)
    return ""


def restore_tab(found: Mapping[str, Any]) -> list[str]:
    """Restores, in a callback, the typed values and the choices of all pages that a tab kept.

    Returns the keys of those trained encodings that this server does not have.
    """
    params, typed, made = (found.get(name) for name in ("asked", "typed", "made"))
    if isinstance(params, dict):
        params = {name: value for name, value in params.items() if accepts(_address, {name: value})}
        choices.restore_address(params, is_bare=found.get("bare") is True)
    # without `ensure_ascii=False` a Thai character would count as six
    if isinstance(typed, dict) and len(json.dumps(typed, ensure_ascii=False)) <= MAX_TAB_CHARACTERS:
        pages = {page: values for page, values in typed.items() if page in PAGES and isinstance(values, dict)}
        visitor().imports.typed = pages | visitor().imports.typed
    keys = [key for key in made if isinstance(key, str)] if isinstance(made, list) else []
    return [
        key
        for key in keys[:MAX_OWN_ENCODINGS]
        if re.fullmatch(KEY_PATTERN, key) and encoding_store.is_made(key) and not _is_here(key)
    ]


def has_pending(page: str) -> bool:
    """Whether typed values of a page are to be restored."""
    return visitor().imports.under_way is None and bool(visitor().imports.typed.get(page))


def discard_pending(page: str) -> None:
    """Discards the typed values that wait for a page, which is opened for something else."""
    visitor().imports.typed.pop(page, None)


def is_saved_page(data: bytes) -> bool:
    """Whether a file looks like a saved page, perhaps a damaged one.

    >>> is_saved_page(b'{"tokenloupe": "page", "version": 9'), is_saved_page(b'{"form": "tokenloupe encoding 1"}')
    (True, False)
    """
    return bool(re.match(rb'(?:\xef\xbb\xbf)?\s*\{\s*"tokenloupe"\s*:\s*"page"', data[:200]))


def _begin(imported: Import) -> None:
    if visitor().imports.problems_page is not None:  # otherwise they are of this link, and not shown yet
        visitor().imports.problems = []
    _leave_trainings(imported.made)
    visitor().imports.under_way = RunningImport(imported)


def advance(page: str, take: Callable[[Mapping[str, Any]], list[str]] | None) -> bool:
    """Applies the running import as far as possible; returns whether the page must wait for a training.

    `take` restores the typed values of this page, and returns the names of those that it cannot; None where the page
    has not registered them yet.
    """
    if under_way := visitor().imports.under_way:
        with uninterruptible():
            is_over = _open(under_way, page)
        if is_over and under_way.imported.page:
            visitor()  # the file's page is opened: Streamlit ends the run here
        if not is_over:
            _progress()
            return True
    if take:
        _put_back(page, take)
    _show_problems(page)
    return False


@uninterruptible()
def _put_back(page: str, take: Callable[[Mapping[str, Any]], list[str]]) -> None:
    if take(visitor().imports.typed.pop(page, {})):
        visitor().imports.problems.append(tr("Some of what was typed on this page could not be restored."))


def _open(under_way: RunningImport, page: str) -> bool:
    """Applies an import once all is trained; returns whether it is."""
    if under_way.trainings is None:
        under_way.trainings = _trainings(under_way.imported.made)
    if any(not job.over for _, job in under_way.trainings.values()):
        return False
    visitor().imports.under_way = None
    _put(under_way.imported, _made(under_way), page)
    return True


def _show_problems(page: str) -> None:
    """Shows the problems of the import, until another page is opened."""
    state = visitor().imports
    if state.problems_page not in (None, page):
        state.problems = []
    state.problems_page = page
    for problem in state.problems:
        notices.show(problem)


def accepts(take: Callable[[Any], None], value: object) -> bool:
    """Whether `take` accepts a value; if so, it has taken it."""
    try:
        take(value)
    except INVALID_VALUE_ERRORS:
        return False
    return True


def _put(imported: Import, keys: Mapping[str, str], page: str) -> None:
    """Applies an import, and opens a file's page; `keys` has the present keys of encodings by the imported ones."""
    address = {name: _renamed(value, keys) for name, value in imported.address.items()}
    state = visitor().imports
    if imported.second is not None:
        state.second_text = {"id": new_id(), "text": imported.second}
    if imported.show is not None:
        state.switches = {"id": new_id(), "on": list(imported.show)}
    state.problems_page = imported.page or page
    if imported.page is None:
        state.typed[page] = {**state.typed.get(page, {}), **imported.typed}
        return choices.choose_from_address(address)
    state.typed[imported.page] = imported.typed
    choices.forget_all()
    if imported.text is not None:
        visitor().put_text(imported.text)
    return st.switch_page(f"{imported.page}.py", query_params=address)


def _renamed(value: str, keys: Mapping[str, str]) -> str:
    return re.sub(KEY_PATTERN, lambda found: keys.get(found[0], found[0]), value)


# Training again


def _trainings(made: Mapping[str, Any]) -> dict[str, tuple[Recipe, jobs.Job]]:
    """Begins the trainings that an import needs; reports the problem of one, and continues with the others."""
    found = {}
    for key, facts in list(made.items())[:MAX_OWN_ENCODINGS]:
        if not _is_here(key) and not _has_only_merges(facts):
            try:
                recipe = recipes.read(facts)
                checked_name(recipe.name)
                special_tokens(" ".join(recipe.special_tokens))
                found[key] = recipe, jobs.begin(recipe.order, recipe.texts, client(), is_connected())
            except TokenizerError as error:
                visitor().imports.problems.append(str(error))
    return found


def _has_only_merges(facts: object) -> bool:
    """Whether the merges come without the text that they were learned from."""
    return isinstance(facts, dict) and "file" in facts


def _is_here(key: str) -> bool:
    try:
        return bool(encoding_store.of_training(key))
    except TokenizerError:
        return False


def _made(under_way: RunningImport) -> dict[str, str]:
    """Adds the encodings, trained again or still there; returns their present keys by the imported ones."""
    keys = {}
    for key, facts in list(under_way.imported.made.items())[:MAX_OWN_ENCODINGS]:
        try:
            if _has_only_merges(facts):
                found = recipes.add_merges(facts, client()[0])
            elif key in under_way.trainings:
                found = _put_made(*under_way.trainings[key])
            elif _is_here(key):
                found = encoding_store.of_training(key)
            else:  # its training could not begin
                continue
            keys[key] = found.key
            if removed := visitor().add_encoding(found):
                visitor().imports.problems.append(removed)
        except TokenizerError as error:
            visitor().imports.problems.append(str(error))
    return keys


def _put_made(recipe: Recipe, job: jobs.Job) -> FromTraining:
    if not job.succeeded:
        reason = job.problem or ""
        raise BadPage(tr("{name} could not be trained again. {reason}", name=recipe.name, reason=reason))
    if isinstance(recipe.order, ExternalTraining):
        return encoding_store.add_external(job, recipe.name, recipe.source, client()[0])
    specials = recipe.special_tokens
    return encoding_store.add_trained(job, recipe.order.pattern, specials, recipe.name, recipe.parent, recipe.source)


@st.fragment(run_every=PROGRESS_SECONDS)
def _progress() -> None:
    under_way = visitor().imports.under_way
    if under_way is None or under_way.trainings is None or all(job.over for _, job in under_way.trainings.values()):
        st.rerun()  # None: another import has just begun
    trainings = under_way.trainings.values()
    share = sum(1.0 if job.over else job.share for _, job in trainings) / len(trainings)
    with st.container(horizontal=True, vertical_alignment="center", key="opening"):
        st.progress(share, trn("Training a tokenizer again", "Training {n} tokenizers again", len(trainings)))
        st.button(tr("Cancel"), key="cancel_opening", on_click=_cancel)


def _cancel() -> None:
    _leave_trainings()
    visitor().imports.under_way = None


def _leave_trainings(needed: Container[str] = ()) -> None:
    """Leaves the trainings of the import under way, except those with these keys, which the next import needs."""
    under_way = visitor().imports.under_way
    trainings = under_way.trainings if under_way else None
    for key, (_, job) in (trainings or {}).items():
        if key not in needed:
            jobs.leave(job, client())
