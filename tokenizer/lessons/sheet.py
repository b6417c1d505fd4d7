"""A printable worksheet of a lesson: questions with space for answers, and optional pages with the answers."""

from html import escape

from tokenizer.display.document import document
from tokenizer.display.strip import html
from tokenizer.lessons import drawn, telling
from tokenizer.lessons.drawn import STYLE
from tokenizer.lessons.lesson import CHOICE, CUTS, Step, lesson, words
from tokenizer.lessons.views import Strip
from tokenizer.lessons.wording import Words
from tokenizer.text.units import graphemes


def sheet(name: str, language: str, answers: bool = False) -> str:
    """Returns a lesson as printable HTML, optionally with answers and notes for teachers; raises NoLesson.

    >>> 'id="answer-cut"' in sheet("token", "en"), 'id="answer-cut"' in sheet("token", "en", answers=True)
    (False, True)
    """
    found, said, page = lesson(name), words(name, language), words("page", language)
    title = said.text("title")
    body = _top(title, page) + "".join(_question(i, step, said, page) for i, step in enumerate(found.steps, 1))
    if answers:
        title = page.text("sheet_answers_of", title=title)
        answers_html = "".join(_answer(i, step, said, page) for i, step in enumerate(found.steps, 1))
        body += (
            f'<section class="answers"><h1>{escape(title)}</h1><p>{escape(page.text("sheet_shared"))}</p>'
            f'{answers_html}<section class="teacher"><h2>{escape(page.text("teacher"))}:'
            f" {escape(page.text('minutes', minutes=found.minutes))}</h2>{notes(said, page)}</section></section>"
        )
    style = f"{drawn.style()}\n{STYLE.with_name('sheet.css').read_text(encoding='utf-8')}"
    return document(escape(title), style, f"<main>\n{body}\n</main>", language)


def notes(said: Words, page: Words) -> str:
    """Returns the notes for teachers as HTML: questions to ask, and common misconceptions."""
    questions = "".join(f"<li>{escape(one)}</li>" for one in said.all("ask", "teacher"))
    thoughts = "".join(f"<dt>“{escape(a)}”</dt><dd>{escape(b)}</dd>" for a, b in said.all("thought", "teacher"))
    return (
        f'<div class="learn-teacher"><h3>{escape(page.text("to_ask"))}</h3><ul>{questions}</ul>'
        f"<h3>{escape(page.text('often_thought'))}</h3><dl>{thoughts}</dl></div>"
    )


def _top(title: str, page: Words) -> str:
    return f'<header class="top"><h1>{escape(title)}</h1>{_line(page.text("sheet_name"))}</header>'


def _line(label: str) -> str:
    """Returns a label with a line to write on."""
    return f'<p class="line">{escape(label)} <i></i></p>'


def _question(number: int, step: Step, said: Words, page: Words) -> str:
    kind = f'<p class="kind">{escape(page.text("exercise"))}</p>' if step.exercise else ""
    question = f"<h2>{number}. {escape(said.text('question', step.id))}</h2>"
    take = _line(page.text("take"))
    classes = "step exercise" if step.exercise else "step"
    return f'<section class="{classes}">{kind}{question}{_given(step, page)}{_room(step, said, page)}{take}</section>'


def _given(step: Step, page: Words) -> str:
    """Returns the text of the question, or the sentences that the step looks up."""
    if step.ask == CUTS:
        return ""
    if not step.is_numbered:
        return _work(step.text)
    texts = [block for block in step.show().blocks if isinstance(block, Strip)]
    return "".join(
        f'<p class="learn-head"><b>{escape(drawn.label(one.label, page))}</b></p>{_work(one.text, one.lang)}'
        for one in texts
    )


def _work(text: str, lang: str = "") -> str:
    return f'<p class="work" lang="{escape(lang)}" dir="auto">{html(text)}</p>' if text else ""


def _room(step: Step, said: Words, page: Words) -> str:
    """Returns the space for the guess: letters to cut between, boxes to tick, or a line."""
    if step.ask == CUTS:
        letters = "".join(f"<li>{html(one)}</li>" for one in graphemes(step.text))
        return f'<p>{escape(page.text("sheet_cut"))}</p><ol class="to-cut" dir="auto">{letters}</ol>'
    if step.ask == CHOICE:
        options = "".join(f"<li><bdi>{escape(said.option(step.id, one))}</bdi></li>" for one in step.options)
        return f'<ul class="options">{options}</ul>'
    return _line(page.text("guess_number"))


def _answer(number: int, step: Step, said: Words, page: Words) -> str:
    shown = step.show()
    answer = page.text("answer_is", answer=telling.in_words(step, step.right(), said, page))
    explanation = telling.sentences(step, shown, said, page, is_own=False)
    return (
        f'<section class="step"><h2>{number}. {escape(said.text("question", step.id))}</h2>'
        f'<p class="answer" id="answer-{escape(step.id)}" dir="auto">{escape(answer)}</p>'
        f'<p class="said">{escape(explanation)}</p>'
        f"{drawn.blocks(shown, page)}"
        f"<p><b>{escape(page.text('take'))}</b> {escape(said.text('take', step.id))}</p></section>"
    )
