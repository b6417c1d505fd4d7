"""The routes of a class: answers to phones and teachers, refusals, and long polling."""

import asyncio
import json
import re
import threading
import time
from collections import Counter
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, replace
from html import unescape

import httpx2 as httpx
import pytest
from apps import until
from starlette.applications import Starlette
from starlette.testclient import TestClient

from server import limits
from server import routes as all_routes
from server.classroom import game_serializers, long_poll, rooms, routes, serializers
from server.classroom.rooms import Scene
from server.limits.fair_queue import MAX_WAITING_PER_ADDRESS, Slots
from tokenizer.display.qr import qr_svg
from tokenizer.languages.parallel import parallel_corpus
from tokenizer.lessons.lesson import LANGUAGES, lesson, lesson_names, words

CLIENT = TestClient(Starlette(routes=all_routes.routes), follow_redirects=False)
ME, OTHER = "one phone", "another phone"
JSON = {"content-type": "application/json"}
IDS = {}


def id_of(code, name=ME):
    """Returns the phone's id in this room, or its name where there is no such room."""
    room = next((one for one in rooms.open_rooms() if one.code == code), None)
    return IDS.setdefault((room.key, name), room.new_id("10.0.0.1")) if room else name


def state(code, me=ME, client=CLIENT, **query):
    return client.get(f"/class/{code}/state", params={"me": id_of(code, me), **query})


def guess(code, value, me=ME, **more):
    found = {"me": id_of(code, me), "lesson": "token", "id": "count", "guess": value, **more}
    return CLIENT.post(f"/class/{code}/guess", json=found)


def board(room, secret, **query):
    return CLIENT.get(f"/class/{room.code}/board", params=query, headers={"x-class-secret": secret})


def labels(found):
    return {bar["label"]: bar["count"] for bar in found["bars"]}


# The page


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_is_small_has_a_strict_policy_and_is_localized(language):
    page = CLIENT.get(f"/class?lang={language}")
    files = [CLIENT.get(path) for path in re.findall(r'(?:src|href)="(/class/[^"]+)"', page.text)]
    assert len(files) == 3 and all(one.status_code == 200 for one in files)
    assert sum(len(one.content) for one in (page, *files)) < 42_000
    assert f'<html lang="{language}">' in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert not re.search(r"<style|<script>|\sstyle=|\son\w+=|https?://", page.text)
    page_words = json.loads(unescape(re.search(r'data-words="([^"]*)"', page.text)[1]))
    assert page_words["waiting"] == words("class", language).text("waiting", "phone")
    script = next(one for one in files if "javascript" in one.headers["content-type"]).text
    assert set(re.findall(r"words\.(\w+)", script)) <= page_words.keys()


def test_page_without_a_code_shows_the_address_and_its_qr_code(monkeypatch):
    assert "<svg" not in CLIENT.get("/class").text
    monkeypatch.setenv("TOKENLOUPE_ADDRESS", "http://192.168.1.5:8501")
    found = CLIENT.get("/class?lang=th").text
    assert "192.168.1.5:8501/class</p>" in found and "<svg" not in CLIENT.get("/class/ABCDE").text
    drawn = qr_svg("http://192.168.1.5:8501/class").decode().partition("<path")[2]
    assert drawn in found


def test_page_uses_the_language_of_accept_language():
    for wish, language in [("th-TH,en;q=0.5", "th"), ("de,fr", "en"), ("", "en"), ("x" * 9999, "en")]:
        assert f'lang="{language}"' in CLIENT.get("/class/ABCDE", headers={"accept-language": wish}).text


def test_typed_codes_redirect_to_their_room():
    for typed, leads in [(" abcde ", "ABCDE"), ("//evil", ""), ("<b>", ""), ("ก", ""), ("a" * 99, "A" * 9)]:
        reply = CLIENT.get("/class", params={"code": typed})
        assert (reply.status_code, reply.headers["location"]) == (303, f"/class/{leads}")
    assert CLIENT.get("/class?code=").status_code == 200


def test_static_files_are_immutable_and_other_names_are_404():
    reply = CLIENT.get("/class/files/phone.js", headers={"accept-encoding": "identity"})
    assert "immutable" in reply.headers["cache-control"] and reply.headers["content-encoding"] == "identity"
    for name in ("rooms.py", "..%2Frooms.py", "phone.html"):
        assert CLIENT.get(f"/class/files/{name}").status_code == 404


