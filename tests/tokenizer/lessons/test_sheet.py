"""A lesson on paper: each question with room for its answer, and answers only on request."""

import re
from html import escape, unescape
from html.parser import HTMLParser
from typing import NamedTuple

import pytest

from tokenizer import parallel_corpus
from tokenizer.lessons import sheet as core
from tokenizer.lessons import telling, views
from tokenizer.lessons.lesson import CHOICE, CUTS, LANGUAGES, NoLesson, lesson, lesson_names, words
from tokenizer.lessons.sheet import sheet
from tokenizer.text.units import graphemes

VOID = {"meta"}
every = pytest.mark.parametrize(("name", "language"), [(name, tag) for name in lesson_names() for tag in LANGUAGES])


class Page(HTMLParser):
    """Parses a page: its texts by element id, its whole text and its elements, which must be nested."""

    def __init__(self, source):
        super().__init__()
        self.open, self.elements, self.texts, self.all, self.classes = [], [], {}, "", []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.elements.append(tag)
        self.classes += (attrs.get("class") or "").split()
        assert not [name for name in attrs if name.startswith("on") or name in ("src", "href")]
        if tag not in VOID:
            self.open.append((tag, attrs.get("id")))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        for id in filter(None, [id for _, id in self.open]):
            self.texts[id] = self.texts.get(id, "") + data
        if "style" not in [tag for tag, _ in self.open]:
            self.all += data


@pytest.mark.slow
@every
def test_sheet_with_answers_gives_the_computed_answers(name, language):
    page, wording, around = Page(sheet(name, language, answers=True)), words(name, language), words("page", language)
    for step in lesson(name).steps:
        answer = telling.describe_answer(step, step.right(), wording, around)
        assert page.texts[f"answer-{step.id}"] == around.text("answer_is", answer=answer)
        assert telling.sentences(step, step.show(), wording, around, is_own=False) in page.all
        assert wording.text("take", step.id) in page.all
    for sentence in [
        *wording.all("ask", "teacher"),
        *(one for pair in wording.all("thought", "teacher") for one in pair),
    ]:
        assert sentence in page.all


@every
def test_sheet_without_answers_has_only_questions_and_room(name, language):
    page, wording, around = Page(sheet(name, language)), words(name, language), words("page", language)
    steps = lesson(name).steps
    assert page.classes.count("step") == len(steps) and not page.texts
    for number, step in enumerate(steps, 1):
        assert f"{number}. {wording.text('question', step.id)}" in page.all
        assert wording.text("because", step.id) not in page.all or not wording.text("because", step.id)
        assert wording.text("take", step.id) not in page.all
    assert page.classes.count("line") == 1 + len(steps) + sum(step.ask not in (CHOICE, CUTS) for step in steps)
    assert page.elements.count("i") >= page.classes.count("line")
    assert page.classes.count("exercise") == sum(step.exercise for step in steps)
    assert around.text("teacher") not in page.all
    for step in steps:
        for option in step.options if step.ask == CHOICE else ():
            assert wording.option(step.id, option) in page.all


@every
def test_sheet_has_its_language_and_loads_nothing(name, language):
    source = sheet(name, language, answers=True)
    assert source.startswith(f'<!doctype html>\n<html lang="{language}">')
    assert "default-src 'none'" in source and not re.search(r"<script|<link|@import|url\(", source)
    assert source == sheet(name, language, answers=True)
    title = words(name, language).text("title")
    assert title in unescape(re.search("<title>(.*)</title>", source)[1])


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


@every
def test_every_block_of_a_lesson_is_drawn(name, language):
    for step in lesson(name).steps:
        shown = step.show()
        for block in shown.blocks:
            assert core.drawn.blocks(shown._replace(blocks=[block]), words("page", language)), (name, step.id)


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
