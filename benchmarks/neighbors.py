"""Whether one who types notices what others bring: hostile files, a text that takes for ever, a first open model.

    python benchmarks/neighbors.py [seconds]

The app's own routes answer over its own socket, without Streamlit, in one process with a route that opens files as the
page does. A neighbor presses a key every 50 ms; the median and the 99th percentile stand beside those of a server that
does nothing else, measured just before.
"""

import asyncio
import gzip
import json
import os
import statistics
import struct
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import count

import httpx2 as httpx
import websockets
from _serving import ROOT, end
from route import TEXT, question

sys.path.insert(0, str(ROOT / "tests"))
PAUSE = 0.05
ENDLESS = {  # a split that tries every way to part a run of letters
    "version": "1.0",
    "added_tokens": [],
    "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(x+x+)+y"}, "behavior": "Isolated", "invert": False},
    "model": {"type": "WordLevel", "vocab": {"x": 0, "?": 1}, "unk_token": "?"},
}


def hostile_files() -> list[tuple[str, bytes]]:
    """Returns files that are cut, deep, huge, of a wrong type, zipped, or have far too many merges."""
    words = {f"t{i}": i for i in range(1_000_000)}
    many = {
        "version": "1.0",
        "model": {"type": "BPE", "vocab": words, "merges": [[f"t{i}", "t1"] for i in words.values()]},
    }
    return [
        ("cut.json", json.dumps(ENDLESS).encode()[:-20]),
        ("tokenizer.json", b'{"model":' + b"[" * 2_000_000),
        ("tokenizer.json", json.dumps(many).encode()[:39_000_000]),
        ("bomb.model", gzip.compress(bytes(200_000_000), 1)),
        (
            "many.model",
            b"minbpe v1\n\n0\n" + b"".join(b"%d %d\n" % (97 + i % 20, 97 + i % 19) for i in range(1_000_000)),
        ),
        ("many.tiktoken", b"".join(b"AAAA%08d %d\n" % (i, i) for i in range(1_000_000))),
    ]


def serve(port: int) -> None:
    """Runs the app's routes with one more, which opens the files that a body holds and answers a key or why not."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route

    from server.editor_api import routes
    from server.encodings import encoding_store, uploads
    from tokenizer.errors import TokenizerError

    def opened(name: str, data: bytes) -> str:
        try:
            keep.append(encoding_store.add(uploads.load({name: data}), encoding_store.LOADED))
            return keep[-1].key
        except TokenizerError as error:
            return str(error)

    async def bring(request):
        body, name = await request.body(), request.path_params["name"]
        return PlainTextResponse(await asyncio.to_thread(opened, name, body))

    keep: list = []
    app = Starlette(routes=[*routes.routes, Route("/bring/{name}", bring, methods=["POST"])])
    uvicorn.run(app, port=port, log_level="error", ws_max_size=50_000_000)


@contextmanager
def server():
    """Yields the address of such a server."""
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, __file__, "serve", str(port)], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    try:
        for _ in range(600):
            try:
                httpx.get(f"http://localhost:{port}/")
                break
            except httpx.TransportError:
                time.sleep(0.1)
        else:
            raise RuntimeError("The routes do not answer, a minute after their start.")
        yield f"localhost:{port}"
    finally:
        end(process)


def message(encoding: str, text: str) -> bytes:
    head = json.dumps({"name": "tokens", "parameters": {"encoding": encoding}}).encode()
    return struct.pack("<II", 1, len(head)) + head + question(text)


async def ask(socket, encoding: str, text: str) -> tuple[int, bytes]:
    await socket.send(message(encoding, text))
    answer = await asyncio.wait_for(socket.recv(), 60)
    return int.from_bytes(answer[4:8], "little"), answer[8:]


async def typing(address: str) -> None:
    """Prints the seconds from each key to its answer, until this process is ended."""
    text = (TEXT * 12)[:1000]
    async with websockets.connect(f"ws://{address}/api/live", max_size=None) as socket:
        await ask(socket, "o200k_base", text)
        for i in count():
            text = text[1:] + "abc กขค"[i % 7]
            begin = time.perf_counter()
            status, _ = await ask(socket, "o200k_base", text)
            took = time.perf_counter() - begin
            assert status == 200
            print(took, flush=True)
            await asyncio.sleep(max(0, PAUSE - took))


async def beside(address: str, work) -> list[float]:
    """What a neighbor's keys took, in a process of its own, while `work` was done."""
    neighbor = await asyncio.create_subprocess_exec(sys.executable, __file__, "type", address, stdout=subprocess.PIPE)
    await neighbor.stdout.readline()
    await work
    await asyncio.sleep(1)
    neighbor.terminate()
    return [float(line) for line in (await neighbor.stdout.read()).splitlines()]


async def bring(address: str, files) -> None:
    async with httpx.AsyncClient(timeout=120) as client:
        for name, data in files:
            begin = time.perf_counter()
            answer = (await client.post(f"http://{address}/bring/{name}", content=data)).text
            print(f"    {name} ({len(data):,} bytes), {time.perf_counter() - begin:.1f} s: {answer[:110]}")


async def type_for_ever(address: str) -> None:
    """Types what a loaded tokenizer takes all its time for, twice."""
    async with httpx.AsyncClient(timeout=60) as client:
        key = (await client.post(f"http://{address}/bring/tokenizer.json", content=json.dumps(ENDLESS).encode())).text
    async with websockets.connect(f"ws://{address}/api/live", max_size=None) as socket:
        for i in range(2):
            begin = time.perf_counter()
            status, answer = await ask(socket, key, ("x" * 21 + " ") * (1000 + i))
            print(f"    {time.perf_counter() - begin:.1f} s: {status} {answer.decode(errors='replace')[:110]!r}")


async def load_first(address: str, key: str) -> None:
    async with websockets.connect(f"ws://{address}/api/live", max_size=None) as socket:
        begin = time.perf_counter()
        status, answer = await ask(socket, key, "a first word")
        print(f"    {key}, {time.perf_counter() - begin:.1f} s: {status}")


async def main(seconds: float) -> None:
    files = hostile_files()
    with server() as address:
        await beside(address, asyncio.sleep(1))
        idle = await beside(address, asyncio.sleep(seconds))
        say("idle", idle, idle)
        for name, work in (
            ("hostile files", lambda: bring(address, files)),
            ("a text for ever", lambda: type_for_ever(address)),
            ("gemma4 for the first time", lambda: load_first(address, "gemma4")),
            ("llama3 for the first time", lambda: load_first(address, "llama3")),
        ):
            idle = await beside(address, asyncio.sleep(seconds))
            say(f"beside {name}", await beside(address, work()), idle)


def say(name: str, took: list[float], idle: list[float]) -> None:
    (middle, p99), (middle_idle, p99_idle) = map(_facts, (took, idle))
    print(
        f"{name}: {len(took)} keys, median {middle:.1f} ms ({middle / middle_idle:.2f} x idle),"
        f" p99 {p99:.1f} ms ({p99 / p99_idle:.2f} x), worst {1000 * max(took):.0f} ms",
        flush=True,
    )


def _facts(took: list[float]) -> tuple[float, float]:
    return 1000 * statistics.median(took), 1000 * statistics.quantiles(took, n=100)[98]


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(int(sys.argv[2]))
    elif sys.argv[1:2] == ["type"]:
        asyncio.run(typing(sys.argv[2]))
    else:
        asyncio.run(main(float(sys.argv[1]) if len(sys.argv) > 1 else 6))
