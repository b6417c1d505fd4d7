"""What a visitor costs the server: resident memory with many sessions open.

python benchmarks/visitors.py [visitors]
"""

import asyncio
import sys

import websockets
from _serving import app, resident_megabytes
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg


async def visit(url: str) -> websockets.ClientConnection:
    """Opens a session, runs the page once, and leaves the connection open."""
    address = url.replace("http", "ws") + "/_stcore/stream"
    connection = await websockets.connect(address, subprotocols=["streamlit"], origin=url, max_size=None)
    message = BackMsg()
    message.rerun_script.query_string = ""
    await connection.send(message.SerializeToString())
    while True:
        reply = ForwardMsg.FromString(await asyncio.wait_for(connection.recv(), 30))
        if reply.WhichOneof("type") == "script_finished":
            return connection


async def main(visitors: int) -> None:
    with app() as (url, pid):
        warm = [await visit(url) for _ in range(5)]
        before = resident_megabytes(pid)
        opened = [await visit(url) for _ in range(visitors)]
        after = resident_megabytes(pid)
        each = (after - before) / visitors
        print(f"{before:.0f} MB with 5 visitors, {after:.0f} MB with {visitors} more: {each:.2f} MB each")
        for connection in warm + opened:
            await connection.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 40))
