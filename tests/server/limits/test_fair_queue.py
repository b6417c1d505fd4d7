"""Fair queues: time is shared by address, then by connection; the least served client is next."""

import asyncio
import itertools
import random
from collections import Counter

import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st

from server.limits import fair_queue
from server.limits.fair_queue import IDLE_RESET_SECONDS, FairOrder, LoopTurns, Metered, Slots
from server.problems import Problem

# ---- the order ----


def serve_busy_clients(order, clients, costs, turns):
    """Serves `turns` questions of clients that ask again at once; returns the time that each used."""
    used = Counter()
    for client in clients:
        order.add(client, None)
    for cost in itertools.islice(costs, turns):
        client, _ = order.pop()
        order.charge(client, cost)
        used[client] += cost
        order.add(client, None)
    return used


@examples(40)
@given(
    connections=st.dictionaries(st.sampled_from("abc"), st.integers(1, 30), min_size=2),
    costs=st.lists(st.floats(0.1, 2), min_size=1, max_size=50),
)
def test_addresses_share_time_equally(connections, costs):
    clients = [(address, i) for address, num in connections.items() for i in range(num)]
    used = serve_busy_clients(FairOrder(), clients, itertools.cycle(costs), 1_000)
    by_address = [sum(used[address, i] for i in range(num)) for address, num in connections.items()]
    assert max(by_address) - min(by_address) <= 2 * max(costs)
    for address, num in connections.items():
        own = [used[address, i] for i in range(num)]
        assert max(own) - min(own) <= 2 * max(costs)


@pytest.mark.slow
@pytest.mark.parametrize("address", ["person", "program"])
@pytest.mark.parametrize("keys_a_second", [4, 10, 30])
def test_key_is_served_next_beside_busy_sockets(address, keys_a_second):
    now, person = [0.0], (address, "sockets", "person")
    order = FairOrder(IDLE_RESET_SECONDS, lambda: now[0])
    costs = map(random.Random(1).uniform, itertools.repeat(0.0003), itertools.repeat(0.0007))

    def serve():
        client, _ = order.pop()
        now[0] += (cost := next(costs))
        order.charge(client, cost)
        if client != person:
            order.add(client, None)
        return client

    for number in range(300):
        order.add(("program", "sockets", number), None)
    order.add(("program", "requests", 0), None)
    order.add(person, None)
    while serve() != person:  # the first turn of a newcomer
        pass
    for _ in range(50):
        key = now[0] + 1 / keys_a_second
        while now[0] < key:
            serve()
        order.add(person, None)
        others = list(iter(serve, person))
        assert set(others) <= {("program", "requests", 0)} and len(others) <= 2


def test_one_very_long_turn_costs_its_client_few_rounds():
    order = FairOrder(IDLE_RESET_SECONDS, lambda: 0.0)
    serve_busy_clients(order, [(i,) for i in range(10)], itertools.repeat(1), 1_000)
    order.remove((3,), None)
    order.charge((3,), 100)
    order.add((3,), None)
    assert 12 <= serve_busy_clients(order, [], itertools.repeat(1), 200)[3,] < 20


def test_another_address_is_served_in_turn_without_resting():
    order = FairOrder()
    for number in range(300):
        order.add(("program", number), None)
    for _ in range(10):
        order.add(("person", 1), None)
        others = []
        while (client := order.pop()[0]) != ("person", 1):
            others.append(client)
            order.charge(client, 1)
            order.add(client, None)
        order.charge(client, 1)
        assert len(others) <= 2


def test_new_connections_do_not_starve_an_old_one():
    order, old, served = FairOrder(), ("a", "old"), 0
    order.add(old, None)
    for number in range(100):
        order.add(("a", number), None)
    for number in range(100, 5_100):
        client, _ = order.pop()
        order.charge(client, 1)
        served += client == old
        order.add(old if client == old else ("a", number), None)
    assert served >= 40  # of 5,000 turns, with 101 clients waiting


