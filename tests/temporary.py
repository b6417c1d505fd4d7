"""Temporary folders for helpers that have no fixture; they are deleted when the process ends."""

from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

_ALL = TemporaryDirectory()


def new_folder() -> Path:
    return Path(mkdtemp(dir=_ALL.name))
