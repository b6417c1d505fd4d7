"""A lesson, one question at a time: guess, see what the core computes, try your own."""

import json
from collections import Counter
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from server.classroom.rooms import Room, Scene
from tokenizer import i18n
from tokenizer.errors import TokenizerError
from tokenizer.i18n import tr
from tokenizer.kinds.registry import get_encoding
from tokenizer.languages.parallel import parallel_corpus
from tokenizer.lessons import sheet, telling
from tokenizer.lessons.lesson import CHOICE, CUTS, Lesson, Step, lesson, lesson_names, taught_in, words
from tokenizer.lessons.views import LONGEST, Shown, Strip, usable
from tokenizer.lessons.wording import Counted, Words
from ui.components import cache, notices
from ui.learn import blocks, classroom
from ui.learn.cuts import cuts
from ui.session import choices, import_page, page_snapshot, pending_action
from ui.session.choices import Choice, one_of
from ui.session.visitor_state import visitor
from ui.widgets import pickers

MOST_STEPS = 20
MOST_IN_ADDRESS = 1_000  # characters of a choice
NAMES = lesson_names()
LESSON = Choice("lesson", NAMES[0], one_of(NAMES))
STEP = Choice("question", "1", one_of([str(number) for number in range(1, MOST_STEPS + 1)]))
UNTOLD = object()  # of who wants to see, and does not guess