# Answers to phones


def test_state_has_no_answer_until_the_step_is_revealed(opened):
    _, room = opened
    for name, at in [("token", 0), ("token", 1), ("bpe", 0), ("walls", 0), ("languages", 2), ("special", 2)]:
        room.show(Scene(name, at))
        step, found = lesson(name).steps[at], state(room.code).json()
        assert found["question"] == words(name, "en").text("question", step.id)
        assert found["revealed"] is None and "html" not in found
        room.show(Scene(name, at, is_revealed=True))
        shown = state(room.code, lang="th").json()
        right = step.right()
        assert shown["revealed"]["right"] == (list(right) if isinstance(right, tuple) else right)
        lesson_words = words(name, "th")
        assert lesson_words.text("reveal", step.id, **step.show().facts) in shown["revealed"]["explanation"]
        assert lesson_words.text("because", step.id) in shown["revealed"]["explanation"]
        assert shown["revealed"]["take"] == lesson_words.text("take", step.id)


def test_language_names_are_in_the_language_of_the_phone(opened):
    _, room = opened
    room.show(Scene("languages", 0, is_revealed=True))
    for language, name in (("en", "Thai"), ("th", "ไทย"), ("en", "Thai")):
        shown = state(room.code, lang=language).json()["revealed"]["html"]
        assert f"<b>{name}</b>" in shown


def test_phones_have_the_sentences_of_a_question_on_them(opened):
    _, room = opened
    room.show(Scene("languages", 0))
    asked = [parallel_corpus()[tag][int(lesson("languages").steps[0].text) - 1] for tag in ("en", "th", "ko", "hi")]
    shown = unescape(state(room.code, lang="th").json()["sentences"])
    assert all(f">{sentence}</p>" in shown for sentence in asked) and "<b>ไทย</b>" in shown
    assert 'class="t ' not in shown  # their tokens are the answer
    room.show(Scene("token", 0))
    assert state(room.code).json()["sentences"] == ""


def test_own_text_replaces_the_text_of_the_step_escaped(opened):
    _, room = opened
    room.show(Scene("token", 0, is_revealed=True, text="<b>hi</b>"))
    found = state(room.code).json()["revealed"]
    assert found["own"] == "<b>hi</b>" and "<b>hi" not in found["html"] and "&lt;" in found["html"]
    assert words("token", "en").text("because", "count") not in found["explanation"]


def test_slider_position_of_the_teacher_is_shown_on_phones(opened):
    _, room = opened
    name, at, step = next(
        (name, at, step) for name in lesson_names() for at, step in enumerate(lesson(name).steps) if step.slider
    )
    begins = step.slider.begins
    other = step.slider.least if begins != step.slider.least else step.slider.most
    lesson_words, found = words(name, "en"), {}
    for moved in (None, begins, other):
        room.show(Scene(name, at, is_revealed=True, moved=moved))
        found[moved] = state(room.code).json()["revealed"]
        facts = step.show(**{step.slider.name: begins if moved is None else moved}).facts
        assert lesson_words.text("reveal", step.id, **facts) in found[moved]["explanation"]
    assert found[None] == found[begins] != found[other]
    assert lesson_words.text("because", step.id) not in found[other]["explanation"]
    assert Scene.read({"lesson": name, "at": at, "moved": other}).moved == other
    for wrong in (step.slider.most + 1, "5", True, None):
        assert Scene.read({"lesson": name, "at": at, "moved": wrong}).moved is None
    assert Scene.read({"lesson": "token", "at": 0, "moved": 5}).moved is None
    room.show(Scene(name, together=False))  # self-paced learners move it themselves
    for moved, value in [("", begins), (other, other), (step.slider.most + 1, begins), ("<b>", begins)]:
        shown = CLIENT.get(f"/class/{room.code}/steps/{at}?moved={moved}").json()["revealed"]
        assert shown["slider"]["value"] == value and shown["slider"]["label"] == lesson_words.text("slider", step.id)
        assert shown["explanation"] == found[value]["explanation"] and found[value]["slider"] is None


