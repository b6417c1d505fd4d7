"""Where the app and its assets are: beside the core in a clone; in the package `tokenloupe` once they are installed."""

from pathlib import Path

_AROUND = Path(__file__).parents[1]
_INSTALLED = _AROUND / "tokenloupe"
APP = _INSTALLED if (_INSTALLED / "app.py").exists() else _AROUND  # the folder of app.py
ASSETS = APP / "assets"