def chosen() -> tuple[Lesson, int, Words, Words]:
    """Asks for a lesson, and returns it, the step by its index, its words and those of the page."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="learn_options"):
        language = taught_in(i18n.language())
        titles = {name: f"{i}. {words(name, language).text('title')}" for i, name in enumerate(NAMES, 1)}
        page = words("page", language)
        found = lesson(LESSON.select(page.text("lesson"), titles, width=420))
        STEP.begin()
        if int(visitor().choices[STEP.name]) > len(found.steps):
            STEP.choose("1")
        done = [" ✓" * (f"{found.name}_{step.id}" in visitor().steps_done) for step in found.steps]
        numbers = {str(number): f"{number}{mark}" for number, mark in enumerate(done, 1)}
        number = int(STEP.segmented(page.text("step"), numbers))
    return found, number - 1, words(found.name, language), page


def show(found: Lesson, at: int, said: Words, page: Words) -> None:
    """Draws the step: its question, and once it is guessed what comes of it."""
    step = found.steps[at]
    key = f"{found.name}_{step.id}"
    with st.container(key="stage"):
        where = page.text("step_of", step=at + 1, steps=len(found.steps))
        kind = f" · {page.text('exercise')}" if step.exercise else ""
        st.html(f'<p class="learn-where">{escape(said.text("title"))} · {escape(where)}{escape(kind)}</p>')
        st.html(f'<h2 class="learn-question">{escape(said.text("question", step.id))}</h2>')
        guess = _guesses().get(key)
        room = classroom.now()
        if not step.is_numbered and (step.ask != CUTS or guess is not None or room is not None):
            st.html(f'<p class="learn-text" dir="auto">{escape(step.text)}</p>')
        if room is not None:
            _poll(key, room, _scene(found, at), page)
        elif guess is None:
            _ask(key, step, said, page)
        if guess is None:
            return
        st.html(_verdict(key, step, guess, said, page))
        _revealed(key, step, said, page)
    _after(key, step, said, page)


# ---- a class ----


def lead(found: Lesson, at: int, page: Words) -> None:
    """Draws what opens a class, and what leads one."""
    key = f"{found.name}_{found.steps[at].id}"
    classroom.lead(_scene(found, at), words("class", page.language), partial(_forget, key))


def turn_to(scene: Scene) -> None:
    """Turns to what a class was shown before the page was loaded anew."""
    key = f"{scene.lesson}_{scene.step.id}"
    LESSON.choose(scene.lesson)
    STEP.choose(str(scene.at + 1))
    if scene.is_revealed:
        _guesses()[key] = UNTOLD
    if scene.text is not None:
        _put(key, scene.step, scene.text)
    if scene.moved is not None:
        st.session_state[f"slide_{key}"] = scene.moved


def _scene(found: Lesson, at: int) -> Scene:
    """What a class is to see of the step."""
    step = found.steps[at]
    key = f"{found.name}_{step.id}"
    is_revealed = key in _guesses()
    text = _own(key, step) if is_revealed else None
    moved = st.session_state.get(f"slide_{key}") if is_revealed and step.slider else None
    return Scene(found.name, at, st.session_state.get(classroom.TOGETHER) is not False, is_revealed, text, moved)


def _put(key: str, step: Step, text: str) -> None:
    st.session_state[f"own_{key}"] = int(text) if step.is_numbered and text.isdecimal() else text


def _poll(key: str, room: Room, scene: Scene, page: Words) -> None:
    """Asks the class in place of the teacher, and draws how it answers."""
    around = words("class", page.language)
    classroom.show(room, scene, around, partial(_put, key, scene.step))
    if not scene.is_revealed:
        told = around.text("reveal", "teacher")
        st.button(told, key=f"reveal_{key}", type="primary", on_click=_guess, args=(key, UNTOLD))


# ---- the guess ----


def _ask(key: str, step: Step, said: Words, page: Words) -> None:
    """Asks for a guess in the way of the step."""
    if step.ask == CUTS:
        told = {"hint": page.text("guess_cuts"), "check": page.text("check"), "gap": page.text("gap")}
        cuts(f"cuts_{key}", step.text, told, partial(_guess, key))
    elif step.ask == CHOICE:
        label = page.text("guess_choice")
        options = {option: said.option(step.id, option) for option in step.options}
        st.pills(label, list(options), format_func=options.get, key=f"guess_{key}", on_change=_picked, args=(key,))
    else:
        with (
            st.form(f"form_{key}", border=False, clear_on_submit=False),
            st.container(horizontal=True, vertical_alignment="bottom"),
        ):
            st.number_input(page.text("guess_number"), 0, 100_000, None, 1, width=160, key=f"number_{key}")
            st.form_submit_button(page.text("check"), type="primary", on_click=_picked, args=(key, "number"))
    if not step.exercise:
        st.button(page.text("show"), key=f"show_{key}", type="tertiary", on_click=_guess, args=(key, UNTOLD))


def _picked(key: str, kind: str = "guess") -> None:
    if (picked := st.session_state[f"{kind}_{key}"]) is not None:
        _guess(key, picked)


def _guesses() -> dict[str, Any]:
    return st.session_state.setdefault("guesses", {})


def _guess(key: str, guess: Any) -> None:
    _guesses()[key] = guess
    visitor().steps_done.add(key)


def _verdict(key: str, step: Step, guess: Any, said: Words, page: Words) -> str:
    """Whether the guess was right, by the core's answer of now, as HTML."""
    right = _computed(key, step).facts[step.answer]
    answer = telling.in_words(step, right, said, page)
    if guess is UNTOLD:
        kind, told = "told", page.text("answer_is", answer=answer)
    elif telling.is_right(step, guess, right):
        kind, told = "right", f"✓ {page.text('right', answer=answer)}"
    else:
        kind, told = "wrong", page.text("wrong", guess=telling.in_words(step, guess, said, page), answer=answer)
    return f'<p class="learn-verdict {kind}" role="status">{escape(told)}</p>'


# ---- what comes of it ----


def _revealed(key: str, step: Step, said: Words, page: Words) -> None:
    """Draws what is computed of the step's text, or of the reader's own, and says what it shows."""
    own, moved = _own(key, step), _moved(key, step, said)
    if (size := len(str(st.session_state.get(f"own_{key}") or ""))) > LONGEST:
        told = tr(
            "Only the first {most:,} of {n:,} characters are read. Delete some of them to see what follows.",
            most=LONGEST,
            n=size,
        )
        notices.show(told)
    try:
        shown = _computed(key, step, own, moved)
    except TokenizerError as error:
        notices.show(str(error))
        shown, own = _computed(key, step, None, moved), None
    blocks.draw(key, shown, page)
    is_as_it_was = own is None and moved in (None, step.slider and step.slider.begins)
    told = telling.sentences(step, shown, said, page, is_own=not is_as_it_was)
    st.html(f'<p class="learn-said">{escape(told)}</p>')


def _computed(key: str, step: Step, own: str | None = None, moved: int | None = None) -> Shown:
    """What a step computes, once for all who ask the same: some steps train a tokenizer."""
    at = {} if moved is None else {step.slider.name: moved}
    return cache.get_or_compute(lambda: step.show(own, **at), "lesson", key, own, moved)