@pytest.mark.slow
def test_steps_are_given_only_to_self_paced_learners(opened):
    _, room = opened
    assert CLIENT.get(f"/class/{room.code}/steps/0").status_code == 409
    room.show(Scene("token", 0, together=False))
    assert "question" not in state(room.code).json()
    found = CLIENT.get(f"/class/{room.code}/steps/2?lang=th").json()
    assert found["id"] == "years" and found["revealed"]["right"] == "o200k_base"
    assert CLIENT.get(f"/class/{room.code}/steps/6").status_code == 409
    assert CLIENT.get("/class/AAAAA/steps/0").status_code == 404


def test_state_is_serialized_once_per_language(opened, monkeypatch):
    _, room = opened
    made = []
    monkeypatch.setattr(serializers, "scene", lambda scene, language: made.append(language) or {})
    with TestClient(Starlette(routes=routes.routes)) as client:  # one event loop
        for i in range(5):
            for language in LANGUAGES:
                assert state(room.code, f"{i:024}", client, lang=language).status_code == 200
    assert sorted(made) == sorted(LANGUAGES)


# Refused requests


@pytest.mark.parametrize("me", ["", "short", "x" * 24, "x" * 40, "x" * 41, "<script>alert(1)</script>", "ก" * 20])
def test_ids_that_the_server_did_not_issue_are_refused(opened, me):
    _, room = opened
    assert CLIENT.get(f"/class/{room.code}/state", params={"me": me}).status_code == 401
    for path in ("guess", "text"):
        found = {"me": me, "lesson": "token", "id": "count", "guess": 6, "text": "x"}
        assert CLIENT.post(f"/class/{room.code}/{path}", json=found).status_code == 401
    assert not room.learners and not room.counts() and not room.sent()


def test_join_issues_ids_and_takes_no_place(opened):
    _, room = opened
    ids = {join(room.code).json()["me"] for _ in range(3)}
    assert len(ids) == 3 and not room.learners  # a phone takes a place when it first asks for the scene
    for me in ids:
        assert CLIENT.get(f"/class/{room.code}/state", params={"me": me}).status_code == 200
    assert len(room.learners) == 3
    assert join("AAAAA").status_code == 404


def join(code, client=CLIENT):
    return client.post(f"/class/{code}/join", json={})


def test_join_is_limited_per_address_and_room(opened, monkeypatch):
    secret, room = opened
    monkeypatch.setattr(limits, "JOINS_PER_SECOND", 0.01)  # low, so that the bucket does not refill during the test
    monkeypatch.setattr(limits, "JOIN_BURST", 3)
    monkeypatch.setattr(limits, "MAX_ADMISSION_DELAY_SECONDS", -1)  # refuses instead of delaying
    assert [join(room.code).status_code for _ in range(5)] == [200] * 3 + [429] * 2
    assert board(room, secret).json()["full"] == words("class", "en").text("full", "teacher")
    elsewhere = TestClient(CLIENT.app, client=("10.0.0.2", 1))
    assert join(room.code, elsewhere).status_code == 200
    assert join(rooms.new_room(Scene("token"))[1].code).status_code == 200


def test_phones_of_an_emptied_class_must_join_again(opened):
    _, room = opened
    have = state(room.code).json()["version"]
    with ask_in_thread(f"/class/{room.code}/state?me={id_of(room.code)}&have={have}") as found:
        waits(long_poll.phones)
        room.empty()
    assert found[0].status_code == 401
    me = join(room.code).json()["me"]
    assert CLIENT.get(f"/class/{room.code}/state", params={"me": me, "have": have}).json()["epoch"] == room.epoch


def test_state_counts_how_often_a_step_was_asked_anew(opened):
    _, room = opened
    before = state(room.code).json()
    with ask_in_thread(f"/class/{room.code}/state?me={id_of(room.code)}&have={before['version']}") as found:
        waits(long_poll.phones)
        room.ask_anew()
    assert (before["round"], found[0].json()["round"], found[0].json()["epoch"]) == (0, 1, before["epoch"])


