"""Widgets that several pages share: the choice of encodings, the reading of special tokens, example texts."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from server.encodings import encoding_store
from server.encodings.encoding_store import StoredEncoding
from tokenizer import list_encoding_names, list_models
from tokenizer.display.readable import size_in_words
from tokenizer.errors import NeedsPackage, OnlyCounted, TokenizerError, Unavailable, enumerated
from tokenizer.i18n import mark, tr
from tokenizer.kinds import counters, open_models, series
from tokenizer.kinds.counters import Counter
from tokenizer.kinds.registry import OTHER_NAMES, encoding_name
from tokenizer.kinds.steps import ignored_notes
from tokenizer.text.samples import samples
from ui.components import notices
from ui.session import pending_values, widget_events
from ui.session.choices import Choice, InvalidValue, one_of, set_address
from ui.session.visitor_state import visitor
from ui.widgets import names, tokenizer_upload, undo_button

DEFAULT = "o200k_base"
YEARS = {"gpt2": 2019, "cl100k_base": 2023, "o200k_base": 2025}  # of the models that have made these encodings known
COMPARED = list(YEARS)
MAX_COMPARED = 6
_LOADING_STYLE = (
    "<style>[data-testid=stMain] .stElementContainer[data-stale=true] { opacity: 0.3 !important; transition: none }"
    ".loading { position: fixed; z-index: 100; inset: auto 0 30% 0; margin: auto; width: fit-content; max-width: 90vw;"
    " padding: 0.5rem 1rem; border: 1px solid; border-radius: 0.5rem; background: Canvas; color: CanvasText }</style>"
)
READ_AS = {"text": mark("as text"), "special": mark("as special tokens")}


def encoding(opens_text: bool = False, counts: bool = False) -> StoredEncoding:
    """Draws the list of encodings and the popover that opens files; returns the chosen encoding.

    `?encoding=` in the address names an encoding, a model, or one that was trained here. With `counts`, the page can
    show a model that is only counted, from `counter`.
    """
    found = model(counts)
    tokenizer_upload.draw_popover([found], ENCODING.choose, opens_text)
    _note_ignored_settings([found])
    return found


def model(counts: bool = False) -> StoredEncoding:
    """Draws the list of encodings alone; returns the chosen encoding."""
    ENCODING.begin()  # a link may add one to the visitor's own
    rows = {key: _made_label(made) for key, made in reversed(visitor().own_encodings.items())} | listed()
    loading = _dim_unavailable(tr("Model"), rows)
    chosen = ENCODING.ask(st.selectbox, tr("Model"), list(rows), format_func=rows.get, width=340)
    with _marked_as_loading(loading, [chosen]):
        return _entry(chosen, counts, models()[DEFAULT]) or encoding_store.find(DEFAULT)


@contextmanager
def _marked_as_loading(place: Any, keys: Sequence[str]) -> Iterator[None]:
    """Shows that encodings are being loaded, if any has to be; dims the results of the previous ones."""
    absent = [key for key in keys if not encoding_store.is_ready(key)]
    if absent:
        labels = enumerated([_name(models().get(key, key)) for key in absent])
        sentence = tr("Loading {model} … Dimmed parts of the page still show the previous choice.", model=labels)
        place.html(f"{_LOADING_STYLE}<p class='loading' role='status'>{escape(sentence)}</p>")
    try:
        yield
    except TokenizerError:  # the page says why; other exceptions, such as of a rerun, keep the sentence
        place.empty()
        raise
    if absent:
        place.empty()


def _entry(key: str, counts: bool, instead: str = "") -> StoredEncoding | None:
    """Returns the encoding of a key, or None if it has no tokens to show; draws why, unless the page shows counts."""
    try:
        if key in counters.BY_KEY:
            counters.find(key)
            if counts:
                return None
        return encoding_store.find(key)
    except (NeedsPackage, OnlyCounted, Unavailable) as error:
        problem = str(error)
        notices.show(
            tr("{problem} The page shows {instead} instead.", problem=problem, instead=instead) if instead else problem
        )
        return None


def counter() -> Counter | None:
    """Returns the counter that was chosen instead of an encoding, or None."""
    return _counter(ENCODING.chosen)


def _counter(key: str) -> Counter | None:
    return counters.BY_KEY.get(key) if counters.is_installed() else None


def counters_beside() -> list[Counter]:
    """Returns the counters among the compared encodings."""
    return [found for key in ENCODINGS.chosen if (found := _counter(key))]


def switch() -> None:
    """Draws a choice of three encodings from different years, which looks like a slider."""
    chosen = ENCODING.chosen
    _show_year(chosen if chosen in COMPARED else None)
    name, words = tr("Show the same text in"), {key: f"{model_of(key)} ({YEARS[key]})" for key in COMPARED}
    chosen = st.segmented_control(
        name, COMPARED, format_func=words.get, key="years", on_change=_take_year, width="content"
    )
    widget_events.note_value("years", chosen)


def model_of(key: str) -> str:
    """Returns the newest model of one of OpenAI's encodings.

    >>> model_of("gpt2")
    'GPT-2'
    """
    return _name(models()[key])


def _show_year(year: str | None) -> None:
    if "years" not in st.session_state:
        st.session_state.years = year
    elif st.session_state.years != year:
        pending_values.set("years", year)


def _take_year() -> None:
    if st.session_state.years and not pending_values.is_stale("years") and widget_events.has_new_value("years"):
        ENCODING.choose(st.session_state.years)


def encodings(opens_text: bool = False, counts: bool = False) -> list[StoredEncoding]:
    """Draws the list of encodings to compare; returns them. `?encodings=` in the address names them, with commas.

    With `counts`, the page can show models that are only counted, from `counters_beside`.
    """
    ENCODINGS.begin()
    openai_names = list_encoding_names()
    rows = {key: made.name for key, made in reversed(visitor().own_encodings.items())}
    known = models()
    rows |= {key: _with_other_models(key, known) for key in reversed(openai_names)}
    rows |= {
        key: label for key, label in listed().items() if key not in known or encoding_name(key) not in openai_names
    }
    more = {"max_selections": MAX_COMPARED, "placeholder": tr("Choose options"), "select_all": False}
    loading = _dim_unavailable(tr("Models"), rows)
    chosen = ENCODINGS.ask(st.multiselect, tr("Models"), list(rows), format_func=rows.get, **more)
    on_desk = [key for key in chosen if visitor().has_encoding(key)]
    with _marked_as_loading(loading, on_desk):
        shown = {entry.key: entry for key in on_desk if (entry := _entry(key, counts))}
    found = [*shown.values()] or [encoding_store.find(key) for key in ([DEFAULT] if on_desk else COMPARED)]
    tokenizer_upload.draw_popover(found, compare, opens_text)
    _note_ignored_settings(found)
    return found


def _with_other_models(encoding: str, known: Mapping[str, str]) -> str:
    """Returns the label of an encoding of OpenAI's, with its other models, so that typing their names finds it."""
    others = [label for key, label in known.items() if key != encoding == encoding_name(key)]
    names = [name for label in others for name in (_name(label), *_other_names(label))]
    return _with_names(known[encoding], [*_other_names(known[encoding]), *names])


