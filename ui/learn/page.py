"""A lesson, one step at a time: a question, the learner's guess, the computed answer, and a text of their own."""

import json
import re
from collections import Counter
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from server.classroom.rooms import MAX_GUESS, ClassProblem, Room, Scene, read_guess
from tokenizer import i18n
from tokenizer.errors import TokenizerError
from tokenizer.i18n import tr
from tokenizer.kinds.registry import get_encoding
from tokenizer.languages.parallel import parallel_corpus
from tokenizer.lessons import drawn, sheet, telling
from tokenizer.lessons.lesson import CHOICE, CUTS, Lesson, Step, lesson, lesson_names, taught_in, words
from tokenizer.lessons.views import MAX_TEXT_CHARACTERS, Shown, Strip, usable
from tokenizer.lessons.wording import Counted, Words
from tokenizer.training.id_pairs import count_pairs, next_id
from ui.components import cache, notices
from ui.learn import blocks, classroom
from ui.learn.cuts import cuts
from ui.session import choices, import_page, page_snapshot, pending_action, pending_values, sync
from ui.session.choices import Choice, one_of
from ui.session.visitor_state import visitor
from ui.widgets import pickers

MAX_LESSON_STEPS = 20
MAX_CHARACTERS_IN_ADDRESS = 1_000  # of a choice
LESSON_NAMES = lesson_names()
LESSON = Choice("lesson", LESSON_NAMES[0], one_of(LESSON_NAMES))
STEP = Choice("question", "1", one_of([str(number) for number in range(1, MAX_LESSON_STEPS + 1)]))
MODEL = re.compile(r"GPT-\d(?:’s)?")  # browsers end lines at its hyphen
NO_GUESS = object()  # stands for the guess of a learner who asked for the answer


def chosen() -> tuple[Lesson, int, Words, Words]:
    """Draws the choice of a lesson and a step; returns the lesson, the step's index, its sentences and the page's."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="learn_options"):
        language = taught_in(i18n.language())
        titles = {name: f"{i}. {words(name, language).text('title')}" for i, name in enumerate(LESSON_NAMES, 1)}
        page = words("page", language)
        found = lesson(LESSON.select(page.text("lesson"), titles, width=420))
        STEP.begin()
        if int(STEP.chosen) > len(found.steps):
            STEP.choose("1")
        done = [" ✓" * (f"{found.name}_{step.id}" in visitor().steps_done) for step in found.steps]
        numbers = {str(number): f"{number}{mark}" for number, mark in enumerate(done, 1)}
        number = int(STEP.segmented(page.text("step"), numbers))
    return found, number - 1, words(found.name, language), page


def show(found: Lesson, at: int, lesson_words: Words, page: Words) -> None:
    """Draws a step: its question, and after the guess the computed answer."""
    step = found.steps[at]
    key = f"{found.name}_{step.id}"
    with st.container(key="stage"):
        if classroom.is_playing():
            _poll(key, classroom.current_room(), _scene(found, at), page)
            return
        where = page.text("step_of", step=at + 1, steps=len(found.steps))
        kind = f" · {page.text('exercise')}" if step.exercise else ""
        named = "" if step.exercise else " named"
        st.html(
            f'<p class="learn-where{named}">{escape(lesson_words.text("title"))} · {escape(where)}{escape(kind)}</p>'
        )
        guess, room = _guesses().get(key), classroom.current_room()
        question = MODEL.sub(r'<span class="whole">\g<0></span>', escape(lesson_words.text("question", step.id)))
        st.html(f'<h2 class="learn-question">{question}</h2>')
        if not step.is_numbered and (step.ask != CUTS or guess is not None or room is not None):
            st.html(f'<p class="learn-text" dir="auto">{escape(step.text)}</p>')
        if room is not None:
            _poll(key, room, _scene(found, at), page)
        if guess is None and step.is_numbered:
            st.html(drawn.sentences(_computed(key, step), page))
        if guess is None and room is None:
            _ask(key, step, lesson_words, page)
            if found.pipeline and at == 0:
                st.html(drawn.pipeline(found.pipeline, lesson_words.text("pipeline"), page))
        if guess is None:
            return
        st.html(_verdict(key, step, guess, lesson_words, page))
        _revealed(key, step, lesson_words, page)
    _after(key, step, lesson_words, page)


# A class


def lead(found: Lesson, at: int, page: Words) -> None:
    """Draws the controls that open and lead a class."""
    key = f"{found.name}_{found.steps[at].id}"
    classroom.lead(_scene(found, at), words("class", page.language), partial(_forget, key))


def turn_to(scene: Scene) -> None:
    """Shows the scene that the class saw before the page was reloaded."""
    key = f"{scene.lesson}_{scene.step.id}"
    LESSON.choose(scene.lesson)
    STEP.choose(str(scene.at + 1))
    if scene.is_revealed:
        _guesses()[key] = NO_GUESS
    if scene.text is not None:
        _put(key, scene.step, scene.text)
    if scene.moved is not None:
        pending_values.set(f"slide_{key}", scene.moved)


def _scene(found: Lesson, at: int) -> Scene:
    """Returns what a class sees of a step."""
    step = found.steps[at]
    key = f"{found.name}_{step.id}"
    is_revealed = key in _guesses()
    text = _own(key, step) if is_revealed else None
    moved = st.session_state.get(f"slide_{key}") if is_revealed and step.slider else None
    if step.slider and moved == step.slider.begins:  # nobody has moved the slider
        moved = None
    return Scene(found.name, at, st.session_state.get(classroom.TOGETHER) is not False, is_revealed, text, moved)


def _put(key: str, step: Step, text: str) -> None:
    pending_values.set(f"own_{key}", int(text) if step.is_numbered and text.isdecimal() else text)


def _poll(key: str, room: Room, scene: Scene, page: Words) -> None:
    """Draws the poll of the class, which replaces the teacher's guess."""
    class_words = words("class", page.language)
    classroom.show(room, scene, class_words, partial(_put, key, scene.step))


