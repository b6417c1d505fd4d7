"""Turns: those who wait are served visitor by visitor, nobody is lost, and what is held is given back."""

import asyncio

import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st

from ui.server.v1 import turns
from ui.server.v1.problems import Problem
from ui.server.v1.turns import Room, Turns


async def all_come(queue, visitors, is_cancelled):
    """Lets visitors come while nobody is served; returns the order in which they are, then."""
    served, gates = [], []

    async def work(i, visitor):
        async with queue.turn(visitor):
            served.append((i, visitor))
            await asyncio.sleep(0)

    for _ in range(queue.free):  # all turns are taken
        gates.append(queue.turn("before"))
        await gates[-1].__aenter__()
    tasks = [asyncio.create_task(work(i, visitor)) for i, visitor in enumerate(visitors)]
    await asyncio.sleep(0)
    for task, gone in zip(tasks, is_cancelled, strict=True):
        if gone:
            task.cancel()
    for gate in gates:
        await gate.__aexit__(None, None, None)
    await asyncio.gather(*tasks, return_exceptions=True)
    return served


def in_rounds(waiting):
    """The order in which they should be served, one at a time: each visitor's first, each one's second, and so on."""
    queues = {}
    for one in waiting:
        queues.setdefault(one[1], []).append(one)
    found = []
    while queues:
        visitor = next(iter(queues))
        own = queues.pop(visitor)
        found.append(own.pop(0))
        if own:
            queues[visitor] = own
    return found


@examples(40)
@given(people=st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=12), at_once=st.integers(1, 3))
def test_visitors_take_turns_and_those_who_leave_keep_none_waiting(people, at_once):
    queue = Turns(at_once)
    visitors, gone = [visitor for visitor, _ in people], [is_gone for _, is_gone in people]
    served = asyncio.run(all_come(queue, visitors, gone))
    staying = [(i, visitor) for i, visitor in enumerate(visitors) if not gone[i]]
    assert sorted(served) == sorted(staying)
    if at_once == 1 and not any(gone):
        assert served == in_rounds(staying)
    assert queue.free == at_once and not queue.waiting


def test_too_many_are_told_so(monkeypatch):
    monkeypatch.setattr(turns, "MOST_WAITING", 3)
    monkeypatch.setattr(turns, "MOST_WAITING_EACH", 2)

    async def come():
        queue = Turns(1)
        async with queue.turn("first"):
            waiting = [asyncio.create_task(queue._wait(visitor)) for visitor in "aab"]
            await asyncio.sleep(0)
            kinds = []
            for visitor in "ac":
                with pytest.raises(Problem) as refused:
                    await queue._wait(visitor)
                kinds.append((refused.value.kind, refused.value.headers["retry-after"]))
            for one in waiting:
                one.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
        return kinds, queue

    kinds, queue = asyncio.run(come())
    assert kinds == [("too-many", "2"), ("busy", "2")] and queue.free == 1 and not queue.waiting


def test_who_waits_too_long_is_told_so():
    async def come():
        queue = Turns(1, wait=0)
        async with queue.turn("a"):
            with pytest.raises(Problem, match="no turn within") as refused:
                await queue._wait("b")
        return refused.value.kind, queue

    kind, queue = asyncio.run(come())
    assert kind == "busy" and queue.free == 1 and not queue.waiting


def test_what_is_held_is_bounded_and_given_back(monkeypatch):
    monkeypatch.setattr(turns, "MOST_HELD", 15)
    monkeypatch.setattr(turns, "MOST_HELD_EACH", 10)
    room = Room()
    with room.of("a") as a, room.of("b") as b:
        a.take(10)
        with pytest.raises(Problem) as refused, room.of("a") as more:
            more.take(1)
        assert refused.value.kind == "too-many"
        with pytest.raises(Problem) as refused:
            b.take(6)
        assert refused.value.kind == "busy"
    assert not room.held


def test_who_says_little_has_room_where_a_neighbour_fills_it():
    room = turns.Room()
    with room.of("class") as large, room.of("class") as small:
        with pytest.raises(Problem):
            large.hold(turns.MOST_HELD_EACH + 1)
        small.hold(turns.SMALL)
        with pytest.raises(Problem):
            small.hold(turns.SMALL + 1)
