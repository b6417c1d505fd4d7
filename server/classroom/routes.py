"""The routes of a class: a small page for phones, which polls for the teacher's scene, and the teacher's board.

A phone sends the version that it has. The answer comes at once if there is a newer one, otherwise as soon as there is,
or after some seconds without one. So a phone recovers from sleep, a lost connection and a reload in the same way.
"""

import asyncio
import gzip
import json
import random
from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import Any
from weakref import WeakKeyDictionary

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from server import limits
from server.address import address
from server.classroom import game_serializers, long_poll, phone_page, rooms, serializers
from server.classroom.rooms import ClassProblem, Room, Scene
from server.limits.fair_queue import Client, Slots
from server.limits.request_guards import HEADERS, address_of, client_of, cross_site_reason, read_body, refuse
from server.limits.token_bucket import BucketPerAddress, TokenBucket
from server.problems import Problem
from tokenizer import i18n
from tokenizer.lessons.lesson import LANGUAGES, lesson

POLL_SECONDS = 20  # that a phone waits for a change
POLL_JITTER_SECONDS = 5  # added at random, so that not all phones ask at once
GAME_DELAY_SECONDS = 0.01  # after which a game has changed
BOARD_DELAY_SECONDS = 0.1  # collects answers before a board is updated
MAX_CACHED_STEPS = 200  # scenes and steps
MAX_BODY_BYTES = 10_000  # of a phone's request, or a press
MAX_KEPT_BYTES = 20_000  # of what a teacher's browser stores: a text of 2,000 characters and 300 marks of sentences
STATUS = {"unknown": 404, "over": 200, "full": 429, "stranger": 401}
STATUS |= {"enough": 409, "late": 409, "taken": 409, "unreadable": 400}
POLICY = "; ".join(
    ("default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self'")
    + ("form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'")
)
PAGE_HEADERS = {**HEADERS, "content-security-policy": POLICY, "referrer-policy": "no-referrer"}


Handler = Callable[[Request], Awaitable[Response]]


def refusing(handler: Handler) -> Handler:
    """Returns a handler that answers with a refusal where `handler` raises ClassProblem or HTTPException."""

    @wraps(handler)
    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except ClassProblem as problem:  # the end of a class is not an error
            found = {"over": True} if problem.word == "over" else {"problem": problem.word, "detail": str(problem)}
            return Response(json.dumps(found), STATUS[problem.word], media_type="application/json", headers=HEADERS)
        except HTTPException as error:
            return refuse(error.status_code, error.detail)

    return answer


# ---- phones ----


async def enter(request: Request) -> Response:
    """Returns the page for phones, which asks for a code where the address has none."""
    code = request.path_params.get("code", request.query_params.get("code", "")).strip().upper()
    language = request.query_params.get("lang", "")
    root = request.scope.get("root_path", "") + CLASS
    if "code" in request.query_params and code:
        return RedirectResponse(f"{root}/{code[:9] if code.isalnum() and code.isascii() else ''}", 303, HEADERS)
    if language not in LANGUAGES:
        language = _preferred(request.headers.get("accept-language", ""))
    found = phone_page.page(language, bool(code), address(), root)
    return Response(found, media_type="text/html", headers=PAGE_HEADERS)


def _preferred(header: str) -> str:
    """Returns the first of our languages in an Accept-Language header.

    >>> _preferred("de-DE,th;q=0.8,en;q=0.5"), _preferred("fr")
    ('th', 'en')
    """
    tags = [one.partition(";")[0].strip().partition("-")[0].lower() for one in header[:200].split(",")]
    return next((one for one in tags if one in LANGUAGES), "en")


async def file(request: Request) -> Response:
    """Returns a script, a style sheet or an image of the page."""
    name = request.path_params["name"]
    if name not in phone_page.FILES:
        return refuse(404, "There is no such file.")
    headers = HEADERS | {"cache-control": "public, max-age=31536000, immutable"}
    return _packed(request, *phone_page.file(name), phone_page.FILES[name], headers)