def test_requests_and_sockets_of_an_address_share_time_equally():
    clients = [("a", "sockets", i) for i in range(30)] + [("a", "requests", i) for i in range(3)]
    used = serve_busy_clients(FairOrder(), clients, itertools.repeat(1), 1_000)
    assert sum(used["a", "requests", i] for i in range(3)) == pytest.approx(500, abs=2)


@examples(40)
@given(
    doing=st.lists(
        st.tuples(st.sampled_from(["add", "pop", "remove", "charge"]), st.sampled_from("ab"), st.integers(0, 2))
    )
)
def test_items_of_a_connection_are_served_in_order_without_loss(doing):
    order, waiting, number = FairOrder(), {}, itertools.count()
    for what, *client in doing:
        client, own = tuple(client), waiting.setdefault(tuple(client), [])
        if what == "add":
            own.append(next(number))
            order.add(client, own[-1])
        elif what == "remove":
            order.remove(client, own.pop() if own else "nothing")
        elif what == "charge":
            order.charge(client, 1)
        elif any(waiting.values()):
            found, item = order.pop()
            assert waiting[found].pop(0) == item
        assert len(order) == sum(map(len, waiting.values()))
    while len(order):
        found, item = order.pop()
        assert waiting[found].pop(0) == item
    assert not any(waiting.values())


def test_number_of_remembered_clients_is_bounded(monkeypatch):
    monkeypatch.setattr(fair_queue, "MAX_REMEMBERED_CLIENTS", 5)
    order = FairOrder()
    order.add(("a", "stays"), None)
    for number in range(100):
        order.charge(("a", number), 1)
        order.charge((f"b{number}", 1), 1)
    assert len(order.root.nodes) <= 6 and len(order.root.nodes["a"].nodes) <= 6
    assert order.pop() == (("a", "stays"), None)


# ---- slots ----


async def serve_waiting(slots, clients, is_cancelled):
    """Queues clients while all slots are taken; returns the order in which they are served."""
    served = []

    async def work(i, client):
        async with slots.turn(client):
            served.append((i, client))
            await asyncio.sleep(0)

    before = [slots.turn("before") for _ in range(slots.free)]
    for one in before:
        await one.__aenter__()
    tasks = [asyncio.create_task(work(i, client)) for i, client in enumerate(clients)]
    await asyncio.sleep(0)
    for task, gone in zip(tasks, is_cancelled, strict=True):
        if gone:
            task.cancel()
    for one in before:
        await one.__aexit__(None, None, None)
    await asyncio.gather(*tasks, return_exceptions=True)
    return served


@examples(40)
@given(people=st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=12), at_once=st.integers(1, 3))
def test_slots_serve_all_waiting_clients_and_skip_cancelled_ones(people, at_once):
    slots = Slots(at_once)
    clients, gone = [client for client, _ in people], [is_gone for _, is_gone in people]
    served = asyncio.run(serve_waiting(slots, clients, gone))
    assert sorted(served) == [(i, client) for i, client in enumerate(clients) if not gone[i]]
    assert slots.free == at_once and not slots.order and not slots.held


@pytest.mark.parametrize("at_once", [1, 2])
def test_slots_are_shared_by_time_not_by_number(at_once):
    now, used = [0.0], Counter()

    async def ask(slots, address, seconds):
        async with slots.turn(address):
            begin = now[0]
            while now[0] < begin + seconds:
                await asyncio.sleep(0)
            used[address] += seconds

    async def scenario():
        slots = Slots(at_once, now=lambda: now[0])
        questions = [ask(slots, "long", 10) for _ in range(50)] + [ask(slots, "short", 1) for _ in range(190)]
        tasks = [asyncio.create_task(one) for one in questions]
        await asyncio.sleep(0)
        while now[0] < 200 / at_once:
            now[0] += 1
            for _ in range(5):
                await asyncio.sleep(0)
        seen = dict(used)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return seen

    seen = asyncio.run(scenario())
    assert abs(seen["long"] - seen["short"]) <= 20