# The guess


def _ask(key: str, step: Step, lesson_words: Words, page: Words) -> None:
    """Draws the input for a guess that the step asks for."""
    if step.ask == CUTS:
        labels = {"hint": page.text("guess_cuts"), "check": page.text("check"), "gap": page.text("gap")}
        cuts(f"cuts_{key}", step.text, labels, partial(_guess, key))
    elif step.ask == CHOICE:
        label = page.text("guess_choice")
        options = {option: lesson_words.option(step.id, option) for option in step.options}
        st.pills(label, list(options), format_func=options.get, key=f"guess_{key}", on_change=_picked, args=(key,))
    else:
        with (
            st.form(f"form_{key}", border=False, clear_on_submit=False),
            st.container(horizontal=True, vertical_alignment="bottom"),
        ):
            label, hint = page.text("guess_number"), page.text("a_number")
            st.number_input(label, 0, MAX_GUESS, None, 1, placeholder=hint, width=180, key=f"number_{key}")
            st.form_submit_button(page.text("check"), type="primary", on_click=_picked, args=(key, "number"))
    st.button(page.text("show"), key=f"show_{key}", type="tertiary", on_click=_guess, args=(key, NO_GUESS))


def _picked(key: str, kind: str = "guess") -> None:
    if (picked := st.session_state[f"{kind}_{key}"]) is not None:
        _guess(key, picked)


def _guesses() -> dict[str, Any]:
    return st.session_state.setdefault("guesses", {})


def _guess(key: str, guess: Any) -> None:
    """Stores a guess; the step is done if it is right, or if the answer is shown without one."""
    _guesses()[key] = guess
    step = _steps()[key]
    if guess is NO_GUESS or telling.is_right(step, guess, _computed(key, step).facts[step.answer]):
        visitor().steps_done.add(key)