# how often each address opens the page of a room
_joins: WeakKeyDictionary[Room, BucketPerAddress] = WeakKeyDictionary()


@refusing
async def join(request: Request) -> Response:
    """Gives a phone that opens the page its id; each address may get JOINS_PER_SECOND."""
    await _body(request)
    room = rooms.room(request.path_params["code"])
    buckets = _joins.setdefault(room, BucketPerAddress(lambda: TokenBucket(limits.JOINS_PER_SECOND, limits.JOIN_BURST)))
    bucket = buckets.of(address_of(request))
    if bucket.delay() > limits.MAX_ADMISSION_DELAY_SECONDS:
        room.reject("Too many phones open this class from your address. Try again in a moment.")
    await bucket.acquire()
    found = {"me": room.new_id(address_of(request))}
    return Response(json.dumps(found), media_type="application/json", headers=HEADERS)


@refusing
async def state(request: Request) -> Response:
    """Returns the scene of a room as soon as it differs from the phone's."""
    code, query = request.path_params["code"], request.query_params
    learner, tab, language = query.get("me", ""), query.get("tab", "")[:16], _language(query)
    long_poll.subscribe()
    room = rooms.room(code)
    room.check(learner)
    room.note_learner(learner, _number(query.get("at", "")))
    if query.get("have") == _version(room, language):
        seconds = _until_change(room, POLL_SECONDS + POLL_JITTER_SECONDS * random.random(), for_phones=True)
        await long_poll.wait(long_poll.phones, room, learner + tab, seconds, address_of(request))
        room = rooms.room(code)
        room.check(learner)
        room.note_learner(learner)  # without the step: a newer request may have sent it
    if query.get("have") == _version(room, language):
        return Response(status_code=204, headers=HEADERS)
    left = room.seconds_left()
    headers = HEADERS | ({} if left is None else {"x-seconds-left": f"{left:.2f}"})
    return _packed(request, *await _scene(room, language), "application/json", headers)


def _until_change(room: Room, most: float, for_phones: bool = False) -> float:
    """Returns how many seconds a request waits: until a game changes by itself, at most `most`."""
    left = room.seconds_left(for_phones)
    return most if left is None else min(most, left + GAME_DELAY_SECONDS)


def _number(found: str) -> int | None:
    return int(found) if found.isascii() and found.isdigit() and len(found) < 6 else None


def _language(query: Any) -> str:
    return found if (found := query.get("lang")) in LANGUAGES else "en"


def _version(room: Room, language: str) -> str:
    return f"{room.epoch}.{room.version}.{language}"


# For scenes and steps, for phones' files, and for boards: at the end of a game all phones ask for their files.
scene_slots, _phones, _boards = Slots(2), Slots(2), Slots(2)


async def _in_turn(slots: Slots, client: Client, make: Callable[..., Any], *args: Any) -> Any:
    """Returns the result of `make`, run in a thread when it is the turn of the client; raises HTTPException."""
    try:
        async with slots.turn(*client):
            return await asyncio.to_thread(make, *args)
    except Problem:
        raise HTTPException(503, "The server is busy. Try again in a moment.") from None


_answers: dict[tuple, asyncio.Task] = {}  # computed once for all phones


def _forget() -> None:
    global _answers
    _answers = {}  # replaced, not emptied: another thread may use the old one


rooms.cache_clearers.append(_forget)


async def _once(
    client: Client, key: tuple, make: Callable[..., tuple[bytes, bytes]], *args: Any, **kwargs: Any
) -> tuple[bytes, bytes]:
    """Returns the result of `make`, run once for each key in a thread, when it is the turn of the first client."""
    loop, answers = asyncio.get_running_loop(), _answers
    found = answers.get(key)
    if found is None or found.get_loop() is not loop or (found.done() and found.exception()):
        while len(answers) >= MAX_CACHED_STEPS:
            del answers[next(iter(answers))]
        found = answers[key] = loop.create_task(_in_turn(scene_slots, client, partial(make, *args, **kwargs)))
    return await asyncio.shield(found)