def test_clients_beyond_the_waiting_limits_are_refused(monkeypatch):
    monkeypatch.setattr(fair_queue, "MAX_WAITING_QUESTIONS", 3)
    monkeypatch.setattr(fair_queue, "MAX_WAITING_PER_ADDRESS", 2)

    async def ask(slots, *client):
        async with slots.turn(*client):
            pass

    async def scenario():
        slots = Slots(1)
        async with slots.turn("first"):
            waiting = [asyncio.create_task(ask(slots, *client)) for client in [("a", 1), ("a", 2), ("b", 1)]]
            await asyncio.sleep(0)
            kinds = []
            for address in "ac":
                with pytest.raises(Problem) as refused:
                    await ask(slots, address, 3)
                kinds.append((refused.value.kind, refused.value.headers["retry-after"]))
            for one in waiting:
                one.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
        return kinds, slots

    kinds, slots = asyncio.run(scenario())
    assert kinds == [("too-many", "2"), ("busy", "2")] and slots.free == 1 and not slots.order


def test_slot_wait_times_out_as_busy():
    async def scenario():
        slots = Slots(1, max_wait=0)
        async with slots.turn("a"):
            with pytest.raises(Problem, match="no turn within") as refused:
                async with slots.turn("b"):
                    pass
        return refused.value.kind, slots

    kind, slots = asyncio.run(scenario())
    assert kind == "busy" and slots.free == 1 and not slots.order


# ---- turns on the event loop ----


def test_a_single_client_does_not_wait():
    async def scenario():
        turns, seen = LoopTurns(), []
        asyncio.get_running_loop().call_soon(seen.append, "next round")
        await turns.turn(("a", 1))
        return [*seen]

    assert asyncio.run(scenario()) == []


def test_a_client_without_pauses_yields_to_the_event_loop():
    async def scenario():
        turns, seen = LoopTurns(), []
        await turns.turn(("a", 1))
        asyncio.get_running_loop().call_soon(seen.append, "somebody else")
        await turns.turn(("a", 1))
        return [*seen]

    assert asyncio.run(scenario()) == ["somebody else"]


def test_cancelled_turns_do_not_block_others():
    async def scenario():
        turns = LoopTurns()
        await turns.turn(("a", 1))
        tasks = [asyncio.create_task(turns.turn(("a", i))) for i in range(5)]
        await asyncio.sleep(0)
        for task in tasks[:4]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)
        return tasks[-1].cancelled(), len(turns.order), turns.is_free

    assert asyncio.run(scenario()) == (False, 0, True)


def test_metered_work_is_charged_for_its_own_steps_only():
    clock = [0.0]

    async def work(seconds, seen):
        for _ in range(3):
            clock[0] += seconds
            await asyncio.sleep(0)
        seen.append(asyncio.current_task())

    async def scenario():
        turns, seen = LoopTurns(), []
        both = [Metered(turns, name, clock=lambda: clock[0]) for name in "ab"]
        tasks = [asyncio.create_task(one.run(work(seconds, seen))) for one, seconds in zip(both, (1, 10), strict=True)]
        await asyncio.gather(*tasks)
        assert set(seen) == {*tasks}
        return {name: node.used for name, node in turns.order.root.nodes.items()}

    assert asyncio.run(scenario()) == {"a": 3, "b": 30}


def test_metered_work_raises_and_cancels_as_without_a_meter():
    async def late():
        async with asyncio.timeout(0):
            await asyncio.sleep(100)

    async def fails():
        await asyncio.sleep(0)
        raise ValueError("a fault")

    async def is_cancelled(seen):
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    async def scenario():
        seen, turns = [], LoopTurns()
        with pytest.raises(TimeoutError):
            await Metered(turns, "a").run(late())
        with pytest.raises(ValueError, match="a fault"):
            await Metered(turns, "a").run(fails())
        task = asyncio.create_task(run(Metered(turns, "a"), is_cancelled(seen)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return seen

    async def run(metered, work):
        await metered.run(work)

    assert asyncio.run(scenario()) == ["cancelled"]
