"""A lesson on paper: each question with room for its answer, and answers only on request."""

import re
from html import escape, unescape
from typing import NamedTuple

import pytest
from html_tree import parse_html

from tokenizer import parallel_corpus
from tokenizer.lessons import sheet as core
from tokenizer.lessons import telling, views
from tokenizer.lessons.lesson import CHOICE, CUTS, LANGUAGES, NoLesson, lesson, lesson_names, words
from tokenizer.lessons.sheet import sheet
from tokenizer.text.units import graphemes

every = [(name, language) for name in lesson_names() for language in LANGUAGES]


def texts_by_id(page):
    return {element.attributes["id"]: element.text for element in page.all() if "id" in element.attributes}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "language"), every)
def test_sheet_with_answers_gives_the_computed_answers_in_its_language_and_loads_nothing(name, language):
    source, wording, around = sheet(name, language, answers=True), words(name, language), words("page", language)
    assert source.startswith(f'<!doctype html>\n<html lang="{language}">')
    assert wording.text("title") in unescape(re.search("<title>(.*)</title>", source)[1])
    assert "default-src 'none'" in source and not re.search(r"<script|<link|@import|url\(", source)
    assert source == sheet(name, language, answers=True)
    page = parse_html(source)
    assert page.links == []
    for step in lesson(name).steps:
        answer = telling.describe_answer(step, step.right(), wording, around)
        assert texts_by_id(page)[f"answer-{step.id}"] == around.text("answer_is", answer=answer)
        assert telling.sentences(step, step.show(), wording, around, is_own=False) in page.text
        assert wording.text("take", step.id) in page.text
    for sentence in [
        *wording.all("ask", "teacher"),
        *(one for pair in wording.all("thought", "teacher") for one in pair),
    ]:
        assert sentence in page.text


@pytest.mark.parametrize(("name", "language"), every)
def test_sheet_without_answers_has_only_questions_and_room(name, language):
    page, wording, around = parse_html(sheet(name, language)), words(name, language), words("page", language)
    steps = lesson(name).steps
    assert len(page.all(of_class="step")) == len(steps) and not texts_by_id(page)
    for number, step in enumerate(steps, 1):
        assert f"{number}. {wording.text('question', step.id)}" in page.text
        assert wording.text("because", step.id) not in page.text or not wording.text("because", step.id)
        assert wording.text("take", step.id) not in page.text
    assert len(page.all(of_class="line")) == 1 + len(steps) + sum(step.ask not in (CHOICE, CUTS) for step in steps)
    assert len(page.all("i")) >= len(page.all(of_class="line"))
    assert len(page.all(of_class="exercise")) == sum(step.exercise for step in steps)
    assert around.text("teacher") not in page.text
    for step in steps:
        for option in step.options if step.ask == CHOICE else ():
            assert wording.option(step.id, option) in page.text


def test_cuts_to_guess_are_between_graphemes():
    for step in (step for name in lesson_names() for step in lesson(name).steps if step.ask == CUTS):
        ends, at = set(), 0
        for one in graphemes(step.text):
            ends.add(at := at + len(one))
        assert set(step.right()) <= ends


def test_block_of_an_unknown_kind_is_left_out(monkeypatch):
    class Unknown(NamedTuple):
        secret: str

    step = lesson("token").steps[0]
    around = words("page", "en")
    drawn = core.drawn.blocks(step.show(), around)
    monkeypatch.setitem(views.VIEWS, "tokens", lambda *_, **__: shown._replace(blocks=[Unknown("x"), *shown.blocks]))
    shown = views.tokens(step.text)
    assert core.drawn.blocks(step.show(), around) == drawn and drawn
    assert "answer-count" in sheet("token", "en", answers=True)


@pytest.mark.slow
def test_every_block_of_a_lesson_is_drawn():
    for step in (step for name in lesson_names() for step in lesson(name).steps):
        shown = step.show()
        for block in shown.blocks:
            for language in LANGUAGES:
                assert core.drawn.blocks(shown._replace(blocks=[block]), words("page", language)), (step.id, language)


def test_sheet_of_an_unknown_lesson_raises():
    with pytest.raises(NoLesson):
        sheet("../page", "en")


NUMBERED = [step for name in lesson_names() for step in lesson(name).steps if step.is_numbered]


def test_numbered_steps_show_the_sentences_of_their_number():
    without = sheet("languages", "en", answers=False)
    assert {step.view for step in NUMBERED} == {"parallel", "causes"}
    for step in NUMBERED:
        for tag in step.how.get("tags", ["en", step.how.get("tag")]):
            line = parallel_corpus()[tag][int(step.text) - 1]
            assert escape(line) in without
    assert without.count(escape(parallel_corpus()["en"][11])) == len(NUMBERED)