def _name(label: str) -> str:
    """Returns the model's name in a label of `models`."""
    return label.split(" · ")[0]


def _other_names(label: str) -> list[str]:
    """Returns the other names of the model in a label of `models`, as one item, or none."""
    return [OTHER_NAMES[name]] if (name := _name(label)) in OTHER_NAMES else []


def _with_names(label: str, names: Sequence[str]) -> str:
    """Returns a label and these names, which are last, since a list cuts long labels."""
    return f"{label} ({', '.join(names)})" if names else label


def _note_ignored_settings(entries: Sequence[StoredEncoding]) -> None:
    """Draws which settings of tokenizer files would change the ids but have no effect here."""
    for entry in entries:
        if notes := ignored_notes(entry.encoding.model.ignored_settings):
            st.html(f"<p class=ignored><bdi>{escape(entry.name)}</bdi>: {escape(' '.join(notes))}</p>")


def compare_with(other: str, key: str) -> None:
    """Adds an encoding to the comparison, and another one, unless it is there."""
    ENCODINGS.begin()
    if other not in ENCODINGS.chosen:
        compare(other)
    compare(key)


def compare(key: str) -> None:
    """Adds an encoding to the comparison, in place of the last one if it is full."""
    ENCODINGS.begin()
    others = [one for one in ENCODINGS.chosen if one != key]
    ENCODINGS.choose([*others[: MAX_COMPARED - 1], key])


