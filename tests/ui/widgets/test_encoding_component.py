"""Questions in a rerun: answered as by the route, with the same slots, and delivered once."""

import asyncio
import base64
import struct
import threading

import pytest
import streamlit as st
from apps import until

from server.editor_api import routes
from server.editor_api.questions import answer
from server.encodings import encoding_store
from server.limits.fair_queue import Slots
from server.limits.request_guards import network
from ui.session.visitor_state import VisitorState
from ui.widgets import encoding_component

BODY = struct.pack("<2I", 1, 5) + b"a b c"
ASKED = {"number": 7, "name": "tokens", "parameters": {"encoding": "gpt2"}, "body": base64.b64encode(BODY).decode()}


@pytest.fixture
def state(monkeypatch):
    """A session state with a visitor."""
    monkeypatch.setattr(st, "session_state", found := {})
    found["visitor"] = VisitorState(id="visitor")
    return found


def replied(state, **other):
    """Returns the answer to a question that a component sent."""
    state["editor"] = {"ask": ASKED | other}
    encoding_component.answer_question("editor")
    return state.pop("editor_answer", None)


def test_answer_equals_that_of_the_route(state):
    found = replied(state)
    assert found["number"] == 7 and base64.b64decode(found["body"]) == answer(
        "tokens", {}, BODY, encoding_store.find("gpt2")
    )
    assert "Unknown encoding" in replied(state, parameters={"encoding": "nope"})["error"]


@pytest.mark.parametrize("name", sorted(routes.EXPORTS))
def test_exports_are_refused(state, name):
    assert "it needs the fast connection to the server" in replied(state, name=name)["error"]


def test_too_long_text_is_refused(state):
    body = base64.b64encode(bytes(routes.MAX_RERUN_BYTES + 1)).decode()
    assert "too long" in replied(state, body=body)["error"]


@pytest.mark.parametrize("wrong", [{"number": "7"}, {"name": None}, {"parameters": []}, {"body": 1}])
def test_invalid_questions_are_not_answered(state, wrong):
    assert replied(state, **wrong) is None


@pytest.mark.parametrize("body", ["", "a", "ก"])
def test_invalid_body_is_refused(state, body):
    assert "too short" in replied(state, body=body)["error"]


def test_answer_is_delivered_with_one_run_only(state, monkeypatch):
    answers = []
    monkeypatch.setattr(encoding_component, "go_to_requested_why", lambda: None)
    state["editor_answer"] = {"number": 7}
    for _ in range(2):
        encoding_component.draw(lambda key, data, **_: answers.append(data["answer"]), "editor", {})
    assert answers == [{"number": 7}, None]


def test_question_in_a_rerun_waits_among_those_of_its_address(state, monkeypatch):
    clients = []
    monkeypatch.setattr(routes, "reply", lambda *given: (200, clients.append(given[-1]) or b""))
    monkeypatch.setattr(type(st.context), "ip_address", "2001:db8::1")
    replied(state)
    assert clients == [(network("2001:db8::2"), "visitor")]


def test_question_in_a_rerun_waits_for_a_slot(monkeypatch):
    text = b"x" * (routes.INLINE_LIMIT_BYTES["tokens"] + 1)
    body, found = struct.pack("<2I", 1, len(text)) + text, []

    def ask():
        found.append(routes.reply("tokens", {"encoding": "gpt2"}, body, ("10.0.0.1", "a visitor")))

    async def scenario():
        slots = Slots(1)
        monkeypatch.setitem(routes.SLOTS, "known", slots)
        async with routes.serving(None):
            async with slots.turn("another"):
                thread = threading.Thread(target=ask)
                thread.start()
                async with asyncio.timeout(10):
                    while not slots.order:
                        await asyncio.sleep(0.01)
                assert not found
            await asyncio.to_thread(until, lambda: found)
            thread.join(10)

    asyncio.run(scenario())
    assert found[0] == (200, answer("tokens", {}, body, encoding_store.find("gpt2")))