def _verdict(key: str, step: Step, guess: Any, lesson_words: Words, page: Words) -> str:
    """Returns whether the guess matches the computed answer, as HTML."""
    right = _computed(key, step).facts[step.answer]
    answer = telling.describe_answer(step, right, lesson_words, page)
    if guess is NO_GUESS:
        kind, verdict = "unanswered", page.text("answer_is", answer=answer)
    elif telling.is_right(step, guess, right):
        kind, verdict = "right", f"✓ {page.text('right', answer=answer)}"
    else:
        guessed = telling.describe_answer(step, guess, lesson_words, page)
        kind, verdict = "wrong", page.text("wrong", guess=guessed, answer=answer)
    return f'<p class="learn-verdict {kind}" role="status">{escape(verdict)}</p>'


# The answer


def _revealed(key: str, step: Step, lesson_words: Words, page: Words) -> None:
    """Draws the result for the step's text, or for the learner's own, and the sentences about it."""
    own, moved = _own(key, step), _moved(key, step, lesson_words)
    if (size := len(str(st.session_state.get(f"own_{key}") or ""))) > MAX_TEXT_CHARACTERS:
        result = tr(
            "Only the first {most:,} of {n:,} characters are read. To see the rest, delete characters at the "
            "beginning.",
            most=MAX_TEXT_CHARACTERS,
            n=size,
        )
        notices.show(result)
    try:
        shown = _computed(key, step, own, moved)
    except TokenizerError as error:
        notices.show(str(error))
        shown, own = _computed(key, step, None, moved), None
    blocks.draw(key, shown, page)
    is_as_it_was = own is None and moved in (None, step.slider and step.slider.begins)
    result = telling.sentences(step, shown, lesson_words, page, is_own=not is_as_it_was)
    st.html(f'<p class="learn-result">{escape(result)}</p>')


def _computed(key: str, step: Step, own: str | None = None, moved: int | None = None) -> Shown:
    """Returns a step's result from the cache: some steps train a tokenizer."""
    at = {} if moved is None else {step.slider.name: moved}
    return cache.get_or_compute(lambda: step.show(own, **at), "lesson", key, own, moved)


def _moved(key: str, step: Step, lesson_words: Words) -> int | None:
    """Draws the slider of a step and returns its value; None for a step without one."""
    if step.slider is None:
        return None
    _, least, most, begins, by, _ = step.slider
    label = lesson_words.text("slider", step.id)
    pending_values.begin_again(f"slide_{key}", begins)
    return st.slider(label, least, most, begins, by, format="localized", key=f"slide_{key}", persist_state="session")


def _own(key: str, step: Step) -> str | None:
    """Returns the text that the learner tries instead of the step's; None without one."""
    written = st.session_state.get(f"own_{key}")
    return None if written in (None, "") else usable(str(written))


def _after(key: str, step: Step, lesson_words: Words, page: Words) -> None:
    """Draws the step's conclusion, an input for a text of one's own, and a button that opens it on another page."""
    take = lesson_words.text("take", step.id)
    st.html(f'<p class="learn-take"><b>{escape(page.text("take"))}</b> {escape(take)}</p>')
    with st.container(horizontal=True, vertical_alignment="bottom", key="learn_own"):
        own = {"key": f"own_{key}", "persist_state": "session"}
        pending_values.begin_again(own["key"], None if step.is_numbered else "")
        if step.is_numbered:
            most = len(parallel_corpus()["en"])
            label = page.text("own_sentence", most=Counted(most))
            st.number_input(label, 1, most, None, 1, width=320, **own)
        else:
            st.text_input(page.text("own"), help=page.text("own_hint"), width=420, **own)
        is_class = classroom.current_room() is not None
        button_label = words("class", page.language).text("again", "teacher") if is_class else page.text("again")
        st.button(button_label, key=f"again_{key}", on_click=_forget, args=(key,))
        if pending_action.button(page.text("open", page=page.sentences["pages"][step.page]), key=f"open_{key}"):
            _open(key, step, _own(key, step))