async def _scene(room: Room, language: str) -> tuple[bytes, bytes]:
    """Returns the scene as JSON, plain and compressed.

    Its client is the room: all phones would wait behind the other requests of the one that asks first.
    """
    more = {"version": _version(room, language), "epoch": room.epoch}
    if room.game:
        make = partial(game_serializers.scene, room, language)
    else:
        make, more = partial(serializers.scene, room.scene, language), more | {"round": room.round()}
    return await _once((room.code,), (more["version"],), _json, language, make, **more)


def _json(language: str, make: Callable[[], dict], **more: Any) -> tuple[bytes, bytes]:
    """Returns the result of `make` in a language as JSON, plain and compressed."""
    with i18n.using_language(language):
        found = json.dumps(make() | more, ensure_ascii=False, separators=(",", ":")).encode()
    return found, gzip.compress(found, 6)


@refusing
async def step(request: Request) -> Response:
    """Returns a step with its answer, for a self-paced learner."""
    at, language = request.path_params["at"], _language(request.query_params)
    scene = rooms.room(request.path_params["code"]).scene
    if scene.together or at >= len(lesson(scene.lesson).steps):
        return refuse(409, "The class walks together, or the lesson has fewer steps.")
    facts = {"lesson": scene.lesson, "at": at, "moved": _number(request.query_params.get("moved", ""))}
    alone = Scene.read(facts | {"together": False, "is_revealed": True})
    make = partial(serializers.step, alone, language)
    found = await _once(client_of(request), (alone, language), _json, language, make, lesson=scene.lesson, at=at)
    return _packed(request, *found, "application/json", HEADERS)


@refusing
async def guess(request: Request) -> Response:
    """Stores a learner's guess."""
    return await _take(request, lambda room, one: room.guess(one["me"], one["lesson"], one["id"], one["guess"]))


@refusing
async def send(request: Request) -> Response:
    """Stores a learner's text for the stage."""
    return await _take(request, lambda room, one: room.send(one["me"], one["lesson"], one["id"], one["text"]))


async def _take(request: Request, action: Callable[[Room, dict], None]) -> Response:
    found = await _body(request)
    room = rooms.room(request.path_params["code"])
    room.check(found.get("me"))
    room.note_learner(found["me"])
    try:
        action(room, found)
    except KeyError as error:
        return refuse(400, f"The body has no field {error}.")
    return Response(status_code=204, headers=HEADERS)


async def _body(request: Request, max_bytes: int = MAX_BODY_BYTES) -> dict:
    """Returns the JSON object in a body; raises HTTPException."""
    if problem := cross_site_reason(request):
        raise HTTPException(403, problem)
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise HTTPException(415, "The body must be application/json.")
    try:
        body = await read_body(request, max_bytes)
        found = json.loads(body) if body is not None else None
    except (ClientDisconnect, ValueError, RecursionError):
        raise HTTPException(400, "The body cannot be read.") from None
    if body is None:
        raise HTTPException(413, f"The body is larger than {max_bytes:,} bytes.")
    if not isinstance(found, dict):
        raise HTTPException(400, "The body must be an object.")
    return found


@refusing
async def own(request: Request) -> Response:
    """Returns a phone's sentence in the tokenizer that the class has trained, as JSON or as a page to take home."""
    language, learner = _language(request.query_params), request.query_params.get("me", "")
    is_file = request.path_params["form"] == "home"
    room = rooms.room(request.path_params["code"])
    room.check(learner)
    room.note_learner(learner)
    make = game_serializers.home if is_file else game_serializers.own
    found = await _in_turn(_phones, client_of(request), _in_language, language, make, room, learner)
    if found is None:
        return refuse(409, "The game is not over.")
    if not is_file:
        return Response(json.dumps(found, ensure_ascii=False), media_type="application/json", headers=HEADERS)
    headers = PAGE_HEADERS | {"content-disposition": 'attachment; filename="tokenizer-of-the-class.html"'}
    return Response(found, media_type="text/html", headers=headers)