@pytest.mark.parametrize("code", ["AAAAA", "aaaaa", "%00", "A" * 500, "ก"])
def test_unknown_codes_are_404(code):
    assert state(code).status_code == 404
    assert guess(code, 6).status_code == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
    ],
)
@pytest.mark.parametrize("path", ["{}/guess", "{}/text", "open"])
def test_cross_site_and_form_posts_are_refused(opened, path, headers, status):
    _, room = opened
    reply = CLIENT.post(f"/class/{path.format(room.code)}", content=b"{}", headers=JSON | headers)
    assert reply.status_code == status


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b"5", 400),
        (b"{}", 401),
        (b"\xff\xfe", 400),
        (b"[" * 9_000, 400),
        (b'{"me": "ME"}', 400),
        (b'{"me": "ME", "lesson": ["token"], "id": {}, "guess": 1}', 409),
        (b'{"me": "ME", "lesson": "token", "id": {}, "guess": 1}', 400),
        (b'{"me": "ME", "lesson": "token", "id": "count", "guess": {}}', 400),
        (b'{"me": "ME", "lesson": "token", "id": "count", "guess": ' + b"9" * 5000 + b"}", 400),
        (b" " * (routes.MAX_BODY_BYTES + 1), 413),
    ],
)
def test_hostile_bodies_are_refused(opened, body, status):
    _, room = opened
    body = body.replace(b"ME", id_of(room.code).encode())
    assert CLIENT.post(f"/class/{room.code}/guess", content=body, headers=JSON).status_code == status
    assert not room.counts()
    assert CLIENT.post(f"/class/{room.code}/text", content=body, headers=JSON).status_code in (400, 401, 413)
    assert CLIENT.post("/class/open", content=body, headers=JSON).status_code in (400, 413)


def test_full_room_is_429_and_late_answer_is_409(opened, monkeypatch):
    _, room = opened
    monkeypatch.setattr(rooms, "MAX_LEARNERS_PER_ROOM", 1)
    assert guess(room.code, 6).status_code == 204
    assert guess(room.code, 6, OTHER).status_code == 429 == state(room.code, OTHER).status_code
    room.show(replace(room.scene, is_revealed=True))
    assert guess(room.code, 7).status_code == 409


def test_ended_class_answers_over_and_takes_no_guesses(opened):
    secret, room = opened
    rooms.end(secret)
    assert state(room.code).json() == {"over": True} == board(room, secret).json()
    assert guess(room.code, 6).status_code != 204
    assert CLIENT.post("/class/open", json={"secret": secret, **asdict(room.scene)}).json() == {"over": True}


# The board


def test_board_needs_the_secret(opened):
    secret, room = opened
    assert board(room, secret).status_code == 200
    for wrong in ("", "x", "y" * 32, rooms.new_room(Scene("token"))[0]):
        assert board(room, wrong).status_code == 404
    assert CLIENT.get(f"/class/{room.code}/board").status_code == 404
    assert secret not in state(room.code).text


@pytest.mark.parametrize("language", LANGUAGES)
def test_board_counts_answers_in_the_language_of_the_teacher(opened, language):
    secret, room = opened
    for i, value in enumerate([6, 6, 7, *range(20, 30)]):
        guess(room.code, value, f"{i:024}")
    found, class_words = board(room, secret, lang=language).json(), words("class", language)
    assert labels(found) == {"6": 2, "7": 1} | {str(n): 1 for n in range(20, 26)}
    assert found["answered"] == class_words.text("answered", "teacher", count=serializers.Counted(13))
    assert found["others"] == class_words.text("others", "teacher", count=serializers.Counted(4))
    assert found["here"] == class_words.text("here", "teacher", count=serializers.Counted(13))
    assert not any(bar["right"] for bar in found["bars"]) and not found["closed"]
    room.show(replace(room.scene, is_revealed=True))
    found = board(room, secret, lang=language).json()
    assert [bar["label"] for bar in found["bars"] if bar["right"]] == ["6"] and found["closed"]


def test_bars_of_choices_and_cuts_have_readable_labels(opened):
    secret, room = opened
    room.show(Scene("token", 2))
    guess(room.code, "gpt2", id="years")
    assert labels(board(room, secret).json()) == {"GPT-2": 1, "GPT-4": 0, "GPT-5": 0}
    room.show(Scene("token", 1))
    guess(room.code, [2], id="cut")
    guess(room.code, [], OTHER, id="cut")
    assert labels(board(room, secret).json()) == {"un | believably": 1, "no cut": 1}


def test_board_lists_texts_and_steps_of_self_paced_learners(opened):
    secret, room = opened
    for text in ("<b>", "two"):
        sent = {"me": id_of(room.code), "lesson": "token", "id": "count", "text": text}
        assert CLIENT.post(f"/class/{room.code}/text", json=sent).status_code == 204
    room.show(replace(room.scene, text="<b>", is_revealed=True))
    assert [(one["text"], one["shown"]) for one in board(room, secret).json()["texts"]] == [
        ("two", False),
        ("<b>", True),
    ]
    room.show(Scene("token", 0, together=False))
    state(room.code, ME, at="2")
    state(room.code, OTHER, at="99999999999999999999")
    assert [one["count"] for one in board(room, secret).json()["steps"]] == [1, 0, 1, 0, 0, 0]