def _open(key: str, step: Step, own: str | None) -> None:
    """Opens the page that a step leads to, with the step's text and choices."""
    text, params = step.text if own is None else own, {}
    if step.role:
        params["chat"] = json.dumps([[step.role, text]], ensure_ascii=False)
    elif not step.is_numbered and step.view != "patches":
        visitor().put_text(_on_desk(key, step, text))
    moved = {step.slider.choice: st.session_state[f"slide_{key}"]} if step.slider and step.slider.choice else {}
    for name, chosen in {**step.choices, **moved, **_from_text(step, text)}.items():
        Choice(name, str(chosen), type(chosen), _short).choose(chosen)
    if found := step.how.get("encodings") or step.how.get("patterns"):
        pickers.ENCODINGS.choose(list(found))
    pickers.ENCODING.choose((found or [step.how.get("encoding", pickers.DEFAULT)])[0])
    choices.choose_from_address(params)
    import_page.discard_pending(step.page)
    st.switch_page(f"{step.page}.py", query_params=params)


def _on_desk(key: str, step: Step, text: str) -> str:
    """Returns the text for the visitor's other pages: where a page shows any text, each text of the step on a line."""
    if step.page not in ("playground", "hood"):
        return text
    try:
        shown = _computed(key, step, text).blocks
    except TokenizerError:  # `_revealed` has shown the error, and the result for the step's own text
        shown = _computed(key, step).blocks
    return "\n".join(dict.fromkeys(block.text for block in shown if isinstance(block, Strip))) or text


def _from_text(step: Step, text: str) -> dict[str, str | int]:
    """Returns choices for a page that does not use the text: a sentence number or ids; stores words with counts."""
    if step.is_numbered:
        st.session_state.seen_in = step.how["encoding"]
        return {"sentence": int(text)}
    if step.page == "decode":
        return {"ids": " ".join(map(str, get_encoding(step.how["encoding"]).encode(text)))}
    if step.choices.get("view") == "merge" and len(text) > 1:
        ids = [*map(ord, text)]
        left, right = count_pairs(ids)[0].pair
        return {"sequence": ", ".join(map(str, ids)), "pair": f"{left}, {right}", "new_id": str(next_id(ids))}
    if step.choices.get("corpus") == "words":
        st.session_state.corpus_words = "\n".join(f"{word} {count}" for word, count in Counter(text.split()).items())
    return {}


def _short(chosen: object) -> str | None:
    """Returns the choice for the address, or None where it is too long."""
    return str(chosen) if len(str(chosen)) <= MAX_CHARACTERS_IN_ADDRESS else None


def _forget(key: str) -> None:
    _guesses().pop(key, None)
    for name in (f"{kind}_{key}" for kind in ("guess", "number", "own", "slide")):
        if st.session_state.get(name) is not None:
            pending_values.mark_removed(name)
        st.session_state.pop(name, None)


def turn(found: Lesson, at: int, page: Words) -> None:
    """Draws the buttons to the previous and the next step, and in a class that which reveals the answer.

    Before the guess, these two are secondary; in a class, the revealing one is primary. A game has its own buttons.
    """
    if classroom.is_playing():
        return
    after, key = LESSON_NAMES.index(found.name) + 1, f"{found.name}_{found.steps[at].id}"
    kind = "primary" if key in _guesses() else "secondary"
    with st.container(horizontal=True, key="stage_turn"):
        if classroom.current_room() is not None and key not in _guesses():
            label = words("class", page.language).text("reveal", "teacher")
            st.button(label, key=f"reveal_{key}", type="primary", on_click=_guess, args=(key, NO_GUESS))
        st.button(page.text("back"), disabled=at == 0, on_click=STEP.choose, args=(str(at),), key="learn_back")
        if at + 1 < len(found.steps):
            st.button(page.text("next"), type=kind, on_click=STEP.choose, args=(str(at + 2),), key="learn_next")
        elif after < len(LESSON_NAMES):
            title = words(LESSON_NAMES[after], page.language).text("title")
            label = page.text("next_lesson", title=title)
            st.button(label, type=kind, on_click=_next_lesson, args=(LESSON_NAMES[after],), key="learn_next")


