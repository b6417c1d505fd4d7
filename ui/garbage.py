"""Python's garbage collection in a server: full collections are rare, short, and follow the end of sessions.

Cause: a visitor's session in Streamlit is a cycle of references with the visitor's texts in it, and only a full
collection frees it. Python starts one after many new objects, so an idle server keeps the texts; a busy one starts them
often, and each stops all answers. Remedy: full collections skip what the warm-up loaded, are ten times rarer, and one
follows when sessions have ended.
"""

import asyncio
import gc
from collections.abc import Callable, Collection

FULL_COLLECTION_RATIO = 100  # middle-generation collections per full collection; Python's default is 10
INTERVAL_SECONDS = 60


def make_full_collections_rare() -> None:
    """Makes the full collections that Python starts by itself ten times rarer."""
    gc.set_threshold(*gc.get_threshold()[:2], FULL_COLLECTION_RATIO)


def skip_existing_objects() -> None:
    """Excludes all present objects from later full collections; with those of the modules, each takes 0.1 s."""
    gc.collect()
    gc.freeze()


async def collect_ended_sessions(sessions: Callable[[], Collection[str]]) -> None:
    """Runs a full collection once a minute if a session has ended; `sessions` returns the ids of all."""
    known: set[str] = set()
    while True:
        await asyncio.sleep(INTERVAL_SECONDS)
        current = set(sessions())
        if known - current:
            gc.collect()
        known = current
