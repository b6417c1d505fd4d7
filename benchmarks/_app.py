"""The app with two more routes: one leads a class as the page of lessons does, one opens a file as an upload does."""

import asyncio
import json

from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

from server.base_path import OwnRoute
from server.classroom import rooms
from server.classroom.rooms import Scene
from server.encodings import encoding_store, uploads
from server.routes import routes
from tokenizer.errors import TokenizerError


async def teach(request):
    """Opens a room, or shows a scene or a game in it, from a thread as a script does."""
    facts = json.loads(await request.body())
    secret = facts.get("secret")
    if facts.get("game"):
        await asyncio.to_thread(rooms.room_of(secret).open_game)
        return JSONResponse({})
    scene = Scene.read(facts)
    if secret is None:
        secret, room = await asyncio.to_thread(rooms.new_room, scene)
    else:
        room = rooms.room_of(secret)
        await asyncio.to_thread(room.show, scene)
    return JSONResponse({"secret": secret, "code": room.code})


async def bring(request):
    """Opens the tokenizer file in the body; answers with its key or the reason why it cannot be opened."""

    def opened() -> str:
        try:
            kept.append(encoding_store.add(uploads.load({request.path_params["name"]: body}), encoding_store.LOADED))
            return kept[-1].key
        except TokenizerError as error:
            return str(error)

    body = await request.body()
    return PlainTextResponse(await asyncio.to_thread(opened))


kept: list = []  # the store evicts encodings without a reference
more = [Route("/teach", teach, methods=["POST"]), Route("/bring/{name}", bring, methods=["POST"])]
routes[:0] = map(OwnRoute, more)
from app import app  # noqa: E402, F401  (reads the routes)
