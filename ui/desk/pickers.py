"""What a reader chooses, on every page alike: encoding, how special tokens are read, an example, a file."""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape

import streamlit as st

from server import shelf
from server.shelf import Entry
from tokenizer import list_encoding_names, list_models
from tokenizer.display.readable import size_in_words
from tokenizer.errors import NeedsPackage, OnlyCounted
from tokenizer.i18n import mark, tr
from tokenizer.kinds import counters, open_models
from tokenizer.kinds.counters import Counter
from tokenizer.kinds.registry import encoding_name
from tokenizer.text.samples import samples
from ui.components import notices
from ui.desk import desk, held, loading, names, widget_events
from ui.desk.choices import Choice, Unwanted, one_of, put_in_address

DEFAULT = "o200k_base"
COMPARED = ["gpt2", "cl100k_base", "o200k_base"]
MOST_COMPARED = 6
READ_AS = {"text": mark("as text"), "special": mark("as special tokens")}


def encoding(opens_text: bool = False, counts: bool = False) -> Entry:
    """The encoding in use; `?encoding=` in the address may name an encoding, a model, or one that was trained here.

    What can be opened stands beside it: a tokenizer, and a text where the page has one. `counts` tells that the page
    shows what `counter` returns.
    """
    found = model(counts)
    loading.popover([found], ENCODING.choose, opens_text)
    return found


def model(counts: bool = False) -> Entry:
    """The same, with nothing beside it."""
    ENCODING.begin()  # a link may bring one to the desk
    rows = {key: _made_label(made) for key, made in reversed(desk.made().items())} | listed()
    _grey(tr("Model"), rows)
    chosen = ENCODING.ask(st.selectbox, tr("Model"), list(rows), format_func=rows.get, width=340)
    return _entry(chosen, counts, models()[DEFAULT]) or shelf.find(DEFAULT)


def _entry(key: str, counts: bool, instead: str = "") -> Entry | None:
    """The encoding that was chosen; none where it cannot be shown, and why not, unless the page `counts`."""
    try:
        if key in counters.BY_KEY:
            counters.find(key)
            if counts:
                return None
        return shelf.find(key)
    except (NeedsPackage, OnlyCounted) as error:
        problem = str(error)
        notices.show(
            tr("{problem} Shown instead: {instead}.", problem=problem, instead=instead) if instead else problem
        )
        return None


def counter() -> Counter | None:
    """What was chosen instead of an encoding, where it only counts; None where it is an encoding."""
    return _counter(desk.choices()[ENCODING.name])


def _counter(key: str) -> Counter | None:
    return counters.BY_KEY.get(key) if counters.is_installed() else None


def counters_beside() -> list[Counter]:
    """Those of several that were chosen to be compared that only count."""
    return [found for key in desk.choices()[ENCODINGS.name] if (found := _counter(key))]


def switch() -> None:
    """Three steps through the years, while the first text stands on the desk: under it the Thai tokens fuse."""
    with st.container(width="content"):  # also where it is empty: what stands after it stays what it is
        if desk.text() == samples()[0].text:
            chosen = desk.choices()[ENCODING.name]
            _show_year(chosen if chosen in COMPARED else None)
            name, words = tr("Same text in"), {key: models()[key].split(" · ")[0] for key in COMPARED}
            chosen = st.segmented_control(name, COMPARED, format_func=words.get, key="years", on_change=_take_year)
            widget_events.note_value("years", chosen)


def _show_year(wanted: str | None) -> None:
    if "years" not in st.session_state:
        st.session_state.years = wanted
    elif st.session_state.years != wanted:
        held.hold("years", wanted)


def _take_year() -> None:
    if st.session_state.years and not held.is_late("years") and widget_events.has_new_value("years"):
        ENCODING.choose(st.session_state.years)


