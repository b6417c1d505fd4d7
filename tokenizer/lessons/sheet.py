"""A printable worksheet of a lesson: questions with space for answers, and optional pages with the answers."""

from tokenizer.display.document import document
from tokenizer.display.templates import escaped
from tokenizer.lessons import drawn, telling
from tokenizer.lessons.drawn import STYLE
from tokenizer.lessons.lesson import lesson, words
from tokenizer.text.units import graphemes

HELPERS = {
    "blocks": drawn.blocks,
    "graphemes": graphemes,
    "describe_answer": telling.describe_answer,
    "sentences": telling.sentences,
}
_template = drawn.environment.get_template("sheet.jinja", globals=HELPERS)
notes = drawn.notes


def sheet(name: str, language: str, answers: bool = False) -> str:
    """Returns a lesson as printable HTML, optionally with answers and notes for teachers; raises NoLesson.

    >>> 'id="answer-cut"' in sheet("token", "en"), 'id="answer-cut"' in sheet("token", "en", answers=True)
    (False, True)
    """
    found, lesson_words, page = lesson(name), words(name, language), words("page", language)
    title = lesson_words.text("title")
    if answers:
        title = page.text("sheet_answers_of", title=title)
    body = _template.render(lesson=found, lesson_words=lesson_words, page=page, title=title, answers=answers)
    style = f"{drawn.style()}\n{STYLE.with_name('sheet.css').read_text(encoding='utf-8')}"
    return document(escaped(title), style, body, language)