def _next_lesson(name: str) -> None:
    LESSON.choose(name)
    STEP.choose("1")


def teacher(found: Lesson, lesson_words: Words, page: Words) -> None:
    """Draws the notes for teachers: duration, questions to ask, common misconceptions, and worksheets."""
    with st.expander(f"{page.text('teacher')}: {page.text('minutes', minutes=found.minutes)}"):
        _sheets(found, page)
        st.html(sheet.notes(lesson_words, page))


def _sheets(found: Lesson, page: Words) -> None:
    """Draws the downloads of the worksheet, without answers and with them."""
    with st.container(horizontal=True):
        for key, answers in (("sheet", False), ("sheet_answers", True)):
            name = f"{found.name}-{page.language}{'-answers' * answers}.html"
            write = partial(sheet.sheet, found.name, page.language, answers)
            st.download_button(page.text(key), write, name, "text/html", on_click="ignore", key=f"{key}_{name}")


# State in a link: the own text, the guess, and the slider of the shown step


def _step() -> tuple[str, Step]:
    for choice in (LESSON, STEP):
        choice.begin()
    found = lesson(LESSON.chosen)
    step = found.steps[min(int(STEP.chosen), len(found.steps)) - 1]
    return f"{found.name}_{step.id}", step


def _steps() -> dict[str, Step]:
    """Returns the steps of all lessons by their keys, `<lesson>_<step>`."""
    return {f"{found.name}_{step.id}": step for found in map(lesson, LESSON_NAMES) for step in found.steps}


def _typed(key: str, step: Step) -> list | None:
    """Returns the own text, the guess and the slider's value; None before a guess."""
    guess, own = _guesses().get(key), st.session_state.get(f"own_{key}") or None
    moved = st.session_state.get(f"slide_{key}") if step.slider else None
    return None if guess is None else [own, None if guess is NO_GUESS else guess, moved]


def _seen() -> list | None:
    key, step = _step()
    own, guess, moved = _typed(key, step) or (None, None, None)
    is_as_it_was = own is None and moved in (None, step.slider and step.slider.begins)
    return None if is_as_it_was else [own, guess, moved, key]


def _take_seen(found: list) -> None:
    (own, guess, *moved), (key, step) = found, _step()
    if len(moved) < 2 or moved[1] == key:  # otherwise another step has been opened since
        _take(key, step, own, guess, *moved[:1])


def _take(key: str, step: Step, own: object, guess: object, moved: object = None) -> None:
    if own is not None and step.is_numbered:
        pending_values.set(f"own_{key}", min(max(1, int(own)), len(parallel_corpus()["en"])))
    elif own is not None:
        pending_values.set(f"own_{key}", page_snapshot.checked_text(own)[:MAX_TEXT_CHARACTERS])
    if step.slider and moved is not None:
        pending_values.set(f"slide_{key}", step.slider.nearest(int(moved)))
    try:
        _guess(key, read_guess(step, guess))  # JSON has no tuples: cuts come back as a list
    except ClassProblem:
        _guess(key, NO_GUESS)


# State in the tab: the same for all steps, and guesses without an own text


def _done() -> dict[str, list] | None:
    return {key: done for key, step in _steps().items() if (done := _typed(key, step))} or None


def _take_done(found: dict[str, list]) -> None:
    steps = _steps()
    for key, done in found.items():
        _take(key, steps[key], *done)


# State in the browser: which steps are done, known to no one else, and the class that is open


def _take_steps(found: Any) -> None:
    if isinstance(found, list):
        visitor().steps_done.update(_steps().keys() & {one for one in found if isinstance(one, str)})


sync.register("lessons", "learn", lambda: sorted(visitor().steps_done), _take_steps)
sync.register("class", "learn", classroom.kept, partial(classroom.restore, turn_to))
page_snapshot.register("learn", "own", _seen, _take_seen)
page_snapshot.register("learn", "done", _done, _take_done, page_snapshot.TAB)