@pytest.mark.parametrize("together", [True, False])
def test_board_marks_the_right_answer_only_once_it_is_revealed(opened, together):
    secret, room = opened
    for is_revealed in (False, True):
        room.show(Scene("token", 2, together, is_revealed))
        found = [bar["label"] for bar in board(room, secret).json()["bars"] if bar["right"]]
        assert found == ["GPT-5"] * is_revealed


# Long polling


@contextmanager
def ask_in_thread(path, headers=None):
    """Asks in another thread; yields a list that receives the answer and the seconds it took."""
    found = []

    def ask():
        begin = time.monotonic()
        found.append(CLIENT.get(path, headers=headers))
        found.append(time.monotonic() - begin)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    yield found
    thread.join(30)
    assert len(found) == 2


def waits(where):
    until(lambda: sum(map(len, where.values())) == 1)


def test_state_waits_for_the_next_scene(opened):
    _, room = opened
    version = state(room.code).json()["version"]
    with ask_in_thread(f"/class/{room.code}/state?me={id_of(room.code)}&have={version}") as found:
        waits(long_poll.phones)
        guess(room.code, 6, OTHER)  # no change for phones
        assert not found
        room.show(Scene("token", 1))
    assert found[0].json()["id"] == "cut" and found[1] < routes.POLL_SECONDS
    assert not any(map(len, long_poll.phones.values()))


def test_board_waits_for_a_change(opened):
    secret, room = opened
    version = board(room, secret).json()["version"]
    with ask_in_thread(f"/class/{room.code}/board?have={version}", {"x-class-secret": secret}) as found:
        waits(long_poll.boards)
        guess(room.code, 6)
    assert labels(found[0].json()) == {"6": 1}


def test_change_while_a_board_is_made_gives_the_next_board_another_version(opened, monkeypatch):
    secret, room = opened
    guess(room.code, 6)
    counts = room.counts

    def counts_before_a_change():
        found = counts()
        monkeypatch.undo()
        room.empty()
        return found

    monkeypatch.setattr(room, "counts", counts_before_a_change)
    found, later = board(room, secret).json(), board(room, secret).json()
    assert labels(found) == {"6": 1} and labels(later) == {}
    assert found["version"] != later["version"]


def test_state_is_204_where_nothing_changes_in_time(opened, monkeypatch):
    _, room = opened
    monkeypatch.setattr(routes, "POLL_SECONDS", 0.05)
    monkeypatch.setattr(routes, "POLL_JITTER_SECONDS", 0)
    assert state(room.code, have=state(room.code).json()["version"]).status_code == 204