def baseline(encodings: Sequence[StoredEncoding]) -> StoredEncoding:
    """Draws the list of baselines; returns the one that `?baseline=` in the address names, otherwise the first."""
    keys = [entry.key for entry in encodings]
    if len(keys) == 1:
        return encodings[0]
    choice = Choice("baseline", keys[0], partial(_one_of_them, keys))
    choice.begin()
    if st.session_state.baseline not in keys:  # it was removed from the comparison
        st.session_state.baseline = keys[0]
        set_address("baseline", None)
    labels = dict(zip(keys, names.models(encodings).values(), strict=True))
    key = choice.ask(st.selectbox, tr("Baseline"), keys, format_func=labels.get, width=220)
    return encodings[keys.index(key)]


def _one_of_them(keys: Sequence[str], value: str) -> str:
    if (key := _key(value)) not in keys:
        raise InvalidValue(tr("one of the encodings being compared"))
    return key


def _keys(value: str) -> list[str]:
    found = list(dict.fromkeys(_compared_key(one) for one in value.split(",")))
    if len(found) > MAX_COMPARED:
        raise InvalidValue(tr("at most {most} encodings, separated by commas", most=MAX_COMPARED))
    return found


def _compared_key(value: str) -> str:
    key, named = _key(value), series.key_of(value)
    return next((name for name in (value, named) if name in open_models.NAMES), key)


def _key(value: str) -> str:
    """Returns the key of the encoding in an address; adds one that was made here to the visitor's own."""
    if key := counters.key_of(value):
        return counters.find(key).key
    found = encoding_store.find(value)
    if not visitor().has_encoding(found.key):
        visitor().add_encoding(found)
    return found.key


def models() -> dict[str, str]:
    """Returns the labels (model and encoding) of the encodings that every visitor has, newest model first.

    The newest model of an encoding has the encoding's key, the others have their own names as keys.

    >>> [(key, label) for key, label in models().items() if "o200k_base" in label][:2]
    [('o200k_base', 'GPT-5 · o200k_base'), ('o4-mini', 'o4-mini · o200k_base')]
    """
    rows = {}
    for model, (name, encoding) in list_models().items():
        rows[model if encoding in rows else encoding] = _label(model, name, encoding)
    return rows


def _label(model: str, name: str, encoding: str) -> str:
    if model in open_models.NAMES:
        return tr("{model} · tokenizer of {base}", model=name, base=open_models.BY_KEY[encoding].display_name)
    return f"{open_models.BY_KEY[model].versions_label if model in open_models.BY_KEY else name} · {encoding}"


def listed() -> dict[str, str]:
    """Returns the labels of `models`, with counters after OpenAI's; then of unavailable models, with the reason.

    Labels have a model's other names, too, so that typing them finds it.

    >>> [label for label in listed().values() if "ChatGPT" in label]
    ['GPT-4o · o200k_base (GPT-4o mini, ChatGPT-4o)']
    """
    rows = {key: _with_names(label, _other_names(label)) for key, label in models().items()}
    own_rows = {key: label for key, label in rows.items() if key not in open_models.BY_KEY | open_models.NAMES}
    counted = {key: tr("{model} · count only", model=one.display_name) for key, one in counters.BY_KEY.items()}
    absent = _missing_models()
    if not counters.is_installed():
        absent = {key: (one.display_name, _why_no_counters()) for key, one in counters.BY_KEY.items()} | absent
    not_here = {key: tr("{model} · not available: {why}", model=name, why=why) for key, (name, why) in absent.items()}
    usable = {key: label for key, label in (own_rows | counted | rows).items() if key not in not_here}
    found = usable | not_here
    return found | {key: _with_names(found[key], [one.sizes]) for key, one in counters.BY_KEY.items()}


def _missing_models() -> dict[str, tuple[str, str]]:
    """Returns the name of each model that is not installed, and the command that installs it, or why there is none."""
    models = open_models.BY_KEY
    named = {key: (one.display_name, models[one.key]) for key, one in open_models.NAMES.items()}
    known = {key: (one.versions_label, one) for key, one in models.items()} | named
    absent = {key: (name, model.command) for key, (name, model) in known.items() if not model.is_here}
    return absent | {
        key: (name, tr("no package used here has its vocabulary")) for key, name in series.UNAVAILABLE.items()
    }