def _in_language(language: str, make: Callable[..., Any], room: Room, learner: str) -> Any:
    with i18n.using_language(language):
        return make(room, learner, language) if room.game else None


# ---- the teacher's page ----

_openings = Slots(1)  # computing a code is slow


@refusing
async def board(request: Request) -> Response:
    """Returns the board of a room as soon as it has changed; the secret is in a header."""
    code, language = request.path_params["code"], _language(request.query_params)
    long_poll.subscribe()
    room = _of_teacher(request, code)
    if request.query_params.get("have") == f"{room.epoch}.{room.news}":
        who = request.query_params.get("who", "")[:40]
        await long_poll.wait(long_poll.boards, room, who, _until_change(room, POLL_SECONDS), address_of(request))
        await asyncio.sleep(BOARD_DELAY_SECONDS)
        room = _of_teacher(request, code)
    found = await _in_turn(_boards, client_of(request), _json, language, partial(serializers.board, room, language))
    return _packed(request, *found, "application/json", HEADERS)


@refusing
async def play(request: Request) -> Response:
    """Does what the teacher presses in a game; the secret is in a header."""
    found = await _body(request)
    room = _of_teacher(request, request.path_params["code"])
    await asyncio.to_thread(room.play, found.get("do"))
    return Response(status_code=204, headers=HEADERS)


def _of_teacher(request: Request, code: str) -> Room:
    """Returns the room with this code if the request has its secret; otherwise raises ClassProblem as for no room."""
    room = rooms.room(code)
    if rooms.room_of(request.headers.get("x-class-secret", "")) is not room:
        raise ClassProblem("unknown", "There is no class with this code.")
    room.note_teacher()
    return room


@refusing
async def reopen(request: Request) -> Response:
    """Reopens a room after a restart of the server from what the teacher's browser stored."""
    found = await _body(request, MAX_KEPT_BYTES)
    try:
        async with _openings.turn(address_of(request)):
            room = await asyncio.to_thread(rooms.reopen, found, address_of(request))
    except Problem as problem:
        return problem.response()
    return Response(json.dumps({"code": room.code}), media_type="application/json", headers=HEADERS)


def _packed(request: Request, plain: bytes, packed: bytes, kind: str, headers: dict[str, str]) -> Response:
    """Returns a response, compressed where the browser accepts that."""
    takes = "gzip" in request.headers.get("accept-encoding", "")
    more = {"content-encoding": "gzip" if takes else "identity", "vary": "accept-encoding"}
    return Response(packed if takes else plain, media_type=kind, headers=headers | more)


CLASS = "/class"
routes = [
    Route(CLASS, enter),
    Route(f"{CLASS}/", enter),
    Route(f"{CLASS}/open", reopen, methods=["POST"]),
    Route(f"{CLASS}/files/{{name}}", file),
    Route(f"{CLASS}/{{code}}", enter),
    Route(f"{CLASS}/{{code}}/join", join, methods=["POST"]),
    Route(f"{CLASS}/{{code}}/state", state),
    Route(f"{CLASS}/{{code}}/steps/{{at:int}}", step),
    Route(f"{CLASS}/{{code}}/guess", guess, methods=["POST"]),
    Route(f"{CLASS}/{{code}}/text", send, methods=["POST"]),
    Route(f"{CLASS}/{{code}}/game", play, methods=["POST"]),
    Route(f"{CLASS}/{{code}}/own/{{form}}", own),
    Route(f"{CLASS}/{{code}}/board", board),
]
