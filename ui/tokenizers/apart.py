"""The chosen tokenizer taken apart on the text of the desk: by every part of this folder that can."""

from importlib import import_module
from importlib.util import find_spec

from ui.desk import desk
from ui.server.shelf import Entry

PARTS = ("stages", "segmentations")


def show(entry: Entry) -> None:
    """Draws each part for the text on the desk."""
    for part in PARTS:
        if find_spec(f"ui.tokenizers.{part}"):
            import_module(f"ui.tokenizers.{part}").show(entry, desk.text())