def _moved(key: str, step: Step, said: Words) -> int | None:
    """Draws the slider of a step that has one, and returns where it stands."""
    if step.slider is None:
        return None
    _, least, most, begins, by, _ = step.slider
    label = said.text("slider", step.id)
    return st.slider(label, least, most, begins, by, format="localized", key=f"slide_{key}", persist_state="session")


def _own(key: str, step: Step) -> str | None:
    """The text that the reader tries instead of the step's; None while there is none."""
    written = st.session_state.get(f"own_{key}")
    return None if written in (None, "") else usable(str(written))


def _after(key: str, step: Step, said: Words, page: Words) -> None:
    """Draws what one takes away, a box for a text of one's own, and where to go on."""
    st.html(f'<p class="learn-take"><b>{escape(page.text("take"))}</b> {escape(said.text("take", step.id))}</p>')
    with st.container(horizontal=True, vertical_alignment="bottom", key="learn_own"):
        own = {"key": f"own_{key}", "persist_state": "session"}
        if step.is_numbered:
            most = len(parallel_corpus()["en"])
            label = page.text("own_sentence", most=Counted(most))
            st.number_input(label, 1, most, None, 1, width=320, **own)
        else:
            st.text_input(page.text("own"), help=page.text("own_hint"), width=420, **own)
        is_class = classroom.now() is not None
        again = words("class", page.language).text("again", "teacher") if is_class else page.text("again")
        st.button(again, key=f"again_{key}", on_click=_forget, args=(key,))
        if pending_action.button(page.text("open", page=page.said["pages"][step.page]), key=f"open_{key}"):
            _open(key, step, _own(key, step))


def _open(key: str, step: Step, own: str | None) -> None:
    """Turns to the page that a step leads to, with its text where that page looks for it and all else chosen."""
    text, asked = step.text if own is None else own, {}
    if step.role:
        asked["chat"] = json.dumps([[step.role, text]], ensure_ascii=False)
    elif not step.is_numbered and step.view != "patches":
        visitor().put_text(_on_desk(key, step, text))
    moved = {step.slider.choice: st.session_state[f"slide_{key}"]} if step.slider and step.slider.choice else {}
    for name, chosen in {**step.choices, **moved, **_from_text(step, text)}.items():
        Choice(name, str(chosen), type(chosen), _short).choose(chosen)
    if found := step.how.get("encodings") or step.how.get("patterns"):
        pickers.ENCODINGS.choose(list(found))
    pickers.ENCODING.choose((found or [step.how.get("encoding", pickers.DEFAULT)])[0])
    choices.choose_from_address(asked)
    import_page.discard_pending(step.page)
    st.switch_page(f"{step.page}.py", query_params=asked)


def _on_desk(key: str, step: Step, text: str) -> str:
    """What a page reads of a step: where it shows any text, each of those that the step showed on a line of its own."""
    if step.page not in ("playground", "hood"):
        return text
    try:
        shown = _computed(key, step, text).blocks
    except TokenizerError:  # which has been said, and the step's own was shown
        shown = _computed(key, step).blocks
    return "\n".join(dict.fromkeys(block.text for block in shown if isinstance(block, Strip))) or text


def _from_text(step: Step, text: str) -> dict[str, str | int]:
    """What a text is to a page that does not read the desk: the number of a sentence, ids, or words with counts."""
    if step.is_numbered:
        st.session_state.seen_in = step.how["encoding"]
        return {"sentence": int(text)}
    if step.page == "decode":
        return {"ids": " ".join(map(str, get_encoding(step.how["encoding"]).encode(text)))}
    if step.choices.get("corpus") == "words":
        st.session_state.corpus_words = "\n".join(f"{word} {count}" for word, count in Counter(text.split()).items())
    return {}


def _short(chosen: object) -> str | None:
    """What stands in the address of something chosen: nothing where it is long."""
    return str(chosen) if len(str(chosen)) <= MOST_IN_ADDRESS else None


def _forget(key: str) -> None:
    _guesses().pop(key, None)
    for kind in ("guess", "number", "own", "slide"):
        st.session_state.pop(f"{kind}_{key}", None)