def encodings(opens_text: bool = False, counts: bool = False) -> list[Entry]:
    """Several encodings to compare; `?encodings=` in the address may name them, with commas.

    `counts` tells that the page shows what `counters_beside` returns.
    """
    ENCODINGS.begin()
    ours = list_encoding_names()
    rows = {key: made.name for key, made in reversed(desk.made().items())}
    rows |= {key: models()[key] for key in reversed(ours)}
    rows |= {key: label for key, label in listed().items() if key not in models() or encoding_name(key) not in ours}
    more = {"format_func": rows.get, "max_selections": MOST_COMPARED, "placeholder": tr("Choose options")}
    _grey(tr("Models"), rows)
    chosen = ENCODINGS.ask(st.multiselect, tr("Models"), list(rows), **more)
    on_desk = [key for key in chosen if desk.has(key)]
    shown = {entry.key: entry for key in on_desk if (entry := _entry(key, counts))}
    found = [*shown.values()] or [shelf.find(key) for key in ([DEFAULT] if on_desk else COMPARED)]
    loading.popover(found, compare, opens_text)
    return found


def compare(key: str) -> None:
    """Takes an encoding into the comparison; where there are as many as can be, in place of the last."""
    ENCODINGS.begin()
    others = [one for one in desk.choices()[ENCODINGS.name] if one != key]
    ENCODINGS.choose([*others[: MOST_COMPARED - 1], key])


def baseline(encodings: Sequence[Entry]) -> Entry:
    """The one of several that the others are set against; `?baseline=` in the address may name it, else the first."""
    keys = [entry.key for entry in encodings]
    if len(keys) == 1:
        return encodings[0]
    choice = Choice("baseline", keys[0], partial(_one_of_them, keys))
    choice.begin()
    if st.session_state.baseline not in keys:  # it was taken out of the comparison
        st.session_state.baseline = keys[0]
        put_in_address("baseline", None)
    called = dict(zip(keys, names.models(encodings).values(), strict=True))
    key = choice.ask(st.selectbox, tr("Baseline"), keys, format_func=called.get, width=220)
    return encodings[keys.index(key)]


def _one_of_them(keys: Sequence[str], asked: str) -> str:
    if (key := _key(asked)) not in keys:
        raise Unwanted(tr("one of the encodings being compared"))
    return key


def _keys(asked: str) -> list[str]:
    keys = {one: _key(one) for one in asked.split(",")}
    found = list(dict.fromkeys(one if one in open_models.NAMES else key for one, key in keys.items()))
    if len(found) > MOST_COMPARED:
        raise Unwanted(tr("at most {most} encodings, separated by commas", most=MOST_COMPARED))
    return found


def _key(asked: str) -> str:
    """The key of the encoding that an address asks for; one that was made here comes to the desk with it."""
    if key := counters.key_of(asked):
        return counters.find(key).key
    found = shelf.find(asked)
    if not desk.has(found.key):
        desk.take(found)
    return found.key


def models() -> dict[str, str]:
    """How lists show what every visitor has, newest first: a model, and its encoding.

    The newest model of an encoding goes by the encoding's key, the others by their own names.

    >>> [(key, label) for key, label in models().items() if "o200k_base" in label][:2]
    [('o200k_base', 'GPT-5 · o200k_base'), ('o4-mini', 'o4-mini · o200k_base')]
    """
    rows = {}
    for model, (called, encoding) in list_models().items():
        rows[model if encoding in rows else encoding] = f"{called} · {encoding}"
    return rows


def listed() -> dict[str, str]:
    """How the list of a page shows all that there is: the same, what only counts, and what is not here, with why."""
    rows = models()
    for own in counters.COUNTERS:
        here = tr("{model} · only counted", model=own.called)
        rows[own.key] = (
            here if counters.is_installed() else tr("{model} · not here: {why}", model=own.called, why=_why())
        )
    for key, (called, command) in _absent().items():
        rows[key] = tr("{model} · not here: {why}", model=called, why=command)
    return rows


