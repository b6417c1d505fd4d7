"""What the first visitor of a page would wait for, made before anybody comes there: encodings, imports, counts."""

import gc
import importlib
import threading
import time

from tokenizer.words import ORIGINAL, speaking

AFTER = 4  # seconds: whoever opens the first page is served first
MODULES = ("ui.languages.premium", "ui.vocabulary.timeline")  # each with a function `ahead`


def begin() -> None:
    """Makes it in a thread of its own, soon."""
    threading.Thread(target=_make, name="ahead", daemon=True).start()


def _make() -> None:
    time.sleep(AFTER)
    with speaking(ORIGINAL):
        for name in MODULES:
            importlib.import_module(name).ahead()
    # A full collection looks at all objects of all modules, 0.1 s each time, while every visitor waits: leave them out.
    gc.collect()
    gc.freeze()
