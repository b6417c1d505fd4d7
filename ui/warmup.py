"""Prepares, in the background, what the first visitor of a page would wait for: encodings, imports, counts."""

import gc
import importlib
import sys
import threading
import time

from tokenizer.i18n import SOURCE_LANGUAGE, using_language

START_DELAY_SECONDS = 4  # the first page is served before the warm-up begins
FULL_COLLECTION_RATIO = 100  # middle-generation collections per full collection; Python's default is 10
MODULES = ("ui.languages.premium", "ui.vocabulary.timeline")  # each defines `warm_up()`

_num_frozen = sys.maxsize  # modules loaded at the last freeze; without a server nothing is frozen


def start() -> None:
    """Starts the warm-up in a thread, and makes full garbage collections ten times rarer."""
    global _num_frozen
    _num_frozen = 0
    gc.set_threshold(*gc.get_threshold()[:2], FULL_COLLECTION_RATIO)
    threading.Thread(target=_run, name="warmup", daemon=True).start()


def _run() -> None:
    time.sleep(START_DELAY_SECONDS)
    with using_language(SOURCE_LANGUAGE):
        for name in MODULES:
            importlib.import_module(name).warm_up()
    freeze_new_modules()


def freeze_new_modules() -> None:
    """Excludes the objects of newly imported modules from full collections, which stop the server for 0.1 s."""
    global _num_frozen
    if len(sys.modules) > _num_frozen:
        _num_frozen = len(sys.modules)
        gc.collect(1)
        gc.freeze()
