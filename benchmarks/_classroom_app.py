"""The app with one more route, by which benchmarks lead a class as the page of lessons does."""

import asyncio
import json

import streamlit as st
from _serving import ROOT
from starlette.responses import JSONResponse
from starlette.routing import Route

from server.classroom import rooms
from server.classroom.rooms import Scene
from server.routes import routes


async def teach(request):
    """Opens a room, or shows a scene in it, from a thread as a script does."""
    found = json.loads(await request.body())
    secret = found.get("secret")
    if found.get("empty"):
        await asyncio.to_thread(rooms.room_of(secret).empty)
        return JSONResponse({})
    scene = Scene.read(found)
    if secret is None:
        secret, room = await asyncio.to_thread(rooms.new_room, scene)
    else:
        room = rooms.room_of(secret)
        await asyncio.to_thread(room.show, scene)
    return JSONResponse({"secret": secret, "code": room.code})


app = st.App(ROOT / "pages" / "frame.py", routes=[Route("/teach", teach, methods=["POST"]), *routes])