def _dim_unavailable(label: str, rows: Mapping[str, str]) -> Any:
    """Dims the options of the open list that are not available; returns a place for a sentence, which takes no room."""
    absent = _missing_models().keys() | (() if counters.is_installed() else counters.BY_KEY.keys())
    places = ",".join(f"[data-key='{i}']" for i, key in enumerate(rows) if key in absent)
    with st.container(key="not_here"):  # drawn even if empty, so that the elements after it keep their place
        if places:
            listed = f"[role=listbox][aria-label='{escape(label)}'] [role=option]:is({places})"
            st.html(f"<style>{listed} {{ opacity: 0.75; font-style: italic }}</style><i hidden></i>")
        return st.empty()


def _why_no_counters() -> str:
    """Returns the command that installs the counters, or the Python version that they need."""
    if sys.version_info >= counters.LEAST_PYTHON:
        return counters.COMMAND
    return tr("needs Python {least} or newer", least=".".join(map(str, counters.LEAST_PYTHON)))


def _listed_key(value: str) -> str:
    """Returns the key, in the list of models, of the encoding in an address."""
    if value in models():
        return value
    if (named := series.key_of(value)) in models():
        return named
    key, plain = _key(value), series.plain(value)
    versions = [name for name in models() if plain.startswith(f"{name}-") and encoding_name(name) == key]
    return max(versions, key=len, default=key)


def of_bytes(but: StoredEncoding) -> StoredEncoding:
    """Draws the list of other encodings that merge bytes (`?published=` in the address); returns the chosen one."""
    own = [key for key, one in visitor().own_encodings.items() if key != but.key and one.encoding.merges_bytes]
    rows = {key: _made_label(visitor().own_encodings[key]) for key in reversed(own)}
    rows |= {key: label for key, label in models().items() if open_models.merges_bytes(encoding_name(key))}
    return encoding_store.find(
        OF_BYTES.ask(st.selectbox, tr("Another vocabulary"), list(rows), format_func=rows.get, width=340)
    )


def _of_bytes(value: str) -> str:
    if not encoding_store.find(key := _listed_key(value)).encoding.merges_bytes:
        raise InvalidValue(tr("an encoding that merges bytes"))
    return key


def _made_label(found: StoredEncoding) -> str:
    """Returns the label of an own encoding: its name, how it was made, and its size."""
    size, origin = size_in_words(found.encoding), encoding_store.origin_sentence(found.key)
    return tr("{name} · {how}, {size}", name=found.name, how=origin, size=size)


def special(*chosen: StoredEncoding) -> str:
    """Returns how names of special tokens are read ("text" or "special"); draws the choice if the text has one."""
    SPECIAL.begin()
    with st.container(width="content"):  # drawn even if empty, as in `switch`
        if SPECIAL.problem or any(one.encoding.contains_special_token(visitor().text) for one in chosen):
            return SPECIAL.segmented(tr("Read special tokens"), READ_AS, width="content")
    return SPECIAL.chosen


def examples(put: Callable[[str], None] | None = None) -> None:
    """Draws a button for each sample text, and one that clears the text; `put(text)` replaces the visitor's text."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="examples"):
        st.caption(tr("Try:"), width="content")
        _examples(put)
        offer_undo(visitor().undo_put)


def examples_menu() -> None:
    """Draws a menu with the buttons of `examples`."""
    with st.popover(tr("Examples")), st.container(horizontal=True, gap="small", width=340, key="examples"):
        _examples()


def _examples(put: Callable[[str], None] | None = None) -> None:
    put = put or visitor().put_text
    for sample in samples():
        st.button(tr(sample.label), key=f"example_{sample.name}", on_click=put, args=(sample.text,))
    st.button(tr("Clear"), key="clear", icon=":material/close:", on_click=put, args=("",), type="tertiary")


def offer_undo(undo: Callable[[], None]) -> None:
    """Draws a button that restores the replaced text, while there is one."""
    if visitor().can_undo():
        with st.container(horizontal=True, vertical_alignment="center", width="content", key="undo_row"):
            undo_button.offer(tr("Text replaced.") if visitor().text else tr("Text cleared."), "undo_put", undo)


def open_own_languages() -> None:
    """Opens the view for the visitor's own text in several languages."""
    Choice("lens", "own").choose("own")
    st.switch_page("languages.py")


ENCODING = Choice("encoding", DEFAULT, _listed_key)
ENCODINGS = Choice("encodings", ",".join(COMPARED), _keys, ",".join, is_made=bool)
OF_BYTES = Choice("published", "cl100k_base", _of_bytes)
SPECIAL = Choice("special", "text", one_of(READ_AS))