@asynccontextmanager
async def waiting_request(path, address="10.0.0.1"):
    """Yields a client and its waiting request, both on this event loop."""
    transport = httpx.ASGITransport(Starlette(routes=routes.routes), client=(address, 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
        question = asyncio.create_task(client.get(path))
        async with asyncio.timeout(10):
            while not any(map(len, long_poll.phones.values())):
                await asyncio.sleep(0)
        yield client, question


def test_second_poll_of_a_phone_ends_the_first(opened):
    _, room = opened
    me = id_of(room.code)
    path = f"/class/{room.code}/state?me={me}&have={state(room.code).json()['version']}"

    async def twice():
        async with waiting_request(path) as (client, first):
            second = asyncio.create_task(client.get(f"{path}&at=3"))
            assert (await first).status_code == 204
            assert not second.done() and room.learners[me].at == 3  # the first poll has an older step
            room.show(Scene("token", 1))
            return await second

    assert asyncio.run(twice()).json()["id"] == "cut"


def test_scene_of_all_phones_does_not_wait_behind_other_questions_of_who_asks_first(opened, monkeypatch):
    monkeypatch.setattr(routes, "scene_slots", slots := Slots(1))
    path = f"/class/{opened[1].code}/state?me={id_of(opened[1].code)}"

    async def ask():
        others = [asyncio.create_task(slots.acquire("10.0.0.1", 1)) for _ in range(MAX_WAITING_PER_ADDRESS + 1)]
        await asyncio.sleep(0)
        transport = httpx.ASGITransport(Starlette(routes=routes.routes), client=("10.0.0.1", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
            asked = asyncio.create_task(client.get(path))
            await asyncio.sleep(0.1)
            for other in others:
                other.cancel()
            await asyncio.sleep(0)
            slots.release(others[0].result())
            return await asked

    assert asyncio.run(ask()).status_code == 200


def test_polls_beyond_the_limit_are_204_at_once(opened, monkeypatch):
    _, room = opened
    path = f"/class/{room.code}/state?have={state(room.code).json()['version']}&me="

    async def two():
        async with waiting_request(path + id_of(room.code)) as (client, first):
            monkeypatch.setattr(long_poll, "MAX_WAITING_CLIENTS", 1)
            assert (await client.get(path + id_of(room.code, OTHER))).status_code == 204
            assert not first.done()
            room.show(Scene("token", 1))
            return await first

    assert asyncio.run(two()).json()["id"] == "cut"


def test_polls_of_one_address_leave_places_to_others(opened, monkeypatch):
    _, room = opened
    path = f"/class/{room.code}/state?have={state(room.code).json()['version']}&me={id_of(room.code)}&tab="
    monkeypatch.setattr(long_poll, "MAX_WAITING_CLIENTS", 4)

    async def several():
        async with waiting_request(f"{path}0") as (client, first):
            others = [asyncio.create_task(client.get(f"{path}{tab}")) for tab in (1, 2)]
            async with asyncio.timeout(10):
                while sum(map(len, long_poll.phones.values())) < 3:
                    await asyncio.sleep(0)
            assert (await client.get(f"{path}3")).status_code == 204
            async with waiting_request(f"{path}4", "10.0.0.2") as (_, last):
                await asyncio.wait([last], timeout=0.05)
                assert not last.done()
                room.show(Scene("token", 1))
                return [(await one).json()["id"] for one in (first, *others, last)]

    assert asyncio.run(several()) == ["cut"] * 4


def test_requests_that_are_computed_anew_wait_for_a_slot(opened, monkeypatch):
    secret, room = opened
    room.show(Scene("token", together=False))
    room.open_game()
    running, most = Counter(), Counter()

    def answering(name):
        def answer(*args):
            running[name] += 1
            most[name] = max(most[name], running[name])
            time.sleep(0.02)
            running[name] -= 1
            return {}

        return answer

    monkeypatch.setattr(game_serializers, "own", answering("own"))
    monkeypatch.setattr(serializers, "board", answering("board"))
    monkeypatch.setattr(serializers, "step", answering("step"))
    own, board = f"/class/{room.code}/own/sentence?me={id_of(room.code)}", f"/class/{room.code}/board"
    steps = [f"/class/{room.code}/steps/{at}?lang={language}" for at in (1, 2) for language in LANGUAGES]

    async def several():
        transport = httpx.ASGITransport(Starlette(routes=routes.routes), client=("10.0.0.1", 1))
        headers = {"x-class-secret": secret}
        async with httpx.AsyncClient(transport=transport, base_url="http://x", headers=headers) as client:
            return await asyncio.gather(*(client.get(path) for path in (*(own, board) * 4, *steps)))

    assert {one.status_code for one in asyncio.run(several())} == {200}
    assert most == {"own": 2, "board": 2, "step": 2}


def test_end_of_a_class_ends_polls_at_once(opened):
    secret, room = opened
    have = state(room.code).json()["version"]
    with ask_in_thread(f"/class/{room.code}/state?me={id_of(room.code)}&have={have}") as found:
        waits(long_poll.phones)
        rooms.end(secret)
    assert found[0].json() == {"over": True}


# After a restart


def test_room_can_be_reopened_after_a_restart(opened):
    secret, room = opened
    scene = Scene("bpe", 2, is_revealed=True)
    me = id_of(room.code)
    rooms.reset()
    assert state(room.code).status_code == 404
    for wrong in ({}, {"secret": secret}, {"secret": "x", **asdict(scene)}, {"secret": secret, "lesson": "none"}):
        assert CLIENT.post("/class/open", json=wrong).status_code == 400
    reply = CLIENT.post("/class/open", json={"secret": secret, **asdict(scene)})
    assert reply.json() == {"code": room.code}
    assert CLIENT.get(f"/class/{room.code}/state", params={"me": me}).json()["id"] == "stop"  # the same phone
