"""Attacks on a class: how many phones of the class still get in, and whose answers the board counts.

    python benchmarks/class_attacks.py

The class's phones have the address 127.0.0.1; the attacker has that address too, or 127.0.0.2. Linux alone.
"""

import asyncio
import json
import secrets
import time

import httpx2 as httpx
from _serving import WITH_MORE_ROUTES, server

from server.classroom.rooms import code_of

NUM_PHONES, NUM_ATTACKERS, NUM_ROOMS = 50, 300, 19
SCENE = {"lesson": "token", "at": 0}
MAX_TRIES = 120  # of a phone of the class, half a second apart
CLASS_ADDRESS, ATTACK_ADDRESS = "127.0.0.1", "127.0.0.2"  # IP addresses


def client(url: str, address: str) -> httpx.AsyncClient:
    """Returns a client with this address of its own."""
    limits = httpx.Limits(max_connections=100, max_keepalive_connections=0)  # the server may close a kept one
    transport = httpx.AsyncHTTPTransport(local_address=address, limits=limits)
    return httpx.AsyncClient(transport=transport, base_url=url, timeout=60)


class Class:
    """A class with its teacher."""

    def __init__(self, teacher: httpx.AsyncClient):
        self.teacher, self.secret = teacher, secrets.token_urlsafe(24)
        self.code = code_of(self.secret)

    async def open(self) -> int:
        """Opens it, looks at its board as the teacher's page does, and returns the status of the first answer."""
        reply = await self.teacher.post("/class/open", json={"secret": self.secret, **SCENE})
        await self.board()
        return reply.status_code

    async def board(self) -> dict:
        """Returns what the teacher sees."""
        reply = await self.teacher.get(f"/class/{self.code}/board", headers={"x-class-secret": self.secret})
        return reply.json()

    async def counted(self) -> str:
        """Returns how many answers there are of the class (6) and of the attacker (7)."""
        bars = {bar["label"]: bar["count"] for bar in (await self.board())["bars"]}
        return f"{bars.get('6', 0)} answers of the class and {bars.get('7', 0)} of the attacker are counted"


async def open_page(visitor: httpx.AsyncClient, code: str) -> str:
    """Returns the id that the server gives a phone with its page, else one that the phone makes up."""
    reply = await visitor.post(f"/class/{code}/join", json={})
    return reply.json()["me"] if reply.status_code == 200 else secrets.token_hex(12)


async def answer(visitor: httpx.AsyncClient, code: str, me: str, number: int) -> int:
    """Sends an answer, and returns the status."""
    guess = {"me": me, "lesson": "token", "id": "count", "guess": number}
    return (await visitor.post(f"/class/{code}/guess", json=guess)).status_code


async def phone(visitor: httpx.AsyncClient, code: str) -> bool:
    """A phone of the class: whether it gets in and can answer within its tries, as its page tries again and again."""
    me = await open_page(visitor, code)
    for _ in range(MAX_TRIES):
        state = (await visitor.get(f"/class/{code}/state", params={"me": me})).status_code
        if state == 200 and await answer(visitor, code, me, 6) == 204:
            return True
        if state == 401:
            me = await open_page(visitor, code)
        await asyncio.sleep(0.5)
    return False


async def invented(visitor: httpx.AsyncClient, code: str) -> None:
    """Answers with ids that no page was given."""
    await asyncio.gather(*(answer(visitor, code, secrets.token_hex(12), 7) for _ in range(NUM_ATTACKERS)))


async def silent(visitor: httpx.AsyncClient, code: str, answers: bool = False) -> list[str]:
    """Opens the page for each id as a phone does, and returns the ids."""

    async def one() -> str:
        me = await open_page(visitor, code)
        await visitor.get(f"/class/{code}/state", params={"me": me})
        if answers:
            await answer(visitor, code, me, 7)
        return me

    return await asyncio.gather(*(one() for _ in range(NUM_ATTACKERS)))


async def answering(visitor: httpx.AsyncClient, code: str) -> list[str]:
    """Opens the page for each id, answers, and leaves."""
    return await silent(visitor, code, True)


async def staying(visitor: httpx.AsyncClient, code: str) -> None:
    """Opens the page for each id, answers, and goes on asking as phones do until it is cancelled."""
    ids = await answering(visitor, code)

    async def stay() -> None:
        while True:
            for me in ids:
                await visitor.get(f"/class/{code}/state", params={"me": me})

    _tasks.append(asyncio.create_task(stay()))


_tasks: list[asyncio.Task] = []


async def come(own: httpx.AsyncClient, code: str) -> str:
    """Has the phones of the class come; returns how many get in, and within how many seconds."""
    begin = time.monotonic()
    got_in = sum(await asyncio.gather(*(phone(own, code) for _ in range(NUM_PHONES))))
    return f"{got_in} of {NUM_PHONES} phones get in within {time.monotonic() - begin:.0f} s"


async def phones(url: str) -> None:
    """Attacks a class before its phones come, then has the teacher empty it."""
    for attack in (invented, silent, answering, staying):
        for address, where in ((CLASS_ADDRESS, "the class's address"), (ATTACK_ADDRESS, "another address")):
            async with client(url, CLASS_ADDRESS) as own, client(url, address) as other:
                found = Class(own)
                await found.open()
                await attack(other, found.code)
                print(f"{NUM_ATTACKERS} ids, {attack.__name__}, from {where}: {await come(own, found.code)};")
                print(f"  {await found.counted()}", flush=True)
                await own.post("/teach", json={"secret": found.secret, "empty": True})
                print(f"  once the teacher has emptied it: {await come(own, found.code)};")
                print(f"  {await found.counted()}", flush=True)
                while _tasks:
                    _tasks.pop().cancel()


async def rooms(url: str) -> None:
    """Opens rooms by one address, then has teachers open one."""
    async with client(url, CLASS_ADDRESS) as own, client(url, ATTACK_ADDRESS) as other:
        first = Class(own)
        await first.open()
        scenes = [{"secret": secrets.token_urlsafe(24), **SCENE} for _ in range(NUM_ROOMS)]
        await asyncio.gather(*(other.post("/class/open", json=one) for one in scenes))
        teachers = [await Class(own).open() for _ in range(3)]
        board = await first.board()
        print(f"{NUM_ROOMS} rooms by another address: statuses for three teachers who open one: {teachers};")
        print(f"  the class that was open {'is there' if 'bars' in board else f'is gone: {json.dumps(board)}'}")


if __name__ == "__main__":
    for part in (phones, rooms):
        with server(WITH_MORE_ROUTES) as app:
            asyncio.run(part(app.url.replace("localhost", CLASS_ADDRESS)))
