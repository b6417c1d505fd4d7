"""docs/courses.md: every item of the five courses has a link or a reason, and every link opens what it names."""

import json
import re
import zlib
from base64 import urlsafe_b64decode
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from apps import alert_text, new_app, ran, until
from paths import FRAME, ROOT

from server.encodings import encoding_store
from server.training import jobs
from tokenizer.lessons.lesson import lesson
from ui.session.import_page import KEY_PATTERN, RunningImport, read_file
from ui.session.visitor_state import KEY, VisitorState

DOC = (ROOT / "docs" / "courses.md").read_text(encoding="utf-8")
SIZES = 35, 26, 109, 33, 22  # items of each course
WITHOUT_LINK = "cannot be done: ", "about models", "a mistake of the course"
ROWS = [
    [re.findall(r"^\| (\d+) \| (.+) \| (.+) \|$", part, re.MULTILINE)]
    for part in re.split(r"^## \d\. .*$", DOC, flags=re.MULTILINE)[1:]
]
REFUSED = {  # what a link shows that a notice is the subject of
    "vocab_size=255": "Cannot train a vocabulary of 255 tokens",
    "ids=99999999": "is not an id of gpt2",
}


def links():
    """Yields each link with the number of the course and the item that has it first."""
    seen = set()
    for course, [rows] in enumerate(ROWS):
        for number, _, where in rows:
            for link in re.findall(r"\]\(http://localhost:8501(/[^)\s]*)\)", where):
                if link not in seen:
                    seen.add(link)
                    yield pytest.param(link, id=f"{course}.{number}")


def content(link):
    """Returns what is behind the # of a link: the text, and the content of `s`."""
    parts = dict(part.split("=", 1) for part in urlsplit(link).fragment.split("&") if part)
    found = {name: zlib.decompress(urlsafe_b64decode(parts[name] + "===")).decode() for name in "ts" if name in parts}
    assert {*parts} <= {"v", "t", "s", "step"} and ("v" in parts) == bool(found)
    return json.loads(found.get("s", "{}")) | ({"text": found["t"]} if "t" in found else {})


def test_every_item_of_the_courses_has_a_link_or_a_reason():
    assert [[int(number) for number, *_ in rows] for [rows] in ROWS] == [[*range(1, n + 1)] for n in SIZES]
    for [rows] in ROWS:
        for number, _, where in rows:
            assert ("](http://localhost:8501/" in where) != where.startswith(WITHOUT_LINK), (number, where)


@pytest.fixture(scope="module")
def no_trainings_left():
    """Stops and deletes all trainings before and after the links, several of which train the same."""
    jobs.reset()
    yield
    jobs.reset()
    encoding_store.reset()


@pytest.mark.slow
@pytest.mark.parametrize("link", [*links()])
@pytest.mark.usefixtures("no_trainings_left")
def test_link_opens_what_it_names(link):
    address, found, state = urlsplit(link), content(link), VisitorState()
    page, query = address.path[1:] or "playground", {name: one for name, [one] in parse_qs(address.query).items()}
    file = {"tokenloupe": "page", "version": 1, "page": page} | found
    imported = read_file(json.dumps(file))
    state.imports.under_way = RunningImport(replace(imported, page=None, text=None))
    state.text = found.get("text", state.text)
    app = new_app(FRAME, **query)
    app.session_state[KEY] = state
    ran(app.switch_page(f"{page}.py").run())
    if running := state.imports.under_way:
        until(lambda: all(job.over for _, job in running.trainings.values()))
        ran(app.run())
    state = app.session_state[KEY]
    assert state.imports.under_way is None and not state.imports.typed.get(page)
    notices = [words for part, words in REFUSED.items() if part in address.query]
    shown = alert_text(app)
    assert all(words in shown for words in notices) and (bool(notices) or shown == "")
    assert state.imports.problems == [] and state.address_problems == {} and state.why.problem is None
    names = [recipe["name"] for recipe in found.get("made", {}).values()]
    assert [one.name for one in state.own_encodings.values()] == names
    for name, value in query.items():
        if page == "why" and name == "text":
            assert state.choices["why_own"].text == value
        elif page != "why" or name != "at":
            is_key = re.fullmatch(KEY_PATTERN, value)
            assert app.query_params[name] in ([*state.own_encodings] if is_key else [value]), name
            assert name in state.choices or name == "trained", name  # some choice has read it
    if page == "learn":
        key = f"{query['lesson']}_{lesson(query['lesson']).steps[int(query['question']) - 1].id}"
        guessed = [*app.session_state["guesses"]] if "guesses" in app.session_state else []
        assert guessed == [key] * ("typed" in found)