def _absent() -> dict[str, tuple[str, str]]:
    """What open models, and models that read by one, are called that are not here, and the commands that bring them."""
    models = open_models.BY_KEY
    named = {key: (one.called, models[one.key]) for key, one in open_models.NAMES.items()}
    known = {key: (one.called, one) for key, one in models.items()} | named
    return {key: (called, model.command) for key, (called, model) in known.items() if not model.is_here}


def _grey(label: str, rows: Mapping[str, str]) -> None:
    """Greys in a list that opens what is not here; its words say so, too."""
    gone = {} if counters.is_installed() else {**counters.BY_KEY}
    gone |= _absent()
    places = ",".join(f"[data-key='{i}']" for i, key in enumerate(rows) if key in gone)
    # There even if it stays empty: else Streamlit would draw all elements after it anew when it comes or goes.
    with st.container():
        if places:
            listed = f"[role=listbox][aria-label='{escape(label)}'] [role=option]:is({places})"
            st.html(f"<style>{listed} {{ opacity: 0.75; font-style: italic }}</style><i hidden></i>")


def _why() -> str:
    """What brings the counters, or that this Python is too old for them."""
    if sys.version_info >= counters.LEAST_PYTHON:
        return counters.COMMAND
    return tr("needs Python {least}", least=".".join(map(str, counters.LEAST_PYTHON)))


def _asked(asked: str) -> str:
    """What an address asks for, as the list of models has it."""
    return asked if asked in models() else _key(asked)


def of_bytes(but: Entry) -> Entry:
    """Another encoding whose merges begin with bytes; `?published=` in the address may name it."""
    own = [key for key, one in desk.made().items() if key != but.key and one.encoding.merges_bytes]
    rows = {key: _made_label(desk.made()[key]) for key in reversed(own)}
    rows |= {key: label for key, label in models().items() if open_models.merges_bytes(encoding_name(key))}
    return shelf.find(OF_BYTES.ask(st.selectbox, tr("Another vocabulary"), list(rows), format_func=rows.get, width=340))


def _of_bytes(asked: str) -> str:
    if not shelf.find(key := _asked(asked)).encoding.merges_bytes:
        raise Unwanted(tr("an encoding that merges bytes"))
    return key


def _made_label(found: Entry) -> str:
    """An encoding of the desk's own as lists show it: its name, and how it was made."""
    size, how = size_in_words(found.encoding), shelf.how_made(found.key)
    return tr("{name} · {how}, {size}", name=found.name, how=how, size=size)


def special(*chosen: Entry) -> str:
    """How the names of special tokens in the text are read: "text" or "special"; asked where the text has one."""
    SPECIAL.begin()
    with st.container(width="content"):  # as in `switch`
        if SPECIAL.problem or any(one.encoding.spells_special(desk.text()) for one in chosen):
            return SPECIAL.segmented(tr("Special tokens are read"), READ_AS, width="content")
    return desk.choices()["special"]


def examples() -> None:
    """Our own texts, one click away, and none at all."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="examples"):
        st.caption(tr("Try:"), width="content")
        for sample in samples():
            st.button(tr(sample.label), key=f"example_{sample.name}", on_click=desk.put, args=(sample.text,))
        st.button(tr("Clear"), key="clear", icon=":material/close:", on_click=desk.put, args=("",), type="tertiary")
        offer_undo(desk.undo)


def offer_undo(undo: Callable[[], None]) -> None:
    """Offers to bring back what an example has replaced, as long as that can be done."""
    if desk.can_undo():
        st.caption(tr("Replaced.") if desk.text() else tr("Cleared."), width="content")
        st.button(tr("Undo"), key="undo_put", icon=":material/undo:", on_click=undo, type="tertiary")


ENCODING = Choice("encoding", DEFAULT, _asked)
ENCODINGS = Choice("encodings", ",".join(COMPARED), _keys, ",".join, is_made=bool)
OF_BYTES = Choice("published", "cl100k_base", _of_bytes)
SPECIAL = Choice("special", "text", one_of(READ_AS))
