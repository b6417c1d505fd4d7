"""What the first visitor of a page would wait for, made before anybody comes there: encodings, imports, counts."""

import gc
import importlib
import sys
import threading
import time

from tokenizer.words import ORIGINAL, speaking

AFTER = 4  # seconds: whoever opens the first page is served first
FULL_COLLECTION_RATIO = 100  # collections of the middle generation to a full one; Python's own is 10
MODULES = ("ui.languages.premium", "ui.vocabulary.timeline")  # each with a function `ahead`

_num_spared = sys.maxsize  # modules; none is spared where no server runs


def begin() -> None:
    """Makes it in a thread of its own, soon; makes full collections of garbage ten times rarer."""
    global _num_spared
    _num_spared = 0
    gc.set_threshold(*gc.get_threshold()[:2], FULL_COLLECTION_RATIO)
    threading.Thread(target=_make, name="ahead", daemon=True).start()


def _make() -> None:
    time.sleep(AFTER)
    with speaking(ORIGINAL):
        for name in MODULES:
            importlib.import_module(name).ahead()
    spare_modules()


def spare_modules() -> None:
    """Leaves objects of newly imported modules out of full collections, which take 0.1 s: no key is answered then."""
    global _num_spared
    if len(sys.modules) > _num_spared:
        _num_spared = len(sys.modules)
        gc.collect(1)
        gc.freeze()
