"""Loads encodings, imports modules and counts in the background, so that no first visitor of a page waits for them."""

import importlib
import threading
import time

from tokenizer.i18n import SOURCE_LANGUAGE, using_language
from ui import garbage

START_DELAY_SECONDS = 4  # the first page is served before the warm-up begins
MODULES = ("ui.train.trainer", "ui.languages.premium", "ui.vocabulary.timeline")  # each defines `warm_up()`


def start() -> None:
    threading.Thread(target=_run, name="warmup", daemon=True).start()


def _run() -> None:
    time.sleep(START_DELAY_SECONDS)
    with using_language(SOURCE_LANGUAGE):
        for name in MODULES:
            importlib.import_module(name).warm_up()
    garbage.skip_existing_objects()