def turn(found: Lesson, at: int, page: Words) -> None:
    """Draws the way back and on."""
    after = NAMES.index(found.name) + 1
    with st.container(horizontal=True, key="stage_turn"):
        st.button(page.text("back"), disabled=at == 0, on_click=STEP.choose, args=(str(at),), key="learn_back")
        if at + 1 < len(found.steps):
            st.button(page.text("next"), type="primary", on_click=STEP.choose, args=(str(at + 2),), key="learn_next")
        elif after < len(NAMES):
            title = words(NAMES[after], page.language).text("title")
            label = page.text("next_lesson", title=title)
            st.button(label, type="primary", on_click=_next_lesson, args=(NAMES[after],), key="learn_next")


def _next_lesson(name: str) -> None:
    LESSON.choose(name)
    STEP.choose("1")


def teacher(found: Lesson, said: Words, page: Words) -> None:
    """Draws what is for teachers: how long it takes, what to ask, what people often think."""
    with st.expander(f"{page.text('teacher')}: {page.text('minutes', minutes=found.minutes)}"):
        _sheets(found, page)
        st.html(sheet.notes(said, page))


def _sheets(found: Lesson, page: Words) -> None:
    """Offers the lesson on paper, with its answers and without."""
    with st.container(horizontal=True):
        for key, answers in (("sheet", False), ("sheet_answers", True)):
            name = f"{found.name}-{page.language}{'-answers' * answers}.html"
            write = partial(sheet.sheet, found.name, page.language, answers)
            st.download_button(page.text(key), write, name, "text/html", on_click="ignore", key=f"{key}_{name}")


# ---- what a link carries: a text of one's own and where the slider is, with the guess: what comes of it is seen ----


def _step() -> tuple[str, Step]:
    for choice in (LESSON, STEP):
        choice.begin()
    found = lesson(visitor().choices[LESSON.name])
    step = found.steps[min(int(visitor().choices[STEP.name]), len(found.steps)) - 1]
    return f"{found.name}_{step.id}", step


def _steps() -> dict[str, Step]:
    """The steps of all lessons, by the names that they have here."""
    return {f"{found.name}_{step.id}": step for found in map(lesson, NAMES) for step in found.steps}


def _typed(key: str, step: Step) -> list | None:
    """A text of one's own, the guess, and where the slider is; None where there is nothing of it."""
    guess, own = _guesses().get(key), st.session_state.get(f"own_{key}") or None
    moved = st.session_state.get(f"slide_{key}") if step.slider else None
    return None if guess is None else [own, None if guess is UNTOLD else guess, moved]


def _seen() -> list | None:
    key, step = _step()
    own, guess, moved = _typed(key, step) or (None, None, None)
    is_as_it_was = own is None and moved in (None, step.slider and step.slider.begins)
    return None if is_as_it_was else [own, guess, moved, key]


def _take_seen(found: list) -> None:
    (own, guess, *moved), (key, step) = found, _step()
    if len(moved) < 2 or moved[1] == key:  # otherwise another step is open by now
        _take(key, step, own, guess, *moved[:1])


def _take(key: str, step: Step, own: object, guess: object, moved: object = None) -> None:
    if own is not None and step.is_numbered:
        st.session_state[f"own_{key}"] = min(max(1, int(own)), len(parallel_corpus()["en"]))
    elif own is not None:
        st.session_state[f"own_{key}"] = page_snapshot.checked_text(own)[:LONGEST]
    if step.slider and moved is not None:
        st.session_state[f"slide_{key}"] = min(max(step.slider.least, int(moved)), step.slider.most)
    _guess(key, guess if _can_be(step, guess) else UNTOLD)


# ---- what the tab keeps besides: all that was done in other steps, and guesses alone ----


def _done() -> dict[str, list] | None:
    return {key: done for key, step in _steps().items() if (done := _typed(key, step))} or None


def _take_done(found: dict[str, list]) -> None:
    steps = _steps()
    for key, done in found.items():
        _take(key, steps[key], *done)


def _can_be(step: Step, guess: object) -> bool:
    """Whether somebody may have guessed this."""
    if step.ask == CUTS:
        return isinstance(guess, list) and all(type(at) is int and 0 < at < len(step.text) for at in guess)
    return guess in step.options if step.ask == CHOICE else type(guess) is int and 0 <= guess <= 100_000


page_snapshot.register("learn", "own", _seen, _take_seen)
page_snapshot.register("learn", "done", _done, _take_done, page_snapshot.TAB)
